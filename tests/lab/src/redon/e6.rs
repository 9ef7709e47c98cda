//! E6 to E9 (section 3.5, tables 3.2 to 3.6): what each optimisation of the box tests saves, on one recorded trajectory.

use std::time::Instant;

use hapticd_ccd::first_contact::{Counters, PreTests};
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_ccd::obb::Axes;
use hapticd_ccd::sweep::SweepOptions;
use hapticd_ccd::{FirstContactOptions, MeshIndex, PairKind, first_contact};
use hapticd_geometry::{Pose, Quat, Screw, Vec3, shapes};
use serde_json::Value;

use super::door;
use crate::experiment::{Context, Experiment, Failure, Report, Row, Verdict};

/// E6.
pub const PRE_TESTS: Experiment = Experiment {
    id: "redon-e6",
    title: "discrete pre-tests before the continuous box test",
    run: pre_tests,
};

/// E7.
pub const SUBDIVISION: Experiment = Experiment {
    id: "redon-e7",
    title: "the subdivision constant k of the continuous box test",
    run: subdivision,
};

/// E8.
pub const PASSING: Experiment = Experiment {
    id: "redon-e8",
    title: "passing the earliest contact time to later tests",
    run: passing,
};

/// E9.
pub const AXES: Experiment = Experiment {
    id: "redon-e9",
    title: "six face axes against all fifteen, discrete and continuous",
    run: axes,
};

const FRAMES: u32 = 120;
const CLEARANCE_M: f64 = 1e-4;

/// The two bodies, and the steps: where the mobile one starts in the door's frame, and its screw.
struct Scene {
    motor: MeshIndex,
    door: MeshIndex,
    steps: Vec<(Pose, Screw)>,
}

impl Scene {
    /// Records the trajectory: a hand leads the motor from afar, into the door, along it and away; it goes as far as it can in each step.
    fn new() -> Result<Self, Failure> {
        let motor = shapes::torus(0.06, 0.025, 40, 20)
            .map_err(|e| Failure::Run(format!("the surrogate motor: {e}")))?;
        let (motor, door) = (MeshIndex::new(motor), door::door()?);
        let mut search = MovingSearch::new(16);
        let mut pose = hand(0);
        let mut steps = Vec::new();
        let still = Motion::still(&Pose::identity());
        for frame in 0..FRAMES {
            let screw = Screw::between(&pose, &hand(frame + 1));
            steps.push((pose, screw));
            let motion = Motion::screw(&pose, &screw);
            let body = |shape, motion| MovingBody {
                shape,
                motion,
                radius_m: 0.0,
            };
            let (a, b) = (body(&motor, &motion), body(&door, &still));
            let free = search.first_contact(&a, &b, CLEARANCE_M, 1.0).free_until;
            pose = motion.pose_at(free);
        }
        Ok(Self { motor, door, steps })
    }

    fn replay(&self, options: &FirstContactOptions) -> Replay {
        let mut replay = Replay::default();
        let start = Instant::now();
        for (pose, screw) in &self.steps {
            let (found, c) = first_contact(&self.motor, &self.door, pose, screw, options);
            let total = &mut replay.counters;
            total.boxes_final += c.boxes_final;
            total.boxes_initial += c.boxes_initial;
            total.boxes_continuous += c.boxes_continuous;
            total.sweeps += c.sweeps;
            total.edge_edge += c.edge_edge;
            total.vertex_face += c.vertex_face;
            total.face_vertex += c.face_vertex;
            replay
                .contacts
                .push(found.map(|c| (c.t.to_bits(), c.kind, c.feature_a, c.feature_b)));
        }
        replay.seconds = start.elapsed().as_secs_f64();
        replay
    }

    fn notes(&self) -> Vec<String> {
        let triangles = |m: &MeshIndex| m.mesh().map_or(0, |m| m.triangles().len());
        vec![
            door::NOTE.into(),
            format!(
                "motor: surrogate torus of {} triangles, led from afar into the door of {}, along it and away in {FRAMES} steps (published: 2,604 recorded, \
                 about 20,000 triangles in all); each step starts where the one before ended, {} mm from touching at least",
                triangles(&self.motor),
                triangles(&self.door),
                1e3 * CLEARANCE_M
            ),
            "counts decide; seconds are of this machine and for information".into(),
        ]
    }
}

#[derive(Default)]
struct Replay {
    counters: Counters,
    contacts: Vec<Option<(u64, PairKind, u32, u32)>>,
    seconds: f64,
}

impl Replay {
    /// Pairs of boxes.
    fn boxes(&self) -> u64 {
        let c = &self.counters;
        c.boxes_final.max(c.boxes_initial).max(c.boxes_continuous)
    }

    fn elementary(&self) -> u64 {
        self.counters.edge_edge + self.counters.vertex_face + self.counters.face_vertex
    }
}

fn hand(frame: u32) -> Pose {
    let s = f64::from(frame) / f64::from(FRAMES);
    // Down onto the inner sheet's upper side, along it, up again; wavering as a hand does.
    let press = (1.0 - (2.0 * s - 1.0).abs()).min(0.35) / 0.35;
    let waver = 0.01 * (40.0 * s).sin();
    let at = Vec3::new(
        0.25 + 0.5 * s,
        0.2 + 0.3 * s + waver,
        0.45 - 0.4 * press + waver,
    );
    Pose::from_parts(
        at.into(),
        Quat::from_scaled_axis(Vec3::new(1.3 + s, 0.4 * s, 3.0 * s)),
    )
}

fn same(replays: &[Replay]) -> bool {
    replays.iter().all(|r| r.contacts == replays[0].contacts)
}

fn touching(replay: &Replay) -> usize {
    replay.contacts.iter().flatten().count()
}

fn pre_tests(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = Scene::new()?;
    let variants = [
        ("none", PreTests::None, [0, 0, 5_050_305]),
        ("final", PreTests::Final, [5_050_305, 0, 2_577_968]),
        ("initial", PreTests::Initial, [0, 5_050_305, 2_653_086]),
        ("both", PreTests::Both, [5_075_137, 2_600_063, 2_430_508]),
    ];
    let mut rows = Vec::new();
    let mut replays = Vec::new();
    for (name, pre_tests, published) in variants {
        let replay = scene.replay(&FirstContactOptions {
            pre_tests,
            ..FirstContactOptions::default()
        });
        let c = replay.counters;
        let ours = [c.boxes_final, c.boxes_initial, c.boxes_continuous];
        for ((test, published), ours) in ["final", "initial", "continuous"]
            .iter()
            .zip(published)
            .zip(ours)
        {
            rows.push(Row::new(
                format!("{name}: {test}"),
                "tests",
                published,
                ours,
            ));
        }
        rows.push(Row::new(
            format!("{name}: time"),
            "s",
            Value::Null,
            replay.seconds,
        ));
        replays.push(replay);
    }
    let n = |k: usize| replays[k].counters.boxes_continuous;
    let order = n(3) <= n(1) && n(3) <= n(2) && n(1) < n(0) && n(2) < n(0);
    let same = same(&replays);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            order && same && touching(&replays[0]) > 20,
            format!(
                "contacts of all variants the same to the last bit: {same} ({} in {FRAMES} steps); both pre-tests leave {:.0} % of the continuous tests \
                 (published: 48 %)",
                touching(&replays[0]),
                100.0 * n(3) as f64 / n(0) as f64
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: scene.notes(),
    })
}

fn subdivision(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = Scene::new()?;
    let mut rows = Vec::new();
    let mut replays = Vec::new();
    for k in [0.02, 0.05, 0.1, 0.15, 0.3, 0.6, 1.5, 5.0, f64::INFINITY] {
        let replay = scene.replay(&FirstContactOptions {
            sweep: SweepOptions {
                k,
                ..SweepOptions::default()
            },
            ..FirstContactOptions::default()
        });
        let subdivisions = replay.counters.sweeps - replay.counters.boxes_continuous;
        rows.push(
            Row::new(
                format!("k = {k}: subdivided intervals"),
                "",
                Value::Null,
                subdivisions,
            )
            .with("box pairs", replay.boxes())
            .with("feature tests", replay.elementary())
            .with("seconds", replay.seconds),
        );
        replays.push(replay);
    }
    let pairs = |w: &[Replay]| w[0].boxes() <= w[1].boxes();
    let more_pairs = replays.windows(2).all(pairs);
    let a_pair = |r: &Replay| r.counters.sweeps as f64 / r.counters.boxes_continuous.max(1) as f64;
    let cheaper = replays.windows(2).all(|w| a_pair(&w[0]) >= a_pair(&w[1]));
    let same = same(&replays);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            same && more_pairs && cheaper,
            format!(
                "contacts the same: {same}; the larger k, the fewer subdivisions a test: {cheaper}, and the more box pairs: {more_pairs} (published: a curve with a flat \
                 minimum, k = 0.15 recommended)"
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: scene.notes(),
    })
}

fn passing(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut scene = Scene::new()?;
    // The hand wants to go through the door: without a time to stop at, a step takes a second.
    scene.steps = scene.steps.into_iter().step_by(10).collect();
    let run = |pass_contact_time| {
        scene.replay(&FirstContactOptions {
            pass_contact_time,
            ..FirstContactOptions::default()
        })
    };
    let replays = [run(false), run(true)];
    let published = [
        (
            "without",
            [6_685_889, 7_226_139, 2_335_435, 2_363_427],
            79.59,
        ),
        ("with", [5_075_137, 3_191_041, 1_036_723, 1_050_031], 38.93),
    ];
    let mut rows = Vec::new();
    for ((name, published, seconds), replay) in published.into_iter().zip(&replays) {
        let c = &replay.counters;
        let ours = [replay.boxes(), c.edge_edge, c.vertex_face, c.face_vertex];
        for ((test, published), ours) in ["BV", "EE", "VF", "FV"].iter().zip(published).zip(ours) {
            rows.push(Row::new(
                format!("{name}: {test}"),
                "tests",
                published,
                ours,
            ));
        }
        rows.push(Row::new(
            format!("{name}: time"),
            "s",
            seconds,
            replay.seconds,
        ));
    }
    let ratio = |f: &dyn Fn(&Replay) -> u64| f(&replays[1]) as f64 / f(&replays[0]).max(1) as f64;
    let (boxes, features) = (ratio(&Replay::boxes), ratio(&Replay::elementary));
    let same = same(&replays);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            same && boxes < 1.0 && features < 1.0,
            format!(
                "contacts the same: {same}; box tests {:+.0} % (published -24 %), elementary tests {:+.0} % (published -56 %)",
                100.0 * (boxes - 1.0),
                100.0 * (features - 1.0)
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: scene.notes(),
    })
}

fn axes(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = Scene::new()?;
    let variants = [
        ("both partial", Axes::Faces, Axes::Faces, 6_629_533),
        ("discrete full", Axes::All, Axes::Faces, 6_602_937),
        ("continuous full", Axes::Faces, Axes::All, 6_499_411),
        ("both full", Axes::All, Axes::All, 5_075_137),
    ];
    let mut rows = Vec::new();
    let mut replays = Vec::new();
    for (name, discrete_axes, axes, published) in variants {
        let replay = scene.replay(&FirstContactOptions {
            discrete_axes,
            sweep: SweepOptions {
                axes,
                ..SweepOptions::default()
            },
            ..FirstContactOptions::default()
        });
        rows.push(
            Row::new(format!("{name}: box pairs"), "", published, replay.boxes())
                .with("continuous tests", replay.counters.boxes_continuous)
                .with("intervals", replay.counters.sweeps)
                .with("seconds", replay.seconds),
        );
        replays.push(replay);
    }
    let least = replays.iter().map(Replay::boxes).min() == Some(replays[3].boxes());
    let same = same(&replays);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            same && least,
            format!(
                "contacts the same: {same}; both full has the fewest box pairs: {least} ({:+.0} % against both partial; published -23 %)",
                100.0 * (replays[3].boxes() as f64 / replays[0].boxes() as f64 - 1.0)
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: scene.notes(),
    })
}
