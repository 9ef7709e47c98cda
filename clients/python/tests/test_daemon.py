"""The package against a real daemon, in real time: `HAPTICD` is its program."""

import asyncio
import gc
import os
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time
import tracemalloc
import unittest
from pathlib import Path

import hapticd
from hapticd import messages as layout
from hapticd import mesh

CONFIGURATIONS = Path(__file__).resolve().parents[3] / "config"
PATIENCE_S = 60.0
BOX = mesh.box((0.02, 0.02, 0.02))
ABOVE = hapticd.Pose((0.05, 0.0, 0.3))


# A hand that comes down, again and again, and then wants to be 3 mm below the top of a box of 20 mm
# about the origin.
PRESSING = """
[[arm]]
name = "right"
kind = "simulated"
intention = "./hand.toml"
tool = { kind = "sphere", radius_m = 0.005 }
mechanics = { mass_kg = 0.1, damping_n_s_per_m = 2.0, resolution_m = 1e-6, delay_us = 200 }
hand = { stiffness_n_per_m = 5000.0, damping_n_s_per_m = 40.0 }
[ipc]
lease_ms = 2000
max_lease_ms = 2000
[safety]
stale_input_ms = 1000.0
stale_contact_ms = 5000.0
"""
HAND = """
kind = "press"
from = [0.0, 0.0, 0.03]
depth_m = 0.018
move_s = 0.5
hold_s = 2.0
"""


class Daemon:
    """A daemon of its own, with sockets in a folder of its own."""

    def __init__(self, configuration="demo.toml", hand=None):
        self.configuration = CONFIGURATIONS / configuration
        self.hand = hand

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hapticd-python-")
        environment = {**os.environ, "XDG_RUNTIME_DIR": self.folder.name}
        self.path = os.path.join(self.folder.name, "hapticd", "app.sock")
        if self.hand is not None:
            self.configuration = Path(self.folder.name) / "rig.toml"
            self.configuration.write_text(PRESSING)
            (Path(self.folder.name) / "hand.toml").write_text(self.hand)
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
        post = client.post_body_pose(terrain, hapticd.Pose(), 0.1, 100)
        late = self.event(client, hapticd.Refusal)
        self.assertEqual(late.error.code, hapticd.ErrorCode.STATIC_BODY)
        self.assertEqual(late.post, post)
        with self.assertRaisesRegex(hapticd.RequestRefused, "There is no body 999"):
            client.remove_body(999)


class Silence(unittest.TestCase):
    event, until = WithDaemon.event, WithDaemon.until

    def test_polling_renews_leases_and_silence_is_told(self):
        # A lease that a busy machine does not use up by itself.
        daemon = self.enterContext(Daemon(hand=HAND))
        client = self.enterContext(daemon.connect())
        client.subscribe(0, hapticd.Topic.EVENTS)
        client.add_body("kept", BOX, ABOVE)
        self.event(client, layout.BodyJoined)
        end_s = time.monotonic() + 4e-3 * client.welcome.lease_ms
        while time.monotonic() < end_s:
            self.assertNotIsInstance(client.poll(0.01), layout.ClientSilent)
        # Other clients see what the daemon tells them without this client's help.
        watcher = self.enterContext(daemon.connect("watcher"))
        self.assertIn("kept", [body.name for body in watcher.list_bodies()])

        def silent():
            packet = client._take()  # Not `poll`, which would speak.
            kind = packet and int.from_bytes(packet[0][:2], "little")
            return kind == layout.ClientSilent.KIND

        self.until("ClientSilent", silent)


def total(vectors):
    return [sum(part) for part in zip((0.0, 0.0, 0.0), *vectors)]


class Contact(WithDaemon):
    """What a hand feels that explores the demonstration's terrain and block."""

    def scene(self):
        client = self.connect()
        return client, client.subscribe(0, hapticd.Topic.ALL)

    def close(self, found, expected, within):
        for one, other in zip(found, expected, strict=True):
            self.assertAlmostEqual(one, other, delta=within)

    def test_the_forces_at_the_contacts_are_what_the_hand_feels(self):
        client, right = self.scene()
        checked = 0

        def agree():
            nonlocal checked
            client.poll(0.0)
            state, contacts, bodies = right.state(), right.contacts(), right.bodies()
            if not state.tick == contacts.tick == bodies.tick or not contacts.contacts:
                return False
            forces = [contact.force_n for contact in contacts.contacts]
            if not any(map(any, forces)):
                return False
            self.close(total(forces), state.force_n, 1e-9)
            for body in bodies.bodies:
                own = [c for c in contacts.contacts if c.body == body.body]
                pushed = total(c.force_n for c in own)
                self.close(body.force_n, [-part for part in pushed], 1e-9)
                if not own:
                    self.close(body.torque_nm, (0.0, 0.0, 0.0), 0.0)
            checked += 1
            return checked >= 200

        self.until("200 ticks under force", agree)

    def test_every_touch_ends_by_a_release(self):
        client, _ = self.scene()
        touched, last_tick, released = {}, 0, 0

        def told():
            nonlocal last_tick, released
            event = client.poll(0.1)
            if not isinstance(event, (layout.Touched, layout.Released)):
                return False
            self.assertGreaterEqual(event.tick, last_tick)
            last_tick = event.tick
            if isinstance(event, layout.Touched):
                self.assertNotIn(event.body, touched)
                touched[event.body] = event
            elif event.body in touched:
                first = touched.pop(event.body)
                self.assertGreaterEqual(event.last_touch_ns, first.time_ns)
                self.assertGreaterEqual(event.time_ns, event.last_touch_ns + layout.RELEASE_NS)
                released += 1
            return released >= 3

        self.until("three touches and releases", told)


class Materials(unittest.TestCase):
    """A hand that presses on a box of the application's."""

    def test_a_material_changes_under_the_hand(self):
        with Daemon(hand=HAND) as daemon, daemon.connect() as client:
            right = client.subscribe(0, hapticd.Topic.ALL)
            box = client.add_body("box", BOX, kind=hapticd.BodyKind.STATIC, stiffness_n_per_m=300.0)

            def stiffness():
                client.poll(0.0)
                state = right.state()
                if not state.flags & hapticd.Flag.TOUCHING or state.governor != 3:
                    return 0.0
                deep_m = (
                    state.world_from_proxy.translation_m[2]
                    - state.world_from_device.translation_m[2]
                )
                return state.wanted_force_n[2] / deep_m if deep_m > 2e-3 else 0.0

            helper = WithDaemon()
            near = lambda wanted: lambda: abs(stiffness() - wanted) < 0.05 * wanted
            helper.until("300 N/m", near(300.0))
            client.set_material(box, 100.0, 0.5, 0.1)
            helper.until("100 N/m", near(100.0))
            client.set_material(box, 250.0, 0.5, 0.1)
            # A spring that hardens under load keeps its energy: it is as hard at the next press.
            helper.until("250 N/m", near(250.0))
            (force,) = [b.force_n for b in right.bodies().bodies if b.body == box]
            self.assertLess(force[2], 0.0)
            with self.assertRaises(hapticd.RequestRefused) as refused:
                client.set_material(box, 1e6, 0.5, 0.1)
            self.assertEqual(refused.exception.code, hapticd.ErrorCode.OUT_OF_RANGE)

    def test_a_body_put_around_the_tool_is_a_ghost_until_it_is_out(self):
        with Daemon(hand=HAND.replace("depth_m = 0.018", "depth_m = 0.030")) as daemon, daemon.connect() as client:
            right = client.subscribe(0, hapticd.Topic.ALL)
            helper = WithDaemon()

            def deep():
                client.poll(0.0)
                state = right.state()
                there = state.flags & hapticd.Flag.ATTACHED and state.governor == 3
                return there and state.world_from_device.translation_m[2] < 0.001

            helper.until("the tool at the origin", deep)
            box = client.add_body("box", BOX, kind=hapticd.BodyKind.STATIC)
            self.assertEqual(helper.event(client, layout.Ghost).body, box)
            self.assertEqual(helper.event(client, layout.Solid).body, box)


class Batches(WithDaemon):
    def test_many_bodies_move_in_one_message(self):
        client = self.connect()
        scene = client.subscribe(0, hapticd.Topic.BODIES | hapticd.Topic.EVENTS)
        boxes = []
        for k in range(8):
            at = hapticd.Pose((0.05 * k, 0.3, 0.3))
            if boxes:
                boxes.append(client.add_instance(f"box {k}", boxes[0], at))
            else:
                boxes.append(client.add_body(f"box {k}", BOX, at))
        self.assertEqual(len(client.shape(boxes[7]).triangles), 12)
        goals = {body: hapticd.Pose((0.05 * k, 0.35, 0.3)) for k, body in enumerate(boxes)}
        targets = [hapticd.BodyTarget(goal, 0.5, body, 500) for body, goal in goals.items()]

        def arrived():
            client.poll(0.0)
            client.post_body_poses(targets)
            places = {b.body: b.world_from_body.translation_m for b in scene.bodies().bodies}
            return all(
                body in places and abs(places[body][1] - goal.translation_m[1]) < 1e-9
                for body, goal in goals.items()
            )

        self.until("all boxes at their goals", arrived)
        with self.assertRaises(hapticd.RequestRefused) as refused:
            client.set_body_poses([*targets, hapticd.BodyTarget(hapticd.Pose(), 0.5, 999, 500)])
        self.assertEqual(refused.exception.number, 999)
        with self.assertRaises(ValueError):
            client.set_body_poses(targets[:1] * (hapticd.MAX_TARGETS + 1))


class Needles(unittest.TestCase):
    def test_a_needle_goes_in(self):
        with Daemon("needle.toml") as daemon, daemon.connect() as client:
            arm = client.subscribe(0, hapticd.Topic.NEEDLE)

            def inserted():
                client.poll(0.0)
                needle = arm.needle()
                inside = needle.phase == hapticd.NeedlePhase.INSERTED
                return needle if inside and needle.depth_m > 5e-3 else None

            needle = WithDaemon().until("5 mm of needle", inserted)
            self.assertGreaterEqual(needle.pierced, 1)
            self.assertGreater(needle.tick, 0)


class Misuse(WithDaemon):
    """What an outsider ran into, each with what it should have been."""

    def test_a_second_thread_is_told_and_takes_no_answers(self):
        client = self.connect()
        with client._alone():
            told = []

            def other():
                try:
                    client.arms()
                except RuntimeError as error:
                    told.append(str(error))

            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        self.assertEqual(len(told), 1)
        self.assertIn("another thread", told[0])
        self.assertEqual(len(client.arms()), 1)

    def test_a_forked_child_does_not_say_goodbye_for_its_parent(self):
        client = self.connect()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                client.arms()
            except RuntimeError:
                client.close()
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(len(client.arms()), 1)

    def test_dropped_subscriptions_hold_no_descriptors(self):
        client = self.connect()
        count = lambda: len(os.listdir("/proc/self/fd"))
        client.subscribe(0, hapticd.Topic.ALL)
        gc.collect()
        before = count()
        for _ in range(20):
            client.subscribe(0, hapticd.Topic.ALL)
        gc.collect()
        self.assertLessEqual(count(), before)

    def test_what_is_closed_says_so(self):
        client = self.connect()
        right = client.subscribe(0, hapticd.Topic.ALL)
        right.close()
        client.close()
        for call in (
            client.arms,
            client.poll,
            client.fileno,
            client.__enter__,
            right.state,
            right.state_version,
            right.wake.clear,
        ):
            with self.assertRaises(hapticd.Closed, msg=call):
                call()
        client.close()

    def test_posting_without_polling_is_not_cut_off(self):
        client = self.connect()
        box = client.add_body("posted", BOX, ABOVE)
        posted = 0
        while posted < 1000:
            try:
                client.post_body_pose(box, ABOVE, 0.1, 500)
                posted += 1
            except hapticd.WouldWait:
                continue
        self.assertEqual(len(client.arms()), 1)

    def test_a_client_that_is_cut_off_learns_why(self):
        client = self.connect()
        terrain = client.list_bodies()[0].body
        with self.assertRaisesRegex(hapticd.Disconnected, "TOO_MANY_MESSAGES") as gone:
            while True:
                # In bursts, so that there is always room for the daemon's last word.
                waiting = 0
                for _ in range(50):
                    try:
                        client.post_body_pose(terrain, ABOVE, 0.1, 500)
                        waiting += 1
                    except hapticd.WouldWait:
                        break
                while waiting and isinstance(client.poll(1.0), hapticd.Refusal):
                    waiting -= 1
        self.assertEqual(gone.exception.error.code, hapticd.ErrorCode.TOO_MANY_MESSAGES)

    def test_wrong_values_are_found_here_and_named(self):
        client = self.connect()
        nan = float("nan")
        for pose in (
            hapticd.Pose((nan, 0, 0)),
            hapticd.Pose((0, 0, 0), (0, 0, 0, 2)),
            hapticd.Pose((1e5, 0, 0)),
            hapticd.Pose((0, 0)),
        ):
            with self.assertRaisesRegex(ValueError, "world_from_body"):
                client.set_body_pose(2, pose, 0.1, 100)
        for call in (
            lambda: client.set_body_pose(2, hapticd.Pose(("1", "2", "3")), 0.1, 100),
            lambda: client.set_body_pose(2, None, 0.1, 100),
            lambda: client.set_focus("yes"),
            lambda: client.add_body(None, BOX),
            lambda: client.add_body("cup", BOX, solid="no"),
        ):
            with self.assertRaises(TypeError):
                call()
        bad = mesh.Mesh([(0, 0, nan)], [])
        with self.assertRaisesRegex(ValueError, "not finite"):
            client.add_body("bad", bad)
        with self.assertRaises(ValueError):
            client.add_body("bad", mesh.Mesh([(0, 0, 0)], [(0, 0, -1)]))
        with self.assertRaises(ValueError):
            hapticd.tool_id(-1)
        self.assertEqual(len(client.arms()), 1)

    def test_two_tasks_cannot_wait_for_one_line(self):
        right = self.connect().subscribe(0, hapticd.Topic.WAKE)

        async def both():
            ticks = (hapticd.aio.tick(right), hapticd.aio.tick(right))
            return await asyncio.gather(*ticks, return_exceptions=True)

        results = asyncio.run(both())
        self.assertEqual(sum(isinstance(result, RuntimeError) for result in results), 1)

    def test_without_free_descriptors_the_cause_is_said(self):
        client = self.connect()
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        highest = max(int(name) for name in os.listdir("/proc/self/fd"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, limits[1]))
        try:
            held = []
            with self.assertRaisesRegex(hapticd.HapticdError, "too many open files"):
                while True:
                    held.append(client.subscribe(0, hapticd.Topic.ALL))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)


class Stopped(unittest.TestCase):
    def test_a_daemon_that_takes_nothing_holds_up_no_post(self):
        with Daemon() as daemon, daemon.connect() as client:
            client.timeout_s = 0.2
            box = client.add_body("box", BOX, ABOVE)
            daemon.process.send_signal(signal.SIGSTOP)
            try:
                with self.assertRaises(hapticd.WouldWait):
                    while True:
                        client.post_body_pose(box, ABOVE, 0.1, 500)
                with self.assertRaises(hapticd.TimedOut):
                    client.arms()
                with self.assertRaisesRegex(hapticd.ConnectError, "not answered"):
                    hapticd.connect("late", daemon.path, timeout_s=0.2)
                with self.assertRaises(hapticd.TimedOut):
                    client.add_body("late", BOX, ABOVE, timeout_s=0.1)
            finally:
                daemon.process.send_signal(signal.SIGCONT)

    def test_a_server_that_ends_at_once_is_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.sock")
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
                server.bind(path)
                server.listen()
                server.settimeout(PATIENCE_S)
                met = []

                def close_three():
                    for _ in range(3):
                        peer, _ = server.accept()
                        peer.close()
                        met.append(1)
                    server.close()

                thread = threading.Thread(target=close_three)
                thread.start()
                with self.assertRaises(hapticd.NoDaemon):
                    hapticd.connect("patient", path, patience_s=0.5)
                thread.join()
                self.assertEqual(len(met), 3)


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
            from hapticd.errors import refusal_text

            self.assertIn("version 3.0, this package 2.4: update this package", refusal_text(refused))

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
