// What the package's tests use of NUnit, so that Mono runs them as Unity's test runner does.
using System;

namespace NUnit.Framework
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class TestAttribute : Attribute
    {
    }

    public sealed class AssertionException : Exception
    {
        public AssertionException(string message) : base(message)
        {
        }
    }

    public static class Assert
    {
        public static void AreEqual(object expected, object actual, string message = "")
        {
            if (!Equals(expected, actual)) Fail(message, expected, actual);
        }

        public static void AreEqual(
            double expected, double actual, double delta, string message = "")
        {
            if (!(Math.Abs(expected - actual) <= delta)) Fail(message, expected, actual);
        }

        public static void IsTrue(bool condition, string message = "")
        {
            if (!condition) Fail(message, true, false);
        }

        public static void IsFalse(bool condition, string message = "")
        {
            if (condition) Fail(message, false, true);
        }

        public static T Throws<T>(Action action, string message = "") where T : Exception
        {
            try
            {
                action();
            }
            catch (T error)
            {
                return error;
            }
            throw new AssertionException(message + ": no " + typeof(T).Name);
        }

        private static void Fail(string message, object expected, object actual)
        {
            throw new AssertionException(message + ": expected " + expected + ", found " + actual);
        }
    }
}
