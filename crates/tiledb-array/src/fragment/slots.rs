//! The words of a footer: which sections there are, how many words each has, and their order.

use crate::schema::ArraySchema;
use tiledb_core::types::FormatVersion;

/// A section of the footer's words. The file sizes come first, then the positions of the tables
/// in the order in which the tables lie in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of the tables")]
pub enum Section {
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
}

pub(super) const SECTIONS: [Section; 14] = [
    Section::FileSize,
    Section::VarFileSize,
    Section::ValidityFileSize,
    Section::RTree,
    Section::Offsets,
    Section::VarOffsets,
    Section::VarSizes,
    Section::ValidityOffsets,
    Section::Minima,
    Section::Maxima,
    Section::Sums,
    Section::NullCounts,
    Section::FragmentStats,
    Section::Conditions,
];

/// The layout of a footer's words, from which every slot follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    version: FormatVersion,
    fields: usize,
}

impl Slots {
    /// The layout of fragments of `version` written with `schema`.
    pub(super) fn new(version: FormatVersion, schema: &ArraySchema, timestamps: bool, deletes: bool) -> Slots {
        let fields = if version.has_dimension_files() {
            schema.field_count_in_fragment() + usize::from(timestamps) + 2 * usize::from(deletes)
        } else {
            schema.attributes().len() + 1
        };
        Slots { version, fields }
    }

    /// How many fields the tables have, the unused place for coordinates included.
    pub(super) fn fields(&self) -> usize {
        self.fields
    }

    /// Words of a section.
    pub(super) fn count(&self, section: Section) -> usize {
        let version = self.version;
        match section {
            Section::FileSize | Section::Offsets => self.fields,
            // Before dimensions had files of their own, coordinates had no var tables.
            Section::VarFileSize | Section::VarOffsets | Section::VarSizes => {
                self.fields - usize::from(!version.has_dimension_files())
            }
            Section::ValidityFileSize | Section::ValidityOffsets => self.fields * usize::from(version.has_nullable()),
            Section::Minima | Section::Maxima | Section::Sums | Section::NullCounts => {
                self.fields * usize::from(version.has_tile_statistics())
            }
            Section::RTree => 1,
            Section::FragmentStats => usize::from(version.has_fragment_statistics()),
            Section::Conditions => usize::from(version.has_processed_conditions()),
        }
    }

    /// Where a section begins.
    pub(super) fn start(&self, section: Section) -> usize {
        SECTIONS[..section as usize].iter().map(|&before| self.count(before)).sum()
    }

    /// The slot of a field in a section; `None` where the section has none.
    pub(super) fn slot(&self, section: Section, index: usize) -> Option<usize> {
        (index < self.count(section)).then(|| self.start(section) + index)
    }

    /// All words.
    pub(super) fn len(&self) -> usize {
        SECTIONS.iter().map(|&section| self.count(section)).sum()
    }
}
