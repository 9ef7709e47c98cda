//! The protocol as data: every message, code and block with the names, types and places of its
//! parts.
//!
//! `clients/protocol/layout.json`, the tables of `docs/protocol.md` and the definitions in Python,
//! JavaScript and C# are generated from it (`tests/generated`). Not for real-time threads:
//! descriptions are allocated.

use crate::{block, event, gateway, mesh, reply, request, wire};

pub use crate::description::{
    CodeLayout, CodesLayout, Described, Descriptors, FieldLayout, MessageLayout, PlaceLayout,
    RecordLayout, Type, WordsLayout,
};

/// All messages of the three directions, and the gateway's.
#[derive(Clone, Debug, PartialEq)]
pub struct Messages {
    /// From client to daemon.
    pub requests: Vec<MessageLayout>,
    /// From daemon to client, with the id of a request.
    pub replies: Vec<MessageLayout>,
    /// From daemon to client, with id 0.
    pub events: Vec<MessageLayout>,
    /// From client to gateway.
    pub gateway_requests: Vec<MessageLayout>,
    /// From gateway to client, with id 0.
    pub gateway_messages: Vec<MessageLayout>,
}

impl Messages {
    /// Returns all messages of all directions; kinds grow within each.
    pub fn all(&self) -> impl Iterator<Item = &MessageLayout> {
        let replies = self.replies.iter().chain(&self.events);
        let gateway = self.gateway_requests.iter().chain(&self.gateway_messages);
        self.requests.iter().chain(replies).chain(gateway)
    }
}

/// Returns all messages, in the order of their kinds.
pub fn messages() -> Messages {
    Messages {
        requests: request::Request::layout(),
        replies: reply::Reply::layout(),
        events: event::Event::layout(),
        gateway_requests: gateway::GatewayRequest::layout(),
        gateway_messages: gateway::GatewayMessage::layout(),
    }
}

/// Returns all integers of which a field is one named value.
pub fn codes() -> Vec<CodesLayout> {
    vec![
        request::BodyKind::layout(),
        request::PushMode::layout(),
        request::EffectKind::layout(),
        request::Waveform::layout(),
        request::EffectShape::layout(),
        reply::RefusalReason::layout(),
        reply::ErrorCode::layout(),
        reply::BlockKind::layout(),
        event::RemovalReason::layout(),
        event::EffectEnd::layout(),
        event::LetGoReason::layout(),
        block::GovernorState::layout(),
        block::force_off_layout(),
        block::NeedlePhase::layout(),
        block::NeedleHold::layout(),
    ]
}

/// Returns all integers that are sums of named bits.
pub fn flags() -> Vec<CodesLayout> {
    vec![
        request::topic::layout(),
        block::flag::layout(),
        block::skin_flag::layout(),
    ]
}

/// Returns what stands at fixed places of blocks. The words of [`BlockHeader`](block::BlockHeader)
/// count from the block's first, all others from the first of what they describe.
pub fn words() -> Vec<WordsLayout> {
    block::layouts()
}

/// Fields of plain integers that hold a code or a sum of bits: structure, field, name of the codes.
/// They are integers so that a number of a newer version can be read.
pub const CODED_FIELDS: &[(&str, &str, &str)] = &[
    ("Subscribe", "topics", "topic"),
    ("ForceOff", "reason", "ForceOffReason"),
    ("ArmState", "governor", "GovernorState"),
    ("ArmState", "reason", "ForceOffReason"),
    ("ArmState", "last_force_off", "ForceOffReason"),
    ("ArmState", "flags", "flag"),
    ("NeedleState", "phase", "NeedlePhase"),
    ("NeedleState", "hold", "NeedleHold"),
    ("SkinFrameHeader", "flags", "skin_flag"),
    ("HeaderWords", "kind", "BlockKind"),
];

/// Returns the name of the codes that a field holds, if it holds any.
pub fn codes_of(structure: &str, field: &FieldLayout) -> Option<&'static str> {
    if let Type::Code(codes) = &field.of {
        return Some(codes.name);
    }
    let mut coded = CODED_FIELDS.iter();
    let found = coded.find(|(of, name, _)| *of == structure && *name == field.name)?;
    Some(found.2)
}

/// A list of rows of three numbers of 32 bits in a block or file, from a whole word on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsLayout {
    /// Name.
    pub name: &'static str,
    /// `f32` or `u32`.
    pub of: &'static str,
    /// Where the number of rows stands.
    pub count: &'static str,
    /// Meaning.
    pub doc: &'static str,
}

/// Returns what follows the fixed words of a surface, of each slot of a skin, and of a mesh file.
pub fn rows(of: &str) -> Vec<RowsLayout> {
    let row = |name, of, count, doc| RowsLayout {
        name,
        of,
        count,
        doc,
    };
    let points = row("points", "f32", "points", "x, y, z in the world frame, m.");
    let triangles = row(
        "triangles",
        "u32",
        "triangles",
        "Indices of three points, counter-clockwise seen from outside.",
    );
    match of {
        "Surface" => vec![points, triangles],
        "Skin" => vec![
            points,
            row("normals", "f32", "points", "Unit normals, outward."),
            row("velocities", "f32", "points", "Velocities, m/s."),
            triangles,
        ],
        _ => Vec::new(),
    }
}

/// A kind of block: what its payload begins with, and what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// The kind.
    pub kind: reply::BlockKind,
    /// Name of the words at the payload's beginning, in [`words`].
    pub payload: &'static str,
    /// Name and largest number of what follows, as often as the payload's `count` says.
    pub list: Option<(&'static str, usize)>,
    /// Number of words of the payload; `None` where it is the body's.
    pub payload_words: Option<usize>,
}

/// Returns the kinds of blocks. What follows in a surface and a skin depends on the body's counts
/// and is on the page of [`block`].
pub fn blocks() -> Vec<BlockLayout> {
    let of = |kind, payload, list, payload_words| BlockLayout {
        kind,
        payload,
        list,
        payload_words,
    };
    use reply::BlockKind as Kind;
    let (contacts, bodies) = (block::CONTACTS_WORDS, block::BODIES_WORDS);
    vec![
        of(Kind::State, "ArmState", None, Some(block::STATE_WORDS)),
        of(
            Kind::Contacts,
            "ListHeader",
            Some(("Contact", crate::MAX_CONTACTS)),
            Some(contacts),
        ),
        of(
            Kind::Bodies,
            "ListHeader",
            Some(("BodyState", crate::MAX_BODIES)),
            Some(bodies),
        ),
        of(Kind::Needle, "NeedleState", None, Some(block::NEEDLE_WORDS)),
        of(Kind::Surface, "SurfaceFrameHeader", None, None),
        of(Kind::Skin, "SkinFrameHeader", None, None),
    ]
}

/// A constant that clients need, with its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantLayout {
    /// Name.
    pub name: &'static str,
    /// Value.
    pub value: u64,
    /// Meaning.
    pub doc: &'static str,
}

/// Returns the constants that clients need.
pub fn constants() -> Vec<ConstantLayout> {
    let constant = |name, value, doc| ConstantLayout { name, value, doc };
    vec![
        constant(
            "MAJOR",
            u64::from(crate::MAJOR),
            "Major version of the protocol.",
        ),
        constant(
            "MINOR",
            u64::from(crate::MINOR),
            "Minor version of the protocol.",
        ),
        constant(
            "MAGIC",
            crate::MAGIC,
            "First word of a hello, a welcome and a block.",
        ),
        constant(
            "MAX_MESSAGE",
            crate::frame::MAX_MESSAGE as u64,
            "Largest message, header included, bytes.",
        ),
        constant(
            "HEADER_BYTES",
            crate::frame::HEADER_BYTES as u64,
            "Length of a message's header, bytes.",
        ),
        constant("MAX_ARMS", crate::MAX_ARMS as u64, "Most arms of a daemon."),
        constant(
            "MAX_BODIES",
            crate::MAX_BODIES as u64,
            "Most rigid bodies in a scene.",
        ),
        constant(
            "MAX_CONTACTS",
            crate::MAX_CONTACTS as u64,
            "Most contacts in an arm's block.",
        ),
        constant(
            "ALL_ARMS",
            u64::from(request::ALL_ARMS),
            "Stands for all arms where a field takes an arm.",
        ),
        constant(
            "MAX_TARGETS",
            request::MAX_TARGETS as u64,
            "Most bodies that one message moves.",
        ),
        constant(
            "EFFECTS_PER_ARM",
            request::EFFECTS_PER_ARM as u64,
            "Most effects of an arm at the same time.",
        ),
        constant(
            "MAX_LEASE_MS",
            u64::from(request::MAX_LEASE_MS),
            "Longest lease that any daemon grants, ms.",
        ),
        constant(
            "MAX_COORDINATE_M",
            wire::MAX_COORDINATE_M as u64,
            "Largest coordinate of a pose or a mesh, m.",
        ),
        constant(
            "SEQUENCE_WORD",
            block::SEQUENCE_WORD as u64,
            "Index of a block's sequence.",
        ),
        constant(
            "PAYLOAD_WORD",
            block::PAYLOAD_WORD as u64,
            "Index of the first word of a block's payload.",
        ),
        constant(
            "RELEASE_NS",
            event::RELEASE_NS,
            "Time without contact after which a tool counts as released, ns.",
        ),
        constant("MESH_MAGIC", mesh::MESH_MAGIC, "First word of a mesh file."),
        constant(
            "MESH_VERSION",
            u64::from(mesh::MESH_VERSION),
            "Version of the mesh format.",
        ),
        constant(
            "MESH_HEADER_BYTES",
            mesh::MESH_HEADER_BYTES as u64,
            "Offset of a mesh file's vertices, bytes.",
        ),
        constant(
            "MESH_SEALS",
            u64::from(mesh::MESH_SEALS),
            "Seals that a mesh file must have: F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE.",
        ),
        constant(
            "BLOCK_SEALS",
            u64::from(block::BLOCK_SEALS),
            "Seals of a block: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE.",
        ),
        constant(
            "MAX_PUSH_HZ",
            u64::from(gateway::MAX_PUSH_HZ),
            "Highest rate at which the gateway sends the values of one block, Hz.",
        ),
        constant(
            "GATEWAY_REQUESTS_PER_S",
            u64::from(gateway::GATEWAY_REQUESTS_PER_S),
            "Requests that the gateway passes on for one client within a second.",
        ),
        constant(
            "MAX_INLINE_MESH_BYTES",
            u64::from(gateway::MAX_INLINE_MESH_BYTES),
            "Longest mesh file behind an `AddBody` through the gateway, bytes.",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        let mut names: Vec<_> = messages().all().cloned().collect();
        names.sort_by_key(|message| message.kind);
        assert!(names.windows(2).all(|two| two[0].kind < two[1].kind));
        for answer in names.iter().flat_map(|message| &message.answers) {
            assert!(
                names.iter().any(|message| message.body.name == *answer),
                "{answer}"
            );
        }
    }

    #[test]
    fn coded_fields_and_their_codes_are_there() {
        let bodies: Vec<_> = messages().all().cloned().collect();
        for (structure, field, code) in CODED_FIELDS {
            let body = bodies
                .iter()
                .find(|message| message.body.name == *structure);
            let words = words().into_iter().find(|words| words.name == *structure);
            let fields = body
                .map(|message| message.body.fields.clone())
                .or(words.map(|words| words.places.into_iter().map(|place| place.field).collect()));
            let has = fields.is_some_and(|fields| fields.iter().any(|of| of.name == *field));
            assert!(has, "{structure}.{field}");
            let mut known = codes().into_iter().chain(flags());
            assert!(known.any(|known| known.name == *code), "{code}");
        }
    }

    #[test]
    fn values_in_blocks_do_not_overlap() {
        for layout in words() {
            let mut taken = vec![0_u64; layout.words];
            for place in &layout.places {
                let bits = place.field.of.bits().unwrap();
                let first = place.word * 64 + place.bit as usize;
                for bit in first..first + bits {
                    let mask = 1 << (bit % 64);
                    assert_eq!(
                        taken[bit / 64] & mask,
                        0,
                        "{}: {}",
                        layout.name,
                        place.field.name
                    );
                    taken[bit / 64] |= mask;
                }
            }
        }
    }
}
