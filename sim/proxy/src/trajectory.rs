//! Trajectories of bodies that the dynamics move: planned by the collision thread, followed by the
//! loop.
//!
//! Real-time callable: no allocation, bounded by [`MAX_SEGMENTS`] x [`MAX_BODIES`]. Deterministic.
//! World frame, SI units.
//!
//! # Protocol
//!
//! A [`Trajectory`] is one constant-speed screw per body and segment. It is proven free of
//! collisions *between the bodies* as long as all of them are at the same point of it (Redon 2002,
//! section 2.2: all bodies are placed by the same motions at one common time). The loop follows it
//! tick by tick, all bodies together, and no further than detection against every tool allows. If a
//! tool blocks one body, all stop there and the trajectory has ended.
//!
//! [`Followed`] goes back with every query and reports how far the loop has come. The next
//! trajectory names the point at which it starts ([`Trajectory::after`]), and the loop starts it
//! only there. A trajectory that was planned for an end that was not reached is void. So bodies
//! never leave what was proven, whichever thread is late.

use hapticd_geometry::Screw;

use crate::slots::{BodyKey, MAX_BODIES};

/// Most segments of a trajectory.
pub const MAX_SEGMENTS: usize = 4;

/// Progress of the loop: a point on a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Followed {
    /// Number of the trajectory; 0 before the first.
    pub trajectory: u64,
    /// Number of completed segments.
    pub segments: u32,
    /// Completed share of the next segment, 0 to 1.
    pub share: f64,
    /// True if the loop goes no further on this trajectory: it is at its end, or a tool blocked it.
    pub ended: bool,
}

impl Followed {
    /// Start of the first trajectory.
    pub const START: Self = Self {
        trajectory: 0,
        segments: 0,
        share: 0.0,
        ended: true,
    };
}

/// Plan of the dynamics for the coming interval.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Sequence number, from 1; 0 means no trajectory.
    pub number: u64,
    /// Point at which it starts.
    pub after: Followed,
    /// Duration of each segment, s; 0 for one that takes no simulated time. `..segments` are valid.
    pub durations_s: [f64; MAX_SEGMENTS],
    /// Number of segments.
    pub segments: usize,
    /// Keys of the bodies on it.
    pub bodies: Vec<BodyKey>,
    /// Screws of the bodies, segment by segment in the order of `bodies`.
    pub screws: Vec<Screw>,
}

impl Trajectory {
    /// Creates an empty trajectory. Allocates everything that it will ever need.
    #[must_use]
    pub fn new() -> Self {
        Trajectory {
            number: 0,
            after: Followed::START,
            durations_s: [0.0; MAX_SEGMENTS],
            segments: 0,
            bodies: Vec::with_capacity(MAX_BODIES),
            screws: Vec::with_capacity(MAX_SEGMENTS * MAX_BODIES),
        }
    }

    /// Makes the trajectory empty.
    pub fn clear(&mut self) {
        self.number = 0;
        self.after = Followed::START;
        self.segments = 0;
        self.bodies.clear();
        self.screws.clear();
    }

    /// Becomes a copy of `other`; does not allocate.
    pub fn copy_from(&mut self, other: &Trajectory) {
        self.number = other.number;
        self.after = other.after;
        self.durations_s = other.durations_s;
        self.segments = other.segments.min(MAX_SEGMENTS);
        self.bodies.clear();
        self.screws.clear();
        let bodies = other.bodies.len().min(MAX_BODIES);
        let screws = self.segments * bodies;
        if other.bodies.len() == bodies && other.screws.len() == screws {
            self.bodies.extend_from_slice(&other.bodies);
            self.screws.extend_from_slice(&other.screws);
        } else {
            // The counts are inconsistent: no body moves.
            self.segments = 0;
        }
    }

    /// Returns the bodies' screws of one segment, in the order of `bodies`.
    #[must_use]
    pub fn screws_of(&self, segment: usize) -> &[Screw] {
        let n = self.bodies.len();
        self.screws
            .get(segment * n..(segment + 1) * n)
            .unwrap_or(&[])
    }
}

impl Default for Trajectory {
    fn default() -> Self {
        Self::new()
    }
}

/// Part of a segment that a tick follows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Piece {
    pub segment: usize,
    /// Start and end as shares of the segment.
    pub from: f64,
    pub to: f64,
}

/// The trajectory that is followed, and the next one.
#[derive(Clone, Debug)]
pub(crate) struct Trajectories {
    now: Trajectory,
    next: Trajectory,
    pub at: Followed,
    /// Ticks that began at the end of a trajectory without a next one.
    pub idle: u64,
    pieces: [Piece; MAX_SEGMENTS],
    count: usize,
}

impl Trajectories {
    pub fn new() -> Self {
        Trajectories {
            now: Trajectory::new(),
            next: Trajectory::new(),
            at: Followed::START,
            idle: 0,
            pieces: [Piece::default(); MAX_SEGMENTS],
            count: 0,
        }
    }

    /// Keeps a trajectory that starts from the present one.
    pub fn offer(&mut self, trajectory: &Trajectory) {
        if trajectory.number > self.at.trajectory
            && trajectory.after.trajectory == self.at.trajectory
            && trajectory.number != self.next.number
        {
            self.next.copy_from(trajectory);
        }
    }

    /// Plans which pieces a tick of `period_s` follows.
    pub fn plan(&mut self, period_s: f64) {
        self.count = 0;
        if self.at.ended && self.next.number > self.at.trajectory && self.next.after == self.at {
            std::mem::swap(&mut self.now, &mut self.next);
            self.next.clear();
            self.at = Followed {
                trajectory: self.now.number,
                segments: 0,
                share: 0.0,
                ended: false,
            };
        }
        if self.at.ended {
            self.idle += u64::from(self.at.trajectory > 0);
            return;
        }
        let mut left = period_s;
        let mut from = self.at.share;
        for segment in self.at.segments as usize..self.now.segments {
            let duration = self.now.durations_s[segment];
            let whole = (1.0 - from) * duration;
            // The rest of a period counts as whole within rounding.
            let to = if whole <= left * (1.0 + 1e-9) {
                1.0
            } else if left > 1e-9 * period_s {
                from + left / duration
            } else {
                break;
            };
            self.pieces[self.count] = Piece { segment, from, to };
            self.count += 1;
            if to < 1.0 {
                break;
            }
            left -= whole;
            from = 0.0;
        }
        if self.count == 0 {
            self.at.ended = true;
        }
    }

    /// Returns the trajectory that is followed.
    pub fn trajectory(&self) -> &Trajectory {
        &self.now
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.count]
    }

    /// Notes that the share `t` of a piece was made.
    pub fn made(&mut self, piece: &Piece, t: f64) {
        if t < 1.0 {
            self.at.segments = piece.segment as u32;
            self.at.share = piece.from + t * (piece.to - piece.from);
            self.at.ended = true;
        } else if piece.to < 1.0 {
            self.at.segments = piece.segment as u32;
            self.at.share = piece.to;
        } else {
            self.at.segments = piece.segment as u32 + 1;
            self.at.share = 0.0;
            self.at.ended = self.at.segments as usize >= self.now.segments;
        }
    }
}
