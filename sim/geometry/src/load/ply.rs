//! PLY, ASCII and binary of either byte order (Turk, "The PLY Polygon File Format", Stanford 1994).
//!
//! Reads `x`, `y`, `z` of the element `vertex` and the list `vertex_indices` (or `vertex_index`) of
//! the element `face`; skips all other elements and properties. Memory follows the bytes that are
//! read, never the header's counts.

use super::text::{excerpt, number, words};
use super::{LoadProblem, Soup};
use crate::pose::Vec3;

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

#[derive(Clone, Copy, PartialEq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return None,
        })
    }

    fn is_integer(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// How the parser uses a property.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Coordinate(usize),
    Corners,
    Nothing,
}

struct Property {
    /// Type of the count, if the property is a list.
    list: Option<Scalar>,
    scalar: Scalar,
    purpose: Use,
}

struct Element {
    name: Vec<u8>,
    count: u64,
    properties: Vec<Property>,
}

struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Soup, LoadProblem> {
    let mut body = Body {
        bytes,
        at: 0,
        line: 0,
        encoding: Encoding::Ascii,
    };
    let header = header(&mut body)?;
    body.encoding = header.encoding;
    let mut soup = Soup::default();
    let mut corners: Vec<u32> = Vec::new();
    for element in &header.elements {
        // Without properties an element takes no bytes: its count alone must not cause work.
        if element.properties.is_empty() {
            continue;
        }
        let is_vertex = element.name == b"vertex";
        for i in 0..element.count {
            let mut position = Vec3::zeros();
            corners.clear();
            for property in &element.properties {
                let length = match property.list {
                    None => 1,
                    Some(scalar) => body.whole(scalar, element, i)?,
                };
                for _ in 0..length {
                    match property.purpose {
                        Use::Coordinate(axis) => {
                            position[axis] = body.value(property.scalar, element, i)?;
                        }
                        Use::Corners => corners.push(body.whole(property.scalar, element, i)?),
                        Use::Nothing => {
                            body.value(property.scalar, element, i)?;
                        }
                    }
                }
            }
            if is_vertex {
                soup.vertex(position)?;
            }
            soup.face(&corners, i as usize)?;
        }
    }
    Ok(soup)
}

/// Reads up to and including the line `end_header`.
fn header(body: &mut Body<'_>) -> Result<Header, LoadProblem> {
    if body.next_line()?.trim_ascii_end() != b"ply" {
        return Err(body.expected("`ply`"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let line = body.next_line()?;
        let words: Vec<&[u8]> = words(line).take(6).collect();
        match words[..] {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", name, _version] if encoding.is_none() => {
                encoding = Some(match name {
                    b"ascii" => Encoding::Ascii,
                    b"binary_little_endian" => Encoding::Little,
                    b"binary_big_endian" => Encoding::Big,
                    _ => return Err(body.expected("`ascii` or `binary_{little,big}_endian`")),
                });
            }
            [b"element", name, count] => {
                let count = number(count).ok_or_else(|| body.expected("a count"))?;
                elements.push(Element {
                    name: name.to_vec(),
                    count,
                    properties: Vec::new(),
                });
            }
            [b"property", b"list", count, scalar, name] => {
                let list = Scalar::named(count)
                    .filter(|s| s.is_integer())
                    .ok_or_else(|| body.expected("a list with a count of whole numbers"))?;
                property(body, &mut elements, Some(list), scalar, name)?;
            }
            [b"property", scalar, name] => property(body, &mut elements, None, scalar, name)?,
            [b"end_header"] => break,
            _ => return Err(body.expected("`format`, `element`, `property` or `end_header`")),
        }
    }
    let encoding = encoding.ok_or_else(|| body.expected("a line `format` before"))?;
    let uses = |name: &[u8], what: Use| {
        let mut of_name = elements.iter().filter(|e| e.name == name);
        let is_there = |e: &Element| e.properties.iter().any(|p| p.purpose == what);
        of_name.next().is_some_and(is_there) && of_name.next().is_none()
    };
    if !(0..3).all(|axis| uses(b"vertex", Use::Coordinate(axis))) {
        return Err(body.expected("one `element vertex` with x, y and z before"));
    }
    if !uses(b"face", Use::Corners) {
        return Err(body.expected("one `element face` with a list `vertex_indices` before"));
    }
    Ok(Header { encoding, elements })
}

fn property(
    body: &Body<'_>,
    elements: &mut [Element],
    list: Option<Scalar>,
    scalar: &[u8],
    name: &[u8],
) -> Result<(), LoadProblem> {
    let scalar = Scalar::named(scalar).ok_or_else(|| body.expected("a property's type"))?;
    let element = elements
        .last_mut()
        .ok_or_else(|| body.expected("`element` before `property`"))?;
    let purpose = match (element.name.as_slice(), list, name) {
        (b"vertex", None, b"x") => Use::Coordinate(0),
        (b"vertex", None, b"y") => Use::Coordinate(1),
        (b"vertex", None, b"z") => Use::Coordinate(2),
        (b"face", Some(_), b"vertex_indices" | b"vertex_index") if scalar.is_integer() => {
            Use::Corners
        }
        _ => Use::Nothing,
    };
    if purpose != Use::Nothing && element.properties.iter().any(|p| p.purpose == purpose) {
        return Err(body.expected("each property once"));
    }
    element.properties.push(Property {
        list,
        scalar,
        purpose,
    });
    Ok(())
}

/// The bytes that are left to read.
struct Body<'a> {
    bytes: &'a [u8],
    /// Bytes read so far.
    at: usize,
    /// Header lines read so far.
    line: usize,
    encoding: Encoding,
}

impl<'a> Body<'a> {
    /// Returns the next line of the header.
    fn next_line(&mut self) -> Result<&'a [u8], LoadProblem> {
        let rest = &self.bytes[self.at..];
        self.line += 1;
        let Some(end) = rest.iter().position(|&b| b == b'\n') else {
            return Err(LoadProblem::Syntax {
                line: self.line,
                expected: "a header that ends with `end_header`",
                found: excerpt(rest),
            });
        };
        self.at += end + 1;
        Ok(&rest[..end])
    }

    /// Returns the error that the header's last line should be something else.
    fn expected(&self, expected: &'static str) -> LoadProblem {
        let line = self.bytes[..self.at].trim_ascii_end();
        let start = line.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        LoadProblem::Syntax {
            line: self.line,
            expected,
            found: excerpt(&line[start..]),
        }
    }

    /// Reads the next value.
    fn value(&mut self, scalar: Scalar, element: &Element, i: u64) -> Result<f64, LoadProblem> {
        let value = match self.encoding {
            Encoding::Ascii => self.word().and_then(number),
            Encoding::Little | Encoding::Big => self.binary(scalar),
        };
        value.ok_or_else(|| LoadProblem::Element {
            element: String::from_utf8_lossy(&element.name)
                .chars()
                .take(40)
                .collect(),
            index: i,
            count: element.count,
            offset: self.at as u64,
        })
    }

    /// Reads the next value as the length of a list or an index: 0, 1, 2, ...
    fn whole(&mut self, scalar: Scalar, element: &Element, i: u64) -> Result<u32, LoadProblem> {
        let value = self.value(scalar, element, i)?;
        if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
            return Ok(value as u32);
        }
        Err(LoadProblem::NotAnIndex {
            element: String::from_utf8_lossy(&element.name)
                .chars()
                .take(40)
                .collect(),
            index: i,
            value,
        })
    }

    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let start = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let word = &rest[start..];
        let length = word
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(word.len());
        self.at += start + length;
        Some(&word[..length])
    }

    fn binary(&mut self, scalar: Scalar) -> Option<f64> {
        Some(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    /// Returns the next bytes, in little-endian order.
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = *self.bytes[self.at..].first_chunk::<N>()?;
        self.at += N;
        if self.encoding == Encoding::Big {
            bytes.reverse();
        }
        Some(bytes)
    }
}
