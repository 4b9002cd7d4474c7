//! Reads into buffers of the caller.

use std::sync::Arc;

use super::session::QuerySession;
use crate::element::{Element, check_type};
use crate::error::{AtUri, Error, Result};
use crate::schema::Field;
use tiledb_core::types::Name;
use tiledb_query::ResultSlices;

/// A read that fills buffers of the caller; made by [`ReadQuery::reader`](crate::ReadQuery::reader).
///
/// Use it to read into memory that exists already, such as that of an image. Otherwise
/// [`batches`](crate::ReadQuery::batches) are simpler.
///
/// ```
/// # use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
/// use tiledb::Buffers;
/// # let ctx = Context::new()?;
/// # let schema = ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32)).attribute(Attribute::new::<i32>("a")).build()?;
/// # Array::create(&ctx, "mem://read_into", &schema)?;
/// # Array::open_for_writing(&ctx, "mem://read_into")?.write().values("a", &(0..10).collect::<Vec<i32>>()).submit()?;
/// let array = Array::open(&ctx, "mem://read_into")?;
/// let mut buffer = [0_i32; 4];
/// let mut cells: Vec<i32> = Vec::new();
/// let mut reader = array.read().range("x", 2..8).reader()?;
/// loop {
///     let counts = reader.read(Buffers::new().values("a", &mut buffer))?;
///     cells.extend(&buffer[..counts.values("a")]);
///     if counts.is_complete() {
///         break;
///     }
/// }
/// assert_eq!(cells, [2, 3, 4, 5, 6, 7]);
/// # Ok::<(), tiledb::Error>(())
/// ```
pub struct Reader {
    session: QuerySession,
}

/// Buffers that a [`Reader`] fills, borrowed for one call.
#[derive(Default)]
pub struct Buffers<'b> {
    parts: Vec<BufferSlices<'b>>,
}

struct BufferSlices<'b> {
    name: &'b str,
    check: fn(&Field) -> Result<()>,
    data: &'b mut [u8],
    value_size: usize,
    offsets: Option<&'b mut [u64]>,
    validity: Option<&'b mut [u8]>,
}

fn is_fixed<T: Element>(field: &Field) -> Result<()> {
    check_type::<T>(field.name(), field.datatype())?;
    match field.is_var() {
        true => Err(Error::invalid(format!("Field '{}' has any number of values; add offsets", field.name()))),
        false => Ok(()),
    }
}

fn is_var<T: Element>(field: &Field) -> Result<()> {
    check_type::<T>(field.name(), field.datatype())?;
    match field.is_var() {
        true => Ok(()),
        false => Err(Error::invalid(format!("Field '{}' has no offsets", field.name()))),
    }
}

impl<'b> Buffers<'b> {
    /// No buffers.
    pub fn new() -> Buffers<'b> {
        Buffers::default()
    }

    fn with<T: Element>(
        mut self,
        name: &'b str,
        data: &'b mut [T],
        offsets: Option<&'b mut [u64]>,
        validity: Option<&'b mut [u8]>,
    ) -> Buffers<'b> {
        let check = if offsets.is_some() { is_var::<T> } else { is_fixed::<T> };
        let data = bytemuck::cast_slice_mut(data);
        self.parts.push(BufferSlices { name, check, data, value_size: size_of::<T>(), offsets, validity });
        self
    }

    /// A buffer for the values of a field.
    #[must_use]
    pub fn values<T: Element>(self, name: &'b str, data: &'b mut [T]) -> Buffers<'b> {
        self.with(name, data, None, None)
    }

    /// Buffers for the values of a nullable field and a byte per cell that is 0 for null.
    #[must_use]
    pub fn nullable<T: Element>(self, name: &'b str, data: &'b mut [T], validity: &'b mut [u8]) -> Buffers<'b> {
        self.with(name, data, None, Some(validity))
    }

    /// Buffers for the values of a field with any number of values per cell, such as texts, and for the offsets of the cells in
    /// bytes: one more than there are cells.
    #[must_use]
    pub fn var<T: Element>(self, name: &'b str, data: &'b mut [T], offsets: &'b mut [u64]) -> Buffers<'b> {
        self.with(name, data, Some(offsets), None)
    }

    /// As [`Buffers::var`], of a nullable field.
    #[must_use]
    pub fn var_nullable<T: Element>(
        self,
        name: &'b str,
        data: &'b mut [T],
        offsets: &'b mut [u64],
        validity: &'b mut [u8],
    ) -> Buffers<'b> {
        self.with(name, data, Some(offsets), Some(validity))
    }
}

/// How much of its buffers a [`Reader`] filled.
#[derive(Clone, Debug)]
pub struct ReadCounts {
    is_complete: bool,
    /// Names with the numbers of values and cells.
    counts: Vec<(Name, usize, usize)>,
}

impl ReadCounts {
    /// Whether these were the last results. Otherwise the next call of [`Reader::read`] continues.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The number of values of a field.
    pub fn values(&self, name: &str) -> usize {
        self.counts.iter().find(|(known, ..)| **known == *name).map_or(0, |(_, values, _)| *values)
    }

    /// The number of cells of a field.
    pub fn cells(&self, name: &str) -> usize {
        self.counts.iter().find(|(known, ..)| **known == *name).map_or(0, |(.., cells)| *cells)
    }
}

impl Reader {
    pub(super) fn new(session: QuerySession) -> Reader {
        Reader { session }
    }

    /// The number of coordinates that are read of each dimension of a dense array.
    #[cfg(feature = "ndarray")]
    pub(crate) fn shape(&self) -> Result<Vec<usize>> {
        let query = &self.session.query;
        let schema = query.array().schema();
        if !schema.is_dense() {
            let message = "Only the cells of dense arrays fill an array of ndarray";
            return Err(Error::invalid(message).at(self.session.handle.uri()));
        }
        let lengths = schema.domain().dimensions().iter().zip(query.subarray().sets()).map(|(dimension, set)| {
            let of_range = |range: &tiledb_core::types::CellRange| {
                usize::try_from(range.distance(dimension.datatype())?).ok()?.checked_add(1)
            };
            let total = set.ranges().iter().try_fold(0_usize, |sum, range| sum.checked_add(of_range(range)?));
            total.ok_or_else(|| Error::invalid("The cells do not fit into memory"))
        });
        lengths.collect()
    }

    /// Fills buffers with the next results. Every call has buffers for the same fields.
    ///
    /// If not a single cell fits into the buffers, the counts are 0 and the read is not complete.
    ///
    /// # Errors
    /// If a buffer does not fit its field, or the read fails.
    pub fn read(&mut self, buffers: Buffers<'_>) -> Result<ReadCounts> {
        let schema = Arc::clone(self.session.query.array().schema());
        let uri = self.session.handle.uri();
        let mut counts = Vec::with_capacity(buffers.parts.len());
        let mut slices = Vec::with_capacity(buffers.parts.len());
        let mut cell_sizes = Vec::with_capacity(buffers.parts.len());
        for part in buffers.parts {
            let Some(field) = Field::find(&schema, part.name) else {
                return Err(Error::not_found(format!("There is no field '{}'", part.name)).at(uri));
            };
            (part.check)(&field).at(uri)?;
            cell_sizes.push((!field.is_var()).then(|| field.cell_size().max(1)));
            counts.push((field.name.clone(), part.value_size, 0));
            slices.push(ResultSlices {
                name: field.name,
                data: part.data,
                offsets: part.offsets,
                validity: part.validity,
            });
        }
        let filled = self.session.run(|query, submit| query.submit_into_slices(slices, |query| submit(query)))?;
        for (((_, values, cells), cell_size), [data, offsets, _]) in counts.iter_mut().zip(cell_sizes).zip(filled) {
            let [data, offsets] = [data, offsets].map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
            *values = data / *values;
            *cells = cell_size.map_or((offsets / 8).saturating_sub(1), |size| data / size);
        }
        Ok(ReadCounts { counts, is_complete: self.session.is_complete() })
    }
}
