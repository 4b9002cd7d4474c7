//! A small HTTP server for the metrics and the health of `maintain`.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::maintenance_state::MaintenanceState;
use crate::model::{Error, Result};

/// Time that a client may take for its request, and for reading the response.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of a request that are read: its first line counts.
const REQUEST_BYTES: usize = 4096;

/// Serves `/metrics` and `/healthz` at an address in a thread of its own, one request after another.
///
/// # Errors
/// If the address is none, or in use.
pub(super) fn serve(address: &str, state: Arc<Mutex<MaintenanceState>>) -> Result<()> {
    let wrong = |error: std::io::Error| {
        Error::usage(format!("--metrics {address}: {error}; write HOST:PORT, such as 127.0.0.1:9184"))
    };
    let listener = TcpListener::bind(address).map_err(wrong)?;
    let serve = move || {
        for client in listener.incoming().flatten() {
            // A client that goes away is none of ours.
            _ = respond(client, &state);
        }
    };
    std::thread::Builder::new().name("metrics".to_owned()).spawn(serve).map_err(wrong)?;
    Ok(())
}

fn respond(mut client: TcpStream, state: &Mutex<MaintenanceState>) -> std::io::Result<()> {
    client.set_read_timeout(Some(TIMEOUT))?;
    client.set_write_timeout(Some(TIMEOUT))?;
    let request = request(&mut client)?;
    let state = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let (status, kind, body) = match request.split(' ').collect::<Vec<_>>().as_slice() {
        ["GET" | "HEAD", "/metrics", ..] => ("200 OK", "text/plain; version=0.0.4", state().metrics()),
        ["GET" | "HEAD", "/healthz", ..] => {
            let state = state();
            let status = if state.is_healthy() { "200 OK" } else { "503 Service Unavailable" };
            (status, "application/json", format!("{:#}\n", state.json()))
        }
        ["GET" | "HEAD", ..] => ("404 Not Found", "text/plain", "there are /metrics and /healthz\n".to_owned()),
        _ => ("405 Method Not Allowed", "text/plain", "GET and HEAD are served\n".to_owned()),
    };
    let length = body.len();
    let body = if request.starts_with("HEAD ") { "" } else { &body };
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// The first line of a request, whose headers are read to their end: a response before that may get lost.
fn request(client: &mut TcpStream) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let mut part = [0; 512];
    while bytes.len() < REQUEST_BYTES && !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        match client.read(&mut part)? {
            0 => break,
            size => bytes.extend_from_slice(&part[..size]),
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
