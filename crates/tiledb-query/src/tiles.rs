//! Lists the tiles that a read would access, and whether their statistics prune them by the condition, from metadata alone.

use std::sync::Arc;

use crate::read::sparse::filter::{CellFilter, stats_of};
use crate::transfer::filter::program_of;
use tiledb_array::array::OpenArray;
use tiledb_array::condition::Predicate;
use tiledb_array::fragment::Fragment;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::predicate::verdict::{ColumnStats, Verdict};
use tiledb_cells::space::grid::{Grid, Odometer};
use tiledb_cells::space::ranges::disjoint;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{CellRange, Layout, NdRange, QueryType};

/// The verdict of metadata on the cells of a tile that a read would access. The numbers are those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileVerdict {
    /// None matches the condition: the tile is not read.
    Excluded = 0,
    /// Some may match it.
    Some = 1,
    /// All match it, or there is no condition.
    All = 2,
}

impl From<Verdict> for TileVerdict {
    fn from(verdict: Verdict) -> TileVerdict {
        match verdict {
            Verdict::Never => TileVerdict::Excluded,
            Verdict::Maybe => TileVerdict::Some,
            Verdict::Always => TileVerdict::All,
        }
    }
}

/// Passes the tiles of each fragment that a subarray intersects, in the order of the fragments, and their verdicts to
/// `give`, until it returns false.
///
/// # Errors
/// For arrays that are not open for reading or are remote, subarrays of another array or with ranges of labels, an
/// invalid condition; if metadata cannot be read; and those of `give`.
pub fn tiles(
    array: &OpenArray,
    subarray: &Subarray,
    condition: Option<&Predicate>,
    give: &mut dyn FnMut(&Fragment, u64, TileVerdict) -> Result<bool>,
) -> Result<()> {
    check("Tiles", array, subarray)?;
    let program = condition.map(|condition| program_of(array, condition)).transpose()?;
    let ranges = selected(subarray);
    let cancel = array.resources().cancel();
    let dense = array.schema().is_dense().then(|| Grid::new(array.schema())).transpose()?;
    let dense = dense.map(|grid| (grid, all_ranges(subarray)));
    let touched = |fragment: &&Arc<Fragment>| subarray.touches(fragment.non_empty_domain());
    for fragment in array.fragments()?.iter().filter(touched) {
        cancel.check()?;
        match dense.as_ref().filter(|_| fragment.is_dense()) {
            Some((grid, ranges)) => {
                let goes_on = dense_tiles(fragment, grid, ranges, &mut |index, number| {
                    let verdict = match &program {
                        Some(program) => dense_verdict(fragment, grid, program, index, number)?,
                        None => Verdict::Always,
                    };
                    give(fragment, number, verdict.into())
                })?;
                if !goes_on {
                    return Ok(());
                }
            }
            None => {
                let filter = program.as_ref().map(|program| CellFilter::of_condition(program, fragment));
                for cover in fragment.rtree()?.overlapping(&ranges) {
                    let verdict = match &filter {
                        Some(filter) => filter.verdict(fragment, cover.tile)?,
                        None => Verdict::Always,
                    };
                    if !give(fragment, cover.tile, verdict.into())? {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

/// Rejects what cannot be decided without the cells; `what` begins the error.
///
/// # Errors
/// As [`tiles`].
pub(crate) fn check(what: &str, array: &OpenArray, subarray: &Subarray) -> Result<()> {
    if array.query_type() != QueryType::Read {
        bail!("{what}: the array is not open for reading; open it with TILEDB_READ");
    }
    if array.source().is_some() {
        bail!("{what}: '{}' lies at a server; open the array by the path of its folder", array.uri());
    }
    if subarray.sets().len() != array.schema().domain().dimensions().len() {
        bail!("{what}: the subarray has {} dimensions, not those of '{}'", subarray.sets().len(), array.uri());
    }
    if subarray.labels().iter().any(Option::is_some) {
        bail!("{what}: the subarray has ranges of dimension labels; give those of the dimensions");
    }
    Ok(())
}

/// The ranges of each dimension, ascending and disjoint; none where all is selected.
pub(crate) fn selected(subarray: &Subarray) -> Vec<Vec<CellRange>> {
    let dimensions = subarray.schema().domain().dimensions();
    let selected = subarray.sets().iter().zip(dimensions).map(|(set, dimension)| match set.is_default() {
        true => Vec::new(),
        false => disjoint(dimension.datatype(), set.ranges()),
    });
    selected.collect()
}

/// The ranges of each dimension, ascending and disjoint; the whole domain where all is selected.
pub(crate) fn all_ranges(subarray: &Subarray) -> Vec<Vec<CellRange>> {
    let dimensions = subarray.schema().domain().dimensions().iter().zip(subarray.sets());
    dimensions.map(|(dimension, set)| disjoint(dimension.datatype(), set.ranges())).collect()
}

/// Passes the tiles of a dense fragment that ranges touch to `give`, until it returns false: their indexes in the grid
/// and numbers in the fragment. Returns whether it never did.
///
/// # Errors
/// If memory does not suffice, and those of `give`.
pub(crate) fn dense_tiles(
    fragment: &Fragment,
    grid: &Grid,
    ranges: &[Vec<CellRange>],
    give: &mut dyn FnMut(&[u64], u64) -> Result<bool>,
) -> Result<bool> {
    let Some(tiles) = fragment.dense_tile_box() else { return Ok(true) };
    // Per dimension the tiles that ranges touch.
    let mut touched: Vec<Vec<u64>> = Vec::new();
    for (d, (axis, ranges)) in grid.axes().iter().zip(ranges).enumerate() {
        let mut along = Vec::new();
        for range in ranges {
            let span = axis.span(range)?;
            let from = axis.tile(span.low).max(tiles.first()[d]).max(along.last().map_or(0, |last| last + 1));
            for tile in from..=axis.tile(span.high).min(tiles.last()[d]) {
                memory::push("tiles", &mut along, tile)?;
            }
        }
        touched.push(along);
    }
    let mut places = Odometer::new(touched.iter().map(|along| along.len() as u64).collect(), Layout::RowMajor);
    while let Some(place) = places.position() {
        let index: Vec<u64> = touched.iter().zip(place).map(|(along, &at)| along[at as usize]).collect();
        places.advance();
        if let Some(number) = tiles.tile(&index)
            && !give(&index, number)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The verdict of the statistics of a tile of a dense fragment on a condition.
///
/// # Errors
/// If they cannot be read.
pub(crate) fn dense_verdict(
    fragment: &Fragment,
    grid: &Grid,
    program: &Program,
    index: &[u64],
    number: u64,
) -> Result<Verdict> {
    let sides = grid.axes().iter().zip(index).map(|(axis, &tile)| axis.range(axis.tile_span(tile)));
    let sides: NdRange = sides.collect::<Result<_>>()?;
    program.verdict(
        |_| Ok(None),
        |column| {
            let compared = &program.columns()[column];
            if let Some(side) = compared.dimension_index.and_then(|dimension| sides.get(dimension)) {
                return Ok(Some(ColumnStats { min_max: (side.low(), side.high()), has_nulls: false }));
            }
            match fragment.stored(compared) {
                Some(field) if !field.is_dimension => stats_of(fragment, field, compared, number),
                _ => Ok(None),
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_array::array::create;
    use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_cells::columns::input::Inputs;
    use tiledb_cells::write::testing::{self, column};
    use tiledb_cells::write::writer;
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    /// Rows and columns of a tile.
    const EXTENTS: [i32; 2] = [2, 3];
    const SIZE: i32 = 6;
    /// Boxes of whole tiles, in the order of the fragments.
    const WRITES: [[(i32, i32); 2]; 3] = [[(1, 6), (1, 6)], [(3, 4), (4, 6)], [(1, 4), (1, 3)]];

    /// An array of 6 times 6 cells; sparse ones have as many cells in a tile as rows and columns of the dense ones have.
    struct Fixture {
        resources: Resources,
        uri: Uri,
        array_type: ArrayType,
    }

    type VisitedTile = (usize, u64, TileVerdict);

    impl Fixture {
        fn new(array_type: ArrayType) -> Fixture {
            let resources = Resources::new(Config::new()).unwrap();
            let uri = Uri::parse(&format!("mem://tiles/{array_type:?}")).unwrap();
            let mut domain = Domain::new();
            for (name, extent) in ["rows", "cols"].into_iter().zip(EXTENTS) {
                let ends = [1, SIZE].map(i32::to_le_bytes).concat();
                let dimension = Dimension::new(name, Datatype::Int32, Some(&ends), Some(&extent.to_le_bytes()));
                domain.add(Arc::new(dimension.unwrap()));
            }
            let mut schema = ArraySchema::new(array_type);
            schema.set_domain(Arc::new(domain)).unwrap();
            schema.set_capacity((EXTENTS[0] * EXTENTS[1]) as u64).unwrap();
            schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
            create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
            let fixture = Fixture { resources, uri, array_type };
            (1..).zip(WRITES).for_each(|(time, sides)| fixture.write(time, sides));
            fixture
        }

        fn open(&self, kind: QueryType, time: u64) -> OpenArray {
            OpenArray::open(&self.resources, &self.uri, kind, (0, time), &EncryptionKey::None).unwrap()
        }

        fn write(&self, time: u64, sides: [(i32, i32); 2]) {
            let array = self.open(QueryType::Write, time);
            let cells: Vec<(i32, i32)> =
                (sides[0].0..=sides[0].1).flat_map(|r| (sides[1].0..=sides[1].1).map(move |c| (r, c))).collect();
            let values: Vec<i32> = cells.iter().map(|&(r, c)| value(time, r, c)).collect();
            let (rows, cols): (Vec<i32>, Vec<i32>) = cells.into_iter().unzip();
            let mut columns = vec![column("a", bytemuck::cast_slice(&values))];
            let mut writer = match self.array_type {
                ArrayType::Dense => writer(testing::spec(array, Layout::RowMajor, &sides, u64::MAX)).unwrap(),
                ArrayType::Sparse => {
                    columns.push(column("rows", bytemuck::cast_slice(&rows)));
                    columns.push(column("cols", bytemuck::cast_slice(&cols)));
                    writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap()
                }
            };
            writer.write(&Inputs { columns: columns.into() }).unwrap();
            writer.finish().unwrap();
        }

        fn subarray(&self, ranges: &[Vec<(i32, i32)>; 2]) -> Subarray {
            let mut subarray = Subarray::new(self.open(QueryType::Read, 9).schema());
            for (dimension, ranges) in (0..).zip(ranges) {
                for (low, high) in ranges {
                    subarray.add_range(dimension, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
                }
            }
            subarray
        }

        /// The first tiles that are visited: the number of the fragment, that of the tile, and the verdict.
        fn visited(&self, subarray: &Subarray, condition: Option<&Predicate>, most: usize) -> Vec<VisitedTile> {
            let array = self.open(QueryType::Read, 9);
            let mut visited = Vec::new();
            tiles(&array, subarray, condition, &mut |fragment, tile, verdict| {
                visited.push((fragment.timestamps().0 as usize - 1, tile, verdict));
                Ok(visited.len() < most)
            })
            .unwrap();
            visited
        }
    }

    fn value(time: u64, row: i32, col: i32) -> i32 {
        100 * time as i32 + 10 * row + col
    }

    fn less(field: &str, value: i32) -> Predicate {
        let bytes = value.to_le_bytes();
        Condition::new(Comparison::new(field, Some(&bytes), ComparisonOperator::Less).unwrap()).predicate().unwrap()
    }

    /// The tiles by their boxes and cells; both array types have the same, in this order of tiles and cells.
    fn expected(ranges: &[Vec<(i32, i32)>; 2], condition: Option<(&str, i32)>) -> Vec<VisitedTile> {
        let mut all = Vec::new();
        for (number, sides) in WRITES.iter().enumerate() {
            let mut tile = 0;
            for row in (sides[0].0..=sides[0].1).step_by(EXTENTS[0] as usize) {
                for col in (sides[1].0..=sides[1].1).step_by(EXTENTS[1] as usize) {
                    let last = (row + EXTENTS[0] - 1, col + EXTENTS[1] - 1);
                    let touches = |ranges: &[(i32, i32)], low: i32, high: i32| {
                        ranges.is_empty() || ranges.iter().any(|range| range.0 <= high && low <= range.1)
                    };
                    if touches(&ranges[0], row, last.0) && touches(&ranges[1], col, last.1) {
                        let cells = (row..=last.0).flat_map(|r| (col..=last.1).map(move |c| (r, c)));
                        let (all_match, any_match) = cells.fold((true, false), |(all, any), (r, c)| {
                            let is_match = condition.is_none_or(|(field, limit)| match field {
                                "a" => value(number as u64 + 1, r, c) < limit,
                                "rows" => r < limit,
                                _ => c < limit,
                            });
                            (all && is_match, any || is_match)
                        });
                        let verdict = match (all_match, any_match) {
                            (true, _) => TileVerdict::All,
                            (false, true) => TileVerdict::Some,
                            (false, false) => TileVerdict::Excluded,
                        };
                        all.push((number, tile, verdict));
                    }
                    tile += 1;
                }
            }
        }
        all
    }

    #[test]
    fn tiles_that_ranges_touch_have_the_verdict_of_their_cells() {
        let ranges: [[Vec<(i32, i32)>; 2]; 7] = [
            [vec![], vec![]],
            [vec![(1, 6)], vec![(1, 6)]],
            [vec![(2, 3)], vec![(4, 5)]],
            [vec![(1, 1), (6, 6)], vec![(3, 3)]],
            // Two ranges in one tile, and ranges that overlap.
            [vec![(5, 5), (6, 6)], vec![(1, 4), (2, 5)]],
            [vec![(1, 2)], vec![(6, 6)]],
            [vec![(3, 4)], vec![]],
        ];
        for array_type in [ArrayType::Dense, ArrayType::Sparse] {
            let fixture = Fixture::new(array_type);
            for ranges in &ranges {
                let subarray = fixture.subarray(ranges);
                let visited = fixture.visited(&subarray, None, usize::MAX);
                assert_eq!(visited, expected(ranges, None), "{array_type:?} {ranges:?}");
                for (field, limit) in
                    [("a", 0), ("a", 124), ("a", 165), ("a", 235), ("a", 500), ("rows", 3), ("rows", 4), ("cols", 4)]
                {
                    let visited = fixture.visited(&subarray, Some(&less(field, limit)), usize::MAX);
                    let expected = expected(ranges, Some((field, limit)));
                    assert_eq!(visited, expected, "{array_type:?} {ranges:?} {field} < {limit}");
                }
            }
        }
    }

    #[test]
    fn visit_ends_when_the_callee_says_so() {
        for array_type in [ArrayType::Dense, ArrayType::Sparse] {
            let fixture = Fixture::new(array_type);
            let subarray = fixture.subarray(&[vec![], vec![]]);
            let all = expected(&[vec![], vec![]], None);
            for most in 1..=all.len() {
                assert_eq!(fixture.visited(&subarray, None, most), all[..most], "{array_type:?}");
            }
        }
    }

    #[test]
    fn tiles_of_arrays_that_are_not_read_and_of_other_subarrays_are_refused() {
        let fixture = Fixture::new(ArrayType::Dense);
        let subarray = fixture.subarray(&[vec![], vec![]]);
        let visit = |kind: QueryType, subarray: &Subarray| {
            tiles(&fixture.open(kind, 9), subarray, None, &mut |_, _, _| Ok(true))
                .map_err(|error| error.text().to_owned())
        };
        assert!(visit(QueryType::Read, &subarray).is_ok());
        assert!(visit(QueryType::Write, &subarray).unwrap_err().contains("not open for reading"));
        let mut schema = ArraySchema::new(ArrayType::Dense);
        let ends = [1i32, 6].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&2i32.to_le_bytes())).unwrap();
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        let other = Subarray::new(&Arc::new(schema));
        assert!(visit(QueryType::Read, &other).unwrap_err().contains("has 1 dimensions"));
    }
}
