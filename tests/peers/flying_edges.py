#!/usr/bin/env python3
"""VTK's Flying Edges (PyPI `vtk`) on fields of the moving chain of 64 primitives, on one thread.

    flying_edges.py CELLS:RADIUS...     prints one JSON object. `rows`: for each word the triangles and the least processor time of seven runs, s, without normals and with them
    flying_edges.py                     prints `version`, then answers each line of its input with one: `CELLS:RADIUS` with the processor time of one run with normals, s,
                                        `CELLS:RADIUS FILE` with the counts of the mesh that it wrote: points as 32-bit floats, then corners as 32-bit integers

The field is filled before the clock starts, by numpy; filling it is the caller's to add. Exit status 3: vtk is not installed.
"""

import functools
import json
import sys
import time

try:
    import numpy as np
    import vtk
    from vtk.util import numpy_support
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

LEVEL = 0.35


def field(cells, radius):
    axis = np.linspace(-1.0, 1.0, cells + 1)
    out = np.zeros((cells + 1,) * 3, dtype=np.float32)
    step = 2.0 / cells
    for i in range(64):
        s = i / 63.0
        centre = 0.62 * np.array([np.sin(6 * s), np.sin(9 * s + 0.5), np.cos(5 * s)])
        low = np.maximum(np.ceil((centre - radius + 1) / step).astype(int), 0)
        high = np.minimum(np.floor((centre + radius + 1) / step).astype(int) + 1, cells + 1)
        squares = [((axis[low[k]:high[k]] - centre[k]) / radius) ** 2 for k in range(3)]
        u = squares[2][:, None, None] + squares[1][None, :, None] + squares[0][None, None, :]
        rest = np.maximum(1.0 - u, 0.0)
        out[low[2]:high[2], low[1]:high[1], low[0]:high[0]] += (rest * rest).astype(np.float32)
    return out


@functools.lru_cache(maxsize=1)
def image(word):
    cells, radius = word.split(":")
    cells = int(cells)
    made = vtk.vtkImageData()
    made.SetDimensions(cells + 1, cells + 1, cells + 1)
    made.SetSpacing(2.0 / cells, 2.0 / cells, 2.0 / cells)
    made.SetOrigin(-1, -1, -1)
    scalars = numpy_support.numpy_to_vtk(field(cells, float(radius)).ravel(), deep=True)
    made.GetPointData().SetScalars(scalars)
    return made


def contour(word, normals):
    """The mesh, and the processor time that it took, s."""
    edges = vtk.vtkFlyingEdges3D()
    edges.SetInputData(image(word))
    edges.SetValue(0, LEVEL)
    edges.SetComputeNormals(normals)
    edges.SetComputeGradients(0)
    edges.SetComputeScalars(0)
    start = time.process_time()
    edges.Update()
    return edges.GetOutput(), time.process_time() - start


def measure(word):
    cells, radius = word.split(":")
    row = {"cells": int(cells), "radius": float(radius)}
    for name, normals in (("plain_s", 0), ("normals_s", 1)):
        row[name] = float("inf")
        for _ in range(7):
            mesh, seconds = contour(word, normals)
            row["triangles"] = mesh.GetNumberOfCells()
            row[name] = min(row[name], seconds)
    return row


def write(word, path):
    mesh, _ = contour(word, 1)
    points = numpy_support.vtk_to_numpy(mesh.GetPoints().GetData())
    corners = numpy_support.vtk_to_numpy(mesh.GetPolys().GetConnectivityArray())
    with open(path, "wb") as file:
        file.write(points.astype("<f4").tobytes())
        file.write(corners.astype("<u4").tobytes())
    return {"points": len(points), "triangles": len(corners) // 3}


def main():
    vtk.vtkSMPTools.Initialize(1)
    version = vtk.vtkVersion().GetVTKVersion()
    if len(sys.argv) > 1:
        print(json.dumps({"rows": [measure(word) for word in sys.argv[1:]], "version": version}))
        return
    print(json.dumps({"version": version}), flush=True)
    for line in sys.stdin:
        word, *path = line.split(maxsplit=1)
        answer = write(word, path[0].strip()) if path else {"normals_s": contour(word, 1)[1]}
        print(json.dumps(answer), flush=True)


main()
