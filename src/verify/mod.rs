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

use crate::budget::{self, Budget, Share};
use crate::crypto::EncryptionKey;
use crate::error::{Error, ErrorKind, Result};
use crate::resources::Resources;
use crate::vfs::Uri;
pub use finding::{Code, Finding, Severity};
use listing::Listing;
use report::Report;
pub use report::{Counts, OnFinding, OnVerified};
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
    let resources = &resources.with_own_chunks();
    let key = EncryptionKey::to_open(resources.config())?;
    let budget = Budget::of_share(budget::total(resources.config())?, Share::ALL);
    let work = Work { resources, key, budget };
    let listing = Listing::of(resources.vfs(), uri)?;
    if listing.schemas.is_empty() && listing.fragments.is_empty() {
        return Err(Error::new(ErrorKind::NotFound, format!("Cannot verify array '{uri}'; Array does not exist.")));
    }
    let mut report = Report::new(on_finding, on_verified);
    array::check(&work, uri, &listing, &mut report)?;
    report.end()
}
