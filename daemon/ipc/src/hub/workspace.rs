//! Workspaces of clients: which client's mapping an arm follows, and which client's clutch holds
//! its tool.
//!
//! The newest request for an arm holds. Both end with their client, with its silence and with its
//! focus; the hub tells the loop. The frame then stays where it is, and so does the tool.

use super::requests::{check_ranges, pose};
use super::{Envelope, Hub, Output};
use crate::{ClientId, Command, Refusal};
use hapticd_config::{Arm, Tabular};
use hapticd_geometry::Vec3;
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::workspace::{Bubble, Mapping, WorkspaceChange, WorkspaceOrder};
use hapticd_protocol::request::{
    MAX_BUBBLE_M, MAX_EFFECT_FORCE_N, MAX_SPEED_M_S, SetClutch, SetWorkspace,
};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Range of the scale: that of the configuration's key.
const SCALE: RangeInclusive<f64> = Arm::SECTION.range("motion_scale");
/// Slowest frame, m/s: slower ones would never arrive.
const MIN_SPEED_M_S: f64 = 0.001;
/// Narrowest border of a bubble, m: narrower ones would be a switch.
const MIN_WIDTH_M: f64 = 0.001;
const MAX_STIFFNESS_N_PER_M: f64 = 10_000.0;
const ONE_ARM: &str = "a workspace belongs to one arm";

/// The clients of the newest mapping and of the newest clutch of each arm.
#[derive(Debug, Default)]
pub(super) struct WorkspaceTable {
    mappings: BTreeMap<u8, ClientId>,
    clutches: BTreeMap<u8, ClientId>,
}

impl WorkspaceTable {
    /// The client of the newest mapping of each arm.
    pub(super) fn mappings(&mut self) -> &mut BTreeMap<u8, ClientId> {
        &mut self.mappings
    }

    /// Returns whether a client holds a mapping or a clutch.
    pub(super) fn any_of(&self, client: ClientId) -> bool {
        let mut holders = self.mappings.values().chain(self.clutches.values());
        holders.any(|holder| *holder == client)
    }
}

/// Checks the numbers of a mapping and returns it as the loop takes it.
fn checked(asked: &SetWorkspace) -> Result<Mapping, Refusal> {
    let centre_m = Vec3::from(asked.bubble_center_m);
    let length = 0.0..=MAX_BUBBLE_M;
    check_ranges([
        ("scale", asked.scale.0, SCALE),
        (
            "max_speed_m_s",
            asked.max_speed_m_s.0,
            MIN_SPEED_M_S..=MAX_SPEED_M_S,
        ),
        ("bubble_center_m", centre_m.amax(), length.clone()),
        ("bubble_radius_m", asked.bubble_radius_m.0, length.clone()),
        ("bubble_width_m", asked.bubble_width_m.0, length),
        (
            "bubble_speed_m_s",
            asked.bubble_speed_m_s.0,
            0.0..=MAX_SPEED_M_S,
        ),
        (
            "bubble_stiffness_n_per_m",
            asked.bubble_stiffness_n_per_m.0,
            0.0..=MAX_STIFFNESS_N_PER_M,
        ),
        (
            "bubble_cap_n",
            asked.bubble_cap_n.0,
            0.0..=MAX_EFFECT_FORCE_N,
        ),
    ])?;
    let has_bubble = asked.bubble_radius_m.0 > 0.0;
    if has_bubble {
        let width = MIN_WIDTH_M..=MAX_BUBBLE_M;
        check_ranges([("bubble_width_m", asked.bubble_width_m.0, width)])?;
    }
    let bubble = has_bubble.then_some(Bubble {
        centre_m,
        radius_m: asked.bubble_radius_m.0,
        width_m: asked.bubble_width_m.0,
        max_speed_m_s: asked.bubble_speed_m_s.0,
        stiffness_n_per_m: asked.bubble_stiffness_n_per_m.0,
        cap_n: asked.bubble_cap_n.0,
    });
    Ok(Mapping {
        world_from_base: pose(&asked.world_from_base),
        scale: asked.scale.0,
        max_speed_m_s: asked.max_speed_m_s.0,
        recentre: asked.recentre,
        bubble,
    })
}

impl Hub {
    /// Gives an arm another mapping.
    pub(super) fn set_workspace<F>(
        &mut self,
        envelope: Envelope,
        asked: &SetWorkspace,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        self.one_arm(asked.arm, ONE_ARM)?;
        let mapping = checked(asked)?;
        self.check_focus(envelope.client, u64::from(asked.arm))?;
        let order = order(asked.arm, WorkspaceChange::Map(mapping));
        self.order_hold(envelope, (SetWorkspace::KIND, asked.arm), order, out);
        Ok(())
    }

    /// Engages an arm's clutch, or disengages what this client has engaged.
    pub(super) fn set_clutch<F>(
        &mut self,
        client: ClientId,
        asked: &SetClutch,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let arm = asked.arm;
        self.one_arm(arm, ONE_ARM)?;
        let clutches = &mut self.workspaces.clutches;
        if asked.engaged {
            self.check_focus(client, u64::from(arm))?;
            self.workspaces.clutches.insert(arm, client);
            out.push(tell(arm, WorkspaceChange::Clutch(true)));
        } else if clutches.get(&arm) == Some(&client) {
            clutches.remove(&arm);
            out.push(tell(arm, WorkspaceChange::Clutch(false)));
        }
        Ok(())
    }

    /// Ends mappings and clutches of a client.
    pub(super) fn end_workspaces<F>(&mut self, client: ClientId, out: &mut Vec<Output<F>>) {
        let WorkspaceTable { mappings, clutches } = &mut self.workspaces;
        let ends = [
            (mappings, WorkspaceChange::Stop),
            (clutches, WorkspaceChange::Clutch(false)),
        ];
        for (holders, change) in ends {
            holders.retain(|arm, holder| {
                let ends = *holder == client;
                if ends {
                    out.push(tell(*arm, change));
                }
                !ends
            });
        }
    }
}

fn order(arm: u8, change: WorkspaceChange) -> LoopOrder {
    LoopOrder::Workspace(WorkspaceOrder { arm, change })
}

/// An order that is never lost and has no answer.
fn tell<F>(arm: u8, change: WorkspaceChange) -> Output<F> {
    Output::Command(Command::Order {
        token: None,
        order: order(arm, change),
    })
}
