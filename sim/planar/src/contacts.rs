//! The contacts that a tool has come upon, for as long as they matter, and their rows.
//!
//! The structure says where a motion ends; what the tool wants next is then projected on that
//! contact. A contact stays known for a few ticks, evaluated again from the two features wherever
//! they are, so that a tool that slides along an edge does not run into it in every tick. Allocates
//! nothing; at most [`KNOWN`] contacts.

use hapticd_geometry::Vec3;
use hapticd_kinetic::PseudoTriangulation;
use hapticd_kinetic::pseudo::Contact;

/// Most contacts of one tool that are known at a time.
pub(crate) const KNOWN: usize = 8;
/// For how many ticks after it last stopped the tool or held it.
const TICKS: u64 = 16;

/// Two features that met: a vertex of one body, an edge of another, of which one is the tool's.
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

    /// The other body, if `tool` is one of the two.
    pub fn other(&self, tool: u32) -> Option<u32> {
        if self.vertex.0 == tool {
            Some(self.edge.0)
        } else {
            (self.edge.0 == tool).then_some(self.vertex.0)
        }
    }
}

/// A contact as it is now, in the plane `z = 0`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanarContact {
    pub features: Features,
    /// The other body's index in the structure.
    pub other: u32,
    /// On the tool, and on the other body.
    pub tool_point: Vec3,
    pub body_point: Vec3,
    /// From the body to the tool.
    pub normal: Vec3,
    /// Between the outlines as the structure has them, m.
    pub gap_m: f64,
}

/// A tool's memory of contacts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    known: [Option<(Features, u64)>; KNOWN],
}

impl Memory {
    /// Notes a contact, in the place of the one that is forgotten first.
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

    /// Forgets what was long ago.
    pub fn age(&mut self, tick: u64) {
        for slot in &mut self.known {
            *slot = slot.filter(|(_, until)| *until > tick);
        }
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The known contacts whose vertex is beside its edge, and within these distances of it.
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

/// The contact of two features as they are now, if it is one.
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
    // The polygon is on the right of the way from the first end to the second.
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
