//! Liquids of the shipped scenes, as the hand feels them.

use super::*;

/// The tool's ball ends 10 mm above the liquid, a height to which its drops once splashed: any
/// force there would be felt in the air.
#[test]
fn nothing_is_felt_above_a_liquid_from_the_first_tick_on() {
    let file = format!("{}/../config/fluid.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    let ours = text.replace("intention = \"explore\"", "intention = \"./hand.toml\"");
    assert_ne!(ours, text);
    for (name, at) in [
        ("middle", [0.0, 0.0, 0.01]),
        ("side", [0.05, 0.02, 0.01]),
        ("deep", [0.0, 0.0, -0.04]),
    ] {
        let folder = Folder::new(&format!("liquid-{name}"));
        std::fs::write(folder.0.join("scene.toml"), &ours).unwrap();
        // The start of the hand: a tool that starts in the liquid would be rendered later.
        let hand = format!(
            "kind = \"script\"\ntrack = [ {{ t_s = 0.0, position = [{x:?}, {y:?}, 0.01] }}, \
             {{ t_s = 0.5, position = [{x:?}, {y:?}, {z:?}] }} ]\n",
            x = at[0],
            y = at[1],
            z = at[2]
        );
        std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
        let ticks = arm(&folder.run(2));
        assert_eq!(ticks.len(), 2000, "{name}");
        let most_n = longest(&ticks);
        // A hand that goes down finds the liquid.
        assert_eq!(most_n > 0.05, name == "deep", "{name}: {most_n} N");
    }
}
