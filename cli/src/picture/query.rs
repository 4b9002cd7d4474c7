//! The query that the picture highlights: which fragments and tiles it reads.

use serde_json::{Value as Json, json};
use tiledb::{Condition, Layout};

use super::axis::Axis;
use crate::model::{Array, Dimension, Range, Result, Selection, TileVerdicts, Value};

/// Query arguments of the command line.
pub(crate) struct QueryArguments<'a> {
    /// Ranges as text and parsed.
    pub texts: &'a [String],
    pub ranges: &'a [Range],
    /// A condition as text and parsed.
    pub condition: Option<(&'a str, Condition)>,
}

/// A query and the tiles that it reads.
pub(super) struct PictureQuery {
    /// `None` without arguments: everything is read.
    asked: Option<AppliedQuery>,
    /// Ranges per dimension.
    ranges: Vec<Vec<(Value, Value)>>,
}

struct AppliedQuery {
    text: String,
    verdicts: TileVerdicts,
    has_condition: bool,
}

/// Numbers of tiles of a fragment that are read, and that the condition prunes.
#[derive(Clone, Copy, Default)]
pub(super) struct TileCounts {
    pub tiles: u64,
    pub excluded: u64,
}

impl PictureQuery {
    /// Finds the tiles that the query reads.
    pub(super) fn new(array: &Array, wanted: &QueryArguments<'_>) -> Result<Self> {
        let ranges = |dimension: &Dimension| {
            let prefix = format!("{}=", dimension.name);
            if !wanted.texts.iter().any(|text| text.starts_with(&prefix)) {
                return Vec::new();
            }
            let value = |bytes: &[u8]| Value::of_bytes(dimension.datatype, bytes);
            let own = wanted.ranges.iter().filter(|range| range.dimension == dimension.name);
            own.map(|range| (value(&range.low), value(&range.high))).collect()
        };
        let ranges = array.schema().dimensions.iter().map(ranges).collect();
        let condition = wanted.condition.as_ref();
        if wanted.texts.is_empty() && condition.is_none() {
            return Ok(Self { asked: None, ranges });
        }
        let verdicts = {
            let condition = condition.map(|(_, condition)| condition);
            let selection = Selection { array, layout: Layout::Unordered, ranges: wanted.ranges, condition };
            selection.tile_verdicts()?
        };
        let texts = wanted.texts.iter().map(String::as_str).chain(condition.map(|(text, _)| *text));
        let text = texts.collect::<Vec<_>>().join(", ");
        Ok(Self { asked: Some(AppliedQuery { text, verdicts, has_condition: condition.is_some() }), ranges })
    }

    /// Whether a tile of a fragment is read.
    pub(super) fn reads(&self, fragment: &str, tile: u64) -> bool {
        let Some(AppliedQuery { verdicts, .. }) = &self.asked else { return true };
        verdicts.get(fragment).and_then(|tiles| tiles.get(&tile)).is_some_and(|is_read| *is_read)
    }

    /// Tile counts of a fragment.
    pub(super) fn read_of(&self, fragment: &str, tiles: u64) -> TileCounts {
        let Some(AppliedQuery { verdicts, .. }) = &self.asked else { return TileCounts { tiles, excluded: 0 } };
        let Some(verdicts) = verdicts.get(fragment) else { return TileCounts::default() };
        let read = verdicts.values().filter(|is_read| **is_read).count() as u64;
        TileCounts { tiles: read, excluded: verdicts.len() as u64 - read }
    }

    /// The bounds in a dimension.
    pub(super) fn values(&self, number: usize) -> impl Iterator<Item = &Value> {
        self.ranges[number].iter().flat_map(|(low, high)| [low, high])
    }

    /// The query as JSON; null without arguments.
    pub(super) fn json(&self, axes: &[Axis]) -> Json {
        let Some(AppliedQuery { text, has_condition, .. }) = &self.asked else { return Json::Null };
        let ranges = axes.iter().zip(&self.ranges).map(|(axis, ranges)| {
            ranges.iter().map(|(low, high)| [axis.place(low), axis.place(high)]).collect::<Vec<_>>()
        });
        json!({ "text": text, "condition": has_condition, "ranges": ranges.collect::<Vec<_>>() })
    }
}
