//! Crates that the daemon links, by the dependencies that cargo resolves.

use std::process::Command;

use hapticd_e2e::output;

/// Returns the names of the crates that `hapticd` links.
fn linked() -> Vec<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| env!("CARGO").into());
    let tree = output(
        Command::new(cargo)
            .args(["tree", "--offline", "-p", "hapticd"])
            .args(["-e", "normal", "--prefix", "none"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")),
    );
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.map(String::from).collect()
}

#[test]
fn the_daemon_links_no_published_method() {
    let linked = linked();
    // Otherwise an empty list would pass.
    assert!(linked.iter().any(|name| name == "hapticd-proxy"));
    assert!(!linked.iter().any(|name| name == "hapticd-published"));
}
