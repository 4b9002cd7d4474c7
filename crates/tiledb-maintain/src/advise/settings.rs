//! Parameters `sm.advise.*`.

use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

/// The parameter of the properties that the recommended schema has beside the filters.
const PROPERTIES: &str = "sm.advise.properties";
/// The parameter of the number of cells of a typical query.
const SLICE_CELLS: &str = "sm.advise.slice_cells";

/// The parameter of the lengths of typical queries.
const SLICE_SIDES: &str = "sm.advise.slice_sides";

/// The names that the parameter of properties takes. With the last one, properties that are not named are not compared either.
const NAMES: [&str; 6] = ["capacity", "tile_extents", "cell_order", "array_type", "enumerations", ONLY];
const ONLY: &str = "only";

/// What recommendations depend on beside the objective.
#[derive(Clone, Debug)]
pub(super) struct AdviceSettings {
    /// Properties that the recommended schema has: by default the capacity, which no reader notices.
    properties: String,
    /// Cells that a typical query reads.
    pub(super) slice_cells: u64,
    /// Lengths of typical queries along each dimension, none for all of it; if there are any, they replace the number of cells.
    pub(super) slice_sides: Vec<SliceSides>,
}

/// Lengths of a query along each dimension, none for all of it.
pub(super) type SliceSides = Vec<Option<f64>>;

impl AdviceSettings {
    /// As a configuration says.
    ///
    /// # Errors
    /// For unknown properties, for a number of cells that is none or 0, and for lengths that are not one positive number for each
    /// dimension.
    pub(super) fn new(config: &Config, dimensions: usize) -> Result<AdviceSettings> {
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
        let mut slice_sides = Vec::new();
        let text = config.try_get(SLICE_SIDES)?.unwrap_or_default();
        for query in text.split(';').filter(|query| !query.trim().is_empty()) {
            let length = |text: &str| match text.trim() {
                "*" => Some(None),
                number => number.parse().ok().filter(|side: &f64| side.is_finite() && *side > 0.0).map(Some),
            };
            match query.split(',').map(length).collect::<Option<SliceSides>>() {
                Some(sides) if sides.len() == dimensions => slice_sides.push(sides),
                _ => bail!(
                    "Parameter '{SLICE_SIDES}' has '{query}'; it takes a positive length for each of {dimensions} dimensions, or '*' for all of it, separated by commas"
                ),
            }
        }
        Ok(AdviceSettings { properties, slice_cells, slice_sides })
    }

    /// True if candidates for this property are compared.
    pub(super) fn compares(&self, name: &str) -> bool {
        self.applies(name) || !self.applies(ONLY)
    }

    /// True if the recommended schema has this property.
    pub(super) fn applies(&self, name: &str) -> bool {
        self.properties.split(',').any(|property| property.trim() == name)
    }
}
