//! The profiles that ship with hapticd, compiled in so that they need no file.

use super::{Profile, ProfileErrors};

/// A shipped profile.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Name of the file without `.toml`; a configuration refers to the profile by it.
    pub name: &'static str,
    /// Text of the profile.
    pub text: &'static str,
}

impl Shipped {
    /// Parses the profile.
    ///
    /// # Errors
    /// None in a build that passes its tests.
    pub fn parse(&self) -> Result<Profile, ProfileErrors> {
        Profile::parse(&format!("{}.toml", self.name), self.text)
    }
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../../config/devices/", $name, ".toml")),
        }),*]
    };
}

/// All shipped profiles, sorted by name.
pub const SHIPPED: &[Shipped] = shipped![
    "generic-vendor-3dof",
    "pantograph-2dof",
    "serial-6dof",
    "spacemouse",
    "spacemouse-rate",
];

/// Returns the shipped profile with this name.
#[must_use]
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|profile| profile.name == name)
}
