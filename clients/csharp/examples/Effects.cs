// Lets the hand feel a guide, a viscous field and a vibration, one after the other.
using System;
using System.Threading;
using Hapticd;
using Hapticd.Messages;

public static class Effects
{
    private static void Feel(Client client, string name, SetEffect numbers, double seconds)
    {
        var effect = client.SetEffect(numbers);
        var end = DateTime.UtcNow.AddSeconds(seconds);
        var most = 0.0;
        while (DateTime.UtcNow < end)
        {
            // Effects last while their client is heard: `Poll` says that it is alive.
            while (client.Poll() != null)
            {
            }
            if (client.TryReadState(0, out var state))
            {
                most = Math.Max(most, state.ForceN.Length);
            }
            Thread.Sleep(10);
        }
        client.StopEffect(effect);
        Console.WriteLine("{0}: at most {1:F2} N", name, most);
    }

    public static void Main(string[] arguments)
    {
        var seconds = arguments.Length > 0 ? double.Parse(arguments[0]) : 3.0;
        var options = ClientOptions.Local("effects");
        options.StartPatience = TimeSpan.FromSeconds(5);
        using (var client = Client.Connect(options))
        {
            client.Subscribe(0, Topic.State);
            client.SetPushRates(100, 0);
            var line = Client.NewEffect(0, EffectKind.Spring);
            line.Shape = EffectShape.Line;
            line.PlaceM = new Vector3d(0, 0, 0.05);
            line.Axis = new Vector3d(1, 0, 0);
            line.Coefficient = 80;
            var honey = Client.NewEffect(0, EffectKind.Damper);
            honey.Coefficient = 5;
            honey.RangeM = 0.1;
            var buzz = Client.NewEffect(0, EffectKind.Periodic);
            buzz.MagnitudeN = 0.5;
            buzz.FrequencyHz = 80;
            buzz.AttackS = 0.2;
            Feel(client, "a line to follow", line, seconds);
            Feel(client, "honey within 10 cm", honey, seconds);
            Feel(client, "a buzz", buzz, seconds);
        }
    }
}
