//! C function of verification, `tiledb_rs_array_verify`, declared in `tiledb/tiledb_rs.h`.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use std::ffi::{c_char, c_void};
use std::ops::ControlFlow;

use super::array_args::{passed_config, stored_uri};
use super::boundary::{Buffer, In, Out, Str, call_user, capi_return_t};
use super::call::{call, goes_on};
use super::callbacks::tiledb_rs_progress_callback_t;
use super::handles::{tiledb_config_t, tiledb_ctx_t};
use super::watched::{CallbackError, UserData};
use tiledb::maintenance::{Finding, Severity, Verification, Verify};
use tiledb_core::error::Result;
use tiledb_core::types::Name;

/// The severity of a finding.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_finding_severity_t {
    /// The array reads correctly: something wastes space, or was not verified.
    TILEDB_RS_SEVERITY_NOTE = 0,
    /// Some reads may be wrong or slow, or another program may fail.
    TILEDB_RS_SEVERITY_WARNING = 1,
    /// Cells, metadata or a schema are lost or wrong.
    TILEDB_RS_SEVERITY_ERROR = 2,
}

/// The kind of a finding. Later releases may add values: treat an unknown one by the severity of its finding.
#[allow(dead_code, reason = "the constants are printed into the header; findings have their numbers")]
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_finding_kind_t {
    /// A file, or part of it, cannot be read from storage.
    TILEDB_RS_FINDING_STORAGE = 1,
    /// A file that others refer to is missing.
    TILEDB_RS_FINDING_MISSING_FILE = 2,
    /// A file that nothing refers to.
    TILEDB_RS_FINDING_STRAY_FILE = 3,
    /// A schema cannot be loaded.
    TILEDB_RS_FINDING_SCHEMA = 4,
    /// An enumeration cannot be loaded.
    TILEDB_RS_FINDING_ENUMERATION = 5,
    /// Metadata of the array cannot be loaded.
    TILEDB_RS_FINDING_METADATA = 6,
    /// The condition of a delete cannot be loaded.
    TILEDB_RS_FINDING_DELETE = 7,
    /// Commits contradict one another, or refer to fragments that do not exist.
    TILEDB_RS_FINDING_COMMIT = 8,
    /// A fragment that was never committed (orphan).
    TILEDB_RS_FINDING_ORPHAN = 9,
    /// Consolidated fragment metadata differs from that of the fragment.
    TILEDB_RS_FINDING_CONSOLIDATED_METADATA = 10,
    /// The footer of a fragment is corrupt or contradicts the schema.
    TILEDB_RS_FINDING_FOOTER = 11,
    /// A table of the metadata of a fragment is corrupt.
    TILEDB_RS_FINDING_METADATA_TABLE = 12,
    /// The size of a data file differs from the metadata of its fragment.
    TILEDB_RS_FINDING_FILE_SIZE = 13,
    /// The offset or size of a tile is not possible within its file.
    TILEDB_RS_FINDING_TILE_OFFSET = 14,
    /// A tile cannot be decoded, fails its checksum, or has the wrong length.
    TILEDB_RS_FINDING_TILE = 15,
    /// Offsets of variable-length cells do not ascend within the values.
    TILEDB_RS_FINDING_OFFSETS = 16,
    /// A validity value is neither 0 nor 1.
    TILEDB_RS_FINDING_VALIDITY = 17,
    /// Statistics (minimum, maximum, sum, null count) differ from the cells.
    TILEDB_RS_FINDING_STATISTICS = 18,
    /// A bounding box differs from the coordinates of its cells.
    TILEDB_RS_FINDING_BOUNDING_BOX = 19,
    /// Coordinates are outside the domain or the non-empty domain.
    TILEDB_RS_FINDING_DOMAIN = 20,
    /// Cells are not in the global order.
    TILEDB_RS_FINDING_ORDER = 21,
    /// Two cells have the same coordinates where duplicates are not allowed.
    TILEDB_RS_FINDING_DUPLICATE = 22,
    /// A timestamp, or the index of a delete condition, is not possible.
    TILEDB_RS_FINDING_TIMESTAMP = 23,
    /// Not verified, because memory was insufficient.
    TILEDB_RS_FINDING_UNVERIFIED = 24,
    /// A write to a dense array was committed after the fragments around it were merged, and may hide newer cells.
    TILEDB_RS_FINDING_LATE_WRITE = 25,
}

/// One finding of `tiledb_rs_array_verify`. All pointers are valid during the callback only.
#[repr(C)]
pub struct tiledb_rs_finding_t {
    /// The severity, a `tiledb_rs_finding_severity_t`.
    pub severity: u32,
    /// The kind, a `tiledb_rs_finding_kind_t`.
    pub code: u32,
    /// The URI of the file.
    pub file: *const c_char,
    /// The name of the field; null if the finding does not concern a field.
    pub field: *const c_char,
    /// The name of the fragment; null if the finding does not concern a fragment.
    pub fragment: *const c_char,
    /// The tile of the field, counted from 0; `UINT64_MAX` if the finding does not concern a tile.
    pub tile: u64,
    /// The position of the first byte concerned in the file; `UINT64_MAX` if it is not known.
    pub offset: u64,
    /// What is wrong.
    pub text: *const c_char,
    /// The remedy.
    pub remedy: *const c_char,
}

/// The extent of a verification, and the number of findings of each severity.
#[repr(C)]
pub struct tiledb_rs_verified_t {
    /// The number of files that were verified.
    pub files: u64,
    /// The number of tiles of fields that were verified.
    pub tiles: u64,
    /// Their total size in bytes.
    pub bytes: u64,
    /// The number of findings of severity `TILEDB_RS_SEVERITY_NOTE`.
    pub notes: u64,
    /// The number of findings of severity `TILEDB_RS_SEVERITY_WARNING`.
    pub warnings: u64,
    /// The number of findings of severity `TILEDB_RS_SEVERITY_ERROR`.
    pub errors: u64,
}

/// Called with a finding and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_finding_callback_t =
    Option<extern "C-unwind" fn(finding: *const tiledb_rs_finding_t, data: *mut c_void) -> i32>;

/// Verifies the integrity of an array and of its dimension labels by reading every byte.
///
/// It checks files and their sizes, fragment footers and tables, all tiles with their checksums, offsets, validity, statistics,
/// bounding boxes, domains, the order of cells, commits, schemas, enumerations, metadata and delete conditions. Nothing is
/// changed, and corrupt files do not end the verification. `tiledb_ctx_cancel_tasks` on another thread cancels it.
///
/// ```c
/// static int32_t report(const tiledb_rs_finding_t *finding, void *data) {
///   if (finding->severity == TILEDB_RS_SEVERITY_ERROR)
///     printf("%s: %s %s\n", finding->file, finding->text, finding->remedy);
///   return TILEDB_RS_CONTINUE;
/// }
/// // ...
/// tiledb_rs_verified_t verified;
/// if (tiledb_rs_array_verify(ctx, "my_array", NULL, report, NULL, NULL, &verified) == TILEDB_OK)
///   printf("%llu errors\n", (unsigned long long)verified.errors);
/// ```
///
/// @param ctx The context.
/// @param uri The URI of the array.
/// @param config A configuration whose parameters, such as `sm.mem.total_budget`, override those of the context; null for those
///     of the context.
/// @param on_finding Called on this thread with each finding, which is valid during the call. May be null.
/// @param on_progress Called on this thread with the number of bytes verified and to verify. May be null.
/// @param data Passed to the callbacks.
/// @param verified Receives what was verified and the number of findings.
/// @return `TILEDB_OK` if everything was verified, whatever was found; `TILEDB_ERR` for error, also if it was stopped or
///     cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_array_verify(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    on_finding: tiledb_rs_finding_callback_t,
    on_progress: tiledb_rs_progress_callback_t,
    data: Buffer,
    verified: Out<tiledb_rs_verified_t>,
) -> capi_return_t {
    const NAME: &str = "tiledb_rs_array_verify";
    call(ctx, |context| {
        verified.check()?;
        let uri = stored_uri(NAME, uri)?;
        let data = UserData::new(data);
        let failure = CallbackError::default();
        let on_finding = |finding: Finding| match on_finding {
            Some(callback) => failure.flow(report(&finding, |finding| callback(finding, data.as_ptr()))),
            None => ControlFlow::Continue(()),
        };
        let on_progress = |progress| failure.report(NAME, on_progress, data, progress, "bytes");
        let mut verify = Verify::new().on_finding(on_finding).on_progress(on_progress);
        if let Some(config) = passed_config(config)? {
            verify = verify.config(&config);
        }
        let result = verify.run(context.tiledb(), uri.as_str());
        let Verification { files, tiles, bytes, notes, warnings, errors, .. } = failure.result(result)?;
        verified.set(tiledb_rs_verified_t { files, tiles, bytes, notes, warnings, errors })
    })
}

/// Hands a finding over as C sees it.
fn report(finding: &Finding, callback: impl FnOnce(*const tiledb_rs_finding_t) -> i32) -> Result<()> {
    let names = [Some(finding.file.as_str()), finding.field.as_deref(), finding.fragment.as_deref()];
    let names = names.map(|name| name.map(Name::of_path));
    let texts = [Name::new(&finding.message), Name::new(finding.remedy)];
    let pointer = |name: &Option<Name>| name.as_ref().map_or(std::ptr::null(), |name| name.as_c_str().as_ptr());
    let seen = tiledb_rs_finding_t {
        severity: severity_of(finding.severity) as u32,
        code: finding.kind.code(),
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

fn severity_of(severity: Severity) -> tiledb_rs_finding_severity_t {
    match severity {
        Severity::Note => tiledb_rs_finding_severity_t::TILEDB_RS_SEVERITY_NOTE,
        Severity::Warning => tiledb_rs_finding_severity_t::TILEDB_RS_SEVERITY_WARNING,
        _ => tiledb_rs_finding_severity_t::TILEDB_RS_SEVERITY_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb::maintenance::FindingKind;

    #[test]
    fn kinds_and_severities_have_the_numbers_of_the_header() {
        use tiledb_rs_finding_kind_t::*;
        let kinds = [
            (FindingKind::Storage, TILEDB_RS_FINDING_STORAGE),
            (FindingKind::MissingFile, TILEDB_RS_FINDING_MISSING_FILE),
            (FindingKind::StrayFile, TILEDB_RS_FINDING_STRAY_FILE),
            (FindingKind::Schema, TILEDB_RS_FINDING_SCHEMA),
            (FindingKind::Enumeration, TILEDB_RS_FINDING_ENUMERATION),
            (FindingKind::Metadata, TILEDB_RS_FINDING_METADATA),
            (FindingKind::Delete, TILEDB_RS_FINDING_DELETE),
            (FindingKind::Commit, TILEDB_RS_FINDING_COMMIT),
            (FindingKind::Orphan, TILEDB_RS_FINDING_ORPHAN),
            (FindingKind::ConsolidatedMetadata, TILEDB_RS_FINDING_CONSOLIDATED_METADATA),
            (FindingKind::Footer, TILEDB_RS_FINDING_FOOTER),
            (FindingKind::MetadataTable, TILEDB_RS_FINDING_METADATA_TABLE),
            (FindingKind::FileSize, TILEDB_RS_FINDING_FILE_SIZE),
            (FindingKind::TileOffset, TILEDB_RS_FINDING_TILE_OFFSET),
            (FindingKind::Tile, TILEDB_RS_FINDING_TILE),
            (FindingKind::Offsets, TILEDB_RS_FINDING_OFFSETS),
            (FindingKind::Validity, TILEDB_RS_FINDING_VALIDITY),
            (FindingKind::Statistics, TILEDB_RS_FINDING_STATISTICS),
            (FindingKind::BoundingBox, TILEDB_RS_FINDING_BOUNDING_BOX),
            (FindingKind::Domain, TILEDB_RS_FINDING_DOMAIN),
            (FindingKind::Order, TILEDB_RS_FINDING_ORDER),
            (FindingKind::Duplicate, TILEDB_RS_FINDING_DUPLICATE),
            (FindingKind::Timestamp, TILEDB_RS_FINDING_TIMESTAMP),
            (FindingKind::Unverified, TILEDB_RS_FINDING_UNVERIFIED),
            (FindingKind::LateWrite, TILEDB_RS_FINDING_LATE_WRITE),
        ];
        let numbers: Vec<u32> = kinds.iter().map(|(kind, _)| kind.code()).collect();
        assert_eq!(numbers, (1..=25).collect::<Vec<u32>>());
        assert!(kinds.iter().all(|(kind, number)| kind.code() == *number as u32));
        let severities = [Severity::Note, Severity::Warning, Severity::Error];
        assert_eq!(severities.map(|severity| severity_of(severity) as u32), [0, 1, 2]);
    }
}
