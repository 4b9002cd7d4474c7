//! The conditions that a fragment of deleted cells names by index.

use std::collections::HashMap;

use crate::array::OpenArray;
use crate::error::Result;
use crate::fragment::Fragment;

/// The conditions that a fragment of all cells of an array names by index: those of the array by time, then those that
/// only its fragments still tell of.
///
/// # Errors
/// If a condition or a list of conditions cannot be read.
pub fn conditions_of(array: &OpenArray) -> Result<Vec<String>> {
    let mut markers: Vec<String> =
        array.delete_conditions()?.iter().map(|condition| condition.marker.clone()).collect();
    for fragment in array.fragments().iter().filter(|fragment| fragment.has_delete_metadata()) {
        for marker in fragment.processed_conditions()? {
            if !markers.contains(marker) {
                markers.push(marker.clone());
            }
        }
    }
    Ok(markers)
}

/// The new index of each condition that a fragment processed.
pub fn new_indexes(array: &OpenArray, fragment: &Fragment) -> Result<Vec<u64>> {
    let markers = conditions_of(array)?;
    let places: HashMap<&String, u64> = markers.iter().zip(0..).collect();
    let place = |marker| places.get(marker).copied().unwrap_or(u64::MAX);
    Ok(fragment.processed_conditions()?.iter().map(place).collect())
}
