//! Runs one recorded motion on the GPU with every method of launching a step of the narrow phase,
//! in turns.
//!
//! Stage one runs once a step for all of them. Each method has a separate device and its own memory
//! of what its points met. The motion is run several times, each time from the start, and for every
//! step the least time of each method counts; this excludes other load on the processors and
//! compilation by the driver in the first pass. The single kernel, which is by far the slowest and
//! not part of the differences, is left out after two passes.

use std::cmp::Ordering;
use std::time::Instant;

use hapticd_rays::layout::Contact;
use hapticd_rays::{Full, Plan, Predicted, Predictor, Settings};
use hapticd_shaders::{Choice, Demand, Feed, Found, Gpu, Launch, Narrow, OpenError, Room};

use crate::experiment::Failure;
use crate::rays::stage::{Recording, failed};

/// Order of the methods everywhere. The first is the product's.
pub const WAYS: [Launch; 4] = [
    Launch::Indirect,
    Launch::Exact,
    Launch::Reserved,
    Launch::AtOnce,
];

/// Largest effect of rounding on a hit along its ray, m: as in the conformance suite.
const T_M: f32 = 2e-6;

/// One contact or prediction in this many may differ: the fraction of the conformance suite, where
/// another kernel rounds differently.
const MAX_DIFFERING: u64 = 500;

/// Launch size for a list that was empty a step ago: equation 3.1 has no basis then, and the source
/// gives no value.
const MIN_LAUNCH: usize = 1 << 12;

/// Capacity for contacts and for predictions beyond the counts of the last step.
const SPARE: usize = 1 << 12;

/// Times of one method on one step, ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// On the host's clock, from the upload of positions to the end of the work.
    pub host_ms: f64,
    /// On the GPU's clock: stages two and three.
    pub rays_ms: f64,
    /// On the GPU's clock: stages two and three and everything after them.
    pub all_ms: f64,
}

/// Parameters of a run through a motion.
#[derive(Clone, Copy, Debug)]
pub struct Trajectory {
    /// Requested adapter; `None` for a GPU, or a software driver if there is none.
    pub choice: Option<Choice>,
    /// Factor of the predicted counts (equation 3.1), at least 1.
    pub confidence: f64,
    /// Number of passes, at least two.
    pub passes: u32,
}

impl Times {
    /// Times of a method that was not run.
    const NONE: Self = Self {
        host_ms: f64::INFINITY,
        rays_ms: f64::INFINITY,
        all_ms: f64::INFINITY,
    };
}

/// Results.
#[derive(Debug)]
pub struct Launched {
    /// Times of every step.
    pub times: Vec<[Times; WAYS.len()]>,
    /// Number of rays over all steps: tree, basic, walk.
    pub rays: [u64; 3],
    /// Largest number of pairs of objects.
    pub pairs: usize,
    /// Contacts and predictions of the single kernel that were compared with those of the pipeline,
    /// and how many of them differ.
    pub compared: u64,
    pub differ: u64,
    /// Rays that predicted counts missed, and rays that they launched in vain.
    pub missed: u64,
    pub surplus: u64,
}

/// Opens the requested adapter; otherwise a GPU, or a software driver if there is none.
pub fn open(choice: Option<Choice>) -> Result<Gpu, OpenError> {
    match choice {
        Some(choice) => Gpu::open(choice),
        None => Gpu::open(Choice::Hardware).or_else(|_| Gpu::open(Choice::Software)),
    }
}

/// A method and its capacities.
struct LaunchState {
    launch: Launch,
    narrow: Narrow,
    contacts: usize,
    near: usize,
}

impl LaunchState {
    fn new(choice: Option<Choice>, launch: Launch) -> Result<LaunchState, Failure> {
        let gpu = open(choice).map_err(|e| Failure::Run(e.to_string()))?;
        if gpu.tick_ns().is_none() {
            return Err(Failure::Run(format!(
                "{} cannot time passes (no timestamp queries)",
                gpu.adapter()
            )));
        }
        Ok(LaunchState {
            launch,
            narrow: Narrow::launched(gpu, launch).map_err(|e| gone(&e))?,
            contacts: SPARE,
            near: SPARE,
        })
    }

    /// Runs one step and measures its time.
    fn go(
        &mut self,
        feed: &Feed,
        settings: &Settings,
        rays: [usize; 3],
    ) -> Result<(Found, Times), Failure> {
        let start = Instant::now();
        feed.place(&mut self.narrow).map_err(|e| gone(&e))?;
        self.narrow.set_capacity(Room {
            rays,
            contacts: self.contacts,
            near: self.near,
        });
        let step = feed.step(settings);
        self.narrow.send(&step).map_err(|e| gone(&e))?;
        let found = self.narrow.wait().map_err(|e| gone(&e))?;
        let host_ms = 1e3 * start.elapsed().as_secs_f64();
        let Some(found) = found else {
            return Err(gone(&"no answer to a step"));
        };
        let [rays_ms, all_ms] = found.span_ns.unwrap_or_default().map(|ns| 1e-6 * ns);
        let [.., contacts, near] = found.wanted.map(|n| n as usize);
        if contacts > self.contacts || near > self.near {
            return Err(Failure::Run(format!(
                "{contacts} contacts and {near} predictions exceed {} and {}",
                self.contacts, self.near
            )));
        }
        (self.contacts, self.near) = (contacts + contacts / 2 + SPARE, near + near / 2 + SPARE);
        let times = Times {
            host_ms,
            rays_ms,
            all_ms,
        };
        Ok((found, times))
    }
}

fn gone(e: &dyn std::fmt::Display) -> Failure {
    Failure::Run(format!("the GPU: {e}"))
}

/// Runs all methods on a recording.
///
/// # Errors
/// If there is no adapter, if it fails, if there is nothing to compare, or if two methods do not
/// give the same contacts.
pub fn launch(
    trajectory: &Trajectory,
    recording: &Recording,
    settings: &Settings,
) -> Result<Launched, Failure> {
    let mut ways = Vec::new();
    for launch in WAYS {
        ways.push(LaunchState::new(trajectory.choice, launch)?);
    }
    let mut launched = pass(&mut ways, recording, settings, trajectory.confidence)?;
    for number in 1..trajectory.passes {
        if number == 2 {
            ways.retain(|way| way.launch != Launch::AtOnce);
        }
        launched.join(&pass(
            &mut ways,
            recording,
            settings,
            trajectory.confidence,
        )?);
    }
    let (differ, compared) = (launched.differ, launched.compared);
    if compared == 0 || differ * MAX_DIFFERING > compared {
        return Err(Failure::Run(format!(
            "one kernel and three stages differ in {differ} of {compared} contacts and predictions"
        )));
    }
    Ok(launched)
}

impl Launched {
    /// Takes the lower times of another pass over the same motion.
    fn join(&mut self, other: &Launched) {
        self.compared += other.compared;
        self.differ += other.differ;
        for (ours, theirs) in self.times.iter_mut().zip(&other.times) {
            // The least of many is less than the least of two: in passes without the single kernel,
            // the GPU times of the other methods do not count.
            let all = theirs.iter().all(|times| times.all_ms.is_finite());
            for (ours, theirs) in ours.iter_mut().zip(theirs) {
                ours.host_ms = ours.host_ms.min(theirs.host_ms);
                if all {
                    ours.rays_ms = ours.rays_ms.min(theirs.rays_ms);
                    ours.all_ms = ours.all_ms.min(theirs.all_ms);
                }
            }
        }
    }
}

/// Runs all methods through all steps, from the start.
fn pass(
    ways: &mut [LaunchState],
    recording: &Recording,
    settings: &Settings,
    confidence: f64,
) -> Result<Launched, Failure> {
    // Each of the three lists in one buffer of hits, of 32 bytes each.
    let most = ways[0].narrow.gpu().largest_binding() as usize / (3 * 32);
    let mut launched = Launched {
        times: Vec::with_capacity(recording.steps()),
        rays: [0; 3],
        pairs: 0,
        compared: 0,
        differ: 0,
        missed: 0,
        surplus: 0,
    };
    let (mut feed, mut plan) = (Feed::default(), Plan::default());
    let mut predicted = [Predicted::default(); 3];
    let mut last = [0; 3];
    recording.replay(|step, scene| {
        if step == 0 {
            let packed = feed.pack(scene, settings).map_err(|e| failed(&e))?;
            for way in &mut *ways {
                way.narrow.set_scene(&packed).map_err(|e| gone(&e))?;
            }
        }
        launched.pairs = launched.pairs.max(plan.make(scene, settings).pairs);
        feed.advance(scene, settings);
        feed.list(&plan, scene);
        let by_basic = settings.full == Full::Basic;
        let demand = Demand::new(&plan, feed.objects(), &ways[0].narrow, by_basic);
        let worst = demand.worst.map(|rays| rays.min(most));
        let with = Predictor::ByPairs { confidence };
        let guess: [usize; 3] = std::array::from_fn(|k| {
            let was_empty = step > 0 && last[k] == 0;
            let most = if was_empty { MIN_LAUNCH } else { usize::MAX };
            predicted[k].predict(with, demand.pairs[k], worst[k].min(most))
        });
        let mut times = [Times::NONE; WAYS.len()];
        let mut found: [Found; WAYS.len()] = Default::default();
        // Each method is first, and follows each other method, equally often: the caches still hold
        // the data of the previous one.
        let count = ways.len();
        let stride = if step % 2 == 0 { 1 } else { count - 1 };
        for k in (0..count).map(|k| (k * stride + step / 2) % count) {
            let predicts = ways[k].launch == Launch::Reserved;
            let rays = if predicts { guess } else { worst };
            (found[k], times[k]) = ways[k].go(&feed, settings, rays)?;
        }
        launched.times.push(times);
        let [product, exact, reserved, at_once] = &found;
        if product.overflow {
            return Err(Failure::Run(format!(
                "step {step}: {:?} rays, the adapter holds {worst:?}: use fewer bodies",
                &product.wanted[..3]
            )));
        }
        if (&exact.contacts, &exact.near) != (&product.contacts, &product.near) {
            return Err(Failure::Run(format!(
                "step {step}: exact counts give other contacts: {} for {}",
                exact.contacts.len(),
                product.contacts.len()
            )));
        }
        let both = [
            (&at_once.contacts, &product.contacts),
            (&at_once.near, &product.near),
        ];
        for (ours, theirs) in both.into_iter().filter(|_| count == WAYS.len()) {
            launched.compared += theirs.len() as u64;
            launched.differ += differ(ours, theirs);
        }
        for (k, list) in predicted.iter_mut().enumerate() {
            list.learn(reserved.wanted[k] as usize, demand.pairs[k]);
            last[k] = reserved.wanted[k];
            launched.rays[k] += u64::from(product.wanted[k]);
        }
        Ok(())
    })?;
    launched.missed = predicted.iter().map(|list| list.missed).sum();
    launched.surplus = predicted.iter().map(|list| list.surplus).sum();
    Ok(launched)
}

/// Counts the items of two lists, both in order of source, point, target and triangle, that are not
/// in the other: matching items are on the same triangle and at the same place up to rounding.
fn differ(a: &[Contact], b: &[Contact]) -> u64 {
    let key = |c: &Contact| (c.source, c.point, c.target, c.triangle);
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut differ = 0;
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return differ,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(x), Some(y)) => {
                let same = key(x) == key(y);
                differ += u64::from(same && (x.t - y.t).abs() > T_M);
                key(x).cmp(&key(y))
            }
        };
        differ += u64::from(order.is_ne());
        if order.is_le() {
            a.next();
        }
        if order.is_ge() {
            b.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(point: u32, t: f32) -> Contact {
        Contact {
            point,
            t,
            ..Contact::default()
        }
    }

    #[test]
    fn the_least_time_of_each_way_and_step_counts() {
        let times = |host_ms, all_ms| Times {
            host_ms,
            rays_ms: 0.5 * all_ms,
            all_ms,
        };
        let one = |of: [Times; 2]| Launched {
            times: of.iter().map(|t| [*t; WAYS.len()]).collect(),
            rays: [1; 3],
            pairs: 1,
            compared: 7,
            differ: 1,
            missed: 2,
            surplus: 3,
        };
        let mut launched = one([times(5.0, 3.0), times(1.0, 8.0)]);
        launched.join(&one([times(4.0, 4.0), times(2.0, 6.0)]));
        // The single kernel is left out, so the GPU times of the others do not count either.
        let mut without = one([times(4.5, 1.0); 2]);
        for step in &mut without.times {
            step[3] = Times::NONE;
        }
        launched.join(&without);
        assert_eq!(launched.times[0], [times(4.0, 3.0); WAYS.len()]);
        assert_eq!(launched.times[1], [times(1.0, 6.0); WAYS.len()]);
        assert_eq!((launched.compared, launched.differ), (21, 3));
    }

    #[test]
    fn contacts_differ_in_pair_and_place() {
        let some = [contact(1, 0.1), contact(2, 0.2), contact(4, 0.4)];
        assert_eq!(differ(&some, &some), 0);
        let rounded = [contact(1, 0.1 + 1e-6), contact(2, 0.2), contact(4, 0.4)];
        assert_eq!(differ(&some, &rounded), 0);
        let elsewhere = [contact(1, 0.1), contact(2, 0.3), contact(4, 0.4)];
        assert_eq!(differ(&some, &elsewhere), 1);
        assert_eq!(differ(&some, &some[..2]), 1);
        assert_eq!(differ(&some[1..], &some), 1);
        let other = [contact(1, 0.1), contact(3, 0.2), contact(4, 0.4)];
        assert_eq!(differ(&some, &other), 2);
    }
}
