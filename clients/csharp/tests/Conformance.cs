using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>The script of requests with the answers that every client gets
    /// (`clients/conformance`). A daemon with its scene runs, and a gateway.</summary>
    public sealed class Conformance
    {
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

        [Test]
        public void EachStepIsAnsweredAsTheScriptSays()
        {
            var path = Fields.Root("clients/conformance/script.json");
            var script = Json.Read(File.ReadAllText(path));
            var meshes = (Dictionary<string, object>)script["meshes"];
            var none = new Dictionary<string, object>();
            var count = 0;
            using (var client = Session.Connect("conformance"))
            {
                foreach (Dictionary<string, object> step in (List<object>)script["steps"])
                {
                    var where = "step " + count + ": " + step["request"];
                    var request = (Message)Fields.Build(
                        Fields.Named((string)step["request"]), Given(Or(step, "fields", none)));
                    var mesh = (string)Or(step, "mesh", null);
                    var attached = mesh == null ? null : Fields.Bytes((string)meshes[mesh]);
                    var answer = Ask(client, request, attached);
                    var name = answer is RequestRefusedException
                        ? "Error" : answer.GetType().Name;
                    Assert.AreEqual(step["answer"], name, where + ": " + answer);
                    var descriptors = answer is Message message ? message.WireDescriptors : 0;
                    var expected = Convert.ToInt32(Or(step, "descriptors", 0));
                    Assert.AreEqual(expected, descriptors, where);
                    Fields.Holds(Given(Or(step, "gives", none)), answer, where);
                    var keep = (Dictionary<string, object>)Or(step, "keep", none);
                    foreach (var entry in keep) kept[entry.Key] = At(answer, (string)entry.Value);
                    count++;
                }
            }
            Console.WriteLine(count + " steps of the conformance script");
        }
    }
}
