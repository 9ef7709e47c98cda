//! Mass, centre of mass and inertia of a homogeneous solid, from its surface.
//!
//! The solid is the sum of the signed tetrahedra between a fixed point and each triangle. So any
//! closed, consistently oriented surface works, convex or not, with or without cavities (divergence
//! theorem; tetrahedron integrals after Mirtich 1996 and Tonon 2004). The fixed point is the middle
//! of the bounding box: a small body far from its origin loses no digits. Deterministic. No
//! allocation, no panics.

use crate::mesh::TriMesh;
use crate::pose::{Mat3, Vec3};
use crate::report::MeshReport;

/// Mass properties of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the mesh's frame, m.
    pub center: Vec3,
    /// Inertia about the centre of mass, along the axes of the mesh's frame, kg m². Symmetric,
    /// positive definite.
    pub inertia: Mat3,
}

/// Why a mesh has no mass.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// The density is not a positive finite number.
    #[error("the density is {0} kg/m³, it must be positive and finite")]
    Density(f64),
    /// The surface has holes or folds, so it has no inside.
    #[error(
        "the surface is not closed: {boundary_edges} edges with one face, {non_manifold_edges} with three or more"
    )]
    NotClosed {
        /// Edges with one face.
        boundary_edges: usize,
        /// Edges with three faces or more.
        non_manifold_edges: usize,
    },
    /// Some faces are inside out, or all are.
    #[error(
        "the surface does not face outwards: {misoriented_edges} edges between contrary faces, volume {volume_m3} m³"
    )]
    NotOutward {
        /// Edges with two faces that disagree.
        misoriented_edges: usize,
        /// Signed volume, m³.
        volume_m3: f64,
    },
    /// A number under- or overflows: volume or inertia is not positive and finite.
    #[error("the solid is too small, too large or too thin to have a mass: volume {volume_m3} m³")]
    OutOfRange {
        /// Volume, m³.
        volume_m3: f64,
    },
}

impl MassProperties {
    /// Computes the mass properties of the solid inside `mesh` with a uniform `density_kg_m3`.
    /// `report` must be that mesh's.
    ///
    /// # Errors
    /// [`MassError`]: only closed, outward surfaces have an inside.
    pub fn of(mesh: &TriMesh, report: &MeshReport, density_kg_m3: f64) -> Result<Self, MassError> {
        if !(density_kg_m3 > 0.0 && density_kg_m3.is_finite()) {
            return Err(MassError::Density(density_kg_m3));
        }
        Moments::of(mesh, report)?.with_density(density_kg_m3)
    }
}

/// Volume integrals of a homogeneous solid: all that its mass properties need from its mesh. Takes
/// `O(n)` to compute; each density then takes constant time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    origin: Vec3,
    size: f64,
    /// About `origin`, in units of `size`.
    volume: f64,
    center: Vec3,
    /// Second moments about the centre.
    spread: Mat3,
    signed_volume_m3: f64,
}

impl Moments {
    /// Computes the integrals of the solid inside `mesh`. `report` must be that mesh's.
    ///
    /// # Errors
    /// [`MassError`]: only closed, outward surfaces have an inside.
    pub fn of(mesh: &TriMesh, report: &MeshReport) -> Result<Self, MassError> {
        if !report.closed {
            return Err(MassError::NotClosed {
                boundary_edges: report.boundary_edges,
                non_manifold_edges: report.non_manifold_edges,
            });
        }
        if !report.oriented {
            return Err(MassError::NotOutward {
                misoriented_edges: report.misoriented_edges,
                volume_m3: report.signed_volume_m3,
            });
        }
        let (low, high) = mesh.bounds();
        let origin = (low + high) / 2.0;
        // Unit size, so that the fifth power of a micrometre or of a kilometre stays in range.
        let size = (high - low).amax();
        let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.triangle(t).map(|p| (p - origin) / size);
            let sixth = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            volume += sixth;
            first += sum * (sixth / 4.0);
            // Integral of x xᵀ over the tetrahedron 0abc: V/20 (aaᵀ + bbᵀ + ccᵀ + ssᵀ), s = a + b +
            // c.
            second +=
                (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose())
                    * (sixth / 20.0);
        }
        let center = first / volume;
        Ok(Self {
            origin,
            size,
            volume,
            center,
            // Moved to the centre.
            spread: second - center * center.transpose() * volume,
            signed_volume_m3: report.signed_volume_m3,
        })
    }

    /// Returns the mass properties of the solid with this uniform density, kg/m³.
    ///
    /// # Errors
    /// [`MassError::Density`], [`MassError::OutOfRange`].
    pub fn with_density(&self, density_kg_m3: f64) -> Result<MassProperties, MassError> {
        if !(density_kg_m3 > 0.0 && density_kg_m3.is_finite()) {
            return Err(MassError::Density(density_kg_m3));
        }
        let (volume, size, spread) = (self.volume, self.size, &self.spread);
        let mass = density_kg_m3 * volume * size.powi(3);
        // From second moments to inertia.
        let inertia = (Mat3::identity() * spread.trace() - spread) * (mass / volume * size * size);
        let is_sound = mass > 0.0
            && mass.is_finite()
            && inertia.iter().all(|x| x.is_finite())
            && inertia.cholesky().is_some();
        if !is_sound {
            return Err(MassError::OutOfRange {
                volume_m3: self.signed_volume_m3,
            });
        }
        Ok(MassProperties {
            mass,
            center: self.origin + self.center * size,
            inertia,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::adjacency::Adjacency;
    use crate::pose::{Pose, Quat, transform};
    use crate::shapes;

    fn of(mesh: &TriMesh, density: f64) -> Result<MassProperties, MassError> {
        MassProperties::of(mesh, &MeshReport::of(mesh, &Adjacency::new(mesh)), density)
    }

    fn moved(mesh: &TriMesh, pose: &Pose) -> TriMesh {
        let positions = mesh
            .positions()
            .iter()
            .map(|p| transform(pose, p))
            .collect();
        TriMesh::new(positions, mesh.triangles().to_vec()).unwrap()
    }

    fn assert_close(a: &Mat3, b: &Mat3, relative: f64) {
        assert!((a - b).norm() <= relative * b.norm(), "{a} {b}");
    }

    /// Inertia of a cuboid with these half sizes.
    fn cuboid_inertia(mass: f64, h: &Vec3) -> Mat3 {
        let s = h.component_mul(h);
        Mat3::from_diagonal(&Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y)) * (mass / 3.0)
    }

    #[test]
    fn a_cuboid_anywhere_in_any_attitude() {
        let half = Vec3::new(0.1, 0.2, 0.3);
        let mesh = shapes::cuboid(&half).unwrap();
        for (place, tolerance) in [(Vec3::zeros(), 1e-14), (Vec3::new(1e3, -2e3, 5.0), 1e-10)] {
            let r = Quat::from_scaled_axis(Vec3::new(0.4, -1.0, 0.7));
            let m = of(&moved(&mesh, &Pose::from_parts(place.into(), r)), 1000.0).unwrap();
            assert!((m.mass - 48.0).abs() < 48.0 * tolerance);
            assert!((m.center - place).norm() < 1e-15 + 1e-15 * place.norm());
            let turn = r.to_rotation_matrix();
            let expected = turn * cuboid_inertia(48.0, &half) * turn.inverse();
            assert_close(&m.inertia, &expected, tolerance);
        }
    }

    #[test]
    fn hollow_and_curved_solids() {
        // Outer cuboid minus the inner one.
        let half = Vec3::new(2.0, 1.5, 1.0);
        let hole = of(&shapes::block_with_hole(&half, 0.5).unwrap(), 1.0).unwrap();
        let expected = cuboid_inertia(24.0, &half) - cuboid_inertia(2.0, &Vec3::new(0.5, 0.5, 1.0));
        assert!((hole.mass - 22.0).abs() < 1e-12 && hole.center.norm() < 1e-14);
        assert_close(&hole.inertia, &expected, 1e-14);

        let ball = of(&shapes::icosphere(0.5, 5).unwrap(), 2.0).unwrap();
        let mass = 2.0 * 4.0 / 3.0 * PI * 0.125;
        assert!((ball.mass - mass).abs() < 3e-3 * mass);
        assert_close(
            &ball.inertia,
            &(Mat3::identity() * (0.4 * mass * 0.25)),
            5e-3,
        );

        let (big, small) = (2.0f64, 0.5f64);
        let ring = of(&shapes::torus(big, small, 256, 128).unwrap(), 3.0).unwrap();
        let mass = 3.0 * 2.0 * PI * PI * big * small * small;
        let across = mass * (0.5 * big * big + 0.625 * small * small);
        let about = mass * (big * big + 0.75 * small * small);
        assert!((ring.mass - mass).abs() < 2e-3 * mass);
        assert_close(
            &ring.inertia,
            &Mat3::from_diagonal(&Vec3::new(across, across, about)),
            3e-3,
        );
    }

    #[test]
    fn the_sum_of_the_parts() {
        // Two separate cuboids in one mesh against the parallel axis theorem.
        let (h, at) = (Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.5, 0.0, 0.0));
        let one = shapes::cuboid(&h).unwrap();
        let (left, right) = (
            moved(&one, &Pose::translation(-0.5, 0.0, 0.0)),
            moved(&one, &Pose::translation(0.5, 0.0, 0.0)),
        );
        let n = one.positions().len() as u32;
        let positions = [left.positions(), right.positions()].concat();
        let more = one.triangles().iter().map(|t| t.map(|v| v + n));
        let triangles = one.triangles().iter().copied().chain(more).collect();
        let both = of(&TriMesh::new(positions, triangles).unwrap(), 1.0).unwrap();
        let each = cuboid_inertia(0.008, &h)
            + (Mat3::identity() * at.norm_squared() - at * at.transpose()) * 0.008;
        assert_close(&both.inertia, &(each * 2.0), 1e-14);
    }

    #[test]
    fn sizes_from_micrometres_to_kilometres() {
        for scale in [1e-6, 1e3] {
            let half = Vec3::new(1.0, 2.0, 3.0) * scale;
            let m = of(&shapes::cuboid(&half).unwrap(), 1.0).unwrap();
            assert_close(&m.inertia, &cuboid_inertia(m.mass, &half), 1e-13);
        }
        let thin = of(&shapes::plate(0.1, 0.1, 1e-4).unwrap(), 1000.0).unwrap();
        assert_close(
            &thin.inertia,
            &cuboid_inertia(0.004, &Vec3::new(0.1, 0.1, 5e-5)),
            1e-13,
        );
    }

    #[test]
    fn what_has_no_inside_has_no_mass() {
        let good = shapes::cuboid(&Vec3::repeat(1.0)).unwrap();
        for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(of(&good, density), Err(MassError::Density(_))));
        }
        let open = shapes::sheet(1.0, 2).unwrap();
        assert_eq!(
            of(&open, 1.0),
            Err(MassError::NotClosed {
                boundary_edges: 8,
                non_manifold_edges: 0
            })
        );
        let mut triangles = good.triangles().to_vec();
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
        let inside_out = TriMesh::new(good.positions().to_vec(), triangles).unwrap();
        assert!(
            matches!(of(&inside_out, 1.0), Err(MassError::NotOutward { misoriented_edges: 0, volume_m3 }) if volume_m3 < 0.0)
        );
        let huge = shapes::cuboid(&Vec3::repeat(1e100)).unwrap();
        assert!(matches!(
            of(&huge, 1e100),
            Err(MassError::OutOfRange { .. })
        ));
    }
}
