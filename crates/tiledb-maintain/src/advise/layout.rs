//! Recommends the capacity and the cell order of sparse arrays: sampled cells are written with each candidate.

use std::sync::Arc;

use super::cost::{Estimate, Objective};
use super::property::{AdvisedProperty, Property, PropertyReason};
use super::settings::AdviceSettings;
use super::slices::{Slice, WindowRanks, slices, tiles_read};
use super::trial::{self, TrialSize};
use crate::maintain::cell_buffers::CellBuffers;
use crate::maintain::memory_shares::cell_count;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::Result;
use tiledb_core::types::Layout;
use tiledb_storage::resources::Resources;

/// Capacities that are compared with the current one.
const CAPACITIES: [u64; 10] = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];
/// Maximum number of bytes of a field in a tile, for a capacity that is recommended.
const TILE_BYTES: u64 = 16 << 20;
/// Picoseconds to find, decode and select from a tile of a field, besides those for its bytes.
const TILE_TIME: u64 = 5_000_000;
/// Another order is recommended if a query takes less than this share of the time, in percent.
const ORDER_SHARE: u64 = 80;

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

impl LayoutProblem<'_> {
    /// Costs of a number of cells in tiles of a size, of which a typical query reads `read`, in thousandths of a tile.
    pub(super) fn cost(&self, [data, metadata]: [u64; 2], cells: u64, tile_cells: u64, read: u64) -> LayoutCost {
        let cells = u128::from(cells.max(1));
        let decoded = (u128::from(tile_cells) * u128::from(read) / 1000).min(cells);
        let byte = u128::from(self.objective.read_slice());
        // To read and decode all cells.
        let all = u128::from(data) * byte + u128::from(self.decode) * 1000 * cells / u128::from(self.cells.max(1));
        let metadata_time = u128::from(metadata) * byte;
        let tile_time = u128::from(TILE_TIME) * self.schema.fields().len() as u128;
        let scan = metadata_time + cells.div_ceil(u128::from(tile_cells.max(1))) * tile_time + all;
        let slice =
            metadata_time + u128::from(read) * tile_time / 1000 + all / cells * decoded + all % cells * decoded / cells;
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
        Objective::Balanced => (105, Some(120)),
        Objective::Fastest => (120, Some(110)),
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
struct SparseSample {
    windows: Vec<CellBuffers>,
    cells: u64,
    bytes: u64,
    slices: Vec<Slice>,
    ranks: Vec<WindowRanks>,
}

impl SparseSample {
    fn new(array: &Arc<OpenArray>, settings: &AdviceSettings) -> Result<SparseSample> {
        let windows = trial::windows(array)?;
        let ranks: Vec<WindowRanks> = windows.iter().map(|window| WindowRanks::new(array.schema(), window)).collect();
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

    /// The cost with a capacity, given the size of the sample with it.
    fn cost(&self, problem: &LayoutProblem<'_>, size: TrialSize, all: &[TrialSize], capacity: u64) -> LayoutCost {
        self.cost_in(problem, size, all, capacity, &self.ranks)
    }

    fn cost_in(
        &self,
        problem: &LayoutProblem<'_>,
        size: TrialSize,
        all: &[TrialSize],
        capacity: u64,
        ranks: &[WindowRanks],
    ) -> LayoutCost {
        let data = scaled(size.data, problem.cells, self.cells);
        let metadata = metadata_of(all, problem.cells.div_ceil(capacity));
        let read = tiles_read(ranks, &self.slices, capacity) * 1000 / (self.slices.len() as u64).max(1);
        problem.cost([data, metadata], problem.cells, capacity, read)
    }
}

/// Recommends the capacity, and whether cells should be ordered along a Hilbert curve. Empty for arrays without cells.
///
/// # Errors
/// If cells cannot be read or memory does not suffice.
pub(super) fn advise(problem: &LayoutProblem<'_>) -> Result<Vec<AdvisedProperty>> {
    let sample = SparseSample::new(problem.array, problem.settings)?;
    let (schema, own) = (problem.schema, problem.schema.capacity());
    if sample.cells == 0 {
        return Ok(Vec::new());
    }
    let mut capacities: Vec<u64> =
        CAPACITIES.into_iter().filter(|&capacity| capacity != own && problem.is_reasonable(capacity)).collect();
    capacities.push(own);
    capacities.sort_unstable();
    let longest = sample.windows.iter().map(|window| window.cells as u64).max().unwrap_or(0);
    let mut sizes: Vec<TrialSize> = Vec::new();
    for &capacity in &capacities {
        // Capacities beyond the windows make the same tiles of them.
        if capacity > longest && !sizes.is_empty() && capacities[sizes.len() - 1] >= longest {
            sizes.push(sizes[sizes.len() - 1]);
            continue;
        }
        let mut with_capacity = schema.clone();
        with_capacity.set_capacity(capacity)?;
        let mut windows = sample.windows.iter().map(|window| (window.inputs(), None));
        let Some(size) = trial::size(problem.resources, &with_capacity, &mut windows)? else { return Ok(Vec::new()) };
        sizes.push(size);
    }
    let costs: Vec<LayoutCost> =
        capacities.iter().zip(&sizes).map(|(&capacity, &size)| sample.cost(problem, size, &sizes, capacity)).collect();
    let current = capacities.iter().position(|&capacity| capacity == own).unwrap_or(0);
    let chosen = problem.best(&costs, current);
    let texts = [own, capacities[chosen]].map(|capacity| capacity.to_string());
    let mut all = vec![problem.property(Property::Capacity, texts, [costs[current], costs[chosen]], sample.bytes)];
    // Orders are compared with the capacity that the recommended schema has.
    let then = if problem.settings.applies("capacity") { chosen } else { current };
    all.extend(order(problem, &sample, capacities[then], costs[then], &sizes)?);
    Ok(all)
}

/// Compares the order with that along a Hilbert curve, for arrays of several dimensions.
fn order(
    problem: &LayoutProblem<'_>,
    sample: &SparseSample,
    capacity: u64,
    cost: LayoutCost,
    sizes: &[TrialSize],
) -> Result<Option<AdvisedProperty>> {
    let order = problem.schema.cell_order();
    // Fewer cells than those of a tile are read in any order.
    if problem.schema.domain().len() < 2 || order == Layout::Hilbert || sample.cells <= capacity {
        return Ok(None);
    }
    let mut schema = problem.schema.clone();
    schema.set_capacity(capacity)?;
    schema.set_cell_order(Layout::Hilbert)?;
    let (mut size, mut ranks) = (TrialSize::default(), Vec::new());
    for window in &sample.windows {
        let Some(array) = trial::write(problem.resources, &schema, &window.inputs(), None)? else { return Ok(None) };
        size = size.plus(trial::size_of(&array)?);
        let sorted = trial::read_cells(&array, None, Layout::GlobalOrder, cell_count(&array)?)?;
        ranks.push(WindowRanks::new(array.schema(), &sorted));
    }
    let hilbert = sample.cost_in(problem, size, sizes, capacity, &ranks);
    let is_better = u128::from(hilbert.slice) * 100 < u128::from(cost.slice) * u128::from(ORDER_SHARE)
        // Which order is read does not matter to those who read all cells, but for the bytes.
        && best(problem.objective, &[cost, hilbert].map(|cost| LayoutCost { scan: 0, ..cost }), 0) == 1;
    let (recommended, then) = if is_better { (Layout::Hilbert, hilbert) } else { (order, cost) };
    let texts = [order, recommended].map(|order| order.name().to_owned());
    Ok(Some(problem.property(Property::CellOrder, texts, [cost, then], sample.bytes)))
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
        let costs = [LayoutCost { scan: 1000, ..cost(1000, 90) }, LayoutCost { scan: 1120, ..cost(1000, 20) }];
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
}
