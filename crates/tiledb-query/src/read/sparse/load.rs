//! Loads tiles of sparse fragments: decodes what is needed to determine their selected cells.

use std::cell::RefCell;
use std::sync::OnceLock;

use super::deletions::Deletions;
use super::field_source::{FieldSource, NOT_DELETED};
use super::filter::{CellFilter, ComparedColumn};
use super::fragment_cursor::FragmentCursor;
use super::loaded_tile::{CellSelection, FieldData, LoadedTile, SelectedCells, TileDeletions, is_few};
use super::plan::SpecialFields;
use crate::read::spec::CellVersions;
use tiledb_array::fragment::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use tiledb_array::schema::Field;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::input::decode_context::{DecodeContext, within_budget};
use tiledb_cells::input::decoded::{DecodedTile, cache_derived, is_cached, read_field, was_requested};
use tiledb_cells::input::encoded::{EncodedTile, read_encoded};
use tiledb_cells::input::prefetch::Prefetch;
use tiledb_cells::predicate::verdict::Verdict;
use tiledb_cells::space::selection_mask;
use tiledb_cells::space::selector::RangeSelector;
use tiledb_cells::space::zone_map::{find_zones, zones_size};
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::scratch;
use tiledb_core::stats::Timer;

/// Parameters of loading tiles.
pub struct TileLoader<'a> {
    pub access: DecodeContext<'a>,
    pub selector: &'a RangeSelector,
    /// All coordinates are needed, not only those of restricted dimensions.
    pub all_coords: bool,
    /// Requested fields.
    pub fields: usize,
    /// Deleted cells and those that do not match the conditions still take part in the merge: of cells with equal
    /// coordinates only the latest is tested.
    pub filters_late: bool,
    /// The time up to which cells and deletions count, and from which.
    pub window: (u64, u64),
    pub versions: CellVersions,
    /// Of cells with equal coordinates only the latest counts.
    pub unique: bool,
    pub places: SpecialFields,
}

/// A tile that is being loaded.
struct TileLoad<'l> {
    loader: &'l TileLoader<'l>,
    cursor: &'l FragmentCursor,
    tile: u64,
    cells: usize,
    /// Excerpts may soon be read again.
    cache: bool,
    /// When cells were written and deleted, where that matters.
    times: Option<DecodedTile>,
    deletes: Option<DecodedTile>,
    /// Conditions that the tile's statistics do not decide.
    filters: Vec<&'l CellFilter>,
    /// The statistics exclude all cells.
    never: bool,
    coords: RefCell<Vec<Option<DecodedTile>>>,
    data: Vec<OnceLock<FieldData>>,
    /// Requested texts that a condition compared in encoded form, with their index.
    encoded: RefCell<Vec<(usize, EncodedTile)>>,
}

impl TileLoader<'_> {
    /// Decodes what is needed to determine the selected cells of a tile. `full` promises that its bounding box is
    /// within the ranges.
    pub fn load(&self, cursor: &FragmentCursor, number: usize, tile: u64, full: bool) -> Result<LoadedTile> {
        self.count(cursor, tile);
        let loading = self.start(cursor, tile, !full)?;
        loading.cache_times();
        let deletions = loading.deletions()?;
        let most = if loading.is_decided(full) {
            0
        } else {
            CellSelection::most_memory(loading.cells as u64, loading.cells as u64)
        };
        let selection = self.access.lease(MemoryKind::Results, most, || loading.mark(full))?;
        loading.finish(number, selection.fit(), deletions)
    }

    /// Counts a tile that is loaded, or whose statistics are taken instead.
    pub fn count(&self, cursor: &FragmentCursor, tile: u64) {
        self.access.count_coordinates(&cursor.dimensions, 1);
        self.access.count_compared(cursor.fragment.cells_in_tile(tile));
    }

    /// True if all cells of a tile are selected whatever they are. `full` as in [`TileLoader::load`].
    pub fn is_whole(&self, cursor: &FragmentCursor, tile: u64, full: bool) -> bool {
        let timed = cursor.fragment.has_timestamps() || cursor.fragment.has_delete_metadata();
        let is_plain = full && !timed && cursor.filters.is_empty() && !cursor.leaves_out_some(tile);
        is_plain && !self.all_coords && self.versions != CellVersions::All
    }

    /// Adds all that loading a tile reads to a prefetch list.
    pub fn fetch(&self, cursor: &FragmentCursor, tile: u64, full: bool, ahead: &mut Prefetch<'_>) -> Result<()> {
        let fragment = &cursor.fragment;
        let mut fields: Vec<&Field> = Vec::new();
        for filter in &cursor.filters {
            match filter.verdict(fragment, tile)? {
                Verdict::Never if !self.all_coords => return Ok(()),
                Verdict::Maybe => fields.extend(filter.sources().filter_map(FieldSource::field)),
                Verdict::Never | Verdict::Always => (),
            }
        }
        let looks_at = |dimension: usize| self.all_coords || !full && self.selector.restricts(dimension);
        let dimensions = cursor.dimensions.iter().enumerate().filter(|(number, _)| looks_at(*number));
        fields.extend(dimensions.map(|(_, field)| field));
        let times = fragment.field(TIMESTAMPS).filter(|_| self.all_coords);
        fields.extend(times.into_iter().chain(fragment.field(DELETE_TIMESTAMPS)));
        fields.sort_unstable_by_key(|field| field.index);
        fields.dedup_by_key(|field| field.index);
        fields.into_iter().try_for_each(|field| ahead.add(fragment, field, tile, true))
    }

    /// The verdict of the statistics on all conditions together.
    pub fn verdict(&self, cursor: &FragmentCursor, tile: u64) -> Result<Verdict> {
        let mut verdicts = cursor.filters.iter().map(|filter| filter.verdict(&cursor.fragment, tile));
        verdicts.try_fold(Verdict::Always, |all, verdict| Ok(all.and(verdict?)))
    }

    /// True if loading a tile decodes nothing, since its fields are cached.
    pub fn is_cached(&self, cursor: &FragmentCursor, tile: u64, full: bool) -> bool {
        let looks_at = |dimension: usize| self.all_coords || self.selector.restricts(dimension);
        let mut compared = cursor.dimensions.iter().enumerate().filter(|(number, _)| looks_at(*number));
        !full && cursor.filters.is_empty() && compared.all(|(_, field)| is_cached(&cursor.fragment, field, tile))
    }

    fn start<'l>(&'l self, cursor: &'l FragmentCursor, tile: u64, cache: bool) -> Result<TileLoad<'l>> {
        let fragment = &cursor.fragment;
        let Ok(cells) = u32::try_from(fragment.cells_in_tile(tile)) else {
            bail!(Unsupported, "A tile of fragment {} has more than 2^32 cells", fragment.uri());
        };
        let mut loading = TileLoad {
            loader: self,
            cursor,
            tile,
            cells: cells as usize,
            cache,
            times: None,
            deletes: None,
            filters: Vec::with_capacity(cursor.filters.len()),
            never: false,
            coords: RefCell::new(cursor.dimensions.iter().map(|_| None).collect()),
            data: std::iter::repeat_with(OnceLock::new).take(self.fields).collect(),
            encoded: RefCell::default(),
        };
        for filter in &cursor.filters {
            let verdict = filter.verdict(fragment, tile)?;
            loading.never |= verdict == Verdict::Never;
            if verdict != Verdict::Always {
                loading.filters.push(filter);
            }
        }
        let special = |name: &str| fragment.field(name).map(|field| loading.read(field)).transpose();
        let times = if self.needs_times(&loading) { special(TIMESTAMPS)? } else { None };
        let deletes = if fragment.has_delete_metadata() { special(DELETE_TIMESTAMPS)? } else { None };
        (loading.times, loading.deletes) = (times, deletes);
        Ok(loading)
    }

    /// True if the times of single cells matter: if they are requested, for merges, for deletions, and if only some of
    /// a fragment's cells were written in the open window.
    fn needs_times(&self, loading: &TileLoad<'_>) -> bool {
        let fragment = &loading.cursor.fragment;
        let ((start, end), (first, last)) = (self.window, fragment.timestamps());
        let is_inside = start <= first && last <= end;
        let returns_times = self.places.times.is_some() || self.versions == CellVersions::All;
        fragment.has_timestamps() && (returns_times || self.all_coords || !loading.filters.is_empty() || !is_inside)
    }
}

impl TileLoad<'_> {
    /// True if all cells of the tile are selected, or none, without decoding any.
    fn is_decided(&self, full: bool) -> bool {
        let is_whole = full && !self.cursor.leaves_out_some(self.tile);
        let is_plain = is_whole && self.times.is_none() && self.deletes.is_none() && self.filters.is_empty();
        self.loader.versions == CellVersions::All || is_plain || self.is_never()
    }

    fn is_never(&self) -> bool {
        self.never && !self.loader.all_coords
    }

    /// Computes the selected cells. `full` as in [`TileLoader::load`].
    fn mark(&self, full: bool) -> Result<CellSelection> {
        if self.is_decided(full) {
            let is_none = self.loader.versions != CellVersions::All && self.is_never();
            let selected = if is_none { SelectedCells::Some(Vec::new()) } else { SelectedCells::All };
            return Ok(CellSelection::new(selected, None, self.cells));
        }
        let mut marks = scratch(self.cells)?;
        marks.fill(1);
        self.mark_times(&mut marks);
        if !full {
            self.mark_ranges(&mut marks)?;
        }
        self.skip_delivered(&mut marks);
        let has_tombstones = !self.filters.is_empty() || self.deletes.is_some();
        let early = (self.loader.filters_late && has_tombstones).then(|| SelectedCells::of(&marks));
        self.mark_deletes(&mut marks);
        self.mark_filters(&mut marks)?;
        Ok(match early {
            Some(selected) => CellSelection::new(selected, Some(marks), self.cells),
            None => CellSelection::new(SelectedCells::of(&marks), None, self.cells),
        })
    }

    /// Clears the marks of cells that another reader has delivered, and of those that these supersede.
    fn skip_delivered(&self, marks: &mut [u8]) {
        let count = self.cursor.excluded(self.tile).min(self.cells);
        marks[..count].fill(0);
        for cell in self.cursor.superseded_in(self.tile) {
            if let Some(mark) = marks.get_mut(cell) {
                *mark = 0;
            }
        }
    }

    /// The tile, with its coordinates where these are needed.
    fn finish(self, number: usize, selection: Lease<CellSelection>, deletions: TileDeletions) -> Result<LoadedTile> {
        if self.loader.all_coords {
            for (dimension, field) in self.cursor.dimensions.iter().enumerate() {
                self.coordinate(dimension, field)?;
            }
        }
        self.decode_selected(&selection)?;
        let TileLoad { tile, cells, cache, times, coords, data, .. } = self;
        Ok(LoadedTile {
            cursor: number,
            tile,
            cells,
            full: !cache,
            selection,
            is_compacted: false,
            coords: coords.into_inner(),
            times,
            deletions,
            data,
        })
    }

    /// The times that cells were written, if they were requested, stay with the tile.
    fn cache_times(&self) {
        if let (Some(times), Some(place)) = (&self.times, self.loader.places.times) {
            // The slot is still empty.
            _ = self.data[place].set(FieldData::Whole(times.clone()));
        }
    }

    /// Computes when and by which conditions cells were deleted, if that was requested.
    fn deletions(&self) -> Result<TileDeletions> {
        if !self.loader.places.deletions {
            return Ok(TileDeletions::Unknown);
        }
        if self.deletes.is_none() && self.filters.is_empty() {
            return Ok(TileDeletions::None);
        }
        let mut deletions = Deletions::new(self.cells, self.loader.access)?;
        let conditions = self.cursor.fragment.field(DELETE_CONDITIONS);
        if let (Some(times), Some(conditions)) = (&self.deletes, conditions) {
            deletions.add_stored(times, &self.read(conditions)?, &self.cursor.conditions)?;
        }
        let times = self.times.as_ref().map(|times| times.bytes());
        for filter in &self.filters {
            let Some(deletion) = filter.deletion else { continue };
            let mut marks = self.loader.access.scratch(MemoryKind::Results, self.cells)?;
            marks.slice_mut().fill(1);
            filter.mark(marks.slice_mut(), times, |source, requested| self.column(source, requested))?;
            deletions.add(deletion, &marks);
        }
        deletions.of_tile()
    }

    fn read(&self, field: &Field) -> Result<DecodedTile> {
        read_field(&self.cursor.fragment, field, self.tile, self.cells, self.loader.access, self.cache)
    }

    /// The coordinates of a dimension; they stay with the tile.
    fn coordinate(&self, dimension: usize, field: &Field) -> Result<DecodedTile> {
        if let Some(Some(decoded)) = self.coords.borrow().get(dimension) {
            return Ok(decoded.clone());
        }
        let column = self.read(field)?;
        if let Some(place) = self.coords.borrow_mut().get_mut(dimension) {
            *place = Some(column.clone());
        }
        Ok(column)
    }

    /// A column that a condition compares; if it was requested, at the index `requested`, it stays with the tile.
    fn column(&self, source: &FieldSource, requested: Option<usize>) -> Result<ComparedColumn> {
        let field = match source {
            FieldSource::Coordinate(dimension, field) => {
                return self.coordinate(*dimension, field).map(ComparedColumn::Decoded);
            }
            FieldSource::Stored(field) => field,
            FieldSource::Constant { .. } | FieldSource::Deletion(_) => {
                bail!(Internal, "A column that is not stored cannot be compared")
            }
        };
        let place = requested.and_then(|requested| self.data.get(requested));
        if let Some(FieldData::Whole(decoded)) = place.and_then(OnceLock::get) {
            return Ok(ComparedColumn::Decoded(decoded.clone()));
        }
        if let Some(encoded) = self.encoded(field, requested)? {
            return Ok(ComparedColumn::Encoded(encoded));
        }
        let column = self.read(field)?;
        if let Some(place) = place {
            // The slot is still empty.
            _ = place.set(FieldData::Whole(column.clone()));
        }
        Ok(ComparedColumn::Decoded(column))
    }

    /// A text in encoded form, if its filters encode strings; if it was requested, it stays until cells are selected.
    fn encoded(&self, field: &Field, requested: Option<usize>) -> Result<Option<EncodedTile>> {
        let mut cache = self.encoded.borrow_mut();
        if let Some((_, encoded)) = cache.iter().find(|(place, _)| Some(*place) == requested) {
            return Ok(Some(encoded.clone()));
        }
        let encoded = read_encoded(&self.cursor.fragment, field, self.tile, self.cells, self.loader.access)?;
        if let (Some(encoded), Some(place)) = (&encoded, requested) {
            cache.push((place, encoded.clone()));
        }
        Ok(encoded)
    }

    /// Decodes the selected cells of texts that were compared in encoded form.
    fn decode_selected(&self, selection: &CellSelection) -> Result<()> {
        let cells = selection.cells();
        if cells.is_some_and(<[u32]>::is_empty) {
            return Ok(());
        }
        for (place, encoded) in &*self.encoded.borrow() {
            let field = self.cursor.sources.get(*place).and_then(FieldSource::field);
            if let (Some(field), None) = (field, self.data[*place].get()) {
                // Without enough memory the field is read again later.
                let cells = within_budget(encoded.decode(field, cells, self.loader.access))?;
                let of = if cells.is_some() { FieldData::Selected } else { FieldData::Whole };
                cells.map(|cells| self.data[*place].set(of(cells)));
            }
        }
        Ok(())
    }

    /// Clears the mask of cells that were written outside the open window.
    fn mark_times(&self, marks: &mut [u8]) {
        let (start, end) = self.loader.window;
        if let Some(times) = &self.times {
            mark_words(times.bytes(), marks, |time| start <= time && time <= end);
        }
    }

    /// Clears the mask of cells that were deleted before the end of the open window.
    fn mark_deletes(&self, marks: &mut [u8]) {
        let end = self.loader.window.1;
        if let Some(deletes) = &self.deletes {
            mark_words(deletes.bytes(), marks, |time| time > end || time == NOT_DELETED);
        }
    }

    /// Reads the coordinates of restricted dimensions and clears the marks of cells outside the ranges, until
    /// none is left: first those of whole blocks outside, then of cells of blocks that are not wholly inside.
    fn mark_ranges(&self, marks: &mut [u8]) -> Result<()> {
        let selector = self.loader.selector;
        let _timer = self.loader.access.timer(Timer::ReadRanges);
        let restricted = || self.cursor.dimensions.iter().enumerate().filter(|(number, _)| selector.restricts(*number));
        let mut known = Vec::new();
        for (dimension, field) in restricted() {
            let size = zones_size(self.cells, field.is_var());
            let find = |out: &mut [u8]| {
                let column = self.coordinate(dimension, field)?;
                find_zones(field.datatype.physical(), &column.coords(), self.cells, out);
                Ok(())
            };
            let Some(zones) = cache_derived(&self.cursor.fragment, field, self.tile, size, find)? else { break };
            match field.is_var() {
                true => selector.mark_zones(dimension, &self.coordinate(dimension, field)?.coords(), &zones, marks),
                false => selector.mark_zones(dimension, &Coords::Fixed(&[]), &zones, marks),
            }
            if !selection_mask::any(marks) {
                return Ok(());
            }
            known.push(zones);
        }
        let mut known = known.iter();
        for (dimension, field) in restricted() {
            let zones = known.next().map(|zones| &zones[..]);
            selector.mark(dimension, &self.coordinate(dimension, field)?.coords(), zones, marks);
            if !selection_mask::any(marks) {
                break;
            }
        }
        Ok(())
    }

    /// Clears the marks of cells that do not match the conditions.
    fn mark_filters(&self, marks: &mut [u8]) -> Result<()> {
        if self.never {
            marks.fill(0);
        }
        let times = self.times.as_ref().map(|times| times.bytes());
        let _timer = (!self.filters.is_empty()).then(|| self.loader.access.timer(Timer::ReadCondition));
        for filter in &self.filters {
            if !selection_mask::any(marks) {
                break;
            }
            let mut compared = Vec::new();
            filter.mark(marks, times, |source, requested| {
                let column = self.column(source, requested)?;
                compared.extend(source.field().map(|field| (field, requested, column.clone())));
                Ok(column)
            })?;
            if is_few(marks.iter().map(|mark| usize::from(*mark)).sum(), self.cells) {
                compared
                    .into_iter()
                    .try_for_each(|(field, place, column)| self.cache_compared(field, place, column))?;
            }
        }
        Ok(())
    }

    /// Caches a column that a condition compared if it was requested before: it serves later queries of few cells as the cells
    /// themselves do.
    fn cache_compared(&self, field: &Field, requested: Option<usize>, column: ComparedColumn) -> Result<()> {
        let fragment = &self.cursor.fragment;
        if !self.cache && !was_requested(fragment, field, self.tile) {
            return Ok(());
        }
        let encoded = match column {
            ComparedColumn::Decoded(column) => {
                column.cache(fragment, field, self.tile);
                return Ok(());
            }
            ComparedColumn::Encoded(encoded) => encoded,
        };
        let Some(column) = within_budget(encoded.decode(field, None, self.loader.access))? else { return Ok(()) };
        column.cache(fragment, field, self.tile);
        if let Some(place) = requested.and_then(|place| self.data.get(place)) {
            _ = place.set(FieldData::Whole(column));
        }
        Ok(())
    }
}

fn mark_words(bytes: &[u8], marks: &mut [u8], selects: impl Fn(u64) -> bool) {
    for (mark, word) in marks.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *mark &= u8::from(selects(u64::from_le_bytes(*word)));
    }
}
