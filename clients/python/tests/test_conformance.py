"""The script of requests with the answers that every client gets (`clients/conformance`)."""

import enum
import json
import os
import unittest
from pathlib import Path

import hapticd
from hapticd import messages as layout
from hapticd import mesh

from test_daemon import Daemon

FOLDER = Path(__file__).resolve().parents[2] / "conformance"
SCRIPT = json.loads((FOLDER / "script.json").read_text())


def upper(name):
    """`TooManyBodies` as the classes of codes have it."""
    return "".join("_" + c if c.isupper() else c for c in name).strip("_").upper()


class Script(unittest.TestCase):
    def setUp(self):
        self.kept = {}

    def given(self, value, of):
        """A value of the script for a field of this type."""
        if isinstance(value, str) and value.startswith("$"):
            return self.kept[value[1:]]
        kind, _, rest = of.partition(":")
        if kind == "list":
            record = getattr(layout, rest.split(":")[0])
            return [self.built(record, item) for item in value]
        if kind == "pose":
            return hapticd.Pose(tuple(value[:3]), tuple(value[3:]))
        if kind == "code":
            return getattr(layout, rest.split(":")[1])[upper(value)]
        if value == "inf":
            return float("inf")
        return int(value) if isinstance(value, str) and kind in ("u64", "i64") else value

    def built(self, kind, fields):
        types = dict(kind.FIELDS)
        return kind(**{name: self.given(value, types[name]) for name, value in fields.items()})

    def holds(self, found, expected, where):
        """Compares what the script names; the rest of an answer is free."""
        if isinstance(expected, str) and expected.startswith("$"):
            expected = self.kept[expected[1:]]
        if isinstance(expected, dict):
            for name, value in expected.items():
                self.holds(getattr(found, name), value, f"{where}.{name}")
        elif isinstance(expected, list):
            self.assertGreaterEqual(len(found), len(expected), where)
            for index, value in enumerate(expected):
                self.holds(found[index], value, f"{where}.{index}")
        elif isinstance(found, enum.Enum) and isinstance(expected, str):
            self.assertEqual(found.name, upper(expected), where)
        else:
            self.assertEqual(found, expected, where)

    def path(self, value, path):
        for part in path.split("."):
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        return value

    def test_each_step_is_answered_as_the_script_says(self):
        with Daemon(FOLDER / "scene.toml") as daemon, daemon.connect("conformance") as client:
            for index, step in enumerate(SCRIPT["steps"]):
                where = f"step {index}: {step['request']} {step.get('fields', '')}"
                request = self.built(getattr(layout, step["request"]), step.get("fields", {}))
                files = []
                if "mesh" in step:
                    files = [mesh.sealed_file(bytes.fromhex(SCRIPT["meshes"][step["mesh"]]))]
                try:
                    answer, descriptors = client._exchange(request, files)
                except hapticd.RequestRefused as refused:
                    answer, descriptors = refused, []
                for file in files + descriptors:
                    os.close(file)
                name = type(answer).__name__.replace("RequestRefused", "Error")
                self.assertEqual(name, step["answer"], f"{where}: {answer}")
                self.assertEqual(len(descriptors), step.get("descriptors", 0), where)
                self.holds(answer, step.get("gives", {}), where)
                for name, path in step.get("keep", {}).items():
                    self.kept[name] = self.path(answer, path)
