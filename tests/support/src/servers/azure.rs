//! Azurite, which checks each signature.

use std::process::Command;

use openssl::base64;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;

use super::{Server, free_port, installed};

/// The account of the server, and its key, which all the world knows.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

pub(super) fn start() -> Server {
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
    server.otherwise = vec![
        ("AZURE_STORAGE_KEY".to_owned(), String::new()),
        ("AZURE_STORAGE_SAS_TOKEN".to_owned(), shared_access_signature()),
    ];
    server
}

/// What lets everybody who has it do anything in the account, for a long time.
fn shared_access_signature() -> String {
    let (permissions, end, version) = ("rwdlacupx", "2100-01-01T00:00:00Z", "2021-12-02");
    let text = format!("{ACCOUNT}\n{permissions}\nb\nsco\n\n{end}\n\nhttps,http\n{version}\n\n");
    let key = PKey::hmac(&base64::decode_block(KEY).unwrap()).unwrap();
    let mut signer = Signer::new(MessageDigest::sha256(), &key).unwrap();
    signer.update(text.as_bytes()).unwrap();
    let signature = base64::encode_block(&signer.sign_to_vec().unwrap());
    let signature = signature.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("?sv={version}&ss=b&srt=sco&sp={permissions}&se={end}&spr=https,http&sig={signature}")
}
