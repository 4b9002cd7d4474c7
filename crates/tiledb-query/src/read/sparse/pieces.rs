//! Pieces of a delivery: runs of cells that are copied to the user's buffers, the tiles that they need, and the chunks in
//! which threads copy them.

use std::ops::Range;

use super::batch::TileBatch;
use super::cell_run::{CellRun, in_parts};
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::CELLS_PER_COPY_TASK;
use tiledb_core::memory;
use tiledb_storage::resources::Resources;

/// Pieces copied by one task.
pub(super) struct CopyChunk {
    pub pieces: Range<usize>,
    pub cells: usize,
}

/// What some pieces need.
pub(super) struct PieceSurvey {
    pub cells: usize,
    pub chunks: Vec<CopyChunk>,
    /// The tiles in the order of their first pieces; whether only parts of the tile are copied.
    pub tiles: Vec<(u32, bool)>,
}

impl PieceSurvey {
    /// Surveys pieces of a batch, on several threads if there are many.
    ///
    /// # Errors
    /// If memory does not suffice, or on cancellation.
    pub(super) fn new(batch: &TileBatch, pieces: &[CellRun], resources: &Resources) -> Result<PieceSurvey> {
        let parts = in_parts(pieces, resources, |range| {
            Ok((tiles_of(batch, &pieces[range.clone()])?, chunks(pieces, range)?))
        })?;
        let mut parts = parts.into_iter();
        let Some((mut tiles, mut chunks)) = parts.next() else {
            return Ok(PieceSurvey { cells: 0, chunks: Vec::new(), tiles: Vec::new() });
        };
        if parts.len() > 0 {
            // Which of them each tile of the batch is.
            let mut numbers: Vec<Option<usize>> = memory::filled("tiles", None, batch.tiles.len())?;
            for (number, tile) in tiles.iter().enumerate() {
                numbers[tile.0 as usize] = Some(number);
            }
            for (more, mut following) in parts {
                for (tile, is_part) in more {
                    let number = &mut numbers[tile as usize];
                    match *number {
                        Some(number) => tiles[number].1 |= is_part,
                        None => {
                            *number = Some(tiles.len());
                            memory::push("tiles", &mut tiles, (tile, is_part))?;
                        }
                    }
                }
                memory::reserve("slabs", &mut chunks, following.len())?;
                chunks.append(&mut following);
            }
        }
        Ok(PieceSurvey { cells: chunks.iter().map(|chunk| chunk.cells).sum(), chunks, tiles })
    }
}

fn tiles_of(batch: &TileBatch, pieces: &[CellRun]) -> Result<Vec<(u32, bool)>> {
    // For each tile whether only parts of it are needed.
    let mut partial: Vec<Option<bool>> = memory::filled("tiles", None, batch.tiles.len())?;
    let mut tiles = Vec::new();
    for piece in pieces {
        let is_part = &mut partial[piece.tile as usize];
        if *is_part != Some(true) {
            if is_part.is_none() {
                memory::push("tiles", &mut tiles, piece.tile)?;
            }
            *is_part = Some(!batch.is_tile(*piece));
        }
    }
    memory::collect("tiles", tiles.into_iter().map(|tile| (tile, partial[tile as usize] == Some(true))))
}

fn chunks(pieces: &[CellRun], range: Range<usize>) -> Result<Vec<CopyChunk>> {
    let mut chunks = Vec::new();
    let mut start = range.start;
    let mut cells = 0;
    let most = CELLS_PER_COPY_TASK.count();
    for number in range.clone() {
        cells += pieces[number].len as usize;
        // Large pieces are tasks of their own: whole tiles may have to be decoded.
        let is_large = pieces[..range.end].get(number + 1).is_none_or(|next| next.len as usize > most / 16);
        if cells >= most || is_large {
            memory::push("slabs", &mut chunks, CopyChunk { pieces: start..number + 1, cells })?;
            (start, cells) = (number + 1, 0);
        }
    }
    Ok(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_pieces() {
        let cell_run = |tile, first, len| CellRun { tile, first, len };
        let pieces: Vec<CellRun> =
            (0..100_000).map(|i| cell_run(0, i, 1)).chain([cell_run(1, 0, 70_000), cell_run(2, 0, 5)]).collect();
        for start in [0, 10] {
            let chunks = chunks(&pieces, start..pieces.len()).unwrap();
            assert!(chunks.len() >= 3 && chunks[0].pieces.start == start);
            assert!(chunks.windows(2).all(|pair| pair[1].pieces.start == pair[0].pieces.end));
            for chunk in &chunks {
                let cells: u32 = pieces[chunk.pieces.clone()].iter().map(|piece| piece.len).sum();
                assert_eq!(chunk.cells, cells as usize);
            }
            assert_eq!(chunks.last().unwrap().pieces.end, pieces.len());
        }
        assert_eq!(chunks(&pieces, 5..7).unwrap().len(), 1);
    }
}
