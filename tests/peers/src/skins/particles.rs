//! splashsurf on its home ground: a ball of fluid as particles in a lattice, with its usual method
//! (subdomains, vector instructions).
//!
//! Its field differs from ours. It sums the cubic spline over densities that it computes; ours
//! takes the same particles as points with the same reach and an amplitude that makes the sum one
//! inside. Both have cubes of the same edge. Ours has 5 to 6 % fewer triangles because its surface
//! is smaller, so compare per triangle. Its normals are those of triangles, from its own function;
//! ours are those of the field. Its triangles are checked against the normals of its field.

use std::error::Error;

use hapticd_geometry::Vec3;
use hapticd_skin::{Domain, Mesh, Primitive};
use splashsurf_lib::sph_interpolation::SphInterpolator;
use splashsurf_lib::{Parameters, SurfaceReconstruction, nalgebra as theirs, reconstruct_surface};

use super::codes::{Ours, ours};
use super::{Case, Code, timed};

/// Edges of the cubes, in radii of a particle.
pub const CASES: [f64; 2] = [0.75, 0.5];

/// Radius of a particle, m.
const PARTICLE_RADIUS_M: f64 = 0.02;
/// Reach of a particle's kernel, in radii of it; pictures in its manual use 4.4, with cubes of 0.45
/// and 1.1.
const REACH: f64 = 4.0;
/// Level of the surface: its default.
const THRESHOLD: f64 = 0.6;
/// Radius of the ball, m.
const BALL_M: f64 = 0.7;

/// Returns the case with both codes at this resolution.
///
/// # Errors
/// If one cannot be set up.
pub fn case(edge: f64) -> Result<Case, Box<dyn Error>> {
    let particles = lattice();
    let edge_m = edge * PARTICLE_RADIUS_M;
    let reach_m = REACH * PARTICLE_RADIUS_M;
    let inside: f64 = {
        let middle = Vec3::zeros();
        let one = |at: &Vec3| Primitive::point(*at, reach_m).value(&middle);
        particles.iter().map(one).sum()
    };
    let points = particles.iter().map(|at| Primitive {
        amplitude: 1.0 / inside,
        ..Primitive::point(*at, reach_m)
    });
    let cells = (2.0 * (BALL_M + reach_m) / edge_m).ceil() as u32 + 2;
    let low = Vec3::repeat(-0.5 * f64::from(cells) * edge_m);
    Ok(Case {
        what: format!(
            "ball of {} particles, cubes of {edge} radii",
            particles.len()
        ),
        codes: vec![
            Box::new(Ours::new(
                points.collect(),
                Domain::new(low, edge_m, [cells; 3])?,
                THRESHOLD,
            )),
            Box::new(Particles {
                points: (particles.iter())
                    .map(|p| theirs::Vector3::new(p.x as f32, p.y as f32, p.z as f32))
                    .collect(),
                edge_m: edge_m as f32,
                made: SurfaceReconstruction::default(),
            }),
        ],
    })
}

/// Returns the particles of a ball, one diameter apart.
fn lattice() -> Vec<Vec3> {
    let apart = 2.0 * PARTICLE_RADIUS_M;
    let most = (BALL_M / apart).floor() as i32;
    let all = (-most..=most).flat_map(|i| {
        (-most..=most).flat_map(move |j| (-most..=most).map(move |k| [i, j, k].map(f64::from)))
    });
    let places = all.map(|p| apart * Vec3::from(p));
    places.filter(|p| p.norm() <= BALL_M).collect()
}

struct Particles {
    points: Vec<theirs::Vector3<f32>>,
    edge_m: f32,
    made: SurfaceReconstruction<i64, f32>,
}

impl Particles {
    fn parameters(&self) -> Parameters<f32> {
        let radius = PARTICLE_RADIUS_M as f32;
        // It uses one thread: see `super::run`.
        let mut parameters = Parameters::new(radius, REACH as f32 * radius, self.edge_m);
        parameters.iso_surface_threshold = THRESHOLD as f32;
        parameters
    }
}

impl Code for Particles {
    fn name(&self) -> &'static str {
        "splashsurf, its own field and way, with normals of triangles"
    }

    fn frame(&mut self) -> Result<f64, Box<dyn Error>> {
        let parameters = self.parameters();
        let (seconds, made) = timed(|| {
            let made = reconstruct_surface::<i64, f32>(&self.points, &parameters)?;
            std::hint::black_box(made.mesh.vertex_normals());
            Ok::<_, Box<dyn Error>>(made)
        });
        self.made = made?;
        Ok(seconds)
    }

    fn mesh(&mut self) -> Result<Mesh, Box<dyn Error>> {
        let mut mesh = ours(&self.made.mesh);
        let densities = self
            .made
            .particle_densities
            .as_ref()
            .ok_or("no densities")?;
        let parameters = self.parameters();
        let mass = (2.0 * parameters.particle_radius).powi(3) * parameters.rest_density;
        let field = SphInterpolator::new(
            &self.points,
            densities,
            mass,
            parameters.compact_support_radius,
        );
        let normals = field.interpolate_normals(&self.made.mesh.vertices);
        mesh.normals = normals.iter().map(|n| [n.x, n.y, n.z]).collect();
        Ok(mesh)
    }
}
