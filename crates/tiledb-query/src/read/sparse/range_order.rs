//! Ranges in the order in which they were added: of an array with one dimension libtiledb delivers the cells of a
//! single fragment range by range, also in row- or column-major order. Those of several fragments it sorts.

use std::cmp::Ordering;
use std::sync::Arc;

use super::cell_run::CellRun;
use super::loaded_tile::LoadedTile;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::types::{CellRange, Datatype};

/// The ranges of the only dimension.
pub struct RangeOrder {
    datatype: Datatype,
    ranges: Vec<CellRange>,
}

impl RangeOrder {
    /// `None` where cells have the same order anyway.
    pub fn new(subarray: &Subarray) -> Option<RangeOrder> {
        let ([dimension], [set]) = (subarray.schema().domain().dimensions(), subarray.sets()) else { return None };
        let datatype = dimension.datatype();
        let follows = |pair: &[CellRange]| CellRange::compare(datatype, pair[0].high(), pair[1].low()).is_lt();
        let ranges = set.ranges();
        (!ranges.windows(2).all(follows)).then(|| RangeOrder { datatype, ranges: ranges.to_vec() })
    }

    /// The cells of each range, one range after the other. The cells of the runs ascend, with coordinates in memory.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn apply(
        &self,
        tiles: &[Arc<LoadedTile>],
        cell_runs: &[CellRun],
        budget: &Budget,
    ) -> Result<Lease<Vec<CellRun>>> {
        let order = |cell_run: &CellRun, cell: u32, end: &[u8]| {
            let value = tiles[cell_run.tile as usize].coordinate(0, cell as usize, self.datatype.size());
            value.map_or(Ordering::Equal, |value| CellRange::compare(self.datatype, value, end))
        };
        let mut by_range = budget.lease(MemoryKind::Results, 0, || Ok(Vec::new()))?;
        for range in &self.ranges {
            let is_before = |cell_run: &CellRun, cell: u32| order(cell_run, cell, range.low()).is_lt();
            let is_after = |cell_run: &CellRun, cell: u32| order(cell_run, cell, range.high()).is_gt();
            let first = cell_runs.partition_point(|cell_run| is_before(cell_run, cell_run.first + cell_run.len - 1));
            let mut rest =
                cell_runs[first..].iter().take_while(|cell_run| !is_after(cell_run, cell_run.first)).peekable();
            while let Some(cell_run) = rest.next() {
                let start = place(cell_run, |cell| is_before(cell_run, cell));
                // Only the last reaches beyond the range.
                let end = if rest.peek().is_some() {
                    cell_run.len
                } else {
                    place(cell_run, |cell| !is_after(cell_run, cell))
                };
                if start < end {
                    by_range.push("slabs", CellRun { first: cell_run.first + start, len: end - start, ..*cell_run })?;
                }
            }
        }
        Ok(by_range)
    }
}

/// For how many of the first cells of a run a predicate holds.
fn place(cell_run: &CellRun, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, cell_run.len);
    while low < high {
        let middle = low + (high - low) / 2;
        (low, high) = if holds(cell_run.first + middle) { (middle + 1, high) } else { (low, middle) };
    }
    low
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Query, Status};
    use tiledb_array::array::{OpenArray, create};
    use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_cells::columns::input::Inputs;
    use tiledb_cells::columns::user_buffer::UserPtr;
    use tiledb_cells::space::subarray::Subarray;
    use tiledb_cells::write::testing::{self, column};
    use tiledb_cells::write::writer;
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    /// A sparse array of these fragments, with three cells in a tile.
    fn written(name: &str, allows_dups: bool, fragments: &[Vec<i32>]) -> (Resources, Uri) {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse(&format!("mem://range_order/{name}{allows_dups}")).unwrap();
        let ends = [0i32, 99].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&100i32.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.set_capacity(3).unwrap();
        schema.set_allows_dups(allows_dups).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        for (time, cells) in (1..).zip(fragments) {
            let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, time), &EncryptionKey::None).unwrap();
            let cells: &[u8] = bytemuck::cast_slice(cells);
            let mut writer = writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap();
            writer.write(&Inputs { columns: vec![column("a", cells), column("d", cells)].into() }).unwrap();
            writer.finish().unwrap();
        }
        (resources, uri)
    }

    /// The values of the cells of ranges, with buffers for some of them.
    fn read((resources, uri): &(Resources, Uri), layout: Layout, ranges: &[(i32, i32)], capacity: usize) -> Vec<i32> {
        let array = OpenArray::open(resources, uri, QueryType::Read, (0, 9), &EncryptionKey::None).unwrap();
        let mut query = Query::new(&Arc::new(array), QueryType::Read).unwrap();
        let mut subarray = Subarray::new(query.array().schema());
        for (low, high) in ranges {
            subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
        }
        query.set_layout(layout).unwrap();
        query.set_subarray(&subarray).unwrap();
        let mut all = Vec::new();
        loop {
            let mut values = vec![0i32; capacity];
            let mut size = 4 * capacity as u64;
            let start = UserPtr::in_test(values.as_mut_ptr().cast());
            query.set_data_buffer("a", start, UserPtr::in_test(&raw mut size)).unwrap();
            query.submit().unwrap();
            all.extend(&values[..size as usize / 4]);
            if query.status() == Status::Completed {
                return all;
            }
        }
    }

    /// Ranges that do not ascend, are equal, overlap, end in the middle of tiles, or have no cells.
    const RANGES: [&[(i32, i32)]; 9] = [
        &[(50, 60), (10, 20)],
        &[(0, 99), (0, 99)],
        &[(10, 30), (20, 40)],
        &[(90, 99), (0, 5), (40, 41), (4, 8)],
        &[(20, 20), (19, 19), (18, 18), (17, 17)],
        &[(97, 97), (0, 0)],
        &[(12, 12), (12, 12), (11, 13)],
        &[(30, 60), (31, 59), (32, 32), (0, 10)],
        &[(10, 20), (20, 30)],
    ];

    #[test]
    fn cells_of_a_single_fragment_are_delivered_range_by_range() {
        for allows_dups in [false, true] {
            let cells: Vec<i32> = (0..49).map(|cell| 2 * cell).collect();
            let array = written("single", allows_dups, std::slice::from_ref(&cells));
            for ranges in RANGES {
                let in_range = |range: &(i32, i32)| {
                    cells.iter().copied().filter(|cell| (range.0..=range.1).contains(cell)).collect::<Vec<_>>()
                };
                let expected: Vec<i32> = ranges.iter().flat_map(in_range).collect();
                for layout in [Layout::RowMajor, Layout::ColMajor] {
                    for capacity in [1, 4, 200] {
                        let actual = read(&array, layout, ranges, capacity);
                        assert_eq!(actual, expected, "{ranges:?} {layout:?} {capacity}, duplicates: {allows_dups}");
                    }
                }
            }
        }
    }

    /// Where the buffers hold all of them: otherwise there is a part for each range.
    #[test]
    fn cells_of_several_fragments_are_sorted_and_repeated_for_each_range() {
        for allows_dups in [false, true] {
            let fragments = [0, 1].map(|part| (0..25).map(|cell| 4 * cell + 2 * part).collect::<Vec<i32>>());
            let array = written("several", allows_dups, &fragments);
            for ranges in RANGES {
                let repeats = |cell: &i32| ranges.iter().filter(|range| (range.0..=range.1).contains(cell)).count();
                let expected: Vec<i32> =
                    (0..50).map(|cell| 2 * cell).flat_map(|cell| vec![cell; repeats(&cell)]).collect();
                let actual = read(&array, Layout::RowMajor, ranges, 200);
                assert_eq!(actual, expected, "{ranges:?}, duplicates: {allows_dups}");
            }
        }
    }

    /// Cells of a second fragment have them sorted even if all of these are deleted.
    #[test]
    fn cells_beside_deleted_ones_are_sorted() {
        let fragments = [(0..25).collect::<Vec<i32>>(), (25..50).collect()];
        let array = written("deleted", true, &fragments);
        let (resources, uri) = &array;
        let open = OpenArray::open(resources, uri, QueryType::Delete, (0, 3), &EncryptionKey::None).unwrap();
        let mut query = Query::new(&Arc::new(open), QueryType::Delete).unwrap();
        let comparison = Comparison::new("a", Some(&25i32.to_le_bytes()), ComparisonOperator::Less).unwrap();
        query.set_condition(Some(Condition::new(comparison))).unwrap();
        query.submit().unwrap();
        let actual = read(&array, Layout::RowMajor, &[(40, 45), (10, 30)], 200);
        assert_eq!(actual, (25..=30).chain(40..=45).collect::<Vec<i32>>());
    }
}
