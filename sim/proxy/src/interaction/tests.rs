//! The tool's intention against the equations of the module's page.

use super::*;

const PERIOD_S: f64 = 2e-3;
const MASS_KG: f64 = 0.25;
const GAINS: Gains = Gains {
    stiffness_n_per_m: 900.0,
    damping_n_s_per_m: 2.0,
    rotational_stiffness_nm_per_rad: 0.8,
    rotational_damping_nm_s_per_rad: 0.004,
};

/// A stylus, held a hand's breadth from the centre of its ball.
fn stylus() -> ToolShape {
    ToolShape {
        centre: Vec3::new(0.01, -0.02, 0.08),
        bound_m: 0.05,
        radius_m: 0.0,
        turns: true,
    }
}

/// Returns a pose from position and rotation vector.
fn pose(at: [f64; 3], turn: [f64; 3]) -> Pose {
    Pose::new(at.into(), turn.into())
}

fn turned(from: &Pose, to: &Pose) -> Vec3 {
    (to.rotation * from.rotation.inverse()).scaled_axis()
}

fn shifted(from: &Pose, to: &Pose) -> Vec3 {
    transform(to, &stylus().centre) - transform(from, &stylus().centre)
}

/// Returns the pose that differs from `from` by this shift of the centre and this rotation.
fn moved(from: &Pose, shift: Vec3, turn: Vec3) -> Pose {
    let rotation = Quat::from_scaled_axis(turn) * from.rotation;
    let origin = transform(from, &stylus().centre) + shift - rotation * stylus().centre;
    Pose::from_parts(origin.into(), rotation)
}

fn near(is: Vec3, expected: Vec3, share: f64) {
    assert!(
        (is - expected).norm() <= share * expected.norm(),
        "{is}, expected {expected}"
    );
}

/// Returns a tool of this mass with these velocities of centre and rotation.
fn flying(mass_kg: f64, velocity: Vec3, spin: Vec3) -> (Intent, Pose) {
    let mut intent = Intent::new(Interaction::SpringWithMass(mass_kg));
    let from = pose([0.1, 0.2, -0.1], [0.3, -0.2, 0.1]);
    let to = moved(&from, velocity * PERIOD_S, spin * PERIOD_S);
    intent.went([&from, &to, &to], &to, &stylus(), &GAINS, PERIOD_S);
    (intent, to)
}

#[test]
fn a_spring_draws_the_tool_to_the_hand() {
    let mut intent = Intent::new(Interaction::Spring);
    assert_eq!(intent.interaction(), Interaction::Spring);
    let device = pose([0.1, 0.2, 0.3], [0.1, 0.0, 0.2]);
    let tool = Pose::identity();
    for period_s in [PERIOD_S, 0.0] {
        let goal = intent.goal(&device, &tool, &stylus(), &GAINS, period_s);
        assert_eq!(goal, device);
    }
}

#[test]
fn increments_carry_the_hands_displacement_to_the_tool() {
    let mut intent = Intent::new(Interaction::Increments);
    assert_eq!(intent.interaction(), Interaction::Increments);
    let tool = pose([1.0, 2.0, 3.0], [0.0, 0.0, 1.0]);
    let first = pose([0.1, 0.2, 0.3], [0.4, 0.0, 0.0]);
    let shift = Vec3::new(0.01, -0.02, 0.03);
    let turn = Quat::from_scaled_axis(Vec3::new(0.0, 0.2, 0.0));
    let second = Pose::from_parts(
        (first.translation.vector + shift).into(),
        turn * first.rotation,
    );
    let mut goal = |device: &Pose| intent.goal(device, &tool, &stylus(), &GAINS, PERIOD_S);
    assert!((goal(&first).translation.vector - tool.translation.vector).norm() < 1e-15);
    let went = goal(&second);
    near(
        went.translation.vector - tool.translation.vector,
        shift,
        1e-12,
    );
    assert!(went.rotation.angle_to(&(turn * tool.rotation)) < 1e-12);
    // Placed again, the hand starts at its present pose.
    intent.reset();
    let placed = intent.goal(&first, &tool, &stylus(), &GAINS, PERIOD_S);
    assert!((placed.translation.vector - tool.translation.vector).norm() < 1e-15);
    assert!(placed.rotation.angle_to(&tool.rotation) < 1e-12);
}

/// `m (v_1 - v) / T = k (s - T v_1) + b (v_hand - v_1)`, which the step solves for `v_1`.
#[test]
fn a_tool_with_mass_obeys_the_implicit_spring() {
    let (velocity, spin) = (Vec3::new(0.1, -0.3, 0.2), Vec3::new(1.0, 2.0, -3.0));
    let inertia = |mass_kg: f64| mass_kg * 0.4 * 0.05 * 0.05;
    // The second is too heavy for its gains: it is still led at 30 rad/s.
    for (mass_kg, natural) in [(MASS_KG, None), (400.0, Some(30.0_f64 * 30.0))] {
        let (mut intent, tool) = flying(mass_kg, velocity, spin);
        let before = moved(
            &tool,
            Vec3::new(0.01, 0.02, -0.01),
            Vec3::new(0.1, -0.2, 0.05),
        );
        let hand_turn = Vec3::new(0.02, 0.01, -0.01);
        let device = moved(&before, Vec3::new(1e-3, -2e-3, 5e-4), hand_turn);
        intent.goal(&before, &tool, &stylus(), &GAINS, PERIOD_S);
        let goal = intent.goal(&device, &tool, &stylus(), &GAINS, PERIOD_S);
        for (mass, k, own, hand, stretch, new) in [
            (
                mass_kg,
                GAINS.stiffness_n_per_m,
                velocity,
                shifted(&before, &device) / PERIOD_S,
                shifted(&tool, &device),
                shifted(&tool, &goal) / PERIOD_S,
            ),
            (
                inertia(mass_kg),
                GAINS.rotational_stiffness_nm_per_rad,
                spin,
                hand_turn / PERIOD_S,
                turned(&tool, &device),
                turned(&tool, &goal) / PERIOD_S,
            ),
        ] {
            let k = natural.map_or(k, |square| mass * square);
            let b = 2.0 * (k * mass).sqrt();
            let force = k * (stretch - PERIOD_S * new) + b * (hand - new);
            near(mass * (new - own) / PERIOD_S, force, 1e-8);
        }
    }
}

#[test]
fn a_tool_that_does_not_turn_has_the_hands_rotation() {
    let (mut intent, tool) = flying(MASS_KG, Vec3::x(), Vec3::z());
    let still = ToolShape {
        turns: false,
        ..stylus()
    };
    let device = moved(&tool, Vec3::y() * 0.01, Vec3::new(0.5, 0.0, 0.2));
    let goal = intent.goal(&device, &tool, &still, &GAINS, PERIOD_S);
    assert!(goal.rotation.angle_to(&device.rotation) < 1e-12);
    // Its centre moves as the mass does, not as the hand's origin.
    let square = GAINS.stiffness_n_per_m / MASS_KG;
    let load = 1.0 + PERIOD_S * (2.0 * square.sqrt() + PERIOD_S * square);
    let v = (Vec3::x() + PERIOD_S * square * shifted(&tool, &device)) / load;
    near(shifted(&tool, &goal), v * PERIOD_S, 1e-9);
}

#[test]
fn without_time_a_tool_with_mass_stays_as_it_is() {
    let device = pose([0.1, 0.0, 0.0], [0.0, 0.3, 0.0]);
    let (mut still, tool) = flying(MASS_KG, Vec3::x(), Vec3::z());
    for period_s in [0.0, f64::NAN, -1e-3] {
        let goal = still.goal(&device, &tool, &stylus(), &GAINS, period_s);
        assert_eq!(goal, tool);
        let ends = [&device, &tool, &device];
        still.went(ends, &device, &stylus(), &GAINS, period_s);
    }
    // It continues at its old velocity.
    let (mut other, _) = flying(MASS_KG, Vec3::x(), Vec3::z());
    let goal = |intent: &mut Intent| intent.goal(&device, &tool, &stylus(), &GAINS, PERIOD_S);
    let first = goal(&mut other);
    assert!(first.translation.vector.iter().all(|x| x.is_finite()));
    assert_eq!(goal(&mut still), first);
    // Placed again it is at rest.
    let mut new = Intent::new(Interaction::SpringWithMass(MASS_KG));
    still.reset();
    assert_eq!(goal(&mut still), goal(&mut new));
}

/// Force of what a tick refuses: the spring's pull, without the impact of the mass.
fn handed_on(stretch: [f64; 2], blow: [f64; 2]) -> f64 {
    let at = pose([0.1, 0.2, -0.1], [0.3, -0.2, 0.1]);
    let (x, turn) = (Vec3::x(), Vec3::z());
    let mut intent = Intent::new(Interaction::SpringWithMass(MASS_KG));
    let device = moved(&at, x * stretch[0], turn * stretch[1]);
    // It moves freely for a tick. In the next the wall holds it in place.
    let from = moved(&at, x * (-blow[0] * PERIOD_S), turn * (-blow[1] * PERIOD_S));
    intent.went([&from, &at, &at], &at, &stylus(), &GAINS, PERIOD_S);
    let goal = intent.goal(&device, &at, &stylus(), &GAINS, PERIOD_S);
    intent.went([&at, &at, &goal], &device, &stylus(), &GAINS, PERIOD_S);
    intent.newtons_per_metre(&GAINS, 7.0, PERIOD_S) * shifted(&at, &goal).norm()
}

#[test]
fn a_pressed_body_feels_the_spring_and_not_the_blow() {
    let k = GAINS.stiffness_n_per_m;
    let natural = k / MASS_KG;
    // The speed that moves the mass as far within the tick as this stretch pulls it.
    let alike = |stretch: f64, natural: f64| PERIOD_S * natural * stretch;
    let near = |is: f64, expected: f64| {
        assert!((is - expected).abs() < 1e-6, "{is} N, expected {expected}");
    };
    let deep = 2e-3;
    near(handed_on([deep, 0.0], [0.0, 0.0]), k * deep);
    near(
        handed_on([deep, 0.0], [alike(deep, natural), 0.0]),
        k * deep,
    );
    near(handed_on([0.0, 0.0], [0.5, 0.0]), 0.0);
    near(handed_on([0.0, 0.0], [0.0, 5.0]), 0.0);
    assert_eq!(handed_on([0.0, 0.0], [0.0, 0.0]), 0.0);
    // Drawn away from the wall by less than its impact: nothing to hand on.
    near(handed_on([-1e-4, 0.0], [0.5, 0.0]), 0.0);
    // The twist contributes: a spinning impact as heavy as the pull halves the force.
    let inertia = MASS_KG * 0.4 * 0.05 * 0.05;
    let square = GAINS.rotational_stiffness_nm_per_rad / inertia;
    let load = |square: f64| 1.0 + PERIOD_S * (2.0 * square.sqrt() + PERIOD_S * square);
    let pull = natural * deep * PERIOD_S;
    let spin = pull * (MASS_KG / load(natural) * load(square) / inertia).sqrt();
    near(handed_on([deep, 0.0], [0.0, spin]), k * deep / 2.0);
    // For a twist the spring's part counts as well: half of each is half of both.
    let twist = spin / (PERIOD_S * square);
    near(handed_on([deep, twist], [0.0, 0.0]), k * deep);
    near(
        handed_on([deep, twist], [alike(deep, natural), alike(twist, square)]),
        k * deep,
    );
    near(
        handed_on([deep, twist], [0.0, 2.0 * alike(twist, square)]),
        // 1 + 3 of 1 + 9 parts.
        k * deep * 0.4,
    );
}

#[test]
fn a_tool_that_goes_where_it_wants_hands_nothing_on() {
    let mut intent = Intent::new(Interaction::SpringWithMass(MASS_KG));
    // Without rotation, because its rounding would be refused.
    let at = Pose::translation(0.5, 0.25, -0.125);
    intent.went([&at, &at, &at], &at, &stylus(), &GAINS, PERIOD_S);
    assert_eq!(intent.newtons_per_metre(&GAINS, 7.0, PERIOD_S), 0.0);
}

#[test]
fn a_tool_without_mass_hands_on_its_stiffness() {
    for (interaction, period_s) in [
        (Interaction::Spring, PERIOD_S),
        (Interaction::Increments, PERIOD_S),
        (Interaction::SpringWithMass(MASS_KG), 0.0),
    ] {
        let intent = Intent::new(interaction);
        assert_eq!(intent.newtons_per_metre(&GAINS, 7.0, period_s), 7.0);
        let lever = intent.gyration_m2(&GAINS, &stylus(), period_s);
        assert_eq!(Some(lever), GAINS.gyration_m2());
        // Without torque the metric is that of a solid ball.
        let lever = intent.gyration_m2(&Gains::default(), &stylus(), period_s);
        assert!((lever - 0.4 * 0.05 * 0.05).abs() < 1e-15, "{lever}");
    }
}

/// A contact feels the mass `m (1 + T b/m + T^2 k/m)`, and likewise for rotation.
#[test]
fn a_mass_is_measured_by_what_contacts_feel_of_it() {
    let intent = Intent::new(Interaction::SpringWithMass(MASS_KG));
    let felt = |mass: f64, k: f64| mass + PERIOD_S * 2.0 * (k * mass).sqrt() + PERIOD_S.powi(2) * k;
    let (linear, angular) = (
        felt(MASS_KG, GAINS.stiffness_n_per_m),
        felt(
            MASS_KG * 0.4 * 0.05 * 0.05,
            GAINS.rotational_stiffness_nm_per_rad,
        ),
    );
    let lever = intent.gyration_m2(&GAINS, &stylus(), PERIOD_S);
    assert!((lever * linear / angular - 1.0).abs() < 1e-12, "{lever}");
    // At first, all that contacts refuse is due to the spring.
    let force = intent.newtons_per_metre(&GAINS, 7.0, PERIOD_S);
    assert!((force * PERIOD_S.powi(2) / linear - 1.0).abs() < 1e-12);
}

#[test]
fn a_ball_without_size_still_has_inertia() {
    assert_eq!(gyration(&ToolShape::sphere(0.01)), 1e-8);
    assert!((gyration(&stylus()) - 1e-3).abs() < 1e-15);
}
