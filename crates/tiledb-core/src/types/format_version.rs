//! Features of each version of the on-disk format: the only place that compares version numbers.

use super::Datatype;
use crate::error::{Result, bail};

/// The version in which new arrays are written by default.
pub const CURRENT_VERSION: FormatVersion = FormatVersion(22);

/// The oldest version in which new arrays can be written (`sm.write_format_version`).
pub const OLDEST_WRITABLE_VERSION: FormatVersion = FormatVersion(18);

/// The newest version that is written, on request only: version 23 is that of libtiledb's development tree, and may change until
/// its release.
pub const NEWEST_WRITABLE_VERSION: FormatVersion = FormatVersion(23);

/// The newest version that is read.
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
    /// The first version.
    pub const OLDEST: FormatVersion = FormatVersion(1);

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

    /// The version with this number, in which new arrays can be written.
    ///
    /// # Errors
    /// For all others.
    pub fn writable(number: u32) -> Result<FormatVersion> {
        let version = FormatVersion(number);
        if version < OLDEST_WRITABLE_VERSION || version > NEWEST_WRITABLE_VERSION {
            bail!(
                Unsupported,
                "Cannot write format version {number}; this library writes versions {} to {}",
                OLDEST_WRITABLE_VERSION.0,
                NEWEST_WRITABLE_VERSION.0
            );
        }
        Ok(version)
    }

    /// The version of a new array whose schema has this version: its own if it is writable without a request, else the current
    /// one.
    pub fn of_new_arrays(self) -> FormatVersion {
        if self < OLDEST_WRITABLE_VERSION { CURRENT_VERSION } else { self.min(CURRENT_VERSION) }
    }

    /// The version of an evolved schema that requires no newer one: arrays older than the oldest writable version get
    /// `limit`, all others keep theirs.
    pub fn of_evolved_schemas(self, limit: FormatVersion) -> FormatVersion {
        if self < OLDEST_WRITABLE_VERSION { limit } else { self }
    }

    /// The libtiledb release, `major.minor`, that introduced this version: it and later ones read it.
    pub fn first_release(self) -> &'static str {
        self.0.checked_sub(1).and_then(|index| FIRST_RELEASES.get(index as usize)).copied().unwrap_or("2.31")
    }

    /// The version of new fragments in an array whose schema has this version: schemas older than 7 get current fragments, all
    /// others fragments of their own version.
    pub fn of_new_fragments(self) -> FormatVersion {
        if self.0 < 7 { CURRENT_VERSION } else { self.min(NEWEST_WRITABLE_VERSION) }
    }

    /// The stored tiles of fragments of both versions have the same form: chunks, filters and statistics. Those of dates and
    /// times may differ, where [`FormatVersion::has_datetime_integer_filters`] does.
    pub const fn has_tiles_of(self, other: FormatVersion) -> bool {
        self.has_whole_cell_chunks() == other.has_whole_cell_chunks()
            && self.has_tile_statistics() == other.has_tile_statistics()
            && self.has_ascii_rle() == other.has_ascii_rle()
            && self.has_ascii_dictionary() == other.has_ascii_dictionary()
            && self.has_utf8_string_filters() == other.has_utf8_string_filters()
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
        /// Statistics of strings are those of the cells: libraries that write older versions may omit cells or add others.
        has_exact_string_statistics since 22;
        /// Footers end with optional sections, one of which locates the global-order bounds of tiles.
        has_optional_footer_sections since 23;
    }
}

/// The first release of libtiledb for each version, from 1 on. Those of the writable versions are measured: arrays written by
/// each release state them.
const FIRST_RELEASES: [&str; 23] = [
    "1.4", "1.5", "1.6", "1.7", "2.0", "2.1", "2.2", "2.2", "2.3", "2.4", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12",
    "2.14", "2.15", "2.16", "2.17", "2.19", "2.25", "2.31",
];

/// Declares the features that an array may use and not every writable version can express: name in messages, first version,
/// and the first release that reads them if that is not the one that introduced the version.
macro_rules! array_features {
    ($($(#[$doc:meta])+ $name:ident $text:literal since $version:literal $(release $release:literal)?;)+) => {
        /// A feature of arrays that older versions cannot express.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FormatFeature {
            $($(#[$doc])+ $name,)+
        }

        impl FormatFeature {
            /// Its name in messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(FormatFeature::$name => $text,)+
                }
            }

            /// The first version that can express it.
            pub const fn since(self) -> FormatVersion {
                match self {
                    $(FormatFeature::$name => FormatVersion($version),)+
                }
            }

            /// The first libtiledb release, `major.minor`, that reads it.
            pub fn first_release(self) -> &'static str {
                match self {
                    $(FormatFeature::$name => [self.since().first_release() $(, $release)?].last().copied().unwrap_or_default(),)+
                }
            }
        }
    };
}

array_features! {
    /// Labels are arrays of their own.
    DimensionLabels "dimension labels" since 18;
    /// The filter `DELTA`; `DOUBLE_DELTA` is older.
    DeltaFilter "the filter DELTA" since 19;
    /// `DOUBLE_DELTA` with a datatype in which it takes the cells.
    DoubleDeltaReinterpret "the reinterpret datatype of DOUBLE_DELTA" since 20;
    /// Values that attributes refer to by index, in files of their own.
    Enumerations "enumerations" since 20;
    /// A filter whose work depends on the datatype behind one that changes it. Libraries before version 20 show all filters the
    /// datatype of the field.
    ConvertedFilterInput "filters of cells that another filter has converted" since 20;
    /// Delete conditions with `IN` or `NOT_IN`. Their operators are bytes of the same format, which older libraries do not know.
    DeleteBySet "deletes by set membership" since 20;
    /// `GEOM_WKB` and `GEOM_WKT`. They came without a new version, two releases after version 21.
    GeometryDatatypes "geometry datatypes" since 21 release "2.21";
    /// The part of the domain that cells may be in, which evolution expands.
    CurrentDomain "a current domain" since 22;
}

impl FormatFeature {
    /// The feature that a datatype of an attribute is.
    pub const fn of_datatype(datatype: Datatype) -> Option<FormatFeature> {
        match datatype {
            Datatype::GeomWkb | Datatype::GeomWkt => Some(FormatFeature::GeometryDatatypes),
            _ => None,
        }
    }
}

/// Orders releases `major.minor` by their numbers.
pub fn release_order(release: &str) -> (u32, u32) {
    let (major, minor) = release.split_once('.').unwrap_or((release, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
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
        assert_eq!(v23.of_new_fragments(), v23);
    }

    #[test]
    fn versions_with_the_same_tiles() {
        let same = |one, other| FormatVersion(one).has_tiles_of(FormatVersion(other));
        assert!(same(18, 22) && same(22, 18) && same(17, 19) && same(22, 22));
        assert!(!same(16, 17) && !same(10, 11) && !same(22, 12));
    }

    #[test]
    fn new_arrays_and_evolved_schemas() {
        let version = |number| FormatVersion::from_number(number).unwrap();
        for number in [0, 1, 17, 24, u32::MAX] {
            let error = FormatVersion::writable(number).unwrap_err();
            let text = format!("Cannot write format version {number}; this library writes versions 18 to 23");
            assert_eq!(error.text(), text);
        }
        let of_new_arrays = [1, 17, 18, 21, 22, 23].map(|number| version(number).of_new_arrays().0);
        assert_eq!(of_new_arrays, [22, 22, 18, 21, 22, 22]);
        let evolved = [17, 18, 22, 23].map(|number| version(number).of_evolved_schemas(version(19)).0);
        assert_eq!(evolved, [19, 18, 22, 23]);
    }

    #[test]
    fn releases_ascend_with_versions_and_features() {
        let releases = (1..=23).map(|number| FormatVersion::from_number(number).unwrap().first_release());
        let releases: Vec<_> = releases.map(release_order).collect();
        assert!(releases.is_sorted());
        assert_eq!(FormatVersion(21).first_release(), "2.19");
        assert_eq!(FormatFeature::GeometryDatatypes.first_release(), "2.21");
        assert_eq!(FormatFeature::CurrentDomain.first_release(), "2.25");
        assert_eq!(FormatFeature::of_datatype(Datatype::GeomWkt), Some(FormatFeature::GeometryDatatypes));
        assert_eq!(FormatFeature::of_datatype(Datatype::Blob), None);
    }
}
