//! Verification of statistics of fields over a whole fragment.

use std::collections::BTreeMap;

use super::finding::{Code, Finding};
use super::statistics::show;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_filters::tile::{FragmentStats, TileStats};

/// Statistics of the verified tiles.
pub(super) struct FragmentTotals {
    fields: BTreeMap<usize, (FragmentStats, u64)>,
}

impl FragmentTotals {
    pub(super) fn new(fragment: &Fragment) -> FragmentTotals {
        let field = |field: &Field| (field.index, (FragmentStats::new(field.datatype, fragment.stats_kind(field)), 0));
        FragmentTotals {
            fields: fragment.schema().fields().iter().chain(fragment.special_fields()).map(field).collect(),
        }
    }

    pub(super) fn add(&mut self, tiles: &[(usize, TileStats)]) {
        for (index, stats) in tiles {
            if let Some((totals, count)) = self.fields.get_mut(index) {
                totals.add(stats);
                *count += 1;
            }
        }
    }

    /// Compares the fields whose tiles were all verified with the fragment's totals.
    pub(super) fn compare(mut self, fragment: &Fragment) -> Vec<Finding> {
        let mut found = Vec::new();
        // A table that cannot be read was reported with the metadata file.
        let Ok(Some(stored)) = fragment.totals() else { return found };
        for field in fragment.schema().fields().iter().chain(fragment.special_fields()) {
            let (Some((totals, tiles)), Some(stored)) = (self.fields.remove(&field.index), stored.get(field.index))
            else {
                continue;
            };
            let kind = fragment.stats_kind(field);
            if tiles != fragment.tile_count() || tiles == 0 {
                continue;
            }
            let made = totals.finish();
            let mut wrong = |text: String| {
                let finding = Finding::new(Code::Statistics, &fragment.metadata_file(), text);
                let name = Some(fragment.name().as_str().to_owned());
                found.push(Finding { field: Some(field.name.to_string()), fragment: name, ..finding });
            };
            let is_real = field.datatype.is_float();
            if kind.null_count && stored.null_count != made.null_count {
                wrong(format!("{} cells are said to be null, but {} are", stored.null_count, made.null_count));
            }
            // In tiles of fixed-size text whose written cells are all null, the unwritten cells seem to have values.
            let is_empty = fragment.is_dense() && stored.min.is_empty() && stored.max.is_empty();
            let is_nothing = is_empty && made.min.iter().chain(&made.max).all(|&byte| byte == 0);
            let differs = stored.min != made.min || stored.max != made.max;
            if kind.min_max && made.valid_count > 0 && !is_real && differs && !is_nothing {
                let (said, is) = (show(field, &stored.min, &stored.max), show(field, &made.min, &made.max));
                wrong(format!("Minimum and maximum of the fragment are said to be {said}, but are {is}"));
            }
            if kind.sum && !is_real && stored.sum != made.sum {
                let sum = |bytes| i64::from_le_bytes(bytes);
                wrong(format!("The sum of the fragment is said to be {}, but is {}", sum(stored.sum), sum(made.sum)));
            }
        }
        found
    }
}
