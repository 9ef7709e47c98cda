//! Grasps of clients: which client's request lets an arm hold what it holds.
//!
//! The newest request for an arm holds. A grasp ends with its client, with its silence and with its
//! focus; the hub tells the loop. What ends by itself ends in the loop, which the hub need not
//! know: an order to let go of nothing does no harm.

use super::{Envelope, Hub, Output, Pending};
use crate::{ClientId, Command, Refusal};
use hapticd_loop::grasp::{GraspChange, GraspOrder};
use hapticd_loop::orders::LoopOrder;
use hapticd_protocol::request::GraspBody;
use std::collections::BTreeMap;

/// The client of the newest grasp of each arm.
#[derive(Debug, Default)]
pub(super) struct GraspTable(BTreeMap<u8, ClientId>);

impl GraspTable {
    /// Returns whether a client lets an arm hold something.
    pub(super) fn any_of(&self, client: ClientId) -> bool {
        self.0.values().any(|holder| *holder == client)
    }
}

impl Hub {
    /// Lets an arm take a body.
    pub(super) fn grasp_body<F>(
        &mut self,
        envelope: Envelope,
        asked: &GraspBody,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let (client, arm, body) = (envelope.client, asked.arm, asked.body);
        self.one_arm(arm, "one arm holds a body")?;
        if body != 0 {
            self.registry.check_graspable(body)?;
        }
        self.check_focus(client, u64::from(body))?;
        let change = GraspChange::Take(body);
        let order = LoopOrder::Grasp(GraspOrder { arm, change });
        self.order_hold(envelope, (GraspBody::KIND, arm), order, out);
        Ok(())
    }

    /// Orders what makes a client the holder of something of an arm. The answer comes when the loop
    /// has the order.
    pub(super) fn order_hold<F>(
        &mut self,
        envelope: Envelope,
        (kind, arm): (u16, u8),
        order: LoopOrder,
        out: &mut Vec<Output<F>>,
    ) {
        let Envelope { client, id, .. } = envelope;
        let before = self.holders(kind).insert(arm, client);
        let token = self.register_pending(Pending::Hold {
            client,
            id,
            kind,
            arm,
            before,
        });
        let token = Some(token);
        out.push(Output::Command(Command::Order { token, order }));
    }

    /// The loop had no room for the order: what was held before is held on.
    pub(super) fn give_back(
        &mut self,
        (kind, arm): (u16, u8),
        client: ClientId,
        before: Option<ClientId>,
    ) {
        let before = before.filter(|before| self.sessions.contains_key(before));
        let holders = self.holders(kind);
        if holders.get(&arm) == Some(&client) {
            match before {
                Some(before) => holders.insert(arm, before),
                None => holders.remove(&arm),
            };
        }
    }

    /// By arm: the client of the newest request of this kind.
    fn holders(&mut self, kind: u16) -> &mut BTreeMap<u8, ClientId> {
        match kind {
            GraspBody::KIND => &mut self.grasps.0,
            _ => self.workspaces.mappings(),
        }
    }

    /// Lets an arm let go of what a client let it hold.
    pub(super) fn release_body<F>(
        &mut self,
        client: ClientId,
        arm: u8,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        self.one_arm(arm, "one arm lets go of a body")?;
        if self.grasps.0.get(&arm) == Some(&client) {
            self.grasps.0.remove(&arm);
            out.push(tell(arm, GraspChange::LetGo));
        }
        Ok(())
    }

    /// Ends all grasps of a client.
    pub(super) fn end_grasps<F>(&mut self, client: ClientId, out: &mut Vec<Output<F>>) {
        self.grasps.0.retain(|arm, holder| {
            let ends = *holder == client;
            if ends {
                out.push(tell(*arm, GraspChange::Abandon));
            }
            !ends
        });
    }
}

/// An order that is never lost and has no answer.
fn tell<F>(arm: u8, change: GraspChange) -> Output<F> {
    Output::Command(Command::Order {
        token: None,
        order: LoopOrder::Grasp(GraspOrder { arm, change }),
    })
}
