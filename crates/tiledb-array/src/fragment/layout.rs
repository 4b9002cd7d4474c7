//! Physical layout of a fragment's files, for verification and other tools that read all of it.

use std::ops::Range;

use super::footer_layout::{FooterSection, SECTIONS};
use super::statistics::FieldStats;
use super::{FieldPart, Footer, Fragment};
use crate::schema::Field;
use tiledb_core::error::{ErrorContext, Result};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::filter::{Pipeline, TileShape};
use tiledb_storage::vfs::Uri;

impl Fragment {
    /// The filters of a part of a field, and the shape of the tiles that they process.
    pub fn filters_of<'a>(&'a self, field: &'a Field, part: FieldPart) -> (&'a Pipeline, TileShape) {
        let schema = self.schema();
        let version = self.version();
        let shape = field.shape(version);
        match part {
            FieldPart::Data if field.is_var() => (schema.offsets_filters(), TileShape::offsets(version)),
            // Old fragments store all dimensions in one tile.
            FieldPart::Data if field.is_dimension && !version.has_dimension_files() => {
                let cell_size = shape.cell_size.saturating_mul(schema.domain().len());
                (schema.coords_filters(), TileShape { cell_size, ..shape })
            }
            FieldPart::Data | FieldPart::Var => (&field.filters, shape),
            FieldPart::Validity => (schema.validity_filters(), TileShape::validity(version)),
        }
    }

    /// The file that contains the footer and the tables.
    pub fn metadata_file(&self) -> Uri {
        self.metadata_uri()
    }

    /// The tables in the metadata file with the bytes where they begin, in the order of the footer; none in versions that
    /// keep all metadata in one piece.
    pub fn table_positions(&self) -> Vec<(FooterSection, usize, u64)> {
        if !self.version().has_footer() {
            return Vec::new();
        }
        let sections = SECTIONS.into_iter().filter(|&section| section as u8 >= FooterSection::RTree as u8);
        let footer = self.footer();
        sections
            .flat_map(|section| (0..footer.slots.count(section)).map(move |index| (section, index)))
            .map(|(section, index)| (section, index, footer.word(section, index)))
            .collect()
    }

    /// Byte range of the footer in a metadata file of `size` bytes, and its expected bytes; `None` in versions without
    /// footer.
    ///
    /// # Errors
    /// If the file is too short for it.
    pub fn footer_location(&self, size: u64) -> Result<Option<(Range<u64>, Vec<u8>)>> {
        let mut w = WireWriter::new();
        if !self.write_footer(&mut w) {
            return Ok(None);
        }
        let bytes = w.finish()?;
        let after = if Footer::fixed_length(self.version(), self.schema()).is_some() { 0 } else { 8 };
        let end = size.saturating_sub(after);
        Ok(Some((end.saturating_sub(bytes.len() as u64)..end, bytes)))
    }

    /// The offsets of a part's tiles in its file, or the decoded sizes of tiles of values.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn table_words(&self, section: FooterSection, field: &Field) -> Result<&[u64]> {
        self.tables().words(&self.loader(), section, self.index_of(field))
    }

    /// The statistics of the fields over the whole fragment, by their places in the tables; `None` in versions that have none.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn totals(&self) -> Result<Option<Vec<FieldStats>>> {
        if self.footer().slots.slot(FooterSection::FragmentStats, 0).is_none() {
            return Ok(None);
        }
        let payload = self.tables().payload(&self.loader(), FooterSection::FragmentStats, 0)?;
        let mut r = WireReader::new("fragment statistics", &payload);
        let mut all = Vec::new();
        for _ in 0..self.footer().field_count() {
            let of_file = || format!("Cannot read the statistics in '{}'", self.metadata_uri());
            all.push(FieldStats::read(&mut r).context(of_file)?);
        }
        Ok(Some(all))
    }
}
