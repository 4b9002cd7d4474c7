//! The tables of `__fragment_metadata.tdb`, loaded on first use and cached.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::FragmentName;
use super::files::{METADATA_FILE, removed};
use super::footer::Footer;
use super::footer_layout::FooterSection;
use crate::schema::ArraySchema;
use tiledb_core::budget::StructureMemory;
use tiledb_core::error::{Error, ErrorContext, Result, bail};
use tiledb_core::limits::fragment::MAX_WHOLE_FILE_BYTES;
use tiledb_core::memory;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::wire::WireReader;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Content, ReadFile, Stamp, Uri};

/// Source of the bytes of tables.
pub(super) struct TableSource {
    bytes: SourceBytes,
    /// The validator of the file, if it has one.
    stamp: Option<Stamp>,
}

enum SourceBytes {
    /// The file up to a position.
    Start(Vec<u8>),
    Whole(Vec<u8>),
    File(ReadFile),
}

impl TableSource {
    /// A source with the bytes of the whole file.
    pub(super) fn of_bytes(bytes: Vec<u8>, stamp: Option<Stamp>) -> TableSource {
        TableSource { bytes: SourceBytes::Whole(bytes), stamp }
    }

    /// Bytes of memory.
    pub(super) fn size_in_memory(&self) -> usize {
        let bytes = match &self.bytes {
            SourceBytes::Start(bytes) | SourceBytes::Whole(bytes) => bytes.len(),
            SourceBytes::File(_) => 0,
        };
        size_of::<TableSource>() + bytes
    }

    fn has(&self, range: &Range<u64>) -> bool {
        match &self.bytes {
            SourceBytes::Start(bytes) => range.end <= bytes.len() as u64,
            SourceBytes::Whole(_) | SourceBytes::File(_) => true,
        }
    }
}

/// Minima, maxima or bounds of all tiles: fixed cells, or starts and bytes of strings.
pub(super) struct MinMaxTable {
    payload: Vec<u8>,
    fixed: Range<usize>,
    var: Range<usize>,
}

enum Table {
    Words(Box<[u64]>),
    /// Apart: most tables are words, and there is a place for each table of each fragment.
    MinMaxTable(Box<MinMaxTable>),
}

/// The lazily loaded tables of one fragment.
#[derive(Default)]
pub(super) struct Tables {
    /// At least the tables that every read needs. Those of statistics are several times as many bytes, which would be in
    /// memory for thousands of fragments.
    source: OnceLock<Arc<TableSource>>,
    /// All tables, if one was needed that `source` does not have.
    all: OnceLock<Arc<TableSource>>,
    /// Positions and sizes of tiles, and statistics: one place per word of the footer from the offsets, and from the minima
    /// on.
    loaded: [OnceLock<Box<[OnceLock<Table>]>>; 2],
}

/// Counter of the bytes of a section's tables.
fn counter(section: FooterSection) -> Counter {
    match section {
        FooterSection::RTree => Counter::RtreeRead,
        FooterSection::VarOffsets => Counter::TileVarOffsetsRead,
        FooterSection::VarSizes => Counter::TileVarSizesRead,
        FooterSection::ValidityOffsets => Counter::TileValidityOffsetsRead,
        FooterSection::Minima | FooterSection::LowerBounds => Counter::TileMinRead,
        FooterSection::Maxima | FooterSection::UpperBounds => Counter::TileMaxRead,
        FooterSection::Sums => Counter::TileSumRead,
        FooterSection::NullCounts => Counter::TileNullCountRead,
        FooterSection::FragmentStats => Counter::FragmentStatsRead,
        FooterSection::Conditions => Counter::ConditionsRead,
        _ => Counter::TileOffsetsRead,
    }
}

/// Timer of reading a section's tables.
fn timer(section: FooterSection) -> Timer {
    match section {
        FooterSection::RTree => Timer::ReadRtree,
        FooterSection::VarSizes => Timer::ReadVarSizes,
        FooterSection::Minima
        | FooterSection::Maxima
        | FooterSection::LowerBounds
        | FooterSection::UpperBounds
        | FooterSection::Sums
        | FooterSection::NullCounts
        | FooterSection::FragmentStats => Timer::ReadTileStats,
        FooterSection::Conditions => Timer::ReadConditions,
        _ => Timer::ReadOffsets,
    }
}

/// Size limits of tables.
pub(super) trait TableLimits {
    /// Memory of a table (of field `index`, if it is the table of a field) that has `stored_bytes` on disk.
    ///
    /// # Errors
    /// If there cannot be as many tiles as the footer says, or the file of a field cannot be opened.
    fn table_memory(&self, section: FooterSection, index: usize, stored_bytes: usize) -> Result<StructureMemory>;
}

/// Context for loading a table.
pub(super) struct TableLoader<'a> {
    pub(super) bounds: &'a dyn TableLimits,
    pub(super) schema: &'a ArraySchema,
    pub(super) resources: &'a Resources,
    pub(super) array: &'a Uri,
    pub(super) name: &'a FragmentName,
    /// The bytes of the file, if they are known.
    pub(super) size: Option<u64>,
    pub(super) key: &'a EncryptionKey,
    pub(super) footer: &'a Footer,
}

impl TableLoader<'_> {
    fn file(&self) -> Uri {
        self.name.folder(self.array).join(METADATA_FILE)
    }

    /// Opens the file, and reads it up to `end` if it is not large.
    fn read_source(&self, end: impl FnOnce(&ReadFile) -> u64) -> Result<TableSource> {
        let vfs = self.resources.vfs();
        let file = vfs.open_persistent(&self.file(), self.size, Content::Metadata).map_err(removed)?;
        let stamp = file.validator();
        let len = file.len();
        let bytes = match end(&file).min(len) {
            _ if len > MAX_WHOLE_FILE_BYTES.bytes() => SourceBytes::File(file),
            end if end < len => {
                let mut bytes = memory::zeroed("fragment metadata", end as usize)?;
                file.read_at(0, &mut bytes)?;
                SourceBytes::Start(bytes)
            }
            _ => SourceBytes::Whole(file.read_all()?),
        };
        Ok(TableSource { bytes, stamp })
    }
}

impl Tables {
    /// Positions and sizes of tiles that are in memory already: one table per word of the footer from the offsets on.
    pub(super) fn of(words: Vec<Box<[u64]>>) -> Tables {
        let places = words.into_iter().map(|words| OnceLock::from(Table::Words(words)));
        Tables { loaded: [OnceLock::from(places.collect::<Box<[_]>>()), OnceLock::new()], ..Tables::default() }
    }

    /// Reads tables from a file that is in memory.
    pub(super) fn cache_file(&self, file: ReadFile) {
        self.cache(Arc::new(TableSource { stamp: file.validator(), bytes: SourceBytes::File(file) }));
    }

    /// Reads tables from a source with all of them.
    pub(super) fn cache(&self, source: Arc<TableSource>) {
        _ = self.source.set(source);
    }

    /// The validator of the file that the tables are read from, if it has one.
    pub(super) fn stamp(&self, loader: &TableLoader) -> Result<Option<Stamp>> {
        // Tables that came with the footer have no file of their own.
        let is_apart = self.source.get().is_some() || loader.footer.version.has_footer();
        if is_apart { Ok(self.source(loader, 0)?.stamp) } else { Ok(None) }
    }

    /// True if any was read.
    pub(super) fn are_begun(&self) -> bool {
        self.loaded.iter().any(|loaded| loaded.get().is_some())
    }

    /// The words of a table of a field.
    pub(super) fn words(&self, loader: &TableLoader, section: FooterSection, index: usize) -> Result<&[u64]> {
        match self.table(loader, section, index)? {
            Some(Table::Words(words)) => Ok(words),
            _ => Ok(&[]),
        }
    }

    /// The least or greatest cells of a field, per tile.
    pub(super) fn extremes(
        &self,
        loader: &TableLoader,
        section: FooterSection,
        index: usize,
    ) -> Result<Option<&MinMaxTable>> {
        match self.table(loader, section, index)? {
            Some(Table::MinMaxTable(extremes)) => Ok(Some(extremes)),
            _ => Ok(None),
        }
    }

    /// The least or greatest cells, or the bounds, if they are in memory.
    pub(super) fn loaded_extremes(
        &self,
        footer: &Footer,
        section: FooterSection,
        index: usize,
    ) -> Option<&MinMaxTable> {
        // Looking for a table does not begin to load tables.
        self.loaded[1].get()?;
        match self.place(footer, section, index)?.get()? {
            Table::MinMaxTable(extremes) => Some(extremes),
            Table::Words(_) => None,
        }
    }

    /// Caches the least or greatest cells, or the bounds: fixed cells or starts, and variable cells.
    pub(super) fn cache_extremes(
        &self,
        footer: &Footer,
        section: FooterSection,
        index: usize,
        [fixed, var]: [Vec<u8>; 2],
    ) {
        let fixed_len = fixed.len();
        let mut payload = fixed;
        payload.extend(var);
        let table = MinMaxTable { fixed: 0..fixed_len, var: fixed_len..payload.len(), payload };
        if let Some(place) = self.place(footer, section, index) {
            _ = place.set(Table::MinMaxTable(Box::new(table)));
        }
    }

    /// The place of a table; `None` if the fragment has no such table.
    fn place(&self, footer: &Footer, section: FooterSection, index: usize) -> Option<&OnceLock<Table>> {
        let slots = &footer.slots;
        let slot = slots.slot(section, index)?;
        let statistics = slots.start(FooterSection::Minima);
        let (loaded, first, end) = match slot < statistics {
            true => (&self.loaded[0], slots.start(FooterSection::Offsets), statistics),
            false => (&self.loaded[1], statistics, slots.len()),
        };
        let places = loaded.get_or_init(|| std::iter::repeat_with(OnceLock::new).take(end - first).collect());
        slot.checked_sub(first).and_then(|place| places.get(place))
    }

    fn table(&self, loader: &TableLoader, section: FooterSection, index: usize) -> Result<Option<&Table>> {
        let Some(place) = self.place(loader.footer, section, index) else { return Ok(None) };
        if let Some(table) = place.get() {
            return Ok(Some(table));
        }
        let payload = self.payload(loader, section, index)?;
        let table = match section {
            FooterSection::Minima | FooterSection::Maxima | FooterSection::LowerBounds | FooterSection::UpperBounds => {
                read_extremes(payload).map(|extremes| Table::MinMaxTable(Box::new(extremes)))
            }
            _ => read_words(&payload).map(Table::Words),
        };
        let table =
            table.context(|| format!("Cannot read table {section:?} of field {index} in '{}'", loader.file()))?;
        Ok(Some(place.get_or_init(|| table)))
    }

    /// The decoded payload of a table.
    pub(super) fn payload(&self, loader: &TableLoader, section: FooterSection, index: usize) -> Result<Vec<u8>> {
        let range = loader.footer.span(loader.footer.slots.start(section) + index);
        let stats = loader.resources.stats();
        let counter = counter(section);
        let _timer = stats.timer(timer(section));
        let decode = |bytes: &[u8]| {
            generic::load_within(bytes, loader.key, stats, counter, |stored_bytes| {
                loader.bounds.table_memory(section, index, stored_bytes)
            })
        };
        let payload = match &self.source_of(loader, &range)?.bytes {
            SourceBytes::Start(bytes) | SourceBytes::Whole(bytes) => {
                let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(bytes.len());
                let bytes = usize::try_from(range.start).ok().and_then(|start| bytes.get(start..end));
                bytes.ok_or_else(|| out_of_file(&range)).and_then(decode)
            }
            SourceBytes::File(file) => {
                let end = range.end.min(file.len());
                let len = end.checked_sub(range.start).ok_or_else(|| out_of_file(&range))?;
                let mut bytes = memory::zeroed("fragment metadata", len as usize)?;
                file.read_at(range.start, &mut bytes).map_err(removed)?;
                decode(&bytes)
            }
        };
        payload.context(|| format!("Cannot read the fragment metadata '{}'", loader.file()))
    }

    /// The source; if it is read now, up to the position `table_end` at least.
    fn source(&self, loader: &TableLoader, table_end: u64) -> Result<&TableSource> {
        if let Some(source) = self.source.get() {
            return Ok(source);
        }
        let source = loader.read_source(|file| match loader.footer.end_of_positions(loader.schema) {
            // A second request would take longer than the other bytes.
            end if table_end > end || file.is_remote() => u64::MAX,
            end => end,
        })?;
        Ok(self.source.get_or_init(|| Arc::new(source)))
    }

    /// A source with a range of the file.
    fn source_of(&self, loader: &TableLoader, range: &Range<u64>) -> Result<&TableSource> {
        let source = self.source(loader, range.end)?;
        if source.has(range) {
            return Ok(source);
        }
        if let Some(source) = self.all.get() {
            return Ok(source);
        }
        let source = loader.read_source(|_| u64::MAX)?;
        Ok(self.all.get_or_init(|| Arc::new(source)))
    }
}

#[cold]
fn out_of_file(range: &Range<u64>) -> Error {
    Error::corrupt(format!("a table is said to lie at byte {}, beyond the end", range.start))
}

impl Footer {
    /// Where the tables begin that only reads with conditions or aggregates need.
    fn end_of_positions(&self, schema: &ArraySchema) -> u64 {
        let has_only_data = schema.fields().iter().all(|field| !field.is_var() && !field.nullable);
        let next = if has_only_data { FooterSection::VarOffsets } else { FooterSection::Minima };
        self.words.get(self.slots.start(next)).unwrap_or(u64::MAX)
    }

    /// Byte range of the table whose position is in `slot`. It ends at the next table; the end of the last one is open,
    /// since the footer follows. That of the last table of maxima may include tables of bounds, which are optional: nothing
    /// but the bounds themselves depends on their positions.
    fn span(&self, slot: usize) -> Range<u64> {
        let start = self.words.get(slot).unwrap_or(u64::MAX);
        let first = self.slots.start(FooterSection::RTree);
        let next = self.words.get(slot + 1).filter(|&next| next > start);
        let end = next.or_else(|| self.words.iter().skip(first).filter(|&word| word > start).min());
        start..end.unwrap_or(u64::MAX)
    }
}

fn read_words(payload: &[u8]) -> Result<Box<[u64]>> {
    let mut r = WireReader::new("table", payload);
    let count = r.count64(8)?;
    Ok(r.words(count)?.into_boxed_slice())
}

fn read_extremes(payload: Vec<u8>) -> Result<MinMaxTable> {
    let mut r = WireReader::new("table", &payload);
    let (fixed, var) = (r.u64()?, r.u64()?);
    let mut part = |len: u64| {
        let start = r.position();
        r.bytes(usize::try_from(len).unwrap_or(usize::MAX))?;
        Ok(start..r.position())
    };
    let (fixed, var) = (part(fixed)?, part(var)?);
    Ok(MinMaxTable { payload, fixed, var })
}

impl MinMaxTable {
    /// The value of a tile of a field with fixed cells of `cell_size` bytes, or with strings.
    pub(super) fn get(&self, tile: usize, cell_size: usize, is_var: bool) -> Result<&[u8]> {
        let value = if is_var { self.string(tile) } else { self.cell(tile, cell_size) };
        match value {
            Some(value) => Ok(value),
            None => bail!(Corrupt, "The table of minima, maxima or bounds has no sound entry for tile {tile}"),
        }
    }

    /// The cells of fixed size or the starts of variable ones, and the variable ones.
    pub(super) fn parts(&self) -> [&[u8]; 2] {
        [&self.fixed, &self.var].map(|part| &self.payload[part.clone()])
    }

    /// True if the field has no minima and maxima.
    pub(super) fn is_empty(&self) -> bool {
        self.fixed.is_empty()
    }

    /// Number of entries of `size` bytes; `None` if the last one is incomplete.
    pub(super) fn entries(&self, size: usize) -> Option<usize> {
        self.fixed.len().is_multiple_of(size).then(|| self.fixed.len() / size.max(1))
    }

    fn cell(&self, tile: usize, size: usize) -> Option<&[u8]> {
        let start = tile.checked_mul(size)?;
        self.payload[self.fixed.clone()].get(start..start.checked_add(size)?)
    }

    fn string(&self, tile: usize) -> Option<&[u8]> {
        let word = |tile| usize::try_from(bytemuck::pod_read_unaligned::<u64>(self.cell(tile, 8)?)).ok();
        let start = word(tile)?;
        let texts = &self.payload[self.var.clone()];
        texts.get(start..word(tile + 1).unwrap_or(texts.len()))
    }
}
