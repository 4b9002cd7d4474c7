//! `import`: the rows of a CSV, JSON, Arrow or Parquet file, or the values of an NPY file, become cells of an array.

use std::collections::HashSet;
use std::path::Path;

use serde_json::json;
use tiledb::{Context, Datatype, Vfs};

use crate::args::{CommonOptions, Import, Profile};
use crate::import::{
    FileKind, ImportOptions, ImportTarget, InferredColumn, Input, NpyFile, RecordBatches, RowFile, RowFormat,
    RowSample, batch_scan, from_arrow, from_rows, propose,
};
use crate::model::{
    Advice, AttributeDetails, DatatypeExt, Error, FilterChoice, NewArray, NewEnumeration, ObjectType, Result, VAR,
    Value, advise, object_type,
};
use crate::output;
use crate::progress::Progress;

/// Imports the rows, and returns their number.
pub(crate) fn run(common: &CommonOptions, arguments: &Import) -> Result<()> {
    let ctx = common.context()?;
    let progress = Progress::new(&ctx, "importing")?;
    let done = rows(&ctx, common, arguments, &progress);
    let Some(Imported { rows, fragments, is_made }) = progress.end(done)? else { return Ok(()) };
    if common.json {
        return output::json(&json!({ "command": "import", "rows": rows, "fragments": fragments, "made": is_made }));
    }
    output::line(&format!("import: rows: {rows}, fragments: {fragments}"))
}

/// Imports; none where nothing was to be done.
pub(crate) fn rows(
    ctx: &Context,
    common: &CommonOptions,
    arguments: &Import,
    progress: &Progress,
) -> Result<Option<Imported>> {
    check_no_file(ctx, &arguments.array)?;
    let options = options(arguments)?;
    let is_there = object_type(ctx, &arguments.array)? == ObjectType::Array;
    if is_there
        && (!options.dimensions.is_empty()
            || !options.types.is_empty()
            || options.checksum.is_some()
            || arguments.profile.is_some())
    {
        return Err(Error::usage(format!(
            "{} is there, and has its schema: leave out --dims, --type, --checksum and --profile",
            arguments.array
        )));
    }
    if !is_there && !arguments.force {
        check_empty(ctx, &arguments.array)?;
    }
    let job = Job { common, arguments, ctx, options, is_there };
    let input = Input::open(&arguments.file, progress)?;
    match input.kind {
        FileKind::ArrowFile | FileKind::ArrowStream | FileKind::Parquet => job.batches(input, progress),
        FileKind::Npy => job.npy(input, progress),
        _ => {
            let form = form(arguments, &input)?;
            job.rows(input, &form, progress)
        }
    }
}

/// An object takes the place of no file.
pub(crate) fn check_no_file(ctx: &Context, uri: &str) -> Result<()> {
    if !uri.starts_with("tiledb://") && Vfs::new(ctx).is_file(uri)? {
        return Err(Error::usage(format!("{uri} is a file; name another place for the array")));
    }
    Ok(())
}

/// An array is not created in a group or in a folder with other files.
pub(crate) fn check_empty(ctx: &Context, uri: &str) -> Result<()> {
    let found = match object_type(ctx, uri)? {
        ObjectType::Group => "a group".to_owned(),
        _ => match first_in(&Vfs::new(ctx), uri)? {
            Some(first) => format!("a folder that is not empty: {first} is in it"),
            None => return Ok(()),
        },
    };
    Err(Error::usage(format!("{uri} is {found}; name another place, or add --force to create it there")))
}

/// The first entry of a folder, if any; none for files and missing paths.
fn first_in(vfs: &Vfs, uri: &str) -> Result<Option<String>> {
    if !vfs.is_dir(uri)? {
        return Ok(None);
    }
    Ok(vfs.list(uri)?.first().map(|entry| entry.uri().to_owned()))
}

pub(crate) struct Imported {
    pub rows: u64,
    pub fragments: u64,
    /// Whether the array was made.
    pub is_made: bool,
}

/// The import.
struct Job<'a> {
    common: &'a CommonOptions,
    arguments: &'a Import,
    ctx: &'a Context,
    options: ImportOptions,
    is_there: bool,
}

/// Cells of a tile, unless another number is given or recommended, and bytes of their rows.
const TILE: u64 = 10_000;
const TILE_BYTES: u64 = 64 << 20;
/// The array of the sampled rows.
const SAMPLE: &str = "mem://sample";

type ImportResult = Result<Option<Imported>>;

impl Job<'_> {
    fn rows(&self, mut input: Input, form: &RowFormat, progress: &Progress) -> ImportResult {
        let name = &self.arguments.file;
        let mut file = RowFile::open(&mut input, form)?;
        if !self.is_there {
            let mut sample = RowSample::new(self.options.tile);
            let (dimensions, most) = (&self.options.dimensions, self.arguments.sample);
            let (found, details, rows) = from_rows::scan(&mut file, form, dimensions, most, &mut sample, progress)?;
            let names = file.columns.clone();
            let block = sample.block();
            let fill = |target: &mut ImportTarget<'_>| {
                from_rows::fill_sample(target, &names, sample, rows, form).map_err(|error| error.at(name))
            };
            self.make(&self.advised(block, &names, found, &details, [rows, input.size], fill)?, &details)?;
            // A file is read again from its beginning, so that the sampled rows are read, too.
            if !input.is_pipe() {
                file = RowFile::open(&mut input, form)?;
            }
        }
        let columns = file.columns.clone();
        self.fill(&columns, |target| from_rows::fill(target, &mut file, form, progress))
    }

    fn batches(&self, mut input: Input, progress: &Progress) -> ImportResult {
        let name = &self.arguments.file;
        let mut batches = RecordBatches::open(&mut input)?;
        let columns = batch_scan::names(&batches);
        let mut rows = 0;
        if !self.is_there {
            let mut sample = RowSample::new(self.options.tile);
            let dimensions: HashSet<&str> = self.options.dimensions.iter().map(String::as_str).collect();
            let types: HashSet<&str> = self.options.types.iter().map(|(name, _)| name.as_str()).collect();
            let most = self.arguments.sample.unwrap_or(batch_scan::SAMPLE);
            let scan = batch_scan::scan(&mut batches, input.is_pipe(), most, [&dimensions, &types], &mut sample);
            let scanned = scan.map_err(|error| error.at(name))?;
            let (block, details, scanned_rows) = (sample.block(), scanned.details, scanned.rows);
            let sizes = [scanned.rows, scanned.bytes];
            let fill = |target: &mut ImportTarget<'_>| from_arrow::fill_sample(target, sample, scanned_rows);
            self.make(&self.advised(block, &columns, scanned.columns, &details, sizes, fill)?, &details)?;
            if !input.is_pipe() {
                // Two readers would have the dictionaries of the file twice.
                drop(batches);
                batches = RecordBatches::open(&mut input)?;
                rows = scanned.rows;
            }
        }
        self.fill(&columns, |target| from_arrow::fill(target, batches, rows, progress))
    }

    fn npy(&self, mut input: Input, progress: &Progress) -> ImportResult {
        let file = NpyFile::open(&mut input)?;
        if !self.is_there {
            self.make(&file.propose(&self.options)?, &AttributeDetails::new())?;
        }
        if self.arguments.dry_run {
            return Ok(None);
        }
        let (rows, fragments) = file.fill(self.ctx, &self.arguments.array, progress)?;
        Ok(Some(Imported { rows, fragments, is_made: !self.is_there }))
    }

    /// Derives the array, with filters that are recommended by sampled rows: they are written to an array in memory, of which the
    /// tiles are the sampled blocks if it is dense. A sparse array gets the recommended capacity unless one is given.
    fn advised(
        &self,
        block: u64,
        names: &[String],
        columns: Vec<InferredColumn>,
        details: &AttributeDetails,
        [rows, bytes]: [u64; 2],
        fill: impl FnOnce(&mut ImportTarget<'_>) -> Result<()>,
    ) -> Result<NewArray> {
        let tile = if self.arguments.tile.is_some() { u64::MAX } else { TILE_BYTES / (bytes / rows.max(1)).max(1) };
        let options = ImportOptions { tile: self.options.tile.min(tile.max(1)), ..self.options.clone() };
        let mut array = propose(&options, columns.clone(), rows)?;
        if rows == 0 {
            return Ok(array);
        }
        let mut parameters = self.common.parameters()?;
        let has_capacity = self.arguments.tile.is_some() || array.is_dense;
        parameters = parameters
            .to_builder()
            .set("sm.advise.properties", if has_capacity { "only" } else { "only,capacity" })
            .build()?;
        // The memory is freed with the context.
        let ctx = Context::with_config(parameters)?;
        let tile = if array.is_dense { block.min(options.tile) } else { options.tile };
        let options = ImportOptions { tile, ..options };
        NewArray { filters: FilterChoice::Checksum, ..propose(&options, columns, rows)? }
            .create(&ctx, SAMPLE, details)?;
        fill(&mut ImportTarget::new(&ctx, SAMPLE, names)?)?;
        let objective = self.arguments.profile.unwrap_or(Profile::Balanced).objective();
        let (advice, schema) = advise(&ctx, SAMPLE, objective)?;
        array.capacity = advice.iter().find_map(Advice::applied_capacity).unwrap_or(array.capacity);
        array.filters = FilterChoice::Advised(advice, schema);
        Ok(array)
    }

    /// Creates the array, and prints its schema.
    fn make(&self, array: &NewArray, details: &AttributeDetails) -> Result<()> {
        if self.arguments.dry_run || !self.common.json {
            tell_schema(self.common, array, details)?;
        }
        if self.arguments.dry_run { Ok(()) } else { array.create(self.ctx, &self.arguments.array, details) }
    }

    fn fill(&self, columns: &[String], fill: impl FnOnce(&mut ImportTarget<'_>) -> Result<()>) -> ImportResult {
        let uri = &self.arguments.array;
        if self.arguments.dry_run && !self.is_there {
            return Ok(None);
        }
        let mut target = ImportTarget::new(self.ctx, uri, columns)?;
        if self.arguments.dry_run {
            return Ok(None);
        }
        let filled = fill(&mut target);
        if filled.is_err() && target.fragments > 0 {
            output::complain(&format!("{} rows are in {uri}", target.stored));
        }
        let (rows, fragments) = (target.stored, target.fragments);
        filled.map(|()| Some(Imported { rows, fragments, is_made: !self.is_there }))
    }
}

fn form(arguments: &Import, input: &Input) -> Result<RowFormat> {
    let is_json = input.kind == FileKind::Json;
    let has_tabs = Path::new(&arguments.file)
        .extension()
        .is_some_and(|extension| ["tsv", "tab"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
    let delimiter = match arguments.delimiter.as_deref() {
        None if has_tabs => b'\t',
        None if is_json => b',',
        None => match input.delimiter() {
            Some(delimiter) => {
                let shown = char::from(delimiter).escape_default();
                output::note(&format!("{}: fields are divided by '{shown}'; --delimiter names another", input.name));
                delimiter
            }
            None => b',',
        },
        Some("\\t") => b'\t',
        Some(text) if text.len() == 1 => text.as_bytes()[0],
        Some(text) => return Err(Error::usage(format!("--delimiter {text:?}: give one character, \\t for a tab"))),
    };
    let nulls = arguments.null.iter().map(|word| word.clone().into_bytes()).collect();
    Ok(RowFormat { delimiter, has_header: !arguments.no_header, nulls, is_json })
}

fn options(arguments: &Import) -> Result<ImportOptions> {
    let types = arguments.types.iter().map(|text| {
        let (name, datatype) =
            text.split_once('=').ok_or_else(|| Error::usage(format!("--type {text}: write COLUMN=DATATYPE")))?;
        Ok((name.to_owned(), Datatype::named(datatype)?))
    });
    Ok(ImportOptions {
        dimensions: arguments.dims.clone(),
        row: arguments.row.clone(),
        types: types.collect::<Result<_>>()?,
        tile: arguments.tile.unwrap_or(TILE).max(1),
        checksum: arguments.checksum,
    })
}

/// Prints the inferred schema.
fn tell_schema(common: &CommonOptions, array: &NewArray, details: &AttributeDetails) -> Result<()> {
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
            array.filters_as_text(&dimension.name, dimension.datatype),
        ]
    });
    let attributes = array.attributes.iter().map(|attribute| {
        let nullable = if attribute.is_nullable { ", nullable" } else { "" };
        let detail = details.get(&attribute.name);
        let values = match detail.map_or(1, |detail| detail.values) {
            VAR if !attribute.datatype.is_text() => " (var)".to_owned(),
            1 | VAR => String::new(),
            values => format!(" x {values}"),
        };
        let members = detail.and_then(|detail| detail.enumeration.as_ref()).map(NewEnumeration::members);
        let members = members.map_or(String::new(), |members| format!(", one of {members}"));
        let datatype = format!("{}{values}{nullable}{members}", attribute.datatype);
        [
            "attribute".to_owned(),
            attribute.name.clone(),
            datatype,
            String::new(),
            array.filters_as_text(&attribute.name, attribute.datatype),
        ]
    });
    let rows: Vec<Vec<String>> = dimensions.chain(attributes).map(|row| row.to_vec()).collect();
    if common.json {
        let fields = rows.iter().map(|row| json!({ "kind": row[0], "name": row[1], "type": row[2], "tile": row[3] }));
        return output::json(&json!({ "dense": array.is_dense, "fields": fields.collect::<Vec<_>>() }));
    }
    output::line(if array.is_dense { "a dense array" } else { "a sparse array" })?;
    output::table(&["", "FIELD", "TYPE", ">TILE", "FILTERS"], &rows)
}
