//! The tool's shape as far as the loop needs it, and the distances of contact.
//!
//! Plain data; no allocation. Metres, tool frame.

use hapticd_geometry::{Pose, Quat, Screw, Vec3, transform};

/// The rigid shape that an arm moves, reduced to what bounds its motion. Its features come with the
/// snapshots.
#[derive(Clone, Copy, Debug)]
pub struct ToolShape {
    /// Centre of a ball that holds all the tool's vertices; also the reference point of the tool's
    /// motions.
    pub centre: Vec3,
    /// Radius of that ball (0 for a sphere tool: its only vertex is its centre).
    pub bound_m: f64,
    /// Half-thickness around the vertices, edges and faces (a sphere tool's radius; 0 for a mesh).
    pub radius_m: f64,
    /// True if contact may turn the tool. False for a sphere, since its rotation has no effect, and
    /// for arms that give no orientation.
    pub turns: bool,
}

impl ToolShape {
    /// Creates a ball around the tool's origin.
    pub fn sphere(radius_m: f64) -> Self {
        ToolShape {
            centre: Vec3::zeros(),
            bound_m: 0.0,
            radius_m,
            turns: false,
        }
    }

    /// Creates the shape of a mesh with these vertices.
    pub fn mesh(vertices: &[Vec3], turns: bool) -> Self {
        let mut low = Vec3::repeat(f64::INFINITY);
        let mut high = Vec3::repeat(f64::NEG_INFINITY);
        for v in vertices {
            low = low.inf(v);
            high = high.sup(v);
        }
        let centre = if vertices.is_empty() {
            Vec3::zeros()
        } else {
            (low + high) / 2.0
        };
        let bound_m = vertices
            .iter()
            .map(|v| (v - centre).norm())
            .fold(0.0, f64::max);
        ToolShape {
            centre,
            bound_m: bound_m * (1.0 + 1e-12),
            radius_m: 0.0,
            turns,
        }
    }

    /// Returns the largest extent, m: the scale for what counts as small.
    pub fn size_m(&self) -> f64 {
        2.0 * (self.bound_m + self.radius_m)
    }

    /// Returns the lever of a contact at `point` about `centre`, where the shape's centre is, m,
    /// world frame; zero if contact may not turn the tool.
    #[inline]
    pub fn arm(&self, point: &Vec3, centre: &Vec3) -> Vec3 {
        if self.turns {
            point - centre
        } else {
            Vec3::zeros()
        }
    }

    /// Returns the tool's pose as others see it: without rotation for a ball, since that moves none
    /// of its points.
    pub fn seen_at(&self, pose: &Pose) -> Pose {
        if self.bound_m == 0.0 && self.centre == Vec3::zeros() {
            Pose::from_parts(pose.translation, Quat::identity())
        } else {
            *pose
        }
    }

    /// Returns an upper bound on the displacement of any tool point between two poses, m.
    pub fn displacement(&self, from: &Pose, to: &Pose) -> f64 {
        let centre = transform(to, &self.centre) - transform(from, &self.centre);
        // The sine of half the angle is the norm of the difference quaternion's vector part.
        let half_sine = (to.rotation * from.rotation.inverse()).imag().norm();
        centre.norm() + 2.0 * self.bound_m * half_sine
    }

    /// Returns an upper bound on the path of any tool point along the whole screw from `pose`, m.
    pub fn path(&self, screw: &Screw, pose: &Pose) -> f64 {
        let centre = transform(pose, &self.centre);
        screw.velocity_of(&centre).norm() + screw.angle.abs() * self.bound_m
    }
}

/// Distances of contact. All in metres, surface to surface.
///
/// Redon 2002 (section 6.2) keeps bodies in contact slightly apart, at 8.8e-5, 2e-4 and 4.6e-4 of
/// the scene's width. `safe` and `release` here are the last two of these. No pair ever gets below
/// `clearance`, which continuous detection certifies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Distance that is certified at every instant.
    pub clearance_m: f64,
    /// Distance that the projection maintains: contact rests here.
    pub safe_m: f64,
    /// Distance beyond which a feature pair is not a contact.
    pub release_m: f64,
}

impl Distances {
    /// Returns the distances for a scene (workspace) of this width.
    pub fn for_width(width_m: f64) -> Self {
        Distances {
            clearance_m: 4e-5 * width_m,
            safe_m: 2e-4 * width_m,
            release_m: 4.6e-4 * width_m,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displacement_bounds_every_vertex() {
        let vertices = [
            Vec3::new(0.1, 0.0, 0.0),
            Vec3::new(0.0, -0.2, 0.05),
            Vec3::new(-0.03, 0.1, 0.3),
        ];
        let tool = ToolShape::mesh(&vertices, true);
        let a = Pose::translation(1.0, 2.0, 3.0);
        for k in 0..50 {
            let w = Vec3::new(0.1, -0.07, 0.03) * f64::from(k);
            let b = Pose::from_parts(Vec3::new(1.1, 2.0, 2.9).into(), Quat::from_scaled_axis(w));
            let bound = tool.displacement(&a, &b);
            let screw = Screw::between(&a, &b);
            let path = tool.path(&screw, &a);
            for v in &vertices {
                let moved = (transform(&b, v) - transform(&a, v)).norm();
                assert!(moved <= bound + 1e-12, "{moved} > {bound}");
                assert!(moved <= path + 1e-9, "{moved} > {path}");
            }
        }
    }
}
