//! What the loop computes contact with: solid scenes by certificates, planar ones by a kinetic
//! structure.
//!
//! One of two engines that take the same input and say the same of a tick. Neither allocates,
//! blocks or reads a clock after construction.

use hapticd_planar::{Measures, PlanarEngine};
use hapticd_proxy::{
    BodyKey, BodyTable, Engine, Gains, Guide, Passed, Query, Snapshot, SoftSnapshot, TickInput,
    TickOutput, TrackedBody, tool_in,
};

/// See the module.
pub enum Simulation {
    /// A scene in space.
    Solid(Box<Engine>),
    /// A scene in the plane.
    Planar(Box<PlanarEngine>),
}

impl Simulation {
    /// New gains for an arm, from the next tick on.
    pub fn set_gains(&mut self, arm: usize, gains: Gains) {
        match self {
            Self::Solid(engine) => engine.set_gains(arm, gains),
            Self::Planar(engine) => engine.set_gains(arm, gains),
        }
    }

    /// What the safety governor let through of an arm's last wrench.
    pub fn set_passed(&mut self, arm: usize, passed: Passed) {
        match self {
            Self::Solid(engine) => engine.set_passed(arm, passed),
            Self::Planar(engine) => engine.set_passed(arm, passed),
        }
    }

    /// Fixes to an arm's tool what may hold it back, before the first tick. There are no needles in
    /// the plane: it is dropped there.
    pub fn set_guide(&mut self, arm: usize, guide: Box<dyn Guide>) {
        if let Self::Solid(engine) = self {
            engine.set_guide(arm, guide);
        }
    }

    /// Gains of an arm.
    pub fn gains(&self, arm: usize) -> Option<Gains> {
        match self {
            Self::Solid(engine) => engine.gains(arm),
            Self::Planar(engine) => engine.gains(arm),
        }
    }

    /// Takes a snapshot; gives back a buffer that is no longer needed.
    pub fn receive(&mut self, snapshot: Box<Snapshot>) -> Option<Box<Snapshot>> {
        match self {
            Self::Solid(engine) => engine.receive(snapshot),
            Self::Planar(engine) => engine.receive(snapshot),
        }
    }

    /// Takes what the soft bodies' thread says; gives back a buffer that is no longer needed. There
    /// are no soft bodies in the plane.
    pub fn receive_soft(&mut self, soft: Box<SoftSnapshot>) -> Option<Box<SoftSnapshot>> {
        match self {
            Self::Solid(engine) => engine.receive_soft(soft),
            Self::Planar(_) => Some(soft),
        }
    }

    /// A body is gone: from the next tick on it neither stops nor pushes.
    pub fn forget(&mut self, id: u32) {
        match self {
            Self::Solid(engine) => engine.forget(id),
            Self::Planar(engine) => engine.forget(id),
        }
    }

    /// A buffer that is no longer needed, if there is one.
    pub fn take_retired(&mut self) -> Option<Box<Snapshot>> {
        match self {
            Self::Solid(engine) => engine.take_retired(),
            Self::Planar(_) => None,
        }
    }

    /// One tick.
    pub fn tick(&mut self, input: &TickInput) -> &TickOutput {
        match self {
            Self::Solid(engine) => engine.tick(input),
            Self::Planar(engine) => engine.tick(input),
        }
    }

    /// The question to the collision thread after a tick.
    pub fn query(&self) -> Query {
        match self {
            Self::Solid(engine) => engine.query(),
            Self::Planar(engine) => engine.query(),
        }
    }

    fn table(&self) -> &BodyTable {
        match self {
            Self::Solid(engine) => engine.table(),
            Self::Planar(engine) => engine.table(),
        }
    }

    /// The bodies of the scene as they are now.
    pub fn bodies(&self) -> impl Iterator<Item = &TrackedBody> {
        self.table().of_scene()
    }

    /// The tools that are bodies to other tools.
    pub fn tools(&self) -> impl Iterator<Item = BodyKey> {
        let keys = self.table().iter().map(|body| body.key);
        keys.filter(|key| tool_in(usize::from(key.slot)).is_some())
    }

    /// What the kinetic structure of a planar scene has cost so far; `None` in space.
    pub fn measures(&self) -> Option<Measures> {
        match self {
            Self::Solid(_) => None,
            Self::Planar(engine) => Some(engine.measures()),
        }
    }

    /// The last tick's output.
    pub fn output(&self) -> &TickOutput {
        match self {
            Self::Solid(engine) => engine.output(),
            Self::Planar(engine) => engine.output(),
        }
    }
}
