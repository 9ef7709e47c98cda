using System;
using System.Diagnostics;
using System.IO;
using System.Security.Cryptography;
using System.Text;

namespace Hapticd
{
    /// <summary>
    /// The client's side of RFC 6455, as far as the gateway uses it. It reads, and answers pings,
    /// only when it is called: `System.Net.WebSockets` does both from threads of its own, and
    /// allocates for each frame.
    /// </summary>
    internal sealed class WebSocket : IDisposable
    {
        private const string Accepted = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        private const int MaxHead = 16384;
        private const long MaxMessage = Protocol.MaxInlineMeshBytes + Protocol.MaxMessage;
        private const int NoCode = 1006;

        private readonly ByteStream stream;
        private readonly RandomNumberGenerator random = RandomNumberGenerator.Create();
        private readonly byte[] mask = new byte[4];
        private readonly byte[] output = new byte[1 << 16];
        private byte[] input = new byte[0];
        private int inputAt;
        private int inputEnd;

        // The frame that is being read: its head, then its payload.
        private readonly byte[] head = new byte[10];
        private int headLength;
        private long payloadLeft = -1;
        private int opcode;
        private bool isLast;
        private byte[] message = new byte[4096];
        private int messageLength;
        private bool inMessage;
        private readonly byte[] control = new byte[125];
        private int controlLength;

        private WebSocket(ByteStream stream)
        {
            this.stream = stream;
        }

        /// <summary>Why it ended; null while it is open.</summary>
        internal DisconnectedException Ended { get; private set; }

        /// <summary>Connects and upgrades.</summary>
        internal static WebSocket Connect(
            Uri url, string token, string certificate, TimeSpan patience)
        {
            var socket = new WebSocket(ByteStream.Connect(url, certificate, patience));
            try
            {
                socket.Upgrade(url, token, patience);
                return socket;
            }
            catch
            {
                socket.stream.Dispose();
                throw;
            }
        }

        private void Upgrade(Uri url, string token, TimeSpan patience)
        {
            var nonce = new byte[16];
            random.GetBytes(nonce);
            var key = Convert.ToBase64String(nonce);
            var request = Encoding.ASCII.GetBytes(
                "GET " + url.AbsolutePath + " HTTP/1.1\r\nHost: " + url.Authority
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + key
                + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: hapticd.v1, token."
                + token + "\r\n\r\n");
            string answer;
            try
            {
                stream.Send(request, request.Length);
                answer = Head(patience);
            }
            catch (IOException error)
            {
                throw new NoDaemonException(url.Authority + ": " + error.Message);
            }
            var lines = answer.Split(new[] { "\r\n" }, StringSplitOptions.None);
            if (!lines[0].StartsWith("HTTP/1.1 101", StringComparison.Ordinal))
            {
                throw new ConnectException("the gateway refuses: " + lines[0] + Body());
            }
            using (var hash = SHA1.Create())
            {
                var expected = hash.ComputeHash(Encoding.ASCII.GetBytes(key + Accepted));
                if (Field(lines, "sec-websocket-accept") != Convert.ToBase64String(expected)
                    || Field(lines, "sec-websocket-protocol") != "hapticd.v1")
                {
                    throw new ConnectException(url.Authority + " is no gateway of hapticd");
                }
            }
        }

        /// <summary>Reads the answer's head.</summary>
        private string Head(TimeSpan patience)
        {
            var clock = Stopwatch.StartNew();
            var text = new StringBuilder();
            while (true)
            {
                while (inputAt < inputEnd && text.Length < MaxHead)
                {
                    text.Append((char)input[inputAt++]);
                    if (text[text.Length - 1] != '\n' || text.Length < 4) continue;
                    if (text.ToString(text.Length - 4, 4) == "\r\n\r\n") return text.ToString();
                }
                if (text.Length >= MaxHead) throw new ConnectException("the answer has no end");
                if (!stream.Wait(patience - clock.Elapsed))
                {
                    throw new NoDaemonException("the gateway does not answer");
                }
                if (!Refill()) throw new NoDaemonException("the gateway closed the connection");
            }
        }

        /// <summary>What came behind the head of a refusal: a sentence.</summary>
        private string Body()
        {
            var text = Encoding.UTF8.GetString(input, inputAt, inputEnd - inputAt).Trim();
            return text.Length > 0 ? ": " + text : "";
        }

        private static string Field(string[] lines, string name)
        {
            foreach (var line in lines)
            {
                var colon = line.IndexOf(':');
                if (colon > 0 && line.Substring(0, colon).ToLowerInvariant() == name)
                {
                    return line.Substring(colon + 1).Trim();
                }
            }
            return "";
        }

        /// <summary>Takes what has arrived.</summary>
        /// <returns>False where the connection has ended and everything was read.</returns>
        private bool Refill()
        {
            var ended = stream.Ended;
            input = stream.Take(out inputEnd);
            inputAt = 0;
            return inputEnd > 0 || ended == null;
        }

        /// <summary>Waits until something arrives, or the end.</summary>
        internal bool Wait(TimeSpan patience)
        {
            return Ended != null || inputAt < inputEnd || stream.Wait(patience);
        }

        /// <summary>Sends a binary message: two pieces, one behind the other.</summary>
        internal void Send(byte[] first, int count, byte[] second)
        {
            long length = count + second.Length;
            random.GetBytes(mask);
            output[0] = 0x82;
            var at = 2;
            if (length < 126)
            {
                output[1] = (byte)(0x80 | length);
            }
            else
            {
                var bytes = length <= ushort.MaxValue ? 2 : 8;
                output[1] = (byte)(0x80 | (bytes == 2 ? 126 : 127));
                for (var left = bytes - 1; left >= 0; left--)
                {
                    output[at++] = (byte)(length >> (8 * left));
                }
            }
            Buffer.BlockCopy(mask, 0, output, at, 4);
            at += 4;
            var turn = 0;
            Mask(first, count, ref at, ref turn);
            Mask(second, second.Length, ref at, ref turn);
            Flush(at);
        }

        private void Mask(byte[] bytes, int count, ref int at, ref int turn)
        {
            for (var index = 0; index < count; index++)
            {
                if (at == output.Length)
                {
                    Flush(at);
                    at = 0;
                }
                output[at++] = (byte)(bytes[index] ^ mask[turn++ & 3]);
            }
        }

        private void Control(int kind, byte[] bytes, int count)
        {
            random.GetBytes(mask);
            output[0] = (byte)(0x80 | kind);
            output[1] = (byte)(0x80 | count);
            Buffer.BlockCopy(mask, 0, output, 2, 4);
            var (at, turn) = (6, 0);
            Mask(bytes, count, ref at, ref turn);
            Flush(at);
        }

        private void Flush(int count)
        {
            if (Ended != null) throw Ended;
            try
            {
                stream.Send(output, count);
            }
            catch (Exception error)
            {
                // Of a stream that was closed meanwhile, too.
                if (!(error is IOException || error is InvalidOperationException)) throw;
                End(NoCode, error.Message);
                throw Ended;
            }
        }

        private void End(int code, string reason)
        {
            Ended = Ended ?? new DisconnectedException(code, reason);
            stream.Dispose();
        }

        /// <summary>Ends it for what the other end must not send.</summary>
        internal void Violated(string why)
        {
            End(NoCode, why);
        }

        /// <summary>Returns the next whole message; it is valid until the next call.</summary>
        /// <returns>False where none is there: `Ended` says whether one may come.</returns>
        internal bool Next(out byte[] bytes, out int count)
        {
            bytes = null;
            count = 0;
            while (Ended == null)
            {
                if (inputAt == inputEnd)
                {
                    if (!Refill())
                    {
                        End(NoCode, stream.Ended ?? "");
                        break;
                    }
                    if (inputEnd == 0) return false;
                }
                if (!Frame()) continue;
                if (opcode >= 8)
                {
                    Controlled();
                    continue;
                }
                if (!isLast) continue;
                inMessage = false;
                bytes = message;
                count = messageLength;
                return true;
            }
            return false;
        }

        /// <summary>Reads on in the frame.</summary>
        /// <returns>True where it is whole.</returns>
        private bool Frame()
        {
            while (payloadLeft < 0)
            {
                if (inputAt == inputEnd) return false;
                head[headLength++] = input[inputAt++];
                if (!Begun()) return false;
            }
            var part = (int)Math.Min(payloadLeft, inputEnd - inputAt);
            if (opcode >= 8)
            {
                Buffer.BlockCopy(input, inputAt, control, controlLength, part);
                controlLength += part;
            }
            else
            {
                if (messageLength + part > message.Length)
                {
                    Array.Resize(ref message, Math.Max(messageLength + part, 2 * message.Length));
                }
                Buffer.BlockCopy(input, inputAt, message, messageLength, part);
                messageLength += part;
            }
            inputAt += part;
            payloadLeft -= part;
            if (payloadLeft > 0) return false;
            payloadLeft = -1;
            headLength = 0;
            return true;
        }

        /// <summary>Reads the head as far as it came; `payloadLeft` says it is whole.</summary>
        /// <returns>False where the connection ended for it.</returns>
        private bool Begun()
        {
            if (headLength < 2) return true;
            var length = head[1] & 0x7f;
            var more = length == 126 ? 2 : length == 127 ? 8 : 0;
            if (headLength < 2 + more) return true;
            long size = length;
            if (more > 0) size = 0;
            for (var index = 0; index < more; index++) size = size << 8 | head[2 + index];
            opcode = head[0] & 0x0f;
            isLast = (head[0] & 0x80) != 0;
            var isControl = opcode >= 8;
            var isKnown = isControl
                ? opcode <= 10 && isLast && more == 0
                : opcode == (inMessage ? 0 : 2);
            if (!isKnown || (head[0] & 0x70) != 0 || (head[1] & 0x80) != 0)
            {
                End(NoCode, "the gateway sent an invalid frame: " + head[0] + " " + head[1]);
                return false;
            }
            if (isControl)
            {
                controlLength = 0;
            }
            else
            {
                if (!inMessage) messageLength = 0;
                inMessage = true;
                if (size < 0 || size > MaxMessage - messageLength)
                {
                    End(NoCode, "the gateway sent a message of " + size + " bytes");
                    return false;
                }
            }
            payloadLeft = size;
            return true;
        }

        private void Controlled()
        {
            if (opcode == 9)
            {
                try
                {
                    Control(10, control, controlLength);
                }
                catch (DisconnectedException)
                {
                    // `Ended` says so.
                }
            }
            else if (opcode == 8)
            {
                var code = controlLength >= 2 ? control[0] << 8 | control[1] : 1005;
                var rest = Math.Max(0, controlLength - 2);
                End(code, Encoding.UTF8.GetString(control, controlLength - rest, rest));
            }
        }

        /// <summary>Closes in good order: says so, and does not wait for the answer.</summary>
        public void Dispose()
        {
            if (Ended == null)
            {
                try
                {
                    Control(8, new byte[] { 1000 >> 8, 1000 & 0xff }, 2);
                }
                catch (DisconnectedException)
                {
                    // It ended by itself.
                }
                End(1000, "closed");
            }
            random.Dispose();
        }
    }
}
