//! The skin of a body that never changes: made once, as fine as the triangle limit allows, and then
//! only measured.
//!
//! A sampled potential costs 64 samples at every node, some tenths of a second in total. That is
//! spent once, so the time of a frame is no reason for larger cubes, but the number of triangles
//! is.

use std::sync::Arc;

use hapticd_proxy::Sampled;
use hapticd_skin::quality::MAX_RUNGS;
use hapticd_skin::{Ambiguity, Domain, DomainError, Settings};

use super::{SkinBy, SkinMade, SkinMakeError, SkinMaker};
use crate::skins::SkinState;

impl SkinMaker {
    /// Makes a frame: the mesh of the last one, if there is any.
    pub(super) fn make_still(&mut self, sampled: &Arc<Sampled>) -> Result<SkinMade, SkinMakeError> {
        let made = match self.still {
            Some(made) => made,
            None => self.make_once(sampled)?,
        };
        self.still = Some(made);
        self.frames += 1;
        let felt_m = self.felt_m(&SkinState::default());
        Ok(SkinMade { felt_m, ..made })
    }

    fn make_once(&mut self, sampled: &Arc<Sampled>) -> Result<SkinMade, SkinMakeError> {
        let name = self.spec.name.clone();
        let (low, high) = sampled.grid().bounds();
        self.skin.set_grids(vec![sampled.grid().clone()]);
        let mut rung = 0;
        loop {
            let cell_m = self.quality.cell_m(rung);
            let coarser = rung + 1 < MAX_RUNGS;
            let domain = match Domain::holding(low, high, cell_m) {
                Ok(domain) => domain,
                // A body that does not fit into a box of these cubes may fit into one of larger
                // cubes.
                Err(DomainError::Cells(_) | DomainError::Large(_) | DomainError::Place { .. })
                    if coarser =>
                {
                    rung += 1;
                    continue;
                }
                Err(why) => return Err(SkinMakeError::Domain { name, why }),
            };
            let settings = Settings {
                domain,
                level: self.spec.level,
                ambiguity: Ambiguity::default(),
            };
            let made = self.skin.polygonize(&settings, &[], &mut self.mesh);
            let report = match made {
                Ok(report) => report,
                Err(why) => {
                    let why = Box::new(why);
                    return Err(SkinMakeError::Skin { name, why });
                }
            };
            let (triangles, most) = (self.mesh.triangles.len(), self.most_triangles);
            if triangles <= most {
                self.velocities.clear();
                self.velocities.resize(self.mesh.points.len(), [0.0; 3]);
                return Ok(SkinMade {
                    report,
                    check: self.checker.check(&self.mesh),
                    cell_m,
                    rung,
                    felt_m: 0.0,
                    creased: false,
                    uncontrolled: false,
                    by: SkinBy::Cpu,
                });
            }
            if !coarser {
                return Err(SkinMakeError::TooLarge {
                    name,
                    triangles,
                    most,
                    cell_m,
                });
            }
            rung += 1;
        }
    }
}
