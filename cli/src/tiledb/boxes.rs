//! The boxes of tiles (MBRs) of sparse fragments, and the schemas that fragments were written with.

use super::context::{ask, call, make};
use super::error::Result;
use super::fragments::FragmentInfo;
use super::handle::lent;
use super::schema::{Dimension, Schema};
use super::value::Value;

impl FragmentInfo {
    /// Number of tiles of a fragment with a bounding box; 0 for dense fragments.
    pub fn boxes(&self, fragment: u32) -> Result<u64> {
        ask!(self.ctx(), 0, tiledb_fragment_info_get_mbr_num(self.raw(), fragment))
    }

    /// The bounds of a tile in a dimension.
    pub fn box_side(&self, fragment: u32, tile: u32, number: u32, dimension: &Dimension) -> Result<(Value, Value)> {
        let (ctx, raw) = (self.ctx(), self.raw());
        let (low, high) = if dimension.is_var() {
            let (mut low, mut high) = (0, 0);
            let (low_size, high_size) = (&raw mut low, &raw mut high);
            call!(
                ctx,
                tiledb_fragment_info_get_mbr_var_size_from_index(raw, fragment, tile, number, low_size, high_size)
            )?;
            let (mut low, mut high) = (vec![0_u8; low as usize], vec![0_u8; high as usize]);
            let (low_place, high_place) = (low.as_mut_ptr().cast(), high.as_mut_ptr().cast());
            call!(
                ctx,
                tiledb_fragment_info_get_mbr_var_from_index(raw, fragment, tile, number, low_place, high_place)
            )?;
            (low, high)
        } else {
            let mut both = vec![0_u8; 2 * dimension.datatype.size()];
            let place = both.as_mut_ptr().cast();
            call!(ctx, tiledb_fragment_info_get_mbr_from_index(raw, fragment, tile, number, place))?;
            let high = both.split_off(dimension.datatype.size());
            (both, high)
        };
        let value = |bytes: &[u8]| Value::of_bytes(dimension.datatype, bytes);
        Ok((value(&low), value(&high)))
    }

    /// The name of the schema that a fragment was written with.
    pub fn schema_name(&self, fragment: u32) -> Result<String> {
        let name = ask!(self.ctx(), std::ptr::null(), tiledb_fragment_info_get_array_schema_name(self.raw(), fragment));
        Ok(lent(name?))
    }

    /// The schema that a fragment was written with.
    pub fn schema(&self, fragment: u32) -> Result<Schema> {
        let ctx = self.ctx();
        let schema = make!(ctx, tiledb_fragment_info_get_array_schema(self.raw(), fragment), tiledb_array_schema_free)?;
        Schema::of(ctx, &schema)
    }
}
