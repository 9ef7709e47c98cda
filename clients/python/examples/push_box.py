"""Adds a box that swings to and fro where the arm can push it, and says who pushes how hard."""

import math
import sys
import time

import hapticd
from hapticd.messages import Released, Touched

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
with hapticd.connect("push a box", patience_s=5.0) as client:
    topics = hapticd.Topic.BODIES | hapticd.Topic.EVENTS | hapticd.Topic.CONTACT_EVENTS
    scene = client.subscribe(0, topics)
    centre = (0.0, 0.0, 0.02)  # Where the hand of config/demo.toml explores.
    box = client.add_body("box", hapticd.mesh.box((0.03, 0.03, 0.03)), hapticd.Pose(centre))
    start_s = time.monotonic()
    most_n = 0.0
    while (elapsed_s := time.monotonic() - start_s) < seconds:
        # A frame of the application: events first, which also renews the leases.
        while (news := client.poll(0.0)) is not None:
            if isinstance(news, Touched) and news.body == box:
                print(f"touched in tick {news.tick}")
            elif isinstance(news, Released) and news.body == box:
                print(f"released, at most {most_n:.2f} N")
                most_n = 0.0
        x = 0.05 * math.sin(elapsed_s)
        goal = hapticd.Pose((x, centre[1], centre[2]))
        # If this program stops, the box stops when the lease is over.
        try:
            client.post_body_pose(box, goal, speed_m_s=0.2, lease_ms=200)
        except hapticd.WouldWait:
            pass  # The daemon is busy: the next frame's pose will do.
        try:
            for body in scene.bodies().bodies:
                if body.body == box:
                    most_n = max(most_n, math.hypot(*body.force_n))
        except (hapticd.NotYet, hapticd.Torn):
            pass
        time.sleep(1 / 60)
