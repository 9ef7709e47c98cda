using System;

namespace Hapticd
{
    /// <summary>
    /// The newest surface of a soft body, a cloth or a body of a crowd, or the newest skin of an
    /// implicit body. World frame, m. Its arrays are reused and grow: the counts say how much of
    /// them is in use.
    /// </summary>
    public sealed class SurfaceFrame
    {
        /// <summary>How often it was published until this frame; 0 before the first.</summary>
        public ulong Version { get; private set; }

        public int PointCount { get; private set; }

        public int TriangleCount { get; private set; }

        /// <summary>x, y, z of each point, m.</summary>
        public float[] Points = new float[0];

        /// <summary>Of a skin: unit normals, outward.</summary>
        public float[] Normals = new float[0];

        /// <summary>Of a skin: velocities, m/s.</summary>
        public float[] Velocities = new float[0];

        /// <summary>Three indices of points each, counter-clockwise seen from outside.</summary>
        public int[] Triangles = new int[0];

        internal void TakeSurface(Value value, int[] triangles, int points)
        {
            var at = 8 * SurfaceFrameHeader.WordCount;
            if (12 * points > value.Bytes - at) throw new DecodeException("a cut surface");
            Version = value.Version;
            PointCount = points;
            TriangleCount = triangles.Length / 3;
            Floats(ref Points, value.Data, ref at, points);
            Triangles = triangles;
        }

        internal void TakeSkin(Value value)
        {
            var header = SkinFrameHeader.Read(value.Data, 0);
            long points = header.Counts.Points, triangles = header.Counts.Triangles;
            var list = (12 * points + 7) / 8 * 8;
            var needed = 8 * SkinFrameHeader.WordCount + 3 * list + 12 * triangles;
            if (needed > value.Bytes) throw new DecodeException("a cut skin");
            Version = value.Version;
            PointCount = (int)points;
            TriangleCount = (int)triangles;
            var at = 8 * SkinFrameHeader.WordCount;
            Floats(ref Points, value.Data, ref at, PointCount);
            Floats(ref Normals, value.Data, ref at, PointCount);
            Floats(ref Velocities, value.Data, ref at, PointCount);
            if (Triangles.Length < 3 * TriangleCount) Triangles = new int[3 * TriangleCount];
            Buffer.BlockCopy(value.Data, at, Triangles, 0, 12 * TriangleCount);
            CheckCorners(Triangles, 3 * TriangleCount, PointCount);
        }

        internal static void CheckCorners(int[] triangles, int count, int points)
        {
            for (var index = 0; index < count; index++)
            {
                if ((uint)triangles[index] >= (uint)points)
                {
                    throw new DecodeException("a corner that is no point");
                }
            }
        }

        private static void Floats(ref float[] into, byte[] data, ref int at, int points)
        {
            if (into.Length < 3 * points) into = new float[3 * points];
            Buffer.BlockCopy(data, at, into, 0, 12 * points);
            at += (12 * points + 7) / 8 * 8;
        }
    }

    /// <summary>The newest value of a block, as it came.</summary>
    internal sealed class Value
    {
        internal BlockKind Kind;
        internal int Arm;
        internal uint Body;
        internal ulong Version;
        internal ulong Skipped;
        internal byte[] Data = new byte[0];
        internal int Bytes;
    }

    /// <summary>The newest values of all blocks.</summary>
    internal sealed class Values
    {
        private readonly System.Collections.Generic.List<Value> all =
            new System.Collections.Generic.List<Value>();

        internal ulong Skipped
        {
            get
            {
                ulong sum = 0;
                foreach (var value in all) sum += value.Skipped;
                return sum;
            }
        }

        /// <summary>Returns the newest value, or null before the first.</summary>
        internal Value Find(BlockKind kind, int arm, uint body)
        {
            foreach (var value in all)
            {
                if (value.Kind == kind && value.Arm == arm && value.Body == body) return value;
            }
            return null;
        }

        internal void Take(Messages.BlockValue message, byte[] frame, int at, int count)
        {
            if (count != 8L * message.Words || count < 8 * Smallest(message.Kind))
            {
                throw new DecodeException(message.Words + " words in " + count + " bytes");
            }
            var value = Find(message.Kind, message.Arm, message.Body);
            if (value == null)
            {
                value = new Value
                {
                    Kind = message.Kind,
                    Arm = message.Arm,
                    Body = message.Body,
                };
                all.Add(value);
            }
            value.Version = message.Version;
            value.Skipped = message.Skipped;
            if (value.Data.Length < count) value.Data = new byte[count];
            Buffer.BlockCopy(frame, at, value.Data, 0, count);
            value.Bytes = count;
        }

        private static int Smallest(BlockKind kind)
        {
            switch (kind)
            {
                case BlockKind.State: return ArmState.WordCount;
                case BlockKind.Contacts: return ListHeader.WordCount;
                case BlockKind.Bodies: return ListHeader.WordCount;
                case BlockKind.Needle: return NeedleState.WordCount;
                case BlockKind.Surface: return SurfaceFrameHeader.WordCount;
                case BlockKind.Skin: return SkinFrameHeader.WordCount;
                default: return 0;
            }
        }

        internal void Remove(uint body)
        {
            all.RemoveAll(value => value.Body == body && body != 0);
        }
    }
}
