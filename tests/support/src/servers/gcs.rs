//! An emulator of Google Cloud Storage, which requires no authentication.

use std::process::Command;

use super::{Server, free_port, installed};
use crate::library;

pub(super) fn start() -> Server {
    let port = free_port();
    let address = format!("http://127.0.0.1:{port}");
    let mut command = Command::new(installed("bin/python"));
    command.arg(library::root().join("tests/support/src/servers/gcs.py")).arg(port.to_string());
    let mut server = Server::run(&mut command, port);
    server.say(&[
        ("CLOUD_STORAGE_EMULATOR_ENDPOINT", &address),
        ("TILEDB_VFS_GCS_ENDPOINT", &address),
        ("TILEDB_VFS_GCS_PROJECT_ID", "test"),
        // The emulator knows no objects without the name that the reference gives to what it composes.
        ("TILEDB_VFS_GCS_USE_MULTI_PART_UPLOAD", "false"),
    ]);
    server
}
