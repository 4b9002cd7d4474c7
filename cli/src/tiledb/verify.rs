//! Verification of arrays.

use std::ffi::c_void;

use super::context::{Context, call};
use super::error::Result;
use super::handle::{lent, text};
use super::maintain::ProgressCallback;
use super::sys;

/// A finding of a verification.
pub struct Finding {
    /// 0 note, 1 warning, 2 error.
    pub severity: u32,
    pub code: u32,
    pub file: String,
    pub field: Option<String>,
    pub fragment: Option<String>,
    pub tile: Option<u64>,
    pub offset: Option<u64>,
    pub text: String,
    pub remedy: String,
}

/// Totals of a verification.
#[derive(Clone, Copy, Default)]
pub struct Verified {
    pub files: u64,
    pub tiles: u64,
    pub bytes: u64,
    pub notes: u64,
    pub warnings: u64,
    pub errors: u64,
}

/// Callbacks of a verification.
struct Callbacks<'a> {
    on_finding: &'a mut dyn FnMut(Finding),
    progress: ProgressCallback<'a>,
}

/// Verifies every byte of an array.
pub fn verify(
    ctx: &Context,
    uri: &str,
    on_finding: &mut dyn FnMut(Finding),
    progress: ProgressCallback<'_>,
) -> Result<Verified> {
    unsafe extern "C" fn found(finding: *const sys::tiledb_rs_finding_t, callbacks: *mut c_void) -> i32 {
        // SAFETY: the finding is valid during this call; the other is the variable below, which nothing else uses meanwhile.
        let (finding, callbacks) = unsafe { (&*finding, &mut *callbacks.cast::<Callbacks<'_>>()) };
        (callbacks.on_finding)(Finding {
            severity: finding.severity,
            code: finding.code,
            file: lent(finding.file),
            field: Some(lent(finding.field)).filter(|name| !name.is_empty()),
            fragment: Some(lent(finding.fragment)).filter(|name| !name.is_empty()),
            tile: Some(finding.tile).filter(|&tile| tile != u64::MAX),
            offset: Some(finding.offset).filter(|&offset| offset != u64::MAX),
            text: lent(finding.text),
            remedy: lent(finding.remedy),
        });
        1
    }
    unsafe extern "C" fn advanced(done: u64, total: u64, callbacks: *mut c_void) -> i32 {
        // SAFETY: as above.
        let callbacks = unsafe { &mut *callbacks.cast::<Callbacks<'_>>() };
        i32::from((callbacks.progress)(done, total))
    }
    let (uri, mut callbacks) = (text(uri)?, Callbacks { on_finding, progress });
    let mut verified = sys::tiledb_rs_verified_t::default();
    let (none, data) = (std::ptr::null_mut(), (&raw mut callbacks).cast());
    call!(ctx, tiledb_rs_array_verify(uri.as_ptr(), none, found, advanced, data, &raw mut verified))?;
    let sys::tiledb_rs_verified_t { files, tiles, bytes, notes, warnings, errors } = verified;
    Ok(Verified { files, tiles, bytes, notes, warnings, errors })
}
