//! Skins as files: the newest frame of each, for another program. With the feature `export`.
//!
//! [`newest_skins`] waits for frames up to a given time, in looks of 3 ms, and copies them;
//! [`FileFormat::write`] writes what it is given: pure, and nothing before everything was checked.
//! Metres, world frame, z up; glTF, whose up is y, has a root node that turns it. Neither adds
//! anything to the scene nor holds a lease. May block and allocates: not for a real-time thread.

use crate::{Client, ReadError, ReadSkinError, RequestError, Skin, SkinFrame};
use hapticd_geometry::export::{Encoding, write_glb, write_obj, write_ply};
pub use hapticd_geometry::export::{ExportError, Part, Surface as Faces};
use hapticd_protocol::{reply::BodyInfo, request::BodyKind};
use hapticd_sys::clock::now_ns;
use std::{fmt, io::Write, path::Path, time::Duration};

/// Between two looks at a skin that was not published yet.
const LOOK: Duration = Duration::from_millis(3);

/// What a skin can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Wavefront OBJ, text.
    Obj,
    /// PLY, binary.
    Ply,
    /// glTF, binary.
    Glb,
}

/// A file name that ends otherwise. The user's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the suffix of a format that is written (obj, ply, glb)")]
pub struct UnknownSuffix(pub String);

impl FileFormat {
    /// By the file name's suffix, in any case.
    ///
    /// # Errors
    /// [`UnknownSuffix`], empty where there is none.
    pub fn of(path: &Path) -> Result<Self, UnknownSuffix> {
        let suffix = path.extension().unwrap_or_default().to_string_lossy();
        match &*suffix.to_ascii_lowercase() {
            "obj" => Ok(Self::Obj),
            "ply" => Ok(Self::Ply),
            "glb" => Ok(Self::Glb),
            _ => Err(UnknownSuffix(suffix.into_owned())),
        }
    }

    /// Writes the parts. Many small writes: give it something buffered.
    ///
    /// # Errors
    /// [`ExportError`]: what is wrong with a part, or what the writer said.
    pub fn write(self, parts: &[Part<'_>], to: &mut impl Write) -> Result<(), ExportError> {
        match self {
            Self::Obj => write_obj(parts, to),
            Self::Ply => write_ply(parts, Encoding::LittleEndian, to),
            Self::Glb => write_glb(parts, to),
        }
    }
}

/// Whose skins are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose<'a> {
    /// Of all bodies that have one.
    All,
    /// Of the body with this name, or else with this identity.
    One(&'a str),
}

/// A body as a message names it: `gut (1073741824)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its identity.
    pub body: u32,
    /// What it is.
    pub kind: BodyKind,
}

impl Named {
    fn of(info: &BodyInfo) -> Self {
        Self {
            name: info.name.to_string(),
            body: info.body,
            kind: info.kind,
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.body)
    }
}

/// In a message.
fn list(bodies: &[Named]) -> String {
    let all: Vec<String> = bodies.iter().map(Named::to_string).collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}

/// Why there is no skin to be had.
#[derive(Debug, thiserror::Error)]
pub enum SkinsError {
    /// The user's fault.
    #[error("there is no body `{asked}`; there are: {}", list(there))]
    NoSuchBody {
        /// As typed.
        asked: String,
        /// All that there are.
        there: Vec<Named>,
    },
    /// The user's fault.
    #[error("{body} is {} and has no skin; skins have: {}", body.kind.text(), list(with))]
    NoSkin {
        /// Which was asked for.
        body: Named,
        /// Bodies that have one.
        with: Vec<Named>,
    },
    /// The scene has no implicit body.
    #[error("no body has a skin; there are: {}", list(there))]
    NoSkins {
        /// All that there are.
        there: Vec<Named>,
    },
    /// Nothing was published in time.
    #[error("the skin of {body} was not published within {waited:?}")]
    NoFrame {
        /// Whose.
        body: Named,
        /// How long it was waited for.
        waited: Duration,
    },
    /// What was published is no mesh. The daemon's fault.
    #[error("the skin of {body}: {error}")]
    Read {
        /// Whose.
        body: Named,
        /// Why.
        error: ReadSkinError,
    },
    /// A request was not carried out.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// The newest frame of a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct NewestSkin {
    /// Whose.
    pub body: Named,
    /// The mesh.
    pub frame: SkinFrame,
    /// How long ago the body was so when it was read, ns.
    pub age_ns: u64,
}

impl NewestSkin {
    /// As a part of a file.
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

/// Copies the newest complete frame of each skin, in the order of the daemon's list; waits up to
/// `patience` for those that were never published.
///
/// # Errors
/// [`SkinsError`].
pub fn newest_skins(
    client: &mut Client,
    whose: Whose<'_>,
    patience: Duration,
) -> Result<Vec<NewestSkin>, SkinsError> {
    let there: Vec<Named> = client.bodies()?.iter().map(Named::of).collect();
    let with = |some: &[Named]| -> Vec<Named> {
        let skins = some.iter().filter(|one| one.kind.has_skin());
        skins.cloned().collect()
    };
    let wanted = match whose {
        Whose::All => with(&there),
        Whose::One(asked) => {
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
    let mut open: Vec<(Named, Skin)> = Vec::new();
    for body in wanted {
        let skin = client.skin(body.body)?;
        open.push((body, skin));
    }
    let start_ns = now_ns();
    let read = |(body, mut skin): (Named, Skin)| {
        let mut frame = SkinFrame::default();
        loop {
            match skin.read(&mut frame) {
                Ok(()) => {
                    let age_ns = now_ns().saturating_sub(frame.moment.time_ns);
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
            std::thread::sleep(LOOK);
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
