//! Impacts: velocities jump without adding energy.
//!
//! A contact that approaches faster than resting contacts do, and would close within the step,
//! bounces at its beginning: `v+ = argmin |v - v-|_M` under `n.v+ >= -e n.v-` at every contact that
//! takes part (Redon 2002, equations 5.14 to 5.19), including friction.
//!
//! With one restitution for all and without friction, this cannot add energy. With several, or with
//! friction, Newton's rule can (Kane's paradox). The answer is then moved towards the one without
//! restitution until it adds none.

use hapticd_gauss::{DescentLimits, Mover};

use super::{Group, Member, Solver, set, twist_of};
use crate::link::Link;
use crate::settings::Settings;

/// Only contacts that approach faster than gravity accelerates them in this many steps bounce.
const RESTING_STEPS: f64 = 2.0;
/// Tolerance of an impact, in units of its speed, and the maximum number of sweeps. Impacts are
/// rare and matter a lot.
const TOLERANCE: f64 = 1e-12;
const SWEEPS: u32 = 1000;

impl Solver {
    /// Changes the initial velocities, and with them the wanted ones, of a group with colliding
    /// contacts.
    pub(super) fn bounce(
        &mut self,
        settings: &Settings,
        links: &[Link],
        group: &Group,
        step_s: f64,
    ) {
        let rows = group.rows.clone();
        let restitution = |s: &Self, i: usize| links[s.rows[i].link as usize].restitution;
        if !rows.clone().any(|i| restitution(self, i) > 0.0) {
            return;
        }
        self.each(group, |member, mover| set(mover, &member.before));
        let slow = RESTING_STEPS * settings.gravity.norm() * step_s;
        let (mut colliding, mut driven, mut fastest) = (false, false, 0.0_f64);
        self.impacts.clear();
        self.bounds.clear();
        for (k, i) in rows.enumerate() {
            let mut c = self.contacts[k];
            let speed = c.normal.dot(&self.relative(&c));
            let arrives = speed <= c.bound || c.bound == 0.0;
            if !arrives {
                continue;
            }
            let e = restitution(self, i);
            let hits = speed < -slow;
            colliding |= hits && e > 0.0;
            driven |= c.drift.norm_squared() > 0.0;
            fastest = fastest.max(speed.abs());
            c.bound = if hits {
                -e * speed
            } else {
                (-e * speed).min(0.0)
            };
            c.impulse.fill(0.0);
            self.impacts.push(c);
            self.bounds.push(c.bound.min(0.0));
        }
        if !colliding {
            return;
        }
        let limits = DescentLimits {
            tolerance_m_s: TOLERANCE * fastest,
            sweeps: SWEEPS,
        };
        let law = settings.friction;
        let had = self.energy(group);
        self.cone
            .solve(&mut self.movers, &mut self.impacts, law, &limits);
        let has = self.energy(group);
        if !driven && !(has <= had) {
            self.mix_with_plastic(settings, group, &limits, had);
        }
        self.each(group, |member: &mut Member, mover: &mut Mover| {
            member.before = twist_of(mover);
            // Recomputed rather than shifted: the gyroscopic term depends on the angular velocity.
            member.wanted = member.free(&member.before, step_s);
        });
    }

    /// Sets, between the velocities without restitution and the present ones, those with the energy
    /// `had`.
    fn mix_with_plastic(
        &mut self,
        settings: &Settings,
        group: &Group,
        limits: &DescentLimits,
        had: f64,
    ) {
        let [mut bouncing, mut plastic] = std::mem::take(&mut self.mixed);
        bouncing.clear();
        plastic.clear();
        self.each(group, |member, mover| {
            bouncing.push(twist_of(mover));
            set(mover, &member.before);
        });
        for (c, bound) in self.impacts.iter_mut().zip(&self.bounds) {
            c.bound = *bound;
            c.impulse.fill(0.0);
        }
        self.cone.solve(
            &mut self.movers,
            &mut self.impacts,
            settings.friction,
            limits,
        );
        self.each(group, |_, mover| plastic.push(twist_of(mover)));
        // The energy is convex between the two, so bisection works.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let share = 0.5 * (low + high);
            let mut k = 0;
            self.each(group, |_, mover| {
                set(mover, &plastic[k].towards(&bouncing[k], share));
                k += 1;
            });
            if self.energy(group) <= had {
                low = share;
            } else {
                high = share;
            }
        }
        let mut k = 0;
        self.each(group, |_, mover| {
            set(mover, &plastic[k].towards(&bouncing[k], low));
            k += 1;
        });
        self.mixed = [bouncing, plastic];
    }
}
