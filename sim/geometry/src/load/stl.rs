//! STL, binary and ASCII (3D Systems, "StereoLithography Interface Specification", 1988).
//!
//! Facet normals and attributes are skipped: the order of the corners defines the outside. A file
//! is binary if its length matches its count exactly or if it does not start with `solid`. Binary
//! files that start with `solid` are common.

use super::text::{Line, lines, words};
use super::{LoadProblem, Soup};
use crate::pose::Vec3;

/// Header, before the count.
const HEADER_BYTES: usize = 80;
/// Normal and corners as 12 `f32`, then an attribute of 2 bytes.
const FACET_BYTES: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<Soup, LoadProblem> {
    let is_exact = binary(bytes).is_some_and(|(count, facets)| {
        (count as usize).checked_mul(FACET_BYTES) == Some(facets.len())
    });
    if !is_exact && bytes.trim_ascii_start().starts_with(b"solid") {
        return parse_ascii(bytes);
    }
    let Some((count, facets)) = binary(bytes) else {
        return Err(LoadProblem::Truncated {
            what: "header and count".to_owned(),
            needed: HEADER_BYTES as u64 + 4,
            available: bytes.len() as u64,
        });
    };
    let needed = u64::from(count) * FACET_BYTES as u64;
    if needed > facets.len() as u64 {
        return Err(LoadProblem::Truncated {
            what: "the facets that the header counts".to_owned(),
            needed,
            available: facets.len() as u64,
        });
    }
    let mut soup = Soup::default();
    for facet in facets.chunks_exact(FACET_BYTES).take(count as usize) {
        let (numbers, _) = facet.as_chunks::<4>();
        let number = |i: usize| f64::from(f32::from_le_bytes(numbers[i]));
        let corner = |i: usize| Vec3::new(number(i), number(i + 1), number(i + 2));
        facet_of(&mut soup, [corner(3), corner(6), corner(9)])?;
    }
    Ok(soup)
}

/// Returns the count and the bytes after it.
fn binary(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (count, facets) = bytes.get(HEADER_BYTES..)?.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*count), facets))
}

fn facet_of(soup: &mut Soup, corners: [Vec3; 3]) -> Result<(), LoadProblem> {
    let mut triangle = [0; 3];
    for (slot, corner) in triangle.iter_mut().zip(corners) {
        *slot = soup.vertex(corner)?;
    }
    soup.triangle(triangle)
}

/// Parses `solid`s of `facet`s of one `outer loop` of three `vertex` lines, keywords in any case.
fn parse_ascii(bytes: &[u8]) -> Result<Soup, LoadProblem> {
    let mut soup = Soup::default();
    // Corners of the current facet; `None` between facets.
    let mut facet: Option<Vec<Vec3>> = None;
    let mut is_in_solid = false;
    let mut last = Line {
        number: 1,
        bytes: b"",
    };
    for line in lines(bytes) {
        last = line;
        let mut words = words(line.bytes);
        let Some(keyword) = words.next() else {
            continue;
        };
        let is = |name: &str| keyword.eq_ignore_ascii_case(name.as_bytes());
        match &mut facet {
            None if is("solid") && !is_in_solid => is_in_solid = true,
            None if is("endsolid") && is_in_solid => is_in_solid = false,
            None if is("facet") && is_in_solid => facet = Some(Vec::with_capacity(3)),
            None => return Err(line.expected("`solid`, `facet` or `endsolid`")),
            Some(_) if is("outer") || is("endloop") => {}
            Some(corners) if is("vertex") && corners.len() < 3 => {
                let corner = line.vec3(&mut words)?;
                if !corner.iter().all(|x| x.is_finite()) {
                    return Err(line.expected("three finite numbers"));
                }
                corners.push(corner);
            }
            Some(corners) if is("endfacet") => {
                let corners = <[Vec3; 3]>::try_from(corners.as_slice())
                    .map_err(|_| line.expected("three `vertex` lines before `endfacet`"))?;
                facet_of(&mut soup, corners)?;
                facet = None;
            }
            Some(_) => return Err(line.expected("`vertex` (three a facet) or `endfacet`")),
        }
    }
    if facet.is_some() || is_in_solid {
        return Err(last.expected("`endsolid` before the end of the file"));
    }
    Ok(soup)
}
