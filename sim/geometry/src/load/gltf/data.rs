//! The binary side of glTF: the GLB container, buffers, and accessors into them. Every range is
//! checked.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use gltf::json;
use json::accessor::{ComponentType, Type};
use json::validation::Checked;

use super::super::{LoadProblem, MAX_FILE_BYTES, read};
use super::unsupported;
use crate::pose::Vec3;

const MAGIC: &[u8; 4] = b"glTF";
const BASE64: &str = "data:application/octet-stream;base64,";

/// Returns the JSON and the binary chunk, if there is one. Plain JSON is returned as it is.
pub(super) fn container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), LoadProblem> {
    if !bytes.starts_with(MAGIC) {
        return Ok((bytes, None));
    }
    let truncated = |needed: u64, available: usize| LoadProblem::Truncated {
        what: "the GLB container".to_owned(),
        needed,
        available: available as u64,
    };
    let word = |at: usize| {
        bytes
            .get(at..)
            .and_then(|b| b.first_chunk::<4>())
            .map(|b| u32::from_le_bytes(*b))
            .ok_or_else(|| truncated(at as u64 + 4, bytes.len()))
    };
    let (version, length) = (word(4)?, word(8)?);
    if version != 2 {
        return Err(unsupported(format!("GLB version {version}")));
    }
    if length as usize > bytes.len() {
        return Err(truncated(u64::from(length), bytes.len()));
    }
    // A chunk: its length, its type, its bytes.
    let chunk = |at: usize| {
        let (length, kind) = (word(at)? as usize, word(at + 4)?);
        let end = (at + 8).saturating_add(length);
        let inside = bytes
            .get(at + 8..end)
            .ok_or_else(|| truncated(end as u64, bytes.len()))?;
        Ok::<_, LoadProblem>((kind.to_le_bytes(), inside, end))
    };
    let (kind, text, end) = chunk(12)?;
    if kind != *b"JSON" {
        return Err(unsupported("GLB without a JSON chunk in front".to_owned()));
    }
    if end >= length as usize {
        return Ok((text, None));
    }
    let (kind, binary, _) = chunk(end)?;
    Ok((text, (kind == *b"BIN\0").then_some(binary)))
}

/// Returns element `index` of a list of the document.
pub(super) fn get<'a, T>(
    all: &'a [T],
    index: usize,
    what: &'static str,
) -> Result<&'a T, LoadProblem> {
    all.get(index).ok_or(LoadProblem::Reference {
        what,
        index,
        count: all.len(),
    })
}

/// A document and its buffers.
pub(super) struct Data<'a> {
    root: &'a json::Root,
    buffers: Vec<Cow<'a, [u8]>>,
}

impl<'a> Data<'a> {
    /// Resolves all buffers: the container's chunk, data URIs in the document, or files in
    /// `folder`.
    pub(super) fn new(
        root: &'a json::Root,
        chunk: Option<&'a [u8]>,
        folder: Option<&Path>,
    ) -> Result<Self, LoadProblem> {
        let mut buffers = Vec::new();
        let mut total = 0u64;
        for (i, buffer) in root.buffers.iter().enumerate() {
            let bytes = match (&buffer.uri, folder) {
                (None, _) => {
                    let chunk = chunk.filter(|_| i == 0);
                    Cow::Borrowed(
                        chunk.ok_or_else(|| unsupported(format!("buffer {i} without bytes")))?,
                    )
                }
                (Some(uri), _) if uri.starts_with("data:") => Cow::Owned(decode(i, uri)?),
                (Some(uri), Some(folder)) => Cow::Owned(read(&folder.join(relative(i, uri)?))?),
                (Some(_), None) => {
                    return Err(unsupported(format!(
                        "file of buffer {i}, as there is no folder to look in"
                    )));
                }
            };
            total += bytes.len() as u64;
            if total > MAX_FILE_BYTES {
                return Err(LoadProblem::TooLarge {
                    bytes: total,
                    limit: MAX_FILE_BYTES,
                });
            }
            if buffer.byte_length.0 > bytes.len() as u64 {
                return Err(LoadProblem::Truncated {
                    what: format!("buffer {i}"),
                    needed: buffer.byte_length.0,
                    available: bytes.len() as u64,
                });
            }
            buffers.push(bytes);
        }
        Ok(Data { root, buffers })
    }

    /// Passes every position of an accessor of three components to `take`.
    pub(super) fn positions(
        &self,
        index: usize,
        mut take: impl FnMut(Vec3) -> Result<(), LoadProblem>,
    ) -> Result<(), LoadProblem> {
        let elements = self.elements(index, Type::Vec3)?;
        let (kind, size) = (elements.kind, component_bytes(elements.kind));
        let is_normalized = elements.is_normalized;
        elements.each(|bytes| {
            take(Vec3::from_fn(|i, _| {
                component(kind, is_normalized, &bytes[i * size..])
            }))
        })
    }

    /// Passes every index of an accessor of unsigned integers to `take`.
    pub(super) fn indices(
        &self,
        index: usize,
        mut take: impl FnMut(u32) -> Result<(), LoadProblem>,
    ) -> Result<(), LoadProblem> {
        let elements = self.elements(index, Type::Scalar)?;
        let kind = elements.kind;
        if !matches!(
            kind,
            ComponentType::U8 | ComponentType::U16 | ComponentType::U32
        ) {
            return Err(unsupported(format!(
                "{kind:?} as indices in accessor {index}"
            )));
        }
        elements.each(|bytes| take(component(kind, false, bytes) as u32))
    }

    fn elements(&self, index: usize, wanted: Type) -> Result<Elements<'_>, LoadProblem> {
        let accessor = get(&self.root.accessors, index, "accessor")?;
        let (Checked::Valid(component), Checked::Valid(kind)) =
            (accessor.component_type, accessor.type_)
        else {
            return Err(unsupported(format!("type of accessor {index}")));
        };
        if kind != wanted {
            return Err(unsupported(format!(
                "{kind:?} instead of {wanted:?} in accessor {index}"
            )));
        }
        if accessor.sparse.is_some() {
            return Err(unsupported(format!("sparse accessor {index}")));
        }
        let Some(view) = &accessor.buffer_view else {
            return Err(unsupported(format!(
                "accessor {index} without a buffer view"
            )));
        };
        let view = get(&self.root.buffer_views, view.value(), "buffer view")?;
        let buffer: &[u8] = get(&self.buffers, view.buffer.value(), "buffer")?;
        let size = component_bytes(component.0) * wanted.multiplicity();
        let stride = view.byte_stride.map_or(size, |s| s.0);
        let count = accessor.count.0;
        if count == 0 || stride < size {
            return Err(unsupported(format!(
                "{count} elements of {size} bytes every {stride} in accessor {index}"
            )));
        }
        // In 128 bits, so that nothing overflows.
        let wide = u128::from;
        let in_view = wide(accessor.byte_offset.unwrap_or_default().0);
        let needed = in_view + wide(count - 1) * stride as u128 + size as u128;
        let start = wide(view.byte_offset.unwrap_or_default().0);
        let view_end = start + wide(view.byte_length.0);
        let too_short = |needed: u128, available: u128| LoadProblem::Truncated {
            what: format!("accessor {index}"),
            needed: u64::try_from(needed).unwrap_or(u64::MAX),
            available: u64::try_from(available).unwrap_or(u64::MAX),
        };
        if needed > wide(view.byte_length.0) {
            return Err(too_short(needed, wide(view.byte_length.0)));
        }
        if view_end > buffer.len() as u128 {
            return Err(too_short(view_end, buffer.len() as u128));
        }
        // Both are within the buffer, as just compared.
        let range = (start + in_view) as usize..(start + needed) as usize;
        Ok(Elements {
            bytes: &buffer[range],
            stride,
            size,
            kind: component.0,
            is_normalized: accessor.normalized,
        })
    }
}

/// Elements of an accessor: the bytes from the first one's start to the last one's end.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
    kind: ComponentType,
    is_normalized: bool,
}

impl Elements<'_> {
    fn each(
        &self,
        mut take: impl FnMut(&[u8]) -> Result<(), LoadProblem>,
    ) -> Result<(), LoadProblem> {
        self.bytes
            .chunks(self.stride)
            .try_for_each(|chunk| take(&chunk[..self.size]))
    }
}

fn component_bytes(kind: ComponentType) -> usize {
    match kind {
        ComponentType::I8 | ComponentType::U8 => 1,
        ComponentType::I16 | ComponentType::U16 => 2,
        ComponentType::U32 | ComponentType::F32 => 4,
    }
}

/// Decodes the number at the front of `bytes`, of which there are enough.
fn component(kind: ComponentType, is_normalized: bool, bytes: &[u8]) -> f64 {
    let two = || [bytes[0], bytes[1]];
    let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
    let (value, largest) = match kind {
        ComponentType::I8 => (f64::from(bytes[0] as i8), f64::from(i8::MAX)),
        ComponentType::U8 => (f64::from(bytes[0]), f64::from(u8::MAX)),
        ComponentType::I16 => (f64::from(i16::from_le_bytes(two())), f64::from(i16::MAX)),
        ComponentType::U16 => (f64::from(u16::from_le_bytes(two())), f64::from(u16::MAX)),
        ComponentType::U32 => (f64::from(u32::from_le_bytes(four())), f64::from(u32::MAX)),
        ComponentType::F32 => return f64::from(f32::from_le_bytes(four())),
    };
    if is_normalized {
        (value / largest).max(-1.0)
    } else {
        value
    }
}

/// Returns a file name below the document's folder: no path out of it, no other scheme.
fn relative(buffer: usize, uri: &str) -> Result<PathBuf, LoadProblem> {
    let bad = || unsupported(format!("uri `{uri:.60}` of buffer {buffer}"));
    let mut name = Vec::with_capacity(uri.len());
    let mut bytes = uri.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            name.push(b);
            continue;
        }
        let mut digit = || {
            let d = char::from(bytes.next()?).to_digit(16)?;
            u8::try_from(d).ok()
        };
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err(bad());
        };
        name.push(16 * high + low);
    }
    let name = PathBuf::from(String::from_utf8(name).map_err(|_| bad())?);
    let is_below = !uri.contains(':')
        && name
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if is_below { Ok(name) } else { Err(bad()) }
}

/// Decodes the bytes of a `data:` URI in base64 (RFC 2397, RFC 4648).
fn decode(buffer: usize, uri: &str) -> Result<Vec<u8>, LoadProblem> {
    let bad = || {
        unsupported(format!(
            "uri `{uri:.40}` of buffer {buffer}; `{BASE64}` is known"
        ))
    };
    let (head, text) = uri.split_once(',').ok_or_else(bad)?;
    if !head.ends_with(";base64") {
        return Err(bad());
    }
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for four in text.chunks(4) {
        let mut word = 0u32;
        for &c in four {
            let six = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err(bad()),
            };
            word = word << 6 | u32::from(six);
        }
        // 2, 3 or 4 characters hold 1, 2 or 3 bytes; 1 holds none.
        let count = match four.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return Err(bad()),
        };
        word <<= 6 * (4 - four.len() as u32);
        bytes.extend(&word.to_be_bytes()[1..=count]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_test_vectors_of_rfc_4648() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(
                decode(0, &format!("{BASE64}{text}")).unwrap(),
                bytes.as_bytes()
            );
        }
        for bad in [
            "data:;base64",
            "data:text/plain,abc",
            "data:;base64,a",
            "data:;base64,ab!d",
            "data:;base64,aé",
        ] {
            assert!(decode(0, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn files_of_buffers_stay_below_the_folder() {
        for (uri, name) in [("a.bin", "a.bin"), ("./b/a%20b.bin", "./b/a b.bin")] {
            assert_eq!(relative(0, uri).unwrap(), Path::new(name));
        }
        for bad in [
            "../a.bin",
            "a/../../b",
            "/etc/passwd",
            "file:///a",
            "https://a/b",
            "%2e%2e/a",
            "a%2",
            "%zz",
            "%ff",
        ] {
            assert!(relative(0, bad).is_err(), "{bad}");
        }
    }
}
