//! Contents of the source's scenes. Sizes, masses, placements, thicknesses and thresholds are ours;
//! the source gives none.

use std::sync::Arc;

use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_rays::{Settings, Shape};
use hapticd_xpbd::ClothMaterial;

use crate::experiment::Failure;
use crate::models::concave;
use crate::rays::stage::{Numbers, Part, Stage, failed, solid};

/// Number of substeps for rigid bodies alone, and with cloth.
pub const SUBSTEPS: [u32; 2] = [4, 10];
/// High damping, and still not enough: 64 stones still move at 0.1 m/s after ten seconds (0.17 m/s
/// after fifteen with a tenth of it), so nothing is ever fully settled.
pub const DAMPING_1_S: f64 = 1.0;
/// About the size of one of the four bodies, with space to turn, m.
const SPACING_M: f64 = 0.16;

/// Returns the four concave bodies.
pub fn parts(points_per_cluster: usize) -> Result<Vec<Part>, Failure> {
    let meshes = concave::all()?;
    (meshes.iter())
        .map(|mesh| Part::new(mesh, points_per_cluster))
        .collect()
}

/// Returns the thresholds of the detection for bodies with these edges.
pub fn rays(parts: &[Part]) -> Settings {
    let edges = parts.iter().map(|part| part.shape.mean_edge_m());
    Settings::for_edges(edges.sum::<f32>() / parts.len() as f32)
}

/// Returns the thresholds of S1, S2 and R.
pub fn rigid_rays() -> Result<Settings, Failure> {
    Ok(rays(&parts(0)?))
}

/// The same for contacts only, as the source's solver requests: predictions sleep until they can
/// become a contact. Our own solver uses predictions to look ahead.
pub fn contacts_only(rays: Settings) -> Settings {
    Settings {
        awake_m: 0.0,
        ..rays
    }
}

/// The source's rigid scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Rigid {
    /// All bodies fall together on a plane.
    S1,
    /// One body is released every 0.1 s, above a plane.
    S2,
}

impl Rigid {
    pub fn name(self) -> &'static str {
        match self {
            Rigid::S1 => "S1",
            Rigid::S2 => "S2",
        }
    }

    /// Makes the scene with this many bodies.
    pub fn stage(self, bodies: u32, rays: Settings) -> Result<Stage, Failure> {
        match self {
            Rigid::S1 => together(&parts(0)?, bodies, rays),
            Rigid::S2 => one_by_one(bodies, rays),
        }
    }
}

/// Steps between two bodies of S2: 0.1 s.
pub const BETWEEN: usize = 6;

fn plane(stage: &mut Stage) -> Result<(), Failure> {
    let plane = shapes::cuboid(&Vec3::new(20.0, 20.0, 0.5)).map_err(|e| failed(&e))?;
    stage.add_fixed(solid(&plane, 0)?, &Pose::translation(0.0, 0.0, -0.5))
}

/// Returns a cubic lattice from `from` above the ground; the last layers may be incomplete.
fn lattice(bodies: u32, from: f64, numbers: &mut Numbers) -> Vec<Pose> {
    let side = (1..).find(|n: &u32| n.pow(3) >= bodies).unwrap_or(1);
    (0..bodies)
        .map(|k| {
            let [x, y, z] = [k % side, k / side % side, k / side.pow(2)].map(f64::from);
            let half = f64::from(side - 1) / 2.0;
            let at = Vec3::new(x - half, y - half, z) * SPACING_M + Vec3::z() * from;
            Pose::from_parts(at.into(), numbers.turn())
        })
        .collect()
}

/// Returns the initial poses of the bodies of S1.
pub fn places(bodies: u32) -> Vec<Pose> {
    lattice(bodies, 2.0 * SPACING_M, &mut Numbers::new(7))
}

/// Makes S1: these bodies in turn, in a cubic lattice; the plane is object 0.
pub fn together(parts: &[Part], bodies: u32, rays: Settings) -> Result<Stage, Failure> {
    let mut stage = Stage::new(rays, SUBSTEPS[0], DAMPING_1_S)?;
    plane(&mut stage)?;
    for (part, pose) in parts.iter().cycle().zip(places(bodies)) {
        stage.add_rigid(part, &pose)?;
    }
    Ok(stage)
}

/// Makes S2: bodies that fall on one heap.
fn one_by_one(bodies: u32, rays: Settings) -> Result<Stage, Failure> {
    let mut stage = Stage::new(rays, SUBSTEPS[0], DAMPING_1_S)?;
    plane(&mut stage)?;
    let parts = parts(0)?;
    let mut numbers = Numbers::new(11);
    let half = 0.5 * SPACING_M * f64::from(bodies).cbrt();
    // Approximate height that a body adds to the heap.
    let layer = 0.4 * SPACING_M.powi(3) / (4.0 * half * half);
    for k in 0..bodies as usize {
        let above = 0.2 + layer * k as f64;
        let at = Vec3::new(numbers.about(half), numbers.about(half), above);
        let pose = Pose::from_parts(at.into(), numbers.turn());
        stage.add_later(BETWEEN * k, &parts[k % parts.len()], &pose);
    }
    Ok(stage)
}

/// Makes a ground with hills of up to `amplitude` m, `half` m to each side.
pub fn hills(half: f64, amplitude: f64, points_per_cluster: usize) -> Result<Arc<Shape>, Failure> {
    // Cells of half the size of a body.
    let cells = (half / 0.03).ceil() as u32;
    let mesh = shapes::terrain([half; 2], cells, amplitude, 0.3, 3).map_err(|e| failed(&e))?;
    solid(&mesh, points_per_cluster)
}

/// Makes R: concave bodies on irregular ground; with sheets above it is RD.
pub fn on_hills(bodies: u32, sheets: u32, cells: u32, rays: Settings) -> Result<Stage, Failure> {
    let cloth = usize::from(sheets > 0);
    let mut stage = Stage::new(rays, SUBSTEPS[cloth], DAMPING_1_S)?;
    let clusters = if sheets > 0 {
        hapticd_rays::POINTS_PER_CLUSTER
    } else {
        0
    };
    let side = f64::from(bodies).cbrt().ceil() * SPACING_M;
    let ground = hills(2.0 * side, 0.25 * SPACING_M, clusters)?;
    stage.add_fixed(ground, &Pose::identity())?;
    let parts = parts(clusters)?;
    let mut numbers = Numbers::new(7);
    for (part, pose) in parts
        .iter()
        .cycle()
        .zip(lattice(bodies, 0.24, &mut numbers))
    {
        stage.add_rigid(part, &pose)?;
    }
    let top = 0.24 + side + 0.1;
    heap_of_sheets(&mut stage, sheets, cells, clusters, top, &mut numbers)?;
    Ok(stage)
}

/// Half the side of every sheet, m.
pub const SHEET_M: f64 = 0.15;
pub const HALF_THICKNESS_M: f64 = 0.0015;

pub fn cloth() -> ClothMaterial {
    ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-4,
        bending_compliance_1_nm: Some(1e4),
        damping_s: 0.001,
        half_thickness_m: HALF_THICKNESS_M,
    }
}

pub fn moved(mesh: &TriMesh, by: &Vec3) -> Result<TriMesh, Failure> {
    let positions = mesh.positions().iter().map(|p| p + by).collect();
    TriMesh::new(positions, mesh.triangles().to_vec()).map_err(|e| failed(&e))
}

/// Returns the thresholds for sheets of this many squares a side.
pub fn cloth_rays(cells: u32) -> Settings {
    // Two sides of a square and its diagonal.
    let side = 2.0 * SHEET_M / f64::from(cells);
    Settings::for_edges((side * (2.0 + std::f64::consts::SQRT_2) / 3.0) as f32)
}

/// Returns the thresholds of RD, with such sheets.
pub fn mixed_rays(cells: u32) -> Result<Settings, Failure> {
    let (rigid, sheets) = (rigid_rays()?, cloth_rays(cells));
    Ok(Settings {
        prediction_m: rigid.prediction_m.max(sheets.prediction_m),
        displacement_m: rigid.displacement_m.min(sheets.displacement_m),
        ..sheets
    })
}

/// Adds overlapping stacks of four sheets next to each other.
pub fn heap_of_sheets(
    stage: &mut Stage,
    sheets: u32,
    cells: u32,
    points_per_cluster: usize,
    from: f64,
    numbers: &mut Numbers,
) -> Result<(), Failure> {
    let mesh = shapes::sheet(SHEET_M, cells).map_err(|e| failed(&e))?;
    let across = stacks(sheets);
    for k in 0..sheets {
        let (stack, layer) = (k % across.pow(2), k / across.pow(2));
        let half = f64::from(across - 1) / 2.0;
        let [x, y] =
            [stack % across, stack / across].map(|i| 1.5 * SHEET_M * (f64::from(i) - half));
        let z = from + 0.04 * f64::from(layer) + 0.01 * f64::from(stack % 4);
        let at = Vec3::new(x + numbers.about(0.02), y + numbers.about(0.02), z);
        stage.add_cloth(&moved(&mesh, &at)?, &cloth(), points_per_cluster)?;
    }
    Ok(())
}

/// Returns the number of stacks along a side of a heap of sheets.
fn stacks(sheets: u32) -> u32 {
    (1..).find(|n: &u32| 4 * n.pow(2) >= sheets).unwrap_or(1)
}

/// Makes D1: sheets that fall on irregular ground with fixed balls.
pub fn sheets_on_hills(
    sheets: u32,
    cells: u32,
    points_per_cluster: usize,
    rays: Settings,
) -> Result<Stage, Failure> {
    let mut stage = Stage::new(rays, SUBSTEPS[1], DAMPING_1_S)?;
    let across = stacks(sheets);
    let half = 0.75 * SHEET_M * f64::from(across - 1);
    let ground = hills(half + 2.0 * SHEET_M, 0.03, points_per_cluster)?;
    stage.add_fixed(ground, &Pose::identity())?;
    let ball = solid(
        &shapes::icosphere(0.04, 3).map_err(|e| failed(&e))?,
        points_per_cluster,
    )?;
    let mut numbers = Numbers::new(5);
    for _ in 0..3 * across.pow(2) {
        let reach = half + 0.6 * SHEET_M;
        let at = Vec3::new(numbers.about(reach), numbers.about(reach), 0.05);
        stage.add_fixed(
            ball.clone(),
            &Pose::from_parts(at.into(), Default::default()),
        )?;
    }
    heap_of_sheets(
        &mut stage,
        sheets,
        cells,
        points_per_cluster,
        0.13,
        &mut numbers,
    )?;
    Ok(stage)
}

/// Makes C0: two sheets that fall on a ball, the upper one faster; the ball is object 0, the lower
/// sheet 1.
pub fn sheets_on_a_ball(cells: u32, rays: Settings, speed_m_s: f64) -> Result<Stage, Failure> {
    let mut stage = Stage::new(rays, SUBSTEPS[1], DAMPING_1_S)?;
    let ball = shapes::icosphere(0.06, 3).map_err(|e| failed(&e))?;
    let clusters = hapticd_rays::POINTS_PER_CLUSTER;
    stage.add_fixed(solid(&ball, clusters)?, &Pose::identity())?;
    let mesh = shapes::sheet(SHEET_M, cells).map_err(|e| failed(&e))?;
    for z in [0.065, 0.085] {
        let at = Vec3::new(0.1 * (z - 0.065), 0.0, z);
        stage.add_cloth(&moved(&mesh, &at)?, &cloth(), clusters)?;
    }
    stage.throw(1, Vec3::new(0.0, 0.0, -speed_m_s))?;
    Ok(stage)
}
