//! Parameters `sm.advise.*`.

use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

/// The parameter of the properties that the recommended schema has beside the filters.
const PROPERTIES: &str = "sm.advise.properties";
/// The parameter of the number of cells of a typical query.
const SLICE_CELLS: &str = "sm.advise.slice_cells";

/// The names that the parameter of properties takes.
const NAMES: [&str; 5] = ["capacity", "tile_extents", "cell_order", "array_type", "enumerations"];

/// What recommendations depend on beside the objective.
#[derive(Clone, Debug)]
pub(super) struct AdviceSettings {
    /// Properties that the recommended schema has: by default the capacity, which no reader notices.
    properties: String,
    /// Cells that a typical query reads.
    pub(super) slice_cells: u64,
}

impl AdviceSettings {
    /// As a configuration says.
    ///
    /// # Errors
    /// For unknown properties, and for a number of cells that is none or 0.
    pub(super) fn new(config: &Config) -> Result<AdviceSettings> {
        let properties = config.try_get(PROPERTIES)?.map_or_else(|| "capacity".to_owned(), |text| text.to_string());
        let is_unknown = |name: &&str| !name.is_empty() && !NAMES.contains(name);
        if let Some(unknown) = properties.split(',').map(str::trim).find(is_unknown) {
            bail!("Parameter '{PROPERTIES}' names '{unknown}'; it takes a list of {}", NAMES.join(", "));
        }
        let slice_cells = match config.try_get(SLICE_CELLS)? {
            Some(_) => config.u64(SLICE_CELLS)?,
            None => 1000,
        };
        if slice_cells == 0 {
            bail!("Parameter '{SLICE_CELLS}' is 0; set it to 1 or more");
        }
        Ok(AdviceSettings { properties, slice_cells })
    }

    /// True if the recommended schema has this property.
    pub(super) fn applies(&self, name: &str) -> bool {
        self.properties.split(',').any(|property| property.trim() == name)
    }
}
