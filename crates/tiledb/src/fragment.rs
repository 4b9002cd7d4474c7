//! Fragments: what the writes of an array have stored.

use std::fmt;
use std::sync::Arc;

use crate::context::Context;
use crate::datatype::Datatype;
use crate::error::{AtUri, Result};
use crate::handle::missing;
use crate::location::{self, Location};
use crate::schema::ArraySchema;
use crate::value::Value;
use tiledb_array::array::{FragmentInfo as EngineInfo, LoadedFragment};
use tiledb_array::fragment::Fragment as EngineFragment;
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
#[derive(Clone)]
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
    fragment: Arc<EngineFragment>,
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

    /// The bounding box of the cells of a tile, by dimension; `None` of dense fragments, and beyond the last tile.
    ///
    /// # Errors
    /// If the metadata cannot be read.
    pub fn bounding_box(&self, tile: u64) -> Result<Option<NonEmptyDomain>> {
        let Ok(index) = usize::try_from(tile) else { return Ok(None) };
        if tile >= self.bounding_box_count {
            return Ok(None);
        }
        let ranges = self.fragment.rtree().at(&self.uri)?.leaf(index);
        Ok(ranges.map(|ranges| range_values(self.fragment.schema().domain().dimensions(), &ranges)))
    }

    /// The schema that it was written with.
    pub fn schema(&self) -> ArraySchema {
        ArraySchema(Arc::clone(self.fragment.schema()))
    }

    /// The bounds of its cells.
    pub fn non_empty_domain(&self) -> &NonEmptyDomain {
        &self.non_empty_domain
    }

    fn of_engine(info: &LoadedFragment) -> Fragment {
        let fragment = info.fragment();
        Fragment {
            uri: info.uri().as_str().to_owned(),
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
            fragment: Arc::clone(fragment),
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

impl fmt::Debug for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fragment").field("uri", &self.uri).field("cell_count", &self.cell_count).finish_non_exhaustive()
    }
}

/// What is known about the fragments of an array without opening it.
///
/// ```
/// # use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
/// use tiledb::FragmentInfo;
/// use tiledb::maintenance::Consolidation;
/// # let ctx = Context::new()?;
/// # let schema = ArraySchema::sparse().dimension(Dimension::new("id", 0..=99_i32)).attribute(Attribute::new::<i32>("a")).build()?;
/// # Array::create(&ctx, "mem://fragment_info", &schema)?;
/// let writer = Array::open_for_writing(&ctx, "mem://fragment_info")?;
/// for id in 0..2 {
///     writer.write().values("id", &[id]).values("a", &[10 * id]).submit()?;
/// }
/// Consolidation::new().run(&ctx, "mem://fragment_info")?;
/// let info = FragmentInfo::load(&ctx, "mem://fragment_info")?;
/// assert_eq!((info.fragments().len(), info.to_vacuum().len()), (1, 2));
/// assert_eq!(info.fragments()[0].bounding_box(0)?.unwrap().len(), 1);
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FragmentInfo {
    fragments: Vec<Fragment>,
    to_vacuum: Vec<String>,
}

impl FragmentInfo {
    /// Loads what is known about the fragments of an array.
    ///
    /// # Errors
    /// If there is no array, or it cannot be read with the key of the context.
    pub fn load(ctx: &Context, uri: &str) -> Result<FragmentInfo> {
        let target = location::parse(uri)?;
        let location = Location::of(&target);
        let info = EngineInfo::new(ctx.resources(), uri).at(uri)?;
        location::load_fragments(&info).map_err(|error| missing(error.into(), location, ctx.resources()).at(uri))?;
        let loaded = info.loaded().at(uri)?;
        let fragments = loaded.iter().map(Fragment::of_engine).collect();
        let to_vacuum = loaded.to_vacuum().iter().map(|uri| uri.as_str().to_owned()).collect();
        Ok(FragmentInfo { fragments, to_vacuum })
    }

    /// The fragments, oldest first.
    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// The URIs of the fragments that were merged into others, and wait for a vacuum.
    pub fn to_vacuum(&self) -> &[String] {
        &self.to_vacuum
    }

    /// The fragments, oldest first, without the rest.
    pub fn into_fragments(self) -> Vec<Fragment> {
        self.fragments
    }
}
