using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading;

namespace Hapticd
{
    /// <summary>
    /// A TCP connection, plain or with TLS, whose bytes can be awaited with a time limit. A thread
    /// carries what arrives into a buffer of limited size, and does nothing else: it sends
    /// nothing, so it keeps nothing alive. When the application does not read, the buffer fills
    /// and the other end notices.
    /// </summary>
    internal sealed class ByteStream : IDisposable
    {
        private const int Capacity = 1 << 20;
        private const int SendTimeoutMs = 2000;
        private readonly TcpClient tcp;
        private readonly Stream stream;
        private readonly object gate = new object();
        private byte[] arrived = new byte[Capacity];
        private byte[] taken = new byte[Capacity];
        private int count;
        private string ended;

        private ByteStream(TcpClient tcp, Stream stream)
        {
            this.tcp = tcp;
            this.stream = stream;
            var thread = new Thread(Carry) { IsBackground = true, Name = "hapticd receive" };
            thread.Start();
        }

        /// <summary>Connects.</summary>
        /// <exception cref="NoDaemonException">No process listens there.</exception>
        /// <exception cref="ConnectException">The certificate is not trusted.</exception>
        internal static ByteStream Connect(Uri url, string certificate, TimeSpan patience)
        {
            var tcp = Reach(url, patience);
            try
            {
                Stream stream = tcp.GetStream();
                if (url.Scheme == "wss") stream = Secure(stream, url, certificate, patience);
                return new ByteStream(tcp, stream);
            }
            catch
            {
                tcp.Close();
                throw;
            }
        }

        /// <summary>Tries the host's addresses, of both families.</summary>
        private static TcpClient Reach(Uri url, TimeSpan patience)
        {
            var clock = Stopwatch.StartNew();
            var why = "it has no address";
            foreach (var address in Addresses(url))
            {
                var tcp = new TcpClient(address.AddressFamily)
                {
                    NoDelay = true,
                    SendTimeout = SendTimeoutMs,
                };
                var left = patience - clock.Elapsed;
                if (left < TimeSpan.Zero) left = TimeSpan.Zero;
                try
                {
                    if (tcp.ConnectAsync(address, url.Port).Wait(left)) return tcp;
                    why = "no answer";
                }
                catch (AggregateException error)
                {
                    why = error.GetBaseException().Message;
                }
                tcp.Close();
            }
            throw new NoDaemonException("no gateway at " + url.Authority + ": " + why);
        }

        private static IPAddress[] Addresses(Uri url)
        {
            try
            {
                return Dns.GetHostAddresses(url.DnsSafeHost);
            }
            catch (SocketException error)
            {
                throw new NoDaemonException(url.DnsSafeHost + ": " + error.Message);
            }
        }

        private static Stream Secure(
            Stream plain, Uri url, string certificate, TimeSpan patience)
        {
            var why = "";
            RemoteCertificateValidationCallback check = (sender, shown, chain, errors) =>
            {
                var found = Fingerprint(shown);
                why = ", certificate " + found + ": " + errors;
                if (string.IsNullOrEmpty(certificate)) return errors == SslPolicyErrors.None;
                return certificate.Replace(":", "").ToLowerInvariant() == found;
            };
            var secure = new SslStream(plain, false, check);
            try
            {
                plain.ReadTimeout = (int)patience.TotalMilliseconds;
                secure.AuthenticateAsClient(url.DnsSafeHost, null, SslProtocols.Tls12, false);
                plain.ReadTimeout = Timeout.Infinite;
                return secure;
            }
            catch (Exception error)
            {
                if (!(error is AuthenticationException || error is IOException)) throw;
                var cause = error.GetBaseException().Message;
                throw new ConnectException(
                    "no TLS with " + url.Authority + why + " (" + cause + ")");
            }
        }

        private static string Fingerprint(X509Certificate certificate)
        {
            using (var hash = SHA256.Create())
            {
                var bytes = hash.ComputeHash(certificate.GetRawCertData());
                return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
            }
        }

        private void Carry()
        {
            var chunk = new byte[1 << 16];
            while (true)
            {
                string why = null;
                var read = 0;
                try
                {
                    read = stream.Read(chunk, 0, chunk.Length);
                }
                catch (Exception error)
                {
                    // Whatever it is: an exception that left this thread would end the program.
                    why = error.Message;
                }
                lock (gate)
                {
                    while (count + read > Capacity && ended == null) Monitor.Wait(gate);
                    if (read <= 0) ended = ended ?? why ?? "the other end closed the connection";
                    if (ended == null)
                    {
                        Buffer.BlockCopy(chunk, 0, arrived, count, read);
                        count += read;
                    }
                    Monitor.PulseAll(gate);
                    if (ended != null) return;
                }
            }
        }

        /// <summary>Returns all bytes that have arrived; valid until the next call.</summary>
        internal byte[] Take(out int length)
        {
            lock (gate)
            {
                var bytes = arrived;
                arrived = taken;
                taken = bytes;
                length = count;
                count = 0;
                Monitor.PulseAll(gate);
                return bytes;
            }
        }

        /// <summary>Why it ended; null while it has not.</summary>
        internal string Ended
        {
            get
            {
                lock (gate) return count > 0 ? null : ended;
            }
        }

        /// <summary>Waits for bytes, or the end.</summary>
        /// <returns>False where neither came in time.</returns>
        internal bool Wait(TimeSpan patience)
        {
            var clock = Stopwatch.StartNew();
            lock (gate)
            {
                while (count == 0 && ended == null)
                {
                    var left = patience - clock.Elapsed;
                    if (left <= TimeSpan.Zero) return false;
                    Monitor.Wait(gate, left);
                }
                return true;
            }
        }

        /// <summary>Sends. Waits while the other end takes nothing, 2 s at most.</summary>
        /// <exception cref="IOException">The connection is gone.</exception>
        internal void Send(byte[] bytes, int length)
        {
            stream.Write(bytes, 0, length);
        }

        public void Dispose()
        {
            lock (gate)
            {
                ended = ended ?? "closed";
                Monitor.PulseAll(gate);
            }
            // Shutting down wakes the reader.
            try
            {
                tcp.Client.Shutdown(SocketShutdown.Both);
            }
            catch (SocketException)
            {
                // The other end was quicker.
            }
            catch (ObjectDisposedException)
            {
                // So was the system.
            }
            tcp.Close();
        }
    }
}
