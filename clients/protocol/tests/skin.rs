//! The block of a skin: content of its header, and what is refused.

use hapticd_protocol::{
    block::{
        BlockError, HEADER_WORDS, SEQUENCE_WORD, SKIN_FIXED_WORDS, SkinCounts, SkinError,
        SkinFrameHeader, SkinHeader, block_words,
    },
    reply::BlockKind,
};
use proptest::prelude::*;

const ROOM: SkinCounts = SkinCounts {
    points: 5,
    triangles: 3,
};
/// 16 fixed words, 3 lists of 15 numbers, one of 9; a sequence between the slots.
const SLOT: usize = 16 + 3 * 8 + 5;
const WORDS: usize = 8 + 2 * (1 + SLOT);

fn sample() -> SkinHeader {
    SkinHeader::new(70_000, ROOM, 777)
}

#[test]
fn the_header_says_where_everything_is() {
    let header = sample();
    assert_eq!(header.block.kind, BlockKind::Skin);
    assert_eq!(header.slot_words(), SLOT);
    assert_eq!(block_words(header.block.payload_words as usize), WORDS);
    assert_eq!(header.sequence_word(0), SEQUENCE_WORD);
    assert_eq!(header.sequence_word(1), SEQUENCE_WORD + 1 + SLOT);
    assert_eq!(
        SkinHeader::check(&header.to_words(), WORDS, 70_000),
        Ok(header)
    );
    assert_eq!(ROOM.places(), Some([16..24, 24..32, 32..40, 40..45]));
    let none = SkinCounts::default();
    assert_eq!(none.places(), Some([16..16, 16..16, 16..16, 16..16]));
}

#[test]
fn what_is_wrong_is_refused_with_the_numbers() {
    let refused = |index: usize, value: u64, body| {
        let mut words = sample().to_words();
        words[index] = value;
        SkinHeader::check(&words, WORDS, body).unwrap_err()
    };
    assert_eq!(
        refused(0, 1, 70_000),
        SkinError::Block(BlockError::NotABlock)
    );
    assert_eq!(
        refused(7, 1, 70_000),
        SkinError::Block(BlockError::Reserved)
    );
    assert_eq!(
        refused(0, hapticd_protocol::MAGIC, 8),
        SkinError::Body {
            actual: 70_000,
            expected: 8
        }
    );
    let huge = refused(6, u64::MAX, 70_000);
    assert!(
        matches!(huge, SkinError::Size { needed, .. } if needed > 1 << 34),
        "{huge}"
    );
    assert!(matches!(
        SkinHeader::check(&sample().to_words(), WORDS - 1, 70_000),
        Err(SkinError::Block(BlockError::Size { .. }))
    ));
    let frame = SkinCounts {
        points: 6,
        triangles: 3,
    };
    let error = sample().check_counts(frame).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a frame of 6 points and 3 triangles in a slot for 5 and 3"
    );
    assert!(sample().check_counts(ROOM).is_ok());
}

proptest! {
    #[test]
    fn a_moment_comes_back_from_its_words(words in any::<[u64; 12]>()) {
        let mut all = [0; SKIN_FIXED_WORDS];
        all[..12].copy_from_slice(&words);
        prop_assert_eq!(SkinFrameHeader::from_words(&all).to_words(), all);
    }

    /// For any header: it is refused, or both slots lie inside the block.
    #[test]
    fn no_header_reaches_beyond_its_block(
        damage in prop::collection::vec((0..HEADER_WORDS, prop_oneof![any::<u64>(), 0_u64..64]), 0..4),
        actual in prop_oneof![Just(WORDS), 0..2 * WORDS],
    ) {
        let mut words = sample().to_words();
        for (index, value) in damage {
            words[index] = value;
        }
        if let Ok(header) = SkinHeader::check(&words, actual, 70_000) {
            let last = header.sequence_word(1) + header.slot_words();
            prop_assert!(last < actual, "{} of {}", last, actual);
        }
    }
}
