//! The tiles that a read accesses.

use std::ops::ControlFlow;

use super::session::QuerySession;
use crate::error::Result;
use tiledb_query::{TileVerdict, tiles};

/// Whether the cells of a tile meet the condition of a read, by the statistics of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileMatch {
    /// None does: the tile is not read.
    Excluded,
    /// Some may.
    Some,
    /// All do, or there is no condition.
    All,
}

/// Passes the tiles that a read intersects to `visit`, with the URI of their fragment.
pub(super) fn visit_tiles(
    session: &QuerySession,
    visit: &mut dyn FnMut(&str, u64, TileMatch) -> ControlFlow<()>,
) -> Result<()> {
    let _running = session.handle.ctx.running()?;
    let query = &session.query;
    tiles(query.array(), query.subarray(), query.condition(), &mut |fragment, tile, verdict| {
        let verdict = match verdict {
            TileVerdict::Excluded => TileMatch::Excluded,
            TileVerdict::Some => TileMatch::Some,
            TileVerdict::All => TileMatch::All,
        };
        Ok(visit(fragment.uri().as_str(), tile, verdict).is_continue())
    })?;
    Ok(())
}
