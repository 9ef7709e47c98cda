using System;
using System.Linq;
using System.Threading;
using Hapticd.Unity;
using NUnit.Framework;
using UnityEngine;

namespace Hapticd.Tests
{
    /// <summary>Plays the stubs' scene as the engine does: frame by frame, in the order of
    /// execution.</summary>
    public static class Player
    {
        private static int Order(MonoBehaviour behaviour)
        {
            var order = behaviour.GetType().GetCustomAttributes(false)
                .OfType<DefaultExecutionOrder>().FirstOrDefault();
            return order == null ? 0 : order.order;
        }

        public static void Frame()
        {
            Time.time += 1 / 60f;
            var behaviours = GameObject.All.SelectMany(made => made.Behaviours)
                .Where(behaviour => behaviour.enabled).OrderBy(Order).ToList();
            foreach (var behaviour in behaviours) behaviour.Send("Update");
            foreach (var behaviour in behaviours) behaviour.Send("LateUpdate");
            // The screen's pace.
            Thread.Sleep(16);
        }

        /// <summary>Plays frames until something is so.</summary>
        public static void Until(string what, Func<bool> found)
        {
            var end = DateTime.UtcNow + Session.Patience;
            while (!found())
            {
                Assert.IsTrue(DateTime.UtcNow < end,
                    what + " did not come; log: " + string.Join("; ", Debug.Lines));
                Frame();
            }
        }

        /// <summary>Ends play mode and empties the scene.</summary>
        public static void Stop()
        {
            HapticConnection.CloseAll();
            GameObject.All.Clear();
            Debug.Lines.Clear();
        }
    }
}
