//! Selects the pipeline with the least cost.

use super::candidates::{self, PartContent};
use super::cost::{Cost, Objective};
use super::measure::cost_of;
use super::sample::Piece;
use tiledb_core::error::Result;
use tiledb_core::types::{CellValNum, FormatVersion};
use tiledb_filters::filter::{Pipeline, TileShape};

/// Bytes with which all candidates are compared, of two tiles if they are large; the best of them with the whole sample.
const FIRST_BYTES: usize = 96 << 10;
/// How many candidates are compared with the whole sample.
const FINALISTS: usize = 3;
/// The current pipeline is kept if the best one costs more than this share of it, in percent.
pub(super) const WORTHWHILE: u64 = 98;

/// Why a pipeline is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepReason {
    /// No candidate is better by more than 2 %.
    Best,
    /// It has filters that are a decision of the user (`SCALE_FLOAT`, `WEBP`).
    Chosen,
    /// No cells are stored.
    NoCells,
}

/// What a pipeline is selected for.
pub(super) struct Problem<'a> {
    pub(super) content: PartContent,
    pub(super) shape: TileShape,
    pub(super) current: &'a Pipeline,
    pub(super) version: FormatVersion,
    pub(super) objective: Objective,
    pub(super) pieces: Vec<&'a Piece>,
    pub(super) offsets: Option<OffsetsOf<'a>>,
}

/// The offsets of variable-length values, which are stored too unless the values are encoded as strings.
pub(super) struct OffsetsOf<'a> {
    pub(super) current: &'a Pipeline,
    pub(super) recommended: &'a Pipeline,
    pub(super) pieces: Vec<&'a Piece>,
}

/// The pipeline that a new array is to have.
pub(super) struct SelectedPipeline {
    pub(super) recommended: Pipeline,
    /// Why it is the current one.
    pub(super) kept: Option<KeepReason>,
    /// Costs of the pieces with the current and with the recommended pipeline, without offsets, if they were compared.
    pub(super) costs: Option<[Option<Cost>; 2]>,
}

/// What a pipeline costs.
#[derive(Clone, Copy)]
struct Measured {
    /// The cost of the pieces.
    own: Cost,
    /// That of the objective, with offsets.
    total: u64,
}

impl Problem<'_> {
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn select(&self) -> Result<SelectedPipeline> {
        let keep = |kept, costs| Ok(SelectedPipeline { recommended: self.current.clone(), kept: Some(kept), costs });
        if self.pieces.is_empty() {
            return keep(KeepReason::NoCells, None);
        }
        if candidates::is_chosen(self.current) {
            return keep(KeepReason::Chosen, None);
        }
        let all = candidates::candidates(self.content, self.shape.datatype, self.objective, self.version);
        let all = all.into_iter().map(|candidate| candidates::with_checksums(candidate, self.current)).collect();
        let few = self.ranked(all, self.first_pieces())?;
        let few = few.into_iter().take(FINALISTS);
        let few = few.flat_map(|(pipeline, _)| candidates::with_levels(pipeline, self.objective)).collect();
        let current = self.measure(self.current, false, self.pieces.len())?;
        let Some((best, measured)) = self.ranked(few, self.pieces.len())?.into_iter().next() else {
            return keep(KeepReason::Best, None);
        };
        // Without a cost the current pipeline rejects values that older versions of it accepted.
        let is_worthwhile = current.is_none_or(|current| {
            u128::from(measured.total) * 100 < u128::from(current.total) * u128::from(WORTHWHILE)
        });
        let current = current.map(|current| current.own);
        match is_worthwhile && best != *self.current {
            true => Ok(SelectedPipeline { recommended: best, kept: None, costs: Some([current, Some(measured.own)]) }),
            false => keep(KeepReason::Best, Some([current; 2])),
        }
    }

    /// How many pieces have about [`FIRST_BYTES`], at least one.
    fn first_pieces(&self) -> usize {
        let mut bytes = 0;
        let enough = self.pieces.iter().position(|piece| {
            bytes += piece.data.len();
            bytes >= FIRST_BYTES
        });
        enough.map_or(self.pieces.len(), |last| last + 1)
    }

    /// Candidates that accept the first pieces, with their costs, the best first; of equal ones in the order in which they are
    /// given.
    fn ranked(&self, candidates: Vec<Pipeline>, pieces: usize) -> Result<Vec<(Pipeline, Measured)>> {
        let mut ranked = Vec::new();
        for candidate in candidates {
            if let Some(measured) = self.measure(&candidate, true, pieces)? {
                ranked.push((candidate, measured));
            }
        }
        ranked.sort_by_key(|(_, measured)| measured.total);
        Ok(ranked)
    }

    /// The cost of the first pieces with a pipeline, and of their offsets, which are encoded with the recommended or the
    /// current filters; `None` if a filter rejects the pieces.
    fn measure(&self, pipeline: &Pipeline, is_recommended: bool, pieces: usize) -> Result<Option<Measured>> {
        let Some(own) = cost_of(pipeline, &self.shape, &self.pieces[..pieces])? else { return Ok(None) };
        let offsets = match &self.offsets {
            Some(offsets) if !pipeline.encodes_strings(self.shape.datatype, CellValNum::VAR, self.version) => offsets,
            _ => return Ok(Some(Measured { own, total: own.total(self.objective) })),
        };
        let filters = if is_recommended { offsets.recommended } else { offsets.current };
        let pieces = &offsets.pieces[..pieces.min(offsets.pieces.len())];
        let of_offsets = cost_of(filters, &TileShape::offsets(self.version), pieces)?.unwrap_or_default();
        Ok(Some(Measured { own, total: own.plus(of_offsets).total(self.objective) }))
    }
}
