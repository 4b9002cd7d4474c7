//! Features of each version of the on-disk format: the only place that compares version numbers.

use crate::error::{Result, bail};

/// The version this library writes.
pub const CURRENT_VERSION: FormatVersion = FormatVersion(22);

/// The newest version that is read. Version 23 is that of libtiledb's development tree; nothing is written in it.
pub const NEWEST_READABLE_VERSION: FormatVersion = FormatVersion(23);

/// A version of the on-disk format, 1 to 23.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatVersion(u32);

/// Declares one question per feature: since which version it holds.
macro_rules! features {
    ($($(#[$doc:meta])+ $name:ident since $version:literal;)+) => {$(
        $(#[$doc])+
        pub const fn $name(self) -> bool {
            self.0 >= $version
        }
    )+};
}

impl FormatVersion {
    /// The version with this number.
    ///
    /// # Errors
    /// For 0 and for versions that are newer than those that this library reads.
    pub fn from_number(number: u32) -> Result<FormatVersion> {
        if number == 0 || number > NEWEST_READABLE_VERSION.0 {
            bail!(
                Unsupported,
                "Unsupported format version {number}; this library reads versions 1 to {}",
                NEWEST_READABLE_VERSION.0
            );
        }
        Ok(FormatVersion(number))
    }

    /// The number in files.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The version of new fragments in an array whose schema has this version: schemas older than 7 or newer than the
    /// current version get current fragments, all others fragments of their own version.
    pub fn of_new_fragments(self) -> FormatVersion {
        if self.0 < 7 { CURRENT_VERSION } else { self.min(CURRENT_VERSION) }
    }

    /// Coordinates may be zipped, which only the first version did.
    pub const fn may_zip_coordinates(self) -> bool {
        self.0 == 1
    }

    features! {
        /// Fragment metadata is a sequence of generic tiles with a footer.
        has_footer since 3;
        /// Dimensions are fields of their own, with names, types, filters and files.
        has_dimension_files since 5;
        /// A fragment is committed by a file (`.ok`, later `.wrt`).
        has_commit_files since 5;
        /// Attributes store their fill values.
        has_fill_values since 6;
        /// Attributes may be nullable.
        has_nullable since 7;
        /// Field names in data file names are escaped.
        has_escaped_file_names since 8;
        /// Data files are named by position (`a0`, `d0`).
        has_positional_file_names since 9;
        /// Consolidated fragment metadata names fragments by folder, not by absolute URI.
        has_relative_fragment_names since 9;
        /// Schemas are stored in `__schema`, and fragments name theirs.
        has_schema_folder since 10;
        /// The footer is always followed by its length.
        has_footer_length since 10;
        /// Chunks hold whole cells.
        has_whole_cell_chunks since 11;
        /// Fragments store minimum, maximum, sum and null count per tile.
        has_tile_statistics since 11;
        /// Fragments and commits have folders of their own.
        has_commits_folder since 12;
        /// Fragments store statistics of the whole fragment.
        has_fragment_statistics since 12;
        /// RLE on variable `STRING_ASCII` runs on strings.
        has_ascii_rle since 12;
        /// DICTIONARY on variable `STRING_ASCII` exists.
        has_ascii_dictionary since 13;
        /// The footer has a flag for cell timestamps.
        has_timestamps_flag since 14;
        /// The footer has a flag for delete metadata.
        has_delete_flag since 15;
        /// Sparse fragments are visible where their time range touches the window.
        has_touching_visibility since 15;
        /// Fragments list the delete conditions already applied to them.
        has_processed_conditions since 16;
        /// RLE and DICTIONARY run on variable `STRING_UTF8` strings too; attributes have an order.
        has_utf8_string_filters since 17;
        /// Attributes store their data order.
        has_attribute_order since 17;
        /// Schemas list dimension labels.
        has_dimension_labels since 18;
        /// DELTA stores a reinterpret datatype.
        has_delta_reinterpret since 19;
        /// Vacuum files hold relative URIs.
        has_relative_vacuum_uris since 19;
        /// Schemas list enumerations; attributes name theirs.
        has_enumerations since 20;
        /// DOUBLE_DELTA stores a reinterpret datatype.
        has_double_delta_reinterpret since 20;
        /// BIT_WIDTH_REDUCTION and POSITIVE_DELTA work on datetimes.
        has_datetime_integer_filters since 20;
        /// Schemas store a current domain.
        has_current_domain since 22;
        /// Footers end with optional sections, one of which locates the global-order bounds of tiles.
        has_optional_footer_sections since 23;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_versions() {
        assert!(FormatVersion::from_number(0).is_err());
        let newer = FormatVersion::from_number(24).unwrap_err();
        assert_eq!(newer.text(), "Unsupported format version 24; this library reads versions 1 to 23");
        let v11 = FormatVersion::from_number(11).unwrap();
        assert!(v11.has_tile_statistics() && !v11.has_commits_folder());
        assert_eq!(FormatVersion::from_number(6).unwrap().of_new_fragments(), CURRENT_VERSION);
        assert_eq!(v11.of_new_fragments(), v11);
        let v23 = FormatVersion::from_number(23).unwrap();
        assert!(v23.has_optional_footer_sections() && v23.has_current_domain());
        assert_eq!(v23.of_new_fragments(), CURRENT_VERSION);
    }
}
