//! `hapticd schema`: the JSON Schema of the configuration, for editors.

use super::{Failure, print_line};

/// Prints the schema.
pub fn schema() -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(&hapticd_config::generate::json_schema())
        .map_err(Failure::runtime)?;
    print_line(&json);
    Ok(())
}
