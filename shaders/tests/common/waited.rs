//! The GPU as a detector that waits where others poll: on few cores, a software driver gets them
//! sooner.

use hapticd_rays::layout::Contact;
use hapticd_rays::{Detector, DetectorError, Progress, RayScene, Report, Settings};
use hapticd_shaders::GpuDetector;

#[derive(Debug)]
pub struct Waited(pub GpuDetector);

impl Detector for Waited {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn settings(&self) -> &Settings {
        self.0.settings()
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError> {
        self.0.set_settings(settings)
    }

    fn forget(&mut self) {
        self.0.forget();
    }

    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError> {
        self.0.submit(scene)
    }

    fn poll(&mut self) -> Result<bool, DetectorError> {
        self.0.wait()?;
        self.0.poll()
    }

    fn recover(&mut self) -> Result<(), DetectorError> {
        self.0.recover()
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }

    fn contacts(&self) -> &[Contact] {
        self.0.contacts()
    }

    fn near(&self) -> &[Contact] {
        self.0.near()
    }

    fn report(&self) -> &Report {
        self.0.report()
    }

    fn gpu_ns(&self) -> Option<f64> {
        self.0.gpu_ns()
    }
}
