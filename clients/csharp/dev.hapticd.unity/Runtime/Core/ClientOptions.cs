using System;
using System.IO;

namespace Hapticd
{
    /// <summary>Where the gateway is, and what it asks for.</summary>
    public sealed class ClientOptions
    {
        /// <summary>`ws://HOST:PORT/v1`, or `wss:` for another machine.</summary>
        public string Url = "";

        /// <summary>The gateway's token: a new one with each start.</summary>
        public string Token = "";

        /// <summary>Name that technicians see; at most 63 bytes.</summary>
        public string Name = "C#";

        /// <summary>
        /// SHA-256 of the gateway's certificate, hexadecimal. Where it is set, exactly that
        /// certificate is trusted; otherwise those that the system trusts for the host.
        /// </summary>
        public string CertificateSha256 = "";

        /// <summary>Time in which a gateway or a daemon that is not there may start.</summary>
        public TimeSpan StartPatience = TimeSpan.Zero;

        /// <summary>Time for connecting, and for each request that waits for its answer.</summary>
        public TimeSpan Patience = TimeSpan.FromSeconds(5);

        /// <summary>Reads what the gateway writes: address and token, a line each.</summary>
        /// <exception cref="NoDaemonException">There is no such file: no gateway runs.</exception>
        public static ClientOptions FromFile(string path, string name)
        {
            string[] lines;
            try
            {
                lines = File.ReadAllLines(path);
            }
            catch (Exception error)
            {
                if (!(error is IOException || error is UnauthorizedAccessException)) throw;
                throw new NoDaemonException("no gateway has left its token: " + error.Message);
            }
            if (lines.Length < 2)
            {
                throw new ConnectException(path + " has no address and token, a line each");
            }
            var (url, token) = (lines[0].Trim(), lines[1].Trim());
            return new ClientOptions { Url = url, Token = token, Name = name };
        }

        /// <summary>
        /// The gateway of this machine: `$HAPTICD_TOKEN_FILE`, or `gateway.token` in the daemon's
        /// folder, `$XDG_RUNTIME_DIR/hapticd` or `$HOME/.hapticd`.
        /// </summary>
        public static ClientOptions Local(string name)
        {
            return FromFile(LocalFile(), name);
        }

        private static string LocalFile()
        {
            var named = Environment.GetEnvironmentVariable("HAPTICD_TOKEN_FILE");
            if (!string.IsNullOrEmpty(named)) return named;
            const string file = "gateway.token";
            var runtime = Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR");
            if (!string.IsNullOrEmpty(runtime))
            {
                var path = Path.Combine(runtime, "hapticd", file);
                if (File.Exists(path)) return path;
            }
            var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            return Path.Combine(home, ".hapticd", file);
        }
    }
}
