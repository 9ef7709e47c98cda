//! The blocks of one client: which of them have a new value that is due, and its bytes.
//!
//! Every header is checked before a block is read, as the Rust client does it. What the values mean
//! is none of the gateway's business, except how long they are.

use hapticd_protocol::{
    block::{
        BlockHeader, HEADER_WORDS, ListHeader, SEQUENCE_WORD, SKIN_FIXED_WORDS, SkinFrameHeader,
        SkinHeader, SurfaceHeader,
    },
    frame::Message,
    gateway::{BlockValue, GatewayMessage, SurfaceTriangles},
    layout::blocks,
    reply::BlockKind,
};
use hapticd_sync::{
    seqlock::{slice::SliceReader, turns::TurnsReader},
    words::{ReadableWords, Word},
};
use hapticd_sys::block::ReadOnlyBlock;
use std::{
    os::fd::OwnedFd,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

/// How a block is read.
#[derive(Debug)]
enum Source {
    /// State and needle.
    Whole(SliceReader<ReadOnlyBlock>),
    /// Contacts and bodies, of so many words each: only the elements that there are.
    List(SliceReader<ReadOnlyBlock>, usize),
    Surface(SliceReader<ReadOnlyBlock>),
    Skin(TurnsReader<ReadOnlyBlock>, SkinHeader),
}

/// A mapped block.
#[derive(Debug)]
struct View {
    kind: BlockKind,
    arm: u16,
    body: u32,
    source: Source,
    /// Version of the newest value that was sent.
    sent: u64,
    skipped: u64,
    due: Instant,
}

/// Highest rates that the client wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Of states, contacts, bodies and needles, Hz; 0 for none.
    pub state_hz: u32,
    /// Of surfaces and skins, Hz; 0 for none.
    pub surface_hz: u32,
}

impl Rates {
    /// Returns the time between two values of such a block; `None` if it is not sent.
    fn period(self, kind: BlockKind) -> Option<Duration> {
        let hz = match kind {
            BlockKind::Surface | BlockKind::Skin => self.surface_hz,
            _ => self.state_hz,
        };
        (hz > 0).then(|| Duration::from_secs(1) / hz)
    }
}

/// All blocks of a client.
#[derive(Debug, Default)]
pub struct Views {
    views: Vec<View>,
    rates: Rates,
    /// Index of the block whose turn it is: a slow reader gets values of all of them.
    turn: usize,
    words: Vec<u64>,
}

fn unusable(error: impl ToString) -> String {
    format!("a shared block is not usable: {}", error.to_string())
}

fn header(block: &ReadOnlyBlock) -> [u64; HEADER_WORDS] {
    let words = block.readable_words();
    let load = |word: &Word| word.load(Ordering::Relaxed);
    std::array::from_fn(|index| words.get(index).map_or(0, load))
}

impl Views {
    /// Sets the rates; values are due from now on.
    pub fn set_rates(&mut self, rates: Rates, now: Instant) {
        self.rates = rates;
        for view in &mut self.views {
            view.due = now;
        }
    }

    /// Maps a block of an arm or of the scene; a second one replaces the first.
    ///
    /// # Errors
    /// A sentence: the daemon's fault.
    pub fn subscribe(&mut self, kind: BlockKind, arm: u16, fd: OwnedFd) -> Result<(), String> {
        let layout = blocks().into_iter().find(|layout| layout.kind == kind);
        let fixed = layout.and_then(|layout| Some((layout.list, layout.payload_words?)));
        // The wake-up socket has none: the gateway looks by the clock.
        let Some((list, words)) = fixed else {
            return Ok(());
        };
        let block = ReadOnlyBlock::open(fd).map_err(unusable)?;
        BlockHeader::check(&header(&block), block.readable_words().len(), kind, words)
            .map_err(unusable)?;
        let reader = SliceReader::new(block, SEQUENCE_WORD, words).map_err(unusable)?;
        let source = match list {
            None => Source::Whole(reader),
            Some((_, most)) => Source::List(reader, (words - ListHeader::WORDS) / most.max(1)),
        };
        self.add(kind, arm, 0, source);
        Ok(())
    }

    /// Maps the surface of a body. Returns the message with its triangles.
    ///
    /// # Errors
    /// A sentence: the daemon's fault.
    pub fn open_surface(&mut self, body: u32, fd: OwnedFd) -> Result<Vec<u8>, String> {
        let block = ReadOnlyBlock::open(fd).map_err(unusable)?;
        let words = block.readable_words();
        let header = SurfaceHeader::check(&header(&block), words.len(), body).map_err(unusable)?;
        let message = SurfaceTriangles {
            body,
            points: header.points,
            triangles: header.triangles,
        };
        let mut bytes = GatewayMessage::from(message).encode(0);
        let packed = words.get(header.triangle_words()).unwrap_or(&[]);
        let packed = packed.iter().map(|word| word.load(Ordering::Relaxed));
        append(&mut bytes, packed);
        // The last word may have a half that is nobody's.
        bytes.truncate(bytes.len() - 4 * (header.triangles as usize * 3 % 2));
        let reader = SliceReader::new(block, SEQUENCE_WORD, header.changing_words());
        self.add(
            BlockKind::Surface,
            0,
            body,
            Source::Surface(reader.map_err(unusable)?),
        );
        Ok(bytes)
    }

    /// Maps the skin of a body.
    ///
    /// # Errors
    /// A sentence: the daemon's fault.
    pub fn open_skin(&mut self, body: u32, fd: OwnedFd) -> Result<(), String> {
        let block = ReadOnlyBlock::open(fd).map_err(unusable)?;
        let length = block.readable_words().len();
        let header = SkinHeader::check(&header(&block), length, body).map_err(unusable)?;
        let reader = TurnsReader::new(block, SEQUENCE_WORD, header.slot_words());
        self.add(
            BlockKind::Skin,
            0,
            body,
            Source::Skin(reader.map_err(unusable)?, header),
        );
        Ok(())
    }

    fn add(&mut self, kind: BlockKind, arm: u16, body: u32, source: Source) {
        let same = |view: &View| (view.kind, view.arm, view.body) == (kind, arm, body);
        self.views.retain(|view| !same(view));
        self.views.push(View {
            kind,
            arm,
            body,
            source,
            sent: 0,
            skipped: 0,
            due: Instant::now(),
        });
    }

    /// Returns when the next value may be due; `None` if none ever is.
    pub fn next_due(&self) -> Option<Instant> {
        let sent = |view: &&View| self.rates.period(view.kind).is_some();
        self.views.iter().filter(sent).map(|view| view.due).min()
    }

    /// Returns the next value that is due and new, as a message. Where the client is `blocked`,
    /// values that are due are counted as skipped instead, and none is returned.
    ///
    /// # Errors
    /// A sentence: the daemon's fault.
    pub fn take_due(&mut self, now: Instant, blocked: bool) -> Result<Option<Vec<u8>>, String> {
        for step in 0..self.views.len() {
            let index = (self.turn + step) % self.views.len();
            let view = &mut self.views[index];
            let Some(period) = self.rates.period(view.kind) else {
                continue;
            };
            if view.due > now {
                continue;
            }
            // In step with the clock, without catching up on what was missed.
            view.due = (view.due + period).max(now + period / 2);
            if view.version() == view.sent {
                continue;
            }
            if blocked {
                view.skipped += 1;
                continue;
            }
            if let Some(message) = view.message(&mut self.words)? {
                self.turn = index + 1;
                return Ok(Some(message));
            }
        }
        Ok(None)
    }
}

impl View {
    fn version(&self) -> u64 {
        match &self.source {
            Source::Whole(reader) | Source::List(reader, _) | Source::Surface(reader) => {
                reader.version()
            }
            Source::Skin(reader, _) => reader.version(),
        }
    }

    /// Returns the newest value; `None` if there is none yet or the writer was in the way.
    fn message(&mut self, words: &mut Vec<u64>) -> Result<Option<Vec<u8>>, String> {
        let Some((version, count)) = self.copy(words)? else {
            return Ok(None);
        };
        self.sent = version;
        let value = BlockValue {
            version,
            skipped: self.skipped,
            body: self.body,
            words: u32::try_from(count).unwrap_or(u32::MAX),
            kind: self.kind,
            arm: self.arm,
        };
        let mut bytes = GatewayMessage::from(value).encode(0);
        append(&mut bytes, words.iter().copied().take(count));
        Ok(Some(bytes))
    }

    /// Copies the newest value. Returns its version and how many of the words are its own.
    fn copy(&self, words: &mut Vec<u64>) -> Result<Option<(u64, usize)>, String> {
        let read = match &self.source {
            Source::Whole(reader) | Source::List(reader, _) | Source::Surface(reader) => {
                words.resize(reader.words(), 0);
                reader.read_into(words)
            }
            Source::Skin(reader, header) => return copy_skin(reader, header, words),
        };
        let Ok(version) = read else {
            return Ok(None);
        };
        let count = match &self.source {
            Source::List(_, element_words) => {
                let head = std::array::from_fn(|index| words.get(index).copied().unwrap_or(0));
                let count = ListHeader::from_words(&head).count;
                let listed = usize::try_from(count).unwrap_or(usize::MAX);
                let whole = listed
                    .saturating_mul(*element_words)
                    .saturating_add(ListHeader::WORDS);
                whole.min(words.len())
            }
            _ => words.len(),
        };
        Ok(Some((version, count)))
    }
}

/// Copies the newest frame: its header first, which says how long it is.
fn copy_skin(
    reader: &TurnsReader<ReadOnlyBlock>,
    header: &SkinHeader,
    words: &mut Vec<u64>,
) -> Result<Option<(u64, usize)>, String> {
    let mut head = [0; SKIN_FIXED_WORDS];
    let Ok(number) = reader.read_into(&mut head) else {
        return Ok(None);
    };
    let counts = SkinFrameHeader::from_words(&head).counts;
    header.check_counts(counts).map_err(unusable)?;
    // At most a slot, which was checked to lie in the block.
    let all = counts.words() as usize;
    words.resize(all, 0);
    match reader.read_into(words) {
        // Otherwise there is a newer frame of another size: it comes with the next turn.
        Ok(again) if again == number => Ok(Some((number, all))),
        _ => Ok(None),
    }
}

fn append(bytes: &mut Vec<u8>, words: impl Iterator<Item = u64>) {
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}
