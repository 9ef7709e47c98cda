//! The tables of `docs/protocol.md`: each between `<!-- layout: NAME -->` and `<!-- end -->`.

use hapticd_protocol::layout::{
    CodesLayout, Descriptors, MessageLayout, RecordLayout, Type, WordsLayout, codes, flags,
    messages, words,
};

/// Longest list of fields that stands in a cell; longer ones have a table of their own.
const IN_A_CELL: usize = 4;

/// Returns the document with every table made again.
///
/// # Panics
/// With the name of a table that there is not.
pub fn with_tables(document: &str) -> String {
    const OPEN: &str = "<!-- layout: ";
    const CLOSE: &str = "<!-- end -->";
    let mut out = String::new();
    let mut rest = document;
    while let Some(at) = rest.find(OPEN) {
        let (before, after) = rest.split_at(at + OPEN.len());
        let (name, after) = after.split_once(" -->").expect("a name ends");
        let (_, after) = after.split_once(CLOSE).expect("a table ends");
        out.push_str(before);
        out.push_str(name);
        out.push_str(" -->\n\n");
        out.push_str(&table(name));
        out.push('\n');
        out.push_str(CLOSE);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn table(name: &str) -> String {
    let all = messages();
    let is_for_technicians = |message: &&MessageLayout| message.kind >> 8 == 2;
    if let Some(layout) = codes()
        .iter()
        .chain(&flags())
        .find(|layout| layout.name == name)
    {
        return code_table(layout);
    }
    if let Some(layout) = words().iter().find(|layout| layout.name == name) {
        return word_table(layout);
    }
    if let Some(layout) = crate::records(&all)
        .iter()
        .find(|layout| layout.name == name)
    {
        return field_table(layout);
    }
    let mut everything = all.all();
    if let Some(layout) = everything.find(|layout| layout.body.name == name) {
        return field_table(&layout.body);
    }
    match name {
        "header" => field_table(&hapticd_protocol::frame::header_layout()),
        "requests" => {
            let requests = all.requests.iter();
            message_table(
                "request",
                requests.filter(|message| !is_for_technicians(message)),
            )
        }
        "technician" => message_table("request", all.requests.iter().filter(is_for_technicians)),
        "replies" => message_table("reply", all.replies.iter()),
        "events" => message_table("event", all.events.iter()),
        "gateway requests" => message_table("request", all.gateway_requests.iter()),
        "gateway messages" => message_table("message", all.gateway_messages.iter()),
        "bodies" => {
            let long = all.all().map(|message| message.body.clone());
            let long = long.filter(|body| body.fields.len() > IN_A_CELL);
            let section = |layout: &RecordLayout| {
                format!("#### Body of `{}`\n\n{}", layout.name, field_table(layout))
            };
            let sections = long
                .chain(crate::records(&all))
                .map(|layout| section(&layout));
            sections.collect::<Vec<_>>().join("\n")
        }
        other => panic!("docs/protocol.md asks for a table of `{other}`, which there is not"),
    }
}

/// First sentence, without its full stop.
fn first_sentence(doc: &str) -> &str {
    let end = doc.find(". ").unwrap_or(doc.len());
    doc[..end].trim_end_matches('.')
}

fn code_table(layout: &CodesLayout) -> String {
    let is_text = layout.values.iter().all(|value| value.doc.is_empty());
    let mut out = String::from(if is_text {
        "| code | meaning |\n|---|---|\n"
    } else {
        "| code | name | meaning |\n|---|---|---|\n"
    });
    for value in &layout.values {
        let line = if is_text {
            format!("| {} | {} |\n", value.code, value.name)
        } else {
            let doc = first_sentence(&value.doc);
            format!("| {} | `{}` | {doc} |\n", value.code, value.name)
        };
        out.push_str(&line);
    }
    out
}

fn word_table(layout: &WordsLayout) -> String {
    let mut out = String::from("| word | bits | name | type | meaning |\n|---|---|---|---|---|\n");
    word_rows(&mut out, layout, 0, "");
    out
}

/// Rows of words from word `first` on; a structure's values follow in its place.
fn word_rows(out: &mut String, layout: &WordsLayout, first: usize, prefix: &str) {
    for place in &layout.places {
        let (word, name) = (first + place.word, place.field.name);
        if let Type::Words(inner) = &place.field.of {
            word_rows(out, inner, word, &format!("{prefix}{name}."));
            continue;
        }
        let bits = place.field.of.bits().unwrap_or(0);
        let last = word + bits.div_ceil(64) - 1;
        let word = if last > word {
            format!("{word} to {last}")
        } else {
            word.to_string()
        };
        let range = match (place.bit, bits) {
            (_, bits) if bits >= 64 => String::new(),
            (bit, 1) => bit.to_string(),
            (bit, bits) => format!("{bit} to {}", bit as usize + bits - 1),
        };
        let of = place.field.of.name();
        let doc = first_sentence(&place.field.doc);
        let row = format!("| {word} | {range} | `{prefix}{name}` | {of} | {doc} |\n");
        out.push_str(&row.replace("|  |", "| |"));
    }
}

fn field_table(layout: &RecordLayout) -> String {
    let mut out = String::from("| offset | type | name | meaning |\n|---|---|---|---|\n");
    let mut end = Some(0);
    for (at, field) in crate::fields(layout) {
        let offset = at.map_or(String::new(), |at| at.to_string());
        let range = field.range.map_or(String::new(), |(least, most)| {
            format!("; {} to {}", grouped(least), grouped(most))
        });
        let name = field.name;
        let of = match &field.of {
            Type::Code(codes) => format!("{} `{}`", field.of.name(), codes.name),
            other => other.name(),
        };
        let doc = first_sentence(&field.doc);
        out.push_str(&format!("| {offset} | {of} | `{name}` | {doc}{range} |\n"));
        end = at.zip(field.of.bytes()).map(|(at, bytes)| at + bytes);
    }
    if layout.reserved > 0 {
        let offset = end.map_or(String::new(), |end| end.to_string());
        out.push_str(&format!("| {offset} | zero {} | | |\n", layout.reserved));
    }
    out
}

/// A number with its thousands apart.
fn grouped(value: f64) -> String {
    let digits = value.to_string();
    if digits.contains('.') || digits.len() < 5 {
        return digits;
    }
    let (head, tail) = digits.split_at(digits.len() - 3);
    format!("{head},{tail}")
}

fn message_table<'a>(what: &str, layouts: impl Iterator<Item = &'a MessageLayout>) -> String {
    let last = match what {
        "request" => "reply",
        "reply" => "descriptors",
        _ => "",
    };
    let mut out = format!("| kind | {what} | body |");
    let mut line = String::from("|---|---|---|");
    if !last.is_empty() {
        out.push_str(&format!(" {last} |"));
        line.push_str("---|");
    }
    out.push_str(&format!("\n{line}\n"));
    for layout in layouts {
        let name = layout.body.name;
        out.push_str(&format!(
            "| {:#06x} | `{name}` | {} |",
            layout.kind,
            body(&layout.body)
        ));
        let descriptors = match layout.descriptors {
            Descriptors::Fixed(0) => String::new(),
            Descriptors::Fixed(count) => count.to_string(),
            Descriptors::OneForEach(list) => format!("one for each of `{list}`"),
        };
        match last {
            "reply" if layout.answers.is_empty() => out.push_str(" none |"),
            "reply" => {
                let answers = layout.answers.iter().map(|answer| format!("`{answer}`"));
                out.push_str(&format!(" {} |", answers.collect::<Vec<_>>().join(", ")));
            }
            "descriptors" if descriptors.is_empty() => out.push_str(" |"),
            "descriptors" => out.push_str(&format!(" {descriptors} |")),
            _ => {}
        }
        out.push('\n');
    }
    out
}

/// Fields of a body for a cell.
fn body(layout: &RecordLayout) -> String {
    let anchor = |name: &str| format!("(#body-of-{})", name.to_lowercase());
    if layout.fields.len() > IN_A_CELL {
        return "[below]".to_owned() + &anchor(layout.name);
    }
    let field = |field: &hapticd_protocol::layout::FieldLayout| {
        let of = match &field.of {
            Type::List { of, max } => {
                let of = of.name();
                format!("list of at most {max} [`{of}`]{}", anchor(&of))
            }
            other => other.name(),
        };
        format!("{of} `{}`", field.name)
    };
    let mut parts: Vec<String> = layout.fields.iter().map(field).collect();
    if layout.reserved > 0 {
        parts.push(format!("zero {}", layout.reserved));
    }
    parts.join(", ")
}
