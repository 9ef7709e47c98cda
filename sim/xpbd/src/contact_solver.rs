//! Solves the contacts of one step: normal and friction by positions, bounce by velocities, and
//! push-out of penetrations by positions alone.
//!
//! # Theory
//!
//! The constraint is `C = (a - b) . n - gap >= 0`, with the normal frozen for the step and
//! generalised inverse masses for rigid bodies (Müller et al. 2020). The multiplier is summed over
//! the sweeps of a substep, and only the sum is kept positive, so a later sweep may take back what
//! an earlier one overshot. Friction undoes the tangential displacement since the substep began, as
//! far as `mu` times the normal multiplier allows: the static and the dynamic law in one (Macklin
//! et al. 2014, "Unified particle physics"). A sliding point is slowed by exactly `mu` times its
//! pressure.
//!
//! Each substep warm-starts from the multipliers of the last. This also works across steps where a
//! contact is recognised: by the particle, the vertex or the bit-equal point of a body on either
//! side. Without it, a load at rest would be found again each time, and boxes would creep.
//!
//! A contact found late, deep inside, would be resolved in one substep and leave at depth over
//! substep, metres a second (the "spontaneous bounce" of Lehericey 2016). Here the constraint only
//! asks that it does not get deeper. A separate pass pushes it out at the push-out speed, changing
//! positions but no velocities ("split impulses").
//!
//! # Practice
//!
//! Contacts are visited in the given order, alternately forwards and backwards. Memory grows with
//! the lists, or all at once by `reserve`.

use super::body::XpbdBody;
use super::contact::Contact;
use super::contact_names::keys;
use super::particle::Particles;
use super::stencil::{Stencil, WIDEST, mean, mobility, spread};
use crate::Vec3;

#[derive(Clone, Copy, Debug)]
enum Side {
    Particles {
        first: u32,
        count: u32,
        mobility: f64,
    },
    Body {
        index: u32,
        local: Vec3,
    },
    World(Vec3),
}

/// Object that a side is attached to, before it is entered in the lists.
pub(super) enum Anchor {
    Particles(Stencil),
    Body(u32, Vec3),
    World(Vec3),
}

#[derive(Clone, Copy, Debug)]
struct Row {
    a: Side,
    b: Side,
    normal: Vec3,
    gap: f64,
    friction: f64,
    restitution: f64,
    /// Index in the caller's list.
    source: u32,
    /// Keys by which the contact is recognised in the next step.
    keys: [u64; 2],
    /// Values of the substep: lower bound of `C`, target of the push-out, and relative normal
    /// velocity before the prediction.
    floor: f64,
    goal: f64,
    approach: f64,
    /// Work that a bounce may do, J.
    spare: f64,
    /// Sum of the push-out so far, kg m.
    out: f64,
    /// Multipliers of the substep, kg m.
    along: f64,
    across: Vec3,
    /// Tangential displacement of a sticking contact that the substeps of this step have left
    /// uncorrected.
    slip: Vec3,
}

/// Particles and bodies, borrowed while the rows are solved.
pub(super) struct Movers<'a> {
    pub particles: &'a mut Particles,
    pub bodies: &'a mut [XpbdBody],
}

/// Smallest cosine between two normals that count as the same contact.
const MIN_NORMAL_COSINE: f64 = 0.9;

/// A contact that pressed in the last step: the warm start of its successor.
#[derive(Clone, Copy, Debug)]
struct WarmStart {
    normal: Vec3,
    along: f64,
    across: Vec3,
    taken: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ContactSolver {
    rows: Vec<Row>,
    /// Sorted keys with indices into `pressed`.
    known: Vec<(u64, u32)>,
    pressed: Vec<WarmStart>,
    /// Length of the substep that the rows' multipliers belong to, s.
    h: f64,
    entries: Vec<(u32, f64)>,
    /// Impulse on the first side by the caller's index, N s.
    pub impulses: Vec<Vec3>,
}

impl ContactSolver {
    /// Reserves capacity for `contacts` contacts of any kind.
    pub fn reserve(&mut self, contacts: usize) {
        self.rows.reserve(contacts.saturating_sub(self.rows.len()));
        self.pressed
            .reserve(contacts.saturating_sub(self.pressed.len()));
        self.known
            .reserve((2 * contacts).saturating_sub(self.known.len()));
        let widest = 2 * WIDEST * contacts;
        self.entries
            .reserve(widest.saturating_sub(self.entries.len()));
        self.impulses
            .reserve(contacts.saturating_sub(self.impulses.len()));
    }

    /// Begins a step of `contacts` contacts with substeps of `h`.
    pub fn begin(&mut self, contacts: usize, h: f64) {
        self.known.clear();
        self.pressed.clear();
        // Keeps the force: multipliers scale with the square of the substep.
        let scale = if self.h > 0.0 {
            (h / self.h).powi(2)
        } else {
            0.0
        };
        self.h = h;
        for row in self.rows.iter().filter(|row| row.along > 0.0) {
            let index = self.pressed.len() as u32;
            self.pressed.push(WarmStart {
                normal: row.normal,
                along: row.along * scale,
                across: row.across * scale,
                taken: false,
            });
            self.known.extend(row.keys.map(|key| (key, index)));
        }
        self.known.sort_unstable();
        self.rows.clear();
        self.entries.clear();
        self.impulses.clear();
        self.impulses.resize(contacts, Vec3::zeros());
    }

    pub fn add(
        &mut self,
        source: usize,
        contact: &Contact,
        sides: [Anchor; 2],
        particles: &Particles,
    ) {
        let normal = contact.normal.normalize();
        let keys = keys(contact);
        let (along, across) = self.recall(&keys, &normal);
        let [a, b] = sides.map(|side| match side {
            Anchor::Particles(stencil) => {
                let first = self.entries.len() as u32;
                self.entries.extend_from_slice(stencil.entries());
                Side::Particles {
                    first,
                    count: stencil.entries().len() as u32,
                    mobility: mobility(stencil.entries(), &particles.inverse_mass),
                }
            }
            Anchor::Body(index, local) => Side::Body { index, local },
            Anchor::World(point) => Side::World(point),
        });
        self.rows.push(Row {
            a,
            b,
            normal,
            gap: contact.gap_m,
            friction: contact.friction,
            restitution: contact.restitution,
            source: source as u32,
            keys,
            floor: 0.0,
            goal: 0.0,
            approach: 0.0,
            spare: 0.0,
            out: 0.0,
            along,
            across,
            slip: Vec3::zeros(),
        });
    }

    /// Returns the multipliers of the last step for this contact. Each stored contact serves once.
    fn recall(&mut self, keys: &[u64; 2], normal: &Vec3) -> (f64, Vec3) {
        for key in keys {
            let first = self.known.partition_point(|k| k.0 < *key);
            for &(_, index) in self.known[first..].iter().take_while(|k| k.0 == *key) {
                let pressed = &mut self.pressed[index as usize];
                // Multipliers along a different normal do not apply here.
                if pressed.normal.dot(normal) < MIN_NORMAL_COSINE {
                    continue;
                }
                if !core::mem::replace(&mut pressed.taken, true) {
                    let across = pressed.across - normal * normal.dot(&pressed.across);
                    return (pressed.along, across);
                }
            }
        }
        (0.0, Vec3::zeros())
    }

    /// Sets the bounds of each contact for this substep. Runs before the prediction.
    pub fn begin_substep(&mut self, movers: &Movers<'_>, h: f64, push_out_speed: f64) {
        for row in &mut self.rows {
            let (a, b) = (
                view(&row.a, &self.entries, movers),
                view(&row.b, &self.entries, movers),
            );
            let depth = (a.at - b.at).dot(&row.normal) - row.gap;
            row.floor = depth.min(0.0);
            row.out = 0.0;
            row.goal = (depth + push_out_speed * h).min(0.0);
            row.approach = closing(row, &self.entries, movers);
        }
    }

    /// Applies the multipliers of the last substep, after the prediction, so that a load at rest is
    /// carried from the first sweep on.
    pub fn resume(&mut self, movers: &mut Movers<'_>, h: f64) {
        for row in &self.rows {
            if row.along > 0.0 {
                let p = row.normal * row.along + row.across;
                let (a, b) = (
                    view(&row.a, &self.entries, movers),
                    view(&row.b, &self.entries, movers),
                );
                let entries = &self.entries;
                shove(&row.a, &a.arm, entries, movers, Impulse { p, h });
                shove(&row.b, &b.arm, entries, movers, Impulse { p: -p, h });
            }
        }
    }

    /// Performs one sweep, forwards or backwards. Alternating cancels the advantage of the last
    /// contact over the first, which would otherwise turn a box on the spot. Returns the number of
    /// rows that were skipped because their numbers were not finite.
    pub fn sweep(&mut self, movers: &mut Movers<'_>, h: f64, back: bool) -> u32 {
        let mut skipped = 0;
        let entries = &self.entries;
        let mut visit = |row: &mut Row| skipped += u32::from(!solve(row, entries, movers, h));
        if back {
            self.rows.iter_mut().rev().for_each(&mut visit);
        } else {
            self.rows.iter_mut().for_each(&mut visit);
        }
        skipped
    }

    /// Adds up the impulses of the substep and applies restitution. Runs once velocities are known.
    ///
    /// Newton's law of restitution alone makes energy where contacts are coupled: one bounce sets
    /// another contact going, and that one asks for its own speed on top. So a bounce does no more
    /// work than `restitution^2` of what its contact has absorbed in the substep. For an isolated
    /// contact, this is Newton's law to the last bit.
    pub fn velocities(&mut self, movers: &mut Movers<'_>, h: f64, slow: f64) {
        let entries = &self.entries;
        for row in &mut self.rows {
            self.impulses[row.source as usize] += (row.normal * row.along + row.across) / h;
            row.spare = 0.0;
            if !(row.along > 0.0) {
                row.slip = Vec3::zeros();
                continue;
            }
            accumulate_slip(row, entries, movers);
            if row.restitution > 0.0 && row.approach < -slow {
                let taken = -0.5 * row.along / h * (row.approach + closing(row, entries, movers));
                row.spare = row.restitution.powi(2) * taken.max(0.0);
            }
        }
        for row in &mut self.rows {
            if row.spare == 0.0 {
                continue;
            }
            let (a, b) = (view(&row.a, entries, movers), view(&row.b, entries, movers));
            let n = row.normal;
            let now = closing(row, entries, movers);
            let missing = -row.restitution * row.approach - now;
            let give = mobility_of(&row.a, &a, movers, &n) + mobility_of(&row.b, &b, movers, &n);
            // The impulse whose work, `p now + p^2 give / 2`, is the work available.
            let most = ((now * now + 2.0 * give * row.spare).sqrt() - now) / give;
            let p = n * (missing / give).min(most);
            if missing > 0.0 && p.sum().is_finite() {
                self.impulses[row.source as usize] += p;
                push(&row.a, &a, entries, movers, &p);
                push(&row.b, &b, entries, movers, &-p);
                // The contact separates: no warm start.
                row.along = 0.0;
                row.across = Vec3::zeros();
            }
        }
    }

    /// Moves penetrating contacts outwards without changing velocities; in reverse order if `back`.
    pub fn push_out(&mut self, movers: &mut Movers<'_>, back: bool) {
        let count = self.rows.len();
        for i in 0..count {
            let row = &mut self.rows[if back { count - 1 - i } else { i }];
            if row.floor == 0.0 {
                continue;
            }
            let entries = &self.entries;
            let (a, b) = (view(&row.a, entries, movers), view(&row.b, entries, movers));
            let n = row.normal;
            let missing = row.goal - ((a.at - b.at).dot(&n) - row.gap);
            let give = mobility_of(&row.a, &a, movers, &n) + mobility_of(&row.b, &b, movers, &n);
            // Only the sum is kept positive: what the pushes of other contacts made too large is
            // taken back.
            let out = (row.out + missing / give).max(0.0);
            let p = n * (out - row.out);
            if p.sum().is_finite() {
                row.out = out;
                shift(&row.a, &a.arm, entries, movers, &p);
                shift(&row.b, &b.arm, entries, movers, &-p);
            }
        }
    }
}

/// Position of a side, and its lever arm if it is on a body.
struct View {
    at: Vec3,
    arm: Vec3,
}

#[inline]
fn entries_of(entries: &[(u32, f64)], first: u32, count: u32) -> &[(u32, f64)] {
    &entries[first as usize..(first + count) as usize]
}

#[inline]
fn view(side: &Side, entries: &[(u32, f64)], movers: &Movers<'_>) -> View {
    let (at, arm) = match side {
        Side::Particles { first, count, .. } => (
            mean(entries_of(entries, *first, *count), &movers.particles.x),
            Vec3::zeros(),
        ),
        Side::Body { index, local } => {
            let body = &movers.bodies[*index as usize];
            let arm = body.arm(local);
            (body.state.position + arm, arm)
        }
        Side::World(point) => (*point, Vec3::zeros()),
    };
    View { at, arm }
}

#[inline]
fn moved(side: &Side, view: &View, entries: &[(u32, f64)], movers: &Movers<'_>) -> Vec3 {
    match side {
        Side::Particles { first, count, .. } => {
            view.at
                - mean(
                    entries_of(entries, *first, *count),
                    &movers.particles.before,
                )
        }
        Side::Body { index, local } => movers.bodies[*index as usize].moved(local, &view.arm),
        Side::World(_) => Vec3::zeros(),
    }
}

#[inline]
fn velocity(side: &Side, view: &View, entries: &[(u32, f64)], movers: &Movers<'_>) -> Vec3 {
    match side {
        Side::Particles { first, count, .. } => {
            mean(entries_of(entries, *first, *count), &movers.particles.v)
        }
        Side::Body { index, .. } => movers.bodies[*index as usize].velocity_at(&view.arm),
        Side::World(_) => Vec3::zeros(),
    }
}

/// Relative velocity along the normal, m/s; negative while the sides approach.
#[inline]
fn closing(row: &Row, entries: &[(u32, f64)], movers: &Movers<'_>) -> f64 {
    let (a, b) = (view(&row.a, entries, movers), view(&row.b, entries, movers));
    (velocity(&row.a, &a, entries, movers) - velocity(&row.b, &b, entries, movers)).dot(&row.normal)
}

#[inline]
fn mobility_of(side: &Side, view: &View, movers: &Movers<'_>, d: &Vec3) -> f64 {
    match side {
        Side::Particles { mobility, .. } => *mobility,
        Side::Body { index, .. } => movers.bodies[*index as usize].mobility(&view.arm, d),
        Side::World(_) => 0.0,
    }
}

/// The impulse `p / h` of a substep.
#[derive(Clone, Copy)]
struct Impulse {
    /// Multiplier, kg m.
    p: Vec3,
    /// Length of the substep, s.
    h: f64,
}

#[inline]
fn shove(
    side: &Side,
    arm: &Vec3,
    entries: &[(u32, f64)],
    movers: &mut Movers<'_>,
    Impulse { p, h }: Impulse,
) {
    match side {
        Side::Particles { first, count, .. } => {
            let particles = &mut *movers.particles;
            let entries_of = entries_of(entries, *first, *count);
            spread(entries_of, &particles.inverse_mass, &p, &mut particles.x);
        }
        Side::Body { index, .. } => movers.bodies[*index as usize].shove(arm, &p, h),
        Side::World(_) => {}
    }
}

#[inline]
fn shift(side: &Side, arm: &Vec3, entries: &[(u32, f64)], movers: &mut Movers<'_>, p: &Vec3) {
    match side {
        Side::Particles { first, count, .. } => {
            let particles = &mut *movers.particles;
            let entries_of = entries_of(entries, *first, *count);
            spread(entries_of, &particles.inverse_mass, p, &mut particles.x);
        }
        Side::Body { index, .. } => movers.bodies[*index as usize].shift(arm, p),
        Side::World(_) => {}
    }
}

#[inline]
fn push(side: &Side, view: &View, entries: &[(u32, f64)], movers: &mut Movers<'_>, p: &Vec3) {
    match side {
        Side::Particles { first, count, .. } => {
            let particles = &mut *movers.particles;
            let entries_of = entries_of(entries, *first, *count);
            spread(entries_of, &particles.inverse_mass, p, &mut particles.v);
        }
        Side::Body { index, .. } => movers.bodies[*index as usize].push(&view.arm, p),
        Side::World(_) => {}
    }
}

/// Accumulates the tangential displacement that a sticking contact did not correct in this substep.
/// A contact that slid starts again from zero.
#[inline]
fn accumulate_slip(row: &mut Row, entries: &[(u32, f64)], movers: &Movers<'_>) {
    if row.friction == 0.0 {
        return;
    }
    if row.across.norm() >= row.friction * row.along * (1.0 - 1e-9) {
        row.slip = Vec3::zeros();
        return;
    }
    let (a, b) = (view(&row.a, entries, movers), view(&row.b, entries, movers));
    let slid = moved(&row.a, &a, entries, movers) - moved(&row.b, &b, entries, movers);
    row.slip += slid - row.normal * row.normal.dot(&slid);
}

#[inline]
fn solve(row: &mut Row, entries: &[(u32, f64)], movers: &mut Movers<'_>, h: f64) -> bool {
    let n = row.normal;
    let (a, b) = (view(&row.a, entries, movers), view(&row.b, entries, movers));
    let c = (a.at - b.at).dot(&n) - row.gap - row.floor;
    if c >= 0.0 && row.along == 0.0 {
        return true;
    }
    let give = mobility_of(&row.a, &a, movers, &n) + mobility_of(&row.b, &b, movers, &n);
    if give == 0.0 {
        return true;
    }
    let along = (row.along - c / give).max(0.0);
    if !along.is_finite() {
        return false;
    }
    let p = n * (along - row.along);
    row.along = along;
    shove(&row.a, &a.arm, entries, movers, Impulse { p, h });
    shove(&row.b, &b.arm, entries, movers, Impulse { p: -p, h });
    if row.friction == 0.0 {
        return true;
    }
    let (a, b) = (view(&row.a, entries, movers), view(&row.b, entries, movers));
    let slid = moved(&row.a, &a, entries, movers) - moved(&row.b, &b, entries, movers);
    let slid = slid - n * n.dot(&slid) + row.slip;
    let length = slid.norm();
    let mut wanted = row.across;
    if length > 0.0 {
        let d = slid / length;
        let give = mobility_of(&row.a, &a, movers, &d) + mobility_of(&row.b, &b, movers, &d);
        wanted -= slid / give;
    }
    let (size, most) = (wanted.norm(), row.friction * row.along);
    if size > most {
        wanted *= most / size;
    }
    let p = wanted - row.across;
    if !p.sum().is_finite() {
        return false;
    }
    row.across = wanted;
    shove(&row.a, &a.arm, entries, movers, Impulse { p, h });
    shove(&row.b, &b.arm, entries, movers, Impulse { p: -p, h });
    true
}
