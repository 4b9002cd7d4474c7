//! HTTP client of the object stores and of TileDB servers: connections, requests and responses, and the retry policy.

#![cfg_attr(
    not(all(feature = "s3", feature = "azure", feature = "gcs", feature = "web", feature = "rest")),
    allow(dead_code, unused_imports, reason = "a build without some store needs less of what they share")
)]

mod client;
mod connect;
mod credential;
#[cfg(feature = "rest")]
mod decode;
pub mod encode;
mod limiter;
mod network;
mod proxy;
mod public_addresses;
mod retry;
mod throughput;
mod tls;

pub use client::{Client, Headers, Method, Request, Response, SendError};
pub use credential::{Audience, Credential, Origin};
#[cfg(feature = "rest")]
pub use decode::{BodyDecoder, accepted};
pub use network::{MIN_THROUGHPUT, Network};
pub use proxy::Proxies;
pub use public_addresses::is_public;
pub use retry::{RequestError, RetryPolicy};
