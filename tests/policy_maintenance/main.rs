//! Maintenance by policy changes no cell: random histories are read by both libraries at all their times before and after,
//! maintainers and a writer work on an array at the same time, and leases of killed maintainers are taken over. Contexts
//! maintain arrays after their own writes. The model of libtiledb's consolidation with which the policy is compared
//! selects the fragments that libtiledb selects.
//!
//! The reference runs in child processes.
//!
//! `SEEDS=1000 cargo test --test policy_maintenance` plays more histories.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "shared test programs print their figures")]

mod after_write;
mod histories;
mod labels;
mod leases;
mod merge_order;
mod reference;
#[path = "../../crates/tiledb-maintain/src/policy/reference_consolidation.rs"]
#[allow(dead_code, reason = "shared with the simulation of histories")]
mod reference_consolidation;

use std::path::Path;

use support::library_process::{HARNESS, LibraryProcess};
use support::lifecycle::actions::Actions;
use support::lifecycle::model::{Cell, Shape};
use support::lifecycle::reader::Reader;
use support::{Failure, address, borrowed, pointer, text};

/// A step that a maintainer reports, in the form of `tiledb_rs_maintenance_step_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Step {
    kind: u32,
    is_planned: u32,
    sources: u64,
    results: u64,
    bytes_read: u64,
    bytes_written: u64,
    reason: u64,
}

/// What a maintainer did.
#[derive(Debug, Default)]
struct Report {
    /// Number of steps by kind.
    steps: [usize; 5],
    reasons: Vec<String>,
}

extern "C" fn note(step: &Step, report: &mut Report) -> i32 {
    report.steps[step.kind as usize] += 1;
    report.reasons.push(borrowed(step.reason));
    1
}

/// Maintenance by policy as one of the actions on an array.
trait Maintain {
    fn maintain(&self, uri: &str, config: &[(&str, &str)]) -> Result<Report, Failure>;
}

impl Maintain for Actions<'_> {
    fn maintain(&self, uri: &str, config: &[(&str, &str)]) -> Result<Report, Failure> {
        let mut report = Report::default();
        let (uri, callback) = (text(uri), note as extern "C" fn(&Step, &mut Report) -> i32);
        let arguments = [pointer(&uri), 0, 0, callback as usize as u64, address(&mut report)];
        self.context(config).call("rs_array_maintain", &arguments)?;
        Ok(report)
    }
}

/// Cells of a write to a one-dimensional sparse array.
fn cells(time: u64, count: i32) -> Vec<Cell> {
    (0..count).map(|x| Cell { coords: vec![x], time, value: 100 * time as i32 + x, has: Vec::new() }).collect()
}

/// A process with the reference, if it is there, that runs an ignored test.
fn process_of_reference(test: &str) -> Option<LibraryProcess> {
    LibraryProcess::reference(&[&HARNESS[..], &[test]].concat())
}

/// A reader in a process with the reference, if it is there.
fn reader_of_reference() -> Option<Reader> {
    process_of_reference("reference::reads_by_libtiledb").map(Reader)
}

/// A one-dimensional sparse array.
fn plain(dups: bool) -> Shape {
    Shape { dense: false, dups, dims: vec![(99, 10)], cell_order: 0, tile_order: 0, capacity: 4, encrypted: false }
}

/// The names of the files among the commits with an extension.
fn commits(array: &Path, extension: &str) -> Vec<String> {
    let names = std::fs::read_dir(array.join("__commits")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(extension)).collect()
}
