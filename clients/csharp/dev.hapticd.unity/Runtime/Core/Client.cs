using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Hapticd.Messages;

namespace Hapticd
{
    /// <summary>
    /// A connection to the daemon through `hapticd gateway`. Metres, newtons, right-handed, z up;
    /// `UnityFrame` converts. One thread at a time uses it.
    /// </summary>
    /// <remarks>
    /// Call `Poll` in every frame: it takes what has arrived and renews the leases. Nothing else
    /// does, so an application that hangs loses the force of its bodies.
    /// </remarks>
    public sealed partial class Client : IDisposable
    {
        private const int StartStepMs = 50;
        private static readonly byte[] Nothing = new byte[0];
        private readonly WebSocket socket;
        private readonly TimeSpan patience;
        private readonly PacketWriter writer = new PacketWriter(new byte[Protocol.MaxMessage]);
        private readonly PacketReader reader = new PacketReader();
        private readonly Dictionary<ulong, Pending> waiting = new Dictionary<ulong, Pending>();
        private readonly Queue<News> news = new Queue<News>();
        private readonly Values values = new Values();
        private readonly Dictionary<uint, TriangleMesh> shapes =
            new Dictionary<uint, TriangleMesh>();
        private readonly Dictionary<uint, Corners> corners = new Dictionary<uint, Corners>();
        private readonly BlockValue blockValue = new BlockValue();
        private readonly RenewLeases renewal = new RenewLeases();
        private readonly SetBodyPose move = new SetBodyPose();
        private readonly Stopwatch sinceSent = new Stopwatch();
        private ulong nextId = 1;

        private struct Corners
        {
            internal int Points;
            internal int[] Triangles;
        }

        private Client(WebSocket socket, TimeSpan patience)
        {
            this.socket = socket;
            this.patience = patience;
        }

        /// <summary>Connects and says hello. Waits for it, and for a gateway or a daemon that is
        /// still starting as long as `StartPatience` says.</summary>
        /// <exception cref="NoDaemonException">No gateway listens, or it has no daemon.</exception>
        /// <exception cref="ConnectException">It refuses: wrong token, too many clients.
        /// </exception>
        public static Client Connect(ClientOptions options)
        {
            if (!BitConverter.IsLittleEndian)
            {
                throw new PlatformNotSupportedException("blocks are little-endian");
            }
            if (!Uri.TryCreate(options.Url, UriKind.Absolute, out var url)
                || (url.Scheme != "ws" && url.Scheme != "wss"))
            {
                throw new ConnectException("`" + options.Url + "` is not ws://HOST:PORT/v1");
            }
            var clock = Stopwatch.StartNew();
            while (true)
            {
                try
                {
                    return Reach(url, options);
                }
                catch (NoDaemonException)
                {
                    if (clock.Elapsed >= options.StartPatience) throw;
                    Thread.Sleep(StartStepMs);
                }
            }
        }

        /// <summary>The same on a thread of the pool, for applications that draw meanwhile.
        /// </summary>
        public static Task<Client> ConnectAsync(ClientOptions options)
        {
            return Task.Run(() => Connect(options));
        }

        private static Client Reach(Uri url, ClientOptions options)
        {
            var (certificate, patience) = (options.CertificateSha256, options.Patience);
            var socket = WebSocket.Connect(url, options.Token, certificate, patience);
            var client = new Client(socket, patience);
            try
            {
                client.Greet(options.Name);
                return client;
            }
            catch
            {
                client.socket.Dispose();
                throw;
            }
        }

        private void Greet(string name)
        {
            var hello = new Hello
            {
                Magic = Protocol.Magic,
                Major = Protocol.Major,
                Minor = Protocol.Minor,
                Name = name,
            };
            try
            {
                Welcome = Ask(hello);
            }
            catch (DisconnectedException error)
            {
                // 1011: the gateway works and the daemon is not there.
                if (error.Code == 1011) throw new NoDaemonException(error.Message);
                throw new ConnectException(error.Message);
            }
        }

        /// <summary>The daemon's welcome: its version, and this client's limits.</summary>
        public Welcome Welcome { get; private set; }

        /// <summary>Whether requests can be sent. False only after a call has met the end.
        /// </summary>
        public bool IsOpen
        {
            get { return socket.Ended == null; }
        }

        /// <summary>
        /// Takes what has arrived and renews the leases when half of their time is over. Returns
        /// one event or refusal; null where there is none. Never waits. Call it in every frame
        /// until it returns null.
        /// </summary>
        /// <exception cref="DisconnectedException">The connection is gone, and all news were read.
        /// </exception>
        public News Poll()
        {
            Receive();
            var lease = Welcome.LeaseMs;
            if (IsOpen && 2 * sinceSent.ElapsedMilliseconds > lease)
            {
                renewal.LeaseMs = lease;
                Post(renewal);
            }
            if (news.Count > 0) return news.Dequeue();
            if (!IsOpen) throw socket.Ended;
            return null;
        }

        /// <summary>Waits until something arrives. Renews nothing.</summary>
        /// <returns>False where nothing came in time.</returns>
        public bool Wait(TimeSpan patience)
        {
            return socket.Wait(patience);
        }

        /// <summary>Sends a request without waiting; the next calls of `Poll` bring the answer.
        /// </summary>
        public Pending<TReply> Send<TReply>(Request<TReply> request, byte[] attached = null)
            where TReply : Message
        {
            var pending = new Pending<TReply>(request);
            waiting[SendPacket(request, attached)] = pending;
            return pending;
        }

        /// <summary>
        /// Sends a request whose answer is of no interest; suitable for every frame. `Poll` returns
        /// a `Refusal` with this number where it is refused.
        /// </summary>
        public ulong Post(Message request)
        {
            return SendPacket(request, null);
        }

        /// <summary>Sends a request and waits for the answer. Renews nothing meanwhile.</summary>
        /// <exception cref="RequestRefusedException">The daemon refused it.</exception>
        /// <exception cref="TimedOutException">No answer came within the client's patience.
        /// </exception>
        /// <exception cref="DisconnectedException">The connection is gone.</exception>
        public TReply Ask<TReply>(Request<TReply> request, byte[] attached = null)
            where TReply : Message
        {
            return Await(Send(request, attached), patience);
        }

        private TReply Await<TReply>(Pending<TReply> pending, TimeSpan patience)
            where TReply : Message
        {
            var clock = Stopwatch.StartNew();
            Receive();
            while (!pending.IsDone)
            {
                if (!Wait(patience - clock.Elapsed))
                {
                    Forget(pending);
                    throw new TimedOutException(
                        "no answer within " + patience.TotalSeconds + " s");
                }
                Receive();
            }
            return pending.Answer;
        }

        private void Forget(Pending pending)
        {
            foreach (var entry in waiting)
            {
                if (entry.Value != pending) continue;
                waiting.Remove(entry.Key);
                return;
            }
        }

        private ulong SendPacket(Message request, byte[] attached)
        {
            if (!IsOpen) throw socket.Ended;
            var id = nextId;
            writer.Message(request, id);
            nextId++;
            socket.Send(writer.Bytes, writer.Length, attached ?? Nothing);
            sinceSent.Restart();
            return id;
        }

        /// <summary>Takes everything that has arrived.</summary>
        private void Receive()
        {
            try
            {
                while (socket.Next(out var frame, out var count)) Take(frame, count);
            }
            catch (DecodeException error)
            {
                // Nothing behind what was not understood can be trusted.
                socket.Violated(error.Message);
            }
            if (IsOpen || waiting.Count == 0) return;
            foreach (var pending in waiting.Values) pending.Fail(socket.Ended);
            waiting.Clear();
        }

        private void Take(byte[] frame, int count)
        {
            var length = PacketReader.Header(frame, count, out var kind, out var id);
            if (kind == blockValue.WireKind)
            {
                reader.Body(blockValue, frame, length);
                values.Take(blockValue, frame, length, count - length);
                return;
            }
            var message = Incoming.Create(kind);
            if (message == null) throw new DecodeException("there is no message of kind " + kind);
            reader.Body(message, frame, length);
            if (message is SurfaceTriangles surface)
            {
                TakeTriangles(surface, frame, length, count - length);
            }
            else if (message is ShapeFile shape)
            {
                if (shape.Bytes != count - length) throw new DecodeException("a cut shape");
                shapes[shape.Body] = TriangleMesh.FromFile(frame, length, count - length);
            }
            else if (message is Refused refused)
            {
                TakeRefused(refused);
            }
            else if (kind >> 8 == 0x82)
            {
                TakeEvent(message);
            }
            else
            {
                TakeReply(message, id);
            }
        }

        private void TakeTriangles(SurfaceTriangles surface, byte[] frame, int at, int count)
        {
            if (count != 12L * surface.Triangles) throw new DecodeException("cut triangles");
            var found = new Corners
            {
                Points = (int)surface.Points,
                Triangles = new int[3 * surface.Triangles],
            };
            Buffer.BlockCopy(frame, at, found.Triangles, 0, count);
            SurfaceFrame.CheckCorners(found.Triangles, found.Triangles.Length, found.Points);
            corners[surface.Body] = found;
        }

        private void TakeEvent(Message message)
        {
            if (message is BodyLeft left)
            {
                corners.Remove(left.Body);
                shapes.Remove(left.Body);
                values.Remove(left.Body);
            }
            news.Enqueue(message);
        }

        private void TakeReply(Message message, ulong id)
        {
            if (waiting.TryGetValue(id, out var pending))
            {
                waiting.Remove(id);
                pending.Take(message);
            }
            else if (message is Error error)
            {
                news.Enqueue(new Refusal(id, error));
            }
            else if (message is BodyAdded)
            {
                news.Enqueue(message);
            }
        }

        private void TakeRefused(Refused refused)
        {
            var theirs = refused.Major + "." + refused.Minor;
            var text = "the daemon (protocol " + theirs + ") refuses: " + refused.Reason;
            if (refused.Reason == RefusalReason.VersionMismatch)
            {
                var which = refused.Major > Protocol.Major ? "this package" : "the daemon";
                text = "the daemon speaks version " + theirs + ", this package " + Protocol.Major
                    + "." + Protocol.Minor + ": update " + which;
            }
            else if (refused.Limit != 0)
            {
                text += " (" + refused.Limit + ")";
            }
            foreach (var pending in waiting.Values) pending.Fail(new ConnectException(text));
            waiting.Clear();
        }

        /// <summary>Leaves in good order.</summary>
        public void Dispose()
        {
            try
            {
                if (IsOpen) Post(new Goodbye());
            }
            catch (DisconnectedException)
            {
                // It has gone already.
            }
            socket.Dispose();
        }
    }
}
