//! Carries out the requests that add bodies: with a mesh of their own, or as instances.

use super::{
    Adding, Envelope, Hub, Import, Output, Pending,
    requests::{check_ranges, check_surface, pose},
};
use crate::{BodyRecord, ClientId, Command, Refusal};
use hapticd_config::{Body, Material, Tabular};
use hapticd_protocol::{
    reply::ErrorCode,
    request::{self, BodyKind},
};
use hapticd_scene::BodySpec;
use std::ops::RangeInclusive;

/// Ranges of a body: those of the configuration's keys.
const RESTITUTION: RangeInclusive<f64> = Material::SECTION.range("restitution");
/// Range for a dynamic body. For others the density has no meaning, and only the maximum applies.
const DENSITY_KG_M3: RangeInclusive<f64> = Body::SECTION.range("density_kg_m3");

/// Numbers of a body that a client wants to add.
struct Newcomer {
    kind: BodyKind,
    material: hapticd_proxy::Material,
    restitution: f64,
    density_kg_m3: f64,
}

/// The scene's kind of a body; refused for those that clients cannot add, which the hub has checked
/// already.
pub(crate) fn scene_kind(kind: BodyKind) -> Result<hapticd_scene::BodyKind, Refusal> {
    match kind {
        BodyKind::Static => Ok(hapticd_scene::BodyKind::Static),
        BodyKind::Kinematic => Ok(hapticd_scene::BodyKind::Kinematic),
        BodyKind::Dynamic => Ok(hapticd_scene::BodyKind::Dynamic),
        BodyKind::Soft | BodyKind::Cloth | BodyKind::Crowd | BodyKind::Implicit => Err(
            Refusal::text(ErrorCode::OutOfRange, "clients add no soft bodies"),
        ),
    }
}

impl Hub {
    /// Checks a body against ranges and its client's quota of bodies.
    fn check_newcomer(&self, client: ClientId, new: &Newcomer) -> Result<(), Refusal> {
        if self.stopping {
            return Err(Refusal::new(ErrorCode::ShuttingDown, 0, 0));
        }
        if new.kind.is_simulated() {
            return Err(Refusal {
                code: ErrorCode::OutOfRange,
                number: u64::from(new.kind.code()),
                limit: u64::from(BodyKind::Dynamic.code()),
                detail: format!("only the configuration can add {} bodies", new.kind.text()),
            });
        }
        let density = match new.kind {
            BodyKind::Dynamic => DENSITY_KG_M3,
            _ => 0.0..=*DENSITY_KG_M3.end(),
        };
        check_surface(&new.material)?;
        check_ranges([
            ("restitution", new.restitution, RESTITUTION),
            ("density_kg_m3", new.density_kg_m3, density),
        ])?;
        let pending = self.sessions.get(&client).map_or(0, |s| s.pending_bodies);
        let bodies = self.registry.owned(client).len() + pending;
        if bodies >= self.quotas.bodies {
            return Err(Refusal::new(
                ErrorCode::TooManyBodies,
                bodies as u64,
                self.quotas.bodies as u64,
            ));
        }
        Ok(())
    }

    /// Bytes of meshes that a client may still add.
    fn mesh_bytes_left(&self, client: ClientId) -> u64 {
        let used_bytes = self.registry.mesh_bytes(client) + self.pending_mesh_bytes(client);
        self.quotas.mesh_bytes.saturating_sub(used_bytes)
    }

    /// Orders a body with the mesh of another one.
    pub(super) fn add_instance<F>(
        &mut self,
        envelope: Envelope,
        add: &request::AddInstance,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let Envelope { client, id, .. } = envelope;
        let new = Newcomer {
            kind: add.kind,
            material: hapticd_proxy::Material {
                stiffness_n_per_m: add.stiffness_n_per_m.0,
                damping_n_s_per_m: add.damping_n_s_per_m.0,
                friction: add.friction.0,
                force_shading: false,
            },
            restitution: add.restitution.0,
            density_kg_m3: add.density_kg_m3.0,
        };
        self.check_newcomer(client, &new)?;
        let kind = scene_kind(add.kind)?;
        let (mesh, file) = self.registry.mesh(add.of)?;
        let limit_bytes = self.mesh_bytes_left(client);
        if !self.registry.owns_mesh(client, &mesh) && mesh.bytes > limit_bytes {
            let (code, bytes) = (ErrorCode::MeshTooLarge, mesh.bytes);
            return Err(Refusal::new(code, bytes, limit_bytes));
        }
        let Some(session) = self.sessions.get_mut(&client) else {
            return Ok(());
        };
        session.pending_bodies += 1;
        let record = BodyRecord {
            body: 0,
            name: add.name,
            kind: add.kind,
            triangles: u32::try_from(mesh.shape.triangles()).unwrap_or(u32::MAX),
        };
        let spec = BodySpec {
            name: add.name.as_str().to_owned(),
            kind,
            shape: mesh.shape.clone(),
            solid: mesh.solid,
            world_from_body: pose(&add.world_from_body),
            material: new.material,
            restitution: new.restitution,
            density_kg_m3: new.density_kg_m3,
        };
        let token = self.register_pending(Pending::Add(Adding {
            client,
            id,
            kind: request::AddInstance::KIND,
            record,
            mesh,
            file,
        }));
        out.push(Output::Command(Command::AddBody {
            token,
            client,
            spec: Box::new(spec),
        }));
        Ok(())
    }

    /// Checks a body against ranges and quotas, and orders the import of its mesh.
    pub(super) fn add_body<F>(
        &mut self,
        envelope: Envelope,
        add: request::AddBody,
        files: Vec<F>,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let Envelope { client, id, .. } = envelope;
        self.check_newcomer(
            client,
            &Newcomer {
                kind: add.kind,
                material: hapticd_proxy::Material {
                    stiffness_n_per_m: add.stiffness_n_per_m.0,
                    damping_n_s_per_m: add.damping_n_s_per_m.0,
                    friction: add.friction.0,
                    force_shading: false,
                },
                restitution: add.restitution.0,
                density_kg_m3: add.density_kg_m3.0,
            },
        )?;
        let limit_bytes = self.mesh_bytes_left(client);
        let Some(session) = self.sessions.get_mut(&client) else {
            return Ok(());
        };
        if session.importing {
            return Err(Refusal::text(
                ErrorCode::Busy,
                "one mesh at a time: wait for the previous answer",
            ));
        }
        // Decoding checked that there is exactly one.
        let Some(file) = files.into_iter().next() else {
            return Err(Refusal::new(ErrorCode::InvalidDescriptor, 0, 1));
        };
        session.importing = true;
        session.pending_bodies += 1;
        let request = add.clone();
        let token = self.register_pending(Pending::Import {
            client,
            id,
            request: add,
        });
        out.push(Output::Import(Import {
            token,
            client,
            request,
            file,
            limit_bytes,
        }));
        Ok(())
    }
}
