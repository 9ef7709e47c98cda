using System;

namespace Hapticd
{
    /// <summary>Three numbers: a position, a direction, a force, a torque.</summary>
    public struct Vector3d : IEquatable<Vector3d>
    {
        public double X;
        public double Y;
        public double Z;

        public Vector3d(double x, double y, double z)
        {
            X = x;
            Y = y;
            Z = z;
        }

        public double Length
        {
            get { return Math.Sqrt(Dot(this, this)); }
        }

        public static double Dot(Vector3d a, Vector3d b)
        {
            return a.X * b.X + a.Y * b.Y + a.Z * b.Z;
        }

        public static Vector3d Cross(Vector3d a, Vector3d b)
        {
            return new Vector3d(
                a.Y * b.Z - a.Z * b.Y, a.Z * b.X - a.X * b.Z, a.X * b.Y - a.Y * b.X);
        }

        public static Vector3d operator +(Vector3d a, Vector3d b)
        {
            return new Vector3d(a.X + b.X, a.Y + b.Y, a.Z + b.Z);
        }

        public static Vector3d operator -(Vector3d a, Vector3d b)
        {
            return new Vector3d(a.X - b.X, a.Y - b.Y, a.Z - b.Z);
        }

        public static Vector3d operator *(double scale, Vector3d a)
        {
            return new Vector3d(scale * a.X, scale * a.Y, scale * a.Z);
        }

        public bool Equals(Vector3d other)
        {
            return X == other.X && Y == other.Y && Z == other.Z;
        }

        public override bool Equals(object other)
        {
            return other is Vector3d && Equals((Vector3d)other);
        }

        public override int GetHashCode()
        {
            return (X.GetHashCode() * 31 + Y.GetHashCode()) * 31 + Z.GetHashCode();
        }

        public override string ToString()
        {
            return string.Format("({0:G6}, {1:G6}, {2:G6})", X, Y, Z);
        }
    }

    /// <summary>A rotation. All zeros, C#'s default, is no rotation: use `Identity`.</summary>
    public struct Quaterniond
    {
        public double X;
        public double Y;
        public double Z;
        public double W;

        public Quaterniond(double x, double y, double z, double w)
        {
            X = x;
            Y = y;
            Z = z;
            W = w;
        }

        public static Quaterniond Identity
        {
            get { return new Quaterniond(0, 0, 0, 1); }
        }

        /// <summary>Turns a vector.</summary>
        public static Vector3d operator *(Quaterniond q, Vector3d v)
        {
            var axis = new Vector3d(q.X, q.Y, q.Z);
            var across = Vector3d.Cross(axis, v) + q.W * v;
            return v + 2 * Vector3d.Cross(axis, across);
        }

        /// <summary>Returns it with length 1; the daemon allows 1e-3 of difference.</summary>
        public Quaterniond Normalized
        {
            get
            {
                var scale = 1 / Math.Sqrt(X * X + Y * Y + Z * Z + W * W);
                return new Quaterniond(scale * X, scale * Y, scale * Z, scale * W);
            }
        }

        public override string ToString()
        {
            return string.Format("({0:G6}, {1:G6}, {2:G6}, {3:G6})", X, Y, Z, W);
        }
    }

    /// <summary>Where a body is and how it is turned: takes its coordinates to the world's, m.
    /// </summary>
    public struct Pose3d
    {
        public Vector3d Translation;
        public Quaterniond Rotation;

        public Pose3d(Vector3d translation, Quaterniond rotation)
        {
            Translation = translation;
            Rotation = rotation;
        }

        public static Pose3d Identity
        {
            get { return At(0, 0, 0); }
        }

        /// <summary>Returns a pose without rotation.</summary>
        public static Pose3d At(double x, double y, double z)
        {
            return new Pose3d(new Vector3d(x, y, z), Quaterniond.Identity);
        }

        /// <summary>Takes a point from the body's coordinates to the world's.</summary>
        public static Vector3d operator *(Pose3d pose, Vector3d point)
        {
            return pose.Translation + pose.Rotation * point;
        }
    }
}
