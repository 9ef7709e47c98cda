//! Mutations of valid files, as from a bad disk, a bad exporter or an attacker.

use hapticd_geometry::load::{Format, from_bytes};
use proptest::prelude::*;

/// One change; positions are shares of the file's length.
#[derive(Debug, Clone)]
pub enum Mutation {
    /// Replaces a byte.
    Byte(f64, u8),
    /// Flips a bit.
    Bit(f64, u8),
    /// Overwrites four bytes with a number that is likely to hurt.
    Word(f64, u32),
    /// Inserts a piece of text.
    Insert(f64, &'static str),
    /// Removes some bytes.
    Remove(f64, usize),
    /// Removes everything from here on.
    Cut(f64),
    /// Repeats some bytes.
    Repeat(f64, usize),
}

const TEXTS: [&str; 18] = [
    "-1",
    "0",
    "99999999999999999999",
    "4294967295",
    "nan",
    "inf",
    "1e999",
    "\n",
    " ",
    "\\\n",
    "f 1 2 3 4 5 6 7 8 9",
    "v",
    "/",
    "{",
    "]",
    "\"\"",
    "endsolid\n",
    "\u{e9}",
];

pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let at = 0.0..1.0f64;
    let word = prop_oneof![
        Just(0),
        Just(u32::MAX),
        Just(1 << 31),
        Just(0x7ff8_0000),
        any::<u32>()
    ];
    let one = prop_oneof![
        (at.clone(), any::<u8>()).prop_map(|(at, b)| Mutation::Byte(at, b)),
        (at.clone(), 0u8..8).prop_map(|(at, b)| Mutation::Bit(at, b)),
        (at.clone(), word).prop_map(|(at, w)| Mutation::Word(at, w)),
        (at.clone(), prop::sample::select(&TEXTS[..])).prop_map(|(at, t)| Mutation::Insert(at, t)),
        (at.clone(), 1usize..40).prop_map(|(at, n)| Mutation::Remove(at, n)),
        at.clone().prop_map(Mutation::Cut),
        (at, 1usize..200).prop_map(|(at, n)| Mutation::Repeat(at, n)),
    ];
    prop::collection::vec(one, 1..6)
}

pub fn apply(bytes: &mut Vec<u8>, mutations: &[Mutation]) {
    for mutation in mutations {
        if bytes.is_empty() {
            return;
        }
        let place = |at: f64| ((at * bytes.len() as f64) as usize).min(bytes.len() - 1);
        match *mutation {
            Mutation::Byte(at, byte) => {
                let i = place(at);
                bytes[i] = byte;
            }
            Mutation::Bit(at, bit) => {
                let i = place(at);
                bytes[i] ^= 1 << bit;
            }
            Mutation::Word(at, word) => {
                let i = place(at);
                let end = bytes.len().min(i + 4);
                bytes[i..end].copy_from_slice(&word.to_le_bytes()[..end - i]);
            }
            Mutation::Insert(at, text) => {
                let i = place(at);
                bytes.splice(i..i, text.bytes());
            }
            Mutation::Remove(at, count) => {
                let i = place(at);
                bytes.drain(i..bytes.len().min(i + count));
            }
            Mutation::Cut(at) => bytes.truncate(place(at)),
            Mutation::Repeat(at, count) => {
                let i = place(at);
                let piece = bytes[i..bytes.len().min(i + count)].to_vec();
                bytes.splice(i..i, piece);
            }
        }
    }
}

/// Loads a mutated file: an error, or a mesh that keeps the promises of loading.
pub fn check(bytes: &[u8], format: Format) -> Result<(), TestCaseError> {
    match from_bytes(bytes, format, "mutated") {
        Ok(loaded) => {
            let (mesh, report) = (&loaded.mesh, &loaded.report);
            let count = mesh.positions().len();
            prop_assert_eq!(
                (report.vertices, report.triangles),
                (count, mesh.triangles().len())
            );
            let mut is_used = vec![false; count];
            for corner in mesh.triangles().iter().flatten() {
                is_used[*corner as usize] = true;
            }
            prop_assert!(is_used.iter().all(|&used| used));
            for t in 0..report.triangles {
                let [a, b, c] = mesh.triangle(t);
                prop_assert!(a != b && b != c && c != a);
            }
            // Memory follows the bytes that are there, not the claims.
            prop_assert!(count <= bytes.len() && report.triangles <= bytes.len());
        }
        Err(error) => prop_assert!(error.to_string().starts_with("mutated (")),
    }
    Ok(())
}
