//! The real-time gate of the loop: ten thousand turns through every state without an allocation,
//! and (under RealtimeSanitizer) without a lock or a blocking call.
//!
//! On any toolchain a counting allocator watches this thread. Built with `RUSTC_BOOTSTRAP=1
//! RUSTFLAGS="-Zsanitizer=realtime --cfg rtsan"`, `turn` below is also real-time to the sanitizer,
//! which ends the process at the first offence. `hapticd-rtgate` shows that the sanitizer does so.
#![cfg_attr(rtsan, feature(sanitize))]

use std::path::Path;

use hapticd::session_setup::{self, Source};
use hapticd_collision::deformable;
use hapticd_counting::{Counting, counted};
use hapticd_devices::arm::ArmCommand;
use hapticd_devices::safety::Limits;
use hapticd_geometry::{Pose, Vec3};
use hapticd_loop::contact_events::ContactFeed;
use hapticd_loop::core::ArmInput;
use hapticd_loop::effects::{Effect, EffectChange, EffectKind, EffectOrder};
use hapticd_loop::events::EventFeed;
use hapticd_loop::grasp::{GraspChange, GraspOrder};
use hapticd_loop::limits::{self, Restriction};
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::{BodyOrder, Silencing, TickRecord};
use hapticd_loop::thread::{DeformableLinks, Flags, Links, Moment, Turns};
use hapticd_loop::watchdog::{Beat, Guard};
use hapticd_loop::workspace::{Bubble, Mapping, WorkspaceChange, WorkspaceOrder};
use hapticd_proxy::{DeformableSnapshot, Phase, Query, Snapshot};
use hapticd_sync::{latest, ring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn turn(turns: &mut Turns<(ContactFeed, EventFeed)>, moment: Moment, flags: &Flags) {
    turns.turn(moment, flags);
}

/// An arm with a ring, and a paddle that sweeps through its workspace.
const RING_AND_PADDLE: &str = r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "explore"
tool = { kind = "torus", major_radius_m = 0.012, minor_radius_m = 0.004, major_segments = 24, minor_segments = 12 }
world_from_base = { position_m = [0.0, 0.0, 0.04] }

[[body]]
name = "paddle"
kind = "kinematic"
shape = { kind = "cuboid", size_m = [0.08, 0.01, 0.04] }
position_m = [0.0, 0.0, 0.02]
motion = { kind = "rotation", axis = [0.0, 0.0, 1.0], period_s = 2.0 }
"#;

const GROUND: &str = r#"
[[body]]
name = "ground"
shape = { kind = "terrain", size_m = [0.3, 0.3], amplitude_m = 0.015, cells = 40, seed = 3 }
"#;

const JELLY: &str = r#"
[[body]]
name = "jelly"
kind = "soft"
shape = { kind = "cuboid", size_m = [0.16, 0.16, 0.02] }
position_m = [0.0, 0.0, -0.01]
pinned = "bottom"
soft = { young_modulus_pa = 20000, cells = 12 }
"#;

const FLUID: &str = r#"
[[body]]
name = "tub"
shape = { kind = "inner_corner", size_m = 0.2 }
position_m = [-0.08, -0.08, -0.03]

[[body]]
name = "syrup"
kind = "implicit"
shape = { kind = "cuboid", size_m = [0.12, 0.12, 0.05] }
implicit = { model = "fluid", sphere_radius_m = 0.008, blending = "controlled" }
"#;

/// Drives the loop with the collision side inline (outside the watched section): free, touching,
/// pushed by a body, starved of answers, unplugged and back, retuned, stalled, deprived of a body,
/// stopping.
fn drive(text: &str) -> [u64; 4] {
    let context = hapticd_config::Context::new(".", |_| None);
    let loaded = hapticd_config::parse("gate.toml", text, &context).unwrap();
    let setup = session_setup::build(&loaded.config, Path::new("."), true).unwrap();
    let period = setup.period_ns;
    let capacity = setup.pair_capacity;
    let mut collider = setup.collider;
    let mut scene = setup.deformable;
    let (soft_query_writer, mut soft_queries) = latest::latest(Query::default());
    let (mut answer_in, answers) = ring::ring(32);
    let (soft_used, mut soft_used_out) = ring::ring(64);
    let soft_links = scene.is_some().then_some(DeformableLinks {
        answers,
        used: soft_used,
        queries: soft_query_writer,
    });
    let Source::Simulated(mut arm) = setup.arms.into_iter().next().unwrap().source else {
        panic!("the gate's arm is simulated");
    };
    let (mut input, input_reader) = latest::latest(ArmInput::default());
    let (command_writer, mut command) = latest::latest(ArmCommand::default());
    let (query_writer, mut queries) = latest::latest(Query::default());
    let (mut snapshot_in, snapshots) = ring::ring(32);
    let (used, mut used_out) = ring::ring(64);
    let (records, mut record_out) = ring::ring::<TickRecord>(16);
    let (mut gone_in, gone) = ring::ring(8);
    let (mut orders_in, orders) = ring::ring(8);
    let base = Limits::from(&loaded.config.safety);
    let (composer, mut configured, mut restrictions) = limits::link(&setup.core, base);
    let beat = Beat::default();
    let guard = Guard::new([Some((beat.clone(), 90)), None, None, None]);
    // Not read for so long that a ring is full.
    let (events, mut told, _scribe) = EventFeed::new();
    let (contact_events, mut told_contacts) = ContactFeed::new();
    let links = Links {
        inputs: [Some(input_reader), None, None, None],
        commands: [Some(command_writer), None, None, None],
        snapshots,
        used,
        queries: query_writer,
        deformable: soft_links,
        records,
        limits: composer,
        gone,
        orders,
        guard,
        publisher: (contact_events, events),
    };
    let flags = Flags::new();
    let mut turns = Turns::new(setup.core, links);
    let mut spare: Vec<Box<Snapshot>> =
        (0..24).map(|_| Box::new(Snapshot::new(capacity))).collect();
    let mut soft_spare: Vec<Box<DeformableSnapshot>> = (0..16).map(|_| Box::default()).collect();
    let (mut calls, mut touching, mut faults, mut held) = (0, 0, 0, 0);
    let mut now = 0;
    for k in 0..10_000u64 {
        let periods = if k == 6000 { 30 } else { 1 };
        now += period * u64::from(periods);
        if let Some(sample) = arm.step(now, command.read().0) {
            // Unplugged for a while.
            let attached = !(4000..4100).contains(&k);
            input.write(ArmInput {
                sample,
                attached,
                truth: Some(arm.truth()),
            });
        } else if (4000..4100).contains(&k) {
            input.write(ArmInput::default());
        }
        if k % 1000 == 500 {
            configured.set_gains(turns.core().engine().gains(0).into_iter());
        }
        // A client tightens, faults are cleared, a technician releases the limits; the
        // configuration is read again.
        if k % 1000 == 700 {
            restrictions.change(|all| {
                let peak_force_n = 1.0 + (k % 3) as f64;
                all.arms[0] = match k / 1000 % 2 {
                    0 => Restriction {
                        peak_force_n,
                        ..Restriction::NONE
                    },
                    _ => Restriction::NONE,
                };
                all.clears[0] += 1;
            });
            configured.set_limits(base, true);
        }
        // A supervisor that hangs for a while, after which its stop is cleared.
        if !(2000..2200).contains(&k) {
            beat.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        if k == 2300 {
            restrictions.change(|all| all.clears[0] += 1);
        }
        // A client is silent for a while, again and again.
        if k % 500 == 250 {
            for body in 1..=4 {
                let silent = k % 1000 == 250;
                let order = BodyOrder::Silence(Silencing { body, silent });
                gone_in.push(order).unwrap();
            }
        }
        // Effects of every law come and go, and places that do not exist.
        if k % 40 == 7 {
            let kind = EffectKind::ALL[(k / 40 % 9) as usize];
            let effect = Effect {
                kind,
                magnitude_n: 1.0,
                coefficient: 50.0,
                frequency_hz: 80.0,
                range_m: 0.2,
                cap_n: 2.0,
                duration_s: 0.5,
                ..Effect::default()
            };
            for change in [EffectChange::Start(effect), EffectChange::Stop] {
                let place = (k / 40 % 11) as u8;
                let order = LoopOrder::Effect(EffectOrder { place, change });
                orders_in.push(order).unwrap();
            }
        }
        // The arm takes what it touches, or a body by its number, and lets go.
        let grasp = match k % 90 {
            45 if k % 180 == 45 => Some(GraspChange::Take(0)),
            45 => Some(GraspChange::Take(3 + (k / 90 % 4) as u32)),
            80 => Some(GraspChange::LetGo),
            _ => None,
        };
        if let Some(change) = grasp {
            let order = LoopOrder::Grasp(GraspOrder { arm: 0, change });
            orders_in.push(order).unwrap();
        }
        // An application moves the arm's frame, with a bubble, and clutches.
        // Half of the time the scene is as it is configured.
        if k > 5000 && k % 40 == 27 {
            let mapping = Mapping {
                world_from_base: Pose::translation(0.0, 1e-6 * k as f64, 0.04),
                scale: 1.0 + (k / 40 % 3) as f64,
                max_speed_m_s: 0.1,
                recentre: k / 40 % 5 == 0,
                bubble: (k / 40 % 2 == 0).then_some(Bubble {
                    centre_m: Vec3::zeros(),
                    radius_m: 0.01,
                    width_m: 0.02,
                    max_speed_m_s: 0.01,
                    stiffness_n_per_m: 50.0,
                    cap_n: 0.5,
                }),
            };
            for change in [
                WorkspaceChange::Map(mapping),
                WorkspaceChange::Clutch(k / 40 % 7 == 0),
            ] {
                let arm = (k / 40 % 11 == 0).into();
                let order = LoopOrder::Workspace(WorkspaceOrder { arm, change });
                orders_in.push(order).unwrap();
            }
        }
        // The moving body is gone, and one that never existed.
        if k == 9_000 {
            gone_in.push(BodyOrder::Forget(2)).unwrap();
            gone_in.push(BodyOrder::Forget(99)).unwrap();
        }
        if k == 9_900 {
            flags
                .stopping
                .store(true, std::sync::atomic::Ordering::Relaxed);
        }
        let moment = Moment {
            deadline_ns: now,
            periods,
            signalled_ns: now,
            awake_ns: now,
            device_late: k % 777 == 0,
        };
        let ((), n) = counted(|| turn(&mut turns, moment, &flags));
        calls += n;
        // The records' ring is sometimes left full: a slow scribe.
        if k % 64 == 0 {
            while let Some(record) = record_out.pop() {
                let arm = &record.arms[0];
                let is_in = arm.insertion.phase == Phase::Inserted;
                touching += u64::from(arm.contacts > 0 || is_in);
                faults += u64::from(record.arms[0].reason != 0);
                held += u64::from(arm.grasped != 0);
            }
        }
        while let Some(buffer) = used_out.pop() {
            spare.push(buffer);
        }
        while let Some(buffer) = soft_used_out.pop() {
            soft_spare.push(buffer);
        }
        if let Some(scene) = &mut scene
            && !(7000..7200).contains(&k)
        {
            let query = *soft_queries.read().0;
            deformable::answer(
                scene,
                &query,
                || soft_spare.pop(),
                |s| assert!(answer_in.push(s).is_ok()),
            );
        }
        // No answers for a while: starvation.
        if !(7000..7100).contains(&k) {
            let query = *queries.read().0;
            collider.answer(
                &query,
                || spare.pop(),
                |s| assert!(snapshot_in.push(s).is_ok()),
            );
        }
    }
    assert!(told.pop().is_some(), "the loop told of nothing");
    // A needle alone has no contacts; then there was nothing to take.
    assert!(told_contacts.pop().is_some(), "the loop told of no contact");
    [calls, touching, faults, held]
}

/// Runs ten thousand turns with the configuration in `text`; returns in how many of the seen ticks
/// the arm held a body.
fn ten_thousand_turns(text: &str) -> u64 {
    let [calls, touching, faults, held] = drive(text);
    assert_eq!(calls, 0, "the loop called the allocator");
    // The gate is meaningful only if the loop had work to do.
    assert!(
        touching > 200,
        "touched in {touching} of the seen ticks only"
    );
    assert!(faults > 5, "{faults} faulty ticks were seen");
    held
}

#[test]
fn a_sphere_allocates_nothing() {
    ten_thousand_turns(include_str!("../../config/demo.toml"));
}

#[test]
fn a_mesh_allocates_nothing() {
    // The paddle is the second rigid body, in addition to the ground.
    ten_thousand_turns(&[GROUND, RING_AND_PADDLE].concat());
}

#[test]
fn loose_blocks_allocate_nothing() {
    let held = ten_thousand_turns(include_str!("../../config/blocks.toml"));
    assert!(held > 30, "held something in {held} of the seen ticks only");
}

#[test]
fn cloth_allocates_nothing() {
    ten_thousand_turns(include_str!("../../config/cloth.toml"));
}

#[test]
fn a_mesh_on_jelly_allocates_nothing() {
    ten_thousand_turns(&[JELLY, RING_AND_PADDLE].concat());
}

#[test]
fn a_ball_on_a_coil_allocates_nothing() {
    ten_thousand_turns(include_str!("../../config/coil.toml"));
}

#[test]
fn a_ball_on_an_intestine_allocates_nothing() {
    ten_thousand_turns(include_str!("../../config/intestine.toml"));
}

#[test]
fn a_ball_on_a_skull_of_samples_allocates_nothing() {
    ten_thousand_turns(include_str!("../../config/skull.toml"));
}

#[test]
fn a_needle_in_tissue_allocates_nothing() {
    ten_thousand_turns(include_str!("../../config/needle.toml"));
}

#[test]
fn a_disc_in_the_plane_allocates_nothing() {
    ten_thousand_turns(include_str!("../../config/planar.toml"));
}

#[test]
fn a_mesh_in_a_fluid_allocates_nothing() {
    ten_thousand_turns(&[FLUID, RING_AND_PADDLE].concat());
}
