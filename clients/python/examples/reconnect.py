"""Goes on when the daemon is started again: connects, subscribes and adds its body again."""

import sys
import time

import hapticd

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
end_s = time.monotonic() + seconds
while time.monotonic() < end_s:
    try:
        with hapticd.connect("reconnect") as client:
            arm = client.subscribe(0, hapticd.Topic.STATE | hapticd.Topic.WAKE)
            client.add_body("mine", hapticd.mesh.box((0.02,) * 3), hapticd.Pose((0.0, 0.0, 0.2)))
            print("connected")
            while time.monotonic() < end_s:
                client.poll(0.0)  # Renews the leases; raises when the daemon is gone.
                arm.wake.wait(0.05)
    except hapticd.NoDaemon:
        time.sleep(0.1)  # Draw the last state, or nothing, until it is back.
    except hapticd.Disconnected as why:
        print(f"the daemon is gone: {why}")
