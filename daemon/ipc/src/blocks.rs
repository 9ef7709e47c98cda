//! Shared blocks: made once, written by the haptic loop, handed to clients by the server.

use hapticd_protocol::{
    block::{
        ArmState, BODIES_WORDS, BlockHeader, CONTACTS_WORDS, NEEDLE_WORDS, SEQUENCE_WORD,
        STATE_WORDS, block_words,
    },
    reply::BlockKind,
};
use hapticd_sync::{seqlock, words::WritableWords};
use hapticd_sys::{
    block::{BlockFd, CreateError, OpenError, ReadOnlyBlock, SharedBlock},
    clock::now_ns,
};
use std::{
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
};

/// The writing ends of one arm's blocks, for the haptic loop, which writes them without allocation
/// or system call.
#[derive(Debug)]
pub struct ArmWriters {
    /// [`ArmState`], every tick.
    pub state: seqlock::Writer<SharedBlock, STATE_WORDS>,
    /// [`Contacts`](hapticd_protocol::block::Contacts), every tick.
    pub contacts: seqlock::Writer<SharedBlock, CONTACTS_WORDS>,
    /// [`NeedleState`](hapticd_protocol::block::NeedleState), every tick.
    pub needle: seqlock::Writer<SharedBlock, NEEDLE_WORDS>,
}

/// The writing ends of all blocks.
#[derive(Debug)]
pub struct BlockWriters {
    /// Writers by arm index, in the requested order.
    pub arms: Vec<(u8, ArmWriters)>,
    /// [`Bodies`](hapticd_protocol::block::Bodies), every tick.
    pub bodies: seqlock::Writer<SharedBlock, BODIES_WORDS>,
}

/// The descriptors of one arm's blocks.
#[derive(Debug)]
struct ArmFds {
    arm: u8,
    state: Arc<OwnedFd>,
    contacts: Arc<OwnedFd>,
    needle: Arc<OwnedFd>,
    /// Reader that shows whether the state is new.
    watch: seqlock::Reader<ReadOnlyBlock, STATE_WORDS>,
}

/// The server's share of the blocks: descriptors to hand out.
#[derive(Debug)]
pub struct BlockFds {
    arms: Vec<ArmFds>,
    bodies: Arc<OwnedFd>,
}

/// Why the blocks could not be made. The system is at fault.
#[derive(Debug, thiserror::Error)]
pub enum BlocksError {
    /// A block could not be allocated.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// A block could not be mapped.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The process is out of descriptors.
    #[error("cannot duplicate the descriptor of a shared block: {0}")]
    Duplicate(std::io::Error),
}

/// Makes one block, writes its header and returns its writer and its descriptor.
fn block<const N: usize>(
    name: &str,
    kind: BlockKind,
    arm: u8,
) -> Result<(seqlock::Writer<SharedBlock, N>, BlockFd), CreateError> {
    let words = block_words(N);
    let (block, fd) = SharedBlock::create(name, words)?;
    let header = BlockHeader::new(kind, u16::from(arm), N, now_ns()).to_words();
    for (word, value) in block.words().iter().zip(header) {
        word.store(value, Ordering::Relaxed);
    }
    // Cannot fail, as the block was just made large enough; reported as the same error anyway.
    let writer =
        seqlock::Writer::new(block, SEQUENCE_WORD).map_err(|_| CreateError::Size { words })?;
    Ok((writer, fd))
}

/// Makes the blocks of these arms and of the scene.
///
/// # Errors
/// [`BlocksError`] when the process is out of memory or descriptors.
pub fn create(arms: &[u8]) -> Result<(BlockWriters, BlockFds), BlocksError> {
    let (bodies_writer, bodies) = block("hapticd-bodies", BlockKind::Bodies, 0)?;
    let mut writers = BlockWriters {
        arms: Vec::new(),
        bodies: bodies_writer,
    };
    let mut fds = BlockFds {
        arms: Vec::new(),
        bodies: Arc::new(bodies.into_owned()),
    };
    for &arm in arms {
        let (state_writer, state) = block("hapticd-state", BlockKind::State, arm)?;
        let (contacts_writer, contacts) = block("hapticd-contacts", BlockKind::Contacts, arm)?;
        let (needle_writer, needle) = block("hapticd-needle", BlockKind::Needle, arm)?;
        let again = state
            .try_clone()
            .map_err(BlocksError::Duplicate)?
            .into_owned();
        let watch =
            seqlock::Reader::new(ReadOnlyBlock::open(again)?, SEQUENCE_WORD).map_err(|_| {
                CreateError::Size {
                    words: block_words(STATE_WORDS),
                }
            })?;
        writers.arms.push((
            arm,
            ArmWriters {
                state: state_writer,
                contacts: contacts_writer,
                needle: needle_writer,
            },
        ));
        fds.arms.push(ArmFds {
            arm,
            state: Arc::new(state.into_owned()),
            contacts: Arc::new(contacts.into_owned()),
            needle: Arc::new(needle.into_owned()),
            watch,
        });
    }
    Ok((writers, fds))
}

impl BlockFds {
    fn arm(&self, arm: u16) -> Option<&ArmFds> {
        self.arms.iter().find(|fds| u16::from(fds.arm) == arm)
    }

    /// Descriptor of a block, for a client; `None` if there is no such block.
    pub(super) fn descriptor(&self, kind: BlockKind, arm: u16) -> Option<Arc<OwnedFd>> {
        let fd = match kind {
            BlockKind::State => &self.arm(arm)?.state,
            BlockKind::Contacts => &self.arm(arm)?.contacts,
            BlockKind::Needle => &self.arm(arm)?.needle,
            BlockKind::Bodies => &self.bodies,
            // None of these is a block of an arm or of the scene.
            BlockKind::Wake | BlockKind::Surface | BlockKind::Skin => return None,
        };
        Some(fd.clone())
    }

    /// Number of times that an arm's state was published.
    pub(super) fn state_version(&self, arm: u16) -> u64 {
        self.arm(arm).map_or(0, |fds| fds.watch.version())
    }

    /// Time of the newest published tick, and how long after its time the tick before it was
    /// published, ns; `None` before the first, and where the loop writes just now.
    pub(super) fn newest_tick(&self) -> Option<(u64, u64)> {
        let (_, words) = self.arms.first()?.watch.read().ok()?;
        let state = ArmState::from_words(&words);
        let lag_ns = state.lateness_ns.saturating_add(state.compute_ns);
        Some((state.time_ns, lag_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_protocol::block::HEADER_WORDS;
    use hapticd_sync::words::ReadableWords;

    #[test]
    fn what_the_loop_writes_is_what_a_client_maps() {
        let (mut writers, fds) = create(&[0, 2]).unwrap();
        assert_eq!(fds.state_version(2), 0);
        writers.arms[1].1.state.write(
            &ArmState {
                tick: 5,
                ..ArmState::EMPTY
            }
            .to_words(),
        );
        assert_eq!(
            (
                fds.state_version(2),
                fds.state_version(0),
                fds.state_version(1)
            ),
            (1, 0, 0)
        );

        let passed = fds.descriptor(BlockKind::State, 2).unwrap();
        let mapped = ReadOnlyBlock::open(passed.try_clone().unwrap()).unwrap();
        let words = mapped.readable_words();
        let header: [u64; HEADER_WORDS] =
            std::array::from_fn(|index| words[index].load(Ordering::Relaxed));
        let checked =
            BlockHeader::check(&header, words.len(), BlockKind::State, STATE_WORDS).unwrap();
        assert_eq!(checked.arm, 2);
        let reader = seqlock::Reader::<_, STATE_WORDS>::new(mapped, SEQUENCE_WORD).unwrap();
        assert_eq!(ArmState::from_words(&reader.read().unwrap().1).tick, 5);
    }

    #[test]
    fn only_blocks_that_exist_have_descriptors() {
        let (_writers, fds) = create(&[1]).unwrap();
        for (kind, arm, exists) in [
            (BlockKind::State, 1, true),
            (BlockKind::Contacts, 1, true),
            (BlockKind::Bodies, 0, true),
            (BlockKind::Needle, 1, true),
            (BlockKind::Needle, 0, false),
            (BlockKind::State, 0, false),
            (BlockKind::Contacts, 9, false),
            (BlockKind::Wake, 1, false),
        ] {
            assert_eq!(
                fds.descriptor(kind, arm).is_some(),
                exists,
                "{kind:?} {arm}"
            );
        }
    }
}
