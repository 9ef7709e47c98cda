namespace Hapticd
{
    /// <summary>
    /// From the daemon's frame (right-handed, z up) to Unity's (left-handed, y up) and back: each
    /// conversion is its own inverse. Which way is forward is the scene's own; here the daemon's y
    /// is Unity's z. Both count metres and newtons.
    /// </summary>
    /// <remarks>
    /// The change of axes M swaps y and z, so its determinant is -1: a mirror. Vectors become M v;
    /// pseudovectors, and with them a quaternion's vector part, become det(M) M v; triangles change
    /// their order.
    /// </remarks>
    public static class UnityFrame
    {
        /// <summary>Converts a position, velocity, force or normal.</summary>
        public static Vector3d Vector(Vector3d v)
        {
            return new Vector3d(v.X, v.Z, v.Y);
        }

        /// <summary>Converts a torque or an angular velocity.</summary>
        public static Vector3d Pseudovector(Vector3d v)
        {
            return new Vector3d(-v.X, -v.Z, -v.Y);
        }

        /// <summary>Converts a rotation.</summary>
        public static Quaterniond Rotation(Quaterniond q)
        {
            return new Quaterniond(-q.X, -q.Z, -q.Y, q.W);
        }

        /// <summary>Converts a pose.</summary>
        public static Pose3d Pose(Pose3d pose)
        {
            return new Pose3d(Vector(pose.Translation), Rotation(pose.Rotation));
        }

        /// <summary>Converts a mesh: its positions, and the order of its triangles.</summary>
        public static TriangleMesh Mesh(TriangleMesh mesh)
        {
            var positions = (double[])mesh.Positions.Clone();
            for (var at = 0; at < positions.Length; at += 3)
            {
                positions[at + 1] = mesh.Positions[at + 2];
                positions[at + 2] = mesh.Positions[at + 1];
            }
            return new TriangleMesh(positions, Reversed(mesh.Triangles));
        }

        /// <summary>Returns the same triangles, seen from the other side.</summary>
        public static int[] Reversed(int[] triangles)
        {
            var reversed = (int[])triangles.Clone();
            for (var at = 0; at < reversed.Length; at += 3)
            {
                reversed[at + 1] = triangles[at + 2];
                reversed[at + 2] = triangles[at + 1];
            }
            return reversed;
        }
    }
}
