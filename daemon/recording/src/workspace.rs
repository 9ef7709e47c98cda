//! Orders about arms' workspaces, and the frames that they make, as a recording has them.

use hapticd_geometry::Quat;
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::{ArmTick, TickRecord};
use hapticd_loop::workspace::{Bubble, Mapping, WorkspaceChange, WorkspaceOrder};
use serde::{Deserialize, Serialize};

use super::number::Num;
use super::spatial::{PoseMessage, Triple, triple, vector};

/// A bubble; see `hapticd_loop::workspace`. Lengths are the device's, in the base frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct BubbleMessage {
    pub centre_m: Triple,
    pub radius_m: Num,
    pub width_m: Num,
    pub max_speed_m_s: Num,
    pub stiffness_n_per_m: Num,
    pub cap_n: Num,
}

/// A mapping that an application asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MappingMessage {
    /// Pose of the arm's base in the world.
    pub world_from_base: PoseMessage,
    /// World metres per device metre.
    pub scale: Num,
    /// Largest speed of the tool that the frame's motion makes, m/s.
    pub max_speed_m_s: Num,
    /// What clutch and bubble have added goes back to zero.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recentre: bool,
    /// The bubble, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bubble: Option<BubbleMessage>,
}

/// An order about the workspace of an arm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceOrderMessage {
    /// The arm follows a mapping.
    Map {
        /// Index of the arm.
        arm: u8,
        /// The mapping.
        mapping: MappingMessage,
    },
    /// The application of the mapping has ended.
    Stop {
        /// Index of the arm.
        arm: u8,
    },
    /// The clutch is engaged or disengaged.
    Clutch {
        /// Index of the arm.
        arm: u8,
        /// Whether it is engaged.
        engaged: bool,
    },
}

impl From<&Mapping> for MappingMessage {
    fn from(mapping: &Mapping) -> Self {
        MappingMessage {
            world_from_base: (&mapping.world_from_base).into(),
            scale: Num(mapping.scale),
            max_speed_m_s: Num(mapping.max_speed_m_s),
            recentre: mapping.recentre,
            bubble: mapping.bubble.as_ref().map(|bubble| BubbleMessage {
                centre_m: triple(&bubble.centre_m),
                radius_m: Num(bubble.radius_m),
                width_m: Num(bubble.width_m),
                max_speed_m_s: Num(bubble.max_speed_m_s),
                stiffness_n_per_m: Num(bubble.stiffness_n_per_m),
                cap_n: Num(bubble.cap_n),
            }),
        }
    }
}

impl From<&MappingMessage> for Mapping {
    fn from(message: &MappingMessage) -> Self {
        Mapping {
            world_from_base: (&message.world_from_base).into(),
            scale: message.scale.0,
            max_speed_m_s: message.max_speed_m_s.0,
            recentre: message.recentre,
            bubble: message.bubble.as_ref().map(|bubble| Bubble {
                centre_m: vector(&bubble.centre_m),
                radius_m: bubble.radius_m.0,
                width_m: bubble.width_m.0,
                max_speed_m_s: bubble.max_speed_m_s.0,
                stiffness_n_per_m: bubble.stiffness_n_per_m.0,
                cap_n: bubble.cap_n.0,
            }),
        }
    }
}

impl From<&WorkspaceOrder> for WorkspaceOrderMessage {
    fn from(order: &WorkspaceOrder) -> Self {
        let arm = order.arm;
        match &order.change {
            WorkspaceChange::Map(mapping) => WorkspaceOrderMessage::Map {
                arm,
                mapping: mapping.into(),
            },
            WorkspaceChange::Stop => WorkspaceOrderMessage::Stop { arm },
            WorkspaceChange::Clutch(engaged) => WorkspaceOrderMessage::Clutch {
                arm,
                engaged: *engaged,
            },
        }
    }
}

impl WorkspaceOrderMessage {
    /// Returns the order.
    pub fn order(&self) -> WorkspaceOrder {
        let (arm, change) = match self {
            Self::Map { arm, mapping } => (*arm, WorkspaceChange::Map(mapping.into())),
            Self::Stop { arm } => (*arm, WorkspaceChange::Stop),
            Self::Clutch { arm, engaged } => (*arm, WorkspaceChange::Clutch(*engaged)),
        };
        WorkspaceOrder { arm, change }
    }
}

/// The orders about workspaces before a tick.
pub(crate) fn workspace_orders(record: &TickRecord) -> Vec<WorkspaceOrderMessage> {
    let order = |order: &LoopOrder| match order {
        LoopOrder::Workspace(order) => Some(order.into()),
        LoopOrder::Effect(_) | LoopOrder::Grasp(_) => None,
    };
    record.orders.iter().filter_map(order).collect()
}

/// The frame of an arm in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameMessage {
    /// Pose of the arm's base in the world.
    pub world_from_base: PoseMessage,
    /// World metres per device metre.
    pub scale: Num,
    /// Rotation from the tool's axes to the hand's that a clutch has left, `[x, y, z, w]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand_from_tool_xyzw: Option<[Num; 4]>,
    /// A clutch holds the tool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clutched: bool,
    /// The bubble moved the frame.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub driven: bool,
}

impl FrameMessage {
    /// Returns the frame of an arm; `None` if it is the configured one.
    pub fn of(arm: &ArmTick) -> Option<Self> {
        let frame = arm.frame.as_ref()?;
        let turn = |turn: &Quat| [turn.i, turn.j, turn.k, turn.w].map(Num);
        Some(FrameMessage {
            world_from_base: (&frame.world_from_base).into(),
            scale: Num(frame.scale),
            hand_from_tool_xyzw: frame.hand_from_tool.as_ref().map(turn),
            clutched: arm.clutched,
            driven: arm.driven,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Pose, Vec3};

    #[test]
    fn an_order_survives_json_bit_for_bit() {
        let turn = Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 1.0 / 3.0));
        let mapping = Mapping {
            world_from_base: Pose::from_parts(Vec3::new(0.1, -0.0, 1e-300).into(), turn),
            scale: 1.0 / 3.0,
            max_speed_m_s: 0.5,
            recentre: true,
            bubble: Some(Bubble {
                centre_m: Vec3::new(0.0, 0.01, -0.02),
                radius_m: 0.05,
                width_m: 0.03,
                max_speed_m_s: 0.7,
                stiffness_n_per_m: 150.0,
                cap_n: 1.5,
            }),
        };
        let plain = Mapping {
            recentre: false,
            bubble: None,
            ..mapping
        };
        let changes = [
            WorkspaceChange::Map(mapping),
            WorkspaceChange::Map(plain),
            WorkspaceChange::Stop,
            WorkspaceChange::Clutch(true),
            WorkspaceChange::Clutch(false),
        ];
        for change in changes {
            let order = WorkspaceOrder { arm: 3, change };
            let text = serde_json::to_string(&WorkspaceOrderMessage::from(&order)).unwrap();
            let read: WorkspaceOrderMessage = serde_json::from_str(&text).unwrap();
            assert_eq!(read.order(), order, "{text}");
        }
    }
}
