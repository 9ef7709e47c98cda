//! A body of a soft scene: its creation, and the position and velocity of its surface.

use std::sync::Arc;

use crate::world::{AddError, DeformableWorld, ObjectId};
use hapticd_geometry::{Adjacency, MassProperties, MeshReport, Pose, Vec3, transform};
use hapticd_proxy::Material;
use hapticd_rays::{POINTS_PER_CLUSTER, Shape, Topology};
use hapticd_xpbd::{BodyId, DeformableId, ParticleId};

use super::spec::{DeformableAddError, DeformableKind, DeformableSpec, Pinned, Substance, pins};

/// What moves the surface.
#[derive(Clone, Debug)]
enum Mover {
    Deformable(DeformableId),
    /// The body, and its surface after the last step, world frame, m.
    Rigid(BodyId, Vec<Vec3>),
}

/// A body of a soft scene. See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Resident {
    pub id: u32,
    pub name: String,
    /// Name of the spec that it was made from.
    pub spec: String,
    pub kind: DeformableKind,
    pub object: ObjectId,
    pub shape: Arc<Shape>,
    pub surface: Material,
    mover: Mover,
}

impl Resident {
    /// Adds the bodies of a spec: one body, or each of a crowd.
    pub fn add(
        world: &mut DeformableWorld,
        spec: &DeformableSpec,
    ) -> Result<Vec<Resident>, DeformableAddError> {
        let refused = |why| DeformableAddError::Body {
            name: spec.name.clone(),
            why,
        };
        let friction = spec.surface.friction;
        let object = match &spec.substance {
            Substance::Soft { cells, material } => world
                .add_soft(&spec.mesh, *cells, material, POINTS_PER_CLUSTER, friction)
                .map_err(refused)?,
            Substance::Cloth { material } => world
                .add_cloth(&spec.mesh, material, POINTS_PER_CLUSTER, friction)
                .map_err(refused)?,
            Substance::Crowd {
                density_kg_m3,
                world_from_mesh,
            } => return Self::add_crowd(world, spec, *density_kg_m3, world_from_mesh),
        };
        let Some(deformable) = world.deformable(object) else {
            return Err(refused(AddError::NotRigid(object.0)));
        };
        pin(world, deformable, spec)?;
        Ok(vec![Resident {
            id: spec.id,
            name: spec.name.clone(),
            spec: spec.name.clone(),
            kind: spec.kind(),
            object,
            shape: world.scene().shape(object.0).clone(),
            surface: spec.surface,
            mover: Mover::Deformable(deformable),
        }])
    }

    fn add_crowd(
        world: &mut DeformableWorld,
        spec: &DeformableSpec,
        density_kg_m3: f64,
        places: &[Pose],
    ) -> Result<Vec<Resident>, DeformableAddError> {
        let refused = |why| DeformableAddError::Body {
            name: spec.name.clone(),
            why,
        };
        if spec.pinned != Pinned::None {
            return Err(DeformableAddError::Pins {
                name: spec.name.clone(),
                pinned: spec.pinned,
                count: 0,
                of: 0,
            });
        }
        let report = MeshReport::of(&spec.mesh, &Adjacency::new(&spec.mesh));
        let mass = MassProperties::of(&spec.mesh, &report, density_kg_m3).map_err(|why| {
            DeformableAddError::Mass {
                name: spec.name.clone(),
                why,
            }
        })?;
        let shape = Shape::new(&spec.mesh, Topology::Volume, POINTS_PER_CLUSTER);
        let shape = Arc::new(shape.map_err(|why| refused(why.into()))?);
        let mut crowd = Vec::with_capacity(places.len());
        for (id, place) in (spec.id..).zip(places) {
            let object = world
                .add_rigid(shape.clone(), &mass, place, spec.surface.friction)
                .map_err(refused)?;
            let Some(body) = world.body(object) else {
                return Err(refused(AddError::NotRigid(object.0)));
            };
            let mut resident = Resident {
                id,
                name: format!("{} {}", spec.name, id - spec.id + 1),
                spec: spec.name.clone(),
                kind: DeformableKind::Crowd,
                object,
                shape: shape.clone(),
                surface: spec.surface,
                mover: Mover::Rigid(body, vec![Vec3::zeros(); shape.points().len()]),
            };
            resident.follow(world);
            crowd.push(resident);
        }
        Ok(crowd)
    }

    /// Updates a rigid body's surface, after a step.
    pub fn follow(&mut self, world: &DeformableWorld) {
        let Mover::Rigid(_, points) = &mut self.mover else {
            return;
        };
        let Some(pose) = world.pose(self.object) else {
            return;
        };
        for (point, local) in points.iter_mut().zip(self.shape.points()) {
            *point = transform(&pose, &local.cast());
        }
    }

    /// Positions of its surface, world frame, m.
    pub fn points<'a>(&'a self, world: &'a DeformableWorld) -> &'a [Vec3] {
        match &self.mover {
            // It exists as long as its world does.
            Mover::Deformable(id) => world.dynamics().surface(*id).unwrap_or_default(),
            Mover::Rigid(_, points) => points,
        }
    }

    /// Velocity of a point of its surface, m/s.
    pub fn velocity(&self, world: &DeformableWorld, point: usize) -> Vec3 {
        let dynamics = world.dynamics();
        match &self.mover {
            Mover::Deformable(id) => dynamics.surface_velocity(*id, point as u32),
            Mover::Rigid(body, points) => dynamics
                .body(*body)
                .map(|state| state.velocity + state.spin.cross(&(points[point] - state.position))),
        }
        .unwrap_or_default()
    }
}

fn pin(
    world: &mut DeformableWorld,
    id: DeformableId,
    spec: &DeformableSpec,
) -> Result<(), DeformableAddError> {
    let dynamics = world.dynamics_mut();
    let range = dynamics.particles_of(id).unwrap_or(0..0);
    let held = pins(
        spec.pinned,
        &spec.mesh,
        &dynamics.positions()[range.clone()],
    );
    let solid = matches!(spec.substance, Substance::Soft { .. });
    let of_sheet = matches!(spec.pinned, Pinned::Corners | Pinned::Border);
    if held.len() >= range.len() || (solid && of_sheet) || (held.is_empty() && of_sheet) {
        return Err(DeformableAddError::Pins {
            name: spec.name.clone(),
            pinned: spec.pinned,
            count: held.len(),
            of: range.len(),
        });
    }
    for particle in held {
        // The particle exists.
        let _ = dynamics.pin(ParticleId((range.start + particle) as u32), true);
    }
    Ok(())
}
