using System;

namespace Hapticd.Native
{
    /// <summary>
    /// Shared memory of one arm: reads are a copy of the newest value, without a message. It
    /// outlives its client and keeps the last value. Any number of threads may read states; one at
    /// a time reads contacts and bodies.
    /// </summary>
    public sealed unsafe class NativeSubscription : IDisposable
    {
        private readonly SubscriptionHandle handle;
        private readonly byte[] list = new byte[
            sizeof(NativeList) + Protocol.MaxBodies * sizeof(NativeBodyState)];

        internal NativeSubscription(SubscriptionHandle handle)
        {
            this.handle = handle;
        }

        /// <summary>Reads the newest state.</summary>
        /// <returns>False before the first, and where the daemon wrote during each attempt: keep
        /// the last.</returns>
        public bool TryReadState(out ArmState state)
        {
            var native = NewState();
            return Read(Library.hd_read_state(handle, &native), ref native, out state);
        }

        /// <summary>Waits for a state whose tick is above this one.</summary>
        /// <returns>False where none came in time.</returns>
        /// <exception cref="DisconnectedException">The daemon is gone.</exception>
        public bool WaitTick(ulong afterTick, int timeoutMs, out ArmState state)
        {
            var native = NewState();
            var status = Library.hd_wait_tick(handle, afterTick, timeoutMs, &native);
            if (status == Library.Timeout) status = Library.NotYet;
            return Read(status, ref native, out state);
        }

        private static NativeState NewState()
        {
            return new NativeState { StructSize = (uint)sizeof(NativeState) };
        }

        private static bool Read(int status, ref NativeState native, out ArmState state)
        {
            state = native.Plain();
            return IsThere(status, "the state");
        }

        private static bool IsThere(int status, string what)
        {
            if (status == Library.NotYet || status == Library.Busy) return false;
            if (status == Library.Gone)
            {
                throw new DisconnectedException(1006, "the daemon is gone");
            }
            if (status < 0) throw new HapticdException(what + " cannot be read: " + status);
            return true;
        }

        /// <summary>Reads the newest contacts, as many as fit.</summary>
        /// <returns>How many were read.</returns>
        public int ReadContacts(Contact[] into)
        {
            fixed (byte* bytes = list)
            {
                var head = (NativeList*)bytes;
                head->StructSize = (uint)(
                    sizeof(NativeList) + Protocol.MaxContacts * sizeof(NativeContact));
                if (!IsThere(Library.hd_read_contacts(handle, bytes), "contacts")) return 0;
                var count = Math.Min((int)head->Count, into.Length);
                var contacts = (NativeContact*)(head + 1);
                for (var index = 0; index < count; index++)
                {
                    into[index].PointM = contacts[index].Point;
                    into[index].Normal = contacts[index].Normal;
                    into[index].DistanceM = contacts[index].Distance;
                    into[index].ForceN = contacts[index].Force;
                    into[index].Body = contacts[index].Body;
                }
                return count;
            }
        }

        /// <summary>Reads the newest poses of all rigid bodies, as many as fit.</summary>
        /// <returns>How many were read.</returns>
        public int ReadBodies(BodyState[] into)
        {
            fixed (byte* bytes = list)
            {
                var head = (NativeList*)bytes;
                head->StructSize = (uint)list.Length;
                if (!IsThere(Library.hd_read_bodies(handle, bytes), "bodies")) return 0;
                var count = Math.Min((int)head->Count, into.Length);
                var bodies = (NativeBodyState*)(head + 1);
                for (var index = 0; index < count; index++)
                {
                    into[index].Body = bodies[index].Body;
                    into[index].Moving = bodies[index].Moving != 0;
                    into[index].WorldFromBody = bodies[index].WorldFromBody;
                    into[index].ForceN = bodies[index].Force;
                    into[index].TorqueNm = bodies[index].Torque;
                }
                return count;
            }
        }

        public void Dispose()
        {
            handle.Dispose();
        }
    }
}
