//! What is written is read back bit for bit by the crate's own loaders.

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

type Writer = fn(&[Part<'_>], &mut Vec<u8>) -> Result<(), ExportError>;

const ALL: [(Format, Writer); 4] = [
    (Format::Obj, |m, to| write_obj(m, to)),
    (Format::Ply, |m, to| write_ply(m, Encoding::Ascii, to)),
    (Format::Ply, |m, to| {
        write_ply(m, Encoding::LittleEndian, to)
    }),
    (Format::Gltf, |m, to| write_glb(m, to)),
];

/// A name that needs escaping and contains a line break.
const NAME: &str = "gut \"\\\nof é";

/// Makes two parts; the second is shifted, so that it shares no point with the first.
fn halves(positions: &Triples) -> Triples {
    positions
        .iter()
        .map(|[x, y, z]| [x + 8.0, *y, *z])
        .collect()
}

/// Finds the normals in the bytes of each format, since the loaders do not read them.
fn normals_in(bytes: &[u8], which: usize, parts: &[Part<'_>]) -> Vec<[f32; 3]> {
    let text = || std::str::from_utf8(bytes).unwrap().lines();
    let numbers = |words: &[&str]| -> [f32; 3] {
        let all: Vec<f32> = words.iter().map(|w| w.parse().unwrap()).collect();
        all.try_into().unwrap()
    };
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let triple = |at: usize| core::array::from_fn(|k| float(at + 4 * k));
    let count: usize = parts.iter().map(|p| p.surface.positions.len()).sum();
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
            (0..count).map(|i| triple(from + 24 * i + 12)).collect()
        }
        _ => {
            let json = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
            let mut from = 20 + json + 8;
            let mut all = Vec::new();
            for Part { surface, .. } in parts {
                let (points, corners) = (surface.positions.len(), surface.triangles.len());
                all.extend((0..points).map(|i| triple(from + 12 * (points + i))));
                from += 12 * (2 * points + corners);
            }
            all
        }
    }
}

#[test]
fn what_is_written_is_read_back_to_the_bit() {
    let (positions, normals, triangles) = sheet();
    let shifted = halves(&positions);
    let surface = |positions| Surface {
        positions,
        normals: &normals,
        triangles: &triangles,
    };
    let parts = [
        Part {
            name: NAME,
            surface: surface(&positions),
        },
        Part {
            name: "other",
            surface: surface(&shifted),
        },
    ];
    let all = [&positions[..], &shifted].concat();
    let more = triangles
        .iter()
        .map(|t| t.map(|i| i + positions.len() as u32));
    let corners: Vec<[u32; 3]> = triangles.iter().copied().chain(more).collect();
    for (which, (format, write)) in ALL.iter().enumerate() {
        let mut bytes = Vec::new();
        write(&parts, &mut bytes).unwrap();
        let read = from_bytes(&bytes, *format, "test").unwrap();
        assert_eq!(read.report.degenerate_triangles, 0);
        assert_eq!(read.mesh.positions().len(), all.len());
        assert_eq!(read.mesh.triangles().len(), corners.len());
        // The loader numbers points by first use, so corners are compared.
        for (t, u) in corners.iter().zip(read.mesh.triangles()) {
            for (i, j) in t.iter().zip(u) {
                let (p, q) = (all[*i as usize], read.mesh.positions()[*j as usize]);
                let [x, y, z] = [q.x, q.y, q.z].map(|c| c as f32);
                // Here z is up, in glTF y.
                let back = if *format == Format::Gltf {
                    [x, -z, y]
                } else {
                    [x, y, z]
                };
                assert_eq!(
                    p.map(f32::to_bits),
                    back.map(f32::to_bits),
                    "{format} {which}"
                );
            }
        }
        let back = normals_in(&bytes, which, &parts);
        assert_eq!(back.len(), all.len());
        for (n, m) in normals.iter().chain(&normals).zip(&back) {
            assert_eq!(n.map(f32::to_bits), m.map(f32::to_bits), "{format} {which}");
        }
    }
}

/// A name survives in every format, whatever its characters, and says which triangles belong to it.
#[test]
fn parts_have_their_names() {
    let (positions, normals, triangles) = sheet();
    let surface = Surface {
        positions: &positions,
        normals: &normals,
        triangles: &triangles,
    };
    let parts = [NAME, "other"].map(|name| Part { name, surface });
    let written = ALL.map(|(_, write)| {
        let mut bytes = Vec::new();
        write(&parts, &mut bytes).unwrap();
        bytes
    });
    let lines = |which: usize, word: &str| -> Vec<String> {
        let text = String::from_utf8_lossy(&written[which]).into_owned();
        let some = text.lines().filter_map(|l| l.strip_prefix(word));
        some.map(str::to_owned).collect()
    };
    assert_eq!(lines(0, "o "), ["gut \"\\ of é", "other"]);
    assert_eq!(lines(0, "# "), ["metres, z up"]);
    // 8 by 6 quadrilaterals.
    for which in [1, 2] {
        let said = lines(which, "comment faces ");
        assert_eq!(said, ["0 to 95: gut \"\\ of é", "96 to 191: other"]);
    }
    let json = u32::from_le_bytes(written[3][12..16].try_into().unwrap()) as usize;
    let root = ::gltf::json::Root::from_slice(&written[3][20..20 + json]).unwrap();
    let names: Vec<_> = root.nodes.iter().map(|n| n.name.as_deref()).collect();
    assert_eq!(names, [Some("z up"), Some("gut \"\\ of é"), Some("other")]);
    assert_eq!(root.nodes[0].children.as_ref().unwrap().len(), 2);
    assert_eq!(root.meshes.len(), 2);
    // Counts and lengths in the description match.
    for (k, accessor) in root.accessors.iter().enumerate() {
        let view = &root.buffer_views[accessor.buffer_view.unwrap().value()];
        let bytes = if k % 3 == 2 { 4 } else { 12 } * accessor.count.0;
        assert_eq!(view.byte_length.0, bytes, "{k}");
    }
}

/// The chunks are as long as they say, and start where they may.
#[test]
fn the_binary_file_is_well_formed() {
    let (positions, normals, triangles) = sheet();
    for used in [1, 2, 3, triangles.len()] {
        let surface = Surface {
            positions: &positions,
            normals: &normals,
            triangles: &triangles[..used],
        };
        let name = "gut";
        let mut bytes = Vec::new();
        write_glb(&[Part { name, surface }], &mut bytes).unwrap();
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
fn open_sides_are_counted() {
    let count = |triangles: &[[u32; 3]]| {
        let surface = Surface {
            positions: &[],
            normals: &[],
            triangles,
        };
        surface.open_sides()
    };
    let mut closed = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    assert_eq!(count(&closed), 0);
    assert_eq!(count(&closed[..3]), 3);
    // Reversed: all of its sides are open, and the same sides of its neighbours.
    closed[3].swap(0, 1);
    assert_eq!(count(&closed), 6);
    assert_eq!(count(&[]), 0);
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
            "triangle 7 names position 63 of 63",
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
        let [good, bad] =
            [("good", fine), ("bad", mesh)].map(|(name, surface)| Part { name, surface });
        for (_, write) in ALL {
            let mut bytes = Vec::new();
            let said = write(&[good, bad], &mut bytes).unwrap_err().to_string();
            assert!(said.starts_with("`bad`: ") && said.contains(text), "{said}");
            assert!(bytes.is_empty());
        }
    }
    for (_, write) in ALL {
        let nothing = write(&[], &mut Vec::new());
        assert!(matches!(nothing, Err(ExportError::NoPart)), "{nothing:?}");
    }
}

/// Errors of the writer are passed on.
#[test]
fn a_full_disk_is_told() {
    let (positions, normals, triangles) = sheet();
    let surface = Surface {
        positions: &positions,
        normals: &normals,
        triangles: &triangles,
    };
    let parts = [Part {
        name: "gut",
        surface,
    }];
    let mut room = [0_u8; 100];
    let mut full = &mut room[..];
    for fault in [write_obj(&parts, &mut full), write_glb(&parts, &mut full)] {
        assert!(matches!(fault, Err(ExportError::Io(_))), "{fault:?}");
    }
}
