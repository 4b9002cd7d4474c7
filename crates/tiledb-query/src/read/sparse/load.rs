//! Loading a tile of a sparse fragment: what is needed to say which of its cells are wanted.

use std::cell::RefCell;
use std::sync::OnceLock;

use super::deletions::Deletions;
use super::filter::CellFilter;
use super::plan::SpecialPlaces;
use super::source::Source;
use super::stream::Stream;
use super::tile::{Marked, Tile, Wanted, is_few};
use crate::columns::coords::Coords;
use crate::input::access::Access;
use crate::input::ahead::Ahead;
use crate::input::decoded::{TileData, is_kept, keep_beside, read_field, was_wanted};
use crate::predicate::verdict::Verdict;
use crate::read::spec::Versions;
use crate::space::marks;
use crate::space::selector::Selector;
use crate::space::zones::{find_zones, zones_size};
use tiledb_array::fragment::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use tiledb_array::schema::Field;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::{scratch, scratch_size};
use tiledb_core::stats::Timer;

/// What decides how tiles are loaded.
pub struct Loader<'a> {
    pub access: Access<'a>,
    pub selector: &'a Selector,
    /// All coordinates are needed, not only those of restricted dimensions.
    pub all_coords: bool,
    /// Requested fields.
    pub fields: usize,
    /// Cells that were deleted or do not meet the conditions still take part in the merge: of cells with equal
    /// coordinates the latest is looked at, and no other.
    pub filters_late: bool,
    /// The time up to which cells and deletions count, and from which.
    pub window: (u64, u64),
    pub versions: Versions,
    /// Of cells with equal coordinates only the latest counts.
    pub unique: bool,
    pub places: SpecialPlaces,
}

/// Bytes of what tells which cells of a tile are wanted: a mark for each, and its number.
pub fn marked_size(cells: u64) -> u64 {
    scratch_size(cells).saturating_add(cells.saturating_mul(4))
}

/// A tile on its way.
struct Loading<'l> {
    loader: &'l Loader<'l>,
    stream: &'l Stream,
    tile: u64,
    cells: usize,
    /// What is read in part may soon be read again.
    keep: bool,
    /// When cells were written and deleted, where that matters.
    times: Option<TileData>,
    deletes: Option<TileData>,
    /// Conditions that the tile's statistics do not decide.
    filters: Vec<&'l CellFilter>,
    /// Statistics tell that no cell meets the conditions.
    never: bool,
    coords: RefCell<Vec<Option<TileData>>>,
    data: Vec<OnceLock<TileData>>,
}

impl Loader<'_> {
    /// Loads what is needed to say which cells of a tile are wanted. `full` promises that its box lies in
    /// the ranges.
    pub fn load(&self, stream: &Stream, number: usize, tile: u64, full: bool) -> Result<Tile> {
        self.access.count_coordinates(&stream.dimensions, 1);
        self.access.count_compared(stream.fragment.cells_in_tile(tile));
        let loading = self.start(stream, tile, !full)?;
        loading.keep_times();
        if self.versions == Versions::All {
            loading.note_deletions()?;
        }
        let most = if loading.is_decided(full) { 0 } else { marked_size(loading.cells as u64) };
        let marked = self.access.lease(MemoryKind::Results, most, || loading.mark(full))?;
        loading.finish(number, marked.fit())
    }

    /// Has all that loading a tile reads fetched ahead.
    pub fn fetch(&self, stream: &Stream, tile: u64, full: bool, ahead: &mut Ahead<'_>) -> Result<()> {
        let fragment = &stream.fragment;
        let mut fields: Vec<&Field> = Vec::new();
        for filter in &stream.filters {
            match filter.verdict(fragment, tile)? {
                Verdict::Never if !self.all_coords => return Ok(()),
                Verdict::Maybe => fields.extend(filter.sources().filter_map(Source::field)),
                Verdict::Never | Verdict::Always => (),
            }
        }
        let looks_at = |dimension: usize| self.all_coords || !full && self.selector.restricts(dimension);
        let dimensions = stream.dimensions.iter().enumerate().filter(|(number, _)| looks_at(*number));
        fields.extend(dimensions.map(|(_, field)| field));
        let times = fragment.field(TIMESTAMPS).filter(|_| self.all_coords);
        fields.extend(times.into_iter().chain(fragment.field(DELETE_TIMESTAMPS)));
        fields.sort_unstable_by_key(|field| field.index);
        fields.dedup_by_key(|field| field.index);
        fields.into_iter().try_for_each(|field| ahead.add(fragment, field, tile, true))
    }

    /// What statistics tell of all conditions together.
    pub fn verdict(&self, stream: &Stream, tile: u64) -> Result<Verdict> {
        let mut verdicts = stream.filters.iter().map(|filter| filter.verdict(&stream.fragment, tile));
        verdicts.try_fold(Verdict::Always, |all, verdict| Ok(all.and(verdict?)))
    }

    /// True if a look at a tile decodes nothing, since others have looked at it.
    pub fn is_at_hand(&self, stream: &Stream, tile: u64, full: bool) -> bool {
        let looks_at = |dimension: usize| self.all_coords || self.selector.restricts(dimension);
        let mut looked_at = stream.dimensions.iter().enumerate().filter(|(number, _)| looks_at(*number));
        !full && stream.filters.is_empty() && looked_at.all(|(_, field)| is_kept(&stream.fragment, field, tile))
    }

    fn start<'l>(&'l self, stream: &'l Stream, tile: u64, keep: bool) -> Result<Loading<'l>> {
        let fragment = &stream.fragment;
        let Ok(cells) = u32::try_from(fragment.cells_in_tile(tile)) else {
            bail!(Unsupported, "A tile of fragment {} has more than 2^32 cells", fragment.uri());
        };
        let mut loading = Loading {
            loader: self,
            stream,
            tile,
            cells: cells as usize,
            keep,
            times: None,
            deletes: None,
            filters: Vec::with_capacity(stream.filters.len()),
            never: false,
            coords: RefCell::new(stream.dimensions.iter().map(|_| None).collect()),
            data: std::iter::repeat_with(OnceLock::new).take(self.fields).collect(),
        };
        for filter in &stream.filters {
            let verdict = filter.verdict(fragment, tile)?;
            loading.never |= verdict == Verdict::Never;
            if verdict != Verdict::Always {
                loading.filters.push(filter);
            }
        }
        let special = |name: &str| fragment.field(name).map(|field| loading.read(field)).transpose();
        let times = if self.looks_at_times(&loading) { special(TIMESTAMPS)? } else { None };
        let deletes = if fragment.has_delete_metadata() { special(DELETE_TIMESTAMPS)? } else { None };
        (loading.times, loading.deletes) = (times, deletes);
        Ok(loading)
    }

    /// True if it matters when single cells were written: to those that ask for it, to merges, to deletions, and where
    /// only some of a fragment's cells were written in the window.
    fn looks_at_times(&self, loading: &Loading<'_>) -> bool {
        let fragment = &loading.stream.fragment;
        let ((start, end), (first, last)) = (self.window, fragment.timestamps());
        let is_inside = start <= first && last <= end;
        let asked = self.places.times.is_some() || self.versions == Versions::All;
        fragment.has_timestamps() && (asked || self.all_coords || !loading.filters.is_empty() || !is_inside)
    }
}

impl Loading<'_> {
    /// True if all cells of the tile are wanted, or none; which takes no look at them.
    fn is_decided(&self, full: bool) -> bool {
        let is_whole = full && self.stream.left_out(self.tile) == 0;
        let is_plain = is_whole && self.times.is_none() && self.deletes.is_none() && self.filters.is_empty();
        self.loader.versions == Versions::All || is_plain || self.is_never()
    }

    fn is_never(&self) -> bool {
        self.never && !self.loader.all_coords
    }

    /// Which cells are wanted. `full` as in [`Loader::load`].
    fn mark(&self, full: bool) -> Result<Marked> {
        if self.is_decided(full) {
            let is_none = self.loader.versions != Versions::All && self.is_never();
            let wanted = if is_none { Wanted::Some(Vec::new()) } else { Wanted::All };
            return Ok(Marked { wanted, passes: None });
        }
        let mut marks = scratch(self.cells)?;
        marks.fill(1);
        self.mark_times(&mut marks);
        if !full {
            self.mark_ranges(&mut marks)?;
        }
        self.leave_out(&mut marks)?;
        let hides = !self.filters.is_empty() || self.deletes.is_some();
        let early = (self.loader.filters_late && hides).then(|| Wanted::of(&marks));
        self.mark_deletes(&mut marks);
        self.mark_filters(&mut marks)?;
        Ok(match early {
            Some(wanted) => Marked { wanted, passes: Some(marks) },
            None => Marked { wanted: Wanted::of(&marks), passes: None },
        })
    }

    /// Clears the marks of cells that another reader has delivered, and of older ones with the coordinates of the last of them,
    /// where only the latest counts.
    fn leave_out(&self, marks: &mut [u8]) -> Result<()> {
        let count = self.stream.left_out(self.tile).min(self.cells);
        let has_older = self.stream.fragment.has_timestamps() && self.loader.unique;
        if has_older && (1..self.cells).contains(&count) {
            let same = |cell: usize| self.are_equal(cell - 1, cell);
            let mut first = count;
            while first > 0 && same(first)? {
                first -= 1;
            }
            let mut end = count;
            if marks::any(&marks[first..count]) {
                while end < self.cells && same(end)? {
                    end += 1;
                }
            }
            marks[count..end].fill(0);
        }
        marks[..count].fill(0);
        Ok(())
    }

    /// Whether two cells have the same coordinates.
    fn are_equal(&self, a: usize, b: usize) -> Result<bool> {
        for (dimension, field) in self.stream.dimensions.iter().enumerate() {
            let column = self.coordinate(dimension, field)?;
            let (coords, size) = (column.coords(), field.cell_size());
            if coords.value(a, size) != coords.value(b, size) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The tile, with its coordinates where these are needed.
    fn finish(self, number: usize, marked: Lease<Marked>) -> Result<Tile> {
        if self.loader.all_coords {
            for (dimension, field) in self.stream.dimensions.iter().enumerate() {
                self.coordinate(dimension, field)?;
            }
        }
        let Loading { tile, cells, keep, times, coords, data, .. } = self;
        Ok(Tile {
            stream: number,
            tile,
            cells,
            full: !keep,
            marked,
            selected: false,
            coords: coords.into_inner(),
            times,
            data,
        })
    }

    /// The times that cells were written, if they were asked for, stay with the tile.
    fn keep_times(&self) {
        if let (Some(times), Some(place)) = (&self.times, self.loader.places.times) {
            // The place is still empty.
            _ = self.data[place].set(times.clone());
        }
    }

    /// Works out when and by which conditions cells were deleted, if that was asked for and any was.
    fn note_deletions(&self) -> Result<()> {
        let Some(places) = self.loader.places.deletions else { return Ok(()) };
        if self.deletes.is_none() && self.filters.is_empty() {
            return Ok(());
        }
        let mut deletions = Deletions::new(self.cells, self.loader.access)?;
        let conditions = self.stream.fragment.field(DELETE_CONDITIONS);
        if let (Some(times), Some(conditions)) = (&self.deletes, conditions) {
            deletions.add_stored(times, &self.read(conditions)?, &self.stream.conditions)?;
        }
        let times = self.times.as_ref().map(|times| times.bytes());
        for filter in &self.filters {
            let Some(deletion) = filter.deletion else { continue };
            let mut marks = self.loader.access.scratch(MemoryKind::Results, self.cells)?;
            marks.slice_mut().fill(1);
            filter.mark(marks.slice_mut(), times, |source, requested| self.column(source, requested))?;
            deletions.add(deletion, &marks);
        }
        for (place, column) in places.into_iter().zip(deletions.columns()?) {
            _ = self.data[place].set(column);
        }
        Ok(())
    }

    fn read(&self, field: &Field) -> Result<TileData> {
        read_field(&self.stream.fragment, field, self.tile, self.cells, self.loader.access, self.keep)
    }

    /// The coordinates of a dimension; they stay with the tile.
    fn coordinate(&self, dimension: usize, field: &Field) -> Result<TileData> {
        if let Some(Some(held)) = self.coords.borrow().get(dimension) {
            return Ok(held.clone());
        }
        let column = self.read(field)?;
        if let Some(place) = self.coords.borrow_mut().get_mut(dimension) {
            *place = Some(column.clone());
        }
        Ok(column)
    }

    /// A column that a condition compares; if it was requested, at the place `requested`, it stays with the
    /// tile.
    fn column(&self, source: &Source, requested: Option<usize>) -> Result<TileData> {
        let field = match source {
            Source::Coordinate(dimension, field) => return self.coordinate(*dimension, field),
            Source::Stored(field) => field,
            Source::Constant { .. } => bail!(Internal, "A constant column is not stored"),
        };
        let Some(place) = requested.and_then(|requested| self.data.get(requested)) else { return self.read(field) };
        if place.get().is_none() {
            _ = place.set(self.read(field)?);
        }
        place.get().map_or_else(|| self.read(field), |held| Ok(held.clone()))
    }

    /// Clears the marks of cells that were written outside the time looked at.
    fn mark_times(&self, marks: &mut [u8]) {
        let (start, end) = self.loader.window;
        if let Some(times) = &self.times {
            mark_words(times.bytes(), marks, |time| start <= time && time <= end);
        }
    }

    /// Clears the marks of cells that were deleted up to the time looked at.
    fn mark_deletes(&self, marks: &mut [u8]) {
        let end = self.loader.window.1;
        if let Some(deletes) = &self.deletes {
            mark_words(deletes.bytes(), marks, |time| time > end);
        }
    }

    /// Reads the coordinates of restricted dimensions and clears the marks of cells outside the ranges, until
    /// none is left: first those of whole blocks outside, then of cells of blocks that are not wholly inside.
    fn mark_ranges(&self, marks: &mut [u8]) -> Result<()> {
        let selector = self.loader.selector;
        let _timer = self.loader.access.timer(Timer::ReadRanges);
        let restricted = || self.stream.dimensions.iter().enumerate().filter(|(number, _)| selector.restricts(*number));
        let mut known = Vec::new();
        for (dimension, field) in restricted() {
            let size = zones_size(self.cells, field.is_var());
            let find = |out: &mut [u8]| {
                let column = self.coordinate(dimension, field)?;
                find_zones(field.datatype.physical(), &column.coords(), self.cells, out);
                Ok(())
            };
            let Some(zones) = keep_beside(&self.stream.fragment, field, self.tile, size, find)? else { break };
            match field.is_var() {
                true => selector.mark_zones(dimension, &self.coordinate(dimension, field)?.coords(), &zones, marks),
                false => selector.mark_zones(dimension, &Coords::Fixed(&[]), &zones, marks),
            }
            if !marks::any(marks) {
                return Ok(());
            }
            known.push(zones);
        }
        let mut known = known.iter();
        for (dimension, field) in restricted() {
            let zones = known.next().map(|zones| &zones[..]);
            selector.mark(dimension, &self.coordinate(dimension, field)?.coords(), zones, marks);
            if !marks::any(marks) {
                break;
            }
        }
        Ok(())
    }

    /// Clears the marks of cells that do not meet the conditions.
    fn mark_filters(&self, marks: &mut [u8]) -> Result<()> {
        if self.never {
            marks.fill(0);
        }
        let times = self.times.as_ref().map(|times| times.bytes());
        let _timer = (!self.filters.is_empty()).then(|| self.loader.access.timer(Timer::ReadCondition));
        for filter in &self.filters {
            if !marks::any(marks) {
                break;
            }
            let mut compared = Vec::new();
            filter.mark(marks, times, |source, requested| {
                let column = self.column(source, requested)?;
                compared.extend(source.field().map(|field| (field, column.clone())));
                Ok(column)
            })?;
            if is_few(marks.iter().map(|mark| usize::from(*mark)).sum(), self.cells) {
                // What was compared serves the next who want few as the cells themselves do.
                let fragment = &self.stream.fragment;
                for (field, column) in compared {
                    if self.keep || was_wanted(fragment, field, self.tile) {
                        column.keep(fragment, field, self.tile);
                    }
                }
            }
        }
        Ok(())
    }
}

fn mark_words(bytes: &[u8], marks: &mut [u8], keep: impl Fn(u64) -> bool) {
    for (mark, word) in marks.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *mark &= u8::from(keep(u64::from_le_bytes(*word)));
    }
}
