//! The structs of the header, field by field. A test compares sizes and offsets with the header as
//! a C compiler sees it.

// C's names.
#![allow(non_camel_case_types)]

use crate::memory::Growing;
use hapticd_client::{
    ArmInfo, ArmState, Bodies, BodyInfo, BodyState, BodyTarget, Contact, Contacts, Event, Limit,
    Limits, NeedleState, NonNegative, Notification, Pose, SkinFrameHeader, SurfaceFrameHeader,
};
use hapticd_protocol::{
    MAX_BODIES, MAX_CONTACTS,
    frame::Message,
    reply::{self, Welcome},
    request::TightenLimits,
};

/// Size and fields of a struct: name, offset, size.
#[cfg(test)]
pub(crate) struct Layout {
    pub name: &'static str,
    pub size: usize,
    pub align: usize,
    pub fields: Vec<(&'static str, usize, usize)>,
}

macro_rules! c_structs {
    ($($name:ident { $($field:ident: $type:ty,)* })*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub(crate) struct $name { $(pub $field: $type,)* }
            // No padding: every byte is some field's.
            const _: () = assert!(0 $(+ size_of::<$type>())* == size_of::<$name>());
        )*
        /// All structs of the header.
        #[cfg(test)]
        pub(crate) fn layouts() -> Vec<Layout> {
            vec![$(Layout {
                name: stringify!($name),
                size: size_of::<$name>(),
                align: align_of::<$name>(),
                fields: vec![$((
                    stringify!($field),
                    std::mem::offset_of!($name, $field),
                    size_of::<$type>(),
                ),)*],
            }),*]
        }
    };
}

macro_rules! growing {
    ($($name:ident)*) => {
        $(
            // SAFETY: `c_structs` has asserted that it has no padding; its fields are numbers,
            // arrays of numbers and raw pointers; the first is asserted here.
            unsafe impl Growing for $name {}
            const _: () = assert!(std::mem::offset_of!($name, struct_size) == 0);
        )*
    };
}

c_structs! {
    hd_error {
        struct_size: u32,
        status: i32,
        daemon_code: u32,
        reserved: u32,
        number: u64,
        limit: u64,
        message: [u8; 320],
    }
    hd_pose {
        position_m: [f64; 3],
        rotation_xyzw: [f64; 4],
    }
    hd_connect_options {
        struct_size: u32,
        abi_version: u32,
        name: *const u8,
        name_length: usize,
        socket: *const u8,
        socket_length: usize,
        patience_ms: i32,
        timeout_ms: i32,
    }
    hd_welcome {
        struct_size: u32,
        client: u32,
        protocol_major: u32,
        protocol_minor: u32,
        lease_ms: u32,
        messages_per_s: u32,
        max_bodies: u32,
        technician: u32,
    }
    hd_arm_info {
        struct_size: u32,
        index: u32,
        name: [u8; 64],
        world_from_base: hd_pose,
        scale: f64,
        workspace_center_m: [f64; 3],
        workspace_half_extents_m: [f64; 3],
        peak_force_n: f64,
        continuous_force_n: f64,
        peak_torque_nm: f64,
        tool_radius_m: f64,
        period_ns: u64,
        sensed_dof: u32,
        actuated_dof: u32,
        attached: u32,
        reserved: u32,
    }
    hd_body_info {
        struct_size: u32,
        body: u32,
        name: [u8; 64],
        triangles: u32,
        kind: u32,
        owned: u32,
        reserved: u32,
    }
    hd_limits {
        struct_size: u32,
        arm: u32,
        peak_force_n: f64,
        continuous_force_n: f64,
        peak_torque_nm: f64,
        continuous_torque_nm: f64,
        slew_n_per_s: f64,
        slew_nm_per_s: f64,
        velocity_m_s: f64,
        angular_velocity_rad_s: f64,
    }
    hd_arm_state {
        struct_size: u32,
        flags: u32,
        tick: u64,
        time_ns: i64,
        world_from_device: hd_pose,
        world_from_proxy: hd_pose,
        linear_velocity_m_s: [f64; 3],
        angular_velocity_rad_s: [f64; 3],
        force_n: [f64; 3],
        torque_nm: [f64; 3],
        wanted_force_n: [f64; 3],
        wanted_torque_nm: [f64; 3],
        governor: u32,
        reason: u32,
        contacts: u32,
        inside_body: u32,
        buttons: u32,
        snapshot_age_ticks: u32,
        missed_ticks: u64,
        compute_ns: i64,
        lateness_ns: i64,
        input_age_ns: i64,
        last_force_off: u32,
        grasped_body: u32,
        last_force_off_tick: u64,
        force_offs: u64,
        energy_given_j: f64,
        energy_stored_j: f64,
        energy_debt_j: f64,
        energy_withheld_j: f64,
        energy_gain: f64,
    }
    hd_contact {
        point_m: [f64; 3],
        normal: [f64; 3],
        distance_m: f64,
        force_n: [f64; 3],
        body: u32,
        reserved: u32,
    }
    hd_contacts {
        struct_size: u32,
        count: u32,
        tick: u64,
        time_ns: i64,
        contacts: [hd_contact; MAX_CONTACTS],
    }
    hd_body_state {
        body: u32,
        moving: u32,
        world_from_body: hd_pose,
        force_n: [f64; 3],
        torque_nm: [f64; 3],
    }
    hd_bodies {
        struct_size: u32,
        count: u32,
        tick: u64,
        time_ns: i64,
        bodies: [hd_body_state; MAX_BODIES],
    }
    hd_needle {
        struct_size: u32,
        phase: u32,
        tick: u64,
        time_ns: i64,
        hold: u32,
        held_by: u32,
        pierced: u32,
        layer: u32,
        depth_m: f64,
        axial_n: f64,
        lateral_n: f64,
        tip_m: [f64; 3],
        nearest: u32,
        reserved: u32,
        nearest_m: f64,
        sure_m: f64,
        nearest_tick: u64,
    }
    hd_pose_command {
        struct_size: u32,
        body: u32,
        world_from_body: hd_pose,
        speed_m_s: f64,
        lease_ms: u32,
        reserved: u32,
    }
    hd_body_target {
        world_from_body: hd_pose,
        speed_m_s: f64,
        body: u32,
        lease_ms: u32,
    }
    hd_material {
        struct_size: u32,
        reserved: u32,
        stiffness_n_per_m: f64,
        damping_n_s_per_m: f64,
        friction: f64,
    }
    hd_effect {
        struct_size: u32,
        arm: u32,
        kind: u32,
        waveform: u32,
        shape: u32,
        reserved: u32,
        place_m: [f64; 3],
        axis: [f64; 3],
        magnitude_n: f64,
        second_n: f64,
        coefficient: f64,
        frequency_hz: f64,
        phase: f64,
        dead_band_m: f64,
        range_m: f64,
        cap_n: f64,
        delay_s: f64,
        duration_s: f64,
        attack_s: f64,
        attack_level: f64,
        fade_s: f64,
        fade_level: f64,
    }
    hd_workspace {
        struct_size: u32,
        arm: u32,
        recentre: u32,
        reserved: u32,
        world_from_base: hd_pose,
        scale: f64,
        max_speed_m_s: f64,
        bubble_center_m: [f64; 3],
        bubble_radius_m: f64,
        bubble_width_m: f64,
        bubble_speed_m_s: f64,
        bubble_stiffness_n_per_m: f64,
        bubble_cap_n: f64,
    }
    hd_push {
        struct_size: u32,
        body: u32,
        mode: u32,
        reserved: u32,
        linear: [f64; 3],
        angular: [f64; 3],
        point_m: [f64; 3],
    }
    hd_body_spec {
        struct_size: u32,
        kind: u32,
        name: *const u8,
        name_length: usize,
        positions_m: *const f64,
        vertex_count: usize,
        triangles: *const u32,
        triangle_count: usize,
        world_from_body: hd_pose,
        stiffness_n_per_m: f64,
        damping_n_s_per_m: f64,
        friction: f64,
        restitution: f64,
        density_kg_m3: f64,
        solid: u32,
        reserved: u32,
    }
    hd_request {
        struct_size: u32,
        kind: u32,
        body: *const u8,
        body_length: usize,
        file: *const u8,
        file_length: usize,
    }
    hd_answer {
        struct_size: u32,
        kind: u32,
        descriptors: u32,
        body_length: u32,
        body: [u8; 4080],
    }
    hd_event {
        struct_size: u32,
        kind: u32,
        arm: u32,
        body: u32,
        body_kind: u32,
        reason: u32,
        tick: u64,
        time_ns: i64,
        last_touch_ns: i64,
        count: u64,
        daemon_code: u32,
        button: u32,
        number: u64,
        limit: u64,
        text: [u8; 256],
    }
    hd_counts {
        points: u32,
        triangles: u32,
    }
    hd_surface_frame {
        struct_size: u32,
        reserved: u32,
        tick: u64,
        time_ns: i64,
        lost_ns: i64,
    }
    hd_skin_buffers {
        struct_size: u32,
        reserved: u32,
        points_m: *mut f32,
        normals: *mut f32,
        velocities_m_s: *mut f32,
        triangles: *mut u32,
        point_capacity: usize,
        triangle_capacity: usize,
    }
    hd_skin_frame {
        struct_size: u32,
        flags: u32,
        points: u32,
        triangles: u32,
        frame: u64,
        tick: u64,
        time_ns: i64,
        published_ns: i64,
        cell_m: f64,
        deviation_m: f64,
        coarser: u32,
        faults: u32,
        faulty_frames: u32,
        primitives: u32,
        small_primitives: u32,
        reserved: u32,
        skipped: u64,
        compute_ns: i64,
    }
}

growing! {
    hd_error hd_connect_options hd_welcome hd_arm_info hd_body_info hd_limits hd_arm_state
    hd_contacts hd_bodies hd_needle hd_pose_command hd_material hd_effect hd_workspace hd_push
    hd_body_spec hd_request hd_answer hd_event hd_surface_frame hd_skin_buffers hd_skin_frame
}

/// A time or a span as a signed number, so that differences may be negative.
pub(crate) fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// A time that a caller computed; before the clock's start counts as its start.
pub(crate) fn unsigned(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}

impl From<Pose> for hd_pose {
    fn from(pose: Pose) -> Self {
        Self {
            position_m: pose.translation_m,
            rotation_xyzw: pose.rotation_xyzw,
        }
    }
}

impl From<hd_pose> for Pose {
    fn from(pose: hd_pose) -> Self {
        Self {
            translation_m: pose.position_m,
            rotation_xyzw: pose.rotation_xyzw,
        }
    }
}

impl From<&Welcome> for hd_welcome {
    fn from(welcome: &Welcome) -> Self {
        Self {
            struct_size: 0,
            client: welcome.client,
            protocol_major: welcome.major.into(),
            protocol_minor: welcome.minor.into(),
            lease_ms: welcome.lease_ms,
            messages_per_s: welcome.messages_per_s,
            max_bodies: welcome.max_bodies,
            technician: welcome.technician.into(),
        }
    }
}

impl From<&ArmInfo> for hd_arm_info {
    fn from(arm: &ArmInfo) -> Self {
        Self {
            struct_size: 0,
            index: arm.index.into(),
            name: *arm.name.as_bytes(),
            world_from_base: arm.world_from_base.into(),
            scale: arm.scale,
            workspace_center_m: arm.workspace_center_m,
            workspace_half_extents_m: arm.workspace_half_extents_m,
            peak_force_n: arm.peak_force_n.0,
            continuous_force_n: arm.continuous_force_n.0,
            peak_torque_nm: arm.peak_torque_nm.0,
            tool_radius_m: arm.tool_radius_m,
            period_ns: arm.period_ns,
            sensed_dof: arm.sensed_dof.into(),
            actuated_dof: arm.actuated_dof.into(),
            attached: arm.attached.into(),
            reserved: 0,
        }
    }
}

impl From<&BodyInfo> for hd_body_info {
    fn from(body: &BodyInfo) -> Self {
        Self {
            struct_size: 0,
            body: body.body,
            name: *body.name.as_bytes(),
            triangles: body.triangles,
            kind: body.kind.code().into(),
            owned: body.owned.into(),
            reserved: 0,
        }
    }
}

impl hd_limits {
    /// Limits that tighten nothing.
    pub const LEAVE: Self = Self {
        struct_size: 0,
        arm: 0,
        peak_force_n: f64::INFINITY,
        continuous_force_n: f64::INFINITY,
        peak_torque_nm: f64::INFINITY,
        continuous_torque_nm: f64::INFINITY,
        slew_n_per_s: f64::INFINITY,
        slew_nm_per_s: f64::INFINITY,
        velocity_m_s: f64::INFINITY,
        angular_velocity_rad_s: f64::INFINITY,
    };

    /// The request for an arm; no number leaves that limit as it is.
    pub fn request(&self, arm: u8) -> TightenLimits {
        let limit = |value: f64| {
            if value.is_nan() {
                Limit::NONE
            } else {
                Limit(value)
            }
        };
        TightenLimits {
            peak_force_n: limit(self.peak_force_n),
            continuous_force_n: limit(self.continuous_force_n),
            peak_torque_nm: limit(self.peak_torque_nm),
            continuous_torque_nm: limit(self.continuous_torque_nm),
            slew_n_per_s: limit(self.slew_n_per_s),
            slew_nm_per_s: limit(self.slew_nm_per_s),
            velocity_m_s: limit(self.velocity_m_s),
            angular_velocity_rad_s: limit(self.angular_velocity_rad_s),
            arm,
        }
    }
}

impl From<&Limits> for hd_limits {
    fn from(limits: &Limits) -> Self {
        Self {
            struct_size: 0,
            arm: limits.arm.into(),
            peak_force_n: limits.peak_force_n.0,
            continuous_force_n: limits.continuous_force_n.0,
            peak_torque_nm: limits.peak_torque_nm.0,
            continuous_torque_nm: limits.continuous_torque_nm.0,
            slew_n_per_s: limits.slew_n_per_s.0,
            slew_nm_per_s: limits.slew_nm_per_s.0,
            velocity_m_s: limits.velocity_m_s.0,
            angular_velocity_rad_s: limits.angular_velocity_rad_s.0,
        }
    }
}

impl From<&ArmState> for hd_arm_state {
    fn from(state: &ArmState) -> Self {
        Self {
            struct_size: 0,
            flags: state.flags.into(),
            tick: state.tick,
            time_ns: signed(state.time_ns),
            world_from_device: state.world_from_device.into(),
            world_from_proxy: state.world_from_proxy.into(),
            linear_velocity_m_s: state.linear_velocity_m_s,
            angular_velocity_rad_s: state.angular_velocity_rad_s,
            force_n: state.force_n,
            torque_nm: state.torque_nm,
            wanted_force_n: state.wanted_force_n,
            wanted_torque_nm: state.wanted_torque_nm,
            governor: state.governor.into(),
            reason: state.reason.into(),
            contacts: state.contacts.into(),
            inside_body: state.inside_body.into(),
            buttons: state.buttons,
            snapshot_age_ticks: state.snapshot_age_ticks,
            missed_ticks: state.missed_ticks,
            compute_ns: signed(state.compute_ns),
            lateness_ns: signed(state.lateness_ns),
            input_age_ns: signed(state.input_age_ns),
            last_force_off: state.last_force_off.into(),
            grasped_body: state.grasped_body,
            last_force_off_tick: state.last_force_off_tick,
            force_offs: state.force_offs,
            energy_given_j: state.energy.given_j,
            energy_stored_j: state.energy.stored_j,
            energy_debt_j: state.energy.debt_j,
            energy_withheld_j: state.energy.withheld_j,
            energy_gain: state.energy.gain,
        }
    }
}

impl hd_arm_state {
    /// What prediction needs of a state.
    pub fn motion(&self) -> ArmState {
        ArmState {
            tick: self.tick,
            time_ns: unsigned(self.time_ns),
            world_from_device: self.world_from_device.into(),
            world_from_proxy: self.world_from_proxy.into(),
            linear_velocity_m_s: self.linear_velocity_m_s,
            angular_velocity_rad_s: self.angular_velocity_rad_s,
            flags: self.flags as u16,
            ..ArmState::EMPTY
        }
    }
}

impl From<&Contact> for hd_contact {
    fn from(contact: &Contact) -> Self {
        Self {
            point_m: contact.point_m,
            normal: contact.normal,
            distance_m: contact.distance_m,
            force_n: contact.force_n,
            body: contact.body,
            reserved: 0,
        }
    }
}

impl From<&Contacts> for hd_contacts {
    fn from(contacts: &Contacts) -> Self {
        let all = contacts.as_slice();
        let none = hd_contact {
            point_m: [0.0; 3],
            normal: [0.0; 3],
            distance_m: 0.0,
            force_n: [0.0; 3],
            body: 0,
            reserved: 0,
        };
        Self {
            struct_size: 0,
            count: all.len() as u32,
            tick: contacts.tick,
            time_ns: signed(contacts.time_ns),
            contacts: std::array::from_fn(|k| all.get(k).map_or(none, hd_contact::from)),
        }
    }
}

impl From<&BodyState> for hd_body_state {
    fn from(body: &BodyState) -> Self {
        Self {
            body: body.body,
            moving: body.moving.into(),
            world_from_body: body.world_from_body.into(),
            force_n: body.force_n,
            torque_nm: body.torque_nm,
        }
    }
}

impl From<&Bodies> for hd_bodies {
    fn from(bodies: &Bodies) -> Self {
        let all = bodies.as_slice();
        let none = hd_body_state {
            body: 0,
            moving: 0,
            world_from_body: hd_pose {
                position_m: [0.0; 3],
                rotation_xyzw: [0.0; 4],
            },
            force_n: [0.0; 3],
            torque_nm: [0.0; 3],
        };
        Self {
            struct_size: 0,
            count: all.len() as u32,
            tick: bodies.tick,
            time_ns: signed(bodies.time_ns),
            bodies: std::array::from_fn(|k| all.get(k).map_or(none, hd_body_state::from)),
        }
    }
}

impl From<&NeedleState> for hd_needle {
    fn from(needle: &NeedleState) -> Self {
        Self {
            struct_size: 0,
            phase: needle.phase.into(),
            tick: needle.tick,
            time_ns: signed(needle.time_ns),
            hold: needle.hold.into(),
            held_by: needle.held_by,
            pierced: needle.pierced,
            layer: needle.layer.into(),
            depth_m: needle.depth_m,
            axial_n: needle.axial_n,
            lateral_n: needle.lateral_n,
            tip_m: needle.tip_m,
            nearest: needle.nearest,
            reserved: 0,
            nearest_m: needle.nearest_m,
            sure_m: needle.sure_m,
            nearest_tick: needle.nearest_tick,
        }
    }
}

impl From<&hd_body_target> for BodyTarget {
    fn from(target: &hd_body_target) -> Self {
        Self {
            world_from_body: target.world_from_body.into(),
            speed_m_s: NonNegative(target.speed_m_s),
            body: target.body,
            lease_ms: target.lease_ms,
        }
    }
}

impl hd_event {
    /// Kind of the refusal of a posted request, which is no event of the daemon's.
    pub const POST_REFUSED: u32 = 1;

    const NOTHING: Self = Self {
        struct_size: 0,
        kind: 0,
        arm: 0,
        body: 0,
        body_kind: 0,
        reason: 0,
        tick: 0,
        time_ns: 0,
        last_touch_ns: 0,
        count: 0,
        daemon_code: 0,
        button: 0,
        number: 0,
        limit: 0,
        text: [0; 256],
    };

    /// Fills in what the news of contacts and buttons have in common.
    fn touches(&mut self, arm: u8, body: u32, tick: u64, time_ns: u64) {
        (self.arm, self.body) = (arm.into(), body);
        (self.tick, self.time_ns) = (tick, signed(time_ns));
    }

    fn refused(error: &reply::Error) -> Self {
        let text = hapticd_protocol::text::Text::<256>::lossy(&error.to_string());
        Self {
            kind: Self::POST_REFUSED,
            daemon_code: error.code.code().into(),
            number: error.number,
            limit: error.limit,
            text: *text.as_bytes(),
            ..Self::NOTHING
        }
    }
}

impl From<&Notification> for hd_event {
    fn from(news: &Notification) -> Self {
        let event = match news {
            Notification::Refused(error) => return Self::refused(error),
            Notification::Event(event) => event,
        };
        let mut made = Self {
            kind: event.kind().into(),
            ..Self::NOTHING
        };
        match event {
            Event::BodyJoined(event) => {
                made.body = event.body;
                made.body_kind = event.kind.code().into();
                made.text[..64].copy_from_slice(event.name.as_bytes());
            }
            Event::BodyLeft(event) => {
                made.body = event.body;
                made.reason = event.reason.code().into();
            }
            Event::ArmAttached(event) => made.arm = event.arm.into(),
            Event::ArmLost(event) => made.arm = event.arm.into(),
            Event::ForceOff(event) => {
                (made.tick, made.time_ns) = (event.tick, signed(event.time_ns));
                (made.arm, made.reason) = (event.arm.into(), event.reason.into());
            }
            Event::ForceOn(event) => {
                (made.tick, made.time_ns) = (event.tick, signed(event.time_ns));
                made.arm = event.arm.into();
            }
            Event::LeaseExpired(event) => made.body = event.body,
            Event::ClientSilent(event) => made.count = event.silent_ms.into(),
            Event::RecordingStopped(event) => made.text = *event.detail.as_bytes(),
            Event::ConfigRefused(event) => made.text = *event.detail.as_bytes(),
            Event::EventsLost(event) => made.count = event.count,
            Event::EffectEnded(event) => {
                made.number = event.effect.into();
                made.reason = event.reason.code().into();
            }
            Event::ConfigReloaded(_) | Event::ShuttingDown(_) => {}
            Event::Touched(event) => made.touches(event.arm, event.body, event.tick, event.time_ns),
            Event::Released(event) => {
                made.touches(event.arm, event.body, event.tick, event.time_ns);
                made.last_touch_ns = signed(event.last_touch_ns);
            }
            Event::Ghost(event) => made.touches(event.arm, event.body, event.tick, event.time_ns),
            Event::Solid(event) => made.touches(event.arm, event.body, event.tick, event.time_ns),
            Event::Grasped(event) => {
                made.touches(event.arm, event.body, event.tick, event.time_ns);
            }
            Event::LetGo(event) => {
                made.touches(event.arm, event.body, event.tick, event.time_ns);
                made.reason = event.reason.code().into();
            }
            Event::ClutchEngaged(event) => made.touches(event.arm, 0, event.tick, event.time_ns),
            Event::ClutchReleased(event) => made.touches(event.arm, 0, event.tick, event.time_ns),
            Event::ButtonPressed(event) => {
                made.touches(event.arm, 0, event.tick, event.time_ns);
                made.button = event.button.into();
            }
            Event::ButtonReleased(event) => {
                made.touches(event.arm, 0, event.tick, event.time_ns);
                made.button = event.button.into();
            }
        }
        made
    }
}

impl From<&SurfaceFrameHeader> for hd_surface_frame {
    fn from(frame: &SurfaceFrameHeader) -> Self {
        Self {
            struct_size: 0,
            reserved: 0,
            tick: frame.tick,
            time_ns: signed(frame.time_ns),
            lost_ns: signed(frame.lost_ns),
        }
    }
}

impl From<&SkinFrameHeader> for hd_skin_frame {
    fn from(frame: &SkinFrameHeader) -> Self {
        Self {
            struct_size: 0,
            flags: frame.flags,
            points: frame.counts.points,
            triangles: frame.counts.triangles,
            frame: frame.frame,
            tick: frame.tick,
            time_ns: signed(frame.time_ns),
            published_ns: signed(frame.published_ns),
            cell_m: frame.cell_m,
            deviation_m: frame.deviation_m,
            coarser: frame.coarser,
            faults: frame.faults,
            faulty_frames: frame.faulty_frames,
            primitives: frame.primitives,
            small_primitives: frame.small,
            reserved: 0,
            skipped: frame.skipped,
            compute_ns: signed(frame.compute_ns),
        }
    }
}
