//! Builds a soft body from any closed surface: a lattice of elastic tetrahedra that carries the
//! surface with it.

use super::lattice::lattice;
use super::mesh::{self, MeshFault};
use super::tetrahedron::{Elasticity, Tetrahedron};
use crate::Vec3;

/// Largest number of boxes along the longest side of a body.
pub const MAX_CELLS: u32 = 64;

/// Material of a soft body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftMaterial {
    /// Density, kg/m³, positive.
    pub density_kg_m3: f64,
    /// Young's modulus, Pa, positive. A substep much longer than sound needs to cross one
    /// tetrahedron makes the body softer than this.
    pub young_pa: f64,
    /// Poisson's ratio, 0 to 0.4999.
    pub poisson: f64,
    /// Viscosity over stiffness, s.
    pub damping_s: f64,
    /// Distance that the caller's contacts add around the surface, m.
    pub half_thickness_m: f64,
}

/// Why a soft body was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SoftError {
    /// The mesh is not a surface.
    Mesh(MeshFault),
    /// The surface is not closed: the edge between these vertices does not have one triangle on
    /// each side.
    Open([u32; 2]),
    /// The enclosed volume (m³) is not positive: the surface is inside out or flat.
    Volume(f64),
    /// The number of boxes along the longest side is not 1 to [`MAX_CELLS`].
    Cells(u32),
    /// A material value is out of its range.
    Material {
        /// Name of the field.
        name: &'static str,
        /// Value of the field.
        value: f64,
    },
}

impl core::fmt::Display for SoftError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Mesh(fault) => fault.fmt(f),
            Self::Open([a, b]) => write!(
                f,
                "edge {a} to {b} is not between two triangles: the surface is not closed"
            ),
            Self::Volume(volume) => write!(f, "the enclosed volume is {volume} m3"),
            Self::Cells(cells) => write!(f, "{cells} boxes; 1 to {MAX_CELLS} allowed"),
            Self::Material { name, value } => write!(f, "{name} = {value} is out of range"),
        }
    }
}

impl core::error::Error for SoftError {}

/// Parts of a soft body, with particles numbered from 0.
pub(super) struct Solid {
    pub nodes: Vec<Vec3>,
    pub masses: Vec<f64>,
    pub tetrahedra: Vec<Tetrahedron>,
    pub embedding: Vec<([u32; 4], [f64; 4])>,
}

pub(super) fn solid(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    cells: u32,
    material: &SoftMaterial,
) -> Result<Solid, SoftError> {
    check_material(material)?;
    if !(1..=MAX_CELLS).contains(&cells) {
        return Err(SoftError::Cells(cells));
    }
    mesh::check(positions, triangles).map_err(SoftError::Mesh)?;
    for edge in mesh::sides(triangles).chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if edge.len() != 2 || edge[0].2 == edge[1].2 {
            return Err(SoftError::Open([edge[0].0, edge[0].1]));
        }
    }
    let volume = mesh::volume(positions, triangles);
    if !(volume > 0.0 && volume.is_finite()) {
        return Err(SoftError::Volume(volume));
    }
    let elasticity = Elasticity {
        young_pa: material.young_pa,
        poisson: material.poisson,
        damping_s: material.damping_s,
    };
    let lattice = lattice(positions, triangles, cells);
    let mut masses = vec![0.0; lattice.nodes.len()];
    let mut tetrahedra = Vec::with_capacity(lattice.tetrahedra.len());
    for (t, fill) in lattice.tetrahedra.iter().zip(&lattice.fill) {
        let at = t.map(|i| &lattice.nodes[i as usize]);
        let element = Tetrahedron::new(*t, at, *fill, elasticity);
        // `None`: the element is so flat that its volume is rounding error, because the bounds are.
        let element = element.ok_or(SoftError::Volume(volume))?;
        for &i in t {
            masses[i as usize] += fill * at_volume(at);
        }
        tetrahedra.push(element);
    }
    // The sampled volume only approximates that of the surface; scaling makes the mass exact.
    let sampled: f64 = masses.iter().sum();
    for mass in &mut masses {
        *mass *= material.density_kg_m3 * volume / sampled;
    }
    Ok(Solid {
        nodes: lattice.nodes,
        masses,
        tetrahedra,
        embedding: lattice.embedding,
    })
}

fn at_volume([a, b, c, d]: [&Vec3; 4]) -> f64 {
    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
}

fn check_material(m: &SoftMaterial) -> Result<(), SoftError> {
    for (name, value, fine) in [
        ("density_kg_m3", m.density_kg_m3, m.density_kg_m3 > 0.0),
        ("young_pa", m.young_pa, m.young_pa > 0.0),
        ("poisson", m.poisson, (0.0..=0.4999).contains(&m.poisson)),
        ("damping_s", m.damping_s, m.damping_s >= 0.0),
        (
            "half_thickness_m",
            m.half_thickness_m,
            m.half_thickness_m >= 0.0,
        ),
    ] {
        if !(fine && value.is_finite()) {
            return Err(SoftError::Material { name, value });
        }
    }
    Ok(())
}
