//! Ambient credentials of a process: environment variables, credential programs, and credential services.

mod environment;
mod process;
mod service;

pub(super) use environment::{home, read_bytes, read_text, variable};
pub(super) use process::{output_of, split};
pub(super) use service::{ServiceResponse, is_read_timeout, local_client, remote_client, secret, send};
