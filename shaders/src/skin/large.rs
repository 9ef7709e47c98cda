//! Large skins for a thread that asks: [`hapticd_skin::Polygonizer`], which gives up a GPU that
//! fails.
//!
//! What the GPU does not do, or does not answer in time, its caller does in the same frame. A
//! device that fails, or is late [`LATE`] times in a row, is given up: it is never asked again, and
//! every refusal from then on says why.

use hapticd_skin::{Mesh, Polygonizer, Primitive, Report, Settings};

use super::{GpuSkin, GpuSkinError};

/// So many answers late in a row are the end.
pub const LATE: u32 = 8;

/// See the module page.
#[derive(Debug)]
pub struct LargeSkins {
    skin: GpuSkin,
    late_in_a_row: u32,
    given_up: String,
}

impl LargeSkins {
    /// By these passes.
    #[must_use]
    pub fn new(skin: GpuSkin) -> Self {
        Self {
            skin,
            late_in_a_row: 0,
            given_up: String::new(),
        }
    }

    /// Who makes them.
    #[must_use]
    pub fn skin(&self) -> &GpuSkin {
        &self.skin
    }

    /// Why it is never asked again; empty: it is.
    #[must_use]
    pub fn given_up(&self) -> &str {
        &self.given_up
    }

    fn note(&mut self, error: &GpuSkinError) {
        match error {
            GpuSkinError::Fault(fault) => self.given_up = fault.to_string(),
            GpuSkinError::Late { .. } => {
                self.late_in_a_row += 1;
                if self.late_in_a_row >= LATE {
                    self.given_up = format!("the GPU was late {LATE} times in a row");
                }
            }
            // It will not be right another time.
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
}
