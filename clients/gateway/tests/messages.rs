//! What goes through the gateway arrives as it was sent, and what it adds is as it is described.

mod kit;

use hapticd_protocol::{
    block::{
        ArmState, BlockHeader, Bodies, BodyState, CONTACTS_WORDS, Contacts, PAYLOAD_WORD,
        SEQUENCE_WORD, STATE_WORDS, SkinCounts, SkinFrameHeader, SkinHeader, SurfaceHeader,
        block_words, pack,
    },
    event::{BodyLeft, Event, RemovalReason},
    frame::Message as _,
    gateway::{GatewayMessage, GatewayRequest, MAX_PUSH_HZ, SetPushRates},
    mesh::{Mesh, Precision},
    reply::{self, BlockInfo, BlockKind, ErrorCode, Reply},
    request::{self, BodyKind, Request},
    wire::{List, NonNegative, Pose},
};
use hapticd_sync::{
    seqlock::{Writer, slice::SliceWriter, turns::TurnsWriter},
    words::WritableWords,
};
use hapticd_sys::{block::SharedBlock, sealed_file::create_sealed};
use kit::{Came, Fake, Happened, name};
use proptest::{prelude::*, test_runner::TestRunner};
use std::{
    io::Write,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, atomic::Ordering},
};

/// A block with this header, whose payload a test writes.
fn block(header: &[u64], words: usize) -> (SharedBlock, OwnedFd) {
    let (block, fd) = SharedBlock::create("hapticd-test", words).unwrap();
    for (place, word) in block.words().iter().zip(header) {
        place.store(*word, Ordering::Relaxed);
    }
    (block, fd.into_owned())
}

fn plain_block(kind: BlockKind, arm: u16, payload: usize) -> (SharedBlock, OwnedFd) {
    let header = BlockHeader::new(kind, arm, payload, 5).to_words();
    block(&header, block_words(payload))
}

fn mesh() -> Vec<u8> {
    let mesh = Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
    };
    mesh.encode(Precision::Single).unwrap()
}

fn add_body() -> Request {
    request::AddBody {
        name: name("cup"),
        world_from_body: Pose::IDENTITY,
        stiffness_n_per_m: NonNegative(500.0),
        damping_n_s_per_m: NonNegative(1.0),
        friction: NonNegative(0.5),
        restitution: NonNegative(0.0),
        density_kg_m3: NonNegative(1000.0),
        kind: BodyKind::Kinematic,
        solid: true,
    }
    .into()
}

#[test]
fn packets_go_on_byte_for_byte_also_what_the_gateway_does_not_know() {
    let fake = Fake::new("bytes");
    let mut client = fake.client();
    let known = Request::from(request::RemoveBody { body: 7 }).encode(0x0102_0304_0506_0708);
    let mut unknown = known.clone();
    unknown[..2].copy_from_slice(&0x01ff_u16.to_le_bytes());
    let mut lying = known.clone();
    lying[4] = 99;
    let technicians = Request::from(request::Shutdown {}).encode(5);
    let longest = [&known[..], &[0; 4096 - 24]].concat();
    for packet in [
        known,
        unknown,
        lying,
        technicians,
        longest,
        vec![1],
        vec![0; 15],
    ] {
        client.send_bytes(packet.clone());
        let heard = fake.heard();
        assert_eq!(heard.packet, packet);
        assert!(heard.files.is_empty());
    }
}

#[test]
fn a_mesh_behind_its_message_arrives_as_a_sealed_file() {
    let fake = Fake::new("mesh");
    let mut client = fake.client();
    let packet = add_body().encode(9);
    for file in [mesh(), Vec::new(), vec![7; 3 << 20]] {
        client.send_bytes([&packet[..], &file].concat());
        let heard = fake.heard();
        assert_eq!(heard.packet, packet);
        assert_eq!(heard.files, [file]);
    }
    // A header that says nothing possible: the daemon gets it as it is, and refuses it.
    let mut lying = packet.clone();
    lying[4..8].copy_from_slice(&5000_u32.to_le_bytes());
    client.send_bytes(lying.clone());
    let heard = fake.heard();
    assert_eq!((heard.packet, heard.files.len()), (lying, 0));
}

#[test]
fn rates_are_the_gateways_own_and_no_sign_of_life() {
    let fake = Fake::new("rates");
    let mut client = fake.client();
    assert!(matches!(client.set_rates(MAX_PUSH_HZ, 0), Reply::Done(_)));
    let Reply::Error(error) = client.set_rates(1, MAX_PUSH_HZ + 1) else {
        panic!("not refused")
    };
    assert_eq!((error.code, error.number), (ErrorCode::OutOfRange, 121));
    assert_eq!((error.limit, error.request), (120, SetPushRates::KIND));
    let good = GatewayRequest::from(SetPushRates {
        state_hz: 1,
        surface_hz: 1,
    });
    for damage in [(0, 0x02), (4, 9), (2, 1)] {
        let mut packet = good.encode(77);
        packet[damage.0] = damage.1;
        client.send_bytes(packet);
        let Reply::Error(error) = client.answer(77) else {
            panic!("not refused: {damage:?}")
        };
        assert_eq!(error.code, ErrorCode::Malformed);
    }
    // What the daemon hears next is what was sent next.
    client.ask(request::ListArms {});
    assert_eq!(fake.heard().packet[..2], [0x02, 0x01]);
}

/// A daemon with one of each block, which the test writes.
struct Blocks {
    state: Writer<SharedBlock, STATE_WORDS>,
    contacts: Writer<SharedBlock, CONTACTS_WORDS>,
    bodies: Writer<SharedBlock, { hapticd_protocol::block::BODIES_WORDS }>,
}

fn subscribed(blocks: &[(BlockKind, u16)]) -> Reply {
    let info = |(kind, arm): &(BlockKind, u16)| BlockInfo {
        kind: *kind,
        arm: *arm,
    };
    reply::Subscribed {
        blocks: List(blocks.iter().map(info).collect()),
    }
    .into()
}

fn daemon_with_blocks(name: &str) -> (Fake, Blocks) {
    let (state, state_fd) = plain_block(BlockKind::State, 1, STATE_WORDS);
    let (contacts, contacts_fd) = plain_block(BlockKind::Contacts, 1, CONTACTS_WORDS);
    let words = hapticd_protocol::block::BODIES_WORDS;
    let (bodies, bodies_fd) = plain_block(BlockKind::Bodies, 0, words);
    let fds = [state_fd, contacts_fd, bodies_fd];
    let fake = Fake::with(name, move |packet| {
        if packet[..2] != request::Subscribe::KIND.to_le_bytes() {
            return Vec::new();
        }
        let (_, wake) = hapticd_sys::socket::Connection::pair().unwrap();
        let kinds = [
            (BlockKind::State, 1),
            (BlockKind::Contacts, 1),
            (BlockKind::Bodies, 0),
            (BlockKind::Wake, 1),
        ];
        let mut files: Vec<OwnedFd> = fds.iter().map(|fd| fd.try_clone().unwrap()).collect();
        files.push(
            std::os::fd::AsFd::as_fd(&wake)
                .try_clone_to_owned()
                .unwrap(),
        );
        let id = hapticd_protocol::frame::Header::id_of(packet);
        vec![(subscribed(&kinds).encode(id), files)]
    });
    let blocks = Blocks {
        state: Writer::new(state, SEQUENCE_WORD).unwrap(),
        contacts: Writer::new(contacts, SEQUENCE_WORD).unwrap(),
        bodies: Writer::new(bodies, SEQUENCE_WORD).unwrap(),
    };
    (fake, blocks)
}

#[test]
fn values_of_blocks_come_once_each_and_lists_only_as_far_as_they_go() {
    let (fake, mut blocks) = daemon_with_blocks("values");
    let mut client = fake.client();
    let all = client.ask(request::Subscribe { arm: 1, topics: 15 });
    assert!(
        matches!(&all, Reply::Subscribed(list) if list.blocks.0.len() == 4),
        "{all:?}"
    );
    client.set_rates(100, 0);
    let state: [u64; STATE_WORDS] = std::array::from_fn(|index| index as u64 + 100);
    let mut poses = Bodies::new(3, 4);
    poses.push(BodyState {
        body: 9,
        moving: true,
        world_from_body: Pose::IDENTITY,
        force_n: [1.0, 2.0, 3.0],
        torque_nm: [4.0, 5.0, 6.0],
    });
    blocks.state.write(&state);
    blocks.contacts.write(&Contacts::new(1, 2).to_words());
    blocks.bodies.write(&poses.to_words());
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (value, words) = client.value();
        assert_eq!((value.version, value.skipped, value.body), (1, 0, 0));
        match value.kind {
            BlockKind::State => assert_eq!((value.arm, &words[..]), (1, &state[..])),
            BlockKind::Contacts => assert_eq!((value.arm, &words[..]), (1, &[1, 2, 0][..])),
            BlockKind::Bodies => {
                assert_eq!((value.arm, &words[..]), (0, &poses.to_words()[..3 + 14]));
            }
            other => panic!("{other:?}"),
        }
        seen.push(value.kind.code());
    }
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3]);
    // A value comes once: what comes next is the next one.
    blocks.state.write(&state);
    let (value, _) = client.value();
    assert_eq!((value.kind, value.version), (BlockKind::State, 2));
    // A count that cannot be reaches no further than the block.
    let mut wild = Contacts::new(5, 6).to_words();
    wild[2] = u64::MAX;
    blocks.contacts.write(&wild);
    assert_eq!(client.value().1.len(), CONTACTS_WORDS);
    // No rate: what was due is answered before it, and nothing comes after it.
    client.set_rates(0, 0);
    blocks.state.write(&state);
    client.ask(request::ListArms {});
    let pushed = |came: &Came| matches!(came, Came::Pushed(..));
    assert!(!client.aside.iter().any(pushed));
}

#[test]
fn a_surface_comes_with_its_triangles_once_and_a_skin_with_each_frame() {
    let header = SurfaceHeader::new(7, 5, 3, 1);
    let mut words = vec![0; header.triangle_words().end];
    words[..8].copy_from_slice(&header.to_words());
    let corners = [0, 1, 2, 0, 2, 3, 4, 3, 1];
    pack(&mut words[header.triangle_words()], corners);
    let (surface, surface_fd) = block(&words, words.len());
    let room = SkinCounts {
        points: 4,
        triangles: 3,
    };
    let skin_header = SkinHeader::new(8, room, 1);
    let length = block_words(skin_header.block.payload_words as usize);
    let (skin, skin_fd) = block(&skin_header.to_words(), length);
    let fake = Fake::with("surface", move |packet| {
        let id = hapticd_protocol::frame::Header::id_of(packet);
        match u16::from_le_bytes([packet[0], packet[1]]) {
            request::OpenSurface::KIND => {
                let reply = Reply::from(reply::Surface { body: 7 });
                vec![(reply.encode(id), vec![surface_fd.try_clone().unwrap()])]
            }
            request::OpenSkin::KIND => {
                let reply = Reply::from(reply::Skin { body: 8 });
                vec![(reply.encode(id), vec![skin_fd.try_clone().unwrap()])]
            }
            request::OpenShape::KIND => {
                let file = create_sealed("hapticd-test", &mesh()).unwrap();
                let reply = Reply::from(reply::Shape { body: 6 });
                vec![(reply.encode(id), vec![file])]
            }
            _ => Vec::new(),
        }
    });
    let mut client = fake.client();
    client.ask(request::OpenSurface { body: 7 });
    let Came::Pushed(GatewayMessage::SurfaceTriangles(head), bytes) = client.next() else {
        panic!("no triangles")
    };
    assert_eq!((head.body, head.points, head.triangles), (7, 5, 3));
    assert_eq!(bytes, corners.map(u32::to_le_bytes).concat());
    client.ask(request::OpenSkin { body: 8 });
    client.set_rates(0, 50);
    let changing: Vec<u64> = (0..header.changing_words() as u64).collect();
    let mut writer = SliceWriter::new(surface, SEQUENCE_WORD, header.changing_words()).unwrap();
    writer.write(&changing).unwrap();
    let (value, words) = client.value();
    assert_eq!(
        (value.kind, value.body, words),
        (BlockKind::Surface, 7, changing)
    );

    let counts = SkinCounts {
        points: 3,
        triangles: 1,
    };
    let mut frame = vec![0; counts.words() as usize];
    frame[0] = 3 | 1 << 32;
    let last = frame.len() - 1;
    frame[last] = 77;
    assert_eq!(
        SkinFrameHeader::from_words(frame[..16].try_into().unwrap()).counts,
        counts
    );
    let mut writer = TurnsWriter::new(skin, SEQUENCE_WORD, skin_header.slot_words()).unwrap();
    writer.write(&frame).unwrap();
    let (value, words) = client.value();
    assert_eq!(
        (value.kind, value.body, &words),
        (BlockKind::Skin, 8, &frame)
    );

    client.ask(request::OpenShape { body: 6 });
    let Came::Pushed(GatewayMessage::ShapeFile(head), bytes) = client.next() else {
        panic!("no file")
    };
    assert_eq!(
        (head.body, head.bytes as usize, bytes),
        (6, mesh().len(), mesh())
    );
    // A frame that is no mesh ends the session: the daemon's fault, and it says so.
    frame[0] = 5;
    writer.write(&frame).unwrap();
    let (code, reason) = client.closed();
    assert_eq!(code, 1011);
    assert!(reason.contains("a frame of 5 points"), "{reason}");
}

#[test]
fn a_block_of_another_kind_is_refused() {
    let (_block, fd) = plain_block(BlockKind::Contacts, 0, CONTACTS_WORDS);
    let fake = Fake::with("kind", move |packet| {
        let id = hapticd_protocol::frame::Header::id_of(packet);
        match u16::from_le_bytes([packet[0], packet[1]]) {
            request::Subscribe::KIND => {
                let reply = subscribed(&[(BlockKind::State, 0)]);
                vec![(reply.encode(id), vec![fd.try_clone().unwrap()])]
            }
            _ => Vec::new(),
        }
    });
    let mut client = fake.client();
    client.send(request::Subscribe { arm: 0, topics: 1 });
    let (code, reason) = client.closed();
    assert_eq!(code, 1011);
    assert!(reason.contains("block"), "{reason}");
}

/// Nothing is read for a while: values are left out and counted, and the newest comes next.
#[test]
fn a_slow_reader_gets_the_newest_value_and_how_many_were_left_out() {
    let points = 2_000_000;
    let header = SurfaceHeader::new(7, points, 0, 1);
    let mut words = vec![0; header.triangle_words().end];
    words[..8].copy_from_slice(&header.to_words());
    let (surface, fd) = block(&words, words.len());
    let fake = Fake::with("reader", move |packet| {
        let id = hapticd_protocol::frame::Header::id_of(packet);
        match u16::from_le_bytes([packet[0], packet[1]]) {
            request::OpenSurface::KIND => {
                let reply = Reply::from(reply::Surface { body: 7 });
                vec![(reply.encode(id), vec![fd.try_clone().unwrap()])]
            }
            _ => Vec::new(),
        }
    });
    let mut client = fake.client();
    client.ask(request::OpenSurface { body: 7 });
    client.set_rates(0, 100);
    let mut value = vec![0; header.changing_words()];
    let mut writer = SliceWriter::new(surface, SEQUENCE_WORD, header.changing_words()).unwrap();
    // 24 MB do not fit into the buffers of a socket: the second value is due in vain.
    writer.write(&value).unwrap();
    let mut skipped = 0;
    let mut version = 0;
    let end = std::time::Instant::now() + kit::PATIENCE;
    while skipped == 0 {
        assert!(std::time::Instant::now() < end);
        for step in 0..20_u64 {
            value[0] = version + step;
            writer.write(&value).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        let (head, words) = client.value();
        assert!(head.version > version);
        version = head.version;
        skipped = head.skipped;
        assert_eq!(words.len(), value.len());
    }
    assert!(skipped < 1000, "{skipped}");
}

#[test]
fn events_that_are_not_read_close_the_client() {
    let sent = Arc::new(Mutex::new(0));
    let counter = sent.clone();
    let fake = Fake::with("events", move |packet| {
        if packet[..2] == request::Hello::KIND.to_le_bytes() {
            return Vec::new();
        }
        // Packets of the greatest length, so that the buffers of the socket are soon full.
        let event = Event::from(BodyLeft {
            body: 1,
            reason: RemovalReason::Requested,
        });
        *counter.lock().unwrap() += 1;
        let mut long = event.encode(0);
        long.resize(4096, 0);
        std::iter::repeat_with(|| (long.clone(), Vec::new()))
            .take(400)
            .chain([(Reply::from(reply::Done {}).encode(1), Vec::new())])
            .collect()
    });
    let mut client = fake.client();
    // Sends on without reading, until the gateway has enough.
    let packet = Request::from(request::ListArms {}).encode(1);
    let end = std::time::Instant::now() + kit::PATIENCE;
    while client
        .socket
        .send(tungstenite::Message::binary(packet.clone()))
        .is_ok()
    {
        assert!(std::time::Instant::now() < end);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    loop {
        if let Happened::Left(_) = fake.next() {
            break;
        }
    }
    assert!(*sent.lock().unwrap() > 0);
}

#[test]
fn the_daemons_end_closes_the_client_after_its_last_words() {
    // No socket there any more: the gateway says so instead of waiting.
    let fake = Fake::new("gone");
    drop(fake.client());
    let Fake { .. } = &fake;
    let socket = std::env::temp_dir().join("hapticd-nowhere/app.sock");
    let server = hapticd_gateway::Server::start(hapticd_gateway::Settings {
        listen: "127.0.0.1:0".parse().unwrap(),
        socket,
        names: Vec::new(),
        origins: Vec::new(),
        tls: None,
        token: fake.token.clone(),
    })
    .unwrap();
    let address = server.address();
    let stop = Arc::new(hapticd_sys::wake::Wake::new().unwrap());
    let stopped = stop.clone();
    let thread = std::thread::spawn(move || server.serve(&stopped).unwrap());
    let mut client = kit::Client::connect(address, fake.token.text());
    client.send(request::Hello::new(name("early")));
    let (code, reason) = client.closed();
    assert_eq!(code, 1011);
    assert!(reason.contains("no daemon at"), "{reason}");
    stop.signal();
    thread.join().unwrap();
}

#[test]
fn a_client_that_leaves_ends_its_daemon_client_at_once() {
    let fake = Fake::new("leaves");
    let close: [fn(kit::Client); 2] = [
        |mut client| client.socket.close(None).unwrap(),
        |client| {
            client
                .socket
                .get_ref()
                .shutdown(std::net::Shutdown::Both)
                .unwrap()
        },
    ];
    for (index, close) in close.into_iter().enumerate() {
        close(fake.client());
        loop {
            if let Happened::Left(left) = fake.next() {
                assert_eq!(left, index);
                break;
            }
        }
    }
}

/// Whatever frames come: the gateway goes on, and another client is served.
#[test]
fn no_bytes_do_harm() {
    let fake = Fake::new("fuzz");
    let frame = (
        any::<u8>(),
        prop::collection::vec(any::<u8>(), 0..200),
        any::<bool>(),
    );
    let mut runner = TestRunner::new(ProptestConfig::with_cases(64));
    let run = |frames: Vec<(u8, Vec<u8>, bool)>| {
        let mut client = fake.client();
        let mut bytes = Vec::new();
        for (first, payload, is_message) in frames {
            bytes.push(if is_message { 0x82 } else { first });
            bytes.extend([0xfe, 0, payload.len() as u8, 0, 0, 0, 0]);
            bytes.extend(payload);
        }
        // The gateway may close before it has all.
        let _ = client.socket.get_mut().write_all(&bytes);
        drop(client);
        let done = fake.client().ask(request::ListArms {});
        prop_assert!(matches!(done, Reply::Done(_)));
        while fake.happened.try_recv().is_ok() {}
        Ok(())
    };
    runner
        .run(&prop::collection::vec(frame, 1..8), run)
        .unwrap();
}

#[test]
fn a_state_reads_as_the_daemon_wrote_it() {
    let (fake, mut blocks) = daemon_with_blocks("state");
    let mut client = fake.client();
    client.ask(request::Subscribe { arm: 1, topics: 1 });
    client.set_rates(10, 0);
    let words: [u64; STATE_WORDS] = std::array::from_fn(|index| 0.5_f64.to_bits() + index as u64);
    let state = ArmState::from_words(&words);
    blocks.state.write(&state.to_words());
    loop {
        let (value, words) = client.value();
        if value.kind == BlockKind::State {
            assert_eq!(ArmState::from_words(words[..].try_into().unwrap()), state);
            break;
        }
    }
    assert_eq!(PAYLOAD_WORD, SEQUENCE_WORD + 1);
}
