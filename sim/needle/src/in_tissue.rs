//! The needle at an arm's hub: from the hub pose that the hand wants to the one that it may have,
//! tick by tick.
//!
//! # Theory
//!
//! Outside the tissue the needle is fixed to the hub and nothing holds it. Its tip meets the box's
//! surface as an elastic wall without tangential friction, until the force reaches the puncture
//! force. Then it is inserted. A lateral spring that grows with depth, in series with the arm's,
//! holds the hub on the axis of insertion; along the axis the [law](crate::law) holds it. The tip
//! follows the path that the bevel steers ([`crate::Path`]). The hub turns freely, and its rotation
//! about the axis turns the bevel. Pulled all the way back, the needle is out, and its path is
//! discarded.
//!
//! A needle that is placed with its tip in the tissue meets nothing until the tip has been outside,
//! like a tool that starts inside a body.
//!
//! # Practice
//!
//! The hand's pose is a request. The guide decides how far the hub may go, and is then given how
//! far it went, because rigid contacts act in between. If the hub stayed behind, the tip is
//! recomputed from the actual hub. For the real-time thread: no allocation after
//! [`NeedleInTissue::new`], bounded by [`crate::MAX_EVENTS`] events, twice that if the hub stayed
//! behind.

use std::sync::Arc;

use hapticd_geometry::{Pose, Quat, Vec3, transform};
use hapticd_proxy::{Guide, Held, Insertion, Phase};

use crate::ahead::{CLEARANCE_M, Stop, TipProbe};
use crate::law::{Pull, Shaft, Tip, series};
use crate::needle::{Needle, NeedleError};
use crate::path::Path;
use crate::tissue::Tissue;

/// Cosine between the axis and the surface's inner normal below which a tip slips off instead of
/// piercing: 80 degrees.
const GRAZING: f64 = 0.17;
/// Smallest stiffness that draws a needle, N/m: an arm that may not be given any force still leads
/// its needle.
const MIN_N_PER_M: f64 = 20.0;
/// Distance between requested and actual hub from which the hub counts as held back, m.
const SAME_M: f64 = 1e-9;

// Stored in place: a box would allocate in the loop.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Placed: it is not known from where the tip comes.
    Placed,
    /// Outside, with the last position of the tip.
    Free(Vec3),
    /// On the side of the box across this axis, the upper or the lower one.
    Touching {
        axis: usize,
        up: bool,
        /// Least stiffness of the layers that the tip slid over, N/m. A softer layer gives way at
        /// once; a stiffer one would generate energy.
        least: f64,
    },
    /// In the tissue.
    Inserted { entry: Entry, tip: Tip },
}

/// Point of insertion, tissue frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    at: Vec3,
    /// Inward unit direction.
    axis: Vec3,
    hub: Quat,
}

/// A needle in a tissue, as a guide for the loop. See the module page.
pub struct NeedleInTissue {
    tissue: Arc<Tissue>,
    needle: Needle,
    /// Distance from the hub's centre to the tip, m.
    reach_m: f64,
    path: Path,
    probe: TipProbe,
    state: State,
    /// State and number of nodes before the last [`Guide::guide`], and the hub position that it
    /// allowed.
    before: State,
    nodes_before: usize,
    allowed_hub: Vec3,
    tip: Vec3,
    /// Force along the axis of the needle and across it, N.
    force_n: f64,
    lateral_n: f64,
    world_from_tissue: Pose,
    tissue_from_world: Pose,
    pierced: u32,
}

impl NeedleInTissue {
    /// Creates a needle at a spherical hub of this radius. It points along the hub's -z.
    ///
    /// # Errors
    ///
    /// See [`NeedleError`]. A needle that is too thick for the tissue's lists never cuts.
    pub fn new(
        tissue: Arc<Tissue>,
        needle: Needle,
        hub_radius_m: f64,
    ) -> Result<Self, NeedleError> {
        needle.check()?;
        let world_from_tissue = tissue.spec().world_from_tissue;
        Ok(NeedleInTissue {
            path: Path::new(needle),
            probe: TipProbe::new(&tissue, needle.radius_m),
            state: State::Placed,
            before: State::Placed,
            nodes_before: 0,
            allowed_hub: Vec3::zeros(),
            tip: Vec3::zeros(),
            force_n: 0.0,
            lateral_n: 0.0,
            tissue_from_world: world_from_tissue.inverse(),
            world_from_tissue,
            tissue,
            needle,
            reach_m: needle.length_m + hub_radius_m,
            pierced: 0,
        })
    }

    /// Returns the path that the tip has cut, tissue frame.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the position of the tip, tissue frame, m.
    #[must_use]
    pub fn tip_m(&self) -> Vec3 {
        self.tip
    }

    /// Returns the elastic energy of the tissue, J, by its deflection along the needle and across
    /// it.
    #[must_use]
    pub fn stored_j(&self) -> f64 {
        let (along, across) = match &self.state {
            State::Placed | State::Free(_) => return 0.0,
            State::Touching { least, .. } => (*least, 0.0),
            State::Inserted { tip, .. } => (tip.stiffness_n_per_m, self.lateral_n_per_m(tip)),
        };
        let spring = |force_n: f64, k: f64| {
            if k > 0.0 {
                0.5 * force_n * force_n / k
            } else {
                0.0
            }
        };
        spring(self.force_n, along) + spring(self.lateral_n, across)
    }

    /// Returns the number of triangles tested since the start.
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.probe.tests()
    }

    fn layer_at(&self, axis: usize, at: &Vec3) -> usize {
        let half = self.tissue.spec().half_m.z;
        // On the upper side this is the first layer and on the lower the last, regardless of
        // rounding.
        let z = if axis == 2 {
            half.copysign(at.z)
        } else {
            at.z.clamp(-half, half)
        };
        self.tissue.layer_at(z)
    }

    fn lateral_n_per_m(&self, tip: &Tip) -> f64 {
        let Some(node) = self.path.nodes().get(tip.k) else {
            return 0.0;
        };
        let rise = self.tissue.layer(node.layer).lateral_n_per_m2;
        node.lateral_n_per_m + rise * (tip.s_m - node.s_m)
    }

    /// Returns the position that a hub at `hub` may have, drawn by a spring of this stiffness.
    /// Tissue frame.
    fn decide(&mut self, hub: &Pose, stiffness_n_per_m: f64) -> Vec3 {
        let axis = hub.rotation * -Vec3::z();
        let wanted = hub.translation.vector;
        let tip = wanted + axis * self.reach_m;
        self.force_n = 0.0;
        self.lateral_n = 0.0;
        if self.state == State::Placed && !self.tissue.holds(&tip) {
            self.state = State::Free(tip);
        }
        if let State::Free(last) = self.state {
            self.state = match self.enters(&last, &tip) {
                Some((axis, up)) => State::Touching {
                    axis,
                    up,
                    least: f64::INFINITY,
                },
                None if self.tissue.holds(&tip) => State::Placed,
                None => State::Free(tip),
            };
        }
        if let State::Touching {
            axis: side,
            up,
            least,
        } = self.state
        {
            let at = self.touch(hub, &tip, (side, up, least), stiffness_n_per_m);
            if let Some(at) = at {
                return at;
            }
        }
        if let State::Inserted { entry, tip: state } = self.state {
            match self.inserted(hub, stiffness_n_per_m, entry, state) {
                Some(at) => return at,
                None => {
                    // Its path is kept until it is inserted again: something rigid may not let the
                    // hub out yet.
                    self.state = if self.tissue.holds(&tip) {
                        State::Placed
                    } else {
                        State::Free(tip)
                    };
                }
            }
        }
        self.tip = tip;
        wanted
    }

    /// Returns the side of the box through which the tip enters on its way from `from` to `to`.
    fn enters(&self, from: &Vec3, to: &Vec3) -> Option<(usize, bool)> {
        let half = self.tissue.spec().half_m;
        let (mut first, mut last, mut side) = (0.0_f64, 1.0_f64, None);
        for i in 0..3 {
            let way = to[i] - from[i];
            if way == 0.0 {
                if from[i].abs() > half[i] {
                    return None;
                }
                continue;
            }
            let at = |x: f64| (x - from[i]) / way;
            let (a, b) = (at(-half[i]), at(half[i]));
            let (enter, leave) = (a.min(b), a.max(b));
            if enter >= first && enter <= 1.0 {
                first = enter;
                side = Some((i, way < 0.0));
            }
            last = last.min(leave);
            if enter > 1.0 {
                return None;
            }
        }
        if first < last { side } else { None }
    }

    /// Handles a tip on the surface. Returns the allowed hub position; `None` if another state
    /// follows.
    fn touch(
        &mut self,
        hub: &Pose,
        tip: &Vec3,
        (side, up, least): (usize, bool, f64),
        stiffness_n_per_m: f64,
    ) -> Option<Vec3> {
        let half = self.tissue.spec().half_m;
        let outward = if up { 1.0 } else { -1.0 };
        let depth_m = half[side] - outward * tip[side];
        let beside = (0..3).any(|i| i != side && tip[i].abs() > half[i]);
        if !(depth_m > 0.0) || beside {
            self.state = State::Free(*tip);
            return None;
        }
        let mut at = *tip;
        at[side] = outward * half[side];
        let layer = self.layer_at(side, &at);
        let mut stuff = *self.tissue.layer(layer);
        stuff.stiffness_n_per_m = stuff.stiffness_n_per_m.min(least);
        self.state = State::Touching {
            axis: side,
            up,
            least: stuff.stiffness_n_per_m,
        };
        let spring = series(stiffness_n_per_m, stuff.stiffness_n_per_m);
        let force_n = spring * depth_m;
        let axis = hub.rotation * -Vec3::z();
        if force_n > stuff.puncture_force_n && -outward * axis[side] > GRAZING {
            let entry = Entry {
                at,
                axis,
                hub: hub.rotation,
            };
            // The tip's frame: z along the axis, x along the hub's.
            let frame = hub.rotation * Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
            self.path.begin(at, frame, 0.0, layer);
            self.pierced = self.pierced.wrapping_add(1);
            let tip = Tip::at_surface(stuff.stiffness_n_per_m, 0.0);
            self.state = State::Inserted { entry, tip };
            return None;
        }
        self.force_n = force_n;
        let given_m = force_n / stuff.stiffness_n_per_m;
        self.tip = *tip;
        self.tip[side] = outward * (half[side] - given_m);
        let mut hub = hub.translation.vector;
        hub[side] += outward * (depth_m - given_m);
        Some(hub)
    }

    /// Handles an inserted needle. Returns the allowed hub position; `None` if the needle is out.
    fn inserted(
        &mut self,
        hub: &Pose,
        stiffness_n_per_m: f64,
        entry: Entry,
        mut tip: Tip,
    ) -> Option<Vec3> {
        tip.roll = roll(&entry, &hub.rotation);
        // Measured from the hub position that has the tip right at the surface.
        let off = hub.translation.vector - (entry.at - entry.axis * self.reach_m);
        let wanted_m = off.dot(&entry.axis);
        let across = off - entry.axis * wanted_m;
        let before = self.lateral_n_per_m(&tip);
        let share = |spring: f64| {
            if stiffness_n_per_m.is_infinite() {
                1.0
            } else {
                stiffness_n_per_m / (stiffness_n_per_m + spring)
            }
        };
        let pull = Pull {
            wanted_m,
            stiffness_n_per_m,
            lateral_m: across.norm() * share(before),
        };
        let count = tip.count;
        let mut shaft = Shaft {
            tissue: &self.tissue,
            needle: &self.needle,
            path: &mut self.path,
            probe: &mut self.probe,
        };
        if !shaft.slide(&mut tip, &pull) {
            return None;
        }
        self.pierced = self.pierced.wrapping_add(tip.count - count);
        self.state = State::Inserted { entry, tip };
        let given_m = (wanted_m - tip.s_m) * share(tip.stiffness_n_per_m);
        self.force_n = tip.stiffness_n_per_m * given_m;
        let spring = self.lateral_n_per_m(&tip);
        let across = across * share(spring);
        self.lateral_n = spring * across.norm();
        self.tip = self.path.at(tip.k, tip.s_m);
        Some(entry.at + entry.axis * (tip.s_m + given_m - self.reach_m) + across)
    }

    fn held(&self, tip: &Tip) -> Held {
        match tip.wall.filter(|_| tip.s_m >= tip.cut_m) {
            Some(Stop::Bone(k)) => Held::Bone(self.tissue.structure(k).id),
            Some(Stop::Membrane(k)) => Held::Membrane(self.tissue.structure(k).id),
            Some(Stop::Layer(k)) => Held::Layer(k as u32),
            Some(Stop::Border) => Held::Border,
            Some(Stop::Budget) | None if tip.s_m >= self.needle.length_m => Held::Hub,
            Some(Stop::Budget) | None => Held::Friction,
        }
    }
}

/// Returns the rotation of the hub about the axis since insertion, rad: the twist of its rotation.
fn roll(entry: &Entry, hub: &Quat) -> f64 {
    let turned = hub * entry.hub.inverse();
    2.0 * turned.imag().dot(&entry.axis).atan2(turned.w)
}

impl Guide for NeedleInTissue {
    fn anchor(&mut self) {
        self.path.clear();
        self.state = State::Placed;
        self.before = State::Placed;
        self.force_n = 0.0;
        self.lateral_n = 0.0;
    }

    fn guide(&mut self, wanted: &Pose, stiffness_n_per_m: f64) -> Pose {
        let hub = self.tissue_from_world * wanted;
        if !hub.translation.vector.iter().all(|x| x.is_finite()) {
            return *wanted;
        }
        self.before = self.state;
        self.nodes_before = self.path.nodes().len();
        self.allowed_hub = self.decide(&hub, stiffness_n_per_m.max(MIN_N_PER_M));
        if self.allowed_hub == hub.translation.vector {
            // Free: exactly the hand's pose, to the last bit.
            return *wanted;
        }
        let at = transform(&self.world_from_tissue, &self.allowed_hub);
        Pose::from_parts(at.into(), wanted.rotation)
    }

    fn went(&mut self, tool: &Pose) {
        let hub = self.tissue_from_world * tool;
        let apart = (hub.translation.vector - self.allowed_hub).norm();
        // Written so that NaN changes nothing.
        if !(apart > SAME_M) {
            return;
        }
        let State::Inserted { entry, tip } = self.before else {
            return;
        };
        self.path.truncate(self.nodes_before);
        let count = match self.state {
            State::Inserted { tip: tried, .. } => tried.count - tip.count,
            _ => 0,
        };
        self.pierced = self.pierced.wrapping_sub(count);
        self.state = self.before;
        if self.inserted(&hub, f64::INFINITY, entry, tip).is_none() {
            self.tip = hub.translation.vector + hub.rotation * -Vec3::z() * self.reach_m;
            self.state = State::Placed;
        }
    }

    fn insertion(&self) -> Insertion {
        let tip = transform(&self.world_from_tissue, &self.tip);
        let mut report = Insertion {
            phase: Phase::Free,
            tip,
            force_n: self.force_n,
            lateral_n: self.lateral_n,
            pierced: self.pierced,
            ..Insertion::default()
        };
        match &self.state {
            State::Placed | State::Free(_) => {}
            State::Touching { .. } => report.phase = Phase::Touching,
            State::Inserted { tip, .. } => {
                report.phase = Phase::Inserted;
                report.depth_m = tip.s_m;
                report.held = self.held(tip);
                let node = self.path.nodes().get(tip.k);
                report.layer = node.map_or(0, |node| node.layer as u32);
                let count = self.path.nodes().len().min(tip.k + 1);
                report.nodes = count as u32;
                let newest = self.path.nodes()[..count].iter().rev();
                for (slot, node) in report.newest.iter_mut().zip(newest) {
                    *slot = transform(&self.world_from_tissue, &node.at);
                }
            }
        }
        report
    }
}

const _: () = assert!(CLEARANCE_M > 0.0);
const _: () = assert!(crate::law::MAX_LOCKED < hapticd_proxy::NEWEST);
