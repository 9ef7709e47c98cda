using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>The WebSocket against a server that sends what a test asks for.</summary>
    public sealed class WebSockets
    {
        private static byte[] Numbers(int count)
        {
            return Enumerable.Range(0, count).Select(index => (byte)(index * 7)).ToArray();
        }

        private static byte[] Joined(params byte[][] parts)
        {
            return parts.SelectMany(part => part).ToArray();
        }

        /// <summary>Reads messages until the connection ends.</summary>
        private static List<byte[]> Messages(WebSocket socket)
        {
            var all = new List<byte[]>();
            while (true)
            {
                while (socket.Next(out var bytes, out var count))
                {
                    all.Add(bytes.Take(count).ToArray());
                }
                if (socket.Ended != null) return all;
                Assert.IsTrue(socket.Wait(Session.Patience), "neither bytes nor an end");
            }
        }

        [Test]
        public void MessagesOfEachLengthComeWholeInAnyPieces()
        {
            var lengths = new[] { 0, 1, 125, 126, 127, 65535, 65536, 200000 };
            var sent = lengths.Select(Numbers).ToList();
            var frames = Joined(sent.Select(part => FakeGateway.Frame(0x82, part)).ToArray());
            foreach (var piece in new[] { 1000, 65537, int.MaxValue })
            {
                using (var gateway = new FakeGateway(frames, piece))
                using (var socket = gateway.Connect())
                {
                    var found = Messages(socket);
                    Assert.AreEqual(sent.Count, found.Count);
                    for (var index = 0; index < sent.Count; index++)
                    {
                        Assert.IsTrue(sent[index].SequenceEqual(found[index]), "" + index);
                    }
                }
            }
        }

        [Test]
        public void FragmentsAreOneMessageAndAPingBetweenThemIsAnswered()
        {
            var frames = Joined(
                FakeGateway.Frame(0x02, Numbers(10)),
                FakeGateway.Frame(0x89, new byte[] { 1, 2, 3 }),
                FakeGateway.Frame(0x00, new byte[0]),
                FakeGateway.Frame(0x8a, new byte[] { 9 }),
                FakeGateway.Frame(0x80, Numbers(5)));
            foreach (var piece in new[] { 1, int.MaxValue })
            {
                using (var gateway = new FakeGateway(frames, piece))
                {
                    using (var socket = gateway.Connect())
                    {
                        var found = Messages(socket).Single();
                        Assert.IsTrue(found.SequenceEqual(Joined(Numbers(10), Numbers(5))));
                    }
                    var pong = gateway.Received;
                    Assert.AreEqual(0x8a, (int)pong[0]);
                    Assert.AreEqual(0x83, (int)pong[1]);
                    for (var index = 0; index < 3; index++)
                    {
                        Assert.AreEqual(index + 1, pong[6 + index] ^ pong[2 + index]);
                    }
                }
            }
        }

        [Test]
        public void WhatIsSentIsMaskedAndWhole()
        {
            foreach (var length in new[] { 0, 125, 126, 65535, 65536, 200000 })
            {
                using (var gateway = new FakeGateway(new byte[0]))
                {
                    using (var socket = gateway.Connect())
                    {
                        var half = length / 2;
                        socket.Send(Numbers(half), half, Numbers(length - half));
                    }
                    var frame = gateway.Received;
                    Assert.AreEqual(0x82, (int)frame[0]);
                    var more = length < 126 ? 0 : length < 65536 ? 2 : 8;
                    long said = frame[1] & 0x7f;
                    if (more > 0) said = 0;
                    for (var index = 0; index < more; index++) said = said << 8 | frame[2 + index];
                    Assert.AreEqual((long)length, said);
                    Assert.AreEqual(0x80, frame[1] & 0x80);
                    var expected = Joined(Numbers(length / 2), Numbers(length - length / 2));
                    for (var index = 0; index < length; index++)
                    {
                        var plain = frame[6 + more + index] ^ frame[2 + more + index % 4];
                        if (plain != expected[index]) Assert.AreEqual(index, -1, length + " bytes");
                    }
                }
            }
        }

        [Test]
        public void AnEndHasItsCodeAndReason()
        {
            var code = new byte[] { 1013 >> 8, 1013 & 255 };
            var reason = Joined(code, Encoding.UTF8.GetBytes("läßt"));
            using (var gateway = new FakeGateway(FakeGateway.Frame(0x88, reason)))
            using (var socket = gateway.Connect())
            {
                Assert.AreEqual(0, Messages(socket).Count);
                Assert.AreEqual(1013, socket.Ended.Code);
                Assert.AreEqual("läßt", socket.Ended.Message);
            }
            using (var gateway = new FakeGateway(new byte[0]))
            using (var socket = gateway.Connect())
            {
                Messages(socket);
                Assert.AreEqual(1006, socket.Ended.Code);
            }
        }

        [Test]
        public void FramesThatAreNoneEndTheConnection()
        {
            var wrong = new Dictionary<string, byte[]>
            {
                { "a text", FakeGateway.Frame(0x81, Numbers(3)) },
                { "a reserved bit", FakeGateway.Frame(0xc2, Numbers(3)) },
                { "an unknown kind", FakeGateway.Frame(0x83, Numbers(3)) },
                { "an unknown control", FakeGateway.Frame(0x8b, Numbers(3)) },
                { "a mask", new byte[] { 0x82, 0x81, 0, 0, 0, 0, 0 } },
                { "a continuation of nothing", FakeGateway.Frame(0x80, Numbers(3)) },
                { "a message in a message", Joined(
                    FakeGateway.Frame(0x02, Numbers(3)), FakeGateway.Frame(0x82, Numbers(3))) },
                { "a part of a ping", FakeGateway.Frame(0x09, Numbers(3)) },
                { "a long ping", FakeGateway.Frame(0x89, Numbers(126)) },
                { "a length beyond all", new byte[] { 0x82, 127, 255, 255, 255, 255, 0, 0, 0, 0 } },
                { "a huge length", new byte[] { 0x82, 127, 0, 0, 0, 0, 255, 0, 0, 0 } },
            };
            foreach (var entry in wrong)
            {
                var frames = Joined(entry.Value, FakeGateway.Frame(0x82, Numbers(3)));
                using (var gateway = new FakeGateway(frames))
                using (var socket = gateway.Connect())
                {
                    Assert.AreEqual(0, Messages(socket).Count, entry.Key);
                    var why = socket.Ended.Message;
                    Assert.IsTrue(why.StartsWith("the gateway sent "), entry.Key + ": " + why);
                }
            }
        }

        [Test]
        public void DamagedFramesAreMessagesOrAnEnd()
        {
            var random = new Random(5);
            for (var round = 0; round < 300; round++)
            {
                var frames = Joined(
                    FakeGateway.Frame(0x02, Numbers(random.Next(200))),
                    FakeGateway.Frame(0x89, Numbers(random.Next(120))),
                    FakeGateway.Frame(0x80, Numbers(random.Next(70000))));
                for (var count = random.Next(6); count >= 0; count--)
                {
                    frames[random.Next(Math.Min(frames.Length, 400))] = (byte)random.Next(256);
                }
                using (var gateway = new FakeGateway(frames))
                using (var socket = gateway.Connect())
                {
                    Messages(socket);
                    Assert.IsTrue(socket.Ended != null);
                }
            }
        }

        [Test]
        public void AnswersThatAreNoUpgradeAreRefused()
        {
            var wrong = new Dictionary<string, Func<string, string>>
            {
                { "too many", key => "HTTP/1.1 503 Service Unavailable\r\n\r\ntoo many\n" },
                { "is no gateway", key => FakeGateway.Right("another key") },
                { "is no gateway of", key => FakeGateway.Right(key).Replace("v1", "v2") },
                { "has no end", key => new string('x', 20000) },
                { "closed", key => "HTTP/1.1 101" },
            };
            foreach (var entry in wrong)
            {
                using (var gateway = new FakeGateway(new byte[0], int.MaxValue, entry.Value))
                {
                    var error = Assert.Throws<ConnectException>(() => gateway.Connect(), entry.Key);
                    Assert.IsTrue(error.Message.Contains(entry.Key), error.Message);
                }
            }
        }
    }
}
