//! Accepted differences between the two libraries, with their reasons.

use crate::round_trip::data::Shape;
use crate::round_trip::execute::Answer;
use crate::round_trip::pipeline::{BIT_WIDTH, Pipeline};
use crate::round_trip::scenario::{Dimension, Read, Scenario, Write};
use crate::round_trip::types::{ANY, ASCII, CHAR, UTF8};
use crate::{Failure, accepted};

/// Why schemas or writes may be refused differently. The numbers say where: 0 is the schema, then the writes.
pub fn refusal(
    scenario: &Scenario,
    ours: Option<&(usize, Failure)>,
    reference: Option<&(usize, Failure)>,
) -> Option<&'static str> {
    let ours = ours?;
    if let Some(reference) = reference {
        let (a, b) = (&ours.1, &reference.1);
        let alike = ours.0 == reference.0 && a.function == b.function && a.code == b.code;
        let both = |text: &str| alike && a.text.contains(text) && b.text.contains(text);
        if both("Duplicate coordinates") && is_twice(scenario, ours.0, &ours.1.text) {
            return Some(accepted::EQUAL_COORDINATES.name);
        }
        if both("::dowork]  (") {
            return Some(accepted::REFUSALS_OF_FILTERS.name);
        }
        if alike && a.text.contains("::dowork]  (") && b.text.contains("Failed to delete path") {
            return Some(accepted::REFUSALS_OF_FILTERS.name);
        }
    }
    let loses =
        ["RLE cannot compress", "DELTA cannot compress", "SCALE_FLOAT cannot take", "POSITIVE_DELTA cannot take"];
    let reversed = reference.is_none_or(|reference| reference.0 > ours.0);
    if reversed && loses.iter().any(|text| ours.1.text.contains(text)) && scenario.has_several_filters() {
        return Some(accepted::DROPPED_BYTES.name);
    }
    None
}

/// True if only the reference refuses a write, since differences overflow: ours stores such cells as they are, and may refuse a
/// later one.
pub fn is_verbatim(ours: Option<&(usize, Failure)>, reference: Option<&(usize, Failure)>) -> bool {
    let refused = |(_, failure): &(usize, Failure)| failure.text.contains("DoubleDeltaException: Cannot compress");
    reference.filter(|reference| refused(reference)).is_some_and(|(at, _)| ours.is_none_or(|(later, _)| later > at))
}

/// True if cells of a write have the coordinates that a refusal names in brackets, several of them.
fn is_twice(scenario: &Scenario, write: usize, text: &str) -> bool {
    let Some(named) = text.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')) else { return false };
    let Some(write) = write.checked_sub(1).and_then(|number| scenario.writes.get(number)) else { return false };
    let columns = write.columns[scenario.attributes.len()..].iter().zip(&scenario.dimensions);
    let columns: Vec<Vec<String>> = columns
        .map(|(data, dimension)| {
            let cells = data.split(dimension.shape().cell_size());
            cells.into_iter().map(|(bytes, _)| dimension.shown(&bytes)).collect()
        })
        .collect();
    let cell = |row: usize| columns.iter().map(|column| column[row].clone()).collect::<Vec<_>>().join(", ");
    (0..columns[0].len()).filter(|&row| cell(row) == named.0).count() > 1
}

/// True if a digest is wrong for all: that is no other cell.
pub fn is_checksum(answers: &[Answer]) -> bool {
    let wrong = |answer: &Answer| answer.as_ref().is_err_and(|failure| failure.text.contains("Checksum mismatch"));
    answers.iter().all(wrong)
}

/// Why the answers to one query may differ: ours of ours, ours of the reference's, and the reference's of both. Ours must
/// then be what was written.
pub fn read(scenario: &Scenario, read: &Read, answers: &[Answer]) -> Option<&'static str> {
    let says = |answer: &Answer, text: &str| answer.as_ref().is_err_and(|failure| failure.text.contains(text));
    let [ours, ours_of_reference, reference_of_ours, reference] = answers else { return None };
    if ours != ours_of_reference && !says(reference, "") {
        return None;
    }
    let lost = ["FilterBuffer error", "Write would overflow buffer", "Read buffer overflow"];
    let stuck = ["the query makes no progress", "bad_alloc"];
    let count = |answer: &Answer| answer.as_ref().map_or(0, |fields| fields.iter().map(Vec::len).max().unwrap_or(0));
    let strings = scenario.dimensions.iter().zip(&read.ranges);
    let entry = match () {
        () if says(reference, "") && scenario.pipelines().any(Pipeline::leaves_parts) => &accepted::DROPPED_BYTES,
        // What it cannot read of its own it may read of ours.
        () if lost.iter().any(|text| says(reference, text)) => &accepted::EMPTY_VAR_TILES,
        () if read.tight
            && [reference, reference_of_ours].iter().any(|answer| stuck.iter().any(|text| says(answer, text))) =>
        {
            &accepted::LITTLE_ROOM
        }
        () if says(reference, "") => return None,
        () if descends(scenario, read) => &accepted::UNSORTED_RANGES,
        () if scenario.dense => return None,
        () if read.tight && read.layout < 2 && count(reference) < count(ours) => &accepted::LITTLE_ROOM,
        () if strings.into_iter().any(|(dimension, ranges)| dimension.is_string() && !ranges.is_empty()) => {
            &accepted::STRING_RANGES
        }
        () => return None,
    };
    Some(entry.name)
}

/// True if cells of variable length of a dense array are read in ranges that do not ascend.
fn descends(scenario: &Scenario, read: &Read) -> bool {
    let attributes = scenario.attributes.iter().zip(&read.fields[scenario.dimensions.len()..]);
    let var = attributes.into_iter().any(|(attribute, &is_read)| is_read && attribute.shape.values.is_none());
    let unsorted = read.ranges.iter().any(|ranges| !ranges.is_sorted());
    scenario.dense && var && unsorted
}

/// True if only the reference refuses a write, and that to dimensions of one byte: its tiles overflow.
pub fn overflows(scenario: &Scenario, ours: Option<&(usize, Failure)>, reference: Option<&(usize, Failure)>) -> bool {
    let text = "Write tile overflow; would write out of bounds";
    let overflows = ours.is_none() && reference.is_some_and(|(_, failure)| failure.text.contains(text));
    overflows && scenario.dense && scenario.dimensions.iter().all(|dimension| dimension.ty.size == 1)
}

/// True if statistics of nulls in the reference are not those of the cells. It counts no nulls in var cells but
/// characters, nor in single characters of Unicode types; in dense tiles that it fills run by run it takes the
/// validity of other cells for var characters and counts that of all cells for each run where it keeps no minimum.
pub fn miscounted_nulls(shape: Shape, dense: bool) -> bool {
    let text = matches!(shape.ty.number, CHAR | ASCII);
    let opaque = matches!(shape.ty.number, ANY | 40 | 42 | 43);
    let unicode = (UTF8..ANY).contains(&shape.ty.number);
    shape.nullable
        && match shape.values {
            None => !text || dense,
            Some(1) => unicode || (opaque && dense),
            Some(_) => unicode || (!text && dense),
        }
}

/// True if the reference takes minimum and maximum of a fragment from as many of its first tiles as have values,
/// also where these are not those: of fixed characters.
pub fn partial_extremes(shape: Shape) -> bool {
    matches!(shape.ty.number, CHAR | ASCII) && shape.nullable && shape.values.is_some()
}

/// True if the reference puts the minimum and the maximum of every tile in the place of the first one's, and leaves the
/// others zero: of var cells in dense writes of rows or columns into fewer tiles than there are attributes, which it
/// makes attribute by attribute at once.
pub fn mislaid_extremes(scenario: &Scenario, write: &Write, shape: Shape) -> bool {
    let tile = |dimension: &Dimension, value: i64| (value - dimension.low) / dimension.extent.unwrap_or(1);
    let dimensions = scenario.dimensions.iter().zip(&write.region);
    let tiles: i64 =
        dimensions.map(|(dimension, &(low, high))| tile(dimension, high) - tile(dimension, low) + 1).product();
    let few = tiles > 1 && tiles < scenario.attributes.len() as i64;
    scenario.dense && write.layout < 2 && shape.values.is_none() && few
}

/// True if a pipeline may write bytes that are not determined.
pub fn undefined_bytes(pipeline: &Pipeline) -> bool {
    pipeline.has(BIT_WIDTH)
}
