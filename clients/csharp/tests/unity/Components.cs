using System;
using System.Linq;
using Hapticd.Messages;
using Hapticd.Unity;
using NUnit.Framework;
using UnityEngine;

namespace Hapticd.Tests
{
    /// <summary>The components in a scene of the stubs, against the real daemon with
    /// `config/demo.toml`. What Unity itself does is not tested.</summary>
    public sealed class Components
    {
        private static T Find<T>() where T : MonoBehaviour
        {
            var behaviours = GameObject.All.SelectMany(made => made.Behaviours);
            return behaviours.OfType<T>().Single();
        }

        private static double Distance(Vector3 a, Vector3 b)
        {
            return (a - b).magnitude;
        }

        private static HapticConnection Connection()
        {
            var origin = new GameObject("origin");
            origin.transform.localPosition = new Vector3(1, 2, 3);
            origin.transform.localRotation = new Quaternion(0, 0.6f, 0, 0.8f);
            return origin.AddComponent<HapticConnection>();
        }

        private static HapticBody Cube(HapticConnection connection, Vector3 place)
        {
            var cube = GameObject.CreatePrimitive(PrimitiveType.Cube);
            cube.transform.SetParent(connection.transform);
            cube.transform.localScale = 0.02f * Vector3.one;
            cube.transform.localPosition = place;
            return cube.AddComponent<HapticBody>();
        }

        [Test]
        public void TheSamplesCubeIsFelt()
        {
            new GameObject("sample").AddComponent<Touch>();
            var (body, tool, arm) = (Find<HapticBody>(), Find<HapticTool>(), Find<HapticArm>());
            uint touched = 0;
            arm.Touched += found => touched = found;
            Player.Until("the cube", () => body.Body != 0);
            Player.Until("a touch of the cube", () => touched == body.Body);
            Player.Until("a force on the cube", () => body.Force.magnitude > 0);
            var expected = UnityTypes.ToUnity(arm.State.WorldFromProxy.Translation);
            Assert.AreEqual(0, Distance(expected, tool.transform.position), 1e-5);
            var shape = tool.GetComponent<MeshFilter>().sharedMesh;
            Assert.AreEqual(3 * 1280, shape.triangles.Length);
            Player.Stop();
        }

        [Test]
        public void ABodyIsWhereItsObjectIs()
        {
            var connection = Connection();
            var body = Cube(connection, new Vector3(0.1f, 0.3f, 0.05f));
            Player.Until("the body", () => body.Body != 0);
            body.transform.localPosition = new Vector3(0.12f, 0.3f, 0.05f);
            var goal = new Vector3d(0.12, 0.05, 0.3);
            Player.Until("the body at its goal", () =>
                connection.Client.TryReadBody(body.Body, out var state)
                && (state.WorldFromBody.Translation - goal).Length < 1e-6);
            using (var watcher = Session.Connect("watcher"))
            {
                var shape = watcher.Shape(body.Body);
                Assert.IsTrue(shape.IsClosed);
                Assert.AreEqual(8e-6, shape.SignedVolume, 1e-10);
                watcher.Subscribe(0, Topic.Events);
                body.enabled = false;
                Player.Frame();
                Session.Until<BodyLeft>(watcher, left => true);
                body.enabled = true;
                Player.Until("the body again", () => body.Body != 0);
                Player.Stop();
                Session.Until<BodyLeft>(watcher, left => left.Reason == RemovalReason.ClientGone);
            }
        }

        [Test]
        public void AConnectionThatEndedComesBackWithItsBodies()
        {
            var connection = Connection();
            var body = Cube(connection, new Vector3(0.1f, 0.3f, 0.05f));
            Player.Until("the body", () => body.Body != 0);
            var (first, epoch) = (body.Body, connection.Epoch);
            connection.Client.Dispose();
            Player.Frame();
            Assert.IsTrue(connection.Client == null && connection.Problem.Length > 0);
            Player.Until("the next connection", () => connection.Epoch == epoch + 1);
            Player.Until("the body again", () => body.Body != 0 && body.Body != first);
            Player.Stop();
        }

        [Test]
        public void ARefusedBodySaysWhy()
        {
            var connection = Connection();
            var body = Cube(connection, new Vector3(0.1f, 0.3f, 0.05f));
            body.stiffness = 1e6f;
            var other = Cube(connection, new Vector3(0.2f, 0.3f, 0.05f));
            Player.Until("a refusal", () => body.Problem != null);
            Player.Until("the other body", () => other.Body != 0);
            Player.Frame();
            Assert.IsTrue(body.Problem.Contains("OutOfRange"), body.Problem);
            Assert.IsTrue(Debug.Lines.Any(line => line.Contains("OutOfRange")));
            Player.Stop();
        }

        [Test]
        public void ComponentsWithoutAConnectionSayWhatTheyLack()
        {
            var arm = new GameObject("arm").AddComponent<HapticArm>();
            Assert.IsFalse(arm.enabled);
            var body = new GameObject("body").AddComponent<HapticBody>();
            Assert.IsFalse(body.enabled);
            Assert.IsTrue(Debug.Lines.All(line => line.StartsWith("error: this ")));
            Player.Stop();
        }

        [Test]
        public void AMirroredMeshStillFacesOutward()
        {
            var cube = GameObject.CreatePrimitive(PrimitiveType.Cube);
            var mesh = cube.GetComponent<MeshFilter>().sharedMesh;
            foreach (var x in new[] { 2, -2 })
            {
                var converted = UnityTypes.ToDaemon(mesh, new Vector3(x, 3, 4), 1e-5);
                Assert.AreEqual(24, converted.SignedVolume, 1e-9);
                Assert.IsTrue(converted.IsClosed);
                var back = new Mesh();
                UnityTypes.ToUnity(converted, back);
                Assert.AreEqual(36, back.triangles.Length);
                var again = UnityTypes.ToDaemon(back, Vector3.one, 0);
                Assert.AreEqual(24, again.SignedVolume, 1e-9);
            }
            Player.Stop();
        }
    }
}
