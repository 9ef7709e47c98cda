using System;
using System.Collections.Generic;
using System.Text;
using Hapticd.Messages;

namespace Hapticd.Native
{
    /// <summary>
    /// A connection to the daemon of this machine through `libhapticd.so`: states at the loop's
    /// own rate, from shared memory. Linux on x86-64. One thread at a time uses it.
    /// </summary>
    /// <remarks>`Poll` renews the leases, and nothing else does. Needles, limits, shapes, surfaces
    /// and skins are read through the gateway's client.</remarks>
    public sealed unsafe class NativeClient : IDisposable
    {
        private const uint PostRefused = 1;
        private readonly ClientHandle handle;

        private NativeClient(ClientHandle handle)
        {
            this.handle = handle;
        }

        /// <summary>Connects to the daemon's default socket, or to this one. Waits as long as
        /// `patience` for a daemon that is starting.</summary>
        /// <exception cref="NoDaemonException">No daemon listens there.</exception>
        /// <exception cref="ConnectException">It refuses, or belongs to another user.</exception>
        /// <exception cref="System.DllNotFoundException">There is no `libhapticd.so`.</exception>
        public static NativeClient Connect(
            string name, TimeSpan patience = default(TimeSpan), string socket = null)
        {
            var nameBytes = Encoding.UTF8.GetBytes(name);
            var socketBytes = socket == null ? null : Encoding.UTF8.GetBytes(socket);
            fixed (byte* nameAt = nameBytes)
            fixed (byte* socketAt = socketBytes)
            {
                var options = new NativeOptions
                {
                    StructSize = (uint)sizeof(NativeOptions),
                    AbiVersion = Library.AbiVersion,
                    Name = nameAt,
                    NameLength = new NativeSize(nameBytes.Length),
                    Socket = socketAt,
                    SocketLength = new NativeSize(socketBytes == null ? 0 : socketBytes.Length),
                    PatienceMs = (int)patience.TotalMilliseconds,
                };
                var error = Library.NewError();
                var status = Library.hd_connect_with(&options, out var handle, &error);
                Check(status, "connect", ref error);
                return new NativeClient(handle);
            }
        }

        private static void Check(int status, string request, ref NativeError error)
        {
            if (status < 0) throw Library.Failure(request, error);
        }

        /// <summary>Time within which the daemon must hear from a client with bodies, ms.</summary>
        public int LeaseMs
        {
            get
            {
                var welcome = new NativeWelcome { StructSize = (uint)sizeof(NativeWelcome) };
                var status = Library.hd_client_welcome(handle, &welcome);
                if (status < 0) throw new HapticdException("no welcome: " + status);
                return (int)welcome.LeaseMs;
            }
        }

        /// <summary>Returns all bodies.</summary>
        public List<BodyInfo> ListBodies()
        {
            var error = Library.NewError();
            uint count;
            Check(Library.hd_bodies_refresh(handle, &count, &error), "ListBodies", ref error);
            var all = new List<BodyInfo>();
            for (uint index = 0; index < count; index++)
            {
                var info = new NativeBodyInfo { StructSize = (uint)sizeof(NativeBodyInfo) };
                if (Library.hd_body_at(handle, index, &info) < 0) break;
                all.Add(new BodyInfo
                {
                    Name = Library.Text(info.Name, 64),
                    Body = info.Body,
                    Triangles = info.Triangles,
                    Kind = (BodyKind)info.Kind,
                    Owned = info.Owned != 0,
                });
            }
            return all;
        }

        /// <summary>Maps blocks of an arm, and subscribes to events.</summary>
        public NativeSubscription Subscribe(int arm, Topic topics)
        {
            var error = Library.NewError();
            var status = Library.hd_subscribe(
                handle, (uint)arm, (uint)topics, out var subscription, &error);
            Check(status, "Subscribe", ref error);
            return new NativeSubscription(subscription);
        }

        /// <summary>Returns one event or refusal, waiting at most this long for it; null where none
        /// comes. Renews the leases when half of their time is over: call it in every frame.
        /// </summary>
        /// <exception cref="DisconnectedException">The daemon is gone.</exception>
        public News Poll(int timeoutMs = 0)
        {
            while (true)
            {
                var error = Library.NewError();
                var found = new NativeEvent { StructSize = (uint)sizeof(NativeEvent) };
                var status = Library.hd_client_poll(handle, timeoutMs, &found, &error);
                Check(status, "Poll", ref error);
                if (status != Library.Event) return null;
                var news = Plain(ref found);
                // One that a newer daemon sends is left out.
                if (news != null) return news;
            }
        }

        private static News Plain(ref NativeEvent found)
        {
            string text;
            fixed (byte* at = found.Text) text = Library.Text(at, 256);
            if (found.Kind == PostRefused)
            {
                return new Refusal(0, new Error
                {
                    Code = (ErrorCode)found.DaemonCode,
                    Number = found.Number,
                    Limit = found.Limit,
                    Detail = text,
                });
            }
            var news = Incoming.Create((ushort)found.Kind);
            var (tick, time, arm) = (found.Tick, (ulong)found.TimeNs, (byte)found.Arm);
            if (news is Touched touched)
            {
                touched.Tick = tick;
                touched.TimeNs = time;
                touched.Body = found.Body;
                touched.Arm = arm;
            }
            else if (news is Released released)
            {
                released.Tick = tick;
                released.TimeNs = time;
                released.LastTouchNs = (ulong)found.LastTouchNs;
                released.Body = found.Body;
                released.Arm = arm;
            }
            else if (news is Ghost ghost)
            {
                ghost.Tick = tick;
                ghost.TimeNs = time;
                ghost.Body = found.Body;
                ghost.Arm = arm;
            }
            else if (news is Solid solid)
            {
                solid.Tick = tick;
                solid.TimeNs = time;
                solid.Body = found.Body;
                solid.Arm = arm;
            }
            else if (news is ButtonPressed pressed)
            {
                pressed.Tick = tick;
                pressed.TimeNs = time;
                pressed.Arm = arm;
                pressed.Button = (byte)found.Button;
            }
            else if (news is ButtonReleased let)
            {
                let.Tick = tick;
                let.TimeNs = time;
                let.Arm = arm;
                let.Button = (byte)found.Button;
            }
            else if (news is Grasped grasped)
            {
                grasped.Tick = tick;
                grasped.TimeNs = time;
                grasped.Body = found.Body;
                grasped.Arm = arm;
            }
            else if (news is LetGo gone)
            {
                gone.Tick = tick;
                gone.TimeNs = time;
                gone.Body = found.Body;
                gone.Arm = arm;
                gone.Reason = (LetGoReason)found.Reason;
            }
            else if (news is ClutchEngaged engaged)
            {
                engaged.Tick = tick;
                engaged.TimeNs = time;
                engaged.Arm = arm;
            }
            else if (news is ClutchReleased disengaged)
            {
                disengaged.Tick = tick;
                disengaged.TimeNs = time;
                disengaged.Arm = arm;
            }
            else
            {
                return PlainOther(news, ref found, text);
            }
            return news;
        }

        private static News PlainOther(Message news, ref NativeEvent found, string text)
        {
            if (news is ForceOff off)
            {
                off.Tick = found.Tick;
                off.TimeNs = (ulong)found.TimeNs;
                off.Arm = (byte)found.Arm;
                off.Reason = (byte)found.Reason;
            }
            else if (news is ForceOn on)
            {
                on.Tick = found.Tick;
                on.TimeNs = (ulong)found.TimeNs;
                on.Arm = (byte)found.Arm;
            }
            else if (news is BodyJoined joined)
            {
                joined.Name = text;
                joined.Body = found.Body;
                joined.Kind = (BodyKind)found.BodyKind;
            }
            else if (news is BodyLeft left)
            {
                left.Body = found.Body;
                left.Reason = (RemovalReason)found.Reason;
            }
            else if (news is ArmAttached attached)
            {
                attached.Arm = (byte)found.Arm;
            }
            else if (news is ArmLost lost)
            {
                lost.Arm = (byte)found.Arm;
            }
            else if (news is LeaseExpired expired)
            {
                expired.Body = found.Body;
            }
            else if (news is ClientSilent silent)
            {
                silent.SilentMs = (uint)found.Count;
            }
            else if (news is EventsLost missed)
            {
                missed.Count = found.Count;
            }
            else if (news is EffectEnded ended)
            {
                ended.Effect = (uint)found.Number;
                ended.Reason = (EffectEnd)found.Reason;
            }
            else if (news is RecordingStopped stopped)
            {
                stopped.Detail = text;
            }
            else if (news is ConfigRefused refused)
            {
                refused.Detail = text;
            }
            else if (!(news is ConfigReloaded || news is ShuttingDown))
            {
                return null;
            }
            return news;
        }

        /// <summary>Adds a body and returns its identity. It goes when this client does. Waits for
        /// the mesh to be read and indexed.</summary>
        public uint AddBody(
            string name, TriangleMesh mesh, Pose3d pose, BodyMaterial material,
            BodyKind kind = BodyKind.Kinematic, bool solid = true)
        {
            var nameBytes = Encoding.UTF8.GetBytes(name);
            fixed (byte* nameAt = nameBytes)
            fixed (double* positions = mesh.Positions)
            fixed (int* triangles = mesh.Triangles)
            {
                var spec = new NativeBodySpec
                {
                    StructSize = (uint)sizeof(NativeBodySpec),
                    Kind = (uint)kind,
                    Name = nameAt,
                    NameLength = new NativeSize(nameBytes.Length),
                    Positions = positions,
                    VertexCount = new NativeSize(mesh.VertexCount),
                    Triangles = triangles,
                    TriangleCount = new NativeSize(mesh.TriangleCount),
                    WorldFromBody = pose,
                    Stiffness = material.StiffnessNPerM,
                    Damping = material.DampingNSPerM,
                    Friction = material.Friction,
                    Restitution = material.Restitution,
                    Density = material.DensityKgM3,
                    Solid = solid ? 1u : 0u,
                };
                var error = Library.NewError();
                uint body;
                Check(Library.hd_add_body(handle, &spec, &body, &error), "AddBody", ref error);
                return body;
            }
        }

        public void RemoveBody(uint body)
        {
            var error = Library.NewError();
            Check(Library.hd_remove_body(handle, body, &error), "RemoveBody", ref error);
        }

        /// <summary>Stops a kinematic body where it is and gives up the lease on it.</summary>
        public void HaltBody(uint body)
        {
            var error = Library.NewError();
            Check(Library.hd_halt_body(handle, body, &error), "HaltBody", ref error);
        }

        /// <summary>Moves a kinematic body towards a pose, no faster than the speed, and waits for
        /// the daemon's answer.</summary>
        public void SetBodyPose(uint body, Pose3d pose, double speedMPerS, int leaseMs)
        {
            var command = Command(body, pose, speedMPerS, leaseMs);
            var error = Library.NewError();
            var status = Library.hd_set_body_pose(handle, &command, &error);
            Check(status, "SetBodyPose", ref error);
        }

        /// <summary>The same without waiting; a refusal is news.</summary>
        /// <returns>False where the daemon takes nothing now: the next frame's pose will do.
        /// </returns>
        public bool PostBodyPose(uint body, Pose3d pose, double speedMPerS, int leaseMs)
        {
            var command = Command(body, pose, speedMPerS, leaseMs);
            var error = Library.NewError();
            var status = Library.hd_post_body_pose(handle, &command, &error);
            if (status == Library.WouldWait) return false;
            Check(status, "SetBodyPose", ref error);
            return true;
        }

        private static NativePoseCommand Command(
            uint body, Pose3d pose, double speedMPerS, int leaseMs)
        {
            return new NativePoseCommand
            {
                StructSize = (uint)sizeof(NativePoseCommand),
                Body = body,
                WorldFromBody = pose,
                SpeedMPerS = speedMPerS,
                LeaseMs = (uint)leaseMs,
            };
        }

        /// <summary>Changes stiffness, damping and friction of a body that this client added.
        /// </summary>
        public void SetMaterial(uint body, BodyMaterial material)
        {
            var native = new NativeMaterial
            {
                StructSize = (uint)sizeof(NativeMaterial),
                Stiffness = material.StiffnessNPerM,
                Damping = material.DampingNSPerM,
                Friction = material.Friction,
            };
            var error = Library.NewError();
            var status = Library.hd_set_material(handle, body, &native, &error);
            Check(status, "SetMaterial", ref error);
        }

        /// <summary>Says whether this application has its user's attention: without it, its bodies
        /// make no force.</summary>
        public void SetFocus(bool focused)
        {
            var error = Library.NewError();
            var status = Library.hd_set_focus(handle, focused ? 1u : 0u, &error);
            Check(status, "SetFocus", ref error);
        }

        /// <summary>Leaves in good order.</summary>
        public void Dispose()
        {
            handle.Dispose();
        }
    }
}
