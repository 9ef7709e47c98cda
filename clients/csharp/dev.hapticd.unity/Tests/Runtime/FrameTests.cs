using System;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>The conversion between the daemon's frame and Unity's.</summary>
    public sealed class FrameTests
    {
        private const double Near = 1e-12;

        private static double Number(Random random)
        {
            return 4 * random.NextDouble() - 2;
        }

        private static Vector3d Vector(Random random)
        {
            return new Vector3d(Number(random), Number(random), Number(random));
        }

        private static Quaterniond Rotation(Random random)
        {
            return new Quaterniond(
                Number(random), Number(random), Number(random), Number(random)).Normalized;
        }

        private static void AreNear(Vector3d a, Vector3d b)
        {
            Assert.AreEqual(0, (a - b).Length, Near, a + " " + b);
        }

        private static void ForMany(Action<Random> check)
        {
            var random = new Random(7);
            for (var round = 0; round < 200; round++) check(random);
        }

        [Test]
        public void UpStaysUpAndAwayStaysAway()
        {
            Assert.AreEqual(new Vector3d(0, 1, 0), UnityFrame.Vector(new Vector3d(0, 0, 1)));
            Assert.AreEqual(new Vector3d(0, 0, 1), UnityFrame.Vector(new Vector3d(0, 1, 0)));
            Assert.AreEqual(new Vector3d(1, 0, 0), UnityFrame.Vector(new Vector3d(1, 0, 0)));
        }

        [Test]
        public void EachConversionIsItsOwnInverse()
        {
            ForMany(random =>
            {
                var (vector, rotation) = (Vector(random), Rotation(random));
                AreNear(vector, UnityFrame.Vector(UnityFrame.Vector(vector)));
                AreNear(vector, UnityFrame.Pseudovector(UnityFrame.Pseudovector(vector)));
                var back = UnityFrame.Rotation(UnityFrame.Rotation(rotation));
                Assert.AreEqual(rotation, back);
            });
        }

        [Test]
        public void SumsConvertToSums()
        {
            ForMany(random =>
            {
                var (a, b) = (Vector(random), Vector(random));
                AreNear(
                    UnityFrame.Vector(a + b), UnityFrame.Vector(a) + UnityFrame.Vector(b));
            });
        }

        [Test]
        public void ATurnedVectorConvertsToTheTurnedVector()
        {
            ForMany(random =>
            {
                var (rotation, vector) = (Rotation(random), Vector(random));
                AreNear(
                    UnityFrame.Vector(rotation * vector),
                    UnityFrame.Rotation(rotation) * UnityFrame.Vector(vector));
                var pose = new Pose3d(Vector(random), rotation);
                AreNear(
                    UnityFrame.Vector(pose * vector),
                    UnityFrame.Pose(pose) * UnityFrame.Vector(vector));
            });
        }

        [Test]
        public void ATorqueIsTheCrossProductInBothFrames()
        {
            ForMany(random =>
            {
                var (arm, force) = (Vector(random), Vector(random));
                AreNear(
                    UnityFrame.Pseudovector(Vector3d.Cross(arm, force)),
                    Vector3d.Cross(UnityFrame.Vector(arm), UnityFrame.Vector(force)));
            });
        }

        [Test]
        public void AConvertedMeshFacesOutwardAsUnityWindsIt()
        {
            var box = TriangleMesh.Box(1, 2, 3);
            Assert.AreEqual(6, box.SignedVolume, Near);
            var converted = UnityFrame.Mesh(box);
            // Unity's triangles are clockwise seen from outside, in a left-handed frame: the sum of
            // its products keeps its sign.
            Assert.AreEqual(6, converted.SignedVolume, Near);
            Assert.IsTrue(converted.IsClosed);
            var back = UnityFrame.Mesh(converted);
            for (var index = 0; index < box.Positions.Length; index++)
            {
                Assert.AreEqual(box.Positions[index], back.Positions[index], 0);
            }
            for (var index = 0; index < box.Triangles.Length; index++)
            {
                Assert.AreEqual(box.Triangles[index], back.Triangles[index]);
            }
        }
    }
}
