//! `import`: the rows of a CSV file become cells of an array.

use serde_json::json;

use crate::args::{Common, Import};
use crate::import::{Columns, CsvFile, Form, Seen, Wish, propose};
use crate::output;
use crate::progress::Progress;
use crate::tiledb::{
    Array, Context, Datatype, Error, Moments, NewArray, ObjectType, Result, Value, filters_of, object_type, write,
};

/// Bytes of cells that become a fragment.
const FRAGMENT: usize = 64 << 20;
/// Rows of the standard input that are looked at first.
const SAMPLE: u64 = 100_000;
/// Rows between two looks at the progress.
const STEP: u64 = 1 << 12;

/// Imports.
pub fn run(common: &Common, arguments: &Import) -> Result<()> {
    let ctx = common.context()?;
    let form = form(arguments)?;
    let wish = wish(arguments)?;
    let is_there = object_type(&ctx, &arguments.array)? == ObjectType::Array;
    if is_there && (!wish.dimensions.is_empty() || !wish.types.is_empty()) {
        return Err(Error::usage(format!(
            "{} is there, and has its schema: leave out --dims and --type",
            arguments.array
        )));
    }
    let progress = Progress::new(&ctx, "importing")?;
    let done = (|| {
        let mut file = CsvFile::open(&arguments.file, &form)?;
        if !is_there {
            let proposed = look(&mut file, arguments, &form, &wish, &progress)?;
            if arguments.dry_run || !common.json {
                tell_schema(common, &proposed)?;
            }
            if arguments.dry_run {
                return Ok(None);
            }
            proposed.create(&ctx, &arguments.array)?;
            // The rows that were looked at are read once more, where that can be done.
            if file.size > 0 {
                file = CsvFile::open(&arguments.file, &form)?;
            }
        }
        let mut sink = Sink::new(&ctx, &arguments.array, &file.columns)?;
        if arguments.dry_run {
            return Ok(None);
        }
        let filled = fill(&mut sink, &mut file, &form, &progress);
        if filled.is_err() && sink.fragments > 0 {
            output::complain(&format!("{} rows are in {}", sink.stored, arguments.array));
        }
        filled.map(|()| Some((sink.stored, sink.fragments)))
    })();
    let Some((rows, fragments)) = progress.end(done)? else { return Ok(()) };
    if common.json {
        return output::json(&json!({ "command": "import", "rows": rows, "fragments": fragments, "made": !is_there }));
    }
    output::line(&format!("import: rows: {rows}, fragments: {fragments}"))
}

fn form(arguments: &Import) -> Result<Form> {
    let delimiter = match arguments.delimiter.as_str() {
        "\\t" => b'\t',
        text if text.len() == 1 => text.as_bytes()[0],
        text => return Err(Error::usage(format!("--delimiter {text:?}: give one character, \\t for a tab"))),
    };
    let nulls = arguments.null.iter().map(|word| word.clone().into_bytes()).collect();
    Ok(Form { delimiter, has_header: !arguments.no_header, nulls })
}

fn wish(arguments: &Import) -> Result<Wish> {
    let types = arguments.types.iter().map(|text| {
        let (name, datatype) =
            text.split_once('=').ok_or_else(|| Error::usage(format!("--type {text}: write COLUMN=DATATYPE")))?;
        Ok((name.to_owned(), Datatype::named(datatype)?))
    });
    Ok(Wish {
        dimensions: arguments.dims.clone(),
        row: arguments.row.clone(),
        types: types.collect::<Result<_>>()?,
        tile: arguments.tile.max(1),
    })
}

/// Looks at all rows of a file, or at the first ones, and proposes an array.
fn look(file: &mut CsvFile, arguments: &Import, form: &Form, wish: &Wish, progress: &Progress) -> Result<NewArray> {
    let columns = file.columns.clone();
    let mut seen: Vec<Seen> = columns.iter().map(|name| Seen::new(wish.dimensions.contains(name))).collect();
    let mut rows = 0;
    let mut see = |row: &csv::ByteRecord| {
        for (cell, seen) in row.iter().zip(&mut seen) {
            if form.is_null(cell) {
                seen.has_nulls = true;
            } else {
                seen.see(cell);
            }
        }
    };
    if file.size == 0 {
        let ahead = file.look_ahead(arguments.sample.unwrap_or(SAMPLE))?;
        ahead.iter().for_each(&mut see);
        rows = ahead.len() as u64;
        // What comes later may have no value.
        seen.iter_mut().zip(&columns).for_each(|(seen, name)| seen.has_nulls |= !wish.dimensions.contains(name));
    } else {
        let (most, size) = (arguments.sample.unwrap_or(u64::MAX), file.size);
        while rows < most
            && let Some((row, _)) = file.next()?
        {
            see(row);
            rows += 1;
            if rows.is_multiple_of(STEP) && !progress.tell(file.position() / 2, size) {
                return Err(Error::Stopped);
            }
        }
    }
    propose(wish, &columns, &seen, rows)
}

/// Says what the array will be.
fn tell_schema(common: &Common, array: &NewArray) -> Result<()> {
    let dimensions = array.dimensions.iter().map(|dimension| {
        let extent = dimension.extent.as_ref().map_or(String::new(), |extent| {
            match Value::of_bytes(dimension.datatype, extent) {
                Value::Moment(_, units) => units.to_string(),
                other => other.to_string(),
            }
        });
        [
            "dimension".to_owned(),
            dimension.name.clone(),
            dimension.datatype.to_string(),
            extent,
            filters(dimension.datatype),
        ]
    });
    let attributes = array.attributes.iter().map(|attribute| {
        let nullable = if attribute.is_nullable { ", nullable" } else { "" };
        let datatype = format!("{}{nullable}", attribute.datatype);
        ["attribute".to_owned(), attribute.name.clone(), datatype, String::new(), filters(attribute.datatype)]
    });
    let rows: Vec<Vec<String>> = dimensions.chain(attributes).map(|row| row.to_vec()).collect();
    if common.json {
        let fields = rows.iter().map(|row| json!({ "kind": row[0], "name": row[1], "type": row[2], "tile": row[3] }));
        return output::json(&json!({ "dense": array.is_dense, "fields": fields.collect::<Vec<_>>() }));
    }
    output::line(if array.is_dense { "a dense array" } else { "a sparse array" })?;
    output::table(&["", "FIELD", "TYPE", ">TILE", "FILTERS"], &rows)
}

fn filters(datatype: Datatype) -> String {
    if filters_of(datatype).len() > 1 { "BYTESHUFFLE, ZSTD".to_owned() } else { "ZSTD".to_owned() }
}

/// Where rows go.
struct Sink<'c> {
    ctx: &'c Context,
    uri: String,
    columns: Columns,
    /// The next row of a dense array, and the cells of its tiles.
    next: Option<(i64, u64)>,
    stored: u64,
    fragments: u64,
}

impl<'c> Sink<'c> {
    fn new(ctx: &'c Context, uri: &str, names: &[String]) -> Result<Self> {
        let array = Array::open(ctx, uri, Moments::default())?;
        let schema = array.schema();
        let mut fields = schema.fields();
        let next = if schema.is_dense() { Some(next_row(&array, names)?) } else { None };
        if next.is_some() {
            fields.remove(0);
        }
        let columns = Columns::new(fields, names).map_err(|error| error.at(uri))?;
        Ok(Self { ctx, uri: uri.to_owned(), columns, next, stored: 0, fragments: 0 })
    }

    /// Whether the rows that are held make a fragment: of a dense array only whole tiles.
    fn is_full(&self) -> bool {
        let is_whole = |(next, tile): (i64, u64)| (next as u64 + self.columns.rows()).is_multiple_of(tile);
        self.columns.bytes() >= FRAGMENT && self.next.is_none_or(is_whole)
    }

    /// Writes the rows that are held.
    fn write(&mut self) -> Result<()> {
        let rows = self.columns.rows();
        if rows == 0 {
            return Ok(());
        }
        let array = Array::open_for_writing(self.ctx, &self.uri)?;
        let place = self.next.map(|(next, _)| [next, next + rows as i64 - 1]);
        write(&array, place, &mut self.columns.cells)?;
        self.columns.clear();
        if let Some((next, _)) = &mut self.next {
            *next += rows as i64;
        }
        self.stored += rows;
        self.fragments += 1;
        Ok(())
    }
}

/// The first row of a dense array that holds nothing, and the cells of its tiles.
fn next_row(array: &Array, names: &[String]) -> Result<(i64, u64)> {
    let schema = array.schema();
    let [dimension] = schema.dimensions.as_slice() else {
        let count = schema.dimensions.len();
        return Err(Error::failed(format!("rows cannot be put into a dense array of {count} dimensions")));
    };
    if names.contains(&dimension.name) || dimension.datatype != Datatype::INT64 {
        let name = &dimension.name;
        return Err(Error::failed(format!(
            "rows cannot be put behind others: dimension {name:?} of the dense array does not number them"
        )));
    }
    let number = |value: &Value| match value {
        Value::Int(number) => *number,
        _ => 0,
    };
    let first = dimension.domain.as_ref().map_or(0, |(low, _)| number(low));
    let stored = array.non_empty_domain()?;
    let next = stored.as_ref().and_then(|bounds| bounds.first()).map_or(first, |(_, high)| number(high) + 1);
    let tile = dimension.extent.as_ref().map_or(1, number).max(1);
    Ok((next - first.min(0), tile as u64))
}

/// Reads a file to its end.
fn fill(sink: &mut Sink<'_>, file: &mut CsvFile, form: &Form, progress: &Progress) -> Result<()> {
    let size = file.size;
    let mut rows = 0_u64;
    while let Some((row, line)) = file.next()? {
        sink.columns.push(row, line, form)?;
        rows += 1;
        if sink.is_full() {
            sink.write()?;
        }
        if rows.is_multiple_of(STEP) && !progress.tell(size / 2 + file.position() / 2, size) {
            return Err(Error::Stopped);
        }
    }
    sink.write()
}
