//! Carries out the requests that place a body elsewhere or give it an impulse.

use super::requests::{check_ranges, pose};
use super::{Envelope, Hub, Output};
use crate::{Command, Refusal};
use hapticd_geometry::Vec3;
use hapticd_protocol::request::{self, MAX_PUSH_M_S, MAX_PUSH_RAD_S, PushMode};
use hapticd_scene::BodyPush;

const _: () = assert!(MAX_PUSH_M_S == hapticd_scene::MAX_PUSH_M_S);
const _: () = assert!(MAX_PUSH_RAD_S == hapticd_scene::MAX_PUSH_RAD_S);

impl Hub {
    /// Orders a body of the client to another place. What moved it ends first, and stays so if the
    /// scene refuses the place: a target for the old place means nothing at the new one.
    pub(super) fn teleport_body<F>(
        &mut self,
        envelope: Envelope,
        asked: &request::TeleportBody,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let body = asked.body;
        self.registry.check_placeable(envelope.client, body)?;
        if self.registry.end_lease(body) {
            out.push(Output::Command(Command::HaltBody { body }));
        }
        let world_from_body = pose(&asked.world_from_body);
        self.order(envelope, request::TeleportBody::KIND, out, |token| {
            Command::PlaceBody {
                token,
                body,
                world_from_body,
            }
        });
        Ok(())
    }

    /// Orders an impulse or a velocity for a dynamic body of the client. The scene, which knows the
    /// mass, bounds what an impulse does.
    pub(super) fn push_body<F>(
        &mut self,
        envelope: Envelope,
        asked: &request::PushBody,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let body = asked.body;
        self.registry.check_pushable(envelope.client, body)?;
        let [linear, angular, point] = [asked.linear, asked.angular, asked.point_m].map(Vec3::from);
        let push = match asked.mode {
            PushMode::Impulse => {
                let most = hapticd_protocol::wire::MAX_COORDINATE_M;
                check_ranges([("point_m", point.amax(), 0.0..=most)])?;
                BodyPush::Impulse {
                    impulse_n_s: linear,
                    moment_nm_s: angular,
                    point,
                }
            }
            PushMode::Velocity => {
                check_ranges([
                    ("linear", linear.norm(), 0.0..=MAX_PUSH_M_S),
                    ("angular", angular.norm(), 0.0..=MAX_PUSH_RAD_S),
                ])?;
                BodyPush::Velocity {
                    linear_m_s: linear,
                    angular_rad_s: angular,
                }
            }
        };
        self.order(envelope, request::PushBody::KIND, out, |token| {
            Command::PushBody { token, body, push }
        });
        Ok(())
    }
}
