//! Colours on a dark and on a light background. People who cannot tell red from green can
//! distinguish them.
//!
//! Bodies have muted colours and tools, forces and contacts strong ones, so that these stand out in
//! both themes.

use crate::picture::Color;
use hapticd_client::BodyKind;

/// Dark or light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Theme {
    /// Light on dark.
    #[default]
    Dark,
    /// Dark on light.
    Light,
}

/// `0xrrggbb` as a colour.
const fn hex(rgb: u32, alpha: f32) -> Color {
    [
        (rgb >> 16 & 255) as f32 / 255.0,
        (rgb >> 8 & 255) as f32 / 255.0,
        (rgb & 255) as f32 / 255.0,
        alpha,
    ]
}

/// Tools of arms, cyclic.
const TOOLS: [Color; 4] = [
    hex(0xf2a33a, 1.0),
    hex(0x4aa8e8, 1.0),
    hex(0xb48be6, 1.0),
    hex(0x5cc08a, 1.0),
];
/// Bodies that move or bend, cyclic.
const MOVING: [Color; 6] = [
    hex(0x7f9fb8, 1.0),
    hex(0xb99a86, 1.0),
    hex(0x93ae84, 1.0),
    hex(0xac8fab, 1.0),
    hex(0xc0b37c, 1.0),
    hex(0x7fb0ab, 1.0),
];
/// Bodies that never move, cyclic.
const STATIC: [Color; 3] = [hex(0x9a9c9f, 1.0), hex(0xa8a39a, 1.0), hex(0x8f979f, 1.0)];

/// The force that is sent to an arm.
pub const FORCE: Color = hex(0xff4b3e, 1.0);
/// The force that the coupling wanted before the governor.
pub const WANTED: Color = hex(0xd2a11e, 1.0);
/// Contacts and their normals.
pub const CONTACT: Color = hex(0x2fd0c0, 1.0);
/// A tool inside a body, drawn through it.
pub const INSIDE: Color = hex(0xff4fd8, 1.0);
/// Lateness of the loop.
pub const LATENESS: Color = hex(0x5aa9f0, 1.0);
/// Computation time of a tick.
pub const COMPUTE: Color = hex(0xe08a3c, 1.0);

/// Implicit bodies, cyclic.
const IMPLICIT: [Color; 3] = [hex(0xcc8b7d, 1.0), hex(0x6fa8b5, 1.0), hex(0xc3ac72, 1.0)];

/// Opacity of a soft body.
const SOFT_ALPHA: f32 = 0.62;

impl Theme {
    /// Returns the colour of the background.
    pub const fn background(self) -> Color {
        match self {
            Self::Dark => hex(0x1b1e24, 1.0),
            Self::Light => hex(0xe9ebee, 1.0),
        }
    }

    /// Returns the colours of the floor's lines: normal ones and every tenth.
    pub const fn grid(self) -> [Color; 2] {
        match self {
            Self::Dark => [hex(0x8b93a3, 0.22), hex(0xa9b2c4, 0.45)],
            Self::Light => [hex(0x555c68, 0.20), hex(0x3c424c, 0.42)],
        }
    }

    /// Returns the colours of the axes x, y, z.
    pub const fn axes(self) -> [Color; 3] {
        match self {
            Self::Dark => [
                hex(0xe06c62, 0.95),
                hex(0x6fbf73, 0.95),
                hex(0x6aa5ee, 0.95),
            ],
            Self::Light => [
                hex(0xc23b30, 0.95),
                hex(0x2f8a35, 0.95),
                hex(0x2566c0, 0.95),
            ],
        }
    }

    /// Returns the other theme.
    pub const fn other(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Dark,
        }
    }
}

/// Returns the colour of an arm's tool.
pub fn tool(arm: usize) -> Color {
    TOOLS[arm % TOOLS.len()]
}

/// Returns the colour of a body. `index` counts the bodies of its kind, so that the colour does not
/// change when others join.
pub fn body(kind: BodyKind, index: usize) -> Color {
    match kind {
        BodyKind::Static => STATIC[index % STATIC.len()],
        BodyKind::Soft => {
            let [r, g, b, _] = hex(0xd9978c, 1.0);
            [r, g, b, SOFT_ALPHA]
        }
        BodyKind::Implicit => IMPLICIT[index % IMPLICIT.len()],
        _ => MOVING[index % MOVING.len()],
    }
}
