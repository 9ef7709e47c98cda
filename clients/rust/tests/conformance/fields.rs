//! Fields of messages from and to JSON, by their layout alone.

use hapticd_protocol::{
    frame::Message,
    layout::{CodesLayout, Descriptors, MessageLayout, RecordLayout, Type},
};
use serde_json::{Map, Value, json};

/// Returns a request's packet.
pub fn packet(layout: &MessageLayout, fields: &Value) -> Vec<u8> {
    let mut body = Vec::new();
    put_record(&layout.body, fields, &mut body);
    let Descriptors::Fixed(descriptors) = layout.descriptors else {
        panic!("a request with a list of descriptors")
    };
    let length = u32::try_from(16 + body.len()).unwrap();
    let mut packet = layout.kind.to_le_bytes().to_vec();
    packet.extend([descriptors, 0]);
    packet.extend(length.to_le_bytes());
    packet.extend([0; 8]);
    packet.extend(body);
    packet
}

/// Returns the fields of a reply.
pub fn fields(layout: &MessageLayout, reply: &impl Message) -> Value {
    let mut body = Vec::new();
    reply.put_body(&mut body);
    let mut rest = &*body;
    let fields = record(&layout.body, &mut rest);
    assert!(rest.is_empty(), "{} bytes are left", rest.len());
    fields
}

fn put_record(layout: &RecordLayout, fields: &Value, out: &mut Vec<u8>) {
    let nothing = Map::new();
    let given = fields.as_object().unwrap_or(&nothing);
    assert_eq!(
        given.len(),
        layout.fields.len(),
        "{}: {fields}",
        layout.name
    );
    for field in &layout.fields {
        put(&field.of, &given[field.name], out);
    }
    out.resize(out.len() + layout.reserved, 0);
}

fn put(of: &Type, value: &Value, out: &mut Vec<u8>) {
    match of {
        Type::Unsigned(bits) => {
            let number = match value {
                Value::String(text) => text.parse().unwrap(),
                other => other.as_u64().unwrap(),
            };
            out.extend(&number.to_le_bytes()[..*bits as usize / 8]);
        }
        Type::Bool => out.push(value.as_bool().unwrap().into()),
        Type::Float | Type::NonNegative | Type::Limit => out.extend(float(value).to_le_bytes()),
        Type::Pose => put(&Type::Array(Box::new(Type::Float), 7), value, out),
        Type::Name | Type::Text(_) => {
            let end = out.len() + of.bytes().unwrap();
            out.extend(value.as_str().unwrap().bytes());
            out.resize(end, 0);
        }
        Type::Array(of, count) => {
            let values = value.as_array().unwrap();
            assert_eq!(values.len(), *count, "{value}");
            values.iter().for_each(|value| put(of, value, out));
        }
        Type::Code(codes) => {
            let code = code(codes, value.as_str().unwrap());
            put(&Type::Unsigned(codes.bits), &code.into(), out);
        }
        Type::Record(layout) => put_record(layout, value, out),
        Type::List { of, .. } => {
            let values = value.as_array().unwrap();
            out.extend((values.len() as u64).to_le_bytes());
            values.iter().for_each(|value| put(of, value, out));
        }
        Type::Words(_) => unreachable!("only in blocks"),
    }
}

fn float(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().unwrap(),
        other => other.as_f64().unwrap(),
    }
}

fn code(codes: &CodesLayout, name: &str) -> u64 {
    let known = codes.values.iter().find(|known| known.name == name);
    known
        .unwrap_or_else(|| panic!("{} has no {name}", codes.name))
        .code
}

fn bytes<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

fn record(layout: &RecordLayout, rest: &mut &[u8]) -> Value {
    let members = layout.fields.iter();
    let members = members.map(|field| (field.name.to_owned(), value(&field.of, rest)));
    let fields = members.collect::<Map<_, _>>();
    bytes(rest, layout.reserved);
    fields.into()
}

fn value(of: &Type, rest: &mut &[u8]) -> Value {
    match of {
        Type::Unsigned(bits) => {
            let mut word = [0; 8];
            let count = *bits as usize / 8;
            word[..count].copy_from_slice(bytes(rest, count));
            u64::from_le_bytes(word).into()
        }
        Type::Bool => (bytes(rest, 1)[0] == 1).into(),
        Type::Float | Type::NonNegative | Type::Limit => {
            let number = f64::from_le_bytes(bytes(rest, 8).try_into().unwrap());
            if number.is_finite() {
                number.into()
            } else {
                number.to_string().into()
            }
        }
        Type::Pose => value(&Type::Array(Box::new(Type::Float), 7), rest),
        Type::Name | Type::Text(_) => {
            let text = bytes(rest, of.bytes().unwrap());
            let end = text.iter().position(|byte| *byte == 0).unwrap();
            std::str::from_utf8(&text[..end]).unwrap().into()
        }
        Type::Array(of, count) => (0..*count).map(|_| value(of, rest)).collect(),
        Type::Code(codes) => {
            let code = value(&Type::Unsigned(codes.bits), rest);
            let known = codes.values.iter().find(|known| json!(known.code) == code);
            known.expect("decoding has checked the code").name.into()
        }
        Type::Record(layout) => record(layout, rest),
        Type::List { of, .. } => {
            let count = u64::from_le_bytes(bytes(rest, 8).try_into().unwrap());
            (0..count).map(|_| value(of, rest)).collect()
        }
        Type::Words(_) => unreachable!("only in blocks"),
    }
}
