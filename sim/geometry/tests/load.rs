//! Loading: every format gives the same mesh, errors carry their numbers, and no bytes make a
//! loader panic.

mod mutate;

use std::path::Path;

use hapticd_geometry::load::{Format, LoadProblem, Loaded, from_bytes, load};
use hapticd_geometry::{MeshError, TriMesh, Vec3, shapes};
use proptest::prelude::*;

/// A block with a hole: closed, oriented, not convex, coordinates that are exact in `f32`.
fn sample() -> TriMesh {
    shapes::block_with_hole(&Vec3::new(2.0, 1.5, 1.0), 0.5).unwrap()
}

fn obj(mesh: &TriMesh) -> Vec<u8> {
    let mut text = String::from("# a block\nmtllib none.mtl\no block\n");
    for p in mesh.positions() {
        text += &format!("v {} {} {}\n", p.x, p.y, p.z);
    }
    text += "vt 0 0\nvn 0 0 1\ns off\n";
    for [a, b, c] in mesh.triangles() {
        text += &format!("f {}/1/1 {}//1 {}\r\n", a + 1, b + 1, c + 1);
    }
    text.into_bytes()
}

fn stl_binary(mesh: &TriMesh, header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for t in 0..mesh.triangles().len() {
        bytes.extend([0; 12]);
        for x in mesh.triangle(t).iter().flat_map(|p| p.iter()) {
            bytes.extend((*x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn stl_ascii(mesh: &TriMesh) -> Vec<u8> {
    let mut text = String::from("solid two words\n");
    for t in 0..mesh.triangles().len() {
        text += " facet normal 0 0 nan\n  outer loop\n";
        for p in mesh.triangle(t) {
            text += &format!("   vertex {:e} {:e} {:e}\n", p.x, p.y, p.z);
        }
        text += "  endloop\n endfacet\n";
    }
    text += "endsolid two words\n";
    text.into_bytes()
}

/// As scanners write it: colours, normals, an unknown element, `double` coordinates if `wide`.
fn ply(mesh: &TriMesh, encoding: &str, wide: bool) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {encoding} 1.0\ncomment made by a test\nelement vertex {}\nproperty uchar red\n\
        property {real} x\nproperty {real} y\nproperty {real} z\nelement marker 2\nproperty list uchar short ids\n\
        property char sign\nelement face {}\nproperty float quality\nproperty list uchar {index} vertex_indices\nend_header\n",
        mesh.positions().len(),
        mesh.triangles().len(),
        real = if wide { "double" } else { "float" },
        index = if wide { "uint" } else { "ushort" },
    )
    .into_bytes();
    let mut put = |value: f64, kind: &str| {
        let mut raw = match kind {
            "u8" => vec![value as u8],
            "i8" => (value as i8).to_le_bytes().to_vec(),
            "i16" => (value as i16).to_le_bytes().to_vec(),
            "u16" => (value as u16).to_le_bytes().to_vec(),
            "u32" => (value as u32).to_le_bytes().to_vec(),
            "f32" => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        match encoding {
            "ascii" => bytes.extend(format!("{value}\n").bytes()),
            "binary_big_endian" => {
                raw.reverse();
                bytes.extend(raw);
            }
            _ => bytes.extend(raw),
        }
    };
    let (real, index) = if wide { ("f64", "u32") } else { ("f32", "u16") };
    for p in mesh.positions() {
        put(255.0, "u8");
        p.iter().for_each(|&x| put(x, real));
    }
    for (value, kind) in [
        (2.0, "u8"),
        (-7.0, "i16"),
        (300.0, "i16"),
        (-1.0, "i8"),
        (0.0, "u8"),
        (1.0, "i8"),
    ] {
        put(value, kind);
    }
    for t in mesh.triangles() {
        put(0.5, "f32");
        put(3.0, "u8");
        t.iter().for_each(|&v| put(f64::from(v), index));
    }
    bytes
}

fn samples() -> Vec<(&'static str, Format, Vec<u8>)> {
    let mesh = sample();
    vec![
        ("obj", Format::Obj, obj(&mesh)),
        ("stl binary", Format::Stl, stl_binary(&mesh, b"exported")),
        (
            "stl binary named solid",
            Format::Stl,
            stl_binary(&mesh, b"solid thing"),
        ),
        ("stl ascii", Format::Stl, stl_ascii(&mesh)),
        ("ply ascii", Format::Ply, ply(&mesh, "ascii", true)),
        (
            "ply little",
            Format::Ply,
            ply(&mesh, "binary_little_endian", false),
        ),
        (
            "ply little wide",
            Format::Ply,
            ply(&mesh, "binary_little_endian", true),
        ),
        (
            "ply big",
            Format::Ply,
            ply(&mesh, "binary_big_endian", true),
        ),
    ]
}

fn corners(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
    (0..mesh.triangles().len())
        .map(|t| mesh.triangle(t))
        .collect()
}

fn problem(bytes: &[u8], format: Format) -> LoadProblem {
    let error = from_bytes(bytes, format, "some.file").unwrap_err();
    assert_eq!(
        (error.file.as_str(), error.format),
        ("some.file", Some(format))
    );
    error.problem
}

#[test]
fn every_format_gives_the_same_triangles_over_welded_vertices() {
    let mesh = sample();
    for (name, format, bytes) in samples() {
        let Loaded { mesh: got, report } = from_bytes(&bytes, format, name).unwrap();
        assert_eq!(corners(&got), corners(&mesh), "{name}");
        assert_eq!(got.positions().len(), mesh.positions().len(), "{name}");
        assert!(
            report.oriented && report.degenerate_triangles == 0,
            "{name}: {report:?}"
        );
    }
}

#[test]
fn no_part_of_a_file_is_a_whole_mesh() {
    for (name, format, bytes) in samples() {
        if format == Format::Obj {
            continue; // A list of lines has no end.
        }
        for end in [0, 1, 40, 83, 84, 85, bytes.len() / 2, bytes.len() - 12] {
            assert!(
                from_bytes(&bytes[..end], format, name).is_err(),
                "{name} cut at {end}"
            );
        }
    }
}

#[test]
fn degenerate_triangles_are_dropped_and_counted_and_so_are_lonely_vertices() {
    let text = b"v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nv -0.0 0 0\n\
        f 2 3 4\nf 2 2 3\nf 2 3 5\nf 2 6 4\nf 6 4 3\n";
    let loaded = from_bytes(text, Format::Obj, "x").unwrap();
    assert_eq!(loaded.report.degenerate_triangles, 3);
    // -0 is welded to 0; 9 9 9 and 2 0 0 are no longer used.
    assert_eq!(loaded.mesh.positions().len(), 3);
    assert_eq!(loaded.mesh.triangles(), [[0, 1, 2], [0, 2, 1]]);
    assert!(matches!(
        problem(b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3", Format::Obj),
        LoadProblem::AllDegenerate { dropped: 1 }
    ));
}

#[test]
fn obj_indices_count_from_one_or_from_the_end_and_lines_continue() {
    let text =
        b"v 0 0 0\nv 1 0 0\nv 0 1 0 # top\nf -3/-1/-1 -2 \\\n -1 # face\nv 0 0 1\nf 1 2 -1\n";
    let loaded = from_bytes(text, Format::Obj, "x").unwrap();
    assert_eq!(loaded.mesh.triangles(), [[0, 1, 2], [0, 1, 3]]);
}

#[test]
fn obj_errors_have_numbers() {
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let at = |rest: &str| problem(format!("{v}{rest}").as_bytes(), Format::Obj);
    for (rest, bad) in [
        ("f 1 2 0", 0),
        ("f 1 2 -4", -4),
        ("f 1 2 9999999999", 9_999_999_999),
    ] {
        let told = at(rest);
        assert!(
            matches!(
                told,
                LoadProblem::Index { line: Some(4), face: 1, index, vertices: 3 } if index == bad
            ),
            "{rest}: {told}"
        );
    }
    // After all vertices, and before vertices that do not follow; a continued line counts as two.
    for (rest, told) in [
        (
            "f 1 2 3\nf 1 2 4",
            "line 5: face 2: vertex 4 does not exist, there are 3",
        ),
        (
            "f 1 2 5\nf 1 2 7\nf 2 3 6\nv 0 0 1\nv 0 0 2",
            "line 5: face 2: vertex 7 does not exist, there are 5",
        ),
        (
            "f 1 \\\n2 3\nf 1 2 9",
            "line 6: face 2: vertex 9 does not exist, there are 3",
        ),
    ] {
        assert_eq!(at(rest).to_string(), told, "{rest}");
    }
    for bad in ["f 1 2", "f 1 2 x", "v 1 2", "v 1 2 three"] {
        assert!(
            matches!(at(bad), LoadProblem::Syntax { line: 4, .. }),
            "{bad}"
        );
    }
    for bad in ["v 0 0 nan\nf 1 2 3", "v 0 0 1e999\nf 1 2 3"] {
        let found = bad.lines().next().unwrap();
        assert_eq!(
            at(bad).to_string(),
            format!("line 4: vertex 4 has a coordinate that is not finite: `{found}`")
        );
    }
    assert!(matches!(at(""), LoadProblem::Mesh(MeshError::Empty)));
    let error = from_bytes(b"v 1", Format::Obj, "part.obj").unwrap_err();
    assert_eq!(
        error.to_string(),
        "part.obj (OBJ): line 1: three numbers expected, `v 1` found"
    );
}

#[test]
fn a_vertex_of_an_obj_is_found_in_its_file() {
    let file = std::env::temp_dir().join(format!("hapticd-find-{}.obj", std::process::id()));
    std::fs::write(&file, "# two\nv 0 0 0\nvn 0 0 1\nv 1 \\\n2 3\n\nv -0 4 5\n").unwrap();
    let of = |x, y, z| hapticd_geometry::load::vertex_in_file(&file, &Vec3::new(x, y, z));
    assert_eq!(of(1.0, 2.0, 3.0), Some((4, 2)));
    assert_eq!(of(0.0, 4.0, 5.0), Some((7, 3)));
    assert_eq!(of(9.0, 4.0, 5.0), None);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(of(1.0, 2.0, 3.0), None);
}

#[test]
fn a_non_finite_corner_of_an_ascii_stl_is_named_with_its_line() {
    let text = "solid\nfacet normal 0 0 nan\nouter loop\nvertex 0 0 0\nvertex 1 0 inf\n\
        vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    let told = problem(text.as_bytes(), Format::Stl).to_string();
    assert_eq!(
        told,
        "line 5: three finite numbers expected, `vertex 1 0 inf` found"
    );
}

#[test]
fn stl_headers_cannot_ask_for_more_than_is_there() {
    let mut bytes = stl_binary(&sample(), b"x");
    let facets = bytes.len() as u64 - 84;
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(
        problem(&bytes, Format::Stl),
        LoadProblem::Truncated { needed, available, .. }
            if needed == 50 * u64::from(u32::MAX) && available == facets
    ));
    bytes[80..84].fill(0);
    assert!(matches!(
        problem(&bytes, Format::Stl),
        LoadProblem::Mesh(MeshError::Empty)
    ));
    for (text, line) in [
        (
            "solid x\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid",
            5,
        ),
        ("solid x\nfacet\nvertex 0 0\n", 3),
        ("solid x\nfacet\nvertex 0 0 0\n", 4),
        (
            "solid x\nfacet\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n",
            6,
        ),
        ("solid x\nvertex 0 0 0\n", 2),
    ] {
        let got = problem(text.as_bytes(), Format::Stl);
        assert!(
            matches!(got, LoadProblem::Syntax { line: l, .. } if l == line),
            "{got:?}"
        );
    }
}

#[test]
fn paths_are_read_by_extension_and_only_regular_files() {
    let folder = std::env::temp_dir().join(format!("hapticd-load-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("folder.obj")).unwrap();
    let file = folder.join("Part.OBJ");
    std::fs::write(&file, obj(&sample())).unwrap();
    assert_eq!(corners(&load(&file).unwrap().mesh), corners(&sample()));
    let fails = |path: &Path| load(path).unwrap_err();
    let missing = fails(&folder.join("missing.stl"));
    assert!(matches!(missing.problem, LoadProblem::Io(_)) && missing.file.ends_with("missing.stl"));
    assert!(matches!(
        fails(&folder.join("folder.obj")).problem,
        LoadProblem::NotAFile
    ));
    assert!(matches!(
        fails(&folder.join("part.step")).problem,
        LoadProblem::UnknownExtension { extension } if extension == "step"
    ));
    assert!(matches!(
        fails(&folder.join("part")).problem,
        LoadProblem::UnknownExtension { extension } if extension.is_empty()
    ));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn polygons_become_triangles_that_close_the_mesh() {
    // A unit box of quads, one of them with an extra corner on its straight side (9), which its
    // neighbour uses as well.
    let text =
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0.5 0 1\n\
        f 1 4 3 2\nf 5 9 6 7 8\nf 1 2 6 9 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let loaded = from_bytes(text, Format::Obj, "x").unwrap();
    let report = &loaded.report;
    assert!(
        report.oriented && report.degenerate_triangles == 0,
        "{report:?}"
    );
    assert_eq!((report.triangles, report.vertices), (14, 9));
    assert!((report.signed_volume_m3 - 1.0).abs() < 1e-15);
}

#[test]
fn ply_headers_cannot_ask_for_more_than_is_there() {
    let v = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let f = "element face 1\nproperty list uchar int vertex_index\n";
    let body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let file = |v: &str, f: &str, body: &str| {
        format!("ply\r\nformat ascii 1.0\n{v}{f}end_header\n{body}").into_bytes()
    };
    assert!(from_bytes(&file(v, f, body), Format::Ply, "x").is_ok());
    // An element without properties takes no bytes, whatever its count.
    let hollow = format!("element nothing {}\n{f}", u64::MAX);
    assert!(from_bytes(&file(v, &hollow, body), Format::Ply, "x").is_ok());
    let many = v.replace('3', "4000000000");
    assert!(matches!(
        problem(&file(&many, f, body), Format::Ply),
        LoadProblem::Element { element, index: 4, count: 4_000_000_000, .. } if element == "vertex"
    ));
    let long = body.replace("3 0", "4000000000 0");
    assert!(matches!(
        problem(&file(v, f, &long), Format::Ply),
        LoadProblem::Element { element, index: 0, count: 1, .. } if element == "face"
    ));
    for (bad, number) in [("3 0 -1 2", -1.0), ("3 0 1.5 2", 1.5), ("-3 0 1 2", -3.0)] {
        let got = problem(&file(v, f, &body.replace("3 0 1 2", bad)), Format::Ply);
        assert!(
            matches!(got, LoadProblem::NotAnIndex { value, .. } if value == number),
            "{got:?}"
        );
    }
    assert!(matches!(
        problem(&file(v, f, &body.replace("1 2", "1 3")), Format::Ply),
        LoadProblem::Mesh(MeshError::IndexOutOfRange {
            index: 3,
            vertices: 3,
            ..
        })
    ));
    assert!(matches!(
        problem(&file(v, f, &body.replace("1 0 0", "1 nan 0")), Format::Ply),
        LoadProblem::Mesh(MeshError::NotFinite { vertex: 1 })
    ));
    for (v, f) in [
        ("", f),
        (v, ""),
        (&v.replace("property float y\n", ""), f),
        (&v.replace("float y", "float x"), f),
        (&v.replace("float y", "quad y"), f),
        (&v.replace("vertex 3", "vertex -3"), f),
        (v, &f.replace("uchar", "float")),
        (v, &f.replace("int vertex", "float vertex")),
        (v, &format!("{f}{f}")),
        ("property float x\n", f),
    ] {
        let got = problem(&file(v, f, body), Format::Ply);
        assert!(
            matches!(got, LoadProblem::Syntax { line: 2.., .. }),
            "{v}{f}: {got:?}"
        );
    }
    assert!(matches!(
        problem(b"plywood\n", Format::Ply),
        LoadProblem::Syntax { line: 1, .. }
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn mutated_files_never_panic(mutations in mutate::mutations()) {
        for (_, format, mut bytes) in samples() {
            mutate::apply(&mut bytes, &mutations);
            mutate::check(&bytes, format)?;
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for (magic, format) in [(&b""[..], Format::Obj), (b"", Format::Stl), (b"solid ", Format::Stl), (b"ply\n", Format::Ply)] {
            mutate::check(&[magic, &bytes].concat(), format)?;
        }
    }
}
