//! Writes a fragment: data files as tiles arrive, then the metadata, then the commit marker.

use std::sync::{Arc, Mutex, PoisonError};

use super::bound_tables::BoundTables;
use super::draft::{self, FragmentDraft};
use super::field_writer::FieldWriter;
use super::files::{FieldPart, METADATA_FILE, file_name};
use super::filtered_tile::CoordinateBounds;
use super::in_progress::FragmentRegistration;
use super::metadata_writer::{Contents, encode};
use super::{FragmentName, RTree, RTreeBuilder, StoredTiles, TileBytes, box_of_region, special_fields, timestamp_now};
use crate::schema::{ArraySchema, Field};
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{CellRange, Datatype, NdRange};
use tiledb_core::wire::WireWriter;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::TileStats;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{SuspendedFile, Uri, WriteFile};

/// The commit of fragments failed.
#[derive(Debug)]
pub struct FailedCommit {
    pub error: Error,
    /// No commit names them, and none will, so that their files can be removed.
    pub is_revoked: bool,
}

/// Writes one fragment. Dropped before [`FragmentWriter::finish`], it removes what it wrote.
pub struct FragmentWriter {
    resources: Resources,
    array: Uri,
    uri: Uri,
    name: FragmentName,
    schema: Arc<ArraySchema>,
    key: EncryptionKey,
    dense: bool,
    special: Vec<Field>,
    fields: Vec<FieldWriter>,
    boxes: RTreeBuilder,
    bounds: Option<BoundTables>,
    non_empty_domain: Option<NdRange>,
    last_tile_cells: u64,
    conditions: Vec<String>,
    /// Files may exist that have to be removed after a failure.
    dirty: bool,
    in_progress: Arc<FragmentRegistration>,
}

impl FragmentWriter {
    /// Starts a fragment of the version of `schema`, with cells written in `timestamps`; an end of 0 means now. Nothing
    /// is written before the first tile.
    ///
    /// # Errors
    /// None yet; reserved for storage that has to be prepared.
    pub fn create(
        resources: &Resources,
        array: &Uri,
        schema: Arc<ArraySchema>,
        key: &EncryptionKey,
        dense: bool,
        timestamps: (u64, u64),
    ) -> Result<FragmentWriter> {
        let version = schema.version().of_new_fragments();
        let now = (timestamps.1 == 0).then(timestamp_now);
        let (start, end) = now.map_or(timestamps, |now| (now, now));
        FragmentWriter::create_named(resources, array, schema, key, dense, FragmentName::new(start, end, version))
    }

    /// As [`FragmentWriter::create`], with a name of the format version of the schema's new fragments.
    ///
    /// # Errors
    /// As [`FragmentWriter::create`].
    pub fn create_named(
        resources: &Resources,
        array: &Uri,
        schema: Arc<ArraySchema>,
        key: &EncryptionKey,
        dense: bool,
        name: FragmentName,
    ) -> Result<FragmentWriter> {
        let uri = name.folder(array);
        let dimensions: Vec<(Datatype, bool)> =
            schema.domain().dimensions().iter().map(|d| (d.datatype(), d.is_var())).collect();
        let fields = FieldWriter::all(&schema, &[], dense);
        let bounds = BoundTables::new(&schema, schema.version().of_new_fragments(), dense);
        let in_progress = FragmentRegistration::register(&name, array);
        Ok(FragmentWriter {
            resources: resources.clone(),
            array: array.clone(),
            uri,
            name,
            schema,
            key: key.clone(),
            dense,
            special: Vec::new(),
            fields,
            boxes: RTree::builder(&dimensions),
            bounds,
            non_empty_domain: None,
            last_tile_cells: 0,
            conditions: Vec::new(),
            dirty: false,
            in_progress,
        })
    }

    /// Resumes a fragment from a draft of another writer.
    ///
    /// # Errors
    /// If it is complete, or the draft is inconsistent.
    pub fn resume(
        resources: &Resources,
        array: &Uri,
        schema: Arc<ArraySchema>,
        key: &EncryptionKey,
        dense: bool,
        draft: FragmentDraft,
    ) -> Result<FragmentWriter> {
        let capacity = if dense { cells_per_tile(&schema) } else { schema.capacity() };
        let mut writer = FragmentWriter::create(resources, array, schema, key, dense, draft.name.timestamps())?;
        if draft.name.version() != writer.name.version() || draft.fields.len() != writer.fields.len() {
            bail!("Cannot go on with the write; fragment '{}' is not of this array", draft.name);
        }
        writer.uri = draft.name.folder(array);
        writer.name = draft.name;
        writer.in_progress = FragmentRegistration::register(&writer.name, array);
        draft::check_open(resources.vfs(), &writer.uri)?;
        if !dense {
            writer.boxes.read(&draft.boxes)?;
            if writer.boxes.len() as u64 != draft.tiles {
                bail!(Corrupt, "Cannot go on with the write; {} boxes of {} tiles", writer.boxes.len(), draft.tiles);
            }
            match (&mut writer.bounds, draft.bounds) {
                (Some(bounds), Some(draft_of_bounds)) => bounds.resume(draft_of_bounds, draft.tiles)?,
                _ => writer.bounds = None,
            }
        }
        writer.last_tile_cells = draft.last_tile_cells;
        let cells = (capacity, if dense { capacity } else { draft.last_tile_cells });
        let vfs = resources.vfs();
        let uri = writer.uri.clone();
        let version = writer.name.version();
        let open = |field: &Field, part: FieldPart, file: &SuspendedFile| {
            vfs.resume(&uri.join(&file_name(version, field, part)), file)
        };
        for (field, draft_of_field) in writer.fields.iter_mut().zip(draft.fields) {
            field.resume(draft_of_field, draft.tiles, cells, open)?;
        }
        Ok(writer)
    }

    /// Suspends the write for another writer to resume; written files stay in place.
    ///
    /// # Errors
    /// If a storage operation fails, or the storage cannot append to files.
    pub fn hand_on(mut self, tiles: u64) -> Result<FragmentDraft> {
        let fields = self.fields.iter_mut().map(|field| field.draft(tiles)).collect::<Result<_>>()?;
        let mut boxes = WireWriter::new();
        match self.boxes.len() {
            // Libtiledb takes a tree without levels, but no level without boxes.
            0 => RTree::builder(&[]).build()?.write(&mut boxes),
            _ => self.boxes.write(&mut boxes),
        }
        let name = self.name.clone();
        let last_tile_cells = self.last_tile_cells;
        let bounds = self.bounds.take().map(BoundTables::into_draft);
        let draft = FragmentDraft { name, tiles, last_tile_cells, boxes: boxes.finish()?, fields, bounds };
        self.dirty = false;
        Ok(draft)
    }

    /// Makes every cell carry the time it was written, and with `deletes` the time and the
    /// condition of its deletion: fields `TIMESTAMPS` and following, see
    /// [`FragmentWriter::special_fields`]. To be called before the first tile.
    pub fn include_times(&mut self, timestamps: bool, deletes: bool) {
        self.special = special_fields(&self.schema, timestamps, deletes);
        self.fields = FieldWriter::all(&self.schema, &self.special, self.dense);
    }

    /// The special fields that the fragment has.
    pub fn special_fields(&self) -> &[Field] {
        &self.special
    }

    /// The name that the fragment will have.
    pub fn name(&self) -> &FragmentName {
        &self.name
    }

    /// The array's folder.
    pub fn array(&self) -> &Uri {
        &self.array
    }

    /// The fragment's folder.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Bytes written to data files.
    pub fn size(&self) -> u64 {
        self.fields.iter().map(FieldWriter::size).sum()
    }

    /// Appends the next tile of a field. Every field gets its tiles in tile order.
    ///
    /// # Errors
    /// If the storage fails, or parts are missing that the field needs.
    pub fn append(&mut self, field: &Field, tile: &dyn TileBytes) -> Result<()> {
        let (writer, create) = self.field(field)?;
        writer.append(tile, create)
    }

    /// Begins the next tile of a field of fixed-size cells, whose bytes are passed to [`FragmentWriter::write_part`].
    ///
    /// # Errors
    /// If the fragment has no such field.
    pub fn begin_tile(&mut self, field: &Field) -> Result<()> {
        self.field(field)?.0.begin();
        Ok(())
    }

    /// Writes bytes of a part of the tile that was begun.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn write_part(&mut self, field: &Field, part: FieldPart, bytes: &[u8]) -> Result<()> {
        let (writer, create) = self.field(field)?;
        writer.write(part, &[bytes], &create)
    }

    /// Completes the tile that was begun.
    ///
    /// # Errors
    /// If the fragment has no such field.
    pub fn end_tile(&mut self, field: &Field, stats: &TileStats) -> Result<()> {
        self.field(field)?.0.end(0, stats);
        Ok(())
    }

    /// Copies a tile as stored by another fragment with the same version, filters and key.
    ///
    /// # Errors
    /// If a storage operation fails, or the tile is corrupt and that is detectable.
    pub fn take_over(&mut self, field: &Field, from: &mut StoredTiles<'_>, tile: u64) -> Result<()> {
        let (writer, create) = self.field(field)?;
        writer.begin();
        for part in from.parts() {
            from.read(tile, part, &mut |bytes| writer.write(part, &[bytes], &create))?;
        }
        writer.end(from.var_size(tile)?, &from.stats(tile)?);
        Ok(())
    }

    /// The writer of a field, and the function that opens its files.
    fn field<'w>(
        &'w mut self,
        field: &'w Field,
    ) -> Result<(&'w mut FieldWriter, impl Fn(FieldPart) -> Result<WriteFile> + 'w)> {
        let Some(writer) = self.fields.get_mut(field.index).filter(|writer| writer.holds(field)) else {
            bail!(Internal, "Fragment '{}' has no field '{}'", self.name, field.name);
        };
        if !self.dirty {
            self.dirty = true;
            // Files make the folder that they miss, but by then one call was for nothing.
            self.resources.vfs().make_dir(&self.uri)?;
        }
        let resources = &self.resources;
        let uri = &self.uri;
        let version = self.name.version();
        Ok((writer, move |part: FieldPart| resources.vfs().create(&uri.join(&file_name(version, field, part)))))
    }

    /// Adds the bounds of the coordinates of the next tile of a sparse fragment.
    ///
    /// # Errors
    /// If these are not one per dimension, or the format stores the first and last cell and they are missing.
    pub fn push_bounds(&mut self, bounds: &[CoordinateBounds]) -> Result<()> {
        let mbr: Vec<CellRange> = bounds.iter().map(|bounds| bounds.range.clone()).collect();
        self.boxes.push(&mbr)?;
        self.bounds.as_mut().map_or(Ok(()), |tables| tables.push(bounds))
    }

    /// The region that a dense fragment covers; the box around the cells of a sparse one follows
    /// from its tiles.
    pub fn set_non_empty_domain(&mut self, region: NdRange) {
        self.non_empty_domain = Some(region);
    }

    /// Sets the number of cells in the last tile of a sparse fragment.
    pub fn set_last_tile_cells(&mut self, cells: u64) {
        self.last_tile_cells = cells;
    }

    /// The delete conditions already applied to the cells, as relative names of commit files.
    pub fn set_processed_conditions(&mut self, conditions: Vec<String>) {
        self.conditions = conditions;
    }

    /// Completes and commits the fragment: data files are made durable, then the metadata, then
    /// the marker that makes it visible.
    ///
    /// # Errors
    /// If fields have different numbers of tiles, or the storage fails; nothing is left then.
    pub fn finish(self) -> Result<FragmentName> {
        let vfs = self.resources.vfs().clone();
        self.finish_by(|_, commit| {
            let Some(file) = commit else { return Ok(()) };
            let is_revoked = || !vfs.is_file(file).unwrap_or(true);
            vfs.mark(file).map_err(|error| FailedCommit { error, is_revoked: is_revoked() })
        })
    }

    /// As [`FragmentWriter::finish`], but `commit` stores the commit file once all other files are stored: an empty one of the
    /// name that it is called with; before version 5 there is none.
    ///
    /// # Errors
    /// As [`FragmentWriter::finish`], and those of `commit`; nothing is left then unless a commit may name the fragment.
    pub fn finish_by(
        mut self,
        commit: impl FnOnce(&FragmentName, Option<&Uri>) -> Result<(), FailedCommit>,
    ) -> Result<FragmentName> {
        self.complete()?;
        // Before version 5 a fragment counts as soon as it has metadata.
        let file = self.name.commit().map(|commit| self.array.join(&commit));
        let committed = commit(&self.name, file.as_ref());
        self.dirty = committed.as_ref().is_err_and(|failed| failed.is_revoked);
        committed.map(|()| self.name.clone()).map_err(|failed| failed.error)
    }

    /// Completes the fragment and leaves it uncommitted, for callers that commit several at once: until then it stays registered.
    ///
    /// # Errors
    /// As [`FragmentWriter::finish`].
    pub fn finish_uncommitted(mut self) -> Result<Arc<FragmentRegistration>> {
        self.complete()?;
        self.dirty = false;
        Ok(self.in_progress.clone())
    }

    fn complete(&mut self) -> Result<()> {
        let rtree = std::mem::replace(&mut self.boxes, RTree::builder(&[])).build()?;
        let (tile_count, last_tile_cells, non_empty_domain) = match (&self.non_empty_domain, rtree.root()) {
            (Some(region), _) if self.dense => {
                let tiles = box_of_region(&self.schema, region)?.tile_count();
                (tiles, cells_per_tile(&self.schema), region.clone())
            }
            (_, Some(root)) if !self.dense => (rtree.leaf_count() as u64, self.last_tile_cells, root),
            _ => bail!(Internal, "Fragment '{}' is finished without a non-empty domain", self.name),
        };
        let mut files = Vec::new();
        for writer in &mut self.fields {
            files.extend(writer.complete(tile_count, &self.name)?.map(|file| Mutex::new(Some(file))));
        }
        self.resources.vfs().map(&self.uri, files.len(), |file| {
            let file = files[file].lock().unwrap_or_else(PoisonError::into_inner).take();
            file.map_or(Ok(()), WriteFile::finish)
        })?;
        let _timer = self.resources.stats().timer(Timer::StoreFragment);
        let metadata = encode(&Contents {
            version: self.name.version(),
            schema: &self.schema,
            key: &self.key,
            stats: self.resources.stats(),
            budget: StructureBudget::of(self.resources.config())?,
            dense: self.dense,
            timestamps: !self.special.is_empty(),
            deletes: self.special.len() > 1,
            tile_count,
            last_tile_cells,
            non_empty_domain,
            rtree,
            fields: &self.fields,
            bounds: self.bounds.as_ref(),
            conditions: &self.conditions,
        })?;
        let vfs = self.resources.vfs();
        let file = self.uri.join(METADATA_FILE);
        match self.name.commit() {
            Some(_) => vfs.put_unseen(&file, &metadata),
            None => vfs.put(&file, &metadata),
        }
    }
}

/// Cells of one space tile.
fn cells_per_tile(schema: &ArraySchema) -> u64 {
    let extents = schema.domain().dimensions().iter().filter_map(|dimension| dimension.tile_extent());
    extents.fold(1, |cells: u64, extent| {
        let mut word = [0; 8];
        word[..extent.len().min(8)].copy_from_slice(&extent[..extent.len().min(8)]);
        cells.saturating_mul(u64::from_le_bytes(word))
    })
}

impl Drop for FragmentWriter {
    fn drop(&mut self) {
        if self.dirty {
            self.fields.clear();
            // The original error is reported; without a commit the files are invisible.
            _ = self.resources.vfs().remove_dir(&self.uri);
        }
    }
}
