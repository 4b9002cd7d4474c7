//! Rows of CSV and JSON files.

use std::collections::HashSet;

use csv::ByteRecord;

use crate::model::{AttributeDetail, AttributeDetails, Error, Result, VAR, write};
use crate::progress::Progress;

use super::columns::ImportColumns;
use super::inference::ColumnInference;
use super::json_rows::CellKind;
use super::propose::InferredColumn;
use super::row_file::{RowFile, RowFormat};
use super::sample::RowSample;
use super::target::{FRAGMENT, ImportTarget};

/// Number of rows of the standard input that are sampled first.
const SAMPLE: u64 = 100_000;
/// Rows between two updates of the progress.
const STEP: u64 = 1 << 12;

/// Sampled rows.
pub(crate) type Sample = RowSample<ByteRecord>;

/// Infers the columns from all rows of a file or from the first `most` ones, and counts rows; samples some of them.
pub(crate) fn scan(
    file: &mut RowFile,
    form: &RowFormat,
    dimensions: &[String],
    most: Option<u64>,
    sample: &mut Sample,
    progress: &Progress,
) -> Result<(Vec<InferredColumn>, AttributeDetails, u64)> {
    let columns = file.columns.clone();
    let dimensions: HashSet<&str> = dimensions.iter().map(String::as_str).collect();
    let mut seen: Vec<ColumnInference> =
        columns.iter().map(|name| ColumnInference::new(dimensions.contains(name.as_str()))).collect();
    let mut rows = 0;
    let mut see = |at: u64, row: &ByteRecord| {
        for (place, (cell, seen)) in row.iter().zip(&mut seen).enumerate() {
            if form.is_null(row, place) {
                seen.has_nulls = true;
            } else if form.is_json {
                seen.observe_json(cell, CellKind::in_row(row, place));
            } else {
                seen.observe(cell);
            }
        }
        if sample.next(at).1 {
            sample.add(at, row.as_slice().len() + size_of::<ByteRecord>(), row.clone());
        }
    };
    if file.size == 0 {
        let ahead = file.look_ahead(most.unwrap_or(SAMPLE))?;
        (0..).zip(ahead).for_each(|(at, row)| see(at, row));
        rows = ahead.len() as u64;
        // Later rows may have no value.
        seen.iter_mut().zip(&columns).for_each(|(seen, name)| seen.has_nulls |= !dimensions.contains(name.as_str()));
    } else {
        let (most, size) = (most.unwrap_or(u64::MAX), file.size);
        while rows < most
            && let Some((row, _)) = file.next()?
        {
            see(rows, row);
            rows += 1;
            if rows.is_multiple_of(STEP) && !progress.update(file.position() / 2, size) {
                return Err(Error::Stopped);
            }
        }
    }
    let lists = columns.iter().zip(&seen).filter(|(name, seen)| seen.has_lists && !dimensions.contains(name.as_str()));
    let details = lists.map(|(name, _)| (name.clone(), AttributeDetail { values: VAR, enumeration: None })).collect();
    Ok((columns.iter().zip(&seen).map(|(name, seen)| seen.found(name)).collect(), details, rows))
}

/// Writes sampled rows of a file with `count` rows.
pub(crate) fn fill_sample(
    target: &mut ImportTarget<'_>,
    names: &[String],
    sample: Sample,
    count: u64,
    form: &RowFormat,
) -> Result<()> {
    let mut columns = ImportColumns::new(&target.fields, names, form)?;
    for row in sample.into_rows(count) {
        columns.push(&row, row.position().map_or(0, csv::Position::line), form)?;
    }
    put(target, &mut columns)
}

/// Reads a file to its end.
pub(crate) fn fill(
    target: &mut ImportTarget<'_>,
    file: &mut RowFile,
    form: &RowFormat,
    progress: &Progress,
) -> Result<()> {
    let (size, name, mut rows) = (file.size, file.name.clone(), 0_u64);
    let mut columns = ImportColumns::new(&target.fields, &file.columns, form)?;
    while let Some((row, line)) = file.next()? {
        columns.push(row, line, form).map_err(|error| error.at(&name))?;
        rows += 1;
        if columns.bytes() >= FRAGMENT && target.whole(columns.rows()) == columns.rows() {
            put(target, &mut columns)?;
        }
        if rows.is_multiple_of(STEP) && !progress.update(size / 2 + file.position() / 2, size) {
            return Err(Error::Stopped);
        }
    }
    put(target, &mut columns)
}

fn put(target: &mut ImportTarget<'_>, columns: &mut ImportColumns) -> Result<()> {
    target.write(columns.rows(), |array, place| write(array, place, &mut columns.cells))?;
    columns.clear();
    Ok(())
}
