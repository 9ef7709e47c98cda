//! TLS: the same messages, and nothing without it.

mod kit;

use hapticd_gateway::tls;
use hapticd_protocol::{
    reply::Reply,
    request::{self},
};
use kit::{Client, Fake, connect, name};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
    version::{TLS12, TLS13},
};
use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/certificate")
        .join(name)
}

fn secure(name: &str) -> Fake {
    let config = tls::configuration(&file("certificate.pem"), &file("key.pem")).unwrap();
    Fake::start(name, Some(config), Arc::new(|_| Vec::new()))
}

#[test]
fn messages_go_through_tls() {
    for (name, version) in [("tls-1.2", &TLS12), ("tls-1.3", &TLS13)] {
        messages_go_through(name, version);
    }
}

fn messages_go_through(folder: &str, version: &'static SupportedProtocolVersion) {
    let fake = secure(folder);
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(file("certificate.pem")).unwrap())
        .unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let host = "localhost".try_into().unwrap();
    let connection = ClientConnection::new(Arc::new(config), host).unwrap();
    let stream = StreamOwned::new(connection, connect(fake.address));
    let mut upgrade = fake.upgrade();
    // An origin without TLS is another one.
    upgrade.origin = Some(format!("https://{}", fake.address));
    let mut client = Client::over(stream, &upgrade);
    let welcome = client.ask(request::Hello::new(name("tls")));
    assert!(matches!(welcome, Reply::Welcome(_)), "{welcome:?}");
    // Longer than a record of TLS and than what a socket holds.
    let long = hapticd_protocol::frame::Message::encode(
        &request::Request::from(request::RemoveBody { body: 7 }),
        9,
    );
    for _ in 0..100 {
        client.send_bytes(long.clone());
        assert!(matches!(client.answer(9), Reply::Done(_)));
    }
}

#[test]
fn without_tls_nothing_is_said() {
    let fake = secure("plain");
    let mut stream = connect(fake.address);
    stream.write_all(fake.upgrade().text().as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(
        !answer.windows(4).any(|bytes| bytes == b"HTTP"),
        "{answer:?}"
    );
    assert!(fake.happened.try_recv().is_err());
}

#[test]
fn files_that_do_not_suit_are_named() {
    let (chain, key) = (file("certificate.pem"), file("key.pem"));
    for (chain, key, says) in [
        (&file("nothing.pem"), &key, "nothing.pem"),
        (&key, &key, "key.pem"),
        (&chain, &chain, "no private key"),
    ] {
        let error = tls::configuration(chain, key).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
