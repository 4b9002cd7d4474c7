//! Arrays of the crate `ndarray`.

use crate::datatype::Layout;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::query::{Buffers, ReadQuery, WriteQuery};
use ndarray::{ArrayD, ArrayView, Dimension};

impl ReadQuery<'_> {
    /// Runs the read of a dense array and returns the values of an attribute as an array of `ndarray`, whose axes are the
    /// dimensions. Of a dimension with several ranges the axis has their coordinates one after the other.
    ///
    /// ```
    /// use ndarray::array;
    /// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
    ///
    /// let ctx = Context::new()?;
    /// let schema = ArraySchema::dense()
    ///     .dimension(Dimension::new("row", 0..=1_i32))
    ///     .dimension(Dimension::new("column", 0..=2_i32))
    ///     .attribute(Attribute::new::<f64>("v"))
    ///     .build()?;
    /// Array::create(&ctx, "mem://nd", &schema)?;
    /// let image = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    /// Array::open_for_writing(&ctx, "mem://nd")?.write().ndarray("v", image.view()).submit()?;
    /// let part = Array::open(&ctx, "mem://nd")?.read().range("column", 1..).ndarray::<f64>("v")?;
    /// assert_eq!(part, array![[2.0, 3.0], [5.0, 6.0]].into_dyn());
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the array is sparse, or the attribute has values of another type or several per cell.
    pub fn ndarray<T: Element>(self, attribute: &str) -> Result<ArrayD<T>> {
        let mut reader = self.layout(Layout::RowMajor).reader()?;
        let shape = reader.shape()?;
        let count = shape.iter().try_fold(1_usize, |count, length| count.checked_mul(*length));
        let count = count.ok_or_else(|| Error::invalid("The cells do not fit into memory"))?;
        let mut values: Vec<T> = tiledb_core::memory::with_capacity("results", count)?;
        values.resize(count, bytemuck::Zeroable::zeroed());
        let mut start = 0;
        loop {
            let counts = reader.read(Buffers::new().values(attribute, &mut values[start..]))?;
            let read = counts.values(attribute);
            start += read;
            if counts.is_complete() {
                break;
            }
            if read == 0 {
                return Err(Error::invalid(format!("The cells of '{attribute}' have several values")));
            }
        }
        if start != count {
            return Err(Error::invalid(format!("Attribute '{attribute}' has {start} values, not {count}")));
        }
        ArrayD::from_shape_vec(shape, values).map_err(|error| Error::invalid(error.to_string()))
    }
}

impl<'b> WriteQuery<'b> {
    /// The values of an attribute of a dense array as a view of `ndarray`, whose axes are the dimensions. Values that are not in
    /// row-major order are copied. Without ranges the view fills the array.
    pub fn ndarray<T: Element, D: Dimension>(
        self,
        name: impl Into<String>,
        values: ArrayView<'b, T, D>,
    ) -> WriteQuery<'b> {
        let name = name.into();
        let query = self.layout(Layout::RowMajor);
        match values.to_slice() {
            Some(slice) => query.with(|cells| cells.values(name, slice)),
            None => {
                let copied: Vec<T> = values.iter().copied().collect();
                query.with(|cells| cells.owned(name, &copied))
            }
        }
    }
}
