using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>A server that upgrades one connection, sends the bytes that a test gives it, and
    /// keeps what the client sends.</summary>
    internal sealed class FakeGateway : IDisposable
    {
        private const string Accepted = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
        private readonly Task<byte[]> served;

        /// <summary>`answer` makes the head of the key; null for the right one.</summary>
        internal FakeGateway(
            byte[] bytes, int piece = int.MaxValue, Func<string, string> answer = null)
        {
            listener.Start();
            served = Task.Run(() => Serve(bytes, piece, answer ?? Right));
        }

        internal WebSocket Connect()
        {
            var port = ((IPEndPoint)listener.LocalEndpoint).Port;
            var url = new Uri("ws://127.0.0.1:" + port + "/v1");
            return WebSocket.Connect(url, "token", "", Session.Patience);
        }

        /// <summary>All that the client has sent behind its request.</summary>
        internal byte[] Received
        {
            get { return served.Result; }
        }

        internal static string Right(string key)
        {
            using (var hash = SHA1.Create())
            {
                var accept = hash.ComputeHash(Encoding.ASCII.GetBytes(key + Accepted));
                return "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Protocol: hapticd.v1\r\n"
                    + "sec-websocket-accept: " + Convert.ToBase64String(accept) + "\r\n\r\n";
            }
        }

        private byte[] Serve(byte[] bytes, int piece, Func<string, string> answer)
        {
            using (var client = listener.AcceptTcpClient())
            {
                client.NoDelay = true;
                var stream = client.GetStream();
                var head = "";
                while (!head.EndsWith("\r\n\r\n")) head += (char)stream.ReadByte();
                Assert.IsTrue(head.Contains("-Protocol: hapticd.v1, token.token\r\n"), head);
                var key = head.Substring(head.IndexOf("Key: ") + 5, 24);
                var start = Encoding.UTF8.GetBytes(answer(key));
                stream.Write(start, 0, start.Length);
                var received = new MemoryStream();
                try
                {
                    var left = bytes.Length;
                    while (left > 0)
                    {
                        var part = Math.Min(piece, left);
                        stream.Write(bytes, bytes.Length - left, part);
                        left -= part;
                    }
                    client.Client.Shutdown(SocketShutdown.Send);
                    stream.CopyTo(received);
                }
                catch (IOException)
                {
                    // The client has ended it.
                }
                return received.ToArray();
            }
        }

        /// <summary>A frame as a server sends it.</summary>
        internal static byte[] Frame(int first, byte[] payload)
        {
            var frame = new MemoryStream();
            frame.WriteByte((byte)first);
            var length = payload.Length;
            if (length < 126)
            {
                frame.WriteByte((byte)length);
            }
            else
            {
                var bytes = length < 65536 ? 2 : 8;
                frame.WriteByte((byte)(bytes == 2 ? 126 : 127));
                for (var left = bytes - 1; left >= 0; left--)
                {
                    frame.WriteByte((byte)((long)length >> (8 * left)));
                }
            }
            frame.Write(payload, 0, length);
            return frame.ToArray();
        }

        public void Dispose()
        {
            listener.Stop();
        }
    }
}
