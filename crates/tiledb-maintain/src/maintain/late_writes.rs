//! Writes to dense arrays that were committed after the fragments around them were merged.
//!
//! A merged dense fragment has the timestamps of its sources, and readers order fragments by their first timestamp: a
//! fragment whose timestamp is within that range hides the merged one, and with it the cells of sources that are newer.

use tiledb_array::fragment::{Fragment, FragmentName};
use tiledb_cells::space::box_index::overlap;
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis};

/// The cells of a dense fragment.
pub(crate) struct DenseFragment {
    pub(crate) name: FragmentName,
    pub(crate) region: Vec<CoordSpan>,
}

impl DenseFragment {
    pub(crate) fn new(grid: &Grid, fragment: &Fragment) -> DenseFragment {
        let span = |(axis, range): (&GridAxis, _)| axis.span_cut(range).unwrap_or(CoordSpan { low: 0, high: 0 });
        let region = grid.axes().iter().zip(fragment.non_empty_domain()).map(span).collect();
        DenseFragment { name: fragment.name().clone(), region }
    }
}

/// Fragments that may hide newer cells of a merged fragment, each with the first such fragment.
pub(crate) fn late_writes(visible: &[DenseFragment]) -> Vec<(&DenseFragment, &DenseFragment)> {
    let is_merged = |fragment: &&DenseFragment| fragment.name.timestamps().0 < fragment.name.timestamps().1;
    let merged: Vec<&DenseFragment> = visible.iter().filter(is_merged).collect();
    let hidden_by = |late: &DenseFragment| {
        let (start, end) = late.name.timestamps();
        merged.iter().copied().find(|merged| {
            let times = merged.name.timestamps();
            times.0 < start && end < times.1 && overlap(&merged.region, &late.region)
        })
    };
    visible.iter().filter_map(|late| Some((late, hidden_by(late)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::CURRENT_VERSION;

    #[test]
    fn fragments_inside_a_merged_range_are_late_where_they_overlap() {
        let fragment = |start, end, low, high| DenseFragment {
            name: FragmentName::new(start, end, CURRENT_VERSION),
            region: vec![CoordSpan { low, high }],
        };
        let merged = || fragment(10, 30, 0, 9);
        let is_late = |other: DenseFragment| !late_writes(&[merged(), other]).is_empty();
        assert!(is_late(fragment(20, 20, 9, 12)) && is_late(fragment(11, 29, 0, 9)));
        assert!(!is_late(fragment(20, 20, 10, 12)), "it overlaps no merged cell");
        assert!(!is_late(fragment(31, 31, 0, 9)) && !is_late(fragment(9, 9, 0, 9)));
        assert!(!is_late(merged()), "parts of one merge");
        assert!(!is_late(fragment(10, 20, 0, 9)) && !is_late(fragment(20, 30, 0, 9)), "it may be a source");
    }
}
