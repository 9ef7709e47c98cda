//! Soft surfaces in the tick: their planes become rows after those of the rigid contacts.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the tracked points.

use hapticd_gauss::coulomb::Surface;
use hapticd_gauss::{Motion, RECOVERY, Row};
use hapticd_geometry::{Pose, Vec3, transform};

use super::{MAX_ROWS, Proxy};
use crate::contact::{Contact, MAX_CONTACTS};
use crate::coupling::Touched;
use crate::motion::path_of;
use crate::outcome::ArmOutcome;
use crate::soft::{self, DeformableSnapshot};
use crate::soft_row::{DeformableRow, Moment, RowQuery};

/// Planes further from the tool than the wanted motion plus this do not count in a tick, m.
const BAND_M: f64 = 1e-3;
/// Speed at which a tool that was found inside is pushed out, in addition to the surface's own
/// motion, m/s.
const PUSH_OUT_M_S: f64 = 0.1;
/// Speed at which a tool falls after a surface stops holding it, in addition to the surface's own
/// motion, m/s. A lost contact is mostly not gone, and a plane that turns away at an edge is not a
/// hole.
const FALL_M_S: f64 = 0.2;
/// Steps of a bisection; they give the rest of a motion to a thousandth.
const HALVINGS: u32 = 10;

/// Combined hold of the soft surfaces on the tool in the last tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    /// Unit direction in which they pushed.
    normal: Vec3,
    /// Speed of the surfaces against that direction, m/s.
    receding_m_s: f64,
    /// Speed of the surfaces, m/s.
    carried_m_s: f64,
}

impl Proxy {
    /// Finds this tick's planes at the present pose of the tool. Returns how far soft surfaces may
    /// push the tool beyond its wanted motion, m.
    pub(super) fn meet_soft(
        &mut self,
        goal: &Pose,
        tick: u64,
        period_s: f64,
        out: &mut ArmOutcome,
    ) -> f64 {
        self.soft_count = 0;
        self.held = self.holds.take();
        let Some(snapshot) = self.soft.as_deref_mut() else {
            return 0.0;
        };
        if snapshot.epoch != self.epoch {
            return 0.0;
        }
        let age = tick.saturating_sub(snapshot.query_tick);
        out.soft_age = age;
        out.soft_late = age.saturating_sub(4 * snapshot.every_ticks);
        out.soft_sequence = snapshot.sequence;
        out.soft_finder = snapshot.finder;
        out.tracked = snapshot.tracked.len() as u32;
        let age_s = age as f64 * period_s;
        let wanted_m = self.shape.displacement(&self.proxy, goal);
        let pose = self.shape.seen_at(&self.proxy);
        let query = RowQuery {
            tool: &self.shape,
            pose: &pose,
            moment: Moment { age_s, period_s },
            band_m: wanted_m + BAND_M,
        };
        let (found, rows) = (&mut self.soft_found, &mut self.soft_rows);
        self.soft_count = soft::survey(snapshot, &query, found, rows);
        out.soft_rows = self.soft_count as u32;
        self.soft_at = self.proxy;
        self.soft_period_s = period_s;
        let rows = self.soft_rows[..self.soft_count].iter().flatten();
        rows.map(|row| bound(row, row.gap_m, period_s).max(0.0))
            .fold(0.0, f64::max)
    }

    /// Returns the highest speed at which soft surfaces may move the tool regardless of its hand,
    /// m/s; 0 if none is near. They carry it at their own speed, push it out, and let it fall.
    pub fn carried_m_s(&self) -> f64 {
        let of_epoch = |soft: &&DeformableSnapshot| soft.epoch == self.epoch;
        let implicit = (self.soft.as_deref().filter(of_epoch)).map_or(&[][..], |s| &s.implicit);
        let terms = implicit.iter().flat_map(|surface| &surface.terms);
        let rows = self.soft_rows[..self.soft_count].iter().flatten();
        let per_s = 1.0 / self.soft_period_s.max(f64::MIN_POSITIVE);
        let speeds = terms.map(|term| term.velocity.norm());
        let speeds = speeds.chain(rows.map(|r| r.carrier.fixed_rows::<3>(0).norm() * per_s));
        let held = self
            .holds
            .map(|held| held.carried_m_s.max(held.receding_m_s));
        let fastest = speeds.chain(held).reduce(f64::max);
        fastest.map_or(0.0, |speed| speed + FALL_M_S)
    }

    /// Appends as many rows of soft surfaces as fit after the first `count` rows. Returns the new
    /// number of rows.
    pub(super) fn add_soft(
        &self,
        centre: &Vec3,
        rows: &mut [Row; MAX_ROWS],
        surfaces: &mut [Surface; MAX_ROWS],
        count: usize,
    ) -> usize {
        let mut at = count;
        for row in self.soft_rows[..self.soft_count].iter().flatten() {
            if at == MAX_ROWS {
                break;
            }
            let (tool_point, gap_m) = self.soft_now(row);
            rows[at] = Row {
                normal: row.normal,
                arm: self.shape.arm(&tool_point, centre),
                bound: bound(row, gap_m, self.soft_period_s),
            };
            surfaces[at] = Surface {
                friction: self.soft_material(row).map_or(0.0, |m| m.friction),
                carrier: row.carrier,
            };
            at += 1;
        }
        if let Some(held) = self.held.filter(|_| at < MAX_ROWS) {
            let speed = FALL_M_S + held.receding_m_s;
            let fallen =
                (self.proxy.translation.vector - self.soft_at.translation.vector).dot(&held.normal);
            rows[at] = Row {
                normal: held.normal,
                arm: Vec3::zeros(),
                bound: -speed * self.soft_period_s - fallen,
            };
            surfaces[at] = Surface::SMOOTH;
            at += 1;
        }
        at
    }

    /// Limits slip along a soft surface to the hand's motion plus the speed of falling: sticking
    /// and release within a tick feel like a click. `hand` is the hand's motion, m. Motion already
    /// made in this tick counts.
    pub(super) fn slipping(&self, motion: &mut Motion, hand: &Vec3) {
        let Some(held) = self.held else { return };
        let along = |v: &Vec3| v - held.normal * v.dot(&held.normal);
        let most = FALL_M_S * self.soft_period_s
            + along(hand).norm()
            + held.carried_m_s * self.soft_period_s;
        let gone = along(&(self.proxy.translation.vector - self.soft_at.translation.vector)).norm();
        let wanted: Vec3 = motion.fixed_rows::<3>(0).into_owned();
        let slip = along(&wanted);
        let left = (most - gone).max(0.0);
        if slip.norm() > left {
            let kept = wanted - slip * (1.0 - left / slip.norm());
            motion.fixed_rows_mut::<3>(0).copy_from(&kept);
        }
    }

    /// Limits the motion between surfaces that close on the tool from both sides. They would throw
    /// it out of their wedge, the faster the narrower the wedge. Instead they give way: none moves
    /// the tool further than it moves itself, at most `push_m`.
    pub(super) fn pressing(&self, motion: &mut Motion, wanted: &Motion, push_m: f64) {
        if self.soft_count == 0 {
            return;
        }
        let most = path_of(&self.shape, wanted) + push_m;
        // Remaining wanted path after this part of the motion.
        let left = |part: f64| path_of(&self.shape, &(wanted - *motion * part));
        let mut part = (most / path_of(&self.shape, motion)).min(1.0);
        if left(part) > most {
            // The remainder is convex along the motion and starts at the wanted path.
            let (mut low, mut high) = (0.0, part);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if left(middle) > most {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            part = low;
        }
        // Not: `part >= 1.0`, so that NaN changes nothing.
        if part < 1.0 {
            *motion *= part;
        }
    }

    /// Records how soft surfaces held the tool in a projection. `multiplier` takes the rows of the
    /// surfaces and then that of the memory, in the order of [`Proxy::add_soft`].
    pub(super) fn remember_soft(&mut self, rows: usize, multiplier: impl Fn(usize) -> f64) {
        let mut push = Vec3::zeros();
        let (mut receding, mut carried, mut weight) = (0.0, 0.0, 0.0);
        for (k, row) in self.soft_rows[..self.soft_count]
            .iter()
            .flatten()
            .enumerate()
        {
            let share = multiplier(k).max(0.0);
            push += row.normal * share;
            weight += share;
            let step = row.carrier.fixed_rows::<3>(0);
            receding -= share * step.dot(&row.normal);
            carried += share * step.norm();
        }
        let period_s = self.soft_period_s;
        let still = self
            .held
            .filter(|_| rows > self.soft_count && multiplier(self.soft_count) > 0.0);
        self.holds = match push.try_normalize(0.0) {
            Some(normal) if period_s > 0.0 => Some(Held {
                normal,
                receding_m_s: (receding / weight / period_s).max(0.0),
                carried_m_s: carried / weight / period_s,
            }),
            _ => still,
        };
    }

    /// Returns a row's point of the tool and its gap after the motion already made in this tick.
    fn soft_now(&self, row: &DeformableRow) -> (Vec3, f64) {
        let then = self.shape.seen_at(&self.soft_at);
        let now = self.shape.seen_at(&self.proxy);
        let moved = transform(&now, &transform(&then.inverse(), &row.tool_point));
        let gap_m = row.gap_m + (moved - row.tool_point).dot(&row.normal);
        (moved, gap_m)
    }

    /// Returns the stiffness of the material of a projection's row, N/m; the rows of
    /// `order[..rigid]` are candidates.
    pub(super) fn stiffness_of(&self, order: &[u32], rigid: usize, row: usize) -> Option<f64> {
        if row < rigid {
            let c = self.candidates.get(*order.get(row)? as usize)?;
            let near = self.near.get(c.body_index as usize)?;
            return Some(near.entry.material.stiffness_n_per_m);
        }
        let row = self.soft_rows[..self.soft_count]
            .get(row - rigid)?
            .as_ref()?;
        Some(self.soft_material(row)?.stiffness_n_per_m)
    }

    fn soft_material(&self, row: &DeformableRow) -> Option<crate::snapshot::Material> {
        Some(self.soft.as_deref()?.body(row.surface)?.1)
    }

    /// Reports the soft contact of row `k` of a projection whose first `rigid` rows are rigid, and
    /// adds its material to the coupling's if it holds the tool.
    pub(super) fn report_soft(
        &self,
        k: usize,
        rigid: usize,
        active: bool,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) {
        let row = self.soft_rows[..self.soft_count].get(k - rigid);
        let Some(row) = row.and_then(Option::as_ref) else {
            return;
        };
        let Some((body, m)) = (self.soft.as_deref()).and_then(|soft| soft.body(row.surface)) else {
            return;
        };
        let (_, gap_m) = self.soft_now(row);
        if active {
            touched.touch(m.stiffness_n_per_m, m.damping_n_s_per_m);
        }
        if out.contact_count < MAX_CONTACTS && (active || gap_m < self.distances.release_m) {
            out.contacts[out.contact_count] = Contact {
                point: row.point,
                normal: row.normal,
                gap_m,
                body,
                active,
                force_n: Vec3::zeros(),
                row: k as u8,
            };
            out.contact_count += 1;
        }
    }
}

/// Returns the bound of a row: the motion gives way to an approaching surface, and a missing
/// distance is restored by shares.
fn bound(row: &DeformableRow, gap_m: f64, period_s: f64) -> f64 {
    if gap_m < 0.0 {
        row.approach_m + (-RECOVERY * gap_m).min(PUSH_OUT_M_S * period_s)
    } else {
        row.approach_m - gap_m
    }
}
