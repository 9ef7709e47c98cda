//! What arms hold: ordered by applications, or by a button of the arm.
//!
//! * An application's grasp ends with its application, and while the clients' server is silent.
//!   A grasp by a button ends with the button.
//! * A body whose client is silent, out of focus or gone is let go.
//! * Orders and buttons are inputs of a tick, so a replay holds the same bodies.
//!
//! The engine does the holding: see `hapticd_proxy`. Planar scenes have no bodies to hold.
//!
//! Real-time callable: fixed memory, no allocation. Deterministic.

use hapticd_proxy::{LetGo, MAX_ARMS};

use super::simulation::Simulation;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraspChange {
    /// Take the dynamic body with this client-visible id; with 0 the one that presses the tool
    /// most.
    Take(u32),
    /// Let go: the application says so.
    LetGo,
    /// Let go: the application is gone, silent or out of focus.
    Abandon,
}

/// An order about what an arm holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraspOrder {
    /// Index of the arm.
    pub arm: u8,
    /// What is to be done.
    pub change: GraspChange,
}

/// Who holds on to what an arm holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holder {
    #[default]
    None,
    Application,
    Button,
}

/// The grasps of all arms: see the module documentation.
#[derive(Clone, Debug)]
pub struct Grasps {
    holders: [Holder; MAX_ARMS],
    /// The button that grasps, one bit; 0: none.
    button: [u32; MAX_ARMS],
    pressed: [bool; MAX_ARMS],
    /// Orders to take something that was not there.
    refused: [bool; MAX_ARMS],
    /// What ended in the last tick.
    ended: [Option<LetGo>; MAX_ARMS],
}

impl Grasps {
    /// No grasps and no buttons.
    #[must_use]
    pub fn new() -> Self {
        Grasps {
            holders: [Holder::None; MAX_ARMS],
            button: [0; MAX_ARMS],
            pressed: [false; MAX_ARMS],
            refused: [false; MAX_ARMS],
            ended: [None; MAX_ARMS],
        }
    }

    /// Lets a button of an arm grasp, 0 to 31.
    pub fn set_button(&mut self, arm: usize, button: Option<u8>) {
        if let Some(place) = self.button.get_mut(arm) {
            *place = button.map_or(0, |button| 1_u32.checked_shl(button.into()).unwrap_or(0));
        }
    }

    /// Obeys an order before a tick. Arms that do not exist are ignored. A body that is silenced is
    /// let go at once.
    pub fn order(
        &mut self,
        order: GraspOrder,
        is_silenced: impl Fn(u32) -> bool,
        engine: &mut Simulation,
    ) {
        let arm = usize::from(order.arm);
        let Some(holder) = self.holders.get_mut(arm) else {
            return;
        };
        match order.change {
            GraspChange::Take(body) => {
                let is_taken = engine.grasp(arm, body);
                if is_taken {
                    *holder = Holder::Application;
                    self.give_back_silenced(arm, is_silenced, engine);
                }
                self.refused[arm] |= !is_taken;
            }
            // A button that is pressed holds on.
            GraspChange::LetGo | GraspChange::Abandon if *holder == Holder::Application => {
                *holder = Holder::None;
                engine.let_go(
                    arm,
                    match order.change {
                        GraspChange::Abandon => LetGo::HolderGone,
                        _ => LetGo::Ordered,
                    },
                );
            }
            GraspChange::LetGo | GraspChange::Abandon => {}
        }
    }

    /// Lets go of a body that makes no force: nobody answers for it.
    fn give_back_silenced(
        &mut self,
        arm: usize,
        is_silenced: impl Fn(u32) -> bool,
        engine: &mut Simulation,
    ) {
        if is_silenced(engine.held(arm)) {
            self.holders[arm] = Holder::None;
            engine.let_go(arm, LetGo::BodySilent);
        }
    }

    /// Obeys the buttons of an arm before a tick; `buttons` has one bit each.
    #[inline]
    pub fn press(
        &mut self,
        arm: usize,
        buttons: u32,
        is_silenced: impl Fn(u32) -> bool,
        engine: &mut Simulation,
    ) {
        let pressed = buttons & self.button[arm] != 0;
        if pressed == std::mem::replace(&mut self.pressed[arm], pressed) {
            return;
        }
        let holder = &mut self.holders[arm];
        if pressed && engine.grasp(arm, 0) {
            *holder = Holder::Button;
            self.give_back_silenced(arm, is_silenced, engine);
        } else if !pressed && *holder == Holder::Button {
            *holder = Holder::None;
            engine.let_go(arm, LetGo::Ordered);
        }
    }

    /// Lets go of what applications hold: nobody serves them.
    #[inline]
    pub fn end_unserved(&mut self, engine: &mut Simulation) {
        for (arm, holder) in self.holders.iter_mut().enumerate() {
            if *holder == Holder::Application {
                *holder = Holder::None;
                engine.let_go(arm, LetGo::ClientsUnserved);
            }
        }
    }

    /// Lets go of a body, whichever arm holds it: its client is silent or out of focus.
    pub fn end_of(&mut self, body: u32, engine: &mut Simulation) {
        for arm in 0..MAX_ARMS {
            if engine.output().arms[arm].grasped == body {
                engine.let_go(arm, LetGo::BodySilent);
            }
        }
    }

    /// Takes over what the tick that just ran says of an arm.
    #[inline]
    pub fn note(&mut self, arm: usize, grasped: u32, let_go: Option<LetGo>) {
        if grasped == 0 {
            self.holders[arm] = Holder::None;
        }
        let refused = std::mem::take(&mut self.refused[arm]);
        self.ended[arm] = let_go.or(refused.then_some(LetGo::NothingThere));
    }

    /// Returns what ended in the last tick, or was not there to be taken.
    pub fn ended(&self, arm: usize) -> Option<LetGo> {
        self.ended.get(arm).copied().flatten()
    }
}

impl Default for Grasps {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
