//! Large skins as [`hapticd_skin::Polygonizer`], for a calling thread. Gives up a GPU that fails.
//!
//! The caller makes in the same frame what the GPU does not support or does not answer in time. A
//! device that fails, or is late [`MAX_LATE`] times in a row, is given up: it is never used again,
//! and every later refusal states why. To use a GPU again, create another mesher.

use hapticd_skin::{Mesh, Polygonizer, Primitive, Report, Settings};

use super::{GpuSkin, GpuSkinError};

/// Number of late answers in a row after which the device is given up.
pub const MAX_LATE: u32 = 8;

/// Mesher that gives up a failed GPU. See the module page.
#[derive(Debug)]
pub struct LargeSkins {
    skin: GpuSkin,
    late_in_a_row: u32,
    given_up: String,
}

impl LargeSkins {
    /// Creates a mesher on these passes.
    #[must_use]
    pub fn new(skin: GpuSkin) -> Self {
        Self {
            skin,
            late_in_a_row: 0,
            given_up: String::new(),
        }
    }

    /// The mesher on the device.
    #[must_use]
    pub fn skin(&self) -> &GpuSkin {
        &self.skin
    }

    fn note(&mut self, error: &GpuSkinError) {
        match error {
            GpuSkinError::Fault(fault) => self.given_up = fault.to_string(),
            GpuSkinError::Late { .. } => {
                self.late_in_a_row += 1;
                if self.late_in_a_row >= MAX_LATE {
                    self.given_up = format!("the GPU was late {MAX_LATE} times in a row");
                }
            }
            // The same input would fail again.
            GpuSkinError::Wrong { .. } => self.given_up = error.to_string(),
            _ => {}
        }
    }
}

impl Polygonizer for LargeSkins {
    fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<Report, String> {
        if !self.given_up.is_empty() {
            return Err(self.given_up.clone());
        }
        match self.skin.polygonize(settings, primitives, out) {
            Ok(made) => {
                self.late_in_a_row = 0;
                Ok(Report {
                    reached: made.reached,
                    sampled: made.sampled,
                    active: made.active,
                    clipped: made.clipped,
                    ..Report::default()
                })
            }
            Err(error) => {
                self.note(&error);
                Err(error.to_string())
            }
        }
    }

    fn given_up(&self) -> &str {
        &self.given_up
    }
}
