//! `head` and `cat`: cells as a table, or in a file format.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

use tiledb::{Context, Datatype, Layout};

use crate::args::{CommonOptions, Format, Select};
use crate::export::{Datetimes, NpyBlock, Out, Printer, format_of, write_batches_as, write_npy};
use crate::model::{
    Array, CheckedCondition, DatatypeExt, Dimension, Error, Field, Range, Result, Schema, Selection, Value,
};
use crate::output;
use crate::progress::Progress;

/// Bytes of the buffers of all fields together, and of one at most and at least.
const BUFFERS: usize = 128 << 20;
const MAX_BUFFER: usize = 4 << 20;
const MIN_BUFFER: usize = 1 << 10;
/// A variable-length field has offsets and maybe validity, and results are copied.
const BUFFERS_OF_FIELD: usize = 4;

/// Prints the selected cells. An output file appears when it is complete.
pub(super) fn run(common: &CommonOptions, select: &Select, usual: Option<u64>) -> Result<()> {
    let ctx = common.context()?;
    let format = format_of_output(common, select)?;
    let progress = Progress::quiet(&ctx)?;
    let cells = progress.end(print_cells(&ctx, format, select, usual, &progress))?;
    if cells == 0 && select.limit != Some(0) {
        output::note(&format!(
            "{}: no cells {}",
            select.at.uri,
            match select.is_selective() {
                true => "are selected",
                false => "are stored",
            }
        ));
    }
    Ok(())
}

fn print_cells(ctx: &Context, format: Format, select: &Select, usual: Option<u64>, progress: &Progress) -> Result<u64> {
    let array = Array::open(ctx, &select.at.uri, select.at.moments()?)?;
    let schema = array.schema();
    let shown = chosen(schema, &select.fields)?;
    let filter = select.condition.as_ref().map(|text| CheckedCondition::parse(text, &array)).transpose()?;
    let ranges = ranges(&array, &select.range)?;

    // Cells of a dense array that a condition leaves out come as fill values: here they are left out for good.
    let mut read = shown.clone();
    let here = filter.as_ref().filter(|_| schema.is_dense());
    if let Some(filter) = here {
        let is_shown = |name: &str| shown.iter().any(|field| field.name == name);
        let needed =
            schema.fields().into_iter().filter(|field| filter.has_field(&field.name) && !is_shown(&field.name));
        read.extend(needed);
    }
    let places: HashMap<String, usize> = read.iter().zip(0..).map(|(field, at)| (field.name.clone(), at)).collect();
    let condition = match &filter {
        Some(filter) if here.is_none() => Some(filter.condition()),
        _ => None,
    };
    let block = match format {
        Format::Npy if select.limit.or(usual).is_some() => {
            return Err(Error::usage("an NPY file is a whole block: select it by --range, without --limit"));
        }
        Format::Npy => Some(NpyBlock::new(schema, shown.clone(), ranges.as_deref())?),
        _ => None,
    };
    // Where nothing is stored there are no cells, but a header and a schema.
    let limit = if ranges.is_some() { select.limit.or(usual).unwrap_or(u64::MAX) } else { 0 };
    let ranges = ranges.unwrap_or_default();
    let most = if limit < 1000 { MAX_BUFFER / 64 } else { MAX_BUFFER };
    let room = (BUFFERS / BUFFERS_OF_FIELD / read.len().max(1)).clamp(MIN_BUFFER, most);
    let layout = if schema.is_dense() { Layout::RowMajor } else { Layout::GlobalOrder };
    let selection = Selection { array: &array, layout, ranges: &ranges, condition };
    let file = select.output.as_deref();
    if format.is_binary() {
        if here.is_some() {
            return Err(Error::usage(
                "--where leaves cells of a dense array out, this format has all: use csv or json",
            ));
        }
        if let Some(block) = block {
            // Without cells there is no block to read.
            let fields = vec![block.field.clone()];
            let reader = if limit > 0 { Some(selection.reader(fields, room)?) } else { None };
            return write_npy(&block, reader, Out::binary(file)?, progress);
        }
        let names: Vec<String> = shown.iter().map(|field| field.name.clone()).collect();
        let cells = Datetimes::new(selection.record_batches(&names)?, &shown, format == Format::Parquet);
        return write_batches_as(format, cells, limit, Out::binary(file)?, progress);
    }
    let mut reader = selection.reader(read, room)?;
    let mut printer = Printer::new(format, &shown, file)?;
    let mut left = limit;
    while let Some(batch) = if left > 0 { reader.next()? } else { None } {
        let columns = batch.columns()?;
        for at in 0..batch.cells() {
            if left == 0 {
                break;
            }
            if progress.is_stopped() {
                return Err(Error::Stopped);
            }
            if here.is_none_or(|filter| filter.holds(|name| columns.get(*places.get(name)?), at)) {
                printer.cell(columns[..shown.len()].iter().map(|column| column.value(at)).collect())?;
                left -= 1;
            }
        }
    }
    printer.end()?;
    Ok(limit - left)
}

/// The format that an option or the name of the file says.
fn format_of_output(common: &CommonOptions, select: &Select) -> Result<Format> {
    let file = select.output.as_deref().filter(|file| *file != Path::new("-"));
    let format = select.format.or_else(|| common.json.then_some(Format::Json)).or_else(|| format_of(file?));
    match (format, file) {
        (None | Some(Format::Table), Some(file)) => Err(Error::usage(format!(
            "--output {}: the format is not known by its extension: add --format csv, json, arrow, arrow-stream, parquet or npy",
            file.display()
        ))),
        (format, _) => Ok(format.unwrap_or(Format::Table)),
    }
}

/// The fields to print.
pub(super) fn chosen(schema: &Schema, names: &[String]) -> Result<Vec<Field>> {
    let fields = schema.fields();
    if names.is_empty() {
        return Ok(fields);
    }
    let by_name: HashMap<&str, &Field> = fields.iter().map(|field| (field.name.as_str(), field)).collect();
    let find = |name: &String| {
        by_name.get(name.as_str()).map(|&field| field.clone()).ok_or_else(|| {
            let all: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            Error::usage(format!("there is no field {name:?}; there are {}", all.join(", ")))
        })
    };
    if let Some(twice) = names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name)) {
        return Err(Error::usage(format!("--fields names {twice:?} twice")));
    }
    names.iter().map(find).collect()
}

/// The ranges to read: the specified ones; in other dimensions the non-empty domain. `None` if that is empty.
pub(super) fn ranges(array: &Array, texts: &[String]) -> Result<Option<Vec<Range>>> {
    let schema = array.schema();
    for text in texts {
        let name = text.split_once('=').map_or("", |(name, _)| name);
        if !schema.dimensions.iter().any(|dimension| dimension.name == name) {
            let all: Vec<&str> = schema.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
            let all = all.join(", ");
            return Err(Error::usage(format!("--range {text}: write DIM=LOW:HIGH; the dimensions are {all}")));
        }
    }
    let stored = array.non_empty_domain()?;
    if stored.is_none() && !schema.is_dense() {
        return Ok(None);
    }
    let mut ranges = Vec::new();
    for (at, dimension) in schema.dimensions.iter().enumerate() {
        let own = texts.iter().filter_map(|text| {
            text.split_once('=').and_then(|(name, range)| (name == dimension.name).then_some(range))
        });
        let all = [":"];
        let own: Vec<&str> = own.collect();
        if own.is_empty() && (dimension.is_var() || !schema.is_dense()) {
            continue;
        }
        for text in if own.is_empty() { &all[..] } else { &own } {
            let (from, to) = split(dimension.datatype, text).unwrap_or((text, text));
            let stored = stored.as_ref().map(|bounds| &bounds[at]);
            let bound = |text: &str, otherwise: Option<&Value>| match (text, otherwise) {
                ("", otherwise) => otherwise.map(|value| value.stored(dimension.datatype)).transpose(),
                (text, _) => Value::parse(dimension.datatype, text).map(Some),
            };
            let (low, high) =
                (bound(from, stored.map(|bounds| &bounds.0))?, bound(to, stored.map(|bounds| &bounds.1))?);
            let (Some(low), Some(high)) = (low, high) else { return Ok(None) };
            check_range(dimension, text, &low, &high)?;
            ranges.push(Range { dimension: dimension.name.clone(), low, high });
        }
    }
    Ok(Some(ranges))
}

/// A range that holds nothing is a mistake.
fn check_range(dimension: &Dimension, text: &str, low: &[u8], high: &[u8]) -> Result<()> {
    let (name, value) = (&dimension.name, |bytes| Value::of_bytes(dimension.datatype, bytes));
    let (low, high) = (value(low), value(high));
    let is_above = |a: &Value, b: &Value| a.order(b) == Some(Ordering::Greater);
    if is_above(&low, &high) {
        return Err(Error::usage(format!("--range {name}={text}: {low} is above {high}; write the lower bound first")));
    }
    match &dimension.domain {
        Some((first, last)) if is_above(&low, last) || is_above(first, &high) => {
            Err(Error::usage(format!("--range {name}={text}: the domain is {first} .. {last}")))
        }
        _ => Ok(()),
    }
}

/// The two sides of a range; none if it is one value. Dates have colons of their own: the one that parts has a date, a
/// number or nothing on either side.
fn split(datatype: Datatype, text: &str) -> Option<(&str, &str)> {
    let colons: Vec<usize> = text.match_indices(':').map(|(at, _)| at).collect();
    let is_value = |text: &str| Value::parse(datatype, text).is_ok();
    let at = match colons.as_slice() {
        [] => return None,
        [.., last] if text.ends_with(':') => *last,
        [first, ..] if text.starts_with(':') => *first,
        _ if datatype.unit().is_some() && is_value(text) => return None,
        colons if datatype.unit().is_some() => {
            colons.iter().copied().find(|&at| is_value(&text[..at]) && is_value(&text[at + 1..]))?
        }
        // Strings may hold colons, too: as many on the one side as on the other.
        colons if colons.len() % 2 == 1 => colons[colons.len() / 2],
        _ => return None,
    };
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_dates() {
        fn split(text: &str) -> Option<(&str, &str)> {
            super::split(Datatype::DatetimeMs, text)
        }
        let (minute, second) = ("2013-02-04T05:30", "2013-02-05T06:00:15.5");
        for (low, high) in [(minute, minute), (minute, second), (second, minute), ("2013-02-04", second), ("5", minute)]
        {
            for (low, high) in [(low, high), (low, ""), ("", high)] {
                assert_eq!(split(&format!("{low}:{high}")), Some((low, high)));
            }
        }
        for one in [minute, second, "2013", "2013-02-04T05:30:15:2013-02-05T06:00:99"] {
            assert_eq!(split(one), None);
        }
        assert_eq!(split(":"), Some(("", "")));
    }

    #[test]
    fn ranges_of_others() {
        let (number, text) = (Datatype::Int64, Datatype::StringAscii);
        assert_eq!(split(number, "-5:7"), Some(("-5", "7")));
        assert_eq!((split(number, "5:"), split(number, "5")), (Some(("5", "")), None));
        assert_eq!(split(text, "a:b:c:d"), Some(("a:b", "c:d")));
        assert_eq!(split(text, "a:b:c"), None);
    }
}
