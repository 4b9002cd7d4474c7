//! Verification: reads every byte of an array and reports corruption.
//!
//! Read-only. Corrupt parts are reported and skipped, so that the rest is verified as well.

mod array;
mod array_listing;
mod bounds;
mod commits;
mod context;
mod coordinates;
mod dense;
mod fields;
mod finding;
mod fragment;
mod metadata_file;
mod report;
mod statistics;
pub(crate) mod tile;
mod totals;

use array_listing::ArrayListing;
use context::VerifyContext;
pub use finding::{Code, Finding, Severity};
use report::Report;
pub use report::{Counts, OnFinding, OnVerified};
use tiledb_array::array::no_array;
use tiledb_core::budget::{self, Budget, BudgetShare};
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::log::{self, OperationSummary};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Verifies every byte of the array at `uri`, and of its dimension labels. Both callbacks are called in this thread.
///
/// # Errors
/// If there is no array or it cannot be listed; those of the callbacks; on cancellation. Damage is a finding, not an
/// error.
pub fn verify(
    resources: &Resources,
    uri: &Uri,
    on_finding: OnFinding<'_>,
    on_verified: OnVerified<'_>,
) -> Result<Counts> {
    let what = || format!("Verification of '{uri}'");
    log::operation(
        what,
        || verify_unlogged(resources, uri, on_finding, on_verified),
        |counts| {
            OperationSummary::default()
                .with("files", counts.files)
                .with("tiles", counts.tiles)
                .with("bytes", counts.bytes)
        },
    )
}

fn verify_unlogged(
    resources: &Resources,
    uri: &Uri,
    on_finding: OnFinding<'_>,
    on_verified: OnVerified<'_>,
) -> Result<Counts> {
    resources.threads().check_computing()?;
    // Decoded chunks are not reused by other queries.
    let _trim = resources.trim_after();
    let resources = &resources.with_own_chunk_cache();
    let key = EncryptionKey::for_opening(resources.config())?;
    let budget = Budget::with_share(budget::total(resources.config())?, BudgetShare::ALL);
    let work = VerifyContext { resources, key, budget };
    let listing = match ArrayListing::of(resources.vfs(), uri) {
        // Only local folders can be found missing.
        Err(error) if error.kind() == ErrorKind::NotFound => ArrayListing::default(),
        listed => listed?,
    };
    if listing.schemas.is_empty() && listing.fragments.is_empty() {
        bail!(NotFound, "Verify: Cannot verify array; {}", no_array(uri))
    }
    let mut report = Report::new(on_finding, on_verified);
    array::check(&work, uri, &listing, &mut report)?;
    report.end()
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod flip_tests;
#[cfg(test)]
mod swapped_tests;
