//! Carries out the requests of a client that has said hello, one at a time.

use super::{Envelope, Hub, Output, session::Session};
use crate::{ClientId, Command, GoneWhy, Refusal, Role};
use hapticd_config::{Material, Tabular};
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_protocol::{
    event::{self, RemovalReason},
    reply::{self, BODIES_PER_PAGE, BlockInfo, BlockKind, BodyInfo, ErrorCode, Reply},
    request::{self, ALL_ARMS, MAX_SPEED_M_S, Request, topic},
    wire::{self, Limit, List},
};
use std::ops::RangeInclusive;

/// Ranges of a surface: those of the configuration's keys.
const STIFFNESS_N_PER_M: RangeInclusive<f64> = Material::SECTION.range("stiffness_n_per_m");
const DAMPING_N_S_PER_M: RangeInclusive<f64> = Material::SECTION.range("damping_n_s_per_m");
const FRICTION: RangeInclusive<f64> = Material::SECTION.range("friction_coefficient");
/// Largest distance of a pose from the plane of a planar scene, m, and largest tilt out of it, rad:
/// the effect of rounding, even with coordinates of 4 bytes. The scene takes the pose as in the
/// plane.
const OFF_PLANE_M: f64 = 1e-6;
const OFF_PLANE_RAD: f64 = 1e-5;

pub(super) fn out_of_range(what: &str, value: f64, limit: f64) -> Refusal {
    // Both as whole numbers for programs, and exactly in the text.
    Refusal {
        code: ErrorCode::OutOfRange,
        number: value as u64,
        limit: limit as u64,
        detail: format!("{what} is {value}, at most {limit}"),
    }
}

/// Same for a number below its range. The limit is still the maximum, so that a client learns what
/// the configuration allows.
fn below_range(what: &str, value: f64, range: &RangeInclusive<f64>) -> Refusal {
    Refusal {
        detail: format!("{what} is {value}, at least {}", range.start()),
        ..out_of_range(what, value, *range.end())
    }
}

/// Checks numbers against their ranges.
pub(super) fn check_ranges<const N: usize>(
    numbers: [(&str, f64, RangeInclusive<f64>); N],
) -> Result<(), Refusal> {
    for (what, value, range) in numbers {
        if value > *range.end() {
            return Err(out_of_range(what, value, *range.end()));
        }
        if value < *range.start() {
            return Err(below_range(what, value, &range));
        }
    }
    Ok(())
}

/// Checks the surface of a body.
pub(super) fn check_surface(material: &hapticd_proxy::Material) -> Result<(), Refusal> {
    let (stiffness, damping) = (material.stiffness_n_per_m, material.damping_n_s_per_m);
    check_ranges([
        ("stiffness_n_per_m", stiffness, STIFFNESS_N_PER_M),
        ("damping_n_s_per_m", damping, DAMPING_N_S_PER_M),
        ("friction", material.friction, FRICTION),
    ])
}

/// Checks that a pose lies in the plane of a planar scene.
fn check_in_plane(pose: &Pose) -> Result<(), Refusal> {
    let off_m = pose.translation.vector.z.abs();
    let up = pose.rotation * Vec3::z();
    let tilt_rad = up.x.hypot(up.y).atan2(up.z);
    if off_m <= OFF_PLANE_M && tilt_rad <= OFF_PLANE_RAD {
        return Ok(());
    }
    let short = |value: f64| (value * 1e9).round() / 1e9;
    let detail = format!(
        "the scene is planar: a pose must be within {OFF_PLANE_M:e} m and {OFF_PLANE_RAD:e} rad \
         of the plane z = 0; it is {} m and {} rad off",
        short(off_m),
        short(tilt_rad)
    );
    Err(Refusal::text(ErrorCode::OutOfRange, detail))
}

fn lease_until(lease_ms: u32, most_ms: u32, now_ns: u64) -> Result<u64, Refusal> {
    let (asked, most) = (f64::from(lease_ms), f64::from(most_ms));
    if lease_ms < 1 {
        Err(below_range("lease_ms", asked, &(1.0..=most)))
    } else if lease_ms > most_ms {
        Err(out_of_range("lease_ms", asked, most))
    } else {
        Ok(now_ns.saturating_add(u64::from(lease_ms) * 1_000_000))
    }
}

/// The answer to [`GetLimits`](request::GetLimits) before the server fills in what the loop keeps.
/// Never sent in this form.
fn unknown_limits(arm: u8) -> reply::Limits {
    reply::Limits {
        peak_force_n: Limit::NONE,
        continuous_force_n: Limit::NONE,
        peak_torque_nm: Limit::NONE,
        continuous_torque_nm: Limit::NONE,
        slew_n_per_s: Limit::NONE,
        slew_nm_per_s: Limit::NONE,
        velocity_m_s: Limit::NONE,
        angular_velocity_rad_s: Limit::NONE,
        arm,
    }
}

pub(super) fn pose(pose: &wire::Pose) -> Pose {
    let [x, y, z, w] = pose.rotation_xyzw;
    // A unit quaternion already (checked by decoding); `new_normalize` removes the last rounding
    // error.
    let rotation = Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
    Pose::from_parts(Vec3::from(pose.translation_m).into(), rotation)
}

/// Whether a request passes through the command queue. Queries do not, nor does what must get
/// through while commands pile up.
fn makes_work(request: &Request) -> bool {
    !matches!(
        request,
        Request::ListArms(_)
            | Request::ListBodies(_)
            | Request::Subscribe(_)
            | Request::RenewLeases(_)
            | Request::Goodbye(_)
            | Request::GetStatus(_)
            | Request::Shutdown(_)
            | Request::TightenLimits(_)
            | Request::ReleaseLimits(_)
            | Request::ClearFault(_)
            | Request::OpenSurface(_)
            | Request::OpenSkin(_)
            | Request::OpenShape(_)
            | Request::GetLimits(_)
            | Request::StopEffect(_)
            | Request::ReleaseBody(_)
            | Request::SetClutch(request::SetClutch { engaged: false, .. })
    )
}

impl Hub {
    /// Carries out a request. Returns `Ok(None)` if the answer comes later.
    pub(super) fn carry_out<F>(
        &mut self,
        envelope: Envelope,
        request: Request,
        files: Vec<F>,
        out: &mut Vec<Output<F>>,
    ) -> Result<Option<Reply>, Refusal> {
        let client = envelope.client;
        let Some(session) = self.sessions.get(&client) else {
            return Ok(None);
        };
        self.check_allowed(session, &request)?;
        let done = |()| Some(reply::Done {}.into());
        let later = |()| None;
        match request {
            Request::Hello(_) => Err(Refusal::text(ErrorCode::OutOfOrder, "repeated hello")),
            // Queries.
            Request::ListArms(_) => {
                let arms = List(self.arms.clone());
                Ok(Some(reply::Arms { arms }.into()))
            }
            Request::ListBodies(list) => Ok(Some(self.page(client, list.skip).into())),
            Request::Subscribe(subscribe) => self.subscribe(client, &subscribe).map(Some),
            Request::OpenSurface(request::OpenSurface { body }) => {
                self.registry.check_surface(body)?;
                Ok(Some(reply::Surface { body }.into()))
            }
            Request::OpenSkin(request::OpenSkin { body }) => {
                self.registry.check_skin(body)?;
                Ok(Some(reply::Skin { body }.into()))
            }
            Request::OpenShape(request::OpenShape { body }) => {
                if !self.tools.contains_key(&body) {
                    self.registry.check_shape(body)?;
                }
                Ok(Some(reply::Shape { body }.into()))
            }
            Request::GetLimits(request::GetLimits { arm }) => {
                self.one_arm(arm, "ask for the limits of one arm at a time")?;
                Ok(Some(unknown_limits(arm).into()))
            }
            Request::GetStatus(_) => Ok(Some(reply::Status { bytes: 0 }.into())),
            // The client and its bodies.
            Request::RenewLeases(renew) => self.renew(envelope, renew.lease_ms).map(done),
            Request::SetFocus(focus) => {
                self.set_focus(client, focus.focused, out);
                Ok(done(()))
            }
            Request::AddBody(add) => self.add_body(envelope, add, files, out).map(later),
            Request::AddInstance(add) => self.add_instance(envelope, &add, out).map(later),
            Request::SetBodyPose(command) => self.move_body(envelope, &command, out).map(done),
            Request::SetBodyPoses(batch) => self.move_bodies(envelope, &batch, out).map(done),
            Request::SetMaterial(material) => {
                self.set_material(envelope, &material, out).map(later)
            }
            Request::SetEffect(effect) => self.set_effect(envelope, &effect, out).map(later),
            Request::StopEffect(stop) => {
                self.stop_effect(envelope, stop.effect, out);
                Ok(done(()))
            }
            Request::TeleportBody(place) => self.teleport_body(envelope, &place, out).map(later),
            Request::PushBody(push) => self.push_body(envelope, &push, out).map(later),
            Request::GraspBody(grasp) => self.grasp_body(envelope, &grasp, out).map(later),
            Request::ReleaseBody(release) => self.release_body(client, release.arm, out).map(done),
            Request::SetWorkspace(workspace) => {
                self.set_workspace(envelope, &workspace, out).map(later)
            }
            Request::SetClutch(clutch) => self.set_clutch(client, &clutch, out).map(done),
            Request::HaltBody(halt) => self.halt_body(envelope, halt.body, out).map(done),
            Request::RemoveBody(remove) => self.remove_body(client, remove.body, out).map(done),
            Request::Goodbye(_) => {
                self.disconnect(client, GoneWhy::Goodbye, out);
                out.push(Output::Close { client });
                Ok(None)
            }
            // Limits, faults and the daemon itself.
            Request::TightenLimits(limits) => {
                let arm = self.arm(limits.arm)?;
                self.order(envelope, request::TightenLimits::KIND, out, |token| {
                    Command::TightenLimits {
                        token,
                        client,
                        arm,
                        limits,
                    }
                });
                Ok(None)
            }
            Request::ReleaseLimits(release) => {
                let arm = self.arm(release.arm)?;
                self.order(envelope, request::ReleaseLimits::KIND, out, |token| {
                    Command::ReleaseLimits { token, client, arm }
                });
                Ok(None)
            }
            Request::ClearFault(clear) => {
                let arm = self.arm(clear.arm)?;
                self.order(envelope, request::ClearFault::KIND, out, |token| {
                    Command::ClearFault { token, arm }
                });
                Ok(None)
            }
            Request::Reload(_) => {
                self.order(envelope, request::Reload::KIND, out, |token| {
                    Command::Reload { token }
                });
                Ok(None)
            }
            Request::Shutdown(_) => {
                out.push(Output::Command(Command::Shutdown));
                Ok(done(()))
            }
        }
    }

    /// Checks what every request has to pass before it has any effect: the rights of the client
    /// and the capacity of the command queue.
    fn check_allowed(&self, session: &Session, request: &Request) -> Result<(), Refusal> {
        if request.is_for_technicians() && session.role != Role::Technician {
            return Err(Refusal::new(ErrorCode::TechnicianOnly, 0, 0));
        }
        if self.busy && makes_work(request) {
            return Err(Refusal::new(ErrorCode::Busy, 0, 0));
        }
        Ok(())
    }

    /// Sends a body towards a pose.
    fn move_body<F>(
        &mut self,
        envelope: Envelope,
        command: &request::SetBodyPose,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let target = request::BodyTarget {
            world_from_body: command.world_from_body,
            speed_m_s: command.speed_m_s,
            body: command.body,
            lease_ms: command.lease_ms,
        };
        let (pose, until_ns) = self.check_target(envelope, &target)?;
        self.send_target(envelope, &target, pose, until_ns, out);
        Ok(())
    }

    /// Sends bodies towards poses: all of them, or none.
    fn move_bodies<F>(
        &mut self,
        envelope: Envelope,
        command: &request::SetBodyPoses,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let targets = command.targets.sent();
        let mut checked = Vec::with_capacity(targets.len());
        for target in targets {
            checked.push(self.check_target(envelope, target).map_err(|why| {
                // Some name the body themselves.
                let detail = match why.detail.as_str() {
                    detail if detail.is_empty() || detail.starts_with("body ") => why.detail,
                    detail => format!("body {}: {detail}", target.body),
                };
                Refusal { detail, ..why }
            })?);
        }
        for (target, (pose, until_ns)) in targets.iter().zip(checked) {
            self.send_target(envelope, target, pose, until_ns, out);
        }
        Ok(())
    }

    /// Checks that a client may send a body there. Returns the pose and the end of the lease.
    fn check_target(
        &mut self,
        envelope: Envelope,
        target: &request::BodyTarget,
    ) -> Result<(Pose, u64), Refusal> {
        let Envelope { client, now_ns, .. } = envelope;
        let speed_m_s = target.speed_m_s.0;
        if speed_m_s > MAX_SPEED_M_S {
            return Err(out_of_range("speed_m_s", speed_m_s, MAX_SPEED_M_S));
        }
        let until_ns = lease_until(target.lease_ms, self.quotas.max_lease_ms, now_ns)?;
        let world_from_body = pose(&target.world_from_body);
        if self.planar {
            check_in_plane(&world_from_body)?;
        }
        self.registry.check_movable(client, target.body, now_ns)?;
        Ok((world_from_body, until_ns))
    }

    /// Sends a body there, with a new lease. A refused request leaves the earlier one as it was, so
    /// this comes after every check.
    fn send_target<F>(
        &mut self,
        envelope: Envelope,
        target: &request::BodyTarget,
        world_from_body: Pose,
        lease_until_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        let Envelope { client, now_ns, .. } = envelope;
        let body = target.body;
        // It was checked that the client may.
        let _ = self.registry.lease(client, body, now_ns, lease_until_ns);
        out.push(Output::Command(Command::MoveBody {
            client,
            body,
            world_from_body,
            speed_m_s: target.speed_m_s.0,
            lease_until_ns,
        }));
    }

    /// Orders another surface for a body of the client.
    fn set_material<F>(
        &mut self,
        envelope: Envelope,
        command: &request::SetMaterial,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let body = command.body;
        self.registry.check_owned(envelope.client, body)?;
        let material = hapticd_proxy::Material {
            stiffness_n_per_m: command.stiffness_n_per_m.0,
            damping_n_s_per_m: command.damping_n_s_per_m.0,
            friction: command.friction.0,
            force_shading: false,
        };
        check_surface(&material)?;
        self.order(envelope, request::SetMaterial::KIND, out, |token| {
            Command::SetMaterial {
                token,
                body,
                material,
            }
        });
        Ok(())
    }

    /// Stops a body. One without a lease stands already and needs no command.
    fn halt_body<F>(
        &mut self,
        envelope: Envelope,
        body: u32,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let Envelope { client, now_ns, .. } = envelope;
        if self.registry.release(client, body, now_ns)? {
            out.push(Output::Command(Command::HaltBody { body }));
        }
        Ok(())
    }

    /// Removes a body of the client and announces that.
    fn remove_body<F>(
        &mut self,
        client: ClientId,
        body: u32,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        self.registry.check_owned(client, body)?;
        self.registry.remove(body);
        out.push(Output::Command(Command::RemoveBody { body }));
        let reason = RemovalReason::Requested;
        self.broadcast(event::BodyLeft { body, reason }.into(), out);
        Ok(())
    }

    /// Extends all leases of a client, and the time from which it counts as silent.
    fn renew(&mut self, envelope: Envelope, lease_ms: u32) -> Result<(), Refusal> {
        let Envelope { client, now_ns, .. } = envelope;
        let until_ns = lease_until(lease_ms, self.quotas.max_lease_ms, now_ns)?;
        self.registry.renew(client, until_ns);
        if let Some(session) = self.sessions.get_mut(&client) {
            session.alive_until(until_ns);
        }
        Ok(())
    }

    /// Sets whether a client has the user's attention. Only a change makes a command.
    fn set_focus<F>(&mut self, client: ClientId, focused: bool, out: &mut Vec<Output<F>>) {
        let Some(session) = self.sessions.get_mut(&client) else {
            return;
        };
        if std::mem::replace(&mut session.focused, focused) != focused {
            let bodies = self.registry.responsible_for(client);
            out.push(Output::Command(Command::Focus {
                client,
                focused,
                bodies,
            }));
            self.hold_effects(client, !focused, out);
            if !focused {
                self.end_grasps(client, out);
                self.end_workspaces(client, out);
            }
        }
    }

    /// Orders what the loop or the supervisor has to do. The answer comes once that is done.
    pub(super) fn order<F>(
        &mut self,
        envelope: Envelope,
        kind: u16,
        out: &mut Vec<Output<F>>,
        command: impl FnOnce(u64) -> Command,
    ) {
        let token = self.register_done(envelope, kind);
        out.push(Output::Command(command(token)));
    }

    /// The arm that a request names, which must be a single one: `detail` says so.
    pub(super) fn one_arm(&self, arm: u8, detail: &str) -> Result<usize, Refusal> {
        self.arm(arm)?.ok_or_else(|| Refusal {
            detail: detail.to_owned(),
            ..self.no_such_arm(arm)
        })
    }

    /// Checks that a client has the focus; a refusal has `number`.
    pub(super) fn check_focus(&self, client: ClientId, number: u64) -> Result<(), Refusal> {
        let session = self.sessions.get(&client);
        match session.is_some_and(|session| !session.focused) {
            true => Err(Refusal {
                number,
                ..Refusal::text(ErrorCode::NotPermitted, "the client is out of focus")
            }),
            false => Ok(()),
        }
    }

    /// The arm that a request names; `None` for all arms.
    pub(super) fn arm(&self, arm: u8) -> Result<Option<usize>, Refusal> {
        if arm == ALL_ARMS {
            return Ok(None);
        }
        if self.arms.iter().any(|info| info.index == arm) {
            Ok(Some(usize::from(arm)))
        } else {
            Err(self.no_such_arm(arm))
        }
    }

    pub(super) fn no_such_arm(&self, arm: u8) -> Refusal {
        Refusal::new(ErrorCode::NoSuchArm, u64::from(arm), self.arms.len() as u64)
    }

    fn page(&self, client: ClientId, skipped: u32) -> reply::Bodies {
        let skip = usize::try_from(skipped).unwrap_or(usize::MAX);
        let bodies =
            self.registry
                .iter()
                .skip(skip)
                .take(BODIES_PER_PAGE)
                .map(|(record, owner)| BodyInfo {
                    name: record.name,
                    body: record.body,
                    triangles: record.triangles,
                    kind: record.kind,
                    owned: owner == Some(client),
                });
        reply::Bodies {
            total: u32::try_from(self.registry.iter().count()).unwrap_or(u32::MAX),
            skipped,
            bodies: List(bodies.collect()),
        }
    }

    fn subscribe(
        &mut self,
        client: ClientId,
        subscribe: &request::Subscribe,
    ) -> Result<Reply, Refusal> {
        let (arm, topics) = (subscribe.arm, subscribe.topics);
        if topics & !topic::ALL != 0 {
            return Err(out_of_range(
                "topics",
                f64::from(topics),
                f64::from(topic::ALL),
            ));
        }
        // Events and bodies do not belong to an arm.
        let of_arm = topic::STATE | topic::CONTACTS | topic::WAKE | topic::NEEDLE;
        let needs_arm = topics & of_arm != 0;
        if needs_arm {
            self.one_arm(arm, "subscribe to one arm at a time")?;
        }
        if let Some(session) = self.sessions.get_mut(&client) {
            session.events |= topics & topic::EVENTS != 0;
            session.contact_events |= topics & topic::CONTACT_EVENTS != 0;
        }
        let kinds = [
            (topic::STATE, BlockKind::State),
            (topic::CONTACTS, BlockKind::Contacts),
            (topic::BODIES, BlockKind::Bodies),
            (topic::WAKE, BlockKind::Wake),
            (topic::NEEDLE, BlockKind::Needle),
        ];
        let blocks = kinds
            .into_iter()
            .filter(|(bit, _)| topics & bit != 0)
            .map(|(_, kind)| BlockInfo {
                kind,
                arm: if kind == BlockKind::Bodies {
                    0
                } else {
                    u16::from(arm)
                },
            });
        Ok(reply::Subscribed {
            blocks: List(blocks.collect()),
        }
        .into())
    }
}
