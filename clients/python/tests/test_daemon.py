"""The package against a real daemon, in real time: `HAPTICD` is its program."""

import asyncio
import os
import signal
import socket
import subprocess
import tempfile
import time
import tracemalloc
import unittest
from pathlib import Path

import hapticd
from hapticd import _layout as layout
from hapticd import mesh

CONFIGURATIONS = Path(__file__).resolve().parents[3] / "config"
PATIENCE_S = 60.0
BOX = mesh.box((0.02, 0.02, 0.02))
ABOVE = hapticd.Pose((0.05, 0.0, 0.3))


class Daemon:
    """A daemon of its own, with sockets in a folder of its own."""

    def __init__(self, configuration="demo.toml"):
        self.configuration = CONFIGURATIONS / configuration

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hapticd-python-")
        environment = {**os.environ, "XDG_RUNTIME_DIR": self.folder.name}
        self.path = os.path.join(self.folder.name, "hapticd", "app.sock")
        self.log = open(os.path.join(self.folder.name, "log"), "w+")
        self.process = subprocess.Popen(
            [os.environ["HAPTICD"], "run", self.configuration],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        return self

    def connect(self, name="test"):
        return hapticd.connect(name, self.path, patience_s=PATIENCE_S)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


class WithDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = cls.enterClassContext(Daemon())

    def connect(self, name="test"):
        client = self.daemon.connect(name)
        self.addCleanup(client.close)
        return client

    def until(self, what, found, patience_s=PATIENCE_S):
        """Calls until it returns something; the time only ends a test that would hang."""
        end_s = time.monotonic() + patience_s
        while time.monotonic() < end_s:
            try:
                value = found()
            except (hapticd.NotYet, hapticd.Torn):
                # The first tick is still to come, or one is being written.
                continue
            if value:
                return value
        self.fail(f"{what} did not come in {patience_s} s")

    def event(self, client, kind):
        """The next message of this kind; others are passed over."""

        def poll():
            message = client.poll(0.1)
            return message if isinstance(message, kind) else None

        return self.until(kind.__name__, poll)


class State(WithDaemon):
    def test_the_state_is_new_with_each_tick(self):
        client = self.connect()
        (arm,) = client.arms()
        self.assertEqual((arm.name, arm.index, arm.attached), ("right", 0, True))
        topics = hapticd.Topic.STATE | hapticd.Topic.WAKE
        right = client.subscribe(0, topics)
        self.until("the first ring", lambda: right.wake.wait(1.0))
        first = right.state()
        # A ring may be that of a state which was read already.
        later = lambda: right.wake.wait(1.0) and right.state().tick > first.tick
        self.until("a later tick", later)
        second = right.state()
        self.assertGreater(second.time_ns, first.time_ns)
        self.assertGreater(right.state_version(), 0)
        length = sum(part * part for part in second.world_from_proxy.rotation_xyzw)
        self.assertAlmostEqual(length, 1.0, places=9)

    def test_contacts_and_bodies_are_of_the_scene(self):
        client = self.connect()
        right = client.subscribe(0, hapticd.Topic.ALL)
        names = {body.body: body.name for body in client.list_bodies()}
        self.assertEqual(set(names.values()), {"terrain", "block"})
        contacts = self.until("a contact", lambda: right.contacts().contacts)
        for contact in contacts:
            self.assertIn(contact.body, names)
            self.assertGreater(contact.distance_m, 0.0)
        touching = self.until("touch", lambda: right.state().flags & hapticd.Flag.TOUCHING)
        self.assertTrue(touching)
        poses = {body.body for body in right.bodies().bodies}
        self.assertEqual(poses, set(names))

    def test_reading_allocates_nothing_that_stays(self):
        right = self.connect().subscribe(0)
        self.until("a state", right.state_version)
        state = right.state()
        tracemalloc.start()
        try:
            for _ in range(1000):
                state = right.state()
            before, _ = tracemalloc.get_traced_memory()
            for _ in range(20_000):
                state = right.state()
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        self.assertLess(after - before, 2000)
        self.assertGreater(state.tick, 0)

    def test_what_was_not_subscribed_to_says_so(self):
        right = self.connect().subscribe(0, hapticd.Topic.STATE)
        with self.assertRaisesRegex(ValueError, "contacts was not subscribed to"):
            right.contacts()


class Bodies(WithDaemon):
    def test_a_body_is_added_moved_and_removed(self):
        client = self.connect()
        scene = client.subscribe(0, hapticd.Topic.BODIES | hapticd.Topic.EVENTS)
        cup = client.add_body("cup", BOX, ABOVE)
        self.assertEqual(self.event(client, layout.BodyJoined).body, cup)
        self.assertEqual(len(client.shape(cup).triangles), 12)
        target = (0.06, 0.0, 0.3)

        def arrived():
            client.poll(0.0)
            client.set_body_pose(cup, hapticd.Pose(target), 0.5, 500)
            for body in scene.bodies().bodies:
                if body.body == cup:
                    found = body.world_from_body.translation_m
                    return all(abs(a - b) < 1e-9 for a, b in zip(found, target))
            return False

        self.until("the body at its goal", arrived)
        client.halt_body(cup)
        client.remove_body(cup)
        left = self.event(client, layout.BodyLeft)
        self.assertEqual((left.body, left.reason), (cup, layout.RemovalReason.REQUESTED))

    def test_a_refusal_has_its_code_and_numbers(self):
        client = self.connect()
        terrain = client.list_bodies()[0].body
        with self.assertRaises(hapticd.RequestRefused) as refused:
            client.set_body_pose(terrain, hapticd.Pose(), 0.1, 100)
        self.assertEqual(refused.exception.code, hapticd.ErrorCode.STATIC_BODY)
        self.assertEqual(refused.exception.number, terrain)
        with self.assertRaises(hapticd.RequestRefused) as refused:
            client.set_body_pose(terrain + 1, hapticd.Pose(), 100.0, 100)
        self.assertEqual(refused.exception.code, hapticd.ErrorCode.OUT_OF_RANGE)
        self.assertEqual(refused.exception.limit, 20)
        client.post_body_pose(terrain, hapticd.Pose(), 0.1, 100)
        late = self.event(client, layout.Error)
        self.assertEqual(late.code, hapticd.ErrorCode.STATIC_BODY)

    def test_polling_renews_leases_and_silence_is_told(self):
        client = self.connect()
        client.subscribe(0, hapticd.Topic.EVENTS)
        client.add_body("kept", BOX, ABOVE)
        self.event(client, layout.BodyJoined)
        end_s = time.monotonic() + 4e-3 * client.welcome.lease_ms
        while time.monotonic() < end_s:
            self.assertNotIsInstance(client.poll(0.01), layout.ClientSilent)
        # Other clients see what the daemon tells them without this client's help.
        watcher = self.connect("watcher")
        self.assertIn("kept", [body.name for body in watcher.list_bodies()])

        def silent():
            packet = client._take()  # Not `poll`, which would speak.
            kind = packet and int.from_bytes(packet[0][:2], "little")
            return kind == layout.ClientSilent.KIND

        self.until("ClientSilent", silent)


class Shapes(unittest.TestCase):
    def test_a_cloth_shows_its_points_and_triangles(self):
        with Daemon("cloth.toml") as daemon, daemon.connect() as client:
            cloths = [b for b in client.list_bodies() if b.kind is hapticd.BodyKind.CLOTH]
            cloth = cloths[0]
            surface = client.surface(cloth.body)
            self.assertEqual(len(surface.triangles), cloth.triangles)
            frame = self.first(surface.read)
            self.assertGreater(len(frame.points), 100)
            self.assertEqual(len(frame.points.tolist()[0]), 3)
            later = frame
            while later.header.tick == frame.header.tick:
                later = surface.read()
            self.assertGreater(later.header.time_ns, frame.header.time_ns)
            with self.assertRaises(hapticd.RequestRefused) as refused:
                client.skin(cloth.body)
            self.assertEqual(refused.exception.code, hapticd.ErrorCode.NO_SKIN)

    def test_a_coil_shows_its_skin(self):
        with Daemon("coil.toml") as daemon, daemon.connect() as client:
            (coil,) = [b for b in client.list_bodies() if b.kind is hapticd.BodyKind.IMPLICIT]
            skin = client.skin(coil.body)
            frame = self.first(skin.read)
            counts = frame.header.counts
            self.assertEqual(len(frame.points), counts.points)
            self.assertEqual(len(frame.triangles), counts.triangles)
            self.assertGreater(counts.triangles, 100)
            for normal in frame.normals.tolist()[:50]:
                self.assertAlmostEqual(sum(part * part for part in normal), 1.0, places=3)

    def first(self, read):
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            try:
                return read()
            except (hapticd.NotYet, hapticd.Torn):
                continue
        self.fail("no frame")


class Ends(unittest.TestCase):
    def test_a_daemon_that_is_killed_leaves_the_last_state(self):
        with Daemon() as daemon, daemon.connect() as client:
            right = client.subscribe(0, hapticd.Topic.STATE | hapticd.Topic.WAKE)
            while not right.wake.wait(1.0):
                pass
            daemon.process.kill()
            daemon.process.wait()
            with self.assertRaises(hapticd.Disconnected):
                while True:
                    right.wake.wait(1.0)
            with self.assertRaises(hapticd.Disconnected):
                client.arms()
            last = right.state()
            self.assertGreater(last.tick, 0)
            self.assertEqual(right.state(), last)
            with self.assertRaises(hapticd.NoDaemon):
                hapticd.connect("again", daemon.path)

    def test_another_version_is_refused_with_both_numbers(self):
        with Daemon() as daemon, daemon.connect():
            old = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            old.connect(daemon.path)
            hello = layout.Hello(magic=layout.MAGIC, major=2, minor=4, features=0, name="old")
            old.send(hello.packet(1))
            from hapticd._words import decode

            _, refused = decode(layout.REPLIES, old.recv(4096), 0)
            old.close()
            self.assertEqual(refused.reason, layout.RefusalReason.VERSION_MISMATCH)
            self.assertEqual((refused.client_major, refused.major), (2, layout.MAJOR))

    def test_no_daemon_says_where_it_looked(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(hapticd.NoDaemon, folder):
                hapticd.connect("nobody", os.path.join(folder, "app.sock"))


class Asynchronous(WithDaemon):
    def test_ticks_and_events_arrive_in_an_event_loop(self):
        async def session():
            async with hapticd.aio.connect("loop", self.daemon.path, patience_s=PATIENCE_S) as client:
                right = client.subscribe(0, hapticd.Topic.ALL)
                ticks = []
                while len(ticks) < 20:
                    if await hapticd.aio.tick(right):
                        ticks.append(right.state().tick)
                # A ring may come for a state that was read already.
                self.assertEqual(ticks, sorted(ticks))
                self.assertGreater(len(set(ticks)), 10)
                cup = client.add_body("async cup", BOX, ABOVE)
                async for event in hapticd.aio.events(client):
                    if isinstance(event, layout.BodyJoined) and event.body == cup:
                        return event

        joined = asyncio.run(asyncio.wait_for(session(), PATIENCE_S))
        self.assertEqual(joined.name, "async cup")


if __name__ == "__main__":
    unittest.main()
