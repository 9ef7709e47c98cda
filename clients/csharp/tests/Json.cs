using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Hapticd.Tests
{
    /// <summary>Reads JSON: objects as dictionaries, lists, texts, doubles, bools, null.</summary>
    public sealed class Json
    {
        private readonly string text;
        private int at;

        private Json(string text)
        {
            this.text = text;
        }

        public static Dictionary<string, object> Read(string text)
        {
            return (Dictionary<string, object>)new Json(text).Value();
        }

        private char Next()
        {
            while (char.IsWhiteSpace(text[at])) at++;
            return text[at];
        }

        private void Expect(string word)
        {
            Next();
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0)
            {
                throw new FormatException("no `" + word + "` at " + at);
            }
            at += word.Length;
        }

        private object Value()
        {
            switch (Next())
            {
                case '{': return Members();
                case '[': return Elements();
                case '"': return Text();
                case 't': Expect("true"); return true;
                case 'f': Expect("false"); return false;
                case 'n': Expect("null"); return null;
                default: return Number();
            }
        }

        private object Members()
        {
            var members = new Dictionary<string, object>();
            Expect("{");
            while (Next() != '}')
            {
                if (members.Count > 0) Expect(",");
                Next();
                var name = Text();
                Expect(":");
                members.Add(name, Value());
            }
            at++;
            return members;
        }

        private object Elements()
        {
            var elements = new List<object>();
            Expect("[");
            while (Next() != ']')
            {
                if (elements.Count > 0) Expect(",");
                elements.Add(Value());
            }
            at++;
            return elements;
        }

        private string Text()
        {
            var value = new StringBuilder();
            Expect("\"");
            while (text[at] != '"')
            {
                if (text[at] != '\\')
                {
                    value.Append(text[at++]);
                    continue;
                }
                var escape = text[at + 1];
                at += 2;
                if (escape == 'u')
                {
                    value.Append((char)Convert.ToInt32(text.Substring(at, 4), 16));
                    at += 4;
                }
                else
                {
                    var known = "\"\\/bfnrt".IndexOf(escape);
                    value.Append("\"\\/\b\f\n\r\t"[known]);
                }
            }
            at++;
            return value.ToString();
        }

        private object Number()
        {
            var start = at;
            while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0) at++;
            return double.Parse(text.Substring(start, at - start), CultureInfo.InvariantCulture);
        }
    }
}
