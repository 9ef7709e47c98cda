//! The work of the dynamics comes back at any time: what is recorded of that is enough to replay.

use super::*;
use hapticd_collision::collider::Begun;
use hapticd_collision::command::Applied;
use hapticd_loop::watchdog::Silent;
use hapticd_scene::{BodyPush, Work};

const SCENE: &str = r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = { kind = "sphere", radius_m = 0.008 }

[[body]]
name = "table"
shape = { kind = "cuboid", size_m = [0.3, 0.3, 0.02] }
position_m = [0.0, 0.0, -0.01]

[[body]]
name = "slider"
kind = "kinematic"
shape = { kind = "cuboid", size_m = [0.02, 0.1, 0.02] }
position_m = [-0.06, 0.0, 0.0105]
motion = { kind = "oscillation", amplitude_m = [0.015, 0.0, 0.0], period_s = 1.1 }
"#;

fn block(number: u64, at: Vec3) -> BodySpec {
    BodySpec {
        name: format!("block {number}"),
        kind: BodyKind::Dynamic,
        shape: hapticd_scene::Shape::of(shapes::cuboid(&Vec3::new(0.01, 0.012, 0.008)).unwrap()).0,
        solid: true,
        world_from_body: Pose::translation(at.x, at.y, at.z),
        material: Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1500.0,
    }
}

/// Which cases the run had.
#[derive(Debug, Default)]
struct Seen {
    added: u64,
    refused: u64,
    removed: u64,
    landed: u64,
    away: u64,
    touching: u64,
    placed: u64,
    pushed: u64,
}

/// An order about one of these bodies that takes effect at once.
fn at_once(below: &mut impl FnMut(u64) -> u64, ids: &[u32]) -> SceneCommand {
    let id = ids[below(ids.len() as u64) as usize];
    let mut signed = || below(2001) as f64 * 1e-3 - 1.0;
    let vector = Vec3::new(signed(), signed(), signed());
    let at = Vec3::new(0.05 * signed(), 0.04 * signed(), 0.03);
    let push = match below(3) {
        0 => BodyPush::Impulse {
            impulse_n_s: vector * 0.01,
            moment_nm_s: vector * 1e-5,
            point: at,
        },
        1 => BodyPush::Velocity {
            linear_m_s: vector,
            angular_rad_s: vector * 10.0,
        },
        _ => {
            let world_from_body = Pose::translation(at.x, at.y, at.z);
            return SceneCommand::Place {
                id,
                world_from_body,
            };
        }
    };
    let push = Box::new(push);
    SceneCommand::Push { id, push }
}

/// Runs a hand that stirs blocks that come and go; each piece of work comes back after up to `most`
/// steps. With `orders`, blocks are also placed and pushed at once. Returns the recording.
fn stirred(most: u64, orders: bool, seen: &mut Seen) -> Vec<u8> {
    let mut seed = 7_u64;
    let mut below = |n: u64| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let mut setup = build(SCENE, Time::Real);
    let output = Memory::new(usize::MAX);
    let mut sink = recorder(SCENE, Time::Real, output.clone(), u64::MAX).expect("begins");
    let (mut now_ns, mut step, mut number) = (5_000_000_000, 0, 0);
    let mut input = [ArmInput::default(); MAX_ARMS];
    let mut waiting: Option<(u64, Box<Work>)> = None;
    let mut adding: Option<SceneCommand> = None;
    let mut ids = Vec::new();
    let mut ready: Vec<(u64, Box<Snapshot>)> = Vec::new();
    for tick in 1..=4000_u64 {
        now_ns += setup.period_ns;
        let t = tick as f64 * 1e-3;
        let hand = Vec3::new(0.05 * (3.0 * t).sin(), 0.04 * (4.1 * t).cos(), 0.012);
        input[0] = ArmInput {
            sample: ArmSample {
                time_ns: now_ns - 300_000,
                sequence: tick,
                pose: Pose::translation(hand.x, hand.y, hand.z + (0.1 - 0.2 * t).max(0.0)),
                status: ArmStatus::default(),
                ..ArmSample::default()
            },
            attached: true,
            truth: None,
        };
        for (_, snapshot) in ready.extract_if(.., |(due, _)| *due <= tick) {
            setup.core.offer(snapshot);
        }
        setup.core.tick(&LoopInput {
            now_ns,
            periods: 1,
            arms: input,
            stopping: false,
            cut: false,
            silent: Silent::NONE,
        });
        let record = *setup.core.stamp(now_ns, now_ns + 10, now_ns + 20);
        while setup.core.take_retired().is_some() {}
        seen.touching += u64::from(record.arms[0].wanted.force_n.norm() > 0.05);
        sink.tick(&record).expect("written");

        let mut applied: Vec<Applied> = Vec::new();
        let mut landed = false;
        if let Some((due, work)) = &mut waiting
            && *due <= tick
        {
            work.run();
            if let Some((_, work)) = waiting.take() {
                match setup.collider.finish(*work) {
                    None => landed = true,
                    Some(result) => {
                        let command = adding.take().expect("one");
                        let (reply, done) = setup.collider.added(result, command);
                        match reply {
                            SceneReply::Added(id) => ids.push(id),
                            SceneReply::Done => {}
                            _ => seen.refused += 1,
                        }
                        applied.extend(done);
                    }
                }
            }
        }
        let command = match below(60) {
            0..=1 if ids.len() < 12 => {
                number += 1;
                let x = below(100) as f64 * 1e-3 - 0.05;
                let at = Vec3::new(
                    x,
                    below(80) as f64 * 1e-3 - 0.04,
                    0.02 + 0.001 * below(40) as f64,
                );
                Some(SceneCommand::Add(Box::new(block(number, at))))
            }
            2 if ids.len() > 6 => Some(SceneCommand::Remove { id: ids[0] }),
            3..=12 if orders && ids.len() > 2 => Some(at_once(&mut below, &ids)),
            _ => None,
        };
        if let Some(command) = command
            && !setup.collider.must_wait(&command)
        {
            match setup.collider.begin(&command).0 {
                Begun::Done(SceneReply::Done, done) => {
                    if let SceneCommand::Remove { .. } = command {
                        ids.remove(0);
                        seen.removed += 1;
                    }
                    applied.extend(done);
                }
                Begun::Done(SceneReply::Refused(_), _) if orders => seen.refused += 1,
                Begun::Done(reply, _) => panic!("{reply:?}"),
                Begun::Working => {
                    adding = Some(command);
                    let work = setup.collider.take_work().expect("to be done");
                    waiting = Some((tick + 1 + below(most), work));
                }
            }
        }
        let query = setup.core.query();
        let due = tick + 1 + below(most);
        let answered = setup.collider.answer_with(
            &query,
            false,
            |mut work| {
                if due > tick + 1 {
                    waiting = Some((due, work));
                    return None;
                }
                work.run();
                Some(work)
            },
            || Some(Box::new(Snapshot::new(setup.pair_capacity))),
            |snapshot| ready.push((tick + 2, snapshot)),
        );
        seen.away += u64::from(answered.work.away);
        seen.landed += u64::from(landed);
        seen.added += applied
            .iter()
            .filter(|a| matches!(a.command, SceneCommand::Add(_)))
            .count() as u64;
        for applied in &applied {
            seen.placed += u64::from(matches!(applied.command, SceneCommand::Place { .. }));
            seen.pushed += u64::from(matches!(applied.command, SceneCommand::Push { .. }));
        }
        step += 1;
        let log = StepLog {
            step,
            query_tick: query.tick,
            applied,
            last_sequence: answered.last_sequence,
            deformable: false,
            work: WorkLog {
                landed,
                ..answered.work
            },
        };
        sink.step(&log).expect("written");
    }
    sink.finish().expect("closed");
    output.take()
}

#[test]
fn dynamics_that_come_back_late_replay_bit_for_bit() {
    let mut seen = Seen::default();
    let bytes = stirred(12, false, &mut seen);
    let outcome = replayed(&bytes, |_| true);
    assert_eq!(
        (outcome.first_difference.clone(), outcome.end.clone()),
        (None, End::Complete)
    );
    assert!(outcome.ticks == 4000 && seen.touching > 100, "{seen:?}");
    assert!(
        seen.added > 10 && seen.refused > 0 && seen.removed > 3,
        "{seen:?}"
    );
    assert!(seen.landed > 100 && seen.away > 500, "{seen:?}");
    // Without the record of when the work came back, the replay differs.
    let outcome = replayed(&bytes, |event| {
        if let Event::Step(step) = event {
            step.dynamics_landed = false;
            step.dynamics_away = false;
            step.dynamics_awaited = false;
        }
        true
    });
    assert!(outcome.first_difference.is_some() || outcome.end != End::Complete);
}

/// Orders that take effect at once are in the replay where they were in the run, also while work of
/// the dynamics is out.
#[test]
fn bodies_placed_and_pushed_at_once_replay_bit_for_bit() {
    let mut seen = Seen::default();
    let bytes = stirred(12, true, &mut seen);
    let outcome = replayed(&bytes, |_| true);
    assert_eq!(
        (outcome.first_difference.clone(), outcome.end.clone()),
        (None, End::Complete)
    );
    assert!(outcome.ticks == 4000 && seen.touching > 100, "{seen:?}");
    assert!(seen.placed > 20 && seen.pushed > 40, "{seen:?}");
    assert!(seen.landed > 100 && seen.away > 500, "{seen:?}");
    // It is what was recorded of them that makes them come out.
    let without = |is_it: fn(&message::CommandMessage) -> bool| {
        let outcome = replayed(&bytes, |event| {
            if let Event::Step(step) = event {
                step.applied.retain(|applied| !is_it(&applied.command));
            }
            true
        });
        outcome.first_difference.is_some() || outcome.end != End::Complete
    };
    assert!(without(|c| matches!(
        c,
        message::CommandMessage::Place { .. }
    )));
    assert!(without(|c| matches!(
        c,
        message::CommandMessage::Impulse { .. }
    )));
    assert!(without(|c| matches!(
        c,
        message::CommandMessage::Velocity { .. }
    )));
}
