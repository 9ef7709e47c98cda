using System;
using System.Collections.Generic;
using Hapticd.Messages;

namespace Hapticd
{
    /// <summary>How a body feels.</summary>
    public struct BodyMaterial
    {
        public double StiffnessNPerM;
        public double DampingNSPerM;
        public double Friction;
        public double Restitution;

        /// <summary>Of a dynamic body.</summary>
        public double DensityKgM3;

        /// <summary>1000 N/m, 1 N s/m, friction 0.3, the density of water.</summary>
        public static BodyMaterial Default
        {
            get
            {
                return new BodyMaterial
                {
                    StiffnessNPerM = 1000,
                    DampingNSPerM = 1,
                    Friction = 0.3,
                    DensityKgM3 = 1000,
                };
            }
        }
    }

    public sealed partial class Client
    {
        /// <summary>More time for a mesh to be read and indexed, for each triangle.</summary>
        private static readonly TimeSpan PerTriangle = TimeSpan.FromTicks(200);

        /// <summary>Returns the identity of an arm's tool, for `Shape` and in contacts.</summary>
        public static uint ToolId(int arm)
        {
            return uint.MaxValue - (uint)arm;
        }

        /// <summary>Returns all arms, by index.</summary>
        public List<ArmInfo> ListArms()
        {
            return Ask(new ListArms()).Items;
        }

        /// <summary>Returns all bodies.</summary>
        public List<BodyInfo> ListBodies()
        {
            var all = new List<BodyInfo>();
            while (true)
            {
                var page = Ask(new ListBodies { Skip = (uint)all.Count });
                all.AddRange(page.Items);
                if (page.Items.Count == 0 || all.Count >= page.Total) return all;
            }
        }

        /// <summary>Subscribes to blocks of an arm, and to events. Values come at the rate of
        /// `SetPushRates`.</summary>
        public void Subscribe(int arm, Topic topics)
        {
            Ask(new Subscribe { Arm = (byte)arm, Topics = topics });
        }

        /// <summary>Sets how often values come, Hz; at most `Protocol.MaxPushHz`, 0 for never.
        /// </summary>
        public void SetPushRates(int stateHz, int surfaceHz)
        {
            var rates = new SetPushRates { StateHz = (uint)stateHz, SurfaceHz = (uint)surfaceHz };
            Ask(rates);
        }

        /// <summary>Makes the request that adds a body.</summary>
        public static AddBody NewBody(
            string name, Pose3d pose, BodyMaterial material, BodyKind kind, bool solid)
        {
            return new AddBody
            {
                Name = name,
                WorldFromBody = pose,
                StiffnessNPerM = material.StiffnessNPerM,
                DampingNSPerM = material.DampingNSPerM,
                Friction = material.Friction,
                Restitution = material.Restitution,
                DensityKgM3 = material.DensityKgM3,
                Kind = kind,
                Solid = solid,
            };
        }

        /// <summary>
        /// Adds a body and returns its identity. It goes when this client does. Waits until the
        /// mesh is read and indexed; `Send(Client.NewBody(...), mesh.ToFile())` does not wait.
        /// </summary>
        public uint AddBody(
            string name, TriangleMesh mesh, Pose3d pose, BodyMaterial material,
            BodyKind kind = BodyKind.Kinematic, bool solid = true)
        {
            var request = NewBody(name, pose, material, kind, solid);
            var more = TimeSpan.FromTicks(PerTriangle.Ticks * mesh.TriangleCount);
            return Await(Send(request, mesh.ToFile()), patience + more).Body;
        }

        /// <summary>Adds a body with the mesh of another one that a client added.</summary>
        public uint AddInstance(
            string name, uint of, Pose3d pose, BodyMaterial material,
            BodyKind kind = BodyKind.Kinematic)
        {
            return Ask(new AddInstance
            {
                Name = name,
                Of = of,
                WorldFromBody = pose,
                StiffnessNPerM = material.StiffnessNPerM,
                DampingNSPerM = material.DampingNSPerM,
                Friction = material.Friction,
                Restitution = material.Restitution,
                DensityKgM3 = material.DensityKgM3,
                Kind = kind,
            }).Body;
        }

        public void RemoveBody(uint body)
        {
            Ask(new RemoveBody { Body = body });
        }

        /// <summary>
        /// Moves a kinematic body towards a pose, no faster than the speed, without waiting for the
        /// answer. The command holds for the lease; the body then stops where it is.
        /// </summary>
        public ulong PostBodyPose(uint body, Pose3d pose, double speedMPerS, int leaseMs)
        {
            move.Body = body;
            move.WorldFromBody = pose;
            move.SpeedMPerS = speedMPerS;
            move.LeaseMs = (uint)leaseMs;
            return Post(move);
        }

        /// <summary>Stops a kinematic body where it is and gives up the lease on it.</summary>
        public void HaltBody(uint body)
        {
            Ask(new HaltBody { Body = body });
        }

        /// <summary>Changes stiffness, damping and friction of a body that this client added.
        /// </summary>
        public void SetMaterial(uint body, BodyMaterial material)
        {
            Ask(new SetMaterial
            {
                Body = body,
                StiffnessNPerM = material.StiffnessNPerM,
                DampingNSPerM = material.DampingNSPerM,
                Friction = material.Friction,
            });
        }

        /// <summary>Makes the request for an effect that makes no force yet: along z, at the origin,
        /// everywhere, without an end. Change what its law reads.</summary>
        public static SetEffect NewEffect(int arm, EffectKind kind)
        {
            return new SetEffect
            {
                Arm = (byte)arm,
                Kind = kind,
                Axis = new Vector3d(0, 0, 1),
                RangeM = double.PositiveInfinity,
                CapN = 100,
                DurationS = double.PositiveInfinity,
            };
        }

        /// <summary>
        /// Begins an effect, or gives running effect `Effect` of this client these numbers, and
        /// returns its identity. It lasts as long as `Poll` is called.
        /// </summary>
        public uint SetEffect(SetEffect numbers)
        {
            return Ask(numbers).Effect;
        }

        /// <summary>Ends an effect within 20 ms. One that has ended is no error.</summary>
        public void StopEffect(uint effect)
        {
            Ask(new StopEffect { Effect = effect });
        }

        /// <summary>
        /// Lets an arm hold a dynamic body: the one that is named, or with 0 the one that presses
        /// its tool most. The events `Grasped` and `LetGo` say what came of it. It lasts as long as
        /// `Poll` is called.
        /// </summary>
        public void GraspBody(int arm, uint body)
        {
            Ask(new GraspBody { Arm = (byte)arm, Body = body });
        }

        /// <summary>Lets an arm let go; the body keeps its velocity. One that holds nothing is no
        /// error.</summary>
        public void ReleaseBody(int arm)
        {
            Ask(new ReleaseBody { Arm = (byte)arm });
        }

        /// <summary>Makes the request for the workspace that an arm has by its configuration, at
        /// 0.5 m/s and without a bubble. Change what is wanted.</summary>
        public static SetWorkspace NewWorkspace(ArmInfo arm)
        {
            return new SetWorkspace
            {
                Arm = arm.Index,
                WorldFromBase = arm.WorldFromBase,
                Scale = arm.Scale,
                MaxSpeedMPerS = 0.5,
            };
        }

        /// <summary>
        /// Says where an arm works. The frame goes there smoothly and never jumps. When this client
        /// ends, the frame stays where it is and the bubble ends.
        /// </summary>
        public void SetWorkspace(SetWorkspace numbers)
        {
            Ask(numbers);
        }

        /// <summary>Engages the clutch of an arm, or disengages what this client has engaged.
        /// Meanwhile the hand moves without force and the tool stands. The events `ClutchEngaged`
        /// and `ClutchReleased` tell of it.</summary>
        public void SetClutch(int arm, bool engaged)
        {
            Ask(new SetClutch { Arm = (byte)arm, Engaged = engaged });
        }

        /// <summary>Places a kinematic or dynamic body that this client added elsewhere at once. It
        /// sweeps no tool; its velocity and its target end.</summary>
        public void TeleportBody(uint body, Pose3d pose)
        {
            Ask(new TeleportBody { Body = body, WorldFromBody = pose });
        }

        /// <summary>Gives a dynamic body that this client added an impulse at a point, once: N s,
        /// and N m s beyond that of the impulse at its point; in the world.</summary>
        public void PushBody(uint body, Vector3d impulse, Vector3d angular, Vector3d pointM)
        {
            Ask(new PushBody
            {
                Body = body,
                Mode = PushMode.Impulse,
                Linear = impulse,
                Angular = angular,
                PointM = pointM,
            });
        }

        /// <summary>Gives a dynamic body that this client added a velocity, once: m/s of its centre
        /// of mass, and rad/s; in the world.</summary>
        public void SetBodyVelocity(uint body, Vector3d linear, Vector3d angular)
        {
            Ask(new PushBody
            {
                Body = body,
                Mode = PushMode.Velocity,
                Linear = linear,
                Angular = angular,
            });
        }

        /// <summary>Says whether this application has its user's attention: without it, its bodies
        /// make no force.</summary>
        public void PostFocus(bool focused)
        {
            Post(new SetFocus { Focused = focused });
        }

        /// <summary>Returns the limits that are in force on an arm.</summary>
        public Limits Limits(int arm)
        {
            return Ask(new GetLimits { Arm = (byte)arm });
        }

        /// <summary>Returns the mesh of a body that is shown by its pose, or of an arm's tool.
        /// </summary>
        public TriangleMesh Shape(uint body)
        {
            shapes.Remove(body);
            Ask(new OpenShape { Body = body });
            TriangleMesh mesh;
            while (!TryTakeShape(body, out mesh))
            {
                if (!IsOpen) throw socket.Ended;
                if (!Wait(patience)) throw new TimedOutException("the shape did not come");
                Receive();
            }
            return mesh;
        }

        /// <summary>Returns a shape that has come since `Send(new OpenShape ...)`, once.</summary>
        public bool TryTakeShape(uint body, out TriangleMesh mesh)
        {
            return shapes.TryGetValue(body, out mesh) && shapes.Remove(body);
        }

        /// <summary>Reads the arm's newest state.</summary>
        /// <returns>False before the first.</returns>
        public bool TryReadState(int arm, out ArmState state)
        {
            var value = values.Find(BlockKind.State, arm, 0);
            state = value == null ? default(ArmState) : ArmState.Read(value.Data, 0);
            return value != null;
        }

        /// <summary>Reads the newest state of the needle at the arm's tool.</summary>
        public bool TryReadNeedle(int arm, out NeedleState needle)
        {
            var value = values.Find(BlockKind.Needle, arm, 0);
            needle = value == null ? default(NeedleState) : NeedleState.Read(value.Data, 0);
            return value != null;
        }

        /// <summary>Reads the arm's newest contacts, as many as fit.</summary>
        /// <returns>How many were read.</returns>
        public int ReadContacts(int arm, Contact[] into)
        {
            var value = values.Find(BlockKind.Contacts, arm, 0);
            var count = Count(value, Contact.WordCount, into.Length);
            for (var index = 0; index < count; index++)
            {
                into[index] = Contact.Read(value.Data, Element(Contact.WordCount, index));
            }
            return count;
        }

        /// <summary>Reads the newest poses of all rigid bodies, as many as fit.</summary>
        /// <returns>How many were read.</returns>
        public int ReadBodies(BodyState[] into)
        {
            var value = values.Find(BlockKind.Bodies, 0, 0);
            var count = Count(value, BodyState.WordCount, into.Length);
            for (var index = 0; index < count; index++)
            {
                into[index] = BodyState.Read(value.Data, Element(BodyState.WordCount, index));
            }
            return count;
        }

        /// <summary>Reads the newest pose of one rigid body.</summary>
        /// <returns>False where it is not among them.</returns>
        public bool TryReadBody(uint body, out BodyState state)
        {
            state = default(BodyState);
            var value = values.Find(BlockKind.Bodies, 0, 0);
            var count = Count(value, BodyState.WordCount, int.MaxValue);
            for (var index = 0; index < count; index++)
            {
                state = BodyState.Read(value.Data, Element(BodyState.WordCount, index));
                if (state.Body == body) return true;
            }
            return false;
        }

        private static int Element(int words, int index)
        {
            return 8 * (ListHeader.WordCount + words * index);
        }

        /// <summary>How many elements are there, and fit.</summary>
        private static int Count(Value value, int words, int capacity)
        {
            if (value == null) return 0;
            var there = (value.Bytes / 8 - ListHeader.WordCount) / words;
            var said = ListHeader.Read(value.Data, 0).Count;
            return (int)Math.Min(Math.Min((ulong)there, said), (ulong)capacity);
        }

        /// <summary>Opens the surface of a soft body, a cloth or a body of a crowd.</summary>
        public void OpenSurface(uint body)
        {
            Ask(new OpenSurface { Body = body });
        }

        /// <summary>Opens the skin of an implicit body.</summary>
        public void OpenSkin(uint body)
        {
            Ask(new OpenSkin { Body = body });
        }

        /// <summary>Reads the newest frame of an opened surface or skin.</summary>
        /// <returns>False where `into` has it already, and before the first.</returns>
        /// <exception cref="DecodeException">The frame is cut; the daemon's fault.</exception>
        public bool TryReadSurface(uint body, SurfaceFrame into)
        {
            var value = values.Find(BlockKind.Surface, 0, body);
            if (value != null)
            {
                if (value.Version == into.Version) return false;
                if (!corners.TryGetValue(body, out var found)) return false;
                into.TakeSurface(value, found.Triangles, found.Points);
                return true;
            }
            value = values.Find(BlockKind.Skin, 0, body);
            if (value == null || value.Version == into.Version) return false;
            into.TakeSkin(value);
            return true;
        }

        /// <summary>Returns how often a block was published until the newest value that came; 0
        /// before the first. Arms have states, contacts and needles; bodies surfaces and skins.
        /// </summary>
        public ulong Version(BlockKind kind, int arm = 0, uint body = 0)
        {
            var value = values.Find(kind, arm, body);
            return value == null ? 0 : value.Version;
        }

        /// <summary>Number of values that were due and not sent, since this client had not read.
        /// </summary>
        public ulong Skipped
        {
            get { return values.Skipped; }
        }
    }
}
