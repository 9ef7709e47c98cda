// What the components use of UnityEngine, by hand after its documentation: enough to compile them
// against its signatures, and to play them without an engine (tests/Components.cs). Nothing of it
// goes into the package.
using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    public class Object
    {
        private static int created;
        private readonly int id = ++created;

        public string name { get; set; } = "";

        public int GetInstanceID()
        {
            return id;
        }

        public static void Destroy(Object destroyed)
        {
        }
    }

    public class Component : Object
    {
        public GameObject gameObject { get; internal set; }

        public Transform transform
        {
            get { return gameObject.transform; }
        }

        public T GetComponent<T>()
        {
            return gameObject.GetComponent<T>();
        }

        public T GetComponentInParent<T>()
        {
            for (var at = transform; at != null; at = at.parent)
            {
                var found = at.GetComponent<T>();
                if (found != null) return found;
            }
            return default(T);
        }
    }

    public class Behaviour : Component
    {
        public virtual bool enabled { get; set; } = true;
    }

    public class MonoBehaviour : Behaviour
    {
        public override bool enabled
        {
            get { return base.enabled; }
            set
            {
                if (base.enabled == value) return;
                base.enabled = value;
                Send(value ? "OnEnable" : "OnDisable");
            }
        }

        /// <summary>Calls one of the methods that the engine calls by name.</summary>
        public void Send(string method, params object[] arguments)
        {
            const System.Reflection.BindingFlags all = System.Reflection.BindingFlags.Instance
                | System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Public;
            var found = GetType().GetMethod(method, all);
            if (found != null) found.Invoke(this, arguments);
        }
    }

    public sealed class GameObject : Object
    {
        private readonly List<Component> components = new List<Component>();

        /// <summary>All objects of the scene.</summary>
        public static readonly List<GameObject> All = new List<GameObject>();

        public GameObject(string name)
        {
            All.Add(this);
            this.name = name;
            transform = new Transform { gameObject = this };
            components.Add(transform);
        }

        public Transform transform { get; private set; }

        public T AddComponent<T>() where T : Component, new()
        {
            var added = new T { gameObject = this, name = name };
            components.Add(added);
            var behaviour = added as MonoBehaviour;
            if (behaviour == null) return added;
            behaviour.Send("Awake");
            behaviour.Send("OnEnable");
            return added;
        }

        public T GetComponent<T>()
        {
            return components.OfType<T>().FirstOrDefault();
        }

        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            var made = new GameObject(type.ToString());
            made.AddComponent<MeshFilter>().sharedMesh = Mesh.Cube();
            return made;
        }

        /// <summary>This object's behaviours.</summary>
        public IEnumerable<MonoBehaviour> Behaviours
        {
            get { return components.OfType<MonoBehaviour>(); }
        }
    }

    public enum PrimitiveType
    {
        Sphere,
        Cube = 3,
    }

    public sealed class Transform : Component
    {
        public Transform parent { get; private set; }

        public Vector3 localScale { get; set; } = Vector3.one;

        public Vector3 localPosition { get; set; }

        public Quaternion localRotation { get; set; } = Quaternion.identity;

        public Vector3 lossyScale
        {
            get
            {
                return parent == null ? localScale : Vector3.Scale(parent.lossyScale, localScale);
            }
        }

        public Quaternion rotation
        {
            get { return parent == null ? localRotation : parent.rotation * localRotation; }
        }

        public Vector3 position
        {
            get
            {
                if (parent == null) return localPosition;
                var scaled = Vector3.Scale(parent.lossyScale, localPosition);
                return parent.position + parent.rotation * scaled;
            }
        }

        public void SetParent(Transform to)
        {
            parent = to;
        }

        public void SetPositionAndRotation(Vector3 position, Quaternion rotation)
        {
            var back = parent == null ? Quaternion.identity : Quaternion.Inverse(parent.rotation);
            var from = parent == null ? new Vector3(0, 0, 0) : parent.position;
            var scale = parent == null ? Vector3.one : parent.lossyScale;
            var turned = back * (position - from);
            localPosition = new Vector3(
                turned.x / scale.x, turned.y / scale.y, turned.z / scale.z);
            localRotation = back * rotation;
        }
    }

    public sealed class MeshFilter : Component
    {
        public Mesh sharedMesh { get; set; }
    }

    public sealed class Mesh : Object
    {
        public Vector3[] vertices { get; set; } = new Vector3[0];

        public int[] triangles { get; set; } = new int[0];

        public bool isReadable
        {
            get { return true; }
        }

        public Rendering.IndexFormat indexFormat { get; set; }

        public void Clear()
        {
            vertices = new Vector3[0];
            triangles = new int[0];
        }

        public void RecalculateNormals()
        {
        }

        public void RecalculateBounds()
        {
        }

        /// <summary>A cube of edge 1 as Unity has it: clockwise triangles seen from outside, and
        /// four vertices of its own for each face.</summary>
        internal static Mesh Cube()
        {
            var (vertices, triangles) = (new List<Vector3>(), new List<int>());
            for (var face = 0; face < 6; face++)
            {
                var sign = face % 2 == 0 ? 0.5f : -0.5f;
                for (var corner = 0; corner < 4; corner++)
                {
                    var (u, v) = (corner % 2 - 0.5f, corner / 2 - 0.5f);
                    var place = face / 2 == 0 ? new Vector3(sign, u, v)
                        : face / 2 == 1 ? new Vector3(v, sign, u) : new Vector3(u, v, sign);
                    vertices.Add(place);
                }
                var order = sign > 0 ? new[] { 0, 1, 2, 2, 1, 3 } : new[] { 0, 2, 1, 2, 3, 1 };
                triangles.AddRange(order.Select(index => 4 * face + index));
            }
            return new Mesh { vertices = vertices.ToArray(), triangles = triangles.ToArray() };
        }
    }

    public static class Debug
    {
        /// <summary>What was logged.</summary>
        public static readonly List<string> Lines = new List<string>();

        public static void Log(object message)
        {
            Lines.Add("info: " + message);
        }

        public static void LogWarning(object message, Object context)
        {
            Lines.Add("warning: " + message);
        }

        public static void LogError(object message, Object context)
        {
            Lines.Add("error: " + message);
        }
    }

    public static class Time
    {
        public static float time { get; set; }

        public static float unscaledTime
        {
            get { return time; }
        }
    }

    public static class Application
    {
        public static string productName
        {
            get { return "components"; }
        }

        public static bool isFocused
        {
            get { return true; }
        }
    }
}

namespace UnityEngine.Rendering
{
    public enum IndexFormat
    {
        UInt16,
        UInt32,
    }
}
