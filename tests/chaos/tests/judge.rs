//! The judge finds planted violations, and nothing where there are none.

use hapticd_chaos::{
    judge::{Guarantees, Verdict, judge},
    notes::{Note, What},
    recording::{ArmTick, Tick},
};

const MS: u64 = 1_000_000;

const PROMISES: Guarantees = Guarantees {
    peak_n: 4.0,
    slew_n_per_s: 1000.0,
    stall_ns: 10 * MS,
    ramp_s: 1.0,
    period_ns: MS,
    lone_arm: 0,
    top_m: -0.02,
    silent_max_n: 0.01,
    zero_ticks: 100,
    silent_ticks: 300,
};

/// A force on arm 0 in each tick, one per millisecond from 1 ms on; the hand is inside.
fn ticks(forces: impl IntoIterator<Item = f64>) -> Vec<Tick> {
    let tick = |(index, force): (usize, f64)| Tick {
        tick: index as u64 + 1,
        now_ns: (index as u64 + 1) * MS,
        arms: vec![ArmTick {
            force_n: [0.0, 0.0, force],
            wanted_n: 4.0,
            hand_z_m: -0.04,
            state: 3,
            reason: 0,
            ..ArmTick::default()
        }],
    };
    forces.into_iter().enumerate().map(tick).collect()
}

/// Notes at their milliseconds, plus those of every good episode.
fn notes(these: &[(u64, What)], end_ms: u64) -> Vec<Note> {
    let note = |at_ms: u64, what: &What| Note {
        at_ns: at_ms * MS + MS / 2,
        what: what.clone(),
    };
    let mut all: Vec<Note> = these.iter().map(|(at, what)| note(*at, what)).collect();
    let usage = |before| What::Usage {
        before,
        resident: 1 << 20,
        descriptors: 30,
        threads: 8,
    };
    let exited = What::Exited { status: Some(0) };
    all.push(note(0, &What::Listening));
    all.push(note(0, &usage(true)));
    all.push(note(end_ms, &usage(false)));
    all.push(note(end_ms, &What::Terminated));
    all.push(note(end_ms, &exited));
    all.sort_by_key(|note| note.at_ns);
    all
}

fn broken(ticks: &[Tick], notes: &[Note]) -> Vec<&'static str> {
    let verdicts: Vec<Verdict> = judge(&PROMISES, ticks, notes);
    let broken = verdicts.iter().filter(|verdict| verdict.broken > 0);
    broken.map(|verdict| verdict.rule).collect()
}

/// Appends zeros from the end on.
fn with_end(mut forces: Vec<f64>) -> (Vec<Tick>, u64) {
    let end = forces.len() as u64;
    let last = forces.last().copied().unwrap_or(0.0).ceil() as usize;
    forces.extend((0..last).rev().map(|force| force as f64));
    forces.push(0.0);
    (ticks(forces), end)
}

fn ramp_to(force: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| (k as f64).min(force)).collect()
}

#[test]
fn a_good_episode_breaks_no_rule() {
    let (ticks, end) = with_end(ramp_to(3.0, 500));
    assert_eq!(broken(&ticks, &notes(&[], end)), Vec::<&str>::new());
}

#[test]
fn a_limit_that_was_acknowledged_and_lost_is_seen() {
    let (ticks, end) = with_end(ramp_to(3.0, 500));
    let peak_n = 1.0;
    for arm in [0, 255] {
        let tightened = notes(
            &[(
                100,
                What::Tightened {
                    arm,
                    peak_n,
                    asked_ns: 100 * MS,
                },
            )],
            end,
        );
        assert_eq!(broken(&ticks, &tightened), ["limits"]);
    }
    let other = notes(
        &[(
            100,
            What::Tightened {
                arm: 1,
                peak_n,
                asked_ns: 100 * MS,
            },
        )],
        end,
    );
    assert_eq!(broken(&ticks, &other), Vec::<&str>::new());
    let reloaded = notes(&[(100, What::Reloaded { peak_n })], end);
    assert_eq!(broken(&ticks, &reloaded), ["limits"]);
}

#[test]
fn a_limit_that_is_undone_binds_no_more_but_until_then() {
    let peak_n = 1.0;
    let mut forces = ramp_to(3.0, 100);
    forces.extend([2.0, 1.0]);
    forces.extend(vec![1.0; 98]);
    forces.extend([2.0, 3.0]);
    forces.extend(vec![3.0; 300]);
    let (ticks, end) = with_end(forces);
    let tightened = (
        100,
        What::Tightened {
            arm: 0,
            peak_n,
            asked_ns: 100 * MS,
        },
    );
    let undone = notes(&[tightened.clone(), (200, What::Undoing { arm: 0 })], end);
    assert_eq!(broken(&ticks, &undone), Vec::<&str>::new());
    // Requested before the undoing was answered: which one counts is undefined.
    let crossed = [
        (150, What::Undoing { arm: 0 }),
        (250, What::Undone { arm: 0 }),
    ];
    let crossed = [vec![(260, tightened.1.clone())], crossed.to_vec()].concat();
    assert_eq!(broken(&ticks, &notes(&crossed, end)), Vec::<&str>::new());
    let late = notes(&[tightened, (300, What::Undoing { arm: 0 })], end);
    assert_eq!(broken(&ticks, &late), ["limits"]);
}

#[test]
fn a_force_that_rises_again_by_tightening_only_is_seen() {
    let mut forces = ramp_to(3.0, 100);
    forces.extend([2.0, 1.0]);
    forces.extend(vec![1.0; 98]);
    forces.extend(vec![2.0; 100]);
    let (ticks, end) = with_end(forces);
    let tighter = |arm, peak_n| What::Tightened {
        arm,
        peak_n,
        asked_ns: 100 * MS,
    };
    let steps = [(100, tighter(0, 1.0)), (200, tighter(0, 2.0))];
    assert_eq!(broken(&ticks, &notes(&steps, end)), ["limits"]);
}

#[test]
fn a_jump_is_seen_but_a_cut_to_zero_is_none() {
    let mut forces = ramp_to(3.0, 100);
    forces.push(0.0);
    let (cut, end) = with_end([forces.clone(), vec![0.0; 50]].concat());
    assert_eq!(broken(&cut, &notes(&[], end)), Vec::<&str>::new());
    let (jump, end) = with_end([forces, vec![2.0; 50]].concat());
    assert_eq!(broken(&jump, &notes(&[], end)), ["slew"]);
}

#[test]
fn a_force_that_is_not_a_number_is_seen() {
    let (mut ticks, end) = with_end(ramp_to(3.0, 100));
    ticks[50].arms[0].force_n[1] = f64::NAN;
    assert!(broken(&ticks, &notes(&[], end)).contains(&"limits"));
}

#[test]
fn a_dead_clients_force_is_seen_if_it_stays_or_comes_back() {
    let stays = ramp_to(3.0, 500);
    let dead = [(200, What::Dead)];
    let (ticks, end) = with_end(stays);
    assert_eq!(broken(&ticks, &notes(&dead, end)), ["deaths"]);
    let mut back = ramp_to(3.0, 205);
    back.extend(vec![0.0; 200]);
    let (good, end) = with_end(back.clone());
    assert_eq!(broken(&good, &notes(&dead, end)), Vec::<&str>::new());
    back.extend(ramp_to(2.0, 50));
    let (bad, end) = with_end(back);
    assert_eq!(broken(&bad, &notes(&dead, end)), ["deaths"]);
    // The next client's body may press.
    let next = [(200, What::Dead), (400, What::Adding)];
    assert_eq!(broken(&bad, &notes(&next, end)), Vec::<&str>::new());
}

#[test]
fn a_silent_clients_force_is_seen_and_so_is_its_jump_back() {
    let stopped = [
        (50, What::Added { body: 2 }),
        (100, What::Stopped),
        (900, What::Continued),
    ];
    let (stays, end) = with_end(ramp_to(3.0, 1000));
    assert_eq!(broken(&stays, &notes(&stopped, end)), ["silence"]);
    let mut quiet = ramp_to(3.0, 300);
    quiet.extend(vec![0.0; 610]);
    let (jump, end) = with_end([quiet.clone(), ramp_to(4.0, 100)].concat());
    assert_eq!(broken(&jump, &notes(&stopped, end)), ["returns"]);
    let ramp = (0..700).map(|k| f64::from(k) * 0.004).collect();
    let (ramped, end) = with_end([quiet, ramp].concat());
    assert_eq!(broken(&ramped, &notes(&stopped, end)), Vec::<&str>::new());
}

#[test]
fn a_force_off_without_a_reason_or_an_event_is_seen() {
    let off = |reason: u8| {
        let (mut ticks, end) = with_end(ramp_to(3.0, 500));
        for tick in &mut ticks[300..320] {
            tick.arms[0].state = 5;
            tick.arms[0].reason = reason;
        }
        (ticks, end)
    };
    let told = |tick, reason| {
        (
            310,
            What::ForceOff {
                arm: 0,
                tick,
                reason,
            },
        )
    };
    let (ticks, end) = off(9);
    assert_eq!(broken(&ticks, &notes(&[], end)), ["events"]);
    assert_eq!(
        broken(&ticks, &notes(&[told(301, 9)], end)),
        Vec::<&str>::new()
    );
    assert_eq!(broken(&ticks, &notes(&[told(290, 9)], end)), ["events"]);
    let counted = [(310, What::Lost { count: 1 })];
    assert_eq!(broken(&ticks, &notes(&counted, end)), Vec::<&str>::new());
    let (ticks, end) = off(0);
    assert_eq!(broken(&ticks, &notes(&[told(301, 0)], end)), ["reasons"]);
}

#[test]
fn a_stop_that_has_no_effect_is_seen() {
    let ticks = ticks(ramp_to(3.0, 1000));
    assert_eq!(broken(&ticks, &notes(&[], 500)), ["end"]);
    let killed = notes(&[], 999)
        .into_iter()
        .map(|mut note| {
            if let What::Exited { status } = &mut note.what {
                *status = None;
            }
            note
        })
        .collect::<Vec<_>>();
    assert_eq!(broken(&ticks, &killed), ["end"]);
}

#[test]
fn descriptors_and_threads_that_stay_are_seen() {
    let (ticks, end) = with_end(ramp_to(3.0, 100));
    for which in 0..3 {
        let mut notes = notes(&[], end);
        for note in &mut notes {
            if let What::Usage {
                before: false,
                resident,
                descriptors,
                threads,
            } = &mut note.what
            {
                match which {
                    0 => *resident += 1 << 30,
                    1 => *descriptors += 1,
                    _ => *threads += 1,
                }
            }
        }
        assert_eq!(broken(&ticks, &notes), ["usage"]);
    }
}
