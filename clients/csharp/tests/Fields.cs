using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using NUnit.Framework;

namespace Hapticd.Tests
{
    /// <summary>Messages and blocks by the names that the protocol's files give their fields.
    /// </summary>
    public static class Fields
    {
        /// <summary>A file of the repository; `HAPTICD_ROOT` is its folder.</summary>
        public static string Root(string path)
        {
            return Path.Combine(Environment.GetEnvironmentVariable("HAPTICD_ROOT"), path);
        }

        public static Type Named(string name)
        {
            var assembly = typeof(Message).Assembly;
            var type = assembly.GetType("Hapticd.Messages." + name)
                ?? assembly.GetType("Hapticd." + name);
            Assert.IsTrue(type != null, "no type " + name);
            return type;
        }

        public static byte[] Bytes(string hex)
        {
            var bytes = new byte[hex.Length / 2];
            for (var index = 0; index < bytes.Length; index++)
            {
                bytes[index] = Convert.ToByte(hex.Substring(2 * index, 2), 16);
            }
            return bytes;
        }

        public static string Hex(byte[] bytes)
        {
            return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
        }

        /// <summary>Returns the member of a field such as `speed_m_s`.</summary>
        public static FieldInfo Member(Type type, string name)
        {
            var plain = name.EndsWith("_m_s") || name.EndsWith("_rad_s")
                ? name.Substring(0, name.Length - 2) + "_per_s" : name;
            var found = "";
            foreach (var part in plain.Split('_', '.'))
            {
                found += char.ToUpperInvariant(part[0]) + part.Substring(1);
            }
            var field = type.GetField(found) ?? type.GetField("Items") ?? type.GetField("Value");
            Assert.IsTrue(field != null, type.Name + " has no " + name);
            return field;
        }

        /// <summary>Makes a message or a structure of its fields.</summary>
        public static object Build(Type type, object value)
        {
            if (value is string text)
            {
                if (type == typeof(string)) return text;
                if (type.IsEnum) return Enum.Parse(type, text);
                if (type == typeof(double))
                {
                    Assert.AreEqual("inf", text);
                    return double.PositiveInfinity;
                }
                return Convert.ChangeType(decimal.Parse(text), type);
            }
            if (type.IsEnum) return Enum.ToObject(type, Convert.ToInt64(value));
            if (value is double || value is bool)
            {
                return Convert.ChangeType(value, type, CultureInfo.InvariantCulture);
            }
            if (value is List<object> list)
            {
                if (type == typeof(Pose3d)) return Pose(list);
                if (type == typeof(Vector3d)) return Vector(list);
                var items = (IList)Activator.CreateInstance(type);
                foreach (var item in list) items.Add(Build(type.GetGenericArguments()[0], item));
                return items;
            }
            var made = Activator.CreateInstance(type);
            foreach (var entry in (Dictionary<string, object>)value)
            {
                var field = Member(type, entry.Key);
                var built = Build(field.FieldType, entry.Value);
                if (field.IsInitOnly)
                {
                    foreach (var item in (IList)built) ((IList)field.GetValue(made)).Add(item);
                }
                else
                {
                    field.SetValue(made, built);
                }
            }
            return made;
        }

        private static Vector3d Vector(List<object> list)
        {
            return new Vector3d((double)list[0], (double)list[1], (double)list[2]);
        }

        private static Pose3d Pose(List<object> list)
        {
            var rotation = new Quaterniond(
                (double)list[3], (double)list[4], (double)list[5], (double)list[6]);
            return new Pose3d(Vector(list), rotation);
        }

        /// <summary>Compares all that `expected` names.</summary>
        public static void Holds(object expected, object found, string where)
        {
            if (expected is Dictionary<string, object> members)
            {
                foreach (var entry in members)
                {
                    var value = Member(found.GetType(), entry.Key).GetValue(found);
                    Holds(entry.Value, value, where + "." + entry.Key);
                }
            }
            else if (expected is List<object> list && found is IList items)
            {
                Assert.IsTrue(items.Count >= list.Count, where + ": " + items.Count);
                for (var index = 0; index < list.Count; index++)
                {
                    Holds(list[index], items[index], where + "." + index);
                }
            }
            else if (found is double number && expected is string text)
            {
                // The golden file holds what a block may have: any number.
                Assert.AreEqual(
                    text == "inf" ? double.PositiveInfinity
                    : text == "-inf" ? double.NegativeInfinity : double.NaN, number, where);
            }
            else
            {
                Assert.AreEqual(Build(found.GetType(), expected), found, where);
            }
        }
    }
}
