//! The buffers of the fields of a query.

use super::model::Cell;
use super::model::value::Value;
use super::shape::ArrayShape;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::Result;
use tiledb_query::Query;

/// A field of an array, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestField {
    Dimension(usize),
    Attribute(usize),
}

impl TestField {
    pub fn name(self, shape: &ArrayShape) -> String {
        match self {
            TestField::Dimension(number) => format!("d{number}"),
            TestField::Attribute(number) => shape.attributes[number].name.clone(),
        }
    }

    /// The number of the attribute, if it is one.
    pub fn attribute(self) -> Option<usize> {
        if let TestField::Attribute(number) = self { Some(number) } else { None }
    }

    fn is_var(self, shape: &ArrayShape) -> bool {
        match self {
            TestField::Dimension(number) => shape.dimensions[number].is_text(),
            TestField::Attribute(number) => shape.attributes[number].is_var(),
        }
    }

    fn is_nullable(self, shape: &ArrayShape) -> bool {
        matches!(self, TestField::Attribute(number) if shape.attributes[number].nullable)
    }

    fn cell_bytes(self, shape: &ArrayShape) -> usize {
        match self {
            TestField::Dimension(number) => shape.dimensions[number].encode(0).len(),
            TestField::Attribute(number) => shape.attributes[number].cell_bytes(),
        }
    }
}

/// Maximum bytes of a value of variable size.
const MAX_VALUE: usize = 12;

pub struct ColumnBuffer {
    field: TestField,
    name: String,
    data: Vec<u8>,
    starts: Vec<u64>,
    validity: Vec<u8>,
    /// Bytes of the data, the starts and the validity.
    sizes: Box<[u64; 3]>,
}

impl ColumnBuffer {
    /// The values of cells that are written. Attributes that a cell lacks are null or empty.
    pub fn of_cells(shape: &ArrayShape, field: TestField, cells: &[Cell]) -> ColumnBuffer {
        let value = |cell: &Cell| match field {
            TestField::Dimension(number) => shape.dimensions[number].encode(cell.at[number]),
            TestField::Attribute(number) => {
                shape.attributes[number].encode(cell.values.get(&number).unwrap_or(&Value::Null))
            }
        };
        let mut column = ColumnBuffer::empty(shape, field);
        for cell in cells {
            if field.is_var(shape) {
                column.starts.push(column.data.len() as u64);
            }
            column.data.extend(value(cell));
            if let (TestField::Attribute(number), true) = (field, field.is_nullable(shape)) {
                column.validity.push(u8::from(cell.values.get(&number).is_some_and(|value| *value != Value::Null)));
            }
        }
        column
    }

    /// Buffers for the results of a read, of so many cells.
    pub fn for_results(shape: &ArrayShape, field: TestField, cells: usize) -> ColumnBuffer {
        let mut column = ColumnBuffer::empty(shape, field);
        if field.is_var(shape) {
            column.data = vec![0; (4 * cells).max(MAX_VALUE)];
            column.starts = vec![0; cells];
        } else {
            column.data = vec![0; field.cell_bytes(shape) * cells];
        }
        column.validity = vec![0; if field.is_nullable(shape) { cells } else { 0 }];
        column
    }

    fn empty(shape: &ArrayShape, field: TestField) -> ColumnBuffer {
        let name = field.name(shape);
        ColumnBuffer { field, name, data: Vec::new(), starts: Vec::new(), validity: Vec::new(), sizes: Box::default() }
    }

    /// Sets the buffers, which have to outlive the next submit.
    ///
    /// # Errors
    /// As the query.
    pub fn attach(&mut self, query: &mut Query) -> Result<()> {
        *self.sizes = [self.data.len() as u64, 8 * self.starts.len() as u64, self.validity.len() as u64];
        // The address of an empty vector is no memory.
        self.data.reserve(1);
        let [data, starts, validity] = self.sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer(&self.name, UserPtr::in_test(self.data.as_mut_ptr()), data)?;
        if !self.starts.is_empty() {
            query.set_offsets_buffer(&self.name, UserPtr::in_test(self.starts.as_mut_ptr().cast()), starts)?;
        }
        if !self.validity.is_empty() {
            query.set_validity_buffer(&self.name, UserPtr::in_test(self.validity.as_mut_ptr()), validity)?;
        }
        Ok(())
    }

    /// Number of cells that were read.
    pub fn count(&self, shape: &ArrayShape) -> usize {
        match self.field.is_var(shape) {
            true => self.sizes[1] as usize / 8,
            false => self.sizes[0] as usize / self.field.cell_bytes(shape),
        }
    }

    /// Adds the value of a cell that was read to it. An error describes a coordinate that is none.
    pub fn deliver(&self, shape: &ArrayShape, position: usize, cell: &mut Cell) -> std::result::Result<(), String> {
        let size = self.field.cell_bytes(shape);
        let bytes = match self.field.is_var(shape) {
            true => {
                let end = if position + 1 < self.count(shape) { self.starts[position + 1] } else { self.sizes[0] };
                &self.data[self.starts[position] as usize..end as usize]
            }
            false => &self.data[size * position..][..size],
        };
        match self.field {
            TestField::Dimension(number) => {
                let at = shape.dimensions[number].decode(bytes);
                cell.at.push(at.ok_or_else(|| format!("{} is {bytes:?}", self.name))?);
            }
            TestField::Attribute(number) => {
                let is_null = self.validity.get(position) == Some(&0);
                let value = if is_null { Value::Null } else { shape.attributes[number].decode(bytes) };
                cell.values.insert(number, value);
            }
        }
        Ok(())
    }
}
