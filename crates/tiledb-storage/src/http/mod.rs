//! HTTP: connections, one request and its answer, and when a request is made again. Object stores and the client of TileDB
//! servers share it.

#![cfg_attr(
    not(all(feature = "s3", feature = "azure", feature = "gcs", feature = "rest")),
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
mod pace;
mod proxy;
mod retry;
mod tls;

pub use client::{Client, Headers, Method, Request, Response, SendError};
pub use credential::{Audience, Credential, Origin};
#[cfg(feature = "rest")]
pub use decode::{BodyDecoder, accepted};
pub use network::{MIN_THROUGHPUT, Network};
pub use proxy::Proxies;
pub use retry::{RequestError, RetryPolicy};
