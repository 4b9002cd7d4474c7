//! Work on whole arrays: merging fragments, removing what was merged or left behind.

use std::ffi::{c_char, c_void};

use super::context::{Config, Context, ask, call};
use super::error::Result;
use super::handle::{lent, text};

/// Who is told how far a work has come, and says whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

unsafe extern "C" fn tell(done: u64, total: u64, progress: *mut c_void) -> i32 {
    // SAFETY: this is the closure that a function below was given, which nobody else calls meanwhile.
    let progress = unsafe { &mut *progress.cast::<Progress<'_>>() };
    i32::from(progress(done, total))
}

/// Consolidates an array.
pub fn consolidate(ctx: &Context, uri: &str, config: &Config, mut progress: Progress<'_>) -> Result<()> {
    let uri = text(uri)?;
    let data: *mut Progress<'_> = &raw mut progress;
    call!(ctx, tiledb_rs_array_consolidate(uri.as_ptr(), config.raw(), tell, data.cast()))
}

/// Removes what consolidations have merged.
pub fn vacuum(ctx: &Context, uri: &str, config: &Config, mut progress: Progress<'_>) -> Result<()> {
    let uri = text(uri)?;
    let data: *mut Progress<'_> = &raw mut progress;
    call!(ctx, tiledb_rs_array_vacuum(uri.as_ptr(), config.raw(), tell, data.cast()))
}

/// Writes the schema anew in the newest format version.
pub fn upgrade(ctx: &Context, uri: &str, config: &Config) -> Result<()> {
    let uri = text(uri)?;
    call!(ctx, tiledb_array_upgrade_version(uri.as_ptr(), config.raw()))
}

/// The folders that writers left which did not come to their end.
pub fn orphans(ctx: &Context, uri: &str) -> Result<Vec<String>> {
    unsafe extern "C" fn tell(uri: *const c_char, found: *mut c_void) -> i32 {
        // SAFETY: this is the list below, which nobody else looks at meanwhile.
        let found = unsafe { &mut *found.cast::<Vec<String>>() };
        found.push(lent(uri));
        1
    }
    let (uri, mut found) = (text(uri)?, Vec::<String>::new());
    call!(ctx, tiledb_rs_array_orphans(uri.as_ptr(), tell, (&raw mut found).cast()))?;
    Ok(found)
}

/// Removes the folders that [`orphans`] lists.
pub fn sweep(ctx: &Context, uri: &str) -> Result<u64> {
    let uri = text(uri)?;
    ask!(ctx, 0, tiledb_rs_array_sweep(uri.as_ptr()))
}
