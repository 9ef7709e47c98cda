"""Lets the hand feel a guide, a viscous field and a vibration, one after the other."""

import math
import sys
import time

import hapticd
from hapticd.messages import EffectKind, EffectShape

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0


def line(client: hapticd.Client) -> int:
    at, along = (0.0, 0.0, 0.05), (1.0, 0.0, 0.0)
    shape = EffectShape.LINE
    return client.set_effect(
        0, EffectKind.SPRING, coefficient=80.0, place_m=at, axis=along, shape=shape
    )


def honey(client: hapticd.Client) -> int:
    return client.set_effect(0, EffectKind.DAMPER, coefficient=5.0, range_m=0.1)


def buzz(client: hapticd.Client) -> int:
    return client.set_effect(
        0, EffectKind.PERIODIC, magnitude_n=0.5, frequency_hz=80.0, attack_s=0.2
    )


EFFECTS = {"a line to follow": line, "honey within 10 cm": honey, "a buzz": buzz}
with hapticd.connect("effects", patience_s=5.0) as client:
    arm = client.subscribe(0, hapticd.Topic.STATE)
    for name, begin in EFFECTS.items():
        effect = begin(client)
        start_s = time.monotonic()
        most_n = 0.0
        while time.monotonic() - start_s < seconds:
            # Effects last while their client is heard: `poll` says that it is alive.
            while client.poll(0.0) is not None:
                pass
            try:
                most_n = max(most_n, math.hypot(*arm.state().force_n))
            except (hapticd.NotYet, hapticd.Torn):
                pass
            time.sleep(1 / 250)
        client.stop_effect(effect)
        print(f"{name}: at most {most_n:.2f} N")
