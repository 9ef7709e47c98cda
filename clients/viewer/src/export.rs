//! Export of the visible skins to a file in a folder: the action of the window's button.
//!
//! It writes what is shown, frozen or not, and asks the daemon for nothing. It overwrites nothing,
//! and removes a file that could not be written completely. It blocks as long as the disk does.

use crate::scene::{VisibleBody, VisibleScene};
use hapticd_client::export::{Faces, FileFormat, Part};
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Maximum number of files in one second.
const MAX_NAMES: u32 = 100;

/// Lists of a skin, in the form that the writers need.
struct Lists<'a> {
    name: &'a str,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: &'a [[u32; 3]],
}

/// Returns true if there is a skin to write.
pub fn has_skins(scene: &VisibleScene) -> bool {
    skins(scene).next().is_some()
}

fn skins(scene: &VisibleScene) -> impl Iterator<Item = &VisibleBody> {
    let some = scene.bodies.iter().filter(|body| body.kind.has_skin());
    some.filter(|body| !body.model.indices().is_empty())
}

fn lists(scene: &VisibleScene) -> impl Iterator<Item = Lists<'_>> {
    skins(scene).map(|body| {
        let vertices = body.model.vertices().iter();
        Lists {
            name: &body.name,
            positions: vertices.clone().map(|v| v.position).collect(),
            normals: vertices.map(|v| v.normal).collect(),
            triangles: body.model.indices().as_chunks().0,
        }
    })
}

/// Writes all skins to one binary glTF in `folder`, with the time `now` in its name. Returns a
/// message with what was written and where.
///
/// # Errors
/// A sentence for the user who pressed the button.
pub fn export(scene: &VisibleScene, folder: &Path, now: SystemTime) -> Result<String, String> {
    let lists: Vec<Lists<'_>> = lists(scene).collect();
    let parts: Vec<Part<'_>> = lists
        .iter()
        .map(|list| Part {
            name: list.name,
            surface: Faces {
                positions: &list.positions,
                normals: &list.normals,
                triangles: list.triangles,
            },
        })
        .collect();
    let mut bytes = Vec::new();
    let written = FileFormat::Glb.write(&parts, &mut bytes);
    written.map_err(|error| format!("not exported: {error}"))?;
    let since = now.duration_since(SystemTime::UNIX_EPOCH);
    let (path, mut file) = create(folder, &stamp(since.unwrap_or_default()))?;
    if let Err(error) = file.write_all(&bytes) {
        // Report the failure that made the file worthless, not one of removing it.
        let _ = std::fs::remove_file(&path);
        return Err(format!("not exported: {}: {error}", path.display()));
    }
    let triangles: usize = lists.iter().map(|list| list.triangles.len()).sum();
    Ok(format!("{triangles} triangles: {}", path.display()))
}

/// Creates the file; in one second, later files get a number.
fn create(folder: &Path, stamp: &str) -> Result<(PathBuf, File), String> {
    let mut number = 1;
    loop {
        let more = match number {
            1 => String::new(),
            number => format!("-{number}"),
        };
        let path = folder.join(format!("hapticd-skins-{stamp}{more}.glb"));
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MAX_NAMES => {
                number += 1;
            }
            Err(error) => return Err(format!("not exported: {}: {error}", path.display())),
        }
    }
}

/// Formats date and time as in `20261123-034512`, universal time: the days of the proleptic
/// Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`;
/// for days from 1970 on).
fn stamp(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months counted from March.
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use hapticd_client::BodyKind;
    use nalgebra::Isometry3;
    use std::sync::Arc;

    fn scene(skins: &[&str]) -> VisibleScene {
        let body = |(id, name): (u32, &&str)| VisibleBody {
            id,
            name: (*name).to_owned(),
            kind: BodyKind::Implicit,
            model: Arc::new(Model::ball()),
            world_from_body: Some(Isometry3::identity()),
            note: String::new(),
        };
        let mut scene = VisibleScene {
            bodies: (0..).zip(skins).map(body).collect(),
            ..VisibleScene::default()
        };
        // Neither of these is written: one has no skin, the other has none yet.
        for (kind, model) in [
            (BodyKind::Static, Model::ball()),
            (BodyKind::Implicit, Model::smooth(&[], &[])),
        ] {
            scene.bodies.push(VisibleBody {
                kind,
                model: Arc::new(model),
                ..body((9, &"other"))
            });
        }
        scene
    }

    #[test]
    fn moments_are_dates() {
        for (seconds, text) in [
            (0, "19700101-000000"),
            (951_782_399, "20000228-235959"),
            (951_782_400, "20000229-000000"),
            (951_868_800, "20000301-000000"),
            (1_798_761_599, "20261231-235959"),
            (1_798_761_600, "20270101-000000"),
            (4_107_542_400, "21000301-000000"),
        ] {
            assert_eq!(stamp(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn what_is_shown_is_written_under_a_name_of_its_own_each_time() {
        let folder = std::env::temp_dir().join(format!("hapticd-export-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(951_782_400);
        let shown = scene(&["gut", "bile"]);
        assert!(has_skins(&shown));
        let first = export(&shown, &folder, now).unwrap();
        let path = folder.join("hapticd-skins-20000229-000000.glb");
        assert!(first.ends_with(&path.display().to_string()), "{first}");
        let triangles = 2 * Model::ball().indices().len() / 3;
        assert!(
            first.starts_with(&format!("{triangles} triangles")),
            "{first}"
        );
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for name in ["\"gut\"", "\"bile\""] {
            assert!(text.contains(name));
        }
        assert!(!text.contains("other"));
        let again = export(&shown, &folder, now).unwrap();
        assert!(again.ends_with("-000000-2.glb"), "{again}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        let nothing = scene(&[]);
        assert!(!has_skins(&nothing));
        let said = export(&nothing, &folder, now).unwrap_err();
        assert!(said.contains("no mesh"), "{said}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
        let said = export(&shown, &folder, now).unwrap_err();
        assert!(said.contains("hapticd-skins-20000229"), "{said}");
    }
}
