using System.Runtime.InteropServices;

namespace Hapticd.Native
{
    // The structures of `hapticd.h`, in its order. All are blittable: nothing is converted on the
    // way. `StructSize` is set to their size before each call.

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeError
    {
        internal uint StructSize;
        internal int Status;
        internal uint DaemonCode;
        internal uint Reserved;
        internal ulong Number;
        internal ulong Limit;
        internal fixed byte Message[320];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeOptions
    {
        internal uint StructSize;
        internal uint AbiVersion;
        internal byte* Name;
        internal NativeSize NameLength;
        internal byte* Socket;
        internal NativeSize SocketLength;
        internal int PatienceMs;
        internal int TimeoutMs;
    }

    /// <summary>`size_t`.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeSize
    {
        private readonly System.UIntPtr value;

        internal NativeSize(int count)
        {
            value = new System.UIntPtr((uint)count);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeWelcome
    {
        internal uint StructSize;
        internal uint Client;
        internal uint ProtocolMajor;
        internal uint ProtocolMinor;
        internal uint LeaseMs;
        internal uint MessagesPerS;
        internal uint MaxBodies;
        internal uint Technician;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeBodyInfo
    {
        internal uint StructSize;
        internal uint Body;
        internal fixed byte Name[64];
        internal uint Triangles;
        internal uint Kind;
        internal uint Owned;
        internal uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeState
    {
        internal uint StructSize;
        internal uint Flags;
        internal ulong Tick;
        internal long TimeNs;
        internal Pose3d WorldFromDevice;
        internal Pose3d WorldFromProxy;
        internal Vector3d LinearVelocity;
        internal Vector3d AngularVelocity;
        internal Vector3d Force;
        internal Vector3d Torque;
        internal Vector3d WantedForce;
        internal Vector3d WantedTorque;
        internal uint Governor;
        internal uint Reason;
        internal uint Contacts;
        internal uint InsideBody;
        internal uint Buttons;
        internal uint SnapshotAgeTicks;
        internal ulong MissedTicks;
        internal long ComputeNs;
        internal long LatenessNs;
        internal long InputAgeNs;
        internal uint LastForceOff;
        internal uint GraspedBody;
        internal ulong LastForceOffTick;
        internal ulong ForceOffs;
        internal double EnergyGivenJ;
        internal double EnergyStoredJ;
        internal double EnergyDebtJ;
        internal double EnergyWithheldJ;
        internal double EnergyGain;

        /// <summary>Returns it as the gateway's client has it.</summary>
        internal ArmState Plain()
        {
            ArmState state;
            state.Tick = Tick;
            state.TimeNs = (ulong)TimeNs;
            state.WorldFromDevice = WorldFromDevice;
            state.WorldFromProxy = WorldFromProxy;
            state.LinearVelocityMPerS = LinearVelocity;
            state.AngularVelocityRadPerS = AngularVelocity;
            state.ForceN = Force;
            state.TorqueNm = Torque;
            state.WantedForceN = WantedForce;
            state.WantedTorqueNm = WantedTorque;
            state.Governor = (GovernorState)Governor;
            state.Reason = (byte)Reason;
            state.Flags = (Flag)Flags;
            state.Contacts = (ushort)Contacts;
            state.InsideBody = (ushort)InsideBody;
            state.Buttons = Buttons;
            state.SnapshotAgeTicks = SnapshotAgeTicks;
            state.MissedTicks = MissedTicks;
            state.ComputeNs = (ulong)ComputeNs;
            state.LatenessNs = (ulong)LatenessNs;
            state.InputAgeNs = (ulong)InputAgeNs;
            state.LastForceOff = (byte)LastForceOff;
            state.GraspedBody = GraspedBody;
            state.LastForceOffTick = LastForceOffTick;
            state.ForceOffs = ForceOffs;
            state.Energy.GivenJ = EnergyGivenJ;
            state.Energy.StoredJ = EnergyStoredJ;
            state.Energy.DebtJ = EnergyDebtJ;
            state.Energy.WithheldJ = EnergyWithheldJ;
            state.Energy.Gain = EnergyGain;
            return state;
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeContact
    {
        internal Vector3d Point;
        internal Vector3d Normal;
        internal double Distance;
        internal Vector3d Force;
        internal uint Body;
        internal uint Reserved;
    }

    /// <summary>What stands before the elements of contacts and of bodies.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeList
    {
        internal uint StructSize;
        internal uint Count;
        internal ulong Tick;
        internal long TimeNs;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeBodyState
    {
        internal uint Body;
        internal uint Moving;
        internal Pose3d WorldFromBody;
        internal Vector3d Force;
        internal Vector3d Torque;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativePoseCommand
    {
        internal uint StructSize;
        internal uint Body;
        internal Pose3d WorldFromBody;
        internal double SpeedMPerS;
        internal uint LeaseMs;
        internal uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeMaterial
    {
        internal uint StructSize;
        internal uint Reserved;
        internal double Stiffness;
        internal double Damping;
        internal double Friction;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeBodySpec
    {
        internal uint StructSize;
        internal uint Kind;
        internal byte* Name;
        internal NativeSize NameLength;
        internal double* Positions;
        internal NativeSize VertexCount;
        internal int* Triangles;
        internal NativeSize TriangleCount;
        internal Pose3d WorldFromBody;
        internal double Stiffness;
        internal double Damping;
        internal double Friction;
        internal double Restitution;
        internal double Density;
        internal uint Solid;
        internal uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeEvent
    {
        internal uint StructSize;
        internal uint Kind;
        internal uint Arm;
        internal uint Body;
        internal uint BodyKind;
        internal uint Reason;
        internal ulong Tick;
        internal long TimeNs;
        internal long LastTouchNs;
        internal ulong Count;
        internal uint DaemonCode;
        internal uint Button;
        internal ulong Number;
        internal ulong Limit;
        internal fixed byte Text[256];
    }
}
