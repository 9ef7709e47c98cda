use super::*;
use crate::effects::Waveform;
use proptest::prelude::*;

const ARM: Bounds = Bounds {
    stiffness_n_per_m: 1000.0,
    damping_n_s_per_m: 8.0,
};
const TICK_S: f64 = 1e-3;

fn effect(kind: EffectKind) -> Effect {
    Effect {
        kind,
        axis: Vec3::z(),
        magnitude_n: 2.0,
        coefficient: 500.0,
        range_m: 0.04,
        cap_n: 100.0,
        ..Effect::default()
    }
}

fn at(place: Vec3) -> Hand {
    Hand {
        place,
        velocity: Vec3::zeros(),
    }
}

fn of(effect: &Effect, hand: &Hand, elapsed_s: f64) -> Vec3 {
    let course = Course {
        elapsed_s,
        dt_s: TICK_S,
        felt: 1.0,
    };
    force(effect, &course, hand, &ARM, &mut Memory::default())
}

fn close(a: Vec3, b: Vec3) {
    assert!((a - b).norm() < 1e-12, "{a} is not {b}");
}

#[test]
fn driven_forces_follow_time_and_the_envelope() {
    let constant = Effect {
        attack_s: 0.1,
        attack_level: 0.5,
        fade_s: 0.2,
        fade_level: 0.25,
        duration_s: 1.0,
        ..effect(EffectKind::Constant)
    };
    let hand = at(Vec3::new(3.0, 4.0, 5.0));
    for (elapsed_s, newtons) in [(0.0, 1.0), (0.05, 1.5), (0.1, 2.0), (0.9, 1.25), (1.0, 0.5)] {
        close(of(&constant, &hand, elapsed_s), Vec3::z() * newtons);
    }
    let ramp = Effect {
        second_n: -4.0,
        duration_s: 2.0,
        ..effect(EffectKind::Ramp)
    };
    for (elapsed_s, newtons) in [(0.0, 2.0), (1.0, -1.0), (2.0, -4.0), (9.0, -4.0)] {
        close(of(&ramp, &hand, elapsed_s), Vec3::z() * newtons);
    }
    let periodic = Effect {
        second_n: 1.0,
        frequency_hz: 50.0,
        phase: 0.25,
        ..effect(EffectKind::Periodic)
    };
    for (elapsed_s, newtons) in [(0.0, 3.0), (0.005, 1.0), (0.01, -1.0), (0.02, 3.0)] {
        close(of(&periodic, &hand, elapsed_s), Vec3::z() * newtons);
    }
}

#[test]
fn waveforms_have_amplitude_one_and_no_mean() {
    for waveform in Waveform::ALL {
        let values: Vec<f64> = (0..1000)
            .map(|k| waveform.at((f64::from(k) + 0.5) / 1000.0 - 7.0))
            .collect();
        let mean = values.iter().sum::<f64>() / 1000.0;
        let most = values
            .iter()
            .copied()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(
            mean.abs() < 1e-9 && (0.998..=1.0).contains(&most),
            "{waveform:?}"
        );
    }
}

#[test]
fn pulls_are_those_of_the_table() {
    let along = |x: f64| at(Vec3::new(x, 0.0, 0.0));
    let spring = Effect {
        dead_band_m: 0.002,
        ..effect(EffectKind::Spring)
    };
    for (x, newtons) in [(0.001, 0.0), (0.002, 0.0), (0.004, -1.0), (-0.004, 1.0)] {
        close(of(&spring, &along(x), 0.0), Vec3::x() * newtons);
    }
    // Up to 4 mm a spring, then 2 N, and from 36 mm on less, down to nothing at 40.
    let magnet = effect(EffectKind::Magnet);
    for (x, newtons) in [(0.002, -1.0), (0.02, -2.0), (0.038, -1.0), (0.05, 0.0)] {
        close(of(&magnet, &along(x), 0.0), Vec3::x() * newtons);
    }
    let ball = effect(EffectKind::Barrier);
    for (x, newtons) in [(0.038, 1.0), (-0.03, -5.0), (0.05, 0.0), (0.0, 0.0)] {
        close(of(&ball, &along(x), 0.0), Vec3::x() * newtons);
    }
    let floor = Effect {
        shape: EffectShape::Plane,
        ..effect(EffectKind::Barrier)
    };
    for (z, newtons) in [(0.01, 0.0), (-0.01, 5.0)] {
        close(
            of(&floor, &at(Vec3::new(0.3, 0.0, z)), 0.0),
            Vec3::z() * newtons,
        );
    }
    // A line and a plane pull across, and along the normal.
    let hand = at(Vec3::new(0.003, 0.004, 0.01));
    let line = Effect {
        shape: EffectShape::Line,
        ..effect(EffectKind::Spring)
    };
    close(of(&line, &hand, 0.0), Vec3::new(-1.5, -2.0, 0.0));
    let plane = Effect {
        shape: EffectShape::Plane,
        ..line
    };
    close(of(&plane, &hand, 0.0), Vec3::new(0.0, 0.0, -5.0));
}

#[test]
fn an_arm_renders_no_more_than_it_can_and_an_effect_no_more_than_its_cap() {
    let hard = Effect {
        coefficient: 1e5,
        ..effect(EffectKind::Spring)
    };
    close(of(&hard, &at(Vec3::x() * 0.01), 0.0), Vec3::x() * -10.0);
    let capped = Effect { cap_n: 0.5, ..hard };
    close(of(&capped, &at(Vec3::x() * 0.01), 0.0), Vec3::x() * -0.5);
    let thick = Effect {
        coefficient: 50.0,
        range_m: f64::INFINITY,
        ..effect(EffectKind::Damper)
    };
    let moving = Hand {
        place: Vec3::zeros(),
        velocity: Vec3::y() * 0.1,
    };
    close(of(&thick, &moving, 0.0), Vec3::y() * -0.8);
}

#[test]
fn a_field_ends_without_a_step() {
    let field = Effect {
        coefficient: 5.0,
        ..effect(EffectKind::Damper)
    };
    for (x, newtons) in [
        (0.0, -0.5),
        (0.02, -0.5),
        (0.03, -0.25),
        (0.04, 0.0),
        (0.1, 0.0),
    ] {
        let hand = Hand {
            place: Vec3::x() * x,
            velocity: Vec3::y() * 0.1,
        };
        close(of(&field, &hand, 0.0), Vec3::y() * newtons);
    }
}

#[test]
fn friction_holds_a_hand_at_rest_and_drags_the_same_at_any_speed() {
    let friction = Effect {
        magnitude_n: 1.0,
        range_m: f64::INFINITY,
        ..effect(EffectKind::Friction)
    };
    for speed_m_s in [0.001, 0.1, 1.0] {
        let mut memory = Memory::default();
        let mut drag = |x: f64| {
            let course = Course {
                elapsed_s: 0.0,
                dt_s: TICK_S,
                felt: 1.0,
            };
            force(&friction, &course, &at(Vec3::x() * x), &ARM, &mut memory).x
        };
        assert_eq!(drag(0.0), 0.0);
        let mut x = 0.0;
        while x < 0.01 {
            x += speed_m_s * TICK_S;
            drag(x);
        }
        assert!((drag(x) + 1.0).abs() < 1e-12, "{speed_m_s}");
        // It stands: nothing creeps. Back by 1 mm: half of it is let go.
        assert_eq!(drag(x), drag(x));
        assert!((drag(x - 0.001) + 0.5).abs() < 1e-12);
    }
}

/// With a constant acceleration the force settles at mass times acceleration.
#[test]
fn a_mass_resists_acceleration_and_not_speed() {
    let inertia = Effect {
        coefficient: 0.2,
        ..effect(EffectKind::Inertia)
    };
    let mut memory = Memory::default();
    let mut run = |from: u32, ticks: u32, acceleration: f64| {
        let mut felt = 0.0;
        for tick in from..from + ticks {
            let t = f64::from(tick) * TICK_S;
            let hand = Hand {
                place: Vec3::x() * (0.5 * acceleration * t * t),
                velocity: Vec3::x() * (acceleration * t),
            };
            let course = Course {
                elapsed_s: t,
                dt_s: TICK_S,
                felt: 1.0,
            };
            felt = force(&inertia, &course, &hand, &ARM, &mut memory).x;
        }
        felt
    };
    let felt = run(0, 1000, 2.0);
    assert!((felt + 0.4).abs() < 0.01, "{felt}");
    // It begins at rest: a hand that moves drags it up to its speed, and then feels nothing.
    let mut memory = Memory::default();
    let mut felt = 0.0;
    for tick in 0..3000 {
        let hand = Hand {
            place: Vec3::x() * (0.5 * f64::from(tick) * TICK_S),
            velocity: Vec3::x() * 0.5,
        };
        let course = Course {
            elapsed_s: 0.0,
            dt_s: TICK_S,
            felt: 1.0,
        };
        let force = force(&inertia, &course, &hand, &ARM, &mut memory).x;
        assert!(tick > 10 || force <= 0.0, "{force}");
        felt = force;
    }
    assert!(felt.abs() < 1e-3, "{felt}");
}

/// A path of straight pieces through these corners and back to the first, sampled finely.
fn around(corners: &[[f64; 3]], pieces: usize) -> Vec<Vec3> {
    let corner = |k: usize| Vec3::from(corners[k % corners.len()]) * 0.05;
    (0..corners.len() * pieces)
        .map(|k| {
            let share = (k % pieces) as f64 / pieces as f64;
            corner(k / pieces).lerp(&corner(k / pieces + 1), share)
        })
        .collect()
}

proptest! {
    /// The mean of the forces at both ends of each step does the work of a potential: none on a
    /// closed way, but for the steps' length.
    #[test]
    fn what_has_a_potential_feeds_nobody(
        corners in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 3..6),
        kind in prop::sample::select(vec![EffectKind::Spring, EffectKind::Magnet, EffectKind::Barrier]),
        shape in prop::sample::select(EffectShape::ALL.to_vec()),
    ) {
        let effect = Effect { shape, ..effect(kind) };
        let way = around(&corners, 2000);
        let (mut work_j, mut moved_j) = (0.0, 0.0);
        for k in 0..way.len() {
            let (from, to) = (way[k], way[(k + 1) % way.len()]);
            let mean = (of(&effect, &at(from), 0.0) + of(&effect, &at(to), 0.0)) * 0.5;
            let step_j = mean.dot(&(to - from));
            work_j += step_j;
            moved_j += step_j.abs();
        }
        prop_assert!(work_j.abs() <= 1e-3 * moved_j + 1e-9, "{work_j} of {moved_j}");
    }

    /// Friction gives back at most what its spring has stored.
    #[test]
    fn friction_takes(
        steps in prop::collection::vec(prop::array::uniform3(-0.003..0.003f64), 1..200),
    ) {
        let effect = Effect { range_m: f64::INFINITY, ..effect(EffectKind::Friction) };
        let mut memory = Memory::default();
        let course = Course { elapsed_s: 0.0, dt_s: TICK_S, felt: 1.0 };
        let mut hand = Vec3::zeros();
        let mut last = force(&effect, &course, &at(hand), &ARM, &mut memory);
        let (mut work_j, mut leak_j) = (0.0, 0.0);
        for step in steps {
            let step = Vec3::from(step);
            hand += step;
            let now = force(&effect, &course, &at(hand), &ARM, &mut memory);
            prop_assert!(now.norm() <= 2.0 + 1e-12);
            // The force of the last tick is held; the spring's own energy is its mean.
            work_j += last.dot(&step);
            leak_j += 0.5 * effect.coefficient * step.norm_squared();
            last = now;
        }
        prop_assert!(work_j <= leak_j + 1e-12, "{work_j} beyond {leak_j}");
    }

    /// Whatever the hand does, and however much of the force it feels, the mass gives back at most
    /// what it was given, but for what sampling makes of each step.
    #[test]
    fn a_mass_gives_back_what_it_was_given(
        mass_kg in prop::sample::select(vec![0.05, 1.0, 10.0, 100.0]),
        cap_n in prop::sample::select(vec![0.5, 2.0, 100.0]),
        turns in prop::collection::vec((prop::array::uniform3(-0.5..0.5f64), 0.0..=1.0f64, 1..300u32), 1..12),
    ) {
        let effect = Effect { coefficient: mass_kg, cap_n, ..effect(EffectKind::Inertia) };
        let mut memory = Memory::default();
        let (mut place, mut last) = (Vec3::zeros(), Vec3::zeros());
        let (mut given_j, mut leak_j, mut felt) = (0.0, 0.0, 1.0);
        for (velocity, share, ticks) in turns {
            let velocity = Vec3::from(velocity);
            // A damper that is sampled feels a new speed a tick late; a spring that is sampled
            // gives at most this much a tick.
            leak_j += ARM.damping_n_s_per_m * velocity.norm() * TICK_S;
            for _ in 0..ticks {
                let step = velocity * TICK_S;
                given_j += last.dot(&step);
                leak_j += 0.5 * ARM.stiffness_n_per_m * step.norm_squared();
                place += step;
                let course = Course { elapsed_s: 0.0, dt_s: TICK_S, felt };
                let force = force(&effect, &course, &Hand { place, velocity }, &ARM, &mut memory);
                felt = share;
                last = force * share;
            }
        }
        prop_assert!(given_j <= leak_j + 1e-3, "{given_j} beyond {leak_j}");
    }

    #[test]
    fn a_damper_takes_and_no_number_makes_a_force_that_is_none(
        place in prop::array::uniform3(-1e4..1e4f64),
        velocity in prop::array::uniform3(-10.0..10.0f64),
        numbers in prop::array::uniform9(prop::sample::select(vec![0.0, 1e-300, 1e-3, 1.0, 100.0, 1e4])),
        infinite in prop::array::uniform2(any::<bool>()),
        codes in (0..9usize, 0..5usize, 0..3usize),
    ) {
        let or_infinite = |number: f64, is: bool| if is { f64::INFINITY } else { number };
        let effect = Effect {
            kind: EffectKind::ALL[codes.0],
            waveform: Waveform::ALL[codes.1],
            shape: EffectShape::ALL[codes.2],
            magnitude_n: numbers[0],
            second_n: -numbers[1],
            coefficient: numbers[2],
            frequency_hz: numbers[3],
            dead_band_m: numbers[4],
            range_m: or_infinite(numbers[5], infinite[0]),
            cap_n: numbers[6],
            attack_s: numbers[7],
            fade_s: numbers[8],
            duration_s: or_infinite(numbers[7], infinite[1]),
            ..effect(EffectKind::Constant)
        };
        let hand = Hand { place: Vec3::from(place), velocity: Vec3::from(velocity) };
        // The hub refuses a ramp without an end.
        prop_assume!(effect.kind != EffectKind::Ramp || effect.duration_s.is_finite());
        let force = of(&effect, &hand, 0.5);
        prop_assert!(force.norm() <= effect.cap_n * (1.0 + 1e-12), "{force}");
        if effect.kind == EffectKind::Damper {
            prop_assert!(force.dot(&hand.velocity) <= 0.0);
        }
    }
}
