//! What a hostile reader may try with the descriptor of a sealed block; the kernel refuses each
//! attempt.

use hapticd_sync::{
    seqlock,
    words::{ReadableWords, WritableWords},
};
use hapticd_sys::block::{BlockFd, CreateError, MAX_WORDS, OpenError, ReadOnlyBlock, SharedBlock};
use rustix::{
    fs::{
        FallocateFlags, MemfdFlags, SealFlags, fallocate, fcntl_add_seals, ftruncate, memfd_create,
    },
    io::Errno,
    mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mprotect, munmap},
};
use std::{
    os::fd::{AsFd, AsRawFd},
    ptr::null_mut,
    sync::atomic::Ordering::Relaxed,
};

const WORDS: usize = 1024;
const BYTES: usize = WORDS * 8;

fn block() -> (SharedBlock, BlockFd) {
    let (block, fd) = SharedBlock::create("hapticd-test", WORDS).unwrap();
    block.words()[3].store(42, Relaxed);
    (block, fd)
}

/// The owner still writes and the reader sees it: the attack changed nothing and broke nothing.
fn assert_intact(block: &SharedBlock, fd: BlockFd) {
    assert_eq!(block.words()[3].load(Relaxed), 42);
    block.words()[4].store(43, Relaxed);
    let reader = ReadOnlyBlock::open(fd.into_owned()).unwrap();
    let words: Vec<u64> = reader.readable_words()[..6]
        .iter()
        .map(|word| word.load(Relaxed))
        .collect();
    assert_eq!(words, [0, 0, 0, 42, 43, 0]);
}

#[test]
fn attack_1_writing_through_the_descriptor_is_refused() {
    let (block, fd) = block();
    assert_eq!(rustix::io::pwrite(&fd, &[0xff; 64], 0), Err(Errno::PERM));
    assert_intact(&block, fd);
}

#[test]
fn attack_2_shrinking_is_refused() {
    let (block, fd) = block();
    assert_eq!(ftruncate(&fd, 8), Err(Errno::PERM));
    assert_intact(&block, fd);
}

#[test]
fn attack_3_growing_is_refused() {
    let (block, fd) = block();
    assert_eq!(ftruncate(&fd, 2 * BYTES as u64), Err(Errno::PERM));
    assert_intact(&block, fd);
}

#[test]
fn attack_4_mapping_writable_is_refused() {
    let (block, fd) = block();
    // SAFETY: a fresh mapping aliases nothing; if the kernel gave one the test fails.
    let mapped = unsafe {
        mmap(
            null_mut(),
            BYTES,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::SHARED,
            &fd,
            0,
        )
    };
    assert_eq!(mapped, Err(Errno::PERM));
    assert_intact(&block, fd);
}

#[test]
fn attack_5_writing_after_reopening_through_proc_is_refused() {
    let (block, fd) = block();
    let path = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    if let Ok(again) = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
    {
        assert_eq!(rustix::io::pwrite(&again, &[0xff; 64], 0), Err(Errno::PERM));
        assert_eq!(ftruncate(&again, 0), Err(Errno::PERM));
        // SAFETY: as in attack 4.
        let mapped = unsafe {
            mmap(
                null_mut(),
                BYTES,
                ProtFlags::WRITE,
                MapFlags::SHARED,
                &again,
                0,
            )
        };
        assert_eq!(mapped, Err(Errno::PERM));
    }
    assert_intact(&block, fd);
}

#[test]
fn attack_6_making_a_read_only_mapping_writable_is_refused() {
    let (block, fd) = block();
    // SAFETY: a fresh mapping, unmapped below, to which no reference is made.
    let refused = unsafe {
        let start = mmap(null_mut(), BYTES, ProtFlags::READ, MapFlags::SHARED, &fd, 0).unwrap();
        let refused = mprotect(start, BYTES, MprotectFlags::READ | MprotectFlags::WRITE);
        munmap(start, BYTES).unwrap();
        refused
    };
    assert_eq!(refused, Err(Errno::ACCESS));
    assert_intact(&block, fd);
}

#[test]
fn attack_7_punching_a_hole_is_refused() {
    let (block, fd) = block();
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    assert_eq!(fallocate(&fd, flags, 0, 4096), Err(Errno::PERM));
    assert_intact(&block, fd);
}

#[test]
fn adding_a_seal_that_would_stop_the_owner_is_refused() {
    let (block, fd) = block();
    assert_eq!(fcntl_add_seals(&fd, SealFlags::WRITE), Err(Errno::PERM));
    assert_intact(&block, fd);
}

#[test]
fn a_seqlock_in_a_block_is_read_through_the_descriptor() {
    let (block, fd) = SharedBlock::create("hapticd-test", 8 + 1 + 5).unwrap();
    let mut writer = seqlock::Writer::<_, 5>::new(block, 8).unwrap();
    let reader =
        seqlock::Reader::<_, 5>::new(ReadOnlyBlock::open(fd.into_owned()).unwrap(), 8).unwrap();
    assert_eq!(reader.read(), Err(seqlock::ReadError::Empty));
    writer.write(&[1, 2, 3, 4, 5]);
    assert_eq!(reader.read(), Ok((1, [1, 2, 3, 4, 5])));
    drop(writer);
    assert_eq!(
        reader.read(),
        Ok((1, [1, 2, 3, 4, 5])),
        "the last value outlives its writer"
    );
}

#[test]
fn a_descriptor_that_is_not_a_sealed_block_is_not_mapped() {
    let directory = std::fs::File::open("/").unwrap();
    assert!(matches!(
        ReadOnlyBlock::open(directory.into()),
        Err(OpenError::NotSealable { .. })
    ));

    let plain = memfd_create("hapticd-test", MemfdFlags::CLOEXEC).unwrap();
    assert!(matches!(
        ReadOnlyBlock::open(plain),
        Err(OpenError::Unsealed { .. })
    ));

    let partly = memfd_create(
        "hapticd-test",
        MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING,
    )
    .unwrap();
    ftruncate(&partly, 64).unwrap();
    fcntl_add_seals(&partly, SealFlags::GROW | SealFlags::SHRINK).unwrap();
    assert!(matches!(
        ReadOnlyBlock::open(partly),
        Err(OpenError::Unsealed { .. })
    ));
}

#[test]
fn a_sealed_file_of_an_impossible_size_is_not_mapped() {
    for bytes in [0, 7, 12, (MAX_WORDS as u64 + 1) * 8] {
        let file = memfd_create(
            "hapticd-test",
            MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING,
        )
        .unwrap();
        ftruncate(&file, bytes).unwrap();
        fcntl_add_seals(
            &file,
            SealFlags::GROW | SealFlags::SHRINK | SealFlags::FUTURE_WRITE | SealFlags::SEAL,
        )
        .unwrap();
        let refused = ReadOnlyBlock::open(file).unwrap_err();
        assert!(
            matches!(refused, OpenError::Size { bytes: b } if b == bytes as i64),
            "{refused}"
        );
    }
}

#[test]
fn an_impossible_size_is_not_created() {
    for words in [0, MAX_WORDS + 1, usize::MAX] {
        assert!(
            matches!(SharedBlock::create("hapticd-test", words), Err(CreateError::Size { words: w }) if w == words)
        );
    }
}
