#!/usr/bin/env python3
"""VTK's Flying Edges (PyPI `vtk`) on fields of the moving chain of 64 primitives: flying_edges.py CELLS:RADIUS... prints one JSON object.

`rows`: for each word the triangles and the least processor time of seven runs, s, without normals and with them, on one thread. The field is filled before the clock
starts, by numpy; filling it is the caller's to add. Exit status 3: vtk is not installed.
"""

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


def measure(cells, radius):
    values = field(cells, radius)
    image = vtk.vtkImageData()
    image.SetDimensions(cells + 1, cells + 1, cells + 1)
    image.SetSpacing(2.0 / cells, 2.0 / cells, 2.0 / cells)
    image.SetOrigin(-1, -1, -1)
    scalars = numpy_support.numpy_to_vtk(values.ravel(), deep=True)
    image.GetPointData().SetScalars(scalars)
    row = {"cells": cells, "radius": radius}
    for name, normals in (("plain_s", 0), ("normals_s", 1)):
        least = float("inf")
        for _ in range(7):
            edges = vtk.vtkFlyingEdges3D()
            edges.SetInputData(image)
            edges.SetValue(0, LEVEL)
            edges.SetComputeNormals(normals)
            edges.SetComputeGradients(0)
            edges.SetComputeScalars(0)
            start = time.process_time()
            edges.Update()
            least = min(least, time.process_time() - start)
            row["triangles"] = edges.GetOutput().GetNumberOfCells()
        row[name] = least
    return row


def main():
    vtk.vtkSMPTools.Initialize(1)
    rows = []
    for word in sys.argv[1:]:
        cells, radius = word.split(":")
        rows.append(measure(int(cells), float(radius)))
    print(json.dumps({"rows": rows, "version": vtk.vtkVersion().GetVTKVersion()}))


main()
