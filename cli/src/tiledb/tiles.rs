//! The tiles that a read intersects.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};

use super::array::Array;
use super::condition::Condition;
use super::context::call;
use super::error::Result;
use super::handle::lent;
use super::query::{Range, subarray};

/// Tiles by fragment name: whether each is read, or pruned by the condition.
pub type TileVerdicts = HashMap<String, HashMap<u64, bool>>;

unsafe extern "C" fn note(fragment: *const c_char, tile: u64, verdict: i32, verdicts: *mut c_void) -> i32 {
    // SAFETY: these are the tiles of the function below, which nothing else accesses meanwhile.
    let verdicts = unsafe { &mut *verdicts.cast::<TileVerdicts>() };
    let uri = lent(fragment);
    let name = uri.rsplit('/').next().unwrap_or_default();
    if let Some(tiles) = verdicts.get_mut(name) {
        tiles.insert(tile, verdict != 0);
    } else {
        verdicts.insert(name.to_owned(), HashMap::from([(tile, verdict != 0)]));
    }
    1
}

impl Array {
    /// The tiles that a read of ranges intersects.
    pub fn tile_verdicts(&self, ranges: &[Range], condition: Option<&Condition>) -> Result<TileVerdicts> {
        let (ctx, subarray) = (self.ctx(), subarray(self, ranges)?);
        let condition = condition.map_or(std::ptr::null_mut(), Condition::raw);
        let mut verdicts = TileVerdicts::new();
        let place = (&raw mut verdicts).cast();
        call!(ctx, tiledb_rs_subarray_tiles(self.raw(), subarray.raw(), condition, note, place))?;
        Ok(verdicts)
    }
}
