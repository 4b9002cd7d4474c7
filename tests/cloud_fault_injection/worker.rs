//! Worker processes that run operations, each behind its own proxy.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{cloud_operations, snapshot};
use support::Api;
use support::operations::Place;
use support::servers::Store;
use support::servers::proxy::Proxy;

/// Seconds after which an operation hangs, also where the machine has much else to do: some twenty requests that are tried three
/// times each, half a second long.
const PATIENCE: u64 = 300;

/// A process behind a proxy; another one where it died.
pub struct Worker {
    store: Store,
    pub proxy: Proxy,
    process: Option<(Child, BufReader<ChildStdout>)>,
}

impl Worker {
    /// Before the server that the environment names.
    pub fn new(store: Store) -> Worker {
        let address = std::env::var(store.variable()).unwrap();
        let port = address.rsplit(':').next().unwrap().split('/').next().unwrap().parse().unwrap();
        Worker { store, proxy: Proxy::open(port), process: None }
    }

    fn process(&mut self) -> &mut (Child, BufReader<ChildStdout>) {
        let (store, port) = (self.store, self.proxy.port);
        self.process.get_or_insert_with(|| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg("--work").stdin(Stdio::piped()).stdout(Stdio::piped());
            let there = std::env::var(store.variable()).unwrap();
            let (before, rest) = there.split_at(there.rfind(':').unwrap() + 1);
            let path = rest.find('/').map_or("", |at| &rest[at..]);
            command.env(store.variable(), format!("{before}{port}{path}"));
            if store == Store::Gcs {
                command.env("CLOUD_STORAGE_EMULATOR_ENDPOINT", format!("http://127.0.0.1:{port}"));
            }
            command.envs(store.impatient().iter().copied());
            let mut child = command.spawn().unwrap();
            let answers = BufReader::new(child.stdout.take().unwrap());
            (child, answers)
        })
    }

    /// The process that is going to do the next operation.
    pub fn id(&mut self) -> i32 {
        self.process().0.id() as i32
    }

    /// Does an operation: what it says, and whether the process still lives.
    pub fn run(&mut self, name: &str, folder: &str) -> (String, bool) {
        let (child, answers) = self.process();
        let (sent, mut said) = (writeln!(child.stdin.as_mut().unwrap(), "{name} {folder}"), String::new());
        while sent.is_ok() && answers.read_line(&mut said).is_ok_and(|count| count > 0) {
            let last = said.lines().last().unwrap_or_default();
            if last.starts_with("done") || last.starts_with("failed") {
                return (said, true);
            }
        }
        let status = child.wait().unwrap();
        self.process = None;
        (format!("{said}{status}"), false)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.process.take() {
            drop(child.stdin.take());
            _ = child.wait();
        }
    }
}

/// Does the operations that the parent names.
pub fn serve() {
    let api = Api::ours();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (name, folder) = line.split_once(' ').unwrap();
        let begun = Instant::now();
        support::limits::limit_time(PATIENCE as u32);
        let ctx = api.context(&[]);
        let done = cloud_operations::find(name).run(&Place::new(&ctx, folder), snapshot::look);
        drop(ctx);
        assert!(begun.elapsed() < Duration::from_secs(PATIENCE));
        support::limits::limit_time(0);
        match done {
            Ok(snapshot) => println!("done {snapshot}"),
            Err(failure) => println!("failed {}: {}", failure.function, failure.text.replace('\n', " ")),
        }
    }
}
