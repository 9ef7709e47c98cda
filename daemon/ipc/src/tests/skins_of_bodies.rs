//! Implicit bodies through real sockets: found in the list, opened, read while they are written,
//! and movable by no client.

use super::*;
use crate::skins::SkinMesh;
use hapticd_client::export::{FileFormat, SkinSelection, SkinsError, newest_skins};
use hapticd_client::{ReadError, ReadSkinError, SkinFrame, SkinFrameHeader};
use hapticd_geometry::load::{Format, from_bytes};
use std::time::Duration;

const WORM: u32 = 1 << 30;

fn fixture(name: &str) -> Fixture {
    let info = SkinInfo {
        id: WORM,
        name: "worm".into(),
        triangles: 20_000,
    };
    Fixture::with_shown(name, patient(), &[], &[info])
}

/// A frame in which all numbers are distinct.
fn write(writer: &mut SkinWriter, number: u32) {
    let count = 3 + number as usize % 7000;
    let points = vec![[number as f32; 3]; count];
    let triangles: Vec<[u32; 3]> = (0..count as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
    let header = SkinFrameHeader {
        frame: u64::from(number),
        ..SkinFrameHeader::default()
    };
    let mesh = SkinMesh {
        points: &points,
        normals: &points,
        velocities: &points,
        triangles: &triangles,
    };
    writer.write(header, &mesh).unwrap();
}

#[test]
fn a_client_finds_implicit_bodies_and_reads_whole_frames_while_they_are_written() {
    let mut fixture = fixture("skin");
    let mut client = fixture.client("viewer");
    let bodies = client.bodies().unwrap();
    assert_eq!(bodies.len(), 1);
    let body = bodies.first().unwrap();
    assert_eq!((body.body, body.kind.text()), (WORM, "implicit"));
    let mut skin = client.skin(WORM).unwrap();
    let mut frame = SkinFrame::default();
    let empty = Err(ReadSkinError::Read(ReadError::Empty));
    assert_eq!(skin.read(&mut frame), empty);
    let mut writer = fixture.skins.remove(0);
    write(&mut writer, 1);
    skin.read(&mut frame).unwrap();
    assert_eq!((frame.header.frame, frame.points.len()), (1, 4));
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
                let number = frame.header.frame;
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
fn implicit_bodies_do_not_move_and_no_skin_differs_from_no_body() {
    let fixture = fixture("skinless");
    let mut client = fixture.client("mover");
    fixture.add(&mut client, 10);
    for (body, expected) in [(10, ErrorCode::NoSkin), (11, ErrorCode::NoSuchBody)] {
        assert_eq!(refusal(client.skin(body).unwrap_err()), expected);
    }
    assert_eq!(
        refusal(client.surface(WORM).unwrap_err()),
        ErrorCode::NoSurface
    );
    assert_eq!(
        refusal(client.remove_body(WORM).unwrap_err()),
        ErrorCode::DeformableBody
    );
}

#[test]
fn the_newest_skins_are_exported_and_missing_ones_named() {
    // The name of the second is the number of the first.
    let names = ["worm", "1073741824"];
    let infos = [0, 1].map(|k| SkinInfo {
        id: WORM + k,
        name: names[k as usize].into(),
        triangles: 20_000,
    });
    let mut fixture = Fixture::with_shown("export", patient(), &[], &infos);
    let mut client = fixture.client("exporter");
    let mut skins = |whose| newest_skins(&mut client, whose, Duration::ZERO);
    let said = skins(SkinSelection::All).unwrap_err();
    assert!(matches!(said, SkinsError::NoFrame { .. }), "{said}");
    for (writer, number) in fixture.skins.iter_mut().zip([9, 20]) {
        write(writer, number - 1);
        write(writer, number);
    }
    let all = skins(SkinSelection::All).unwrap();
    let told = all.iter().map(|s| (&*s.body.name, s.frame.header.frame));
    assert_eq!(told.collect::<Vec<_>>(), [("worm", 9), (names[1], 20)]);
    let identity = (WORM + 1).to_string();
    for (asked, body) in [("worm", WORM), (names[1], WORM + 1), (&*identity, WORM + 1)] {
        let one = skins(SkinSelection::One(asked)).unwrap();
        assert_eq!((one.len(), one[0].body.body), (1, body), "{asked}");
    }
    let said = skins(SkinSelection::One("snake")).unwrap_err().to_string();
    let expected = format!(
        "no body `snake`; there are: worm ({WORM}), {WORM} ({})",
        WORM + 1
    );
    assert!(said.contains(&expected), "{said}");
    // Strips of 12 and 23 points, each in one place, and no two triangles along a side in two
    // directions.
    let parts: Vec<_> = all.iter().map(|skin| skin.part()).collect();
    assert_eq!(parts[0].surface.open_sides(), 3 * 10);
    let mut bytes = Vec::new();
    FileFormat::Ply.write(&parts, &mut bytes).unwrap();
    let read = from_bytes(&bytes, Format::Ply, "export");
    assert!(
        read.is_err(),
        "no triangle of a strip in a point has an area"
    );
    let text = String::from_utf8_lossy(&bytes);
    assert!(
        text.contains("comment faces 10 to 30: 1073741824\nelement vertex 35\n"),
        "{text}"
    );
}

#[test]
fn a_scene_without_skins_says_what_there_is() {
    let fixture = fixture("skinned");
    let mut client = fixture.client("exporter");
    fixture.add(&mut client, 10);
    let said = newest_skins(&mut client, SkinSelection::One("10"), Duration::ZERO).unwrap_err();
    assert!(
        matches!(&said, SkinsError::NoSkin { body, with } if body.body == 10 && with.len() == 1),
        "{said}"
    );
    let bare = Fixture::with_shown("bare", patient(), &[], &[]);
    let mut client = bare.client("exporter");
    bare.add(&mut client, 10);
    let said = newest_skins(&mut client, SkinSelection::All, Duration::ZERO).unwrap_err();
    assert!(
        matches!(&said, SkinsError::NoSkins { there } if there.len() == 1),
        "{said}"
    );
}
