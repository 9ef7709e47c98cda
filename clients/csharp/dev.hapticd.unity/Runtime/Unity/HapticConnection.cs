using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Hapticd.Messages;
using UnityEngine;

namespace Hapticd.Unity
{
    /// <summary>
    /// The connection to a daemon through its gateway, for all arms and bodies that refer to it.
    /// The daemon's origin is where this object is; its scale is not used: metres are metres.
    /// </summary>
    /// <remarks>
    /// It polls in `Update` and nowhere else: while the application hangs, or the Editor is paused,
    /// the force of its bodies fades. It connects again by itself.
    /// </remarks>
    [AddComponentMenu("Haptics/Haptic Connection")]
    [DefaultExecutionOrder(-100)]
    [DisallowMultipleComponent]
    public sealed class HapticConnection : MonoBehaviour
    {
        private const float PauseBetweenAttempts = 1;
        private static readonly List<HapticConnection> Enabled = new List<HapticConnection>();

        [Tooltip("File that the gateway writes; empty for this machine's own.")]
        public string tokenFile = "";

        [Tooltip("SHA-256 of the gateway's certificate; empty to trust what the system trusts.")]
        public string certificateSha256 = "";

        [Tooltip("How often states, contacts and bodies come, Hz.")]
        [Range(1, Protocol.MaxPushHz)]
        public int stateHz = 90;

        [Tooltip("How often surfaces and skins come, Hz.")]
        [Range(1, Protocol.MaxPushHz)]
        public int surfaceHz = 30;

        [Tooltip("Without the user's attention, bodies of this application make no force.")]
        public bool followsFocus = true;

        private readonly Queue<BodyEntry> waiting = new Queue<BodyEntry>();
        private readonly SetBodyPoses moves = new SetBodyPoses();
        private Task<Client> connecting;
        private BodyEntry adding;
        private float nextAttempt;

        /// <summary>Address and token, where a script knows them; null to read the file. A token is
        /// new with each start of the gateway, so it is not kept with the scene.</summary>
        public ClientOptions Options { get; set; }

        /// <summary>The client; null while there is no connection.</summary>
        public Client Client { get; private set; }

        /// <summary>Number of this connection: what was subscribed to and added before is gone.
        /// </summary>
        public int Epoch { get; private set; }

        /// <summary>Why there is no connection; empty while there is one.</summary>
        public string Problem { get; private set; } = "";

        /// <summary>What the daemon tells, in `Update`.</summary>
        public event Action<News> Received;

        /// <summary>Closes all connections: before the Editor loads programs again, and when play
        /// mode ends.</summary>
        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.SubsystemRegistration)]
        public static void CloseAll()
        {
            // Without a reload of the domain this list outlives play mode.
            foreach (var connection in Enabled.ToArray()) connection.Close("closed");
            Enabled.Clear();
        }

        private void OnEnable()
        {
            Enabled.Add(this);
            nextAttempt = 0;
        }

        private void OnDisable()
        {
            Enabled.Remove(this);
            Close("disabled");
        }

        private void OnApplicationFocus(bool focused)
        {
            TellFocus(focused);
        }

        private void OnApplicationPause(bool paused)
        {
            TellFocus(!paused);
        }

        private void TellFocus(bool focused)
        {
            if (followsFocus) Post(new SetFocus { Focused = focused });
        }

        private void Close(string why)
        {
            Problem = why;
            // A connection that is still being made ends as soon as it is there.
            if (connecting != null) connecting.ContinueWith(CloseLate);
            connecting = null;
            adding = null;
            waiting.Clear();
            moves.Targets.Clear();
            if (Client == null) return;
            Client.Dispose();
            Client = null;
        }

        private static void CloseLate(Task<Client> task)
        {
            if (task.Status == TaskStatus.RanToCompletion) task.Result.Dispose();
        }

        private void Update()
        {
            if (Client == null)
            {
                Reach();
                if (Client == null) return;
            }
            try
            {
                Receive();
            }
            catch (DisconnectedException error)
            {
                Lose(error);
            }
        }

        private void Lose(DisconnectedException error)
        {
            Debug.LogWarning("hapticd: " + error.Message, this);
            Close(error.Message);
            nextAttempt = Time.unscaledTime + PauseBetweenAttempts;
        }

        private void Reach()
        {
            if (connecting == null)
            {
                if (Time.unscaledTime < nextAttempt) return;
                nextAttempt = Time.unscaledTime + PauseBetweenAttempts;
                try
                {
                    connecting = Client.ConnectAsync(CurrentOptions());
                }
                catch (ConnectException error)
                {
                    Problem = error.Message;
                }
            }
            else if (connecting.IsCompleted)
            {
                var done = connecting;
                connecting = null;
                if (done.Status != TaskStatus.RanToCompletion)
                {
                    Problem = done.Exception.GetBaseException().Message;
                    return;
                }
                Client = done.Result;
                Problem = "";
                Epoch++;
                Greet();
            }
        }

        private ClientOptions CurrentOptions()
        {
            if (Options != null) return Options;
            var name = Application.productName;
            var options = string.IsNullOrEmpty(tokenFile)
                ? ClientOptions.Local(name) : ClientOptions.FromFile(tokenFile, name);
            options.CertificateSha256 = certificateSha256;
            return options;
        }

        private void Greet()
        {
            var rates = new SetPushRates { StateHz = (uint)stateHz, SurfaceHz = (uint)surfaceHz };
            Post(rates);
            const Topic topics = Topic.Bodies | Topic.Events | Topic.ContactEvents;
            Post(new Subscribe { Arm = Protocol.AllArms, Topics = topics });
            TellFocus(Application.isFocused);
        }

        private void Receive()
        {
            for (var news = Client.Poll(); news != null; news = Client.Poll())
            {
                if (news is Refusal) Debug.LogWarning("hapticd refuses: " + news, this);
                var handler = Received;
                if (handler != null) handler(news);
                // A handler may have disabled this.
                if (Client == null) return;
            }
            AddNext();
        }

        /// <summary>The daemon takes one body of a client at a time.</summary>
        private void AddNext()
        {
            if (adding != null && adding.Pending.IsDone)
            {
                adding.Done(Client);
                adding = null;
            }
            if (adding != null || waiting.Count == 0) return;
            adding = waiting.Dequeue();
            adding.Send(Client);
        }

        /// <summary>Posts a request; where the connection has ended it is not sent.</summary>
        internal void Post(Message request)
        {
            if (Client == null) return;
            try
            {
                Client.Post(request);
            }
            catch (DisconnectedException error)
            {
                Lose(error);
            }
        }

        /// <summary>Takes a body out of the scene, now or when it is there.</summary>
        internal void Remove(BodyEntry entry)
        {
            if (entry.Body != 0) Post(new RemoveBody { Body = entry.Body });
            else entry.Abandon();
        }

        /// <summary>Adds a body as soon as those before it are there.</summary>
        internal BodyEntry Add(AddBody request, TriangleMesh mesh)
        {
            var entry = new BodyEntry(request, mesh);
            waiting.Enqueue(entry);
            return entry;
        }

        /// <summary>Moves a body with the others of this frame.</summary>
        internal void Move(BodyTarget target)
        {
            if (moves.Targets.Count == Protocol.MaxTargets) Flush();
            moves.Targets.Add(target);
        }

        private void LateUpdate()
        {
            if (moves.Targets.Count > 0) Flush();
        }

        private void Flush()
        {
            Post(moves);
            moves.Targets.Clear();
        }

        /// <summary>Takes a pose of the daemon to Unity's world.</summary>
        public void ToWorld(Pose3d pose, out Vector3 position, out Quaternion rotation)
        {
            var origin = transform;
            position = origin.position + origin.rotation * UnityTypes.ToUnity(pose.Translation);
            rotation = origin.rotation * UnityTypes.ToUnity(pose.Rotation);
        }

        /// <summary>Takes a pose of Unity's world to the daemon.</summary>
        public Pose3d FromWorld(Vector3 position, Quaternion rotation)
        {
            var back = Quaternion.Inverse(transform.rotation);
            return new Pose3d(
                UnityTypes.ToDaemon(back * (position - transform.position)),
                UnityTypes.ToDaemon(back * rotation));
        }
    }

    /// <summary>A body on its way into the scene.</summary>
    internal sealed class BodyEntry
    {
        private readonly AddBody request;
        private readonly TriangleMesh mesh;
        private bool isAbandoned;

        internal BodyEntry(AddBody request, TriangleMesh mesh)
        {
            this.request = request;
            this.mesh = mesh;
        }

        internal Pending<BodyAdded> Pending { get; private set; }

        /// <summary>Its identity; 0 before it is there.</summary>
        internal uint Body { get; private set; }

        /// <summary>Why it is not there; null where it is not refused.</summary>
        internal string Refused { get; private set; }

        internal void Send(Client client)
        {
            Pending = client.Send(request, mesh.ToFile());
        }

        internal void Done(Client client)
        {
            try
            {
                Body = Pending.Answer.Body;
                if (isAbandoned) client.Post(new RemoveBody { Body = Body });
            }
            catch (RequestRefusedException error)
            {
                Refused = error.Message;
            }
        }

        /// <summary>Takes it out of the scene when it is there.</summary>
        internal void Abandon()
        {
            isAbandoned = true;
        }
    }
}
