using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using Hapticd.Messages;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>The codec against the golden file, which the daemon's own crate has written.
    /// </summary>
    public sealed class Packets
    {
        private static readonly Dictionary<string, object> Golden =
            Json.Read(File.ReadAllText(Fields.Root("clients/protocol/golden.json")));

        private static readonly ulong Id = ulong.Parse((string)Golden["id"]);

        private static IEnumerable<Dictionary<string, object>> Of(params string[] directions)
        {
            return directions.SelectMany(direction => (List<object>)Golden[direction])
                .Cast<Dictionary<string, object>>();
        }

        private static Message Decode(byte[] frame, out ulong id)
        {
            var length = PacketReader.Header(frame, frame.Length, out var kind, out id);
            var message = Incoming.Create(kind);
            if (message == null) throw new DecodeException("kind " + kind);
            new PacketReader().Body(message, frame, length);
            return message;
        }

        [Test]
        public void EveryGoldenPacketIsWritten()
        {
            var count = 0;
            var all = Of("requests", "replies", "events", "gateway_requests", "gateway_messages");
            foreach (var sample in all)
            {
                var name = (string)sample["name"];
                var message = (Message)Fields.Build(Fields.Named(name), sample["fields"]);
                Assert.AreEqual(sample["packet"], Fields.Hex(message.ToPacket(Id)), name);
                var descriptors = Convert.ToInt32(sample["descriptors"]);
                Assert.AreEqual(descriptors, message.WireDescriptors, name);
                count++;
            }
            var known = typeof(Message).Assembly.GetTypes();
            var messages = known.Count(type => type.IsSubclassOf(typeof(Message))
                && !type.IsAbstract);
            Assert.AreEqual(messages, count, "a message without a golden packet");
        }

        [Test]
        public void EveryGoldenPacketIsReadAndEveryShorterOneIsRefused()
        {
            foreach (var sample in Of("replies", "events", "gateway_messages"))
            {
                var name = (string)sample["name"];
                var packet = Fields.Bytes((string)sample["packet"]);
                var message = Decode(packet, out var id);
                Assert.AreEqual(Id, id, name);
                Assert.AreEqual(name, message.GetType().Name);
                Fields.Holds(sample["fields"], message, name);
                Assert.AreEqual(sample["packet"], Fields.Hex(message.ToPacket(Id)), name);
                for (var length = 0; length < packet.Length; length++)
                {
                    var cut = packet.Take(length).ToArray();
                    Assert.Throws<DecodeException>(() => Decode(cut, out id), name);
                    if (length < 8) continue;
                    BitConverter.GetBytes(length).CopyTo(cut, 4);
                    Assert.Throws<DecodeException>(() => Decode(cut, out id), name);
                }
            }
        }

        [Test]
        public void EveryGoldenBlockIsRead()
        {
            foreach (var sample in Of("blocks"))
            {
                var name = (string)sample["name"];
                var payload = Fields.Bytes((string)sample["payload"]);
                var fields = (Dictionary<string, object>)sample["fields"];
                var isList = name == "Contacts" || name == "Bodies";
                var head = isList ? "ListHeader" : name == "State" ? "ArmState" : "NeedleState";
                var values = Words(head, payload, 0);
                var list = isList ? (List<object>)fields["list"] : new List<object>();
                fields.Remove("list");
                Fields.Holds(fields, values, name);
                var of = name == "Contacts" ? "Contact" : "BodyState";
                for (var index = 0; index < list.Count; index++)
                {
                    var at = ListHeader.WordCount + index * WordCount(of);
                    Fields.Holds(list[index], Words(of, payload, 8 * at), name + index);
                }
            }
        }

        private static int WordCount(string name)
        {
            return (int)Fields.Named(name).GetField("WordCount").GetRawConstantValue();
        }

        private static object Words(string name, byte[] payload, int at)
        {
            var read = Fields.Named(name).GetMethod("Read");
            return read.Invoke(null, new object[] { payload, at });
        }

        [Test]
        public void DamagedPacketsAreRefusedOrAreMessages()
        {
            var random = new Random(1);
            var packets = Of("replies", "events", "gateway_messages")
                .Select(sample => Fields.Bytes((string)sample["packet"])).ToArray();
            var refused = 0;
            for (var round = 0; round < 20000; round++)
            {
                var packet = (byte[])packets[random.Next(packets.Length)].Clone();
                for (var count = random.Next(4); count >= 0; count--)
                {
                    packet[random.Next(packet.Length)] = (byte)random.Next(256);
                }
                try
                {
                    Decode(packet, out _);
                }
                catch (DecodeException)
                {
                    refused++;
                }
            }
            Assert.IsTrue(refused > 5000, refused + " refused");
        }

        [Test]
        public void FieldsThatDoNotFitAreRefusedBeforeAnythingIsSent()
        {
            var hello = new Hello { Name = new string('é', 31) };
            Assert.AreEqual(96, hello.ToPacket(1).Length);
            hello.Name = new string('é', 32);
            var error = Assert.Throws<ArgumentException>(() => hello.ToPacket(1));
            Assert.IsTrue(error.Message.Contains("`name`"), error.Message);
            var moves = new SetBodyPoses();
            for (var count = 0; count <= Protocol.MaxTargets; count++)
            {
                moves.Targets.Add(new BodyTarget { WorldFromBody = Pose3d.Identity });
            }
            Assert.Throws<ArgumentException>(() => moves.ToPacket(1));
        }
    }
}
