//! Scenes and the independent checker.
#![allow(dead_code)]

use std::collections::HashMap;
use std::sync::Arc;

use hapticd_audit::{Solid, Tool, distance_m, penetration_depth_m};
use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_rigid::{BodyId, BodySpec, Material, RigidWorld};

pub const G: f64 = 9.81;
pub const H: f64 = 1e-3;

pub fn index(mesh: TriMesh) -> Arc<MeshIndex> {
    Arc::new(MeshIndex::new(mesh))
}

pub fn cube(half: f64) -> Arc<MeshIndex> {
    index(shapes::cuboid(&Vec3::repeat(half)).unwrap())
}

pub fn cuboid(x: f64, y: f64, z: f64) -> Arc<MeshIndex> {
    index(shapes::cuboid(&Vec3::new(x, y, z)).unwrap())
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

pub fn with(mut spec: BodySpec, friction: f64, restitution: f64) -> BodySpec {
    spec.material = Material {
        friction,
        restitution,
    };
    spec
}

/// Gravity of a floor that is tilted about y: down the slope is +x.
pub fn tilted(angle: f64) -> Vec3 {
    Vec3::new(angle.sin(), 0.0, -angle.cos()) * G
}

pub fn turned(pose: Pose, rotation: Vec3) -> Pose {
    Pose::from_parts(pose.translation, Quat::from_scaled_axis(rotation))
}

pub struct Numbers(pub u64);

impl Numbers {
    /// In [-1, 1).
    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// The mesh of each body, in the form that the checker needs.
#[derive(Default)]
pub struct Auditor {
    solids: HashMap<BodyId, Arc<Solid>>,
    known: Vec<(Arc<MeshIndex>, Arc<Solid>)>,
}

impl Auditor {
    pub fn learn(&mut self, id: BodyId, shape: &Arc<MeshIndex>) {
        let known = self
            .known
            .iter()
            .find(|(s, _)| Arc::ptr_eq(s, shape))
            .map(|(_, x)| x.clone());
        let solid = known.unwrap_or_else(|| {
            let solid = Arc::new(Solid::new(shape.mesh().unwrap()));
            self.known.push((shape.clone(), solid.clone()));
            solid
        });
        self.solids.insert(id, solid);
    }

    /// Pairs that touch or overlap, with the depth.
    pub fn penetrations(&self, world: &RigidWorld) -> Vec<(BodyId, BodyId, f64)> {
        let mut found = Vec::new();
        let ids: Vec<BodyId> = world.ids().collect();
        for (i, a) in ids.iter().enumerate() {
            for b in &ids[i + 1..] {
                let depth = penetration_depth_m(
                    &Tool::Mesh(&self.solids[a]),
                    &world.body(*a).unwrap().world_from_body,
                    &self.solids[b],
                    &world.body(*b).unwrap().world_from_body,
                );
                if depth != 0.0 {
                    found.push((*a, *b, depth));
                }
            }
        }
        found
    }

    pub fn distance(&self, world: &RigidWorld, a: BodyId, b: BodyId) -> f64 {
        distance_m(
            &Tool::Mesh(&self.solids[&a]),
            &world.body(a).unwrap().world_from_body,
            &self.solids[&b],
            &world.body(b).unwrap().world_from_body,
        )
    }
}

/// A world with an auditor.
pub struct Scene {
    pub world: RigidWorld,
    pub audit: Auditor,
}

impl Scene {
    pub fn new(settings: hapticd_rigid::Settings) -> Self {
        Self {
            world: RigidWorld::new(settings).unwrap(),
            audit: Auditor::default(),
        }
    }

    pub fn add(&mut self, spec: BodySpec) -> BodyId {
        let id = self.world.add(&spec).unwrap();
        self.audit.learn(id, &spec.shape);
        id
    }

    pub fn x(&self, id: BodyId) -> Vec3 {
        self.world.body(id).unwrap().centre
    }
}
