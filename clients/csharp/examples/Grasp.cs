// Holds what the tool touches for a second and a half, and says how hard it pulled. For a scene
// with bodies that forces move: `hapticd run config/blocks.toml`.
using System;
using System.Threading;
using Hapticd;
using Hapticd.Messages;

public static class GraspWhatIsTouched
{
    public static void Main(string[] arguments)
    {
        var seconds = arguments.Length > 0 ? double.Parse(arguments[0]) : 10.0;
        var options = ClientOptions.Local("grasp");
        options.StartPatience = TimeSpan.FromSeconds(5);
        using (var client = Client.Connect(options))
        {
            client.Subscribe(0, Topic.State | Topic.ContactEvents);
            client.SetPushRates(120, 0);
            var (start, held, since, most) = (DateTime.UtcNow, 0u, 0.0, 0.0);
            for (var time = 0.0; time < seconds; time = (DateTime.UtcNow - start).TotalSeconds)
            {
                for (var news = client.Poll(); news != null; news = client.Poll())
                {
                    if (news is Touched && held == 0)
                    {
                        // What presses most. A table is no body to hold: no harm.
                        client.GraspBody(0, 0);
                    }
                    else if (news is Grasped grasped)
                    {
                        (held, since, most) = (grasped.Body, time, 0.0);
                        Console.WriteLine("holds body " + held);
                    }
                    else if (news is LetGo gone && gone.Body > 0)
                    {
                        held = 0;
                        Console.WriteLine("let go of body {0}: at most {1:F2} N", gone.Body, most);
                    }
                }
                if (held > 0 && time - since > 1.5)
                {
                    client.ReleaseBody(0); // It keeps the velocity of the hand.
                }
                if (client.TryReadState(0, out var state))
                {
                    most = Math.Max(most, state.ForceN.Length);
                }
                Thread.Sleep(8);
            }
        }
    }
}
