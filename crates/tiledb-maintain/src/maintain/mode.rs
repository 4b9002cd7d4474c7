//! What is consolidated or vacuumed.

use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

/// The kind of things that maintenance works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Fragments,
    FragmentMetadata,
    Commits,
    ArrayMetadata,
    GroupMetadata,
}

impl Mode {
    /// As `sm.consolidation.mode` says.
    pub(super) fn of_consolidation(config: &Config) -> Result<Mode> {
        Mode::parse(&config.str("sm.consolidation.mode"))
    }

    /// As `sm.vacuum.mode` says.
    pub(super) fn of_vacuum(config: &Config) -> Result<Mode> {
        Mode::parse(&config.str("sm.vacuum.mode"))
    }

    fn parse(text: &str) -> Result<Mode> {
        Ok(match text {
            "fragments" => Mode::Fragments,
            "fragment_meta" => Mode::FragmentMetadata,
            "commits" => Mode::Commits,
            "array_meta" => Mode::ArrayMetadata,
            "group_meta" => Mode::GroupMetadata,
            _ => bail!(
                "TileDB internal: Cannot consolidate; invalid configuration mode: '{text}' is none of fragments, fragment_meta, \
                 commits, array_meta and group_meta"
            ),
        })
    }
}
