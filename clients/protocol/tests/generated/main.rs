//! The committed files that come from the protocol's layout, and a codec made of the layout alone.
//!
//! `UPDATE_GENERATED=1 cargo test -p hapticd-protocol` rewrites the files.

mod by_layout;
mod csharp;
mod document;
mod golden;
mod javascript;
mod json;
mod python;
#[path = "../samples/mod.rs"]
mod samples;

use std::path::Path;

use hapticd_protocol::layout::{RowsLayout, codes_of, rows};
use hapticd_protocol::{
    frame::{HEADER_BYTES, Message},
    layout::{
        BlockLayout, CodesLayout, Descriptors, FieldLayout, MessageLayout, Messages, PlaceLayout,
        RecordLayout, Type, WordsLayout, blocks, codes, constants, flags, messages, words,
    },
};
use json::Json;

fn type_members(of: &Type) -> Json {
    let name = |name: &str| Json::object([("type", Json::text(name))]);
    match of {
        Type::Text(bytes) => name("text").with("bytes", Json::number(bytes)),
        Type::Array(of, count) => type_members(of).with("count", Json::number(count)),
        Type::Code(codes) => name(&format!("u{}", codes.bits)).with("code", Json::text(codes.name)),
        Type::List { of, max } => name("list")
            .with("of", Json::text(of.name()))
            .with("max", Json::number(max)),
        other => name(&other.name()),
    }
}

fn field(structure: &str, layout: &FieldLayout, place: &[(&str, usize)]) -> Json {
    let Json::Object(of) = type_members(&layout.of) else {
        unreachable!()
    };
    let mut members = vec![("name".to_owned(), Json::text(layout.name))];
    members.extend(of.into_iter().filter(|(name, _)| name != "code"));
    if let Some(code) = codes_of(structure, layout) {
        members.push(("code".to_owned(), Json::text(code)));
    }
    for (name, value) in place {
        members.push(((*name).to_owned(), Json::number(value)));
    }
    if let Some((least, most)) = layout.range {
        let range = Json::List(vec![Json::number(least), Json::number(most)]);
        members.push(("range".to_owned(), range));
    }
    members.push(("doc".to_owned(), Json::text(&layout.doc)));
    Json::Object(members)
}

/// Fields with their offsets, as far as those are constant.
fn fields(layout: &RecordLayout) -> Vec<(Option<usize>, &FieldLayout)> {
    let mut at = Some(0);
    let mut result = Vec::new();
    for field in &layout.fields {
        result.push((at, field));
        at = at.zip(field.of.bytes()).map(|(at, bytes)| at + bytes);
    }
    result
}

fn record(layout: &RecordLayout) -> Json {
    let name = Json::object([("name", Json::text(layout.name))]);
    record_members(name, layout)
}

fn record_members(object: Json, layout: &RecordLayout) -> Json {
    let mut object = object;
    if let Some(bytes) = layout.bytes() {
        object = object.with("bytes", Json::number(bytes));
    }
    let list = fields(layout).into_iter();
    let list = list.map(|(at, of)| match at {
        Some(offset) => field(layout.name, of, &[("offset", offset)]),
        None => field(layout.name, of, &[]),
    });
    object
        .with("doc", Json::text(&layout.doc))
        .with("fields", Json::List(list.collect()))
        .with("reserved", Json::number(layout.reserved))
}

fn message(layout: &MessageLayout) -> Json {
    let descriptors = match layout.descriptors {
        Descriptors::Fixed(count) => Json::number(count),
        Descriptors::OneForEach(list) => Json::object([("one_for_each", Json::text(list))]),
    };
    let mut object = Json::object([
        ("name", Json::text(layout.body.name)),
        ("kind", Json::number(layout.kind)),
        ("descriptors", descriptors),
    ]);
    if !layout.answers.is_empty() {
        let answers = layout.answers.iter().map(|answer| Json::text(*answer));
        object = object.with("answers", Json::List(answers.collect()));
    }
    record_members(object, &layout.body)
}

fn code_list(layout: &CodesLayout) -> Json {
    let value = |value: &hapticd_protocol::layout::CodeLayout| {
        Json::object([
            ("name", Json::text(value.name)),
            ("code", Json::number(value.code)),
            ("doc", Json::text(&value.doc)),
        ])
    };
    Json::object([
        ("name", Json::text(layout.name)),
        ("bits", Json::number(layout.bits)),
        ("doc", Json::text(&layout.doc)),
        (
            "values",
            Json::List(layout.values.iter().map(value).collect()),
        ),
    ])
}

fn word_list(layout: &WordsLayout) -> Json {
    let value = |place: &PlaceLayout| {
        let bits = place.field.of.bits().unwrap();
        let at = [
            ("word", place.word),
            ("bit", place.bit as usize),
            ("bits", bits),
        ];
        field(layout.name, &place.field, &at)
    };
    Json::object([
        ("name", Json::text(layout.name)),
        ("words", Json::number(layout.words)),
        ("doc", Json::text(&layout.doc)),
        (
            "fields",
            Json::List(layout.places.iter().map(value).collect()),
        ),
    ])
}

/// Types of fields: how many bytes each has, and what values are taken.
fn types() -> Json {
    let types = [
        ("u8", 1, "Unsigned integer, little-endian."),
        ("u16", 2, "Unsigned integer, little-endian."),
        ("u32", 4, "Unsigned integer, little-endian."),
        ("u64", 8, "Unsigned integer, little-endian."),
        ("bool", 1, "0 or 1. One bit in a block."),
        ("f64", 8, "Finite. Any value in a block."),
        ("positive", 8, "f64, finite, 0 or more."),
        ("limit", 8, "f64, 0 or more; infinity for no limit."),
        (
            "pose",
            56,
            "7 f64: translation x, y, z in m, then a unit quaternion x, y, z, w.",
        ),
        (
            "name",
            64,
            "UTF-8, 1 to 63 bytes on one line, zeros behind it.",
        ),
        (
            "text",
            0,
            "UTF-8, at most `bytes` - 1 bytes, zeros behind it.",
        ),
        ("list", 0, "u32 count, four zero bytes, then the elements."),
    ];
    let row = |(name, bytes, doc): (&str, usize, &str)| {
        let object = Json::object([("name", Json::text(name))]);
        let object = match bytes {
            0 => object,
            _ => object.with("bytes", Json::number(bytes)),
        };
        object.with("doc", Json::text(doc))
    };
    Json::List(types.map(row).to_vec())
}

fn block(layout: &BlockLayout) -> Json {
    let mut object = Json::object([
        ("kind", Json::number(layout.kind.code())),
        ("name", Json::text(format!("{:?}", layout.kind))),
        ("payload", Json::text(layout.payload)),
    ]);
    if let Some((of, max)) = layout.list {
        let list = Json::object([("of", Json::text(of)), ("max", Json::number(max))]);
        object = object.with("list", list);
    }
    if let Some(words) = layout.payload_words {
        object = object.with("payload_words", Json::number(words));
    }
    let name = format!("{:?}", layout.kind);
    let lists = rows(&name);
    if !lists.is_empty() {
        if name == "Skin" {
            object = object.with("slots", Json::number(hapticd_protocol::block::SKIN_SLOTS));
        }
        object = object.with("rows", Json::List(lists.iter().map(row).collect()));
    }
    object
}

fn row(layout: &RowsLayout) -> Json {
    Json::object([
        ("name", Json::text(layout.name)),
        ("type", Json::text(layout.of)),
        ("rows", Json::text(layout.count)),
        ("columns", Json::number(3)),
        ("doc", Json::text(layout.doc)),
    ])
}

/// A mesh in a memory file.
fn mesh() -> Json {
    let field = |name: &str, of: &str, offset: usize, doc: &str| {
        Json::object([
            ("name", Json::text(name)),
            ("type", Json::text(of)),
            ("offset", Json::number(offset)),
            ("doc", Json::text(doc)),
        ])
    };
    let list = |name: &str, of: &str, rows: &str, doc: &str| {
        Json::object([
            ("name", Json::text(name)),
            ("type", Json::text(of)),
            ("rows", Json::text(rows)),
            ("columns", Json::number(3)),
            ("doc", Json::text(doc)),
        ])
    };
    Json::object([
        (
            "doc",
            Json::text(
                "A sealed memory file. The second list begins at a multiple of 8 bytes, with \
                 zeros before it; the file ends with it.",
            ),
        ),
        (
            "fields",
            Json::List(vec![
                field("magic", "u64", 0, "`MESH_MAGIC`."),
                field("version", "u32", 8, "`MESH_VERSION`."),
                field("coordinate_bytes", "u32", 12, "4 (f32) or 8 (f64)."),
                field("vertices", "u32", 16, "Number of vertices."),
                field("triangles", "u32", 20, "Number of triangles."),
                field("reserved", "u64", 24, "Zero."),
            ]),
        ),
        (
            "rows",
            Json::List(vec![
                list(
                    "positions",
                    "f32 or f64",
                    "vertices",
                    "x, y, z in the body's frame, m.",
                ),
                list(
                    "triangles",
                    "u32",
                    "triangles",
                    "Indices of three vertices, counter-clockwise seen from outside.",
                ),
            ]),
        ),
    ])
}

/// Structures that fields refer to, each once.
fn records(all: &Messages) -> Vec<RecordLayout> {
    let mut found: Vec<RecordLayout> = Vec::new();
    for field in all.all().flat_map(|message| &message.body.fields) {
        let Type::List { of, .. } = &field.of else {
            continue;
        };
        if let Type::Record(record) = &**of
            && !found.iter().any(|known| known.name == record.name)
        {
            found.push((**record).clone());
        }
    }
    found
}

/// Returns `clients/protocol/layout.json`.
fn layout_json() -> String {
    let all = messages();
    let list = |layouts: &[MessageLayout]| Json::List(layouts.iter().map(message).collect());
    let constant = |constant: hapticd_protocol::layout::ConstantLayout| {
        Json::object([
            ("name", Json::text(constant.name)),
            // As a text: not every language's numbers hold 64 bits.
            ("value", Json::text(constant.value.to_string())),
            ("doc", Json::text(constant.doc)),
        ])
    };
    let about = [
        "Generated from clients/protocol/src: UPDATE_GENERATED=1 cargo test -p hapticd-protocol.",
        "Everything is little-endian and packed.",
        "header stands before every message. Offsets of fields are bytes of the body, behind it.",
        "reserved: number of zero bytes behind the last field of a body or record.",
        "descriptors: number that comes with a message, or one for each element of a list.",
        "words: fields at fixed places of 64-bit words; word and bit count from the structure's \
         first, bits without a field are zero. HeaderWords begins every block, BodyHeader stands \
         at word 5 of a surface and a skin.",
        "blocks: at SEQUENCE_WORD the sequence, at PAYLOAD_WORD the payload: its fixed words, then \
         the elements of list one behind the other, or the rows one list behind the other, each \
         from a whole word on. A skin has two slots of sequence and payload, with room for the \
         counts of BodyHeader. Triangles of a surface never change.",
        "Numbers of 64 bits are texts.",
    ];
    let about = about.iter().map(|line| Json::text(*line)).collect();
    Json::object([
        ("about", Json::List(about)),
        (
            "constants",
            Json::List(constants().into_iter().map(constant).collect()),
        ),
        ("header", record(&hapticd_protocol::frame::header_layout())),
        ("codes", Json::List(codes().iter().map(code_list).collect())),
        ("flags", Json::List(flags().iter().map(code_list).collect())),
        (
            "records",
            Json::List(records(&all).iter().map(record).collect()),
        ),
        ("requests", list(&all.requests)),
        ("replies", list(&all.replies)),
        ("events", list(&all.events)),
        ("gateway_requests", list(&all.gateway_requests)),
        ("gateway_messages", list(&all.gateway_messages)),
        ("types", types()),
        ("blocks", Json::List(blocks().iter().map(block).collect())),
        ("words", Json::List(words().iter().map(word_list).collect())),
        ("mesh", mesh()),
    ])
    .pretty()
}

#[test]
fn generated_files_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
    let document = "docs/protocol.md";
    let files = [
        ("clients/protocol/layout.json", layout_json()),
        ("clients/protocol/golden.json", golden::json()),
        ("clients/python/hapticd/messages.py", python::module()),
        ("clients/browser/hapticd/layout.js", javascript::module()),
        (
            "clients/csharp/dev.hapticd.unity/Runtime/Core/Messages.cs",
            csharp::module(),
        ),
        (document, document::with_tables(&read(document))),
    ];
    for (name, fresh) in files {
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(root.join(name), &fresh).unwrap();
        }
        assert!(
            read(name) == fresh,
            "{name} is out of date: run UPDATE_GENERATED=1 cargo test -p hapticd-protocol"
        );
    }
}

/// Every sample is read and written by the layout as the crate reads and writes it.
fn agrees<M: Message>(samples: &[M], layouts: &[MessageLayout]) {
    assert_eq!(samples.len(), layouts.len());
    for (sample, layout) in samples.iter().zip(layouts) {
        assert_eq!(sample.kind(), layout.kind);
        let packet = sample.encode(7);
        let body = &packet[HEADER_BYTES..];
        let value = by_layout::decode(layout, body);
        let mut written = Vec::new();
        by_layout::encode(&layout.body, &value, &mut written);
        assert_eq!(written, body, "{}", layout.body.name);
        let fixed = layout.body.bytes();
        assert!(
            fixed.is_none_or(|bytes| bytes == body.len()),
            "{}",
            layout.body.name
        );
    }
}

#[test]
fn the_layout_reads_and_writes_every_message() {
    let all = messages();
    agrees(&samples::requests(), &all.requests);
    agrees(&samples::replies(), &all.replies);
    agrees(&samples::events(), &all.events);
    agrees(&samples::gateway_requests(), &all.gateway_requests);
    agrees(&samples::gateway_messages(), &all.gateway_messages);
}

#[test]
fn the_layout_names_the_fields_that_a_message_has() {
    let all = messages();
    let (kind, packet) = (0x0105, samples::requests()[4].encode(7));
    let layout = all
        .requests
        .iter()
        .find(|layout| layout.kind == kind)
        .unwrap();
    let value = by_layout::decode(layout, &packet[HEADER_BYTES..]);
    let pose = ["1", "-2", "3", "0.5", "-0.5", "0.5", "0.5"].map(Json::number);
    let expected = Json::object([
        ("world_from_body", Json::List(pose.to_vec())),
        ("speed_m_s", Json::number(0.5)),
        ("body", Json::number(7)),
        ("lease_ms", Json::number(200)),
    ]);
    assert_eq!(value, expected);
}
