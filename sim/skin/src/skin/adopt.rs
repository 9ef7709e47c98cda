//! Adoption of a mesh that another mesher made, as if it were this skin's last one.
//!
//! The lists of primitives by brick are rebuilt, and each vertex is assigned to the brick that
//! holds it. So all queries about the last mesh work ([`Skin::motions`], lost primitives). The next
//! mesh reuses nothing of it. Linear in vertices and in bricks that a primitive reaches. Allocates
//! only when a mesh exceeds all earlier ones in size.

use hapticd_geometry::Vec3;

use super::{Brick, Lost, Report, Settings, Skin, SkinError};
use crate::domain::SIDE;
use crate::lists::NONE;
use crate::mesh::Mesh;
use crate::primitive::Primitive;

/// Reasons for refusing a mesh. The caller is at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdoptError {
    /// No skin can be made of these primitives.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The mesh was made from other primitives.
    #[error("point {number} of the mesh, {at:?} m: no primitive reaches it")]
    Point {
        /// Number of the point.
        number: usize,
        /// Position, m.
        at: [f32; 3],
    },
}

impl Skin {
    /// Takes `mesh`, which another mesher made of these primitives, all blending, as the last one.
    /// Returns which primitives are not visible.
    ///
    /// # Errors
    /// [`AdoptError`]: the first defect found; there is then no last mesh.
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
            // The casts saturate; a point on the domain's end belongs to the last brick.
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
