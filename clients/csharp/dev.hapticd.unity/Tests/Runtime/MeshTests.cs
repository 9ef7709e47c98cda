using System;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>Meshes: welding, and the files that go to the daemon.</summary>
    public sealed class MeshTests
    {
        /// <summary>A box as engines have it: each triangle has vertices of its own.</summary>
        private static TriangleMesh Split(double shift)
        {
            var box = TriangleMesh.Box(1, 2, 3);
            var positions = new double[3 * box.Triangles.Length];
            var triangles = new int[box.Triangles.Length];
            for (var index = 0; index < triangles.Length; index++)
            {
                var vertex = box.Vertex(box.Triangles[index]);
                positions[3 * index] = vertex.X + (index % 2) * shift;
                positions[3 * index + 1] = vertex.Y;
                positions[3 * index + 2] = vertex.Z;
                triangles[index] = index;
            }
            return new TriangleMesh(positions, triangles);
        }

        [Test]
        public void WeldingClosesWhatAnEngineSplit()
        {
            var split = Split(0);
            Assert.IsFalse(split.IsClosed);
            var welded = split.Welded(0);
            Assert.AreEqual(8, welded.VertexCount);
            Assert.AreEqual(12, welded.TriangleCount);
            Assert.IsTrue(welded.IsClosed);
            Assert.AreEqual(6, welded.SignedVolume, 1e-12);
        }

        [Test]
        public void WeldingJoinsWithinItsToleranceOnly()
        {
            Assert.AreEqual(8, Split(1e-5).Welded(2e-5).VertexCount);
            Assert.IsTrue(Split(1e-5).Welded(0.5e-5).VertexCount > 8);
            Assert.IsTrue(Split(1e-5).Welded(0).VertexCount > 8);
            Assert.Throws<ArgumentException>(() => Split(0).Welded(double.NaN));
        }

        [Test]
        public void ALargeSplitMeshIsClosedOnceItIsWelded()
        {
            const int around = 400, across = 100;
            var positions = new System.Collections.Generic.List<double>();
            for (var i = 0; i < around; i++)
            for (var j = 0; j < across; j++)
            foreach (var corner in new[] { 0, 1, 3, 0, 3, 2 })
            {
                var u = 2 * Math.PI * ((i + corner % 2) % around) / around;
                var v = 2 * Math.PI * ((j + corner / 2) % across) / across;
                var radius = 0.05 + 0.02 * Math.Cos(v);
                positions.Add(radius * Math.Cos(u));
                positions.Add(radius * Math.Sin(u));
                positions.Add(0.02 * Math.Sin(v));
            }
            var corners = new int[positions.Count / 3];
            for (var index = 0; index < corners.Length; index++) corners[index] = index;
            var split = new TriangleMesh(positions.ToArray(), corners);
            foreach (var tolerance in new[] { 0, 1e-6 })
            {
                var welded = split.Welded(tolerance);
                Assert.AreEqual(around * across, welded.VertexCount);
                Assert.AreEqual(2 * around * across, welded.TriangleCount);
                Assert.IsTrue(welded.IsClosed);
                Assert.AreEqual(split.SignedVolume, welded.SignedVolume, 1e-12);
            }
        }

        [Test]
        public void WeldingLeavesOutTrianglesWithoutThreeCorners()
        {
            var mesh = new TriangleMesh(
                new double[] { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1e-9, 0, 0, 9, 9, 9 },
                new[] { 0, 1, 2, 0, 3, 1 });
            var welded = mesh.Welded(1e-6);
            Assert.AreEqual(1, welded.TriangleCount);
            Assert.AreEqual(3, welded.VertexCount, "a vertex without a triangle stays");
        }

        [Test]
        public void AFileReadsBack()
        {
            var box = TriangleMesh.Box(1, 2, 3);
            var file = box.ToFile();
            var back = TriangleMesh.FromFile(file, 0, file.Length);
            Assert.AreEqual(box.VertexCount, back.VertexCount);
            Assert.AreEqual(6, back.SignedVolume, 1e-12);
            foreach (var at in new[] { 0, 8, 12, 16, 20, file.Length - 1 })
            {
                var damaged = (byte[])file.Clone();
                damaged[at] = 77;
                Assert.Throws<DecodeException>(
                    () => TriangleMesh.FromFile(damaged, 0, damaged.Length), "byte " + at);
            }
        }

        [Test]
        public void CornersThatAreNoVertexAreRefused()
        {
            Assert.Throws<ArgumentException>(
                () => new TriangleMesh(new double[9], new[] { 0, 1, 3 }));
            Assert.Throws<ArgumentException>(() => new TriangleMesh(new double[8], new int[0]));
        }
    }
}
