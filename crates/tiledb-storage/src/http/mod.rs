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
mod network;
mod pace;
mod proxy;
mod retry;
mod tls;
mod turns;

pub use client::{Answer, Client, Headers, Method, Request, Unheard};
pub use credential::{Audience, Credential, Origin};
#[cfg(feature = "rest")]
pub use decode::{Decoded, accepted};
pub use network::{MIN_THROUGHPUT, Network};
pub use proxy::Proxies;
pub use retry::{Retries, Trouble};
