//! `head` and `cat`: cells as a table, CSV or JSON lines.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::io::{BufWriter, IsTerminal, Stdout, Write};
use std::path::Path;

use arrow_array::RecordBatchReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;

use crate::args::{CommonOptions, Format, Select};
use crate::condition_expr::ConditionExpr;
use crate::output::{self, OutputFile};
use crate::progress::Progress;
use crate::tiledb::{
    Array, CellBatch, Context, Datatype, Dimension, Error, Field, Layout, Range, Reader, Result, Schema, Value, batches,
};

/// Bytes of the buffers of all fields together, and of one at most and at least.
const BUFFERS: usize = 128 << 20;
const MAX_BUFFER: usize = 4 << 20;
const MIN_BUFFER: usize = 1 << 10;
/// A variable-length field has offsets and maybe validity, and results are copied.
const BUFFERS_OF_FIELD: usize = 4;
/// Rows of a table that are printed at once, with columns as wide as they need.
const TABLE: usize = 1000;
/// Maximum number of bytes of their texts.
const TABLE_BYTES: usize = 16 << 20;

/// Prints the selected cells. An output file appears when it is complete.
pub fn run(common: &CommonOptions, select: &Select, usual: Option<u64>) -> Result<()> {
    let ctx = common.context()?;
    let progress = Progress::quiet(&ctx)?;
    progress.end(print_cells(&ctx, common, select, usual, &progress))
}

fn print_cells(
    ctx: &Context,
    common: &CommonOptions,
    select: &Select,
    usual: Option<u64>,
    progress: &Progress,
) -> Result<()> {
    let array = Array::open(ctx, &select.at.uri, select.at.moments()?)?;
    let schema = array.schema();
    let shown = chosen(schema, &select.fields)?;
    let filter = select.condition.as_ref().map(|text| ConditionExpr::parse(text, schema)).transpose()?;
    let ranges = ranges(&array, &select.range)?;

    // Cells of a dense array that a condition leaves out come as fill values: here they are left out for good.
    let mut read = shown.clone();
    let here = filter.as_ref().filter(|_| schema.is_dense());
    let mut needed = Vec::new();
    if let Some(filter) = here {
        filter.fields(&mut needed);
    }
    let mut names: HashSet<&str> = shown.iter().map(|field| field.name.as_str()).collect();
    needed.retain(|name| names.insert(name));
    if !needed.is_empty() {
        let needed: HashSet<&str> = needed.into_iter().collect();
        read.extend(schema.fields().into_iter().filter(|field| needed.contains(field.name.as_str())));
    }
    let places: HashMap<String, usize> = read.iter().zip(0..).map(|(field, at)| (field.name.clone(), at)).collect();
    let condition = match &filter {
        Some(filter) if here.is_none() => Some(filter.condition(ctx)?),
        _ => None,
    };
    // Where nothing is stored there are no cells, but a header and a schema.
    let limit = if ranges.is_some() { select.limit.or(usual).unwrap_or(u64::MAX) } else { 0 };
    let ranges = ranges.unwrap_or_default();
    let most = if limit < 1000 { MAX_BUFFER / 64 } else { MAX_BUFFER };
    let room = (BUFFERS / BUFFERS_OF_FIELD / read.len().max(1)).clamp(MIN_BUFFER, most);
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
        return write_arrow(batches(&reader, &names)?, limit, Out::new(select.output.as_deref())?, progress);
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
            if here.is_none_or(|filter| filter.holds(&|name| value(&batch, places.get(name), at))) {
                printer.cell(batch.columns[..shown.len()].iter().map(|column| column.value(at)).collect())?;
                left -= 1;
            }
        }
    }
    printer.end()
}

fn value(batch: &CellBatch, place: Option<&usize>, at: usize) -> Value {
    place.and_then(|&place| batch.columns.get(place)).map_or(Value::Null, |column| column.value(at))
}

/// The fields to print.
fn chosen(schema: &Schema, names: &[String]) -> Result<Vec<Field>> {
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
    names.iter().map(find).collect()
}

/// The ranges to read: the specified ones; in other dimensions the non-empty domain. `None` if that is empty.
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

/// The output: a named file, or standard output.
enum Out {
    Standard(Stdout),
    File(OutputFile),
}

impl Out {
    fn new(file: Option<&Path>) -> Result<Self> {
        Ok(match file {
            Some(file) if file != Path::new("-") => Self::File(OutputFile::create(file)?),
            _ => Self::Standard(std::io::stdout()),
        })
    }

    fn is_terminal(&self) -> bool {
        matches!(self, Self::Standard(out) if out.is_terminal())
    }

    /// Ends it, when all was written.
    fn finish(self) -> Result<()> {
        match self {
            Self::Standard(mut out) => Ok(out.flush()?),
            Self::File(file) => file.finish(),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::File(file) => file.flush(),
        }
    }
}

/// Writes cells as an Arrow file.
fn write_arrow(mut batches: impl RecordBatchReader, limit: u64, out: Out, progress: &Progress) -> Result<()> {
    if out.is_terminal() {
        return Err(Error::usage("an Arrow file is not for a terminal: add --output FILE"));
    }
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
    writer.finish().map_err(of_arrow)?;
    writer.into_inner().map_err(of_arrow)?.into_inner().map_err(|error| error.into_error())?.finish()
}

fn of_arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => error.into(),
        other => Error::failed_by(other),
    }
}

/// Writes cells as they come.
enum Printer {
    Table { names: Vec<String>, rows: Vec<Vec<String>>, bytes: usize },
    Csv { writer: Box<csv::Writer<Out>>, is_terminal: bool },
    Json { names: Vec<String>, out: BufWriter<Out>, is_terminal: bool },
}

impl Printer {
    fn new(format: Format, fields: &[Field], select: &Select) -> Result<Self> {
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        if format == Format::Table {
            return match &select.output {
                Some(file) if file != Path::new("-") => {
                    Err(Error::usage("--output takes csv, json or arrow: add --format"))
                }
                _ => Ok(Self::Table { names, rows: Vec::new(), bytes: 0 }),
            };
        }
        let out = Out::new(select.output.as_deref())?;
        let is_terminal = out.is_terminal();
        if format == Format::Json {
            let names = names.iter().map(|name| serde_json::Value::from(name.as_str()).to_string()).collect();
            return Ok(Self::Json { names, out: BufWriter::new(out), is_terminal });
        }
        let mut printer = Self::Csv { writer: Box::new(csv::Writer::from_writer(out)), is_terminal };
        // Errors are reported at the end, too.
        _ = printer.record(names.into_iter());
        Ok(printer)
    }

    /// Writes a CSV row; on a terminal without control sequences.
    fn record(&mut self, cells: impl Iterator<Item = String>) -> Result<()> {
        let Self::Csv { writer, is_terminal } = self else { return Ok(()) };
        match is_terminal {
            true => writer.write_record(cells.map(|cell| output::escape(&cell).into_owned())),
            false => writer.write_record(cells),
        }
        .map_err(of_csv)
    }

    fn cell(&mut self, values: Vec<Value>) -> Result<()> {
        match self {
            Self::Table { names, rows, bytes } => {
                let row: Vec<String> = values.iter().map(Value::to_string).collect();
                *bytes += row.iter().map(String::len).sum::<usize>();
                rows.push(row);
                if rows.len() == TABLE || *bytes > TABLE_BYTES {
                    *bytes = 0;
                    print(names, rows)?;
                }
            }
            Self::Csv { .. } => {
                let text = |value: &Value| if *value == Value::Null { String::new() } else { value.to_string() };
                self.record(values.iter().map(text))?;
            }
            Self::Json { names, out, is_terminal } => {
                // Not a JSON map, so that fields keep their order.
                let pairs = names.iter().zip(&values);
                let pairs: Vec<_> = pairs.map(|(name, value)| format!("{name}:{}", value.json())).collect();
                let pairs = pairs.join(",");
                writeln!(out, "{{{}}}", if *is_terminal { output::escape_json(&pairs) } else { pairs.into() })?;
            }
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        match self {
            Self::Table { names, mut rows, .. } => print(&names, &mut rows),
            Self::Csv { writer, .. } => writer.into_inner().map_err(|error| error.into_error())?.finish(),
            Self::Json { out, .. } => out.into_inner().map_err(|error| error.into_error())?.finish(),
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
