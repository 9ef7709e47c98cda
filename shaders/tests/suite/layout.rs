//! The shaders' structs equal those of the CPU twin, byte for byte.

use std::mem::{align_of, offset_of, size_of};

use hapticd_rays::layout;
use hapticd_shaders::passes;
use naga::proc::Layouter;

/// A struct: name, size, alignment, and name, offset and size of its fields.
type Struct = (String, u32, Vec<(String, u32, u32)>);

/// All named structs of all passes.
fn in_shaders() -> Vec<Struct> {
    let mut all: Vec<Struct> = Vec::new();
    for source in passes::ALL {
        let module = naga::front::wgsl::parse_str(source.wgsl).unwrap();
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).unwrap();
        for (_, ty) in module.types.iter() {
            let (Some(name), naga::TypeInner::Struct { members, span }) = (&ty.name, &ty.inner)
            else {
                continue;
            };
            let fields = members
                .iter()
                .map(|member| {
                    let name = member.name.clone().unwrap();
                    (name, member.offset, layouter[member.ty].size)
                })
                .collect();
            let found = (name.clone(), *span, fields);
            match all.iter().find(|(other, ..)| other == name) {
                Some(other) => assert_eq!(*other, found, "{name} differs between passes"),
                None => all.push(found),
            }
        }
    }
    all
}

/// Fields of a Rust struct, as in [`in_shaders`].
macro_rules! of {
    ($type:path, $name:literal, $($field:ident: $size:literal),+) => {
        (
            $name.to_string(),
            size_of::<$type>() as u32,
            vec![$((stringify!($field).to_string(), offset_of!($type, $field) as u32, $size)),+],
        )
    };
}

fn in_rust() -> Vec<Struct> {
    vec![
        of!(layout::Point, "Point", x: 12, cluster: 4),
        of!(layout::Normal, "Normal", n: 12, exit: 4),
        of!(layout::Triangle, "Triangle", v: 12, cluster: 4),
        of!(layout::Neighbours, "Neighbours", across: 12, pad: 4),
        of!(layout::Node, "Node", low: 12, skip: 4, high: 12, leaf: 4),
        of!(
            layout::Object, "Object", q: 16, t: 12, radius: 4, first_point: 4, points: 4,
            first_triangle: 4, triangles: 4, first_node: 4, nodes: 4, first_record: 4, flags: 4,
            half_thickness: 4, walk_limit: 4, first_cluster: 4, clusters: 4
        ),
        of!(layout::Ray, "Ray", source: 4, point: 4, target: 4, start: 4),
        of!(layout::Record, "Record", triangle: 4, target: 4, bits: 4, t: 4),
        of!(
            layout::Contact, "Contact", x: 12, depth: 4, n: 12, source: 4, point: 4, target: 4,
            triangle: 4, t: 4, uv: 8, pad: 8
        ),
        of!(hapticd_shaders::Hit, "Hit", t: 4, triangle: 4, u: 4, v: 4),
        of!(hapticd_shaders::Hits, "Hits", ahead: 16, behind: 16),
        of!(hapticd_shaders::List, "List", count: 4, capacity: 4, first: 4, pad: 4),
        of!(hapticd_shaders::List, "Counter", count: 4, capacity: 4, first: 4, pad: 4),
        of!(hapticd_shaders::Chunk, "Chunk", source: 4, target: 4, first: 4, full: 4),
        of!(hapticd_shaders::Row, "Row", a: 16, b: 16),
        of!(
            hapticd_shaders::Place, "Place", nearest: 4, winner: 4, target: 4, triangle: 4,
            bits: 4, t: 4, u: 4, v: 4
        ),
        of!(
            hapticd_shaders::SweepRow, "Sweep", poses: 240, omega: 12, reach: 4, velocity: 12,
            first_box: 4,
            boxes: 4, first_node: 4, nodes: 4, pad: 4
        ),
        of!(hapticd_shaders::TriangleBox, "Box", low: 12, triangle: 4, high: 12, pad: 4),
        of!(hapticd_shaders::Candidate, "Candidate", query: 4, a: 4, b: 4, pad: 4),
        of!(hapticd_shaders::SkinGrid, "SkinGrid", cells: 12, balls: 4, bricks: 12, places: 4),
        of!(
            hapticd_shaders::SkinBall, "Ball", centre: 12, per_radius: 4, amplitude: 4, reach: 4,
            low: 4, high: 4
        ),
        of!(
            hapticd_shaders::SkinTally, "SkinTally", pairs: 4, bricks: 4, vertices: 4,
            triangles: 4, most_pairs: 4, most_bricks: 4, most_vertices: 4, most_triangles: 4,
            sampled: 4, with_surface: 4, clipped: 4, torn: 4
        ),
        of!(hapticd_shaders::SkinBrick, "SkinBrick", bits: 64, starts: 28, pad: 4),
        of!(hapticd_shaders::SkinScan, "SkinScan", items: 4, blocks: 4, of_bricks: 4, pad: 4),
        of!(hapticd_shaders::Tally, "Tally", count: 4, capacity: 4, jobs: 4, pad: 4),
        of!(
            hapticd_shaders::Settings,
            "Settings",
            prediction: 4, flags: 4, objects: 4, points: 4, chunks: 4, runs: 4, pad0: 4, pad1: 4
        ),
    ]
}

/// `target` is a reserved word in WGSL.
fn same_name(rust: &str, wgsl: &str) -> bool {
    rust == wgsl || (rust == "target" && wgsl == "target_")
}

#[test]
fn every_struct_is_laid_out_alike() {
    let shaders = in_shaders();
    for (name, size, fields) in in_rust() {
        let (_, wgsl_size, wgsl_fields) = shaders
            .iter()
            .find(|(other, ..)| *other == name)
            .unwrap_or_else(|| panic!("no shader has {name}"));
        assert_eq!(size, *wgsl_size, "{name}: size");
        assert_eq!(fields.len(), wgsl_fields.len(), "{name}: fields");
        for (rust, wgsl) in fields.iter().zip(wgsl_fields) {
            assert!(
                same_name(&rust.0, &wgsl.0) && (rust.1, rust.2) == (wgsl.1, wgsl.2),
                "{name}: {rust:?} in Rust, {wgsl:?} in WGSL"
            );
        }
        // Arrays of it have no gaps.
        assert_eq!(size % 16, 0, "{name}");
    }
    assert!(align_of::<layout::Object>() <= 16);
}

#[test]
fn constants_are_the_same() {
    for source in passes::ALL {
        let module = naga::front::wgsl::parse_str(source.wgsl).unwrap();
        for (_, constant) in module.constants.iter() {
            let expected = match constant.name.as_deref() {
                Some("NONE") => naga::Literal::U32(layout::NONE),
                Some("SHEET") => naga::Literal::U32(layout::SHEET),
                Some("DEFORMABLE") => naga::Literal::U32(layout::DEFORMABLE),
                Some("GROUP") => naga::Literal::U32(hapticd_shaders::GROUP),
                Some("CHUNK") => naga::Literal::U32(hapticd_shaders::CHUNK),
                Some("INNER_SIDE") => naga::Literal::U32(layout::INNER_SIDE),
                Some("INVERTED") => naga::Literal::U32(layout::INVERTED),
                Some("NOTHING") => naga::Literal::U32(layout::Class::Nothing as u32),
                Some("COLLISION") => naga::Literal::U32(layout::Class::Collision as u32),
                Some("PREDICTION") => naga::Literal::U32(layout::Class::Prediction as u32),
                Some("PARTS") => naga::Literal::U32(hapticd_shaders::PARTS),
                Some("SIDE") => naga::Literal::U32(hapticd_shaders::SIDE),
                _ => continue,
            };
            let naga::Expression::Literal(value) = module.global_expressions[constant.init] else {
                panic!("{:?} is no literal", constant.name);
            };
            assert_eq!(value, expected, "{:?} in {}", constant.name, source.entry);
        }
        assert!(
            module
                .entry_points
                .iter()
                .all(|e| e.workgroup_size == [hapticd_shaders::GROUP, 1, 1])
        );
    }
}
