//! Recommends the capacity of sparse arrays: sampled cells are written with some candidates.

use std::sync::Arc;

use super::cost::{Estimate, Objective};
use super::property::{AdvisedProperty, Property, PropertyReason};
use super::settings::AdviceSettings;
use super::slices::{Slice, WindowRanks, slices, tiles_read};
use super::trial::{self, TrialSize};
use crate::maintain::cell_buffers::CellBuffers;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::Result;
use tiledb_core::types::FormatVersion;
use tiledb_storage::resources::Resources;

/// Capacities that are compared with the current one.
const CAPACITIES: [u64; 10] = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];
/// Maximum number of bytes of a field in a tile, for a capacity that is recommended.
const TILE_BYTES: u64 = 16 << 20;
/// Picoseconds to find, decode and select from a tile of a field, besides those for its bytes.
const TILE_TIME: u64 = 5_000_000;
/// Capacities beside the current, the least and the largest one with which the sample is written.
const WRITTEN: [u64; 2] = [5_000, 20_000];

/// Costs of an array with a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LayoutCost {
    /// Size on disk in bytes.
    pub(super) stored: u64,
    /// Modeled time to read all cells in picoseconds.
    pub(super) scan: u64,
    /// Modeled time of a typical query in picoseconds.
    pub(super) slice: u64,
}

impl LayoutCost {
    pub(super) fn estimate(self) -> Estimate {
        Estimate { stored: self.stored, decode: self.slice / 1000 }
    }
}

/// What the costs of all layouts depend on.
pub(super) struct LayoutProblem<'a> {
    pub(super) resources: &'a Resources,
    pub(super) array: &'a Arc<OpenArray>,
    /// With the recommended filters.
    pub(super) schema: &'a ArraySchema,
    pub(super) version: FormatVersion,
    pub(super) objective: Objective,
    pub(super) settings: &'a AdviceSettings,
    /// Cells of all fragments.
    pub(super) cells: u64,
    /// Modeled time to decode all cells in nanoseconds.
    pub(super) decode: u64,
    /// Bytes of the values of all fields, before filters, and of the largest.
    pub(super) value_bytes: u64,
    pub(super) largest_field: u64,
}

/// What reading all cells and a typical query have to do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LayoutWork {
    /// Cells of all tiles.
    pub(super) cells: u64,
    pub(super) tiles: u64,
    /// Modeled time to decode them in nanoseconds.
    pub(super) decode: u64,
    /// Picoseconds to copy all cells in the order of a reader.
    pub(super) copy: u128,
    /// Tiles that a typical query intersects, in thousandths.
    pub(super) slice_tiles: u64,
    /// Cells that it decodes.
    pub(super) slice_cells: u64,
}

/// Recommendations for a layout, and the schema with those that are asked for if they change it.
#[derive(Default)]
pub(super) struct AdvisedLayout {
    pub(super) properties: Vec<AdvisedProperty>,
    pub(super) schema: Option<ArraySchema>,
    /// The sample in the order of that schema, if it is another than that of the array.
    pub(super) sample: Option<Arc<OpenArray>>,
}

impl LayoutProblem<'_> {
    /// Costs of files of which the data and the metadata have this many bytes.
    pub(super) fn cost(&self, [data, metadata]: [u64; 2], work: &LayoutWork) -> LayoutCost {
        let byte = u128::from(self.objective.read_slice());
        let all = u128::from(data) * byte + u128::from(work.decode) * 1000;
        let (metadata_time, tile_time) =
            (u128::from(metadata) * byte, u128::from(TILE_TIME) * self.schema.fields().len() as u128);
        let scan = metadata_time + u128::from(work.tiles) * tile_time + all + work.copy;
        let cells = u128::from(work.cells.max(1));
        let decoded = u128::from(work.slice_cells).min(cells);
        let slice = metadata_time
            + u128::from(work.slice_tiles) * tile_time / 1000
            + all / cells * decoded
            + all % cells * decoded / cells;
        let [scan, slice] = [scan, slice].map(|time| u64::try_from(time).unwrap_or(u64::MAX));
        LayoutCost { stored: data.saturating_add(metadata), scan, slice }
    }

    /// Bytes of the values of a cell, before filters.
    pub(super) fn row_bytes(&self) -> u64 {
        self.value_bytes / self.cells.max(1)
    }

    /// True if tiles of this many cells are of a reasonable size.
    pub(super) fn is_reasonable(&self, tile_cells: u64) -> bool {
        u128::from(self.largest_field) * u128::from(tile_cells) / u128::from(self.cells.max(1))
            <= u128::from(TILE_BYTES)
    }

    /// The index of the best candidate, see [`best`]. Where typical queries are given, the time to read all cells does not count.
    pub(super) fn best(&self, costs: &[LayoutCost], current: usize) -> usize {
        if self.settings.slice_sides.is_empty() {
            return best(self.objective, costs, current);
        }
        let costs: Vec<LayoutCost> = costs.iter().map(|cost| LayoutCost { scan: 0, ..*cost }).collect();
        best(self.objective, &costs, current)
    }

    pub(super) fn property(
        &self,
        property: Property,
        [current, recommended]: [String; 2],
        [current_cost, recommended_cost]: [LayoutCost; 2],
        sampled: u64,
    ) -> AdvisedProperty {
        AdvisedProperty {
            property,
            reason: if current == recommended { PropertyReason::Current } else { PropertyReason::Better },
            current,
            recommended,
            is_applied: false,
            sampled,
            current_cost: current_cost.estimate(),
            recommended_cost: recommended_cost.estimate(),
        }
    }
}

/// The candidate with the fastest query among those that need hardly more bytes than the smallest, and for objectives of speed hardly
/// more time to read all cells than the fastest; the current one if it is almost as good.
fn best(objective: Objective, costs: &[LayoutCost], current: usize) -> usize {
    let (percent, percent_of_time) = match objective {
        Objective::Smallest => (101, None),
        Objective::Balanced => (105, Some(108)),
        Objective::Fastest => (120, Some(105)),
    };
    let is_within = |own: u64, least: u64, percent: u128| u128::from(own) * 100 <= u128::from(least) * percent;
    let least = costs.iter().map(|cost| cost.stored).min().unwrap_or(0);
    let has_few_bytes = |cost: &&LayoutCost| is_within(cost.stored, least, percent);
    let least_time = costs.iter().filter(has_few_bytes).map(|cost| cost.scan).min().unwrap_or(0);
    let is_small = |cost: &LayoutCost| {
        has_few_bytes(&cost) && percent_of_time.is_none_or(|percent| is_within(cost.scan, least_time, percent))
    };
    let small = costs.iter().enumerate().filter(|(_, cost)| is_small(cost));
    let Some((best, cost)) = small.min_by_key(|(_, cost)| cost.slice) else { return current };
    let is_good =
        |current: &LayoutCost| is_small(current) && u128::from(current.slice) * 100 <= u128::from(cost.slice) * 110;
    if costs.get(current).is_some_and(is_good) { current } else { best }
}

/// Metadata of all cells: that of a fragment and of each tile, by a line through the trials with the most and the fewest tiles.
pub(super) fn metadata_of(trials: &[TrialSize], tiles: u64) -> u64 {
    let by_tiles = |size: &&TrialSize| (size.tiles, size.metadata);
    let (Some(few), Some(many)) = (trials.iter().min_by_key(by_tiles), trials.iter().max_by_key(by_tiles)) else {
        return 0;
    };
    let fragments = few.fragments.max(1);
    let more = u128::from(many.metadata.saturating_sub(few.metadata));
    let (of_tile, beside) = match many.tiles - few.tiles {
        // Only the metadata of a fragment with one tile is known.
        0 => return few.metadata / fragments,
        tiles => (more, u128::from(tiles)),
    };
    let fixed =
        u128::from(few.metadata).saturating_sub(of_tile * u128::from(few.tiles) / beside) / u128::from(fragments);
    u64::try_from(fixed + of_tile * u128::from(tiles) / beside).unwrap_or(u64::MAX)
}

/// `all` cells of which `sampled` have this many bytes.
pub(super) fn scaled(bytes: u64, all: u64, sampled: u64) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(all) / u128::from(sampled.max(1))).unwrap_or(u64::MAX)
}

/// The sampled cells of a sparse array and its typical queries.
pub(super) struct SparseSample {
    pub(super) windows: Vec<CellBuffers>,
    pub(super) cells: u64,
    pub(super) bytes: u64,
    slices: Vec<Slice>,
    ranks: Vec<WindowRanks>,
}

impl SparseSample {
    fn new(problem: &LayoutProblem<'_>) -> Result<SparseSample> {
        let schema = problem.array.schema();
        let settings = problem.settings;
        let windows = trial::windows(problem.array, problem.row_bytes())?;
        let ranks: Vec<WindowRanks> = windows.iter().map(|window| WindowRanks::new(schema, window)).collect();
        let bytes = windows.iter().flat_map(|window| &window.fields).map(|field| field.bytes as u64).sum();
        let cells = windows.iter().map(|window| window.cells as u64).sum();
        Ok(SparseSample {
            slices: slices(&ranks, settings.slice_cells, &settings.slice_sides),
            ranks,
            windows,
            cells,
            bytes,
        })
    }

    /// The cost with a capacity, of which the sample has this size, and all cells these bytes of metadata.
    fn cost(&self, problem: &LayoutProblem<'_>, data: u64, metadata: u64, capacity: u64) -> LayoutCost {
        let tiles = tiles_read(&self.ranks, &self.slices, capacity);
        self.cost_of(problem, [data, metadata], capacity, [tiles, self.slices.len() as u64], problem.decode)
    }

    /// The cost if `queries` read so many tiles, and all cells are decoded in a time.
    fn cost_of(
        &self,
        problem: &LayoutProblem<'_>,
        [data, metadata]: [u64; 2],
        capacity: u64,
        [tiles, queries]: [u64; 2],
        decode: u64,
    ) -> LayoutCost {
        let slice_tiles = tiles.saturating_mul(1000) / queries.max(1);
        let decoded = u128::from(capacity) * u128::from(slice_tiles) / 1000;
        let work = LayoutWork {
            cells: problem.cells,
            tiles: problem.cells.div_ceil(capacity.max(1)),
            decode,
            copy: 0,
            slice_tiles,
            slice_cells: u64::try_from(decoded).unwrap_or(u64::MAX),
        };
        problem.cost([scaled(data, problem.cells, self.cells), metadata], &work)
    }

    /// The cost of an array that has the cells of the sample in an order, of which `slices` are typical queries.
    pub(super) fn cost_in(
        &self,
        problem: &LayoutProblem<'_>,
        sizes: [u64; 2],
        capacity: u64,
        (ranks, slices): (&WindowRanks, &[Slice]),
        decode: u64,
    ) -> LayoutCost {
        let tiles = tiles_read(std::slice::from_ref(ranks), slices, capacity);
        self.cost_of(problem, sizes, capacity, [tiles, slices.len() as u64], decode)
    }
}

/// The size of the data with a capacity between two others, of which the sizes are known: by a line over the number of tiles.
fn between(capacity: u64, low: (u64, u64), high: (u64, u64)) -> u64 {
    let tiles = |capacity: u64| (1u128 << 40) / u128::from(capacity.max(1));
    let (all, own) = (tiles(low.0).saturating_sub(tiles(high.0)), tiles(capacity).saturating_sub(tiles(high.0)));
    let more = u128::from(low.1.saturating_sub(high.1)) * own / all.max(1);
    high.1 + u64::try_from(more).unwrap_or(u64::MAX)
}

/// The sizes of the sample with capacities, in ascending order: some are written, those of the others between them computed. `None`
/// if a schema does not accept the cells.
fn sizes(problem: &LayoutProblem<'_>, sample: &SparseSample, capacities: &[u64]) -> Result<Option<Vec<TrialSize>>> {
    let own = problem.schema.capacity();
    let longest = sample.windows.iter().map(|window| window.cells as u64).max().unwrap_or(0);
    let last = capacities.iter().position(|&capacity| capacity >= longest).unwrap_or(capacities.len() - 1);
    let mut sizes: Vec<Option<TrialSize>> = Vec::new();
    for (index, &capacity) in capacities.iter().enumerate() {
        // Capacities beyond the windows make the same tiles of them.
        if index > last {
            sizes.push(sizes[last]);
        } else if index == 0 || index == last || capacity == own || WRITTEN.contains(&capacity) {
            let mut schema = problem.schema.clone();
            schema.set_capacity(capacity)?;
            let mut windows = sample.windows.iter().map(|window| (window.inputs(), None));
            let Some(size) = trial::size(problem.resources, &schema, &mut windows)? else { return Ok(None) };
            sizes.push(Some(size));
        } else {
            sizes.push(None);
        }
    }
    let known = |index: usize| sizes[index].map(|size| (capacities[index].min(longest), size));
    let filled = (0..sizes.len()).map(|index| {
        let (low, high) = ((0..=index).rev().find_map(known), (index..sizes.len()).find_map(known));
        let ((low_capacity, low), (high_capacity, high)) = low.zip(high)?;
        let data = between(capacities[index], (low_capacity, low.data), (high_capacity, high.data));
        let metadata = between(capacities[index], (low_capacity, low.metadata), (high_capacity, high.metadata));
        let tiles = between(capacities[index], (low_capacity, low.tiles), (high_capacity, high.tiles));
        Some(sizes[index].unwrap_or(TrialSize { data, metadata, tiles, fragments: low.fragments }))
    });
    Ok(filled.collect())
}

/// The recommended capacity, and what it was measured with.
pub(super) struct AdvisedCapacity {
    pub(super) property: AdvisedProperty,
    /// With the recommended capacity, if it is asked for.
    pub(super) schema: ArraySchema,
    pub(super) sample: SparseSample,
    /// Bytes of the sampled data and of all metadata with it.
    pub(super) sizes: [u64; 2],
}

/// Recommends the capacity; `None` for arrays without cells.
///
/// # Errors
/// If cells cannot be read or memory does not suffice.
pub(super) fn advise(problem: &LayoutProblem<'_>) -> Result<Option<AdvisedCapacity>> {
    let sample = SparseSample::new(problem)?;
    let own = problem.schema.capacity();
    if sample.cells == 0 {
        return Ok(None);
    }
    let mut capacities: Vec<u64> =
        CAPACITIES.into_iter().filter(|&capacity| capacity != own && problem.is_reasonable(capacity)).collect();
    capacities.push(own);
    capacities.sort_unstable();
    let Some(sizes) = sizes(problem, &sample, &capacities)? else { return Ok(None) };
    let metadata = |capacity: u64| metadata_of(&sizes, problem.cells.div_ceil(capacity.max(1)));
    let cost = |(&capacity, size): (&u64, &TrialSize)| sample.cost(problem, size.data, metadata(capacity), capacity);
    let costs: Vec<LayoutCost> = capacities.iter().zip(&sizes).map(cost).collect();
    let current = capacities.iter().position(|&capacity| capacity == own).unwrap_or(0);
    let chosen = problem.best(&costs, current);
    let texts = [own, capacities[chosen]].map(|capacity| capacity.to_string());
    let mut property = problem.property(Property::Capacity, texts, [costs[current], costs[chosen]], sample.bytes);
    property.is_applied = property.reason == PropertyReason::Better && problem.settings.applies("capacity");
    let then = if property.is_applied { chosen } else { current };
    let mut schema = problem.schema.clone();
    schema.set_capacity(capacities[then])?;
    let sizes = [sizes[then].data, metadata(capacities[then])];
    Ok(Some(AdvisedCapacity { property, schema, sample, sizes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(stored: u64, slice: u64) -> LayoutCost {
        LayoutCost { stored, scan: 0, slice }
    }

    #[test]
    fn the_fastest_of_the_small_is_best() {
        let costs = [cost(1000, 90), cost(1040, 50), cost(1150, 30), cost(2000, 1)];
        assert_eq!(best(Objective::Smallest, &costs, 3), 0);
        assert_eq!(best(Objective::Balanced, &costs, 3), 1);
        assert_eq!(best(Objective::Fastest, &costs, 3), 2);
        // The current one stays if it is almost as good.
        assert_eq!(best(Objective::Balanced, &[cost(1000, 100), cost(1000, 92)], 0), 0);
        assert_eq!(best(Objective::Balanced, &[cost(1000, 100), cost(1000, 90)], 0), 1);
        // All cells matter, too.
        let costs = [LayoutCost { scan: 1000, ..cost(1000, 90) }, LayoutCost { scan: 1070, ..cost(1000, 20) }];
        assert_eq!(
            [Objective::Smallest, Objective::Balanced, Objective::Fastest].map(|objective| best(objective, &costs, 0)),
            [1, 1, 0]
        );
        assert_eq!(best(Objective::Balanced, &[], 0), 0);
        assert_eq!(best(Objective::Balanced, &[LayoutCost { scan: u64::MAX, ..cost(u64::MAX, u64::MAX) }], 0), 0);
    }

    #[test]
    fn metadata_grows_by_tiles() {
        let size = |metadata, tiles| TrialSize { data: 0, metadata, tiles, fragments: 2 };
        // 200 bytes for each of two fragments, 30 for each tile.
        let sizes = [size(460, 2), size(1000, 20), size(3400, 100)];
        assert_eq!(metadata_of(&sizes, 1), 230);
        assert_eq!(metadata_of(&sizes, 1000), 30_200);
        assert_eq!(metadata_of(&[size(460, 2)], 1), 230);
        assert_eq!(metadata_of(&[], 1), 0);
        assert_eq!(scaled(u64::MAX, u64::MAX, 1), u64::MAX);
    }

    #[test]
    fn costs_of_exactly_the_allowed_share_are_allowed() {
        // Bytes: 101, 105 and 120 percent.
        for (objective, percent) in [(Objective::Smallest, 101), (Objective::Balanced, 105), (Objective::Fastest, 120)]
        {
            for (stored, expected) in [(10 * percent, 1), (10 * percent + 1, 0)] {
                assert_eq!(best(objective, &[cost(1000, 1000), cost(stored, 10)], 0), expected, "{objective:?}");
            }
        }
        // Time to read all cells: 108 and 105 percent.
        for (objective, percent) in [(Objective::Balanced, 108), (Objective::Fastest, 105)] {
            for (scan, expected) in [(10 * percent, 1), (10 * percent + 1, 0)] {
                let costs = [LayoutCost { scan: 1000, ..cost(9, 1000) }, LayoutCost { scan, ..cost(9, 10) }];
                assert_eq!(best(objective, &costs, 0), expected, "{objective:?}");
            }
        }
        // Queries: the current one may take 110 percent.
        for (slice, expected) in [(1100, 0), (1101, 1)] {
            assert_eq!(best(Objective::Balanced, &[cost(9, slice), cost(9, 1000)], 0), expected, "{slice}");
        }
    }
}
