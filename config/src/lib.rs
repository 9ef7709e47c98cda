//! The configuration of `hapticd`: one TOML file, one definition per key.
//!
//! [`schema`] defines every key once: type, unit, range, default, documentation and reload class.
//! From it come the parser and its typed [`Config`], the range checks, [`generate::markdown`]
//! (`docs/config.md`), [`generate::json_schema`] and [`generate::example`] (`config/hapticd.toml`).
//!
//! [`load`] and [`parse`] report **everything** that is wrong in one run, each with file, line,
//! column, an excerpt and a hint. [`Loaded::effective`] lists where every value comes from.
//! [`reload::compare`] decides what a running daemon may take over.
//!
//! Not for the haptic loop: everything here allocates. Parsing is a pure function of text and
//! [`Context`]; only [`load`] and [`Loaded::check_files`] access the file system. No input makes it
//! panic.
//!
//! ```
//! use hapticd_config::{Context, parse};
//!
//! let context = Context::new("/etc/hapticd", |_| None);
//! let loaded = parse("hapticd.toml", "[loop]\nrate_hz = 2000\n", &context).unwrap();
//! assert_eq!(loaded.config.haptic_loop.rate_hz, 2000);
//!
//! let errors = parse("hapticd.toml", "[loop]\nrate = 2000\n", &context).unwrap_err();
//! assert!(errors.to_string().starts_with("hapticd.toml:2:1: error: unknown key `rate` in [loop]"));
//! ```

#![forbid(unsafe_code)]

mod check;
mod context;
mod decode;
mod diagnostic;
mod effective;
mod errors;
mod field;
mod foreign;
pub mod generate;
pub mod intention;
pub mod key;
mod load;
mod macros;
mod read;
pub mod reload;
pub mod schema;
mod source;
mod suggest;
mod value;

pub use context::Context;
pub use diagnostic::{Diagnostic, Problem};
pub use effective::{Entry, Origin, Segment, TablePath, effective_json, effective_toml};
pub use errors::{ConfigErrors, Finding};
pub use field::{Choices, NameOrPath};
pub use intention::{HandIntention, HandKey, HandPattern, parse_intention};
pub use load::{LoadError, Loaded, TEXT_BYTES_MAX, load, parse};
pub use read::Tabular;
pub use schema::{
    Arm, Backend, Blending, Body, BodyKind, BroadPhaseKind, Clock, Collision, Config, Continuous,
    Damping, Deformable, Device, Dynamics, Fabric, ForceShading, Hand, Implicit, Inside,
    Interaction, Ipc, Layer, Level, Log, Loop, Material, Mechanics, Model, Motion, Needle,
    Neighbours, Order, Pinned, Placement, Record, Safety, Shape, Skin, SkinGpu, Structure,
    Substance,
};
pub use source::{Position, Source};
pub use value::Value;
