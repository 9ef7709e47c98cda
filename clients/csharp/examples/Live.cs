// Prints the tool, the force and the contacts of the first arm, ten times a second.
using System;
using Hapticd;

public static class Live
{
    public static void Main(string[] arguments)
    {
        var seconds = arguments.Length > 0 ? double.Parse(arguments[0]) : 10.0;
        var options = ClientOptions.Local("live");
        options.StartPatience = TimeSpan.FromSeconds(5);
        using (var client = Client.Connect(options))
        {
            client.Subscribe(0, Topic.State | Topic.Contacts);
            client.SetPushRates(Protocol.MaxPushHz, 0);
            var contacts = new Contact[Protocol.MaxContacts];
            var end = DateTime.UtcNow.AddSeconds(seconds);
            ulong printed = 0;
            while (DateTime.UtcNow < end)
            {
                if (!client.Wait(TimeSpan.FromSeconds(1))) Console.WriteLine("nothing comes");
                while (client.Poll() != null) { } // Takes what has arrived.
                if (!client.TryReadState(0, out var state) || state.Tick < printed + 100) continue;
                printed = state.Tick;
                var tool = 1e3 * state.WorldFromProxy.Translation;
                var why = state.Reason == 0 ? "on" : ForceOffReason.Text(state.Reason);
                Console.WriteLine(
                    "tool {0,7:F2} {1,7:F2} {2,7:F2} mm   force {3,6:F3} N ({4})   {5} contacts",
                    tool.X, tool.Y, tool.Z, state.ForceN.Length, why,
                    client.ReadContacts(0, contacts));
            }
        }
    }
}
