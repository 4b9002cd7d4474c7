//! C function that maintains an array by a policy, `tiledb_rs_array_maintain`, declared in `tiledb/tiledb_rs.h`.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use std::ffi::{c_char, c_void};
use std::ops::ControlFlow;

use super::array_args::{passed_config, stored_uri};
use super::boundary::{Buffer, In, Str, call_user, capi_return_t};
use super::call::{call, goes_on};
use super::handles::{tiledb_config_t, tiledb_ctx_t};
use super::watched::{CallbackError, UserData};
use tiledb::maintenance::{Maintenance, MaintenanceStep, StepKind};
use tiledb_core::error::Result;
use tiledb_core::types::Name;

/// What a step of maintenance is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_step_kind_t {
    /// Fragments were merged.
    TILEDB_RS_STEP_FRAGMENTS = 0,
    /// Commits were consolidated.
    TILEDB_RS_STEP_COMMITS = 1,
    /// The metadata of fragments was consolidated.
    TILEDB_RS_STEP_FRAGMENT_METADATA = 2,
    /// Files and folders that earlier consolidations replaced were removed.
    TILEDB_RS_STEP_VACUUM = 3,
    /// A consolidation whose process was killed was completed: the fragments that it merged are hidden.
    TILEDB_RS_STEP_RECOVERY = 4,
}

/// A step of `tiledb_rs_array_maintain`. All pointers are valid during the callback only.
#[repr(C)]
pub struct tiledb_rs_maintenance_step_t {
    /// The kind, a `tiledb_rs_step_kind_t`.
    pub kind: u32,
    /// 1 in a dry run, for a step that is planned; 0 for one that was taken.
    pub is_planned: u32,
    /// The number of fragments, commits or metadata of fragments that were consolidated, or of files and folders that were removed.
    pub sources: u64,
    /// The number of new fragments or files; 1 for a planned consolidation, 0 for a vacuum.
    pub results: u64,
    /// The size of the merged fragments in bytes; 0 for other kinds.
    pub bytes_read: u64,
    /// The size of the new fragments in bytes, estimated in a dry run; 0 for other kinds.
    pub bytes_written: u64,
    /// The reason, such as `57 fragments exceed sm.maintenance.max_fragments = 40`.
    pub reason: *const c_char,
}

/// Called with a step and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_maintenance_callback_t =
    Option<extern "C-unwind" fn(step: *const tiledb_rs_maintenance_step_t, data: *mut c_void) -> i32>;

/// Maintains an array by a policy: merges fragments, such that at most `sm.maintenance.max_fragments` are left and few bytes are
/// rewritten, consolidates commits and metadata of fragments beyond `sm.maintenance.max_commits` and
/// `sm.maintenance.max_fragment_metadata`, and removes what earlier calls replaced, if it has no cells within
/// `sm.maintenance.retention_ms`. The arrays of its dimension labels are maintained, too.
///
/// Call it regularly, beside readers and writers. It can be killed and called again at any time; a call that finds a killed one
/// completes its consolidation. A lease file among the commits, which expires after `sm.maintenance.lease_ms`, prevents that two
/// calls maintain an array at the same time: the second one fails. `tiledb_ctx_cancel_tasks` on another thread cancels it.
///
/// ```c
/// static int32_t show_step(const tiledb_rs_maintenance_step_t *step, void *data) {
///   printf("%llu sources, %llu bytes written: %s\n", (unsigned long long)step->sources,
///          (unsigned long long)step->bytes_written, step->reason);
///   return TILEDB_RS_CONTINUE;
/// }
/// // ...
/// tiledb_rs_array_maintain(ctx, "my_array", NULL, 0, show_step, NULL);
/// ```
///
/// @param ctx The context.
/// @param uri The URI of the array, which must not be on a TileDB server.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
/// @param dry_run Unless 0, nothing is changed, and the callback receives the steps that can be planned.
/// @param callback Called on this thread after each step. May be null.
/// @param data Passed to the callback.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if another maintainer is at work, or it was stopped or cancelled:
///     steps that were taken remain.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_maintain(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    dry_run: u32,
    callback: tiledb_rs_maintenance_callback_t,
    data: Buffer,
) -> capi_return_t {
    call(ctx, |context| {
        let uri = stored_uri("tiledb_rs_array_maintain", uri)?;
        let is_planned = dry_run != 0;
        let data = UserData::new(data);
        let failure = CallbackError::default();
        let mut maintenance = Maintenance::new().on_step(|step| match callback {
            Some(callback) => failure.flow(report(step, is_planned, |step| callback(step, data.as_ptr()))),
            None => ControlFlow::Continue(()),
        });
        if let Some(config) = passed_config(config)? {
            maintenance = maintenance.config(&config);
        }
        let result = match is_planned {
            true => maintenance.preview(context.tiledb(), uri.as_str()),
            false => maintenance.run(context.tiledb(), uri.as_str()),
        };
        failure.result(result).map(drop)
    })
}

/// Passes a step to the callback.
fn report(
    step: &MaintenanceStep,
    is_planned: bool,
    callback: impl FnOnce(*const tiledb_rs_maintenance_step_t) -> i32,
) -> Result<()> {
    use tiledb_rs_step_kind_t::*;
    let kind = match step.kind {
        StepKind::Fragments => TILEDB_RS_STEP_FRAGMENTS,
        StepKind::Commits => TILEDB_RS_STEP_COMMITS,
        StepKind::FragmentMetadata => TILEDB_RS_STEP_FRAGMENT_METADATA,
        StepKind::Vacuum => TILEDB_RS_STEP_VACUUM,
        _ => TILEDB_RS_STEP_RECOVERY,
    };
    let reason = Name::new(&step.reason);
    let seen = tiledb_rs_maintenance_step_t {
        kind: kind as u32,
        is_planned: is_planned.into(),
        sources: step.sources,
        results: step.results,
        bytes_read: step.bytes_read,
        bytes_written: step.bytes_written,
        reason: reason.as_c_str().as_ptr(),
    };
    let answer = call_user(|| callback(&raw const seen))?;
    goes_on("tiledb_rs_array_maintain", answer, format_args!("at a step"))
}
