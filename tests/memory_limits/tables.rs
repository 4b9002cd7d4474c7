//! Tables of fragment metadata that decode to far more than is possible for the number of tiles: in a file whose footer
//! states the true number of tiles, or one that matches the table.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bombs::{MOST, Pieces, SIZES, tile};
use crate::resident;
use support::{Api, Array, Cells, Column, Ctx, Failure, pointer, text};

/// What a chunk holds.
const CHUNK: usize = 60_000;
/// Places of fields in the tables: two attributes, an unused one, a dimension.
const FIELDS: usize = 4;

/// A table: its section, counted from the offsets of tiles on, its field, how it begins, and who reads it.
struct Table {
    name: &'static str,
    word: usize,
    head: fn(usize) -> Vec<u8>,
    run: fn(&Ctx<'_>, &str) -> Result<(), Failure>,
}

const fn of(name: &'static str, section: usize, field: usize) -> Table {
    Table { name, word: 3 * FIELDS + 1 + section * FIELDS + field, head: words, run: read }
}

const TABLES: [Table; 9] = [
    Table { word: 3 * FIELDS, head: boxes, ..of("tree", 0, 0) },
    of("offsets", 0, 0),
    of("var_offsets", 1, 1),
    of("var_sizes", 2, 1),
    of("validity_offsets", 3, 0),
    Table { head: cells, run: aggregate, ..of("minima", 4, 0) },
    Table { head: cells, run: aggregate, ..of("maxima", 5, 0) },
    Table { run: aggregate, ..of("sums", 6, 0) },
    Table { run: aggregate, ..of("null_counts", 7, 0) },
];

fn words(size: usize) -> Vec<u8> {
    (size as u64 / 8).to_le_bytes().to_vec()
}

fn cells(size: usize) -> Vec<u8> {
    [size as u64, 0].iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Ten boxes to each above, and one level.
fn boxes(size: usize) -> Vec<u8> {
    [&10u32.to_le_bytes()[..], &1u32.to_le_bytes(), &words(size)].concat()
}

/// The metadata file with another table, and this number of tiles in its footer.
fn changed(file: &[u8], table: &Table, size: usize, tiles: Option<usize>) -> Vec<u8> {
    let length = u64::from_le_bytes(file[file.len() - 8..].try_into().unwrap()) as usize;
    let (tables, footer) = file[..file.len() - 8].split_at(file.len() - 8 - length);
    let mut footer = footer.to_vec();
    let words = length - 8 * (11 * FIELDS + 3);
    let word = words + 8 * table.word;
    footer[word..word + 8].copy_from_slice(&(tables.len() as u64).to_le_bytes());
    if let Some(tiles) = tiles {
        // Before the words stand two flags, before these the numbers of tiles and of cells in the last.
        footer[words - 18..words - 10].copy_from_slice(&(tiles as u64).to_le_bytes());
    }
    let decoded = size.div_ceil(CHUNK) * CHUNK;
    let pieces: Pieces = ((table.head)(decoded), vec![0; CHUNK], Vec::new());
    [tables, &tile(&pieces, size), &footer, &file[file.len() - 8..]].concat()
}

fn read(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, 3])?;
    let (subarray, range) = (ctx.get("subarray_alloc", &[array.handle])?, [1i32, 3]);
    let ends = range.as_ptr() as u64;
    ctx.call("subarray_add_range", &[subarray, 0, ends, ends + 4, 0])?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    let mut columns = [
        Column::with_capacity("attribute", 64, None, Some(16)),
        Column::with_capacity("text", 64, Some(16), None),
        Column::with_capacity("d", 64, None, None),
    ];
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])
}

fn aggregate(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 0, None, None)?;
    for (operator, size, nullable) in [("max", 4, true), ("sum", 8, true), ("null_count", 8, false)] {
        let query = ctx.get("query_alloc", &[array.handle, 0])?;
        ctx.call("query_set_layout", &[query, 3])?;
        let channel = ctx.get("query_get_default_channel", &[query])?;
        let operator = ctx.get(&format!("channel_operator_{operator}_get"), &[])?;
        let made = ctx.get("create_unary_aggregate", &[query, operator, pointer(&text("attribute"))])?;
        ctx.call("channel_apply_aggregate", &[channel, pointer(&text("r")), made])?;
        let mut column = Column::with_capacity("r", size, None, nullable.then_some(1));
        column.bind(ctx, query)?;
        ctx.call("query_submit", &[query])?;
    }
    Ok(())
}

/// Reads what a changed table is needed for, in a process of its own.
pub fn child(name: &str, uri: &str) {
    let table = TABLES.iter().find(|table| table.name == name).unwrap();
    let api = Api::ours();
    let ctx = api.context(&[]);
    resident::reset_peak();
    let before = resident::now();
    let done = (table.run)(&ctx, uri);
    let rise = resident::peak().saturating_sub(before);
    println!(
        "{name}: {} MiB, {}",
        rise >> 20,
        done.as_ref().map_or_else(|failure| failure.text.clone(), |()| "read".to_owned())
    );
    assert!(rise <= MOST / 4, "{rise} bytes of memory for {name}");
    assert!(done.is_err(), "{name} was believed");
}

/// Changes every table; gives the number of failures.
pub fn parent(folder: &Path, filter: &str) -> usize {
    let chosen = TABLES.iter().filter(|table| "tables".contains(filter) || table.name.contains(filter));
    let uri = folder.join("tables");
    let mut failed = 0;
    let mut file = None;
    for table in chosen {
        let (path, sound) = file.get_or_insert_with(|| {
            make(&Api::ours().context(&[]), uri.to_str().unwrap()).unwrap();
            let fragment = fs::read_dir(uri.join("__fragments")).unwrap().next().unwrap().unwrap().path();
            let path = fragment.join("__fragment_metadata.tdb");
            let bytes = fs::read(&path).unwrap();
            (path, bytes)
        });
        for (size, fits) in SIZES.iter().flat_map(|&size| [(size, false), (size, true)]) {
            fs::write(&*path, changed(sound, table, size, fits.then_some(size / 8))).unwrap();
            let program = std::env::current_exe().unwrap();
            let output = Command::new(program).args(["--table", table.name]).arg(&uri).output().unwrap();
            let memory = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() {
                failed += 1;
                let why = String::from_utf8_lossy(&output.stderr);
                println!("FAILED {size} bytes, {memory}: {} {why}", output.status);
            } else if std::env::var_os("SHOW").is_some() {
                print!("{size} bytes, {memory}");
            }
        }
    }
    failed
}

/// A sparse array of two tiles.
fn make(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let (ends, extent) = ([1i32, 100], [10i32]);
    let dimension =
        ctx.get("dimension_alloc", &[pointer(&text("d")), 0, ends.as_ptr() as u64, extent.as_ptr() as u64])?;
    let domain = ctx.get("domain_alloc", &[])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let schema = ctx.get("array_schema_alloc", &[1])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_capacity", &[schema, 2])?;
    for (name, datatype) in [("attribute", 0), ("text", 11)] {
        let attribute = ctx.get("attribute_alloc", &[pointer(&text(name)), datatype])?;
        match datatype {
            0 => ctx.call("attribute_set_nullable", &[attribute, 1])?,
            _ => ctx.call("attribute_set_cell_val_num", &[attribute, u64::from(u32::MAX)])?,
        }
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    }
    ctx.call("array_create", &[pointer(&text(uri)), schema])?;
    let array = Array::open(ctx, uri, 1, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[query, 3])?;
    let data: Vec<u8> = [1i32, 2, 3, 4].iter().flat_map(|value| value.to_le_bytes()).collect();
    let numbers = Cells { data, offsets: None, validity: None };
    let texts = Cells { data: b"abcd".to_vec(), offsets: Some(vec![0, 1, 2, 3]), validity: None };
    let nullable = Cells { validity: Some(vec![1, 0, 1, 1]), ..numbers.clone() };
    let mut columns =
        [("d", numbers), ("attribute", nullable), ("text", texts)].map(|(name, cells)| Column::filled(name, cells));
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])
}
