//! `clients/python/hapticd/messages.py`: messages, codes and blocks as Python classes.

use hapticd_protocol::layout::{
    CodesLayout, Descriptors, FieldLayout, MessageLayout, RecordLayout, Type, WordsLayout, codes,
    constants, flags, messages, words,
};

const HEAD: &str = r#"# Generated from clients/protocol: UPDATE_GENERATED=1 cargo test -p hapticd-protocol
"""Messages, codes and blocks of the protocol, as the daemon's own crate declares them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import ClassVar

from ._words import F64, U16, U32, U64, Message, Pose, Record, Vector, Words, pose, vector
"#;

/// Returns the module.
pub fn module() -> String {
    let mut out = String::from(HEAD);
    out.push('\n');
    for constant in constants() {
        out.push_str(&format!(
            "{} = {}\n\"\"\"{}\"\"\"\n",
            constant.name, constant.value, constant.doc
        ));
    }
    for layout in codes() {
        code_class(&mut out, &layout, "IntEnum");
    }
    for layout in flags() {
        code_class(&mut out, &layout, "IntFlag");
    }
    let all = messages();
    for layout in crate::records(&all) {
        out.push_str(&format!(
            "\n\n@dataclass(slots=True)\nclass {}(Record):\n",
            layout.name
        ));
        members(&mut out, &layout);
    }
    for (name, list) in [
        ("REQUESTS", &all.requests),
        ("REPLIES", &all.replies),
        ("EVENTS", &all.events),
        ("GATEWAY_REQUESTS", &all.gateway_requests),
        ("GATEWAY_MESSAGES", &all.gateway_messages),
    ] {
        for layout in list {
            message_class(&mut out, layout);
        }
        out.push_str(&format!("\n\n{name}: dict[int, type[Message]] = {{\n"));
        for layout in list {
            out.push_str(&format!(
                "    {:#06x}: {},\n",
                layout.kind,
                class_name(&layout.body)
            ));
        }
        out.push_str("}\n");
    }
    let mut layouts = words();
    // A structure stands before the one that has it.
    layouts.sort_by_key(|layout| layout.words);
    for layout in layouts {
        words_class(&mut out, &layout);
    }
    out
}

/// `Error` would hide nothing of Python's, but says too little beside exceptions.
fn class_name(layout: &RecordLayout) -> String {
    layout.name.to_owned()
}

/// `WaitingSmallForce` becomes `WAITING_SMALL_FORCE`.
fn upper(name: &str) -> String {
    let mut out = String::new();
    let mut before_is_lower = false;
    for character in name.chars() {
        if character.is_uppercase() && before_is_lower {
            out.push('_');
        }
        before_is_lower = character.is_lowercase() || character.is_numeric();
        out.extend(character.to_uppercase());
    }
    out
}

/// `skin_flag` becomes `SkinFlag`.
fn camel(name: &str) -> String {
    let part = |part: &str| {
        let (first, rest) = part.split_at(1);
        first.to_uppercase() + rest
    };
    name.split('_').map(part).collect()
}

fn code_class(out: &mut String, layout: &CodesLayout, base: &str) {
    if layout.values.iter().all(|value| value.doc.is_empty()) {
        let name = upper(layout.name);
        out.push_str(&format!("\n\n{name}: dict[int, str] = {{\n"));
        for value in &layout.values {
            out.push_str(&format!("    {}: \"{}\",\n", value.code, value.name));
        }
        out.push_str(&format!("}}\n\"\"\"{}\"\"\"\n", layout.doc));
        return;
    }
    let name = camel(layout.name);
    out.push_str(&format!("\n\nclass {name}({base}):\n"));
    docstring(out, &layout.doc, 4);
    for value in &layout.values {
        out.push_str(&format!("\n    {} = {}\n", upper(value.name), value.code));
        docstring(out, &value.doc, 4);
    }
    if base == "IntEnum" {
        let texts = upper(layout.name) + "_TEXT";
        out.push_str(&format!("\n\n{texts}: dict[int, str] = {{\n"));
        for value in &layout.values {
            out.push_str(&format!("    {}: {:?},\n", value.code, value.doc));
        }
        out.push_str(&format!("}}\n\"\"\"What each {name} means.\"\"\"\n"));
    }
}

/// Writes a docstring, wrapped at 100 columns.
fn docstring(out: &mut String, doc: &str, indent: usize) {
    let margin = " ".repeat(indent);
    let mut line = format!("{margin}\"\"\"");
    let mut lines = Vec::new();
    for word in doc.split(' ') {
        if line.trim() != "\"\"\"" && line.len() + 1 + word.len() > 97 {
            lines.push(std::mem::replace(&mut line, margin.clone()));
        } else if !line.ends_with('"') && line != margin {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line + "\"\"\"");
    out.push_str(&lines.join("\n"));
    out.push('\n');
}

fn message_class(out: &mut String, layout: &MessageLayout) {
    out.push_str(&format!(
        "\n\n@dataclass(slots=True)\nclass {}(Message):\n",
        class_name(&layout.body)
    ));
    docstring(out, &layout.body.doc, 4);
    out.push_str(&format!(
        "\n    KIND: ClassVar[int] = {:#06x}\n",
        layout.kind
    ));
    if !layout.answers.is_empty() {
        let answers: Vec<_> = layout
            .answers
            .iter()
            .map(|answer| format!("\"{answer}\""))
            .collect();
        let comma = if answers.len() == 1 { "," } else { "" };
        out.push_str(&format!(
            "    ANSWERS: ClassVar[tuple[str, ...]] = ({}{comma})\n",
            answers.join(", ")
        ));
    }
    match layout.descriptors {
        Descriptors::Fixed(0) => {}
        Descriptors::Fixed(count) => {
            out.push_str(&format!("    DESCRIPTORS: ClassVar[int | str] = {count}\n"));
        }
        Descriptors::OneForEach(list) => {
            out.push_str(&format!(
                "    DESCRIPTORS: ClassVar[int | str] = \"{list}\"\n"
            ));
        }
    }
    fields(out, &layout.body);
}

fn members(out: &mut String, layout: &RecordLayout) {
    docstring(out, &layout.doc, 4);
    out.push('\n');
    fields(out, layout);
}

fn fields(out: &mut String, layout: &RecordLayout) {
    let spec = |field: &FieldLayout| format!("(\"{}\", \"{}\")", field.name, spec(&field.of));
    let specs: Vec<_> = layout.fields.iter().map(spec).collect();
    out.push_str("    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = (\n");
    for spec in specs {
        out.push_str(&format!("        {spec},\n"));
    }
    out.push_str("    )\n");
    out.push_str(&format!(
        "    RESERVED: ClassVar[int] = {}\n",
        layout.reserved
    ));
    for field in &layout.fields {
        out.push_str(&format!("\n    {}: {}", field.name, annotation(&field.of)));
        if let Some(default) = default(&field.of) {
            out.push_str(&format!(" = {default}"));
        }
        out.push('\n');
        docstring(out, &field.doc, 4);
    }
}

/// How `_words` finds the codec of a field.
pub fn spec(of: &Type) -> String {
    match of {
        Type::Text(bytes) => format!("text:{bytes}"),
        Type::Array(of, count) => format!("{}*{count}", of.name()),
        Type::Code(codes) => format!("code:u{}:{}", codes.bits, codes.name),
        Type::Record(record) => format!("record:{}", record.name),
        Type::List { of, max } => format!("list:{}:{max}", of.name()),
        other => other.name(),
    }
}

fn annotation(of: &Type) -> String {
    match of {
        Type::Unsigned(_) => "int".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Float | Type::NonNegative | Type::Limit => "float".to_owned(),
        Type::Pose => "Pose".to_owned(),
        Type::Name | Type::Text(_) => "str".to_owned(),
        Type::Array(..) => "Vector".to_owned(),
        Type::Code(codes) => camel(codes.name),
        Type::Record(record) => record.name.to_owned(),
        Type::Words(words) => words.name.to_owned(),
        Type::List { of, .. } => format!("list[{}]", annotation(of)),
    }
}

/// What a field is where it is not given: such a message can be made empty and filled.
fn default(of: &Type) -> Option<&'static str> {
    match of {
        Type::List { .. } => Some("field(default_factory=list)"),
        _ => None,
    }
}

fn words_class(out: &mut String, layout: &WordsLayout) {
    out.push_str(&format!("\n\nclass {}(Words):\n", layout.name));
    docstring(out, &layout.doc, 4);
    out.push_str(&format!("\n    WORDS: ClassVar[int] = {}\n", layout.words));
    let names = layout
        .places
        .iter()
        .map(|place| format!("        \"{}\",\n", place.field.name));
    out.push_str("    NAMES: ClassVar[tuple[str, ...]] = (\n");
    out.extend(names);
    out.push_str("    )\n    __slots__ = ()\n");
    for place in &layout.places {
        assert_eq!(
            place.bit % 8,
            0,
            "{} begins within a byte",
            place.field.name
        );
        let offset = place.word * 8 + place.bit as usize / 8;
        let of = &place.field.of;
        let value = match of {
            Type::Unsigned(8) => format!("self.data[{offset}]"),
            Type::Bool => format!("self.data[{offset}] & 1 == 1"),
            Type::Unsigned(bits) => format!("int(U{bits}(self.data, {offset})[0])"),
            Type::Float => format!("float(F64(self.data, {offset})[0])"),
            Type::Pose => format!("pose(self.data, {offset})"),
            Type::Array(_, count) => format!("vector(self.data, {offset}, {count})"),
            Type::Words(inner) => {
                format!(
                    "{}(self.data[{offset} : {}])",
                    inner.name,
                    offset + inner.words * 8
                )
            }
            other => unreachable!("{other:?} in a block"),
        };
        out.push_str(&format!(
            "\n    @property\n    def {}(self) -> {}:\n",
            place.field.name,
            annotation(of)
        ));
        docstring(out, &place.field.doc, 8);
        out.push_str(&format!("        return {value}\n"));
    }
}
