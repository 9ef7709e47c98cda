//! Drops that fly around in a box, a coil, and the cost of their meshes.

use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Graph};
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skeleton, Skin, SkinError};

use crate::clock::Moment;
use crate::experiment::Failure;

/// Level of the digest's calibration (section 7.3), with Murakami's kernel and amplitude 1.
pub const LEVEL: f64 = 0.5;
/// Edges of cubes that reproduce its two columns of triangles, in radii of influence.
pub const NORMAL: f64 = 0.42;
pub const HIGH: f64 = 0.151;
/// Edge of the box of centres, in the same unit: between the two that bracket the published
/// numbers.
pub const BOX: f64 = 20.0;

/// Random numbers from 0 to 1, the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> f64 {
        // Knuth's generator; its upper bits are good enough for positions.
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Drops of radius 1 that move straight and bounce off the walls of the box (section 5.1.1).
pub struct Drops {
    pub primitives: Vec<Primitive>,
    steps: Vec<Vec3>,
}

impl Drops {
    pub fn new(count: usize, seed: u64) -> Drops {
        let mut random = Random::new(seed);
        let mut primitives = Vec::with_capacity(count);
        let mut steps = Vec::with_capacity(count);
        for _ in 0..count {
            primitives.push(Primitive::point(BOX * random.vector(), 1.0));
            steps.push(0.2 * (random.vector().add_scalar(-0.5)));
        }
        Drops { primitives, steps }
    }

    pub fn step(&mut self) {
        for (primitive, step) in self.primitives.iter_mut().zip(&mut self.steps) {
            if let Skeleton::Point(at) = &mut primitive.skeleton {
                for k in 0..3 {
                    if !(0.0..=BOX).contains(&(at[k] + step[k])) {
                        step[k] = -step[k];
                    }
                    at[k] += step[k];
                }
            }
        }
    }

    /// Returns settings for the box and the reach around it.
    pub fn settings(cell: f64) -> Result<Settings, Failure> {
        let cells = ((BOX + 2.2) / cell).ceil() as u32;
        let domain = Domain::new(Vec3::repeat(-1.1), cell, [cells; 3]);
        Ok(Settings {
            domain: domain.map_err(|e| Failure::Run(e.to_string()))?,
            level: LEVEL,
            ambiguity: Ambiguity::default(),
        })
    }
}

/// Means over the frames of a run.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub triangles: f64,
    /// Cubes with triangles.
    pub cubes: f64,
    pub ms: f64,
}

pub fn refused(error: &SkinError) -> Failure {
    Failure::Run(error.to_string())
}

/// Runs this many frames of drops, all of which move.
pub fn fly(count: usize, cell: f64, frames: u32) -> Result<Cost, Failure> {
    let settings = Drops::settings(cell)?;
    let mut drops = Drops::new(count, 11);
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    // Memory grows in the first two.
    for _ in 0..2 {
        drops.step();
        skin.polygonize(&settings, &drops.primitives, &mut mesh)
            .map_err(|e| refused(&e))?;
    }
    let mut all = Cost::default();
    for _ in 0..frames {
        drops.step();
        let start = Moment::now();
        skin.polygonize(&settings, &drops.primitives, &mut mesh)
            .map_err(|e| refused(&e))?;
        all.ms += 1e3 * start.elapsed().as_secs_f64();
        all.triangles += mesh.triangles.len() as f64;
        all.cubes += useful(&mesh, &settings.domain) as f64;
    }
    let n = f64::from(frames);
    Ok(Cost {
        triangles: all.triangles / n,
        cubes: all.cubes / n,
        ms: all.ms / n,
    })
}

/// Returns the number of cubes with triangles: the middle of a triangle lies in its cube.
fn useful(mesh: &Mesh, domain: &Domain) -> usize {
    let mut cubes: Vec<[u32; 3]> = (mesh.triangles.iter())
        .map(|t| {
            let sum = t.iter().fold(Vec3::zeros(), |sum, v| {
                sum + Vec3::from(mesh.points[*v as usize].map(f64::from))
            });
            let at = (sum / 3.0 - domain.low()) / domain.cell_m();
            [0, 1, 2].map(|k| at[k].max(0.0) as u32)
        })
        .collect();
    cubes.sort_unstable();
    cubes.dedup();
    cubes.len()
}

/// A straight line through points, by least squares.
#[derive(Clone, Copy)]
pub struct Line {
    pub slope: f64,
    pub intercept: f64,
    /// Fraction of the variance that it explains.
    pub r2: f64,
}

pub fn line(points: &[(f64, f64)]) -> Line {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|(x, y)| f(x - mx, y - my)).sum()
    };
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    let slope = xy / xx;
    Line {
        slope,
        intercept: my - slope * mx,
        r2: xy * xy / (xx * yy),
    }
}

/// Returns a coil of this many points of radius 1, four turns of radius 2.5, and the graph of which
/// may blend along it (digest, section 4.6).
pub fn coil(pitch: f64, points: u32, cell: f64) -> (Vec<Primitive>, Graph) {
    let turn = std::f64::consts::TAU;
    let last = f64::from(points - 1);
    let step = 4.0 * (turn * 2.5).hypot(pitch) / last;
    let at = |k: u32| {
        let s = 4.0 * f64::from(k) / last;
        let (sin, cos) = (turn * s).sin_cos();
        Vec3::new(2.5 * cos, 2.5 * sin, pitch * (s - 2.0))
    };
    let primitives = (0..points).map(|k| Primitive::point(at(k), 1.0)).collect();
    let mut graph = Graph::new();
    let ways = vec![step; points as usize - 1];
    graph.strand(0, &ways, 2.0 + 3.0_f64.sqrt() * cell);
    (primitives, graph)
}

/// Returns the mean time of a mesh of these primitives, all of which move a little from frame to
/// frame, ms, and the last mesh.
pub fn shiver(
    settings: &Settings,
    primitives: &[Primitive],
    blending: Blending<'_>,
    frames: u32,
) -> Result<(f64, Mesh, hapticd_skin::Report), Failure> {
    let mut moved = primitives.to_vec();
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let (mut ms, mut report) = (0.0, hapticd_skin::Report::default());
    for frame in 0..frames + 2 {
        let by = if frame % 2 == 0 { 1e-4 } else { -1e-4 };
        for primitive in &mut moved {
            if let Skeleton::Point(at) = &mut primitive.skeleton {
                at.x += by;
            }
        }
        let start = Moment::now();
        report = skin
            .polygonize_by(settings, &moved, blending, &mut mesh)
            .map_err(|e| refused(&e))?;
        if frame >= 2 {
            ms += 1e3 * start.elapsed().as_secs_f64();
        }
    }
    Ok((ms / f64::from(frames), mesh, report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_fitted_and_a_bad_fit_shows() {
        let straight = line(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert!((straight.slope - 2.0).abs() < 1e-12 && (straight.intercept - 1.0).abs() < 1e-12);
        assert!((straight.r2 - 1.0).abs() < 1e-12);
        assert!(line(&[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)]).r2 < 1e-12);
    }

    #[test]
    fn drops_stay_in_their_box_and_every_cube_is_counted_once() {
        let mut drops = Drops::new(20, 3);
        for _ in 0..500 {
            drops.step();
        }
        let inside = |p: &Primitive| p.heart().iter().all(|x| (-0.1..=BOX + 0.1).contains(x));
        assert!(drops.primitives.iter().all(inside));
        let cost = fly(10, NORMAL, 3).unwrap();
        let each = cost.triangles / cost.cubes;
        assert!((1.6..2.0).contains(&each), "{each} triangles a cube");
    }
}
