//! `clients/browser/hapticd/layout.js`: messages, codes and blocks as tables for one codec, and
//! their types for TypeScript's compiler.

use crate::python::spec;
use hapticd_protocol::layout::{
    CodesLayout, Descriptors, FieldLayout, MessageLayout, RecordLayout, Type, WordsLayout, blocks,
    codes, constants, flags, messages, rows, words,
};

const HEAD: &str = "\
// @ts-check
// Generated from clients/protocol: UPDATE_GENERATED=1 cargo test -p hapticd-protocol
/**
 * Messages, codes and blocks of the protocol, as the daemon's own crate declares them.
 * Integers of 64 bits are `bigint`; a pose is seven numbers: x, y, z in m, then a quaternion
 * x, y, z, w.
 * @module
 */

/** @typedef {[number, number, number, number, number, number, number]} Pose */
";

/// Returns the module.
pub fn module() -> String {
    let mut out = String::from(HEAD);
    for constant in constants() {
        let suffix = if constant.value > 1 << 53 { "n" } else { "" };
        out.push_str(&format!(
            "\n/** {} */\nexport const {} = {}{suffix};\n",
            constant.doc, constant.name, constant.value
        ));
    }
    for layout in codes().iter().chain(&flags()) {
        code_table(&mut out, layout);
    }
    let all = messages();
    for record in crate::records(&all) {
        typedef(&mut out, record.name, &record.doc, &record.fields);
    }
    for layout in all.all() {
        typedef(
            &mut out,
            layout.body.name,
            &layout.body.doc,
            &layout.body.fields,
        );
    }
    out.push_str(
        "\n/** Structures within messages. */\nexport const RECORDS = /** @type {const} */ ({\n",
    );
    for record in crate::records(&all) {
        out.push_str(&format!("  {}: {{\n", record.name));
        record_members(&mut out, &record);
    }
    out.push_str("});\n");
    for (name, doc, list) in [
        ("REQUESTS", "From client to daemon.", &all.requests),
        (
            "REPLIES",
            "From daemon to client, with the id of a request.",
            &all.replies,
        ),
        ("EVENTS", "From daemon to client, with id 0.", &all.events),
        (
            "GATEWAY_REQUESTS",
            "From client to gateway.",
            &all.gateway_requests,
        ),
        (
            "GATEWAY_MESSAGES",
            "From gateway to client, with id 0.",
            &all.gateway_messages,
        ),
    ] {
        message_table(&mut out, name, doc, list);
    }
    for layout in words() {
        words_typedef(&mut out, &layout);
    }
    out.push_str(
        "\n/** Values at fixed places: name, word, bit, type. */\nexport const WORDS = {\n",
    );
    for layout in words() {
        out.push_str(&format!(
            "  {}: {{\n    words: {},\n    fields: [\n",
            layout.name, layout.words
        ));
        for place in &layout.places {
            let of = match &place.field.of {
                Type::Words(inner) => format!("words:{}", inner.name),
                other => spec(other),
            };
            out.push_str(&format!(
                "      [{:?}, {}, {}, {of:?}],\n",
                place.field.name, place.word, place.bit
            ));
        }
        out.push_str("    ],\n  },\n");
    }
    out.push_str("};\n");
    block_table(&mut out);
    out
}

/// What the payload of each kind of block begins with, and what follows.
fn block_table(out: &mut String) {
    out.push_str("\n/** Payloads of blocks by kind. */\nexport const BLOCKS = {\n");
    for block in blocks() {
        let name = format!("{:?}", block.kind);
        out.push_str(&format!(
            "  {}: {{ name: {name:?}, payload: {:?}",
            block.kind.code(),
            block.payload
        ));
        if let Some((of, max)) = block.list {
            out.push_str(&format!(", list: {{ of: {of:?}, max: {max} }}"));
        }
        let lists: Vec<_> = rows(&name)
            .iter()
            .map(|row| format!("[{:?}, {:?}]", row.name, row.of))
            .collect();
        if !lists.is_empty() {
            out.push_str(&format!(", rows: [{}]", lists.join(", ")));
        }
        out.push_str(" },\n");
    }
    out.push_str("};\n");
}

/// Writes a comment, wrapped at 100 columns.
fn comment(out: &mut String, indent: &str, text: &str) {
    let (mut line, mut lines) = (String::new(), Vec::new());
    for word in text.replace("*/", "* /").split(' ') {
        if !line.is_empty() && indent.len() + line.len() + word.len() > 92 {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    if let [only] = &lines[..] {
        out.push_str(&format!("{indent}/** {only} */\n"));
        return;
    }
    out.push_str(&format!("{indent}/**\n"));
    for line in lines {
        out.push_str(&format!("{indent} * {line}\n"));
    }
    out.push_str(&format!("{indent} */\n"));
}

fn code_table(out: &mut String, layout: &CodesLayout) {
    out.push('\n');
    comment(out, "", &layout.doc);
    let is_text = layout.values.iter().all(|value| value.doc.is_empty());
    if is_text {
        out.push_str(&format!(
            "/** @type {{Record<number, string>}} */\nexport const {} = {{\n",
            layout.name
        ));
    } else {
        out.push_str(&format!(
            "export const {} = /** @type {{const}} */ ({{\n",
            layout.name
        ));
    }
    for value in &layout.values {
        if is_text {
            out.push_str(&format!("  {}: {:?},\n", value.code, value.name));
        } else {
            comment(out, "  ", &value.doc);
            out.push_str(&format!("  {}: {},\n", value.name, value.code));
        }
    }
    out.push_str(if is_text { "};\n" } else { "});\n" });
}

/// Writes the type of a structure as one typedef with a property a line.
fn typedef(out: &mut String, name: &str, doc: &str, fields: &[FieldLayout]) {
    let mut text = String::new();
    comment(&mut text, "", doc);
    let inner = text
        .trim_start_matches("/**")
        .trim_end()
        .trim_end_matches("*/")
        .trim()
        .trim_start_matches("* ");
    out.push_str(&format!("\n/**\n * {inner}\n"));
    if fields.is_empty() {
        out.push_str(&format!(
            " * @typedef {{Record<string, never>}} {name}\n */\n"
        ));
        return;
    }
    out.push_str(&format!(" * @typedef {{object}} {name}\n"));
    for field in fields {
        out.push_str(&format!(
            " * @property {{{}}} {} {}\n",
            annotation(&field.of),
            field.name,
            field.doc
        ));
    }
    out.push_str(" */\n");
}

fn words_typedef(out: &mut String, layout: &WordsLayout) {
    let fields: Vec<_> = layout
        .places
        .iter()
        .map(|place| place.field.clone())
        .collect();
    typedef(out, layout.name, &layout.doc, &fields);
}

fn annotation(of: &Type) -> String {
    match of {
        Type::Unsigned(64) => "bigint".to_owned(),
        Type::Unsigned(_) | Type::Code(_) => "number".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Float | Type::NonNegative | Type::Limit => "number".to_owned(),
        Type::Pose => "Pose".to_owned(),
        Type::Name | Type::Text(_) => "string".to_owned(),
        Type::Array(..) => "number[]".to_owned(),
        Type::Record(record) => record.name.to_owned(),
        Type::Words(words) => words.name.to_owned(),
        Type::List { of, .. } => format!("{}[]", annotation(of)),
    }
}

fn record_members(out: &mut String, layout: &RecordLayout) {
    out.push_str("    fields: [\n");
    for field in &layout.fields {
        out.push_str(&format!(
            "      [{:?}, {:?}],\n",
            field.name,
            spec(&field.of)
        ));
    }
    out.push_str(&format!(
        "    ],\n    reserved: {},\n  }},\n",
        layout.reserved
    ));
}

fn message_table(out: &mut String, name: &str, doc: &str, list: &[MessageLayout]) {
    let map = format!("{}Fields", camel(name));
    out.push_str(&format!("\n/**\n * {doc}\n * @typedef {{object}} {map}\n"));
    for layout in list {
        let name = layout.body.name;
        out.push_str(&format!(" * @property {{{name}}} {name}\n"));
    }
    out.push_str(&format!(
        " */\n\n/** {doc} */\nexport const {name} = /** @type {{const}} */ ({{\n"
    ));
    for layout in list {
        out.push_str(&format!("  {}: {{\n", layout.body.name));
        out.push_str(&format!("    kind: {:#06x},\n", layout.kind));
        let descriptors = match layout.descriptors {
            Descriptors::Fixed(count) => count.to_string(),
            Descriptors::OneForEach(list) => format!("{list:?}"),
        };
        out.push_str(&format!("    descriptors: {descriptors},\n"));
        if !layout.answers.is_empty() {
            out.push_str(&format!("    answers: {:?},\n", layout.answers));
        }
        record_members(out, &layout.body);
    }
    out.push_str("});\n");
}

/// `GATEWAY_REQUESTS` becomes `GatewayRequests`.
fn camel(name: &str) -> String {
    let part = |part: &str| part[..1].to_owned() + &part[1..].to_lowercase();
    name.split('_').map(part).collect()
}
