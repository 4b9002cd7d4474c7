//! An open fragment for reading: footer, tables and data files.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::files::{FieldPart, METADATA_FILE, explain_missing, file_name};
use super::footer::Footer;
use super::footer_layout::FooterSection;
use super::single_tile::SingleTile;
use super::special::special_fields;
use super::tables::{TableLoader, TableSource, Tables};
use super::{FragmentName, RTree, TileBox, TiledDimension};
use crate::schema::{ArraySchema, Field};
use tiledb_core::error::{Error, ErrorContext, Result, bail};
use tiledb_core::limits::fragment::MAX_CACHED_FILE_BYTES;
use tiledb_core::pool::ChunkOwner;
use tiledb_core::types::{CellRange, Datatype, FormatVersion, HasName, Name, NamedList, NdRange};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Content, ReadFile, Stamp, Uri};

/// An attribute that was dropped after a fragment was written; the current schema has one with the same name.
#[derive(Clone, Debug)]
pub struct DroppedAttribute {
    pub name: Name,
    /// Timestamp of the drop.
    pub time: u64,
    /// True if the values of the dropped attribute would be misread as values of the current one.
    pub is_replaced: bool,
}

impl HasName for DroppedAttribute {
    fn name(&self) -> &Name {
        &self.name
    }
}

/// An open file, and the owner of its cached chunks if these outlive the fragment.
struct OpenFile {
    file: ReadFile,
    chunks: Option<ChunkOwner>,
}

/// A fragment: immutable, cheap until its tables are needed.
pub struct Fragment {
    array: Uri,
    name: FragmentName,
    schema: Arc<ArraySchema>,
    resources: Resources,
    key: EncryptionKey,
    footer: Arc<Footer>,
    tile_box: Option<Box<TileBox>>,
    metadata_size: OnceLock<u64>,
    has_consolidated_footer: bool,
    dropped: OnceLock<Arc<NamedList<DroppedAttribute>>>,
    lazy: OnceLock<Box<LazyParts>>,
}

/// Parts that are loaded on first use. Not in [`Fragment`] itself: thousands of fragments may be open of which few are read.
#[derive(Default)]
struct LazyParts {
    tables: Tables,
    rtree: OnceLock<RTree>,
    conditions: OnceLock<Box<[String]>>,
    special: OnceLock<Vec<Field>>,
    /// Three per field, in the order of [`FieldPart`].
    files: OnceLock<Box<[OnceLock<Box<OpenFile>>]>>,
    /// Chunks of files without a validator.
    chunks: OnceLock<ChunkOwner>,
}

impl Fragment {
    /// A fragment of the array at `array`, with the footer from its metadata file or from a consolidated one.
    ///
    /// # Errors
    /// If the footer contradicts the schema.
    pub fn new(
        resources: &Resources,
        array: &Uri,
        name: FragmentName,
        key: &EncryptionKey,
        schema: Arc<ArraySchema>,
        footer: impl Into<Arc<Footer>>,
    ) -> Result<Fragment> {
        let footer: Arc<Footer> = footer.into();
        let tile_box = match footer.dense {
            true => Some(Box::new(box_of_region(&schema, &footer.non_empty_domain)?)),
            false => None,
        };
        if !footer.dense && footer.sparse_tile_count > 0 && !(1..=schema.capacity()).contains(&footer.last_tile_cells) {
            let cells = footer.last_tile_cells;
            let capacity = schema.capacity();
            bail!(Corrupt, "the last tile has {cells} cells where 1 to {capacity} can be");
        }
        Ok(Fragment {
            array: array.clone(),
            name,
            schema,
            resources: resources.clone(),
            key: key.clone(),
            footer,
            tile_box,
            metadata_size: OnceLock::new(),
            has_consolidated_footer: false,
            dropped: OnceLock::new(),
            lazy: OnceLock::new(),
        })
    }

    /// A fragment of the versions that keep all metadata in one piece.
    ///
    /// # Errors
    /// As [`Fragment::new`].
    pub(super) fn of_single_tile(
        resources: &Resources,
        array: &Uri,
        name: FragmentName,
        key: &EncryptionKey,
        schema: Arc<ArraySchema>,
        metadata: SingleTile,
    ) -> Result<Fragment> {
        let fragment = Fragment::new(resources, array, name, key, schema, metadata.footer)?;
        let tables = Tables::of(metadata.tables);
        let rtree = OnceLock::from(metadata.rtree);
        let lazy = LazyParts { tables, rtree, ..LazyParts::default() };
        Ok(Fragment { lazy: OnceLock::from(Box::new(lazy)), ..fragment })
    }

    fn lazy(&self) -> &LazyParts {
        self.lazy.get_or_init(Box::default)
    }

    /// The schema the fragment was written with.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    pub(super) fn resources(&self) -> &Resources {
        &self.resources
    }

    pub(super) fn key(&self) -> &EncryptionKey {
        &self.key
    }

    /// True if consolidated metadata of the array hold its footer.
    pub fn has_consolidated_footer(&self) -> bool {
        self.has_consolidated_footer
    }

    /// Sets whether the footer comes from consolidated metadata.
    #[must_use]
    pub fn consolidated(self, has_consolidated_footer: bool) -> Fragment {
        Fragment { has_consolidated_footer, ..self }
    }

    /// Records attributes whose cells are no longer read.
    pub fn forget(&self, dropped: Arc<NamedList<DroppedAttribute>>) {
        _ = self.dropped.set(dropped);
    }

    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// The fragment with the bounding boxes of its tiles; ignored if their number is not that of the tiles.
    #[must_use]
    pub fn with_rtree(self, tree: RTree) -> Fragment {
        if !self.footer.dense && tree.leaf_count() as u64 == self.footer.sparse_tile_count {
            _ = self.lazy().rtree.set(tree);
        }
        self
    }

    /// The bounding boxes of the tiles, if they were loaded.
    pub fn loaded_rtree(&self) -> Option<&RTree> {
        self.lazy.get()?.rtree.get()
    }

    /// The fragment's folder.
    pub fn uri(&self) -> Uri {
        self.name.folder(&self.array)
    }

    /// The cache of decoded chunks of a part's file; `None` if they are encrypted on disk.
    #[inline]
    pub fn chunks(&self, field: &Field, part: FieldPart) -> Option<&ChunkOwner> {
        match self.key {
            EncryptionKey::None => {
                let of_file = self.opened(field, part).ok()?.and_then(|opened| opened.chunks.as_ref());
                Some(of_file.unwrap_or_else(|| self.lazy().chunks.get_or_init(|| self.resources.chunks().owner())))
            }
            EncryptionKey::Aes256(_) => None,
        }
    }

    /// The fragment's name.
    pub fn name(&self) -> &FragmentName {
        &self.name
    }

    /// The first and the last timestamp of its cells.
    pub fn timestamps(&self) -> (u64, u64) {
        self.name.timestamps()
    }

    /// The format version it was written in.
    pub fn version(&self) -> FormatVersion {
        self.footer.version
    }

    /// True for a dense fragment.
    pub fn is_dense(&self) -> bool {
        self.footer.dense
    }

    /// The box around all its cells.
    pub fn non_empty_domain(&self) -> &NdRange {
        &self.footer.non_empty_domain
    }

    /// True if cells carry the time they were written, in the field `TIMESTAMPS`.
    pub fn has_timestamps(&self) -> bool {
        self.footer.has_timestamps
    }

    /// True if cells carry the time and the condition of their deletion.
    pub fn has_delete_metadata(&self) -> bool {
        self.footer.has_delete_metadata
    }

    /// The space tiles of a dense fragment.
    pub fn dense_tile_box(&self) -> Option<&TileBox> {
        self.tile_box.as_deref()
    }

    /// Number of tiles of each field.
    #[inline]
    pub fn tile_count(&self) -> u64 {
        self.tile_box.as_ref().map_or(self.footer.sparse_tile_count, |tiles| tiles.tile_count())
    }

    pub fn cells_in_tile(&self, tile: u64) -> u64 {
        let last = tile.wrapping_add(1) == self.footer.sparse_tile_count;
        if self.footer.dense || last { self.footer.last_tile_cells } else { self.schema.capacity() }
    }

    /// All cells; of a dense fragment those of its whole tiles.
    pub fn cell_count(&self) -> u64 {
        let tiles = self.tile_count();
        let last = self.footer.last_tile_cells;
        match self.footer.dense {
            true => tiles.saturating_mul(last),
            false if tiles == 0 => 0,
            false => (tiles - 1).saturating_mul(self.schema.capacity()).saturating_add(last),
        }
    }

    /// The field with this name, as the fragment stores it: one of its schema's, or a special one.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let special = || self.special_fields().iter().find(|field| field.name.as_str() == name);
        self.schema.field(name).or_else(special)
    }

    /// The field of the fragment that stores the cells of `current`, a field of the array's schema. `None` if the
    /// fragment is older, or stores incompatible cells under its name, of an attribute that was dropped since; then all
    /// cells have the fill value.
    pub fn stored(&self, current: &Field) -> Option<&Field> {
        self.stored_at(current, u64::MAX)
    }

    /// As [`Fragment::stored`], at a time before which an attribute may not have been dropped yet.
    pub fn stored_at(&self, current: &Field, time: u64) -> Option<&Field> {
        let dropped = self.dropped.get().filter(|_| current.attribute_index.is_some());
        let is_replaced = || {
            let dropped = dropped.and_then(|dropped| dropped.get(&current.name));
            dropped.is_some_and(|dropped| dropped.is_replaced && dropped.time <= time)
        };
        self.field(&current.name).filter(|field| field.serves(current) && !is_replaced())
    }

    /// The special fields the fragment has.
    pub fn special_fields(&self) -> &[Field] {
        let footer = &self.footer;
        let special = || special_fields(&self.schema, footer.has_timestamps, footer.has_delete_metadata);
        self.lazy().special.get_or_init(special)
    }

    /// True if any of its tables was read.
    #[inline]
    pub fn has_tables(&self) -> bool {
        self.lazy.get().is_some_and(|lazy| lazy.tables.are_begun())
    }

    /// Checks that the table of a field's tiles has as many as the footer says: before a reader relies on
    /// all of them.
    ///
    /// # Errors
    /// If it has not, or cannot be read.
    pub fn check_tile_count(&self, field: &Field) -> Result<()> {
        let places = self.tables().words(&self.loader(), FooterSection::Offsets, self.index_of(field))?.len();
        if places as u64 != self.tile_count() {
            let tiles = self.tile_count();
            bail!(Corrupt, "'{}' has places for {places} tiles of {tiles}", self.metadata_uri());
        }
        Ok(())
    }

    /// Byte range of a filtered tile in the part's file.
    ///
    /// # Errors
    /// If the table cannot be read, has no such tile, or does not fit the file.
    pub fn tile(&self, field: &Field, part: FieldPart, tile: u64) -> Result<Range<u64>> {
        let (table, size) = match part {
            FieldPart::Data => (FooterSection::Offsets, FooterSection::FileSize),
            FieldPart::Var => (FooterSection::VarOffsets, FooterSection::VarFileSize),
            FieldPart::Validity => (FooterSection::ValidityOffsets, FooterSection::ValidityFileSize),
        };
        let index = self.index_of(field);
        let offsets = self.tables().words(&self.loader(), table, index)?;
        let size = self.footer.word(size, index);
        let place = usize::try_from(tile).unwrap_or(usize::MAX);
        let start = offsets.get(place).copied();
        let end = offsets.get(place.saturating_add(1)).copied().unwrap_or(size);
        match start {
            Some(start) if start <= end && end <= size => Ok(start..end),
            _ => bail!(
                Corrupt,
                "'{}' gives tile {tile} of field '{}' no sound place in its {part:?} file of {size} bytes",
                self.metadata_uri(),
                field.name
            ),
        }
    }

    /// The decoded bytes of a tile of a variable field.
    ///
    /// # Errors
    /// If the table cannot be read or has no such tile.
    pub fn var_tile_size(&self, field: &Field, tile: u64) -> Result<u64> {
        let sizes = self.tables().words(&self.loader(), FooterSection::VarSizes, self.index_of(field))?;
        match usize::try_from(tile).ok().and_then(|tile| sizes.get(tile)) {
            Some(size) => Ok(*size),
            None => bail!(Corrupt, "'{}' has no size for tile {tile} of field '{}'", self.metadata_uri(), field.name),
        }
    }

    /// The error for a tile whose decoded bytes exceed the address space.
    #[cold]
    pub fn oversized_tile(&self, field: &Field, tile: u64, bytes: u64) -> Error {
        let (uri, field) = (self.metadata_uri(), &field.name);
        Error::corrupt(format!(
            "'{uri}' states {bytes} bytes for tile {tile} of field '{field}', more than can be addressed"
        ))
    }

    /// The bytes of the values of a field before filters, from the metadata; of a field that is not stored those of its fill
    /// value in all cells.
    ///
    /// # Errors
    /// If the sizes of variable-length tiles cannot be read.
    pub fn value_bytes(&self, field: &Field) -> Result<u64> {
        if !field.is_var() {
            return Ok(self.cell_count().saturating_mul(field.cell_size() as u64));
        }
        match self.stored(field) {
            Some(stored) => (0..self.tile_count())
                .try_fold(0u64, |sum, tile| Ok(sum.saturating_add(self.var_tile_size(stored, tile)?))),
            None => Ok(self.cell_count().saturating_mul(field.fill.len() as u64)),
        }
    }

    /// The size of a part's file as the footer has it.
    pub fn file_size(&self, field: &Field, part: FieldPart) -> u64 {
        let section = match part {
            FieldPart::Data => FooterSection::FileSize,
            FieldPart::Var => FooterSection::VarFileSize,
            FieldPart::Validity => FooterSection::ValidityFileSize,
        };
        self.footer.word(section, self.index_of(field))
    }

    /// The bytes of all data files.
    pub fn data_size(&self) -> u64 {
        let sizes = [FooterSection::FileSize, FooterSection::VarFileSize, FooterSection::ValidityFileSize];
        let word = |index| sizes.iter().map(move |&section| self.footer.word(section, index));
        (0..self.footer.slots.fields()).flat_map(word).fold(0, u64::saturating_add)
    }

    /// Records the file that the footer was read from. A file that was read together with its footer is cached for the
    /// tables.
    pub(super) fn record_metadata_file(&mut self, file: ReadFile) {
        self.record_metadata_size(file.len());
        if file.is_in_memory() && file.len() <= MAX_CACHED_FILE_BYTES.bytes() {
            self.lazy().tables.cache_file(file);
        }
    }

    pub(super) fn record_metadata_size(&mut self, size: u64) {
        self.metadata_size = OnceLock::from(size);
    }

    /// Uses a source of all tables.
    pub(super) fn cache_tables(&self, source: &Arc<TableSource>) {
        self.tables().cache(Arc::clone(source));
    }

    /// Size in bytes of the file that contains the footer and the tables.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn metadata_size(&self) -> Result<u64> {
        match self.metadata_size.get() {
            Some(&size) => Ok(size),
            None => {
                let size = self.resources.vfs().size(&self.metadata_uri())?;
                Ok(*self.metadata_size.get_or_init(|| size))
            }
        }
    }

    /// The URI of the file that contains the footer and the tables.
    pub(super) fn metadata_uri(&self) -> Uri {
        self.uri().join(METADATA_FILE)
    }

    /// The name of a part's file.
    pub fn file_uri(&self, field: &Field, part: FieldPart) -> Uri {
        self.uri().join(&file_name(self.footer.version, field, part))
    }

    /// A part's file, opened once.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn file(&self, field: &Field, part: FieldPart) -> Result<ReadFile> {
        match self.opened(field, part)? {
            Some(opened) => Ok(opened.file.clone()),
            None => self.open_file(field, part),
        }
    }

    fn open_file(&self, field: &Field, part: FieldPart) -> Result<ReadFile> {
        let size = Some(self.file_size(field, part)).filter(|&size| size > 0);
        let opened = self.resources.vfs().open_persistent(&self.file_uri(field, part), size, Content::Cells);
        opened.map_err(|error| self.explain_missing(error, field, part))
    }

    /// Explains a missing file of a part, if the error is about one.
    pub fn explain_missing(&self, error: Error, field: &Field, part: FieldPart) -> Error {
        explain_missing(error, self.resources.vfs(), &self.uri(), &file_name(self.footer.version, field, part))
    }

    fn opened(&self, field: &Field, part: FieldPart) -> Result<Option<&OpenFile>> {
        let count = 3 * self.footer.slots.fields();
        let files = self.lazy().files.get_or_init(|| std::iter::repeat_with(OnceLock::new).take(count).collect());
        let Some(place) = files.get(3 * self.index_of(field) + part as usize) else { return Ok(None) };
        if let Some(opened) = place.get() {
            return Ok(Some(opened));
        }
        let file = self.open_file(field, part)?;
        let chunks = self.origin(&file, field, part)?.map(|origin| self.resources.chunks().owner_of(&origin));
        Ok(Some(place.get_or_init(|| Box::new(OpenFile { file, chunks }))))
    }

    /// Validators of everything that decoded cells depend on, if all can be validated: the file, the table of tile
    /// offsets, the schema with its filters, and whether checksums are compared.
    fn origin(&self, file: &ReadFile, field: &Field, part: FieldPart) -> Result<Option<(Stamp, Stamp, u64, bool)>> {
        let (Some(cells), Some(schema)) = (file.validator(), self.schema.digest()) else { return Ok(None) };
        let checks = self.filters_of(field, part).0.checks_checksums();
        Ok(self.tables().stamp(&self.loader())?.map(|tables| (cells, tables, schema, checks)))
    }

    /// Appends its footer as consolidated metadata hold it; false for versions without footers.
    pub fn write_footer(&self, w: &mut WireWriter) -> bool {
        let has_footer = self.version().has_footer();
        if has_footer {
            self.footer.write(&self.schema, w);
        }
        has_footer
    }

    /// The bounding boxes of a sparse fragment's tiles.
    ///
    /// # Errors
    /// If the table cannot be read or has not one box per tile.
    pub fn rtree(&self) -> Result<&RTree> {
        let rtree = &self.lazy().rtree;
        if let Some(tree) = rtree.get() {
            return Ok(tree);
        }
        let payload = self.tables().payload(&self.loader(), FooterSection::RTree, 0)?;
        let dimensions: Vec<(Datatype, bool)> =
            self.schema.domain().dimensions().iter().map(|d| (d.datatype(), d.is_var())).collect();
        let tree = RTree::read(&payload, self.footer.version, &dimensions)
            .context(|| format!("Cannot read the R-tree in '{}'", self.metadata_uri()))?;
        if tree.leaf_count() as u64 != self.footer.sparse_tile_count {
            let boxes = tree.leaf_count();
            let tiles = self.footer.sparse_tile_count;
            bail!(Corrupt, "The R-tree in '{}' has {boxes} boxes for {tiles} tiles", self.metadata_uri());
        }
        Ok(rtree.get_or_init(|| tree))
    }

    pub(super) fn loader(&self) -> TableLoader<'_> {
        TableLoader {
            bounds: self,
            schema: &self.schema,
            resources: &self.resources,
            array: &self.array,
            name: &self.name,
            size: self.metadata_size.get().copied(),
            key: &self.key,
            footer: &self.footer,
        }
    }

    pub(super) fn tables(&self) -> &Tables {
        &self.lazy().tables
    }

    /// The field's place in the tables.
    pub(super) fn index_of(&self, field: &Field) -> usize {
        match field.is_dimension && !self.footer.version.has_dimension_files() {
            true => self.schema.attributes().len(),
            false => field.index,
        }
    }

    /// The delete conditions already applied to the fragment's cells, as the relative names of
    /// their commit files.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn processed_conditions(&self) -> Result<&[String]> {
        let place = &self.lazy().conditions;
        if let Some(conditions) = place.get() {
            return Ok(conditions);
        }
        let mut conditions = Vec::new();
        if self.footer.slots.slot(FooterSection::Conditions, 0).is_some() {
            let payload = self.tables().payload(&self.loader(), FooterSection::Conditions, 0)?;
            let mut r = WireReader::new("processed conditions", &payload);
            for _ in 0..r.count64(8)? {
                conditions.push(r.str64()?.to_owned());
            }
        }
        Ok(place.get_or_init(|| conditions.into_boxed_slice()))
    }
}

/// The space tiles of a schema that a region touches.
///
/// # Errors
/// If the region is not within the domain or a dimension has no tiles.
pub fn box_of_region(schema: &ArraySchema, region: &[CellRange]) -> Result<TileBox> {
    let mut dimensions = Vec::with_capacity(region.len());
    for dimension in schema.domain().dimensions() {
        match (dimension.domain(), dimension.tile_extent()) {
            (Some(domain), Some(extent)) => {
                dimensions.push(TiledDimension { datatype: dimension.datatype(), domain, extent });
            }
            _ => bail!(Corrupt, "Dimension '{}' of a dense array has no domain or tile extent", dimension.name()),
        }
    }
    TileBox::of_region(&dimensions, region, schema.tile_order())
}
