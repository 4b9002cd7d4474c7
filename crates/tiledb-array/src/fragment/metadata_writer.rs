//! Writes `__fragment_metadata.tdb`: tables as generic tiles, then the footer and its length.

use std::collections::HashMap;
use std::ops::Range;

use super::RTree;
use super::bound_tables::BoundTables;
use super::field_writer::FieldWriter;
use super::footer::Footer;
use super::footer_layout::{FooterLayout, FooterSection};
use super::footer_words::FooterWords;
use super::optional_section::OptionalSection;
use crate::schema::ArraySchema;
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{ErrorContext, Result};
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::{FormatVersion, NdRange};
use tiledb_core::wire::WireWriter;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;

/// The tables that every field has, in the order of the file.
const TABLES: [(FooterSection, Counter); 8] = [
    (FooterSection::Offsets, Counter::TileOffsetsWritten),
    (FooterSection::VarOffsets, Counter::TileVarOffsetsWritten),
    (FooterSection::VarSizes, Counter::TileVarSizesWritten),
    (FooterSection::ValidityOffsets, Counter::TileValidityOffsetsWritten),
    (FooterSection::Minima, Counter::MinsWritten),
    (FooterSection::Maxima, Counter::MaxsWritten),
    (FooterSection::Sums, Counter::SumsWritten),
    (FooterSection::NullCounts, Counter::NullCountsWritten),
];

/// The tables of bounds, which stand between the maxima and the sums; their positions are in an optional section of the footer.
const BOUNDS: [(FooterSection, Counter); 2] =
    [(FooterSection::LowerBounds, Counter::MinsWritten), (FooterSection::UpperBounds, Counter::MaxsWritten)];

/// Payloads up to this size are compared with those already written.
const SMALL: usize = 1024;

/// The file being built. Many tables of small fragments are equal; those are filtered once.
struct File<'a> {
    version: FormatVersion,
    key: &'a EncryptionKey,
    stats: &'a Stats,
    budget: StructureBudget,
    bytes: Vec<u8>,
    appended: HashMap<Vec<u8>, Range<usize>>,
}

impl File<'_> {
    /// Appends a generic tile and returns its position.
    fn put(&mut self, counter: Counter, payload: Vec<u8>) -> Result<u64> {
        let start = self.bytes.len();
        self.stats.add(Counter::GenericFiltered, payload.len() as u64);
        self.append(payload)?;
        self.stats.add(counter, (self.bytes.len() - start) as u64);
        Ok(start as u64)
    }

    fn append(&mut self, payload: Vec<u8>) -> Result<()> {
        let start = self.bytes.len();
        if let Some(range) = self.appended.get(&payload) {
            self.bytes.extend_from_within(range.clone());
            return Ok(());
        }
        generic::write(&payload, self.version, self.key, &mut self.bytes)?;
        // Equal bytes under a key would reveal which tables are equal.
        if payload.len() <= SMALL && *self.key == EncryptionKey::None {
            self.appended.insert(payload, start..self.bytes.len());
        }
        Ok(())
    }

    /// Appends the tables of bounds and returns their positions.
    fn put_bounds(&mut self, bounds: &BoundTables) -> Result<Vec<u64>> {
        let mut positions = Vec::with_capacity(2 * bounds.dimensions());
        for (section, counter) in BOUNDS {
            for dimension in 0..bounds.dimensions() {
                positions.push(self.put_with(counter, |w| bounds.write(section, dimension, w))?);
            }
        }
        Ok(positions)
    }

    fn put_with(&mut self, counter: Counter, write: impl FnOnce(&mut WireWriter)) -> Result<u64> {
        let mut w = WireWriter::new();
        write(&mut w);
        self.put(counter, w.finish()?)
    }

    /// Appends a table of texts, which may be so similar that readers would reject its size; they know the size of other
    /// tables.
    fn put_texts(&mut self, counter: Counter, write: impl FnOnce(&mut WireWriter)) -> Result<u64> {
        let mut w = WireWriter::new();
        write(&mut w);
        let memory = w.len();
        let start = self.put(counter, w.finish()?)?;
        let check = self.budget.check_stored(memory, self.bytes.len() - start as usize);
        check.context(|| "Cannot write a table of fragment metadata that could not be read")?;
        Ok(start)
    }
}

/// Contents of the metadata file, once all tiles are written.
pub(super) struct Contents<'a> {
    pub(super) version: FormatVersion,
    pub(super) schema: &'a ArraySchema,
    pub(super) key: &'a EncryptionKey,
    pub(super) stats: &'a Stats,
    pub(super) budget: StructureBudget,
    pub(super) dense: bool,
    pub(super) timestamps: bool,
    pub(super) deletes: bool,
    pub(super) tile_count: u64,
    pub(super) last_tile_cells: u64,
    pub(super) non_empty_domain: NdRange,
    pub(super) rtree: RTree,
    pub(super) fields: &'a [FieldWriter],
    /// The global-order bounds of tiles, if the fragment stores them.
    pub(super) bounds: Option<&'a BoundTables>,
    pub(super) conditions: &'a [String],
}

/// Builds the whole file.
pub(super) fn encode(contents: &Contents) -> Result<Vec<u8>> {
    let bounded = contents.bounds.map_or(0, BoundTables::dimensions);
    let slots = FooterLayout::new(contents.version, contents.schema, contents.timestamps, contents.deletes);
    let slots = slots.with_bounds(bounded);
    let mut words = Vec::with_capacity(slots.len());
    for section in [FooterSection::FileSize, FooterSection::VarFileSize, FooterSection::ValidityFileSize] {
        let fields = contents.fields.iter().take(slots.count(section));
        words.extend(fields.map(|field| field.file_size(section)));
    }
    let mut file = File {
        version: contents.version,
        key: contents.key,
        stats: contents.stats,
        budget: contents.budget,
        bytes: Vec::new(),
        appended: HashMap::new(),
    };
    let write_rtree = |w: &mut WireWriter| contents.rtree.write(w);
    words.push(match contents.schema.domain().dimensions().iter().any(|dimension| dimension.is_var()) {
        true => file.put_texts(Counter::RtreeWritten, write_rtree)?,
        false => file.put_with(Counter::RtreeWritten, write_rtree)?,
    });
    let mut positions_of_bounds = Vec::new();
    for (section, counter) in TABLES {
        if let (FooterSection::Sums, Some(bounds)) = (section, contents.bounds) {
            positions_of_bounds = file.put_bounds(bounds)?;
        }
        for field in contents.fields.iter().take(slots.count(section)) {
            let write_table = |w: &mut WireWriter| field.write_table(section, w);
            let has_texts = field.is_var() && matches!(section, FooterSection::Minima | FooterSection::Maxima);
            words.push(match has_texts {
                true => file.put_texts(counter, write_table)?,
                false => file.put_with(counter, write_table)?,
            });
        }
    }
    if slots.count(FooterSection::FragmentStats) > 0 {
        // libtiledb counts these totals with the numbers of nulls.
        let write = |w: &mut WireWriter| contents.fields.iter().for_each(|field| field.totals().write(w));
        words.push(file.put_with(Counter::NullCountsWritten, write)?);
    }
    if slots.count(FooterSection::Conditions) > 0 {
        words.push(file.put_texts(Counter::ConditionsWritten, |w| {
            w.u64(contents.conditions.len() as u64);
            for condition in contents.conditions {
                w.str64(condition);
            }
        })?);
    }
    words.extend(positions_of_bounds);
    let footer = Footer {
        version: contents.version,
        dense: contents.dense,
        non_empty_domain: contents.non_empty_domain.clone(),
        sparse_tile_count: if contents.dense { 0 } else { contents.tile_count },
        last_tile_cells: contents.last_tile_cells,
        has_timestamps: contents.timestamps,
        has_delete_metadata: contents.deletes,
        words: FooterWords::new(words),
        slots,
        optional: contents.bounds.map(|_| OptionalSection::Bounds).into_iter().collect(),
    };
    let mut w = WireWriter::new();
    footer.write(contents.schema, &mut w);
    contents.stats.add(Counter::FragmentFooterWritten, w.len() as u64);
    if Footer::fixed_length(contents.version, contents.schema).is_none() {
        let length = w.len() as u64;
        w.u64(length);
    }
    file.bytes.extend_from_slice(&w.finish()?);
    Ok(file.bytes)
}
