//! The contact engine of the loop: certificates for solid scenes, a kinetic structure for planar
//! ones.
//!
//! Both engines take the same input and give the same kind of output. Neither allocates, blocks or
//! reads a clock after construction.

use hapticd_planar::{Measures, PlanarEngine};
use hapticd_proxy::{
    BodyKey, BodyTable, DeformableSnapshot, Engine, FrameChange, Gains, Guide, LetGo, Passed,
    Query, Snapshot, TickInput, TickOutput, TrackedBody, tool_in,
};

/// One of the two contact engines.
pub enum Simulation {
    /// A scene in space.
    Solid(Box<Engine>),
    /// A scene in the plane.
    Planar(Box<PlanarEngine>),
}

impl Simulation {
    /// Sets an arm's gains from the next tick on.
    pub fn set_gains(&mut self, arm: usize, gains: Gains) {
        match self {
            Self::Solid(engine) => engine.set_gains(arm, gains),
            Self::Planar(engine) => engine.set_gains(arm, gains),
        }
    }

    /// Carries what an arm's coupling remembers along with the arm's frame, which moves before the
    /// next tick.
    pub fn carry(&mut self, arm: usize, change: &FrameChange) {
        match self {
            Self::Solid(engine) => engine.carry(arm, change),
            Self::Planar(engine) => engine.carry(arm, change),
        }
    }

    /// Sets what the safety governor let through of an arm's last wrench.
    pub fn set_passed(&mut self, arm: usize, passed: Passed) {
        match self {
            Self::Solid(engine) => engine.set_passed(arm, passed),
            Self::Planar(engine) => engine.set_passed(arm, passed),
        }
    }

    /// Fixes a guide that may hold the tool back to an arm's tool, before the first tick. The plane
    /// has no needles: there the guide is dropped.
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

    /// Takes a snapshot. Returns a buffer that is no longer needed.
    pub fn receive(&mut self, snapshot: Box<Snapshot>) -> Option<Box<Snapshot>> {
        match self {
            Self::Solid(engine) => engine.receive(snapshot),
            Self::Planar(engine) => engine.receive(snapshot),
        }
    }

    /// Takes a snapshot from the soft bodies' thread. Returns a buffer that is no longer needed.
    /// The plane has no soft bodies.
    pub fn receive_soft(
        &mut self,
        deformable: Box<DeformableSnapshot>,
    ) -> Option<Box<DeformableSnapshot>> {
        match self {
            Self::Solid(engine) => engine.receive_soft(deformable),
            Self::Planar(_) => Some(deformable),
        }
    }

    /// Removes a body: from the next tick on it neither stops nor pushes.
    pub fn forget(&mut self, id: u32) {
        match self {
            Self::Solid(engine) => engine.forget(id),
            Self::Planar(engine) => engine.forget(id),
        }
    }

    /// Lets an arm's tool take a body. Returns false if there is none to take.
    pub fn grasp(&mut self, arm: usize, id: u32) -> bool {
        match self {
            Self::Solid(engine) => engine.grasp(arm, id),
            Self::Planar(_) => false,
        }
    }

    /// Client-visible id of the body that an arm's tool holds; 0: none.
    pub fn held(&self, arm: usize) -> u32 {
        match self {
            Self::Solid(engine) => engine.held(arm),
            Self::Planar(_) => 0,
        }
    }

    /// Lets an arm's tool let go.
    pub fn let_go(&mut self, arm: usize, why: LetGo) {
        if let Self::Solid(engine) = self {
            engine.let_go(arm, why);
        }
    }

    /// Returns a buffer that is no longer needed, if any.
    pub fn take_retired(&mut self) -> Option<Box<Snapshot>> {
        match self {
            Self::Solid(engine) => engine.take_retired(),
            Self::Planar(_) => None,
        }
    }

    /// Runs one tick.
    pub fn tick(&mut self, input: &TickInput) -> &TickOutput {
        match self {
            Self::Solid(engine) => engine.tick(input),
            Self::Planar(engine) => engine.tick(input),
        }
    }

    /// Query for the collision thread after a tick.
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

    /// The bodies of the scene in their present state.
    pub fn bodies(&self) -> impl Iterator<Item = &TrackedBody> {
        self.table().of_scene()
    }

    /// The tools that are bodies to other tools.
    pub fn tools(&self) -> impl Iterator<Item = BodyKey> {
        let keys = self.table().iter().map(|body| body.key);
        keys.filter(|key| tool_in(usize::from(key.slot)).is_some())
    }

    /// Cost so far of the kinetic structure of a planar scene; `None` in space.
    pub fn measures(&self) -> Option<Measures> {
        match self {
            Self::Solid(_) => None,
            Self::Planar(engine) => Some(engine.measures()),
        }
    }

    /// Output of the last tick.
    pub fn output(&self) -> &TickOutput {
        match self {
            Self::Solid(engine) => engine.output(),
            Self::Planar(engine) => engine.output(),
        }
    }
}
