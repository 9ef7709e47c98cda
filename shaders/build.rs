//! Checks every shader and records what each pass binds: a broken shader is an error of this build,
//! with file, line and column.

#[path = "build/assemble.rs"]
mod assemble;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const FOLDER: &str = "src/wgsl";

fn main() {
    println!("cargo::rerun-if-changed={FOLDER}");
    println!("cargo::rerun-if-changed=build");
    if let Err(errors) = run() {
        for error in errors {
            println!("cargo::error=shaders/{FOLDER}/{error}");
        }
    }
}

fn run() -> Result<(), Vec<String>> {
    let files = read().map_err(|error| vec![error])?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| vec!["no OUT_DIR".to_string()])?);
    let mut errors = Vec::new();
    let mut table = String::new();
    let mut names = Vec::new();
    let mut most_storage = 0;
    let mut most_uniform = 0;
    for (file, text) in &files {
        let unit = match assemble::assemble(&files, file) {
            Ok(unit) => unit,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        // Files that only declare are checked with the passes that use them, and also alone, so
        // that none goes unchecked.
        let (module, info) = match unit.check() {
            Ok(checked) => checked,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        if !text.contains("@compute") {
            continue;
        }
        let (entry, slots) = match assemble::slots(&module, &info) {
            Ok(found) => found,
            Err(error) => {
                errors.push(format!("{file}:1:1: {error}"));
                continue;
            }
        };
        write_to(&out.join(file), &unit.text).map_err(|error| vec![error])?;
        let count = |of: &[&str]| slots.iter().filter(|s| of.contains(&s.access)).count();
        if !unit.for_comparison {
            most_storage = most_storage.max(count(&["Read", "Write"]));
            most_uniform = most_uniform.max(count(&["Uniform"]));
        }
        let name = entry.to_uppercase();
        let _ = writeln!(
            table,
            "/// `{file}`.\npub static {name}: Source = Source {{"
        );
        let _ = writeln!(
            table,
            "entry: {entry:?}, wgsl: include_str!(concat!(env!(\"OUT_DIR\"), \"/{file}\")), slots: &["
        );
        for slot in &slots {
            let _ = writeln!(
                table,
                "Slot {{ binding: {}, name: {:?}, access: Access::{} }},",
                slot.binding, slot.name, slot.access
            );
        }
        table.push_str("] };\n");
        names.push(name);
    }
    let _ = writeln!(
        table,
        "/// Every pass.\npub static ALL: &[&Source] = &[&{}];\n\
         /// Most storage buffers that a pass binds, but for those for comparison.\n\
         pub const STORAGE_BUFFERS: u32 = {most_storage};\n\
         /// Most uniform buffers that a pass binds, but for those for comparison.\n\
         pub const UNIFORM_BUFFERS: u32 = {most_uniform};",
        names.join(", &")
    );
    write_to(&out.join("passes.rs"), &table).map_err(|error| vec![error])?;
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

fn read() -> Result<assemble::Files, String> {
    let folder = fs::read_dir(FOLDER).map_err(|error| format!(": {error}"))?;
    let mut files = assemble::Files::new();
    for entry in folder {
        let path = entry.map_err(|error| format!(": {error}"))?.path();
        if path.extension().is_some_and(|e| e == "wgsl")
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
            files.insert(name.to_string(), text);
        }
    }
    Ok(files)
}

fn write_to(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!(": {}: {error}", path.display()))
}
