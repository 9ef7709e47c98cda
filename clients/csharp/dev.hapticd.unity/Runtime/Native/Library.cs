using System;
using System.Runtime.InteropServices;
using System.Text;
using Hapticd.Messages;

namespace Hapticd.Native
{
    /// <summary>A connection of the C library; freed once, also where it is forgotten.</summary>
    internal sealed class ClientHandle : SafeHandle
    {
        internal ClientHandle() : base(IntPtr.Zero, true)
        {
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        protected override bool ReleaseHandle()
        {
            Library.hd_client_free(handle);
            return true;
        }
    }

    /// <summary>Blocks of an arm; they outlive their client.</summary>
    internal sealed class SubscriptionHandle : SafeHandle
    {
        internal SubscriptionHandle() : base(IntPtr.Zero, true)
        {
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        protected override bool ReleaseHandle()
        {
            Library.hd_subscription_free(handle);
            return true;
        }
    }

    /// <summary>`libhapticd.so`. It calls nothing back.</summary>
    internal static unsafe class Library
    {
        internal const uint AbiVersion = 0x00010000;
        internal const int Event = 1;
        internal const int NotYet = -3;
        internal const int Busy = -4;
        internal const int Gone = -5;
        internal const int Timeout = -6;
        internal const int Refused = -7;
        internal const int NoDaemon = -8;
        internal const int Untrusted = -9;
        internal const int NotAdmitted = -10;
        internal const int Pending = -14;
        internal const int Version = -15;
        internal const int WouldWait = -18;

        private const string Name = "hapticd";

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_connect_with(
            NativeOptions* options, out ClientHandle client, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void hd_client_free(IntPtr client);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_client_welcome(ClientHandle client, NativeWelcome* welcome);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_client_poll(
            ClientHandle client, int timeoutMs, NativeEvent* news, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_bodies_refresh(
            ClientHandle client, uint* count, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_body_at(
            ClientHandle client, uint index, NativeBodyInfo* info);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_subscribe(
            ClientHandle client, uint arm, uint topics, out SubscriptionHandle subscription,
            NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void hd_subscription_free(IntPtr subscription);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_read_state(
            SubscriptionHandle subscription, NativeState* state);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_read_contacts(
            SubscriptionHandle subscription, byte* contacts);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_read_bodies(SubscriptionHandle subscription, byte* bodies);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_wait_tick(
            SubscriptionHandle subscription, ulong afterTick, int timeoutMs, NativeState* state);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_post_body_pose(
            ClientHandle client, NativePoseCommand* command, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_set_body_pose(
            ClientHandle client, NativePoseCommand* command, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_halt_body(
            ClientHandle client, uint body, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_add_body(
            ClientHandle client, NativeBodySpec* spec, uint* body, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_remove_body(
            ClientHandle client, uint body, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_set_material(
            ClientHandle client, uint body, NativeMaterial* material, NativeError* error);

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int hd_set_focus(
            ClientHandle client, uint focused, NativeError* error);

        /// <summary>A text of `size` bytes that ends with a zero.</summary>
        internal static string Text(byte* bytes, int size)
        {
            var length = 0;
            while (length < size && bytes[length] != 0) length++;
            return Encoding.UTF8.GetString(bytes, length);
        }

        internal static NativeError NewError()
        {
            return new NativeError { StructSize = (uint)sizeof(NativeError) };
        }

        /// <summary>Returns the exception of a status below 0.</summary>
        internal static Exception Failure(string request, NativeError error)
        {
            var text = Text(error.Message, 320);
            switch (error.Status)
            {
                case Gone: return new DisconnectedException(1006, text);
                case Timeout: return new TimedOutException(text);
                case Pending: return new TimedOutException(text);
                case NoDaemon: return new NoDaemonException(text);
                case Untrusted: return new ConnectException(text);
                case NotAdmitted: return new ConnectException(text);
                case Version: return new ConnectException(text);
                case Refused:
                    return new RequestRefusedException(request, new Error
                    {
                        Code = (ErrorCode)error.DaemonCode,
                        Number = error.Number,
                        Limit = error.Limit,
                        Detail = text,
                    });
                default: return new HapticdException(request + ": " + text);
            }
        }
    }
}
