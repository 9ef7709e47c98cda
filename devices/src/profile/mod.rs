//! Device profiles: an arm's reports, units, geometry, limits and quirks as data.

pub mod generic;
