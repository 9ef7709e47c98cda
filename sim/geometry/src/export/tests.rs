//! What is written is read back by the crate's own loaders, to the bit.

use super::*;
use crate::load::{Format, from_bytes};

type Triples = Vec<[f32; 3]>;

/// A bent sheet of awkward numbers; no two points are equal, and all are used.
fn sheet() -> (Triples, Triples, Vec<[u32; 3]>) {
    let (mut positions, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..9_u32 {
        for j in 0..7_u32 {
            let (u, v) = (i as f32 / 7.0, j as f32 / 3.0);
            positions.push([u.sin() * 1e-3, v * 1e4 + 0.1, (u * v).cos() / 3.0]);
            normals.push([u, -v, 1.0e-7]);
            if i > 0 && j > 0 {
                let at = |di: u32, dj: u32| (i - di) * 7 + j - dj;
                triangles.push([at(1, 1), at(0, 1), at(0, 0)]);
                triangles.push([at(1, 1), at(0, 0), at(1, 0)]);
            }
        }
    }
    positions[5] = [f32::MIN_POSITIVE, 0.123_456_79, -1.0e-30];
    positions[6] = [f32::from_bits(1), -f32::from_bits(7), 1_677.721_7];
    (positions, normals, triangles)
}

type Writer = fn(&Surface<'_>, &mut Vec<u8>) -> Result<(), ExportError>;

const ALL: [(Format, Writer); 4] = [
    (Format::Obj, |m, to| write_obj(m, to)),
    (Format::Ply, |m, to| write_ply(m, Encoding::Ascii, to)),
    (Format::Ply, |m, to| {
        write_ply(m, Encoding::LittleEndian, to)
    }),
    (Format::Gltf, |m, to| write_glb(m, to)),
];

/// Normals are not what the loaders read: found where each format has them.
fn normals_in(bytes: &[u8], which: usize, count: usize) -> Vec<[f32; 3]> {
    let text = || std::str::from_utf8(bytes).unwrap().lines();
    let numbers = |words: &[&str]| -> [f32; 3] {
        let all: Vec<f32> = words.iter().map(|w| w.parse().unwrap()).collect();
        all.try_into().unwrap()
    };
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    match which {
        0 => text()
            .filter_map(|l| l.strip_prefix("vn "))
            .map(|l| numbers(&l.split(' ').collect::<Vec<_>>()))
            .collect(),
        1 => text()
            .skip_while(|l| *l != "end_header")
            .skip(1)
            .take(count)
            .map(|l| numbers(&l.split(' ').collect::<Vec<_>>()[3..]))
            .collect(),
        2 => {
            let mark = b"end_header\n";
            let found = bytes.windows(mark.len()).position(|w| w == mark).unwrap();
            let from = found + mark.len();
            (0..count)
                .map(|i| core::array::from_fn(|k| float(from + 24 * i + 12 + 4 * k)))
                .collect()
        }
        _ => {
            let json = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
            let from = 20 + json + 8 + 12 * count;
            (0..count)
                .map(|i| core::array::from_fn(|k| float(from + 12 * i + 4 * k)))
                .collect()
        }
    }
}

#[test]
fn what_is_written_is_read_back_to_the_bit() {
    let (positions, normals, triangles) = sheet();
    let mesh = Surface {
        positions: &positions,
        normals: &normals,
        triangles: &triangles,
    };
    for (which, (format, write)) in ALL.iter().enumerate() {
        let mut bytes = Vec::new();
        write(&mesh, &mut bytes).unwrap();
        let read = from_bytes(&bytes, *format, "test").unwrap();
        assert_eq!(read.report.degenerate_triangles, 0);
        assert_eq!(read.mesh.positions().len(), positions.len());
        assert_eq!(read.mesh.triangles().len(), triangles.len());
        // The loader numbers points by their first use: compared are the corners.
        for (t, u) in triangles.iter().zip(read.mesh.triangles()) {
            for (i, j) in t.iter().zip(u) {
                let (p, q) = (positions[*i as usize], read.mesh.positions()[*j as usize]);
                let q = [q.x, q.y, q.z].map(|c| c as f32);
                assert_eq!(p.map(f32::to_bits), q.map(f32::to_bits), "{format} {which}");
            }
        }
        let back = normals_in(&bytes, which, normals.len());
        assert_eq!(back.len(), normals.len());
        for (n, m) in normals.iter().zip(&back) {
            assert_eq!(n.map(f32::to_bits), m.map(f32::to_bits), "{format} {which}");
        }
    }
}

/// The chunks are as long as they say, and begin where they may.
#[test]
fn the_binary_file_is_well_formed() {
    let (positions, normals, triangles) = sheet();
    for used in [1, 2, 3, triangles.len()] {
        let mesh = Surface {
            positions: &positions,
            normals: &normals,
            triangles: &triangles[..used],
        };
        let mut bytes = Vec::new();
        write_glb(&mesh, &mut bytes).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(word(8), bytes.len());
        let json = word(12);
        assert_eq!(json % 4, 0);
        assert_eq!(word(20 + json) + 28 + json, bytes.len());
        let text = std::str::from_utf8(&bytes[20..20 + json]).unwrap();
        let low = positions.iter().map(|p| p[1]).fold(f32::INFINITY, f32::min);
        assert!(text.contains(&format!(" {low:?},")), "{text}");
    }
}

#[test]
fn a_mesh_with_a_fault_leaves_no_byte() {
    let (positions, normals, triangles) = sheet();
    let fine = Surface {
        positions: &positions,
        normals: &normals,
        triangles: &triangles,
    };
    let mut odd = positions.clone();
    odd[3][1] = f32::NAN;
    let mut endless = normals.clone();
    endless[4][2] = f32::INFINITY;
    let mut astray = triangles.clone();
    astray[7][2] = 63;
    for (mesh, text) in [
        (
            Surface {
                normals: &normals[1..],
                ..fine
            },
            "63 positions, but 62 normals",
        ),
        (
            Surface {
                positions: &odd,
                ..fine
            },
            "position 3 ",
        ),
        (
            Surface {
                normals: &endless,
                ..fine
            },
            "normal 4 ",
        ),
        (
            Surface {
                triangles: &astray,
                ..fine
            },
            "triangle 7 names position 63, there are 63",
        ),
        (
            Surface {
                triangles: &[],
                ..fine
            },
            "63 positions, 0 triangles",
        ),
        (
            Surface {
                positions: &[],
                normals: &[],
                triangles: &[],
            },
            "0 positions",
        ),
    ] {
        for (_, write) in ALL {
            let mut bytes = Vec::new();
            let said = write(&mesh, &mut bytes).unwrap_err().to_string();
            assert!(said.contains(text), "{said}");
            assert!(bytes.is_empty());
        }
    }
}

/// What the writer says is handed on.
#[test]
fn a_full_disk_is_told() {
    let (positions, normals, triangles) = sheet();
    let mesh = Surface {
        positions: &positions,
        normals: &normals,
        triangles: &triangles,
    };
    let mut room = [0_u8; 100];
    let mut full = &mut room[..];
    for fault in [write_obj(&mesh, &mut full), write_glb(&mesh, &mut full)] {
        assert!(matches!(fault, Err(ExportError::Io(_))), "{fault:?}");
    }
}
