//! The block of a surface has everything at its published word, and no words cause harm.

use hapticd_protocol::{
    MAGIC, MAJOR, MINOR,
    block::{
        BlockError, HEADER_WORDS, PAYLOAD_WORD, SURFACE_FIXED_WORDS, SurfaceError,
        SurfaceFrameHeader, SurfaceHeader, block_words, pack, unpack,
    },
};
use proptest::prelude::*;

/// Five points, three triangles: both end in the middle of a word.
fn sample() -> SurfaceHeader {
    SurfaceHeader::new(70_000, 5, 3, 777)
}

/// Words of the whole sample.
const WORDS: usize = 9 + 3 + 8 + 5;

fn with(index: usize, value: u64) -> [u64; HEADER_WORDS] {
    let mut words = sample().to_words();
    words[index] = value;
    words
}

#[test]
fn everything_is_at_its_published_word() {
    let header = sample();
    let words = header.to_words();
    assert_eq!(words[0], MAGIC);
    assert_eq!(
        words[1],
        5 | u64::from(MAJOR) << 16 | u64::from(MINOR) << 32
    );
    assert_eq!(words[2], WORDS as u64 | 16 << 32);
    assert_eq!(words[4..], [777, 70_000, 5 | 3 << 32, 0]);
    assert_eq!(SurfaceHeader::needed_words(5, 3), 16);
    assert_eq!(header.changing_words(), 11, "words 9 to 19");
    assert_eq!(header.triangle_words(), 20..WORDS);
    let moment = SurfaceFrameHeader {
        tick: 1,
        time_ns: 2,
        lost_ns: 3,
    };
    assert_eq!(moment.to_words(), [1, 2, 3]);
    assert_eq!(SurfaceFrameHeader::from_words(&[1, 2, 3]), moment);
}

#[test]
fn a_header_finds_its_way_back_and_a_longer_payload_is_welcome() {
    let header = sample();
    assert_eq!(
        SurfaceHeader::check(&header.to_words(), WORDS, 70_000),
        Ok(header)
    );
    // A later minor version has two more words at the end.
    let later = with(2, (WORDS as u64 + 2) | 18 << 32);
    let checked = SurfaceHeader::check(&later, WORDS + 2, 70_000).unwrap();
    assert_eq!(checked.triangle_words(), 20..WORDS);
    // An empty surface is valid.
    let empty = SurfaceHeader::new(1, 0, 0, 0);
    let checked = SurfaceHeader::check(&empty.to_words(), 12, 1).unwrap();
    assert_eq!(
        (checked.changing_words(), checked.triangle_words()),
        (3, 12..12)
    );
}

#[test]
fn everything_that_disagrees_is_refused_with_the_numbers() {
    let check = |words: [u64; HEADER_WORDS], actual| {
        SurfaceHeader::check(&words, actual, 70_000).unwrap_err()
    };
    assert_eq!(check(with(0, 1), WORDS), BlockError::NotABlock.into());
    assert_eq!(
        check(with(1, 5 | 9 << 16 | 4 << 32), WORDS),
        BlockError::Version { major: 9, minor: 4 }.into()
    );
    assert_eq!(
        check(with(1, 3 | u64::from(MAJOR) << 16), WORDS),
        BlockError::Kind {
            actual: 3,
            expected: 5
        }
        .into()
    );
    for actual in [0, 8, WORDS - 1, WORDS + 1] {
        let refused = check(sample().to_words(), actual);
        assert!(
            matches!(refused, SurfaceError::Block(BlockError::Size { .. })),
            "{actual}: {refused}"
        );
    }
    for (word, value) in [
        (1, 5 | u64::from(MAJOR) << 16 | 1 << 48),
        (3, 1 << 48),
        (5, 70_000 | 1 << 32),
        (7, 1),
    ] {
        let refused = check(with(word, value), WORDS);
        assert_eq!(refused, BlockError::Reserved.into(), "word {word}");
    }
    assert_eq!(
        check(with(5, 70_001), WORDS),
        SurfaceError::Body {
            actual: 70_001,
            expected: 70_000
        }
    );
    // One point more needs one word more than the block has; the largest counts do not overflow.
    let refused = check(with(6, 6 | 3 << 32), WORDS);
    assert_eq!(
        refused.to_string(),
        "6 points and 3 triangles need 17 words of payload, the block has 16"
    );
    assert!(matches!(
        check(with(6, u64::MAX), WORDS),
        SurfaceError::Size { needed, .. } if needed > 1 << 33
    ));
}

#[test]
fn a_corner_that_is_no_point_is_named() {
    let header = sample();
    assert_eq!(header.check_corners(0, [0, 4, 1]), Ok(()));
    assert_eq!(
        header.check_corners(2, [0, 5, 9]).unwrap_err().to_string(),
        "triangle 2 has corner 5, and there are 5 points"
    );
}

#[test]
fn packed_numbers_are_consecutive_in_memory() {
    let mut words = [u64::MAX; 3];
    assert_eq!(pack(&mut words, [1, 2, 3]), 3);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(
        bytes[..16],
        [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(words[2], u64::MAX, "left alone");
    assert_eq!(pack(&mut words[..1], 0..9), 2, "no place for more");
    assert_eq!(pack(&mut [], 0..9), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_was_packed_is_unpacked(triples in prop::collection::vec(any::<[u32; 3]>(), 0..40)) {
        let mut words = vec![0; (triples.len() * 3).div_ceil(2)];
        prop_assert_eq!(pack(&mut words, triples.iter().flatten().copied()), triples.len() * 3);
        prop_assert_eq!(unpack(words).collect::<Vec<_>>(), triples);
    }

    /// Everything that an accepted header refers to lies inside the block.
    #[test]
    fn no_words_do_harm(
        damage in prop::collection::vec((0..HEADER_WORDS, prop_oneof![any::<u64>(), 0_u64..40, Just(u64::MAX)]), 0..4),
        size in prop_oneof![Just(None), (0_u64..60, 0_u64..60).prop_map(Some)],
        actual in 0_usize..60,
        body in prop_oneof![Just(70_000), any::<u32>()],
    ) {
        let mut words = sample().to_words();
        let mut actual = if actual < 20 { WORDS } else { actual };
        for (index, value) in damage {
            words[index] = value;
        }
        if let Some((all, payload)) = size {
            words[2] = all | payload << 32;
            actual = all as usize;
        }
        if let Ok(header) = SurfaceHeader::check(&words, actual, body) {
            prop_assert_eq!(header.body, body);
            prop_assert!(header.changing_words() >= SURFACE_FIXED_WORDS);
            prop_assert_eq!(PAYLOAD_WORD + header.changing_words(), header.triangle_words().start);
            prop_assert!(header.triangle_words().end <= actual);
            prop_assert_eq!(block_words(header.block.payload_words as usize), actual);
        }
    }
}
