//! The fragments of one write: one, or as many as the maximum fragment size requires, which become visible together.

use std::ops::Range;
use std::sync::Arc;

use super::ready_tile::ReadyTile;
use super::spec::{CommitHook, CommittedFragment, ConsolidationSpec, FragmentCommit, WriteSpec};
use super::tile_boxes::TileBoxes;
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::{
    CoordinateBounds, FieldPart, Fragment, FragmentDraft, FragmentName, FragmentRegistration, FragmentWriter,
    StoredTiles, TileBytes, claim,
};
use tiledb_array::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::write::MAX_UNASSIGNED_BYTES;
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::{Layout, Name};
use tiledb_filters::tile::TileStats;
use tiledb_storage::vfs::Uri;

/// The parameter of the maximum size of a fragment's data files, in bytes.
const MAX_SIZE: &str = "sm.fragment.max_size";

/// The filtered tiles of all fields at one tile position.
struct TileRow {
    tiles: Vec<ReadyTile<'static>>,
    size: u64,
}

/// Divides the tiles of a write among fragments. If dropped before the commit, nothing remains of them.
pub(crate) struct FragmentSplitter {
    array: Arc<OpenArray>,
    limit: u64,
    /// Of all fragments, once the first was begun.
    timestamps: Option<(u64, u64)>,
    merged: Option<ConsolidationSpec>,
    /// Geometry of the tiles of a dense write.
    boxes: Option<TileBoxes>,
    closed: Vec<(Uri, Arc<FragmentRegistration>)>,
    current: Option<FragmentWriter>,
    /// The first tile of the current fragment, and how many it has.
    first: u64,
    count: u64,
    /// Tiles that do not form a box together with those of the current fragment.
    waiting: Vec<TileRow>,
    stats: Stats,
}

impl FragmentSplitter {
    /// The fragments of a write, of a dense one if there are `boxes`.
    ///
    /// # Errors
    /// If `sm.fragment.max_size` is no number.
    pub(crate) fn new(spec: &WriteSpec, boxes: Option<TileBoxes>) -> Result<FragmentSplitter> {
        let limit = match (&spec.merged, spec.config.get(MAX_SIZE)) {
            (Some(merged), _) => merged.max_size,
            (None, Some(_)) => spec.config.u64(MAX_SIZE)?,
            (None, None) => u64::MAX,
        };
        // As libtiledb does: writes of boxes of dense arrays are not counted.
        let counts = !spec.array.schema().is_dense() || spec.layout == Layout::GlobalOrder;
        let stats = if counts { spec.stats.clone() } else { Stats::unlisted() };
        Ok(FragmentSplitter {
            array: spec.array.clone(),
            limit,
            timestamps: spec.merged.as_ref().map(|merged| merged.timestamps),
            merged: spec.merged.clone(),
            boxes,
            closed: Vec::new(),
            current: None,
            first: 0,
            count: 0,
            waiting: Vec::new(),
            stats,
        })
    }

    /// The one fragment of a write whose fields are appended one after the other.
    pub(crate) fn single(spec: &WriteSpec) -> Result<FragmentSplitter> {
        let mut fragments = FragmentSplitter::new(spec, None)?;
        fragments.limit = u64::MAX;
        Ok(fragments)
    }

    /// True once a tile was appended.
    pub(crate) fn has_tiles(&self) -> bool {
        self.first + self.count > 0
    }

    /// Appends the tiles of all `fields` at the next position.
    ///
    /// # Errors
    /// If storage fails.
    pub(crate) fn append<'c>(&mut self, fields: &[&Field], tiles: Vec<ReadyTile<'c>>) -> Result<Vec<ReadyTile<'c>>> {
        let size = tiles.iter().map(ReadyTile::size).sum();
        if self.boxes.is_some() && self.limit < u64::MAX {
            let tiles = tiles.into_iter().map(ReadyTile::owned).collect::<Result<_>>()?;
            self.put_boxes(fields, TileRow { tiles, size })?;
            return Ok(Vec::new());
        }
        if !self.fits(size) {
            self.close()?;
        }
        self.put(fields, &tiles)?;
        Ok(tiles)
    }

    /// True if the current fragment can take tiles of this size. A single tile is not divided.
    fn fits(&self, size: u64) -> bool {
        let written = self.current.as_ref().map_or(0, FragmentWriter::size);
        self.count == 0 || written.saturating_add(size) <= self.limit
    }

    /// Lets a dense tile wait, until those that wait complete a box or belong in the next fragment.
    fn put_boxes(&mut self, fields: &[&Field], row: TileRow) -> Result<()> {
        self.waiting.push(row);
        let Some(boxes) = &self.boxes else { return Ok(()) };
        let end = self.first + self.count + self.waiting.len() as u64;
        let size = self.waiting.iter().map(|row| row.size).sum();
        let is_box = boxes.is_box(self.first, end);
        if !self.fits(size) || !is_box && size > MAX_UNASSIGNED_BYTES.bytes() || end > boxes.end_of_largest(self.first)
        {
            return self.begin_fragment(fields);
        }
        if is_box {
            for row in std::mem::take(&mut self.waiting) {
                self.put(fields, &row.tiles)?;
            }
        }
        Ok(())
    }

    /// Closes the current fragment; pending tiles continue in the next, whose first tile is a box by itself.
    fn begin_fragment(&mut self, fields: &[&Field]) -> Result<()> {
        self.close()?;
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().try_for_each(|row| self.put_boxes(fields, row))
    }

    fn put(&mut self, fields: &[&Field], tiles: &[ReadyTile<'_>]) -> Result<()> {
        let mut bounds = Vec::new();
        for (field, tile) in fields.iter().zip(tiles) {
            self.append_field(field, tile)?;
            bounds.extend(tile.tile.bounds.clone());
        }
        self.complete_tile(&bounds, tiles.first().map_or(0, |tile| tile.tile.cells))
    }

    /// True if tiles of the fields of a position can be written one after the other, since all belong to one fragment.
    pub(crate) fn allows_field_by_field(&self) -> bool {
        self.limit == u64::MAX
    }

    /// Writes the tile of a field at the next position.
    ///
    /// # Errors
    /// If storage fails.
    pub(crate) fn append_field(&mut self, field: &Field, tile: &dyn TileBytes) -> Result<()> {
        self.writer()?.append(field, tile)
    }

    /// Begins the tile of a field of fixed cells at the next position, whose bytes follow by
    /// [`FragmentSplitter::write_part`].
    ///
    /// # Errors
    /// If storage fails.
    pub(crate) fn begin_tile(&mut self, field: &Field) -> Result<()> {
        self.writer()?.begin_tile(field)
    }

    /// Writes bytes of a part of the tile that was begun.
    ///
    /// # Errors
    /// If storage fails.
    pub(crate) fn write_part(&mut self, field: &Field, part: FieldPart, bytes: &[u8]) -> Result<()> {
        self.writer()?.write_part(field, part, bytes)
    }

    /// Completes the tile of a field that was begun.
    ///
    /// # Errors
    /// If storage fails.
    pub(crate) fn end_tile(&mut self, field: &Field, stats: &TileStats) -> Result<()> {
        self.writer()?.end_tile(field, stats)
    }

    /// Copies tiles of another fragment, of `cells` cells each, in stored form to the next positions.
    ///
    /// # Errors
    /// If a tile cannot be read, is detected to be corrupt, or storage fails.
    pub(crate) fn take_over(
        &mut self,
        fields: &[&Field],
        stored: &Fragment,
        tiles: Range<u64>,
        cells: u64,
    ) -> Result<()> {
        let (array, count) = (self.array.clone(), tiles.end - tiles.start);
        for &field in fields {
            let Some(own) = stored.stored(field) else {
                bail!(Internal, "'{}' has no tiles of '{}' to be taken over", stored.uri(), field.name);
            };
            let mut from = StoredTiles::new(array.resources().vfs(), stored, own, array.key(), &tiles)?;
            for tile in tiles.clone() {
                array.resources().cancel().check()?;
                self.writer()?.take_over(field, &mut from, tile)?;
            }
        }
        (0..count).try_for_each(|_| self.complete_tile(&[], cells))
    }

    /// The fragment that the next tiles belong in.
    fn writer(&mut self) -> Result<&mut FragmentWriter> {
        let begun = self.current.take().map_or_else(|| self.begin(), Ok)?;
        Ok(self.current.insert(begun))
    }

    /// Moves to the next position. Fields may come one after the other: the coordinates, whose `bounds` these are, only
    /// once.
    ///
    /// # Errors
    /// If the bounds are not one per dimension.
    pub(crate) fn complete_tile(&mut self, bounds: &[CoordinateBounds], cells: u64) -> Result<()> {
        let Some(writer) = &mut self.current else { return Ok(()) };
        if !bounds.is_empty() {
            writer.push_bounds(bounds)?;
            writer.set_last_tile_cells(cells);
        }
        if self.boxes.is_some() || !bounds.is_empty() {
            self.count += 1;
            self.stats.add(Counter::WriterTiles, 1);
            self.stats.add(Counter::WriterCells, cells);
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<FragmentWriter> {
        let (start, end) = self.timestamps();
        let (array, schema) = (&self.array, self.array.schema().clone());
        let dense = schema.is_dense();
        let mut writer = match &mut self.merged {
            Some(merged) => {
                // Equal cells of a sparse array are in the order of precedence, also across fragments.
                merged.place.is_descending = !dense;
                let name = FragmentName::at_place(start, end, schema.version().of_new_fragments(), &merged.place)?;
                let neighbour = if dense { &mut merged.place.after } else { &mut merged.place.before };
                *neighbour = Some(name.clone());
                FragmentWriter::create_named(array.resources(), array.uri(), schema, array.key(), dense, name)?
            }
            None => FragmentWriter::create(array.resources(), array.uri(), schema, array.key(), dense, (start, end))?,
        };
        if let Some(merged) = &self.merged {
            merged.hook.begin(writer.name())?;
            writer.include_times(merged.times, merged.deletes);
            writer.set_processed_conditions(merged.conditions.clone());
        }
        Ok(writer)
    }

    /// How the fragments are committed.
    fn hook(&self) -> CommitHook {
        self.merged.as_ref().map(|merged| merged.hook.clone()).unwrap_or_default()
    }

    /// The timestamps of all fragments: those of the array, or now.
    fn timestamps(&mut self) -> (u64, u64) {
        let array = self.array.write_timestamps();
        *self.timestamps.get_or_insert_with(|| {
            let now = (array.1 == 0).then(|| claim(self.array.uri()));
            now.map_or(array, |now| (now, now))
        })
    }

    /// Suspends the current fragment, if there is one.
    ///
    /// # Errors
    /// If there are others, or tiles wait.
    pub(crate) fn suspend(&mut self) -> Result<Option<FragmentDraft>> {
        if !self.closed.is_empty() || !self.waiting.is_empty() {
            bail!("Cannot hand on the write; it makes several fragments, as '{MAX_SIZE}' asks for");
        }
        self.current.take().map(|writer| writer.hand_on(self.count)).transpose()
    }

    /// Resumes a suspended fragment.
    ///
    /// # Errors
    /// If it is not of this write.
    pub(crate) fn resume_with(&mut self, draft: FragmentDraft) -> Result<()> {
        let (array, schema) = (&self.array, self.array.schema().clone());
        let dense = schema.is_dense();
        (self.timestamps, self.count) = (Some(draft.name.timestamps()), draft.tiles);
        let writer = FragmentWriter::resume(array.resources(), array.uri(), schema, array.key(), dense, draft)?;
        self.current = Some(writer);
        Ok(())
    }

    /// Completes the current fragment, but does not commit it.
    fn close(&mut self) -> Result<()> {
        if let Some(mut writer) = self.current.take() {
            self.place(&mut writer)?;
            let uri = writer.uri().clone();
            self.closed.push((uri, writer.finish_uncommitted()?));
        }
        self.first += self.count;
        self.count = 0;
        Ok(())
    }

    /// Sets the part of the array that a dense fragment covers.
    fn place(&self, writer: &mut FragmentWriter) -> Result<()> {
        if let Some(boxes) = &self.boxes {
            writer.set_non_empty_domain(boxes.domain(self.first, self.first + self.count)?);
        }
        Ok(())
    }

    /// Commits the fragments: one by its own marker, several atomically by one file of consolidated commits, or, in
    /// formats without such files, one after the other.
    ///
    /// # Errors
    /// If storage fails; nothing is visible then.
    pub(crate) fn commit(mut self, fields: &[&Field]) -> Result<Vec<CommittedFragment>> {
        while !self.waiting.is_empty() {
            self.begin_fragment(fields)?;
        }
        if self.closed.is_empty() {
            let Some(mut writer) = self.current.take() else { return Ok(Vec::new()) };
            self.place(&mut writer)?;
            return Ok(vec![CommittedFragment::commit(writer, self.array.resources().vfs(), &self.hook())?]);
        }
        self.close()?;
        let Some((_, last)) = self.closed.last() else { return Ok(Vec::new()) };
        let last = last.name();
        let (start, end) = last.timestamps();
        self.mark(&FragmentName::new(start, end, last.version()))?;
        let closed = std::mem::take(&mut self.closed);
        Ok(closed
            .iter()
            .map(|(uri, _)| CommittedFragment { uri: Name::of_path(uri.as_str()), timestamps: (start, end) })
            .collect())
    }

    /// Commits the closed fragments, by a file of this name if they have one together. If that fails they are not
    /// committed any more, and those whose state is unknown stay.
    fn mark(&mut self, common: &FragmentName) -> Result<()> {
        let (vfs, array) = (self.array.resources().vfs(), self.array.uri());
        let common =
            common.version().has_commits_folder().then(|| array.join("__commits").join(&format!("{common}.con")));
        let names: Vec<FragmentName> = self.closed.iter().map(|(_, closed)| closed.name().clone()).collect();
        let commits = names.iter().filter_map(FragmentName::commit);
        let files: Vec<(Uri, Vec<u8>)> = match &common {
            Some(file) => vec![(file.clone(), commits.map(|commit| commit + "\n").collect::<String>().into_bytes())],
            None => commits.map(|commit| (array.join(&commit), Vec::new())).collect(),
        };
        let hook = self.hook();
        let committed = FragmentCommit { array, names: &names, files: &files };
        let marked = hook.commit(vfs, &committed).map_err(|failed| match hook.0 {
            // One file of several may have been stored; where others may complete the commit, they may rely on it by now.
            None if !failed.is_revoked => committed.revoke(vfs, failed.error),
            _ => failed,
        });
        if marked.as_ref().is_err_and(|failed| !failed.is_revoked) {
            self.closed.clear();
        }
        marked.map_err(|failed| failed.error)
    }
}

impl Drop for FragmentSplitter {
    fn drop(&mut self) {
        for (uri, _) in &self.closed {
            // The original error is the one to report; without a commit marker the rest is invisible.
            _ = self.array.resources().vfs().remove_dir(uri);
        }
    }
}
