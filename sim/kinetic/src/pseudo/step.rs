//! Steps for a control loop: everything stands still except some bodies that are shifted, as far as
//! possible, within a bounded number of events.
//!
//! Between steps nothing moves, so no certificate has an event. Time starts again with each step,
//! so that no large number costs precision. One test shows for most corners of a moving body that
//! they hold throughout a step; only for the others a failure is searched. Nothing here allocates.

use super::build::Stage;
use super::corner_test::{CornerTest, Moving};
use super::{Contact, Contacts, KINDS, Policy, PolygonBody, PseudoTriangulation, ShapeError};
use crate::kinetic::{Inconsistent, Kinetic};
use crate::motion::Rigid2;
use crate::polygons::{PolygonState, Polygons};

/// Motion of a body in a step: its centre moves straight at a constant speed, and it turns at a
/// constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Index of the body.
    pub body: u32,
    /// Displacement of its centre of rotation, m.
    pub by: [f64; 2],
    /// Rotation, rad, counter-clockwise.
    pub turn: f64,
}

/// Why a step ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// It was completed.
    Whole,
    /// Two bodies touch.
    Contact(Contact),
    /// It reached the limit on events.
    Budget,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOutcome {
    /// Part of it that was made, 0 to 1.
    pub share: f64,
    /// Why it ended.
    pub end: End,
    /// Events that it took.
    pub events: u32,
}

impl PseudoTriangulation {
    /// Creates a structure for steps, in which no body takes part yet: see [`Self::begin`].
    /// Allocates all memory that it will need. The bodies' motions do not matter.
    ///
    /// # Errors
    /// A body is invalid: see [`ShapeError`].
    pub fn for_steps(bodies: Vec<PolygonBody>) -> Result<Self, ShapeError> {
        let polygons = Polygons::allowing_overlap(bodies)?;
        let state = PolygonState::new(polygons, [0.0, 1.0], Contacts::Stop, &KINDS);
        let mut structure = Self::unbuilt(state, Policy::default());
        structure.scratch.stage = Stage::Broken;
        Ok(structure)
    }

    /// Returns the position of a body's centre, m, and its angle, rad.
    #[must_use]
    pub fn placed(&self, body: u32) -> Option<([f64; 2], f64)> {
        let motion = &self.state.polygons.bodies.get(body as usize)?.motion;
        Some((motion.centre, motion.angle))
    }

    /// Returns the position of a body's vertex between two steps.
    #[must_use]
    pub fn vertex(&self, body: u32, vertex: u32) -> Option<[f64; 2]> {
        let v = self.state.polygons.first.get(body as usize)? + vertex;
        if v >= *self.state.polygons.first.get(body as usize + 1)? {
            return None;
        }
        Some(if self.at_rest {
            self.rest[v as usize]
        } else {
            self.state.polygons.place(v, 0.0)
        })
    }

    /// Stores the positions of a body's vertices until it moves again.
    fn keep_places(&mut self, body: usize) {
        let motion = &self.state.polygons.bodies[body].motion;
        let (sin, cos) = motion.angle.sin_cos();
        let c = motion.centre;
        let vertices =
            self.state.polygons.first[body] as usize..self.state.polygons.first[body + 1] as usize;
        let local = &self.state.polygons.local[vertices.clone()];
        for (place, p) in self.rest[vertices].iter_mut().zip(local) {
            *place = [
                c[0] + cos * p[0] - sin * p[1],
                c[1] + sin * p[0] + cos * p[1],
            ];
        }
    }

    /// Sets a body exactly to the given pose, if this differs from the result of its step by
    /// rounding only. Otherwise returns false and does nothing.
    pub fn settle(&mut self, body: u32, centre: [f64; 2], angle: f64) -> bool {
        let Some(settled) = self.state.polygons.bodies.get_mut(body as usize) else {
            return false;
        };
        let m = &mut settled.motion;
        let size = 1.0 + centre[0].abs() + centre[1].abs() + angle.abs();
        let off = (centre[0] - m.centre[0]).abs()
            + (centre[1] - m.centre[1]).abs()
            + (angle - m.angle).abs();
        let rounding = off <= 8.0 * f64::EPSILON * size;
        if rounding {
            (m.centre, m.angle) = (centre, angle);
            self.keep_places(body as usize);
        }
        rounding
    }

    /// Starts to rebuild the structure for the bodies that have a `place` (centre and angle). The
    /// others do not take part until it is started again. [`Self::build_on`] then does the work.
    pub fn begin(&mut self, place: impl Fn(u32) -> Option<([f64; 2], f64)>) {
        self.state.restart(0.0);
        self.state.stats.rebuilds += 1;
        for b in 0..self.state.polygons.bodies.len() {
            let there = place(b as u32);
            self.members[b] = there.is_some();
            let (centre, angle) = there.unwrap_or_default();
            self.state.polygons.bodies[b].motion = Rigid2 {
                centre,
                angle,
                ..Rigid2::still()
            };
            // A step that failed may have left a motion here.
            self.moving[b] = Moving::new(
                &self.state.polygons.bodies[b].motion,
                self.state.polygons.radius[b],
            );
            self.keep_places(b);
        }
        self.at_rest = true;
        self.start_build();
    }

    /// Returns whether the structure is usable: built, and without a fault since.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.scratch.stage == Stage::Whole
    }

    /// For tests: the structure reports a fault at the end of the next step.
    #[doc(hidden)]
    pub fn spoil(&mut self) {
        self.spoilt = true;
    }

    /// Returns whether a body takes part.
    #[must_use]
    pub fn takes_part(&self, body: u32) -> bool {
        self.members.get(body as usize) == Some(&true)
    }

    /// Shifts these bodies together while all others stand still.
    ///
    /// Ends when the shifts are complete, when two bodies touch, or when it would take more than
    /// `most_events` events. Then everything stands still. A body that does not take part moves
    /// through everything.
    ///
    /// # Errors
    /// The structure is not whole, a plan has changed since it was started, or it found an
    /// inconsistency. Then it must be rebuilt, and the extent of the shifts is not proven.
    pub fn go(&mut self, shifts: &[Shift], most_events: u32) -> Result<StepOutcome, Inconsistent> {
        if !(self.is_whole() && self.at_rest) {
            return self.state.fault(0, "it must be rebuilt");
        }
        let went = self.shift(shifts, most_events);
        if went.is_err() {
            self.scratch.stage = Stage::Broken;
        }
        went
    }

    fn shift(&mut self, shifts: &[Shift], most_events: u32) -> Result<StepOutcome, Inconsistent> {
        self.state.restart(0.0);
        self.state.horizon = 1.0;
        self.start_motion(shifts)?;
        self.issue_movers(shifts);
        let before = self.state.stats.events();
        let mut end = End::Whole;
        while let Some((time, _)) = self.state.queue.first() {
            if self.state.stats.events() - before >= u64::from(most_events) {
                self.state.now = self.state.now.max(time);
                end = End::Budget;
                break;
            }
            self.advance(time)?;
            if let Some(contact) = self.state.contact {
                end = End::Contact(contact);
                break;
            }
        }
        let events = (self.state.stats.events() - before) as u32;
        let share = if end == End::Whole {
            1.0
        } else {
            self.state.now.min(1.0)
        };
        for shift in shifts {
            let b = shift.body as usize;
            let motion = &mut self.state.polygons.bodies[b].motion;
            let there = motion.about(share);
            *motion = Rigid2 {
                centre: there.centre,
                angle: there.angle,
                ..Rigid2::still()
            };
            self.moving[b] = Moving::new(motion, self.state.polygons.radius[b]);
            self.keep_places(b);
        }
        self.state.queue.clear();
        self.drop_certificates(shifts, events > 0);
        self.state.now = 0.0;
        if std::mem::take(&mut self.spoilt) {
            return self.state.fault(0, "it is corrupt");
        }
        Ok(StepOutcome { share, end, events })
    }

    /// Starts the motion of these bodies in the step.
    pub(super) fn start_motion(&mut self, shifts: &[Shift]) -> Result<(), Inconsistent> {
        for shift in shifts {
            let Some(body) = self.state.polygons.bodies.get_mut(shift.body as usize) else {
                return self.state.fault(0, "there is no such body");
            };
            body.motion.velocity = shift.by;
            body.motion.omega = shift.turn;
            let b = shift.body as usize;
            self.moving[b] = Moving::new(&body.motion, self.state.polygons.radius[b]);
        }
        Ok(())
    }

    /// Issues certificates for all corners of the moving bodies. Only those that the test does not
    /// show to hold get an event; the queue has no others.
    fn issue_movers(&mut self, shifts: &[Shift]) {
        self.touch_movers(shifts);
        let touched = std::mem::take(&mut self.scratch.touched);
        for &h in &touched {
            match self.test_corner(h) {
                CornerTest::Never => {}
                CornerTest::Holds => {
                    self.half_mut(h).live = true;
                    self.state.live += 1;
                }
                CornerTest::Unclear => self.reissue(h),
            }
        }
        self.scratch.touched = touched;
    }

    /// Drops all certificates once nothing moves. `slid` means that edges have slid since they were
    /// issued.
    fn drop_certificates(&mut self, shifts: &[Shift], slid: bool) {
        if slid {
            self.touch_movers(shifts);
        }
        for &h in &self.scratch.touched {
            let live = &mut self.halves[h as usize].live;
            self.state.live -= u64::from(std::mem::take(live));
        }
    }

    fn touch_movers(&mut self, shifts: &[Shift]) {
        let mut touched = std::mem::take(&mut self.scratch.touched);
        for (k, shift) in shifts.iter().enumerate() {
            self.touch(shift.body, &mut touched, k == 0);
        }
        self.scratch.touched = touched;
    }
}
