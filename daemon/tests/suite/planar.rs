//! Planar scenes through the daemon: a pantograph by its profile, the rights of clients, and the
//! rules for configurations.

use std::path::Path;
use std::sync::{Arc, Mutex};

use hapticd::session_setup::{self, SessionSetup, Source};
use hapticd_collision::command::{SceneCommand, SceneReply};
use hapticd_collision::virtual_time::{VirtualArm, VirtualLoop};
use hapticd_config as config;
use hapticd_devices::arm::{ArmCommand, ArmSample};
use hapticd_devices::driver::Driver;
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_monitor::stats::Stats;
use hapticd_proxy::MAX_ARMS;
use hapticd_scene::{AddError, BodyKind, BodySpec, Shape};

const PANTOGRAPH: &str = r#"
[[arm]]
name = "right"
kind = "hid"
profile = "pantograph-2dof"
tool = { kind = "disc", radius_m = 0.003, sides = 16 }

[[body]]
name = "wall"
shape = { kind = "polygon", vertices_m = [[-0.05, 0.0], [0.05, 0.0], [0.05, 0.01], [-0.05, 0.01]] }
position_m = [0.0, 0.1, 0.0]

[[body]]
name = "gate"
kind = "kinematic"
shape = { kind = "star", points = 5, outer_radius_m = 0.01, inner_radius_m = 0.005 }
position_m = [-0.03, 0.07, 0.0]
"#;

fn build(text: &str) -> SessionSetup {
    let context = config::Context::new("", |_| None);
    let loaded = config::parse("planar.toml", text, &context).unwrap_or_else(|e| panic!("{e}"));
    session_setup::build(&loaded.config, Path::new(""), true).unwrap_or_else(|e| panic!("{e}"))
}

/// Reports of a pantograph: encoder counts of a hand that moves its two motors' angles, whatever
/// force it receives.
struct Pantograph {
    driver: Driver,
    ticks: u64,
    efforts: Arc<Mutex<Vec<[f64; 2]>>>,
}

/// Angle of one count of the encoders, rad.
const COUNT_RAD: f64 = 9.587379924285257e-5;

impl VirtualArm for Pantograph {
    fn step(&mut self, now_ns: u64, _: u64, command: &ArmCommand) -> Option<ArmSample> {
        let efforts = self.driver.efforts(command);
        self.efforts.lock().unwrap().push([efforts[0], efforts[1]]);
        self.ticks += 1;
        // From 67 mm to 107 mm outwards in two seconds; then it stays there.
        let out = 0.4 * (self.ticks as f64 / 2000.0).min(1.0);
        let (left, right) = (2.6 - out, std::f64::consts::PI - 2.6 + out);
        let mut report = [0_u8; 12];
        report[0] = 1;
        report[1..3].copy_from_slice(&(self.ticks as u16).to_le_bytes());
        for (at, angle) in [(3, left), (7, right)] {
            let counts = (angle / COUNT_RAD).round() as i32;
            report[at..at + 4].copy_from_slice(&counts.to_le_bytes());
        }
        report[11] = 0x80;
        self.driver.input(&report).unwrap();
        self.driver.sample(now_ns, false)
    }
}

#[test]
fn a_pantograph_by_its_profile_is_stopped_by_a_polygon_and_pushed_back() {
    let mut setup = build(PANTOGRAPH);
    let mut checker = setup.checker();
    let Source::Hid(source) = &setup.arms[0].source else {
        panic!("a device");
    };
    assert!(!setup.arms[0].spec.has_rotation);
    let efforts = Arc::new(Mutex::new(Vec::new()));
    let arm = Pantograph {
        driver: Driver::new(Arc::new(source.profile.clone())),
        ticks: 0,
        efforts: efforts.clone(),
    };
    let mut arms: [Option<Box<dyn VirtualArm + Send>>; MAX_ARMS] = [const { None }; MAX_ARMS];
    arms[0] = Some(Box::new(arm));
    let names = setup.names();
    let mut stats = Stats::new(true, setup.period_ns, &names);
    let deformable = setup.deformable.take();
    let mut driver = VirtualLoop::new(
        setup.core,
        (setup.collider, deformable),
        arms,
        3,
        setup.pair_capacity,
    );
    let (mut furthest, mut beyond) = (0.0_f64, 0.0_f64);
    for _ in 0..2600 {
        let record = *driver.step(false);
        checker.check(&record, &mut stats);
        let arm = &record.arms[0];
        assert!(arm.world_from_proxy.translation.z == 0.0);
        furthest = furthest.max(arm.world_from_proxy.translation.y);
        beyond = beyond.max(arm.world_from_device.translation.y);
    }
    let report = stats.report(Vec::new());
    assert_eq!(
        (report.max_penetration_m, report.arms[0].crossings),
        (0.0, 0)
    );
    // The hand is far inside the wall, the disc is on it.
    assert!(beyond > 0.102, "{beyond}");
    assert!(furthest < 0.097 && furthest > 0.0968, "{furthest}");
    assert!(driver.core().output().arms[0].wrench.force_n.y < -0.02);
    // Inwards: the left motor turns counter-clockwise, the right one the other way.
    let efforts = efforts.lock().unwrap();
    let last = efforts[efforts.len() - 1];
    assert!(last[0] > 5e-4 && last[1] < -5e-4, "{last:?}");
    assert!(
        efforts[..300].iter().all(|e| e[0] == 0.0 && e[1] == 0.0),
        "free at first"
    );
}

#[test]
fn a_client_adds_nothing_to_a_planar_scene_and_moves_what_is_there_in_the_plane() {
    let setup = build(PANTOGRAPH);
    let arms = [const { None }; MAX_ARMS];
    let id = setup
        .collider
        .infos()
        .iter()
        .find(|i| i.name == "gate")
        .unwrap()
        .id;
    let mut driver = VirtualLoop::new(
        setup.core,
        (setup.collider, None),
        arms,
        3,
        setup.pair_capacity,
    );
    let cup = BodySpec {
        name: "cup".to_owned(),
        kind: BodyKind::Kinematic,
        shape: Shape::of(shapes::cuboid(&Vec3::repeat(0.01)).unwrap()).0,
        solid: true,
        world_from_body: Pose::identity(),
        material: hapticd_proxy::Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    };
    let refused = SceneReply::AddRefused(AddError::Planar("cup".to_owned()));
    assert_eq!(driver.command(SceneCommand::Add(Box::new(cup))), refused);
    let mut there = Pose::translation(0.02, 0.06, 0.3);
    there.rotation = hapticd_geometry::Quat::from_euler_angles(0.7, 0.0, 0.5);
    let target = SceneCommand::Target {
        id,
        world_from_body: there,
        speed_m_s: 0.2,
    };
    assert_eq!(driver.command(target), SceneReply::Done);
    // Without an arm there is no query and no answer: bodies of a scene move only for tools.
    driver.step(false);
    assert_eq!(driver.core().record().moved_count, 0);
}

/// Every way to mix the plane with space is refused at its key.
#[test]
fn what_is_not_planar_is_refused_with_the_key() {
    let refused = |from: &str, to: &str, wanted: &[&str]| {
        assert!(PANTOGRAPH.contains(from), "{from}");
        let text = PANTOGRAPH.replacen(from, to, 1);
        let context = config::Context::new("", |_| None);
        let said = match config::parse("planar.toml", &text, &context) {
            Err(errors) => errors.to_string(),
            Ok(loaded) => match session_setup::build(&loaded.config, Path::new(""), true) {
                Ok(_) => panic!("{to} was taken"),
                Err(errors) => format!("{errors} {}", errors.faults()[0].key),
            },
        };
        for part in wanted {
            assert!(said.contains(part), "{to}: {said}");
        }
    };
    let disc = r#"{ kind = "disc", radius_m = 0.003, sides = 16 }"#;
    refused(
        disc,
        r#"{ kind = "sphere", radius_m = 0.003 }"#,
        &["sphere", "planar", "planar.toml:6"],
    );
    refused(
        "position_m = [0.0, 0.1, 0.0]",
        "position_m = [0.0, 0.1, 0.01]",
        &["z = 0.01 m", "planar"],
    );
    refused(
        "position_m = [0.0, 0.1, 0.0]",
        "rpy_deg = [3.0, 0.0, 0.0]",
        &["roll", "planar"],
    );
    refused(
        r#"kind = "kinematic""#,
        r#"kind = "dynamic""#,
        &["dynamic", "static or kinematic"],
    );
    let wall = "[[-0.05, 0.0], [0.05, 0.0], [0.05, 0.01], [-0.05, 0.01]]";
    let bow = "[[-0.05, 0.0], [0.05, 0.0], [-0.05, 0.01], [0.05, 0.01]]";
    refused(wall, bow, &["wall", "[1, 3]", "body.wall.shape.vertices_m"]);
    refused(wall, "[[-0.05, 0.0], [0.05, 0.0]]", &["vertices_m", "3"]);
    refused(
        "[-0.03, 0.07, 0.0]",
        "[0.0, 0.095, 0.0]",
        &["wall", "gate", "apart"],
    );
    let arrow = r#"{ kind = "polygon", vertices_m = [[0.0, 0.0], [-0.01, 0.01], [0.02, 0.0], [-0.01, -0.01]] }"#;
    refused(disc, arrow, &["convex", "arm.right.tool.vertices_m"]);
}

#[test]
fn a_polygon_that_goes_round_clockwise_is_taken_the_other_way_round() {
    let wall = "[[-0.05, 0.0], [0.05, 0.0], [0.05, 0.01], [-0.05, 0.01]]";
    let back = "[[-0.05, 0.01], [0.05, 0.01], [0.05, 0.0], [-0.05, 0.0]]";
    let volume = |text: &str| {
        let setup = build(text);
        let world = setup.collider.world();
        let id = world.infos().find(|i| i.name == "wall").unwrap().id;
        let mesh = world.spec(id).unwrap().shape.index.mesh().unwrap().clone();
        hapticd_geometry::MeshReport::of(&mesh, &hapticd_geometry::Adjacency::new(&mesh))
            .signed_volume_m3
    };
    let (one, other) = (volume(PANTOGRAPH), volume(&PANTOGRAPH.replace(wall, back)));
    assert!((one - 0.1 * 0.01 * 0.01).abs() < 1e-12 && (one - other).abs() < 1e-15);
}
