//! Scenes C1 to C3: sheets on concave bodies, a dressed mannequin, a sheet falling on its edge.

use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_rays::{POINTS_PER_CLUSTER, Settings};

use crate::experiment::Failure;
use crate::models::{concave, mannequin};
use crate::rays::scenes::{
    DAMPING_1_S, HALF_THICKNESS_M, SHEET_M, SUBSTEPS, cloth, cloth_rays, heap_of_sheets, hills,
    moved,
};
use crate::rays::stage::{Numbers, Stage, failed, solid};

fn stage(rays: Settings) -> Result<Stage, Failure> {
    Stage::new(rays, SUBSTEPS[1], DAMPING_1_S)
}

/// C1: sheets fall on eight of the concave bodies, which stand on a plane: 9,766 points.
pub fn sheets_on_bodies(sheets: u32, cells: u32) -> Result<Stage, Failure> {
    let mut stage = stage(cloth_rays(cells))?;
    let plane = shapes::cuboid(&Vec3::new(2.0, 2.0, 0.5)).map_err(|e| failed(&e))?;
    stage.add_fixed(solid(&plane, 0)?, &Pose::translation(0.0, 0.0, -0.5))?;
    let mut numbers = Numbers::new(9);
    let bodies = concave::all()?;
    for k in 0..8_u8 {
        let shape = solid(&bodies[usize::from(k) % 4], POINTS_PER_CLUSTER)?;
        let [x, y] = [k % 3, k / 3].map(|i| 0.13 * (f64::from(i) - 1.0));
        let pose = Pose::from_parts(Vec3::new(x, y, 0.05).into(), numbers.turn());
        stage.add_fixed(shape, &pose)?;
    }
    heap_of_sheets(
        &mut stage,
        sheets,
        cells,
        POINTS_PER_CLUSTER,
        0.16,
        &mut numbers,
    )?;
    Ok(stage)
}

/// C2: a mannequin in a dress of three layers, a jacket and a scarf.
pub fn dressed(detail: f64) -> Result<Stage, Failure> {
    let garments = mannequin::garments(detail, 4.0 * HALF_THICKNESS_M)?;
    let edges: Vec<f64> = garments.iter().flat_map(edges).collect();
    let mean = edges.iter().sum::<f64>() / edges.len() as f64;
    let mut stage = stage(Settings::for_edges(mean as f32))?;
    let body = solid(&mannequin::body(detail)?, POINTS_PER_CLUSTER)?;
    stage.add_fixed(body, &Pose::identity())?;
    for garment in &garments {
        stage.add_cloth(garment, &cloth(), POINTS_PER_CLUSTER)?;
    }
    Ok(stage)
}

fn edges(mesh: &TriMesh) -> impl Iterator<Item = f64> {
    let at = |v: u32| mesh.positions()[v as usize];
    (mesh.triangles().iter())
        .flat_map(move |t| [0, 1, 2].map(|k| (at(t[k]) - at(t[(k + 1) % 3])).norm()))
}

/// C3: a sheet falls on its edge, slightly rotated, on irregular ground.
pub fn on_edge(cells: u32) -> Result<Stage, Failure> {
    let mut stage = stage(cloth_rays(cells))?;
    let ground = hills(0.45, 0.03, POINTS_PER_CLUSTER)?;
    stage.add_fixed(ground, &Pose::identity())?;
    let sheet = shapes::sheet(SHEET_M, cells).map_err(|e| failed(&e))?;
    let turn = Quat::from_euler_angles(1.5, 0.0, 0.3);
    let turned = sheet.positions().iter().map(|p| turn * p).collect();
    let sheet = TriMesh::new(turned, sheet.triangles().to_vec()).map_err(|e| failed(&e))?;
    let up = Vec3::new(0.0, 0.0, SHEET_M + 0.08);
    stage.add_cloth(&moved(&sheet, &up)?, &cloth(), POINTS_PER_CLUSTER)?;
    Ok(stage)
}
