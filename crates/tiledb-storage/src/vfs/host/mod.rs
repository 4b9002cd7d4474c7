//! Files whose bytes the host program supplies: web servers as JavaScript reads them, whose requests are asynchronous, while the
//! engine's calls are not.
//!
//! A read of bytes that are not cached records what it wants and fails with [`Pending`](tiledb_core::error::ErrorKind::Pending).
//! The program fetches all that was recorded ([`HostFiles::take_requests`]), supplies it, and repeats the call. Work that knows what
//! it needs, such as a prefetch or the opening of many files, records all of it before it fails, so that a call is repeated once for
//! each request that depends on the results of another, not for each request.
//!
//! Directories come from indexes, as with web servers ([`indexed`](super::indexed)).

mod backend;
mod cache;
mod file;
mod files;

pub(super) use backend::HostBackend;
pub use files::{HostFiles, HostRequest};
