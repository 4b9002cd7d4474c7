//! Operations that change nothing: verification, reads by libtiledb, pauses, and waits for another process.

use std::sync::Arc;
use std::time::Duration;

use tiledb_core::env;
use tiledb_core::error::{Error, ErrorKind, Result};

use super::super::plan::{Drawing, LEASE};
use super::super::site::Site;
use super::{Operation, operation};

#[derive(Debug)]
struct Verify;

#[derive(Debug)]
struct Compare;

#[derive(Debug)]
struct Sleep(u64);

/// Waits until another actor is suspended in an operation, or has completed it.
#[derive(Debug)]
struct WaitForSuspension {
    actor: usize,
    operation: u64,
}

/// An operation that waits until another actor is suspended in an operation, or has completed it.
pub fn wait_for_suspension(actor: usize, operation: u64) -> Arc<dyn Operation> {
    Arc::new(WaitForSuspension { actor, operation })
}

pub fn draw_verify(_: &mut Drawing) -> Option<Arc<dyn Operation>> {
    operation(Verify)
}

pub fn draw_compare(_: &mut Drawing) -> Option<Arc<dyn Operation>> {
    operation(Compare)
}

pub fn draw_sleep(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    operation(Sleep(drawing.generator.random.below(3 * LEASE)))
}

impl Operation for Verify {
    /// What it reports is judged at the end only: others may be in the middle of something.
    fn run(&self, site: &Site<'_>) -> Result<()> {
        site.array().verify(site.resources).map(drop)
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        site.has_removed() && (error.kind() == ErrorKind::NotFound || error.text().contains("vacuum"))
    }
}

impl Operation for Compare {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        site.compare();
        Ok(())
    }
}

impl Operation for Sleep {
    fn run(&self, _: &Site<'_>) -> Result<()> {
        env::sleep(Duration::from_millis(self.0));
        Ok(())
    }
}

impl Operation for WaitForSuspension {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        site.process.wait_for_suspension(self.actor, self.operation);
        Ok(())
    }
}
