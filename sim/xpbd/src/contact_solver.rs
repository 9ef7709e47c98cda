//! Contacts of one step: normal and friction by positions, bounce by velocities, the push-out of
//! what is inside by positions alone.
//!
//! # Theory
//!
//! `C = (a - b) . n - gap >= 0` with the normal frozen for the step, generalised inverse masses for
//! rigid bodies (Müller et al. 2020). The multiplier is summed over the sweeps of a substep and
//! kept positive as a sum, so a later sweep may take back what an earlier one gave too much.
//! Friction takes back the tangential movement since the substep began, as far as `mu` times the
//! normal multiplier allows: the static and the dynamic law in one (Macklin et al. 2014, "Unified
//! particle physics"); a sliding point is slowed by exactly `mu` times its pressure.
//!
//! What the last substep ended with is the start of the next, and across steps too where a contact
//! is recognised: by the particle, the vertex or the bit-equal point of a body on either side.
//! Without that a load at rest is found again each time, and boxes walk.
//!
//! A contact found late, deep inside, would be resolved in one substep and leave with depth over
//! substep, metres a second (the "spontaneous bounce" of Lehericey 2016). Here the constraint only
//! asks that it does not get deeper; it is pushed out by another pass, at the push-out speed, that
//! changes positions and no velocity ("split impulses").
//!
//! # Practice
//!
//! Contacts are visited in the order given, forth and back in turns. Memory grows with the lists,
//! or all at once by `reserve`.

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

/// What a side is attached to, before it has a place in the lists.
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
    /// By which it is recognised in the next step.
    keys: [u64; 2],
    /// Of the substep: what `C` has to keep, what the push-out is to reach, and the relative normal
    /// velocity before.
    floor: f64,
    goal: f64,
    approach: f64,
    /// Work that a bounce may do, J.
    spare: f64,
    /// What the push-out has given so far, kg m.
    out: f64,
    /// Multipliers of the substep, kg m.
    along: f64,
    across: Vec3,
    /// Where it sticks: tangential movement that the substeps of this step have left unmended.
    slip: Vec3,
}

/// Both kinds of movers, for as long as the rows are solved.
pub(super) struct Movers<'a> {
    pub particles: &'a mut Particles,
    pub bodies: &'a mut [XpbdBody],
}

/// Cosine up to which two normals are of one contact.
const SAME_WAY: f64 = 0.9;

/// What pressed in the last step.
#[derive(Clone, Copy, Debug)]
struct Pressed {
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
    pressed: Vec<Pressed>,
    /// Substep that the multipliers of the rows belong to, s.
    h: f64,
    entries: Vec<(u32, f64)>,
    /// By the caller's index, N s on the first side.
    pub impulses: Vec<Vec3>,
}

impl ContactSolver {
    /// Room for lists of so many contacts, whatever they are between.
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

    /// A step of `contacts` contacts and substeps of `h` begins.
    pub fn begin(&mut self, contacts: usize, h: f64) {
        self.known.clear();
        self.pressed.clear();
        // A force, in units of the new substep.
        let scale = if self.h > 0.0 {
            (h / self.h).powi(2)
        } else {
            0.0
        };
        self.h = h;
        for row in self.rows.iter().filter(|row| row.along > 0.0) {
            let index = self.pressed.len() as u32;
            self.pressed.push(Pressed {
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

    /// What a contact pressed with in the last step; each memory serves once.
    fn recall(&mut self, keys: &[u64; 2], normal: &Vec3) -> (f64, Vec3) {
        for key in keys {
            let first = self.known.partition_point(|k| k.0 < *key);
            for &(_, index) in self.known[first..].iter().take_while(|k| k.0 == *key) {
                let pressed = &mut self.pressed[index as usize];
                // What pressed another way says nothing of this one.
                if pressed.normal.dot(normal) < SAME_WAY {
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

    /// Before the prediction of a substep: how much of each contact is to be reached in it.
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

    /// After the prediction: what the last substep ended with is the start of this one, so that a
    /// load at rest is carried from the first sweep on.
    pub fn resume(&mut self, movers: &mut Movers<'_>, h: f64) {
        for row in &self.rows {
            if row.along > 0.0 {
                let p = row.normal * row.along + row.across;
                let (a, b) = (
                    view(&row.a, &self.entries, movers),
                    view(&row.b, &self.entries, movers),
                );
                shove(&row.a, &a.arm, &self.entries, movers, &p, h);
                shove(&row.b, &b.arm, &self.entries, movers, &-p, h);
            }
        }
    }

    /// One sweep, forth or back: in turns, what the last contact has over the first cancels out,
    /// which would else turn a box on the spot. Returns how many rows could not be solved for want
    /// of numbers.
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

    /// After velocities are known: books the impulses of the substep, and gives bounces their
    /// speed.
    ///
    /// Newton's law of restitution alone makes energy where contacts are coupled: one bounce sets
    /// another contact going, and that one asks for its own speed on top. So a bounce gives no more
    /// work than `restitution^2` of what its contact has taken in the substep, which for a contact
    /// alone is that law to the last bit.
    pub fn velocities(&mut self, movers: &mut Movers<'_>, h: f64, slow: f64) {
        let entries = &self.entries;
        for row in &mut self.rows {
            self.impulses[row.source as usize] += (row.normal * row.along + row.across) / h;
            row.spare = 0.0;
            if !(row.along > 0.0) {
                row.slip = Vec3::zeros();
                continue;
            }
            keep_hold(row, entries, movers);
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
            // The push whose work, `p now + p^2 give / 2`, is what there is.
            let most = ((now * now + 2.0 * give * row.spare).sqrt() - now) / give;
            let p = n * (missing / give).min(most);
            if missing > 0.0 && p.sum().is_finite() {
                self.impulses[row.source as usize] += p;
                push(&row.a, &a, entries, movers, &p);
                push(&row.b, &b, entries, movers, &-p);
                // It leaves: nothing to go on from.
                row.along = 0.0;
                row.across = Vec3::zeros();
            }
        }
    }

    /// Moves what is inside outwards, velocities as they are. `back`: in the opposite order.
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
            // Positive as a sum: what the others' pushes have made too much is taken back.
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

/// Where a side is, and its arm if it is a body's.
struct View {
    at: Vec3,
    arm: Vec3,
}

#[inline]
fn named(entries: &[(u32, f64)], first: u32, count: u32) -> &[(u32, f64)] {
    &entries[first as usize..(first + count) as usize]
}

#[inline]
fn view(side: &Side, entries: &[(u32, f64)], movers: &Movers<'_>) -> View {
    let (at, arm) = match side {
        Side::Particles { first, count, .. } => (
            mean(named(entries, *first, *count), &movers.particles.x),
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
            view.at - mean(named(entries, *first, *count), &movers.particles.before)
        }
        Side::Body { index, local } => movers.bodies[*index as usize].moved(local, &view.arm),
        Side::World(_) => Vec3::zeros(),
    }
}

#[inline]
fn velocity(side: &Side, view: &View, entries: &[(u32, f64)], movers: &Movers<'_>) -> Vec3 {
    match side {
        Side::Particles { first, count, .. } => {
            mean(named(entries, *first, *count), &movers.particles.v)
        }
        Side::Body { index, .. } => movers.bodies[*index as usize].velocity_at(&view.arm),
        Side::World(_) => Vec3::zeros(),
    }
}

/// Relative velocity along the normal, m/s; negative where the sides come together.
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

#[inline]
fn shove(
    side: &Side,
    arm: &Vec3,
    entries: &[(u32, f64)],
    movers: &mut Movers<'_>,
    p: &Vec3,
    h: f64,
) {
    match side {
        Side::Particles { first, count, .. } => {
            let particles = &mut *movers.particles;
            let named = named(entries, *first, *count);
            spread(named, &particles.inverse_mass, p, &mut particles.x);
        }
        Side::Body { index, .. } => movers.bodies[*index as usize].shove(arm, p, h),
        Side::World(_) => {}
    }
}

#[inline]
fn shift(side: &Side, arm: &Vec3, entries: &[(u32, f64)], movers: &mut Movers<'_>, p: &Vec3) {
    match side {
        Side::Particles { first, count, .. } => {
            let particles = &mut *movers.particles;
            let named = named(entries, *first, *count);
            spread(named, &particles.inverse_mass, p, &mut particles.x);
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
            let named = named(entries, *first, *count);
            spread(named, &particles.inverse_mass, p, &mut particles.v);
        }
        Side::Body { index, .. } => movers.bodies[*index as usize].push(&view.arm, p),
        Side::World(_) => {}
    }
}

/// Remembers what of the substep's movement a sticking contact has not taken back; one that slid
/// starts again.
#[inline]
fn keep_hold(row: &mut Row, entries: &[(u32, f64)], movers: &Movers<'_>) {
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
    shove(&row.a, &a.arm, entries, movers, &p, h);
    shove(&row.b, &b.arm, entries, movers, &-p, h);
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
    shove(&row.a, &a.arm, entries, movers, &p, h);
    shove(&row.b, &b.arm, entries, movers, &-p, h);
    true
}
