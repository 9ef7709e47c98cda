using System;
using System.Collections.Generic;

namespace Hapticd
{
    /// <summary>
    /// Triangles, counter-clockwise seen from outside; metres, the body's frame, right-handed.
    /// `UnityFrame.Mesh` converts one of Unity's.
    /// </summary>
    public sealed class TriangleMesh
    {
        /// <summary>Edge of the smallest cells that welding sorts vertices into, m.</summary>
        private const double MinCell = 1e-9;

        /// <summary>x, y, z of each vertex, m.</summary>
        public readonly double[] Positions;

        /// <summary>Three indices of vertices each.</summary>
        public readonly int[] Triangles;

        /// <summary>Takes the arrays as they are, without a copy.</summary>
        public TriangleMesh(double[] positions, int[] triangles)
        {
            if (positions.Length % 3 != 0 || triangles.Length % 3 != 0)
            {
                throw new ArgumentException("positions and triangles come in threes");
            }
            foreach (var corner in triangles)
            {
                if (corner < 0 || corner >= positions.Length / 3)
                {
                    throw new ArgumentException(
                        "corner " + corner + " of " + positions.Length / 3 + " vertices");
                }
            }
            Positions = positions;
            Triangles = triangles;
        }

        public int VertexCount
        {
            get { return Positions.Length / 3; }
        }

        public int TriangleCount
        {
            get { return Triangles.Length / 3; }
        }

        public Vector3d Vertex(int index)
        {
            var at = 3 * index;
            return new Vector3d(Positions[at], Positions[at + 1], Positions[at + 2]);
        }

        /// <summary>Volume that a closed mesh encloses, m³; negative where its
        /// triangles face inward.</summary>
        public double SignedVolume
        {
            get
            {
                double sum = 0;
                for (var at = 0; at < Triangles.Length; at += 3)
                {
                    var (a, b) = (Vertex(Triangles[at]), Vertex(Triangles[at + 1]));
                    sum += Vector3d.Dot(a, Vector3d.Cross(b, Vertex(Triangles[at + 2])));
                }
                return sum / 6;
            }
        }

        /// <summary>Returns the mesh of a box around the origin, with edges in m.</summary>
        public static TriangleMesh Box(double x, double y, double z)
        {
            var positions = new double[24];
            for (var corner = 0; corner < 8; corner++)
            {
                positions[3 * corner] = ((corner & 1) != 0 ? x : -x) / 2;
                positions[3 * corner + 1] = ((corner & 2) != 0 ? y : -y) / 2;
                positions[3 * corner + 2] = ((corner & 4) != 0 ? z : -z) / 2;
            }
            return new TriangleMesh(positions, new[]
            {
                0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
            });
        }

        /// <summary>
        /// Joins vertices that lie within `tolerance` metres of each other, and leaves out
        /// triangles without three corners and vertices without a triangle. Engines give each face
        /// its own vertices, for normals and textures; a solid body must be closed.
        /// </summary>
        /// <remarks>A vertex joins the first one within reach, in their order: the same mesh always
        /// gives the same result. Reach is not passed on along a chain.</remarks>
        public TriangleMesh Welded(double tolerance)
        {
            if (!(tolerance >= 0) || double.IsInfinity(tolerance))
            {
                throw new ArgumentException("a tolerance is 0 or more");
            }
            var kept = new List<Vector3d>();
            var target = new int[VertexCount];
            var grid = new Grid(Math.Max(2 * tolerance, MinCell));
            for (var index = 0; index < target.Length; index++)
            {
                var vertex = Vertex(index);
                var found = grid.Find(vertex, tolerance, kept);
                if (found < 0)
                {
                    found = kept.Count;
                    kept.Add(vertex);
                    grid.Add(vertex);
                }
                target[index] = found;
            }
            var place = new int[kept.Count];
            var positions = new List<double>(3 * kept.Count);
            var triangles = new List<int>(Triangles.Length);
            for (var at = 0; at < Triangles.Length; at += 3)
            {
                var a = target[Triangles[at]];
                var b = target[Triangles[at + 1]];
                var c = target[Triangles[at + 2]];
                if (a == b || b == c || c == a) continue;
                triangles.Add(Placed(a, kept, place, positions));
                triangles.Add(Placed(b, kept, place, positions));
                triangles.Add(Placed(c, kept, place, positions));
            }
            return new TriangleMesh(positions.ToArray(), triangles.ToArray());
        }

        /// <summary>Returns a vertex's index among those in use; adds it when it is new.</summary>
        private static int Placed(
            int index, List<Vector3d> kept, int[] place, List<double> positions)
        {
            if (place[index] == 0)
            {
                positions.Add(kept[index].X);
                positions.Add(kept[index].Y);
                positions.Add(kept[index].Z);
                place[index] = positions.Count / 3;
            }
            return place[index] - 1;
        }

        /// <summary>Whether each edge has one triangle on either side, which run along it in
        /// opposite directions: what a solid body needs.</summary>
        public bool IsClosed
        {
            get
            {
                // Sorted: hashes of pairs of near indices collide.
                var edges = new long[Triangles.Length];
                for (var at = 0; at < edges.Length; at++)
                {
                    var next = at % 3 == 2 ? at - 2 : at + 1;
                    edges[at] = Edge(Triangles[at], Triangles[next]);
                }
                Array.Sort(edges);
                for (var at = 0; at < edges.Length; at++)
                {
                    if (at > 0 && edges[at] == edges[at - 1]) return false;
                    var back = Edge((int)edges[at], (int)(edges[at] >> 32));
                    if (Array.BinarySearch(edges, back) < 0) return false;
                }
                return true;
            }
        }

        private static long Edge(int from, int to)
        {
            return ((long)from << 32) | (uint)to;
        }

        /// <summary>Returns the file that goes with `AddBody`.</summary>
        public byte[] ToFile()
        {
            var start = Protocol.MeshHeaderBytes;
            var bytes = new byte[start + 8 * Positions.Length + 4 * Triangles.Length];
            var output = new PacketWriter(bytes);
            output.U64(Protocol.MeshMagic);
            output.U32(Protocol.MeshVersion);
            output.U32(8);
            output.U32((uint)VertexCount);
            output.U32((uint)TriangleCount);
            output.U64(0);
            Buffer.BlockCopy(Positions, 0, bytes, start, 8 * Positions.Length);
            Buffer.BlockCopy(
                Triangles, 0, bytes, start + 8 * Positions.Length, 4 * Triangles.Length);
            return bytes;
        }

        /// <summary>Reads such a file.</summary>
        /// <exception cref="DecodeException">For bytes that are no mesh.</exception>
        public static TriangleMesh FromFile(byte[] data, int at, int count)
        {
            var input = new PacketReader();
            input.Start(data, at, count);
            if (input.U64("magic") != Protocol.MeshMagic)
            {
                throw new DecodeException("no mesh: another beginning");
            }
            var (version, size) = (input.U32("version"), input.U32("coordinate_bytes"));
            if (version != Protocol.MeshVersion || (size != 4 && size != 8))
            {
                throw new DecodeException(
                    "no mesh: version " + version + " with " + size + " bytes a coordinate");
            }
            long vertices = input.U32("vertices"), triangles = input.U32("triangles");
            var start = (Protocol.MeshHeaderBytes + 3 * vertices * size + 7) / 8 * 8;
            if (start + 12 * triangles != count)
            {
                throw new DecodeException(
                    "no mesh: " + count + " bytes, " + (start + 12 * triangles) + " are needed");
            }
            var positions = new double[3 * vertices];
            at += Protocol.MeshHeaderBytes;
            for (var index = 0; index < positions.Length; index++)
            {
                positions[index] = size == 8
                    ? Word.F64(data, at + 8 * index) : Word.F32(data, at + 4 * index);
            }
            var corners = new int[3 * triangles];
            Buffer.BlockCopy(
                data, at - Protocol.MeshHeaderBytes + (int)start, corners, 0, 4 * corners.Length);
            try
            {
                return new TriangleMesh(positions, corners);
            }
            catch (ArgumentException error)
            {
                throw new DecodeException("no mesh: " + error.Message);
            }
        }

        /// <summary>Cells of space with the vertices in them. Cells may share a key: distances
        /// decide.</summary>
        private sealed class Grid
        {
            private readonly double edge;
            private readonly Dictionary<long, int> newest = new Dictionary<long, int>();
            private readonly List<int> before = new List<int>();

            internal Grid(double edge)
            {
                this.edge = edge;
            }

            private long Cell(double coordinate)
            {
                return (long)Math.Floor(coordinate / edge);
            }

            private static long Key(long x, long y, long z)
            {
                unchecked
                {
                    var key = (x * 0x1f1f1f1f1f1f1f1f + y) * 0x2545f4914f6cdd1d + z;
                    key *= 0x27d4eb2f165667c5;
                    return key ^ (key >> 29);
                }
            }

            /// <summary>Adds the next vertex; they are numbered in their order.</summary>
            internal void Add(Vector3d vertex)
            {
                var key = Key(Cell(vertex.X), Cell(vertex.Y), Cell(vertex.Z));
                before.Add(newest.TryGetValue(key, out var last) ? last : -1);
                newest[key] = before.Count - 1;
            }

            /// <summary>Returns the first vertex within reach, or -1.</summary>
            internal int Find(Vector3d vertex, double reach, List<Vector3d> kept)
            {
                var first = int.MaxValue;
                for (var x = Cell(vertex.X - reach); x <= Cell(vertex.X + reach); x++)
                for (var y = Cell(vertex.Y - reach); y <= Cell(vertex.Y + reach); y++)
                for (var z = Cell(vertex.Z - reach); z <= Cell(vertex.Z + reach); z++)
                {
                    if (!newest.TryGetValue(Key(x, y, z), out var index)) continue;
                    for (; index >= 0; index = before[index])
                    {
                        if (index < first && (kept[index] - vertex).Length <= reach) first = index;
                    }
                }
                return first == int.MaxValue ? -1 : first;
            }
        }
    }
}
