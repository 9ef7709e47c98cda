//! Implicit bodies through real sockets: found in the list, opened, read while they are written, and nobody's to move.

use super::*;
use crate::ipc::skins::SkinMesh;
use hapticd_client::{ReadError, ReadSkinError, SkinFrame, SkinMoment};

const WORM: u32 = 1 << 30;

fn rig(name: &str) -> Rig {
    let info = SkinInfo {
        id: WORM,
        name: "worm".into(),
        triangles: 20_000,
    };
    Rig::with_shown(name, patient(), &[], &[info])
}

/// A frame all of whose numbers are its own.
fn write(writer: &mut SkinWriter, number: u32) {
    let count = 3 + number as usize % 7000;
    let points = vec![[number as f32; 3]; count];
    let triangles: Vec<[u32; 3]> = (0..count as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
    let moment = SkinMoment {
        frame: u64::from(number),
        ..SkinMoment::default()
    };
    let mesh = SkinMesh {
        points: &points,
        normals: &points,
        velocities: &points,
        triangles: &triangles,
    };
    writer.write(moment, &mesh).unwrap();
}

#[test]
fn a_client_finds_implicit_bodies_and_reads_whole_frames_while_they_are_written() {
    let mut rig = rig("skin");
    let mut client = rig.client("viewer");
    let bodies = client.bodies().unwrap();
    assert_eq!(bodies.len(), 1);
    let body = bodies.first().unwrap();
    assert_eq!((body.body, body.kind.text()), (WORM, "implicit"));
    let mut skin = client.skin(WORM).unwrap();
    let mut frame = SkinFrame::default();
    let empty = Err(ReadSkinError::Read(ReadError::Empty));
    assert_eq!(skin.read(&mut frame), empty);
    let mut writer = rig.skins.remove(0);
    write(&mut writer, 1);
    skin.read(&mut frame).unwrap();
    assert_eq!((frame.moment.frame, frame.points.len()), (1, 4));
    const LAST: u32 = 3000;
    let writing = thread::spawn(move || {
        for number in 2..=LAST {
            write(&mut writer, number);
        }
    });
    let mut last = 0;
    while last < u64::from(LAST) {
        match skin.read(&mut frame) {
            Ok(()) => {
                let number = frame.moment.frame;
                assert!(number >= last, "{number} after {last}");
                last = number;
                let value = number as f32;
                assert_eq!(frame.points.len(), 3 + number as usize % 7000);
                for list in [&frame.points, &frame.normals, &frame.velocities] {
                    assert!(list.iter().flatten().all(|x| *x == value), "a mixture");
                }
            }
            Err(error) => assert_eq!(error, ReadSkinError::Read(ReadError::Torn)),
        }
    }
    writing.join().unwrap();
}

#[test]
fn nobody_moves_one_and_what_has_no_skin_is_told_apart_from_what_is_not_there() {
    let rig = rig("skinless");
    let mut client = rig.client("mover");
    rig.add(&mut client, 10);
    for (body, expected) in [(10, ErrorCode::NoSkin), (11, ErrorCode::NoSuchBody)] {
        assert_eq!(refusal(client.skin(body).unwrap_err()), expected);
    }
    assert_eq!(
        refusal(client.surface(WORM).unwrap_err()),
        ErrorCode::NoSurface
    );
    assert_eq!(
        refusal(client.remove_body(WORM).unwrap_err()),
        ErrorCode::Deformable
    );
}
