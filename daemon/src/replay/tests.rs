//! Tests of recordings: written, read, replayed, damaged.

use std::io::{self, Cursor, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd_config as config;
use hapticd_devices::arm::{ArmSample, ArmStatus};
use hapticd_devices::safety::Limits;
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::{MAX_ARMS, Material, Query, Snapshot};
use hapticd_scene::{BodyKind, BodySpec};

use hapticd_monitor::stats::Stats;
use hapticd_monitor::view::ViewAction;
use hapticd_recording::files::{self, Embedded};
use hapticd_recording::message::{self, TickMessage};
use hapticd_recording::writer::Output;
use hapticd_recording::*;

use super::{End, Outcome, replay};
use crate::session::{self, Options};
use crate::session_setup::{self, SessionSetup};
use hapticd_collision::command::{SceneCommand, SceneReply};
use hapticd_collision::step_log::{StepLog, WorkLog};
use hapticd_collision::virtual_time::VirtualLoop;
use hapticd_loop::core::{ArmInput, LoopInput};
use hapticd_loop::watchdog::{Silent, Watched};

mod damage;
mod deformable;
mod dynamics;
mod gone;
mod mid_phase;
mod needle;
mod reload;
mod silent;
mod truth;
mod workspace;

const SCENE: &str = r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "explore"
tool = { kind = "sphere", radius_m = 0.005 }
world_from_base = { position_m = [0.0, 0.0, 0.04] }

[[body]]
name = "ground"
shape = { kind = "terrain", size_m = [0.3, 0.3], amplitude_m = 0.015, cells = 24, seed = 7 }

[[body]]
name = "block"
kind = "kinematic"
shape = { kind = "cuboid", size_m = [0.04, 0.04, 0.04] }
position_m = [0.06, 0.0, 0.045]
rpy_deg = [0.0, 0.0, 20.0]
motion = { kind = "oscillation", amplitude_m = [0.02, 0.05, 0.0], period_s = 6.0 }
"#;

fn parse(text: &str) -> config::Loaded {
    let context = config::Context::new("", |_| Some("/nowhere".to_owned()));
    config::parse("test.toml", text, &context).unwrap_or_else(|e| panic!("{e}"))
}

fn build(text: &str, time: Time) -> SessionSetup {
    session_setup::build(&parse(text).config, Path::new(""), time == Time::Virtual)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A file in memory that is full after `room` bytes.
#[derive(Clone)]
struct Memory {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Memory {
    fn new(room: usize) -> Self {
        Memory {
            bytes: Arc::default(),
            room,
        }
    }

    fn take(&self) -> Vec<u8> {
        self.bytes.lock().expect("one thread").clone()
    }
}

impl Write for Memory {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let mut bytes = self.bytes.lock().expect("one thread");
        let n = buf.len().min(self.room - bytes.len());
        bytes.extend(&buf[..n]);
        if n == 0 && !buf.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for Memory {
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.bytes
            .lock()
            .expect("one thread")
            .truncate(len as usize);
        Ok(())
    }
}

fn recorder(
    text: &str,
    time: Time,
    output: Memory,
    max_bytes: u64,
) -> Result<Recorder<Memory>, String> {
    let loaded = parse(text);
    let setup = Setup {
        meta: Meta::of_this(time, false),
        config: &loaded.effective_toml(),
        files: &files::embed(&loaded.config).expect("files"),
        arms: loaded.config.arms.len(),
        max_bytes,
        epoch_ns: 1_700_000_000_000_000_000,
    };
    Recorder::new(output, &setup)
}

/// Records a run in virtual time. If the recorder fails, the recording stops but the run continues.
/// Returns the recorder's error.
fn record_virtual(output: &Memory, max_bytes: u64, ticks: u64) -> Result<(), String> {
    let mut setup = build(SCENE, Time::Virtual);
    let mut sink = recorder(SCENE, Time::Virtual, output.clone(), max_bytes)?;
    let arms = session::virtual_arms(&mut setup);
    let mut driver = VirtualLoop::new(
        setup.core,
        (setup.collider, setup.deformable),
        arms,
        4,
        setup.pair_capacity,
    );
    let mut added = None;
    for tick in 0..ticks {
        match tick {
            500 => added = Some(driver.command(SceneCommand::Add(Box::new(torus())))),
            700 => {
                let world_from_body = Pose::translation(0.0, 0.02, 0.03);
                let id = id_of(added.as_ref());
                assert_eq!(
                    driver.command(SceneCommand::Target {
                        id,
                        world_from_body,
                        speed_m_s: 0.05
                    }),
                    SceneReply::Done
                );
            }
            1000 => assert_eq!(
                driver.command(SceneCommand::Halt {
                    id: id_of(added.as_ref())
                }),
                SceneReply::Done
            ),
            1300 => assert_eq!(
                driver.command(SceneCommand::Remove {
                    id: id_of(added.as_ref())
                }),
                SceneReply::Done
            ),
            _ => {}
        }
        let record = *driver.step(tick + 100 > ticks);
        sink.tick(&record)?;
        sink.step(driver.last_step())?;
    }
    sink.event(1, "done")?;
    sink.finish()
}

fn id_of(reply: Option<&SceneReply>) -> u32 {
    match reply {
        Some(SceneReply::Added(id)) => *id,
        other => panic!("not added: {other:?}"),
    }
}

fn torus() -> BodySpec {
    BodySpec {
        name: "ring".to_owned(),
        kind: BodyKind::Kinematic,
        shape: hapticd_scene::Shape::of(shapes::torus(0.03, 0.008, 24, 12).expect("a torus")).0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, 0.1),
        material: Material {
            stiffness_n_per_m: 400.0,
            damping_n_s_per_m: 0.1,
            friction: 0.1,
            force_shading: false,
        },
        restitution: 0.2,
        density_kg_m3: 900.0,
    }
}

fn virtual_bytes(ticks: u64) -> Vec<u8> {
    let output = Memory::new(usize::MAX);
    record_virtual(&output, u64::MAX, ticks).expect("recorded");
    output.take()
}

fn reader(bytes: &[u8]) -> Result<Reader<Cursor<&[u8]>>, ReadError> {
    Reader::new(Cursor::new(bytes), bytes.len() as u64)
}

/// Replays after `tamper` saw every event; it may drop one by returning false.
fn replayed(bytes: &[u8], mut tamper: impl FnMut(&mut Event) -> bool) -> Outcome {
    let mut reader = reader(bytes).expect("a recording");
    let text = reader.config().expect("a configuration").to_owned();
    let time = reader.meta().time;
    replay(build(&text, time), time, false, || {
        while let Some(mut event) = reader.event()? {
            if tamper(&mut event) {
                return Ok(Some(event));
            }
        }
        Ok(None)
    })
}

#[test]
fn a_virtual_run_comes_out_bit_for_bit() {
    let bytes = virtual_bytes(2500);
    let outcome = replayed(&bytes, |_| true);
    assert_eq!(
        (
            outcome.ticks,
            outcome.first_difference.clone(),
            outcome.end.clone()
        ),
        (2500, None, End::Complete)
    );
    assert!(outcome.is_identical() && outcome.unverified_ticks == 0);
    // The run was not trivial.
    assert!(
        outcome.report.arms[0].contact_ticks > 300,
        "{:?}",
        outcome.report.arms
    );
    assert!(outcome.report.max_force_n > 0.5);
}

#[test]
fn one_flipped_bit_of_a_sample_is_found_in_its_tick() {
    let bytes = virtual_bytes(900);
    for (tick, bit) in [(40_u64, 30_u32), (600, 0), (899, 20)] {
        let outcome = replayed(&bytes, |event| {
            if let Event::Tick(t) = event
                && t.tick == tick
            {
                let x = &mut t.arms[0].input.sample.pose.position_m[2].0;
                *x = f64::from_bits(x.to_bits() ^ (1 << bit));
            }
            true
        });
        let Some(d) = outcome.first_difference else {
            panic!("bit {bit} of tick {tick} was not noticed")
        };
        assert_eq!(d.tick, tick);
        assert_ne!(d.recorded, d.replayed);
        assert_eq!(outcome.end, End::Complete);
    }
}

#[test]
fn one_flipped_bit_of_a_force_is_found_in_its_tick() {
    let bytes = virtual_bytes(700);
    let outcome = replayed(&bytes, |event| {
        if let Event::Tick(t) = event
            && t.tick == 650
        {
            let f = &mut t.arms[0].output.sent.force_n[0].0;
            *f = f64::from_bits(f.to_bits() ^ 1);
        }
        true
    });
    let d = outcome.first_difference.expect("noticed");
    assert_eq!((d.tick, d.what), (650, "sent.force_n"));
    assert_eq!(outcome.differing_ticks, 1);
}

#[test]
fn lost_records_are_seen() {
    let bytes = virtual_bytes(300);
    let lost = replayed(&bytes, |e| !matches!(e, Event::Tick(t) if t.tick == 100));
    assert_eq!(lost.ticks, 99);
    assert!(
        matches!(&lost.end, End::Gap(why) if why.contains("ticks 100 to 100 are missing")),
        "{:?}",
        lost.end
    );
    assert!(!lost.is_identical());
    let lost = replayed(&bytes, |e| !matches!(e, Event::Step(s) if s.step == 100));
    assert!(
        matches!(&lost.end, End::Gap(why) if why.contains("collision steps 100 to 100 are missing")),
        "{:?}",
        lost.end
    );
    assert!(!lost.is_identical());
    // All steps of the end are gone: a run ends with a tail of a few ticks, a longer one is a loss.
    let lost = replayed(&bytes, |e| !matches!(e, Event::Step(s) if s.step > 290));
    assert!(
        lost.is_identical() && lost.unverified_ticks > 0 && lost.unverified_ticks <= 10,
        "{lost:?}"
    );
    let lost = replayed(&bytes, |e| !matches!(e, Event::Step(s) if s.step > 10));
    assert!(
        !lost.is_identical() && matches!(lost.end, End::Gap(_)),
        "{lost:?}"
    );
}

/// A run as in real time: answers late, skipped and missing, steps written long after the ticks
/// that use them, skipped periods, arms that come and go, gains and limits that change.
#[test]
fn a_run_with_the_disorder_of_real_time_comes_out_bit_for_bit() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let scene = format!(
        "{SCENE}\n[[arm]]\nname = \"left\"\nkind = \"simulated\"\nintention = \"press\"\ntool = {{ kind = \"sphere\", radius_m = 0.004 }}\n"
    );
    let mut setup = build(&scene, Time::Real);
    let output = Memory::new(usize::MAX);
    let mut sink = recorder(&scene, Time::Real, output.clone(), u64::MAX).expect("begins");
    let mut late: Vec<(u64, StepLog)> = Vec::new();
    let mut ready: Vec<(u64, Box<Snapshot>)> = Vec::new();
    let mut newest_due = 0;
    let mut now_ns = 5_000_000_000;
    let mut step = 0;
    let mut applied = Vec::new();
    let mut inputs = [ArmInput::default(); MAX_ARMS];
    let mut gains = session_setup::gains::gains(
        &setup.arms[0].spec,
        &session_setup::gains::CouplingKeys::default(),
        1e-3,
        0.0,
    );
    for tick in 1..=2500_u64 {
        let periods = if random.below(50) == 0 {
            1 + random.below(4) as u32
        } else {
            1
        };
        now_ns += setup.period_ns * u64::from(periods);
        for (i, input) in inputs.iter_mut().enumerate().take(2) {
            if random.below(5) > 0 {
                let t = tick as f64 * 1e-3;
                let z = -0.03 + 0.03 * (5.0 * t + i as f64).cos();
                let x = 0.02 * (3.0 * t).sin() + if i == 0 { 0.0 } else { 0.05 };
                input.sample = ArmSample {
                    time_ns: now_ns - 300_000,
                    sequence: input.sample.sequence + 1,
                    pose: Pose::translation(x, 0.01 * t, z),
                    linear_velocity: Vec3::new(
                        0.06 * (3.0 * t).cos(),
                        0.01,
                        -0.15 * (5.0 * t + i as f64).sin(),
                    ),
                    temperature_c: (i == 1).then_some(31.7),
                    status: ArmStatus::default(),
                    ..ArmSample::default()
                };
            }
            input.attached = !(i == 1 && (900..1100).contains(&tick));
        }
        let mut newest: [Option<Box<Snapshot>>; MAX_ARMS] = [const { None }; MAX_ARMS];
        for (_, snapshot) in ready.extract_if(.., |(due, _)| *due <= tick) {
            let arm = snapshot.arm;
            newest[arm] = Some(snapshot);
        }
        for snapshot in newest.into_iter().flatten() {
            setup.core.offer(snapshot);
        }
        if tick % 400 == 0 {
            gains.stiffness_n_per_m = 300.0 + tick as f64 / 7.0;
            setup.core.set_gains(0, gains);
        }
        if tick % 600 == 0 {
            setup.core.clear_faults(0);
        }
        if tick == 1500 {
            let limits = Limits {
                peak_force_n: 1.25,
                ..Limits::default()
            };
            setup.core.tighten(0, &limits).expect("tighter");
        }
        // A technician releases it.
        if tick == 2000 {
            setup
                .core
                .tighten(0, &Limits::default())
                .expect("as before");
        }
        setup.core.tick(&LoopInput {
            now_ns,
            periods,
            arms: inputs,
            stopping: tick > 2400,
            cut: false,
            silent: match tick {
                700..710 => Silent::NONE.with(Watched::Supervisor),
                1300..1380 => Silent::NONE.with(Watched::Ipc).with(Watched::Scribe),
                _ => Silent::NONE,
            },
        });
        if tick == 77 {
            setup.core.blame_device();
        }
        let record = *setup.core.stamp(now_ns, now_ns + 10, now_ns + 20);
        while setup.core.take_retired().is_some() {}
        // The newest query replaces one that was not answered.
        let query: Query = setup.core.query();
        sink.tick(&record).expect("written");
        if random.below(3) > 0 {
            if tick > 600 && random.below(200) == 0 {
                let mut spec = torus();
                spec.name = format!("ring {tick}");
                spec.world_from_body = Pose::translation(0.1, 0.1, 0.2);
                applied.extend(
                    setup
                        .collider
                        .apply_logged(SceneCommand::Add(Box::new(spec)))
                        .1,
                );
                if random.below(2) == 0 {
                    step += 1;
                    late.push((
                        tick,
                        StepLog {
                            step,
                            query_tick: 0,
                            applied: std::mem::take(&mut applied),
                            last_sequence: 0,
                            deformable: false,
                            work: WorkLog::default(),
                        },
                    ));
                }
            }
            {
                // Sometimes there is no buffer left for the second arm, or for any.
                let mut buffers = if random.below(40) == 0 {
                    random.below(2)
                } else {
                    2
                };
                // The ring keeps the order.
                let due = newest_due.max(tick + 1 + random.below(6));
                newest_due = due;
                let last_sequence = setup.collider.answer(
                    &query,
                    || {
                        buffers = buffers.checked_sub(1)?;
                        Some(Box::new(Snapshot::new(setup.pair_capacity)))
                    },
                    |snapshot| ready.push((due, snapshot)),
                );
                step += 1;
                let log = StepLog {
                    step,
                    query_tick: query.tick,
                    applied: std::mem::take(&mut applied),
                    last_sequence,
                    deformable: false,
                    work: WorkLog::default(),
                };
                late.push((tick, log));
            }
        }
        // The log of a step comes up to 30 ticks after it, in order.
        while late
            .first()
            .is_some_and(|(at, _)| at + 30 < tick || random.below(4) == 0)
        {
            sink.step(&late.remove(0).1).expect("written");
        }
    }
    for (_, log) in late {
        sink.step(&log).expect("written");
    }
    sink.finish().expect("closed");
    let bytes = output.take();
    let outcome = replayed(&bytes, |_| true);
    assert_eq!(
        (
            outcome.first_difference.clone(),
            outcome.end.clone(),
            outcome.ticks
        ),
        (None, End::Complete, 2500)
    );
    assert!(
        outcome.report.arms[0].contact_ticks > 100,
        "{:?}",
        outcome.report.arms
    );
    // Without the gains, or without the limits, the replay would differ.
    for forget in ["gains", "limits"] {
        let outcome = replayed(&bytes, |event| {
            if let Event::Tick(t) = event {
                for arm in &mut t.arms {
                    match forget {
                        "gains" if t.tick > 1 => arm.input.gains = None,
                        "limits" => arm.input.limits = None,
                        _ => {}
                    }
                }
            }
            true
        });
        assert!(
            outcome.first_difference.is_some(),
            "{forget} do not matter?"
        );
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

#[test]
fn the_effective_configuration_reads_back_the_same() {
    for text in [SCENE, include_str!("../../../config/demo.toml")] {
        let loaded = parse(text);
        assert_eq!(parse(&loaded.effective_toml()).config, loaded.config);
    }
}

#[test]
fn a_recording_brings_its_meshes_along() {
    let ball = "v 0 0 0\nv 0.05 0 0\nv 0 0.05 0\nv 0 0 0.05\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let folder = files::Unpacked::new(
        &mut parse("[[body]]\nname = \"b\"\nshape = { kind = \"mesh\", file = \"x.obj\" }\n")
            .config,
        &[Embedded {
            path: "../a b/x.obj".into(),
            bytes: ball.into(),
        }],
    )
    .expect("unpacked");
    let mut named =
        parse("[[body]]\nname = \"b\"\nshape = { kind = \"mesh\", file = \"x.obj\" }\n").config;
    let again = files::Unpacked::new(
        &mut named,
        &[Embedded {
            path: "x.obj".into(),
            bytes: ball.into(),
        }],
    )
    .expect("unpacked");
    let paths = files::paths(&mut named);
    assert_eq!(std::fs::read_to_string(&*paths[0]).expect("there"), ball);
    let at = paths[0].clone();
    // Recorded from there, and read from the recording after the folder is gone.
    let text = format!(
        "{SCENE}\n[[body]]\nname = \"b\"\nshape = {{ kind = \"mesh\", file = \"{}\" }}\n",
        at.display()
    );
    let output = Memory::new(usize::MAX);
    recorder(&text, Time::Virtual, output.clone(), u64::MAX)
        .expect("begins")
        .finish()
        .expect("ends");
    drop((folder, again));
    assert!(!at.exists());
    let bytes = output.take();
    let r = reader(&bytes).expect("a recording");
    let mut config = parse(r.config().expect("there")).config;
    assert!(session_setup::build(&config, Path::new(""), true).is_err());
    let unpacked = files::Unpacked::new(&mut config, &r.files()).expect("unpacked");
    let setup = session_setup::build(&config, Path::new(""), true).expect("complete");
    assert_eq!(setup.collider.infos().len(), 3);
    drop(unpacked);
    // The number of files must match the configuration.
    assert!(files::Unpacked::new(&mut config, &[]).is_err());
}

#[test]
fn the_schemas_name_every_field() {
    fn covered(schema: &serde_json::Value, value: &serde_json::Value, at: &str) {
        use serde_json::Value as V;
        match value {
            V::Object(fields) => {
                for (name, field) in fields {
                    let of = &schema["properties"][name];
                    assert!(of.is_object(), "{at}.{name} has no schema");
                    covered(of, field, &format!("{at}.{name}"));
                }
            }
            V::Array(items) => items
                .iter()
                .for_each(|i| covered(&schema["items"], i, &format!("{at}[]"))),
            V::Number(n) => {
                let kind = schema["type"].as_str();
                assert!(
                    kind == Some("number") || (kind == Some("integer") && !n.is_f64()),
                    "{at}: {kind:?}"
                );
            }
            V::Bool(_) => assert_eq!(schema["type"], "boolean", "{at}"),
            V::String(_) => assert_eq!(schema["type"], "string", "{at}"),
            V::Null => panic!("{at} is null"),
        }
    }
    let bytes = virtual_bytes(1310);
    let mut r = reader(&bytes).expect("a recording");
    let mut commands = 0;
    while let Some(event) = r.event().expect("whole") {
        match &event {
            Event::Tick(t) => covered(
                &schema::tick(),
                &serde_json::to_value(&**t).expect("json"),
                "tick",
            ),
            Event::Step(s) => {
                commands += s.applied.len();
                covered(
                    &schema::collision(),
                    &serde_json::to_value(&**s).expect("json"),
                    "collision",
                );
            }
            Event::Event(e) => covered(
                &schema::event(),
                &serde_json::to_value(e).expect("json"),
                "event",
            ),
        }
    }
    assert_eq!(commands, 4);
}

#[test]
fn a_tick_that_holds_no_number_survives_too() {
    let mut record = hapticd_loop::record::TickRecord::new();
    record.arms[0].sample.pose.translation.vector.x = f64::NAN;
    record.arms[0].wanted.force_n.y = f64::NEG_INFINITY;
    record.arms[0].sent.force_n.z = -0.0;
    record.arms[0].sample.temperature_c = Some(0.1);
    let message = TickMessage::of(&record, 1, &mut Default::default());
    let text = serde_json::to_string(&message).expect("json");
    let again: TickMessage = serde_json::from_str(&text).expect("reads back");
    assert_eq!(again, message);
    let sample = again.input().arms[0].sample;
    assert!(sample.pose.translation.vector.x.is_nan() && sample.temperature_c == Some(0.1));
    assert_eq!(
        again.arms[0].input.limits.as_ref().map(Limits::from),
        Some(Limits::default())
    );
}

#[test]
fn a_trajectory_is_the_recorded_motion() {
    let bytes = virtual_bytes(1200);
    let all = trajectory::keyframes_of(&mut reader(&bytes).expect("a recording")).expect("whole");
    let output = Memory::new(usize::MAX);
    let count = trajectory::extract(
        &mut reader(&bytes).expect("a recording"),
        output.clone(),
        200.0,
    )
    .expect("written");
    let bytes = output.take();
    let mut r = reader(&bytes).expect("a trajectory");
    assert!(r.meta().trajectory);
    let few = trajectory::keyframes_of(&mut r).expect("whole");
    assert_eq!(few.len() as u64, count);
    assert!(
        (200..=241).contains(&count) && all.len() > 1000,
        "{count} of {}",
        all.len()
    );
    for key in &few {
        let same = all
            .iter()
            .find(|k| (k.t_s - key.t_s).abs() < 1e-9)
            .expect("a recorded moment");
        for (a, b) in same
            .position
            .iter()
            .chain(&same.rotation)
            .zip(key.position.iter().chain(&key.rotation))
        {
            assert!((a - b).abs() < 3e-7, "{same:?} {key:?}");
        }
    }
}

/// The shipped trajectory, over the shipped terrain.
#[test]
fn the_recorded_exploration_touches_for_seconds_and_never_penetrates() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/trajectory-demo.toml");
    let loaded = config::load(&path).unwrap_or_else(|e| panic!("{e}"));
    let built =
        session_setup::build(&loaded.config, Path::new(""), true).unwrap_or_else(|e| panic!("{e}"));
    assert!(built.collider.infos()[0].triangles >= 10_000);
    let options = Options {
        duration_s: Some(5.0),
        check: true,
        sink: None,
        view: Box::new(|_| ViewAction::Continue),
        view_every: Duration::from_secs(1),
        reload: None,
        log: None,
        require_ipc: false,
    };
    let report = session::run_virtual(built, &loaded.config, options);
    let arm = &report.arms[0];
    assert_eq!(arm.checked_ticks, 5000);
    assert!(
        arm.contact_ticks > 1000,
        "{} ticks in contact",
        arm.contact_ticks
    );
    assert_eq!((report.max_penetration_m, arm.crossings), (0.0, 0));
}

#[test]
fn files_without_a_trajectory_are_not_intentions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/explore-terrain.mcap");
    assert!(std::fs::metadata(&path).expect("it ships").len() < 400_000);
    assert!(crate::intentions::load(&path).is_ok());
    let folder = files::Unpacked::new(
        &mut parse("[[body]]\nname = \"b\"\nshape = { kind = \"mesh\", file = \"x.mcap\" }\n")
            .config,
        &[],
    );
    assert!(folder.is_err());
    let mut named =
        parse("[[body]]\nname = \"b\"\nshape = { kind = \"mesh\", file = \"x.mcap\" }\n").config;
    let bytes = b"no recording".to_vec();
    let unpacked = files::Unpacked::new(
        &mut named,
        &[Embedded {
            path: "x.mcap".into(),
            bytes,
        }],
    )
    .expect("unpacked");
    let error = crate::intentions::load(files::paths(&mut named)[0]).expect_err("refused");
    assert!(
        error.to_string().ends_with("it is not an MCAP file"),
        "{error}"
    );
    drop(unpacked);
}

fn drain(reader: &mut Reader<Cursor<&[u8]>>) -> Result<u64, ReadError> {
    let mut ticks = 0;
    while let Some(event) = reader.event()? {
        ticks += u64::from(matches!(event, Event::Tick(_)));
    }
    Ok(ticks)
}
