//! The buffers of a query as they are set and asked for.

use super::state::Query;
use super::state::TIMESTAMPS;
use crate::error::{Result, bail};
use crate::query::columns::buffers::FieldBuffers;
use crate::query::columns::user::{UserBuffer, UserPtr};
use crate::query::columns::zipped::{COORDS, Zip};
use crate::schema::Field;
use crate::types::{Name, QueryType};

/// How many coordinates were given last.
#[derive(Default)]
pub(super) struct CoordinateCount {
    data: Counted,
    offsets: Counted,
}

/// A dimension whose buffer was set last, and how many coordinates it held.
#[derive(Default)]
struct Counted(Option<(Name, u64)>);

impl Counted {
    /// Takes note of a buffer; refuses another number of coordinates for the same dimension.
    fn count(&mut self, name: &str, count: u64) -> Result<()> {
        if self.0.as_ref().is_some_and(|(last, held)| last.as_str() == name && *held != count) {
            bail!(
                "[TileDB::Query] Error: Cannot set buffer; Input buffer for dimension '{name}' has a different number of \
                 coordinates than previously set coordinate buffers"
            );
        }
        self.0 = Some((Name::new(name), count));
        Ok(())
    }
}

impl Query {
    /// Records the buffer of fixed cells or of the values of variable ones.
    ///
    /// # Errors
    /// For a null address, an unknown field, a dimension in a dense write, a new field after the first submit.
    pub fn set_data_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        self.check_settable(name)?;
        let writes = self.kind != QueryType::Read;
        let buffer = UserBuffer::record(name, start, size, writes)?;
        if let Some(entry) = self.aggregates.entry(name) {
            entry.data = Some(buffer);
            return Ok(());
        }
        if self.set_label_data(name, buffer)? {
            return Ok(());
        }
        let schema = self.array.schema();
        let field = schema.field(name);
        if field.is_none() && ![TIMESTAMPS, COORDS].contains(&name) {
            bail!("[TileDB::Query] Error: Cannot set buffer; Invalid attribute/dimension/label '{name}'");
        }
        if writes && schema.is_dense() && field.is_none_or(|field| field.is_dimension) {
            bail!("[TileDB::Query] Error: Dense write queries cannot set dimension buffers");
        }
        let is_dimension = field.is_some_and(|field| field.is_dimension);
        if is_dimension && self.buffers.get(COORDS).is_some() || name == COORDS && self.has_dimension_buffers() {
            bail!(
                "[TileDB::Query] Error: Cannot set separate coordinate buffers and a zipped coordinate buffer in the \
                 same query"
            );
        }
        self.check_new(name)?;
        if writes && let Some(size) = field.filter(|field| is_dimension && !field.is_var()).map(Field::cell_size) {
            self.coordinates.data.count(name, buffer.capacity() / size.max(1) as u64)?;
        }
        self.entry(name)?.data = Some(buffer);
        Ok(())
    }

    /// Refuses buffers of queries that have none, and of zipped coordinates where these cannot be zipped.
    fn check_settable(&self, name: &str) -> Result<()> {
        self.check_has_buffers("set")?;
        if name == COORDS { Zip::check(self.array.schema()) } else { Ok(()) }
    }

    fn check_has_buffers(&self, what: &str) -> Result<()> {
        match self.kind {
            QueryType::Read | QueryType::Write | QueryType::ModifyExclusive => Ok(()),
            _ => bail!("[TileDB::Serialization] Error: Cannot {what} buffer; Unsupported query type."),
        }
    }

    /// True if a dimension has a buffer of its own.
    fn has_dimension_buffers(&self) -> bool {
        let domain = self.array.schema().domain();
        self.buffers.fields.iter().any(|field| domain.dimension(&field.name).is_some())
    }

    /// Records the buffer of the starts of variable cells.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and for fixed fields.
    pub fn set_offsets_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        self.check_settable(name)?;
        let buffer = UserBuffer::record(name, start, size, self.kind != QueryType::Read)?;
        if self.aggregates.set_offsets(name, buffer)? || self.set_label_offsets(name, buffer)? {
            return Ok(());
        }
        let Some(field) = self.array.schema().field(name) else {
            bail!(
                "[TileDB::Query] Error: Cannot set buffer; Invalid buffer name '{name}' (it should be an attribute, \
                 dimension, or dimension label)"
            );
        };
        if !field.is_var() {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute/dimension '{name}' is fixed-sized");
        }
        let is_dimension = field.is_dimension;
        self.check_new(name)?;
        if is_dimension && self.kind != QueryType::Read {
            let count = (buffer.capacity() / 8).saturating_sub(self.offsets.extra.into());
            self.coordinates.offsets.count(name, count)?;
        }
        self.entry(name)?.offsets = Some(buffer);
        Ok(())
    }

    /// Records the buffer of one validity byte per cell.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and for fields that are not nullable.
    pub fn set_validity_buffer(&mut self, name: &str, start: UserPtr<u8>, size: UserPtr<u64>) -> Result<()> {
        self.check_settable(name)?;
        let buffer = UserBuffer::record(&format!("{name} validity"), start, size, self.kind != QueryType::Read)?;
        if self.aggregates.set_validity(name, buffer)? {
            return Ok(());
        }
        let field = self.array.schema().field(name).filter(|field| !field.is_dimension);
        let Some(field) = field else {
            bail!("[TileDB::Query] Error: Cannot set buffer; Buffer name '{name}' is not an attribute");
        };
        if !field.nullable {
            bail!("[TileDB::Query] Error: Cannot set buffer; Input attribute '{name}' is not nullable");
        }
        self.check_new(name)?;
        self.entry(name)?.validity = Some(buffer);
        Ok(())
    }

    /// Refuses a field that comes too late.
    fn check_new(&self, name: &str) -> Result<()> {
        if self.is_initialized() && self.buffers.get(name).is_none() && !self.writes_apart() {
            bail!("[TileDB::Query] Error: Cannot set buffer for new attribute/dimension '{name}' after initialization");
        }
        Ok(())
    }

    /// The buffers of a field, unless it was written for good.
    fn entry(&mut self, name: &str) -> Result<&mut FieldBuffers> {
        if self.has_written(name) {
            bail!("[TileDB::Query] Error: Buffer {name} was already written");
        }
        Ok(self.buffers.entry(name))
    }

    /// The next cells of a write in global order may be as many as they will.
    pub(super) fn reset_coordinates(&mut self) {
        self.coordinates = CoordinateCount::default();
    }

    /// The recorded data buffer of a field, if one was set.
    ///
    /// # Errors
    /// For an unknown field.
    pub fn data_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        self.check_has_buffers("get")?;
        self.check_known(name)?;
        Ok(self.recorded(name).and_then(|field| field.data))
    }

    /// The recorded offsets buffer of a field, if one was set.
    ///
    /// # Errors
    /// For an unknown or fixed field.
    pub fn offsets_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        self.check_has_buffers("get")?;
        if name == COORDS {
            bail!("[TileDB::Query] Error: Cannot get buffer; Coordinates are not var-sized");
        }
        self.check_known(name)?;
        let schema = self.array.schema();
        let is_var = schema.label(name).is_some_and(|label| label.cell_val_num.is_var());
        if !is_var && !schema.field(name).is_some_and(|field| field.is_var()) {
            bail!("[TileDB::Query] Error: Cannot get buffer; '{name}' is fixed-sized");
        }
        Ok(self.recorded(name).and_then(|field| field.offsets))
    }

    /// The recorded validity buffer of a field, if one was set.
    ///
    /// # Errors
    /// For a field that does not exist or is not nullable.
    pub fn validity_buffer(&self, name: &str) -> Result<Option<UserBuffer>> {
        self.check_has_buffers("get")?;
        if !self.array.schema().field(name).is_some_and(|field| field.nullable) {
            bail!("[TileDB::Query] Error: Cannot get buffer; '{name}' is non-nullable");
        }
        Ok(self.buffers.get(name).and_then(|field| field.validity))
    }

    /// The buffers of a field or a label.
    fn recorded(&self, name: &str) -> Option<&FieldBuffers> {
        self.buffers.get(name).or_else(|| self.labels.buffers.get(name))
    }

    fn check_known(&self, name: &str) -> Result<()> {
        let schema = self.array.schema();
        if schema.field(name).is_none() && schema.label(name).is_none() && ![TIMESTAMPS, COORDS].contains(&name) {
            bail!("[TileDB::Query] Error: Cannot get buffer; Invalid attribute/dimension/label name '{name}'");
        }
        Ok(())
    }
}
