"""Holds what the tool touches for a second and a half, and says how hard it pulled.

For a scene with bodies that forces move: `hapticd run config/blocks.toml`.
"""

import math
import sys
import time

import hapticd
from hapticd.messages import Grasped, LetGo, Touched

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
with hapticd.connect("grasp", patience_s=5.0) as client:
    arm = client.subscribe(0, hapticd.Topic.STATE | hapticd.Topic.CONTACT_EVENTS)
    start_s = time.monotonic()
    held, since_s, most_n = 0, 0.0, 0.0
    while time.monotonic() - start_s < seconds:
        while (news := client.poll(0.0)) is not None:
            if isinstance(news, Touched) and not held:
                client.grasp_body(0)  # What presses most. A table is no body to hold: no harm.
            elif isinstance(news, Grasped):
                held, since_s, most_n = news.body, time.monotonic(), 0.0
                print(f"holds body {held}")
            elif isinstance(news, LetGo) and news.body:
                held = 0
                print(f"let go of body {news.body}: at most {most_n:.2f} N")
        if held and time.monotonic() - since_s > 1.5:
            client.release_body(0)  # It keeps the velocity of the hand.
        try:
            most_n = max(most_n, math.hypot(*arm.state().force_n))
        except (hapticd.NotYet, hapticd.Torn):
            pass
        time.sleep(1 / 120)
