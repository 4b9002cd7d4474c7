//! What is consolidated or vacuumed.

use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

/// The kind of things that maintenance works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaintenanceMode {
    Fragments,
    FragmentMetadata,
    Commits,
    ArrayMetadata,
    GroupMetadata,
}

impl MaintenanceMode {
    /// As `sm.consolidation.mode` says.
    pub(super) fn of_consolidation(config: &Config) -> Result<MaintenanceMode> {
        MaintenanceMode::parse(&config.str("sm.consolidation.mode"))
    }

    /// As `sm.vacuum.mode` says.
    pub(super) fn of_vacuum(config: &Config) -> Result<MaintenanceMode> {
        MaintenanceMode::parse(&config.str("sm.vacuum.mode"))
    }

    fn parse(text: &str) -> Result<MaintenanceMode> {
        Ok(match text {
            "fragments" => MaintenanceMode::Fragments,
            "fragment_meta" => MaintenanceMode::FragmentMetadata,
            "commits" => MaintenanceMode::Commits,
            "array_meta" => MaintenanceMode::ArrayMetadata,
            "group_meta" => MaintenanceMode::GroupMetadata,
            _ => bail!("TileDB internal: Cannot consolidate; invalid configuration mode"),
        })
    }
}
