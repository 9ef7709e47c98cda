//! Golden screens, and every size of terminal.

use hapticd_devices::safety::{ForceOffReason, GovernorState, Limits};
use hapticd_geometry::{Pose, Vec3};
use hapticd_sys::realtime::{Outcome, Step};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;

use super::{KeyAction, draw, key_action, plain};
use crate::scribe::{Live, LiveArm, PLOT_POINTS};
use crate::stats::{ArmReport, Missed, Percentiles, Report};

fn screen(live: &Live, paused: bool, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let state = draw::State {
        title: "demo".to_owned(),
        paused,
    };
    terminal
        .draw(|frame| draw::draw(frame, live, &state))
        .unwrap();
    terminal.backend().buffer().clone()
}

/// Returns the cells as text, without trailing spaces.
fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let row: String = (0..buffer.area.width)
            .map(|x| buffer[(x, y)].symbol())
            .collect();
        out += row.trim_end();
        out.push('\n');
    }
    out
}

/// Returns the colour of the first cell of a text on the screen.
fn colour_of(buffer: &Buffer, what: &str) -> Color {
    for y in 0..buffer.area.height {
        let row: Vec<&str> = (0..buffer.area.width)
            .map(|x| buffer[(x, y)].symbol())
            .collect();
        if let Some(at) = row.concat().find(what) {
            let cell = row.concat()[..at].chars().count();
            return buffer[(u16::try_from(cell).unwrap(), y)].fg;
        }
    }
    panic!("{what:?} is not on the screen:\n{}", text(buffer));
}

fn percentiles(p50: f64, p99: f64, p999: f64, max: f64) -> Percentiles {
    Percentiles {
        p50,
        p99,
        p999,
        max,
    }
}

fn report(arms: &[&str]) -> Report {
    Report {
        program: "hapticd 0.1.0".to_owned(),
        time: "real",
        rate_hz: 1000.0,
        ticks: 12_345,
        missed: Missed {
            total: 3,
            by_loop: 2,
            by_device: 1,
            stale_device_ticks: 12,
            collision_ticks: 4,
        },
        compute_us: percentiles(23.4, 45.6, 120.0, 800.9),
        lateness_us: percentiles(0.6, 60.5, 510.2, 1234.5),
        arms: arms
            .iter()
            .map(|name| ArmReport {
                name: (*name).to_owned(),
                max_force_n: 2.5251,
                max_contacts: 3,
                contact_ticks: 10_000,
                starved_ticks: 4,
                snapshot_age_ticks: percentiles(1.0, 3.0, 5.0, 9.0),
                pairs: percentiles(28.0, 101.0, 208.0, 328.0),
                checked_ticks: 12_340,
                unchecked_ticks: 5,
                unchecked_why: crate::stats::Unchecked {
                    busy: 3,
                    unknown_place: 2,
                    unknown_shape: 0,
                },
                force_off: [
                    ForceOffReason::StaleContact,
                    ForceOffReason::StaleInput,
                    ForceOffReason::StaleInput,
                ]
                .map(|r| r.to_string())
                .to_vec(),
                ..ArmReport::default()
            })
            .collect(),
        lost_records: 0,
        max_penetration_m: 0.0,
        max_force_n: 2.5251,
        digest: None,
        starved_ticks: 4,
        realtime: setup().iter().map(ToString::to_string).collect(),
    }
}

fn setup() -> Vec<Step> {
    vec![
        Step {
            what: "mlockall",
            outcome: Outcome::Granted("all memory, present and future".to_owned()),
        },
        Step {
            what: "SCHED_FIFO",
            outcome: Outcome::Refused {
                reason: "the limit is 0, 70 was asked".to_owned(),
                help: "raise RLIMIT_RTPRIO",
            },
        },
    ]
}

/// Returns arms of these names in free space, some seconds into the run.
fn free(names: &[&str]) -> Live {
    let mut live = Live::new();
    live.started_ns = Some(5_000_000_000);
    live.record.now_ns = 17_345_000_000;
    live.record.tick = 12_345;
    for (i, name) in names.iter().enumerate() {
        let limits = Limits {
            peak_force_n: 8.0,
            ..Limits::default()
        };
        let mut arm = LiveArm::new(name, limits, i == 1);
        arm.force_n.extend(std::iter::repeat_n(0.0, 100));
        live.arms.push(arm);
        let tick = &mut live.record.arms[i];
        tick.attached = true;
        tick.sample.sequence = 9;
        tick.input_age_ns = 1_200_000;
        tick.gains.stiffness_n_per_m = 512.3;
        tick.gains.damping_n_s_per_m = 0.4;
        tick.state = GovernorState::Active as u8;
        tick.world_from_device = Pose::translation(0.012_34, -0.005_6, 0.04);
        tick.world_from_proxy = tick.world_from_device;
        tick.snapshot_age = 3;
        tick.pairs = 28;
        tick.solid = 0b1;
    }
    live.bodies = vec![(0, "terrain".to_owned()), (1, "block".to_owned())];
    live.report = Some(report(names));
    live.compute_shape = std::array::from_fn(|i| match i {
        7 => 12_000,
        8 => 340,
        17 => 4,
        18 => 1,
        _ => 0,
    });
    live.realtime = setup();
    live.push_event("   0.039 s  right: attached".to_owned());
    live
}

fn contact() -> Live {
    let mut live = free(&["right"]);
    let tick = &mut live.record.arms[0];
    tick.world_from_proxy = Pose::translation(0.0125, -0.0055, 0.0471);
    tick.sent.force_n = Vec3::new(0.02, -0.013, 3.5);
    tick.contacts = 2;
    tick.solid = 0b1000_0011;
    live.arms[0].force_n = (0..PLOT_POINTS)
        .map(|i| 3.5 * i as f64 / PLOT_POINTS as f64)
        .collect();
    live
}

fn force_off() -> Live {
    let mut live = free(&["right"]);
    live.record.arms[0].state = GovernorState::Fault as u8;
    live.record.arms[0].reason = ForceOffReason::EmergencyStop.code();
    live.record.arms[0].wanted.force_n = Vec3::new(0.0, 0.0, 2.0);
    live.push_event("  12.300 s  right: force off: emergency stop (1)".to_owned());
    live
}

/// Returns a state in which force still fades.
fn fading() -> Live {
    let mut live = contact();
    live.record.arms[0].state = GovernorState::Fading as u8;
    live.record.arms[0].reason = ForceOffReason::Shutdown.code();
    live
}

/// Returns a state without full force, and without a cause that keeps it off.
fn without_cause(state: GovernorState) -> Live {
    let mut live = free(&["right"]);
    live.record.arms[0].state = state as u8;
    live
}

fn starved() -> Live {
    let mut live = contact();
    live.record.arms[0].starved = true;
    live.record.arms[0].snapshot_age = 17;
    live
}

#[test]
fn nothing_has_happened_yet() {
    insta::assert_snapshot!("no_arm_yet", text(&screen(&Live::new(), false, 80, 20)));
    let mut live = free(&["right"]);
    live.record.arms[0].attached = false;
    live.record.arms[0].state = GovernorState::Fault as u8;
    live.record.arms[0].reason = ForceOffReason::DeviceLost.code();
    live.report = None;
    insta::assert_snapshot!("arm_not_there", text(&screen(&live, false, 100, 24)));
}

#[test]
fn free_space_contact_off_and_starved() {
    insta::assert_snapshot!(
        "free_space",
        text(&screen(&free(&["right"]), false, 120, 40))
    );
    insta::assert_snapshot!("contact", text(&screen(&contact(), false, 120, 40)));
    insta::assert_snapshot!("force_off", text(&screen(&force_off(), false, 110, 30)));
    insta::assert_snapshot!("starved", text(&screen(&starved(), false, 110, 30)));
}

#[test]
fn other_sizes_and_two_arms() {
    insta::assert_snapshot!("narrow", text(&screen(&contact(), false, 60, 20)));
    insta::assert_snapshot!("narrow_tall", text(&screen(&contact(), true, 70, 50)));
    insta::assert_snapshot!(
        "two_arms",
        text(&screen(&free(&["left", "right"]), false, 140, 44))
    );
    insta::assert_snapshot!("tiny", text(&screen(&contact(), false, 20, 5)));
}

#[test]
fn what_is_wrong_is_red() {
    let buffer = screen(&force_off(), false, 120, 40);
    assert_eq!(
        colour_of(&buffer, "FORCE OFF: emergency stop (1)"),
        Color::Red
    );
    assert_eq!(colour_of(&buffer, "refused SCHED_FIFO"), Color::Red);
    assert_eq!(colour_of(&buffer, "mlockall"), Color::Reset);
    assert_eq!(colour_of(&buffer, "missed 3 (loop 2"), Color::Red);
    assert_eq!(colour_of(&buffer, "penetration 0 m"), Color::Green);
    assert_eq!(
        colour_of(&screen(&starved(), false, 120, 40), "HELD BACK"),
        Color::Red
    );
    let mut live = contact();
    if let Some(report) = &mut live.report {
        report.arms[0].max_penetration_m = 1e-6;
    }
    assert_eq!(
        colour_of(&screen(&live, false, 120, 40), "PENETRATION 1.00e-6 m"),
        Color::Red
    );
}

#[test]
fn a_fault_and_refused_rights_are_seen_at_every_size() {
    let mut live = force_off();
    for name in ["two", "three", "four"] {
        live.arms.push(LiveArm::new(name, Limits::default(), true));
    }
    // As far as the width goes: the words start at the left.
    for (width, fault, refused) in [
        (14, "right FORCE OF", "refused SCHED_"),
        (
            40,
            "right FORCE OFF: emergency stop (1)",
            "refused SCHED_FIFO",
        ),
        (
            140,
            "right FORCE OFF: emergency stop (1)",
            "refused SCHED_FIFO",
        ),
    ] {
        for height in 1..50 {
            let shown = text(&screen(&live, false, width, height));
            assert!(shown.contains(fault), "{width} x {height}:\n{shown}");
            let has_room = height > 1 || width >= 140;
            assert!(
                !has_room || shown.contains(refused),
                "{width} x {height}:\n{shown}"
            );
        }
    }
    live.realtime.clear();
    live.record.arms[0].state = GovernorState::Active as u8;
    assert!(super::trouble::lines(&live).is_empty());
}

#[test]
fn every_size_can_be_drawn() {
    let mut four = contact();
    for name in ["two", "three", "a rather long name of an arm indeed"] {
        four.arms.push(LiveArm::new(name, Limits::default(), true));
    }
    for live in [Live::new(), contact(), four] {
        for width in (0..30).chain([40, 60, 99, 100, 101, 140, 300]) {
            for height in (0..30).chain([39, 40, 41, 80]) {
                // A backend cannot have zero cells; a frame can.
                if width > 0 && height > 0 {
                    let _ = screen(&live, true, width, height);
                }
            }
        }
    }
}

#[test]
fn solid_names_bodies_and_tools() {
    let mut live = free(&["right", "left"]);
    live.bodies = vec![(1, "ground".to_owned())];
    let solid = 0b110 | 1 << hapticd_proxy::tool_slot(1);
    assert_eq!(
        super::text::bodies(&live, solid),
        "ground, body 2, tool of left"
    );
    assert_eq!(super::text::bodies(&live, 0), "none");
}

#[test]
fn numbers_out_of_range_can_be_drawn() {
    for bad in [f64::NAN, f64::INFINITY, -1e300, 1e300] {
        let mut live = contact();
        live.record.arms[0].sent.force_n = Vec3::repeat(bad);
        live.record.arms[0].world_from_proxy.translation.vector = Vec3::repeat(bad);
        live.arms[0].force_n.push_back(bad);
        live.arms[0].limits.peak_force_n = bad;
        live.record.arms[0].state = 200;
        live.record.arms[0].reason = 200;
        live.record.arms[0].solid = u64::MAX;
        live.compute_shape = [u64::MAX; crate::stats::BUCKETS];
        if let Some(r) = &mut live.report {
            r.rate_hz = bad;
            r.missed.total = u64::MAX / 2;
        }
        let _ = screen(&live, false, 120, 40);
        let _ = plain::line(&live);
    }
}

#[test]
fn plain_lines_and_the_summary() {
    let lines = [
        plain::line(&Live::new()),
        plain::line(&contact()),
        plain::line(&starved()),
        plain::line(&force_off()),
        plain::line(&fading()),
        plain::line(&without_cause(GovernorState::WaitingSmallForce)),
        plain::line(&without_cause(GovernorState::Ramping)),
    ];
    insta::assert_snapshot!("plain", lines.join("\n"));
    insta::assert_snapshot!("summary", report(&["right"]).to_string());
}

#[test]
fn keys() {
    let key = |code, modifiers| key_action(&KeyEvent::new(code, modifiers));
    assert_eq!(
        key(KeyCode::Char('q'), KeyModifiers::NONE),
        Some(KeyAction::Quit)
    );
    assert_eq!(key(KeyCode::Esc, KeyModifiers::NONE), Some(KeyAction::Quit));
    assert_eq!(
        key(KeyCode::Char('c'), KeyModifiers::CONTROL),
        Some(KeyAction::Quit)
    );
    assert_eq!(key(KeyCode::Char('c'), KeyModifiers::NONE), None);
    assert_eq!(
        key(KeyCode::Char('p'), KeyModifiers::NONE),
        Some(KeyAction::Pause)
    );
    assert_eq!(key(KeyCode::Char('x'), KeyModifiers::NONE), None);
}
