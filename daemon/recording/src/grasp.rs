//! Orders about what arms hold, as a recording has them: inputs of a tick.

use hapticd_loop::grasp::{GraspChange, GraspOrder};
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::TickRecord;
use serde::{Deserialize, Serialize};

/// An order about what an arm holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraspOrderMessage {
    /// The arm takes a body.
    Take {
        /// Index of the arm.
        arm: u8,
        /// Client-visible id of the body; 0: the one that its tool presses most.
        body: u32,
    },
    /// The arm lets go of what it holds.
    LetGo {
        /// Index of the arm.
        arm: u8,
    },
    /// The arm lets go: the application that held it is gone, silent or out of focus.
    Abandon {
        /// Index of the arm.
        arm: u8,
    },
}

impl From<&GraspOrder> for GraspOrderMessage {
    fn from(order: &GraspOrder) -> Self {
        let arm = order.arm;
        match order.change {
            GraspChange::Take(body) => GraspOrderMessage::Take { arm, body },
            GraspChange::LetGo => GraspOrderMessage::LetGo { arm },
            GraspChange::Abandon => GraspOrderMessage::Abandon { arm },
        }
    }
}

impl GraspOrderMessage {
    /// Returns the order.
    pub fn order(self) -> GraspOrder {
        let (arm, change) = match self {
            GraspOrderMessage::Take { arm, body } => (arm, GraspChange::Take(body)),
            GraspOrderMessage::LetGo { arm } => (arm, GraspChange::LetGo),
            GraspOrderMessage::Abandon { arm } => (arm, GraspChange::Abandon),
        };
        GraspOrder { arm, change }
    }
}

/// The orders about grasps before a tick.
pub(crate) fn grasp_orders(record: &TickRecord) -> Vec<GraspOrderMessage> {
    let order = |order: &LoopOrder| match order {
        LoopOrder::Grasp(order) => Some(order.into()),
        LoopOrder::Effect(_) | LoopOrder::Workspace(_) => None,
    };
    record.orders.iter().filter_map(order).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_json() {
        for change in [
            GraspChange::Take(7),
            GraspChange::LetGo,
            GraspChange::Abandon,
        ] {
            let order = GraspOrder { arm: 2, change };
            let text = serde_json::to_string(&GraspOrderMessage::from(&order)).unwrap();
            let read: GraspOrderMessage = serde_json::from_str(&text).unwrap();
            assert_eq!(read.order(), order, "{text}");
        }
    }
}
