//! glTF: transforms, modes, component types, containers; errors carry their numbers.

mod mutate;

use hapticd_geometry::load::{Format, LoadProblem, Loaded, from_bytes, load};
use hapticd_geometry::{MeshError, TriMesh, Vec3, shapes};
use proptest::prelude::*;

/// The block as GLB: a binary chunk and a JSON chunk that `edit` may change.
fn glb(mesh: &TriMesh, edit: impl Fn(String) -> String) -> Vec<u8> {
    let (json, binary) = parts(mesh, "");
    container(edit(json).into_bytes(), binary)
}

fn container(mut json: Vec<u8>, mut binary: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, part) in [(b"JSON", json), (b"BIN\0", binary)] {
        bytes.extend((part.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(part);
    }
    bytes
}

/// Positions interleaved with a word of padding (stride 16), then `u16` indices.
fn parts(mesh: &TriMesh, uri: &str) -> (String, Vec<u8>) {
    let mut binary = Vec::new();
    for p in mesh.positions() {
        p.iter()
            .for_each(|&x| binary.extend((x as f32).to_le_bytes()));
        binary.extend([0xff; 4]);
    }
    let vertices = binary.len();
    for i in mesh.triangles().iter().flatten() {
        binary.extend((*i as u16).to_le_bytes());
    }
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},
            {{"bufferView":1,"componentType":5123,"count":{},"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{vertices},"byteStride":16}},
            {{"buffer":0,"byteOffset":{vertices},"byteLength":{}}}],
        "buffers":[{{{uri}"byteLength":{}}}]}}"#,
        mesh.positions().len(),
        3 * mesh.triangles().len(),
        binary.len() - vertices,
        binary.len(),
    );
    (json, binary)
}

fn sample() -> TriMesh {
    shapes::block_with_hole(&Vec3::new(2.0, 1.5, 1.0), 0.5).unwrap()
}

fn corners(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
    (0..mesh.triangles().len())
        .map(|t| mesh.triangle(t))
        .collect()
}

fn from(bytes: &[u8]) -> Loaded {
    from_bytes(bytes, Format::Gltf, "x").unwrap()
}

fn problem(bytes: &[u8]) -> LoadProblem {
    from_bytes(bytes, Format::Gltf, "x").unwrap_err().problem
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |w, i| w << 8 | u32::from(*three.get(i).unwrap_or(&0)));
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= three.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    text
}

#[test]
fn binary_container_text_with_data_and_text_with_a_file_are_the_same() {
    let mesh = sample();
    let Loaded { mesh: got, report } = from(&glb(&mesh, |json| json));
    assert!(report.oriented, "{report:?}");
    assert_eq!(
        (corners(&got), got.positions().len()),
        (corners(&mesh), mesh.positions().len())
    );

    let (_, binary) = parts(&mesh, "");
    let uri = format!(
        r#""uri":"data:application/octet-stream;base64,{}","#,
        base64(&binary)
    );
    assert_eq!(from(parts(&mesh, &uri).0.as_bytes()).mesh, got);

    let folder = std::env::temp_dir().join(format!("hapticd-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a b.bin"), &binary).unwrap();
    let (json, _) = parts(&mesh, r#""uri":"a%20b.bin","#);
    std::fs::write(folder.join("x.gltf"), &json).unwrap();
    std::fs::write(folder.join("x.GLB"), glb(&mesh, |json| json)).unwrap();
    let (text, bin) = (load(&folder.join("x.gltf")), load(&folder.join("x.GLB")));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((text.unwrap().mesh, bin.unwrap().mesh), (got.clone(), got));
    // Bytes alone have no folder.
    assert!(matches!(
        problem(json.as_bytes()),
        LoadProblem::Unsupported { .. }
    ));
}

#[test]
fn transforms_compose_and_mirrors_keep_the_outside_out() {
    let mesh = sample();
    // Child: scale (1, 2, -3), then a quarter turn about z, then shift; parent: a matrix that moves
    // and doubles.
    let nodes = r#""nodes":[
        {"matrix":[2,0,0,0, 0,2,0,0, 0,0,2,0, 10,20,30,1],"children":[1,2]},
        {"mesh":0,"scale":[1,2,-3],"rotation":[0,0,0.70710678,0.70710678],"translation":[100,0,0]},
        {"translation":[0,0,50]}]"#;
    let loaded = from(&glb(&mesh, |json| {
        json.replace(r#""nodes":[{"mesh":0}]"#, nodes)
    }));
    assert!(loaded.report.oriented, "{:?}", loaded.report);
    for (got, was) in corners(&loaded.mesh).iter().zip(corners(&mesh)) {
        let moved =
            was.map(|p| Vec3::new(-2.0 * p.y, p.x, -3.0 * p.z) + Vec3::new(100.0, 0.0, 0.0));
        let moved = moved.map(|p| 2.0 * p + Vec3::new(10.0, 20.0, 30.0));
        let mirrored = [moved[0], moved[2], moved[1]];
        for (p, q) in got.iter().zip(mirrored) {
            assert!((p - q).norm() < 1e-5, "{p} {q}");
        }
    }
}

#[test]
fn without_scenes_all_roots_count_and_without_nodes_all_meshes() {
    let mesh = sample();
    let no_scene = |json: String| json.replace(r#""scene":0,"scenes":[{"nodes":[0]}],"#, "");
    let two = r#""nodes":[{"children":[1]},{"mesh":0},{"mesh":0,"translation":[100,0,0]}]"#;
    let with = |nodes: &str| {
        from(&glb(&mesh, |json| {
            no_scene(json).replace(r#""nodes":[{"mesh":0}]"#, nodes)
        }))
    };
    assert_eq!(with(two).report.components, 2);
    assert_eq!(
        with(r#""nodes":[]"#).mesh,
        from(&glb(&mesh, |json| json)).mesh
    );
}

/// One primitive of these `u8` indices and normalised `i16` positions.
fn primitive(mode: u32, positions: &[[i16; 3]], indices: Option<&[u8]>) -> Vec<u8> {
    let mut binary = Vec::new();
    for x in positions.iter().flatten() {
        binary.extend(x.to_le_bytes());
    }
    let vertices = binary.len();
    binary.extend(indices.unwrap_or_default());
    let json = format!(
        r#"{{"asset":{{"version":"2.1"}},"extensionsRequired":["KHR_mesh_quantization","KHR_materials_unlit"],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},{}"mode":{mode}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5122,"normalized":true,"count":{},"type":"VEC3"}},
            {{"bufferView":0,"byteOffset":{vertices},"componentType":5121,"count":{},"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{}}}],"buffers":[{{"byteLength":{}}}]}}"#,
        if indices.is_some() {
            r#""indices":1,"#
        } else {
            ""
        },
        positions.len(),
        indices.unwrap_or_default().len(),
        binary.len(),
        binary.len(),
    );
    container(json.into_bytes(), binary)
}

#[test]
fn strips_fans_and_lists_wind_as_specified() {
    let p = [
        [0, 0, 0],
        [32767, 0, 0],
        [0, 32767, 0],
        [32767, 32767, 0],
        [0, 0, -32768],
    ];
    let v = p.map(|p| Vec3::from(p.map(|x| f64::from(x).max(-32767.0) / 32767.0)));
    let expect = |bytes: &[u8], triangles: &[[usize; 3]]| {
        let expected: Vec<_> = triangles.iter().map(|t| t.map(|i| v[i])).collect();
        assert_eq!(corners(&from(bytes).mesh), expected);
    };
    expect(
        &primitive(4, &p, Some(&[0, 1, 2, 4, 2, 1, 3, 3])),
        &[[0, 1, 2], [4, 2, 1]],
    );
    expect(
        &primitive(5, &p, Some(&[0, 1, 2, 3, 4])),
        &[[0, 1, 2], [1, 3, 2], [2, 3, 4]],
    );
    expect(&primitive(5, &p, None), &[[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    expect(
        &primitive(6, &p, Some(&[0, 1, 3, 2, 4])),
        &[[1, 3, 0], [3, 2, 0], [2, 4, 0]],
    );
    // Lines and points make no triangles.
    assert!(matches!(
        problem(&primitive(1, &p, None)),
        LoadProblem::Mesh(MeshError::Empty)
    ));
    assert!(matches!(
        problem(&primitive(4, &p, Some(&[0, 1, 2, 0, 1, 5]))),
        LoadProblem::Index {
            line: None,
            face: 2,
            index: 5,
            vertices: 5
        }
    ));
    assert!(matches!(
        problem(&primitive(7, &p, None)),
        LoadProblem::Unsupported { .. }
    ));
}

#[test]
fn what_is_wrong_is_said_with_its_numbers() {
    let mesh = sample();
    let with = |from: &str, to: &str| {
        problem(&glb(&mesh, |json| {
            assert!(json.contains(from), "{from}");
            json.replace(from, to)
        }))
    };
    let missing = |got: LoadProblem, name: &str, is: usize, of: usize| {
        assert!(
            matches!(got, LoadProblem::Reference { what, index, count } if (what, index, count) == (name, is, of)),
            "{got:?}"
        );
    };
    missing(with(r#""scene":0"#, r#""scene":3"#), "scene", 3, 1);
    missing(with(r#""nodes":[0]"#, r#""nodes":[4]"#), "node", 4, 1);
    missing(with(r#"{"mesh":0}"#, r#"{"mesh":1}"#), "mesh", 1, 1);
    missing(with(r#""POSITION":0"#, r#""POSITION":9"#), "accessor", 9, 2);
    missing(with(r#""indices":1"#, r#""indices":2"#), "accessor", 2, 2);
    missing(
        with(r#""bufferView":1"#, r#""bufferView":2"#),
        "buffer view",
        2,
        2,
    );
    missing(
        with(r#"{"buffer":0,"byteO"#, r#"{"buffer":1,"byteO"#),
        "buffer",
        1,
        1,
    );
    assert!(matches!(
        with(r#"[{"mesh":0}]"#, r#"[{"children":[1]},{"children":[0]}]"#),
        LoadProblem::NodeTwice { node: 0 }
    ));
    for (from, to) in [
        (r#""count":16"#, r#""count":17"#),
        (r#""count":16"#, r#""count":18446744073709551615"#),
        (r#""count":96"#, r#""byteOffset":2,"count":96"#),
        (r#""byteStride":16"#, r#""byteStride":18446744073709551615"#),
        (r#""byteOffset":256"#, r#""byteOffset":258"#),
        (
            r#""byteOffset":256"#,
            r#""byteOffset":18446744073709551615"#,
        ),
        (r#""byteLength":448"#, r#""byteLength":449"#),
    ] {
        let got = with(from, to);
        assert!(
            matches!(got, LoadProblem::Truncated { .. }),
            "{to}: {got:?}"
        );
    }
    for (from, to) in [
        (r#""version":"2.0""#, r#""version":"1.0""#),
        (
            r#""scene":0"#,
            r#""extensionsRequired":["KHR_draco_mesh_compression"],"scene":0"#,
        ),
        (r#""count":16"#, r#""count":0"#),
        (r#""type":"VEC3""#, r#""type":"VEC2""#),
        (r#""type":"VEC3""#, r#""type":"VEC9""#),
        (r#""componentType":5123"#, r#""componentType":5122"#),
        (r#""componentType":5123"#, r#""componentType":1"#),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"skin":0}"#),
        (
            r#"{"mesh":0}"#,
            r#"{"mesh":0,"matrix":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}"#,
        ),
        (r#""byteStride":16"#, r#""byteStride":4"#),
        (r#""bufferView":0,"#, ""),
        (
            r#"{"byteLength":448}"#,
            r#"{"byteLength":448,"uri":"../x.bin"}"#,
        ),
        (
            r#"{"byteLength":448}"#,
            r#"{"byteLength":9},{"byteLength":9}"#,
        ),
    ] {
        let got = with(from, to);
        assert!(
            matches!(got, LoadProblem::Unsupported { .. }),
            "{to}: {got:?}"
        );
    }
    assert!(matches!(
        with(r#""scene":0"#, r#""scene":-1"#),
        LoadProblem::Json(_)
    ));
    assert!(matches!(
        with(r#"{"mesh":0}"#, r#"{"mesh":0,"rotation":[0,0,0,0]}"#),
        LoadProblem::Mesh(MeshError::NotFinite { vertex: 0 })
    ));
}

#[test]
fn containers_are_checked() {
    let whole = glb(&sample(), |json| json);
    for end in 4..whole.len() {
        let got = problem(&whole[..end]);
        assert!(
            matches!(got, LoadProblem::Truncated { .. }),
            "{end}: {got:?}"
        );
    }
    let mut bad = whole.clone();
    bad[4] = 1;
    assert!(matches!(problem(&bad), LoadProblem::Unsupported { .. }));
    // A total length below its own header, and chunk lengths beyond the file.
    for (at, value) in [(8, 3u32), (12, u32::MAX), (12, 0)] {
        let mut bad = whole.clone();
        bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
        assert!(from_bytes(&bad, Format::Gltf, "x").is_err(), "{at} {value}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn mutated_files_never_panic(mutations in mutate::mutations()) {
        let mut whole = glb(&sample(), |json| json);
        mutate::apply(&mut whole, &mutations);
        mutate::check(&whole, Format::Gltf)?;
        // The container is valid, the document and the numbers are not.
        let (json, mut binary) = parts(&sample(), "");
        let mut json = json.into_bytes();
        mutate::apply(&mut json, &mutations);
        mutate::apply(&mut binary, &mutations[..1]);
        mutate::check(&container(json, binary), Format::Gltf)?;
    }

    /// Any number of the document is replaced.
    #[test]
    fn any_numbers_never_panic(which in 0usize..40, value in prop_oneof![Just(u64::MAX), Just(u64::from(u32::MAX)), 0u64..600]) {
        let (json, binary) = parts(&sample(), "");
        let mut seen = 0;
        let mut edited = String::new();
        let mut rest = json.as_str();
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let length = rest[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - start);
            edited += &rest[..start];
            edited += &if seen == which { value.to_string() } else { rest[start..start + length].to_owned() };
            seen += 1;
            rest = &rest[start + length..];
        }
        mutate::check(&container((edited + rest).into_bytes(), binary), Format::Gltf)?;
    }
}
