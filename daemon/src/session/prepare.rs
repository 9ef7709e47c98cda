//! What must be known before the channels are made: which processor does what, and who checks.

use hapticd_collision::backend::{self, SupervisedGpus};
use hapticd_collision::gpu_threads::{GpuThreadsEnd, gpu_threads};
use hapticd_config as config;
use hapticd_monitor::checker::Checker;

use super::{Options, SessionError, thread};
use crate::session_setup::SessionSetup;

/// What was chosen and opened for a session.
pub(super) struct Prepared {
    /// Both ends of the supervision of GPUs that were opened.
    pub(super) gpus: SupervisedGpus,
    /// End of the threads that use the mid-phase's GPU.
    pub(super) gpu_threads: GpuThreadsEnd,
    /// For the scribe, if ticks are checked.
    pub(super) checker: Option<Checker>,
}

/// Opens the GPUs that the configuration wants and starts the checker's thread.
///
/// # Errors
/// A requested GPU that is missing; no thread for the checker.
pub(super) fn prepare(
    setup: &mut SessionSetup,
    config: &config::Config,
    options: &Options,
) -> Result<Prepared, SessionError> {
    if let Some(scene) = &mut setup.deformable {
        let chosen = backend::choose(scene, config.collision.backend, options.sink.is_some())?;
        tracing::info!("{chosen}");
    }
    let (gpu_threads, gpu_threads_end) = gpu_threads();
    let wanted = config.collision.backend;
    let chosen = backend::choose_midphase(&mut setup.collider, wanted, &gpu_threads)?;
    tracing::info!("{chosen}");
    let broad_phase = setup.collider.world().broad_phase().name();
    tracing::info!("broad phase: {broad_phase}");
    let gpus = backend::supervise(setup.deformable.as_ref(), &setup.collider, &gpu_threads);
    // From now on only the GPU supervisor starts any.
    drop(gpu_threads);
    let mut checker = options.check.then(|| setup.checker());
    if let Some(checker) = &mut checker {
        let shapes = checker.prepare_on_other_thread();
        // It ends with the checker.
        thread::spawn("checker", move || while shapes.serve_one() {})?;
    }
    Ok(Prepared {
        gpus,
        gpu_threads: gpu_threads_end,
        checker,
    })
}
