//! `tiledb_rs_array_verify`, declared in `tiledb/tiledb_rs.h`.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use std::ffi::{c_char, c_void};

use super::array_args::stored_uri;
use super::boundary::{Buffer, In, Out, Str, call_user, capi_return_t};
use super::call::{call, goes_on};
use super::handles::{tiledb_config_t, tiledb_ctx_t};
use tiledb_core::error::Result;
use tiledb_core::types::Name;
use tiledb_maintain::verify::{self, Finding};

/// Something that a verification found.
#[repr(C)]
pub struct tiledb_rs_finding_t {
    /// How bad it is: 0 for a note (nothing is wrong with the cells), 1 for a warning (some reads may be wrong or slow), 2 for
    /// an error (cells, metadata or a schema are lost or wrong).
    pub severity: u32,
    /// What kind of thing it is: 1 storage, 2 file missing, 3 file that nobody names, 4 schema, 5 enumeration, 6 metadata of
    /// the array, 7 deletion, 8 commit, 9 fragment that was never committed, 10 consolidated fragment metadata, 11 footer,
    /// 12 table of fragment metadata, 13 size of a file, 14 place of a tile, 15 tile that cannot be decoded, 16 offsets,
    /// 17 validity, 18 statistics, 19 bounding boxes, 20 domain, 21 global order, 22 duplicate, 23 time, 24 not looked at.
    pub code: u32,
    /// The URI of the file.
    pub file: *const c_char,
    /// The name of the field; null where there is none.
    pub field: *const c_char,
    /// The name of the fragment; null where there is none.
    pub fragment: *const c_char,
    /// The tile of the field, counted from 0; `UINT64_MAX` where there is none.
    pub tile: u64,
    /// The first byte of the file that it is about; `UINT64_MAX` where that is not known.
    pub offset: u64,
    /// What is wrong.
    pub text: *const c_char,
    /// What to do about it.
    pub remedy: *const c_char,
}

/// What a verification looked at, and how many findings of each severity there were.
#[repr(C)]
pub struct tiledb_rs_verified_t {
    /// Files.
    pub files: u64,
    /// Tiles of fields.
    pub tiles: u64,
    /// The size of all of that in bytes.
    pub bytes: u64,
    /// Notes.
    pub notes: u64,
    /// Warnings.
    pub warnings: u64,
    /// Errors.
    pub errors: u64,
}

/// Looks at every byte of an array, and of its dimension labels, and tells what is wrong: files and their sizes, footers and
/// tables of fragments, all tiles with their checksums, offsets, validity, statistics, bounding boxes, domains, the order of
/// cells, commits, schemas, enumerations, metadata, deletions. Nothing is changed, and what is damaged does not end it.
/// `tiledb_ctx_cancel_tasks` on another thread stops it.
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param config The configuration, with `sm.mem.total_budget` and the key, which is the context's where it has none; null
///     for the context's.
/// @param on_finding Called in this thread with each finding, which is valid during the call, and `data`. It returns 1 to go
///     on, 0 to stop, -1 for an error. May be null.
/// @param on_progress Called in this thread with the bytes that were looked at, those that there are, and `data`. It returns
///     as `on_finding` does. May be null.
/// @param data Handed to the callbacks.
/// @param verified What was looked at and found.
/// @return `TILEDB_OK` if all was looked at, whatever was found, and `TILEDB_ERR` for error, also when it was stopped.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_verify(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    on_finding: Option<extern "C-unwind" fn(*const tiledb_rs_finding_t, *mut c_void) -> i32>,
    on_progress: Option<extern "C-unwind" fn(u64, u64, *mut c_void) -> i32>,
    data: Buffer,
    verified: Out<tiledb_rs_verified_t>,
) -> capi_return_t {
    call(ctx, |context| {
        verified.check()?;
        let (resources, uri) = (context.resources_with_key(config)?, stored_uri("tiledb_rs_array_verify", uri)?);
        let _running = context.running();
        let mut tell = |finding: &Finding| match on_finding {
            Some(callback) => told(finding, |finding| callback(finding, data.as_ptr().cast())),
            None => Ok(()),
        };
        let mut progress = |bytes: u64, total: u64| match on_progress {
            None => Ok(()),
            Some(callback) => {
                let answer = call_user(|| callback(bytes, total, data.as_ptr().cast()))?;
                goes_on("tiledb_rs_array_verify", answer, format_args!("after {bytes} of {total} bytes"))
            }
        };
        let counts = verify::verify(&resources, &uri, &mut tell, &mut progress)?;
        let [notes, warnings, errors] = counts.findings;
        let (files, tiles, bytes) = (counts.files, counts.tiles, counts.bytes);
        verified.set(tiledb_rs_verified_t { files, tiles, bytes, notes, warnings, errors })
    })
}

/// Hands a finding over as C sees it.
fn told(finding: &Finding, callback: impl FnOnce(*const tiledb_rs_finding_t) -> i32) -> Result<()> {
    let names = [Some(finding.file.as_str()), finding.field.as_deref(), finding.fragment.as_deref()];
    let names = names.map(|name| name.map(Name::of_path));
    let texts = [Name::new(&finding.text), Name::new(finding.code.remedy())];
    let pointer = |name: &Option<Name>| name.as_ref().map_or(std::ptr::null(), |name| name.as_c_str().as_ptr());
    let seen = tiledb_rs_finding_t {
        severity: finding.severity as u32,
        code: finding.code as u32,
        file: pointer(&names[0]),
        field: pointer(&names[1]),
        fragment: pointer(&names[2]),
        tile: finding.tile.unwrap_or(u64::MAX),
        offset: finding.offset.unwrap_or(u64::MAX),
        text: texts[0].as_c_str().as_ptr(),
        remedy: texts[1].as_c_str().as_ptr(),
    };
    let answer = call_user(|| callback(&raw const seen))?;
    goes_on("tiledb_rs_array_verify", answer, format_args!("at a finding about '{}'", finding.file))
}
