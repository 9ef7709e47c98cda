//! Kinetic sweep-and-prune as a broad phase: it keeps the order of all bounds on each axis, and the
//! overlapping pairs, from step to step.
//!
//! A step costs one comparison of each bound with its neighbours and a constant for each two that
//! pass each other ([`hapticd_kinetic::sap`]). When more pass each other than a sort would take, as
//! when everything jumps, the step is answered by all pairs whose swept boxes overlap. In both
//! cases the result contains exactly the pairs for which [`SweptBox::meets`] holds.

use hapticd_geometry::broad::{BroadWork, Extent, Upkeep, pairs_of_unbounded};
use hapticd_geometry::{Aabb, BroadPhase, SweepAndPrune, SweptBox};
use hapticd_kinetic::sap::{Lines, Sap, StepError};
use hapticd_kinetic::{Kinetic, Stats};

/// Exchanges per box in a step above which sorting again is cheaper.
const PATIENCE: u64 = 64;

/// Minimum capacity, in boxes.
const MIN_CAPACITY: usize = 16;

/// Position for unused slots and boxes without bounds, m: beyond all bounded boxes, and each
/// separate from the others.
const AWAY_M: f64 = 2e100;
const APART_M: f64 = 1e90;

/// Broad phase by kinetic sweep-and-prune; see the module page. Allocates when there are more boxes
/// than the capacity, or far fewer, and for more pairs than ever before.
#[derive(Clone, Debug)]
pub struct KineticSweep {
    sap: Sap,
    lines: Vec<Lines>,
    wide: Vec<u32>,
    /// Fallback if the structure refuses bounds that have already been checked, which cannot
    /// happen.
    spare: SweepAndPrune,
    work: BroadWork,
    past: Past,
}

/// Statistics of structures that were replaced because they were too small or too large.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    exchanges: u64,
    events: u64,
    /// Over all structures, including the present one.
    sorts: u64,
}

impl Default for KineticSweep {
    fn default() -> Self {
        Self {
            sap: Sap::new(0),
            lines: Vec::new(),
            wide: Vec::new(),
            spare: SweepAndPrune::default(),
            work: BroadWork::default(),
            past: Past::default(),
        }
    }
}

impl KineticSweep {
    /// Statistics of the steps since the structure was made or last resized. Events are pairs that
    /// began or ceased to overlap; internal events are exchanges of neighbours.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        self.sap.stats()
    }

    /// Ensures capacity for this many boxes, but not for very many more.
    fn ensure_capacity(&mut self, boxes: usize) {
        let room = boxes.max(MIN_CAPACITY).next_power_of_two();
        let has = self.lines.len();
        if boxes <= has && has <= 8 * room {
            return;
        }
        self.past.exchanges += self.stats().events_internal();
        self.past.events += self.stats().events_external();
        self.sap = Sap::new(room);
        self.sap.set_budget(PATIENCE * room as u64);
        self.lines.clear();
        self.lines.extend((0..room).map(parked));
    }
}

impl BroadPhase for KineticSweep {
    fn name(&self) -> &'static str {
        "kinetic"
    }

    fn overlapping(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
        pairs.clear();
        self.ensure_capacity(boxes.len());
        self.wide.clear();
        for (i, lines) in self.lines.iter_mut().enumerate() {
            let extent = boxes.get(i).map_or(Extent::Nowhere, SweptBox::extent);
            *lines = match (boxes.get(i), extent) {
                (Some(b), Extent::Bounded) => Lines {
                    start: bounds(&b.start),
                    end: bounds(&b.end),
                },
                _ => parked(i),
            };
            if extent == Extent::Everywhere {
                self.wide.push(i as u32);
            }
        }
        let found = self
            .sap
            .set_all(&self.lines)
            .map_err(StepError::from)
            .and_then(|()| self.sap.step(1.0));
        let Ok(report) = found else {
            self.spare.overlapping(boxes, pairs);
            self.past.sorts += 1;
            self.work.search(boxes.len(), pairs.len());
            return;
        };
        self.past.sorts += u64::from(!report.exact);
        // The pairs at the start, and those that begin later: a pair overlaps over one continuous
        // interval.
        pairs.extend_from_slice(self.sap.pairs());
        let later = self.sap.log().iter().filter(|e| e.on && e.time > 0.0);
        pairs.extend(later.map(|e| e.pair));
        pairs.retain(|&(i, j)| boxes[i as usize].meets_bounded(&boxes[j as usize]));
        pairs_of_unbounded(&self.wide, boxes, pairs);
        pairs.sort_unstable();
        self.work.search(boxes.len(), pairs.len());
    }

    fn work(&self) -> BroadWork {
        let (now, past) = (self.stats(), &self.past);
        let upkeep = Upkeep::Kinetic {
            certificates: now.certificates_live,
            exchanges: past.exchanges + now.events_internal(),
            events: past.events + now.events_external(),
            sorts: past.sorts,
        };
        BroadWork {
            upkeep,
            ..self.work
        }
    }

    fn boxed_clone(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}

fn bounds(b: &Aabb) -> [[f64; 2]; 3] {
    [0, 1, 2].map(|axis| [b.low[axis], b.high[axis]])
}

fn parked(i: usize) -> Lines {
    let x = AWAY_M + i as f64 * APART_M;
    Lines::still(&[[x; 2]; 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::Vec3;

    /// The kept order does the work: steady motion is not sorted again, and a box that passes
    /// nothing costs no exchange.
    #[test]
    fn a_step_costs_what_passes_what() {
        let (mut broad, mut pairs) = (KineticSweep::default(), Vec::new());
        let at = |i: u32, k: f64| {
            let x = f64::from(i) + if i == 50 { 0.25 * k } else { 0.0 };
            Aabb::about(&Vec3::new(x, 0.0, 0.0), 0.2)
        };
        let boxes = |k: f64| -> Vec<SweptBox> {
            let step = |i| SweptBox {
                start: at(i, k),
                end: at(i, k + 1.0),
            };
            (0..100).map(step).collect()
        };
        broad.overlapping(&boxes(0.0), &mut pairs);
        let mut swaps = 0;
        for k in 1..40 {
            broad.overlapping(&boxes(f64::from(k)), &mut pairs);
            let report = broad.sap.last_report();
            assert!(report.exact);
            swaps += report.swaps;
        }
        // Its bounds pass those of nine others, four exchanges each, and its upper bound passes the
        // lower one of the tenth.
        assert!((36..=40).contains(&swaps), "{swaps}");
        assert!(broad.stats().events_external() >= 19);
        assert_eq!(broad.lines.len(), 128);
        let work = broad.work();
        let Upkeep::Kinetic {
            certificates,
            exchanges,
            events,
            sorts,
        } = work.upkeep
        else {
            panic!("{work:?}");
        };
        // Two bounds of each of 128 boxes on three axes.
        assert_eq!((certificates, exchanges, sorts), (3 * 255, swaps, 0));
        assert_eq!(events, broad.stats().events_external());
        assert_eq!((work.searches, work.boxes), (40, 4000));
        // Statistics are kept when another structure takes over.
        let many = vec![SweptBox::still(at(0, 0.0)); 129];
        broad.overlapping(&many, &mut pairs);
        let Upkeep::Kinetic {
            certificates: later,
            exchanges: more,
            ..
        } = broad.work().upkeep
        else {
            panic!("{:?}", broad.work());
        };
        assert!(later == 3 * 511 && more >= exchanges, "{later} {more}");
        broad.overlapping(&[], &mut pairs);
        assert_eq!((broad.lines.len(), pairs.len()), (16, 0));
    }
}
