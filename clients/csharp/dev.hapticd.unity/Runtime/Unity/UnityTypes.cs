using UnityEngine;

namespace Hapticd.Unity
{
    /// <summary>Unity's types to and from the daemon's: frame and precision at once.</summary>
    public static class UnityTypes
    {
        /// <summary>Converts a position, velocity, force or normal of the daemon.</summary>
        public static Vector3 ToUnity(Vector3d vector)
        {
            return Plain(UnityFrame.Vector(vector));
        }

        /// <summary>Converts a torque or an angular velocity of the daemon.</summary>
        public static Vector3 PseudovectorToUnity(Vector3d vector)
        {
            return Plain(UnityFrame.Pseudovector(vector));
        }

        /// <summary>Converts a rotation of the daemon.</summary>
        public static Quaternion ToUnity(Quaterniond rotation)
        {
            var q = UnityFrame.Rotation(rotation);
            return new Quaternion((float)q.X, (float)q.Y, (float)q.Z, (float)q.W);
        }

        /// <summary>Converts a position, velocity, force or normal of Unity.</summary>
        public static Vector3d ToDaemon(Vector3 vector)
        {
            return UnityFrame.Vector(new Vector3d(vector.x, vector.y, vector.z));
        }

        /// <summary>Converts a rotation of Unity.</summary>
        public static Quaterniond ToDaemon(Quaternion rotation)
        {
            var q = new Quaterniond(rotation.x, rotation.y, rotation.z, rotation.w);
            return UnityFrame.Rotation(q.Normalized);
        }

        private static Vector3 Plain(Vector3d vector)
        {
            return new Vector3((float)vector.X, (float)vector.Y, (float)vector.Z);
        }

        /// <summary>
        /// Converts a mesh for the daemon: scaled, welded, and with its triangles in the daemon's
        /// order. Unity gives each face its own vertices; a solid body must be closed.
        /// </summary>
        public static TriangleMesh ToDaemon(Mesh mesh, Vector3 scale, double weldTolerance)
        {
            var vertices = mesh.vertices;
            var positions = new double[3 * vertices.Length];
            for (var index = 0; index < vertices.Length; index++)
            {
                positions[3 * index] = vertices[index].x * scale.x;
                positions[3 * index + 1] = vertices[index].y * scale.y;
                positions[3 * index + 2] = vertices[index].z * scale.z;
            }
            var triangles = mesh.triangles;
            var isMirrored = scale.x * scale.y * scale.z < 0;
            if (isMirrored) triangles = UnityFrame.Reversed(triangles);
            var converted = UnityFrame.Mesh(new TriangleMesh(positions, triangles));
            return converted.Welded(weldTolerance);
        }

        /// <summary>Puts a mesh of the daemon into one of Unity.</summary>
        public static void ToUnity(TriangleMesh mesh, Mesh into)
        {
            var vertices = new Vector3[mesh.VertexCount];
            for (var index = 0; index < vertices.Length; index++)
            {
                vertices[index] = ToUnity(mesh.Vertex(index));
            }
            into.Clear();
            into.indexFormat = UnityEngine.Rendering.IndexFormat.UInt32;
            into.vertices = vertices;
            into.triangles = UnityFrame.Reversed(mesh.Triangles);
            into.RecalculateNormals();
            into.RecalculateBounds();
        }
    }
}
