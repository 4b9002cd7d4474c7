//! Conditions of queries.

use super::context::{Context, call, make};
use super::error::Result;
use super::handle::{Handle, text};
use super::sys;

/// How a field is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparisonOp {
    Less = 0,
    LessOrEqual = 1,
    Greater = 2,
    GreaterOrEqual = 3,
    Equal = 4,
    NotEqual = 5,
}

pub struct Condition {
    handle: Handle<sys::tiledb_query_condition_t>,
    ctx: Context,
}

impl Condition {
    /// A field compared with a value; with null if there is none.
    pub fn compare(ctx: &Context, field: &str, operator: ComparisonOp, value: Option<&[u8]>) -> Result<Self> {
        let field = text(field)?;
        let handle = make!(ctx, tiledb_query_condition_alloc(), tiledb_query_condition_free)?;
        // An empty string has a non-null pointer: null means null.
        let place =
            value.map_or(std::ptr::null(), |value| if value.is_empty() { c"".as_ptr().cast() } else { value.as_ptr() });
        let size = value.map_or(0, |value| value.len() as u64);
        call!(ctx, tiledb_query_condition_init(handle.raw(), field.as_ptr(), place.cast(), size, operator as u32))?;
        Ok(Self { handle, ctx: ctx.clone() })
    }

    /// Both, or one of both.
    pub fn combine(self, other: &Self, is_and: bool) -> Result<Self> {
        let operator = u32::from(!is_and);
        let handle = make!(
            &self.ctx,
            tiledb_query_condition_combine(self.raw(), other.raw(), operator),
            tiledb_query_condition_free
        )?;
        Ok(Self { handle, ctx: self.ctx })
    }

    /// The object as the C interface takes it.
    pub(super) fn raw(&self) -> *mut sys::tiledb_query_condition_t {
        self.handle.raw()
    }
}
