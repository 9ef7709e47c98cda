"""Prints the tool, the force and the contacts of the first arm, ten times a second."""

import sys
import time

import hapticd

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
with hapticd.connect("live", patience_s=5.0) as client:
    topics = hapticd.Topic.STATE | hapticd.Topic.CONTACTS | hapticd.Topic.WAKE
    arm = client.subscribe(0, topics)
    end_s = time.monotonic() + seconds
    printed = 0
    while time.monotonic() < end_s:
        if not arm.wake.wait(1.0):  # Sleeps until the next tick.
            print("the daemon publishes nothing")
            continue
        state = arm.state()
        if state.tick < printed + 100:
            continue
        printed = state.tick
        tool_mm = [1e3 * part for part in state.world_from_proxy.translation_m]
        force = sum(part * part for part in state.force_n) ** 0.5
        why = hapticd.force_off_text(state.reason) if state.reason else "on"
        print(
            f"tool {tool_mm[0]:7.2f} {tool_mm[1]:7.2f} {tool_mm[2]:7.2f} mm   "
            f"force {force:6.3f} N ({why})   {len(arm.contacts().contacts)} contacts"
        )
