using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using Hapticd.Messages;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>The script of requests with the answers that every client gets
    /// (`clients/conformance`): the part that `HAPTICD_PART` names. A daemon with its scene runs,
    /// and a gateway.</summary>
    public sealed class Conformance
    {
        /// <summary>What a step may say; no other word may be passed over.</summary>
        private static readonly string[] Known =
        {
            "request", "fields", "mesh", "mesh_bytes", "repeat", "descriptors", "answer", "gives",
            "keep", "values",
        };

        private static readonly Dictionary<string, object> Script =
            Json.Read(File.ReadAllText(Fields.Root("clients/conformance/script.json")));

        private readonly Dictionary<string, object> kept = new Dictionary<string, object>();

        /// <summary>Puts kept values in the place of their names.</summary>
        private object Given(object value)
        {
            if (value is string text && text.StartsWith("$")) return kept[text.Substring(1)];
            if (value is List<object> list) return list.Select(Given).ToList();
            if (value is Dictionary<string, object> members)
            {
                return members.ToDictionary(entry => entry.Key, entry => Given(entry.Value));
            }
            return value;
        }

        private static object Ask(Client client, Message request, byte[] attached)
        {
            var answer = request.GetType().BaseType.GetGenericArguments()[0];
            var ask = typeof(Client).GetMethod("Ask").MakeGenericMethod(answer);
            try
            {
                return ask.Invoke(client, new object[] { request, attached });
            }
            catch (TargetInvocationException error)
            {
                if (error.InnerException is RequestRefusedException refused) return refused;
                throw error.InnerException;
            }
        }

        private static object At(object value, string path)
        {
            foreach (var part in path.Split('.'))
            {
                value = int.TryParse(part, out var index)
                    ? ((IList)value)[index] : Fields.Member(value.GetType(), part).GetValue(value);
            }
            return Convert.ToDouble(value);
        }

        private static object Or(Dictionary<string, object> step, string name, object otherwise)
        {
            return step.TryGetValue(name, out var value) ? value : otherwise;
        }

        /// <summary>All steps of the part, each as often as it is sent.</summary>
        private static IEnumerable<Dictionary<string, object>> Steps()
        {
            var part = Script;
            if (Script.ContainsKey("parts"))
            {
                var name = Environment.GetEnvironmentVariable("HAPTICD_PART");
                part = ((List<object>)Script["parts"]).Cast<Dictionary<string, object>>()
                    .Single(one => (string)one["name"] == name);
            }
            foreach (Dictionary<string, object> step in (List<object>)part["steps"])
            {
                var range = (List<object>)Or(step, "repeat", new List<object> { 0.0, 0.0 });
                for (var number = (double)range[0]; number <= (double)range[1]; number++)
                {
                    var copy = new Dictionary<string, object>(step);
                    var none = new Dictionary<string, object>();
                    copy["fields"] = ((Dictionary<string, object>)Or(step, "fields", none))
                        .ToDictionary(entry => entry.Key, entry => entry.Value is string text
                            ? text.Replace("#", number.ToString()) : entry.Value);
                    yield return copy;
                }
            }
        }

        /// <summary>The file that goes with a request.</summary>
        private static byte[] Attached(Dictionary<string, object> step)
        {
            if (!step.TryGetValue("mesh", out var mesh)) return null;
            var meshes = (Dictionary<string, object>)Script["meshes"];
            var bytes = Fields.Bytes((string)meshes[(string)mesh]);
            var length = Convert.ToInt32(Or(step, "mesh_bytes", 0));
            if (bytes.Length < length) Array.Resize(ref bytes, length);
            return bytes;
        }

        private void Play(Client client, Dictionary<string, object> step, string where)
        {
            foreach (var word in step.Keys)
            {
                Assert.IsTrue(Known.Contains(word), where + ": no word `" + word + "`");
            }
            var type = Fields.Named((string)step["request"]);
            var request = (Message)Fields.Build(type, Given(step["fields"]));
            var answer = Ask(client, request, Attached(step));
            var name = answer is RequestRefusedException ? "Error" : answer.GetType().Name;
            Assert.AreEqual(step["answer"], name, where + ": " + answer);
            var descriptors = answer is Message message ? message.WireDescriptors : 0;
            Assert.AreEqual(Convert.ToInt32(Or(step, "descriptors", 0)), descriptors, where);
            var none = new Dictionary<string, object>();
            Fields.Holds(Given(Or(step, "gives", none)), answer, where);
            foreach (var entry in (Dictionary<string, object>)Or(step, "keep", none))
            {
                kept[entry.Key] = At(answer, (string)entry.Value);
            }
            if (answer is Shape shape)
            {
                // What the descriptor holds comes behind the answer.
                Assert.IsTrue(client.Shape(shape.Body).TriangleCount > 0, where);
            }
            foreach (string kind in (List<object>)Or(step, "values", new List<object>()))
            {
                var body = type.GetField("Body");
                AwaitValue(client, (BlockKind)Enum.Parse(typeof(BlockKind), kind),
                    body == null ? 0 : (uint)body.GetValue(request));
            }
        }

        private static void AwaitValue(Client client, BlockKind kind, uint body)
        {
            while (client.Version(kind, 0, body) == 0)
            {
                Assert.IsTrue(client.Wait(Session.Patience), "no value of " + kind);
                while (client.Poll() != null)
                {
                }
            }
            if (kind != BlockKind.Surface && kind != BlockKind.Skin) return;
            var frame = new SurfaceFrame();
            Assert.IsTrue(client.TryReadSurface(body, frame) && frame.TriangleCount > 0);
        }

        [Test]
        public void EachStepIsAnsweredAsTheScriptSays()
        {
            var count = 0;
            using (var client = Session.Connect("conformance"))
            {
                foreach (var step in Steps())
                {
                    // Goodbye has none: the check looks for it in the daemon's log.
                    if (step["answer"] == null) continue;
                    Play(client, step, "step " + count + ": " + step["request"]);
                    count++;
                }
            }
            Console.WriteLine(count + " steps of the conformance script");
        }
    }
}
