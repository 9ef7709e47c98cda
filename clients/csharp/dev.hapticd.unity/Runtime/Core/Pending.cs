using System;
using Hapticd.Messages;

namespace Hapticd
{
    /// <summary>A request that was sent and whose answer the next calls of `Poll` bring.</summary>
    public abstract class Pending
    {
        internal readonly string Name;
        internal Exception Failure;

        internal Pending(Message request)
        {
            Name = request.GetType().Name;
        }

        /// <summary>Whether `Answer` returns or throws at once.</summary>
        public bool IsDone { get; internal set; }

        internal abstract void Take(Message reply);

        internal void Fail(Exception failure)
        {
            Failure = failure;
            IsDone = true;
        }
    }

    /// <summary>The same, with the type of its answer.</summary>
    public sealed class Pending<TReply> : Pending where TReply : Message
    {
        private TReply answer;

        internal Pending(Message request) : base(request)
        {
        }

        /// <summary>The answer.</summary>
        /// <exception cref="RequestRefusedException">The daemon refused the request.</exception>
        /// <exception cref="DisconnectedException">The connection ended before.</exception>
        /// <exception cref="InvalidOperationException">It is not done.</exception>
        public TReply Answer
        {
            get
            {
                if (!IsDone) throw new InvalidOperationException(Name + " was not yet answered");
                if (Failure != null) throw Failure;
                return answer;
            }
        }

        internal override void Take(Message reply)
        {
            answer = reply as TReply;
            if (reply is Error error)
            {
                Failure = new RequestRefusedException(Name, error);
            }
            else if (answer == null)
            {
                Failure = new DecodeException(
                    Name + " was answered by " + reply.GetType().Name);
            }
            IsDone = true;
        }
    }
}
