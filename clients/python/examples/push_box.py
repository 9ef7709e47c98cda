"""Adds a box that swings to and fro where the arm can push it, and says when it is touched."""

import math
import sys
import time

import hapticd

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
with hapticd.connect("push a box", patience_s=5.0) as client:
    arm = client.subscribe(0, hapticd.Topic.STATE | hapticd.Topic.CONTACTS | hapticd.Topic.EVENTS)
    centre = (0.0, 0.0, 0.02)  # Where the hand of config/demo.toml explores.
    box = client.add_body("box", hapticd.mesh.box((0.03, 0.03, 0.03)), hapticd.Pose(centre))
    start_s = time.monotonic()
    touched = False
    while (elapsed_s := time.monotonic() - start_s) < seconds:
        # A frame of the application: events first, which also renews the leases.
        while (news := client.poll(0.0)) is not None:
            print(news)
        x = 0.05 * math.sin(elapsed_s)
        goal = hapticd.Pose((x, centre[1], centre[2]))
        # If this program stops, the box stops when the lease is over.
        try:
            client.post_body_pose(box, goal, speed_m_s=0.2, lease_ms=200)
        except hapticd.WouldWait:
            pass  # The daemon is busy: the next frame's pose will do.
        try:
            touches = any(contact.body == box for contact in arm.contacts().contacts)
        except (hapticd.NotYet, hapticd.Torn):
            touches = touched
        if touches != touched:
            touched = touches
            print("touched" if touched else "released")
        time.sleep(1 / 60)
