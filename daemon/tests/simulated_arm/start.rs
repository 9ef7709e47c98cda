//! The hand's movements begin with the loop's first tick, in real time, too.

use super::{Folder, read};

#[test]
fn in_real_time_the_hand_stands_still_until_the_loops_first_tick() {
    let folder = Folder::new("start");
    folder.write(
        "dash.toml",
        "kind = \"script\"\ntrack = [\n  { t_s = 0.0, position = [0.0, 0.0, 0.04] },\n  \
         { t_s = 0.2, position = [0.05, 0.0, 0.04] },\n]\n",
    );
    folder.write(
        "scene.toml",
        "[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"./dash.toml\"\n\
         tool = { kind = \"sphere\", radius_m = 0.005 }\n",
    );
    let output = folder.hapticd(&[
        "run",
        "scene.toml",
        "--plain",
        "--duration",
        "0.6",
        "--record",
        "run.mcap",
        "--no-check",
    ]);
    assert!(output.status.success(), "{output:?}");
    let ticks = read(&folder.path("run.mcap"));
    // In the first tick the newest sample is older than any command of the loop.
    let first = ticks
        .iter()
        .find(|arm| arm.arm.get("truth").is_some_and(|truth| !truth.is_null()))
        .unwrap();
    assert_eq!(first.number("/truth/hand_work/force_j"), 0.0);
    assert_eq!(
        first.at("/truth/pose/position_m"),
        &serde_json::json!([0.0, 0.0, 0.04])
    );
    // Then it moves.
    let last = ticks.last().unwrap();
    assert!(last.number("/truth/pose/position_m/0") > 0.03);
}
