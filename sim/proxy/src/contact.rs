//! A contact of a tool in one tick, for reports.
//!
//! Plain data of fixed size. World frame, SI units.

use hapticd_geometry::Vec3;

/// Most contacts reported per tick; the nearest are kept.
pub const MAX_CONTACTS: usize = 32;

/// One reported contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Point on the body's surface, world frame, m.
    pub point: Vec3,
    /// Unit normal, from the body to the tool.
    pub normal: Vec3,
    /// Distance from surface to surface, m.
    pub gap_m: f64,
    /// Client-visible identity of the body.
    pub body: u32,
    /// True if the contact held the tool back in this tick.
    pub active: bool,
    /// Force of the body on the tool, N: this contact's share of the coupling's force. The shares
    /// add up to [`ArmOutcome::wrench`](crate::ArmOutcome::wrench).
    pub force_n: Vec3,
    /// Row of the tick's projection that it was.
    pub row: u8,
}

impl Contact {
    /// A placeholder.
    pub const NONE: Contact = Contact {
        point: Vec3::new(0.0, 0.0, 0.0),
        normal: Vec3::new(0.0, 0.0, 0.0),
        gap_m: 0.0,
        body: 0,
        active: false,
        force_n: Vec3::new(0.0, 0.0, 0.0),
        row: 0,
    };
}
