//! Assembles the WGSL files, checks them, and derives what each pass binds. Run by `build.rs`,
//! tested by `tests/suite/sources.rs`.
//!
//! A pass is a file with an entry point. Its lines `//# use other.wgsl` name the files with
//! declarations that it needs. Each is inserted before it once, after its own dependencies.
//! Positions in the assembled text are mapped back to the original file and line.
//!
//! A line `//# enable extension` restricts the pass to adapters that have the extension. The WGSL
//! directive for it must come first in the text.
//!
//! A line `//# use this.wgsl for other.wgsl`, before any file that needs the other, replaces a file
//! by another with the same declarations. A line `//# for comparison` says that the product does
//! not use the pass: adapters need not support its bindings.

use std::collections::BTreeMap;

use naga::AddressSpace;
use naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};

/// Files by name.
pub type Files = BTreeMap<String, String>;

/// One pass and the files that it uses, as one text.
pub struct Unit {
    /// Assembled text.
    pub text: String,
    /// Files in the text, and the line (from 1) at which each begins.
    pieces: Vec<(String, u32)>,
    /// Required capabilities beyond those of every adapter.
    capabilities: Capabilities,
    /// Replaced files and their replacements.
    instead: BTreeMap<String, String>,
    /// True if the product does not use the pass.
    pub for_comparison: bool,
}

/// Extensions that passes may enable.
const EXTENSIONS: [(&str, Capabilities); 1] = [("wgpu_ray_query", Capabilities::RAY_QUERY)];

/// A buffer that a pass binds, in group 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Binding number.
    pub binding: u32,
    /// Name of the variable.
    pub name: String,
    /// `Uniform`, `Read`, `Write` or `Query`.
    pub access: &'static str,
}

/// Assembles `file` with its dependencies.
pub fn assemble(files: &Files, file: &str) -> Result<Unit, String> {
    let mut unit = Unit {
        text: String::new(),
        pieces: Vec::new(),
        capabilities: Capabilities::empty(),
        instead: BTreeMap::new(),
        for_comparison: false,
    };
    append(files, file, &mut Vec::new(), &mut unit)?;
    for (name, capability) in EXTENSIONS {
        if unit.capabilities.contains(capability) {
            // Not on a separate line, so that all line numbers stay valid.
            unit.text.insert_str(0, &format!("enable {name}; "));
        }
    }
    Ok(unit)
}

fn append(
    files: &Files,
    file: &str,
    above: &mut Vec<String>,
    unit: &mut Unit,
) -> Result<(), String> {
    if unit.pieces.iter().any(|(name, _)| name == file) {
        return Ok(());
    }
    let text = files
        .get(file)
        .ok_or_else(|| format!("{file}: no such file"))?;
    above.push(file.to_string());
    for (i, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("//# enable ") {
            let known = EXTENSIONS.iter().find(|(known, _)| *known == name.trim());
            let Some((_, needs)) = known else {
                return Err(format!(
                    "{file}:{}:12: no such extension: {}",
                    i + 1,
                    name.trim()
                ));
            };
            unit.capabilities |= *needs;
        }
        unit.for_comparison |= line == "//# for comparison";
        let Some(other) = line.strip_prefix("//# use ") else {
            continue;
        };
        let other = match other.trim().split_once(" for ") {
            None => (unit.instead.get(other.trim()))
                .map_or(other.trim(), String::as_str)
                .to_string(),
            Some((stand_in, replaced)) => {
                if unit.pieces.iter().any(|(name, _)| name == replaced) {
                    return Err(format!("{file}:{}:9: {replaced} is there already", i + 1));
                }
                unit.instead.insert(replaced.into(), stand_in.into());
                stand_in.to_string()
            }
        };
        if !files.contains_key(&other) {
            return Err(format!("{file}:{}:9: no such file: {other}", i + 1));
        }
        if above.contains(&other) {
            return Err(format!("{file}:{}:9: uses itself by way of {other}", i + 1));
        }
        append(files, &other, above, unit)?;
    }
    above.pop();
    let first = unit.text.lines().count() as u32 + 1;
    unit.pieces.push((file.to_string(), first));
    unit.text.push_str(text);
    if !text.ends_with('\n') {
        unit.text.push('\n');
    }
    Ok(())
}

impl Unit {
    /// Maps a position in the assembled text to `file:line:column`.
    pub fn place(&self, line: u32, column: u32) -> String {
        let (file, first) = self
            .pieces
            .iter()
            .rfind(|(_, first)| *first <= line)
            .unwrap_or(&self.pieces[0]);
        format!("{file}:{}:{column}", line - first + 1)
    }

    /// Parses and validates for an adapter with only the required capabilities and those that the
    /// pass enables.
    pub fn check(&self) -> Result<(naga::Module, ModuleInfo), String> {
        let module = naga::front::wgsl::parse_str(&self.text).map_err(|error| {
            let notes: String = error.notes().map(|note| format!("; {note}")).collect();
            format!(
                "{}: {}{notes}",
                self.located(error.location(&self.text)),
                error.message()
            )
        })?;
        let info = Validator::new(ValidationFlags::all(), self.capabilities)
            .validate(&module)
            .map_err(|error| {
                let mut text = format!(
                    "{}: {}",
                    self.located(error.location(&self.text)),
                    error.as_inner()
                );
                let mut cause = std::error::Error::source(error.as_inner());
                while let Some(next) = cause {
                    text.push_str(&format!(": {next}"));
                    cause = next.source();
                }
                text
            })?;
        Ok((module, info))
    }

    fn located(&self, at: Option<naga::SourceLocation>) -> String {
        let (line, column) = at.map_or((self.pieces.last().map_or(1, |p| p.1), 1), |at| {
            (at.line_number, at.line_position)
        });
        self.place(line, column)
    }
}

/// Returns the single entry point of a pass and the buffers that it uses; other declared buffers
/// need not be bound.
pub fn slots(module: &naga::Module, info: &ModuleInfo) -> Result<(String, Vec<Slot>), String> {
    let [entry] = module.entry_points.as_slice() else {
        return Err(format!(
            "{} entry points, a pass has one",
            module.entry_points.len()
        ));
    };
    let used = info.get_entry_point(0);
    let mut slots = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding else {
            continue;
        };
        if used[handle] == GlobalUse::empty() {
            continue;
        }
        let name = variable.name.clone().unwrap_or_default();
        if binding.group != 0 {
            return Err(format!("{name}: group {}, not 0", binding.group));
        }
        slots.push(Slot {
            binding: binding.binding,
            name,
            access: match variable.space {
                AddressSpace::Uniform => "Uniform",
                AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE) => {
                    "Write"
                }
                AddressSpace::Handle => "Query",
                _ => "Read",
            },
        });
    }
    slots.sort_by_key(|slot| slot.binding);
    if let Some(pair) = slots.windows(2).find(|p| p[0].binding == p[1].binding) {
        return Err(format!(
            "{} and {} are both binding {}",
            pair[0].name, pair[1].name, pair[0].binding
        ));
    }
    Ok((entry.name.clone(), slots))
}
