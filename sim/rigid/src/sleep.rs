//! Sleep: groups that have been quiet for a while cost nothing until something moves them.
//!
//! A body is quiet below a speed. A group falls asleep when all its members have been quiet for
//! long enough. It wakes when a kinematic body, or an awake body that is not quiet, moves within
//! its release distance. It also wakes when something new acts on a member, or when a body near it
//! appears or disappears. Quiet bodies that lean on sleeping ones do not wake them, so piles do not
//! keep themselves awake.

use hapticd_geometry::Vec3;

use crate::body::{BodyKind, RigidBody, Twist};
use crate::groups::Groups;
use crate::link::Link;
use crate::settings::{Order, Settings};
use crate::solve::State;

/// A body that moves this many times faster than a quiet one wakes the bodies that it touches.
const WAKE_FACTOR: f64 = 2.0;
/// Rate that converts a length to a speed where there is no gravity, 1/s.
const RATE: f64 = 0.1;

/// Upper bound on the speed of the bounding ball, in units of the speed that counts as quiet.
fn quiet_speed_ratio(body: &RigidBody, twist: &Twist, settings: &Settings) -> f64 {
    let r = body.radius_m;
    let quiet = settings.quiet * (settings.gravity.norm() * r + (RATE * r).powi(2)).sqrt();
    (twist.linear.norm() + twist.angular.norm() * (r + (body.centre - body.pivot).norm())) / quiet
}

/// Wakes bodies near something that moves. Returns whether any body woke.
pub(crate) fn wake(
    bodies: &mut [Option<RigidBody>],
    state: &State,
    links: &[Link],
    settings: &Settings,
) -> bool {
    let mut woken = false;
    let disturbs = |bodies: &[Option<RigidBody>], slot: u32| {
        let slot = slot as usize;
        bodies[slot].as_ref().is_some_and(|b| match b.kind {
            BodyKind::Static => false,
            BodyKind::Kinematic => state.twist[slot] != Twist::ZERO,
            BodyKind::Dynamic => {
                !b.asleep && quiet_speed_ratio(b, &state.twist[slot], settings) > WAKE_FACTOR
            }
        })
    };
    for link in links {
        if !link
            .points
            .iter()
            .any(|p| p.gap_m <= link.distances.release_m)
        {
            continue;
        }
        for (mover, sleeper) in [(link.a, link.b), (link.b, link.a)] {
            if is_asleep(bodies, sleeper) && disturbs(bodies, mover) {
                rouse(bodies, links, sleeper);
                woken = true;
            }
        }
    }
    woken
}

fn is_asleep(bodies: &[Option<RigidBody>], slot: u32) -> bool {
    bodies[slot as usize].as_ref().is_some_and(|b| b.asleep)
}

/// Wakes a body and every sleeping body that it touches, directly or through others.
pub(crate) fn rouse(bodies: &mut [Option<RigidBody>], links: &[Link], slot: u32) {
    if let Some(body) = &mut bodies[slot as usize] {
        body.asleep = false;
        body.quiet_s = 0.0;
    }
    let mut any = true;
    while any {
        any = false;
        for link in links {
            let touching = link
                .points
                .iter()
                .any(|p| p.gap_m <= link.distances.release_m);
            for (from, to) in [(link.a, link.b), (link.b, link.a)] {
                let fresh = bodies[from as usize]
                    .as_ref()
                    .is_some_and(|b| b.kind == BodyKind::Dynamic && !b.asleep && b.quiet_s == 0.0);
                if touching && fresh && is_asleep(bodies, to) {
                    if let Some(body) = &mut bodies[to as usize] {
                        body.asleep = false;
                        body.quiet_s = 0.0;
                    }
                    any = true;
                }
            }
        }
    }
}

/// Updates, after a step of `step_s`, for how long bodies have been quiet. Returns whether any has
/// been quiet for long enough to sleep.
pub(crate) fn update_quiet(
    bodies: &mut [Option<RigidBody>],
    state: &State,
    settings: &Settings,
    step_s: f64,
) -> bool {
    // In a first-order world bodies move only when commanded, so none needs to be put to sleep.
    if settings.order == Order::First {
        return false;
    }
    let mut any_ready = false;
    for (body, twist) in bodies.iter_mut().zip(&state.twist) {
        let Some(body) = body
            .as_mut()
            .filter(|b| b.kind == BodyKind::Dynamic && !b.asleep)
        else {
            continue;
        };
        let quiet = quiet_speed_ratio(body, twist, settings) <= 1.0;
        body.quiet_s = if quiet { body.quiet_s + step_s } else { 0.0 };
        any_ready |= body.quiet_s >= settings.sleep_after_s;
    }
    any_ready
}

/// Puts to sleep the groups whose members have all been quiet for long enough.
pub(crate) fn fall_asleep(
    bodies: &mut [Option<RigidBody>],
    state: &mut State,
    links: &[Link],
    groups: &mut Groups,
    settings: &Settings,
) {
    groups.start(bodies.len());
    let dynamic = |slot: u32| {
        bodies[slot as usize]
            .as_ref()
            .is_some_and(|b| b.kind == BodyKind::Dynamic)
    };
    for link in links {
        let touching = link
            .points
            .iter()
            .any(|p| p.gap_m <= link.distances.release_m);
        if touching && dynamic(link.a) && dynamic(link.b) {
            groups.join(link.a, link.b);
        }
    }
    // A member that is not ready keeps its group awake.
    let ready = |b: &RigidBody| b.asleep || b.quiet_s >= settings.sleep_after_s;
    for slot in 0..bodies.len() {
        let unready = bodies[slot]
            .as_ref()
            .is_some_and(|b| b.kind == BodyKind::Dynamic && !ready(b));
        if unready {
            let name = groups.find(slot as u32) as usize;
            groups.refuse(name);
        }
    }
    for slot in 0..bodies.len() {
        let name = groups.find(slot as u32) as usize;
        if groups.is_refused(name) {
            continue;
        }
        if let Some(body) = bodies[slot]
            .as_mut()
            .filter(|b| b.kind == BodyKind::Dynamic && !b.asleep)
        {
            // Requires that nothing pulls the body or that something holds it: a body in the air
            // only looks quiet.
            let pulled = settings.gravity + body.wrench.force * body.inverse_mass != Vec3::zeros();
            let holds = |l: &Link| {
                (l.a as usize == slot || l.b as usize == slot)
                    && l.points.iter().any(|p| p.gap_m <= l.distances.release_m)
            };
            if body.holds.is_empty() && (!pulled || links.iter().any(holds)) {
                body.asleep = true;
                state.twist[slot] = Twist::ZERO;
            }
        }
    }
}
