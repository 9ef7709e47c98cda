//! What is near the arms' needles, for people and scripts: from the loop's records, off the loop.
//!
//! The scribe hands every record over; the way of each needle is put together from the nodes that
//! records tell of, and a few times a second its pieces are registered again and what is near them
//! is looked up ([`Surroundings`]) and clients are shown where it is ([`shown`]). Nothing that is
//! felt waits for it. Allocates.

pub mod shown;

use std::sync::Arc;

use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_needle::{NearStructure, Surroundings, SurroundingsError, Tissue, Zoom};
use hapticd_proxy::{Insertion, Phase};
use serde::Serialize;

use self::shown::Shown;
use hapticd_ipc::surfaces::{SurfaceInfo, SurfaceWriter};
use hapticd_loop::record::TickRecord;

/// Ticks between two looks.
const EVERY: u64 = 20;
/// Pieces from the tip back whose neighbours are looked up.
const LOOKED_AT: usize = 8;
/// Edge of an unrefined cell, as a part of the tissue's longest edge.
const CELL: f64 = 0.1;

/// What is near a needle.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NeedleStats {
    /// Index of its arm.
    pub arm: usize,
    /// The structure that is nearest to its last pieces, if any is near enough to be listed.
    pub nearest: Option<String>,
    /// How far it is from the needle's surface, m; 0 where the needle goes through it.
    pub distance_m: Option<f64>,
    /// Distance up to which nothing is missed, m.
    pub sure_m: f64,
    /// Pieces that are registered.
    pub pieces: usize,
    /// Cells of the mesh of space.
    pub cells: usize,
}

/// A needle that is to be watched.
#[derive(Clone, Debug)]
pub struct Watchable {
    /// Index of its arm.
    pub arm: usize,
    /// Its name.
    pub name: String,
    /// Of its shaft, m.
    pub radius_m: f64,
    /// From the hub's middle to its tip, m.
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
}

impl Watch {
    /// For these needles; the tissue by its name and its structures by theirs, in its order.
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
        })
    }

    /// What clients are told of tissue, structures and needles.
    pub fn surface_infos(&self) -> Vec<SurfaceInfo> {
        self.shown.infos()
    }

    /// Where clients see them, in the order of [`Self::surface_infos`].
    pub fn show(&mut self, writers: Vec<SurfaceWriter>) {
        self.shown.set_writers(writers);
    }

    /// Takes a record in.
    pub fn follow(&mut self, record: &TickRecord) {
        for (i, watched) in self.arms.iter_mut().enumerate() {
            let Some(arm) = record.arms.get(watched.arm) else {
                continue;
            };
            let told = &arm.insertion;
            watched.extend(told, &self.tissue_from_world);
            if record.tick.is_multiple_of(EVERY) {
                let tip = transform(&self.tissue_from_world, &told.tip);
                watched.look(&tip, &self.names);
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
        }
    }

    /// As it was at the last look.
    pub fn facts(&self) -> Vec<NeedleStats> {
        self.arms.iter().map(|w| w.facts.clone()).collect()
    }
}

impl Watched {
    /// The nodes that are told of take the place of those known; where records are missing in
    /// between, those before are forgotten.
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

    fn look(&mut self, tip: &Vec3, names: &[String]) {
        let s = &mut self.surroundings;
        if s.follow(&self.nodes, tip).is_err() {
            // Out of the mesh: what is there is not the needle any more.
            self.nodes.clear();
            return;
        }
        let pieces = s.pieces();
        let mut nearest: Option<(usize, f64)> = None;
        for piece in pieces.saturating_sub(LOOKED_AT)..pieces {
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
            layers: vec![crate::fixtures::LAYER],
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
        // Nearer than what is sure to be seen.
        for _ in 0..EVERY {
            tick += 1;
            watch.follow(&record(tick, &way[..38], way[38]));
        }
        let near = &watch.facts()[0];
        let apart = way[38].z - 0.01 - 0.001;
        assert!(apart + 0.001 < near.sure_m, "{near:?}");
        assert_eq!(near.nearest.as_deref(), Some("stone"));
        assert!((near.distance_m.unwrap() - apart).abs() < 1e-9, "{near:?}");
        // Twenty records are lost: what is known starts again, and is right.
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
