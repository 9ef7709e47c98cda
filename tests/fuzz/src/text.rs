//! Targets for configurations, intentions, and folders of sockets.

use crate::input::Input;
use hapticd_config::{Context, parse, reload};
use hapticd_devices::sim::Intention;
use hapticd_protocol::{socket_folder, text::Name};
use std::{ffi::OsString, os::unix::ffi::OsStringExt};

/// A configuration: parsed and checked. An accepted one survives being written out completely.
pub fn config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let environment = |name: &str| (name == "HOME").then(|| "/home/user".to_owned());
    let context = Context::new("/etc/hapticd", environment);
    match parse("fuzz.toml", &text, &context) {
        Ok(loaded) => {
            let effective = loaded.effective_toml();
            let nothing = Context::new("/", |_| None);
            if let Err(error) = parse("effective.toml", &effective, &nothing) {
                panic!("what is in force is not taken again: {error}\n{effective}");
            }
            let _ = loaded.effective_json();
            let defaults = parse("default.toml", "", &context).unwrap();
            let _ = reload::compare(&defaults, &loaded);
            let _ = reload::compare(&loaded, &defaults);
        }
        Err(errors) => assert!(!errors.to_string().is_empty()),
    }
}

/// A file with an intention. An accepted intention gives the hand a pose at every time.
pub fn intention(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(intention) = toml::from_str::<Intention>(&text) else {
        return;
    };
    if intention.validate().is_err() {
        return;
    }
    for t_s in [0.0, 0.001, 0.5, 1.0, 7.3, 600.0, 1e6] {
        let pose = intention.pose(t_s).to_homogeneous();
        assert!(pose.iter().all(|x| x.is_finite()), "at {t_s} s: {pose}");
    }
}

/// Names of clients, and the folders that the environment names.
pub fn socket_folder(data: &[u8]) {
    let mut input = Input::new(data);
    let user = input.word();
    let session = input.piece().to_vec();
    let service = input.piece().to_vec();
    let look_up = |name: &str| match name {
        "XDG_RUNTIME_DIR" => Some(OsString::from_vec(session.clone())),
        "RUNTIME_DIRECTORY" => Some(OsString::from_vec(service.clone())),
        _ => None,
    };
    // Among them are those of this user's daemon.
    for found in socket_folder::of_client(look_up, user) {
        assert!(found.path.is_absolute(), "{:?}", found.path);
    }
    if let Ok(text) = std::str::from_utf8(input.rest())
        && let Ok(name) = Name::new(text)
    {
        assert_eq!(name.as_str(), text);
    }
}
