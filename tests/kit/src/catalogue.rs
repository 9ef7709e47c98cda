//! The scenes. Each represents one way in which contact code breaks.

use hapticd_geometry::{MeshError, Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_proxy::Distances;

use crate::meshes;
use crate::scene::{BodyPlan, ScenePlan, ToolPlan};

fn ball(radius_m: f64) -> ToolPlan {
    ToolPlan::Ball { radius_m }
}

fn turning(mesh: TriMesh) -> ToolPlan {
    ToolPlan::Mesh { mesh, turns: true }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

fn turned(p: Pose, rotation: Vec3) -> Pose {
    Pose::from_parts(p.translation, Quat::from_scaled_axis(rotation))
}

/// Returns the corners and the middles of edges and faces of the box with these half sizes.
fn box_places(h: &Vec3) -> Vec<Vec3> {
    let mut places = Vec::new();
    for i in -1..=1 {
        for j in -1..=1 {
            for k in -1..=1 {
                places.push(Vec3::new(
                    f64::from(i) * h.x,
                    f64::from(j) * h.y,
                    f64::from(k) * h.z,
                ));
            }
        }
    }
    places
}

/// Returns all scenes.
///
/// # Errors
/// None with the given sizes; a mesh error would be a bug here.
pub fn scenes() -> Result<Vec<ScenePlan>, MeshError> {
    let mut all = plates()?;
    all.extend(fits()?);
    all.extend(corners()?);
    all.extend(surfaces()?);
    all.extend(scales()?);
    all.extend(movers()?);
    all.extend(flats()?);
    Ok(all)
}

/// Returns the scene with this name.
///
/// # Errors
/// As for [`scenes`].
pub fn scene(name: &str) -> Result<Option<ScenePlan>, MeshError> {
    Ok(scenes()?.into_iter().find(|s| s.name == name))
}

/// Plates of a tenth of a millimetre, and sheets without thickness.
fn plates() -> Result<Vec<ScenePlan>, MeshError> {
    let half = Vec3::new(0.04, 0.04, 5e-5);
    let plate = || {
        shapes::cuboid(&half).map(|m| {
            vec![BodyPlan::fixed(
                m,
                turned(Pose::identity(), Vec3::new(0.3, 0.1, 0.0)),
            )]
        })
    };
    let mut all = Vec::new();
    for (name, tool) in [
        ("plate, ball 5 mm", ball(0.005)),
        ("plate, ball 0.1 mm", ball(0.0001)),
        (
            "plate, block",
            turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?),
        ),
        (
            "plate, needle",
            turning(shapes::cuboid(&Vec3::new(0.02, 0.0004, 0.0004))?),
        ),
    ] {
        let mut s = ScenePlan::new(name, tool, plate()?);
        s.targets = box_places(&half);
        all.push(s);
    }
    for (name, tool) in [
        ("sheet, ball 3 mm", ball(0.003)),
        ("sheet, torus", turning(shapes::torus(0.008, 0.002, 10, 6)?)),
    ] {
        let mut s = ScenePlan::new(
            name,
            tool,
            vec![BodyPlan::sheet(shapes::sheet(0.04, 6)?, Pose::identity())],
        );
        s.targets = box_places(&Vec3::new(0.04, 0.04, 0.0));
        all.push(s);
    }
    Ok(all)
}

/// Pegs in holes, with a clearance of a few safe distances.
fn fits() -> Result<Vec<ScenePlan>, MeshError> {
    let safe = Distances::for_width(0.2).safe_m;
    let half = Vec3::new(0.02, 0.02, 0.01);
    let mut all = Vec::new();
    for (name, spare) in [("square peg, 3 safe", 3.0), ("square peg, 10 safe", 10.0)] {
        let peg = turning(shapes::cuboid(&Vec3::new(0.004, 0.004, 0.012))?);
        let hole = shapes::block_with_hole(&half, 0.004 + spare * safe)?;
        let mut s = ScenePlan::new(name, peg, vec![BodyPlan::fixed(hole, Pose::identity())]);
        s.insert = -Vec3::z();
        s.targets = vec![
            Vec3::zeros(),
            Vec3::new(0.0, 0.0, 0.01),
            Vec3::new(0.004, 0.004, 0.01),
        ];
        all.push(s);
    }
    let peg = turning(shapes::cylinder(0.004, 0.012, 16)?);
    let hole = shapes::block_with_round_hole(&half, 0.0043, 16)?;
    let mut s = ScenePlan::new(
        "round peg",
        peg,
        vec![BodyPlan::fixed(hole, Pose::identity())],
    );
    s.insert = -Vec3::z();
    s.targets = vec![Vec3::zeros(), Vec3::new(0.0, 0.0, 0.01)];
    s.weight = 0.4;
    all.push(s);
    // The other way round: the block with the hole is the tool, and the peg is fixed.
    let mut s = ScenePlan::new(
        "block over peg",
        turning(shapes::block_with_hole(&half, 0.0045)?),
        vec![BodyPlan::fixed(
            shapes::cuboid(&Vec3::new(0.004, 0.004, 0.02))?,
            Pose::identity(),
        )],
    );
    s.insert = -Vec3::z();
    s.targets = vec![Vec3::zeros(), Vec3::new(0.0, 0.0, 0.02)];
    all.push(s);
    Ok(all)
}

/// Inner corners, edges, tips.
fn corners() -> Result<Vec<ScenePlan>, MeshError> {
    let mut all = Vec::new();
    for (name, tool) in [
        ("corner, ball", ball(0.004)),
        (
            "corner, block",
            turning(shapes::cuboid(&Vec3::new(0.005, 0.004, 0.003))?),
        ),
        (
            "corner, frozen block",
            ToolPlan::Mesh {
                mesh: shapes::cuboid(&Vec3::repeat(0.004))?,
                turns: false,
            },
        ),
    ] {
        let corner = shapes::inner_corner(0.03, 0.002)?;
        let mut s = ScenePlan::new(name, tool, vec![BodyPlan::fixed(corner, Pose::identity())]);
        s.start = at(0.04, 0.04, 0.04);
        s.targets = vec![
            Vec3::zeros(),
            Vec3::new(0.01, 0.0, 0.0),
            Vec3::new(0.0, 0.01, 0.01),
            Vec3::repeat(-0.002),
        ];
        all.push(s);
    }
    let mut s = ScenePlan::new(
        "tip to tip",
        turning(meshes::spike(0.006, 0.02, 7)?),
        vec![BodyPlan::fixed(
            meshes::spike(0.006, 0.02, 5)?,
            turned(Pose::identity(), Vec3::new(3.0, 0.2, 0.0)),
        )],
    );
    s.start = at(0.0, 0.0, 0.03);
    s.targets = vec![Vec3::zeros(), Vec3::new(0.0, 0.0, -0.02)];
    all.push(s);
    let ring = || shapes::torus(0.015, 0.003, 14, 7);
    let mut s = ScenePlan::new(
        "linked rings",
        turning(ring()?),
        vec![BodyPlan::fixed(ring()?, Pose::identity())],
    );
    // Through the other's hole, at a right angle: it cannot leave.
    s.start = turned(
        at(0.015, 0.0, 0.0),
        Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0),
    );
    s.targets = vec![
        Vec3::zeros(),
        Vec3::new(0.015, 0.0, 0.0),
        Vec3::new(0.0, 0.015, 0.0),
    ];
    s.weight = 0.3;
    all.push(s);
    Ok(all)
}

/// Large and badly shaped surfaces.
fn surfaces() -> Result<Vec<ScenePlan>, MeshError> {
    let mut all = Vec::new();
    for (name, tool, weight) in [
        ("terrain, ball", ball(0.005), 0.5),
        (
            "terrain, block",
            turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?),
            0.3,
        ),
    ] {
        let ground = shapes::terrain([0.05, 0.05], 74, 0.008, 0.01, 7)?;
        let mut s = ScenePlan::new(name, tool, vec![BodyPlan::fixed(ground, Pose::identity())]);
        s.targets = (0..9)
            .map(|k| {
                Vec3::new(
                    0.04 * f64::from(k % 3 - 1),
                    0.04 * f64::from(k / 3 - 1),
                    0.0,
                )
            })
            .collect();
        s.weight = weight;
        all.push(s);
    }
    for (name, tool) in [
        ("slivers, ball", ball(0.002)),
        (
            "slivers, block",
            turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?),
        ),
    ] {
        let half = Vec3::new(0.03, 0.02, 0.01);
        let mut s = ScenePlan::new(
            name,
            tool,
            vec![BodyPlan::fixed(
                meshes::sliver_box(&half, 60)?,
                Pose::identity(),
            )],
        );
        s.targets = box_places(&half);
        s.weight = 0.4;
        all.push(s);
    }
    // Typical output of exporters: triangles that share no vertex and face anywhere, and a body
    // turned inside out. Neither has an inside; both must stop the tool.
    let half = Vec3::new(0.03, 0.02, 0.01);
    let tiled = meshes::tiled_box(&half, 4)?;
    for (name, mesh) in [
        ("soup, block", meshes::soup(&tiled)?),
        ("inside out, block", meshes::inside_out(&tiled)?),
    ] {
        let tool = turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?);
        let body = BodyPlan::sheet(mesh, Pose::identity());
        let mut s = ScenePlan::new(name, tool, vec![body]);
        s.targets = box_places(&half);
        s.weight = 0.4;
        all.push(s);
    }
    // Vertices a picometre off the plane, and off the planes of their neighbours.
    let base = meshes::tiled_box(&Vec3::new(0.03, 0.03, 0.005), 6)?;
    let shaken = meshes::shaken(&base, 1e-12, 5)?;
    let mut s = ScenePlan::new(
        "shaken tiles, block",
        turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?),
        vec![BodyPlan::fixed(shaken, Pose::identity())],
    );
    s.targets = box_places(&Vec3::new(0.03, 0.03, 0.005));
    s.weight = 0.5;
    all.push(s);
    Ok(all)
}

/// Sizes far from that of a hand.
fn scales() -> Result<Vec<ScenePlan>, MeshError> {
    let mut all = Vec::new();
    let half = Vec3::new(0.03, 0.03, 0.005);
    let mut s = ScenePlan::new(
        "big ball",
        ball(0.02),
        vec![BodyPlan::fixed(shapes::cuboid(&half)?, Pose::identity())],
    );
    s.targets = box_places(&half);
    all.push(s);
    // A scene of two millimetres, still moved at 10 m/s.
    let half = Vec3::new(4e-4, 4e-4, 2e-6);
    let mut s = ScenePlan::new(
        "microscopic",
        turning(shapes::cuboid(&Vec3::new(6e-5, 4e-5, 3e-5))?),
        vec![BodyPlan::fixed(
            shapes::cuboid(&half)?,
            turned(Pose::identity(), Vec3::new(0.2, 0.1, 0.4)),
        )],
    );
    s.distances = Distances::for_width(2e-3);
    s.start = at(0.0, 0.0, 6e-4);
    s.room = Vec3::repeat(1e-3);
    s.targets = box_places(&half);
    all.push(s);
    // A scene of ten metres, far from the origin.
    let half = Vec3::new(3.0, 3.0, 0.01);
    let mut s = ScenePlan::new(
        "room-sized",
        turning(shapes::cuboid(&Vec3::new(0.6, 0.4, 0.3))?),
        vec![BodyPlan::fixed(
            shapes::cuboid(&half)?,
            turned(Pose::identity(), Vec3::new(0.2, 0.1, 0.4)),
        )],
    );
    s.distances = Distances::for_width(10.0);
    s.start = at(0.0, 0.0, 4.0);
    s.room = Vec3::repeat(5.0);
    s.targets = box_places(&half);
    s.reach_max_m = 2.0;
    all.push(s);
    Ok(all)
}

/// Bodies that move towards the tool.
fn movers() -> Result<Vec<ScenePlan>, MeshError> {
    let mut all = Vec::new();
    let ceiling = || {
        shapes::cuboid(&Vec3::new(0.04, 0.04, 0.005))
            .map(|m| BodyPlan::fixed(m, at(0.0, 0.0, 0.035)))
    };
    let piston = || {
        shapes::cuboid(&Vec3::new(0.03, 0.03, 0.005)).map(|m| {
            BodyPlan::moving(
                m,
                at(0.0, 0.0, -0.04),
                vec![(at(0.0, 0.0, 0.03), 0.3), (at(0.0, 0.0, -0.04), 1.0)],
                400,
            )
        })
    };
    for (name, tool) in [
        ("piston, ball", ball(0.005)),
        (
            "piston, block",
            turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?),
        ),
    ] {
        let mut s = ScenePlan::new(name, tool, vec![ceiling()?, piston()?]);
        s.start = Pose::identity();
        s.room = Vec3::new(0.05, 0.05, 0.03);
        all.push(s);
    }
    let turn = |a: f64| turned(Pose::identity(), Vec3::new(0.0, 0.0, a));
    let paddle = BodyPlan::moving(
        shapes::cuboid(&Vec3::new(0.04, 0.001, 0.01))?,
        turn(0.0),
        vec![(turn(2.0), 3.0), (turn(4.0), 1.0), (turn(0.0), 10.0)],
        150,
    );
    for (name, tool) in [
        ("paddle, ball", ball(0.004)),
        (
            "paddle, block",
            turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?),
        ),
    ] {
        let mut s = ScenePlan::new(name, tool, vec![paddle.clone()]);
        s.start = at(0.0, 0.03, 0.0);
        s.targets = vec![
            Vec3::new(0.03, 0.0, 0.0),
            Vec3::new(0.0, 0.038, 0.0),
            Vec3::new(0.04, 0.0, 0.01),
        ];
        all.push(s);
    }
    let there = |x: f64, a: f64| turned(at(x, 0.002, 0.001), Vec3::new(a, 2.0 * a, 0.0));
    let thrown = BodyPlan::moving(
        shapes::icosphere(0.01, 1)?,
        there(0.09, 0.0),
        vec![(there(-0.09, 0.1), 10.0), (there(0.09, 0.0), 10.0)],
        60,
    );
    for (name, tool) in [
        ("thrown at ball", ball(0.003)),
        (
            "thrown at ring",
            turning(shapes::torus(0.012, 0.002, 12, 6)?),
        ),
    ] {
        let mut s = ScenePlan::new(name, tool, vec![thrown.clone()]);
        s.start = Pose::identity();
        s.room = Vec3::repeat(0.04);
        s.weight = 0.4;
        all.push(s);
    }
    let jaw = |side: f64| {
        shapes::cuboid(&Vec3::new(0.005, 0.02, 0.02)).map(|m| {
            BodyPlan::moving(
                m,
                at(0.04 * side, 0.0, 0.0),
                vec![
                    (
                        turned(at(0.004 * side, 0.0, 0.0), Vec3::new(0.0, 0.05 * side, 0.1)),
                        0.5,
                    ),
                    (at(0.04 * side, 0.0, 0.0), 2.0),
                ],
                250,
            )
        })
    };
    for (name, tool) in [
        ("vice, ball", ball(0.005)),
        (
            "vice, block",
            turning(shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003))?),
        ),
    ] {
        let mut s = ScenePlan::new(name, tool, vec![jaw(1.0)?, jaw(-1.0)?]);
        s.start = Pose::identity();
        s.room = Vec3::repeat(0.05);
        all.push(s);
    }
    Ok(all)
}

/// Conforming faces in contact: hundreds of pairs.
fn flats() -> Result<Vec<ScenePlan>, MeshError> {
    let mut all = Vec::new();
    let mut s = ScenePlan::new(
        "box on box",
        turning(shapes::cuboid(&Vec3::repeat(0.01))?),
        vec![BodyPlan::fixed(
            shapes::cuboid(&Vec3::repeat(0.01))?,
            Pose::identity(),
        )],
    );
    s.start = at(0.0, 0.0, 0.04);
    s.targets = box_places(&Vec3::repeat(0.01));
    all.push(s);
    let mut s = ScenePlan::new(
        "tiles on tiles",
        turning(meshes::tiled_box(&Vec3::new(0.01, 0.01, 0.004), 6)?),
        vec![BodyPlan::fixed(
            meshes::tiled_box(&Vec3::new(0.02, 0.02, 0.004), 10)?,
            Pose::identity(),
        )],
    );
    s.start = at(0.0, 0.0, 0.04);
    s.targets = box_places(&Vec3::new(0.02, 0.02, 0.004));
    s.weight = 0.1;
    all.push(s);
    Ok(all)
}
