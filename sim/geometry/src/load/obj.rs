//! Wavefront OBJ (Wavefront Technologies, "Advanced Visualizer" manual, appendix B1): polygonal
//! geometry only.
//!
//! Reads `v x y z ...` and `f a b c ...`. A face's corner is `v`, `v/vt`, `v//vn` or `v/vt/vn`, of
//! which only `v` is used: counted from 1 or, if negative, back from the last vertex so far. A
//! backslash at the end of a line continues it. All objects and groups make one mesh.

use std::borrow::Cow;

use super::text::{Line, excerpt, lines, number, words};
use super::{LoadProblem, Soup};
use crate::pose::Vec3;

pub(super) fn parse(bytes: &[u8]) -> Result<Soup, LoadProblem> {
    let mut soup = Soup::default();
    let mut face = 0;
    let mut corners: Vec<u32> = Vec::new();
    // Forward references: the vertex, the line and the face. Each entry is further ahead than those
    // before it.
    let mut ahead: Vec<(u32, usize, usize)> = Vec::new();
    let text = joined(bytes);
    for line in numbered(bytes, &text) {
        let mut words = words(line.bytes);
        match words.next() {
            Some(b"v") => {
                let position = line.vec3(&mut words)?;
                if !position.iter().all(|x| x.is_finite()) {
                    return Err(LoadProblem::Vertex {
                        line: line.number,
                        vertex: soup.positions.len() + 1,
                        found: excerpt(line.bytes),
                    });
                }
                soup.vertex(position)?;
            }
            Some(b"f") => {
                face += 1;
                corners.clear();
                for word in words.take_while(|word| !word.starts_with(b"#")) {
                    let corner = corner(&line, word, face, soup.positions.len())?;
                    if corner as usize >= soup.positions.len()
                        && ahead.last().is_none_or(|(furthest, ..)| corner > *furthest)
                    {
                        ahead.push((corner, line.number, face));
                    }
                    corners.push(corner);
                }
                if corners.len() < 3 {
                    return Err(line.expected("a face of three corners or more"));
                }
                soup.face(&corners, face - 1)?;
            }
            _ => {}
        }
    }
    let vertices = soup.positions.len();
    let lost = ahead
        .iter()
        .find(|(corner, ..)| *corner as usize >= vertices);
    match lost {
        Some(&(corner, line, face)) => Err(LoadProblem::Index {
            line: Some(line),
            face,
            index: i64::from(corner) + 1,
            vertices,
        }),
        None => Ok(soup),
    }
}

/// Returns line and number, both from 1, of the first vertex at this position.
pub(super) fn find(bytes: &[u8], position: &Vec3) -> Option<(usize, usize)> {
    let text = joined(bytes);
    let vertices = numbered(bytes, &text).filter_map(|line| {
        let mut words = words(line.bytes);
        (words.next() == Some(b"v")).then(|| (line.number, line.vec3(&mut words)))
    });
    let mut all = vertices.zip(1..);
    let ((line, _), vertex) =
        all.find(|((_, there), _)| there.as_ref().is_ok_and(|p| p == position))?;
    Some((line, vertex))
}

/// Returns the lines of the joined text with their line numbers in the file. Both texts have the
/// same length.
fn numbered<'a>(bytes: &'a [u8], joined: &'a [u8]) -> impl Iterator<Item = Line<'a>> {
    let (mut at, mut number) = (0, 1);
    lines(joined).map(move |line| {
        let numbered = Line { number, ..line };
        let end = (at + line.bytes.len() + 1).min(bytes.len());
        number += bytes[at..end].iter().filter(|b| **b == b'\n').count();
        at = end;
        numbered
    })
}

/// Returns the vertex of a face's corner, from 0.
fn corner(line: &Line<'_>, word: &[u8], face: usize, vertices: usize) -> Result<u32, LoadProblem> {
    let index: i64 = word
        .split(|&b| b == b'/')
        .next()
        .and_then(number)
        .ok_or_else(|| line.expected("face corners"))?;
    // Vertices are at most 2^32: no overflow. 0 refers to none.
    let from_zero = if index < 0 {
        index.saturating_add(vertices as i64)
    } else {
        index - 1
    };
    // A face may come before its vertices, so only what can never be an index is refused here.
    u32::try_from(from_zero).map_err(|_| LoadProblem::Index {
        line: Some(line.number),
        face,
        index,
        vertices,
    })
}

/// Joins continued lines.
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
