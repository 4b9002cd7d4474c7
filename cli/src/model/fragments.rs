//! The fragments of an array: timestamps, non-empty domains, sizes.

use tiledb::Context;

use super::array::values;
use super::error::Result;
use super::schema::{Dimension, Schema};
use super::value::Value;

/// Fragment information of an array.
pub(crate) struct FragmentInfo(tiledb::FragmentInfo);

/// One fragment.
pub(crate) struct Fragment {
    fragment: tiledb::Fragment,
    /// When it was written, in milliseconds since 1970; from and to for a consolidated one.
    pub moments: (u64, u64),
    pub cells: u64,
    /// Bytes of all its files.
    pub bytes: u64,
    pub version: u32,
    pub is_dense: bool,
    /// Its bounds per dimension.
    pub domain: Vec<(Value, Value)>,
}

impl Fragment {
    /// The last part of its URI.
    pub(crate) fn name(&self) -> &str {
        self.fragment.name()
    }

    /// Number of tiles with a bounding box; 0 for dense fragments.
    pub(crate) fn boxes(&self) -> u64 {
        self.fragment.bounding_box_count()
    }

    /// The bounds of a tile in each dimension.
    pub(crate) fn bounding_box(&self, tile: u64, dimensions: &[Dimension]) -> Result<Vec<(Value, Value)>> {
        let bounds = self.fragment.bounding_box(tile)?.unwrap_or_default();
        Ok(values(dimensions, &bounds))
    }

    /// The name of the schema that it was written with.
    pub(crate) fn schema_name(&self) -> &str {
        self.fragment.schema_name()
    }

    /// The schema that it was written with.
    pub(crate) fn schema(&self) -> Result<Schema> {
        Schema::of(&self.fragment.schema())
    }
}

impl FragmentInfo {
    /// Loads fragment information.
    pub(crate) fn load(ctx: &Context, uri: &str) -> Result<Self> {
        Ok(Self(tiledb::FragmentInfo::load(ctx, uri)?))
    }

    /// All fragments, the oldest first.
    pub(crate) fn fragments(&self, dimensions: &[Dimension]) -> Vec<Fragment> {
        let fragment = |fragment: &tiledb::Fragment| Fragment {
            moments: fragment.timestamps(),
            cells: fragment.cell_count(),
            bytes: fragment.size(),
            version: fragment.format_version(),
            is_dense: fragment.is_dense(),
            domain: values(dimensions, fragment.non_empty_domain()),
            fragment: fragment.clone(),
        };
        self.0.fragments().iter().map(fragment).collect()
    }

    /// How many fragments were merged into others and wait for a vacuum.
    pub(crate) fn to_vacuum(&self) -> usize {
        self.0.to_vacuum().len()
    }

    /// How many fragments have their footer in a file of their own only.
    pub(crate) fn unconsolidated(&self) -> usize {
        self.0.fragments().iter().filter(|fragment| !fragment.has_consolidated_metadata()).count()
    }
}
