//! Bodies, contacts between them, and bounces: without friction, one contact at a time.

use super::{Polygons, cross, length, minus};
use crate::kinetic::Inconsistent;
use crate::motion::Rigid2;

/// A rigid polygon.
#[derive(Clone, Debug, PartialEq)]
pub struct PolygonBody {
    /// Vertices in the body's frame, counter-clockwise, m. The body turns about the origin, which
    /// is also its centre of mass.
    pub shape: Vec<[f64; 2]>,
    /// Motion of the frame.
    pub motion: Rigid2,
    /// Mass, kg; infinite for a wall.
    pub mass: f64,
    /// Moment of inertia, kg m²; if infinite, bounces do not turn it.
    pub inertia: f64,
}

impl PolygonBody {
    /// Creates a body that never moves.
    #[must_use]
    pub fn wall(shape: Vec<[f64; 2]>) -> Self {
        Self {
            shape,
            motion: Rigid2::still(),
            mass: f64::INFINITY,
            inertia: f64::INFINITY,
        }
    }

    /// Returns the positions of the vertices at `t`.
    #[must_use]
    pub fn polygon(&self, t: f64) -> Vec<[f64; 2]> {
        self.shape
            .iter()
            .map(|p| self.motion.point(*p, t))
            .collect()
    }
}

/// Parameters of bounces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounce {
    /// Share of the normal speed that is returned, 0 to 1.
    pub restitution: f64,
    /// Least normal speed at which they separate, m/s. Must be above 0 where anything can come to
    /// rest: without it, bounces accumulate and time stops (Zeno).
    pub least_speed: f64,
}

/// What to do at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contacts {
    /// Time stops there until the plan of one of the bodies changes.
    Stop,
    /// They bounce off each other.
    Bounce(Bounce),
}

/// A vertex of one body on an edge of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Time, s.
    pub time: f64,
    /// The body of the vertex, the body of the edge.
    pub bodies: [u32; 2],
    /// Index of the vertex in the first body.
    pub vertex: u32,
    /// The two vertices of the edge in the second body, against its sense of rotation.
    pub edge: [u32; 2],
    /// Position, m.
    pub point: [f64; 2],
    /// Outward normal of the edge.
    pub normal: [f64; 2],
}

impl Polygons {
    /// Returns the contact of a vertex on an edge, both by their indices among all vertices. Free
    /// space is on the left of the edge, from its first end to its second.
    pub(crate) fn contact(&self, vertex: u32, edge: [u32; 2], now: f64) -> Contact {
        let places = edge.map(|v| self.place(v, now));
        let along = minus(places[1], places[0]);
        let length = length(along);
        let normal = [-along[1] / length, along[0] / length];
        let [body, other] = [vertex, edge[0]].map(|v| self.owner[v as usize]);
        Contact {
            time: now,
            bodies: [body, other],
            vertex: vertex - self.first[body as usize],
            edge: edge.map(|v| v - self.first[other as usize]),
            point: self.place(vertex, now),
            normal,
        }
    }

    /// Gives the two bodies of a contact their motions after it.
    pub(crate) fn bounce(&mut self, contact: &Contact, bounce: Bounce) -> Result<(), Inconsistent> {
        let bodies = contact.bodies.map(|b| &self.bodies[b as usize]);
        let motions = rebound(bodies, contact, bounce)?;
        for (body, motion) in contact.bodies.into_iter().zip(motions) {
            self.bodies[body as usize].motion = motion;
        }
        Ok(())
    }
}

/// Returns how the two bodies of a contact move after it. If they already separate faster than they
/// would, nothing changes.
///
/// # Errors
/// Neither of them can be pushed.
pub fn rebound(
    bodies: [&PolygonBody; 2],
    contact: &Contact,
    bounce: Bounce,
) -> Result<[Rigid2; 2], Inconsistent> {
    let mut motions = bodies.map(|b| b.motion.about(contact.time));
    let inverse = bodies.map(|b| [1.0 / b.mass, 1.0 / b.inertia]);
    let arms = motions.map(|m| minus(contact.point, m.centre));
    let n = contact.normal;
    let speed = |k: usize| {
        let (m, arm) = (&motions[k], arms[k]);
        (m.velocity[0] - m.omega * arm[1]) * n[0] + (m.velocity[1] + m.omega * arm[0]) * n[1]
    };
    let approach = speed(0) - speed(1);
    let ease: f64 = (0..2)
        .map(|k| inverse[k][0] + cross(arms[k], n).powi(2) * inverse[k][1])
        .sum();
    let parting = (-approach * bounce.restitution).max(bounce.least_speed);
    let impulse = (parting - approach) / ease;
    if !(impulse < f64::INFINITY) {
        return Err(Inconsistent {
            time: contact.time,
            object: contact.bodies[0],
            what: "two immovable bodies meet",
        });
    }
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        let push = sign * impulse.max(0.0);
        for i in 0..2 {
            motions[k].velocity[i] += push * inverse[k][0] * n[i];
        }
        motions[k].omega += push * inverse[k][1] * cross(arms[k], n);
    }
    Ok(motions)
}
