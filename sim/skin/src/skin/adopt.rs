//! A mesh that somebody else has made, as if it were the last of one's own.
//!
//! Which primitives reach which brick is found again; each vertex is put to the brick that it lies
//! in, so that all that is asked of the last mesh can be ([`Skin::motions`], primitives that are
//! lost). Nothing of it is taken over into the next one. Linear in vertices and in bricks that a
//! primitive reaches; does not allocate once it has seen as much.

use hapticd_geometry::Vec3;

use super::{Brick, Lost, Report, Settings, Skin, SkinError};
use crate::lists::{NONE, SIDE};
use crate::mesh::Mesh;
use crate::primitive::Primitive;

/// Why a mesh was not taken. The caller's fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdoptError {
    /// Nobody can have made it of these.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// It was made of something else.
    #[error("point {number} of the mesh, {at:?} m: no primitive reaches it")]
    Point {
        /// Which.
        number: usize,
        /// Where, m.
        at: [f32; 3],
    },
}

impl Skin {
    /// Takes `mesh`, which another has made of these primitives, all of which blend, for the one
    /// that was made last. Says which primitives will not be seen.
    ///
    /// # Errors
    /// [`AdoptError`]: the first thing that is wrong; there is no last mesh then.
    pub fn adopt(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        mesh: &Mesh,
    ) -> Result<Lost, AdoptError> {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        let adopted = self.take(settings, primitives, mesh);
        match &adopted {
            Ok(_) => {
                self.now.made = Some(*settings);
                self.now.adopted = true;
                self.now.points = mesh.points.len();
            }
            Err(_) => self.now.clear(),
        }
        adopted
    }

    fn take(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        mesh: &Mesh,
    ) -> Result<Lost, AdoptError> {
        settings.check(primitives)?;
        let terms = primitives.len() + self.grids.len();
        let now = &mut self.now;
        now.controlled = false;
        now.contacts.begin(None, &now.links, terms);
        now.reach(&settings.domain, primitives, &self.grids)?;
        if now.parts.is_empty() {
            now.parts.push(super::Part::default());
        }
        let (low, cell) = (settings.domain.low(), settings.domain.cell_m());
        let side = f64::from(SIDE) * cell;
        for (number, at) in mesh.points.iter().enumerate() {
            let away = (Vec3::from(at.map(f64::from)) - low) / side;
            // The casts saturate, and what is on the domain's end is in its last brick.
            let place = [0, 1, 2].map(|k| (away[k] as u32).min(now.lists.bricks[k] - 1));
            let slot = now.lists.slot(place);
            if slot == NONE {
                return Err(AdoptError::Point { number, at: *at });
            }
            match now.bricks.last_mut().filter(|brick| brick.slot == slot) {
                Some(brick) => brick.count += 1,
                None => now.bricks.push(Brick {
                    slot,
                    first: number as u32,
                    count: 1,
                    ..Brick::new(now.lists.reached[slot as usize], [0; 8], number)
                }),
            }
        }
        let mut report = Report::default();
        self.count_lost(settings, &mut report);
        Ok(report.lost)
    }
}
