//! Reloads the configuration during a run.
//!
//! A reload happens on request (SIGHUP, a technician) or when the file has changed. Everything is
//! checked before anything is applied: after a single error the old configuration stays in force as
//! a whole. Safety limits may only become stricter. Surfaces and the log level may change freely. A
//! change that is impossible during a run is named and refused.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use hapticd_config::{Config, Finding, Level, Loaded, load, reload::compare};
use hapticd_devices::arm::ArmSpec;
use hapticd_devices::safety::Limits;
use hapticd_proxy::Material;

use crate::session_setup::{self, SessionSetup};
use hapticd_scene_setup as scene_setup;

/// Returns what changes, or the reason why nothing does. The argument is true if the reload was
/// requested. If it was not and the file is unchanged, the result is `Ok(None)`.
pub type Reload = Box<dyn FnMut(bool) -> Result<Option<Reloaded>, String> + Send>;

/// Changes of a reload.
pub struct Reloaded {
    /// The new safety limits, no looser than those with which the daemon started.
    pub limits: Limits,
    /// New materials of configured bodies, by client-visible id.
    pub surfaces: Vec<(u32, Material)>,
    /// The log level, if it changed.
    pub log_level: Option<Level>,
    /// The changes in words, for the log.
    pub changes: Vec<String>,
}

/// Returns a reader of `path`. The daemon started with `loaded`, from which `setup` was built.
pub fn reader(path: PathBuf, mut loaded: Loaded, setup: &SessionSetup) -> Reload {
    let changed = |path: &PathBuf| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    let mut seen: Option<SystemTime> = changed(&path);
    let specs: HashMap<String, ArmSpec> = (setup.arms.iter())
        .map(|arm| (arm.name.clone(), arm.spec.clone()))
        .collect();
    let infos = setup.collider.infos();
    let deformable = setup
        .deformable
        .iter()
        .flat_map(hapticd_deformable::DeformableScene::infos);
    let implicit = setup
        .deformable
        .iter()
        .flat_map(hapticd_deformable::DeformableScene::skin_specs);
    // All bodies of a crowd are one body of the configuration.
    let mut ids: HashMap<String, Vec<u32>> = HashMap::new();
    let named = (infos.into_iter().map(|b| (b.name, b.id)))
        .chain(deformable.map(|b| (b.spec, b.id)))
        .chain(implicit.map(|b| (b.name, b.id)));
    for (name, id) in named {
        ids.entry(name).or_default().push(id);
    }
    Box::new(move |asked| {
        let now = changed(&path);
        if !asked && (now == seen || now.is_none()) {
            return Ok(None);
        }
        seen = now;
        let new = load(&path).map_err(|e| e.to_string())?;
        new.check_files().map_err(|e| e.to_string())?;
        let changes = compare(&loaded, &new).map_err(|e| e.to_string())?;
        let limits = Limits::from(&new.config.safety);
        let arms = new.config.arms.iter();
        let arms = arms.filter_map(|arm| Some((arm, specs.get(&arm.name)?)));
        let unkept = session_setup::unkept(&limits, arms).into_iter();
        let findings = unkept.map(|fault| Finding {
            message: fault.to_string(),
            key: Some(fault.key),
        });
        new.with_findings(Ok(()), findings)
            .map_err(|e| e.to_string())?;
        let reloaded = Reloaded {
            limits,
            surfaces: surfaces(&loaded.config, &new.config)
                .flat_map(|(name, material)| {
                    let bodies = ids.get(name).into_iter().flatten();
                    bodies.map(move |id| (*id, material))
                })
                .collect(),
            log_level: (new.config.log.level != loaded.config.log.level)
                .then_some(new.config.log.level),
            changes: changes
                .iter()
                .map(|c| format!("{} = {} (was {})", c.path, c.new.short(), c.old.short()))
                .collect(),
        };
        loaded = new;
        Ok(Some(reloaded))
    })
}

/// Returns the bodies with another material in `new`. They are matched by name, because the order
/// of the tables may have changed.
fn surfaces<'a>(
    old: &'a Config,
    new: &'a Config,
) -> impl Iterator<Item = (&'a str, Material)> + use<'a> {
    new.bodies.iter().filter_map(|body| {
        let before = old.bodies.iter().find(|b| b.name == body.name)?;
        let material = scene_setup::material(body, &new.materials);
        (material != scene_setup::material(before, &old.materials))
            .then_some((body.name.as_str(), material))
    })
}
