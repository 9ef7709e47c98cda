// Adds a box that swings to and fro where the arm can push it, and says who pushes how hard.
using System;
using System.Threading;
using Hapticd;
using Hapticd.Messages;

public static class PushBox
{
    public static void Main(string[] arguments)
    {
        var seconds = arguments.Length > 0 ? double.Parse(arguments[0]) : 10.0;
        var options = ClientOptions.Local("push a box");
        options.StartPatience = TimeSpan.FromSeconds(5);
        using (var client = Client.Connect(options))
        {
            client.Subscribe(0, Topic.Bodies | Topic.Events | Topic.ContactEvents);
            client.SetPushRates(60, 0);
            var mesh = TriangleMesh.Box(0.03, 0.03, 0.03);
            var centre = Pose3d.At(0, 0, 0.02); // Where the hand of config/demo.toml explores.
            var box = client.AddBody("box", mesh, centre, BodyMaterial.Default);
            var (start, most) = (DateTime.UtcNow, 0.0);
            for (var time = 0.0; time < seconds; time = (DateTime.UtcNow - start).TotalSeconds)
            {
                // A frame of the application: events first, which also renews the leases.
                for (var news = client.Poll(); news != null; news = client.Poll())
                {
                    if (news is Touched touched && touched.Body == box)
                    {
                        Console.WriteLine("touched in tick " + touched.Tick);
                    }
                    else if (news is Released released && released.Body == box)
                    {
                        Console.WriteLine("released, at most {0:F2} N", most);
                        most = 0;
                    }
                }
                // If this program stops, the box stops when the lease is over.
                var goal = Pose3d.At(0.05 * Math.Sin(time), 0, 0.02);
                client.PostBodyPose(box, goal, 0.2, 200);
                if (client.TryReadBody(box, out var state))
                {
                    most = Math.Max(most, state.ForceN.Length);
                }
                Thread.Sleep(16);
            }
        }
    }
}
