// Runs all tests of this program, or those of the classes that are named.
using System;
using System.Linq;
using System.Reflection;
using NUnit.Framework;

namespace Hapticd.Tests
{
    public static class Run
    {
        public static int Main(string[] names)
        {
            var (passed, failed) = (0, 0);
            foreach (var type in Assembly.GetExecutingAssembly().GetTypes())
            {
                if (names.Length > 0 && !names.Contains(type.Name)) continue;
                foreach (var method in type.GetMethods())
                {
                    if (!method.IsDefined(typeof(TestAttribute), false)) continue;
                    try
                    {
                        method.Invoke(Activator.CreateInstance(type), null);
                        passed++;
                    }
                    catch (TargetInvocationException error)
                    {
                        failed++;
                        Console.WriteLine(type.Name + "." + method.Name + " FAILED");
                        Console.WriteLine(error.InnerException);
                    }
                }
            }
            Console.WriteLine(passed + " passed, " + failed + " failed");
            return passed > 0 && failed == 0 ? 0 : 1;
        }
    }
}
