//! `clients/csharp/dev.hapticd.unity/Runtime/Core/Messages.cs`: messages, codes and blocks as C#
//! types that read and write themselves. C# 7.3, without reflection, so that ahead-of-time
//! compilers keep all of it.

use hapticd_protocol::layout::{
    CodesLayout, Descriptors, FieldLayout, MessageLayout, PlaceLayout, RecordLayout, Type,
    WordsLayout, codes, codes_of, constants, flags, messages, words,
};

const HEAD: &str = "\
// Generated from clients/protocol: UPDATE_GENERATED=1 cargo test -p hapticd-protocol
// Messages, codes and blocks of the protocol, as the daemon's own crate declares them.
using System.Collections.Generic;

namespace Hapticd
{
    /// <summary>Numbers that both sides know.</summary>
    public static class Protocol
    {
";

/// Returns the file.
pub fn module() -> String {
    let mut out = String::from(HEAD);
    for (index, constant) in constants().iter().enumerate() {
        let of = match constant.value {
            value if value <= i32::MAX as u64 => "int",
            value if value <= u64::from(u32::MAX) => "uint",
            _ => "ulong",
        };
        if index > 0 {
            out.push('\n');
        }
        summary(&mut out, 8, constant.doc);
        let name = pascal(&constant.name.to_lowercase());
        line(
            &mut out,
            8,
            &format!("public const {of} {name} = {};", constant.value),
        );
    }
    line(&mut out, 4, "}");
    for layout in codes() {
        code_type(&mut out, &layout, false);
    }
    for layout in flags() {
        code_type(&mut out, &layout, true);
    }
    let all = messages();
    for layout in crate::records(&all) {
        record(&mut out, &layout);
    }
    for layout in words() {
        words_type(&mut out, &layout);
    }
    out.push_str("}\n\nnamespace Hapticd.Messages\n{\n");
    out.push_str("    /// <summary>Makes messages of what came.</summary>\n");
    out.push_str("    internal static class Incoming\n    {\n");
    out.push_str(
        "        /// <summary>Returns an empty message of this kind, or null.</summary>\n",
    );
    out.push_str("        internal static Message Create(ushort kind)\n        {\n");
    out.push_str("            switch (kind)\n            {\n");
    let incoming = all.replies.iter().chain(&all.events);
    for layout in incoming.chain(&all.gateway_messages) {
        line(
            &mut out,
            16,
            &format!(
                "case {:#06x}: return new {}();",
                layout.kind, layout.body.name
            ),
        );
    }
    out.push_str("                default: return null;\n            }\n        }\n    }\n");
    for layout in all.all() {
        message(&mut out, layout);
    }
    out.push_str("}\n");
    out
}

fn line(out: &mut String, indent: usize, text: &str) {
    out.push_str(&" ".repeat(indent));
    out.push_str(text);
    out.push('\n');
}

/// Writes a documentation comment, wrapped at 100 columns.
fn summary(out: &mut String, indent: usize, doc: &str) {
    let doc = doc.replace('&', "&amp;");
    let doc = doc.replace('<', "&lt;").replace('>', "&gt;");
    let text = format!("<summary>{doc}</summary>");
    let mut row = String::new();
    for word in text.split(' ') {
        if !row.is_empty() && indent + 5 + row.len() + word.len() > 100 {
            line(out, indent, &format!("/// {row}"));
            row.clear();
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(word);
    }
    line(out, indent, &format!("/// {row}"));
}

/// `speed_m_s` becomes `SpeedMPerS`, beside which `LeaseMs` is milliseconds.
fn pascal(name: &str) -> String {
    let name = match name.strip_suffix("_m_s").or(name.strip_suffix("_rad_s")) {
        Some(_) => name[..name.len() - 2].to_owned() + "_per_s",
        None => name.to_owned(),
    };
    let part = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split(['_', '.']).map(part).collect()
}

/// Name of a field: a member cannot have the name of its type.
fn member(owner: &str, field: &FieldLayout) -> String {
    let name = pascal(field.name);
    if name != owner {
        return name;
    }
    let is_list = matches!(field.of, Type::List { .. });
    if is_list { "Items" } else { "Value" }.to_owned()
}

fn unsigned(bits: u32) -> &'static str {
    match bits {
        8 => "byte",
        16 => "ushort",
        32 => "uint",
        64 => "ulong",
        _ => unreachable!("an integer of {bits} bits"),
    }
}

fn is_text(layout: &CodesLayout) -> bool {
    layout.values.iter().all(|value| value.doc.is_empty())
}

fn code_type(out: &mut String, layout: &CodesLayout, is_sum: bool) {
    let name = pascal(layout.name);
    out.push('\n');
    summary(out, 4, &layout.doc);
    if is_text(layout) {
        line(out, 4, &format!("public static class {name}"));
        line(out, 4, "{");
        line(
            out,
            8,
            "/// <summary>Says what a code means; null for one of a newer version.</summary>",
        );
        line(out, 8, "public static string Text(int code)");
        line(out, 8, "{");
        line(out, 12, "switch (code)");
        line(out, 12, "{");
        for value in &layout.values {
            line(
                out,
                16,
                &format!("case {}: return {:?};", value.code, value.name),
            );
        }
        line(out, 16, "default: return null;");
        line(out, 12, "}");
        line(out, 8, "}");
        line(out, 4, "}");
        return;
    }
    if is_sum {
        line(out, 4, "[System.Flags]");
    }
    line(
        out,
        4,
        &format!("public enum {name} : {}", unsigned(layout.bits)),
    );
    line(out, 4, "{");
    if is_sum {
        summary(out, 8, "Nothing.");
        line(out, 8, "None = 0,");
        out.push('\n');
    }
    for (index, value) in layout.values.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        summary(out, 8, &value.doc);
        let shouted = value.name.to_uppercase() == value.name;
        let name = if shouted {
            pascal(&value.name.to_lowercase())
        } else {
            value.name.to_owned()
        };
        line(out, 8, &format!("{name} = {},", value.code));
    }
    line(out, 4, "}");
}

/// The enumeration of a field that holds a code, if it has one.
fn enumeration(owner: &str, field: &FieldLayout) -> Option<String> {
    let name = codes_of(owner, field)?;
    let mut all = codes().into_iter().chain(flags());
    let layout = all.find(|layout| layout.name == name)?;
    (!is_text(&layout)).then(|| pascal(name))
}

fn type_name(owner: &str, field: &FieldLayout) -> String {
    enumeration(owner, field).unwrap_or_else(|| plain_type(&field.of))
}

fn plain_type(of: &Type) -> String {
    match of {
        Type::Unsigned(bits) => unsigned(*bits).to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Float | Type::NonNegative | Type::Limit => "double".to_owned(),
        Type::Pose => "Pose3d".to_owned(),
        Type::Name | Type::Text(_) => "string".to_owned(),
        Type::Array(of, 3) if **of == Type::Float => "Vector3d".to_owned(),
        Type::Array(of, count) => unreachable!("{count} times {of:?}"),
        Type::Code(codes) => pascal(codes.name),
        Type::Record(record) => record.name.to_owned(),
        Type::Words(words) => words.name.to_owned(),
        Type::List { of, .. } => format!("List<{}>", plain_type(of)),
    }
}

/// The call that writes a field.
fn write(owner: &str, field: &FieldLayout) -> String {
    let (name, said) = (member(owner, field), field.name);
    match &field.of {
        Type::Unsigned(bits) => match enumeration(owner, field) {
            Some(_) => format!("output.U{bits}(({}){name});", unsigned(*bits)),
            None => format!("output.U{bits}({name});"),
        },
        Type::Code(codes) => {
            format!("output.U{}(({}){name});", codes.bits, unsigned(codes.bits))
        }
        Type::Bool => format!("output.Bool({name});"),
        Type::Float | Type::NonNegative | Type::Limit => format!("output.F64({name});"),
        Type::Pose => format!("output.Pose({name});"),
        Type::Name => format!("output.Text({name}, 64, {said:?});"),
        Type::Text(bytes) => format!("output.Text({name}, {bytes}, {said:?});"),
        Type::Array(..) => format!("output.Vector({name});"),
        Type::List { max, .. } => format!(
            "output.Count({name}.Count, {max}, {said:?});\n            \
             foreach (var item in {name}) item.Write(output);"
        ),
        other => unreachable!("{other:?} in a message"),
    }
}

/// The call that reads a field.
fn read(owner: &str, field: &FieldLayout) -> String {
    let (name, said) = (member(owner, field), field.name);
    let value = match &field.of {
        Type::Unsigned(bits) => match enumeration(owner, field) {
            Some(of) => format!("({of})input.U{bits}({said:?})"),
            None => format!("input.U{bits}({said:?})"),
        },
        Type::Code(codes) => format!("({})input.U{}({said:?})", pascal(codes.name), codes.bits),
        Type::Bool => format!("input.Bool({said:?})"),
        Type::Float => format!("input.Finite({said:?})"),
        Type::NonNegative => format!("input.NonNegative({said:?})"),
        Type::Limit => format!("input.Limit({said:?})"),
        Type::Pose => format!("input.Pose({said:?})"),
        Type::Name => format!("input.Text(64, {said:?})"),
        Type::Text(bytes) => format!("input.Text({bytes}, {said:?})"),
        Type::Array(..) => format!("input.Vector({said:?})"),
        Type::List { of, max } => {
            return format!(
                "{name}.Clear();\n            \
                 for (var left = input.Count({max}, {said:?}); left > 0; left--)\n            \
                 {{\n                \
                 var item = new {}();\n                \
                 item.Read(input);\n                \
                 {name}.Add(item);\n            \
                 }}",
                plain_type(of)
            );
        }
        other => unreachable!("{other:?} in a message"),
    };
    format!("{name} = {value};")
}

fn fields(out: &mut String, layout: &RecordLayout) {
    for (index, field) in layout.fields.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        summary(out, 8, &field.doc);
        let (of, name) = (type_name(layout.name, field), member(layout.name, field));
        let start = match field.of {
            Type::List { .. } => format!(" = new {of}()"),
            _ => String::new(),
        };
        let only = if start.is_empty() { "" } else { "readonly " };
        line(out, 8, &format!("public {only}{of} {name}{start};"));
    }
    if !layout.fields.is_empty() {
        out.push('\n');
    }
}

/// Writes the two methods between bytes and fields.
fn codec(out: &mut String, layout: &RecordLayout, modifier: &str) {
    for (head, each, reserved) in [
        (
            "void Write(PacketWriter output)",
            write as fn(&str, &FieldLayout) -> String,
            "output.Zeros",
        ),
        ("void Read(PacketReader input)", read, "input.Zeros"),
    ] {
        if head.starts_with("void Read") {
            out.push('\n');
        }
        line(out, 8, &format!("internal {modifier}{head}"));
        line(out, 8, "{");
        for field in &layout.fields {
            line(out, 12, &each(layout.name, field));
        }
        if layout.reserved > 0 {
            line(out, 12, &format!("{reserved}({});", layout.reserved));
        }
        line(out, 8, "}");
    }
}

fn record(out: &mut String, layout: &RecordLayout) {
    out.push('\n');
    summary(out, 4, &layout.doc);
    line(out, 4, &format!("public struct {}", layout.name));
    line(out, 4, "{");
    fields(out, layout);
    codec(out, layout, "");
    line(out, 4, "}");
}

fn message(out: &mut String, layout: &MessageLayout) {
    let body = &layout.body;
    out.push('\n');
    summary(out, 4, &body.doc);
    let base = match layout.answers.first() {
        Some(answer) => format!("Request<{answer}>"),
        None => "Message".to_owned(),
    };
    line(
        out,
        4,
        &format!("public sealed class {} : {base}", body.name),
    );
    line(out, 4, "{");
    fields(out, body);
    line(
        out,
        8,
        "/// <summary>Number of this kind of message.</summary>",
    );
    line(
        out,
        8,
        &format!(
            "public override ushort WireKind {{ get {{ return {:#06x}; }} }}",
            layout.kind
        ),
    );
    out.push('\n');
    let descriptors = match layout.descriptors {
        Descriptors::Fixed(0) => None,
        Descriptors::Fixed(count) => Some(count.to_string()),
        Descriptors::OneForEach(list) => {
            let field = body.fields.iter().find(|field| field.name == list).unwrap();
            Some(format!("{}.Count", member(body.name, field)))
        }
    };
    if let Some(count) = descriptors {
        line(
            out,
            8,
            "/// <summary>Descriptors that come with it on the daemon's own socket.</summary>",
        );
        line(
            out,
            8,
            &format!("public override int WireDescriptors {{ get {{ return {count}; }} }}"),
        );
        out.push('\n');
    }
    codec(out, body, "override ");
    line(out, 4, "}");
}

fn words_type(out: &mut String, layout: &WordsLayout) {
    out.push('\n');
    summary(out, 4, &layout.doc);
    line(out, 4, &format!("public struct {}", layout.name));
    line(out, 4, "{");
    line(out, 8, "/// <summary>Number of words.</summary>");
    line(
        out,
        8,
        &format!("public const int WordCount = {};", layout.words),
    );
    for place in &layout.places {
        out.push('\n');
        summary(out, 8, &place.field.doc);
        let of = type_name(layout.name, &place.field);
        let name = member(layout.name, &place.field);
        line(out, 8, &format!("public {of} {name};"));
    }
    out.push('\n');
    line(
        out,
        8,
        "/// <summary>Reads it from `WordCount` words that begin at this byte.</summary>",
    );
    line(
        out,
        8,
        &format!("public static {} Read(byte[] data, int at)", layout.name),
    );
    line(out, 8, "{");
    line(out, 12, &format!("{} value;", layout.name));
    for place in &layout.places {
        let name = member(layout.name, &place.field);
        let part = part(layout.name, place);
        line(out, 12, &format!("value.{name} = {part};"));
    }
    line(out, 12, "return value;");
    line(out, 8, "}");
    line(out, 4, "}");
}

fn part(owner: &str, place: &PlaceLayout) -> String {
    let field = &place.field;
    assert_eq!(place.bit % 8, 0, "{} begins within a byte", field.name);
    let at = match place.word * 8 + place.bit as usize / 8 {
        0 => "at".to_owned(),
        offset => format!("at + {offset}"),
    };
    let value = match &field.of {
        Type::Unsigned(bits) => format!("Word.U{bits}(data, {at})"),
        Type::Bool => format!("(data[{at}] & 1) == 1"),
        Type::Float => format!("Word.F64(data, {at})"),
        Type::Pose => format!("Word.Pose(data, {at})"),
        Type::Array(..) => format!("Word.Vector(data, {at})"),
        Type::Words(inner) => format!("{}.Read(data, {at})", inner.name),
        other => unreachable!("{other:?} in a block"),
    };
    match enumeration(owner, field) {
        Some(of) => format!("({of}){value}"),
        None => value,
    }
}
