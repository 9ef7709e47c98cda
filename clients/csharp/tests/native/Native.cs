using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using Hapticd.Messages;
using Hapticd.Native;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>Structures of the C library as C# has them; `HAPTICD_OFFSETS` is a file with those
    /// of the header.</summary>
    public sealed class Structures
    {
        private static readonly Dictionary<string, Type> Types = new Dictionary<string, Type>
        {
            { "hd_error", typeof(NativeError) },
            { "hd_pose", typeof(Pose3d) },
            { "hd_connect_options", typeof(NativeOptions) },
            { "hd_welcome", typeof(NativeWelcome) },
            { "hd_body_info", typeof(NativeBodyInfo) },
            { "hd_arm_state", typeof(NativeState) },
            { "hd_contact", typeof(NativeContact) },
            { "hd_body_state", typeof(NativeBodyState) },
            { "hd_pose_command", typeof(NativePoseCommand) },
            { "hd_material", typeof(NativeMaterial) },
            { "hd_body_spec", typeof(NativeBodySpec) },
            { "hd_event", typeof(NativeEvent) },
        };

        private static Dictionary<string, string[]> Header()
        {
            var path = Environment.GetEnvironmentVariable("HAPTICD_OFFSETS");
            return File.ReadAllLines(path).Select(line => line.Split(' '))
                .ToDictionary(parts => parts[0], parts => parts.Skip(1).ToArray());
        }

        [Test]
        public void EachFieldStandsWhereTheHeaderPutsIt()
        {
            var header = Header();
            foreach (var entry in Types)
            {
                const BindingFlags all = BindingFlags.Instance | BindingFlags.NonPublic
                    | BindingFlags.Public;
                var found = entry.Value.GetFields(all).OrderBy(field => field.MetadataToken)
                    .Select(field => Marshal.OffsetOf(entry.Value, field.Name).ToInt64())
                    .Concat(new long[] { Marshal.SizeOf(entry.Value) });
                Assert.AreEqual(
                    string.Join(" ", header[entry.Key]), string.Join(" ", found), entry.Key);
            }
        }

        [Test]
        public void ListsBeginWithTheirHead()
        {
            var header = Header();
            foreach (var name in new[] { "hd_contacts", "hd_bodies" })
            {
                Assert.AreEqual("0 4 8 16 24", string.Join(" ", header[name].Take(5)), name);
            }
            Assert.AreEqual(24, Marshal.SizeOf(typeof(NativeList)));
            var size = 24 + Protocol.MaxContacts * Marshal.SizeOf(typeof(NativeContact));
            Assert.AreEqual(size.ToString(), header["hd_contacts"].Last());
            size = 24 + Protocol.MaxBodies * Marshal.SizeOf(typeof(NativeBodyState));
            Assert.AreEqual(size.ToString(), header["hd_bodies"].Last());
        }
    }

    /// <summary>The client over the C library against the real daemon with `scene.toml`.</summary>
    public sealed class Native
    {
        private static readonly Pose3d Aside = Pose3d.At(0.1, 0, 0.1);

        private static NativeClient Connect(string name)
        {
            return NativeClient.Connect(name, Session.Patience);
        }

        private static T Until<T>(NativeClient client, Predicate<T> wanted) where T : News
        {
            while (true)
            {
                var news = client.Poll((int)Session.Patience.TotalMilliseconds);
                Assert.IsTrue(news != null, "no " + typeof(T).Name);
                if (news is T found && wanted(found)) return found;
            }
        }

        [Test]
        public void StatesAreReadTickByTick()
        {
            using (var client = Connect("native states"))
            using (var arm = client.Subscribe(0, Topic.State | Topic.Contacts | Topic.Wake))
            {
                ArmState state = new ArmState();
                for (var count = 0; count < 100; count++)
                {
                    var before = state.Tick;
                    Assert.IsTrue(arm.WaitTick(before, 60000, out state), "no tick");
                    Assert.IsTrue(state.Tick > before);
                }
                Assert.IsTrue(arm.TryReadState(out var again) && again.Tick >= state.Tick);
                Assert.AreEqual(1, state.WorldFromProxy.Rotation.W, 1e-6);
                Assert.AreEqual(0, arm.ReadContacts(new Contact[Protocol.MaxContacts]));
                Assert.AreEqual(2000, client.LeaseMs);
            }
        }

        [Test]
        public void BothClientsSeeTheSameArm()
        {
            using (var native = Connect("native twin"))
            using (var managed = Session.Connect("managed twin"))
            using (var arm = native.Subscribe(0, Topic.State | Topic.Wake))
            {
                managed.Subscribe(0, Topic.State);
                managed.SetPushRates(Protocol.MaxPushHz, 0);
                ArmState there;
                while (!managed.TryReadState(0, out there) || there.Tick == 0)
                {
                    Assert.IsTrue(managed.Wait(Session.Patience));
                    managed.Poll();
                }
                Assert.IsTrue(arm.WaitTick(there.Tick, 60000, out var here), "no tick");
                // The hand rests: only what counts differs.
                Assert.AreEqual(there.Flags, here.Flags);
                var moved = there.WorldFromProxy.Translation - here.WorldFromProxy.Translation;
                Assert.AreEqual(0, moved.Length, 1e-3);
                var passed = (here.Tick - there.Tick) * 1e6;
                Assert.AreEqual(passed, here.TimeNs - there.TimeNs, 0.5 * passed + 1e6);
            }
        }

        [Test]
        public void ABodyIsAddedMovedAndRemoved()
        {
            using (var client = Connect("native moves"))
            using (var scene = client.Subscribe(0, Topic.Bodies | Topic.Events))
            {
                var box = TriangleMesh.Box(0.02, 0.02, 0.02);
                var body = client.AddBody("native box", box, Aside, BodyMaterial.Default);
                Until<BodyJoined>(client, joined => joined.Body == body
                    && joined.Name == "native box" && joined.Kind == BodyKind.Kinematic);
                var info = client.ListBodies().Single(found => found.Body == body);
                Assert.IsTrue(info.Owned && info.Triangles == 12 && info.Name == "native box");
                var goal = Pose3d.At(0.1, 0.03, 0.1);
                Assert.IsTrue(client.PostBodyPose(body, goal, 0.5, 2000));
                var bodies = new BodyState[Protocol.MaxBodies];
                var distance = 1.0;
                while (distance > 1e-9)
                {
                    client.Poll(10);
                    var count = scene.ReadBodies(bodies);
                    foreach (var state in bodies.Take(count).Where(state => state.Body == body))
                    {
                        distance = (state.WorldFromBody.Translation - goal.Translation).Length;
                    }
                }
                client.SetMaterial(body, new BodyMaterial { StiffnessNPerM = 200 });
                client.SetBodyPose(body, Aside, 0.5, 100);
                client.HaltBody(body);
                client.SetFocus(false);
                client.RemoveBody(body);
                var left = Until<BodyLeft>(client, news => news.Body == body);
                Assert.AreEqual(RemovalReason.Requested, left.Reason);
            }
        }

        [Test]
        public void RefusalsSayWhichNumberIsWrong()
        {
            using (var client = Connect("native refused"))
            {
                var error = Assert.Throws<RequestRefusedException>(
                    () => client.Subscribe(7, Topic.State));
                Assert.AreEqual(ErrorCode.NoSuchArm, error.Code);
                Assert.AreEqual(7ul, error.Number);
                Assert.IsTrue(client.PostBodyPose(4000000, Aside, 0.1, 100));
                var refusal = Until<Refusal>(client, news => true);
                Assert.AreEqual(ErrorCode.NoSuchBody, refusal.Error.Code);
                Assert.AreEqual(4000000ul, refusal.Error.Number);
            }
            Assert.Throws<NoDaemonException>(
                () => NativeClient.Connect("nowhere", TimeSpan.Zero, "/nowhere/app.sock"));
        }

        [Test]
        public void AClientThatDoesNotPollIsSilent()
        {
            using (var client = Connect("native silent"))
            using (var arm = client.Subscribe(0, Topic.State | Topic.Wake | Topic.Events))
            {
                var box = TriangleMesh.Box(0.02, 0.02, 0.02);
                client.AddBody("native silent", box, Aside, BodyMaterial.Default);
                Assert.IsTrue(arm.WaitTick(0, 60000, out var state), "no tick");
                // Waiting for ticks and reading them is no sign of life.
                Assert.IsTrue(arm.WaitTick(state.Tick + 4000, 60000, out state), "no tick");
                var silent = Until<ClientSilent>(client, news => true);
                Assert.IsTrue(silent.SilentMs >= 2000, silent.SilentMs + " ms");
            }
        }

        [Test]
        public void AClosedClientIsNotUsedAgain()
        {
            var client = Connect("native closed");
            client.Dispose();
            client.Dispose();
            Assert.Throws<ObjectDisposedException>(() => client.Poll());
        }
    }
}
