"""The script of requests with the answers that every client gets (`clients/conformance`)."""

import enum
import json
import os
import shutil
import tempfile
import time
import unittest
from pathlib import Path

import hapticd
from hapticd import messages as layout
from hapticd import mesh

from test_daemon import PATIENCE_S, Daemon

FOLDER = Path(__file__).resolve().parents[2] / "conformance"
SCRIPT = json.loads((FOLDER / "script.json").read_text())
KEYS = set("request fields mesh mesh_bytes replace repeat descriptors answer gives keep".split())


def upper(name):
    """`TooManyBodies` as the classes of codes have it."""
    return "".join("_" + c if c.isupper() else c for c in name).strip("_").upper()


def numbered(fields, number):
    """A step's fields with a number in the place of #."""
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    return {**fields, **{name: text.replace("#", str(number)) for name, text in texts.items()}}


def repeated(steps):
    """All steps, each as often as it is sent."""
    for step in steps:
        first, last = step.get("repeat", (0, 0))
        for number in range(first, last + 1):
            yield {**step, "fields": numbered(step.get("fields", {}), number)}


def content(step):
    """The file that goes with a request."""
    file = bytes.fromhex(SCRIPT["meshes"][step["mesh"]])
    return file.ljust(step.get("mesh_bytes", 0), b"\0")


class Script(unittest.TestCase):
    def setUp(self):
        self.kept = {}
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.configuration = self.folder / "configuration.toml"

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

    def answered(self, client, step, where):
        """Sends a step's request and compares its answer."""
        request = self.built(getattr(layout, step["request"]), step["fields"])
        files = [mesh.sealed_file(content(step))] if "mesh" in step else []
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

    def play(self, part):
        shutil.copy(FOLDER / part["scene"], self.configuration)
        with Daemon(self.configuration) as daemon:
            daemon.path = str(Path(daemon.path).with_name(part["socket"] + ".sock"))
            client = daemon.connect("conformance")
            for index, step in enumerate(repeated(part["steps"])):
                where = f"{part['name']}, {index}: {step['request']} {step['fields']}"
                self.assertLessEqual(step.keys(), KEYS, where)
                if "replace" in step:
                    shutil.copy(FOLDER / step["replace"], self.configuration)
                if step["answer"] is not None:
                    self.answered(client, step, where)
            client.close()
            if step["request"] == "Shutdown":
                daemon.process.wait()
            else:
                self.assertEqual(step["request"], "Goodbye", where)
                self.left(daemon)
        self.assertEqual(daemon.process.returncode, 0)

    def left(self, daemon):
        """Waits until the daemon has taken the Goodbye; the time only ends a test that hangs."""
        log = Path(daemon.folder.name) / "log"
        end_s = time.monotonic() + PATIENCE_S
        while "`conformance` said goodbye" not in log.read_text():
            self.assertLess(time.monotonic(), end_s, log.read_text())
            time.sleep(0.02)

    def test_applications_are_answered_as_the_script_says(self):
        for part in SCRIPT["parts"]:
            if part["socket"] == "app":
                self.play(part)

    def test_technicians_are_answered_as_the_script_says(self):
        for part in SCRIPT["parts"]:
            if part["socket"] == "technician":
                self.play(part)
