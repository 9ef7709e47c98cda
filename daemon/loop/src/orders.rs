//! Orders of applications to the loop: what they want of an arm beside contact.
//!
//! An order is an input of a tick. It is recorded, and a replay gives it in the same tick. Orders
//! come through one bounded ring; a tick takes at most [`MAX_ORDERS`] of them.
//!
//! Real-time callable: fixed memory, no allocation. Deterministic.

use super::effects::EffectOrder;
use super::grasp::GraspOrder;
use super::workspace::WorkspaceOrder;

/// Most orders that a tick takes.
pub const MAX_ORDERS: usize = 2;

/// An order of an application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoopOrder {
    /// About an effect.
    Effect(EffectOrder),
    /// About what an arm holds.
    Grasp(GraspOrder),
    /// About an arm's workspace.
    Workspace(WorkspaceOrder),
}

/// The orders of a tick, in the order in which they came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Orders {
    list: [Option<LoopOrder>; MAX_ORDERS],
    count: u8,
}

impl Orders {
    /// Notes an order. Returns false, with nothing done, if there are [`MAX_ORDERS`] already.
    pub fn push(&mut self, order: LoopOrder) -> bool {
        let Some(slot) = self.list.get_mut(usize::from(self.count)) else {
            return false;
        };
        *slot = Some(order);
        self.count += 1;
        true
    }

    /// Iterates over the orders.
    pub fn iter(&self) -> impl Iterator<Item = &LoopOrder> {
        self.list.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_takes_two_orders_and_refuses_the_third() {
        let order = |place| {
            LoopOrder::Effect(EffectOrder {
                place,
                ..EffectOrder::default()
            })
        };
        let mut orders = Orders::default();
        assert!(orders.push(order(3)));
        assert!(orders.push(order(4)));
        assert!(!orders.push(order(5)));
        let places: Vec<_> = orders.iter().copied().collect();
        assert_eq!(places, [order(3), order(4)]);
    }
}
