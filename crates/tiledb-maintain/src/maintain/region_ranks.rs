//! Regions of any type of dimension as boxes of numbers.

use tiledb_array::schema::Domain;
use tiledb_cells::space::grid::CoordSpan;
use tiledb_core::sort;
use tiledb_core::types::{CellRange, NdRange};

/// Regions with their ends replaced by the ranks of these among all ends along a dimension: what overlaps still does.
pub(super) fn ranks(domain: &Domain, regions: &[&NdRange]) -> Vec<Vec<CoordSpan>> {
    let mut boxes = vec![Vec::new(); regions.len()];
    for (d, dimension) in domain.dimensions().iter().enumerate() {
        let compare = |a: &&[u8], b: &&[u8]| CellRange::compare(dimension.datatype(), a, b);
        let mut ends: Vec<&[u8]> = regions.iter().flat_map(|region| [region[d].low(), region[d].high()]).collect();
        sort::by(&mut ends, compare);
        let rank = |end: &[u8]| ends.partition_point(|other| compare(other, &end).is_lt()) as u64;
        for (sides, region) in boxes.iter_mut().zip(regions) {
            sides.push(CoordSpan { low: rank(region[d].low()), high: rank(region[d].high()) });
        }
    }
    boxes
}
