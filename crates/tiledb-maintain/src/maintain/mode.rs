//! Modes of consolidation and vacuuming.

use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

/// The kind of things that maintenance works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaintenanceTarget {
    Fragments,
    FragmentMetadata,
    Commits,
    ArrayMetadata,
    GroupMetadata,
}

impl MaintenanceTarget {
    /// As `sm.consolidation.mode` says.
    pub(super) fn of_consolidation(config: &Config) -> Result<MaintenanceTarget> {
        MaintenanceTarget::parse(&config.str("sm.consolidation.mode"))
    }

    /// As `sm.vacuum.mode` says.
    pub(super) fn of_vacuum(config: &Config) -> Result<MaintenanceTarget> {
        MaintenanceTarget::parse(&config.str("sm.vacuum.mode"))
    }

    fn parse(text: &str) -> Result<MaintenanceTarget> {
        Ok(match text {
            "fragments" => MaintenanceTarget::Fragments,
            "fragment_meta" => MaintenanceTarget::FragmentMetadata,
            "commits" => MaintenanceTarget::Commits,
            "array_meta" => MaintenanceTarget::ArrayMetadata,
            "group_meta" => MaintenanceTarget::GroupMetadata,
            _ => bail!(
                "TileDB internal: Cannot consolidate; invalid configuration mode: '{text}' is none of fragments, fragment_meta, \
                 commits, array_meta and group_meta"
            ),
        })
    }
}
