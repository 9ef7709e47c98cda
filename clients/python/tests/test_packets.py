"""Packets and blocks read and write as the daemon's own crate does it."""

import json
import math
import os
import random
import subprocess
import unittest
from pathlib import Path

from hapticd import messages as layout
from hapticd._words import DecodeError, decode

PROTOCOL = Path(__file__).resolve().parents[2] / "protocol"
GOLDEN = json.loads((PROTOCOL / "golden.json").read_text())
DIRECTIONS = {
    "requests": layout.REQUESTS,
    "replies": layout.REPLIES,
    "events": layout.EVENTS,
}


def plain(value):
    """A value as the golden file writes it; 64 bits are compared as numbers."""
    if isinstance(value, layout.Record):
        return {name: plain(getattr(value, name)) for name, _ in value.FIELDS}
    if isinstance(value, layout.Words):
        return {name: plain(getattr(value, name)) for name in value.NAMES}
    if isinstance(value, layout.Pose):
        return [*map(float, value.translation_m), *map(float, value.rotation_xyzw)]
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def golden(value):
    """A golden value with its texts of numbers as numbers."""
    if isinstance(value, dict):
        return {name: golden(item) for name, item in value.items()}
    if isinstance(value, list):
        return [golden(item) for item in value]
    if isinstance(value, str) and (value.lstrip("-").isdigit() or value in ("inf", "-inf", "NaN")):
        return float(value) if not value.lstrip("-").isdigit() else int(value)
    return value


class Packets(unittest.TestCase):
    def test_every_golden_packet_reads_and_writes(self):
        for direction, kinds in DIRECTIONS.items():
            self.assertEqual(len(GOLDEN[direction]), len(kinds))
            for case in GOLDEN[direction]:
                with self.subTest(case["name"]):
                    packet = bytes.fromhex(case["packet"])
                    number, message = decode(kinds, packet, case["descriptors"])
                    self.assertEqual(number, int(GOLDEN["id"]))
                    self.assertEqual(type(message).__name__, case["name"])
                    self.assertEqual(plain(message), golden(case["fields"]))
                    self.assertEqual(message.packet(number), packet)

    def test_golden_blocks_have_the_values_that_they_hold(self):
        state, contacts, bodies, needle = GOLDEN["blocks"]
        for case, kind in ((state, layout.ArmState), (needle, layout.NeedleState)):
            read = kind(bytes.fromhex(case["payload"]))
            self.assertEqual(plain(read), golden(case["fields"]))
        from hapticd import blocks

        for case, read in ((contacts, blocks._contacts), (bodies, blocks._bodies)):
            tick, time_ns, items = read(bytes.fromhex(case["payload"]))
            fields = golden(case["fields"])
            self.assertEqual((tick, time_ns), (fields["tick"], fields["time_ns"]))
            self.assertEqual([plain(item) for item in items], fields["list"])

    def test_what_cannot_be_sent_is_named(self):
        move = dict(world_from_body=layout.Pose(), speed_m_s=0.1, body=1, lease_ms=100)
        for name, value in (
            ("speed_m_s", -1.0),
            ("speed_m_s", math.nan),
            ("body", -1),
            ("body", 2**32),
            ("lease_ms", "soon"),
        ):
            with self.assertRaisesRegex(ValueError, name):
                layout.SetBodyPose(**{**move, name: value}).packet(1)
        hello = dict(magic=layout.MAGIC, major=3, minor=0, features=0)
        for name in ("", "a" * 64, "two\nlines", "a\u202eb"):
            with self.assertRaisesRegex(ValueError, "name"):
                layout.Hello(name=name, **hello).packet(1)


class AgainstRust(unittest.TestCase):
    """Both codecs take and refuse the same bytes."""

    def test_damaged_packets_have_the_same_verdict(self):
        verdict = os.environ["HAPTICD_VERDICT"]
        chance = random.Random(int(os.environ.get("HAPTICD_SEED", "2026")))
        packets = []
        for direction, kinds in DIRECTIONS.items():
            for case in GOLDEN[direction]:
                whole = bytes.fromhex(case["packet"])
                for _ in range(int(os.environ.get("HAPTICD_CASES", "200"))):
                    packets.append((direction, kinds, damaged(whole, chance), case["descriptors"]))
        lines = "".join(f"{d} {n} {p.hex()}\n" for d, _, p, n in packets)
        answers = subprocess.run(
            [verdict], input=lines, capture_output=True, text=True, check=True
        ).stdout.split("\n")
        taken = 0
        for (direction, kinds, packet, descriptors), answer in zip(packets, answers):
            try:
                number, message = decode(kinds, packet, descriptors)
                ours = "taken " + message.packet(number).hex()
            except DecodeError:
                ours = "refused"
            self.assertEqual(ours, answer, f"{direction} {packet.hex()}")
            taken += ours != "refused"
        # Neither all nor nothing, or the test would say nothing.
        self.assertTrue(len(packets) // 50 < taken < len(packets) // 2, taken)


def damaged(packet, chance):
    """A packet with some bytes changed, cut or added; its length is mostly made to agree."""
    data = bytearray(packet)
    for _ in range(chance.randint(1, 3)):
        what = chance.random()
        if what < 0.7 and data:
            data[chance.randrange(len(data))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        elif what < 0.8 and data:
            del data[chance.randrange(len(data)) :]
        elif what < 0.9:
            data += bytes(chance.randint(1, 9))
        elif len(data) > 24:
            at = chance.randrange(16, len(data) - 8)
            data[at : at + 8] = chance.choice((b"\0" * 8, b"\xff" * 8, b"\0\0\0\0\0\0\xf0\x7f"))
    if len(data) >= 8 and chance.random() < 0.8:
        data[4:8] = len(data).to_bytes(4, "little")
    return bytes(data)


if __name__ == "__main__":
    unittest.main()
