//! Export of skins: the newest frame of each as a file for another program. Needs the feature
//! `export`.
//!
//! [`newest_skins`] waits for frames up to a given time, polling every 3 ms, and copies them.
//! [`FileFormat::write`] writes what it is given: it is pure, and writes nothing before it has
//! checked everything. Units are metres, in the world frame, z up; in glTF, where y is up, a root
//! node turns the scene. Neither function adds anything to the scene or holds a lease. Both may
//! block and allocate: do not call them from a real-time thread.

use crate::{Client, ReadError, ReadSkinError, RequestError, Skin, SkinFrame};
use hapticd_geometry::export::{Encoding, write_glb, write_obj, write_ply};
pub use hapticd_geometry::export::{ExportError, Part, Surface as Faces};
use hapticd_protocol::{reply::BodyInfo, request::BodyKind};
use hapticd_sys::clock::now_ns;
use std::{fmt, io::Write, path::Path, time::Duration};

/// Period of polling for a skin that was not published yet.
const POLL_PERIOD: Duration = Duration::from_millis(3);

/// Format of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Wavefront OBJ, text.
    Obj,
    /// PLY, binary.
    Ply,
    /// glTF, binary.
    Glb,
}

/// The file name has another suffix; the user's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the suffix of a format that is written (obj, ply, glb)")]
pub struct UnknownSuffix(pub String);

impl FileFormat {
    /// Returns the format for the suffix of a file name, in any case.
    ///
    /// # Errors
    /// [`UnknownSuffix`]; it is empty if there is no suffix.
    pub fn of(path: &Path) -> Result<Self, UnknownSuffix> {
        let suffix = path.extension().unwrap_or_default().to_string_lossy();
        match &*suffix.to_ascii_lowercase() {
            "obj" => Ok(Self::Obj),
            "ply" => Ok(Self::Ply),
            "glb" => Ok(Self::Glb),
            _ => Err(UnknownSuffix(suffix.into_owned())),
        }
    }

    /// Writes the parts. It makes many small writes, so `to` should be buffered.
    ///
    /// # Errors
    /// [`ExportError`]: what is wrong with a part, or the error of the writer.
    pub fn write(self, parts: &[Part<'_>], to: &mut impl Write) -> Result<(), ExportError> {
        match self {
            Self::Obj => write_obj(parts, to),
            Self::Ply => write_ply(parts, Encoding::LittleEndian, to),
            Self::Glb => write_glb(parts, to),
        }
    }
}

/// Selection of skins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkinSelection<'a> {
    /// All bodies that have a skin.
    All,
    /// The body with this name, or otherwise with this identity.
    One(&'a str),
}

/// A body as messages name it: `gut (1073741824)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBody {
    /// Name of the body.
    pub name: String,
    /// Identity of the body.
    pub body: u32,
    /// Kind of the body.
    pub kind: BodyKind,
}

impl NamedBody {
    fn of(info: &BodyInfo) -> Self {
        Self {
            name: info.name.to_string(),
            body: info.body,
            kind: info.kind,
        }
    }
}

impl fmt::Display for NamedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.body)
    }
}

/// Formats a list of bodies for a message.
fn list(bodies: &[NamedBody]) -> String {
    let all: Vec<String> = bodies.iter().map(NamedBody::to_string).collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}

/// Reason why there is no skin to return.
#[derive(Debug, thiserror::Error)]
pub enum SkinsError {
    /// No body has this name or identity; the user's fault.
    #[error("there is no body `{asked}`; there are: {}", list(there))]
    NoSuchBody {
        /// The name or number as typed.
        asked: String,
        /// All bodies of the scene.
        there: Vec<NamedBody>,
    },
    /// The body has no skin; the user's fault.
    #[error("{body} is {} and has no skin; skins have: {}", body.kind.text(), list(with))]
    NoSkin {
        /// The body that was asked for.
        body: NamedBody,
        /// Bodies that have a skin.
        with: Vec<NamedBody>,
    },
    /// The scene has no implicit body.
    #[error("no body has a skin; there are: {}", list(there))]
    NoSkins {
        /// All bodies of the scene.
        there: Vec<NamedBody>,
    },
    /// No frame was published in time.
    #[error("the skin of {body} was not published within {waited:?}")]
    NoFrame {
        /// The body.
        body: NamedBody,
        /// How long the call waited.
        waited: Duration,
    },
    /// The published frame is not a mesh; the daemon's fault.
    #[error("the skin of {body}: {error}")]
    Read {
        /// The body.
        body: NamedBody,
        /// What is wrong with the frame.
        error: ReadSkinError,
    },
    /// A request was not carried out.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// The newest frame of a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct NewestSkin {
    /// The body.
    pub body: NamedBody,
    /// The mesh.
    pub frame: SkinFrame,
    /// Age of the body's shape at the time of reading, ns.
    pub age_ns: u64,
}

impl NewestSkin {
    /// Returns the frame as a part of a file.
    pub fn part(&self) -> Part<'_> {
        Part {
            name: &self.body.name,
            surface: Faces {
                positions: &self.frame.points,
                normals: &self.frame.normals,
                triangles: &self.frame.triangles,
            },
        }
    }
}

/// Copies the newest complete frame of each selected skin, in the order of the daemon's list. Waits
/// up to `patience` for skins that were never published.
///
/// # Errors
/// [`SkinsError`].
pub fn newest_skins(
    client: &mut Client,
    whose: SkinSelection<'_>,
    patience: Duration,
) -> Result<Vec<NewestSkin>, SkinsError> {
    let there: Vec<NamedBody> = client.bodies()?.iter().map(NamedBody::of).collect();
    let with = |some: &[NamedBody]| -> Vec<NamedBody> {
        let skins = some.iter().filter(|one| one.kind.has_skin());
        skins.cloned().collect()
    };
    let wanted = match whose {
        SkinSelection::All => with(&there),
        SkinSelection::One(asked) => {
            let named = there.iter().find(|one| one.name == asked);
            let numbered = || there.iter().find(|one| asked.parse() == Ok(one.body));
            match named.or_else(numbered).cloned() {
                Some(body) if body.kind.has_skin() => vec![body],
                Some(body) => {
                    let with = with(&there);
                    return Err(SkinsError::NoSkin { body, with });
                }
                None => {
                    let asked = asked.to_owned();
                    return Err(SkinsError::NoSuchBody { asked, there });
                }
            }
        }
    };
    if wanted.is_empty() {
        return Err(SkinsError::NoSkins { there });
    }
    let mut open: Vec<(NamedBody, Skin)> = Vec::new();
    for body in wanted {
        let skin = client.skin(body.body)?;
        open.push((body, skin));
    }
    let start_ns = now_ns();
    let read = |(body, mut skin): (NamedBody, Skin)| {
        let mut frame = SkinFrame::default();
        loop {
            match skin.read(&mut frame) {
                Ok(()) => {
                    let age_ns = now_ns().saturating_sub(frame.header.time_ns);
                    return Ok(NewestSkin {
                        body,
                        frame,
                        age_ns,
                    });
                }
                Err(ReadSkinError::Read(ReadError::Empty | ReadError::Torn)) => {}
                Err(error) => return Err(SkinsError::Read { body, error }),
            }
            let waited = Duration::from_nanos(now_ns().saturating_sub(start_ns));
            if waited >= patience {
                return Err(SkinsError::NoFrame { body, waited });
            }
            std::thread::sleep(POLL_PERIOD);
        }
    };
    open.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_suffix_alone() {
        for (name, format) in [
            ("a.obj", FileFormat::Obj),
            ("b.c/d.PLY", FileFormat::Ply),
            ("x.glb.GlB", FileFormat::Glb),
        ] {
            assert_eq!(FileFormat::of(Path::new(name)), Ok(format));
        }
        for (name, suffix) in [
            ("a.stl", "stl"),
            ("a", ""),
            (".obj", ""),
            ("a.gltf", "gltf"),
        ] {
            let error = FileFormat::of(Path::new(name)).unwrap_err();
            assert_eq!(error.0, suffix);
            assert!(error.to_string().contains("obj, ply, glb"), "{error}");
        }
    }
}
