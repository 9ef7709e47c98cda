#!/usr/bin/env python3
"""Tight-Inclusion and Additive CCD (PyPI `ipctk`) on files of linear-motion queries, as `lab run ccd-queries` reads them.

    tight_inclusion.py KIND:FILE...        KIND: vf or ee

Prints one JSON object, on the last line: the version, and for each method its settings and the totals that the lab prints (`queries`, `missed`,
`false_alarms`, `mean_ns`, `p99_ns`, `max_ns`, ...), all together and by kind. Each query is timed alone around the call, which
includes 1-3 us of Python; best of REPEATS calls, or the first if that took longer than a millisecond.
Exit status 3: ipctk is not installed.
"""

import json
import sys
import time

try:
    import numpy
    import ipctk
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

REPEATS = 3
TOLERANCE = 1e-6
MAX_ITERATIONS = 1_000_000  # the paper's


def read(path):
    with open(path, encoding="ascii") as lines:
        rows = [line.split(",") for line in lines if line.strip()]
    # int / int is correctly rounded.
    points = [numpy.array([int(r[k]) / int(r[k + 1]) for k in (0, 2, 4)]) for r in rows]
    for i in range(0, len(rows), 8):
        yield points[i : i + 8], rows[i][6].strip() == "1"


def timed(call, points):
    best = None
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        hit = call(*points)[0]
        ns = time.perf_counter_ns() - start
        best = ns if best is None else min(best, ns)
        if ns > 1_000_000:
            break
    return hit, best


def totals(answers):
    times = sorted(ns for _, _, ns in answers)
    free = sum(not touch for touch, _, _ in answers)
    false_alarms = sum(hit and not touch for touch, hit, _ in answers)
    rank = lambda part: times[max(0, -(-int(part * 1000) * len(times) // 1000) - 1)]
    return {
        "queries": len(answers),
        "colliding": len(answers) - free,
        "missed": sum(touch and not hit for touch, hit, _ in answers),
        "false_alarms": false_alarms,
        "false_alarm_percent": 100.0 * false_alarms / max(free, 1),
        "mean_ns": sum(times) / len(times),
        "median_ns": rank(0.5),
        "p99_ns": rank(0.99),
        "max_ns": times[-1],
    }


def main():
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    methods = {
        "Tight-Inclusion": (
            ipctk.TightInclusionCCD(tolerance=TOLERANCE, max_iterations=MAX_ITERATIONS),
            f"tolerance {TOLERANCE}, at most {MAX_ITERATIONS} iterations",
        ),
        "Additive CCD": (ipctk.AdditiveCCD(), "as it comes"),
    }
    queries = []
    for argument in sys.argv[1:]:
        kind, path = argument.split(":", 1)
        queries += [(kind, points, touch) for points, touch in read(path)]
    report = {"package": f"ipctk {ipctk.__version__}", "methods": {}}
    for name, (method, settings) in methods.items():
        calls = {"vf": method.point_triangle_ccd, "ee": method.edge_edge_ccd}
        answers = {"vf": [], "ee": []}
        for kind, points, touch in queries:
            answers[kind].append((touch, *timed(calls[kind], points)))
        report["methods"][name] = {
            "settings": settings,
            **totals(answers["vf"] + answers["ee"]),
            "by_kind": {kind: totals(some) for kind, some in answers.items() if some},
        }
    print(json.dumps(report))


main()
