//! Contacts of one step: normal and friction by positions, bounce and the end of a push-out by velocities.
//!
//! # Theory
//!
//! `C = (a - b) . n - gap >= 0` with the normal frozen for the step, generalised inverse masses for rigid bodies (Müller et al. 2020). The multiplier
//! is summed over the sweeps of a substep and kept positive as a sum, so a later sweep may take back what an earlier one gave too much. Friction takes back the
//! tangential movement since the substep began, as far as `mu` times the normal multiplier allows: the static and the dynamic law in one (Macklin
//! et al. 2014, "Unified particle physics"); a sliding point is slowed by exactly `mu` times its pressure.
//!
//! A contact found late, deep inside, would be resolved in one substep and leave with depth over substep, metres a second (the "spontaneous
//! bounce" of Lehericey 2016). Here the demand is lowered to what the push-out speed allows, and the speed that the push-out itself gave is taken off
//! in the velocity pass. That pass never pulls: it takes off no more than was given.
//!
//! # Practice
//!
//! Contacts are visited in the order given. Memory grows to the largest list seen, then stays.

use super::body::Body;
use super::contact::Contact;
use super::particle::Particles;
use super::stencil::{Stencil, mean, mobility, spread};
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
    /// Of the substep: what `C` has to reach, how much of that is push-out, and the relative normal velocity before it.
    floor: f64,
    pushed: f64,
    approach: f64,
    /// Multipliers of the substep, kg m.
    along: f64,
    across: Vec3,
    /// Where it sticks: tangential movement that the substeps so far have left unmended.
    slip: Vec3,
}

/// Both kinds of movers, for as long as the rows are solved.
pub(super) struct Movers<'a> {
    pub particles: &'a mut Particles,
    pub bodies: &'a mut [Body],
}

#[derive(Clone, Debug, Default)]
pub(super) struct ContactSolver {
    rows: Vec<Row>,
    entries: Vec<(u32, f64)>,
    /// By the caller's index, N s on the first side.
    pub impulses: Vec<Vec3>,
}

impl ContactSolver {
    pub fn begin(&mut self, contacts: usize) {
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
            normal: contact.normal.normalize(),
            gap: contact.gap_m,
            friction: contact.friction,
            restitution: contact.restitution,
            source: source as u32,
            floor: 0.0,
            pushed: 0.0,
            approach: 0.0,
            along: 0.0,
            across: Vec3::zeros(),
            slip: Vec3::zeros(),
        });
    }

    /// Before the prediction of a substep: how much of each contact is to be reached in it.
    pub fn begin_substep(&mut self, movers: &Movers<'_>, h: f64, push_out_speed: f64) {
        for row in &mut self.rows {
            let (a, b) = (
                view(&row.a, &self.entries, movers),
                view(&row.b, &self.entries, movers),
            );
            let depth = (a.at - b.at).dot(&row.normal) - row.gap;
            row.pushed = (-depth).max(0.0).min(push_out_speed * h);
            row.floor = (depth + row.pushed).min(0.0);
            row.approach = (velocity(&row.a, &a, &self.entries, movers)
                - velocity(&row.b, &b, &self.entries, movers))
            .dot(&row.normal);
            row.along = 0.0;
            row.across = Vec3::zeros();
        }
    }

    /// One sweep, forth or back: in turns, what the last contact has over the first cancels out, which would else turn a box on the spot.
    /// Returns how many rows could not be solved for want of numbers.
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

    /// After velocities are known: bounce, and the end of the push-out.
    pub fn velocities(&mut self, movers: &mut Movers<'_>, h: f64, slow: f64) {
        for row in &mut self.rows {
            self.impulses[row.source as usize] += (row.normal * row.along + row.across) / h;
            if !(row.along > 0.0) {
                row.slip = Vec3::zeros();
                continue;
            }
            keep_hold(row, &self.entries, movers);
            let bounces = row.restitution > 0.0 && row.approach < -slow;
            if row.pushed == 0.0 && !bounces {
                continue;
            }
            let (a, b) = (
                view(&row.a, &self.entries, movers),
                view(&row.b, &self.entries, movers),
            );
            let now = (velocity(&row.a, &a, &self.entries, movers)
                - velocity(&row.b, &b, &self.entries, movers))
            .dot(&row.normal);
            let wanted = if bounces {
                -row.restitution * row.approach
            } else {
                0.0
            };
            let change = if now < wanted {
                if bounces { wanted - now } else { 0.0 }
            } else {
                -(now - wanted).min(row.pushed / h)
            };
            let give = mobility_of(&row.a, &a, movers, &row.normal)
                + mobility_of(&row.b, &b, movers, &row.normal);
            // What was given is the most that can be taken back.
            let impulse = (change / give).max(-row.along / h);
            if impulse == 0.0 || !impulse.is_finite() {
                continue;
            }
            let p = row.normal * impulse;
            self.impulses[row.source as usize] += p;
            push(&row.a, &a, &self.entries, movers, &p);
            push(&row.b, &b, &self.entries, movers, &-p);
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

/// Remembers what of the substep's movement a sticking contact has not taken back; one that slid begins anew.
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
