using System;
using Hapticd.Messages;
using UnityEngine;

namespace Hapticd.Unity
{
    /// <summary>One arm: what the hand does and feels, in Unity's frame, and its buttons.</summary>
    [AddComponentMenu("Haptics/Haptic Arm")]
    [DefaultExecutionOrder(-90)]
    public sealed class HapticArm : MonoBehaviour
    {
        [Tooltip("Connection; empty for the one of the parents.")]
        public HapticConnection connection;

        [Tooltip("Index of the arm in the daemon's configuration.")]
        [Range(0, Protocol.MaxArms - 1)]
        public int arm;

        private readonly Contact[] contacts = new Contact[Protocol.MaxContacts];
        private HapticConnection heard;
        private ArmState state;
        private int epoch;

        /// <summary>Whether a state has come on this connection.</summary>
        public bool IsLive { get; private set; }

        /// <summary>The newest state, in the daemon's frame.</summary>
        public ArmState State
        {
            get { return state; }
        }

        /// <summary>Force on the hand, N, in Unity's world.</summary>
        public Vector3 Force { get; private set; }

        /// <summary>Torque on the hand, N m, in Unity's world.</summary>
        public Vector3 Torque { get; private set; }

        /// <summary>Why force is off; null while it is on.</summary>
        public string ForceOffText
        {
            get
            {
                if (state.Reason == 0) return null;
                return ForceOffReason.Text(state.Reason) ?? "reason " + state.Reason;
            }
        }

        /// <summary>Number of contacts of the newest state that `ContactAt` returns.</summary>
        public int ContactCount { get; private set; }

        /// <summary>A contact, in the daemon's frame.</summary>
        public Contact ContactAt(int index)
        {
            if (index >= ContactCount) throw new ArgumentOutOfRangeException("index");
            return contacts[index];
        }

        /// <summary>The tool touches a body; the identity is that of `HapticBody.Body`.</summary>
        public event Action<uint> Touched;

        /// <summary>The tool has left a body.</summary>
        public event Action<uint> Released;

        /// <summary>A button is pressed.</summary>
        public event Action<int> ButtonPressed;

        /// <summary>A button is let go.</summary>
        public event Action<int> ButtonReleased;

        /// <summary>Whether a button is pressed now.</summary>
        public bool IsPressed(int button)
        {
            return IsLive && (state.Buttons >> button & 1) == 1;
        }

        private void OnEnable()
        {
            if (connection == null) connection = GetComponentInParent<HapticConnection>();
            if (connection == null)
            {
                Debug.LogError("this arm has no HapticConnection", this);
                enabled = false;
                return;
            }
            heard = connection;
            heard.Received += Hear;
            epoch = 0;
        }

        private void OnDisable()
        {
            if (heard != null) heard.Received -= Hear;
            heard = null;
            IsLive = false;
        }

        private void Update()
        {
            var client = heard.Client;
            if (client == null)
            {
                IsLive = false;
                return;
            }
            if (epoch != heard.Epoch)
            {
                epoch = heard.Epoch;
                const Topic topics = Topic.State | Topic.Contacts;
                heard.Post(new Subscribe { Arm = (byte)arm, Topics = topics });
            }
            IsLive = client.TryReadState(arm, out state);
            if (!IsLive) return;
            ContactCount = client.ReadContacts(arm, contacts);
            var rotation = heard.transform.rotation;
            Force = rotation * UnityTypes.ToUnity(state.ForceN);
            Torque = rotation * UnityTypes.PseudovectorToUnity(state.TorqueNm);
        }

        private void Hear(News news)
        {
            if (news is Touched touched && touched.Arm == arm) Call(Touched, touched.Body);
            if (news is Released released && released.Arm == arm) Call(Released, released.Body);
            if (news is ButtonPressed pressed && pressed.Arm == arm)
            {
                Call(ButtonPressed, pressed.Button);
            }
            if (news is ButtonReleased let && let.Arm == arm) Call(ButtonReleased, let.Button);
        }

        private static void Call<T>(Action<T> action, T value)
        {
            if (action != null) action(value);
        }
    }
}
