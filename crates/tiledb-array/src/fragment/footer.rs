//! The footer of `__fragment_metadata.tdb`: general properties of the fragment, and the positions of its tables.
//! Versions 3 and later; never filtered, never encrypted.

use super::footer_layout::{FooterLayout, FooterSection, SECTIONS};
use super::footer_words::FooterWords;
use super::optional_section::OptionalSection;
use crate::schema::{ArraySchema, read_range, write_range};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{CellRange, FormatVersion, NdRange};
use tiledb_core::wire::{WireReader, WireWriter};

/// The file of schemas before format version 10.
pub const LEGACY_SCHEMA: &str = "__array_schema.tdb";

/// A parsed footer.
#[derive(Clone, Debug, PartialEq)]
pub struct Footer {
    /// The format version of the fragment.
    pub version: FormatVersion,
    /// True for a dense fragment.
    pub dense: bool,
    /// The box around all cells; for dense fragments the region written.
    pub non_empty_domain: NdRange,
    /// Tiles of a sparse fragment; 0 for a dense one.
    pub sparse_tile_count: u64,
    /// Cells of the last tile; for dense fragments of every tile.
    pub last_tile_cells: u64,
    /// Cells carry the time they were written.
    pub has_timestamps: bool,
    /// Cells carry the time and the condition of their deletion.
    pub has_delete_metadata: bool,
    /// File sizes and table positions in the order of the file, see [`FooterLayout`].
    pub(super) words: FooterWords,
    pub(super) slots: FooterLayout,
    /// The optional sections in the order of the file.
    pub(super) optional: Box<[OptionalSection]>,
}

/// Contents of a footer, as supplied by a message.
pub struct FooterParts {
    /// The format version.
    pub version: FormatVersion,
    /// The box around all cells.
    pub non_empty_domain: NdRange,
    /// Tiles of a sparse fragment.
    pub sparse_tile_count: u64,
    pub last_tile_cells: u64,
    /// Cells carry the time they were written.
    pub has_timestamps: bool,
    /// Cells carry the time and the condition of their deletion.
    pub has_delete_metadata: bool,
}

impl Footer {
    /// A footer of a fragment written with `schema`; `words` are those of a section, 0 if there are too few.
    ///
    /// # Errors
    /// If memory does not suffice, or fragments of the version have no footer.
    pub fn from_parts(
        parts: FooterParts,
        schema: &ArraySchema,
        words: impl Fn(FooterSection) -> Vec<u64>,
    ) -> Result<Footer> {
        let FooterParts { version, non_empty_domain, sparse_tile_count, last_tile_cells, .. } = parts;
        let has_timestamps = parts.has_timestamps;
        let has_delete_metadata = parts.has_delete_metadata;
        if !version.has_footer() {
            bail!(Corrupt, "fragments of version {} have no footer", version.number());
        }
        let slots = FooterLayout::new(version, schema, has_timestamps, has_delete_metadata);
        // The section is optional.
        let has_bounds = version.has_optional_footer_sections() && !words(FooterSection::LowerBounds).is_empty();
        let slots = slots.with_bounds(if has_bounds { schema.domain().dimensions().len() } else { 0 });
        let mut all = memory::with_capacity("a fragment footer", slots.len())?;
        for section in SECTIONS {
            let count = slots.count(section);
            all.extend(words(section).into_iter().chain(std::iter::repeat(0)).take(count));
        }
        Ok(Footer {
            version,
            dense: schema.is_dense(),
            non_empty_domain,
            sparse_tile_count,
            last_tile_cells,
            has_timestamps,
            has_delete_metadata,
            words: FooterWords::new(all),
            slots,
            optional: has_bounds.then_some(OptionalSection::Bounds).into_iter().collect(),
        })
    }

    /// Whether it is laid out as a footer of a fragment written with `schema`.
    pub(super) fn fits(&self, schema: &ArraySchema) -> bool {
        let dimensions = schema.domain().dimensions();
        let domain = &self.non_empty_domain;
        let slots = FooterLayout::new(self.version, schema, self.has_timestamps, self.has_delete_metadata);
        let bounded = self.slots.bounded();
        self.slots == slots.with_bounds(bounded)
            && (bounded == 0 || bounded == dimensions.len())
            && (schema.is_dense() || !self.dense)
            && domain.len() == dimensions.len()
            && domain.iter().zip(dimensions).all(|(range, dimension)| match range.is_var() {
                true => dimension.is_var(),
                false => !dimension.is_var() && range.low().len() == dimension.size(),
            })
    }

    /// About the bytes that it takes.
    pub(super) fn size_in_memory(&self) -> usize {
        let optional: usize = self.optional.iter().map(OptionalSection::size_in_memory).sum();
        let domain = self.non_empty_domain.len() * size_of::<CellRange>();
        size_of::<Footer>() + self.words.size_in_memory() + domain + optional
    }

    /// The words of a section.
    pub fn section(&self, section: FooterSection) -> Vec<u64> {
        self.words.iter().skip(self.slots.start(section)).take(self.slots.count(section)).collect()
    }

    /// Number of fields in the tables.
    pub fn field_count(&self) -> usize {
        self.slots.fields()
    }

    /// The name of the schema that the footer's fragment was written with.
    ///
    /// # Errors
    /// If the bytes end before it or the version is unknown.
    pub fn schema_name(bytes: &[u8]) -> Result<&str> {
        let mut r = WireReader::new("fragment footer", bytes);
        match FormatVersion::from_number(r.u32()?)?.has_schema_folder() {
            true => r.str64(),
            false => Ok(LEGACY_SCHEMA),
        }
    }

    /// The length of a footer that is not followed by its length: versions 3 to 9 of arrays without string dimensions.
    /// `None` for all others.
    pub fn fixed_length(version: FormatVersion, schema: &ArraySchema) -> Option<usize> {
        let dimensions = schema.domain().dimensions();
        if version.has_footer_length() || dimensions.iter().any(|dimension| dimension.is_var()) {
            return None;
        }
        let domain: usize = dimensions.iter().map(|dimension| 2 * dimension.size()).sum();
        let slots = FooterLayout::new(version, schema, false, false);
        Some(4 + 1 + 1 + domain + 8 + 8 + 8 * slots.len())
    }

    /// Reads a footer of a fragment written with `schema`.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub fn read(bytes: &[u8], schema: &ArraySchema) -> Result<Footer> {
        let mut r = WireReader::new("fragment footer", bytes);
        let version = FormatVersion::from_number(r.u32()?)?;
        if !version.has_footer() {
            bail!(Corrupt, "fragment footer: version {} has none", version.number());
        }
        if version.has_schema_folder() {
            r.str64()?;
        }
        let dense = r.u8()? != 0;
        if r.u8()? != 0 {
            bail!(Corrupt, "fragment footer: the non-empty domain is missing");
        }
        if dense && !schema.is_dense() {
            bail!(Corrupt, "fragment footer: a dense fragment in a sparse array");
        }
        let dimensions = schema.domain().dimensions();
        let mut non_empty_domain = NdRange::with_capacity(dimensions.len());
        for dimension in dimensions {
            non_empty_domain.push(read_range(&mut r, dimension)?);
        }
        let sparse_tile_count = r.u64()?;
        let last_tile_cells = r.u64()?;
        let has_timestamps = version.has_timestamps_flag() && r.u8()? != 0;
        let has_delete_metadata = version.has_delete_flag() && r.u8()? != 0;
        let slots = FooterLayout::new(version, schema, has_timestamps, has_delete_metadata);
        let mut words = r.words(slots.len())?;
        let (optional, bounds) = match version.has_optional_footer_sections() {
            true => OptionalSection::read_all(&mut r, dimensions.len())?,
            false => Default::default(),
        };
        let slots = slots.with_bounds(bounds.len() / 2);
        memory::reserve("a fragment footer", &mut words, bounds.len())?;
        words.extend(bounds);
        Ok(Footer {
            version,
            dense,
            non_empty_domain,
            sparse_tile_count,
            last_tile_cells,
            has_timestamps,
            has_delete_metadata,
            words: FooterWords::new(words),
            slots,
            optional,
        })
    }

    /// Appends the footer without its length word.
    pub fn write(&self, schema: &ArraySchema, w: &mut WireWriter) {
        w.u32(self.version.number());
        if self.version.has_schema_folder() {
            w.str64(schema.name());
        }
        w.u8(u8::from(self.dense)).u8(0);
        for range in &self.non_empty_domain {
            write_range(w, range);
        }
        w.u64(self.sparse_tile_count).u64(self.last_tile_cells);
        if self.version.has_timestamps_flag() {
            w.u8(u8::from(self.has_timestamps));
        }
        if self.version.has_delete_flag() {
            w.u8(u8::from(self.has_delete_metadata));
        }
        let words: Vec<u64> = self.words.iter().collect();
        let (words, bounds) = words.split_at(self.slots.required_len().min(words.len()));
        w.words(words);
        if self.version.has_optional_footer_sections() {
            OptionalSection::write_all(&self.optional, bounds, w);
        }
    }

    /// A word of the section for the field at `index` in the fragment's tables; 0 where this
    /// version has none.
    pub(super) fn word(&self, section: FooterSection, index: usize) -> u64 {
        self.slots.slot(section, index).and_then(|slot| self.words.get(slot)).unwrap_or(0)
    }
}
