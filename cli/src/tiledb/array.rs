//! An open array.

use super::context::{Context, call, make};
use super::error::Result;
use super::handle::{Handle, text};
use super::schema::{Dimension, Schema};
use super::sys;
use super::value::Value;

/// Query types of the C interface.
pub(super) const READ: u32 = 0;
pub(super) const WRITE: u32 = 1;

/// Time window of an open array, in milliseconds since 1970.
#[derive(Clone, Copy, Default)]
pub struct Moments {
    pub from: Option<u64>,
    pub to: Option<u64>,
}

impl Moments {
    /// Whether a fragment's timestamps are within the window.
    pub fn hold(self, written: (u64, u64)) -> bool {
        written.0 >= self.from.unwrap_or(0) && written.1 <= self.to.unwrap_or(u64::MAX)
    }
}

/// An open array.
pub struct Array {
    handle: Handle<sys::tiledb_array_t>,
    ctx: Context,
    schema: Schema,
}

impl Array {
    /// Opens an array for reading.
    pub fn open(ctx: &Context, uri: &str, moments: Moments) -> Result<Self> {
        Self::open_to(READ, ctx, uri, moments)
    }

    /// Opens an array for writing.
    pub fn open_for_writing(ctx: &Context, uri: &str) -> Result<Self> {
        Self::open_to(WRITE, ctx, uri, Moments::default())
    }

    fn open_to(purpose: u32, ctx: &Context, uri: &str, moments: Moments) -> Result<Self> {
        let (name, uri) = (uri, text(uri)?);
        let handle = make!(ctx, tiledb_array_alloc(uri.as_ptr()), tiledb_array_free)?;
        if let Some(from) = moments.from {
            call!(ctx, tiledb_array_set_open_timestamp_start(handle.raw(), from))?;
        }
        if let Some(to) = moments.to {
            call!(ctx, tiledb_array_set_open_timestamp_end(handle.raw(), to))?;
        }
        call!(ctx, tiledb_array_open(handle.raw(), purpose)).map_err(|error| error.at(name))?;
        let schema = make!(ctx, tiledb_array_get_schema(handle.raw()), tiledb_array_schema_free)?;
        let schema = Schema::of(ctx, &schema)?;
        Ok(Self { handle, ctx: ctx.clone(), schema })
    }

    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Closes it: metadata that were put are written now.
    pub fn close(self) -> Result<()> {
        call!(&self.ctx, tiledb_array_close(self.raw()))
    }

    /// The context it is open in.
    pub(super) fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// The object as the C interface takes it.
    pub(super) fn raw(&self) -> *mut sys::tiledb_array_t {
        self.handle.raw()
    }

    /// The non-empty domain per dimension; `None` if the array is empty.
    pub fn non_empty_domain(&self) -> Result<Option<Vec<(Value, Value)>>> {
        let bounds = |(at, dimension): (usize, &Dimension)| self.bounds(at as u32, dimension);
        let all: Result<Vec<_>> = self.schema.dimensions.iter().enumerate().map(bounds).collect();
        Ok(all?.into_iter().collect())
    }

    fn bounds(&self, at: u32, dimension: &Dimension) -> Result<Option<(Value, Value)>> {
        let (ctx, raw) = (&self.ctx, self.raw());
        let mut is_empty = 0;
        let (low, high) = if dimension.is_var() {
            let (mut low, mut high) = (0, 0);
            call!(
                ctx,
                tiledb_array_get_non_empty_domain_var_size_from_index(
                    raw,
                    at,
                    &raw mut low,
                    &raw mut high,
                    &raw mut is_empty
                )
            )?;
            let (mut low, mut high) = (vec![0_u8; low as usize], vec![0_u8; high as usize]);
            call!(
                ctx,
                tiledb_array_get_non_empty_domain_var_from_index(
                    raw,
                    at,
                    low.as_mut_ptr().cast(),
                    high.as_mut_ptr().cast(),
                    &raw mut is_empty
                )
            )?;
            (low, high)
        } else {
            let mut both = vec![0_u8; 2 * dimension.datatype.size()];
            call!(
                ctx,
                tiledb_array_get_non_empty_domain_from_index(raw, at, both.as_mut_ptr().cast(), &raw mut is_empty)
            )?;
            let high = both.split_off(dimension.datatype.size());
            (both, high)
        };
        let value = |bytes: &[u8]| Value::of_bytes(dimension.datatype, bytes);
        Ok((is_empty == 0).then(|| (value(&low), value(&high))))
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // A failure to close after reading does not matter.
        _ = call!(&self.ctx, tiledb_array_close(self.raw()));
    }
}
