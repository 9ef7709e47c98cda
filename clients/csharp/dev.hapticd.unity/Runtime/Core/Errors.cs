using System;
using Hapticd.Messages;

namespace Hapticd
{
    /// <summary>What may go wrong between this client and the daemon.</summary>
    public class HapticdException : Exception
    {
        public HapticdException(string message) : base(message)
        {
        }
    }

    /// <summary>The gateway or the daemon refused the connection.</summary>
    public class ConnectException : HapticdException
    {
        public ConnectException(string message) : base(message)
        {
        }
    }

    /// <summary>No gateway listens there, or it has no daemon. Start them, or try again.</summary>
    public sealed class NoDaemonException : ConnectException
    {
        public NoDaemonException(string message) : base(message)
        {
        }
    }

    /// <summary>The connection is gone, and this client's bodies with it: connect again.</summary>
    public sealed class DisconnectedException : HapticdException
    {
        /// <summary>Code of the WebSocket: 1006 where none came.</summary>
        public readonly int Code;

        public DisconnectedException(int code, string reason)
            : base(reason.Length > 0 ? reason : "the connection was closed (" + code + ")")
        {
            Code = code;
        }
    }

    /// <summary>No answer came in time. It may still come: a late `BodyAdded` is news.</summary>
    public sealed class TimedOutException : HapticdException
    {
        public TimedOutException(string message) : base(message)
        {
        }
    }

    /// <summary>Bytes that are no message of the protocol; the sender's fault.</summary>
    public sealed class DecodeException : HapticdException
    {
        public DecodeException(string message) : base(message)
        {
        }
    }

    /// <summary>The daemon, or the gateway, understood the request and refused it.</summary>
    public sealed class RequestRefusedException : HapticdException
    {
        public readonly ErrorCode Code;

        /// <summary>Number that belongs to the code.</summary>
        public readonly ulong Number;

        /// <summary>Limit that belongs to the code.</summary>
        public readonly ulong Limit;

        /// <summary>A sentence; may be empty.</summary>
        public readonly string Detail;

        public RequestRefusedException(string request, Error error)
            : base(request + ": " + Sentence(error))
        {
            Code = error.Code;
            Number = error.Number;
            Limit = error.Limit;
            Detail = error.Detail;
        }

        internal static string Sentence(Error error)
        {
            var numbers = error.Number != 0 || error.Limit != 0
                ? " (" + error.Number + ", " + error.Limit + ")" : "";
            var detail = error.Detail.Length > 0 ? ": " + error.Detail : "";
            return error.Code + numbers + detail;
        }
    }

    /// <summary>A refused request of those that were posted.</summary>
    public sealed class Refusal : News
    {
        /// <summary>What `Post` returned; 0 where the daemon could not tell.</summary>
        public readonly ulong Post;

        public readonly Error Error;

        internal Refusal(ulong post, Error error)
        {
            Post = post;
            Error = error;
        }

        public override string ToString()
        {
            return RequestRefusedException.Sentence(Error);
        }
    }
}
