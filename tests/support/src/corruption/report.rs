//! Report of a verification.

use std::ffi::{CStr, c_char, c_void};

use crate::{Ctx, address, pointer, text};

/// `tiledb_rs_finding_t`.
#[repr(C)]
pub struct Finding {
    severity: u32,
    code: u32,
    file: *const c_char,
    field: *const c_char,
    fragment: *const c_char,
    tile: u64,
    offset: u64,
    text: *const c_char,
    remedy: *const c_char,
}

/// A finding with texts of its own.
#[derive(Debug, Clone)]
pub struct Report {
    pub severity: u32,
    pub code: u32,
    pub file: String,
    pub field: Option<String>,
    pub tile: Option<u64>,
    pub text: String,
}

impl Report {
    /// On one line.
    pub fn text(&self) -> String {
        let file = self.file.rsplit('/').next().unwrap_or_default();
        format!("{} {} {file} {:?} {:?} {}", self.severity, self.code, self.field, self.tile, self.text)
    }
}

/// What a verification told, and how it ended.
#[derive(Default)]
pub struct Verified {
    pub findings: Vec<Report>,
    /// Files, tiles, bytes, notes, warnings, errors.
    pub verified: [u64; 6],
    pub failure: Option<String>,
    /// The last progress.
    pub progress: (u64, u64),
}

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "reads what the library says it has there")]
fn owned(text: *const c_char) -> Option<String> {
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "a callback of C")]
extern "C" fn on_finding(finding: *const Finding, data: *mut c_void) -> i32 {
    let (finding, verified) = unsafe { (&*finding, &mut *data.cast::<Verified>()) };
    assert!(owned(finding.remedy).is_some_and(|remedy| !remedy.is_empty()));
    verified.findings.push(Report {
        severity: finding.severity,
        code: finding.code,
        file: owned(finding.file).unwrap(),
        field: owned(finding.field),
        tile: (finding.tile != u64::MAX).then_some(finding.tile),
        text: owned(finding.text).unwrap(),
    });
    1
}

#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "a callback of C")]
extern "C" fn on_progress(bytes: u64, total: u64, data: *mut c_void) -> i32 {
    let verified = unsafe { &mut *data.cast::<Verified>() };
    verified.progress = (bytes, total);
    1
}

/// Verifies an array.
pub fn verify(ctx: &Ctx<'_>, uri: &str) -> Verified {
    let (uri, mut report) = (text(uri), Box::new(Verified::default()));
    let mut verified = [0u64; 6];
    let callbacks = [on_finding as *const () as u64, on_progress as *const () as u64];
    let data = address(&mut *report);
    let args = [pointer(&uri), 0, callbacks[0], callbacks[1], data, address(&mut verified)];
    let result = ctx.call("rs_array_verify", &args);
    report.failure = result.err().map(|failure| failure.text);
    report.verified = verified;
    *report
}
