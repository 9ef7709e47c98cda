//! The clients' server, which has a thread of its own.

use hapticd_collision::{deformable, needle};
use hapticd_deformable::SkinSpec;
use hapticd_ipc::publish::BlockPublisher;
use hapticd_ipc::skins::SkinInfo;

use super::Spawner;
use crate::service::{self, Announced, ArmSummary, RequestStop, Service, Writers};
use crate::session::SessionError;
use crate::session_setup::SessionSetup;

/// The server, and the writers that clients read; empty if they cannot connect.
#[derive(Default)]
pub(super) struct Clients {
    pub(super) service: Option<Service>,
    pub(super) publisher: Option<BlockPublisher>,
    /// For deformable bodies and skins; needles have their own.
    pub(super) writers: Writers,
}

impl Spawner<'_> {
    /// Starts the server, if clients are to connect. `required`: without it there is no session.
    pub(super) fn clients(
        &self,
        setup: &mut SessionSetup,
        links: service::Links,
        required: bool,
    ) -> Result<Clients, SessionError> {
        if !self.config.ipc.enabled {
            return Ok(Clients::default());
        }
        let scene = setup.deformable.as_ref();
        let mut surfaces = scene.map(deformable::surface_infos).unwrap_or_default();
        // Needles' surfaces come behind those of soft bodies.
        let soft_surfaces = surfaces.len();
        surfaces.extend(setup.watch.iter().flat_map(needle::Watch::surface_infos));
        let skins: Vec<SkinInfo> = scene.map_or(Vec::new(), |scene| {
            let info = |spec: SkinSpec| SkinInfo {
                id: spec.id,
                name: spec.name,
                triangles: self.config.skin.max_triangles,
            };
            scene.skin_specs().map(info).collect()
        });
        let arms: Vec<ArmSummary> = setup.arms.iter().map(ArmSummary::of).collect();
        let announced = Announced {
            arms: &arms,
            bodies: &setup.collider.infos(),
            surfaces: &surfaces,
            skins: &skins,
            shapes: &setup.shapes(),
            period_ns: self.period_ns,
        };
        let brake = self.brake.clone();
        let end: RequestStop = Box::new(move || brake.ask_for_the_end());
        let (service, publisher, mut writers) =
            match Service::start(self.config, &announced, links, end) {
                Ok(started) => started,
                Err(error) if required => return Err(error.into()),
                Err(error) => {
                    tracing::warn!(%error, "clients cannot connect");
                    return Ok(Clients::default());
                }
            };
        if let Some(watch) = &mut setup.watch
            && writers.surfaces.len() > soft_surfaces
        {
            watch.show(writers.surfaces.split_off(soft_surfaces));
        }
        if let (Some(watch), Some(near)) = (&mut setup.watch, writers.near.take()) {
            watch.set_near_writer(near);
        }
        Ok(Clients {
            service: Some(service),
            publisher: Some(publisher),
            writers,
        })
    }
}
