//! A tool's recent contacts, kept as long as they matter, and their rows.
//!
//! The structure determines where a motion ends; the next wanted motion is then projected on that
//! contact. A contact stays known for a few ticks and is evaluated again from the present positions
//! of its two features, so that a tool that slides along an edge does not run into it in every
//! tick. Allocates nothing; at most [`KNOWN`] contacts.

use hapticd_geometry::Vec3;
use hapticd_kinetic::PseudoTriangulation;
use hapticd_kinetic::pseudo::Contact;

/// Most known contacts of one tool.
pub(crate) const KNOWN: usize = 8;
/// Number of ticks for which a contact is known after it last stopped or held the tool.
const TICKS: u64 = 16;

/// Two features that met: a vertex of one body and an edge of another, one of them the tool's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features {
    vertex: (u32, u32),
    edge: (u32, [u32; 2]),
}

impl Features {
    pub fn of(contact: &Contact) -> Self {
        Features {
            vertex: (contact.bodies[0], contact.vertex),
            edge: (contact.bodies[1], contact.edge),
        }
    }

    /// Returns the other body, if `tool` is one of the two.
    pub fn other(&self, tool: u32) -> Option<u32> {
        if self.vertex.0 == tool {
            Some(self.edge.0)
        } else {
            (self.edge.0 == tool).then_some(self.vertex.0)
        }
    }
}

/// A contact at the present positions, in the plane `z = 0`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanarContact {
    pub features: Features,
    /// Index of the other body in the structure.
    pub other: u32,
    /// Points on the tool and on the other body, m.
    pub tool_point: Vec3,
    pub body_point: Vec3,
    /// Unit normal, from the body to the tool.
    pub normal: Vec3,
    /// Gap between the outlines as the structure has them, m.
    pub gap_m: f64,
}

/// A tool's known contacts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    known: [Option<(Features, u64)>; KNOWN],
}

impl Memory {
    /// Notes a contact, in place of the one that expires first.
    pub fn note(&mut self, features: Features, tick: u64) {
        let rank = |slot: &Option<(Features, u64)>| match slot {
            Some((known, _)) if *known == features => 0,
            None => 1,
            Some((_, until)) => 2 + until,
        };
        if let Some(slot) = self.known.iter_mut().min_by_key(|s| rank(s)) {
            *slot = Some((features, tick + TICKS));
        }
    }

    /// Drops expired contacts.
    pub fn age(&mut self, tick: u64) {
        for slot in &mut self.known {
            *slot = slot.filter(|(_, until)| *until > tick);
        }
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Returns the known contacts with a vertex that projects onto the edge, at a gap within these
    /// two bounds.
    pub fn now<'a>(
        &'a self,
        structure: &'a PseudoTriangulation,
        tool: u32,
        within_m: [f64; 2],
    ) -> impl Iterator<Item = PlanarContact> + 'a {
        let known = self.known.iter().flatten();
        known.filter_map(move |(features, _)| met(structure, tool, features, within_m))
    }
}

/// Evaluates two features at their present positions; `None` if they are not in contact.
pub(crate) fn met(
    structure: &PseudoTriangulation,
    tool: u32,
    features: &Features,
    [least_m, most_m]: [f64; 2],
) -> Option<PlanarContact> {
    let (vertex, (edge, ends)) = (features.vertex, features.edge);
    let p = structure.vertex(vertex.0, vertex.1)?;
    let a = structure.vertex(edge, ends[0])?;
    let b = structure.vertex(edge, ends[1])?;
    let along = [b[0] - a[0], b[1] - a[1]];
    let from = [p[0] - a[0], p[1] - a[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let share = (from[0] * along[0] + from[1] * along[1]) / square;
    if !(0.0..=1.0).contains(&share) {
        return None;
    }
    let length = square.sqrt();
    // The polygon is on the right of the edge from its first end to its second.
    let outward = Vec3::new(-along[1] / length, along[0] / length, 0.0);
    let at_vertex = Vec3::new(p[0], p[1], 0.0);
    let gap_m = outward.x * from[0] + outward.y * from[1];
    if !(gap_m >= least_m && gap_m <= most_m) {
        return None;
    }
    let at_edge = at_vertex - outward * gap_m;
    let other = features.other(tool)?;
    let (tool_point, body_point, normal) = if vertex.0 == tool {
        (at_vertex, at_edge, outward)
    } else {
        (at_edge, at_vertex, -outward)
    };
    Some(PlanarContact {
        features: *features,
        other,
        tool_point,
        body_point,
        normal,
        gap_m,
    })
}
