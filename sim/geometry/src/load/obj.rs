//! Wavefront OBJ (Wavefront Technologies, "Advanced Visualizer" manual, appendix B1): polygonal geometry only.
//!
//! Read are `v x y z ...` and `f a b c ...`; a face's corner is `v`, `v/vt`, `v//vn` or `v/vt/vn`, of which only `v` counts, from 1
//! or, if negative, back from the last vertex so far. A backslash at the end of a line continues it. All objects and groups make one mesh.

use std::borrow::Cow;

use super::text::{Line, lines, number, words};
use super::{LoadProblem, Soup};

pub(super) fn parse(bytes: &[u8]) -> Result<Soup, LoadProblem> {
    let mut soup = Soup::default();
    let mut face = 0;
    let mut corners: Vec<u32> = Vec::new();
    for line in lines(&joined(bytes)) {
        let mut words = words(line.bytes);
        match words.next() {
            Some(b"v") => {
                let position = line.vec3(&mut words)?;
                soup.vertex(position)?;
            }
            Some(b"f") => {
                face += 1;
                corners.clear();
                for word in words.take_while(|word| !word.starts_with(b"#")) {
                    corners.push(corner(&line, word, face, soup.positions.len())?);
                }
                if corners.len() < 3 {
                    return Err(line.expected("a face of three corners or more"));
                }
                soup.face(&corners, face - 1)?;
            }
            _ => {}
        }
    }
    Ok(soup)
}

/// The vertex that a face's corner names, from 0.
fn corner(line: &Line<'_>, word: &[u8], face: usize, vertices: usize) -> Result<u32, LoadProblem> {
    let index: i64 = word
        .split(|&b| b == b'/')
        .next()
        .and_then(number)
        .ok_or_else(|| line.expected("face corners"))?;
    // Vertices are at most 2^32: no overflow. 0 names none.
    let from_zero = if index < 0 {
        index.saturating_add(vertices as i64)
    } else {
        index - 1
    };
    // A face may come before its vertices, so only what can never be an index is refused here; the rest is checked with the mesh.
    u32::try_from(from_zero).map_err(|_| LoadProblem::Index {
        face,
        index,
        vertices,
    })
}

/// Continued lines in one.
fn joined(bytes: &[u8]) -> Cow<'_, [u8]> {
    let continues = |i: usize| {
        bytes[i] == b'\\' && matches!(bytes.get(i + 1..), Some([b'\n', ..] | [b'\r', b'\n', ..]))
    };
    if !(0..bytes.len()).any(continues) {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    for i in (0..bytes.len()).filter(|&i| continues(i)) {
        let end = if bytes[i + 1] == b'\n' { i + 1 } else { i + 2 };
        text[i..=end].fill(b' ');
    }
    Cow::Owned(text)
}
