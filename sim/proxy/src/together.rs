//! Tools that press each other: one projection for the common goal of their hands.
//!
//! # Theory
//!
//! Arms move one after the other, each past the others' tools at their present poses. So a pressed
//! tool must be given what presses it, or it would act as a wall. Two hands that press tools
//! against each other are two springs in series, with a force that acts on both at one point. That
//! is Gauss' principle for the tools as a group (Redon 2002, equations 5.20 to 5.28), each in the
//! metric of its coupling, with the contacts between them as rows between two bodies. The
//! multipliers are the forces, with their levers.
//!
//! # Practice
//!
//! After each tick the tools in contact are projected together. The difference from each hand's own
//! goal is added to its goal in the next tick: the pressed tool gives way, and the pressing one
//! follows. A tool with mass does not give way. Nor does one that follows by increments, which does
//! not press either.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the arms and their contacts.

use hapticd_gauss::{GroupProjector, Metric, Motion, PairRow, Status};
use hapticd_geometry::{Vec3, transform};

use crate::contact::Contact;
use crate::interaction::Interaction;
use crate::motion::pull_between;
use crate::outcome::ArmOutcome;
use crate::proxy::{MAX_ROWS, Proxy};
use crate::slots::{MAX_ARMS, tool_id};

/// Largest number of rows: the full capacity of every arm.
const MAX_PAIR_ROWS: usize = MAX_ARMS * MAX_ROWS;

/// Projection of the tools that press each other. See the module page.
pub(crate) struct MutualProjector {
    projector: GroupProjector,
    metrics: Vec<Metric>,
    motions: Vec<Motion>,
    rows: Vec<PairRow>,
}

/// A tool as a member of the group.
#[derive(Clone, Copy)]
struct Member {
    centre: Vec3,
    turns: bool,
    /// Motion by the pull of its hand alone.
    wanted: Motion,
    place: u32,
}

impl MutualProjector {
    /// Allocates everything that it will ever need.
    pub fn new() -> Self {
        let mut this = Self {
            projector: GroupProjector::default(),
            metrics: Vec::with_capacity(MAX_ARMS),
            motions: Vec::with_capacity(MAX_ARMS),
            rows: Vec::with_capacity(MAX_PAIR_ROWS),
        };
        // Sizes the buffers with the largest possible problem, in which all rows hold.
        let unit = Metric::new(1.0, &nalgebra::Matrix3::identity()).ok();
        this.metrics.extend((0..MAX_ARMS).filter_map(|_| unit));
        this.motions.resize(MAX_ARMS, Motion::repeat(-1.0));
        for k in 0..MAX_PAIR_ROWS {
            let angle = k as f64;
            let normal = Vec3::new(angle.cos(), angle.sin(), (0.7 * angle).sin()).normalize();
            let arms = [
                Vec3::new(0.3 * angle.sin(), 0.2, 0.1 * angle.cos()),
                Vec3::z(),
            ];
            let bodies = [
                Some((k % MAX_ARMS) as u32),
                Some(((k + 1) % MAX_ARMS) as u32),
            ];
            this.rows
                .push(PairRow::contact(bodies, &normal, &arms, 0.0));
        }
        this.project();
        this
    }

    fn project(&mut self) -> Status {
        let projection = (self.projector).project(&self.metrics, &mut self.motions, &self.rows);
        projection.status
    }

    /// Sets for each arm, after a tick, the change of its goal due to the other arms.
    pub fn after(
        &mut self,
        arms: &mut [Option<Box<Proxy>>; MAX_ARMS],
        outcomes: &[ArmOutcome; MAX_ARMS],
    ) {
        for arm in arms.iter_mut().flatten() {
            arm.yields = Motion::zeros();
        }
        let of = |arm: usize| &outcomes[arm].contacts[..outcomes[arm].contact_count];
        let touched = |c: &Contact| (0..MAX_ARMS).find(|arm| c.body == tool_id(*arm));
        if !(0..MAX_ARMS).any(|arm| of(arm).iter().any(|c| touched(c).is_some())) {
            return;
        }
        self.metrics.clear();
        self.motions.clear();
        self.rows.clear();
        let mut members = [None; MAX_ARMS];
        for (k, slot) in arms.iter().enumerate() {
            let Some(arm) = slot.as_ref().filter(|arm| arm.present) else {
                continue;
            };
            if arm.intent.interaction() == Interaction::Increments {
                continue;
            }
            let gyration_m2 = arm.coupling.gains().gyration_m2();
            let stiffness = arm.coupling.stiffness_n_per_m();
            let moment = stiffness * gyration_m2.unwrap_or(1.0);
            let inertia = nalgebra::Matrix3::identity() * moment;
            let Ok(metric) = Metric::new(stiffness, &inertia) else {
                continue;
            };
            let turns = arm.shape.turns && gyration_m2.is_some();
            let mut wanted = pull_between(&arm.shape, &arm.proxy, arm.rendered.drawn_to());
            if !turns {
                wanted.fixed_rows_mut::<3>(3).fill(0.0);
            }
            members[k] = Some(Member {
                centre: transform(&arm.proxy, &arm.shape.centre),
                turns,
                wanted,
                place: self.metrics.len() as u32,
            });
            self.metrics.push(metric);
            self.motions.push(wanted);
        }
        for (k, member) in members.iter().enumerate() {
            let Some(member) = member else { continue };
            let rows = arms[k].as_ref().map_or(&[][..], |arm| &arm.rows);
            for contact in rows {
                // Of the two lists of a pair, the later one takes both tools at their present
                // poses.
                let other = match touched(contact) {
                    Some(other) if other > k => continue,
                    Some(other) => members[other],
                    None => None,
                };
                let lever = |m: &Member| match m.turns {
                    true => contact.point - m.centre,
                    false => Vec3::zeros(),
                };
                let levers = [lever(member), other.as_ref().map_or(Vec3::zeros(), lever)];
                let bodies = [Some(member.place), other.map(|m| m.place)];
                let safe_m = arms[k].as_ref().map_or(0.0, |arm| arm.distances.safe_m);
                let bound = (safe_m - contact.gap_m).min(0.0);
                self.rows
                    .push(PairRow::contact(bodies, &contact.normal, &levers, bound));
            }
        }
        if self.project() != Status::Optimal {
            return;
        }
        for (arm, member) in arms.iter_mut().zip(&members) {
            if let (Some(arm), Some(member)) = (arm, member)
                && arm.intent.interaction() == Interaction::Spring
            {
                arm.yields = self.motions[member.place as usize] - member.wanted;
            }
        }
    }
}
