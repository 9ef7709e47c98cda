//! What an application wants of an arm beside contact: effects, grasps and where it works.

use super::Client;
use crate::RequestError;
use hapticd_protocol::{reply::Reply, request};

impl Client {
    /// Begins an effect, or gives a running one of this client other numbers, and returns its
    /// identity. Begin with [`effect`](crate::effect) and change what the effect needs. An effect
    /// lasts as long as its client is heard: [`poll`](Self::poll) or any request.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn set_effect(&mut self, effect: request::SetEffect) -> Result<u32, RequestError> {
        match self.ask(effect)? {
            (Reply::EffectSet(set), _) => Ok(set.effect),
            (other, _) => Err(RequestError::unexpected(&other)),
        }
    }

    /// Ends an effect: its force goes to zero within 20 ms. One that has ended is no error.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn stop_effect(&mut self, effect: u32) -> Result<(), RequestError> {
        self.done(request::StopEffect { effect })
    }

    /// Lets an arm hold a dynamic body: the one that is named, or with 0 the one that presses its
    /// tool most. Returns when the order is on its way; [`Event::Grasped`](crate::Event) and
    /// [`Event::LetGo`](crate::Event) say what came of it.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn grasp_body(&mut self, arm: u8, body: u32) -> Result<(), RequestError> {
        self.done(request::GraspBody { body, arm })
    }

    /// Lets an arm let go of what this client let it hold. An arm that holds nothing is no error.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn release_body(&mut self, arm: u8) -> Result<(), RequestError> {
        self.done(request::ReleaseBody { arm })
    }

    /// Says where an arm works: [`workspace`](crate::workspace) gives the request to start from.
    /// Returns when the order is on its way; the frame then moves at a bounded speed.
    ///
    /// # Errors
    /// [`RequestError`]: a number is out of its range, or the client is out of focus.
    pub fn set_workspace(&mut self, workspace: request::SetWorkspace) -> Result<(), RequestError> {
        self.done(workspace)
    }

    /// Engages the clutch of an arm, or disengages what this client has engaged. Returns when the
    /// order is on its way.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn set_clutch(&mut self, arm: u8, engaged: bool) -> Result<(), RequestError> {
        self.done(request::SetClutch { arm, engaged })
    }
}
