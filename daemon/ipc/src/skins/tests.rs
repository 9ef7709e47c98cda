//! Everything written into a skin is in the shared memory, whole and finite, or nothing is.

use super::*;
use hapticd_counting::counted;
use hapticd_protocol::block::{HEADER_WORDS, unpack};
use hapticd_sync::{seqlock::turns::TurnsReader, words::ReadableWords};
use hapticd_sys::block::ReadOnlyBlock;

const P: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const T: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn mesh() -> SkinMesh<'static> {
    SkinMesh {
        points: &P,
        normals: &P,
        velocities: &P,
        triangles: &T,
    }
}

fn one(triangles: u32) -> (SkinWriter, OwnedFd) {
    let info = SkinInfo {
        id: 9,
        name: "x".into(),
        triangles,
    };
    let (mut writers, fds) = create(&[info]).unwrap();
    assert!(fds.descriptor(8).is_none());
    (
        writers.remove(0),
        fds.descriptor(9).unwrap().try_clone().unwrap(),
    )
}

#[test]
fn frames_of_different_lengths_are_read_as_they_were_written() {
    let (mut writer, fd) = one(100);
    let block = ReadOnlyBlock::open(fd).unwrap();
    let words: Vec<u64> = (block.readable_words().iter())
        .map(|word| word.load(Ordering::Relaxed))
        .collect();
    let head: &[u64; HEADER_WORDS] = words.first_chunk().unwrap();
    let header = SkinHeader::check(head, words.len(), 9).unwrap();
    assert_eq!(
        (header.capacity, writer.capacity().triangles),
        (writer.capacity(), 100)
    );
    let reader = TurnsReader::new(block, SEQUENCE_WORD, header.slot_words()).unwrap();
    for (frame, count) in [(1, 4), (2, 1), (3, 0), (4, 2)] {
        let mesh = SkinMesh {
            triangles: &T[..count],
            ..mesh()
        };
        let of_frame = SkinFrameHeader {
            frame,
            ..SkinFrameHeader::default()
        };
        assert_eq!(counted(|| writer.write(of_frame, &mesh)), (Ok(()), 0));
        let mut words = vec![0; header.slot_words()];
        assert_eq!(reader.read_into(&mut words), Ok(frame));
        let seen = SkinFrameHeader::from_words(words.first_chunk().unwrap());
        assert_eq!((seen.frame, seen.counts.triangles as usize), (frame, count));
        assert!(seen.published_ns > 0);
        let [points, .., triangles] = seen.counts.places().unwrap();
        let read: Vec<_> = unpack(words[points].to_vec()).collect();
        assert_eq!(read, P.map(|p| p.map(f32::to_bits)));
        let read: Vec<_> = unpack(words[triangles].to_vec()).collect();
        assert_eq!(read, T[..count]);
    }
}

#[test]
fn bad_and_too_large_meshes_are_refused_and_the_last_frame_stays() {
    let (mut writer, _fd) = one(4);
    writer.write(SkinFrameHeader::default(), &mesh()).unwrap();
    let mut nowhere = P;
    nowhere[2][1] = f32::NAN;
    let five = [T[0]; 5];
    let beyond = [[0, 1, 4]];
    for (bad, says) in [
        (
            SkinMesh {
                velocities: &nowhere,
                ..mesh()
            },
            "point 2 is not finite",
        ),
        (
            SkinMesh {
                normals: &P[..3],
                ..mesh()
            },
            "4 points, 3 normals, 4 velocities",
        ),
        (
            SkinMesh {
                triangles: &beyond,
                ..mesh()
            },
            "triangle 0 has corner 4 of 4 points",
        ),
        (
            SkinMesh {
                triangles: &five,
                ..mesh()
            },
            "SkinCounts { points: 4, triangles: 5 } exceeds the block's SkinCounts { points: 67, triangles: 4 }",
        ),
    ] {
        let error = writer.write(SkinFrameHeader::default(), &bad).unwrap_err();
        assert_eq!(error.to_string(), says);
        assert_eq!(writer.lock.version(), 1);
    }
}

#[test]
fn a_skin_that_no_block_can_hold_is_refused() {
    let info = SkinInfo {
        id: 9,
        name: "x".into(),
        triangles: u32::MAX,
    };
    let error = create(&[info]).unwrap_err().to_string();
    assert!(
        error.contains("skin of body 9 (4294967295 triangles)"),
        "{error}"
    );
}

/// In a frame of many small pieces, such as drops that fall apart, every triangle has capacity for
/// its points.
#[test]
fn a_frame_of_octahedra_fits() {
    let (mut writer, _fd) = one(1000);
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for piece in 0..125 {
        let first = points.len() as u32;
        for axis in 0..3 {
            for side in [1.0, -1.0] {
                let mut at = [3.0 * piece as f32, 0.0, 0.0];
                at[axis] += side;
                points.push(at);
            }
        }
        for k in 0..8_u32 {
            let [x, y, z] = [0, 1, 2].map(|axis| first + 2 * axis + (k >> axis & 1));
            let turned = k.count_ones() % 2 == 1;
            triangles.push(if turned { [x, z, y] } else { [x, y, z] });
        }
    }
    let mesh = SkinMesh {
        points: &points,
        normals: &points,
        velocities: &points,
        triangles: &triangles,
    };
    assert_eq!(triangles.len(), 1000);
    assert_eq!(writer.write(SkinFrameHeader::default(), &mesh), Ok(()));
}
