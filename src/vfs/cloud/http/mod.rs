//! HTTP: connections, one request and its answer, and when a request is made again.

mod client;
mod network;
mod retry;
mod tls;
mod turns;

pub(super) use client::{Answer, Client, Method, Request};
pub(super) use network::Network;
pub(super) use retry::{Retries, Trouble};
