//! Azurite, which checks each signature.

use std::process::Command;

use super::{Server, free_port, installed};

/// The account of the server, and its key, which all the world knows.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

pub fn start() -> Server {
    let port = free_port();
    let mut command = Command::new(installed("azurite/node"));
    command.arg(installed("azurite/node_modules/azurite/dist/src/blob/main.js"));
    command.args(["--blobHost", "127.0.0.1", "--blobPort", &port.to_string()]);
    command.args(["--inMemoryPersistence", "--disableTelemetry", "--silent"]);
    let mut server = Server::run(&mut command, port);
    server.say(&[
        ("AZURE_STORAGE_ACCOUNT", ACCOUNT),
        ("AZURE_STORAGE_KEY", KEY),
        ("AZURE_BLOB_ENDPOINT", &format!("http://127.0.0.1:{port}/{ACCOUNT}")),
    ]);
    server
}
