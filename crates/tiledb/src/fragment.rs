//! Fragments: what the writes of an array have stored.

use std::sync::Arc;

use crate::context::Context;
use crate::datatype::Datatype;
use crate::error::{AtUri, Result};
use crate::handle::missing;
use crate::location::Location;
use crate::value::Value;
use tiledb_array::array::{FragmentInfo, LoadedFragment};
use tiledb_array::schema::Dimension;
use tiledb_core::types::CellRange;

/// The lowest and the highest coordinate of each dimension, by its name.
pub type NonEmptyDomain = Vec<(String, Value, Value)>;

/// A fragment: the cells that one write, or a consolidation, has stored.
///
/// ```
/// # use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
/// # let ctx = Context::new()?;
/// # let schema = ArraySchema::sparse().dimension(Dimension::new("id", 0..=99_i32)).attribute(Attribute::new::<i32>("a")).build()?;
/// # Array::create(&ctx, "mem://fragments", &schema)?;
/// let writer = Array::options().at(7).open_for_writing(&ctx, "mem://fragments")?;
/// writer.write().values("id", &[1, 2]).values("a", &[10, 20]).submit()?;
/// let fragments = Array::load_fragments(&ctx, "mem://fragments")?;
/// assert_eq!((fragments[0].cell_count(), fragments[0].timestamps()), (2, (7, 7)));
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fragment {
    uri: String,
    name: String,
    timestamps: (u64, u64),
    cell_count: u64,
    size: u64,
    is_dense: bool,
    format_version: u32,
    schema_name: String,
    has_consolidated_metadata: bool,
    bounding_box_count: u64,
    non_empty_domain: NonEmptyDomain,
}

impl Fragment {
    /// The URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The name: the last part of the URI.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The times of the first and the last write that it contains, in milliseconds since 1970-01-01 UTC.
    pub fn timestamps(&self) -> (u64, u64) {
        self.timestamps
    }

    /// The number of cells; of dense fragments those that fill up tiles are included.
    pub fn cell_count(&self) -> u64 {
        self.cell_count
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether it is dense.
    pub fn is_dense(&self) -> bool {
        self.is_dense
    }

    /// The version of the file format.
    pub fn format_version(&self) -> u32 {
        self.format_version
    }

    /// The name of the schema that it was written with.
    pub fn schema_name(&self) -> &str {
        &self.schema_name
    }

    /// Whether its metadata is in a consolidated file.
    pub fn has_consolidated_metadata(&self) -> bool {
        self.has_consolidated_metadata
    }

    /// The number of bounding boxes of its tiles; 0 of dense fragments.
    pub fn bounding_box_count(&self) -> u64 {
        self.bounding_box_count
    }

    /// The bounds of its cells.
    pub fn non_empty_domain(&self) -> &NonEmptyDomain {
        &self.non_empty_domain
    }

    fn of_engine(info: &LoadedFragment) -> Fragment {
        let fragment = info.fragment();
        Fragment {
            uri: info.uri().to_string(),
            name: fragment.name().as_str().to_owned(),
            timestamps: fragment.timestamps(),
            cell_count: fragment.cell_count(),
            size: info.size(),
            is_dense: fragment.is_dense(),
            format_version: fragment.version().number(),
            schema_name: info.schema_name().to_string(),
            has_consolidated_metadata: info.is_consolidated(),
            bounding_box_count: info.box_count(),
            non_empty_domain: range_values(info.schema().domain().dimensions(), fragment.non_empty_domain()),
        }
    }
}

/// The bounds of ranges of all dimensions.
pub(crate) fn range_values(dimensions: &[Arc<Dimension>], ranges: &[CellRange]) -> NonEmptyDomain {
    let values = dimensions.iter().zip(ranges).map(|(dimension, range)| {
        let datatype = Datatype::of_engine(dimension.datatype());
        let value = |bytes: &[u8]| Value::from_bytes(datatype, bytes);
        (dimension.name().to_string(), value(range.low()), value(range.high()))
    });
    values.collect()
}

/// The fragments of an array, oldest first.
pub(crate) fn fragments_of(ctx: &Context, uri: &str) -> Result<Vec<Fragment>> {
    let location = Location::parse(uri)?;
    let info = FragmentInfo::new(ctx.resources(), uri).at(uri)?;
    location.load_fragments(&info).map_err(|error| missing(error.into(), &location, ctx.resources()).at(uri))?;
    Ok(info.loaded().at(uri)?.iter().map(Fragment::of_engine).collect())
}
