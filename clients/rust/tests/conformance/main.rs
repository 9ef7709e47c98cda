//! The script of requests with the answers that every client gets (`clients/conformance`), and what
//! it does not reach.
//!
//! `HAPTICD` is the daemon's program; unset, it is the one that was built with this test.

mod fields;

use fields::{fields, packet};
use hapticd_client::Client;
use hapticd_protocol::{
    frame::Message,
    layout::{self, MessageLayout},
    reply::Reply,
    request::{self, Request},
    text::Name,
};
use hapticd_sys::sealed_file::create_sealed;
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::fd::AsFd,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A hang becomes a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a step may say. A runner that does not know a word must not pass over it.
const WORDS: [&str; 11] = [
    "request",
    "fields",
    "mesh",
    "mesh_bytes",
    "replace",
    "repeat",
    "descriptors",
    "answer",
    "gives",
    "keep",
    "values",
];

fn conformance() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance")
}

fn script() -> Value {
    let text = fs::read_to_string(conformance().join("script.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no text"))
}

fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("HAPTICD") {
        return named.into();
    }
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("hapticd");
    assert!(
        program.is_file(),
        "{}: build the workspace",
        program.display()
    );
    program
}

/// A daemon of its own, with a copy of a scene for which another one can be put.
struct Daemon {
    process: Child,
    folder: PathBuf,
}

impl Daemon {
    fn start(part: &str, scene: &str) -> Self {
        let name = format!("hapticd-conformance-{}-{part}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        fs::copy(conformance().join(scene), folder.join("configuration.toml")).unwrap();
        let log = File::create(folder.join("log")).unwrap();
        let process = Command::new(program())
            .arg("run")
            .arg(folder.join("configuration.toml"))
            .env("XDG_RUNTIME_DIR", &folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Self { process, folder }
    }

    fn replace(&self, scene: &str) {
        let to = self.folder.join("configuration.toml");
        fs::copy(conformance().join(scene), to).unwrap();
    }

    fn connect(&self, socket: &str) -> Client {
        let path = self.folder.join(format!("hapticd/{socket}.sock"));
        Client::connect_until(&path, "conformance", PATIENCE).unwrap()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap()
    }

    /// Waits until the daemon has taken the goodbye, and ends it.
    fn end(&self) {
        let end = Instant::now() + PATIENCE;
        while !self.log().contains("`conformance` said goodbye") {
            assert!(Instant::now() < end, "no goodbye: {}", self.log());
            std::thread::yield_now();
        }
        let id = self.process.id().to_string();
        let killed = Command::new("kill").args(["-s", "TERM", &id]).status();
        assert!(killed.unwrap().success());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // One that has already ended needs no kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Puts a number in the place of # in a step's texts.
fn numbered(step: &Value, number: u64) -> Value {
    let mut step = step.clone();
    if let Some(fields) = step["fields"].as_object_mut() {
        for value in fields.values_mut() {
            if let Value::String(text) = value {
                *text = text.replace('#', &number.to_string());
            }
        }
    }
    step
}

/// Returns all steps, each as often as it is sent.
fn repeated(steps: &[Value]) -> Vec<Value> {
    let mut all = Vec::new();
    for step in steps {
        let ends = list(&step["repeat"]);
        match ends {
            [first, last] => {
                let numbers = first.as_u64().unwrap()..=last.as_u64().unwrap();
                all.extend(numbers.map(|number| numbered(step, number)));
            }
            _ => all.push(step.clone()),
        }
    }
    all
}

/// A connection in the middle of a part.
struct Run {
    client: Client,
    kept: BTreeMap<String, Value>,
    meshes: Value,
}

impl Run {
    /// Puts kept values in the place of their names.
    fn resolved(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match text.strip_prefix('$') {
                Some(name) => self.kept[name].clone(),
                None => value.clone(),
            },
            Value::Array(list) => list.iter().map(|item| self.resolved(item)).collect(),
            Value::Object(map) => {
                let members = map.iter();
                let members = members.map(|(name, item)| (name.clone(), self.resolved(item)));
                members.collect::<Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }

    /// Returns the file that goes with a request.
    fn content(&self, step: &Value) -> Option<Vec<u8>> {
        let digits = text(&self.meshes[step.get("mesh").map(text)?]);
        let bytes = (0..digits.len()).step_by(2);
        let bytes = bytes.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
        let mut content: Vec<u8> = bytes.collect();
        let length = step["mesh_bytes"]
            .as_u64()
            .map_or(content.len(), |bytes| bytes as usize);
        content.resize(length, 0);
        Some(content)
    }

    /// Sends a step's request and compares its answer.
    fn step(&mut self, step: &Value, at: &str) {
        let layout = message(&layout::messages().requests, text(&step["request"]));
        let packet = packet(&layout, &self.resolved(&step["fields"]));
        let content = self.content(step);
        let files: Vec<_> = content
            .iter()
            .map(|it| create_sealed("mesh", it).unwrap())
            .collect();
        let request = Request::decode(&packet, files.len()).unwrap().1;
        let files: Vec<_> = files.iter().map(AsFd::as_fd).collect();
        let (reply, descriptors) = self.client.exchange(&request, &files).unwrap();
        let layout = layout::messages().replies;
        let layout = layout
            .into_iter()
            .find(|of| of.kind == reply.kind())
            .unwrap();
        let answer = fields(&layout, &reply);
        assert_eq!(layout.body.name, text(&step["answer"]), "{at}: {answer}");
        if let Reply::Error(error) = &reply {
            assert_eq!(error.request, request.kind(), "{at}");
        }
        let expected = step["descriptors"].as_u64().unwrap_or(0);
        assert_eq!(descriptors.len() as u64, expected, "{at}");
        compare(&answer, &self.resolved(&step["gives"]), at);
        for (name, path) in step["keep"].as_object().into_iter().flatten() {
            let pointer = format!("/{}", text(path).replace('.', "/"));
            let value = answer
                .pointer(&pointer)
                .unwrap_or_else(|| panic!("{at}: no {path}"));
            self.kept.insert(name.clone(), value.clone());
        }
    }
}

fn message(of: &[MessageLayout], name: &str) -> MessageLayout {
    let found = of.iter().find(|layout| layout.body.name == name);
    found
        .unwrap_or_else(|| panic!("this client has no {name}"))
        .clone()
}

/// Compares what the script names; the rest of an answer is free.
fn compare(found: &Value, expected: &Value, at: &str) {
    match expected {
        Value::Null => {}
        Value::Object(members) => {
            for (name, member) in members {
                compare(&found[name], member, &format!("{at}, {name}"));
            }
        }
        Value::Array(items) => {
            assert!(
                items.len() <= list(found).len(),
                "{at}: {found} has too few"
            );
            for (index, item) in items.iter().enumerate() {
                compare(&found[index], item, &format!("{at}.{index}"));
            }
        }
        Value::Number(_) => assert_eq!(found.as_f64(), expected.as_f64(), "{at}"),
        _ => assert_eq!(found, expected, "{at}"),
    }
}

fn play(script: &Value, part: &Value) {
    let name = text(&part["name"]);
    let mut daemon = Daemon::start(name, text(&part["scene"]));
    let mut run = Run {
        client: daemon.connect(text(&part["socket"])),
        kept: BTreeMap::new(),
        meshes: script["meshes"].clone(),
    };
    let mut last = String::new();
    for (index, step) in repeated(list(&part["steps"])).iter().enumerate() {
        let at = format!("{name}, {index}: {} {}", step["request"], step["fields"]);
        let unknown = step.as_object().unwrap().keys();
        let unknown: Vec<_> = unknown
            .filter(|word| !WORDS.contains(&word.as_str()))
            .collect();
        assert!(
            unknown.is_empty() && step.get("values").is_none(),
            "{at}: {unknown:?}"
        );
        if let Some(scene) = step.get("replace") {
            daemon.replace(text(scene));
        }
        if !step["answer"].is_null() {
            run.step(step, &at);
        }
        text(&step["request"]).clone_into(&mut last);
    }
    run.client.close();
    match &*last {
        "Goodbye" => daemon.end(),
        "Shutdown" => {}
        other => panic!("{name} ends with {other}"),
    }
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
}

fn play_all(socket: &str) {
    let script = script();
    let parts = list(&script["parts"]).iter();
    let parts: Vec<_> = parts.filter(|part| part["socket"] == *socket).collect();
    assert!(!parts.is_empty());
    for part in parts {
        play(&script, part);
    }
}

#[test]
fn applications_are_answered_as_the_script_says() {
    play_all("app");
}

#[test]
fn technicians_are_answered_as_the_script_says() {
    play_all("technician");
}

/// Names of which the script says why it does not reach them.
fn excused<'a>(script: &'a Value, of: &str) -> Vec<&'a str> {
    let excuses = script["unreached"][of].as_object().unwrap();
    for (name, reason) in excuses {
        assert!(text(reason).split(' ').count() > 3, "{name}: {reason}");
    }
    excuses.keys().map(String::as_str).collect()
}

#[test]
fn the_script_reaches_every_request_and_code_or_says_why_not() {
    let script = script();
    let parts = list(&script["parts"]).iter();
    let steps: Vec<_> = parts.flat_map(|part| list(&part["steps"])).collect();
    let check = |of: &str, all: Vec<&str>, reached: Vec<&str>| {
        let mut missed = all.clone();
        missed.retain(|name| !reached.contains(name));
        assert!(missed.len() < all.len());
        let (mut excused, mut missed) = (excused(&script, of), missed);
        excused.sort_unstable();
        missed.sort_unstable();
        assert_eq!(
            missed, excused,
            "{of} that no step reaches, and those with a reason"
        );
    };
    let messages = layout::messages();
    let requests = messages.requests.iter().chain(&messages.gateway_requests);
    let requests: Vec<_> = requests.map(|request| request.body.name).collect();
    check(
        "requests",
        requests,
        steps.iter().map(|step| text(&step["request"])).collect(),
    );
    let codes = layout::codes();
    let codes = codes
        .iter()
        .find(|codes| codes.name == "ErrorCode")
        .unwrap();
    let codes: Vec<_> = codes.values.iter().map(|code| code.name).collect();
    let errors = steps
        .iter()
        .filter_map(|step| step["gives"]["code"].as_str());
    check("codes", codes, errors.collect());
}

#[test]
fn every_error_of_the_script_has_its_code_number_and_limit() {
    for part in list(&script()["parts"]) {
        for step in list(&part["steps"])
            .iter()
            .filter(|step| step["answer"] == "Error")
        {
            for field in ["code", "number", "limit"] {
                assert!(step["gives"].get(field).is_some(), "{step} without {field}");
            }
        }
    }
}

#[test]
fn a_request_that_a_step_sends_has_all_of_its_fields() {
    let hello = message(&layout::messages().requests, "Hello");
    let name = request::Hello::new(Name::new("me").unwrap());
    let fields = fields(&hello, &Request::from(name.clone()));
    let packet = packet(&hello, &fields);
    assert_eq!(Request::decode(&packet, 0).unwrap().1, Request::from(name));
}
