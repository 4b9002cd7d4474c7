//! The tiles that a read looks at.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};

use super::array::Array;
use super::condition::Condition;
use super::context::call;
use super::error::Result;
use super::handle::lent;
use super::query::{Range, subarray};

/// Tiles by fragments, by the names of these: whether a condition leaves a tile to be read.
pub type Looks = HashMap<String, HashMap<u64, bool>>;

unsafe extern "C" fn note(fragment: *const c_char, tile: u64, verdict: i32, looks: *mut c_void) -> i32 {
    // SAFETY: these are the tiles of the function below, which nobody else looks at meanwhile.
    let looks = unsafe { &mut *looks.cast::<Looks>() };
    let uri = lent(fragment);
    let name = uri.rsplit('/').next().unwrap_or_default();
    if let Some(tiles) = looks.get_mut(name) {
        tiles.insert(tile, verdict != 0);
    } else {
        looks.insert(name.to_owned(), HashMap::from([(tile, verdict != 0)]));
    }
    1
}

impl Array {
    /// The tiles that a read of some ranges looks at.
    pub fn looks(&self, ranges: &[Range], condition: Option<&Condition>) -> Result<Looks> {
        let (ctx, subarray) = (self.ctx(), subarray(self, ranges)?);
        let condition = condition.map_or(std::ptr::null_mut(), Condition::raw);
        let mut looks = Looks::new();
        let place = (&raw mut looks).cast();
        call!(ctx, tiledb_rs_subarray_tiles(self.raw(), subarray.raw(), condition, note, place))?;
        Ok(looks)
    }
}
