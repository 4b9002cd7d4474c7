//! Callbacks for findings and progress.

use super::finding::{Finding, Severity};
use tiledb_core::error::Result;
use tiledb_core::limits::verify::BYTES_PER_REPORT;

/// Totals of a verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub files: u64,
    /// Tiles of fields.
    pub tiles: u64,
    /// Bytes of files.
    pub bytes: u64,
    /// Findings by severity: notes, warnings, errors.
    pub findings: [u64; 3],
}

/// Called with each finding; an error stops the verification.
pub type OnFinding<'a> = &'a mut dyn FnMut(&Finding) -> Result<()>;
/// Called with the bytes verified and the total; an error stops the verification.
pub type OnVerified<'a> = &'a mut dyn FnMut(u64, u64) -> Result<()>;

/// Passes findings to the callback, and counts them.
pub(super) struct Report<'a> {
    on_finding: OnFinding<'a>,
    on_verified: OnVerified<'a>,
    counts: Counts,
    total: u64,
    reported: u64,
}

impl<'a> Report<'a> {
    pub(super) fn new(on_finding: OnFinding<'a>, on_verified: OnVerified<'a>) -> Report<'a> {
        Report { on_finding, on_verified, counts: Counts::default(), total: 0, reported: 0 }
    }

    /// Adds to the total number of bytes.
    pub(super) fn expect(&mut self, bytes: u64) {
        self.total = self.total.saturating_add(bytes);
    }

    pub(super) fn report(&mut self, finding: &Finding) -> Result<()> {
        let place = match finding.severity {
            Severity::Note => 0,
            Severity::Warning => 1,
            Severity::Error => 2,
        };
        self.counts.findings[place] += 1;
        (self.on_finding)(finding)
    }

    /// Number of errors.
    pub(super) fn errors(&self) -> u64 {
        self.counts.findings[2]
    }

    pub(super) fn report_all(&mut self, findings: &[Finding]) -> Result<()> {
        findings.iter().try_for_each(|finding| self.report(finding))
    }

    /// Counts a file, or the last part of it.
    pub(super) fn file(&mut self, bytes: u64) -> Result<()> {
        self.counts.files += 1;
        self.add(bytes)
    }

    pub(super) fn tiles(&mut self, tiles: u64, bytes: u64) -> Result<()> {
        self.counts.tiles += tiles;
        self.add(bytes)
    }

    fn add(&mut self, bytes: u64) -> Result<()> {
        self.counts.bytes = self.counts.bytes.saturating_add(bytes);
        if self.counts.bytes < self.reported.saturating_add(BYTES_PER_REPORT.bytes()) {
            return Ok(());
        }
        self.reported = self.counts.bytes;
        (self.on_verified)(self.counts.bytes.min(self.total), self.total)
    }

    /// Completes the report.
    pub(super) fn end(self) -> Result<Counts> {
        (self.on_verified)(self.total, self.total)?;
        Ok(self.counts)
    }
}
