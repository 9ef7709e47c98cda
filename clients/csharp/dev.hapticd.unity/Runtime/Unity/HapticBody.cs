using System.Text;
using UnityEngine;

namespace Hapticd.Unity
{
    /// <summary>
    /// Lets tools feel this object. Its mesh is welded and sent when the object is enabled; a
    /// kinematic body follows its object, a dynamic one moves it.
    /// </summary>
    [AddComponentMenu("Haptics/Haptic Body")]
    [DefaultExecutionOrder(100)]
    public sealed class HapticBody : MonoBehaviour
    {
        private const int MaxNameBytes = 63;

        [Tooltip("Connection; empty for the one of the parents.")]
        public HapticConnection connection;

        [Tooltip("Mesh; empty for the MeshFilter's. It must be readable.")]
        public Mesh mesh;

        [Tooltip("Static bodies stand, kinematic ones follow this object, dynamic ones move it.")]
        public BodyKind kind = BodyKind.Kinematic;

        [Tooltip("A solid is closed; an open sheet is felt from both sides.")]
        public bool solid = true;

        [Tooltip("Vertices nearer than this become one, m.")]
        public float weldTolerance = 1e-5f;

        [Tooltip("Contact stiffness, N/m.")]
        public float stiffness = 1000;

        [Tooltip("Contact damping, N s/m.")]
        public float damping = 1;

        [Tooltip("Coulomb's friction coefficient.")]
        public float friction = 0.3f;

        [Tooltip("Coefficient of restitution.")]
        public float restitution;

        [Tooltip("Density of a dynamic body, kg/m³.")]
        public float density = 1000;

        [Tooltip("Fastest that any point of a kinematic body moves, m/s.")]
        public float maxSpeed = 1;

        [Tooltip("How long a kinematic body goes on towards its pose without a new one, ms.")]
        public int leaseMs = 200;

        private BodyEntry entry;
        private int epoch;
        private bool isReported;

        /// <summary>Its identity in the daemon; 0 before it is there.</summary>
        public uint Body
        {
            get { return entry == null ? 0 : entry.Body; }
        }

        /// <summary>Why the daemon refused it; null where it did not.</summary>
        public string Problem
        {
            get { return entry == null ? null : entry.Refused; }
        }

        /// <summary>Force of all tools on this body, N, in Unity's world.</summary>
        public Vector3 Force { get; private set; }

        private void OnEnable()
        {
            if (connection == null) connection = GetComponentInParent<HapticConnection>();
            if (mesh == null)
            {
                var filter = GetComponent<MeshFilter>();
                if (filter != null) mesh = filter.sharedMesh;
            }
            var missing = connection == null ? "no HapticConnection"
                : mesh == null ? "no mesh" : !mesh.isReadable ? "a mesh that is not readable" : "";
            if (missing.Length > 0)
            {
                Debug.LogError("this body has " + missing, this);
                enabled = false;
            }
            epoch = 0;
        }

        private void OnDisable()
        {
            if (entry != null) connection.Remove(entry);
            entry = null;
        }

        private void Update()
        {
            var client = connection.Client;
            if (client == null)
            {
                entry = null;
                return;
            }
            if (epoch != connection.Epoch) Add();
            if (entry.Body == 0)
            {
                Report();
                return;
            }
            var isThere = client.TryReadBody(entry.Body, out var state);
            if (isThere)
            {
                Force = connection.transform.rotation * UnityTypes.ToUnity(state.ForceN);
            }
            if (kind == BodyKind.Kinematic) Follow();
            if (kind != BodyKind.Dynamic || !isThere) return;
            connection.ToWorld(state.WorldFromBody, out var position, out var rotation);
            transform.SetPositionAndRotation(position, rotation);
        }

        private void Report()
        {
            if (Problem == null || isReported) return;
            isReported = true;
            Debug.LogError("hapticd refuses this body: " + Problem, this);
        }

        private Pose3d Pose()
        {
            return connection.FromWorld(transform.position, transform.rotation);
        }

        private void Add()
        {
            epoch = connection.Epoch;
            isReported = false;
            var material = new BodyMaterial
            {
                StiffnessNPerM = stiffness,
                DampingNSPerM = damping,
                Friction = friction,
                Restitution = restitution,
                DensityKgM3 = density,
            };
            var converted = UnityTypes.ToDaemon(mesh, transform.lossyScale, weldTolerance);
            var request = Client.NewBody(UniqueName(), Pose(), material, kind, solid);
            entry = connection.Add(request, converted);
        }

        /// <summary>Names are unique in the scene and at most 63 bytes long.</summary>
        private string UniqueName()
        {
            var suffix = " " + GetInstanceID();
            var text = name.Replace('\n', ' ').Replace('\r', ' ');
            while (Encoding.UTF8.GetByteCount(text + suffix) > MaxNameBytes)
            {
                text = text.Substring(0, text.Length - 1);
            }
            return text + suffix;
        }

        private void Follow()
        {
            connection.Move(new BodyTarget
            {
                Body = entry.Body,
                WorldFromBody = Pose(),
                SpeedMPerS = maxSpeed,
                LeaseMs = (uint)leaseMs,
            });
        }
    }
}
