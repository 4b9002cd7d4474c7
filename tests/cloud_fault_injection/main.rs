//! Fault injection for object stores: each request of an operation is rejected, lost or truncated by a proxy, or the
//! process is killed at it. The operation must succeed completely, or return an error that names the cause and be
//! repeatable. Both libraries must see the state before or the state after the operation.
//!
//! `cargo test --test cloud_fault_injection -- file_write` runs the operations whose names contain `file_write`;
//! `STORE=azure` selects a store; `POINTS=100000` injects all faults into each operation instead of a few into a
//! third of the operations; `KINDS=lost,kill` selects kinds of faults; `AT_ONCE=12` sets the number of concurrent operations;
//! `SHOW=1` prints each outcome.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod cloud_operations;
mod snapshot;
mod state;
mod verdict;
mod worker;

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use support::operations::{self, observer};
use support::servers::{self, Server, Store};
use support::{Api, library};
use verdict::{Bench, Figures};

/// Faults of each operation, unless `POINTS` says how many.
const FEW: usize = 3;
/// Operations that are under way at the same time, unless `AT_ONCE` says how many.
const AT_ONCE: usize = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str);
    match arguments.first().map(String::as_str) {
        Some("--list") => println!("requests_that_fail: test"),
        Some("--prepare") => {
            operations::with(&Api::ours(), &arguments[2], cloud_operations::find(&arguments[1]).operation.prepare)
                .unwrap();
        }
        Some("--work") => worker::serve(),
        Some(observer::ARGUMENT) => observer::serve(snapshot::look),
        Some("--store") => sweep(arguments.get(1).map_or("", String::as_str)),
        _ => parent(filter),
    }
}

/// Starts the servers and sweeps each store in a process of its own, whose environment says where the server is.
fn parent(filter: &str) {
    if library::reference().is_none() {
        return println!("cloud_faults: skipped, the reference library is not installed; `make test` installs it");
    }
    let only = std::env::var("STORE").ok();
    let stores = Store::ALL.into_iter().filter(|store| only.as_ref().is_none_or(|name| name == store.scheme()));
    // One after the other: two must not find the same port free.
    let servers: Vec<_> = stores.map(|store| (store, Server::start(store))).collect();
    // Most of the time servers are waited for.
    std::thread::scope(|scope| {
        for (store, server) in &servers {
            scope.spawn(move || {
                let mut child = Command::new(std::env::current_exe().unwrap());
                let status = child.args(["--store", filter]).envs(server.variables.iter().cloned()).status().unwrap();
                assert!(status.success(), "{}: {status}", store.scheme());
            });
        }
    });
}

fn sweep(filter: &str) {
    let (begun, store) = (Instant::now(), Store::of_environment());
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let (points, at_once) = (number("POINTS"), number("AT_ONCE").unwrap_or(AT_ONCE));
    servers::spare_the_reference();
    let mut trials: Vec<_> = cloud_operations::trials();
    if points.is_none() && filter.is_empty() {
        // Each operation on one of the stores.
        let stores = Store::ALL.len();
        let its = Store::ALL.iter().position(|&other| other == store).unwrap();
        trials = trials.into_iter().enumerate().filter(|(at, _)| at % stores == its).map(|(_, trial)| trial).collect();
    }
    trials.retain(|trial| trial.operation.name.contains(filter));
    let points = points.unwrap_or(FEW);
    let (next, figures) = (AtomicUsize::new(0), Mutex::new(Figures::default()));
    std::thread::scope(|scope| {
        for number in 0..at_once.min(trials.len()) {
            let (next, figures, trials) = (&next, &figures, &trials);
            scope.spawn(move || {
                let mut bench = Bench::new(store, number);
                while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcomes = bench.sweep(trial, points);
                    figures.lock().unwrap().add(&outcomes);
                }
            });
        }
    });
    let figures = figures.into_inner().unwrap();
    println!("cloud_faults: {}: {figures}, {:.0} s", store.scheme(), begun.elapsed().as_secs_f64());
    assert_eq!(figures.wrong, 0, "faults went wrong");
}
