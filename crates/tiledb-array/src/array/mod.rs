//! Arrays: their directory, snapshots at a timestamp, and the state of an array handle.

mod array_source;
pub mod commits;
mod compatibility;
mod consolidated_footers;
mod copy_kind;
mod create;
mod deletes;
mod directory;
mod domain;
mod enumerations;
mod evolve;
mod fragment_info;
mod fragment_ranges;
mod handle;
#[cfg(test)]
mod handle_tests;
mod labels;
mod metadata;
mod metadata_changes;
mod metadata_merge;
mod open;
mod open_claim;
mod open_parts;
mod relist;
mod removal;
mod remove;
mod reserved_paths;
mod schemas;
mod unconsolidated;
mod unpublished;
mod upgrade;

pub use array_source::ArraySource;
pub use commits::{prepared_file, prepared_uri};
pub use compatibility::Compatibility;
pub use consolidated_footers::{FOOTER_MEMORY, check_footers, consolidated_footers};
pub use copy_kind::CopyKind;
pub use create::create;
pub use deletes::DeleteCondition;
pub use directory::{ArrayDirectory, DeleteCommit, DirectoryParts, FOLDERS, MetadataFiles, STAGED_SCHEMAS};
pub use evolve::evolve;
pub use fragment_info::{AppliedMerge, FragmentInfo, LoadedFragment, LoadedFragments, MergedFragment};
pub use fragment_ranges::{BoundCoordinate, InfoSelector, Sides, TileBound};
pub use handle::Array;
pub use metadata::{Metadata, MetadataValue, visible_metadata};
pub use metadata_changes::MetadataChanges;
pub use metadata_merge::{consolidate_metadata, vacuum_metadata};
pub use open::OpenArray;
pub use open_parts::OpenArrayParts;
pub use relist::relist;
pub use removal::{FileRemoval, OnListed, OnRemoved};
pub use remove::{
    REMOVAL, REVOCATION, RemovalStep, delete, delete_fragments, delete_named_fragments, ignore_commits,
    remove_fragments, revoke_commits,
};
pub use reserved_paths::{check_stays_in_groups, check_unreserved, no_array};
pub use schemas::{SchemaStore, encryption_type, load_schema};
pub use unconsolidated::Consolidation;
pub use unpublished::{UnpublishedArray, remove_unpublished};
pub use upgrade::upgrade;

#[cfg(test)]
mod tests;
