//! Fault attribution: each error of a client has its own code.

use super::*;
use hapticd_client::{ErrorCode, RequestError};

#[test]
fn what_a_client_does_wrong_is_not_the_daemons_fault() {
    let dir = folder("faults");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    let mut app = Client::connect_to(&dir.join("hapticd/app.sock"), "app").unwrap();
    daemon.until("application `app` connected (process ");
    let cube = shapes::cuboid(&Vec3::repeat(0.015)).unwrap();
    let whole = Mesh {
        positions: cube.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: cube.triangles().to_vec(),
    };
    let open = Mesh {
        triangles: cube.triangles()[1..].to_vec(),
        ..whole.clone()
    };
    let spec = hapticd_chaos::clients::spec("wall", BodyKind::Static, [0.1, 0.0, 0.1]);
    app.add_body(&spec, &whole).unwrap();
    let dynamic = BodySpec {
        name: "block",
        kind: BodyKind::Dynamic,
        ..spec
    };
    let named = |name| BodySpec { name, ..spec };
    let inside = "body `block`: it would start inside `wall`: ";
    for (mesh, spec, code, says) in [
        (&whole, dynamic, ErrorCode::InvalidBody, inside),
        (
            &open,
            named("open"),
            ErrorCode::InvalidMesh,
            "3 boundary edges",
        ),
        (&whole, named("wall"), ErrorCode::NameTaken, "`wall`"),
    ] {
        match app.add_body(&spec, mesh) {
            Err(RequestError::Refused(error)) => {
                assert_eq!(error.code, code, "{error}");
                let detail = error.detail.as_str();
                assert!(detail.contains(says), "{detail}");
            }
            other => panic!("{other:?}"),
        }
    }
    app.close();
    daemon.until("`app` said goodbye");
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}
