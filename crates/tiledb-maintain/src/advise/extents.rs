//! Recommends the tile extents of dense arrays: boxes of cells are written with each candidate.

use std::sync::Arc;

use super::layout::{AdvisedLayout, LayoutCost, LayoutProblem, LayoutWork, metadata_of, scaled};
use super::property::{Property, PropertyReason};
use super::refilter::{Refiltered, refiltered};
use super::tile_geometry::{cells_decoded, cells_of_sides, copy_time, cube, padded, product, slab, tiles_read};
use super::trial::{self, TrialSize};
use crate::maintain::cell_buffers::CellBuffers;
use crate::maintain::dense;
use crate::maintain::memory_shares::cell_count;
use tiledb_array::schema::{ArraySchema, Dimension, Domain, Field};
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis};
use tiledb_core::error::Result;
use tiledb_core::sort;
use tiledb_core::types::{Layout, NdRange};

/// Bytes of the values of the largest field in a tile that is recommended.
const TILE_BYTES: std::ops::RangeInclusive<u128> = 64 << 10..=16 << 20;
/// Bytes of the values of a box, and its cells.
const BOX_BYTES: u64 = 4 << 20;
const BOX_CELLS: u64 = 1 << 18;
/// Maximum number of cells of whole tiles that are written for an array with few cells.
const PADDED_CELLS: u128 = 1 << 20;
/// Number of boxes that are sampled.
const BOXES: u64 = 3;
/// Size of a chunk, the least that is decoded, in bytes.
const CHUNK_BYTES: u64 = 64 << 10;
/// Bytes of the largest field in tiles of whole rows.
const SLAB_BYTES: u64 = 256 << 10;
/// Filters are selected anew for so many of the best extents.
const FINALISTS: usize = 3;

/// A box of cells that were read.
pub(super) struct SampledBox {
    pub(super) region: NdRange,
    pub(super) cells: CellBuffers,
}

/// The sampled boxes of an array.
pub(super) struct DenseSample {
    pub(super) axes: Vec<GridAxis>,
    /// The box around all cells.
    spans: Vec<CoordSpan>,
    /// Lengths of the sampled boxes.
    sides: Vec<u64>,
    pub(super) boxes: Vec<SampledBox>,
    is_complete: bool,
}

impl DenseSample {
    /// # Errors
    /// If cells cannot be read.
    pub(super) fn new(problem: &LayoutProblem<'_>) -> Result<DenseSample> {
        let grid = Grid::new(problem.schema)?;
        let mut sample = DenseSample::unread(problem, &grid)?;
        // Values, offsets and validity: a batch of a reader holds the box.
        let beside = |field: &Field| 8 * u64::from(field.is_var()) + u64::from(field.nullable);
        let row_bytes = problem.row_bytes() + problem.schema.fields().iter().map(beside).sum::<u64>();
        sample.set_sides(&grid, (BOX_BYTES / row_bytes.max(1)).clamp(1, BOX_CELLS).into());
        for region in sample.regions()? {
            problem.resources.cancel().check()?;
            let cells = trial::read_cells(problem.array, Some(&region), Layout::RowMajor, sample.cells_of_box())?;
            if cells.cells as u64 == sample.cells_of_box() {
                sample.boxes.push(SampledBox { region, cells });
            }
        }
        Ok(sample)
    }

    /// The box around all cells in a grid.
    ///
    /// # Errors
    /// If it exceeds the domain.
    pub(super) fn unread(problem: &LayoutProblem<'_>, grid: &Grid) -> Result<DenseSample> {
        let region = dense::region(problem.array)?;
        let axes = grid.axes().to_vec();
        let spans: Vec<CoordSpan> =
            axes.iter().zip(&region).map(|(axis, range)| axis.span(range)).collect::<Result<_>>()?;
        Ok(DenseSample { axes, spans, sides: Vec::new(), boxes: Vec::new(), is_complete: false })
    }

    /// Sets the size of boxes, at most this number of cells.
    pub(super) fn set_sides(&mut self, grid: &Grid, most: u128) {
        let counts = self.counts();
        self.axes = grid.axes().to_vec();
        self.is_complete = product(&counts) <= most;
        self.sides = if self.is_complete { counts } else { sides_of(&self.axes, &counts, most) };
    }

    /// Lengths of the box around all cells.
    pub(super) fn counts(&self) -> Vec<u64> {
        self.spans.iter().map(|span| span.count()).collect()
    }

    pub(super) fn extents(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    /// Extents, at most the sides of a box.
    pub(super) fn extents_within(&self, extents: &[u64]) -> Vec<u64> {
        extents.iter().zip(&self.sides).map(|(&extent, &side)| extent.min(side)).collect()
    }

    /// The boxes that are sampled.
    ///
    /// # Errors
    /// None in practice: they are in the domain.
    pub(super) fn regions(&self) -> Result<Vec<NdRange>> {
        let mut regions = Vec::new();
        for number in 0..if self.is_complete { 1 } else { BOXES } {
            let region = self.region(number)?;
            if !regions.contains(&region) {
                regions.push(region);
            }
        }
        Ok(regions)
    }

    /// Boxes are of equal size.
    pub(super) fn cells_of_box(&self) -> u64 {
        product(&self.sides) as u64
    }

    /// One of the boxes: at the beginning of the array, in its middle, and at its end. They begin with tiles where these fit.
    fn region(&self, number: u64) -> Result<NdRange> {
        let axes = self.axes.iter().zip(&self.spans).zip(&self.sides);
        axes.map(|((axis, span), &side)| {
            let free = span.count() - side.min(span.count());
            let start = span.low + free / (BOXES - 1) * number.min(BOXES - 1);
            let tile = axis.tile_start(axis.tile(start));
            let low = if tile >= span.low { tile } else { start };
            axis.range(CoordSpan { low, high: low + (side - 1) })
        })
        .collect()
    }

    /// The schema of an array that begins with the box and has these extents, at most the sides of the box.
    ///
    /// # Errors
    /// If a dimension cannot have the extent.
    pub(super) fn schema(&self, schema: &ArraySchema, sample: &SampledBox, extents: &[u64]) -> Result<ArraySchema> {
        // All cells are written where they are, unless tiles are mostly padding.
        let tiles = self.counts().into_iter().zip(extents).map(|(count, extent)| count.div_ceil((*extent).max(1)));
        let padded = product(extents).saturating_mul(product(&tiles.collect::<Vec<_>>()));
        let is_complete = self.is_complete && padded <= PADDED_CELLS;
        let regions = if is_complete { None } else { Some(&sample.region) };
        let within = self.extents_within(extents);
        with_extents(schema, if is_complete { extents } else { &within }, regions)
    }
}

/// The sides of boxes of at most this many cells: some tiles, or a part of one.
fn sides_of(axes: &[GridAxis], counts: &[u64], most: u128) -> Vec<u64> {
    let whole = |(axis, &count): (&GridAxis, &u64)| {
        let mut side = axis.extent.max(1);
        while side > count {
            side = side.div_ceil(2);
        }
        for _ in 0..2 {
            side = side.checked_mul(2).filter(|&side| side <= count).unwrap_or(side);
        }
        side
    };
    let mut sides: Vec<u64> = axes.iter().zip(counts).map(whole).collect();
    while product(&sides) > most {
        let Some(longest) = sides.iter_mut().max() else { break };
        *longest = (*longest / 2).max(1);
    }
    // Larger tiles are compared, too.
    while product(&sides) <= most / 2 {
        let growing = sides.iter_mut().zip(counts).filter(|(side, count)| **side <= **count / 2);
        let Some((shortest, _)) = growing.min_by_key(|(side, _)| **side) else { break };
        *shortest *= 2;
    }
    sides
}

/// The schema with other tile extents, and with a domain that begins with a region.
///
/// # Errors
/// If a dimension cannot have the extent.
pub(super) fn with_extents(schema: &ArraySchema, extents: &[u64], region: Option<&NdRange>) -> Result<ArraySchema> {
    let mut dimensions = Vec::new();
    for (index, (dimension, extent)) in schema.domain().dimensions().iter().zip(extents).enumerate() {
        let domain = match region.and_then(|region| region.get(index)) {
            Some(side) => [side.low(), side.high()].concat(),
            None => dimension.domain_bytes().unwrap_or_default().to_vec(),
        };
        let extent = &extent.to_le_bytes()[..dimension.size()];
        let name = dimension.name();
        let datatype = dimension.datatype();
        let filters = dimension.filters().clone();
        let mut dimension = Dimension::new(name, datatype, Some(&domain), Some(extent))?;
        dimension.set_filters(filters)?;
        dimensions.push(Arc::new(dimension));
    }
    let current_domain = if region.is_some() { Default::default() } else { schema.current_domain().clone() };
    Ok(schema.clone().with_parts(schema.attributes().to_vec(), Arc::new(Domain::of(dimensions)), current_domain))
}

/// Extents around the current ones, around others that suit the array, and around a reasonable size if the current one is not.
fn candidates(
    current: &[u64],
    counts: &[u64],
    is_reasonable: &dyn Fn(&[u64]) -> bool,
    suitable: Vec<Vec<u64>>,
) -> Vec<Vec<u64>> {
    let mut seeds = vec![current.to_vec()];
    seeds.extend(suitable);
    if !is_reasonable(current) {
        for halve in [true, false] {
            let mut seed = current.to_vec();
            for _ in 0..64 {
                if is_reasonable(&seed) {
                    break;
                }
                for (extent, &count) in seed.iter_mut().zip(counts) {
                    *extent =
                        if halve { extent.div_ceil(2) } else { (extent.saturating_mul(2)).min(count.max(*extent)) };
                }
            }
            seeds.push(seed);
        }
    }
    let mut all = vec![current.to_vec()];
    for seed in seeds {
        // All dimensions, or a single one, multiplied or divided by 2 and 4.
        for dimension in 0..=seed.len() {
            for shift in [0i32, -2, -1, 1, 2] {
                let mut extents = seed.clone();
                for (index, (extent, &count)) in extents.iter_mut().zip(counts).enumerate() {
                    if dimension == seed.len() || dimension == index {
                        let scaled = match shift {
                            ..0 => extent.div_ceil(1 << -shift),
                            _ => extent.saturating_mul(1 << shift),
                        };
                        *extent = scaled.clamp(1, count.max(*extent));
                    }
                }
                if !all.contains(&extents) && is_reasonable(&extents) {
                    all.push(extents);
                }
            }
        }
    }
    all
}

/// Measures extents and orders of a dense array.
struct DenseTrials<'a> {
    problem: &'a LayoutProblem<'a>,
    sample: &'a DenseSample,
    counts: Vec<u64>,
    queries: Vec<Vec<u64>>,
}

impl DenseTrials<'_> {
    /// The size of the sample with a schema and extents; `None` if the schema does not accept the cells.
    fn size(&self, schema: &ArraySchema, extents: &[u64]) -> Result<Option<TrialSize>> {
        let mut size = TrialSize::default();
        for sampled in &self.sample.boxes {
            // Not every domain admits every extent.
            let Ok(schema) = self.sample.schema(schema, sampled, extents) else { return Ok(None) };
            let mut cells = std::iter::once((sampled.cells.inputs(), Some(sampled.region.as_slice())));
            let Some(own) = trial::size(self.problem.resources, &schema, &mut cells)? else { return Ok(None) };
            size = size.plus(own);
        }
        Ok(Some(size))
    }

    /// The schema with the filters that suit the first box in tiles of these extents.
    fn refiltered(&self, schema: &ArraySchema, extents: &[u64]) -> Result<Option<Refiltered>> {
        let Some(sampled) = self.sample.boxes.first() else { return Ok(None) };
        let Ok(boxed) = self.sample.schema(schema, sampled, extents) else { return Ok(None) };
        let inputs = [sampled.cells.inputs()];
        let region = Some(sampled.region.as_slice());
        let Some(array) = trial::write(self.problem.resources, &boxed, &inputs, region)? else { return Ok(None) };
        Ok(Some(refiltered(self.problem, &array, cell_count(&array)?, schema)?))
    }

    /// The cost with extents, given the size of the sample and that of all metadata, and the time to decode as many cells as all
    /// fragments have.
    fn cost(&self, order: Layout, extents: &[u64], data: u64, metadata: u64, decode: u64) -> LayoutCost {
        let problem = self.problem;
        let counts = &self.counts;
        let tiles = counts.iter().zip(extents).map(|(count, extent)| count.div_ceil((*extent).max(1)));
        let tiles = tiles.fold(1u64, u64::saturating_mul);
        let cells = u64::try_from(padded(counts, extents)).unwrap_or(u64::MAX);
        let chunk = CHUNK_BYTES * self.problem.schema.fields().len() as u64 / problem.row_bytes().max(1);
        let mut work = LayoutWork {
            cells,
            tiles,
            decode: scaled(decode, cells, problem.cells),
            copy: copy_time(order, extents, counts),
            ..LayoutWork::default()
        };
        for query in &self.queries {
            let read = tiles_read(extents, counts, query);
            work.slice_tiles = work.slice_tiles.saturating_add(read);
            work.slice_cells = work.slice_cells.saturating_add(cells_decoded(order, extents, query, read, chunk));
        }
        let queries = self.queries.len().max(1) as u64;
        (work.slice_tiles, work.slice_cells) = (work.slice_tiles / queries, work.slice_cells / queries);
        let sampled = self.sample.cells_of_box() * self.sample.boxes.len() as u64;
        let all = u64::try_from(product(counts)).unwrap_or(u64::MAX);
        problem.cost([scaled(data, all, sampled), metadata], &work)
    }
}

/// A layout that was measured, and the schema with filters that suit it.
struct DenseLayout {
    extents: Vec<u64>,
    schema: ArraySchema,
    cost: LayoutCost,
}

/// Recommends tile extents and the order of cells. Empty for arrays without cells, or whose cells cannot be written again.
///
/// # Errors
/// If cells cannot be read or memory does not suffice.
pub(super) fn advise(problem: &LayoutProblem<'_>) -> Result<AdvisedLayout> {
    let none = AdvisedLayout::default();
    if problem.array.fragments()?.is_empty() {
        return Ok(none);
    }
    let sample = DenseSample::new(problem)?;
    if sample.boxes.is_empty() {
        return Ok(none);
    }
    let counts = sample.counts();
    let own = sample.extents();
    let settings = problem.settings;
    let tile_bytes = |extents: &[u64]| {
        product(extents).saturating_mul(problem.largest_field.into()) / u128::from(problem.cells.max(1))
    };
    // Cells outside the box of all cells are to be few.
    let most = padded(&counts, &own).max(product(&counts).saturating_mul(9) / 8);
    let is_reasonable = |extents: &[u64]| TILE_BYTES.contains(&tile_bytes(extents)) && padded(&counts, extents) <= most;
    let cell_bytes = (problem.largest_field / problem.cells.max(1)).max(1);
    // Powers of two, of about twice the least size.
    let mut cubic = cube(&counts, 2 * *TILE_BYTES.start() as u64 / cell_bytes);
    cubic.iter_mut().for_each(|extent| *extent = 1 << extent.ilog2());
    let suitable = vec![cubic, slab(&counts, SLAB_BYTES / cell_bytes)];
    let queries: Vec<Vec<u64>> = match settings.slice_sides.as_slice() {
        [] => vec![cube(&counts, settings.slice_cells)],
        all => all.iter().map(|sides| cells_of_sides(&counts, sides)).collect(),
    };
    let trials = DenseTrials { problem, sample: &sample, counts: counts.clone(), queries };
    let mut extents = Vec::new();
    let mut sizes = Vec::new();
    for candidate in candidates(&own, &counts, &is_reasonable, suitable) {
        match trials.size(problem.schema, &candidate)? {
            Some(size) => (extents.push(candidate), sizes.push(size)),
            // There is nothing to compare with.
            None if extents.is_empty() => return Ok(none),
            None => continue,
        };
    }
    let metadata = |extents: &[u64]| {
        let tiles = counts.iter().zip(extents).map(|(count, extent)| count.div_ceil((*extent).max(1)));
        metadata_of(&sizes, tiles.fold(1u64, u64::saturating_mul))
    };
    let order = problem.schema.cell_order();
    let cost = |(extents, size): (&Vec<u64>, &TrialSize)| {
        trials.cost(order, extents, size.data, metadata(extents), problem.decode)
    };
    let costs: Vec<LayoutCost> = extents.iter().zip(&sizes).map(cost).collect();
    let mut layouts = vec![DenseLayout { extents: own.clone(), schema: problem.schema.clone(), cost: costs[0] }];
    let chosen = problem.best(&costs, 0);
    let Ok(schema) = with_extents(problem.schema, &extents[chosen], None) else { return Ok(none) };
    layouts.push(DenseLayout { extents: extents[chosen].clone(), schema, cost: costs[chosen] });
    // Other tiles suit other filters, and these another order.
    for finalist in finalists(problem, &costs, chosen) {
        for order in [Layout::RowMajor, Layout::ColMajor] {
            let is_compared =
                order == problem.schema.cell_order() || settings.applies("cell_order") && counts.len() > 1;
            let Ok(mut schema) = with_extents(problem.schema, &extents[finalist], None) else { continue };
            if !is_compared || schema.set_cell_order(order).is_err() {
                continue;
            }
            let Some(filtered) = trials.refiltered(&schema, &extents[finalist])? else { continue };
            let Some(size) = trials.size(&filtered.schema, &extents[finalist])? else { continue };
            let metadata = metadata(&extents[finalist]);
            let cost = trials.cost(order, &extents[finalist], size.data, metadata, filtered.decode);
            layouts.push(DenseLayout { extents: extents[finalist].clone(), schema: filtered.schema, cost });
        }
    }
    let costs: Vec<LayoutCost> = layouts.iter().map(|layout| layout.cost).collect();
    let best = layouts.swap_remove(problem.best(&costs, 0));
    let text = |extents: &[u64]| extents.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let costs = [costs[0], best.cost];
    let bytes = sample.boxes.iter().flat_map(|sampled| &sampled.cells.fields).map(|field| field.bytes as u64).sum();
    let mut property = problem.property(Property::TileExtents, [text(&own), text(&best.extents)], costs, bytes);
    property.is_applied = property.reason == PropertyReason::Better && settings.applies("tile_extents");
    let is_applied = property.is_applied || best.extents == own;
    let mut advised = AdvisedLayout { properties: vec![property], ..AdvisedLayout::default() };
    if best.schema.cell_order() != order {
        let texts = [order, best.schema.cell_order()].map(|order| order.name().to_owned());
        let mut property = problem.property(Property::CellOrder, texts, costs, bytes);
        property.is_applied = is_applied;
        advised.properties.push(property);
    }
    advised.schema = is_applied.then_some(best.schema);
    Ok(advised)
}

/// The extents for which filters are selected anew: the chosen ones, and those that read all cells fastest, or the current ones if
/// only another order may be applied.
fn finalists(problem: &LayoutProblem<'_>, costs: &[LayoutCost], chosen: usize) -> Vec<usize> {
    if !problem.settings.applies("tile_extents") {
        return if problem.settings.applies("cell_order") { vec![0] } else { Vec::new() };
    }
    let mut order: Vec<usize> = (0..costs.len()).collect();
    sort::by_key(&mut order, |&index| costs[index].scan);
    let mut finalists = vec![chosen];
    finalists.extend(order.into_iter().filter(|&index| index != chosen));
    finalists.truncate(FINALISTS);
    finalists
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::{ArrayType, Datatype};

    #[test]
    fn candidates_are_reasonable_or_current() {
        let by_size = |extents: &[u64]| (100..=10_000).contains(&product(extents));
        let all = candidates(&[10, 10], &[1000, 1000], &by_size, vec![vec![16, 16]]);
        assert_eq!(all[0], [10, 10]);
        assert!(all.contains(&vec![40, 40]) && all.contains(&vec![10, 20]) && all.contains(&vec![20, 20]));
        assert!(all.iter().all(|extents| by_size(extents)), "{all:?}");
        // Far from a reasonable size.
        for current in [[1u64, 1], [1 << 30, 1 << 30]] {
            let all = candidates(&current, &[1 << 40, 1 << 40], &by_size, vec![vec![16, 16]]);
            assert_eq!(all[0], current);
            assert!(all.len() > 2 && all[1..].iter().all(|extents| by_size(extents)), "{all:?}");
        }
        // Doubled or halved until they are reasonable.
        assert!(candidates(&[1, 1], &[1 << 40, 1 << 40], &by_size, Vec::new()).contains(&vec![16, 16]));
        assert!(candidates(&[1 << 30, 1 << 30], &[1 << 40, 1 << 40], &by_size, Vec::new()).contains(&vec![64, 64]));
        assert_eq!(candidates(&[u64::MAX], &[5], &|_| false, vec![vec![4]]), [[u64::MAX]]);
    }

    fn axes(sides: &[(u64, u64)]) -> Vec<GridAxis> {
        let mut domain = Domain::new();
        for (number, (count, extent)) in sides.iter().enumerate() {
            let ends = [0, count - 1].map(u64::to_le_bytes).concat();
            let extent = extent.to_le_bytes();
            let dimension = Dimension::new(&format!("d{number}"), Datatype::Uint64, Some(&ends), Some(&extent));
            domain.add(Arc::new(dimension.unwrap()));
        }
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(domain)).unwrap();
        Grid::new(&schema).unwrap().axes().to_vec()
    }

    #[test]
    fn boxes_are_some_tiles_or_a_part_of_one() {
        // Lengths and extents of the dimensions, the number of cells, and the sides of a box.
        for (sides, most, expected) in [
            // A single tile, of an odd number of cells, and a part of one.
            (&[(5, 5)][..], 5, &[5][..]),
            (&[(5, 5)], 4, &[4]),
            (&[(5, 5)], 3, &[2]),
            (&[(6, 5)], 100, &[5]),
            // Four tiles, and as many more as there may be.
            (&[(1000, 10)], 39, &[20]),
            (&[(1000, 10)], 40, &[40]),
            (&[(1000, 10)], 79, &[40]),
            (&[(1000, 10)], 80, &[80]),
            (&[(1000, 10)], 1 << 40, &[640]),
            // The longest side is halved, and the shortest grows.
            (&[(100, 10), (100, 20)], 1600, &[40, 40]),
            (&[(100, 10), (100, 20)], 800, &[40, 20]),
            (&[(4, 4), (1000, 4)], 128, &[4, 32]),
        ] {
            let counts: Vec<u64> = sides.iter().map(|side| side.0).collect();
            assert_eq!(sides_of(&axes(sides), &counts, most), expected, "{sides:?}, {most} cells");
        }
        // Fewer cells than a tile has.
        assert_eq!(sides_of(&axes(&[(100, 40)]), &[30], 25), [20]);
    }
    /// Tiles that are mostly padding are as small as the box.
    #[test]
    fn tiles_are_written_whole_unless_most_of_them_is_padding() {
        let axes = axes(&[(10, 4), (10, 4)]);
        let span = CoordSpan { low: 0, high: 9 };
        let region: NdRange = axes.iter().map(|axis| axis.range(span).unwrap()).collect();
        let sampled = SampledBox { region, cells: CellBuffers::new(&[], 1, &[]).unwrap() };
        let sides = vec![10, 10];
        let mut sample = DenseSample { axes, spans: vec![span; 2], sides, boxes: Vec::new(), is_complete: true };
        let dimension = |name: &str| {
            let ends = [0, 1u64 << 20].map(u64::to_le_bytes).concat();
            Arc::new(Dimension::new(name, Datatype::Uint64, Some(&ends), Some(&4u64.to_le_bytes())).unwrap())
        };
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![dimension("r"), dimension("c")]))).unwrap();
        // Extents that are asked for, those of the schema, and whether its domain is the box.
        for (is_complete, extents, expected, is_boxed) in [
            (true, [5, 4], [5, 4], false),
            (true, [1024, 1024], [1024, 1024], false),
            (true, [1024, 1025], [10, 10], true),
            (true, [1024, 4], [1024, 4], false),
            (false, [5, 4], [5, 4], true),
            (false, [1024, 4], [10, 4], true),
        ] {
            sample.is_complete = is_complete;
            let trial = sample.schema(&schema, &sampled, &extents).unwrap();
            let dimensions = trial.domain().dimensions();
            let own: Vec<_> = dimensions.iter().map(|dimension| dimension.cells_per_tile().unwrap()).collect();
            assert_eq!(own, expected, "{extents:?}");
            let ends = [0, if is_boxed { 9 } else { 1u64 << 20 }].map(u64::to_le_bytes).concat();
            assert_eq!(dimensions[0].domain_bytes(), Some(&ends[..]), "{extents:?}");
        }
    }
}
