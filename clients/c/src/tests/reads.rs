//! Reads allocate nothing, and a panic poisons its handle: against a daemon that is played here.

use crate::{
    connection::{ClientHandle, Connected},
    failure::{
        Failure, HD_BLOCK, HD_BUSY, HD_HELD, HD_INVALID, HD_MALFORMED, HD_NOT_ADMITTED, HD_NOT_YET,
        HD_OK, HD_PANIC, HD_SYSTEM, HD_TIMEOUT, HD_UNTRUSTED, Misuse,
    },
    handle::Handle,
    memory,
    subscription::SubscriptionHandle,
    types::{hd_arm_state, hd_bodies, hd_contacts, hd_error, hd_pose},
};
use hapticd_client::{ArmState, Bodies, Client, ConnectError, Contacts, RequestError};
use hapticd_counting::{Counting, counted};
use hapticd_protocol::{
    MAGIC, MAJOR, MINOR,
    block::{BODIES_WORDS, BlockHeader, CONTACTS_WORDS, SEQUENCE_WORD, STATE_WORDS, block_words},
    frame::{MAX_MESSAGE, Message},
    reply::{BlockInfo, BlockKind, RefusalReason, Refused, Reply, Subscribed, Welcome},
    request::Request,
    text::Name,
    wire::{DecodeError, List},
};
use hapticd_sync::{seqlock::Writer, words::WritableWords};
use hapticd_sys::{
    block::SharedBlock,
    socket::Connection,
    wake::{Interest, wait},
};
use std::{
    io,
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
    ptr,
    sync::atomic::Ordering,
    time::Duration,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// Opaque handles.
#[allow(improper_ctypes)]
unsafe extern "C" {
    fn hd_subscribe(
        client: *mut ClientHandle,
        arm: u32,
        topics: u32,
        subscription: *mut *mut SubscriptionHandle,
        error: *mut hd_error,
    ) -> i32;
    fn hd_read_state(subscription: *const SubscriptionHandle, state: *mut hd_arm_state) -> i32;
    fn hd_read_contacts(subscription: *const SubscriptionHandle, to: *mut hd_contacts) -> i32;
    fn hd_read_bodies(subscription: *const SubscriptionHandle, to: *mut hd_bodies) -> i32;
    fn hd_state_version(subscription: *const SubscriptionHandle) -> u64;
    fn hd_predict_proxy(state: *const hd_arm_state, time_ns: i64, pose: *mut hd_pose) -> i32;
    fn hd_subscription_free(subscription: *mut SubscriptionHandle);
    fn hd_client_free(client: *mut ClientHandle);
}

/// Makes a block with one value and this sequence. A real writer leaves 2.
fn block<const N: usize>(kind: BlockKind, words: &[u64; N], sequence: u64) -> OwnedFd {
    let (block, fd) = SharedBlock::create("hapticd-test", block_words(N)).unwrap();
    let header = BlockHeader::new(kind, 0, N, 1);
    for (place, word) in block.words().iter().zip(header.to_words()) {
        place.store(word, Ordering::Relaxed);
    }
    let mut writer = Writer::<_, N>::new(block, SEQUENCE_WORD).unwrap();
    writer.write(words);
    writer.memory().words()[SEQUENCE_WORD].store(sequence, Ordering::Relaxed);
    fd.into_owned()
}

fn answer(daemon: &Connection, reply: impl Into<Reply>, fds: &[OwnedFd]) {
    wait(&[(daemon.as_fd(), Interest::Read)], None).unwrap();
    let mut packet = [0; MAX_MESSAGE];
    let received = daemon.receive(&mut packet).unwrap();
    let (id, _) = Request::decode(&packet[..received.length], 0).unwrap();
    let fds: Vec<_> = fds.iter().map(AsFd::as_fd).collect();
    daemon.send(&reply.into().encode(id), &fds).unwrap();
}

/// Connects to a daemon that says welcome and hands out three blocks, with this sequence.
fn connected(sequence: u64) -> *mut ClientHandle {
    let (ours, daemon) = Connection::pair().unwrap();
    let playing = std::thread::spawn(move || {
        let welcome = Welcome {
            magic: MAGIC,
            major: MAJOR,
            minor: MINOR,
            client: 4,
            lease_ms: 200,
            messages_per_s: 1000,
            max_bodies: 8,
            technician: false,
        };
        answer(&daemon, welcome, &[]);
        daemon
    });
    let client = Client::greet(ours, Name::new("test").unwrap()).unwrap();
    let daemon = playing.join().unwrap();
    std::thread::spawn(move || {
        let state = ArmState {
            tick: 7,
            ..ArmState::EMPTY
        };
        let fds = [
            block::<STATE_WORDS>(BlockKind::State, &state.to_words(), sequence),
            block::<CONTACTS_WORDS>(
                BlockKind::Contacts,
                &Contacts::new(8, 1).to_words(),
                sequence,
            ),
            block::<BODIES_WORDS>(BlockKind::Bodies, &Bodies::new(9, 1).to_words(), sequence),
        ];
        let of = |kind| BlockInfo { kind, arm: 0 };
        let blocks = List(vec![
            of(BlockKind::State),
            of(BlockKind::Contacts),
            of(BlockKind::Bodies),
        ]);
        answer(&daemon, Subscribed { blocks }, &fds);
    });
    Handle::give(Connected::new(client))
}

/// A struct as `HD_INIT` makes it.
fn init<T: memory::Growing>() -> T {
    // SAFETY: any bytes are a value of such a struct, and it begins with its size.
    unsafe {
        let mut value = MaybeUninit::<T>::zeroed();
        value
            .as_mut_ptr()
            .cast::<u32>()
            .write(size_of::<T>() as u32);
        value.assume_init()
    }
}

#[test]
fn reads_allocate_nothing() {
    let client = connected(2);
    let mut arm = ptr::null_mut();
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(hd_subscribe(client, 0, 7, &mut arm, ptr::null_mut()), HD_OK);
        let (mut state, mut contacts, mut bodies) = (
            init::<hd_arm_state>(),
            init::<hd_contacts>(),
            init::<hd_bodies>(),
        );
        let mut pose = hd_pose::from(hapticd_client::Pose::IDENTITY);
        let (statuses, calls) = counted(|| {
            let mut statuses = [0; 6];
            for _ in 0..100 {
                statuses = [
                    hd_read_state(arm, &mut state),
                    hd_read_contacts(arm, &mut contacts),
                    hd_read_bodies(arm, &mut bodies),
                    hd_state_version(arm) as i32,
                    hd_predict_proxy(&state, 0, &mut pose),
                    // Nor does a mistake of the caller's.
                    hd_read_state(arm, ptr::null_mut()),
                ];
            }
            statuses
        });
        assert_eq!(statuses, [HD_OK, HD_OK, HD_OK, 1, HD_HELD, HD_INVALID]);
        assert_eq!((state.tick, contacts.tick, bodies.tick), (7, 8, 9));
        assert_eq!(calls, 0);
        hd_subscription_free(arm);
        hd_client_free(client);
    }
}

#[test]
fn a_block_without_a_value_and_one_that_is_being_written_say_so() {
    for (sequence, expected) in [(0, HD_NOT_YET), (3, HD_BUSY)] {
        let client = connected(sequence);
        let mut arm = ptr::null_mut();
        // SAFETY: as the header says.
        unsafe {
            assert_eq!(hd_subscribe(client, 0, 7, &mut arm, ptr::null_mut()), HD_OK);
            let mut state = init::<hd_arm_state>();
            state.tick = 99;
            assert_eq!(hd_read_state(arm, &mut state), expected);
            assert_eq!(hd_read_contacts(arm, &mut init()), expected);
            assert_eq!(hd_read_bodies(arm, &mut init()), expected);
            assert_eq!(state.tick, 99);
            hd_subscription_free(arm);
            hd_client_free(client);
        }
    }
}

#[test]
fn errors_that_no_daemon_of_ours_provokes_have_their_statuses() {
    let refused = Refused {
        reason: RefusalReason::TooManyClients,
        major: 3,
        minor: 0,
        client_major: 3,
        client_minor: 0,
        limit: 16,
    };
    let peer = ConnectError::UntrustedPeer {
        path: "/run/x".into(),
        owner: 7,
        us: 8,
    };
    let late = RequestError::Timeout(Duration::from_millis(5));
    let connecting: [(ConnectError, i32, u64); 4] = [
        (peer, HD_UNTRUSTED, 7),
        (ConnectError::Refused(refused), HD_NOT_ADMITTED, 3),
        (ConnectError::InvalidName("empty"), HD_INVALID, 0),
        (ConnectError::Handshake(late), HD_TIMEOUT, 5),
    ];
    for (error, status, number) in connecting {
        let message = error.to_string();
        let failure = Failure::from(error);
        assert_eq!((failure.status, failure.number), (status, number));
        assert_eq!(failure.message, message);
    }
    let unknown = DecodeError::UnknownKind { kind: 7 };
    let asking: [(RequestError, i32, u64); 3] = [
        (RequestError::Malformed(unknown), HD_MALFORMED, 0),
        (RequestError::Block("unsealed".to_owned()), HD_BLOCK, 0),
        (io::Error::from_raw_os_error(24).into(), HD_SYSTEM, 24),
    ];
    for (error, status, number) in asking {
        let failure = Failure::from(error);
        assert_eq!((failure.status, failure.number), (status, number));
    }
}

#[test]
fn a_long_message_is_cut_between_characters() {
    let mut error = init::<hd_error>();
    let failure = Failure::new(HD_BLOCK, "x".to_owned() + &"é".repeat(200));
    // SAFETY: a whole struct.
    assert_eq!(unsafe { failure.report(&mut error) }, HD_BLOCK);
    let text = std::ffi::CStr::from_bytes_until_nul(&error.message).unwrap();
    assert_eq!(text.to_str().unwrap(), "x".to_owned() + &"é".repeat(159));
}

#[test]
fn a_panic_is_a_status_and_the_handle_takes_nothing_more() {
    let handle = Handle::give(1);
    let mut error = init::<hd_error>();
    // SAFETY: as the header says.
    unsafe {
        let status = Handle::call(handle, &mut error, |_| panic!("planted"));
        assert_eq!((status, error.status), (HD_PANIC, HD_PANIC));
        assert!(String::from_utf8_lossy(&error.message).contains("planted"));
        let again = Handle::call(handle, ptr::null_mut(), |_| Ok(HD_OK));
        assert_eq!(again, HD_PANIC);
        Handle::free(handle, |_| {
            panic!("a poisoned handle is not ended in good order")
        });
        Handle::<u8>::free(ptr::null_mut(), drop);
    }
}

#[test]
fn a_struct_is_written_as_far_as_the_caller_knows_it() {
    let value = hd_pose::from(hapticd_client::Pose::IDENTITY);
    let mut ours = init::<hd_arm_state>();
    (ours.tick, ours.energy_gain, ours.world_from_proxy) = (3, 0.5, value);
    let size = size_of::<hd_arm_state>();
    for stated in [4, 8, 20, size - 4, size, size + 64] {
        // One byte off any alignment, between guards.
        let mut memory = vec![0xaa_u8; size + 128];
        memory[1..5].copy_from_slice(&(stated as u32).to_ne_bytes());
        let theirs = memory[1..].as_mut_ptr().cast::<hd_arm_state>();
        // SAFETY: there are `stated` bytes.
        let back = unsafe {
            memory::write(theirs, &ours).unwrap();
            memory::read(theirs).unwrap()
        };
        assert!(
            memory[1 + stated..].iter().all(|byte| *byte == 0xaa),
            "{stated}"
        );
        assert!(
            memory[1 + size.min(stated)..1 + stated]
                .iter()
                .all(|byte| *byte == 0)
        );
        assert_eq!(back.struct_size as usize, stated);
        assert_eq!(back.tick, if stated >= 20 { 3 } else { 0 });
        assert_eq!(
            back.energy_gain,
            if stated >= size {
                0.5
            } else {
                back.energy_gain
            }
        );
    }
    for wrong in [0_u32, 3, 6000, u32::MAX] {
        ours.struct_size = wrong;
        // SAFETY: a whole struct.
        let refused = unsafe { memory::read(&ours) }.map(|_| ()).unwrap_err();
        assert_eq!(
            (refused.status(), refused.number),
            (HD_INVALID, wrong.into())
        );
    }
}

#[test]
fn counts_beyond_memory_are_refused_before_anything_is_read() {
    let one = [[1.0_f64; 3]];
    for count in [
        usize::MAX,
        usize::MAX / 24 + 1,
        isize::MAX as usize / 24 + 1,
        1 << 48,
    ] {
        // SAFETY: nothing is read.
        let refused = unsafe { memory::copy(one.as_ptr(), count) }.unwrap_err();
        assert_eq!(refused.number, count as u64);
    }
    // SAFETY: one element; none; a text.
    unsafe {
        assert_eq!(memory::copy(one.as_ptr(), 1).unwrap(), one);
        assert!(memory::copy::<f64>(ptr::null(), 0).unwrap().is_empty());
        assert_eq!(
            memory::copy::<f64>(ptr::null(), 1).unwrap_err().what,
            Misuse::NULL.what
        );
        assert_eq!(memory::text(b"ab\xff".as_ptr(), 3).unwrap_err().number, 2);
    }
}
