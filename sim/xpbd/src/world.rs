//! The world: its contents, and how objects are added and held.

use super::attachment::{Attachment, AttachmentError, AttachmentId};
use super::bending::Bending;
use super::body::{BodyError, BodyId, BodyKind, BodyState, XpbdBody};
use super::cloth::{self, ClothError, ClothMaterial};
use super::contact::{ContactFault, ContactPoint, check_weights};
use super::contact_solver::{Anchor, ContactSolver};
use super::distance::Distance;
use super::finite;
use super::particle::{ParticleError, ParticleId, Particles, check_place};
use super::soft::{self, SoftError, SoftMaterial};
use super::stencil::Stencil;
use super::surface::{Deformable, DeformableId, Skin, carried};
use super::tetrahedron::Tetrahedron;
use crate::Vec3;

/// Settings that hold for the whole world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Gravity, m/s².
    pub gravity_m_s2: Vec3,
    /// Rate of exponential decay of all velocities, 1/s.
    pub damping_1_s: f64,
    /// Largest push-out speed of a contact, m/s. A contact found deep inside is resolved over
    /// several steps and leaves at zero speed.
    pub push_out_m_s: f64,
    /// Sweeps over the contacts in a substep, 1 to 64. One is enough for particles. Boxes need a
    /// few, since four contacts share one body. Stacks stand with four, and stand still with eight.
    pub contact_sweeps: u32,
}

impl Default for Settings {
    /// Earth's gravity along -z, no damping, push-out at 0.5 m/s, four sweeps.
    fn default() -> Self {
        Self {
            gravity_m_s2: Vec3::new(0.0, 0.0, -9.81),
            damping_1_s: 0.0,
            push_out_m_s: 0.5,
            contact_sweeps: 4,
        }
    }
}

/// A setting that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettingsError {
    /// Name of the field.
    pub name: &'static str,
    /// Value of the field (for gravity, the magnitude).
    pub value: f64,
}

impl core::fmt::Display for SettingsError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} = {} is out of range", self.name, self.value)
    }
}

impl core::error::Error for SettingsError {}

/// Why a thread between two particles was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkError {
    /// One of the particles does not exist.
    Particle(ParticleError),
    /// Both ends are this particle.
    Same(u32),
    /// A length (m), compliance (m/N) or damping time (s) is negative or not finite.
    Number {
        /// Name of the parameter.
        name: &'static str,
        /// Value of the parameter.
        value: f64,
    },
}

impl core::fmt::Display for LinkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Particle(fault) => fault.fmt(f),
            Self::Same(i) => write!(f, "both ends are particle {i}"),
            Self::Number { name, value } => write!(f, "{name} = {value} is out of range"),
        }
    }
}

impl core::error::Error for LinkError {}

/// Particles, bodies and the constraints between them. The [crate documentation](super) lists its
/// guarantees.
#[derive(Clone, Debug)]
pub struct XpbdWorld {
    pub(super) settings: Settings,
    pub(super) particles: Particles,
    pub(super) distances: Vec<Distance>,
    pub(super) bendings: Vec<Bending>,
    pub(super) tetrahedra: Vec<Tetrahedron>,
    pub(super) attachments: Vec<Attachment>,
    pub(super) bodies: Vec<XpbdBody>,
    /// Unused body indices. A body in such a slot touches nothing and does not move.
    pub(super) free_bodies: Vec<u32>,
    pub(super) deformables: Vec<Deformable>,
    pub(super) contacts: ContactSolver,
    /// True when a mass has changed, and with it the axes of the tetrahedra.
    pub(super) masses_changed: bool,
}

impl XpbdWorld {
    /// Creates an empty world.
    ///
    /// # Errors
    /// [`SettingsError`] names the value that is not finite, negative, zero (push-out, sweeps) or
    /// above 64 (sweeps).
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let s = &settings;
        for (name, value, fine) in [
            ("gravity_m_s2", s.gravity_m_s2.norm(), true),
            ("damping_1_s", s.damping_1_s, s.damping_1_s >= 0.0),
            ("push_out_m_s", s.push_out_m_s, s.push_out_m_s > 0.0),
            (
                "contact_sweeps",
                f64::from(s.contact_sweeps),
                (1..=64).contains(&s.contact_sweeps),
            ),
        ] {
            if !(fine && value.is_finite()) {
                return Err(SettingsError { name, value });
            }
        }
        Ok(Self {
            settings,
            particles: Particles::default(),
            distances: Vec::new(),
            bendings: Vec::new(),
            tetrahedra: Vec::new(),
            attachments: Vec::new(),
            bodies: Vec::new(),
            free_bodies: Vec::new(),
            deformables: Vec::new(),
            contacts: ContactSolver::default(),
            masses_changed: false,
        })
    }

    /// Reserves capacity for `contacts` contacts (about 0.8 kB each), so that [`XpbdWorld::step`]
    /// never allocates for shorter lists.
    pub fn reserve_contacts(&mut self, contacts: usize) {
        self.contacts.reserve(contacts);
    }

    /// Adds a free particle of `mass_kg` at `position` (m) with `velocity` (m/s). Allocates.
    ///
    /// # Errors
    /// [`ParticleError`] for numbers that are not finite, or a mass that is not positive.
    pub fn add_particle(
        &mut self,
        position: Vec3,
        velocity: Vec3,
        mass_kg: f64,
    ) -> Result<ParticleId, ParticleError> {
        check_place(&position, &velocity)?;
        if !(mass_kg > 0.0 && mass_kg.is_finite()) {
            return Err(ParticleError::Mass(mass_kg));
        }
        Ok(ParticleId(self.particles.push(position, velocity, mass_kg)))
    }

    /// Adds a thread of length `rest_m`, with a compliance (m/N, 0 is rigid) and a damping time
    /// (viscosity over stiffness, s). Allocates.
    ///
    /// # Errors
    /// [`LinkError`] if a particle does not exist, both ends are the same, or a number is negative
    /// or not finite.
    pub fn link(
        &mut self,
        ends: [ParticleId; 2],
        rest_m: f64,
        compliance_m_n: f64,
        damping_s: f64,
    ) -> Result<(), LinkError> {
        for end in ends {
            self.particles.index(end).map_err(LinkError::Particle)?;
        }
        if ends[0] == ends[1] {
            return Err(LinkError::Same(ends[0].0));
        }
        for (name, value) in [
            ("rest_m", rest_m),
            ("compliance_m_n", compliance_m_n),
            ("damping_s", damping_s),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(LinkError::Number { name, value });
            }
        }
        self.distances.push(Distance {
            particles: ends.map(|end| end.0),
            rest: rest_m,
            compliance: compliance_m_n,
            damping: damping_s,
        });
        Ok(())
    }

    /// Adds a cloth whose rest shape, flat or curved, is that of the mesh; it starts at rest. Its
    /// surface vertices are its particles, in the order of the mesh. Allocates.
    ///
    /// # Errors
    /// [`ClothError`]; the world is then unchanged.
    pub fn add_cloth(
        &mut self,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        material: &ClothMaterial,
    ) -> Result<DeformableId, ClothError> {
        let sheet = cloth::sheet(positions, triangles, material)?;
        let first = self.add_masses(positions, &sheet.masses);
        self.distances
            .extend(sheet.distances.iter().map(|d| Distance {
                particles: d.particles.map(|p| p + first),
                ..*d
            }));
        self.bendings.extend(sheet.bendings.iter().map(|b| Bending {
            particles: b.particles.map(|p| p + first),
            ..*b
        }));
        Ok(self.add_deformable(Deformable {
            triangles: triangles.to_vec(),
            half_thickness: material.half_thickness_m,
            particles: (first, positions.len() as u32),
            tetrahedra: (self.tetrahedra.len() as u32, 0),
            skin: Skin::Bare,
        }))
    }

    /// Adds a soft body, at rest, that fills a closed surface (triangles run counterclockwise seen
    /// from outside). It is a lattice of `cells` boxes along the longest side of its bounds (1 to
    /// [`MAX_CELLS`](super::MAX_CELLS)). Surface vertices keep the order of the mesh. Allocates.
    ///
    /// # Errors
    /// [`SoftError`]; the world is then unchanged.
    pub fn add_soft(
        &mut self,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        cells: u32,
        material: &SoftMaterial,
    ) -> Result<DeformableId, SoftError> {
        let solid = soft::solid(positions, triangles, cells, material)?;
        let first = self.add_masses(&solid.nodes, &solid.masses);
        let first_tetrahedron = self.tetrahedra.len() as u32;
        self.tetrahedra
            .extend(solid.tetrahedra.iter().map(|t| t.renumbered(first)));
        self.masses_changed = true;
        let carriers: Vec<_> = (solid.embedding.iter())
            .map(|(p, w)| (p.map(|p| p + first), *w))
            .collect();
        let now: Vec<Vec3> = (carriers.iter())
            .map(|carrier| carried(carrier, &self.particles.x))
            .collect();
        Ok(self.add_deformable(Deformable {
            triangles: triangles.to_vec(),
            half_thickness: material.half_thickness_m,
            particles: (first, solid.nodes.len() as u32),
            tetrahedra: (first_tetrahedron, solid.tetrahedra.len() as u32),
            skin: Skin::Embedded {
                carriers,
                start: now.clone(),
                now,
            },
        }))
    }

    fn add_masses(&mut self, positions: &[Vec3], masses: &[f64]) -> u32 {
        let first = self.particles.x.len() as u32;
        for (x, mass) in positions.iter().zip(masses) {
            self.particles.push(*x, Vec3::zeros(), *mass);
        }
        first
    }

    fn add_deformable(&mut self, deformable: Deformable) -> DeformableId {
        self.deformables.push(deformable);
        DeformableId(self.deformables.len() as u32 - 1)
    }

    /// Adds a rigid body. Allocates.
    ///
    /// # Errors
    /// [`BodyError`] for numbers that are not finite, an invalid mass or inertia, or a rotation
    /// that is not a unit quaternion.
    pub fn add_body(&mut self, kind: &BodyKind, state: &BodyState) -> Result<BodyId, BodyError> {
        let body = XpbdBody::new(kind, state)?;
        let lowest = (0..self.free_bodies.len()).min_by_key(|&k| self.free_bodies[k]);
        if let Some(lowest) = lowest {
            let id = self.free_bodies.swap_remove(lowest);
            self.bodies[id as usize] = body;
            return Ok(BodyId(id));
        }
        self.bodies.push(body);
        Ok(BodyId(self.bodies.len() as u32 - 1))
    }

    /// Removes a body. The others keep their ids; its own is free for reuse. If another body takes
    /// its place, the removed body's contacts serve that body's next step at most, as a warm start.
    /// Allocates when there are more free ids than ever before.
    ///
    /// # Errors
    /// [`BodyError::Unknown`] if the body does not exist.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), BodyError> {
        let body = self.body_mut(id)?;
        *body = XpbdBody::new(&BodyKind::Kinematic, &BodyState::at(Vec3::zeros()))?;
        self.free_bodies.push(id.0);
        Ok(())
    }

    /// Number of rigid bodies.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies.len() - self.free_bodies.len()
    }

    /// Whether the body exists.
    pub(super) fn has_body(&self, id: BodyId) -> bool {
        (id.0 as usize) < self.bodies.len() && !self.free_bodies.contains(&id.0)
    }

    pub(super) fn body_mut(&mut self, id: BodyId) -> Result<&mut XpbdBody, BodyError> {
        let count = self.bodies();
        if !self.has_body(id) {
            return Err(BodyError::Unknown { body: id.0, count });
        }
        Ok(&mut self.bodies[id.0 as usize])
    }

    /// Holds a point of a deformable where it is now, with a compliance (m/N) and a damping time
    /// (viscosity over stiffness, s). [`XpbdWorld::move_hold`] moves it. Allocates when there are
    /// more holds than ever before.
    ///
    /// # Errors
    /// [`AttachmentError`] if the point is not on a particle or surface, or a number is negative or
    /// not finite.
    pub fn hold(
        &mut self,
        point: &ContactPoint,
        compliance_m_n: f64,
        damping_s: f64,
    ) -> Result<AttachmentId, AttachmentError> {
        if !(compliance_m_n >= 0.0 && compliance_m_n.is_finite()) {
            return Err(AttachmentError::Compliance(compliance_m_n));
        }
        if !(damping_s >= 0.0 && damping_s.is_finite()) {
            return Err(AttachmentError::Damping(damping_s));
        }
        let Anchor::Particles(stencil) = self.anchor(point).map_err(AttachmentError::Point)? else {
            return Err(AttachmentError::Rigid);
        };
        let at = super::stencil::mean(stencil.entries(), &self.particles.x);
        let attachment = Attachment {
            stencil,
            active: true,
            from: at,
            target: at,
            compliance: compliance_m_n,
            damping: damping_s,
            impulse: Vec3::zeros(),
        };
        let index = match self.attachments.iter().position(|a| !a.active) {
            Some(free) => {
                self.attachments[free] = attachment;
                free
            }
            None => {
                self.attachments.push(attachment);
                self.attachments.len() - 1
            }
        };
        Ok(AttachmentId(index as u32))
    }

    /// Moves the hold's target at constant velocity to `target` (m) during the next step. Allocates
    /// nothing.
    ///
    /// # Errors
    /// [`AttachmentError`] if the hold does not exist or the target is not finite.
    pub fn move_hold(&mut self, id: AttachmentId, target: Vec3) -> Result<(), AttachmentError> {
        if !finite(&target) {
            return Err(AttachmentError::Target(target));
        }
        self.held(id)?.target = target;
        Ok(())
    }

    /// Releases a hold. Allocates nothing.
    ///
    /// # Errors
    /// [`AttachmentError::Unknown`] if the hold does not exist.
    pub fn let_go(&mut self, id: AttachmentId) -> Result<(), AttachmentError> {
        self.held(id)?.active = false;
        Ok(())
    }

    fn held(&mut self, id: AttachmentId) -> Result<&mut Attachment, AttachmentError> {
        (self.attachments.get_mut(id.0 as usize))
            .filter(|a| a.active)
            .ok_or(AttachmentError::Unknown(id.0))
    }

    /// Resolves a contact point to the object that it moves with.
    pub(super) fn anchor(&self, point: &ContactPoint) -> Result<Anchor, ContactFault> {
        let mut stencil = Stencil::new();
        match *point {
            ContactPoint::Particle(id) => {
                let i = self.particles.index(id);
                i.map_err(|_| ContactFault::Particle(id.0))?;
                stencil.add(id.0, 1.0);
            }
            ContactPoint::Vertex { deformable, vertex } => {
                self.surface_of(deformable, vertex)?
                    .carry(vertex, 1.0, &mut stencil);
            }
            ContactPoint::Triangle {
                deformable,
                vertices,
                weights,
            } => {
                check_weights(&weights)?;
                for (vertex, weight) in vertices.into_iter().zip(weights) {
                    self.surface_of(deformable, vertex)?
                        .carry(vertex, weight, &mut stencil);
                }
            }
            ContactPoint::Body { body, local } => {
                if !self.has_body(body) {
                    return Err(ContactFault::Body(body.0));
                }
                if !finite(&local) {
                    return Err(ContactFault::Point(local));
                }
                return Ok(Anchor::Body(body.0, local));
            }
            ContactPoint::World(at) => {
                if !finite(&at) {
                    return Err(ContactFault::Point(at));
                }
                return Ok(Anchor::World(at));
            }
        }
        Ok(Anchor::Particles(stencil))
    }

    fn surface_of(&self, id: DeformableId, vertex: u32) -> Result<&Deformable, ContactFault> {
        let deformable =
            (self.deformables.get(id.0 as usize)).ok_or(ContactFault::Deformable(id.0))?;
        if (vertex as usize) < deformable.vertices() {
            Ok(deformable)
        } else {
            Err(ContactFault::Vertex {
                deformable: id.0,
                vertex,
            })
        }
    }
}
