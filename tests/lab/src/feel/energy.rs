//! The ledger of energy over every kind of body: random hands press, slide and turn.
//!
//! From touch to release of each press, it compares the true energy from the motors, the part that
//! the arm's own friction took, and the energy that bodies put in, with the ledger.

use std::path::PathBuf;

use clap::Parser;
use hapticd_devices::sim::{HandParams, Intention, Keyframe, Track};
use hapticd_loop::record::ArmTick;
use hapticd_testkit::Random;
use rayon::prelude::*;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::feel::stage::{Lead, Stage, TICK_S, ball, body, cube};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-energy",
    title: "random hands on every kind of body: energy given, debts, and the ledger against the motors' work",
    judges: Judges::Counts(&[]),
    run,
};

/// Bars: debt and gain, J; difference of the ledger from the truth, as a fraction of the exchanged
/// energy.
const DEBT_J: f64 = 1e-4;
const GAIN_J: f64 = 1e-4;
const LEDGER: f64 = 0.01;
/// Encoder step of the arm, m.
const STEP_M: f64 = 2e-5;
/// The arm's own damping, N s/m, and friction, N.
const DAMPING: f64 = 2.0;
const FRICTION_N: f64 = 0.1;
/// Planted fault: the arm has this fraction of its declared damping and friction.
const SHARE: f64 = 1.0 / 3.0;
/// Forces below this count as zero, N.
const MIN_N: f64 = 1e-3;

#[derive(Parser)]
struct Options {
    /// How many random hands on each kind of body.
    #[arg(long, default_value_t = 4)]
    hands: u64,
    /// How long each of them has, s.
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// What the hands follow from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Kinds to run: all whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
}

/// Motion of hands.
#[derive(Clone, Copy, PartialEq)]
enum Play {
    /// Press, slide, turn, and back.
    Touch,
    /// The same in a plane.
    Plane,
    /// Straight down.
    Insert,
    /// The second of two tools is where the first is pressed to.
    Meet,
}

struct Kind {
    name: &'static str,
    /// A shipped scene, or an empty string for none.
    file: &'static str,
    /// Height at which it is touched, in the arm's base frame, m.
    touch_m: f64,
    /// Whether bodies may put energy in.
    moves: bool,
    turns: bool,
    play: Play,
}

const fn kind(name: &'static str, file: &'static str, touch_m: f64, moves: bool) -> Kind {
    Kind {
        name,
        file,
        touch_m,
        moves,
        turns: false,
        play: Play::Touch,
    }
}

/// Every kind of body that the product has.
const KINDS: [Kind; 16] = [
    kind("static", "", 0.0, false),
    Kind {
        turns: true,
        ..kind("static, box, no friction", "", 0.0, false)
    },
    Kind {
        turns: true,
        ..kind("static, box, friction 0.8", "", 0.0, false)
    },
    kind("kinematic", "", 0.0, true),
    kind("terrain and kinematic block", "demo", -0.035, true),
    kind("dynamic", "blocks", -0.01, true),
    kind("soft", "palpation", -0.034, true),
    kind("cloth", "cloth", -0.026, true),
    kind("crowd", "crowd", -0.02, true),
    kind("implicit strand", "coil", -0.03, true),
    kind("implicit fluid", "fluid", 0.0, true),
    kind("sampled volume", "skull", -0.03, false),
    Kind {
        play: Play::Insert,
        ..kind("needle in tissue", "needle", -0.005, true)
    },
    Kind {
        play: Play::Plane,
        ..kind("planar", "planar", 0.0, true)
    },
    kind("soft tubes", "intestine", -0.03, true),
    Kind {
        play: Play::Meet,
        ..kind("two tools", "", 0.0, true)
    },
];

const MECHANICS: &str = "mechanics = { mass_kg = 0.15, damping_n_s_per_m = 2.0, \
    coulomb_friction_n = 0.1, resolution_m = 2e-5, delay_us = 500 }\n";

fn arm(name: &str, tool: &str) -> String {
    format!(
        "[[arm]]\nname = \"{name}\"\nkind = \"simulated\"\nintention = \"rest\"\ntool = {tool}\n{MECHANICS}"
    )
}

impl Kind {
    /// Returns the configuration and the folder of its files.
    fn scene(&self) -> Result<(String, PathBuf), Failure> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../config");
        if !self.file.is_empty() {
            let path = folder.join(format!("{}.toml", self.file));
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Failure::Run(format!("{}: {e}", path.display())))?;
            // With the usual ramp there would be no force for the first second.
            return Ok((text + "\n[safety]\nramp_s = 0.05\n", folder));
        }
        let half = 0.008;
        let text = if self.play == Play::Meet {
            arm("left", &ball(half)) + &arm("right", &ball(half))
        } else if self.turns {
            let friction = if self.name.ends_with("0.8") { 0.8 } else { 0.0 };
            let floor = "{ kind = \"cuboid\", size_m = [0.4, 0.4, 0.02] }";
            arm("right", &cube(half)) + &body(floor, [0.0, 0.0, -half - 0.01], 800.0, 0.5, friction)
        } else {
            let plate = "{ kind = \"cuboid\", size_m = [0.2, 0.2, 0.02] }";
            let text =
                arm("right", &ball(half)) + &body(plate, [0.0, 0.0, -half - 0.01], 800.0, 0.5, 0.3);
            if self.moves {
                text.replace(
                    "[[body]]\n",
                    "[[body]]\nkind = \"kinematic\"\nmotion = { kind = \"oscillation\", \
                     amplitude_m = [0.01, 0.0, 0.006], period_s = 1.3 }\n",
                )
            } else {
                text
            }
        };
        Ok((text + "[safety]\nramp_s = 0.05\n", folder))
    }

    fn hand(&self, random: &mut Random, seconds: f64, second: bool) -> Result<Lead, Failure> {
        let mut log = |low: f64, high: f64| low * (high / low).powf(random.unit());
        let hand = HandParams {
            mass_kg: log(0.02, 1.0),
            stiffness_n_per_m: log(100.0, 1200.0),
            damping_n_s_per_m: log(0.5, 20.0),
            ..HandParams::relaxed()
        };
        let track = self.track(random, seconds, second);
        let track = Track::new(track).map_err(|e| Failure::Run(e.to_string()))?;
        let wants = Intention::Script {
            track,
            repeat: false,
        };
        Ok(Lead::Held(Box::new((hand, wants))))
    }

    /// Down, along and turned, and up again, in another place each time.
    fn track(&self, random: &mut Random, seconds: f64, second: bool) -> Vec<Keyframe> {
        let mut keys = Vec::new();
        let mut t_s = 0.0;
        let mut add = |t_s: f64, position: [f64; 3], rotation: [f64; 3]| {
            keys.push(Keyframe {
                t_s,
                position,
                rotation,
            });
        };
        let up = self.touch_m + 0.02;
        let side = if second { 1.0 } else { -1.0 };
        match self.play {
            Play::Meet => add(0.0, [0.03 * side, 0.0, 0.0], [0.0; 3]),
            Play::Plane => add(0.0, [0.0; 3], [0.0; 3]),
            _ => add(0.0, [0.0, 0.0, up + 0.01], [0.0; 3]),
        }
        t_s += 0.25;
        while t_s < seconds {
            let mut signed = |by: f64| by * (2.0 * random.unit() - 1.0);
            let (x, y) = (signed(0.03), signed(0.03));
            let (along, across) = (signed(0.015), signed(0.015));
            let turn = if self.turns {
                [signed(0.5), signed(0.5), signed(0.5)]
            } else {
                [0.0; 3]
            };
            let deep = 0.002 + 0.01 * random.unit();
            let pace = 0.1 + 0.4 * random.unit();
            match self.play {
                Play::Meet => {
                    // Beyond the middle, each from its side, by less than their thickness.
                    let at = [side * (0.008 - 0.6 * deep), 0.3 * y * 0.2, 0.3 * x * 0.2];
                    add(t_s + pace, at, [0.0; 3]);
                    add(t_s + 2.0 * pace, at, [0.0; 3]);
                    add(t_s + 3.0 * pace, [0.03 * side, 0.0, 0.0], [0.0; 3]);
                }
                Play::Plane => {
                    add(t_s + pace, [2.0 * x, 2.0 * y, 0.0], [0.0; 3]);
                    add(
                        t_s + 2.0 * pace,
                        [2.0 * x + along, 2.0 * y + across, 0.0],
                        [0.0; 3],
                    );
                    add(t_s + 3.0 * pace, [along, across, 0.0], [0.0; 3]);
                }
                Play::Insert => {
                    let (x, y) = (0.3 * x, 0.3 * y);
                    let down = self.touch_m - 4.0 * deep;
                    add(t_s + pace, [x, y, up], [0.0; 3]);
                    add(t_s + 3.0 * pace, [x, y, down], [0.0; 3]);
                    add(t_s + 4.0 * pace, [x, y, down], [0.0; 3]);
                    add(t_s + 6.0 * pace, [x, y, up], [0.0; 3]);
                    t_s += 3.0 * pace;
                }
                Play::Touch => {
                    let down = self.touch_m - deep;
                    add(t_s + pace, [x, y, up], [0.0; 3]);
                    add(t_s + 2.0 * pace, [x, y, down], [0.0; 3]);
                    add(t_s + 3.0 * pace, [x + along, y + across, down], turn);
                    add(t_s + 4.0 * pace, [x + along, y + across, up], [0.0; 3]);
                    t_s += pace;
                }
            }
            t_s += 3.0 * pace;
        }
        keys
    }
}

/// From one touch to its release.
#[derive(Clone, Copy, Default)]
struct Press {
    /// True energies, J: from the motors, taken by the arm's own friction, and put in by bodies.
    true_j: f64,
    arm_j: f64,
    world_j: f64,
    leak_j: f64,
    /// Energies by the ledger, J.
    given_j: f64,
    exchanged_j: f64,
    /// Allowed error of the ledger, since encoders resolve positions only within half a step: by
    /// parts, the sum of `F . dd` equals that of `d . dF`.
    rounding_j: f64,
    most_n: f64,
}

impl Press {
    fn beyond_j(&self, moves: bool) -> f64 {
        let world_j = if moves { self.world_j.max(0.0) } else { 0.0 };
        self.true_j - self.arm_j - world_j
    }

    /// Returns the difference of the ledger from the truth beyond encoder steps, as a fraction of
    /// the exchanged energy.
    fn off(&self) -> f64 {
        let beyond = ((self.given_j - self.true_j).abs() - self.rounding_j).max(0.0);
        if self.exchanged_j > 1e-5 {
            beyond / self.exchanged_j
        } else {
            0.0
        }
    }
}

fn motors_j(tick: &ArmTick) -> f64 {
    tick.truth.map_or(0.0, |truth| {
        truth.motor_work.force_j + truth.motor_work.torque_j
    })
}

/// Returns the presses of a run: intervals of force, with a few more ticks for data in transit. The
/// arm has this fraction of its declared damping and friction.
fn presses(ticks: &[ArmTick], share: f64) -> Vec<Press> {
    const UNDER_WAY: usize = 6;
    let mut out = Vec::new();
    let mut from: Option<usize> = None;
    let mut quiet = 0;
    for k in 1..ticks.len() {
        let pressed = ticks[k].sent.force_n.norm() > MIN_N || ticks[k].sent.torque_nm.norm() > 1e-5;
        quiet = if pressed { 0 } else { quiet + 1 };
        if pressed && from.is_none() {
            from = Some(k - 1);
        }
        let Some(start) = from.filter(|_| quiet >= UNDER_WAY) else {
            continue;
        };
        from = None;
        let (a, b) = (&ticks[start], &ticks[k]);
        let mut press = Press {
            true_j: motors_j(b) - motors_j(a),
            world_j: b.energy.world_j - a.energy.world_j,
            leak_j: b.energy.leak_j - a.energy.leak_j,
            given_j: b.energy.given_j - a.energy.given_j,
            ..Press::default()
        };
        for pair in ticks[start..=k].windows(2) {
            press.exchanged_j += (motors_j(&pair[1]) - motors_j(&pair[0])).abs();
            press.most_n = press.most_n.max(pair[1].sent.force_n.norm());
            let change_n = pair[1].sent.force_n - pair[0].sent.force_n;
            press.rounding_j += 0.5 * STEP_M * change_n.lp_norm(1);
            let speed = pair[1]
                .truth
                .map_or(0.0, |truth| truth.linear_velocity.norm());
            press.arm_j += share * (DAMPING * speed + FRICTION_N) * speed * TICK_S;
        }
        out.push(press);
    }
    out
}

#[derive(Default)]
struct Sum {
    presses: Vec<Press>,
    debt_j: f64,
    gain: f64,
}

fn over(kind: &Kind, options: &Options, share: f64) -> Result<Sum, Failure> {
    let (text, folder) = kind.scene()?;
    let arms = if kind.play == Play::Meet { 2 } else { 1 };
    let mut sum = Sum {
        gain: 1.0,
        ..Sum::default()
    };
    for hand in 0..options.hands {
        let mut random = Random::new(options.seed.wrapping_mul(7919).wrapping_add(hand));
        let leads: Result<Vec<Lead>, Failure> = (0..arms)
            .map(|arm| kind.hand(&mut random, options.seconds - 0.8, arm == 1))
            .collect();
        let mut stage = Stage::on_arms(&text, &folder, 4, leads?, |params| {
            params.spec.damping_n_s_per_m *= share;
            params.spec.coulomb_friction_n *= share;
        })?;
        for ticks in stage.run_all((1e3 * options.seconds) as u64, arms) {
            sum.presses.extend(presses(&ticks, share));
            // The coupling learns a tick late what the slew limit held back. Such a debt is paid in
            // the next tick and reaches no hand.
            for pair in ticks.windows(2) {
                let stands_j = pair[0].energy.debt_j.min(pair[1].energy.debt_j);
                sum.debt_j = sum.debt_j.max(stands_j);
                sum.gain = sum.gain.min(pair[1].energy.gain);
            }
        }
    }
    Ok(sum)
}

fn run(context: &Context) -> Result<Report, Failure> {
    let mut options: Options = context.parse()?;
    if context.quick {
        options.hands = options.hands.min(2);
    }
    let share = if context.mutant { SHARE } else { 1.0 };
    let kinds: Vec<&Kind> = KINDS
        .iter()
        .filter(|k| k.name.contains(&options.only))
        .filter(|k| !context.quick || k.name.starts_with("static"))
        .collect();
    let sums: Result<Vec<Sum>, Failure> = kinds
        .par_iter()
        .map(|kind| over(kind, &options, share))
        .collect();
    let mut rows = Vec::new();
    let mut missed = Vec::new();
    for (kind, sum) in kinds.iter().zip(sums?) {
        let of =
            |value: &dyn Fn(&Press) -> f64| -> Vec<f64> { sum.presses.iter().map(value).collect() };
        let most = |value: &dyn Fn(&Press) -> f64| of(value).into_iter().fold(0.0, f64::max);
        let beyond_j = most(&|p| p.beyond_j(kind.moves));
        let gains = of(&|p| p.beyond_j(kind.moves))
            .into_iter()
            .filter(|j| *j > GAIN_J)
            .count();
        let world_j = most(&|p| p.world_j);
        let off = most(&Press::off);
        if sum.presses.is_empty() {
            missed.push(format!("{}: nothing was pressed and let go", kind.name));
        }
        let mut judge = |what: &str, ours: f64, bar: f64, figure: String| {
            if !(ours <= bar) {
                missed.push(format!("{}: {what} {figure}", kind.name));
            }
        };
        judge(
            "given beyond",
            beyond_j,
            GAIN_J,
            format!("{:.2} mJ", 1e3 * beyond_j),
        );
        judge(
            "debt",
            sum.debt_j,
            DEBT_J,
            format!("{:.2} mJ", 1e3 * sum.debt_j),
        );
        judge("ledger off", off, LEDGER, format!("{:.1} %", 1e2 * off));
        judge(
            "controller acted, gain",
            -sum.gain,
            -1.0,
            format!("{:.2}", sum.gain),
        );
        if !kind.moves {
            judge("world", world_j, GAIN_J, format!("{:.2} mJ", 1e3 * world_j));
        }
        rows.push(
            Row::new(kind.name, "mJ", 1e3 * GAIN_J, 1e3 * beyond_j)
                .with("a presses", sum.presses.len())
                .with("b with gain", gains)
                .with("c largest debt for two ticks, mJ", 1e3 * sum.debt_j)
                .with(
                    "d sum of leaks, mJ",
                    1e3 * of(&|p| p.leak_j).into_iter().sum::<f64>(),
                )
                .with("e most put in by bodies, mJ", 1e3 * world_j)
                .with("f largest exchange, mJ", 1e3 * most(&|p| p.exchanged_j))
                .with("g ledger off, %", 1e2 * off)
                .with("h largest force, N", most(&|p| p.most_n)),
        );
    }
    let why = if missed.is_empty() {
        format!("all of {} kinds of bodies within the bars", rows.len())
    } else {
        format!("missed: {}", missed.join("; "))
    };
    Ok(Report {
        rows,
        verdict: Verdict::new(missed.is_empty(), why),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "{} random hands of 0.02 to 1 kg on each, {} s each, seed {}; stiffness \"auto\", answers 4 ticks late",
                options.hands, options.seconds, options.seed
            ),
            "ours: largest true motor work in a press beyond what the arm's damping and friction \
             took and what moving bodies put in".into(),
            "bars: 0.1 mJ given, 0.1 mJ debt for two ticks, the controller's gain 1; ledger beside \
             the motors' true work 1 % of what was \
             exchanged + 10 um a newton of change; of bodies that stand still also: 0.1 mJ put in".into(),
        ],
    })
}
