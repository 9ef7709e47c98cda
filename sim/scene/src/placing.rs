//! Placing a body elsewhere at once.
//!
//! To the loop, and to all that follow bodies by their keys, the body goes and another one comes in
//! the same slot, of the next generation: no tool can be swept by it, and to each tool it is a
//! ghost until an answer proves the tool clear. Only the client-visible id, the mesh and the
//! surface stay. Velocity and target end.

use hapticd_geometry::Pose;

use crate::body::{AddError, BodyKind, CommandError};
use crate::world::{Adding, Newcomer, Scene, finite};

/// Why a body was not placed. An error of the caller.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlaceError {
    /// This body cannot be placed there, whatever else is there.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The place is not free.
    #[error(transparent)]
    Add(#[from] AddError),
}

impl Scene {
    /// Places a kinematic or dynamic body elsewhere, and waits for the test that it is clear there;
    /// [`Scene::begin_place`] does not.
    ///
    /// # Errors
    /// [`PlaceError`]; nothing changes then.
    pub fn place_body(&mut self, id: u32, world_from_body: &Pose) -> Result<(), PlaceError> {
        if let Adding::Working = self.begin_place(id, world_from_body)? {
            let mut work = self.take_work().ok_or(AddError::Busy)?;
            work.run();
            self.finish(*work).unwrap_or(Err(AddError::Busy))?;
        }
        Ok(())
    }

    /// Begins to place a body elsewhere. In a scene with dynamic bodies the test that it is clear
    /// of them there is left to [`Scene::take_work`], as for a body that is added. `O(bodies)` for
    /// any mesh.
    ///
    /// # Errors
    /// [`PlaceError`]; nothing changes then.
    pub fn begin_place(&mut self, id: u32, world_from_body: &Pose) -> Result<Adding, PlaceError> {
        let newcomer = self.placed(id, world_from_body)?;
        let Some(dynamics) = &mut self.dynamics else {
            return Ok(Adding::Added(self.enter(newcomer)?));
        };
        dynamics.check(&newcomer.spec, Some(newcomer.slot));
        self.newcomer = Some(newcomer);
        Ok(Adding::Working)
    }

    /// Places a body that a scene in the same state has already placed there: for replays.
    ///
    /// # Errors
    /// [`PlaceError`]; nothing changes then.
    pub fn place_accepted(&mut self, id: u32, world_from_body: &Pose) -> Result<(), PlaceError> {
        let newcomer = self.placed(id, world_from_body)?;
        self.enter(newcomer)?;
        Ok(())
    }

    /// Describes a body at another place, if everything but its clearance from other bodies is
    /// valid.
    fn placed(&self, id: u32, world_from_body: &Pose) -> Result<Newcomer, CommandError> {
        let slot = self.slot_of(id)?;
        let body = self.slots[slot].as_ref();
        let body = body.ok_or(CommandError::NoSuchBody(id))?;
        if self.planar {
            return Err(CommandError::Planar(id));
        }
        if body.spec.kind == BodyKind::Static {
            return Err(CommandError::Static(id));
        }
        if !finite(world_from_body) {
            return Err(CommandError::BadTarget(id));
        }
        if self.is_working() {
            return Err(CommandError::Busy(id));
        }
        let mut spec = body.spec.clone();
        spec.world_from_body = *world_from_body;
        Ok(Newcomer {
            slot,
            spec,
            id: Some(id),
        })
    }
}
