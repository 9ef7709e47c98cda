//! JSON text with members in the order given, a line for what fits on one.

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// A number as it is written.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

const COLUMNS: usize = 100;

impl Json {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn number(number: impl ToString) -> Self {
        Self::Number(number.to_string())
    }

    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Self {
        Self::Object(
            members
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
        )
    }

    /// Adds a member to an object.
    pub fn with(mut self, name: &str, value: Json) -> Self {
        if let Self::Object(members) = &mut self {
            members.push((name.to_owned(), value));
        }
        self
    }

    /// The text on one line.
    fn line(&self) -> String {
        match self {
            Self::Number(number) => number.clone(),
            Self::Text(text) => quoted(text),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::line).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(members) => {
                let member =
                    |(name, value): &(String, Self)| format!("{}: {}", quoted(name), value.line());
                let members: Vec<_> = members.iter().map(member).collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }

    /// The text, with what does not fit on a line spread over several.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0, 0);
        out.push('\n');
        out
    }

    /// Writes the value at this indent; `before` columns of its line are used.
    fn write(&self, out: &mut String, indent: usize, before: usize) {
        let line = self.line();
        let (open, close, parts) = match self {
            Self::List(items) if before + line.len() >= COLUMNS => {
                let parts: Vec<_> = items.iter().map(|item| (String::new(), item)).collect();
                ('[', ']', parts)
            }
            Self::Object(members) if before + line.len() >= COLUMNS => {
                let part = |(name, value)| (format!("{}: ", quoted(name)), value);
                (
                    '{',
                    '}',
                    members.iter().map(|(n, v)| part((n, v))).collect(),
                )
            }
            _ => {
                out.push_str(&line);
                return;
            }
        };
        out.push(open);
        for (index, (name, value)) in parts.iter().enumerate() {
            out.push_str(if index == 0 { "\n" } else { ",\n" });
            out.push_str(&" ".repeat(indent + 2));
            out.push_str(name);
            value.write(out, indent + 2, indent + 3 + name.len());
        }
        out.push('\n');
        out.push_str(&" ".repeat(indent));
        out.push(close);
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            control if control.is_control() => {
                out.push_str(&format!("\\u{:04x}", control as u32));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
