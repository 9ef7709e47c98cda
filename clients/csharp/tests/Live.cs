using System;
using System.Linq;
using Hapticd.Messages;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>The client against the real daemon with `scene.toml`, through the gateway.
    /// </summary>
    public sealed class Live
    {
        private static readonly Pose3d Aside = Pose3d.At(0.1, 0, 0.1);

        private static uint AddBox(Client client, string name)
        {
            var box = TriangleMesh.Box(0.02, 0.02, 0.02);
            return client.AddBody(name, box, Aside, BodyMaterial.Default);
        }

        /// <summary>Takes frames until something is there.</summary>
        private static void Until(Client client, Func<bool> found)
        {
            while (true)
            {
                while (client.Poll() != null)
                {
                }
                if (found()) return;
                Assert.IsTrue(client.Wait(Session.Patience), "no value came");
            }
        }

        [Test]
        public void StatesComeAndTheirTicksGrow()
        {
            using (var client = Session.Connect("states"))
            {
                Assert.AreEqual("right", client.ListArms().Single().Name);
                Assert.IsFalse(client.TryReadState(0, out var first));
                client.Subscribe(0, Topic.State | Topic.Contacts);
                client.SetPushRates(Protocol.MaxPushHz, 0);
                Until(client, () => client.TryReadState(0, out first) && first.Tick > 0);
                Until(client, () => client.TryReadState(0, out var next) && next.Tick > first.Tick);
                Assert.AreEqual(1, first.WorldFromProxy.Rotation.Normalized.W, 1e-6);
                Assert.AreEqual(0, client.ReadContacts(0, new Contact[Protocol.MaxContacts]));
            }
        }

        [Test]
        public void ABodyIsAddedMovedAndRemoved()
        {
            using (var client = Session.Connect("moves"))
            {
                var body = AddBox(client, "moved");
                client.Subscribe(0, Topic.Bodies | Topic.Events);
                client.SetPushRates(Protocol.MaxPushHz, 0);
                var goal = Pose3d.At(0.1, 0.03, 0.1);
                client.PostBodyPose(body, goal, 0.5, 2000);
                BodyState state = new BodyState();
                Until(client, () => client.TryReadBody(body, out state) && !state.Moving
                    && (state.WorldFromBody.Translation - goal.Translation).Length < 1e-9);
                var twin = client.AddInstance(
                    "twin", body, Pose3d.At(0.1, -0.1, 0.1), BodyMaterial.Default);
                Assert.AreEqual(12, client.Shape(twin).TriangleCount);
                client.SetMaterial(body, new BodyMaterial { StiffnessNPerM = 200, Friction = 0.1 });
                client.HaltBody(body);
                client.RemoveBody(body);
                Session.Until<BodyLeft>(client, left => left.Body == body);
                Assert.IsFalse(client.ListBodies().Any(info => info.Body == body));
            }
        }

        [Test]
        public void AClientThatDoesNotPollIsSilent()
        {
            using (var client = Session.Connect("silent"))
            {
                AddBox(client, "silent");
                client.Subscribe(0, Topic.Events);
                var silent = Session.Until<ClientSilent>(client, news => true);
                Assert.IsTrue(silent.SilentMs >= 2000, silent.SilentMs + " ms");
            }
        }

        [Test]
        public void AClientThatPollsIsNotSilent()
        {
            using (var client = Session.Connect("polls"))
            {
                AddBox(client, "polls");
                client.Subscribe(0, Topic.State | Topic.Events);
                client.SetPushRates(60, 0);
                ArmState first = new ArmState();
                Until(client, () => client.TryReadState(0, out first));
                var silent = false;
                ArmState state;
                do
                {
                    Assert.IsTrue(client.Wait(Session.Patience));
                    for (var news = client.Poll(); news != null; news = client.Poll())
                    {
                        silent |= news is ClientSilent;
                    }
                    client.TryReadState(0, out state);
                }
                while (state.TimeNs < first.TimeNs + 5000000000);
                Assert.IsFalse(silent);
            }
        }

        [Test]
        public void RefusalsSayWhichNumberIsWrong()
        {
            using (var client = Session.Connect("refused"))
            {
                var error = Assert.Throws<RequestRefusedException>(
                    () => client.Subscribe(7, Topic.State));
                Assert.AreEqual(ErrorCode.NoSuchArm, error.Code);
                Assert.AreEqual(7ul, error.Number);
                Assert.AreEqual(1ul, error.Limit);
                var post = client.PostBodyPose(4000000, Aside, 0.1, 100);
                var refusal = Session.Until<Refusal>(client, news => news.Post == post);
                Assert.AreEqual(ErrorCode.NoSuchBody, refusal.Error.Code);
                var pending = client.Send(new RemoveBody { Body = 4000000 });
                Assert.Throws<InvalidOperationException>(() => pending.Answer.ToString());
                Until(client, () => pending.IsDone);
                Assert.Throws<RequestRefusedException>(() => pending.Answer.ToString());
            }
        }

        [Test]
        public void AMeshThatAnEngineSplitIsSolidOnceItIsWelded()
        {
            var random = new Random(3);
            var box = TriangleMesh.Box(0.02, 0.02, 0.02);
            var positions = new double[3 * box.Triangles.Length];
            for (var index = 0; index < positions.Length; index++)
            {
                var corner = box.Triangles[index / 3];
                positions[index] =
                    box.Positions[3 * corner + index % 3] + 1e-7 * random.NextDouble();
            }
            var corners = Enumerable.Range(0, box.Triangles.Length).ToArray();
            var split = new TriangleMesh(positions, corners);
            using (var client = Session.Connect("welds"))
            {
                var error = Assert.Throws<RequestRefusedException>(
                    () => client.AddBody("split", split, Aside, BodyMaterial.Default));
                Assert.AreEqual(ErrorCode.InvalidMesh, error.Code);
                client.AddBody("welded", split.Welded(1e-6), Aside, BodyMaterial.Default);
            }
        }

        [Test]
        public void LargeMeshesGoThereAndBack()
        {
            const int around = 400, across = 100;
            var positions = new double[3 * around * across];
            var triangles = new int[6 * around * across];
            for (var i = 0; i < around; i++)
            for (var j = 0; j < across; j++)
            {
                var (u, v) = (2 * Math.PI * i / around, 2 * Math.PI * j / across);
                var radius = 0.05 + 0.02 * Math.Cos(v);
                var here = i * across + j;
                positions[3 * here] = radius * Math.Cos(u);
                positions[3 * here + 1] = radius * Math.Sin(u);
                positions[3 * here + 2] = 0.02 * Math.Sin(v);
                var right = (i + 1) % around * across + j;
                var (up, both) = (here - j + (j + 1) % across, right - j + (j + 1) % across);
                new[] { here, right, both, here, both, up }.CopyTo(triangles, 6 * here);
            }
            var torus = new TriangleMesh(positions, triangles);
            Assert.IsTrue(torus.IsClosed && torus.SignedVolume > 0);
            using (var client = Session.Connect("large"))
            {
                var body = client.AddBody("torus", torus, Aside, BodyMaterial.Default);
                var shape = client.Shape(body);
                Assert.AreEqual(torus.TriangleCount, shape.TriangleCount);
                Assert.AreEqual(torus.SignedVolume, shape.SignedVolume, 1e-9);
                // It is longer than the buffer of what arrives, which is not emptied for 500 ticks.
                client.Send(new OpenShape { Body = body });
                PassTicks(500);
                Until(client, () => client.TryTakeShape(body, out shape));
                Assert.AreEqual(torus.SignedVolume, shape.SignedVolume, 1e-9);
            }
        }

        private static void PassTicks(ulong count)
        {
            using (var client = Session.Connect("ticks"))
            {
                ArmState first = new ArmState();
                client.Subscribe(0, Topic.State);
                client.SetPushRates(Protocol.MaxPushHz, 0);
                Until(client, () => client.TryReadState(0, out first));
                Until(client, () => client.TryReadState(0, out var next)
                    && next.Tick >= first.Tick + count);
            }
        }

        [Test]
        public void SurfacesAndToolsAreShown()
        {
            using (var client = Session.Connect("shows"))
            {
                var tool = client.Shape(Client.ToolId(0));
                Assert.AreEqual(1280, tool.TriangleCount);
                Assert.IsTrue(tool.IsClosed && tool.SignedVolume > 0);
                var jelly = client.ListBodies().Single(body => body.Name == "jelly");
                client.OpenSurface(jelly.Body);
                client.SetPushRates(0, 60);
                var frame = new SurfaceFrame();
                Until(client, () => client.TryReadSurface(jelly.Body, frame));
                Assert.AreEqual(jelly.Triangles, (uint)frame.TriangleCount);
                Assert.IsFalse(client.TryReadSurface(jelly.Body, frame), "the same frame again");
                var version = frame.Version;
                Until(client, () => client.TryReadSurface(jelly.Body, frame));
                Assert.IsTrue(frame.Version > version);
            }
        }

        [Test]
        public void AGatewayThatRefusesOrIsNotThereSaysSo()
        {
            var options = Session.Options("refused");
            options.StartPatience = TimeSpan.Zero;
            options.Token = new string('0', options.Token.Length);
            var refused = Assert.Throws<ConnectException>(() => Client.Connect(options));
            Assert.IsTrue(refused.Message.Contains("401"), refused.Message);
            options.Url = "http://127.0.0.1/v1";
            Assert.Throws<ConnectException>(() => Client.Connect(options));
            // Nothing listens at the port for multiplexing, and nothing may without rights.
            options.Url = "ws://127.0.0.1:1/v1";
            Assert.Throws<NoDaemonException>(() => Client.Connect(options));
        }

        [Test]
        public void WhatIsClosedStaysClosed()
        {
            var client = Session.Connect("closed");
            client.Dispose();
            client.Dispose();
            Assert.IsFalse(client.IsOpen);
            Assert.Throws<DisconnectedException>(() => client.Poll());
            Assert.Throws<DisconnectedException>(() => client.ListArms());
        }
    }

    /// <summary>TLS, with a gateway whose certificate no system trusts: `HAPTICD_CERTIFICATE` is
    /// its SHA-256.</summary>
    public sealed class Tls
    {
        [Test]
        public void ThePinnedCertificateIsTrustedAndNoOther()
        {
            var options = Session.Options("tls");
            var refused = Assert.Throws<ConnectException>(() => Client.Connect(options));
            Assert.IsTrue(refused.Message.Contains("certificate"), refused.Message);
            var pin = Environment.GetEnvironmentVariable("HAPTICD_CERTIFICATE");
            options.CertificateSha256 = "00" + pin.Substring(2);
            Assert.Throws<ConnectException>(() => Client.Connect(options));
            options.CertificateSha256 = pin;
            using (var client = Client.Connect(options))
            {
                client.Subscribe(0, Topic.State);
                client.SetPushRates(Protocol.MaxPushHz, 0);
                var found = 0;
                ulong tick = 0;
                while (found < 20)
                {
                    Assert.IsTrue(client.Wait(Session.Patience));
                    while (client.Poll() != null)
                    {
                    }
                    if (!client.TryReadState(0, out var state) || state.Tick == tick) continue;
                    Assert.IsTrue(state.Tick > tick);
                    tick = state.Tick;
                    found++;
                }
            }
        }
    }
}
