//! Layout of a footer's words: its sections, their number of words, and their order.

use crate::schema::ArraySchema;
use tiledb_core::types::FormatVersion;

/// A section of the footer's words. The file sizes come first, then the positions of the tables;
/// those of the optional section for the bounds of tiles come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of the tables")]
pub enum FooterSection {
    FileSize,
    VarFileSize,
    ValidityFileSize,
    RTree,
    Offsets,
    VarOffsets,
    VarSizes,
    ValidityOffsets,
    Minima,
    Maxima,
    Sums,
    NullCounts,
    FragmentStats,
    Conditions,
    LowerBounds,
    UpperBounds,
}

pub(super) const SECTIONS: [FooterSection; 16] = [
    FooterSection::FileSize,
    FooterSection::VarFileSize,
    FooterSection::ValidityFileSize,
    FooterSection::RTree,
    FooterSection::Offsets,
    FooterSection::VarOffsets,
    FooterSection::VarSizes,
    FooterSection::ValidityOffsets,
    FooterSection::Minima,
    FooterSection::Maxima,
    FooterSection::Sums,
    FooterSection::NullCounts,
    FooterSection::FragmentStats,
    FooterSection::Conditions,
    FooterSection::LowerBounds,
    FooterSection::UpperBounds,
];

/// The layout of a footer's words, from which every slot follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FooterLayout {
    version: FormatVersion,
    fields: usize,
    /// Dimensions whose global-order bounds the fragment stores: all or none.
    bounded: usize,
}

impl FooterLayout {
    /// The layout of fragments of `version` written with `schema`.
    pub(super) fn new(version: FormatVersion, schema: &ArraySchema, timestamps: bool, deletes: bool) -> FooterLayout {
        let fields = if version.has_dimension_files() {
            schema.field_count_in_fragment() + usize::from(timestamps) + 2 * usize::from(deletes)
        } else {
            schema.attributes().len() + 1
        };
        FooterLayout { version, fields, bounded: 0 }
    }

    /// The layout of a footer with an optional section for the bounds of tiles in so many dimensions.
    pub(super) fn with_bounds(self, dimensions: usize) -> FooterLayout {
        FooterLayout { bounded: dimensions, ..self }
    }

    /// Dimensions whose bounds the fragment stores.
    pub(super) fn bounded(&self) -> usize {
        self.bounded
    }

    /// Number of fields in the tables, including the unused place for coordinates.
    pub(super) fn fields(&self) -> usize {
        self.fields
    }

    /// Words of a section.
    pub(super) fn count(&self, section: FooterSection) -> usize {
        let version = self.version;
        match section {
            FooterSection::FileSize | FooterSection::Offsets => self.fields,
            // Before dimensions had files of their own, coordinates had no var tables.
            FooterSection::VarFileSize | FooterSection::VarOffsets | FooterSection::VarSizes => {
                self.fields - usize::from(!version.has_dimension_files())
            }
            FooterSection::ValidityFileSize | FooterSection::ValidityOffsets => {
                self.fields * usize::from(version.has_nullable())
            }
            FooterSection::Minima | FooterSection::Maxima | FooterSection::Sums | FooterSection::NullCounts => {
                self.fields * usize::from(version.has_tile_statistics())
            }
            FooterSection::RTree => 1,
            FooterSection::FragmentStats => usize::from(version.has_fragment_statistics()),
            FooterSection::Conditions => usize::from(version.has_processed_conditions()),
            FooterSection::LowerBounds | FooterSection::UpperBounds => self.bounded,
        }
    }

    /// Index of the first word of a section.
    pub(super) fn start(&self, section: FooterSection) -> usize {
        SECTIONS[..section as usize].iter().map(|&before| self.count(before)).sum()
    }

    /// The slot of a field in a section; `None` where the section has none.
    pub(super) fn slot(&self, section: FooterSection, index: usize) -> Option<usize> {
        (index < self.count(section)).then(|| self.start(section) + index)
    }

    /// Words before the optional sections.
    pub(super) fn required_len(&self) -> usize {
        self.start(FooterSection::LowerBounds)
    }

    /// All words.
    pub(super) fn len(&self) -> usize {
        SECTIONS.iter().map(|&section| self.count(section)).sum()
    }
}
