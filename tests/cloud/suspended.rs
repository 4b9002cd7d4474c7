//! Suspended maintainers: a request of one is held back while another one takes over its lease, and then reaches the store. What
//! both libraries read stays the same all the time, and the former holder notices that it has lost its lease.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::reference_process;
use support::library_process::{LibraryProcess, to_result};
use support::operations::snapshot::look;
use support::operations::{self, OPERATIONS, Place};
use support::servers::Store;
use support::servers::proxy::{Hold, HoldKind, Proxy};
use support::{Api, Failure, address, borrowed, pointer, text};

/// Milliseconds. A lease is taken over after one and a half times that.
const LEASE: u64 = 1500;

/// How long to wait for a request or for a lease: servers are slow if others use the machine.
const PATIENCE: Duration = Duration::from_secs(120);

const LOST_LEASE: &str = "expired or was removed";

/// What becomes of a maintainer whose request was held back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It commits nothing, since it has lost its lease.
    Lost,
    /// Its commit is done, and others complete what is missing.
    LostOrDone,
    /// It commits all, though the response to its commit is lost: the request is not repeated.
    Done,
    /// It does nothing after the request.
    Killed,
}

/// The requests that are held back.
const HOLDS: [(&str, HoldKind, Outcome); 7] = [
    (".wrt", HoldKind::Killed, Outcome::Killed),
    (".con", HoldKind::Killed, Outcome::Killed),
    (".wrt", HoldKind::Usual, Outcome::Lost),
    (".wrt", HoldKind::Lost, Outcome::Done),
    (".wrt.prepared", HoldKind::Usual, Outcome::Lost),
    (".vac", HoldKind::Usual, Outcome::LostOrDone),
    (".con", HoldKind::Usual, Outcome::Lost),
];

/// The array and all that is read of it.
struct Scene<'a> {
    ours: &'a Api,
    folder: String,
    expected: String,
    reference: LibraryProcess,
}

impl Scene<'_> {
    fn check(&mut self, when: &str) {
        let ours = operations::with(self.ours, &self.folder, look).unwrap();
        assert!(ours == self.expected, "{when}: {ours} instead of {}", self.expected);
        let reference =
            self.reference.read(&json!(["look", self.folder, []])).and_then(|response| to_result(&response));
        let expected = Ok(json!(self.expected));
        assert!(reference == expected, "{when}, libtiledb: {reference:?} instead of {}", self.expected);
    }

    /// The names among the commits.
    fn commits(&self) -> Vec<String> {
        let ctx = self.ours.context(&[]);
        let (vfs, uri) = (ctx.get("vfs_alloc", &[0]).unwrap(), text(&format!("{}/array/__commits", self.folder)));
        extern "C" fn visit(path: u64, names: &mut Vec<String>) -> i32 {
            names.push(borrowed(path));
            1
        }
        let mut names = Vec::<String>::new();
        let arguments = [vfs, pointer(&uri), visit as *const () as u64, address(&mut names)];
        ctx.call("vfs_ls", &arguments).unwrap();
        ctx.free("vfs", vfs);
        names
    }
}

/// Maintains the array once, with further parameters.
fn maintain(place: &Place<'_>, parameters: &[(&str, &str)]) -> Result<(), Failure> {
    let lease = LEASE.to_string();
    let bounds = [
        ("sm.maintenance.max_fragments", "1"),
        ("sm.maintenance.max_commits", "0"),
        ("sm.maintenance.retention_ms", "0"),
        ("sm.maintenance.lease_ms", lease.as_str()),
    ];
    let config = place.config(&[&bounds, parameters].concat())?;
    place.ctx.call("rs_array_maintain", &[pointer(&text(&place.uri("array"))), config, 0, 0, 0])
}

/// Maintains the array as soon as the lease of others has expired.
fn take_over(api: &Api, folder: &str) {
    let begun = Instant::now();
    loop {
        match operations::with(api, folder, |place| maintain(place, &[])) {
            Ok(()) => return,
            // A slow machine loses leases, too.
            Err(failure) if failure.text.contains("holds the lease") || failure.text.contains(LOST_LEASE) => (),
            Err(failure) => panic!("the successor: {}", failure.text),
        }
        assert!(begun.elapsed() < PATIENCE, "the lease does not expire");
        std::thread::sleep(Duration::from_millis(100));
    }
}

pub fn check() {
    let (ours, store) = (Api::ours(), Store::of_environment());
    let bucket = format!("{}://suspended", store.scheme());
    crate::files::make_bucket(&ours, &bucket);
    let address = std::env::var(store.variable()).unwrap();
    let port = address.rsplit(':').next().unwrap().split('/').next().unwrap().parse().unwrap();
    let (before, rest) = address.split_at(address.rfind(':').unwrap() + 1);
    let proxy = Proxy::open(port);
    let here = format!("{before}{}{}", proxy.port, rest.find('/').map_or("", |at| &rest[at..]));
    // A killed maintainer does not try for long.
    let parameters: &[(&'static str, &str)] = match store {
        Store::S3 => &[("vfs.s3.endpoint_override", &here), ("vfs.s3.connect_max_tries", "2")],
        Store::Azure => {
            &[("vfs.azure.blob_endpoint", &here), ("vfs.azure.max_retries", "2"), ("vfs.azure.retry_delay_ms", "5")]
        }
        Store::Gcs => &[("vfs.gcs.endpoint", &here), ("vfs.gcs.request_timeout_ms", "2000")],
    };
    let operation = OPERATIONS.iter().find(|operation| operation.name == "maintain_duplicates").unwrap();
    // What is written during the suspension is merged by the successor with what was merged before.
    let write = |place: &Place<'_>| place.write_sparse(7);
    let expected = operations::with(&ours, &format!("{bucket}/expected"), |place| {
        (operation.prepare)(place)?;
        write(place)?;
        look(place)
    });
    let expected = expected.unwrap();
    for (number, (extension, kind, expected_outcome)) in HOLDS.into_iter().enumerate() {
        let hold = Hold { extension, kind };
        let folder = format!("{bucket}/{number}");
        operations::with(&ours, &folder, operation.prepare).unwrap();
        let reference = reference_process();
        let mut scene = Scene { ours: &ours, folder: folder.clone(), expected: expected.clone(), reference };
        proxy.hold(hold);
        let parameters: Vec<(&'static str, String)> =
            parameters.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let suspended = std::thread::spawn(move || {
            let parameters: Vec<(&str, &str)> =
                parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let ours = Api::ours();
            let ctx = ours.context(&parameters);
            maintain(&Place::new(&ctx, &folder), &parameters)
        });
        if kind == HoldKind::Lost {
            // Otherwise the successor could be the first one to hold the lease.
            let begun = Instant::now();
            while !proxy.has_lost() && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
        } else {
            assert!(proxy.wait_for_hold(PATIENCE), "{hold:?}: no such request: {:?}", suspended.is_finished());
        }
        operations::with(&ours, &scene.folder, write).unwrap();
        take_over(&ours, &scene.folder);
        scene.check(&format!("{hold:?}: after the successor"));
        if kind != HoldKind::Lost {
            proxy.release();
        }
        let outcome = suspended.join().unwrap();
        let is_lost = matches!(&outcome, Err(failure) if failure.text.contains(LOST_LEASE));
        let is_expected = match expected_outcome {
            Outcome::Lost => is_lost,
            Outcome::LostOrDone => is_lost || outcome.is_ok(),
            Outcome::Done => (is_lost || outcome.is_ok()) && proxy.has_lost(),
            Outcome::Killed => outcome.is_err(),
        };
        assert!(is_expected, "{hold:?}: the suspended maintainer: {outcome:?}");
        scene.check(&format!("{hold:?}: after the suspended maintainer"));
        take_over(&ours, &scene.folder);
        scene.check(&format!("{hold:?}: at the end"));
        let left = scene.commits().into_iter().filter(|name| name.ends_with(".prepared") || name.ends_with(".lease"));
        assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new(), "{hold:?}");
    }
    if store == Store::S3 {
        without_copies(&ours, &bucket, &proxy, &here);
    }
    println!("cloud: maintainers of {} suspended before {} requests commit nothing", store.scheme(), HOLDS.len());
}

/// A store that rejects copies is maintained without them.
fn without_copies(ours: &Api, bucket: &str, proxy: &Proxy, here: &str) {
    let operation = OPERATIONS.iter().find(|operation| operation.name == "maintain_duplicates").unwrap();
    let mut counts = Vec::new();
    for has_copies in [true, false] {
        let folder = format!("{bucket}/copies_{has_copies}");
        let expected = operations::with(ours, &folder, |place| {
            (operation.prepare)(place)?;
            look(place)
        });
        if has_copies {
            proxy.begin(None)
        } else {
            proxy.reject_copies()
        }
        let parameter = ("vfs.s3.endpoint_override", here);
        let ctx = ours.context(&[parameter]);
        let maintained = maintain(&Place::new(&ctx, &folder), &[parameter]);
        let (requests, broken, _) = proxy.end();
        // The store is asked once, and believed.
        assert!(maintained.is_ok() && broken == usize::from(!has_copies), "{broken}: {maintained:?} {requests:?}");
        assert_eq!(operations::with(ours, &folder, look).unwrap(), expected.unwrap(), "{folder}");
        counts.push(requests.len());
    }
    println!("cloud: maintenance of six fragments with and without copies: {counts:?} requests");
}
