//! Builds a sheet of cloth from any triangle mesh: a particle at each vertex, a thread (distance
//! constraint) along each edge, a hinge at each edge between two triangles.
//!
//! # Theory
//!
//! Threads resist stretch and shear. The stiffness of an edge is the membrane's times the area of
//! its triangles over its length squared (Van Gelder 1998, "Approximate simulation of elastic
//! membranes by triangulated spring meshes"). A strip is therefore equally stiff however fine its
//! mesh. This is exact for equilateral triangles (Poisson's ratio is then 1/3), and up to a fifth
//! too stiff along the threads of a square grid with diagonals. Hinges: see `bending`. Each
//! triangle gives a third of its mass to each of its corners.

use super::bending::Bending;
use super::distance::Distance;
use super::mesh::{self, MeshFault};
use crate::Vec3;

/// Material of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothMaterial {
    /// Areal density, kg/m², positive.
    pub density_kg_m2: f64,
    /// Inverse of the membrane stiffness (Young's modulus times thickness), m/N. 0 means
    /// inextensible, as far as the substeps resolve it.
    pub stretch_compliance_m_n: f64,
    /// Inverse of the flexural rigidity, 1/(N m). `None` means no bending resistance.
    pub bending_compliance_1_nm: Option<f64>,
    /// Viscosity over stiffness of threads and hinges, s.
    pub damping_s: f64,
    /// Distance from the middle layer to a face, m. Not used here: the caller sets the gap of a
    /// contact to the sum of both half thicknesses.
    pub half_thickness_m: f64,
}

/// Why a cloth was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClothError {
    /// The mesh is not a surface.
    Mesh(MeshFault),
    /// A triangle has no area.
    Degenerate {
        /// Index of the triangle.
        triangle: usize,
        /// Area, m².
        area: f64,
    },
    /// The vertex is in no triangle, so it would have no mass.
    Loose(usize),
    /// The edge between these vertices has more than two triangles.
    Edge([u32; 2]),
    /// A material value is negative, not finite, or (density) zero.
    Material {
        /// Name of the field.
        name: &'static str,
        /// Value of the field.
        value: f64,
    },
}

impl core::fmt::Display for ClothError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Mesh(fault) => fault.fmt(f),
            Self::Degenerate { triangle, area } => {
                write!(f, "triangle {triangle} has area {area} m2")
            }
            Self::Loose(vertex) => write!(f, "vertex {vertex} is in no triangle"),
            Self::Edge([a, b]) => write!(f, "more than two triangles at the edge {a} to {b}"),
            Self::Material { name, value } => write!(f, "{name} = {value} is out of range"),
        }
    }
}

impl core::error::Error for ClothError {}

/// Parts of a cloth, with particles numbered from 0.
pub(super) struct Sheet {
    pub masses: Vec<f64>,
    pub distances: Vec<Distance>,
    pub bendings: Vec<Bending>,
}

pub(super) fn sheet(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    material: &ClothMaterial,
) -> Result<Sheet, ClothError> {
    check_material(material)?;
    mesh::check(positions, triangles).map_err(ClothError::Mesh)?;
    let mut masses = vec![0.0; positions.len()];
    for (triangle, t) in triangles.iter().enumerate() {
        let area = mesh::area(positions, t);
        let longest = (0..3)
            .map(|i| (positions[t[i] as usize] - positions[t[(i + 1) % 3] as usize]).norm_squared())
            .fold(0.0, f64::max);
        // The cotangents of a triangle thinner than 1e-8 of its length are rounding error.
        if !(area > 1e-8 * longest) {
            return Err(ClothError::Degenerate { triangle, area });
        }
        for &i in t {
            masses[i as usize] += area * material.density_kg_m2 / 3.0;
        }
    }
    if let Some(vertex) = masses.iter().position(|m| *m == 0.0) {
        return Err(ClothError::Loose(vertex));
    }
    let mut distances = Vec::new();
    let mut bendings = Vec::new();
    for edge in mesh::sides(triangles).chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (a, b) = (edge[0].0, edge[0].1);
        if edge.len() > 2 {
            return Err(ClothError::Edge([a, b]));
        }
        let rest = (positions[a as usize] - positions[b as usize]).norm();
        let area: f64 = (edge.iter())
            .map(|side| mesh::area(positions, &triangles[side.4]))
            .sum();
        distances.push(Distance {
            particles: [a, b],
            rest,
            compliance: material.stretch_compliance_m_n * rest * rest / area,
            damping: material.damping_s,
        });
        if let (Some(compliance), [one, other]) = (material.bending_compliance_1_nm, edge) {
            let corners = [a, b, one.3, other.3];
            let at = corners.map(|i| &positions[i as usize]);
            bendings.extend(Bending::new(corners, at, compliance, material.damping_s));
        }
    }
    Ok(Sheet {
        masses,
        distances,
        bendings,
    })
}

fn check_material(m: &ClothMaterial) -> Result<(), ClothError> {
    let fault = |name, value| Err(ClothError::Material { name, value });
    if !(m.density_kg_m2 > 0.0 && m.density_kg_m2.is_finite()) {
        return fault("density_kg_m2", m.density_kg_m2);
    }
    let bending = m.bending_compliance_1_nm.unwrap_or(0.0);
    for (name, value) in [
        ("stretch_compliance_m_n", m.stretch_compliance_m_n),
        ("bending_compliance_1_nm", bending),
        ("damping_s", m.damping_s),
        ("half_thickness_m", m.half_thickness_m),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return fault(name, value);
        }
    }
    Ok(())
}
