//! The fragments of an array: timestamps, non-empty domains, sizes.

use super::context::{Context, ask, call, make};
use super::error::Result;
use super::handle::{Handle, lent, text};
use super::schema::Dimension;
use super::sys;
use super::value::Value;

/// Fragment information of an array.
pub struct FragmentInfo {
    handle: Handle<sys::tiledb_fragment_info_t>,
    ctx: Context,
}

/// One fragment.
pub struct Fragment {
    /// Index in the fragment information.
    pub number: u32,
    pub uri: String,
    /// When it was written, in milliseconds since 1970; from and to for a consolidated one.
    pub moments: (u64, u64),
    pub cells: u64,
    /// Bytes of all its files.
    pub bytes: u64,
    pub version: u32,
    pub is_dense: bool,
    /// Its bounds per dimension.
    pub domain: Vec<(Value, Value)>,
}

impl Fragment {
    /// The last part of its URI.
    pub fn name(&self) -> &str {
        self.uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }
}

impl FragmentInfo {
    /// Loads fragment information.
    pub fn load(ctx: &Context, uri: &str) -> Result<Self> {
        let uri = text(uri)?;
        let handle = make!(ctx, tiledb_fragment_info_alloc(uri.as_ptr()), tiledb_fragment_info_free)?;
        call!(ctx, tiledb_fragment_info_load(handle.raw()))?;
        Ok(Self { handle, ctx: ctx.clone() })
    }

    /// The context that it was loaded in.
    pub(super) fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// The object as the C interface takes it.
    pub(super) fn raw(&self) -> *mut sys::tiledb_fragment_info_t {
        self.handle.raw()
    }

    /// All fragments, the oldest first.
    pub fn fragments(&self, dimensions: &[Dimension]) -> Result<Vec<Fragment>> {
        let count = ask!(&self.ctx, 0, tiledb_fragment_info_get_fragment_num(self.handle.raw()))?;
        (0..count).map(|at| self.fragment(at, dimensions)).collect()
    }

    fn fragment(&self, at: u32, dimensions: &[Dimension]) -> Result<Fragment> {
        let (ctx, raw) = (&self.ctx, self.handle.raw());
        let (mut from, mut to) = (0, 0);
        call!(ctx, tiledb_fragment_info_get_timestamp_range(raw, at, &raw mut from, &raw mut to))?;
        let bounds = |(number, dimension): (usize, &Dimension)| self.bounds(at, number as u32, dimension);
        Ok(Fragment {
            number: at,
            uri: lent(ask!(ctx, std::ptr::null(), tiledb_fragment_info_get_fragment_uri(raw, at))?),
            moments: (from, to),
            cells: ask!(ctx, 0, tiledb_fragment_info_get_cell_num(raw, at))?,
            bytes: ask!(ctx, 0, tiledb_fragment_info_get_fragment_size(raw, at))?,
            version: ask!(ctx, 0, tiledb_fragment_info_get_version(raw, at))?,
            is_dense: ask!(ctx, 0, tiledb_fragment_info_get_dense(raw, at))? != 0,
            domain: dimensions.iter().enumerate().map(bounds).collect::<Result<_>>()?,
        })
    }

    /// The bounds of a fragment in a dimension.
    fn bounds(&self, at: u32, number: u32, dimension: &Dimension) -> Result<(Value, Value)> {
        let (ctx, raw) = (&self.ctx, self.handle.raw());
        let (low, high) = if dimension.is_var() {
            let (mut low, mut high) = (0, 0);
            let (low_size, high_size) = (&raw mut low, &raw mut high);
            call!(
                ctx,
                tiledb_fragment_info_get_non_empty_domain_var_size_from_index(raw, at, number, low_size, high_size)
            )?;
            let (mut low, mut high) = (vec![0_u8; low as usize], vec![0_u8; high as usize]);
            let (low_place, high_place) = (low.as_mut_ptr().cast(), high.as_mut_ptr().cast());
            call!(
                ctx,
                tiledb_fragment_info_get_non_empty_domain_var_from_index(raw, at, number, low_place, high_place)
            )?;
            (low, high)
        } else {
            let mut both = vec![0_u8; 2 * dimension.datatype.size()];
            let place = both.as_mut_ptr().cast();
            call!(ctx, tiledb_fragment_info_get_non_empty_domain_from_index(raw, at, number, place))?;
            let high = both.split_off(dimension.datatype.size());
            (both, high)
        };
        let value = |bytes: &[u8]| Value::of_bytes(dimension.datatype, bytes);
        Ok((value(&low), value(&high)))
    }

    /// Fragments that were merged into others and wait for a vacuum.
    pub fn to_vacuum(&self) -> Result<Vec<String>> {
        let (ctx, raw) = (&self.ctx, self.handle.raw());
        let count = ask!(ctx, 0, tiledb_fragment_info_get_to_vacuum_num(raw))?;
        (0..count)
            .map(|at| Ok(lent(ask!(ctx, std::ptr::null(), tiledb_fragment_info_get_to_vacuum_uri(raw, at))?)))
            .collect()
    }

    /// How many fragments have their footer in a file of their own only.
    pub fn unconsolidated(&self) -> Result<u32> {
        ask!(&self.ctx, 0, tiledb_fragment_info_get_unconsolidated_metadata_num(self.handle.raw()))
    }
}
