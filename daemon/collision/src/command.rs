//! What may be done to the scene from outside, and what came of it.

use hapticd_geometry::Pose;
use hapticd_proxy::{BodyKey, Material};
use hapticd_scene::{AddError, BodyPush, BodySpec, CommandError};

/// What may be done to the scene from outside.
#[derive(Clone)]
pub enum SceneCommand {
    /// Add a body.
    Add(Box<BodySpec>),
    /// Remove a body.
    Remove {
        /// Client-visible id.
        id: u32,
    },
    /// Send a kinematic body somewhere.
    Target {
        /// Client-visible id.
        id: u32,
        /// Where to.
        world_from_body: Pose,
        /// No faster than this.
        speed_m_s: f64,
    },
    /// Let it stop where it is.
    Halt {
        /// Client-visible id.
        id: u32,
    },
    /// Give it another surface: stiffness 0 makes it forceless, though never penetrable.
    Surface {
        /// Client-visible id.
        id: u32,
        /// The surface.
        material: Material,
    },
    /// Place a kinematic or dynamic body elsewhere at once. To tools it is a new body under the
    /// same id.
    Place {
        /// Client-visible id.
        id: u32,
        /// Where to.
        world_from_body: Pose,
    },
    /// Give a dynamic body an impulse or a velocity.
    Push {
        /// Client-visible id.
        id: u32,
        /// What it gets.
        push: Box<BodyPush>,
    },
}

impl SceneCommand {
    /// The body that it is about, if that is there already.
    pub(crate) fn body(&self) -> Option<u32> {
        match self {
            SceneCommand::Add(_) => None,
            SceneCommand::Remove { id }
            | SceneCommand::Target { id, .. }
            | SceneCommand::Halt { id }
            | SceneCommand::Surface { id, .. }
            | SceneCommand::Place { id, .. }
            | SceneCommand::Push { id, .. } => Some(*id),
        }
    }

    /// Whether it ends what an earlier [`SceneCommand::Target`] of that body began.
    pub(crate) fn places(&self, other: &SceneCommand) -> bool {
        matches!(self, SceneCommand::Place { .. }) && self.body() == other.body()
    }
}

/// What came of a [`SceneCommand`].
#[derive(Clone, Debug, PartialEq)]
pub enum SceneReply {
    /// Body added under this id.
    Added(u32),
    /// Done.
    Done,
    /// The body was refused.
    AddRefused(AddError),
    /// The command was refused.
    Refused(CommandError),
}

/// A command on its way to the collision thread.
pub struct Request {
    /// What to do.
    pub command: SceneCommand,
    /// Given back with the reply; means something to the sender only. `None`: no reply.
    pub token: Option<u64>,
}

/// A command that was carried out.
#[derive(Clone)]
pub struct Applied {
    /// What was done.
    pub command: SceneCommand,
    /// The body it was done to.
    pub id: u32,
    /// Its name in queries and snapshots, from then on.
    pub key: BodyKey,
    /// The body at its new place, if it was placed there.
    pub placed: Option<Box<BodySpec>>,
}

impl Applied {
    /// What placing a body is to all that follow bodies by their keys: its removal, and the
    /// addition of another one.
    #[must_use]
    pub fn replacement(&self) -> Option<[Applied; 2]> {
        let spec = self.placed.clone()?;
        let of = |command, key| Applied {
            command,
            id: self.id,
            key,
            placed: None,
        };
        // Each body in a slot has the generation after the one before.
        let old = BodyKey {
            generation: self.key.generation.wrapping_sub(1),
            ..self.key
        };
        Some([
            of(SceneCommand::Remove { id: self.id }, old),
            of(SceneCommand::Add(spec), self.key),
        ])
    }
}
