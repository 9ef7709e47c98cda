// Settings that are constant for a whole step.

struct Settings {
    // Maximum length of a prediction, m.
    prediction: f32,
    // BY_BASIC, INVERSIONS.
    flags: u32,
    // Number of objects and of points.
    objects: u32,
    points: u32,
    // Number of chunks of rigid pairs, and of runs of clusters.
    chunks: u32,
    runs: u32,
    pad0: u32,
    pad1: u32,
}

// Trace rigid targets without their trees.
const BY_BASIC: u32 = 1u;
// Find points that crossed a sheet.
const INVERSIONS: u32 = 2u;

@group(0) @binding(0) var<uniform> settings: Settings;
