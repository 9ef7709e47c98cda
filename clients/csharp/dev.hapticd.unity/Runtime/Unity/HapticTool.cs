using Hapticd.Messages;
using UnityEngine;

namespace Hapticd.Unity
{
    /// <summary>
    /// Moves its object with an arm's tool. Draw the proxy: it never enters a body. The device is
    /// where the hand is.
    /// </summary>
    [AddComponentMenu("Haptics/Haptic Tool")]
    [DefaultExecutionOrder(-80)]
    public sealed class HapticTool : MonoBehaviour
    {
        /// <summary>Which of the two poses.</summary>
        public enum Follows
        {
            Proxy,
            Device,
        }

        [Tooltip("Arm; empty for the one of the parents.")]
        public HapticArm arm;

        [Tooltip("The proxy is where the tool is allowed to be, the device where the hand is.")]
        public Follows follows = Follows.Proxy;

        [Tooltip("Fills this object's MeshFilter with the tool's shape, where it has no mesh.")]
        public bool showsShape = true;

        private MeshFilter filter;
        private Mesh shape;
        private int epoch;

        private void OnEnable()
        {
            if (arm == null) arm = GetComponentInParent<HapticArm>();
            if (arm == null)
            {
                Debug.LogError("this tool has no HapticArm", this);
                enabled = false;
                return;
            }
            filter = GetComponent<MeshFilter>();
            epoch = 0;
        }

        private void OnDestroy()
        {
            if (shape != null) Destroy(shape);
        }

        private void Update()
        {
            if (!arm.IsLive) return;
            var state = arm.State;
            var pose = follows == Follows.Proxy ? state.WorldFromProxy : state.WorldFromDevice;
            arm.connection.ToWorld(pose, out var position, out var rotation);
            transform.SetPositionAndRotation(position, rotation);
            if (showsShape && filter != null) Show();
        }

        private void Show()
        {
            var connection = arm.connection;
            var tool = Client.ToolId(arm.arm);
            if (epoch != connection.Epoch)
            {
                epoch = connection.Epoch;
                if (filter.sharedMesh == null || filter.sharedMesh == shape)
                {
                    connection.Post(new OpenShape { Body = tool });
                }
            }
            if (connection.Client == null) return;
            if (!connection.Client.TryTakeShape(tool, out var mesh)) return;
            if (shape == null) shape = new Mesh { name = "tool" };
            UnityTypes.ToUnity(mesh, shape);
            filter.sharedMesh = shape;
        }
    }
}
