//! Requests to credential services.

use std::time::Duration;

use crate::http::{Audience, Client, Credential, MIN_THROUGHPUT, Network, Request, RequestError, RetryPolicy};
use tiledb_core::error::{Error, ErrorKind};

/// Maximum size of a response body.
const MOST: u64 = 1 << 20;

/// Timeout for remote services.
const REMOTE_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout for services of this machine: if there is none, requests receive no response.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(1);

pub(in crate::vfs::cloud) struct ServiceResponse {
    pub(in crate::vfs::cloud) status: u16,
    /// The header `date`.
    pub(in crate::vfs::cloud) date: Option<String>,
    pub(in crate::vfs::cloud) body: Vec<u8>,
}

impl ServiceResponse {
    /// An error response on one line.
    pub(in crate::vfs::cloud) fn refusal(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let words: Vec<&str> = text.split_whitespace().collect();
        let said: String = words.join(" ").chars().take(300).collect();
        format!("status {}: {said}", self.status)
    }
}

/// A client for remote services, with the network settings of the store.
pub(in crate::vfs::cloud) fn remote_client(network: &Network) -> Client {
    let limit = |time: Duration| if time.is_zero() { REMOTE_TIMEOUT } else { time.min(REMOTE_TIMEOUT) };
    let (connect, progress) = (limit(network.connect), limit(network.progress));
    Client::new(Network { resolve: REMOTE_TIMEOUT, connect, progress, ..network.clone() })
}

/// A client for services of this machine, without proxy or custom certificates.
pub(in crate::vfs::cloud) fn local_client() -> Client {
    let (resolve, connect, progress) = (LOCAL_TIMEOUT, LOCAL_TIMEOUT, LOCAL_TIMEOUT);
    let min_throughput = MIN_THROUGHPUT;
    Client::new(Network { resolve, connect, progress, verify: true, min_throughput, ..Network::default() })
}

/// Secret headers for a service whose URL comes from the environment, a file or this library.
///
/// # Errors
/// If it is none.
pub(in crate::vfs::cloud) fn secret(url: &str, headers: Vec<(String, String)>) -> Result<Credential, String> {
    let audience = Audience::of(url).map_err(|error| error.text().to_owned())?;
    Ok(Credential::new(audience, headers))
}

/// Whether an error of [`send`] is a read timeout: the service is there but does not respond.
pub(in crate::vfs::cloud) fn is_read_timeout(why: &str) -> bool {
    why.contains("timeout: per read")
}

/// Sends a request, with one retry after a transient error.
///
/// # Errors
/// If no response is received.
pub(in crate::vfs::cloud) fn send(client: &Client, request: &Request<'_>) -> Result<ServiceResponse, String> {
    let retries = RetryPolicy { max_retries: 1, initial_delay: Duration::from_millis(100), ..RetryPolicy::default() };
    let mut last = None;
    let outcome = retries.run(|| {
        let response = client.send(request).map_err(RequestError::Transient)?;
        let (status, date) = (response.status, response.header("date").map(str::to_owned));
        let body = response.bytes(MOST).map_err(RequestError::Transient)?;
        last = Some(ServiceResponse { status, date, body });
        match status {
            429 | 500.. => Err(RequestError::Transient(Error::new(ErrorKind::Io, "refused"))),
            _ => Ok(()),
        }
    });
    match (outcome, last) {
        (_, Some(response)) => Ok(response),
        (Err(error), None) => Err(error.text().to_owned()),
        (Ok(()), None) => Err("there is no answer".to_owned()),
    }
}
