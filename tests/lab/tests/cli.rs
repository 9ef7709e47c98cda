//! The program as scripts use it: exit status, JSON keys, files there and back.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn lab(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(args)
        .output()
        .expect("the program runs")
}

fn object(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).expect("one JSON object")
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lab-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn experiments_are_listed_and_unknown_ones_are_the_users_fault() {
    let list = lab(&["list"]);
    assert!(list.status.success());
    assert!(String::from_utf8_lossy(&list.stdout).contains("ccd-queries"));
    for wrong in [
        &["run", "ccd-query"][..],
        &["run"],
        &["run", "none-all"],
        &["walk"],
    ] {
        assert_eq!(lab(wrong).status.code(), Some(2), "{wrong:?}");
    }
    for help in [
        &["run", "--help"][..],
        &["run", "ccd-queries", "--help"],
        &["--help"],
    ] {
        assert!(lab(help).status.success(), "{help:?}");
    }
}

#[test]
fn a_set_that_is_made_is_answered_without_a_miss_and_read_back_the_same() {
    let folder = Folder::new("made");
    let made = lab(&[
        "run",
        "ccd-queries",
        "--count",
        "110",
        "--write",
        &folder.path(""),
        "--json",
    ]);
    let made = object(&made);
    assert_eq!(made["id"], "ccd-queries");
    assert_eq!(
        (&made["queries"], &made["missed"]),
        (&Value::from(220), &Value::from(0))
    );
    assert!(made["colliding"].as_u64() > Some(20), "{made}");
    for key in ["false_alarms", "mean_ns", "p99_ns", "max_ns"] {
        assert!(made[key].is_number(), "{key}");
    }
    // Whether it holds depends on the clock; that it says so does not.
    assert!(made["verdict"] == "holds" || made["verdict"] == "falls short");
    assert!(made["why"].is_string() && made["rows"][2]["published"] == 0);

    let files = ["vertex-face/queries.csv", "edge-edge/queries.csv"].map(|f| folder.path(f));
    let read = lab(&[
        "run",
        "--json",
        "ccd-queries",
        &files[0],
        &files[1],
        "--exact-truth",
        "--verbose",
    ]);
    let read = object(&read);
    for key in [
        "queries",
        "colliding",
        "missed",
        "false_alarms",
        "uncertain",
    ] {
        assert_eq!(read[key], made[key], "{key}");
    }
    assert_eq!(
        (&read["rounded"], &read["wrong_labels"]),
        (&Value::from(0), &Value::from(0))
    );
    assert_eq!(read["per_query"].as_array().map(Vec::len), Some(220));
}

#[test]
fn a_file_that_is_not_of_the_form_is_the_users_fault_and_the_line_is_named() {
    let folder = Folder::new("bad");
    let write = |name: &str, text: &str| {
        let path = folder.path(name);
        std::fs::write(Path::new(&path), text).expect("written");
        path
    };
    let row = "1,2,0,1,3,4,0\n";
    let short = write("short-vf.csv", &row.repeat(7));
    let unnamed = write("queries.csv", &row.repeat(8));
    let missing = folder.path("missing-ee.csv");
    for (args, complaint) in [
        (
            vec![short.as_str()],
            "line 7: the last query has 7 rows of 8",
        ),
        (vec![unnamed.as_str()], "--kind"),
        (vec![missing.as_str()], "missing-ee.csv"),
        (vec!["--count", "many"], "many"),
    ] {
        let output = lab(&[&["run", "ccd-queries"][..], &args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(complaint), "{text}");
    }
    let told = object(&lab(&[
        "run",
        "ccd-queries",
        &unnamed,
        "--kind",
        "ee",
        "--json",
    ]));
    assert_eq!(
        (&told["queries"], &told["by_kind"]["vf"]),
        (&Value::from(1), &Value::Null)
    );
}

#[test]
fn a_peer_that_is_not_there_is_an_error_and_not_a_row() {
    let output = lab(&[
        "run",
        "ccd-queries",
        "--count",
        "11",
        "--peer",
        "/nowhere/python",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let told = object(&output);
    assert!(
        told["error"]
            .as_str()
            .is_some_and(|e| e.contains("/nowhere/python")),
        "{told}"
    );
    assert_eq!(told["rows"], Value::Null);
}

#[test]
fn the_pipeline_is_run_on_an_adapter_and_its_contacts_are_compared() {
    let size = ["--bodies", "5", "--sheets", "1", "--cells", "8"];
    let length = ["--steps", "24", "--passes", "2", "--json"];
    let mut args = vec!["run", "rays-pipeline"];
    args.extend(size.iter().chain(&length));
    if std::env::var_os("HAPTICD_GPU").is_none() {
        args.extend(["--gpu", "software"]);
    }
    // Whether it holds is a question of time, which is not asked here.
    let told = object(&lab(&args));
    assert_eq!(told["error"], Value::Null, "{told}");
    assert_eq!(told["rows"].as_array().map(Vec::len), Some(9));
    assert!(
        told["adapter"]
            .as_str()
            .is_some_and(|name| !name.is_empty())
    );
    let [compared, differ] = ["compared", "differ"].map(|key| told[key].as_u64());
    let (Some(compared), Some(differ)) = (compared, differ) else {
        panic!("{told}");
    };
    assert!(compared > 1000 && differ * 500 <= compared, "{told}");
}

#[test]
fn without_an_adapter_the_pipeline_is_an_error_that_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["run", "rays-pipeline", "--gpu", "software"])
        .env("VK_DRIVER_FILES", "/nowhere/driver.json")
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        told.trim_end(),
        "lab: rays-pipeline: no software adapter; Vulkan offers: none"
    );
    let output = lab(&["run", "rays-pipeline", "--gpu", "any"]);
    assert_eq!(output.status.code(), Some(2));
}
