//! Clients of other major versions, at the socket.

use super::*;

/// The hello of a client of version 2.4 with the name `old`, as that version sent it. Hello and
/// refusal keep their layout in every version.
fn hello_of_2_4() -> Vec<u8> {
    let mut packet = Vec::new();
    // Kind, descriptors, reserved; length; id.
    packet.extend([0x01, 0x01, 0, 0]);
    packet.extend(96_u32.to_le_bytes());
    packet.extend(1_u64.to_le_bytes());
    // Magic, major, minor, features, name.
    packet.extend(b"HAPTICD\0");
    packet.extend([2, 0, 4, 0]);
    packet.extend([0; 4]);
    packet.extend(b"old");
    packet.resize(96, 0);
    packet
}

#[test]
fn a_client_of_major_version_2_is_told_to_build_again() {
    let fixture = Fixture::new("version", patient());
    let old = fixture.raw();
    old.send(&hello_of_2_4(), &[]).unwrap();
    wait(&[(old.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
    let mut packet = [0; 4096];
    let received = old.receive(&mut packet).unwrap();
    let packet = &packet[..received.length];
    // Kind 0x8102, 32 bytes, the request's id; reason 2, the daemon's version, the client's.
    let [major, minor] = [hapticd_protocol::MAJOR as u8, hapticd_protocol::MINOR as u8];
    let head = [0x02, 0x81, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(packet[..16], head);
    assert_eq!(packet[16..26], [2, 0, major, 0, minor, 0, 2, 0, 4, 0]);
    assert_eq!(packet[26..], [0; 6]);
    let Ok((1, Reply::Refused(refused))) = Reply::decode(packet, 0) else {
        panic!("{packet:?}")
    };
    assert_eq!(
        refused.to_string(),
        "the client speaks protocol 2.4 and the daemon 3.0, which differ in the major version: \
         build the client again with the client library of the daemon's release"
    );
    assert_eq!(read_until_closed(&old), 0, "nothing follows");
    // It was no client, and others are served.
    let mut new = fixture.client("new");
    assert_eq!(new.bodies().unwrap(), []);
    assert!(fixture.commands.is_empty());
}
