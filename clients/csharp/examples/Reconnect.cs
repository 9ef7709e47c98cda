// Goes on when the daemon is started again: connects, subscribes and adds its body again.
using System;
using System.Threading;
using Hapticd;

public static class Reconnect
{
    public static void Main(string[] arguments)
    {
        var seconds = arguments.Length > 0 ? double.Parse(arguments[0]) : 10.0;
        var end = DateTime.UtcNow.AddSeconds(seconds);
        while (DateTime.UtcNow < end)
        {
            try
            {
                using (var client = Client.Connect(ClientOptions.Local("reconnect")))
                {
                    client.Subscribe(0, Topic.State);
                    client.SetPushRates(60, 0);
                    var mesh = TriangleMesh.Box(0.02, 0.02, 0.02);
                    client.AddBody("mine", mesh, Pose3d.At(0, 0, 0.2), BodyMaterial.Default);
                    Console.WriteLine("connected");
                    while (DateTime.UtcNow < end)
                    {
                        client.Wait(TimeSpan.FromMilliseconds(50));
                        // Renews the leases; throws when the daemon is gone.
                        while (client.Poll() != null) { }
                    }
                }
            }
            catch (NoDaemonException)
            {
                Thread.Sleep(100); // Draw the last state, or nothing, until it is back.
            }
            catch (DisconnectedException why)
            {
                Console.WriteLine("the daemon is gone: " + why.Message);
            }
        }
    }
}
