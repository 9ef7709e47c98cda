//! The program as scripts use it: exit status, JSON keys, files written and read back.

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

/// A separate folder, removed at the end.
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
fn a_file_has_the_results_of_all_that_ran() {
    let folder = Folder::new("results");
    let path = folder.path("lab.json");
    let file = format!("--json={path}");
    // `judges` times as well, so the status may be 1.
    let words = [["run", "kinetic-all"], ["--quick", file.as_str()]].concat();
    let output = lab(&words);
    assert!(String::from_utf8_lossy(&output.stdout).contains("kinetic-sap: "));
    let told: Value = serde_json::from_str(&read(&folder, "lab.json")).expect("one object");
    let ran = told["experiments"].as_array().expect("experiments");
    assert_eq!(ran.len(), 6);
    for one in ran {
        assert!(one["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
        let mixed = one["judges"] == "counts and time";
        assert_eq!(one["verdict_untimed"].is_string(), mixed, "{one}");
    }
    let count = |word: &str| ran.iter().filter(|one| one["verdict"] == word).count();
    assert_eq!(told["holds"], count("holds"));
    assert_eq!(told["falls_short"], count("falls short"));
    assert_eq!(told["failed"], 0);
    // What takes other arguments has an error in place of its rows.
    let wrong = lab(&["run", "redon-e1", &file, "--seed", "2"]);
    assert_eq!(wrong.status.code(), Some(2));
    let told: Value = serde_json::from_str(&read(&folder, "lab.json")).expect("one object");
    assert_eq!(told["failed"], 1);
    assert!(told["experiments"][0]["error"].is_string());
    let nowhere = lab(&["run", "redon-e1", "--json=/nowhere/lab.json"]);
    assert_eq!(nowhere.status.code(), Some(2));
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
    // The verdict depends on the clock; the presence of a verdict does not.
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
    // The verdict depends on time and is not tested here.
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

#[test]
fn crowds_are_run_at_any_size_and_drawn() {
    let folder = Folder::new("crowds");
    let out = folder.path("pictures");
    let short = ["--steps", "12", "--out", &out, "--json"];
    // The verdicts depend on time and length and are not tested here.
    for scene in ["cells", "circle", "city", "snake", "curved", "sphere"] {
        let id = format!("registration-{scene}");
        let told = object(&lab(&[&["run", id.as_str()], &short[..]].concat()));
        assert_eq!(told["error"], Value::Null, "{told}");
        assert!(told["rows"].as_array().is_some_and(|rows| rows.len() > 3));
    }
    let names: Vec<_> = std::fs::read_dir(&out).expect("pictures").collect();
    for entry in &names {
        let path = entry.as_ref().expect("an entry").path();
        let picture = std::fs::read_to_string(&path).expect("text");
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(picture.contains("<circle"), "{path:?}: nobody in it");
    }
    // Six each: of three corridors, a circle, a city, eight crowds with snakes, three worlds and a
    // sphere.
    assert_eq!(names.len(), 6 * 17);
    let wrong = lab(&["run", "registration-snake", "--steps", "many"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_needle_is_registered_piece_by_piece_and_drawn() {
    let folder = Folder::new("needle");
    let out = folder.path("pictures");
    let args = ["--pieces", "60", "--finest", "3", "--out", &out, "--json"];
    let told = object(&lab(&[&["run", "registration-needle"], &args[..]].concat()));
    assert_eq!(told["error"], Value::Null, "{told}");
    // Two sizes at two depths, and the tick.
    assert_eq!(told["rows"].as_array().map(Vec::len), Some(5), "{told}");
    // Speed is not tested here; that no neighbour was missed is.
    let why = told["why"].as_str().expect("a reason");
    assert!(
        why.ends_with("and 0 neighbour sets differ from brute force"),
        "{why}"
    );
    let picture = std::fs::read_to_string(format!("{out}/registration-needle.svg")).expect("text");
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
    assert!(picture.matches("<line").count() >= 260);
}

/// Runs an experiment of the kinetic set at a small size; returns its object, and the folder gets
/// its files.
fn kinetic(name: &str, args: &[&str], folder: &Folder) -> Value {
    let id = format!("kinetic-{name}");
    let out = folder.path("");
    let words = [&["run", &id, "--out", &out, "--json"][..], args].concat();
    let told = object(&lab(&words));
    // Statements about time are not tested here; the oracle's verdict is.
    assert_eq!(told["oracle"], "ok", "{told}");
    assert!(told["comparisons"].as_u64() > Some(0), "{told}");
    assert!(
        told["why"]
            .as_str()
            .is_some_and(|w| w.starts_with("oracle: ok"))
    );
    told
}

fn claims_hold(told: &Value) {
    let rows = told["rows"].as_array().expect("rows");
    let claimed = rows.iter().filter(|r| r["verdict"].is_string());
    assert!(claimed.clone().count() > 0);
    for row in claimed {
        assert_eq!(row["verdict"], "holds", "{row}");
    }
    assert_eq!(told["verdict"], "holds");
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn the_kinetic_demonstrations_hold_and_write_their_logs_and_pictures() {
    let folder = Folder::new("kinetic");
    let runs: [(&str, &[&str], &[&str]); 5] = [
        (
            "sorted",
            &["--n", "12", "--deg", "3"],
            &["sorted", "sorted-four"],
        ),
        (
            "hull",
            &["--n", "16", "--t-end", "3", "--most", "32"],
            &["hull", "hull-dual"],
        ),
        (
            "polygons",
            &["--runs", "4", "--k", "3", "--vertices", "9", "--shape", "c"],
            &["polygons"],
        ),
        ("brute", &["--k", "4", "--t-end", "0.5"], &["brute"]),
        ("gravity", &["--k", "3", "--t-end", "2"], &["gravity"]),
    ];
    for (name, args, pictures) in runs {
        let told = kinetic(name, args, &folder);
        if name != "brute" {
            claims_hold(&told);
        }
        let log = read(&folder, &format!("{name}.csv"));
        assert!(log.starts_with("time_s,type,objects,queue,certificates,external\n"));
        assert!(log.lines().count() > 1, "{name}");
        for picture in pictures {
            let svg = read(&folder, &format!("{picture}.svg"));
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
            assert!(
                svg.matches("<poly").count() > 3 && !svg.contains("NaN"),
                "{picture}"
            );
        }
    }
}

#[test]
fn relative_geodesics_say_what_pseudo_triangles_say_of_two_polygons() {
    let folder = Folder::new("geodesics");
    let small = ["--runs", "6", "--vertices", "8", "--structure", "ergt"];
    let told = kinetic("polygons", &[&small[..], &["--k", "2"]].concat(), &folder);
    claims_hold(&told);
    let rows = told["rows"].as_array().expect("rows");
    let name = |row: &Value| row["name"].as_str().unwrap_or_default().to_owned();
    assert!(
        rows.iter()
            .any(|r| name(r).starts_with("relative geodesics"))
    );
    let three = [&["run", "kinetic-polygons", "--k", "3"][..], &small[..]].concat();
    assert_eq!(lab(&three).status.code(), Some(2));
}

#[test]
fn the_kinetic_runs_are_the_same_from_the_same_seed() {
    let folders = ["first", "second", "other"].map(|name| Folder::new(&format!("seed-{name}")));
    let seeds = ["7", "7", "8"];
    let logs = [0, 1, 2].map(|k| {
        let args = [
            "--seed", seeds[k], "--n", "9", "--t-end", "2", "--most", "8",
        ];
        kinetic("hull", &args, &folders[k]);
        let gravity = ["--seed", seeds[k], "--k", "2", "--t-end", "1"];
        kinetic("gravity", &gravity, &folders[k]);
        let files = [
            "hull.csv",
            "hull.svg",
            "hull-dual.svg",
            "gravity.csv",
            "gravity.svg",
        ];
        files.map(|name| read(&folders[k], name))
    });
    assert_eq!(logs[0], logs[1]);
    for (a, b) in logs[0].iter().zip(&logs[2]) {
        assert_ne!(a, b);
    }
}

#[test]
fn sweep_and_prune_exchanges_what_changes_places() {
    let folder = Folder::new("sap");
    let told = kinetic("sap", &["--bodies", "150", "--steps", "40"], &folder);
    let rows = told["rows"].as_array().expect("rows");
    let exchanges = rows
        .iter()
        .filter(|r| r["name"].as_str().is_some_and(|n| n.contains("exchanges")));
    assert_eq!(exchanges.clone().count(), 5);
    for row in exchanges {
        assert_eq!(row["verdict"], "holds", "{row}");
    }
    assert!(read(&folder, "sap.csv").lines().count() > 10);
    assert!(read(&folder, "sap.svg").starts_with("<svg "));
}
