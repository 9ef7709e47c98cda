//! Messages read back as written, every byte has its published place, and no bytes cause harm.

use hapticd_protocol::{
    MAX_ARMS,
    event::Event,
    frame::{HEADER_BYTES, Header, MAX_MESSAGE, Message},
    gateway::{GatewayMessage, GatewayRequest},
    reply::{ErrorCode, Reply},
    request::{self, BodyKind, Request},
    wire::{DecodeError, Decoder, Field, Limit, Pose},
};
use proptest::prelude::*;
use std::fmt::Debug;

mod samples;

use samples::{events, gateway_messages, gateway_requests, name, replies, requests};

/// The checks that every set of messages must pass, on a sample of each of its messages.
fn conforms<M: Message + PartialEq + Debug>(samples: &[M], kinds: &[(u16, &'static str)]) {
    let sampled: Vec<u16> = samples.iter().map(Message::kind).collect();
    assert_eq!(
        sampled,
        kinds.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
        "one sample of each kind, in order"
    );
    assert!(sampled.is_sorted_by(|a, b| a < b), "kinds grow");
    for message in samples {
        let packet = message.encode(0x0102_0304_0506_0708);
        let descriptors = usize::from(message.descriptors());
        assert!(packet.len() <= MAX_MESSAGE);
        assert!(
            packet.len() > HEADER_BYTES && packet.len().is_multiple_of(8),
            "{message:?}: {}",
            packet.len()
        );
        assert_eq!(
            M::decode(&packet, descriptors).as_ref(),
            Ok(&(0x0102_0304_0506_0708, message.clone_by_decoding()))
        );

        for length in 0..packet.len() {
            // Truncated, with the header unchanged and with the header made to agree.
            assert!(M::decode(&packet[..length], descriptors).is_err());
            if length >= HEADER_BYTES {
                let mut cut = packet[..length].to_vec();
                cut[4..8].copy_from_slice(&(length as u32).to_le_bytes());
                assert!(
                    M::decode(&cut, descriptors).is_err(),
                    "{message:?} cut to {length}"
                );
            }
        }
        let mut longer = packet.clone();
        longer.push(0);
        let length = longer.len() as u32;
        longer[4..8].copy_from_slice(&length.to_le_bytes());
        assert_eq!(
            M::decode(&longer, descriptors),
            Err(DecodeError::Trailing { bytes: 1 })
        );

        assert!(matches!(
            M::decode(&packet, descriptors + 1),
            Err(DecodeError::Descriptors { .. })
        ));
        let mut lying = packet.clone();
        lying[2] += 1;
        let refused = M::decode(&lying, descriptors + 1);
        assert!(
            matches!(refused, Err(DecodeError::Descriptors { .. })),
            "{refused:?}"
        );
    }
}

/// Makes a copy through the wire format, so that `conforms` does not need `Clone`.
trait CloneByDecoding: Sized {
    fn clone_by_decoding(&self) -> Self;
}

impl<M: Message> CloneByDecoding for M {
    fn clone_by_decoding(&self) -> Self {
        let mut body = Vec::new();
        self.put_body(&mut body);
        M::take_body(self.kind(), &body).unwrap()
    }
}

#[test]
fn every_request_conforms() {
    conforms(&requests(), Request::KINDS);
}

#[test]
fn every_reply_conforms() {
    conforms(&replies(), Reply::KINDS);
}

#[test]
fn every_event_conforms() {
    conforms(&events(), Event::KINDS);
}

#[test]
fn every_message_of_the_gateway_conforms() {
    conforms(&gateway_requests(), GatewayRequest::KINDS);
    conforms(&gateway_messages(), GatewayMessage::KINDS);
}

/// They are for clients of the gateway: neither the daemon nor its client takes one.
#[test]
fn the_daemon_has_no_kind_of_the_gateway() {
    for message in gateway_requests() {
        let kind = message.kind();
        let refused = Request::decode(&message.encode(1), 0);
        assert_eq!(refused, Err(DecodeError::UnknownKind { kind }));
    }
    for message in gateway_messages() {
        let packet = message.encode(0);
        assert!(Reply::decode(&packet, 0).is_err() && Event::decode(&packet, 0).is_err());
    }
}

#[test]
fn what_was_decoded_is_what_was_encoded() {
    for message in requests() {
        assert_eq!(message.clone_by_decoding(), message);
    }
    for message in replies() {
        assert_eq!(message.clone_by_decoding(), message);
    }
    for message in events() {
        assert_eq!(message.clone_by_decoding(), message);
    }
}

#[test]
fn the_hello_is_at_its_published_bytes() {
    let packet = Request::from(request::Hello::new(name("ab"))).encode(5);
    let mut expected = Vec::new();
    expected.extend([0x01, 0x01, 0, 0]);
    expected.extend(96_u32.to_le_bytes());
    expected.extend(5_u64.to_le_bytes());
    expected.extend(*b"HAPTICD\0");
    expected.extend([3, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend(*b"ab");
    expected.extend([0; 62]);
    assert_eq!(packet, expected);
}

#[test]
fn the_lengths_of_all_messages_are_the_published_ones() {
    let lengths = |packets: Vec<Vec<u8>>| {
        packets
            .iter()
            .map(|packet| packet.len() - HEADER_BYTES)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        lengths(requests().iter().map(|message| message.encode(1)).collect()),
        [
            80,
            8,
            8,
            8,
            72,
            168,
            8,
            8,
            72,
            8,
            8,
            8,
            8,
            8,
            8,
            8,
            8 + 2 * 72,
            32,
            168,
            168,
            8,
            8,
            8,
            144,
            8,
            64,
            80,
            8,
            8,
            8,
            8,
            8
        ]
    );
    assert_eq!(
        lengths(replies().iter().map(|message| message.encode(1)).collect()),
        [
            32,
            16,
            8,
            280,
            8 + 8 * 224,
            16 + 16 * 80,
            8 + 5 * 8,
            8,
            8,
            8,
            8,
            8,
            72,
            16
        ]
    );
    assert_eq!(
        lengths(events().iter().map(|message| message.encode(0)).collect()),
        [
            72, 8, 8, 8, 24, 24, 8, 8, 256, 8, 256, 8, 8, 24, 32, 24, 24, 24, 24, 8, 24, 24, 24, 24
        ]
    );
}

#[test]
fn a_pose_command_is_at_its_published_bytes() {
    let packet = requests()[4].encode(1);
    let number = |at: usize| f64::from_le_bytes(packet[16 + at..16 + at + 8].try_into().unwrap());
    assert_eq!(
        std::array::from_fn(|index| number(8 * index)),
        [1.0, -2.0, 3.0, 0.5, -0.5, 0.5, 0.5, 0.5]
    );
    assert_eq!(packet[16 + 64..], [7, 0, 0, 0, 200, 0, 0, 0]);
}

fn limits_reply() -> Reply {
    let mut replies = replies().into_iter();
    replies
        .find(|reply| matches!(reply, Reply::Limits(_)))
        .unwrap()
}

/// The reply has the limits at the places where the request to tighten them has its own.
#[test]
fn limits_are_at_their_published_bytes() {
    let asked = Request::from(request::GetLimits { arm: 1 }).encode(1);
    assert_eq!(asked[..2], [0x10, 0x01]);
    assert_eq!(asked[16..], [1, 0, 0, 0, 0, 0, 0, 0]);
    let numbers = [4.0, 3.0, 0.2, 0.1, 900.0, 40.0, 1.2, 15.0];
    let mut body: Vec<u8> = numbers.into_iter().flat_map(f64::to_le_bytes).collect();
    body.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    let told = limits_reply().encode(1);
    assert_eq!(told[..2], [0x0d, 0x81]);
    assert_eq!(told[16..], body);
    let [peak, continuous, torque, held, slew, turning, speed, spin] = numbers.map(Limit);
    let tighten = request::TightenLimits {
        peak_force_n: peak,
        continuous_force_n: continuous,
        peak_torque_nm: torque,
        continuous_torque_nm: held,
        slew_n_per_s: slew,
        slew_nm_per_s: turning,
        velocity_m_s: speed,
        angular_velocity_rad_s: spin,
        arm: 1,
    };
    assert_eq!(Request::from(tighten).encode(1)[16..], body);
}

/// Replaces 8 bytes of the body.
fn with_number(message: &Request, at: usize, value: f64) -> Result<(u64, Request), DecodeError> {
    let mut packet = message.encode(1);
    packet[16 + at..16 + at + 8].copy_from_slice(&value.to_le_bytes());
    Request::decode(&packet, usize::from(message.descriptors()))
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let (pose, add, limits) = (&requests()[4], &requests()[5], &requests()[8]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 1.1e4] {
        for at in [0, 8, 16, 24, 32, 40, 48] {
            assert!(
                matches!(with_number(pose, at, bad), Err(DecodeError::Value { .. })),
                "{bad} at {at}"
            );
        }
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0, -f64::MIN_POSITIVE] {
        assert!(with_number(pose, 56, bad).is_err(), "speed {bad}");
        for at in [120, 128, 136] {
            assert!(with_number(add, at, bad).is_err(), "material {bad} at {at}");
        }
    }
    for at in (0..64).step_by(8) {
        assert!(with_number(limits, at, f64::NAN).is_err());
        assert!(with_number(limits, at, -1.0).is_err());
        assert!(
            with_number(limits, at, f64::INFINITY).is_ok(),
            "infinite: no limit"
        );
    }
    let told = limits_reply().encode(1);
    for at in (0..64).step_by(8) {
        for bad in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            let mut told = told.clone();
            told[16 + at..16 + at + 8].copy_from_slice(&bad.to_le_bytes());
            let refused = Reply::decode(&told, 0);
            assert!(
                matches!(refused, Err(DecodeError::Value { .. })),
                "limit {bad} at {at}"
            );
        }
    }
    assert!(
        with_number(pose, 0, f64::MIN_POSITIVE / 2.0).is_ok(),
        "a denormal number is a number"
    );
}

#[test]
fn a_rotation_is_made_exactly_unit_and_refused_when_it_is_far_from_it() {
    let pose = &requests()[4];
    for w in [0.5 + 1e-4, 0.5 - 1e-4] {
        let Ok((_, Request::SetBodyPose(got))) = with_number(pose, 48, w) else {
            panic!("{w}")
        };
        let length: f64 = got
            .world_from_body
            .rotation_xyzw
            .iter()
            .map(|part| part * part)
            .sum();
        assert!((length - 1.0).abs() < 1e-15);
    }
    assert!(with_number(pose, 48, 0.6).is_err());
    assert!(with_number(pose, 48, 0.4).is_err());
}

#[test]
fn codes_that_do_not_exist_are_refused() {
    let mut add = requests()[5].encode(1);
    for (at, bad) in [(160, 7), (160, 255), (161, 2), (162, 1), (167, 1)] {
        let good = std::mem::replace(&mut add[16 + at], bad);
        assert!(Request::decode(&add, 1).is_err(), "{bad} at {at}");
        add[16 + at] = good;
    }
    assert!(Request::decode(&add, 1).is_ok());
    assert!(matches!(
        Request::decode(&replies()[2].encode(1), 0),
        Err(DecodeError::UnknownKind { kind: 0x8103 })
    ));
}

#[test]
fn a_list_longer_than_its_limit_is_refused_before_anything_is_read() {
    let mut packet = replies()[4].encode(1);
    for count in [MAX_ARMS as u32 + 1, u32::MAX] {
        packet[16..20].copy_from_slice(&count.to_le_bytes());
        assert!(matches!(
            Reply::decode(&packet, 0),
            Err(DecodeError::Value { .. })
        ));
    }
}

#[test]
fn a_packet_over_the_limit_is_refused() {
    let mut packet = vec![0; MAX_MESSAGE + 1];
    packet[0..2].copy_from_slice(&0x010c_u16.to_le_bytes());
    packet[4..8].copy_from_slice(&(MAX_MESSAGE as u32 + 1).to_le_bytes());
    assert!(matches!(
        Request::decode(&packet, 0),
        Err(DecodeError::Length { .. })
    ));
}

/// The names that the clients and the configuration use.
#[test]
fn kinds_of_bodies_have_the_published_codes_and_names() {
    let kinds: Vec<(u8, &str, bool)> = BodyKind::ALL
        .iter()
        .map(|kind| (kind.code(), kind.text(), kind.has_surface()))
        .collect();
    assert_eq!(
        kinds,
        [
            (0, "static", false),
            (1, "kinematic", false),
            (2, "dynamic", false),
            (3, "soft", true),
            (4, "cloth", true),
            (5, "crowd", true),
            (6, "implicit", false),
        ]
    );
    assert_eq!(
        [
            ErrorCode::DeformableBody,
            ErrorCode::NoSurface,
            ErrorCode::NoSkin
        ]
        .map(ErrorCode::code),
        [20, 21, 22]
    );
}

#[test]
fn a_malformed_packet_still_tells_its_id() {
    assert_eq!(Header::id_of(&requests()[1].encode(99)), 99);
    assert_eq!(Header::id_of(&[1; 15]), 0);
}

#[test]
fn a_version_mismatch_names_both_versions() {
    let Reply::Refused(refused) = &replies()[1] else {
        panic!()
    };
    let text = refused.to_string();
    assert!(text.contains("1.0") && text.contains("2.5"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..400), descriptors in 0_usize..4) {
        let _ = Request::decode(&bytes, descriptors);
        let _ = Reply::decode(&bytes, descriptors);
        let _ = Event::decode(&bytes, descriptors);
    }

    #[test]
    fn no_body_behind_a_valid_header_does_harm(
        which in any::<prop::sample::Index>(),
        body in prop::collection::vec(prop_oneof![Just(0_u8), any::<u8>()], 0..2000),
    ) {
        let kinds: Vec<u16> = Request::KINDS.iter().chain(Reply::KINDS).chain(Event::KINDS).map(|kind| kind.0).collect();
        let kind = *which.get(&kinds);
        let _ = Request::take_body(kind, &body);
        let _ = Reply::take_body(kind, &body);
        let _ = Event::take_body(kind, &body);
    }

    /// Whatever still decodes after a few bytes changed is a valid message: it encodes to bytes
    /// that decode to the same message.
    #[test]
    fn what_is_decoded_from_damaged_bytes_is_valid(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let all = requests();
        let sample = which.get(&all);
        let mut packet = sample.encode(1);
        for (at, value) in damage {
            let at = at.index(packet.len());
            packet[at] = value;
        }
        if let Ok((id, message)) = Request::decode(&packet, usize::from(sample.descriptors())) {
            let (again_id, again) = Request::decode(&message.encode(id), usize::from(message.descriptors())).unwrap();
            prop_assert_eq!(again_id, id);
            prop_assert_eq!(again, message);
        }
    }

    /// A rotation is normalised once: a decoded pose that is sent on arrives unchanged.
    #[test]
    fn a_decoded_rotation_is_passed_on_unchanged(
        vector in prop::array::uniform3(prop_oneof![
            -1.0..1.0_f64, Just(0.0), -1e-5..1e-5_f64, Just(1.0),
        ]),
        w in prop_oneof![0.1..1.0_f64, -1.0..-0.1_f64, Just(1.0)],
        length in 1.0 - 9e-4..1.0 + 9e-4_f64,
    ) {
        let direction = [vector[0], vector[1], vector[2], w];
        let size = direction.iter().map(|part| part * part).sum::<f64>().sqrt();
        let sent = Pose {
            translation_m: [0.0; 3],
            rotation_xyzw: direction.map(|part| part / size * length),
        };
        let decode = |pose: Pose| {
            let mut bytes = Vec::new();
            pose.put(&mut bytes);
            Pose::take(&mut Decoder::new(&bytes), "pose").unwrap()
        };
        let once = decode(sent);
        prop_assert_eq!(decode(once), once);
        let got = once.rotation_xyzw.iter().map(|part| part * part).sum::<f64>();
        prop_assert!((got - 1.0).abs() < 1e-14, "{}", got);
    }
}

/// What a client's author reads who wrote a codec.
#[test]
fn a_malformed_message_says_what_was_expected() {
    let list = Request::from(request::ListArms {}).encode(1);
    let said = |packet: &[u8], descriptors| {
        let decoded = Request::decode(packet, descriptors);
        decoded.unwrap_err().to_string()
    };
    assert_eq!(
        said(&list, 1),
        "kind 0x0102 takes 0 descriptors; the header says 0 and 1 arrived"
    );
    let mut declared = list.clone();
    declared[2] = 1;
    assert_eq!(
        said(&declared, 1),
        "kind 0x0102 takes 0 descriptors; 1 arrived"
    );
    let mut short = list;
    short.truncate(20);
    short[4] = 20;
    assert_eq!(
        said(&short, 0),
        "the body has 4 bytes, and `reserved` ends at byte 8"
    );
}
