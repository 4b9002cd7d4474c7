//! Sources of the tiles of a consolidated dense fragment: tiles that one fragment covers completely, and no later one
//! overlaps, are copied in stored form; the others are rewritten.

use std::ops::Range;
use std::sync::Arc;

use tiledb_array::array::OpenArray;
use tiledb_array::fragment::{FieldPart, Fragment, TileBox};
use tiledb_cells::space::grid::{CoordSpan, Grid, Odometer, strides_of};
use tiledb_core::error::Result;
use tiledb_core::limits::consolidation::MIN_TAKEN_OVER_BYTES;
use tiledb_core::memory;

/// Consecutive tiles of the merged fragment with the same source.
pub(super) struct TileRun<'a> {
    /// The tiles, counted in their order.
    pub(super) tiles: Range<u64>,
    /// The fragment that stores them, and the number that the first has there.
    pub(super) stored: Option<(&'a Arc<Fragment>, u64)>,
}

/// The tiles of a box (`tiles` per dimension), in tile order, grouped by source, for a new fragment of `target`.
///
/// # Errors
/// If tables of fragments cannot be read, or memory does not suffice.
pub(super) fn runs<'a>(
    array: &'a OpenArray,
    target: &OpenArray,
    grid: &Grid,
    tiles: &[CoordSpan],
    total: u64,
) -> Result<Vec<TileRun<'a>>> {
    let fragments = array.fragments()?;
    let whole = [TileRun { tiles: 0..total, stored: None }];
    let usable = fragments.iter().map(|fragment| is_usable(target, fragment)).collect::<Result<Vec<bool>>>()?;
    let Some(count) = usize::try_from(total).ok().filter(|_| usable.contains(&true)) else {
        return Ok(whole.into());
    };
    let counts: Vec<u64> = tiles.iter().map(|span| span.count()).collect();
    let owners = owners(fragments, &usable, grid, tiles, count)?;
    let mut runs: Vec<TileRun<'a>> = Vec::new();
    let mut odometer = Odometer::new(counts, grid.tile_order);
    let mut place: Vec<u64> = Vec::new();
    for (tile, owner) in (0..).zip(owners) {
        let position = odometer.position().unwrap_or_default();
        place.clear();
        place.extend(position.iter().zip(tiles).map(|(position, span)| span.low + position));
        odometer.advance();
        let owner = owner.checked_sub(1).and_then(|owner| fragments.get(owner as usize));
        let stored = owner.and_then(|owner| Some((owner, owner.dense_tile_box()?.tile(&place)?)));
        match runs.last_mut().filter(|run| run.continues_with(stored)) {
            Some(run) => run.tiles.end = tile + 1,
            None => memory::push("the tiles to be merged", &mut runs, TileRun { tiles: tile..tile + 1, stored })?,
        }
    }
    absorb_small_runs(array, runs)
}

impl TileRun<'_> {
    /// True if a tile with that source is its next one.
    fn continues_with(&self, stored: Option<(&Arc<Fragment>, u64)>) -> bool {
        match (self.stored, stored) {
            (Some((own, first)), Some((other, tile))) => {
                Arc::ptr_eq(own, other) && first + (self.tiles.end - self.tiles.start) == tile
            }
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}

/// For every tile the number of the fragment whose stored tile can be copied, counted from 1; 0 if it has to be
/// rewritten.
fn owners(
    fragments: &[Arc<Fragment>],
    usable: &[bool],
    grid: &Grid,
    tiles: &[CoordSpan],
    count: usize,
) -> Result<Vec<u32>> {
    let counts: Vec<u64> = tiles.iter().map(|span| span.count()).collect();
    let strides = strides_of(&counts, grid.tile_order)?;
    let mut owners = memory::filled("the tiles to be merged", 0u32, count)?;
    for ((fragment, number), &usable) in fragments.iter().zip(1..).zip(usable) {
        let Some(stored) = fragment.dense_tile_box() else { continue };
        let inner = inner(grid, fragment, stored)?;
        let sides = stored.first().iter().zip(stored.last()).map(|(first, last)| last - first + 1);
        let mut odometer = Odometer::new(sides.collect(), grid.tile_order);
        while let Some(position) = odometer.position() {
            let tile = position.iter().zip(stored.first()).map(|(position, first)| first + position);
            let is_whole = usable && tile.clone().zip(&inner).all(|(tile, inner)| inner.contains(&tile));
            let place = tile.zip(tiles).zip(&strides).map(|((tile, span), stride)| (tile - span.low) as usize * stride);
            if let Some(owner) = owners.get_mut(place.sum::<usize>()) {
                *owner = if is_whole { number } else { 0 };
            }
            odometer.advance();
        }
    }
    Ok(owners)
}

/// The tiles that a fragment fills to their last cell, per dimension. What reaches beyond the domain is not among them: of
/// such a tile a merged fragment has other statistics.
fn inner(grid: &Grid, fragment: &Fragment, stored: &TileBox) -> Result<Vec<Range<u64>>> {
    let axes = grid.axes().iter().zip(fragment.non_empty_domain()).zip(stored.first().iter().zip(stored.last()));
    axes.map(|((axis, range), (&first, &last))| {
        let span = axis.span(range)?;
        let begins = axis.tile_start(first) == span.low;
        let ends = span.high - axis.tile_start(last) == axis.extent - 1;
        Ok(first + u64::from(!begins)..last + u64::from(ends))
    })
    .collect()
}

/// True if tiles of the fragment can be copied to a new one in stored form: its version has the same tiles, and it has the
/// same filters, kinds of cells and statistics.
fn is_usable(target: &OpenArray, fragment: &Fragment) -> Result<bool> {
    let (schema, own) = (target.schema(), fragment.schema());
    let version = schema.version().of_new_fragments();
    if !fragment.version().has_tiles_of(version) || fragment.tile_count() == 0 {
        return Ok(false);
    }
    let dates = fragment.version().has_datetime_integer_filters() == version.has_datetime_integer_filters();
    let alike =
        own.offsets_filters() == schema.offsets_filters() && own.validity_filters() == schema.validity_filters();
    for field in schema.fields().iter().filter(|field| !field.is_dimension) {
        let stored = fragment.stored(field).filter(|stored| stored.is_like(field) && stored.filters == field.filters);
        let stored = stored.filter(|_| dates || !(field.datatype.is_datetime() || field.datatype.is_time()));
        let Some(stored) = stored.filter(|_| alike) else { return Ok(false) };
        fragment.check_tile_count(stored)?;
        if fragment.tile_stats(stored, 0)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Merges short runs of stored tiles into neighbouring runs that are rewritten.
fn absorb_small_runs<'a>(array: &OpenArray, runs: Vec<TileRun<'a>>) -> Result<Vec<TileRun<'a>>> {
    let mut left: Vec<TileRun<'a>> = Vec::new();
    let mut runs = runs.into_iter().peekable();
    while let Some(mut run) = runs.next() {
        let read = |run: &TileRun<'_>| run.stored.is_none();
        let is_beside = left.last().is_some_and(read) || runs.peek().is_some_and(read);
        if is_beside && !read(&run) && stored_bytes(array, &run)? < MIN_TAKEN_OVER_BYTES.count_or(cfg!(test), 1) as u64
        {
            run.stored = None;
        }
        match left.last_mut().filter(|last| read(last) && read(&run)) {
            Some(last) => last.tiles.end = run.tiles.end,
            None => left.push(run),
        }
    }
    Ok(left)
}

fn stored_bytes(array: &OpenArray, run: &TileRun<'_>) -> Result<u64> {
    let Some((fragment, first)) = run.stored else { return Ok(0) };
    let last = first + (run.tiles.end - run.tiles.start) - 1;
    let mut bytes = 0u64;
    for field in array.schema().fields().iter().filter(|field| !field.is_dimension) {
        let Some(stored) = fragment.stored(field) else { continue };
        for part in FieldPart::of(stored) {
            let (from, to) = (fragment.tile(stored, part, first)?.start, fragment.tile(stored, part, last)?.end);
            bytes = bytes.saturating_add(to.saturating_sub(from));
        }
    }
    Ok(bytes)
}
