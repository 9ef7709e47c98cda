//! What the daemon says unasked, with id 0, to those who subscribed to
//! [`EVENTS`](crate::request::want::EVENTS).

use crate::{
    frame::messages,
    request::BodyKind,
    text::{Name, Text},
    wire::codes,
};

codes! {
    /// Why a body is gone.
    pub enum RemovedCode: u8, "a reason of removal" {
        /// Its client removed it.
        Asked = 0,
        /// Its client is gone.
        ClientGone = 1,
        /// The configuration no longer has it.
        Configuration = 2,
    }
}

messages! {
    /// News from the daemon.
    pub enum Event {
        /// A body is in the scene.
        BodyJoined = 0x8201 => {
            /// Its name.
            name: Name,
            /// Its identity.
            body: u32,
            /// May it move.
            kind: BodyKind,
        } reserved 3

        /// A body is gone.
        BodyLeft = 0x8202 => {
            /// Its identity.
            body: u32,
            /// Why.
            why: RemovedCode,
        } reserved 3

        /// An arm is there.
        ArmAttached = 0x8203 => {
            /// Its index.
            arm: u8,
        } reserved 7

        /// An arm was unplugged or failed.
        ArmLost = 0x8204 => {
            /// Its index.
            arm: u8,
        } reserved 7

        /// Force of an arm went off.
        ForceOff = 0x8205 => {
            /// The tick that saw the cause.
            tick: u64,
            /// When, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// The arm's index.
            arm: u8,
            /// The cause's code ([`force_off_text`](crate::block::force_off_text)).
            reason: u8,
        } reserved 6

        /// Force of an arm is back at full authority.
        ForceOn = 0x8206 => {
            /// The tick.
            tick: u64,
            /// When, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// The arm's index.
            arm: u8,
        } reserved 7

        /// A lease ran out: the body stopped where it was.
        LeaseExpired = 0x8207 => {
            /// The body.
            body: u32,
        } reserved 4

        /// This client said nothing for its lease: the force of its bodies ramps to zero until it
        /// speaks again.
        Silent = 0x8208 => {
            /// For how long it had said nothing, ms.
            silent_ms: u32,
        } reserved 4

        /// The recording stopped.
        RecordingStopped = 0x8209 => {
            /// Why.
            detail: Text<256>,
        } reserved 0

        /// The configuration was read again and is in force.
        ConfigReloaded = 0x820a => {} reserved 8

        /// The configuration was read again and was not taken; the old one stays.
        ConfigRefused = 0x820b => {
            /// Why: the first errors.
            detail: Text<256>,
        } reserved 0

        /// The daemon ends; force ramps to zero now.
        ShuttingDown = 0x820c => {} reserved 8

        /// Here so many events are missing: this client, or the daemon, read too slowly. It stands
        /// at their place.
        EventsLost = 0x820d => {
            /// How many.
            count: u64,
        } reserved 0
    }
}
