using System;
using System.Text;

namespace Hapticd
{
    /// <summary>What `Client.Poll` returns: an event of the daemon, a `Refusal`, or the late
    /// `BodyAdded` of a request that was given up.</summary>
    public abstract class News
    {
    }

    /// <summary>A message of the protocol. `Hapticd.Messages` has them all.</summary>
    public abstract class Message : News
    {
        /// <summary>Number of this kind of message.</summary>
        public abstract ushort WireKind { get; }

        /// <summary>Descriptors that come with it on the daemon's own socket.</summary>
        public virtual int WireDescriptors
        {
            get { return 0; }
        }

        internal abstract void Write(PacketWriter output);

        internal abstract void Read(PacketReader input);

        /// <summary>Returns its bytes, header included.</summary>
        /// <exception cref="ArgumentException">For a text or a list that does not fit.</exception>
        public byte[] ToPacket(ulong id)
        {
            var output = new PacketWriter(new byte[Protocol.MaxMessage]);
            output.Message(this, id);
            var packet = new byte[output.Length];
            Array.Copy(output.Bytes, packet, packet.Length);
            return packet;
        }
    }

    /// <summary>A request that this reply carries out.</summary>
    public abstract class Request<TReply> : Message where TReply : Message
    {
    }

    /// <summary>Numbers in the words of blocks, little-endian.</summary>
    internal static class Word
    {
        internal static byte U8(byte[] data, int at)
        {
            return data[at];
        }

        internal static ushort U16(byte[] data, int at)
        {
            return (ushort)(data[at] | data[at + 1] << 8);
        }

        internal static uint U32(byte[] data, int at)
        {
            return U16(data, at) | (uint)U16(data, at + 2) << 16;
        }

        internal static ulong U64(byte[] data, int at)
        {
            return U32(data, at) | (ulong)U32(data, at + 4) << 32;
        }

        internal static float F32(byte[] data, int at)
        {
            return BitConverter.ToSingle(data, at);
        }

        internal static double F64(byte[] data, int at)
        {
            return BitConverter.Int64BitsToDouble((long)U64(data, at));
        }

        internal static Vector3d Vector(byte[] data, int at)
        {
            return new Vector3d(F64(data, at), F64(data, at + 8), F64(data, at + 16));
        }

        internal static Pose3d Pose(byte[] data, int at)
        {
            return new Pose3d(
                Vector(data, at),
                new Quaterniond(
                    F64(data, at + 24), F64(data, at + 32), F64(data, at + 40), F64(data, at + 48))
            );
        }
    }

    /// <summary>Writes values one behind the other into a buffer that is reused.</summary>
    internal sealed class PacketWriter
    {
        internal readonly byte[] Bytes;
        internal int Length;

        internal PacketWriter(byte[] bytes)
        {
            Bytes = bytes;
        }

        /// <summary>Writes header and body from the buffer's beginning.</summary>
        internal void Message(Message message, ulong id)
        {
            Length = 0;
            U16(message.WireKind);
            U8((byte)message.WireDescriptors);
            Zeros(5);
            U64(id);
            message.Write(this);
            var end = Length;
            Length = 4;
            U32((uint)end);
            Length = end;
        }

        private int Take(int count)
        {
            var at = Length;
            if (at + count > Bytes.Length)
            {
                throw new ArgumentException("a message of more than " + Bytes.Length + " bytes");
            }
            Length += count;
            return at;
        }

        internal void Zeros(int count)
        {
            Array.Clear(Bytes, Take(count), count);
        }

        internal void U8(byte value)
        {
            Bytes[Take(1)] = value;
        }

        internal void U16(ushort value)
        {
            U8((byte)value);
            U8((byte)(value >> 8));
        }

        internal void U32(uint value)
        {
            U16((ushort)value);
            U16((ushort)(value >> 16));
        }

        internal void U64(ulong value)
        {
            U32((uint)value);
            U32((uint)(value >> 32));
        }

        internal void Bool(bool value)
        {
            U8((byte)(value ? 1 : 0));
        }

        /// <summary>Any number: the daemon says which it does not take.</summary>
        internal void F64(double value)
        {
            U64((ulong)BitConverter.DoubleToInt64Bits(value));
        }

        internal void Vector(Vector3d value)
        {
            F64(value.X);
            F64(value.Y);
            F64(value.Z);
        }

        internal void Pose(Pose3d value)
        {
            Vector(value.Translation);
            F64(value.Rotation.X);
            F64(value.Rotation.Y);
            F64(value.Rotation.Z);
            F64(value.Rotation.W);
        }

        internal void Text(string value, int bytes, string field)
        {
            var count = Encoding.UTF8.GetByteCount(value);
            if (count >= bytes || value.IndexOf('\0') >= 0)
            {
                throw Wrong(field, count + " bytes, and at most " + (bytes - 1) + " fit");
            }
            var at = Length;
            Zeros(bytes);
            Encoding.UTF8.GetBytes(value, 0, value.Length, Bytes, at);
        }

        internal void Count(int count, int max, string field)
        {
            if (count > max) throw Wrong(field, count + " elements, and at most " + max + " fit");
            U32((uint)count);
            Zeros(4);
        }

        private static ArgumentException Wrong(string field, string why)
        {
            return new ArgumentException("`" + field + "` is wrong: " + why);
        }
    }

    /// <summary>Reads values one behind the other. Checks lengths, zero bytes, numbers and texts.
    /// </summary>
    internal sealed class PacketReader
    {
        private static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);
        private byte[] data;
        private int at;
        private int end;

        internal void Start(byte[] bytes, int start, int count)
        {
            data = bytes;
            at = start;
            end = start + count;
        }

        /// <summary>Reads a header.</summary>
        /// <returns>The message's length, header included.</returns>
        /// <exception cref="DecodeException">Where the frame holds no message.</exception>
        internal static int Header(byte[] frame, int count, out ushort kind, out ulong id)
        {
            if (count < Protocol.HeaderBytes)
            {
                throw new DecodeException(count + " bytes are no message");
            }
            kind = Word.U16(frame, 0);
            id = Word.U64(frame, 8);
            var length = Word.U32(frame, 4);
            if (length < Protocol.HeaderBytes || length > count || frame[3] != 0)
            {
                throw new DecodeException(
                    "a header of " + length + " bytes in a frame of " + count);
            }
            return (int)length;
        }

        /// <summary>Reads a message's body.</summary>
        /// <exception cref="DecodeException">Where it is not one.</exception>
        internal void Body(Message message, byte[] frame, int length)
        {
            Start(frame, Protocol.HeaderBytes, length - Protocol.HeaderBytes);
            message.Read(this);
            if (at != end) throw new DecodeException(end - at + " bytes behind the last field");
            if (frame[2] != message.WireDescriptors)
            {
                throw new DecodeException(frame[2] + " descriptors in the header");
            }
        }

        private int Take(int count, string field)
        {
            var start = at;
            if (count > end - at)
            {
                throw new DecodeException("the body ends before `" + field + "` does");
            }
            at += count;
            return start;
        }

        internal void Zeros(int count)
        {
            for (var start = Take(count, "reserved"); start < at; start++)
            {
                if (data[start] != 0) throw new DecodeException("reserved bytes are not zero");
            }
        }

        internal byte U8(string field)
        {
            return data[Take(1, field)];
        }

        internal ushort U16(string field)
        {
            return Word.U16(data, Take(2, field));
        }

        internal uint U32(string field)
        {
            return Word.U32(data, Take(4, field));
        }

        internal ulong U64(string field)
        {
            return Word.U64(data, Take(8, field));
        }

        internal bool Bool(string field)
        {
            var value = U8(field);
            if (value > 1) throw new DecodeException("`" + field + "` is neither 0 nor 1");
            return value == 1;
        }

        internal double Finite(string field)
        {
            var value = Word.F64(data, Take(8, field));
            if (double.IsNaN(value) || double.IsInfinity(value))
            {
                throw new DecodeException("`" + field + "` is not finite");
            }
            return value;
        }

        internal double NonNegative(string field)
        {
            var value = Finite(field);
            if (value < 0) throw new DecodeException("`" + field + "` is negative");
            return value;
        }

        internal double Limit(string field)
        {
            var value = Word.F64(data, Take(8, field));
            if (!(value >= 0)) throw new DecodeException("`" + field + "` is no limit");
            return value;
        }

        internal Vector3d Vector(string field)
        {
            return new Vector3d(Finite(field), Finite(field), Finite(field));
        }

        internal Pose3d Pose(string field)
        {
            var translation = Vector(field);
            var rotation = new Quaterniond(
                Finite(field), Finite(field), Finite(field), Finite(field));
            return new Pose3d(translation, rotation);
        }

        internal string Text(int bytes, string field)
        {
            var start = Take(bytes, field);
            var stop = start;
            while (stop < at && data[stop] != 0) stop++;
            for (var index = stop; index < at; index++)
            {
                if (data[index] != 0) stop = at;
            }
            if (stop == at) throw new DecodeException("`" + field + "` does not end with zeros");
            try
            {
                return Strict.GetString(data, start, stop - start);
            }
            catch (ArgumentException)
            {
                throw new DecodeException("`" + field + "` is not UTF-8");
            }
        }

        internal int Count(int max, string field)
        {
            var count = U32(field);
            Zeros(4);
            if (count > max)
            {
                throw new DecodeException("`" + field + "` has " + count + " elements");
            }
            return (int)count;
        }
    }
}
