//! Groups: folders that list arrays and other groups as their members, and have metadata of their own.
//!
//! The folder of a group contains an empty file `__tiledb_group.tdb`, the folder `__group` with one detail file per
//! change of its members, and the folder `__meta` as in arrays.

mod changes;
mod create;
mod delete;
mod details;
mod dump;
#[cfg(test)]
mod edit_model;
mod group_source;
mod handle;
mod member;
mod member_list;
mod metadata;
mod open;

pub use create::{create, exists, no_group};
pub use delete::delete;
pub use group_source::GroupSource;
pub use handle::Group;
pub use member::Member;
pub use metadata::{consolidate_metadata, vacuum_metadata};
pub use open::OpenGroup;

/// The file that makes a folder a group.
const MARKER: &str = "__tiledb_group.tdb";
/// The folder of the details.
const DETAILS: &str = "__group";

/// The version of files with the complete list of members.
const COMPLETE: u32 = 1;
/// The version of files that add to those before them.
const ADDING: u32 = 2;

#[cfg(test)]
mod tests;
