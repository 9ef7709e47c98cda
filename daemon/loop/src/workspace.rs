//! Workspace of an arm at run time: where its frame is while applications move it, a clutch holds
//! the tool, or the hand drives it from outside of a bubble.
//!
//! * A frame that moves is a hand that moves: the tool follows through continuous detection, and
//!   nothing is placed. What the frame does in contact counts as work of what the tool touches.
//! * The frame moves no faster than its mapping says, and never jumps. The scale changes while the
//!   tool touches and holds nothing, with the tool where it is.
//! * A clutch lets the tool stand in the world. Its offset is what keeps it there afterwards.
//! * The governor sees the device alone: its limits hold whatever the frame does.
//! * Without an order and a clutch there is no work, and a frame keeps its bits.
//!
//! The frame in force is `base(t) shift(offset)`: the base follows the application, and the offset,
//! in base axes and world metres, is what clutch and bubble have added.
//!
//! Real-time callable: fixed memory, no allocation, constant time. Deterministic: orders, samples
//! and the outcome of the last tick go in.

mod glide;

use hapticd_devices::arm::Vec3;
use hapticd_geometry::{Pose, Quat};
use hapticd_proxy::{ArmOutcome, FrameChange, Phase, Wrench};

use super::effects::{Effect, EffectKind, EffectShape};
use super::frame::ArmFrame;
use glide::{Goal, glide, towards, turn_towards};

/// Time after which a bubble moves the frame at full speed again, s: after a contact, a clutch or a
/// force that was off.
const RATE_S: f64 = 0.2;
/// Force of the coupling at which a bubble moves the frame no more, N: what the arm holds is caught
/// somewhere.
const RATE_FORCE_N: f64 = 2.0;

/// A sphere at the device: inside the hand moves the tool, outside it moves the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bubble {
    /// Centre, base frame, m at the device.
    pub centre_m: Vec3,
    /// Radius, m at the device.
    pub radius_m: f64,
    /// Depth outside at which the frame moves at full speed, m at the device.
    pub width_m: f64,
    /// That speed, m/s in the world.
    pub max_speed_m_s: f64,
    /// Stiffness with which the sphere pulls the hand back, N/m at the device.
    pub stiffness_n_per_m: f64,
    /// Most of that force, N.
    pub cap_n: f64,
}

impl Bubble {
    /// Returns the elastic force at the sphere: an effect whose place is in the base frame.
    #[must_use]
    pub fn wall(&self) -> Effect {
        Effect {
            kind: EffectKind::Spring,
            shape: EffectShape::Point,
            place_m: self.centre_m,
            coefficient: self.stiffness_n_per_m,
            dead_band_m: self.radius_m,
            cap_n: self.cap_n,
            duration_s: f64::INFINITY,
            ..Effect::default()
        }
    }

    /// Returns the velocity of the frame for a hand at `hand_m`, base axes, m/s in the world.
    fn velocity(&self, hand_m: &Vec3) -> Vec3 {
        let out = hand_m - self.centre_m;
        let distance_m = out.norm();
        let depth = ((distance_m - self.radius_m) / self.width_m).clamp(0.0, 1.0);
        if !(depth > 0.0) {
            return Vec3::zeros();
        }
        out * (self.max_speed_m_s * depth * depth * depth / distance_m)
    }
}

/// Mapping that an application asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// Pose of the arm's base in the world.
    pub world_from_base: Pose,
    /// World metres per device metre.
    pub scale: f64,
    /// Largest speed of the tool that the frame's motion makes, m/s in the world.
    pub max_speed_m_s: f64,
    /// What clutch and bubble have added goes back to zero.
    pub recentre: bool,
    /// The bubble, if there is one.
    pub bubble: Option<Bubble>,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorkspaceChange {
    /// Follow this mapping.
    Map(Mapping),
    /// The application of the mapping has ended: the frame stays where it is, the bubble ends.
    Stop,
    /// Engage the clutch, or disengage it.
    Clutch(bool),
}

/// An order about the workspace of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkspaceOrder {
    /// Index of the arm.
    pub arm: u8,
    /// What is to be done.
    pub change: WorkspaceChange,
}

/// What the workspace of an arm sees of a tick.
#[derive(Clone, Copy, Debug)]
pub struct WorkspaceInput<'a> {
    /// Pose of the hand, base frame, m at the device.
    pub hand: &'a Pose,
    /// Buttons of the arm, one bit each.
    pub buttons: u32,
    /// Time since the last tick, s.
    pub dt_s: f64,
    /// What the last tick made of the tool.
    pub outcome: &'a ArmOutcome,
    /// The governor sends all that is wanted.
    pub has_authority: bool,
    /// The tool is placed at the hand in this tick: the arm is back.
    pub is_placed: bool,
}

/// A tool that a clutch holds.
#[derive(Clone, Copy, Debug)]
struct Clutch {
    /// Pose at which the hand's end of the spring stands, world.
    stands: Pose,
    /// Pose to which it goes: the far end at the moment of engaging, so that the spring lets go.
    rest: Pose,
}

/// The workspace of one arm: see the module documentation.
#[derive(Clone, Debug)]
pub struct Workspace {
    configured: ArmFrame,
    /// The frame in force.
    frame: ArmFrame,
    /// What the application of the mapping asked for last.
    mapping: Mapping,
    /// An application holds the mapping.
    is_held: bool,
    /// What clutch and bubble have added, base axes, world metres.
    offset_m: Vec3,
    /// Rotation of the tool in the hand that is to be in force.
    hand_from_tool: Option<Quat>,
    /// The frame may differ from the configured one.
    is_used: bool,
    clutch: Option<Clutch>,
    clutch_button: u32,
    is_pressed: bool,
    is_ordered: bool,
    /// Share of its speed at which the bubble may move the frame.
    authority: f64,
    is_driven: bool,
    /// Pose of the hand in the last tick, base frame.
    last_hand: Option<Pose>,
}

impl Workspace {
    /// A workspace in the configured frame, with the arm's button that engages the clutch, 0 to 31.
    #[must_use]
    pub fn new(configured: ArmFrame, clutch_button: Option<u8>) -> Self {
        let bit = |button: u8| 1_u32.checked_shl(button.into()).unwrap_or(0);
        Workspace {
            configured,
            frame: configured,
            mapping: still(&configured),
            is_held: false,
            offset_m: Vec3::zeros(),
            hand_from_tool: None,
            is_used: false,
            clutch: None,
            clutch_button: clutch_button.map_or(0, bit),
            is_pressed: false,
            is_ordered: false,
            authority: 0.0,
            is_driven: false,
            last_hand: None,
        }
    }

    /// Returns the frame in force.
    #[inline]
    #[must_use]
    pub fn frame(&self) -> &ArmFrame {
        &self.frame
    }

    /// Returns the frame in force if it may differ from the configured one.
    #[must_use]
    pub fn moved_frame(&self) -> Option<ArmFrame> {
        self.is_used.then_some(self.frame)
    }

    /// Returns whether a clutch holds the tool.
    #[inline]
    #[must_use]
    pub fn is_clutched(&self) -> bool {
        self.is_pressed || self.is_ordered
    }

    /// Returns whether the bubble moved the frame in the last tick.
    #[must_use]
    pub fn is_driven(&self) -> bool {
        self.is_driven
    }

    /// Obeys an order before a tick.
    pub fn order(&mut self, change: WorkspaceChange) {
        match change {
            WorkspaceChange::Map(mapping) => {
                self.mapping = Mapping {
                    recentre: mapping.recentre || self.mapping.recentre,
                    ..mapping
                };
                (self.is_held, self.is_used) = (true, true);
            }
            WorkspaceChange::Stop => self.stop(),
            WorkspaceChange::Clutch(engaged) => {
                self.is_ordered = engaged;
                self.is_used |= engaged;
            }
        }
    }

    /// Lets the frame stay where it is, without a bubble.
    fn stop(&mut self) {
        if std::mem::take(&mut self.is_held) {
            self.mapping = still(&self.frame);
            self.offset_m = Vec3::zeros();
            self.hand_from_tool = self.frame.hand_from_tool;
        }
    }

    /// Ends what applications ordered: nobody serves them. Returns whether there was a mapping.
    #[inline]
    pub fn end_unserved(&mut self) -> bool {
        self.is_ordered = false;
        let was_held = self.is_held;
        self.stop();
        was_held
    }

    /// Moves the frame by a tick. Returns how it changed, if it did. Not to be called without a
    /// pose of the hand.
    #[inline]
    pub fn tick(&mut self, input: &WorkspaceInput<'_>) -> Option<FrameChange> {
        self.is_pressed = input.buttons & self.clutch_button != 0;
        self.is_used |= self.is_pressed;
        let change = match self.is_used {
            true => self.advance(input),
            false => None,
        };
        self.last_hand = Some(*input.hand);
        change
    }

    fn advance(&mut self, input: &WorkspaceInput<'_>) -> Option<FrameChange> {
        let before = self.frame;
        self.is_driven = false;
        if input.is_placed && !self.is_held && !self.is_clutched() {
            // No application answers for where the frame is, and the tool is placed anyway.
            let configured = self.configured;
            (self.frame, self.mapping) = (configured, still(&configured));
            (self.offset_m, self.hand_from_tool) = (Vec3::zeros(), None);
            self.is_used = false;
        } else {
            self.take_scale(input);
            match self.is_clutched() {
                true => self.hold(input, &before),
                false => self.follow(input),
            }
        }
        (self.frame != before).then(|| change(&before, &self.frame))
    }

    /// Takes the scale that was asked for while the tool is free, with the tool where it is.
    fn take_scale(&mut self, input: &WorkspaceInput<'_>) {
        let is_free = !touches(input.outcome) && input.outcome.grasped == 0;
        if self.frame.scale == self.mapping.scale || !is_free {
            return;
        }
        let hand_m = input.hand.translation.vector;
        let shift = hand_m * (self.frame.scale - self.mapping.scale);
        let base = &mut self.frame.world_from_base;
        base.translation.vector += base.rotation * shift;
        self.frame.scale = self.mapping.scale;
    }

    /// Holds the tool where it is; `before` is the frame of the last tick.
    fn hold(&mut self, input: &WorkspaceInput<'_>, before: &ArmFrame) {
        self.authority = 0.0;
        let clutch = self.clutch.get_or_insert_with(|| {
            let stands = match (&self.last_hand, input.is_placed) {
                (Some(hand), false) => before.to_world(hand),
                _ => self.frame.to_world(input.hand),
            };
            // A spring without force needs no rest. The hand of a tool that follows by increments
            // is anywhere, and must not go to it.
            let pulls = input.outcome.wrench != Wrench::default();
            let rest = match pulls && !input.is_placed {
                true => input.outcome.spring.far_end,
                false => stands,
            };
            Clutch { stands, rest }
        });
        clutch.stands = towards(&clutch.stands, &clutch.rest, input.dt_s);
        let stands = clutch.stands;
        // The base turns towards its mapping; the tool's rotation in the hand makes up for it.
        let (hand, scale) = (input.hand, self.frame.scale);
        let mapped = &self.mapping.world_from_base;
        let rotation = turn_towards(
            &self.frame.world_from_base.rotation,
            &mapped.rotation,
            input.dt_s,
        );
        let hand_from_tool = (rotation * hand.rotation).inverse() * stands.rotation;
        let hand_m = hand.translation.vector * scale;
        let from_base = stands.translation.vector - mapped.translation.vector;
        // With this offset the base stays where it is afterwards.
        self.offset_m = mapped.rotation.inverse() * from_base - hand_m;
        let world_from_base = match rotation == mapped.rotation {
            true => self.goal().world_from_base,
            false => {
                let place = stands.translation.vector - rotation * hand_m;
                Pose::from_parts(place.into(), rotation)
            }
        };
        self.hand_from_tool = Some(hand_from_tool);
        self.frame = ArmFrame {
            world_from_base,
            scale,
            hand_from_tool: Some(hand_from_tool),
        };
    }

    /// Where the frame is to be: its mapping, with what clutch and bubble have added.
    fn goal(&self) -> Goal {
        let mut world_from_base = self.mapping.world_from_base;
        let offset = world_from_base.rotation * self.offset_m;
        world_from_base.translation.vector += offset;
        Goal {
            world_from_base,
            hand_from_tool: self.hand_from_tool,
        }
    }

    /// Follows the mapping, and drives the frame from outside of the bubble.
    fn follow(&mut self, input: &WorkspaceInput<'_>) {
        self.clutch = None;
        if std::mem::take(&mut self.mapping.recentre) {
            (self.offset_m, self.hand_from_tool) = (Vec3::zeros(), None);
        }
        self.drive(input);
        self.frame = glide(&self.frame, &self.goal(), input, self.mapping.max_speed_m_s);
    }

    /// Moves the frame outwards if the hand is outside of the bubble.
    fn drive(&mut self, input: &WorkspaceInput<'_>) {
        let Some(bubble) = &self.mapping.bubble else {
            self.authority = 0.0;
            return;
        };
        let may_move = input.has_authority && !input.is_placed && !touches(input.outcome);
        self.authority = match may_move {
            true => (self.authority + input.dt_s / RATE_S).min(1.0),
            false => 0.0,
        };
        // A body that the arm holds may be caught: it is not pulled harder and harder.
        let force_n = input.outcome.wrench.force_n.norm();
        let ease = (1.0 - force_n / RATE_FORCE_N).clamp(0.0, 1.0);
        let velocity = bubble.velocity(&input.hand.translation.vector);
        let step = velocity * (self.authority * ease * input.dt_s);
        if step == Vec3::zeros() {
            return;
        }
        self.is_driven = true;
        self.offset_m += step;
        let base = &mut self.frame.world_from_base;
        base.translation.vector += base.rotation * step;
    }
}

/// The mapping that keeps a frame where it is.
fn still(frame: &ArmFrame) -> Mapping {
    Mapping {
        world_from_base: frame.world_from_base,
        scale: frame.scale,
        max_speed_m_s: 0.0,
        recentre: false,
        bubble: None,
    }
}

/// Returns how a frame changed.
fn change(before: &ArmFrame, now: &ArmFrame) -> FrameChange {
    let turn = |frame: &ArmFrame| frame.hand_from_tool.unwrap_or_default();
    FrameChange {
        from: before.world_from_base,
        to: now.world_from_base,
        ratio: now.scale / before.scale,
        tool_turn: turn(before).inverse() * turn(now),
    }
}

/// Whether the tool touches anything.
fn touches(outcome: &ArmOutcome) -> bool {
    outcome.contact_count > 0
        || outcome.soft_rows > 0
        || matches!(outcome.insertion.phase, Phase::Touching | Phase::Inserted)
}

#[cfg(test)]
mod tests;
