//! Each threat of `docs/gateway.md` is refused, and the daemon hears nothing of it.

mod kit;

use hapticd_gateway::limits::{MAX_CLIENTS, MAX_FRAME_BYTES, MAX_HEAD_BYTES};
use hapticd_protocol::{
    frame::Message as _,
    gateway::GATEWAY_REQUESTS_PER_S,
    reply::{ErrorCode, Reply},
    request::{self, Request},
};
use kit::{Came, Client, Fake, Happened, KEY, Upgrade, connect, exchange, head};
use std::io::{Read, Write};

/// Sends an upgrade that is refused; returns the status. The daemon must not hear of it.
fn refused(fake: &Fake, change: impl FnOnce(&mut Upgrade)) -> u16 {
    let mut upgrade = fake.upgrade();
    change(&mut upgrade);
    let answer = exchange(fake.address, &upgrade.text());
    assert!(fake.happened.try_recv().is_err(), "the daemon heard of it");
    assert!(!answer.contains(fake.token.text()), "{answer}");
    status(&answer)
}

fn status(answer: &str) -> u16 {
    let status = answer
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    status
        .unwrap_or_else(|| panic!("no answer: {answer}"))
        .parse()
        .unwrap()
}

fn set(field: &mut Option<String>, value: &str) {
    *field = Some(value.to_owned());
}

#[test]
fn foreign_origins_hosts_and_tokens_are_refused() {
    let fake = Fake::new("layers");
    let port = fake.address.port();
    for origin in [
        "http://evil.example",
        "null",
        "",
        "file://",
        "https://127.0.0.1:8127",
    ] {
        assert_eq!(
            refused(&fake, |up| set(&mut up.origin, origin)),
            403,
            "{origin}"
        );
    }
    let other_port = format!("http://127.0.0.1:{}", port ^ 1);
    assert_eq!(refused(&fake, |up| set(&mut up.origin, &other_port)), 403);
    for host in [
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.1.evil.example:{port}"),
        String::new(),
    ] {
        assert_eq!(refused(&fake, |up| set(&mut up.host, &host)), 403, "{host}");
    }
    assert_eq!(refused(&fake, |up| up.host = None), 400);
    let twice = format!("Host: {}\r\n", fake.address);
    assert_eq!(refused(&fake, |up| up.more.clone_from(&twice)), 400);
    let twice = format!("Origin: http://{}\r\n", fake.address);
    assert_eq!(refused(&fake, |up| up.more.clone_from(&twice)), 400);
    let wrong = hapticd_gateway::token::Token::random().unwrap();
    for protocols in [
        format!("hapticd.v1, token.{}", wrong.text()),
        "hapticd.v1, token.".to_owned(),
        "hapticd.v1".to_owned(),
        format!("hapticd.v1, token.{0}, token.{0}", fake.token.text()),
    ] {
        let status = refused(&fake, |up| set(&mut up.protocols, &protocols));
        assert_eq!(status, 401, "{protocols}");
    }
    assert_eq!(refused(&fake, |up| up.protocols = None), 400);
    let only = format!("token.{}", fake.token.text());
    assert_eq!(refused(&fake, |up| set(&mut up.protocols, &only)), 400);
}

#[test]
fn a_token_in_an_address_opens_nothing() {
    let fake = Fake::new("query");
    for name in ["token", "t"] {
        let target = format!("/v1?{name}={}", fake.token.text());
        assert_eq!(refused(&fake, |up| up.target.clone_from(&target)), 400);
        let status = refused(&fake, |up| {
            up.target.clone_from(&target);
            set(&mut up.protocols, "hapticd.v1");
        });
        assert_eq!(status, 400);
    }
}

#[test]
fn an_upgrade_that_is_not_one_is_refused() {
    let fake = Fake::new("upgrade");
    assert_eq!(refused(&fake, |up| up.key = None), 400);
    assert_eq!(refused(&fake, |up| set(&mut up.key, "AAAA")), 400);
    assert_eq!(
        refused(&fake, |up| up.more =
            format!("Sec-WebSocket-Key: {KEY}\r\n")),
        400
    );
    assert_eq!(refused(&fake, |up| set(&mut up.version, "8")), 426);
    assert_eq!(refused(&fake, |up| up.version = None), 426);
    assert_eq!(refused(&fake, |up| up.upgrade = None), 426);
    assert_eq!(refused(&fake, |up| set(&mut up.upgrade, "h2c")), 426);
    assert_eq!(refused(&fake, |up| up.target = "/v2".to_owned()), 404);
    assert_eq!(
        refused(&fake, |up| up.more = "Content-Length: 5\r\n".to_owned()),
        400
    );
    let post = fake.upgrade().text().replace("GET", "POST");
    assert_eq!(status(&exchange(fake.address, &post)), 405);
    let old = fake.upgrade().text().replace("HTTP/1.1", "HTTP/1.0");
    assert_eq!(status(&exchange(fake.address, &old)), 505);
    assert_eq!(
        status(&exchange(fake.address, "\x16\x03\x01 no HTTP\r\n\r\n")),
        400
    );
}

#[test]
fn programs_without_an_origin_need_the_token_alone() {
    let fake = Fake::new("program");
    let mut upgrade = fake.upgrade();
    upgrade.origin = None;
    drop(Client::upgrade(fake.address, &upgrade));
    for origin in [
        "https://app.example".to_owned(),
        format!("http://{}", fake.address),
    ] {
        let mut upgrade = fake.upgrade();
        set(&mut upgrade.origin, &origin);
        drop(Client::upgrade(fake.address, &upgrade));
    }
    let mut upgrade = fake.upgrade();
    set(
        &mut upgrade.host,
        &format!("localhost:{}", fake.address.port()),
    );
    drop(Client::upgrade(fake.address, &upgrade));
}

#[test]
fn a_head_that_is_too_long_or_too_slow_is_refused() {
    let fake = Fake::new("slow");
    let long = format!("X: {}\r\n", "x".repeat(MAX_HEAD_BYTES));
    assert_eq!(refused(&fake, |up| up.more.clone_from(&long)), 431);
    let many = "X: y\r\n".repeat(80);
    assert_eq!(refused(&fake, |up| up.more.clone_from(&many)), 431);

    // One byte after the other, for as long as it is listened to: another is served meanwhile.
    let mut slow = connect(fake.address);
    let text = fake.upgrade().text();
    slow.write_all(&text.as_bytes()[..text.len() - 2]).unwrap();
    drop(fake.client());
    assert!(head(&mut slow).starts_with("HTTP/1.1 408 "));
    // Who says nothing at all is closed without a word.
    let mut silent = connect(fake.address);
    assert_eq!(silent.read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn the_ninth_client_is_refused_until_one_leaves() {
    let fake = Fake::new("ninth");
    let mut clients: Vec<_> = (0..MAX_CLIENTS).map(|_| fake.client()).collect();
    assert_eq!(status(&exchange(fake.address, &fake.upgrade().text())), 503);
    // Pages are served all the same.
    let page = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", fake.address);
    assert_eq!(status(&exchange(fake.address, &page)), 200);
    drop(clients.pop());
    loop {
        if let Happened::Left(_) = fake.next() {
            break;
        }
    }
    let end = std::time::Instant::now() + kit::PATIENCE;
    // The place is free a moment after the daemon has heard of it.
    while !exchange_head(&fake).starts_with("HTTP/1.1 101 ") {
        assert!(std::time::Instant::now() < end);
    }
}

fn exchange_head(fake: &Fake) -> String {
    let mut stream = connect(fake.address);
    stream.write_all(fake.upgrade().text().as_bytes()).unwrap();
    head(&mut stream)
}

#[test]
fn frames_that_are_not_messages_close_the_client() {
    let fake = Fake::new("frames");
    let close = |bytes: &[u8]| {
        let mut client = fake.client();
        client.socket.get_mut().write_all(bytes).unwrap();
        let closed = client.closed();
        loop {
            match fake.next() {
                Happened::Left(_) => return closed,
                Happened::Heard(heard) => assert_eq!(heard.packet[..2], [0x01, 0x01]),
                Happened::Came(_) => {}
            }
        }
    };
    // Unmasked; text; empty; a reserved bit; a control frame that is too long; the rest of nothing.
    assert_eq!(close(&[0x82, 1, 0]).0, 1002);
    assert_eq!(close(&[0x81, 0x81, 0, 0, 0, 0, b'x']).0, 1003);
    assert_eq!(close(&[0xc2, 0x81, 0, 0, 0, 0, 0]).0, 1002);
    let mut ping = vec![0x89, 0xfe, 0, 200];
    ping.extend([0; 4 + 200]);
    assert_eq!(close(&ping).0, 1002);
    assert_eq!(close(&[0x80, 0x81, 0, 0, 0, 0, 0]).0, 1002);
    // Longer than any mesh: refused by its announcement.
    let mut huge = vec![0x82, 0xff];
    huge.extend((MAX_FRAME_BYTES as u64 + 1).to_be_bytes());
    huge.extend([0; 4]);
    assert_eq!(close(&huge).0, 1009);
    // A message that is no mesh has 4096 bytes at most.
    let mut long = vec![0x82, 0xfe];
    long.extend(4097_u16.to_be_bytes());
    long.extend([0; 4 + 4097]);
    assert_eq!(close(&long).0, 1009);
}

#[test]
fn the_first_message_is_a_hello() {
    let fake = Fake::new("first");
    let mut client = Client::connect(fake.address, fake.token.text());
    client.send(request::ListArms {});
    let (code, reason) = client.closed();
    assert_eq!(code, 1008);
    assert!(reason.contains("Hello"), "{reason}");
    assert!(fake.happened.try_recv().is_err());
}

/// The daemon answers a second one; the gateway passes it on as any other.
#[test]
fn a_second_hello_goes_to_the_same_daemon_client() {
    let fake = Fake::new("hellos");
    let mut client = fake.client();
    client.ask(request::Hello::new(kit::name("again")));
    let mut came = 0;
    let mut hellos = 0;
    while hellos < 2 {
        match fake.next() {
            Happened::Came(_) => came += 1,
            Happened::Heard(heard) => {
                assert_eq!(heard.client, 0);
                hellos += 1;
            }
            Happened::Left(client) => panic!("client {client} left"),
        }
    }
    assert_eq!(came, 1);
}

#[test]
fn a_flood_is_refused_and_then_closed() {
    let fake = Fake::new("flood");
    let mut client = fake.client();
    let packet = Request::from(request::ListArms {}).encode(1);
    let mut flood = Vec::new();
    for _ in 0..5 * GATEWAY_REQUESTS_PER_S {
        flood.extend([0x82, 0x80 | packet.len() as u8, 0, 0, 0, 0]);
        flood.extend(&packet);
    }
    // In one piece, so that it is within a second or two.
    let mut stream = client.socket.get_ref().try_clone().unwrap();
    let writer = std::thread::spawn(move || {
        // The gateway closes before it has all.
        let _ = stream.write_all(&flood);
    });
    let (code, reason) = loop {
        match client.next() {
            Came::Reply(_, Reply::Error(error)) => {
                assert_eq!(error.code, ErrorCode::TooManyMessages);
                assert_eq!(error.limit, u64::from(GATEWAY_REQUESTS_PER_S));
            }
            Came::Closed(code, reason) => break (code, reason),
            _ => {}
        }
    };
    writer.join().unwrap();
    assert_eq!(code, 1008, "{reason}");
    drop(client);
    let mut passed = 0;
    loop {
        match fake.next() {
            Happened::Heard(_) => passed += 1,
            Happened::Left(_) => break,
            Happened::Came(_) => {}
        }
    }
    // Two windows of a second at most, and the hello.
    assert!(passed <= 2 * GATEWAY_REQUESTS_PER_S + 1, "{passed}");
}

#[test]
fn pings_count_as_requests() {
    let fake = Fake::new("pings");
    let mut client = fake.client();
    let flood: Vec<u8> = [0x89, 0x80, 0, 0, 0, 0].repeat(5 * GATEWAY_REQUESTS_PER_S as usize);
    let mut stream = client.socket.get_ref().try_clone().unwrap();
    let writer = std::thread::spawn(move || {
        let _ = stream.write_all(&flood);
    });
    assert_eq!(client.closed().0, 1008);
    writer.join().unwrap();
}

#[test]
fn only_the_page_is_served_and_every_answer_forbids_what_it_does_not_need() {
    let fake = Fake::new("page");
    let get = |target: &str| {
        let host = fake.address;
        exchange(
            host,
            &format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        )
    };
    for (target, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/page/page.js", "text/javascript; charset=utf-8"),
        ("/hapticd/index.js", "text/javascript; charset=utf-8"),
        ("/vendor/three.js", "text/javascript; charset=utf-8"),
        ("/nothing", "text/plain; charset=utf-8"),
    ] {
        let answer = get(target);
        assert_eq!(
            status(&answer),
            if target == "/nothing" { 404 } else { 200 }
        );
        let policy = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src \
                      'self'; img-src 'self'; connect-src 'self'";
        for header in [
            &format!("Content-Type: {kind}\r\n"),
            "X-Content-Type-Options: nosniff\r\n",
            "Cross-Origin-Resource-Policy: same-origin\r\n",
            "frame-ancestors 'none'\r\n",
            policy,
        ] {
            assert!(
                answer.contains(header),
                "{target} lacks {header}: {answer:.900}"
            );
        }
        assert!(!answer.contains("Access-Control"), "{target}");
        assert!(!answer.contains(fake.token.text()), "{target}");
    }
    for target in [
        "/../Cargo.toml",
        "/%2e%2e/",
        "//",
        "/page/",
        "/page/page.js?x",
        "*",
        "/v1/",
    ] {
        assert!(matches!(status(&get(target)), 400 | 404), "{target}");
    }
    let page = get("/");
    for inline in ["<script>", "onclick", "<style", " style=", "javascript:"] {
        assert!(!page.contains(inline), "{inline}");
    }
    let foreign = format!(
        "GET / HTTP/1.1\r\nHost: evil.example:{}\r\n\r\n",
        fake.address.port()
    );
    assert_eq!(status(&exchange(fake.address, &foreign)), 403);
}

#[test]
fn beyond_loopback_there_must_be_tls() {
    use hapticd_gateway::{Server, Settings, StartError, token::Token};
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let refused = Server::start(Settings {
            listen: address.parse().unwrap(),
            socket: "/nowhere".into(),
            names: Vec::new(),
            origins: Vec::new(),
            tls: None,
            token: Token::random().unwrap(),
        });
        let error = refused.unwrap_err();
        assert!(matches!(error, StartError::NoTls(_)), "{error}");
        assert!(error.to_string().contains("--tls-cert"), "{error}");
    }
}
