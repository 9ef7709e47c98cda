//! The ledger with made-up hands and walls, against arithmetic.

use super::super::testing::spec;
use super::*;
use nalgebra::UnitQuaternion;

const MS: u64 = 1_000_000;
const K: f64 = 1000.0;

fn at(z: f64) -> Pose {
    Pose::translation(0.0, 0.0, z)
}

fn stored(z: f64, wall: f64) -> [f64; 2] {
    [0.5 * K * (wall - z) * (wall - z), 0.0]
}

/// A spring whose hand moved from `from` to `z` and whose wall moved from `wall_from` to `wall`.
fn moved(from: f64, wall_from: f64, z: f64, wall: f64) -> Spring {
    Spring {
        before: Ends {
            stiffness: [K, 0.0],
            none_j: stored(from, wall_from),
            hand_j: stored(z, wall_from),
            far_j: stored(from, wall),
            both_j: stored(z, wall),
        },
        ..spring(z, wall)
    }
}

/// A spring of K from a hand at `z` to a wall at `wall`.
fn spring(z: f64, wall: f64) -> Spring {
    Spring {
        far_end: at(wall),
        centre: Vec3::zeros(),
        stored_j: stored(z, wall),
        stiffness: [K, 0.0],
        before: Ends::default(),
        held_by_movers: false,
    }
}

fn sent(force_n: f64) -> Sent {
    Sent {
        wrench: Wrench {
            force_n: Vec3::new(0.0, 0.0, force_n),
            torque_nm: Vec3::zeros(),
        },
        most: [f64::INFINITY; 2],
        factor: [1.0; 2],
        edge: 1.0,
        held_back: Wrench::default(),
    }
}

/// The ledger of an arm that takes no energy and has a total delay of `delay_ns`.
fn ledger(delay_ns: u64) -> Passivity {
    let mut spec = spec();
    (spec.damping_n_s_per_m, spec.coulomb_friction_n) = (0.0, 0.0);
    spec.angular_damping_nm_s_per_rad = 0.0;
    spec.angular_coulomb_friction_nm = 0.0;
    (spec.native_period_ns, spec.transport_delay_ns) = (0, delay_ns);
    Passivity::new(&spec)
}

/// One tick at each of these depths below a wall at 0, with the whole force sent.
fn press(ledger: &mut Passivity, depths: &[f64]) {
    let mut from = 0.0;
    for (k, depth) in (1..).zip(depths) {
        let spring = moved(from, 0.0, -depth, 0.0);
        from = -depth;
        ledger.observe(k * MS, &at(-depth), &spring);
        ledger.settle(k * MS, &spring, &sent(K * depth), f64::INFINITY, 1e-3);
    }
}

#[test]
fn what_a_hold_makes_is_half_k_times_the_square_of_each_step() {
    let mut l = ledger(0);
    press(&mut l, &[0.0, 1e-3, 2e-3, 3e-3, 1e-3, 0.0]);
    let steps_mm = [1.0_f64, 1.0, 1.0, 2.0, 1.0];
    let made_j: f64 = steps_mm.map(|mm| 0.5 * K * mm * mm * 1e-6).iter().sum();
    let e = l.energy();
    assert!((e.leak_j - made_j).abs() < 1e-12, "{e:?}");
    assert!(
        (e.given_j - made_j).abs() < 1e-12 && e.stored_j == 0.0,
        "{e:?}"
    );
    assert!((e.debt_j - made_j).abs() < 1e-12, "{e:?}");
}

#[test]
fn a_late_force_is_the_mean_of_what_was_held() {
    // A step of 1 mm while forces of 0 and 1 N are held for half of it each.
    for (delay_ns, given_mj) in [(0, 1.0), (MS / 2, 0.5), (MS, 0.0), (3 * MS / 2, 0.0)] {
        let mut l = ledger(delay_ns);
        let before = spring(0.0, 0.0);
        l.observe(MS, &at(0.0), &before);
        l.settle(MS, &before, &sent(1.0), f64::INFINITY, 1e-3);
        l.observe(2 * MS, &at(1e-3), &before);
        l.settle(2 * MS, &before, &sent(1.0), f64::INFINITY, 1e-3);
        let given_j = l.energy().given_j;
        assert!(
            (given_j - given_mj * 1e-3).abs() < 1e-15,
            "{delay_ns}: {given_j}"
        );
    }
    // 1 N, then 3 N: each for half of the next step. The same for a torque.
    for turns in [false, true] {
        let mut l = ledger(MS / 2);
        for (k, z, force_n) in [(1, 0.0, 1.0), (2, 0.0, 3.0), (3, 1e-3, 0.0)] {
            let (mut hand, mut spring, mut sent) = (at(z), spring(0.0, 0.0), sent(force_n));
            if turns {
                (hand, spring) = (turned(&hand), turning(&spring));
                sent.wrench = turned_wrench(&sent.wrench);
            }
            l.observe(k * MS, &hand, &spring);
            l.settle(k * MS, &spring, &sent, f64::INFINITY, 1e-3);
        }
        let given_j = l.energy().given_j;
        assert!((given_j - 2e-3).abs() < 1e-15, "{turns}: {given_j}");
    }
}

/// An arm with a delay of a quarter of a tick, whose loop answers after another quarter: the total
/// is half a tick, not a report's period.
#[test]
fn a_command_that_leaves_later_is_felt_later() {
    let mut spec = spec();
    (spec.native_period_ns, spec.transport_delay_ns) = (2 * MS, MS / 4);
    let mut l = Passivity::new(&spec);
    l.answer_after(MS / 4);
    let free = spring(0.0, 0.0);
    for (k, z, force_n) in [(1, 0.0, 1.0), (2, 1e-3, 0.0)] {
        l.observe(k * MS, &at(z), &free);
        l.settle(k * MS, &free, &sent(force_n), f64::INFINITY, 1e-3);
    }
    let given_j = l.energy().given_j;
    assert!((given_j - 0.5e-3).abs() < 1e-15, "{given_j}");
}

/// The hand turns about the tool's origin while it is pushed there: no work, wherever the spring is
/// fixed.
#[test]
fn a_force_through_a_point_that_stays_does_no_work() {
    let mut l = ledger(0);
    let spring = Spring {
        centre: Vec3::new(0.1, 0.0, 0.0),
        ..spring(0.0, 0.0)
    };
    let mut push = sent(0.0);
    push.wrench.force_n = Vec3::new(0.0, 2.0, 0.0);
    for (k, turn) in [(1, 0.0), (2, 1e-4)] {
        let hand = turned(&at(turn));
        l.observe(k * MS, &hand, &spring);
        l.settle(k * MS, &spring, &push, f64::INFINITY, 1e-3);
    }
    // 2 N on a lever of 0.1 m: 20 uJ in each direction; the rest is of third order in the angle.
    let given_j = l.energy().given_j;
    assert!(given_j.abs() < 1e-12, "{given_j}");
}

#[test]
fn a_delay_beyond_what_is_kept_takes_the_oldest_command() {
    let mut l = ledger(u64::MAX / 2);
    let still = spring(0.0, 0.0);
    for k in 1..=COMMANDS as u64 {
        l.observe(k * MS, &at(0.0), &still);
        l.settle(k * MS, &still, &sent(k as f64), f64::INFINITY, 1e-3);
    }
    l.observe(100 * MS, &at(1.0), &still);
    l.settle(100 * MS, &still, &sent(0.0), f64::INFINITY, 1e-3);
    assert_eq!(l.energy().given_j, 1.0);
}

/// A far end that moves to each `wall` in turn, with the hand 2 mm in front of it: 2 N push the
/// hand along.
fn carried(l: &mut Passivity, held_by_movers: bool, walls: &[f64]) {
    let mut from = 0.0;
    for (k, &z) in (1..).zip(walls) {
        let spring = Spring {
            held_by_movers,
            ..moved(from - 2e-3, from, z - 2e-3, z)
        };
        from = z;
        l.observe(k * MS, &at(z - 2e-3), &spring);
        l.settle(k * MS, &spring, &sent(2.0), 1.0, 1e-3);
    }
}

#[test]
fn what_a_body_that_moves_puts_in_is_no_debt_and_what_one_at_rest_does_is() {
    for (held_by_movers, debt_j) in [(true, 0.0), (false, 2e-3)] {
        let mut l = ledger(0);
        carried(&mut l, held_by_movers, &[0.0, 1e-3]);
        let e = l.energy();
        assert!((e.world_j - 2e-3).abs() < 1e-12, "{e:?}");
        assert!((e.debt_j - debt_j).abs() < 1e-12, "{e:?}");
    }
}

#[test]
fn a_contact_gives_back_what_it_took_and_no_more() {
    let mut l = ledger(0);
    carried(&mut l, false, &[0.0, -1e-3, 0.0, -1e-3, 0.0]);
    assert!(l.energy().debt_j < 1e-12, "{:?}", l.energy());
    let mut l = ledger(0);
    carried(&mut l, false, &[0.0, -1e-3, 5e-4]);
    let e = l.energy();
    assert!((e.debt_j - 1e-3).abs() < 1e-12, "{e:?}");
}

#[test]
fn a_far_end_that_jumps_before_a_hand_that_is_still_leaks_nothing() {
    let mut l = ledger(MS);
    let mut from = 0.0;
    for (k, wall) in [(1, 0.0), (2, 1e-3), (3, 5e-3), (4, 2e-3), (5, 0.0)] {
        let spring = Spring {
            held_by_movers: true,
            ..moved(0.0, from, 0.0, wall)
        };
        from = wall;
        l.observe(k * MS, &at(0.0), &spring);
        l.settle(k * MS, &spring, &sent(K * wall), f64::INFINITY, 1e-3);
        let e = l.energy();
        assert!((e.world_j - 0.5 * K * wall * wall).abs() < 1e-12, "{e:?}");
        assert!(e.leak_j.abs() < 1e-12 && e.debt_j < 1e-12, "{e:?}");
    }
}

/// Moves a hand by a constant step per tick and the far end to each of `walls`, with the force
/// delayed by the ledger's delay. Returns leak and debt.
fn led(l: &mut Passivity, held_by_movers: bool, hand: (f64, f64), walls: &[f64]) -> [f64; 2] {
    Led {
        held_by_movers,
        ..WHOLE
    }
    .along(l, hand, walls)
}

/// Parameters of [`led`].
#[derive(Clone, Copy, Debug)]
struct Led {
    held_by_movers: bool,
    /// Largest change of the force per tick, N.
    slew_n: f64,
    /// Share of the force that is sent.
    share: f64,
    /// Rotate about z by as many radians, instead of moving along it.
    turns: bool,
}

const WHOLE: Led = Led {
    held_by_movers: false,
    slew_n: f64::INFINITY,
    share: 1.0,
    turns: false,
};

impl Led {
    fn along(self, l: &mut Passivity, (start, step): (f64, f64), walls: &[f64]) -> [f64; 2] {
        let (mut from, mut wall_from) = (start, walls[0]);
        let mut last_n = self.share * K * (walls[0] - start - step);
        for (k, &wall) in (1..).zip(walls) {
            let z = from + step;
            let mut spring = Spring {
                held_by_movers: self.held_by_movers,
                ..moved(from, wall_from, z, wall)
            };
            (from, wall_from) = (z, wall);
            let wanted_n = self.share * K * (wall - z);
            last_n = wanted_n.clamp(last_n - self.slew_n, last_n + self.slew_n);
            let mut sent = sent(last_n);
            sent.factor = [self.share; 2];
            sent.held_back.force_n.z = wanted_n - last_n;
            let mut hand = at(z);
            if self.turns {
                hand = turned(&hand);
                spring = turning(&spring);
                sent.wrench = turned_wrench(&sent.wrench);
                sent.held_back = turned_wrench(&sent.held_back);
            }
            l.observe(k * MS, &hand, &spring);
            l.settle(k * MS, &spring, &sent, 1.0, 1e-3);
        }
        [l.energy().leak_j, l.energy().debt_j]
    }
}

/// Uses the position as a rotation vector.
fn turned(pose: &Pose) -> Pose {
    let turn = UnitQuaternion::from_scaled_axis(pose.translation.vector);
    Pose::from_parts(Vec3::zeros().into(), turn)
}

/// Exchanges force and torque.
fn turned_wrench(wrench: &Wrench) -> Wrench {
    Wrench {
        force_n: wrench.torque_nm,
        torque_nm: wrench.force_n,
    }
}

/// Twisted instead of stretched, otherwise equal.
fn turning(spring: &Spring) -> Spring {
    let other = |[stretch, twist]: [f64; 2]| [twist, stretch];
    let ends = &spring.before;
    Spring {
        far_end: turned(&spring.far_end),
        stored_j: other(spring.stored_j),
        stiffness: other(spring.stiffness),
        before: Ends {
            stiffness: other(ends.stiffness),
            none_j: other(ends.none_j),
            hand_j: other(ends.hand_j),
            far_j: other(ends.far_j),
            both_j: other(ends.both_j),
        },
        ..*spring
    }
}

#[test]
fn what_a_late_hand_is_given_when_its_tool_slips_off_is_paid_by_what_that_took() {
    let still = [0.0; 10];
    let mut slips = still;
    slips[6..].fill(-2e-3);
    // The leak of a hand that comes back slowly before a wall that stands still.
    let back = (-5e-3, 3e-4);
    let [before_j, owed_j] = led(&mut ledger(2 * MS), false, back, &still);
    assert!(owed_j > 1e-4, "{owed_j}");
    // 2 N less, felt two and a half ticks late: 0.6 mJ per tick, and the debt is unchanged. With
    // half of the force it is half.
    for (held_by_movers, turns, share) in [
        (false, false, 1.0),
        (true, false, 1.0),
        (false, true, 1.0),
        (false, false, 0.5),
    ] {
        let led = Led {
            held_by_movers,
            turns,
            share,
            ..WHOLE
        };
        let [leak_j, debt_j] = led.along(&mut ledger(2 * MS), back, &slips);
        assert!(
            (leak_j - share * (before_j + 1.5e-3)).abs() < 1e-12,
            "{led:?}: {leak_j} {before_j}"
        );
        assert!(
            (debt_j - share * owed_j).abs() < 1e-12,
            "{led:?}: {debt_j} {owed_j}"
        );
    }
}

#[test]
fn what_the_slew_limit_holds_back_of_a_tool_that_slips_off_is_late_as_well() {
    let still = [0.0; 12];
    let mut slips = still;
    slips[5..].fill(-2e-3);
    let back = (-6e-3, 3e-4);
    for ticks in 1..=12 {
        let (still, slips) = (&still[..ticks], &slips[..ticks]);
        let [before_j, owed_j] = led(&mut ledger(2 * MS), false, back, still);
        for (held_by_movers, turns) in [(false, false), (true, false), (false, true)] {
            // The loss of 2 N takes four ticks.
            let led = Led {
                held_by_movers,
                turns,
                slew_n: 0.5,
                ..WHOLE
            };
            let [leak_j, debt_j] = led.along(&mut ledger(2 * MS), back, slips);
            assert!(ticks < 7 || leak_j > before_j + 5e-4, "{leak_j} {before_j}");
            assert!(
                (debt_j - owed_j).abs() < 1e-12,
                "{ticks} {led:?}: {debt_j} {owed_j}"
            );
        }
    }
}

#[test]
fn a_far_end_pays_no_more_than_it_took_and_one_that_comes_only_where_it_moves() {
    let mut l = ledger(0);
    l.commands[0].payable_j = 1e-3;
    (l.next, l.filled, l.delay_ns) = (1, 1, 2 * MS);
    assert_eq!(l.settle_late_j(MS, 4e-4), 4e-4);
    assert!((l.settle_late_j(MS, 1.0) - 6e-4).abs() < 1e-15);
    assert_eq!(l.settle_late_j(MS, 1.0), 0.0);
    assert_eq!(l.settle_late_j(MS, -1.0), 0.0);
    l.commands[0].payable_j = 1e-3;
    // By then it has been felt.
    assert_eq!(l.settle_late_j(3 * MS, 1.0), 0.0);
    // A wall that approaches a hand that presses on: because it is felt late, the hand does less
    // work.
    let mut comes = [0.0; 7];
    comes[4..].fill(1e-3);
    for (held_by_movers, settle_late_j) in [(true, 7.5e-4), (false, 0.0)] {
        let mut l = ledger(2 * MS);
        let [leak_j, debt_j] = led(&mut l, held_by_movers, (-1e-3, -3e-4), &comes);
        // What a wall puts in that should stand still is also an error.
        let made_j = match held_by_movers {
            true => 0.0,
            false => l.energy().world_j,
        };
        let owed_j = leak_j + made_j - settle_late_j;
        assert!((debt_j - owed_j).abs() < 1e-12, "{debt_j} {owed_j}");
    }
}

#[test]
fn a_hand_that_swings_is_not_paid_by_a_tool_that_slides() {
    // To and fro by 1 mm along z, two ticks late, while the far end slides along x and takes
    // energy.
    let run = |slides: f64| {
        let mut l = ledger(2 * MS);
        let mut from = (Vec3::zeros(), Vec3::zeros());
        for k in 1..100_u64 {
            let z = -3e-3 + 1e-3 * (0.5 * k as f64).sin();
            let x = slides * 1e-3 * k as f64;
            let (hand, far) = (Vec3::new(x, 0.0, z), Vec3::new(x - 1e-3, 0.0, 0.0));
            let stored = |hand: Vec3, far: Vec3| [0.5 * K * (far - hand).norm_squared(), 0.0];
            let spring = Spring {
                far_end: Pose::from_parts(far.into(), Default::default()),
                stored_j: stored(hand, far),
                before: Ends {
                    stiffness: [K, 0.0],
                    none_j: stored(from.0, from.1),
                    hand_j: stored(hand, from.1),
                    far_j: stored(from.0, far),
                    both_j: stored(hand, far),
                },
                ..spring(0.0, 0.0)
            };
            from = (hand, far);
            let hand_at = Pose::from_parts(hand.into(), Default::default());
            let mut sent = sent(0.0);
            sent.wrench.force_n = K * (far - hand);
            l.observe(k * MS, &hand_at, &spring);
            l.settle(k * MS, &spring, &sent, f64::INFINITY, 1e-3);
        }
        l.energy().debt_j
    };
    let still_j = run(0.0);
    assert!(still_j > 1e-3, "{still_j}");
    assert!(run(0.1) > 0.9 * still_j, "{} {still_j}", run(0.1));
}

#[test]
fn what_is_sent_for_one_sample_counts_together() {
    let mut l = ledger(0);
    press(&mut l, &[0.0, 1e-3]);
    let before_j = l.energy().debt_j;
    // In to 3 mm: the slew limit passes half at once, and the rest without a new sample of the
    // hand.
    let mut part = sent(1.5);
    part.factor = [0.5; 2];
    let deep = moved(-1e-3, 0.0, -3e-3, 0.0);
    l.observe(3 * MS, &at(-3e-3), &deep);
    l.settle(3 * MS, &deep, &part, f64::INFINITY, 1e-4);
    let still = moved(-3e-3, 0.0, -3e-3, 0.0);
    l.observe(3 * MS, &at(-3e-3), &still);
    l.settle(3 * MS, &still, &sent(3.0), f64::INFINITY, 1e-4);
    // As if all had been sent at once: half of K times the square of the step.
    let made_j = 0.5 * K * 4e-6;
    assert!(
        (l.energy().debt_j - before_j - made_j).abs() < 1e-12,
        "{:?}",
        l.energy()
    );
}

#[test]
fn damping_and_friction_of_the_arm_pay_and_are_no_credit() {
    let mut with = spec();
    with.native_period_ns = 0;
    let mut l = Passivity::new(&with);
    // 0.1 m/s in free air for a while: nothing is owed and nothing is saved.
    for k in 1..100_u32 {
        let (from, z) = (1.0 - 1e-4 * f64::from(k - 1), 1.0 - 1e-4 * f64::from(k));
        let free = moved(from, from, z, z);
        l.observe(u64::from(k) * MS, &at(z), &free);
        l.settle(u64::from(k) * MS, &free, &sent(0.0), f64::INFINITY, 1e-3);
    }
    assert!(l.energy().leak_j.abs() < 1e-15, "{:?}", l.energy());
    assert_eq!(l.energy().debt_j, 0.0);
    // Then a force from nothing along the motion: 1 N over 0.1 mm, of which b v^2 T and f_c v T are
    // taken.
    let free = spring(0.0, 0.0);
    l.settle(99 * MS, &free, &sent(-1.0), f64::INFINITY, 1e-3);
    let z = 1.0 - 1e-2;
    l.observe(100 * MS, &at(z), &spring(z, z));
    l.settle(100 * MS, &spring(z, z), &sent(0.0), f64::INFINITY, 1e-3);
    let taken_j = 0.9 * (2.0 * 0.1 * 0.1 * 1e-3 + 0.1 * 1e-4);
    assert!(
        (l.energy().debt_j - (1e-4 - taken_j)).abs() < 1e-12,
        "{:?}",
        l.energy()
    );
}

#[test]
fn what_turns_the_hand_is_paid_by_what_takes_from_its_turning() {
    let mut with = spec();
    with.native_period_ns = 0;
    let mut l = Passivity::new(&with);
    let free = turning(&spring(0.0, 0.0));
    let mut twist = sent(0.0);
    twist.wrench.torque_nm.z = 0.05;
    for (k, angle) in [(1, 0.0), (2, 2e-3)] {
        l.observe(k * MS, &turned(&at(angle)), &free);
        l.settle(k * MS, &free, &twist, f64::INFINITY, 1e-3);
    }
    // 0.05 N m over 2 mrad in a millisecond, of which b w^2 T and t_c w T are taken.
    let taken_j = 0.9 * (1e-3 * 2.0 * 2.0 * 1e-3 + 1e-3 * 2e-3);
    assert!(
        (l.energy().debt_j - (1e-4 - taken_j)).abs() < 1e-12,
        "{:?}",
        l.energy()
    );
}

/// Presses into a wall by steps of 1 mm. Each makes half of K times its square, of which the arm's
/// friction takes 0.8.
fn pressed_into(
    l: &mut Passivity,
    ticks: std::ops::RangeInclusive<u64>,
    bound_j: f64,
) -> ControlAction {
    let mut acted = ControlAction::No;
    for k in ticks {
        let (from, z) = (1e-3 - 1e-3 * k as f64, -1e-3 * k as f64);
        let spring = moved(from, 0.0, z, 0.0);
        l.observe(k * MS, &at(z), &spring);
        acted = l.settle(k * MS, &spring, &sent(-K * z), bound_j, 0.0);
    }
    acted
}

/// The ledger of an arm whose friction takes `takes_j` per millimetre.
fn ledger_with_friction(takes_j: f64) -> Passivity {
    let mut l = ledger(0);
    l.friction[0] = takes_j / 1e-3;
    l
}

#[test]
fn the_gain_falls_to_where_the_arm_would_take_it_and_well_below() {
    let mut l = ledger_with_friction(0.8 * 0.5e-3);
    let gain_is = |l: &Passivity, gain: f64| assert!((l.gain() - gain).abs() < 1e-12, "{l:?}");
    // 0.1 mJ per step exceeds what is taken: the fourth step is the second beyond 0.25 mJ.
    assert_eq!(pressed_into(&mut l, 1..=4, 2.5e-4), ControlAction::No);
    assert_eq!((l.gain(), l.acted()), (1.0, 0));
    assert_eq!(pressed_into(&mut l, 5..=5, 2.5e-4), ControlAction::Lowered);
    gain_is(&l, 0.6 * 0.8);
    assert_eq!(l.acted(), 1);
    let withheld_j = 0.5 * K * 25e-6 * (1.0 - 0.48);
    assert!((l.energy().withheld_j - withheld_j).abs() < 1e-12, "{l:?}");
    // Once more, with the same share of what is stored then.
    assert_eq!(pressed_into(&mut l, 6..=8, 2.5e-4), ControlAction::No);
    assert_eq!(pressed_into(&mut l, 9..=9, 2.5e-4), ControlAction::Lowered);
    gain_is(&l, 0.48 * 0.48);
    assert_eq!(l.acted(), 2);
    let withheld_j = withheld_j + 0.5 * K * 81e-6 * (1.0 - 0.48);
    assert!((l.energy().withheld_j - withheld_j).abs() < 1e-12, "{l:?}");
    // Whatever the pose did then, the spring is still as much too stiff.
    l.forget();
    gain_is(&l, 0.48 * 0.48);
    // Energy made by a body that should stand still also counts: 2 N over 1 mm.
    let mut l = ledger_with_friction(0.8 * 2e-3);
    let mut acted = ControlAction::No;
    for k in 1..=3 {
        let wall = 1e-3 * k as f64;
        let spring = moved(wall - 3e-3, wall - 1e-3, wall - 2e-3, wall);
        l.observe(k * MS, &at(wall - 2e-3), &spring);
        acted = l.settle(k * MS, &spring, &sent(2.0), 3e-4, 0.0);
    }
    assert_eq!(acted, ControlAction::Lowered);
    gain_is(&l, 0.6 * 0.8);
}

/// Friction that takes exactly what a step makes: the ratio is that of the steps since something
/// was owed.
#[test]
fn what_the_arm_takes_to_the_joule_is_no_debt() {
    let step = |l: &mut Passivity, k: u64, from: f64, z: f64| {
        let stored = |z: f64| [512.0 * z * z, 0.0];
        let mut spring = spring(z, 0.0);
        spring.stiffness[0] = 1024.0;
        spring.stored_j = stored(z);
        spring.before = Ends {
            stiffness: spring.stiffness,
            none_j: stored(from),
            hand_j: stored(z),
            far_j: stored(from),
            both_j: stored(z),
        };
        l.observe(k * MS, &at(z), &spring);
        l.settle(k * MS, &spring, &sent(-1024.0 * z), 1e-4, 0.0)
    };
    let mut l = ledger(0);
    l.friction[0] = 0.5;
    let mm = 1.0 / 1024.0;
    for k in 1..100 {
        let z = -mm * k as f64;
        assert_eq!(step(&mut l, k, z + mm, z), ControlAction::No);
        assert_eq!(l.energy().debt_j, 0.0, "{k}");
    }
    // Steps of twice the length make four times as much, of which friction takes half.
    for k in 100..102 {
        let z = -mm * (2 * k - 99) as f64;
        let acted = step(&mut l, k, z + 2.0 * mm, z);
        assert_eq!(acted == ControlAction::Lowered, k == 101);
    }
    assert_eq!(l.gain(), MARGIN * 0.5);
}

/// Commands under way when the gain fell are felt until the first motion that begins after it.
#[test]
fn what_is_under_way_when_the_force_is_lowered_is_no_debt() {
    for (news_ms, is_owed) in [(11, false), (12, false), (13, true), (14, true)] {
        let mut l = ledger(2 * MS);
        l.period_ns = MS;
        let free = spring(0.0, 0.0);
        // 1 N, sent throughout.
        for k in 1..news_ms {
            l.observe(k * MS, &at(0.0), &free);
            l.settle(k * MS, &free, &sent(1.0), f64::INFINITY, 1e-3);
            if k == 10 {
                l.ignore_pending(k * MS);
            }
        }
        l.observe(news_ms * MS, &at(1e-3), &free);
        l.settle(news_ms * MS, &free, &sent(1.0), f64::INFINITY, 1e-3);
        let owed_j = if is_owed { 1e-3 } else { 0.0 };
        let debt_j = l.energy().debt_j;
        assert!((debt_j - owed_j).abs() < 1e-12, "{news_ms}: {debt_j}");
    }
}

/// Nothing of the twist is sent, because the peak torque is zero.
#[test]
fn an_arm_without_torque_has_a_ledger_as_well() {
    let mut l = ledger(0);
    for (k, from, z) in [(1, 0.0, 0.0), (2, 0.0, -1e-3)] {
        let spring = moved(from, 0.0, z, 0.0);
        let mut sent = sent(-K * z);
        sent.most[1] = 0.0;
        l.observe(k * MS, &at(z), &spring);
        l.settle(k * MS, &spring, &sent, f64::INFINITY, 1e-3);
    }
    let e = l.energy();
    assert!((e.stored_j - 0.5e-3).abs() < 1e-12, "{e:?}");
    assert!((e.debt_j - 0.5e-3).abs() < 1e-12, "{e:?}");
}

#[test]
fn what_is_stored_is_that_of_stretch_and_twist() {
    let mut l = ledger(0);
    let mut both = spring(-2e-3, 0.0);
    (both.stored_j[1], both.stiffness[1]) = (2.5e-3, 0.5);
    l.observe(MS, &at(-2e-3), &both);
    l.settle(MS, &both, &sent(2.0), f64::INFINITY, 1e-3);
    assert!((l.energy().stored_j - 4.5e-3).abs() < 1e-12, "{l:?}");
}

#[test]
fn the_gain_falls_by_what_was_fed_and_comes_back_by_a_factor_of_e_in_ten_seconds() {
    let mut l = ledger(0);
    let mut from = 0.0;
    let mut wall = |l: &mut Passivity, k: u64, z: f64, bound_j: f64| {
        let spring = moved(from, 0.0, z, 0.0);
        from = z;
        l.observe(k * MS, &at(z), &spring);
        l.settle(k * MS, &spring, &sent(-K * z), bound_j, 1e-3)
    };
    assert_eq!(wall(&mut l, 1, -1e-3, 1e-6), ControlAction::No);
    // A debt may be paid back in the next tick.
    assert_eq!(wall(&mut l, 2, -3e-3, 1e-6), ControlAction::No);
    // No spare: the gain falls by the largest step.
    assert_eq!(wall(&mut l, 3, -3e-3, 1e-6), ControlAction::Lowered);
    assert_eq!(
        (l.gain(), l.energy().debt_j, l.acted()),
        (MIN_GAIN_FACTOR, 0.0, 1)
    );
    assert!((l.energy().withheld_j - 0.75 * 4.5e-3).abs() < 1e-12);
    // Commands under way still take effect.
    for k in 4..1004 {
        assert_eq!(wall(&mut l, k, -3e-3, 1e-6), ControlAction::No);
    }
    assert!(
        (l.gain() / MIN_GAIN_FACTOR - 0.1_f64.exp()).abs() < 1e-4,
        "{}",
        l.gain()
    );
    // Down to the floor, where nothing is left to lower.
    let mut seen = Vec::new();
    for k in 0..40 {
        let z = if k % 2 == 0 { -1e-3 } else { -3e-3 };
        seen.push(wall(&mut l, 2000 + 10 * k, z, 1e-6));
    }
    let exhausted = seen
        .iter()
        .position(|acted| *acted == ControlAction::Exhausted)
        .unwrap();
    assert!(!seen[..exhausted].is_empty());
    assert!((l.gain() / GAIN_FLOOR - 1.0).abs() < 0.1, "{}", l.gain());
}

#[test]
fn a_pose_that_jumps_is_no_energy() {
    let mut l = ledger(0);
    press(&mut l, &[0.0, 1e-3, 2e-3]);
    l.forget();
    // Full force at once, as after an aborted fade.
    let there = spring(-5e-3, 0.0);
    l.observe(9 * MS, &at(-5e-3), &there);
    l.settle(9 * MS, &there, &sent(5.0), f64::INFINITY, 1e-3);
    let e = l.energy();
    assert_eq!((e.given_j, e.leak_j, e.debt_j), (0.0, 0.0, 0.0));
    assert!(e.stored_j > 0.0);
}

#[test]
fn the_fade_at_the_edge_of_the_workspace_is_no_leak_in_and_out() {
    let mut l = ledger(0);
    // From inside to beyond the end of the fade and back, 0.1 mm per tick.
    let edges = (0..=12)
        .chain((0..12).rev())
        .map(|k| (1.0 - 0.1 * f64::from(k)).max(0.0));
    let mut from = -10e-3;
    for (k, edge) in (1..).zip(edges) {
        let z = -10e-3 - 1e-3 * (1.0 - edge);
        let spring = moved(from, 0.0, z, 0.0);
        from = z;
        l.observe(k * MS, &at(z), &spring);
        let sent = Sent {
            factor: [edge; 2],
            edge,
            ..sent(-edge * K * z)
        };
        l.settle(k * MS, &spring, &sent, f64::INFINITY, 1e-3);
        // A hold makes half of K times the square of the step, and never more.
        assert!(
            l.energy().debt_j <= 20.0 * 0.5 * K * 1e-8,
            "{k}: {:?}",
            l.energy()
        );
    }
    // Almost all that the spring stored, 50 to 60 mJ, was taken and returned.
    assert!(l.energy().limits_j.abs() < 2e-3, "{:?}", l.energy());
}

#[test]
fn what_is_stored_behind_a_cut_off_is_less_by_the_knee() {
    let mut l = ledger(0);
    let deep = moved(-4e-3, 0.0, -4e-3, 0.0);
    l.observe(MS, &at(-4e-3), &deep);
    // 4 N wanted, clamped to 1 N, half of that sent: 0.5 (1 N 4 mm - (1 N)^2 / 2K).
    let mut sent = Sent {
        most: [1.0, 1.0],
        factor: [0.5, 1.0],
        ..sent(0.5)
    };
    l.settle(MS, &deep, &sent, f64::INFINITY, 1e-3);
    let stored_j = 0.5 * (4e-3 - 0.5e-3);
    let e = l.energy();
    assert!((e.stored_j - stored_j).abs() < 1e-12, "{e:?}");
    // A raised limit is not a leak; a factor that rises is one.
    sent.most[0] = 2.0;
    l.observe(2 * MS, &at(-4e-3), &deep);
    l.settle(2 * MS, &deep, &sent, f64::INFINITY, 1e-3);
    let e = l.energy();
    assert!(e.leak_j.abs() < 1e-15 && e.debt_j == 0.0, "{e:?}");
    assert!((e.stored_j - 0.5 * (8e-3 - 2e-3)).abs() < 1e-12, "{e:?}");
    assert!(
        (e.limits_j - (e.stored_j - stored_j)).abs() < 1e-12,
        "{e:?}"
    );
    sent.factor[0] = 0.6;
    l.settle(3 * MS, &deep, &sent, f64::INFINITY, 1e-3);
    assert!((l.energy().leak_j - 0.1 * (8e-3 - 2e-3)).abs() < 1e-12);
}
