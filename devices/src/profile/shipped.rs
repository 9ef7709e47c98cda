//! The profiles that come with hapticd, compiled in so that they are there without any file.

use super::{Profile, ProfileErrors};

/// A profile's file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Name of the file without `.toml`; what a configuration calls the profile by.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Shipped {
    /// Read it.
    ///
    /// # Errors
    /// None that a build with passing tests can have.
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

/// All of them, by name.
pub const SHIPPED: &[Shipped] = shipped![
    "generic-vendor-3dof",
    "pantograph-2dof",
    "serial-6dof",
    "spacemouse",
    "spacemouse-rate",
];

/// One of them by its name.
#[must_use]
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|profile| profile.name == name)
}
