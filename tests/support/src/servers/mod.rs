//! The servers, one for each store.

mod azure;
pub mod certificate;
mod gcs;
pub mod http;
pub mod proxy;
#[cfg(feature = "rest")]
pub mod rest;
mod s3;
pub mod tunnel;
pub mod web;

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::library;

/// A kind of store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Store {
    S3,
    Azure,
    Gcs,
}

impl Store {
    pub const ALL: [Store; 3] = [Store::S3, Store::Azure, Store::Gcs];

    pub fn scheme(self) -> &'static str {
        match self {
            Store::S3 => "s3",
            Store::Azure => "azure",
            Store::Gcs => "gcs",
        }
    }

    /// The store that [`Server::variables`] speak of.
    pub fn of_environment() -> Store {
        let scheme = std::env::var("STORE").expect("STORE");
        Store::ALL.into_iter().find(|store| store.scheme() == scheme).expect("a scheme")
    }

    /// The variable that says where its server is.
    pub fn variable(self) -> &'static str {
        match self {
            Store::S3 => "TILEDB_VFS_S3_ENDPOINT_OVERRIDE",
            Store::Azure => "AZURE_BLOB_ENDPOINT",
            Store::Gcs => "TILEDB_VFS_GCS_ENDPOINT",
        }
    }

    /// Variables of one who does not wait for long, tries little, and sends small parts.
    pub fn impatient(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Store::S3 => &[
                ("TILEDB_VFS_S3_REQUEST_TIMEOUT_MS", "1000"),
                ("TILEDB_VFS_S3_CONNECT_MAX_TRIES", "2"),
                ("TILEDB_VFS_S3_CONNECT_SCALE_FACTOR", "5"),
            ],
            Store::Azure => &[
                ("TILEDB_VFS_AZURE_MAX_RETRIES", "2"),
                ("TILEDB_VFS_AZURE_RETRY_DELAY_MS", "5"),
                ("TILEDB_VFS_AZURE_BLOCK_LIST_BLOCK_SIZE", "300000"),
            ],
            Store::Gcs => &[
                ("TILEDB_VFS_GCS_REQUEST_TIMEOUT_MS", "3000"),
                ("TILEDB_VFS_GCS_USE_MULTI_PART_UPLOAD", "true"),
                ("TILEDB_VFS_GCS_MULTI_PART_SIZE", "300000"),
            ],
        }
    }

    /// What only our library is told: all of it shall be used.
    pub fn own_parameters(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // Many parts, one after the other.
            Store::Gcs => &[
                ("vfs.gcs.use_multi_part_upload", "true"),
                ("vfs.gcs.multi_part_size", "200000"),
                ("vfs.gcs.max_parallel_ops", "4"),
            ],
            _ => &[],
        }
    }
}

/// A server of its own, which ends with the test.
pub struct Server {
    /// It ends with the test; a server that was there before stays.
    child: Option<Child>,
    /// What the environment of both libraries must say to reach it.
    pub variables: Vec<(String, String)>,
    /// What it may say in their place, for another way to prove who asks; nothing where there is none.
    pub otherwise: Vec<(String, String)>,
}

impl Server {
    pub fn start(store: Store) -> Server {
        let mut server = match store {
            Store::S3 => s3::start(),
            Store::Azure => azure::start(),
            Store::Gcs => gcs::start(),
        };
        // The server is on this machine, whatever lies between it and others.
        server.say(&[("NO_PROXY", "127.0.0.1"), ("STORE", store.scheme())]);
        server
    }

    /// Runs a program that listens at a port, and waits until it does.
    fn run(command: &mut Command, port: u16) -> Server {
        command.env("NO_PROXY", "127.0.0.1").stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}; `make venv` installs it"));
        let mut server = Server { child: Some(child), variables: Vec::new(), otherwise: Vec::new() };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.child.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {command:?}");
            assert!(begun.elapsed() < Duration::from_secs(300), "the server does not start: {command:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn say(&mut self, variables: &[(&str, &str)]) {
        self.variables.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// Before libtiledb is used: it sends bodies with a framing that Ceph refuses, unless these say no. Ours reads neither.
pub fn spare_the_reference() {
    if std::env::var("S3_SERVER").is_ok() {
        for name in ["AWS_REQUEST_CHECKSUM_CALCULATION", "AWS_RESPONSE_CHECKSUM_VALIDATION"] {
            // Nobody reads them while they are set.
            unsafe { std::env::set_var(name, "when_required") }
        }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// What `make venv` installs.
fn installed(name: &str) -> PathBuf {
    library::root().join(".venv").join(name)
}
