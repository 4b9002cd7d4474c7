//! Web servers, `https://` and `http://`: a read-only store.
//!
//! A web server serves files by name and lists nothing. Directories come from an index beside the array or group
//! ([`index`]), from S3's XML listing where a server has it, or from pages of links if the user allows that ([`listing`]).
//! Everything that a server sends is untrusted: names, sizes, redirects, ranges. A file that changes between two requests
//! is an error, never a mixture of both ([`file`]).

mod address;
mod backend;
mod client;
mod file;
mod html;
mod index;
mod link_targets;
mod listing;
mod options;
mod version;

pub(super) use backend::WebBackend;
