//! Targets for messages and blocks, as daemon and clients decode them.

use crate::input::Input;
use hapticd_protocol::{
    block::{
        ArmState, BlockHeader, Bodies, Contacts, HEADER_WORDS, SkinFrameHeader, SkinHeader,
        SurfaceHeader, unpack,
    },
    event::Event,
    frame::{Header, Message},
    reply::{BlockKind, Reply},
    request::Request,
};

/// A packet as the daemon receives it; the first byte is the number of descriptors.
pub fn request(data: &[u8]) {
    message::<Request>(data);
}

/// A packet as a client receives it: a reply or an event.
pub fn reply(data: &[u8]) {
    message::<Reply>(data);
    message::<Event>(data);
}

/// Checks that a decoded message encodes to the same bytes.
fn message<M: Message + std::fmt::Debug>(data: &[u8]) {
    let mut input = Input::new(data);
    let descriptors = usize::from(input.byte());
    let packet = input.rest();
    match M::decode(packet, descriptors) {
        Ok((id, message)) => {
            assert_eq!(id, Header::id_of(packet));
            let again = message.encode(id);
            // Text after its first zero is not kept, and zero has two signs.
            let (second_id, second) = M::decode(&again, descriptors).unwrap();
            assert_eq!(id, second_id);
            assert_eq!(format!("{message:?}"), format!("{second:?}"));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The words of every kind of block, as a client reads them.
pub fn block(data: &[u8]) {
    let mut input = Input::new(data);
    let kind = input.byte();
    let body = u32::from(input.byte());
    let length = usize::from(input.short());
    let mut words: Vec<u64> = Vec::new();
    while !input.is_empty() {
        words.push(u64::from_le_bytes(input.array()));
    }
    match kind % 6 {
        0 => {
            let state = ArmState::from_words(&array(&words));
            assert!(state.to_words().len() >= 40);
            let _ = state.governor_state();
        }
        1 => assert!(Contacts::from_words(&array(&words)).as_slice().len() <= 32),
        2 => assert!(Bodies::from_words(&array(&words)).as_slice().len() <= 64),
        3 => {
            if let Ok(surface) = SurfaceHeader::check(&array(&words), length, body) {
                let triangles = surface.triangle_words();
                assert!(triangles.end <= length, "{triangles:?} in {length} words");
                for (index, corners) in unpack(words.iter().copied()).enumerate() {
                    let _ = surface.check_corners(index, corners);
                }
            }
        }
        4 => {
            if let Ok(skin) = SkinHeader::check(&array(&words), length, body) {
                assert!(HEADER_WORDS + 2 * skin.slot_words() <= length + 1);
                let _ = SkinFrameHeader::from_words(&array(&words));
            }
        }
        _ => {
            for kind in [BlockKind::State, BlockKind::Contacts, BlockKind::Bodies] {
                let _ = BlockHeader::check(&array(&words), length, kind, 40);
            }
        }
    }
}

fn array<const N: usize>(words: &[u64]) -> [u64; N] {
    std::array::from_fn(|index| words.get(index).copied().unwrap_or(0))
}
