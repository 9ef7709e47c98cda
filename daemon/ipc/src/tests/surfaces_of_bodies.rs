//! Deformable bodies through real sockets: found in the list, opened, read while they are written,
//! and movable by no client.

use super::*;
use crate::surfaces::SurfaceKind;
use hapticd_client::{ReadError, SurfaceFrameHeader};

const PAD: u32 = 1 << 30;
const FLAG: u32 = PAD + 1;

/// A strip of `points` points.
fn strip(id: u32, name: &str, kind: SurfaceKind, points: u32) -> SurfaceInfo {
    SurfaceInfo {
        id,
        name: name.to_owned(),
        kind,
        points: points as usize,
        triangles: (2..points).map(|k| [k - 2, k - 1, k]).collect(),
    }
}

fn fixture(name: &str) -> Fixture {
    let infos = [
        strip(PAD, "pad", SurfaceKind::Soft, 5),
        strip(FLAG, "flag", SurfaceKind::Cloth, 4000),
    ];
    Fixture::with_surfaces(name, patient(), &infos)
}

#[test]
fn a_client_finds_deformable_bodies_and_reads_what_is_written() {
    let mut fixture = fixture("surface");
    let mut client = fixture.client("viewer");
    let found: Vec<_> = client
        .bodies()
        .unwrap()
        .iter()
        .map(|b| {
            (
                b.body,
                b.name.to_string(),
                b.kind.text(),
                b.triangles,
                b.owned,
            )
        })
        .collect();
    let expected = [(PAD, "pad", "soft", 3), (FLAG, "flag", "cloth", 3998)];
    assert_eq!(
        found,
        expected.map(|(id, name, kind, triangles)| (id, name.to_owned(), kind, triangles, false))
    );

    let mut pad = client.surface(PAD).unwrap();
    assert_eq!((pad.body(), pad.points(), pad.version()), (PAD, 5, 0));
    assert_eq!(pad.triangles(), [[0, 1, 2], [1, 2, 3], [2, 3, 4]]);
    let mut points = Vec::new();
    assert_eq!(pad.read(&mut points), Err(ReadError::Empty));
    let written: Vec<[f32; 3]> = (0..5u8).map(|k| [f32::from(k), 0.1, -2.5]).collect();
    let writer = &mut fixture.surfaces[0];
    assert_eq!(writer.id(), PAD);
    writer.add_lost_ns(5);
    writer.write(3, 4, written.iter().copied()).unwrap();
    let moment = SurfaceFrameHeader {
        tick: 3,
        time_ns: 4,
        lost_ns: 5,
    };
    assert_eq!(pad.read(&mut points), Ok(moment));
    assert_eq!(points, written);
    // Opened again it is the same, and it outlives the daemon.
    let mut again = client.surface(PAD).unwrap();
    fixture.stop();
    assert!(matches!(
        client.surface(PAD),
        Err(RequestError::Disconnected)
    ));
    assert_eq!((again.read(&mut points), again.version()), (Ok(moment), 1));
    assert_eq!(points, written);
}

#[test]
fn no_step_is_seen_in_parts() {
    const STEPS: u16 = 2000;
    let mut fixture = fixture("whole");
    let mut client = fixture.client("viewer");
    let mut flag = client.surface(FLAG).unwrap();
    let mut writer = fixture.surfaces.remove(1);
    thread::scope(|scope| {
        scope.spawn(move || {
            for step in 1..=STEPS {
                let at = [f32::from(step); 3];
                writer.write(step.into(), 0, (0..4000).map(|_| at)).unwrap();
            }
        });
        let (mut points, mut newest) = (Vec::new(), 0);
        while newest < u64::from(STEPS) {
            match flag.read(&mut points) {
                Ok(moment) => {
                    assert!(moment.tick >= newest, "{} after {newest}", moment.tick);
                    newest = moment.tick;
                    let of_another = points.iter().flatten().find(|x| **x != newest as f32);
                    assert_eq!((of_another, points.len()), (None, 4000));
                }
                Err(ReadError::Empty | ReadError::Torn) => thread::yield_now(),
            }
        }
    });
}

#[test]
fn what_makes_no_sense_for_a_deformable_body_is_refused_and_says_so() {
    let fixture = fixture("refusals");
    let mut client = fixture.client("app");
    fixture.add(&mut client, 7);
    for body in [PAD, FLAG] {
        for error in [
            client
                .set_body_pose(body, Pose::IDENTITY, 0.5, 100)
                .unwrap_err(),
            client.halt_body(body).unwrap_err(),
            client.remove_body(body).unwrap_err(),
        ] {
            let text = format!("body {body} is ");
            assert!(error.to_string().contains(&text), "{error}");
            assert_eq!(refusal(error), ErrorCode::DeformableBody);
        }
    }
    for kind in [BodyKind::Soft, BodyKind::Cloth, BodyKind::Crowd] {
        let spec = BodySpec {
            kind,
            ..spec("more")
        };
        let error = client.add_body(&spec, &cube()).unwrap_err();
        assert!(
            error.to_string().contains("only the configuration can add"),
            "{error}"
        );
        assert_eq!(refusal(error), ErrorCode::OutOfRange);
    }
    let error = client.surface(7).unwrap_err();
    assert!(
        error.to_string().contains("body 7 has no surface"),
        "{error}"
    );
    assert_eq!(refusal(error), ErrorCode::NoSurface);
    assert_eq!(
        refusal(client.surface(99).unwrap_err()),
        ErrorCode::NoSuchBody
    );
    // None of these requests reached the scene, and the bodies still exist.
    assert!(fixture.commands.is_empty());
    assert_eq!(client.bodies().unwrap().len(), 3);
    client.surface(PAD).unwrap();
}
