//! Cost of a variant of the detection on a recording, step by step.

use hapticd_rays::{Settings, Tracer};

use crate::clock::Moment;
use crate::experiment::Failure;
use crate::rays::stage::{Recording, failed};

/// A step that a variant has processed.
pub struct StepCost {
    pub step: usize,
    pub ms: f64,
    pub did: hapticd_rays::Report,
}

pub fn round(x: f64) -> f64 {
    (100.0 * x).round() / 100.0
}

/// Measures the processor time of the steps that are `wanted`, on one thread. A variant with memory
/// must process all of them.
pub fn looks(
    recording: &Recording,
    settings: Settings,
    wanted: impl Fn(usize) -> bool + Sync,
) -> Result<Vec<StepCost>, Failure> {
    alone(|| {
        let mut tracer = Tracer::new(settings);
        let mut looks = Vec::with_capacity(recording.steps());
        recording.replay(|step, scene| {
            if wanted(step) {
                let start = Moment::now();
                tracer.step(scene);
                looks.push(StepCost {
                    step,
                    ms: 1e3 * start.elapsed().as_secs_f64(),
                    did: *tracer.report(),
                });
            }
            Ok(())
        })?;
        Ok(looks)
    })
}

/// Runs work on one thread.
pub fn alone<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|e| failed(&e))?.install(work)
}

/// Returns the first step with a contact.
pub fn landing(looks: &[StepCost]) -> Result<usize, Failure> {
    let first = looks.iter().find(|look| look.did.collisions > 0);
    first
        .map(|look| look.step)
        .ok_or_else(|| Failure::Run("nothing has landed: more steps are needed".into()))
}

/// Returns the first step of phase C, the last fifth.
pub fn settled(steps: usize) -> usize {
    steps - steps / 5
}

/// Returns the mean over a range of steps, ms.
pub fn mean(looks: &[StepCost], steps: std::ops::Range<usize>) -> f64 {
    let some = looks.iter().filter(|look| steps.contains(&look.step));
    let (sum, count) = some.fold((0.0, 0), |(sum, n), look| (sum + look.ms, n + 1));
    sum / f64::from(count.max(1))
}
