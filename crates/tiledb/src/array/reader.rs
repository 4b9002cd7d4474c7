//! Arrays that are open for reading.

use std::fmt;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{AtUri, Error, ErrorKind, Result};
use crate::fragment::{Fragment, FragmentInfo, NonEmptyDomain, range_values};
use crate::handle::{ArrayHandle, missing};
use crate::location::{self, Location};
use crate::metadata::Metadata;
use crate::query::ReadQuery;
use crate::schema::{ArraySchema, Enumeration, SchemaEvolution};
use tiledb_core::types::ObjectType;

/// An array that is open for reading: a snapshot.
///
/// What others write while it is open is not visible before [`reopen`](Array::reopen). Threads may share it; their queries run at
/// the same time.
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("day", 1..=365_i32).tile(31))
///     .attribute(Attribute::new::<f64>("temperature"))
///     .build()?;
/// Array::create(&ctx, "mem://year", &schema)?;
/// Array::open_for_writing(&ctx, "mem://year")?
///     .write()
///     .range("day", 1..=3)
///     .values("temperature", &[1.5, 2.5, 0.5])
///     .submit()?;
///
/// let array = Array::open(&ctx, "mem://year")?;
/// assert_eq!(array.read().range("day", 2..=3).all()?.values::<f64>("temperature")?, [2.5, 0.5]);
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone)]
pub struct Array(Arc<ArrayHandle>);

/// Arrays as a whole.
impl Array {
    /// Creates an array without cells.
    ///
    /// If the configuration of the context has an encryption key, the array is encrypted with it.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] if there is an array or group; and if storage fails.
    pub fn create(ctx: &Context, uri: &str, schema: &ArraySchema) -> Result<()> {
        let target = location::parse(uri)?;
        let location = Location::of(&target);
        let resources = ctx.resources();
        let mut schema = Arc::clone(&schema.0);
        if let Some(version) = resources.config().write_format_version()? {
            Arc::make_mut(&mut schema).set_version(version);
        }
        let created = location.create_array(resources, &schema);
        created.map_err(|error| {
            let error = Error::from(error);
            let object = location.object_type(resources);
            match object.is_ok_and(|object| object != ObjectType::Invalid) {
                true => error.refined(ErrorKind::AlreadyExists),
                false => error,
            }
            .at(uri)
        })
    }

    /// The newest schema of an array, without opening it.
    ///
    /// # Errors
    /// If there is no array, or it cannot be read with the key of the context.
    pub fn load_schema(ctx: &Context, uri: &str) -> Result<ArraySchema> {
        let target = location::parse(uri)?;
        let location = Location::of(&target);
        match location.load_schema(ctx.resources(), &location::opening_key(ctx.resources())?) {
            Ok(schema) => Ok(ArraySchema(schema)),
            Err(error) => Err(missing(error.into(), location, ctx.resources()).at(uri)),
        }
    }

    /// Changes the schema of an array: adds or drops attributes and enumerations, expands the current domain.
    ///
    /// # Errors
    /// If there is no array, or the changes do not fit its schema.
    pub fn evolve(ctx: &Context, uri: &str, evolution: &SchemaEvolution) -> Result<()> {
        let target = location::parse(uri)?;
        let location = Location::of(&target);
        let schema = match evolution.needs_schema() {
            true => Some(Array::load_schema(ctx, uri)?),
            false => None,
        };
        let changes = evolution.engine(schema.as_ref().map(|schema| schema.0.domain())).at(uri)?;
        location
            .evolve(ctx.resources(), &changes)
            .map_err(|error| missing(error.into(), location, ctx.resources()).refined(ErrorKind::Schema).at(uri))
    }

    /// Deletes an array with all its fragments, schemas and metadata. This cannot be undone.
    ///
    /// # Errors
    /// If there is no array, or storage fails.
    pub fn delete(ctx: &Context, uri: &str) -> Result<()> {
        let target = location::parse(uri)?;
        let location = Location::of(&target);
        let deleted = location.delete_array(ctx.resources());
        deleted.map_err(|error| missing(error.into(), location, ctx.resources()).at(uri))
    }

    /// Whether there is an array at a URI.
    ///
    /// # Errors
    /// If storage fails.
    pub fn exists(ctx: &Context, uri: &str) -> Result<bool> {
        Ok(Location::of(&location::parse(uri)?).object_type(ctx.resources()).at(uri)? == ObjectType::Array)
    }

    /// Deletes the fragments that were written entirely within a window of time, both ends included, in milliseconds since
    /// 1970-01-01 UTC. This cannot be undone.
    ///
    /// # Errors
    /// If there is no array, or storage fails.
    pub fn delete_fragments(ctx: &Context, uri: &str, start: u64, end: u64) -> Result<()> {
        Location::of(&location::parse(uri)?).delete_fragments(ctx.resources(), (start, end)).at(uri)
    }

    /// Deletes fragments by their URIs: all, or none if one of them is not a fragment of the array. This cannot be undone.
    ///
    /// # Errors
    /// If there is no array or fragment, or storage fails.
    pub fn delete_fragments_by_uri<S: Into<String>>(
        ctx: &Context,
        uri: &str,
        fragments: impl IntoIterator<Item = S>,
    ) -> Result<()> {
        let fragments: Vec<String> = fragments.into_iter().map(Into::into).collect();
        Location::of(&location::parse(uri)?).delete_named_fragments(ctx.resources(), &fragments).at(uri)
    }

    /// The fragments of an array, oldest first, without opening it.
    ///
    /// # Errors
    /// If there is no array, or it cannot be read with the key of the context.
    pub fn load_fragments(ctx: &Context, uri: &str) -> Result<Vec<Fragment>> {
        Ok(FragmentInfo::load(ctx, uri)?.into_fragments())
    }
}

impl Array {
    pub(super) fn new(handle: Arc<ArrayHandle>) -> Array {
        Array(handle)
    }

    /// The URI.
    pub fn uri(&self) -> &str {
        self.0.uri()
    }

    /// The schema.
    pub fn schema(&self) -> ArraySchema {
        ArraySchema(self.0.schema())
    }

    /// An enumeration with its values.
    ///
    /// # Errors
    /// If there is none of this name, or it cannot be read.
    pub fn enumeration(&self, name: &str) -> Result<Enumeration> {
        Ok(Enumeration(self.0.snapshot()?.enumeration(name).at(self.uri())?))
    }

    /// The start and the end of the window of time in which the array is open, in milliseconds since 1970-01-01 UTC.
    pub fn timestamps(&self) -> (u64, u64) {
        (self.0.array.open_start(), self.0.array.open_end())
    }

    /// Begins a read.
    pub fn read<'a>(&self) -> ReadQuery<'a> {
        ReadQuery::new(&self.0)
    }

    /// The metadata.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn metadata(&self) -> Result<Metadata> {
        Ok(Metadata::of_array(self.0.array.with_metadata("Cannot get metadata").at(self.uri())?))
    }

    /// The bounds of the cells that were written, by dimension; `None` if there are none.
    ///
    /// # Errors
    /// If storage fails.
    pub fn non_empty_domain(&self) -> Result<Option<NonEmptyDomain>> {
        let open = self.0.snapshot()?;
        let domain = open.non_empty_domain().at(self.uri())?;
        Ok(domain.map(|ranges| range_values(open.schema().domain().dimensions(), &ranges)))
    }

    pub(crate) fn consolidation_plan(&self, bytes: u64) -> Result<Vec<Vec<String>>> {
        let open = self.0.snapshot()?;
        let plan = location::consolidation_plan(&open, bytes).at(self.uri())?;
        let nodes = plan.nodes().iter().map(|names| names.iter().map(|name| name.to_string()).collect());
        Ok(nodes.collect())
    }

    /// Opens the array again, to see what was written since.
    ///
    /// # Errors
    /// If the array can no longer be read; it stays open as it was.
    pub fn reopen(&self) -> Result<()> {
        let _running = self.0.ctx.running()?;
        location::reopen(&self.0.array).at(self.uri())
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Array").field("uri", &self.uri()).field("timestamps", &self.timestamps()).finish()
    }
}
