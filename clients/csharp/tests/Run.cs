// Runs all tests of this program, or those that are named: a class, or CLASS.TEST.
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
                foreach (var method in type.GetMethods())
                {
                    if (!method.IsDefined(typeof(TestAttribute), false)) continue;
                    var name = type.Name + "." + method.Name;
                    var isNamed = names.Contains(type.Name) || names.Contains(name);
                    if (names.Length > 0 && !isNamed) continue;
                    try
                    {
                        method.Invoke(Activator.CreateInstance(type), null);
                        passed++;
                    }
                    catch (TargetInvocationException error)
                    {
                        failed++;
                        Console.WriteLine(name + " FAILED");
                        Console.WriteLine(error.InnerException);
                    }
                }
            }
            Console.WriteLine(passed + " passed, " + failed + " failed");
            return passed > 0 && failed == 0 ? 0 : 1;
        }
    }
}
