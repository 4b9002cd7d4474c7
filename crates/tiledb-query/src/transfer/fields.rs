//! The buffers of a query's fields, validated as they are set.

use super::request::{QueryRequest, closest_fields};
use tiledb_array::fragment::TIMESTAMPS;
use tiledb_array::schema::Field;
use tiledb_cells::columns::buffers::{Buffers, FieldBuffers};
use tiledb_cells::columns::user_buffer::UserBuffer;
use tiledb_cells::columns::zipped::{COORDS, Zip};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Name, QueryType};

/// The number of coordinates of the buffer that was set last. As in libtiledb, data and offsets buffers of all
/// dimensions share one count, and only a buffer of the same kind for the same dimension twice in a row is compared
/// with it: clients set all buffers of a write again with another count.
#[derive(Default)]
struct CoordinateCount {
    count: u64,
    /// The dimension whose data buffer was set last.
    data: Option<Name>,
    /// The dimension whose offsets buffer was set last.
    offsets: Option<Name>,
}

impl CoordinateCount {
    /// Records the number of coordinates in a data buffer.
    fn set_data(&mut self, name: &str, count: u64) -> Result<()> {
        self.check(self.data.as_ref(), name, count)?;
        (self.count, self.data) = (count, Some(Name::new(name)));
        Ok(())
    }

    /// Records the number of coordinates in an offsets buffer.
    fn set_offsets(&mut self, name: &str, count: u64) -> Result<()> {
        self.check(self.offsets.as_ref(), name, count)?;
        (self.count, self.offsets) = (count, Some(Name::new(name)));
        Ok(())
    }

    fn check(&self, last: Option<&Name>, name: &str, count: u64) -> Result<()> {
        if last.is_some_and(|last| last.as_str() == name) && self.count != count {
            bail!(
                "[TileDB::Query] Error: Cannot set buffer; Input buffer for dimension '{name}' has a different number of \
                 coordinates than previously set coordinate buffers"
            );
        }
        Ok(())
    }
}

/// The buffers of a query's fields.
#[derive(Default)]
pub struct Fields {
    /// In the order they were set first.
    pub buffers: Buffers,
    coordinates: CoordinateCount,
}

/// Progress of a query with a field.
#[derive(Clone, Copy)]
pub struct FieldStage {
    /// It has begun.
    pub begun: bool,
    /// The field was written permanently.
    pub written: bool,
}

/// Rejects buffers of queries that have none, and of zipped coordinates where these cannot be zipped.
///
/// # Errors
/// For such buffers.
pub fn check_settable(request: &QueryRequest, name: &str) -> Result<()> {
    check_has_buffers(request, "set")?;
    if name == COORDS { Zip::check(request.array.schema()) } else { Ok(()) }
}

/// Rejects queries that have no buffers.
///
/// # Errors
/// For such queries.
pub fn check_has_buffers(request: &QueryRequest, what: &str) -> Result<()> {
    match request.kind {
        QueryType::Read | QueryType::Write | QueryType::ModifyExclusive => Ok(()),
        _ => bail!("[TileDB::Serialization] Error: Cannot {what} buffer; Unsupported query type."),
    }
}

/// Rejects names that are neither fields nor labels.
///
/// # Errors
/// For such names.
pub fn check_known(request: &QueryRequest, name: &str) -> Result<()> {
    let schema = request.array.schema();
    if schema.field(name).is_none() && schema.label(name).is_none() && ![TIMESTAMPS, COORDS].contains(&name) {
        let names = closest_fields(schema, name);
        bail!("[TileDB::Query] Error: Cannot get buffer; Invalid attribute/dimension/label name '{name}'{names}");
    }
    Ok(())
}

impl Fields {
    /// Records the buffer of fixed cells or of the values of variable ones.
    ///
    /// # Errors
    /// For an unknown field, a dimension in a dense write, a new field of a query that has begun.
    pub fn set_data(
        &mut self,
        request: &QueryRequest,
        stage: FieldStage,
        name: &str,
        buffer: UserBuffer,
    ) -> Result<()> {
        let schema = request.array.schema();
        let writes = request.kind != QueryType::Read;
        let field = schema.field(name);
        if field.is_none() && ![TIMESTAMPS, COORDS].contains(&name) {
            let names = closest_fields(schema, name);
            bail!("[TileDB::Query] Error: Cannot set buffer; Invalid attribute/dimension/label '{name}'{names}");
        }
        if writes && schema.is_dense() && field.is_none_or(|field| field.is_dimension) {
            bail!(
                "[TileDB::Query] Error: Dense write queries cannot set dimension buffers: set a subarray instead of the buffer \
                 of '{name}'"
            );
        }
        let is_dimension = field.is_some_and(|field| field.is_dimension);
        if is_dimension && self.buffers.get(COORDS).is_some() || name == COORDS && self.has_dimensions(request) {
            bail!(
                "[TileDB::Query] Error: Cannot set separate coordinate buffers and a zipped coordinate buffer in the \
                 same query: '{name}' is one of them"
            );
        }
        self.check_new(request, stage, name)?;
        if writes && let Some(size) = field.filter(|field| is_dimension && !field.is_var()).map(Field::cell_size) {
            self.coordinates.set_data(name, buffer.capacity() / size.max(1) as u64)?;
        }
        self.entry(stage, name)?.data = Some(buffer);
        Ok(())
    }

    /// Records the buffer of the starts of variable cells.
    ///
    /// # Errors
    /// As [`Fields::set_data`], and for fixed fields.
    pub fn set_offsets(
        &mut self,
        request: &QueryRequest,
        stage: FieldStage,
        name: &str,
        buffer: UserBuffer,
    ) -> Result<()> {
        let Some(field) = request.array.schema().field(name) else {
            bail!(
                "[TileDB::Query] Error: Cannot set buffer; Invalid buffer name '{name}' (it should be an attribute, \
                 dimension, or dimension label){}",
                closest_fields(request.array.schema(), name)
            );
        };
        if !field.is_var() {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute/dimension '{name}' is fixed-sized");
        }
        self.check_new(request, stage, name)?;
        if field.is_dimension && request.kind != QueryType::Read {
            let count = (buffer.capacity() / 8).saturating_sub(request.offsets.extra.into());
            self.coordinates.set_offsets(name, count)?;
        }
        self.entry(stage, name)?.offsets = Some(buffer);
        Ok(())
    }

    /// Records the buffer of one validity byte per cell.
    ///
    /// # Errors
    /// As [`Fields::set_data`], and for fields that are not nullable.
    pub fn set_validity(
        &mut self,
        request: &QueryRequest,
        stage: FieldStage,
        name: &str,
        buffer: UserBuffer,
    ) -> Result<()> {
        let field = request.array.schema().field(name).filter(|field| !field.is_dimension);
        let Some(field) = field else {
            bail!("[TileDB::Query] Error: Cannot set buffer; Buffer name '{name}' is not an attribute");
        };
        if !field.nullable {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute '{name}' is not nullable");
        }
        self.check_new(request, stage, name)?;
        self.entry(stage, name)?.validity = Some(buffer);
        Ok(())
    }

    /// The next cells of a write may be as many as they will.
    pub fn reset_coordinates(&mut self) {
        self.coordinates = CoordinateCount::default();
    }

    /// True if a dimension has a separate buffer.
    fn has_dimensions(&self, request: &QueryRequest) -> bool {
        let dimensions = request.array.schema().domain().dimensions();
        dimensions.iter().any(|dimension| self.buffers.get(dimension.name()).is_some())
    }

    /// Rejects a field that is set too late.
    fn check_new(&self, request: &QueryRequest, stage: FieldStage, name: &str) -> Result<()> {
        if stage.begun && self.buffers.get(name).is_none() && !request.writes_apart() {
            bail!(
                "[TileDB::Query] Error: Cannot set buffer for new attribute/dimension '{name}' after initialization: set it before \
                 the first tiledb_query_submit"
            );
        }
        Ok(())
    }

    /// The buffers of a field, unless it was written permanently.
    fn entry(&mut self, stage: FieldStage, name: &str) -> Result<&mut FieldBuffers> {
        if stage.written {
            bail!("[TileDB::Query] Error: Buffer {name} was already written");
        }
        Ok(self.buffers.entry(name))
    }
}
