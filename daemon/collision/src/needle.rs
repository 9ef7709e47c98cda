//! Structures near the arms' needles, for people and scripts: computed from the loop's records, off
//! the loop.
//!
//! The scribe hands every record over. The path of each needle is assembled from the nodes in the
//! records. A few times a second its pieces are registered again, their neighbours are looked up
//! ([`Surroundings`]), and clients are shown where it is ([`shown`]). No force waits for it.
//! Allocates.

pub mod shown;

use std::sync::Arc;

use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_needle::{NearStructure, Surroundings, SurroundingsError, Tissue, Zoom};
use hapticd_proxy::{Insertion, Phase};
use serde::Serialize;

use self::shown::Shown;
use hapticd_ipc::publish::{NearestStructure, NearestStructures};
use hapticd_ipc::surfaces::{SurfaceInfo, SurfaceWriter};
use hapticd_loop::record::TickRecord;
use hapticd_sync::latest;

/// Ticks between two updates.
const EVERY: u64 = 20;
/// Pieces, from the tip back, whose neighbours are looked up.
const QUERIED_PIECES: usize = 8;
/// Edge of an unrefined cell, as a fraction of the tissue's longest edge.
const CELL: f64 = 0.1;

/// Neighbourhood of a needle.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NeedleStats {
    /// Index of the arm.
    pub arm: usize,
    /// The structure nearest to the needle's last pieces, if any is near enough to be listed.
    pub nearest: Option<String>,
    /// Distance of that structure from the needle's surface, m; 0 where the needle goes through it.
    pub distance_m: Option<f64>,
    /// Distance up to which no structure is missed, m.
    pub sure_m: f64,
    /// Registered pieces.
    pub pieces: usize,
    /// Cells of the spatial mesh.
    pub cells: usize,
}

/// A needle to watch.
#[derive(Clone, Debug)]
pub struct Watchable {
    /// Index of the arm.
    pub arm: usize,
    /// Name of the needle.
    pub name: String,
    /// Radius of the shaft, m.
    pub radius_m: f64,
    /// Distance from the hub's middle to the tip, m.
    pub reach_m: f64,
}

struct Watched {
    arm: usize,
    radius_m: f64,
    reach_m: f64,
    nodes: Vec<Vec3>,
    surroundings: Surroundings,
    near: Vec<NearStructure>,
    facts: NeedleStats,
}

/// Watches the needles of a scene.
pub struct Watch {
    tissue_from_world: Pose,
    world_from_tissue: Pose,
    names: Vec<String>,
    arms: Vec<Watched>,
    shown: Shown,
    line: Vec<Vec3>,
    /// For the needles' blocks.
    near: NearestStructures,
    near_writer: Option<latest::Writer<NearestStructures>>,
}

impl Watch {
    /// Watches these needles in `tissue`, which is called `name`; `names` are those of its
    /// structures, in its order.
    ///
    /// # Errors
    /// If a structure cannot be registered.
    pub fn new(
        tissue: &Arc<Tissue>,
        name: &str,
        names: Vec<String>,
        needles: &[Watchable],
    ) -> Result<Self, SurroundingsError> {
        let spec = tissue.spec();
        let cell_m = CELL * 2.0 * spec.half_m.max();
        let zoom = Zoom {
            cell_m,
            finest: 2,
            about_m: 0.4 * cell_m,
            budget: 16,
        };
        let watched = |needle: &Watchable| -> Result<Watched, SurroundingsError> {
            Ok(Watched {
                arm: needle.arm,
                radius_m: needle.radius_m,
                reach_m: needle.reach_m,
                nodes: Vec::new(),
                surroundings: Surroundings::new(spec, zoom)?,
                near: Vec::new(),
                facts: NeedleStats {
                    arm: needle.arm,
                    ..NeedleStats::default()
                },
            })
        };
        let tubes: Vec<String> = needles.iter().map(|n| n.name.clone()).collect();
        Ok(Watch {
            tissue_from_world: spec.world_from_tissue.inverse(),
            world_from_tissue: spec.world_from_tissue,
            arms: needles
                .iter()
                .map(watched)
                .collect::<Result<_, SurroundingsError>>()?,
            shown: Shown::new(spec, name, &names, &tubes),
            names,
            line: Vec::new(),
            near: NearestStructures::default(),
            near_writer: None,
        })
    }

    /// Descriptions of tissue, structures and needles for clients.
    pub fn surface_infos(&self) -> Vec<SurfaceInfo> {
        self.shown.infos()
    }

    /// Sets the writers that clients see, in the order of [`Self::surface_infos`].
    pub fn show(&mut self, writers: Vec<SurfaceWriter>) {
        self.shown.set_writers(writers);
    }

    /// Sets the mailbox of the needles' blocks.
    pub fn set_near_writer(&mut self, writer: latest::Writer<NearestStructures>) {
        self.near_writer = Some(writer);
    }

    /// Takes in one record.
    pub fn follow(&mut self, record: &TickRecord) {
        for (i, watched) in self.arms.iter_mut().enumerate() {
            let Some(arm) = record.arms.get(watched.arm) else {
                continue;
            };
            let told = &arm.insertion;
            watched.extend(told, &self.tissue_from_world);
            if record.tick.is_multiple_of(EVERY) {
                let tip = transform(&self.tissue_from_world, &told.tip);
                self.near[watched.arm] = NearestStructure {
                    tick: record.tick,
                    ..watched.look(&tip, &self.names)
                };
                let nodes = watched.nodes.iter();
                let nodes: Vec<Vec3> = nodes
                    .map(|p| transform(&self.world_from_tissue, p))
                    .collect();
                let hub = &arm.world_from_proxy;
                shown::line(hub, watched.reach_m, told, &nodes, &mut self.line);
                self.shown.bend(i, &self.line, watched.radius_m);
            }
        }
        if record.tick.is_multiple_of(EVERY) {
            self.shown.write(record.tick);
            if let Some(writer) = &mut self.near_writer {
                writer.write(self.near);
            }
        }
    }

    /// The results of the last update.
    pub fn facts(&self) -> Vec<NeedleStats> {
        self.arms.iter().map(|w| w.facts.clone()).collect()
    }
}

impl Watched {
    /// Replaces the known nodes by the newest ones. If records in between are missing, drops the
    /// earlier nodes.
    fn extend(&mut self, told: &Insertion, tissue_from_world: &Pose) {
        if told.phase != Phase::Inserted {
            self.nodes.clear();
            return;
        }
        let count = told.nodes as usize;
        let newest = &told.newest[..count.min(told.newest.len())];
        let known = count - newest.len();
        if self.nodes.len() == count && self.nodes.len() > newest.len() {
            return;
        }
        if self.nodes.len() < known {
            self.nodes.clear();
        }
        self.nodes.truncate(known);
        let newest = newest.iter().rev();
        self.nodes
            .extend(newest.map(|p| transform(tissue_from_world, p)));
    }

    /// Looks up what is near, and returns it for the needle's block.
    fn look(&mut self, tip: &Vec3, names: &[String]) -> NearestStructure {
        let s = &mut self.surroundings;
        if s.follow(&self.nodes, tip).is_err() {
            // Outside of the mesh: the known nodes no longer describe the needle.
            self.nodes.clear();
            return NearestStructure::default();
        }
        let pieces = s.pieces();
        let mut nearest: Option<(usize, f64)> = None;
        for piece in pieces.saturating_sub(QUERIED_PIECES)..pieces {
            s.near(piece, &mut self.near);
            for n in &self.near {
                if nearest.is_none_or(|(_, least)| n.distance_m < least) {
                    nearest = Some((n.structure, n.distance_m));
                }
            }
        }
        self.facts = NeedleStats {
            arm: self.arm,
            nearest: nearest.and_then(|(k, _)| names.get(k).cloned()),
            distance_m: nearest.map(|(_, axis_m)| (axis_m - self.radius_m).max(0.0)),
            sure_m: s.sure_m(),
            pieces,
            cells: s.registration().map().leaf_count(),
        };
        NearestStructure {
            tick: 0,
            structure: nearest.map_or(0, |(k, _)| 1 + k as u32),
            distance_m: self.facts.distance_m.unwrap_or(0.0),
            sure_m: if pieces > 0 { self.facts.sure_m } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::shapes;
    use hapticd_needle::{Structure, TissueSpec};

    fn record(tick: u64, nodes: &[Vec3], tip: Vec3) -> TickRecord {
        let mut record = TickRecord::new();
        record.tick = tick;
        let told = &mut record.arms[1].insertion;
        told.phase = if nodes.is_empty() {
            Phase::Free
        } else {
            Phase::Inserted
        };
        told.nodes = nodes.len() as u32;
        told.tip = tip;
        for (slot, node) in told.newest.iter_mut().zip(nodes.iter().rev()) {
            *slot = *node;
        }
        record
    }

    #[test]
    fn the_nearest_structure_is_told_with_its_distance_in_and_out() {
        let ball = shapes::icosphere(0.01, 2).unwrap();
        let spec = TissueSpec {
            world_from_tissue: Pose::translation(1.0, 0.0, 0.0),
            half_m: Vec3::repeat(0.05),
            layers: vec![hapticd_needle::Layer::DEFAULT],
            structures: vec![Structure {
                id: 3,
                mesh: ball,
                puncture_force_n: None,
            }],
        };
        let tissue = Arc::new(Tissue::new(spec, 0.002).unwrap());
        let needle = Watchable {
            arm: 1,
            name: "needle".to_owned(),
            radius_m: 0.001,
            reach_m: 0.1,
        };
        let mut watch = Watch::new(&tissue, "soil", vec!["stone".to_owned()], &[needle]).unwrap();
        let way: Vec<Vec3> = (0..40)
            .map(|i| Vec3::new(1.0, 0.0, 0.05 - 0.001 * f64::from(i)))
            .collect();
        let mut tick = 0;
        for n in 1..36 {
            for _ in 0..4 {
                tick += 1;
                watch.follow(&record(tick, &way[..n], way[n]));
            }
            if tick % EVERY == 0 {
                let facts = &watch.facts()[0];
                assert_eq!(facts.pieces, n);
                let apart = way[n].z - 0.01 - 0.001;
                match facts.distance_m {
                    Some(d) => {
                        assert_eq!(facts.nearest.as_deref(), Some("stone"));
                        assert!((d - apart).abs() < 1e-9, "{d} {apart}");
                    }
                    None => assert!(apart + 0.001 > facts.sure_m, "{apart}"),
                }
            }
        }
        // Nearer than the distance up to which detection is certain.
        for _ in 0..EVERY {
            tick += 1;
            watch.follow(&record(tick, &way[..38], way[38]));
        }
        let near = &watch.facts()[0];
        let apart = way[38].z - 0.01 - 0.001;
        assert!(apart + 0.001 < near.sure_m, "{near:?}");
        assert_eq!(near.nearest.as_deref(), Some("stone"));
        assert!((near.distance_m.unwrap() - apart).abs() < 1e-9, "{near:?}");
        // Twenty records are lost: the known path starts again, and is right.
        tick += EVERY - tick % EVERY;
        watch.follow(&record(tick, &way[..10], way[10]));
        assert_eq!(watch.facts()[0].pieces, 10);
        watch.follow(&record(tick + EVERY, &way[..30], way[30]));
        assert_eq!(watch.facts()[0].pieces, 8);
        watch.follow(&record(tick + 2 * EVERY, &[], way[0]));
        assert_eq!(
            (watch.facts()[0].pieces, watch.facts()[0].nearest.clone()),
            (0, None)
        );
    }
}
