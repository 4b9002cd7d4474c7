//! The delete conditions that a fragment with deleted cells refers to by index.

use std::collections::{HashMap, HashSet};

use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_core::error::Result;

/// The delete conditions that a fragment of all cells of an array refers to by index: those of the array by time, then
/// those that only its fragments still name.
///
/// # Errors
/// If a condition or a list of conditions cannot be read.
pub fn conditions_of(array: &OpenArray) -> Result<Vec<String>> {
    Ok(markers(array)?.into_iter().cloned().collect())
}

fn markers(array: &OpenArray) -> Result<Vec<&String>> {
    let mut markers: Vec<&String> = array.delete_conditions()?.iter().map(|condition| &condition.marker).collect();
    let mut known: HashSet<&String> = markers.iter().copied().collect();
    for fragment in array.fragments()?.iter().filter(|fragment| fragment.has_delete_metadata()) {
        markers.extend(fragment.processed_conditions()?.iter().filter(|marker| known.insert(marker)));
    }
    Ok(markers)
}

/// The index of each condition among [`conditions_of`] an array.
pub struct ConditionIndex<'a>(HashMap<&'a String, u64>);

impl<'a> ConditionIndex<'a> {
    /// Builds the index.
    ///
    /// # Errors
    /// As [`conditions_of`].
    pub fn new(array: &'a OpenArray) -> Result<ConditionIndex<'a>> {
        Ok(ConditionIndex(markers(array)?.into_iter().zip(0..).collect()))
    }

    /// Those of the conditions that a fragment names.
    ///
    /// # Errors
    /// If its list of conditions cannot be read.
    pub fn of(&self, fragment: &Fragment) -> Result<Vec<u64>> {
        let place = |marker| self.0.get(marker).copied().unwrap_or(u64::MAX);
        Ok(fragment.processed_conditions()?.iter().map(place).collect())
    }
}
