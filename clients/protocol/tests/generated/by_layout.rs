//! A codec that knows nothing but the layout, as a client in another language has it.

use crate::json::Json;
use hapticd_protocol::layout::{MessageLayout, RecordLayout, Type};

/// Reads a body; panics where it is not as the layout says.
pub fn decode(layout: &MessageLayout, body: &[u8]) -> Json {
    let mut rest = body;
    let value = record(&layout.body, &mut rest);
    assert!(
        rest.is_empty(),
        "{} bytes behind {}",
        rest.len(),
        layout.body.name
    );
    value
}

fn bytes<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

fn record(layout: &RecordLayout, rest: &mut &[u8]) -> Json {
    let members = layout.fields.iter();
    let members = members.map(|field| (field.name.to_owned(), value(&field.of, rest)));
    let result = Json::Object(members.collect());
    assert!(bytes(rest, layout.reserved).iter().all(|byte| *byte == 0));
    result
}

/// Integers of 64 bits are texts: not every language's numbers hold them.
pub fn unsigned(bits: u32, value: u64) -> Json {
    if bits == 64 {
        Json::text(value.to_string())
    } else {
        Json::number(value)
    }
}

/// What is not finite is a text.
pub fn float(value: f64) -> Json {
    if value.is_finite() {
        Json::number(value)
    } else {
        Json::text(value.to_string())
    }
}

fn value(of: &Type, rest: &mut &[u8]) -> Json {
    match of {
        Type::Unsigned(bits) => {
            let mut word = [0; 8];
            let count = *bits as usize / 8;
            word[..count].copy_from_slice(bytes(rest, count));
            unsigned(*bits, u64::from_le_bytes(word))
        }
        Type::Bool => Json::number(bytes(rest, 1)[0] == 1),
        Type::Float | Type::NonNegative | Type::Limit => {
            float(f64::from_le_bytes(bytes(rest, 8).try_into().unwrap()))
        }
        Type::Pose => Json::List((0..7).map(|_| value(&Type::Float, rest)).collect()),
        Type::Name | Type::Text(_) => {
            let text = bytes(rest, of.bytes().unwrap());
            let end = text.iter().position(|byte| *byte == 0).unwrap();
            assert!(text[end..].iter().all(|byte| *byte == 0));
            Json::text(std::str::from_utf8(&text[..end]).unwrap())
        }
        Type::Array(of, count) => Json::List((0..*count).map(|_| value(of, rest)).collect()),
        Type::Code(codes) => {
            let code = value(&Type::Unsigned(codes.bits), rest);
            let known = codes
                .values
                .iter()
                .any(|known| Json::number(known.code) == code);
            assert!(known, "{} has no {code:?}", codes.name);
            code
        }
        Type::Record(layout) => record(layout, rest),
        Type::Words(_) => unreachable!("only in blocks"),
        Type::List { of, max } => {
            let count = u32::from_le_bytes(bytes(rest, 4).try_into().unwrap()) as usize;
            assert!(count <= *max && bytes(rest, 4) == [0; 4]);
            Json::List((0..count).map(|_| value(of, rest)).collect())
        }
    }
}

/// Writes a body.
pub fn encode(layout: &RecordLayout, members: &Json, out: &mut Vec<u8>) {
    let Json::Object(members) = members else {
        panic!("no object")
    };
    assert_eq!(members.len(), layout.fields.len());
    for (field, (name, member)) in layout.fields.iter().zip(members) {
        assert_eq!(field.name, name);
        put(&field.of, member, out);
    }
    out.extend(vec![0; layout.reserved]);
}

fn put(of: &Type, value: &Json, out: &mut Vec<u8>) {
    match (of, value) {
        (Type::Unsigned(bits), Json::Number(text) | Json::Text(text)) => {
            let number: u64 = text.parse().unwrap();
            out.extend(&number.to_le_bytes()[..*bits as usize / 8]);
        }
        (Type::Bool, Json::Number(text)) => out.push(u8::from(text == "true")),
        (Type::Float | Type::NonNegative | Type::Limit, Json::Number(text) | Json::Text(text)) => {
            let number: f64 = text.parse().unwrap();
            out.extend(number.to_le_bytes());
        }
        (Type::Pose | Type::Array(..), Json::List(values)) => {
            let of = match of {
                Type::Array(of, _) => of,
                _ => &Type::Float,
            };
            values.iter().for_each(|value| put(of, value, out));
        }
        (Type::Name | Type::Text(_), Json::Text(text)) => {
            let end = out.len() + of.bytes().unwrap();
            out.extend(text.bytes());
            out.resize(end, 0);
        }
        (Type::Code(codes), code) => put(&Type::Unsigned(codes.bits), code, out),
        (Type::Record(layout), members) => encode(layout, members, out),
        (Type::List { of, .. }, Json::List(values)) => {
            out.extend((values.len() as u32).to_le_bytes());
            out.extend([0; 4]);
            values.iter().for_each(|value| put(of, value, out));
        }
        (of, value) => panic!("{value:?} is no {of:?}"),
    }
}
