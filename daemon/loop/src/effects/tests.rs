use super::*;

const ARM: Bounds = Bounds {
    stiffness_n_per_m: 1000.0,
    damping_n_s_per_m: 8.0,
};

fn push(newtons: f64) -> Effect {
    Effect {
        magnitude_n: newtons,
        cap_n: 100.0,
        ..Effect::default()
    }
}

fn spring(stiffness: f64) -> Effect {
    Effect {
        kind: EffectKind::Spring,
        coefficient: stiffness,
        cap_n: 100.0,
        ..Effect::default()
    }
}

fn order(effects: &mut Effects, place: u8, change: EffectChange) {
    effects.order(EffectOrder { place, change });
}

/// A tick of the first arm with the hand at `place`.
fn tick(effects: &mut Effects, place: Vec3) -> EffectsForce {
    effects.tick(0, &moment(Some(place), &Pose::identity()))
}

fn moment(place: Option<Vec3>, base_from_world: &Pose) -> Moment<'_> {
    Moment {
        base_from_world,
        scale: 1.0,
        hand: place.map(|place| Hand {
            place,
            velocity: Vec3::zeros(),
        }),
        bounds: ARM,
        dt_s: 1e-3,
        is_served: true,
    }
}

#[test]
fn a_push_is_there_at_once_and_a_spring_comes_in() {
    let mut effects = Effects::new(10.0);
    order(&mut effects, 0, EffectChange::Start(push(2.0)));
    assert_eq!(tick(&mut effects, Vec3::zeros()).force_n, Vec3::x() * 2.0);
    let mut effects = Effects::new(10.0);
    order(&mut effects, 0, EffectChange::Start(spring(100.0)));
    let at = Vec3::x() * 0.01;
    let forces: Vec<f64> = (0..25).map(|_| -tick(&mut effects, at).force_n.x).collect();
    for (k, force) in forces.iter().enumerate() {
        let wanted = (k as f64 / 20.0).min(1.0);
        assert!((force - wanted).abs() < 1e-12, "tick {k}: {force}");
    }
    assert_eq!(tick(&mut effects, at).reacting_n, Vec3::x() * -1.0);
}

#[test]
fn what_is_stopped_goes_out_and_its_place_is_free() {
    for kind in [push(1.0), spring(100.0)] {
        let mut effects = Effects::new(10.0);
        order(&mut effects, 3, EffectChange::Start(kind));
        let at = Vec3::x() * -0.01;
        (0..30).for_each(|_| {
            let _ = tick(&mut effects, at);
        });
        order(&mut effects, 3, EffectChange::Stop);
        let forces: Vec<f64> = (0..25).map(|_| tick(&mut effects, at).force_n.x).collect();
        let steps = forces.windows(2).map(|two| two[0] - two[1]);
        assert!((forces[0] - 1.0).abs() < 1e-12);
        assert!(steps.clone().all(|step| step <= 0.05 + 1e-12), "{forces:?}");
        assert!(forces[20..].iter().all(|force| *force == 0.0), "{forces:?}");
        assert_eq!(effects.counts[0], 0);
    }
}

#[test]
fn what_is_held_or_unserved_goes_out_and_comes_back() {
    let mut effects = Effects::new(10.0);
    order(&mut effects, 0, EffectChange::Start(push(1.0)));
    let force = |effects: &mut Effects| tick(effects, Vec3::zeros()).force_n.x;
    assert_eq!(force(&mut effects), 1.0);
    order(&mut effects, 0, EffectChange::Hold(true));
    (0..21).for_each(|_| {
        let _ = force(&mut effects);
    });
    assert_eq!(force(&mut effects), 0.0);
    order(&mut effects, 0, EffectChange::Hold(false));
    (0..21).for_each(|_| {
        let _ = force(&mut effects);
    });
    assert_eq!(force(&mut effects), 1.0);
    let base = Pose::identity();
    let unserved = Moment {
        is_served: false,
        ..moment(Some(Vec3::zeros()), &base)
    };
    (0..21).for_each(|_| {
        let _ = effects.tick(0, &unserved);
    });
    assert_eq!(effects.tick(0, &unserved).force_n, Vec3::zeros());
    (0..21).for_each(|_| {
        let _ = force(&mut effects);
    });
    assert_eq!(force(&mut effects), 1.0);
}

#[test]
fn a_duration_begins_after_the_delay_and_ends_by_itself() {
    let pulse = Effect {
        delay_s: 0.003,
        duration_s: 0.004,
        ..push(1.0)
    };
    let mut effects = Effects::new(10.0);
    order(&mut effects, 0, EffectChange::Start(pulse));
    let forces: Vec<f64> = (0..9)
        .map(|_| tick(&mut effects, Vec3::zeros()).force_n.x)
        .collect();
    assert_eq!(forces, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(effects.counts[0], 0);
    // Guidance goes out softly when its time is over.
    let guide = Effect {
        duration_s: 0.05,
        ..spring(100.0)
    };
    order(&mut effects, 0, EffectChange::Start(guide));
    let at = Vec3::x() * -0.01;
    let forces: Vec<f64> = (0..80).map(|_| tick(&mut effects, at).force_n.x).collect();
    assert!(
        forces
            .windows(2)
            .all(|two| (two[1] - two[0]).abs() <= 0.05 + 1e-12)
    );
    assert!((forces[45] - 1.0).abs() < 1e-12 && forces[75] == 0.0);
    assert_eq!(effects.counts[0], 0);
}

#[test]
fn an_update_keeps_the_time() {
    let ramp = |second_n: f64| Effect {
        kind: EffectKind::Ramp,
        second_n,
        duration_s: 0.1,
        ..push(0.0)
    };
    let mut effects = Effects::new(10.0);
    order(&mut effects, 0, EffectChange::Start(ramp(1.0)));
    (0..50).for_each(|_| {
        let _ = tick(&mut effects, Vec3::zeros());
    });
    order(&mut effects, 0, EffectChange::Update(ramp(2.0)));
    let force = tick(&mut effects, Vec3::zeros()).force_n.x;
    assert!((force - 1.0).abs() < 1e-12, "{force}");
}

#[test]
fn all_effects_of_an_arm_share_what_is_allowed() {
    let mut effects = Effects::new(3.0);
    for place in 0..EFFECTS_PER_ARM as u8 {
        order(&mut effects, place, EffectChange::Start(push(1.0)));
    }
    let force = tick(&mut effects, Vec3::zeros()).force_n;
    assert!((force - Vec3::x() * 3.0).norm() < 1e-12);
    // Two springs of 800 N/m on an arm that renders 1000 N/m.
    let mut effects = Effects::new(100.0);
    for place in 0..2 {
        order(&mut effects, place, EffectChange::Start(spring(800.0)));
    }
    let at = Vec3::x() * -0.01;
    (0..30).for_each(|_| {
        let _ = tick(&mut effects, at);
    });
    let force = tick(&mut effects, at).force_n.x;
    assert!((force - 10.0).abs() < 1e-12, "{force}");
}

#[test]
fn an_arm_that_stands_elsewhere_feels_the_same_place_and_direction() {
    let turned = nalgebra::UnitQuaternion::from_axis_angle(&Vec3::z_axis(), 1.0);
    let world_from_base = Pose::from_parts(Vec3::new(0.3, -0.2, 0.1).into(), turned);
    let target = Vec3::new(0.5, 0.1, 0.2);
    let pull = Effect {
        place_m: target,
        ..spring(100.0)
    };
    let mut effects = Effects::new(100.0);
    order(&mut effects, 8, EffectChange::Start(pull));
    // A device metre is five world metres.
    let hand_in_world = target + Vec3::new(0.05, 0.0, 0.0);
    let base_from_world = world_from_base.inverse();
    let in_base = base_from_world * nalgebra::Point3::from(hand_in_world);
    let moment = Moment {
        scale: 5.0,
        ..moment(Some(in_base.coords / 5.0), &base_from_world)
    };
    (0..30).for_each(|_| {
        let _ = effects.tick(1, &moment);
    });
    let force = world_from_base.rotation * effects.tick(1, &moment).force_n;
    // 1 cm of the hand's own way.
    assert!((force - Vec3::x() * -1.0).norm() < 1e-12, "{force}");
    assert_eq!(effects.tick(0, &moment), EffectsForce::default());
}

#[test]
fn without_a_pose_there_is_no_force_and_friction_lets_go() {
    let friction = Effect {
        kind: EffectKind::Friction,
        magnitude_n: 1.0,
        ..spring(500.0)
    };
    let mut effects = Effects::new(10.0);
    order(&mut effects, 0, EffectChange::Start(friction));
    (0..30).for_each(|_| {
        let _ = tick(&mut effects, Vec3::zeros());
    });
    assert!(tick(&mut effects, Vec3::x() * 0.01).force_n.x < -0.9);
    let base = Pose::identity();
    assert_eq!(
        effects.tick(0, &moment(None, &base)),
        EffectsForce::default()
    );
    effects.forget_pose(0);
    assert_eq!(tick(&mut effects, Vec3::x()).force_n, Vec3::zeros());
}

#[test]
fn a_place_that_does_not_exist_is_ignored() {
    let mut effects = Effects::new(10.0);
    let order = |place| EffectOrder {
        place,
        change: EffectChange::Start(push(1.0)),
    };
    effects.order(order(200));
    effects.order(order(1));
    assert_eq!(tick(&mut effects, Vec3::zeros()).force_n.x, 1.0);
}
