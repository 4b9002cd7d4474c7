//! Maintenance of arrays: consolidation, vacuuming, orphaned fragments, format upgrades.

use std::ffi::{c_char, c_void};

use super::advise::AdvisedSchema;
use super::context::{Config, Context, call};
use super::error::Result;
use super::handle::{lent, taken, text};

/// Progress callback: done and total; returns false to cancel.
pub type ProgressCallback<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

unsafe extern "C" fn report(done: u64, total: u64, progress: *mut c_void) -> i32 {
    // SAFETY: this is the closure that was passed to a function below, which nothing else calls meanwhile.
    let progress = unsafe { &mut *progress.cast::<ProgressCallback<'_>>() };
    i32::from(progress(done, total))
}

/// Consolidates an array.
pub fn consolidate(ctx: &Context, uri: &str, config: &Config, mut progress: ProgressCallback<'_>) -> Result<()> {
    let uri = text(uri)?;
    let data: *mut ProgressCallback<'_> = &raw mut progress;
    call!(ctx, tiledb_rs_array_consolidate(uri.as_ptr(), config.raw(), report, data.cast()))
}

/// Vacuums an array.
pub fn vacuum(ctx: &Context, uri: &str, config: &Config, mut progress: ProgressCallback<'_>) -> Result<()> {
    let uri = text(uri)?;
    let data: *mut ProgressCallback<'_> = &raw mut progress;
    call!(ctx, tiledb_rs_array_vacuum(uri.as_ptr(), config.raw(), report, data.cast()))
}

/// Rewrites the schema in the latest format version.
pub fn upgrade(ctx: &Context, uri: &str, config: &Config) -> Result<()> {
    let uri = text(uri)?;
    call!(ctx, tiledb_array_upgrade_version(uri.as_ptr(), config.raw()))
}

/// Which libtiledb releases can read an array.
pub struct Compatibility {
    /// The newest format version of its files.
    pub version: u32,
    /// The oldest one in which it can be written.
    pub required: u32,
    /// The releases, then a line for each reason.
    pub readers: Vec<String>,
}

impl Compatibility {
    /// Examines an array.
    pub fn of_array(ctx: &Context, uri: &str) -> Result<Self> {
        let (uri, mut version, mut required, mut readers) = (text(uri)?, 0, 0, std::ptr::null_mut());
        call!(ctx, tiledb_rs_array_compatibility(uri.as_ptr(), &raw mut version, &raw mut required, &raw mut readers))?;
        Ok(Self { version, required, readers: taken(readers).lines().map(str::to_owned).collect() })
    }
}

/// Copies an array into a new one of another format version.
pub fn downgrade(ctx: &Context, from: &str, to: &str, version: u32, mut progress: ProgressCallback<'_>) -> Result<()> {
    let (from, to) = (text(from)?, text(to)?);
    let data: *mut ProgressCallback<'_> = &raw mut progress;
    call!(ctx, tiledb_rs_array_downgrade(from.as_ptr(), to.as_ptr(), version, report, data.cast()))
}

/// Copies an array into a new one with the filters of a schema, and compares them.
pub fn rewrite(
    ctx: &Context,
    from: &str,
    to: &str,
    schema: Option<&AdvisedSchema>,
    merge: bool,
    resume: bool,
    mut progress: ProgressCallback<'_>,
) -> Result<()> {
    let (from, to, schema) = (text(from)?, text(to)?, schema.map_or(std::ptr::null_mut(), |schema| schema.0.raw()));
    let data: *mut ProgressCallback<'_> = &raw mut progress;
    let (fragments, resume) = (u32::from(merge), u8::from(resume));
    call!(ctx, tiledb_rs_array_rewrite(from.as_ptr(), to.as_ptr(), schema, fragments, resume, report, data.cast()))
}

#[derive(Default)]
pub struct ConsolidationStep {
    pub sources: Vec<StepInput>,
    /// Maximum number of cells of the result.
    pub cells: u64,
    /// Total size of the inputs.
    pub bytes: u64,
}

/// An input fragment or file.
pub struct StepInput {
    /// Its URI, or the number of the step that creates it.
    pub origin: std::result::Result<String, u64>,
    pub cells: u64,
    pub bytes: u64,
}

/// The steps that [`consolidate`] would take.
pub fn steps(ctx: &Context, uri: &str, config: &Config) -> Result<Vec<ConsolidationStep>> {
    unsafe extern "C" fn tell(
        number: u64,
        uri: *const c_char,
        made_by: u64,
        cells: u64,
        bytes: u64,
        found: *mut c_void,
    ) -> i32 {
        // SAFETY: this is the list below, which nothing else accesses meanwhile.
        let found = unsafe { &mut *found.cast::<Vec<ConsolidationStep>>() };
        if found.len() < number as usize {
            found.push(ConsolidationStep::default());
        }
        let Some(step) = found.last_mut() else { return -1 };
        if made_by == number {
            (step.cells, step.bytes) = (cells, bytes);
        } else {
            let origin = if uri.is_null() { Err(made_by) } else { Ok(lent(uri)) };
            step.sources.push(StepInput { origin, cells, bytes });
        }
        1
    }
    let (uri, mut found) = (text(uri)?, Vec::<ConsolidationStep>::new());
    call!(ctx, tiledb_rs_array_consolidate_steps(uri.as_ptr(), config.raw(), tell, (&raw mut found).cast()))?;
    Ok(found)
}

unsafe extern "C" fn note(uri: *const c_char, found: *mut c_void) -> i32 {
    // SAFETY: this is the list of one of the functions below, which nothing else accesses meanwhile.
    let found = unsafe { &mut *found.cast::<Vec<String>>() };
    found.push(lent(uri));
    1
}

/// The files and folders that [`vacuum`] would remove.
pub fn to_vacuum(ctx: &Context, uri: &str, config: &Config) -> Result<Vec<String>> {
    let (uri, mut found) = (text(uri)?, Vec::<String>::new());
    call!(ctx, tiledb_rs_array_vacuum_files(uri.as_ptr(), config.raw(), note, (&raw mut found).cast()))?;
    Ok(found)
}

/// Orphaned fragment folders.
pub fn orphans(ctx: &Context, uri: &str) -> Result<Vec<String>> {
    let (uri, mut found) = (text(uri)?, Vec::<String>::new());
    call!(ctx, tiledb_rs_array_orphans(uri.as_ptr(), note, (&raw mut found).cast()))?;
    Ok(found)
}

/// Removes the folders that [`orphans`] lists, in its order.
pub fn sweep(ctx: &Context, uri: &str, mut progress: ProgressCallback<'_>) -> Result<()> {
    let uri = text(uri)?;
    let data: *mut ProgressCallback<'_> = &raw mut progress;
    call!(ctx, tiledb_rs_array_sweep_watched(uri.as_ptr(), report, data.cast()))
}
