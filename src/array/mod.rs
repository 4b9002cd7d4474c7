//! Arrays: their directory, opening them at a time, and what a handle on one remembers.

mod commits;
mod create;
mod directory;
mod domain;
mod handle;
mod open;
mod schemas;

pub use create::create;
pub use directory::{ArrayDirectory, DeleteCommit};
pub use handle::Array;
pub use open::OpenArray;
pub use schemas::{SchemaStore, encryption_type, load_schema};
