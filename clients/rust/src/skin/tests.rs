//! Frames are read whole, and no words in a block cause harm.

use super::*;
use hapticd_counting::counted;
use hapticd_protocol::block::{SkinCounts, pack};
use hapticd_sync::{seqlock::turns::TurnsWriter, words::WritableWords};
use hapticd_sys::block::SharedBlock;
use proptest::prelude::*;

const ROOM: SkinCounts = SkinCounts {
    points: 5,
    triangles: 4,
};

fn sealed(words: &[u64]) -> (SharedBlock, OwnedFd) {
    let (block, fd) = SharedBlock::create("hapticd-test", words.len()).unwrap();
    for (place, word) in block.words().iter().zip(words) {
        place.store(*word, Ordering::Relaxed);
    }
    (block, fd.into_owned())
}

/// Returns the words of a valid block without a frame.
fn good() -> Vec<u64> {
    let header = SkinHeader::new(7, ROOM, 1);
    let mut words = vec![0; header.sequence_word(1) + 1 + header.slot_words()];
    words[..HEADER_WORDS].copy_from_slice(&header.to_words());
    words
}

fn frame(number: u64, points: u32, triangles: &[[u32; 3]]) -> Vec<u64> {
    let counts = SkinCounts {
        points,
        triangles: triangles.len() as u32,
    };
    let header = SkinFrameHeader {
        counts,
        frame: number,
        deviation_m: 1e-5,
        ..SkinFrameHeader::default()
    };
    let [p, n, v, t] = counts.places().unwrap();
    let mut words = vec![0; t.end];
    words[..SKIN_FIXED_WORDS].copy_from_slice(&header.to_words());
    for (list, place) in (0_u8..).zip([p, n, v]) {
        let numbers = (0..3 * points).map(|i| (i as f32 + f32::from(list) * 100.0).to_bits());
        pack(&mut words[place], numbers);
    }
    pack(&mut words[t], triangles.iter().flatten().copied());
    words
}

#[test]
fn frames_are_read_as_they_were_written_and_an_error_leaves_the_last() {
    let (block, fd) = sealed(&good());
    let mut skin = Skin::open(fd, 7).unwrap();
    assert_eq!((skin.body(), skin.max_triangles()), (7, 4));
    let mut seen = SkinFrame::default();
    let empty = Err(ReadSkinError::Read(ReadError::Empty));
    assert_eq!((skin.read(&mut seen), skin.version()), (empty, 0));
    let slot = SkinHeader::new(7, ROOM, 1).slot_words();
    let mut writer = TurnsWriter::new(block, SEQUENCE_WORD, slot).unwrap();
    for (number, points, triangles) in [
        (1, 5, vec![[0, 1, 2], [2, 3, 4]]),
        (2, 3, vec![[0, 1, 2]]),
        (3, 0, vec![]),
        (4, 4, vec![[3, 2, 1]]),
    ] {
        writer.write(&frame(number, points, &triangles)).unwrap();
        skin.read(&mut seen).unwrap();
        assert_eq!((seen.header.frame, skin.version()), (number, number));
        assert_eq!(seen.triangles, triangles);
        assert_eq!(seen.points.len(), points as usize);
        for (i, ((p, n), v)) in
            (0..).zip(seen.points.iter().zip(&seen.normals).zip(&seen.velocities))
        {
            let at = 3.0 * i as f32;
            assert_eq!([p[0], n[1], v[2]], [at, at + 101.0, at + 202.0]);
        }
    }
    // Invalid frames: a corner beyond the points, and a frame larger than its slot.
    let before = seen.clone();
    writer.write(&frame(5, 3, &[[0, 1, 3]])).unwrap();
    let error = skin.read(&mut seen).unwrap_err().to_string();
    assert_eq!(error, "triangle 0 has corner 3, and there are 3 points");
    let mut large = frame(6, 3, &[]);
    large[0] = 6;
    writer.write(&large).unwrap();
    let error = skin.read(&mut seen).unwrap_err().to_string();
    assert!(error.contains("a frame of 6 points"), "{error}");
    assert_eq!(seen, before);
    writer.write(&frame(7, 5, &[[0, 1, 2]])).unwrap();
    skin.read(&mut seen).unwrap();
    assert_eq!(counted(|| skin.read(&mut seen)), (Ok(()), 0));
}

#[test]
fn a_block_that_is_no_skin_of_this_body_is_refused() {
    let refused = |words: &[u64], body| {
        let (_block, fd) = sealed(words);
        Skin::open(fd, body).unwrap_err().to_string()
    };
    assert!(refused(&good(), 8).contains("body 7's, not body 8's"));
    let mut surface = good();
    surface[1] = surface[1] & !0xffff | 5;
    assert!(refused(&surface, 7).contains("of kind 5, not 6"));
    assert!(refused(&good()[..20], 7).contains("has 20"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever a block contains: it is refused, or reading returns a whole frame or an error.
    #[test]
    fn no_words_do_harm(
        damage in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u64>(), 0_u64..8]), 0..8),
        cut in prop_oneof![Just(0_usize), 0_usize..60],
        sequence in 0_u64..6,
    ) {
        let mut words = good();
        let one = frame(1, 5, &[[0, 1, 2], [2, 3, 4]]);
        words[SEQUENCE_WORD] = sequence;
        words[SEQUENCE_WORD + 1..][..one.len()].copy_from_slice(&one);
        for (index, value) in damage {
            let index = index.index(words.len());
            words[index] = value;
        }
        words.truncate(words.len() - cut);
        let (_block, fd) = sealed(&words);
        if let Ok(mut skin) = Skin::open(fd, 7) {
            let mut seen = SkinFrame::default();
            if skin.read(&mut seen).is_ok() {
                let points = seen.points.len();
                prop_assert_eq!(points, seen.header.counts.points as usize);
                prop_assert_eq!((seen.normals.len(), seen.velocities.len()), (points, points));
                prop_assert!(seen.triangles.iter().flatten().all(|c| (*c as usize) < points));
            }
        }
    }
}
