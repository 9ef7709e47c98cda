// Writes the surface of the first soft body or cloth, or the first skin, as an OBJ file.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Hapticd;

public static class SoftSurface
{
    public static void Main(string[] arguments)
    {
        var path = arguments.Length > 0 ? arguments[0] : "surface.obj";
        var options = ClientOptions.Local("soft surface");
        options.StartPatience = TimeSpan.FromSeconds(5);
        using (var client = Client.Connect(options))
        {
            var soft = client.ListBodies().Where(body => body.Kind >= BodyKind.Soft).ToList();
            if (soft.Count == 0)
            {
                Console.WriteLine("the scene has nothing soft: try config/cloth.toml or coil.toml");
                return;
            }
            var first = soft[0];
            if (first.Kind == BodyKind.Implicit) client.OpenSkin(first.Body);
            else client.OpenSurface(first.Body);
            client.SetPushRates(0, 30);
            var frame = new SurfaceFrame();
            while (!client.TryReadSurface(first.Body, frame))
            {
                client.Wait(TimeSpan.FromSeconds(1));
                while (client.Poll() != null) { }
            }
            using (var file = new StreamWriter(path))
            {
                var (points, corners) = (frame.Points, frame.Triangles);
                for (var at = 0; at < 3 * frame.PointCount; at += 3)
                {
                    file.WriteLine(string.Format(CultureInfo.InvariantCulture, "v {0} {1} {2}",
                        points[at], points[at + 1], points[at + 2]));
                }
                for (var at = 0; at < 3 * frame.TriangleCount; at += 3)
                {
                    file.WriteLine("f {0} {1} {2}",
                        corners[at] + 1, corners[at + 1] + 1, corners[at + 2] + 1);
                }
            }
            Console.WriteLine("{0}: {1} points, {2} triangles in {3}",
                first.Name, frame.PointCount, frame.TriangleCount, path);
        }
    }
}
