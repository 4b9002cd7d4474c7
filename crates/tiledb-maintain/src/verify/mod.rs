//! Verification: looks at every byte of an array and tells what is wrong with it.
//!
//! Nothing is changed. What is damaged is told of and passed over: the rest is looked at all the same.

mod array;
mod commits;
mod coordinates;
mod dense;
mod fields;
mod finding;
mod fragment;
mod listing;
mod metadata_file;
mod report;
mod statistics;
mod tile;
mod totals;
mod work;

pub use finding::{Code, Finding, Severity};
use listing::Listing;
use report::Report;
pub use report::{Counts, OnFinding, OnVerified};
use tiledb_core::budget::{self, Budget, BudgetShare};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;
use work::Work;

/// Looks at every byte of the array at `uri`, and of its dimension labels. Both callbacks are called in this thread.
///
/// # Errors
/// If there is no array or it cannot be listed; what the callbacks answer; on cancellation. What is damaged is a finding.
pub fn verify(
    resources: &Resources,
    uri: &Uri,
    on_finding: OnFinding<'_>,
    on_verified: OnVerified<'_>,
) -> Result<Counts> {
    resources.threads().check_computing()?;
    // What is decoded serves nobody else.
    let resources = &resources.with_own_chunk_cache();
    let key = EncryptionKey::to_open(resources.config())?;
    let budget = Budget::with_share(budget::total(resources.config())?, BudgetShare::ALL);
    let work = Work { resources, key, budget };
    let listing = Listing::of(resources.vfs(), uri)?;
    if listing.schemas.is_empty() && listing.fragments.is_empty() {
        return Err(Error::new(ErrorKind::NotFound, format!("Cannot verify array '{uri}'; Array does not exist.")));
    }
    let mut report = Report::new(on_finding, on_verified);
    array::check(&work, uri, &listing, &mut report)?;
    report.end()
}
