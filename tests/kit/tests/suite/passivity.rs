//! The passivity observer and controller with a simulated arm and a real coupling: walls up to 50
//! times too stiff, and hands that press, tap, hold on and let go.

use hapticd_devices::sim::{HandParams, Intention, Keyframe, Track};
use hapticd_proxy::LoopTiming;
use hapticd_testkit::wall::{AUTO_STIFFNESS, NO_HAND, Tick, Wall, hands, swing_n};

fn press(depth_m: f64) -> Intention {
    Intention::Press {
        from: [0.0, 0.0, 0.02],
        rotation: [0.0; 3],
        depth_m: 0.02 + depth_m,
        move_s: 0.5,
        hold_s: 30.0,
    }
}

/// Heights over time, s and m.
fn script(heights: impl IntoIterator<Item = (f64, f64)>) -> Intention {
    let key = |(t_s, z)| Keyframe {
        t_s,
        position: [0.0, 0.0, z],
        rotation: [0.0; 3],
    };
    Intention::Script {
        track: Track::new(heights.into_iter().map(key).collect()).expect("in order"),
        repeat: false,
    }
}

/// The work of held forces equals that of the motors, and so does the energy generated.
#[test]
fn the_ledger_is_the_true_work_of_the_motors() {
    for (name, hand) in hands() {
        for factor in [0.5, 1.0, 2.0, 10.0] {
            let ticks = Wall::of(AUTO_STIFFNESS * factor).run(hand, press(0.01), 3000);
            let (mut exchanged_j, mut compared) = (0.0, 0);
            for k in 5..ticks.len() {
                let tick = &ticks[k];
                exchanged_j += (tick.true_j - ticks[k - 1].true_j).abs();
                // A sample and a command are in transit; where the hand hardly moves they do not
                // matter.
                if (tick.true_j - ticks[k - 5].true_j).abs() > 1e-6 {
                    continue;
                }
                compared += 1;
                // One encoder step at each end of the path.
                let room_j = 2.0 * tick.sent_n.abs().max(1.0) * 2e-5;
                let off_j = (tick.given_j - tick.true_j).abs();
                assert!(
                    off_j <= 0.01 * exchanged_j + room_j,
                    "{name}, {factor}, tick {k}: {tick:?}, exchanged {exchanged_j} J"
                );
            }
            assert!(compared > 100, "{name}, {factor}: {compared}");
            assert!(exchanged_j > 1e-3, "{name}, {factor}: {exchanged_j} J");
        }
    }
}

/// The value that the experiments use for `auto` is the one that the product computes.
#[test]
fn auto_is_nine_tenths_of_the_passive_bound() {
    let spec = &Wall::of(AUTO_STIFFNESS).arm.spec;
    let timing = LoopTiming {
        period_s: 1e-3,
        delay_s: (spec.transport_delay_ns + spec.native_period_ns) as f64 * 1e-9,
        damping_n_s_per_m: spec.damping_n_s_per_m,
        coulomb_friction_n: spec.coulomb_friction_n,
        resolution_m: spec.resolution_m,
    };
    assert!((0.9 * timing.passive_stiffness(0.0) / AUTO_STIFFNESS - 1.0).abs() < 1e-9);
}

/// At 0.9 of the bound no energy is fed by any hand that holds the arm: the controller has no
/// reason to act.
#[test]
fn at_a_passive_stiffness_the_controller_does_not_act() {
    for (name, hand) in hands() {
        for factor in [0.2, 1.0] {
            for depth_m in [0.002, 0.02] {
                let ticks = Wall::of(AUTO_STIFFNESS * factor).run(hand, press(depth_m), 4000);
                let most_j = ticks.iter().map(|tick| tick.debt_j).fold(0.0, f64::max);
                assert!(most_j < 2e-5, "{name}, {factor}, {depth_m} m: {most_j} J");
                assert!(
                    ticks.iter().all(|tick| tick.gain == 1.0),
                    "{name}, {factor}"
                );
            }
        }
    }
}

/// A hand that taps with 4 N, once to ten times a second, loses nothing on a passive wall.
#[test]
fn a_hand_that_taps_loses_nothing() {
    for hz in [1.0_f64, 2.0, 4.0, 7.0, 10.0] {
        let knots = (0..200).map(|k| {
            let t_s = f64::from(k) * 0.5 / hz;
            let z = if k % 2 == 0 { 0.008 } else { -0.012 };
            (t_s, z)
        });
        let intention = script(knots);
        let ticks = Wall::of(AUTO_STIFFNESS).run(HandParams::firm(), intention, 5000);
        let most_n = ticks.iter().map(|tick| tick.sent_n).fold(0.0, f64::max);
        assert!(most_n > 2.0, "{hz} Hz: {most_n} N");
        assert!(ticks.iter().all(|tick| tick.gain == 1.0), "{hz} Hz");
    }
}

/// Up to fifty times the passive stiffness: within 300 ms of touch the force has calmed, and less
/// than 5 mJ were fed.
#[test]
fn a_wall_that_is_far_too_stiff_is_calmed_within_three_tenths_of_a_second() {
    for (name, hand) in &hands()[..3] {
        for factor in [4.0, 10.0, 25.0, 50.0] {
            let ticks = Wall::of(AUTO_STIFFNESS * factor).run(*hand, press(0.01), 6000);
            let touch = ticks.iter().position(|tick| tick.sent_n > 0.0).unwrap();
            let what = format!("{name}, {factor}");
            assert!(ticks.iter().any(|tick| tick.gain < 1.0), "{what}: it acts");
            let fed_j = ticks.iter().map(|tick| tick.given_j).fold(0.0, f64::max);
            assert!(fed_j < 5e-3, "{what}: {fed_j} J");
            // The hand still moves for a while: its pressing force changes, but does not swing.
            let from = (touch + 300).max(600);
            for (k, window) in ticks[from..].chunks(200).enumerate() {
                assert!(
                    swing_n(window) < 0.5,
                    "{what}, window {k}: {} N",
                    swing_n(window)
                );
            }
        }
    }
}

/// A hand that carries five times what the arm dissipates alone disappears in mid-press, and its
/// damping with it. What remains pulls with 100 N/m and damps nothing, or there is nothing at all.
#[test]
fn a_hand_that_is_taken_away_leaves_no_oscillation() {
    let mut wild = 0;
    for (name, hand) in &hands()[..2] {
        for (factor, depth_m) in [(2.0, 0.004), (2.0, 0.02), (5.0, 0.004), (5.0, 0.02)] {
            for (left, other) in [("nothing", NO_HAND), ("a spring", hands()[2].1)] {
                let left_alone = left == "nothing";
                let wall = Wall {
                    changes: Some((1500, other)),
                    ..Wall::of(AUTO_STIFFNESS * factor)
                };
                let ungoverned = Wall {
                    governed: false,
                    ..wall.clone()
                };
                let ticks = wall.run(*hand, press(depth_m), 5000);
                let what = format!("{name} to {left}, {factor}, {depth_m} m");
                assert!(ticks[1400].sent_n > 0.5, "{what}: it presses");
                // The stored energy of the spring throws the arm out. The arm's own damping takes
                // most of any further energy; the rest moves it.
                let before = &ticks[1499];
                let fed = ticks[1499..].iter().map(|tick| {
                    let given_j = tick.true_j - before.true_j - before.stored_j;
                    given_j - (tick.taken_j - before.taken_j)
                });
                let fed_j = fed.fold(0.0, f64::max);
                assert!(fed_j < 5e-3, "{what}: {fed_j} J");
                // An arm that is thrown against a spring without damping returns, and taps the wall
                // until its own damping has taken that energy.
                let calm = if left_alone { 1800 } else { 2500 };
                for (k, window) in ticks[calm..].chunks(200).enumerate() {
                    let swing_n = swing_n(window);
                    assert!(swing_n <= 0.5, "{what}, window {k}: {swing_n} N");
                }
                let without = ungoverned.run(*hand, press(depth_m), 5000);
                wild += u32::from(swing_n(&without[calm..]) > 2.0);
            }
        }
    }
    assert!(wild >= 4, "without the controller {wild} of 16 swing");
}

/// A wall that moves into the hand and back puts in energy, which is not a debt; for a wall that is
/// declared still it is.
#[test]
fn what_a_wall_puts_in_is_a_debt_unless_it_moves() {
    for moves in [true, false] {
        let wall = Wall {
            surface: |t| 0.004 * (2.0 * t).sin(),
            moves,
            ..Wall::of(AUTO_STIFFNESS)
        };
        let ticks = wall.run(HandParams::firm(), press(0.002), 5000);
        let most_j = ticks.iter().map(|tick| tick.world_j).fold(0.0, f64::max);
        assert_eq!(most_j > 1e-3, moves, "{most_j} J");
        let keeps = ticks.iter().all(|tick| tick.gain == 1.0);
        assert_eq!(keeps, moves, "said to move: {moves}");
    }
}

/// A ramp that rises while the hand presses gives the hand no energy: what is stored is accounted
/// for.
#[test]
fn a_ramp_under_load_gives_no_energy() {
    for hand in [HandParams::relaxed(), HandParams::firm()] {
        // In contact while the ramp of 2 s rises, out again at its end.
        let track = [
            (0.0, 0.01),
            (0.3, -0.01),
            (2.5, -0.01),
            (3.0, 0.02),
            (9.0, 0.02),
        ];
        let intention = script(track);
        let at_once = Wall::of(AUTO_STIFFNESS).run(hand, intention.clone(), 4000);
        let wall = Wall {
            ramp_s: 2.0,
            ..Wall::of(AUTO_STIFFNESS)
        };
        let ticks = wall.run(hand, intention, 4000);
        let put_in_j = |ticks: &[Tick]| -ticks.iter().map(|tick| tick.true_j).fold(0.0, f64::min);
        let (end, rest) = (ticks.last().unwrap(), at_once.last().unwrap());
        assert!(put_in_j(&ticks) > 1e-3, "{} J", put_in_j(&ticks));
        // Sampling and delay generate some energy, which the arm's damping takes; the ramp adds
        // none.
        let (made, as_ever) = (
            end.true_j.max(0.0) / put_in_j(&ticks),
            rest.true_j / put_in_j(&at_once),
        );
        assert!(
            made < as_ever.max(0.02),
            "{made} of what was put in, {as_ever} without a ramp"
        );
        assert!(ticks.iter().all(|tick| tick.gain == 1.0));
    }
}
