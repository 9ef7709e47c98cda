//! Shapes through real sockets: another client draws what one client added, and cannot change it.

use super::*;
use hapticd_client::tool_id;

#[test]
fn a_client_reads_the_shapes_of_tools_and_of_others_bodies() {
    let fixture = Fixture::new("shapes", patient());
    let (mut app, mut viewer) = (fixture.client("app"), fixture.client("viewer"));
    fixture.add(&mut app, 7);
    for client in [&mut app, &mut viewer] {
        let read = client.shape(7).unwrap();
        assert_eq!(read.triangles, cube().triangles);
        let single = |mesh: &Mesh| -> Vec<[f32; 3]> {
            let positions = mesh.positions.iter();
            positions.map(|p| p.map(|x| x as f32)).collect()
        };
        assert_eq!(single(&read), single(&cube()));
        let drawn = client.shape(tool_id(0)).unwrap();
        assert_eq!(drawn.triangles, tool().triangles());
    }
    app.remove_body(7).unwrap();
    for body in [7, tool_id(1)] {
        let refused = refusal(viewer.shape(body).unwrap_err());
        assert_eq!(refused, ErrorCode::NoSuchBody);
    }
}

#[test]
fn clients_cannot_write_or_resize_a_shape() {
    let fixture = Fixture::new("sealed", patient());
    let raw = fixture.raw();
    let ask = |request: Request| {
        let mut buffer = [0; 4096];
        raw.send(&request.encode(1), &[]).unwrap();
        wait(&[(raw.as_fd(), Interest::Read)], Some(PATIENCE)).unwrap();
        let received = raw.receive(&mut buffer).unwrap();
        let reply = Reply::decode(&buffer[..received.length], received.fds.len());
        (reply.unwrap().1, received.fds)
    };
    ask(request::Hello::new(Name::new("raw").unwrap()).into());
    let body = tool_id(0);
    let (reply, mut fds) = ask(request::OpenShape { body }.into());
    assert_eq!(reply, Reply::Shape(hapticd_protocol::reply::Shape { body }));
    let file = std::fs::File::from(fds.pop().unwrap());
    let length = file.metadata().unwrap().len();
    for refused in [
        std::os::unix::fs::FileExt::write_at(&file, &[1], 40).map(|_| ()),
        file.set_len(length - 1),
        file.set_len(length + 1),
    ] {
        let error = refused.unwrap_err();
        assert_eq!(
            error.kind(),
            std::io::ErrorKind::PermissionDenied,
            "{error}"
        );
    }
}
