//! Soft surfaces in the tick: their planes become rows beside those of the rigid contacts.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the tracked points.

use hapticd_gauss::coulomb::Surface;
use hapticd_gauss::{Motion, Row};
use hapticd_geometry::{Pose, Vec3, transform};

use super::{MAX_ROWS, Proxy, RECOVERY, path_of};
use crate::coupling::Touched;
use crate::outcome::{ArmOutcome, Contact, MAX_CONTACTS};
use crate::soft::{self, SoftRow, SoftSnapshot};

/// Planes further from the tool than the wanted motion and this count for nothing in a tick, m.
const BAND_M: f64 = 1e-3;
/// How fast a tool that was found inside is pushed out, beside the surface's own motion, m/s.
const PUSH_OUT_M_S: f64 = 0.1;
/// How fast a tool falls into where a surface has held it and does no more, beside the surface's
/// own motion, m/s: what was lost was mostly not gone, and a plane that turns away at an edge is no
/// hole.
const FALL_M_S: f64 = 0.2;
/// Steps of a bisection: what is left of a motion is known to a thousandth.
const HALVINGS: u32 = 10;

/// What soft surfaces together held the tool by in the last tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    /// Unit, the way that they pushed.
    normal: Vec3,
    /// How fast they went the other way themselves, m/s.
    receding_m_s: f64,
    /// How fast they went at all, m/s.
    carried_m_s: f64,
}

impl Proxy {
    /// Finds this tick's planes with the tool where it is. Says how far soft surfaces may push the
    /// tool beyond what it wants, m.
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
        self.soft_count = soft::survey(
            snapshot,
            &self.shape,
            &pose,
            age_s,
            period_s,
            wanted_m + BAND_M,
            &mut self.soft_found,
            &mut self.soft_rows,
        );
        out.soft_rows = self.soft_count as u32;
        self.soft_at = self.proxy;
        self.soft_period_s = period_s;
        let rows = self.soft_rows[..self.soft_count].iter().flatten();
        rows.map(|row| bound(row, row.gap_m, period_s).max(0.0))
            .fold(0.0, f64::max)
    }

    /// How fast soft surfaces may move the tool whatever its hand does, m/s; 0 where none is near.
    /// They carry it at their own speed, push it out, and let it fall.
    pub fn carried_m_s(&self) -> f64 {
        let of_epoch = |soft: &&SoftSnapshot| soft.epoch == self.epoch;
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

    /// Adds the rows of soft surfaces behind the `count` that are there, as many as fit. Says how
    /// many there are then.
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
                arm: if self.shape.turns {
                    tool_point - centre
                } else {
                    Vec3::zeros()
                },
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

    /// A motion that slips along a soft surface no faster than its hand goes and it may fall: what
    /// sticks and gives way in one tick is felt as a click. `hand` is the hand's own motion, m;
    /// what is moved already counts.
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

    /// Surfaces that close on the tool from both sides would throw it out of the wedge between
    /// them, the faster the narrower it is. They give way instead: none moves the tool further than
    /// it comes itself, `push_m` at most.
    pub(super) fn pressing(&self, motion: &mut Motion, wanted: &Motion, push_m: f64) {
        if self.soft_count == 0 {
            return;
        }
        let most = path_of(&self.shape, wanted) + push_m;
        // What was wanted and is left after this part of the motion.
        let left = |part: f64| path_of(&self.shape, &(wanted - *motion * part));
        let mut part = (most / path_of(&self.shape, motion)).min(1.0);
        if left(part) > most {
            // It grows along the motion from what was wanted, and is convex.
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

    /// Notes what soft surfaces held the tool by in a projection: `multiplier` of their rows, and
    /// of the memory's, which come in the order of [`Proxy::add_soft`].
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

    /// A row's point of the tool and its gap after what the tick has moved already.
    fn soft_now(&self, row: &SoftRow) -> (Vec3, f64) {
        let then = self.shape.seen_at(&self.soft_at);
        let now = self.shape.seen_at(&self.proxy);
        let moved = transform(&now, &transform(&then.inverse(), &row.tool_point));
        let gap_m = row.gap_m + (moved - row.tool_point).dot(&row.normal);
        (moved, gap_m)
    }

    /// Stiffness of the material of a projection's row, `order[..rigid]` of which are candidates,
    /// N/m.
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

    fn soft_material(&self, row: &SoftRow) -> Option<crate::snapshot::Material> {
        Some(self.soft.as_deref()?.body(row.surface)?.1)
    }

    /// Notes a soft contact, and what its surface makes of the coupling if it holds the tool.
    pub(super) fn report_soft(
        &self,
        index: usize,
        active: bool,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) {
        let row = self.soft_rows[..self.soft_count].get(index);
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
            };
            out.contact_count += 1;
        }
    }
}

/// What a row asks of the motion: a surface that comes closer is made room for, what is missing
/// already is given back by shares.
fn bound(row: &SoftRow, gap_m: f64, period_s: f64) -> f64 {
    if gap_m < 0.0 {
        row.approach_m + (-RECOVERY * gap_m).min(PUSH_OUT_M_S * period_s)
    } else {
        row.approach_m - gap_m
    }
}
