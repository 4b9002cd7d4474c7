//! Where the two libraries may differ, and why.

use crate::data::Shape;
use crate::drive::{Answer, Cell};
use crate::pipeline::{BIT_WIDTH, Pipeline};
use crate::scenario::{Dimension, Read, Scenario, Write};
use crate::support::{Failure, accepted};
use crate::types::{ANY, ASCII, CHAR, UTF8};

/// Why schemas or writes may be refused differently. The numbers say where: 0 is the schema, then the writes.
pub fn refusal(
    scenario: &Scenario,
    ours: Option<&(usize, Failure)>,
    reference: Option<&(usize, Failure)>,
) -> Option<&'static str> {
    let says = |text: &str| reference.is_some_and(|(_, failure)| failure.text.contains(text));
    let earlier = ours.is_none_or(|ours| reference.is_some_and(|reference| ours.0 >= reference.0));
    let small = |dimension: &Dimension| dimension.ty.size <= 2;
    if earlier && says("Write tile overflow") && scenario.dense && scenario.dimensions.iter().all(small) {
        return Some(accepted::SMALL_DIMENSIONS.name);
    }
    let ours = ours?;
    if let Some(reference) = reference {
        let (a, b) = (&ours.1, &reference.1);
        let alike = ours.0 == reference.0 && a.function == b.function && a.code == b.code;
        let both = |text: &str| alike && a.text.contains(text) && b.text.contains(text);
        if both("Duplicate coordinates") {
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

/// What the reference answers wrongly where ours finds the cells in the ranges that the reference finds in them when it
/// reads the whole array.
pub fn against_itself(scenario: &Scenario, read: &Read, reference: &Answer) -> Option<&'static str> {
    match reference {
        _ if scenario.dense => None,
        Ok(_) if scenario.dimensions.iter().any(Dimension::is_string) => Some(accepted::STRING_RANGES.name),
        Ok(_) if read.layout < 2 && read.ranges.iter().any(|ranges| overlap(ranges)) => {
            Some(accepted::RANGES_IN_PARTS.name)
        }
        Err(failure)
            if read.tight
                && ["the query makes no progress", "bad_alloc"].iter().any(|text| failure.text.contains(text)) =>
        {
            Some(accepted::LITTLE_ROOM.name)
        }
        Err(failure) if read.layout == 2 && failure.text.contains("Multi-range reads are not supported") => {
            Some(accepted::GLOBAL_RANGES.name)
        }
        _ => None,
    }
}

/// True if a coordinate lies in several of these ranges.
fn overlap(ranges: &[(i64, i64)]) -> bool {
    let pairs = ranges.iter().enumerate().flat_map(|(i, a)| ranges[i + 1..].iter().map(move |b| (a, b)));
    pairs.into_iter().any(|(a, b)| a.0 <= b.1 && b.0 <= a.1)
}

/// Why the answers to one query may differ: ours of ours, ours of the reference's, and the reference's of both.
pub fn read(scenario: &Scenario, read: &Read, answers: &[Answer]) -> Option<&'static str> {
    let says = |answer: &Answer, text: &str| answer.as_ref().is_err_and(|failure| failure.text.contains(text));
    let [ours, ours_of_reference, reference_of_ours, reference] = answers else { return None };
    if says(ours, "Checksum mismatch") && says(reference, "Checksum mismatch") {
        return Some(accepted::REFUSALS_OF_FILTERS.name);
    }
    let Ok(cells) = ours else { return None };
    let lost = ["FilterBuffer error", "Write would overflow buffer", "Read buffer overflow"];
    if reference.is_err() && scenario.pipelines().any(Pipeline::leaves_parts) {
        return Some(accepted::DROPPED_BYTES.name);
    }
    // What it cannot read of its own it must read of ours; that may differ for another reason.
    let others = match (reference, reference_of_ours) {
        (Ok(others), _) => others,
        (_, Ok(others)) if lost.iter().any(|text| says(reference, text)) => others,
        _ => return None,
    };
    if reference.is_err() && others == cells {
        return Some(accepted::EMPTY_VAR_TILES.name);
    }
    let count = |fields: &[Vec<Cell>]| fields.iter().map(Vec::len).max();
    let fewer = ours == ours_of_reference && count(cells) > count(others) && is_part(others, cells);
    if fewer && !scenario.dense && read.tight && read.layout < 2 {
        return Some(accepted::LITTLE_ROOM.name);
    }
    let mut dimensions = scenario.dimensions.iter().zip(&read.ranges);
    if fewer && read.layout == 3 && dimensions.any(|(dimension, ranges)| dimension.is_string() && ranges.len() > 1) {
        return Some(accepted::STRING_RANGES.name);
    }
    // Now and then, and cells that nobody wrote then come from memory that nobody set.
    let ascending = |ranges: &Vec<(i64, i64)>| ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
    if ours == ours_of_reference && scenario.dense && !read.ranges.iter().all(ascending) {
        return Some(accepted::UNSORTED_RANGES.name);
    }
    None
}

/// True if every row of the one answer is one of the other, which may have more.
fn is_part(few: &[Vec<Cell>], many: &[Vec<Cell>]) -> bool {
    let rows = |fields: &[Vec<Cell>]| -> Vec<Vec<Cell>> {
        let count = fields.iter().map(Vec::len).max().unwrap_or(0);
        (0..count).map(|row| fields.iter().filter_map(|cells| cells.get(row).cloned()).collect()).collect()
    };
    let mut left = rows(many);
    rows(few).iter().all(|row| match left.iter().position(|other| other == row) {
        Some(place) => {
            left.swap_remove(place);
            true
        }
        None => false,
    })
}

/// Why the reference may die of a scenario.
pub fn death(_scenario: &Scenario) -> Option<&'static str> {
    None
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
