//! Events: messages that the daemon sends unasked, with id 0, to clients that subscribed to
//! [`EVENTS`](crate::request::topic::EVENTS), or to
//! [`CONTACT_EVENTS`](crate::request::topic::CONTACT_EVENTS) for those of contacts and buttons.

use crate::{
    frame::messages,
    request::BodyKind,
    text::{Name, Text},
    wire::codes,
};

codes! {
    /// Reason why a body was removed.
    pub enum RemovalReason: u8, "a reason of removal" {
        /// Its client removed it.
        Requested = 0,
        /// Its client has disconnected.
        ClientGone = 1,
        /// The configuration no longer contains it.
        Configuration = 2,
    }
}

codes! {
    /// Reason why an effect ended that its client did not stop.
    pub enum EffectEnd: u8, "0 (finished) or 1 (client silent)" {
        /// Its duration is over.
        Finished = 0,
        /// The client was silent for longer than its lease.
        ClientSilent = 1,
    }
}

codes! {
    /// Reason why an arm let go of a body, or did not take one.
    pub enum LetGoReason: u8, "a reason for letting go" {
        /// A request, or the arm's button.
        Ordered = 0,
        /// There was nothing to take: the tool touches no dynamic body, or the one that was named
        /// is out of reach or too fast.
        NothingThere = 1,
        /// The body has gone.
        BodyGone = 2,
        /// The client of the body is silent, or out of focus.
        BodySilent = 3,
        /// The arm was lost, or its tool was placed elsewhere.
        ArmLost = 4,
        /// The body was caught somewhere: for 100 ms the hand pulled three times as hard as the arm
        /// can.
        Stretched = 5,
        /// Clients were not served for a while.
        ClientsUnserved = 6,
        /// The client that held it is gone, silent or out of focus.
        HolderGone = 7,
    }
}

/// Time without contact after which a tool counts as released from a body, ns. A tool that bounces
/// faster touches once.
pub const RELEASE_NS: u64 = 20_000_000;

messages! {
    /// An event from the daemon.
    pub enum Event {
        /// A body joined the scene.
        BodyJoined = 0x8201 => {
            /// Name of the body.
            name: Name,
            /// Identity of the body.
            body: u32,
            /// Whether the body may move, and whether it keeps its shape.
            kind: BodyKind,
        } reserved 3

        /// A body left the scene.
        BodyLeft = 0x8202 => {
            /// Identity of the body.
            body: u32,
            /// Reason for the removal.
            reason: RemovalReason,
        } reserved 3

        /// An arm was attached.
        ArmAttached = 0x8203 => {
            /// Index of the arm.
            arm: u8,
        } reserved 7

        /// An arm was unplugged or failed.
        ArmLost = 0x8204 => {
            /// Index of the arm.
            arm: u8,
        } reserved 7

        /// The force of an arm went off, or was off already and now is for another reason. Only the
        /// first is counted in [`ArmState::force_offs`](crate::block::ArmState::force_offs).
        ForceOff = 0x8205 => {
            /// Tick that saw the cause.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Index of the arm.
            arm: u8,
            /// Code of the cause ([`force_off_text`](crate::block::force_off_text)).
            reason: u8,
        } reserved 6

        /// The force of an arm is back at full authority.
        ForceOn = 0x8206 => {
            /// Tick in which that happened.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Index of the arm.
            arm: u8,
        } reserved 7

        /// A lease expired: the body stopped where it was.
        LeaseExpired = 0x8207 => {
            /// Identity of the body.
            body: u32,
        } reserved 4

        /// This client sent nothing for the length of its lease. The force of its bodies ramps to
        /// zero until it sends a request again.
        ClientSilent = 0x8208 => {
            /// How long the client had been silent, ms.
            silent_ms: u32,
        } reserved 4

        /// The recording stopped.
        RecordingStopped = 0x8209 => {
            /// Reason, in words.
            detail: Text<256>,
        } reserved 0

        /// The configuration was reloaded and is in force.
        ConfigReloaded = 0x820a => {} reserved 8

        /// The reloaded configuration was refused; the old one stays in force.
        ConfigRefused = 0x820b => {
            /// The first errors, in words.
            detail: Text<256>,
        } reserved 0

        /// The daemon is shutting down; force ramps to zero now.
        ShuttingDown = 0x820c => {} reserved 8

        /// Events are missing at this place in the stream: this client, or the daemon, read too
        /// slowly.
        EventsLost = 0x820d => {
            /// Number of missing events.
            count: u64,
        } reserved 0

        /// A tool touched a body: the first tick in which the body held it back. Sent with
        /// [`CONTACT_EVENTS`](crate::request::topic::CONTACT_EVENTS), as all up to
        /// [`ButtonReleased`].
        Touched = 0x820e => {
            /// That tick.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Identity of the body. For the tool of arm `k` it is `u32::MAX - k`.
            body: u32,
            /// Index of the arm.
            arm: u8,
        } reserved 3

        /// A tool no longer touches a body: nothing of it has held the tool back for
        /// [`RELEASE_NS`], or the body is gone.
        Released = 0x820f => {
            /// Tick in which that was known.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Time of the last tick in which the body held the tool back, ns.
            last_touch_ns: u64,
            /// Identity of the body, as in [`Touched`].
            body: u32,
            /// Index of the arm.
            arm: u8,
        } reserved 3

        /// A tool is inside a body, or overlaps it. The body is not solid to it and exerts no force
        /// until the tool has moved out.
        Ghost = 0x8210 => {
            /// Tick in which that was known.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Identity of the body, as in [`Touched`].
            body: u32,
            /// Index of the arm.
            arm: u8,
        } reserved 3

        /// A tool has moved out of a body, which is solid to it from now on; or the body is gone.
        Solid = 0x8211 => {
            /// Tick in which that was known.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Identity of the body, as in [`Touched`].
            body: u32,
            /// Index of the arm.
            arm: u8,
        } reserved 3

        /// A button of an arm was pressed.
        ButtonPressed = 0x8212 => {
            /// Tick that saw it.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Index of the arm.
            arm: u8,
            /// Number of the button, from 0: the bit in
            /// [`ArmState::buttons`](crate::block::ArmState::buttons).
            button: u8,
        } reserved 6

        /// A button of an arm was released, or the arm was lost.
        ButtonReleased = 0x8213 => {
            /// Tick that saw it.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Index of the arm.
            arm: u8,
            /// Number of the button, as in [`ButtonPressed`].
            button: u8,
        } reserved 6

        /// An effect of this client has ended. Sent with
        /// [`EVENTS`](crate::request::topic::EVENTS), to that client alone.
        EffectEnded = 0x8214 => {
            /// Identity of the effect.
            effect: u32,
            /// Reason for the end.
            reason: EffectEnd,
        } reserved 3

        /// An arm holds a dynamic body: by a request ([`GraspBody`](crate::request::GraspBody)), or
        /// by its button. Sent with [`CONTACT_EVENTS`](crate::request::topic::CONTACT_EVENTS).
        Grasped = 0x8215 => {
            /// Tick in which the arm took it.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Identity of the body.
            body: u32,
            /// Index of the arm.
            arm: u8,
        } reserved 3

        /// An arm let go of a body, which keeps its velocity; or there was none to take. Sent with
        /// [`CONTACT_EVENTS`](crate::request::topic::CONTACT_EVENTS).
        LetGo = 0x8216 => {
            /// Tick in which that happened.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Identity of the body; 0 if there was none.
            body: u32,
            /// Index of the arm.
            arm: u8,
            /// Reason.
            reason: LetGoReason,
        } reserved 2

        /// The clutch of an arm holds its tool: by a request
        /// ([`SetClutch`](crate::request::SetClutch)), or by its button. Sent with
        /// [`CONTACT_EVENTS`](crate::request::topic::CONTACT_EVENTS).
        ClutchEngaged = 0x8217 => {
            /// Tick in which it was engaged.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Index of the arm.
            arm: u8,
        } reserved 7

        /// The clutch of an arm no longer holds its tool. Sent with
        /// [`CONTACT_EVENTS`](crate::request::topic::CONTACT_EVENTS).
        ClutchReleased = 0x8218 => {
            /// Tick in which it was disengaged.
            tick: u64,
            /// Time of that tick, ns on the daemon's monotonic clock.
            time_ns: u64,
            /// Index of the arm.
            arm: u8,
        } reserved 7
    }
}
