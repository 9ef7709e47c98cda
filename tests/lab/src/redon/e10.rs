//! E10 (sections 3.5.5 and 3.5.6): what did not help, namely tables of coherence and tables of
//! sines; and the share of the box tests in detection.
//!
//! A table of coherence holds the pairs of boxes at which the search of the previous step ended
//! (Gottschalk's front); the next search starts from them instead of from the roots. If both
//! children of a pair are apart, the pair itself is tested and replaces them if it is apart, so a
//! table can become shorter as well.

use std::collections::{HashMap, HashSet};
use std::hint::black_box;

use hapticd_ccd::obb::{Axes, Obb, overlap_on};
use hapticd_ccd::tree::ObbTree;
use hapticd_geometry::{Interval, Rigid};
use hapticd_published::first_contact::{FirstContactOptions, first_contact};
use hapticd_published::sweep::{SweepOptions, overlap_during};
use serde_json::Value;

use super::motor::scene;
use super::trajectory::Step;
use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e10",
    title: "what did not help: coherence tables and tables of sines",
    judges: Judges::CountsAndTime(&[]),
    run,
};

/// Cost of a continuous test relative to a discrete one (published).
const CONTINUOUS_COST: u64 = 5;
/// Number of entries of the table of sines, from 0 to half of pi.
const SINES: usize = 4096;

type Pair = (u32, u32);

/// A pair at which a search ended.
#[derive(Clone, Copy)]
struct End {
    pair: Pair,
    /// Parent of the pair; roots are their own parents.
    parent: Pair,
    /// True if the boxes are apart; false for triangles that may touch.
    apart: bool,
}

const ROOTS: End = End {
    pair: (0, 0),
    parent: (0, 0),
    apart: true,
};

/// The box tests of one search method.
#[derive(Default)]
struct Search {
    discrete: u64,
    continuous: u64,
    intervals: u64,
    seconds: f64,
    /// Pairs of triangles that may touch.
    leaves: Vec<Pair>,
    /// Pairs at which the last search ended.
    ends: Vec<End>,
    stack: Vec<End>,
    /// Parents of the visited pairs, if a table is kept.
    parents: Option<HashMap<Pair, Pair>>,
    /// Largest memory of ends and parents, bytes.
    bytes: usize,
}

impl Search {
    /// Runs one step, from the roots, or with a table from where the last one ended.
    fn run(&mut self, trees: [&ObbTree; 2], step: &Step) {
        let began = Moment::now();
        let poses = [
            Rigid::new(&step.start),
            Rigid::new(&step.screw.pose_at(&step.start, 1.0)),
        ];
        self.leaves.clear();
        if self.parents.is_none() || self.ends.is_empty() {
            self.stack.push(ROOTS);
        } else {
            // In the order in which they were found.
            self.stack.extend(self.ends.iter().rev());
        }
        self.ends.clear();
        while let Some(End { pair, parent, .. }) = self.stack.pop() {
            let (a, b) = pair;
            let (na, nb) = (&trees[0].nodes()[a as usize], &trees[1].nodes()[b as usize]);
            if !self.overlap(&trees[0].obb(a), &trees[1].obb(b), &poses, step) {
                self.end_apart(trees, pair, parent, &poses, step);
                continue;
            }
            let children = match (na.is_leaf(), nb.is_leaf()) {
                (true, true) => {
                    self.leaves.push(pair);
                    self.ends.push(End {
                        pair,
                        parent,
                        apart: false,
                    });
                    continue;
                }
                (false, leaf) if leaf || na.size() > nb.size() => {
                    [(na.children() + 1, b), (na.children(), b)]
                }
                _ => [(a, nb.children() + 1), (a, nb.children())],
            };
            if let Some(parents) = &mut self.parents {
                parents.insert(pair, parent);
            }
            let child = |pair_below: Pair| End {
                pair: pair_below,
                parent: pair,
                apart: true,
            };
            self.stack.extend(children.map(child));
        }
        let known = self.parents.as_ref().map_or(0, HashMap::len);
        self.bytes = self
            .bytes
            .max(self.ends.len() * size_of::<End>() + known * 2 * size_of::<Pair>());
        self.seconds += began.elapsed().as_secs_f64();
    }

    /// Records a pair that is apart. With a table, records its parent instead of it and its sibling
    /// if that is apart as well.
    fn end_apart(
        &mut self,
        trees: [&ObbTree; 2],
        mut pair: Pair,
        mut parent: Pair,
        poses: &[Rigid; 2],
        step: &Step,
    ) {
        while let Some(above) = self.parents.as_ref().and_then(|p| p.get(&parent).copied()) {
            let sibling = self
                .ends
                .last()
                .is_some_and(|last| last.apart && last.parent == parent);
            let obbs = (trees[0].obb(parent.0), trees[1].obb(parent.1));
            if !sibling || pair == parent || self.overlap(&obbs.0, &obbs.1, poses, step) {
                break;
            }
            self.ends.pop();
            (pair, parent) = (parent, above);
        }
        self.ends.push(End {
            pair,
            parent,
            apart: true,
        });
    }

    /// Runs both discrete pre-tests, then the continuous one.
    fn overlap(&mut self, a: &Obb, b: &Obb, poses: &[Rigid; 2], step: &Step) -> bool {
        let [start, end] = poses.each_ref().map(|p| Obb {
            center: p.point(&a.center),
            axes: p.rotation * a.axes,
            half: a.half,
        });
        for at in [&end, &start] {
            self.discrete += 1;
            if overlap_on(at, b, Axes::All) {
                return true;
            }
        }
        self.continuous += 1;
        overlap_during(
            [&start, b],
            &step.screw,
            1.0,
            &SweepOptions::default(),
            &mut self.intervals,
        )
    }

    /// Returns the cost in units of a discrete test.
    fn cost(&self) -> u64 {
        self.discrete + CONTINUOUS_COST * self.continuous
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene(context)?;
    let (Some(motor), Some(door)) = (scene.motor.tree(), scene.door.tree()) else {
        return Err(Failure::Run("a model has no hierarchy".into()));
    };
    let trees = [motor, door];
    let mut root = Search::default();
    let mut table = Search {
        parents: Some(HashMap::new()),
        ..Search::default()
    };
    let (mut lost, mut whole) = (0, 0.0);
    for step in scene.trajectory.sample(scene.every) {
        root.run(trees, step);
        table.run(trees, step);
        let found: HashSet<&Pair> = table.leaves.iter().collect();
        lost += root
            .leaves
            .iter()
            .filter(|pair| !found.contains(pair))
            .count();
        // Interleaved, so that other load on the machine slows both.
        let began = Moment::now();
        black_box(first_contact(
            &scene.motor,
            &scene.door,
            &step.start,
            &step.screw,
            &FirstContactOptions::default(),
        ));
        whole += began.elapsed().as_secs_f64();
    }
    let part = root.seconds / whole;
    let saved = 100.0 * (1.0 - table.cost() as f64 / root.cost() as f64);
    let continuous = 100.0 * (1.0 - table.continuous as f64 / root.continuous as f64);
    let [direct, looked_up] = sines(&scene.trajectory.steps);
    // The frames of two boxes, a sine and a cosine each.
    let most = 4.0 * root.intervals as f64 * (direct - looked_up).max(0.0) / root.seconds;
    let rows = vec![
        Row::new(
            "from the roots: discrete tests",
            "",
            Value::Null,
            root.discrete,
        ),
        Row::new(
            "from the roots: continuous tests",
            "",
            Value::Null,
            root.continuous,
        ),
        Row::new(
            "from the roots: time of box tests",
            "s",
            Value::Null,
            root.seconds,
        ),
        Row::new(
            "with tables: discrete tests",
            "",
            Value::Null,
            table.discrete,
        ),
        Row::new(
            "with tables: continuous tests",
            "",
            Value::Null,
            table.continuous,
        ),
        Row::new(
            "with tables: time of box tests",
            "s",
            Value::Null,
            table.seconds,
        ),
        Row::new(
            "with tables: most memory",
            "bytes",
            "very large",
            table.bytes,
        ),
        Row::new("pairs of triangles that the tables lose", "", 0, lost),
        Row::new(
            "saved by tables, in continuous tests",
            "%",
            "small",
            continuous,
        ),
        Row::new(
            "saved by tables, a continuous test counted as five discrete ones",
            "%",
            "small",
            saved,
        ),
        Row::new("enclosure of a sine, computed", "s", Value::Null, direct),
        Row::new(
            "enclosure of a sine, from a table",
            "s",
            Value::Null,
            looked_up,
        ),
        Row::new(
            "part of the box tests' time that tables of sines could save",
            "",
            "none",
            most,
        ),
        Row::new(
            "a search of boxes alone, of the time of whole detection",
            "",
            "about half",
            part,
        ),
    ];
    // A small gain: less than that of the pre-tests, which were kept.
    let pre_tests = 30.0;
    let holds = lost == 0 && saved < pre_tests;
    let why = format!(
        "coherence tables change the cost of the box tests by {:+.0} % and the number of continuous tests by {:+.0} % (published: a small gain; the \
         pre-tests, which were kept, saved \
         30 % of the time), for {:.0} kB; tables of sines could save {:.1} % of the box tests' time at most (published: nothing)",
        -saved,
        -continuous,
        table.bytes as f64 / 1e3,
        100.0 * most
    );
    let notes = [
        "the searches compared are box tests only, over the whole of each step; no contact time is passed",
        "the search of boxes alone keeps its ends and passes no contact time, so it does more than the box tests of whole detection; of feature tests \
         there are fewer here than in the source: the half cannot be compared",
        "the looser enclosures that a table would give are not counted against it",
    ];
    Ok(scene.report(rows, Verdict::new(holds, why).and_time(most < 0.05), &notes))
}

/// Returns the time of enclosing the sine over the steps' angles: computed, and looked up in a
/// table. The least of five, s.
fn sines(steps: &[Step]) -> [f64; 2] {
    let spacing = std::f64::consts::FRAC_PI_2 / (SINES - 1) as f64;
    let table: Vec<f64> = (0..=SINES).map(|i| (i as f64 * spacing).sin()).collect();
    let angles: Vec<Interval> = steps
        .iter()
        .map(|s| Interval::new(0.0, s.screw.angle.min(1.5)))
        .collect();
    let look_up = |x: Interval| {
        let place = |v: f64| (v / spacing) as usize;
        Interval::new(table[place(x.lo)], table[place(x.hi) + 1])
    };
    let time = |f: &dyn Fn(Interval) -> Interval| {
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let began = Moment::now();
            for _ in 0..20 {
                for &x in &angles {
                    black_box(f(black_box(x)));
                }
            }
            least = least.min(began.elapsed().as_secs_f64());
        }
        least / (20 * angles.len()) as f64
    };
    [time(&Interval::sin), time(&look_up)]
}
