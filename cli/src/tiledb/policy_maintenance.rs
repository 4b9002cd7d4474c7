//! Maintenance of an array by a policy.

use std::ffi::c_void;

use super::context::{Config, Context, call};
use super::error::Result;
use super::handle::{lent, text};
use super::sys;

/// A step, taken or planned.
pub struct MaintenanceStep {
    /// 0 fragments, 1 commits, 2 fragment metadata, 3 vacuum, 4 recovery.
    pub kind: u32,
    /// Number of fragments or files that were consolidated or removed, and of new ones.
    pub sources: u64,
    pub results: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub reason: String,
}

/// Maintains an array, or plans to do so in a dry run. The steps are complete even if it fails later.
pub fn maintain_by_policy(
    ctx: &Context,
    uri: &str,
    config: &Config,
    dry_run: bool,
    steps: &mut Vec<MaintenanceStep>,
) -> Result<()> {
    unsafe extern "C" fn add(step: *const sys::tiledb_rs_maintenance_step_t, steps: *mut c_void) -> i32 {
        // SAFETY: the step is valid during this call; the other is the list of the caller, which nothing else uses meanwhile.
        let (step, steps) = unsafe { (&*step, &mut *steps.cast::<Vec<MaintenanceStep>>()) };
        steps.push(MaintenanceStep {
            kind: step.kind,
            sources: step.sources,
            results: step.results,
            bytes_read: step.bytes_read,
            bytes_written: step.bytes_written,
            reason: lent(step.reason),
        });
        1
    }
    let (uri, steps) = (text(uri)?, std::ptr::from_mut(steps));
    call!(ctx, tiledb_rs_array_maintain(uri.as_ptr(), config.raw(), dry_run.into(), add, steps.cast()))
}
