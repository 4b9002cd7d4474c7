//! `head` and `cat`: cells as a table, CSV or JSON lines.

use std::cmp::Ordering;
use std::fs::File;
use std::io::Write;

use arrow_array::RecordBatchReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;

use crate::args::{Common, Format, Select};
use crate::filter::Filter;
use crate::output;
use crate::progress::Progress;
use crate::tiledb::{
    Array, Batch, Context, Datatype, Dimension, Error, Field, Layout, Range, Reader, Result, Schema, Value, batches,
};

/// Bytes of the buffer of a field.
const ROOM: usize = 4 << 20;
/// Rows of a table that are printed at once, with columns as wide as they need.
const TABLE: usize = 1000;

/// Prints the cells that are asked for. A file that Ctrl-C leaves half is removed.
pub fn run(common: &Common, select: &Select, usual: Option<u64>) -> Result<()> {
    let ctx = common.context()?;
    let progress = Progress::quiet(&ctx)?;
    let result = progress.end(print_cells(&ctx, common, select, usual, &progress));
    if let (Err(Error::Stopped), Some(file)) = (&result, &select.output)
        && file.metadata().is_ok_and(|found| found.is_file())
    {
        _ = std::fs::remove_file(file);
    }
    result
}

fn print_cells(ctx: &Context, common: &Common, select: &Select, usual: Option<u64>, progress: &Progress) -> Result<()> {
    let array = Array::open(ctx, &select.at.uri, select.at.moments()?)?;
    let schema = array.schema();
    let shown = chosen(schema, &select.fields)?;
    let filter = select.condition.as_ref().map(|text| Filter::parse(text, schema)).transpose()?;
    let ranges = ranges(&array, &select.range)?;

    // Cells of a dense array that a condition leaves out come as fill values: here they are left out for good.
    let mut read = shown.clone();
    let here = filter.as_ref().filter(|_| schema.is_dense());
    let mut needed = Vec::new();
    if let Some(filter) = here {
        filter.fields(&mut needed);
    }
    for name in needed {
        if !read.iter().any(|field| field.name == name) {
            read.extend(schema.fields().into_iter().find(|field| field.name == name));
        }
    }
    let condition = match &filter {
        Some(filter) if here.is_none() => Some(filter.condition(ctx)?),
        _ => None,
    };
    // Where nothing is stored there are no cells, but a header and a schema.
    let limit = if ranges.is_some() { select.limit.or(usual).unwrap_or(u64::MAX) } else { 0 };
    let ranges = ranges.unwrap_or_default();
    let room = if limit < 1000 { ROOM / 64 } else { ROOM };
    let layout = if schema.is_dense() { Layout::RowMajor } else { Layout::Global };
    let format = if common.json { Format::Json } else { select.format };
    if format == Format::Arrow {
        if here.is_some() {
            return Err(Error::usage(
                "--where leaves cells of a dense array out, an Arrow file has all: use another format",
            ));
        }
        let names: Vec<String> = shown.iter().map(|field| field.name.clone()).collect();
        let reader = Reader::new(&array, Vec::new(), layout, &ranges, condition.as_ref(), room)?;
        return write_arrow(batches(&reader, &names)?, limit, out(select)?, progress);
    }
    let mut reader = Reader::new(&array, read, layout, &ranges, condition.as_ref(), room)?;
    let mut printer = Printer::new(format, &shown, select)?;
    let mut left = limit;
    while let Some(batch) = if left > 0 { reader.next()? } else { None } {
        for at in 0..batch.cells {
            if left == 0 {
                break;
            }
            if progress.is_stopped() {
                return Err(Error::Stopped);
            }
            if here.is_none_or(|filter| filter.holds(&|name| value(&batch, name, at))) {
                printer.cell(batch.columns[..shown.len()].iter().map(|column| column.value(at)).collect())?;
                left -= 1;
            }
        }
    }
    printer.end()
}

fn value(batch: &Batch, name: &str, at: usize) -> Value {
    batch.columns.iter().find(|column| column.name == name).map_or(Value::Null, |column| column.value(at))
}

/// The fields to print.
fn chosen(schema: &Schema, names: &[String]) -> Result<Vec<Field>> {
    let fields = schema.fields();
    if names.is_empty() {
        return Ok(fields);
    }
    let find = |name: &String| {
        fields.iter().find(|field| field.name == *name).cloned().ok_or_else(|| {
            let all: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            Error::usage(format!("there is no field {name:?}; there are {}", all.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// The ranges to read: those that are asked for, in other dimensions all that is stored. None where that is nothing.
pub fn ranges(array: &Array, texts: &[String]) -> Result<Option<Vec<Range>>> {
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
            ranges.push(Range { dimension: dimension.name.clone(), is_var: dimension.is_var(), low, high });
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

/// The two sides of a range; none where it is one value. Dates have colons of their own: the one that parts has a date, a
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

/// Where to write: the file that is named, or the standard output.
fn out(select: &Select) -> Result<Box<dyn Write>> {
    Ok(match &select.output {
        Some(file) => {
            Box::new(File::create(file).map_err(|error| Error::failed(format!("{}: {error}", file.display())))?)
        }
        None => Box::new(std::io::stdout()),
    })
}

/// Writes so many cells as an Arrow file.
fn write_arrow(
    mut batches: impl RecordBatchReader,
    limit: u64,
    out: Box<dyn Write>,
    progress: &Progress,
) -> Result<()> {
    let mut writer = FileWriter::try_new_buffered(out, &batches.schema()).map_err(of_arrow)?;
    let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
    while let Some(batch) = if left > 0 { batches.next() } else { None } {
        let batch = batch.map_err(of_arrow)?;
        if progress.is_stopped() {
            return Err(Error::Stopped);
        }
        let taken = batch.num_rows().min(left);
        writer.write(&batch.slice(0, taken)).map_err(of_arrow)?;
        left -= taken;
    }
    writer.finish().map_err(of_arrow)
}

fn of_arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => error.into(),
        other => Error::failed_by(other),
    }
}

/// Writes cells as they come.
enum Printer {
    Table { names: Vec<String>, rows: Vec<Vec<String>> },
    Csv { writer: Box<csv::Writer<Box<dyn Write>>> },
    Json { names: Vec<String>, out: std::io::BufWriter<Box<dyn Write>> },
}

impl Printer {
    fn new(format: Format, fields: &[Field], select: &Select) -> Result<Self> {
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        Ok(match format {
            Format::Csv => {
                let mut writer = Box::new(csv::Writer::from_writer(out(select)?));
                // What goes wrong now goes wrong at the end, too.
                _ = writer.write_record(&names);
                Self::Csv { writer }
            }
            Format::Json => Self::Json { names, out: std::io::BufWriter::new(out(select)?) },
            _ if select.output.is_some() => {
                return Err(Error::usage("--output takes csv, json or arrow: add --format"));
            }
            _ => Self::Table { names, rows: Vec::new() },
        })
    }

    fn cell(&mut self, values: Vec<Value>) -> Result<()> {
        match self {
            Self::Table { names, rows } => {
                rows.push(values.iter().map(Value::to_string).collect());
                if rows.len() == TABLE {
                    print(names, rows)?;
                }
            }
            Self::Csv { writer } => {
                let text = |value: &Value| if *value == Value::Null { String::new() } else { value.to_string() };
                writer.write_record(values.iter().map(text)).map_err(of_csv)?;
            }
            Self::Json { names, out } => {
                // Written by hand, so that fields keep their order.
                let pairs = names.iter().zip(&values);
                let pairs: Vec<_> = pairs
                    .map(|(name, value)| format!("{}:{}", serde_json::Value::from(name.as_str()), value.json()))
                    .collect();
                writeln!(out, "{{{}}}", pairs.join(","))?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        match self {
            Self::Table { names, rows } => print(names, rows),
            Self::Csv { writer } => Ok(writer.flush()?),
            Self::Json { out, .. } => Ok(out.flush()?),
        }
    }
}

fn of_csv(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => Error::failed(format!("{other:?}")),
    }
}

fn print(names: &[String], rows: &mut Vec<Vec<String>>) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    output::table(&names, rows)?;
    rows.clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_dates() {
        fn split(text: &str) -> Option<(&str, &str)> {
            super::split(Datatype::DATETIME_MS, text)
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
        let (number, text) = (Datatype(1), Datatype(11));
        assert_eq!(split(number, "-5:7"), Some(("-5", "7")));
        assert_eq!((split(number, "5:"), split(number, "5")), (Some(("5", "")), None));
        assert_eq!(split(text, "a:b:c:d"), Some(("a:b", "c:d")));
        assert_eq!(split(text, "a:b:c"), None);
    }
}
