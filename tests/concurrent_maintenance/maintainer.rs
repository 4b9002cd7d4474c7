//! Maintainers. While one is at a step, it checks that no other one holds the lease.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use crate::files::Storage;
use crate::reader::is_missing;
use crate::{RETENTION, now};
use support::{Api, Failure, address, pointer, text};

/// Milliseconds.
pub struct Options {
    pub lease: u64,
    pub retention: u64,
}

/// A step that a maintainer reports, in the form of `tiledb_rs_maintenance_step_t`.
#[repr(C)]
struct Step {
    kind: u32,
    is_planned: u32,
    sources: u64,
    results: u64,
    bytes_read: u64,
    bytes_written: u64,
    reason: u64,
}

/// What a maintenance did.
pub struct Report {
    uri: String,
    /// The file that whoever is at a step locks.
    lock: File,
    storage: Storage,
    /// Number of steps by kind.
    pub steps: [u64; 5],
}

extern "C" fn note(step: &Step, report: &mut Report) -> i32 {
    report.steps[step.kind as usize] += 1;
    report.check_alone();
    1
}

impl Report {
    /// When the lease of this process expires, if it has one.
    fn expiry(&self) -> Option<u64> {
        let own = format!("process {}\n", std::process::id());
        let files = self.storage.list(&format!("{}/__commits", self.uri));
        let leases = files.iter().filter(|(name, _)| name.ends_with(".lease"));
        let own = leases.filter(|(name, size)| {
            self.storage.read(name, **size).is_some_and(|bytes| bytes.starts_with(own.as_bytes()))
        });
        let ends = own.filter_map(|(name, _)| name.rsplit('/').next()?.split('_').nth(3)?.parse().ok());
        ends.max().filter(|end| now() <= *end)
    }

    /// Two processes with leases that have not expired are never at a step at the same time.
    fn check_alone(&mut self) {
        let Some(end) = self.expiry() else { return };
        if self.lock.try_lock().is_ok() {
            self.lock.set_len(0).unwrap();
            self.lock.rewind().unwrap();
            self.lock.write_all(format!("{end}\n").as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(5));
            self.lock.unlock().unwrap();
            return;
        }
        let mut other = String::new();
        self.lock.rewind().unwrap();
        self.lock.read_to_string(&mut other).unwrap();
        // One that has expired meanwhile may have been taken over.
        if other.trim().parse().is_ok_and(|other: u64| now() <= other) && self.expiry().is_some() {
            println!("wrong two maintainers hold the lease, until {end} and {}", other.trim());
        }
    }
}

pub fn maintain(api: &Api, uri: &str, options: &Options, folder: &Path) -> Result<Report, Failure> {
    let [lease, retention] = [options.lease, options.retention].map(|number| number.to_string());
    let ctx = api.context(&[
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
        ("sm.maintenance.max_fragments", "4"),
        ("sm.maintenance.max_commits", "6"),
        ("sm.maintenance.max_fragment_metadata", "3"),
        // A writer waits for its previous write, so that late ones hide nothing.
        ("sm.maintenance.write_grace_ms", "0"),
        ("sm.maintenance.lease_ms", &lease),
        ("sm.maintenance.retention_ms", &retention),
    ]);
    let lock = File::options().read(true).write(true).create(true).truncate(false).open(folder.join("lock")).unwrap();
    let mut report = Report { uri: uri.to_owned(), lock, storage: Storage::new(), steps: [0; 5] };
    let (uri, callback) = (text(uri), note as extern "C" fn(&Step, &mut Report) -> i32);
    ctx.call("rs_array_maintain", &[pointer(&uri), 0, 0, callback as usize as u64, address(&mut report)])?;
    Ok(report)
}

pub fn work(uri: &str, folder: &Path, end: u64, lease: u64) {
    let api = Api::ours();
    let options = Options { lease, retention: RETENTION * lease };
    while now() < end {
        match maintain(&api, uri, &options, folder) {
            Ok(report) => println!("maintained 1\nmerged {}\nrecovered {}", report.steps[0], report.steps[4]),
            Err(failure) if failure.text.contains("another maintainer holds the lease") => {
                println!("refused 1");
                std::thread::sleep(Duration::from_millis(20));
            }
            // Processor time may be so scarce that a lease expires.
            Err(failure) if failure.text.contains("expired or was removed") => println!("lost 1"),
            Err(failure) => println!("wrong {} {failure:?}", if is_missing(&failure) { "missing" } else { "" }),
        }
    }
}
