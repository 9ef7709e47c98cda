// What is the same for a whole step.

struct Settings {
    // Length of the longest prediction that is wanted, m.
    prediction: f32,
    // BY_BASIC, INVERSIONS.
    flags: u32,
    // How many there are.
    objects: u32,
    points: u32,
    // Chunks of rigid pairs, and runs of clusters.
    chunks: u32,
    runs: u32,
    pad0: u32,
    pad1: u32,
}

// Rigid targets are traced without their trees.
const BY_BASIC: u32 = 1u;
// Points that crossed a sheet are looked for.
const INVERSIONS: u32 = 2u;

@group(0) @binding(0) var<uniform> settings: Settings;
