#!/usr/bin/env python3
"""FCL (PyPI `python-fcl`) on the queries of `tests/peers`: fcl_queries.py REQUEST.json prints one JSON object.

`sweeps`: for each case the time of contact of conservative advancement (null: none) and the seconds of the call, until `patience_s` seconds are spent. `statics`: seconds of each call.
1-3 us of every call are Python's. Exit status 3: python-fcl is not installed.
"""

import json
import sys
import time

try:
    import fcl
    import numpy
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)


def model(mesh):
    vertices, triangles = numpy.array(mesh["vertices"]), numpy.array(mesh["triangles"])
    bvh = fcl.BVHModel()
    bvh.beginModel(len(vertices), len(triangles))
    bvh.addSubModel(vertices, triangles)
    bvh.endModel()
    return bvh


def transform(pose):
    return fcl.Transform(numpy.array(pose["q"]), numpy.array(pose["t"]))


def sweeps(request):
    small, large = model(request["small"]), model(request["large"])
    # The defaults are ten iterations and translation only.
    settings = fcl.ContinuousCollisionRequest(
        num_max_iterations=1000,
        toc_err=1e-6,
        ccd_motion_type=fcl.CCDMotionType.CCDM_LINEAR,
        gjk_solver_type=fcl.GJKSolverType.GST_LIBCCD,
        ccd_solver_type=fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    )
    answers, spent = [], 0.0
    for (a0, a1), (b0, b1) in request["cases"]:
        a, b = fcl.CollisionObject(small, transform(a0)), fcl.CollisionObject(large, transform(b0))
        if spent >= request["patience_s"]:
            break
        ends = transform(a1), transform(b1)
        result = fcl.ContinuousCollisionResult()
        start = time.perf_counter()
        fcl.continuousCollide(a, ends[0], b, ends[1], settings, result)
        seconds = time.perf_counter() - start
        spent += seconds
        answers.append({"time": result.time_of_contact if result.is_collide else None, "seconds": seconds})
    return answers


def statics(request):
    mesh = model(request["mesh"])
    still = fcl.CollisionObject(mesh, fcl.Transform())
    across, apart = (fcl.CollisionObject(mesh, transform(request[key])) for key in ("across", "apart"))
    answer = {"pairs": [], "distance": []}
    for _ in range(request["rounds"]):
        result = fcl.CollisionResult()
        start = time.perf_counter()
        answer["count"] = fcl.collide(across, still, fcl.CollisionRequest(num_max_contacts=1_000_000), result)
        answer["pairs"].append(time.perf_counter() - start)
        start = time.perf_counter()
        answer["gap"] = fcl.distance(apart, still, fcl.DistanceRequest(), fcl.DistanceResult())
        answer["distance"].append(time.perf_counter() - start)
    return answer


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        request = json.load(file)
    parts = {"sweeps": sweeps, "statics": statics}
    print(json.dumps({key: parts[key](value) for key, value in request.items()}))


main()
