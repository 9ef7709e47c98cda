//! Everything written into a surface is in the shared memory, whole and finite, or nothing is.

use super::*;
use hapticd_counting::{Counting, counted};
use hapticd_protocol::block::{HEADER_WORDS, unpack};
use hapticd_sync::{
    seqlock::{
        ReadError,
        slice::{ReadSliceError, SliceReader},
    },
    words::ReadableWords,
};
use hapticd_sys::block::ReadOnlyBlock;
use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::fd::AsRawFd,
};

// For the tests of the whole crate: it counts only while a test requests it, on that test's thread.
#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A sheet of five points and three triangles: both end in the middle of a word.
fn sheet(id: u32) -> SurfaceInfo {
    SurfaceInfo {
        id,
        name: "sheet".to_owned(),
        kind: SurfaceKind::Cloth,
        points: 5,
        triangles: vec![[0, 1, 2], [0, 2, 3], [4, 3, 1]],
    }
}

fn points(of: f32) -> impl Iterator<Item = [f32; 3]> + Clone {
    (0..5u8).map(move |point| [of, f32::from(point), -0.0])
}

fn one(info: SurfaceInfo) -> (SurfaceWriter, OwnedFd) {
    let id = info.id;
    let (mut writers, fds) = create(&[info]).unwrap();
    (
        writers.remove(0),
        fds.descriptor(id).unwrap().try_clone().unwrap(),
    )
}

/// Content of a block, read as a client would that knows only the documented layout.
fn map(fd: OwnedFd) -> (Vec<[u32; 3]>, SliceReader<ReadOnlyBlock>) {
    let block = ReadOnlyBlock::open(fd).unwrap();
    let words: Vec<u64> = block
        .readable_words()
        .iter()
        .map(|word| word.load(Ordering::Relaxed))
        .collect();
    let header: &[u64; HEADER_WORDS] = words.first_chunk().unwrap();
    let header = SurfaceHeader::check(header, words.len(), header[5] as u32).unwrap();
    let triangles = unpack(words[header.triangle_words()].to_vec()).collect();
    let lock = SliceReader::new(block, SEQUENCE_WORD, header.changing_words()).unwrap();
    (triangles, lock)
}

fn read(lock: &SliceReader<ReadOnlyBlock>) -> ([u64; 3], Vec<[f32; 3]>) {
    let mut words = vec![0; lock.words()];
    lock.read_into(&mut words).unwrap();
    let points = unpack(words[3..].to_vec()).map(|point| point.map(f32::from_bits));
    ([words[0], words[1], words[2]], points.collect())
}

#[test]
fn what_is_written_is_what_a_client_maps() {
    let (mut writer, fd) = one(sheet(70_000));
    let (triangles, lock) = map(fd);
    assert_eq!((writer.id(), triangles), (70_000, sheet(0).triangles));
    assert_eq!(
        lock.read_into(&mut vec![0; lock.words()]),
        Err(ReadSliceError::Read(ReadError::Empty))
    );
    writer.write(7, 8000, points(0.1)).unwrap();
    assert_eq!(read(&lock), ([7, 8000, 0], points(0.1).collect()));
    writer.add_lost_ns(40);
    writer.add_lost_ns(2);
    assert_eq!(read(&lock).0[2], 0, "published with the next points");
    writer.write(8, 9000, points(-5e7)).unwrap();
    assert_eq!(read(&lock), ([8, 9000, 42], points(-5e7).collect()));
    assert_eq!(lock.version(), 2);
}

#[test]
fn another_number_of_points_writes_nothing_and_tells_both_numbers() {
    let (mut writer, fd) = one(sheet(3));
    let (_, lock) = map(fd);
    writer.write(1, 1, points(1.0)).unwrap();
    for given in [0, 1, 4, 6, 7, 1000] {
        let error = writer
            .write(2, 2, points(2.0).cycle().take(given))
            .unwrap_err();
        let expected = WriteError::Count {
            body: 3,
            announced: 5,
            given,
        };
        assert_eq!(error, expected);
        assert_eq!(read(&lock), ([1, 1, 0], points(1.0).collect()));
    }
    writer.write(3, 3, points(3.0)).unwrap();
    assert_eq!(read(&lock), ([3, 3, 0], points(3.0).collect()));
    assert_eq!(lock.version(), 2);
}

#[test]
fn a_point_that_is_nowhere_writes_nothing_and_is_named() {
    let (mut writer, fd) = one(sheet(3));
    let (_, lock) = map(fd);
    writer.write(1, 1, points(1.0)).unwrap();
    for (bad, at) in [(f32::NAN, 0), (f32::INFINITY, 2), (f32::NEG_INFINITY, 4)] {
        let spoilt = points(2.0).enumerate().map(
            |(point, [x, y, z])| {
                if point >= at { [x, bad, z] } else { [x, y, z] }
            },
        );
        let error = writer.write(2, 2, spoilt).unwrap_err();
        assert!(
            matches!(error, WriteError::NotFinite { body: 3, point, .. } if point == at),
            "{error}"
        );
        assert_eq!(read(&lock), ([1, 1, 0], points(1.0).collect()));
    }
}

#[test]
fn writing_never_allocates() {
    let (mut writer, _fd) = one(sheet(3));
    let ((), calls) = counted(|| {
        for round in 0..1000u16 {
            let at = f32::from(round);
            writer.write(round.into(), 0, points(at)).unwrap();
            assert!(writer.write(0, 0, points(at).take(3)).is_err());
            assert!(writer.write(0, 0, points(f32::NAN)).is_err());
            writer.add_lost_ns(1);
        }
    });
    assert_eq!(calls, 0);
}

#[test]
fn a_body_of_any_size_has_its_block() {
    for (points, triangles) in [
        (0_usize, 0_usize),
        (1, 0),
        (2, 1),
        (3, 1),
        (4, 2),
        (1001, 777),
    ] {
        let corners = [0, points.saturating_sub(1) as u32, 0];
        let info = SurfaceInfo {
            points,
            triangles: vec![corners; triangles],
            ..sheet(3)
        };
        let (mut writer, fd) = one(info);
        let places = || (0..points).map(|point| [point as f32, 0.5, 1e-9]);
        writer.write(1, 2, places()).unwrap();
        let (seen, lock) = map(fd);
        assert_eq!(seen, vec![corners; triangles]);
        assert_eq!(read(&lock), ([1, 2, 0], places().collect()));
    }
}

#[test]
fn what_cannot_be_published_is_refused_with_its_numbers() {
    let refused = |infos: &[SurfaceInfo]| create(infos).unwrap_err().to_string();
    let taken = "two bodies have the id 3; one of them is deformable";
    assert_eq!(refused(&[sheet(3), sheet(4), sheet(3)]), taken);
    // Ids of the tools, with which contacts are published.
    assert!(refused(&[sheet(u32::MAX)]).contains("4294967295"));
    let mut spoilt = sheet(3);
    spoilt.triangles[1][2] = 5;
    let text = "deformable body 3: triangle 1 has corner 5, and there are 5 points";
    assert_eq!(refused(&[spoilt]), text);
    let huge = SurfaceInfo {
        points: 1 << 24,
        ..sheet(3)
    };
    let text = refused(&[huge]);
    assert!(
        text.contains("(16777216 points, 3 triangles)") && text.contains("not 25165841"),
        "{text}"
    );
    let impossible = SurfaceInfo {
        points: 1 << 33,
        ..sheet(3)
    };
    assert!(refused(&[impossible]).contains("8589934592"));
}

#[test]
fn only_surfaces_that_exist_have_descriptors() {
    let (_writers, fds) = create(&[sheet(3), sheet(1 << 30)]).unwrap();
    for (body, exists) in [(3, true), (1 << 30, true), (0, false), (4, false)] {
        assert_eq!(fds.descriptor(body).is_some(), exists, "{body}");
    }
}

/// Writable mappings are refused by the same seals: `daemon/sys/tests/sealed_block.rs`.
#[test]
fn the_descriptor_cannot_write_shrink_or_grow_the_surface() {
    let (mut writer, fd) = one(sheet(3));
    writer.write(1, 1, points(1.0)).unwrap();
    let mut file = File::from(fd.try_clone().unwrap());
    let again = OpenOptions::new()
        .read(true)
        .write(true)
        .open(format!("/proc/self/fd/{}", file.as_raw_fd()));
    for attack in [
        file.write(&[0xff; 8]).map(|_| ()),
        file.set_len(8),
        file.set_len(1 << 20),
    ] {
        assert!(attack.is_err());
    }
    if let Ok(mut again) = again {
        assert!(again.write(&[0xff; 8]).is_err());
        assert!(again.set_len(0).is_err());
    }
    let (triangles, lock) = map(fd);
    assert_eq!(triangles, sheet(3).triangles);
    assert_eq!(read(&lock), ([1, 1, 0], points(1.0).collect()));
    writer.write(2, 2, points(2.0)).unwrap();
    assert_eq!(read(&lock).0, [2, 2, 0], "its writer still can");
}
