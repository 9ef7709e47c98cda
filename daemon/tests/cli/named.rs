//! Errors of `check` in the files that a configuration names: each fault with its place in the
//! file.

use super::*;

fn said(dir: &Path) -> String {
    let out = hapticd(dir, &["check", "case.toml"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{said}");
    said
}

#[test]
fn all_faults_of_an_intention_come_in_one_round() {
    let dir = folder("intention");
    let text = ARM.replace("\"press\"", "\"./hand.toml\"");
    std::fs::write(dir.join("case.toml"), text).unwrap();
    let hand = "kind = \"press\"\nfrom = [0.0, 0.0]\ndepth_m = 2e4\nmove_s = 0.0\nhold = 1.0\n";
    std::fs::write(dir.join("hand.toml"), hand).unwrap();
    let said = said(&dir);
    for words in [
        "case.toml:4:13: error: arm `right`: ",
        "hand.toml: error: the file needs the key `hold_s`",
        "hand.toml:2:8: error: `from` must have 3 numbers, not 2",
        "hand.toml:3:11: error: `depth_m` = 20000 is above the maximum 10000 m",
        "hand.toml:4:10: error: `move_s` = 0 is below the minimum",
        "hand.toml:5:1: error: unknown key `hold` in the file",
        "This intention is named here:",
    ] {
        assert!(said.contains(words), "{words}:\n{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn faults_of_an_obj_have_its_line_and_its_own_numbers() {
    let dir = folder("obj-lines");
    let body = "[[body]]\nname = \"thing\"\nshape = { kind = \"mesh\", file = \"thing.obj\" }\n";
    std::fs::write(dir.join("case.toml"), format!("{ARM}{body}")).unwrap();
    let whole = obj("0 0 1", false);
    for (text, words) in [
        (
            obj("0 0 nan", false),
            "line 4: vertex 4 has a coordinate that is not finite: `v 0 0 nan`",
        ),
        (
            obj("0 0 3e9", false),
            "line 4: vertex 4 is 3.000e9 m from the origin",
        ),
        (
            format!("# one more line\n{whole}").replace("f 2 3 4", "f 2 3 5"),
            "line 9: face 4: vertex 5 does not exist, there are 4",
        ),
    ] {
        std::fs::write(dir.join("thing.obj"), text).unwrap();
        let said = said(&dir);
        assert!(said.contains(words), "{words}: {said}");
        assert!(said.contains("thing.obj"), "{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// Each triangle of a closed mesh is turned round.
#[test]
fn a_mesh_that_is_inside_out_is_called_so() {
    let dir = folder("inside-out");
    let body = "[[body]]\nname = \"thing\"\nshape = { kind = \"mesh\", file = \"thing.obj\" }\n";
    let turned: String = obj("0 0 1", false)
        .lines()
        .map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            ["f", a, b, c] => format!("f {a} {c} {b}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    std::fs::write(dir.join("thing.obj"), turned).unwrap();
    std::fs::write(dir.join("case.toml"), format!("{ARM}{body}")).unwrap();
    let words = "body `thing` is declared solid, but its closed mesh is inside out: all 4 triangles \
        face inwards, volume -1.667e-1 m3; flip the triangles in the file, or set `solid = false`";
    let said = said(&dir);
    assert!(said.contains(words), "{said}");
    assert!(!said.contains("not closed"), "{said}");
    let open = format!("{ARM}{body}solid = false\n");
    std::fs::write(dir.join("case.toml"), open).unwrap();
    let out = hapticd(&dir, &["check", "case.toml"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn faults_of_layers_are_theirs_by_name_with_numbers_and_all_at_once() {
    let dir = folder("layers");
    let text = "[[body]]\nname = \"flank\"\nkind = \"tissue\"\n\
        shape = { kind = \"cuboid\", size_m = [0.12, 0.1, 0.08] }\n\
        [[layer]]\nname = \"skin\"\nthickness_m = 0.002\npuncture_force_n = 0.1\n\
        [[layer]]\nname = \"fat\"\nthickness_m = 0.2\n\
        [[layer]]\nname = \"muscle\"\ncutting_force_n = 3.0\n";
    std::fs::write(dir.join("case.toml"), format!("{text}{ARM}")).unwrap();
    let said = said(&dir);
    for words in [
        "case.toml:8:20: error: layer `skin`: `puncture_force_n` = 0.1 N is below \
         `cutting_force_n` = 0.2 N: piercing takes no less than cutting",
        "case.toml:13:8: error: layer `muscle` begins 0.2020 m deep, and tissue `flank` is 0.08 m \
         high: the layers above are too thick (`thickness_m`)",
        "case.toml:13:8: error: layer `muscle`: `puncture_force_n` = 0.8 N is below \
         `cutting_force_n` = 3 N",
    ] {
        assert!(said.contains(words), "{words}:\n{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// One of many bodies makes a scene planar: it is the odd one, not all the others.
#[test]
fn the_one_planar_body_of_a_scene_is_named() {
    let dir = folder("odd-planar");
    let body =
        |name: &str, shape: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\n");
    let cube = "kind = \"cuboid\", size_m = [0.01, 0.01, 0.01]";
    let text = [
        body("floor", cube),
        body("coin", "kind = \"disc\", radius_m = 0.01"),
        body("block", cube),
    ];
    std::fs::write(dir.join("case.toml"), ARM.to_owned() + &text.concat()).unwrap();
    let said = said(&dir);
    let words = "case.toml:11:18: error: the shape \"disc\" makes the scene planar, and body \
        `floor`, body `block`, the tool of arm `right` have other shapes";
    assert!(said.contains(words), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}
