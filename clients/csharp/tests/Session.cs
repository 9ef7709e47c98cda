using System;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>The daemon and the gateway that the check has started.</summary>
    public static class Session
    {
        /// <summary>Ends a test that would hang; no test asks how long anything takes.</summary>
        public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

        public static ClientOptions Options(string name)
        {
            var options = ClientOptions.Local(name);
            options.Patience = Patience;
            options.StartPatience = Patience;
            return options;
        }

        public static Client Connect(string name)
        {
            return Client.Connect(Options(name));
        }

        /// <summary>Takes frames until one of the news is this kind.</summary>
        public static T Until<T>(Client client, Predicate<T> wanted) where T : News
        {
            while (true)
            {
                for (var news = client.Poll(); news != null; news = client.Poll())
                {
                    if (news is T found && wanted(found)) return found;
                }
                Assert.IsTrue(client.Wait(Patience), "no " + typeof(T).Name);
            }
        }
    }
}
