//! Measures which share of single flipped bits verification finds, per datatype, kind of file and filter: the tables of
//! `docs/verify.md`. `cargo test --test verify -- --ignored --nocapture bit_flips`; `FLIPS=500` sets the number of bits per kind of file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use support::corruption::report::verify;
use support::random::Random;
use support::round_trip::data::{Data, Shape, Style};
use support::round_trip::execute;
use support::round_trip::pipeline::{self, Filter, Pipeline};
use support::round_trip::scenario::{Attribute, Dimension, OffsetMode, Scenario, Write};
use support::round_trip::types::{ASCII, Kind, Type, UTF8};
use support::{Api, Ctx, bytes, pointer, text};

/// Flipped bits per kind of file, unless `FLIPS` says how many.
const FLIPS: usize = 60;
const CELLS: i64 = 300;
const TILE: i64 = 100;
const BLOB: u64 = 40;
const BOOL: u64 = 41;
const DATETIME_NS: u64 = 27;

/// What is written into a field.
#[derive(Clone, Copy)]
struct Subject {
    name: &'static str,
    ty: u64,
    values: Option<u32>,
    nullable: bool,
}

const fn subject(name: &'static str, ty: u64, values: Option<u32>, nullable: bool) -> Subject {
    Subject { name, ty, values, nullable }
}

const ATTRIBUTES: [Subject; 14] = [
    subject("int32", 0, Some(1), false),
    subject("uint8", 6, Some(1), false),
    subject("datetime (ns)", DATETIME_NS, Some(1), false),
    subject("bool", BOOL, Some(1), false),
    subject("int32, nullable", 0, Some(1), true),
    subject("float32", 2, Some(1), false),
    subject("float64", 3, Some(1), false),
    subject("ASCII", ASCII, None, false),
    subject("ASCII, nullable", ASCII, None, true),
    subject("ASCII, 4 characters", ASCII, Some(4), false),
    subject("UTF-8", UTF8, None, false),
    subject("blob", BLOB, None, false),
    subject("int32, 2 values", 0, Some(2), false),
    subject("int32, any number of values", 0, None, false),
];

const DIMENSIONS: [Subject; 5] = [
    subject("int32", 0, Some(1), false),
    subject("datetime (ns)", DATETIME_NS, Some(1), false),
    subject("float32", 2, Some(1), false),
    subject("float64", 3, Some(1), false),
    subject("ASCII", ASCII, None, false),
];

/// Filters by name: of fields that they accept.
fn pipelines(subject: Subject) -> Vec<(&'static str, Pipeline)> {
    let filter = |kind| Filter { kind, options: Vec::new() };
    let of = |kinds: &[u64]| Pipeline { filters: kinds.iter().map(|&kind| filter(kind)).collect(), max_chunk: None };
    let is_integer = Type::of(subject.ty).is_integer() && subject.ty != BOOL && subject.values == Some(1);
    let is_text = matches!(subject.ty, ASCII | UTF8) && subject.values.is_none();
    let mut all = vec![
        ("none", of(&[])),
        ("zstd", of(&[2])),
        ("byteshuffle, zstd", of(&[pipeline::BYTESHUFFLE, 2])),
        ("lz4", of(&[3])),
        ("gzip", of(&[1])),
        ("bzip2", of(&[5])),
        ("rle", of(&[pipeline::RLE])),
    ];
    if is_text {
        all.push(("dictionary", of(&[pipeline::DICTIONARY])));
    }
    if is_integer {
        all.push(("double delta", of(&[pipeline::DOUBLE_DELTA])));
        all.push(("bit width", of(&[pipeline::BIT_WIDTH])));
    }
    all.push(("MD5", of(&[12])));
    all.push(("zstd, SHA-256", of(&[2, 13])));
    all
}

/// Cells as applications have them: small numbers, words, rising dates.
fn cells(random: &mut Random, subject: Subject, count: usize) -> Data {
    let ty = Type::of(subject.ty);
    let mut data = Data { offsets: subject.values.is_none().then(Vec::new), ..Data::default() };
    for cell in 0..count {
        let length = subject.values.map_or_else(|| random.between(3, 12), i64::from);
        if let Some(offsets) = &mut data.offsets {
            offsets.push(data.values.len() as u64);
        }
        for _ in 0..length {
            data.values.extend(match (ty.kind, subject.ty) {
                (Kind::Float, 2) => (random.between(-1_000_000, 1_000_000) as f32 / 997.0).to_le_bytes().to_vec(),
                (Kind::Float, _) => (random.between(-1_000_000, 1_000_000) as f64 / 997.0).to_le_bytes().to_vec(),
                (_, ASCII | UTF8) => vec![97 + (random.next() % 26) as u8],
                (_, BLOB) => vec![random.next() as u8],
                (_, BOOL) => vec![(random.next() % 2) as u8],
                (_, DATETIME_NS) => (1_700_000_000_000_000_000 + cell as i64 * 60_000_000_000).to_le_bytes().to_vec(),
                _ => ty.bytes(random.between(0, 100_000)),
            });
        }
    }
    data.validity = subject.nullable.then(|| (0..count).map(|_| u8::from(!random.one_in(5))).collect());
    data
}

/// The coordinates of a sparse array: different ones, which rise.
fn dimension(random: &mut Random, subject: Subject, pipeline: Pipeline) -> (Dimension, Data) {
    let ty = Type::of(subject.ty);
    let step = if subject.ty == DATETIME_NS { 60_000_000_000 } else { 7 };
    let mut dimension =
        Dimension { ty, low: 0, high: CELLS * step, extent: Some(CELLS * step), words: Vec::new(), pipeline };
    if subject.ty == ASCII {
        let word = |random: &mut Random| (0..random.between(4, 10)).map(|_| 97 + (random.next() % 26) as u8).collect();
        dimension.words = (0..CELLS).map(|_| word(random)).collect();
        dimension.words.sort();
        dimension.words.dedup();
        (dimension.high, dimension.extent) = (dimension.words.len() as i64 - 1, None);
    }
    let mut data = Data { offsets: dimension.is_string().then(Vec::new), ..Data::default() };
    for cell in 0..if dimension.is_string() { dimension.words.len() as i64 } else { CELLS } {
        if let Some(offsets) = &mut data.offsets {
            offsets.push(data.values.len() as u64);
        }
        let place = if dimension.is_string() { cell } else { cell * step + random.between(0, step.min(5)) };
        match ty.kind {
            // Not only halves, whose last bits are zeros.
            Kind::Float if ty.size == 4 => data.values.extend((place as f32 / 2.0 / 1.0021).to_le_bytes()),
            Kind::Float => data.values.extend((place as f64 / 2.0 / 1.0021).to_le_bytes()),
            _ => data.values.extend(dimension.bytes(place)),
        }
    }
    (dimension, data)
}

/// A written array with one attribute; of a sparse one the dimension has this type and these filters.
fn array(
    api: &Api,
    uri: &str,
    is_dense: bool,
    (attribute, of_attribute): (Subject, Pipeline),
    (coordinates, of_dimension): (Subject, Pipeline),
) {
    let random = &mut Random::new(7);
    let (dimension, coordinates) = match is_dense {
        true => (
            Dimension {
                ty: Type::of(0),
                low: 0,
                high: CELLS - 1,
                extent: Some(TILE),
                words: Vec::new(),
                pipeline: Pipeline::default(),
            },
            None,
        ),
        false => {
            let (dimension, data) = dimension(random, coordinates, of_dimension);
            (dimension, Some(data))
        }
    };
    let count = coordinates
        .as_ref()
        .map_or(CELLS as usize, |data| data.offsets.as_ref().map_or(data.values.len() / dimension.ty.size, Vec::len));
    let shape = Shape { ty: Type::of(attribute.ty), values: attribute.values, nullable: attribute.nullable };
    let columns = [Some(cells(random, attribute, count)), coordinates].into_iter().flatten().collect();
    let write = Write {
        time: 10,
        layout: if is_dense { 0 } else { 3 },
        region: vec![(0, CELLS - 1)],
        columns,
        submits: vec![count],
        mode: OffsetMode::default(),
        dedup: false,
        ordered: true,
        apart: false,
    };
    let scenario = Scenario {
        dense: is_dense,
        dups: false,
        encrypted: false,
        tile_order: 0,
        cell_order: 0,
        capacity: TILE as u64,
        dimensions: vec![dimension],
        attributes: vec![Attribute { shape, pipeline: of_attribute, fill: None, style: Style::Small }],
        coords: None,
        offsets: Some(Pipeline::default()),
        validity: Some(Pipeline::default()),
        long: false,
        writes: vec![write],
        reads: Vec::new(),
    };
    execute::create(api, uri, &scenario).unwrap();
    execute::write(api, uri, &scenario, &scenario.writes[0]).unwrap();
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        if entry.path().is_dir() { files.extend(self::files(&entry.path())) } else { files.push(entry.path()) }
    }
    files.sort();
    files
}

/// Found and flipped bits.
type Share = (usize, usize);

/// Flips bits of a file one after the other.
fn flip(ctx: &Ctx<'_>, uri: &str, file: &Path, flips: usize) -> Share {
    let bytes = std::fs::read(file).unwrap();
    let all = bytes.len() * 8;
    let mut random = Random::new(all as u64);
    let mut share = (0, 0);
    for number in 0..flips.min(all) {
        // Every bit of a small file, any of a large one.
        let bit = if all <= flips { number } else { (random.next() % all as u64) as usize };
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(file, &flipped).unwrap();
        let verified = verify(ctx, uri);
        share.0 += usize::from(!verified.findings.is_empty() || verified.failure.is_some());
        share.1 += 1;
    }
    std::fs::write(file, bytes).unwrap();
    share
}

/// The kind of a file of an array with one attribute and one dimension.
fn kind_of(path: &Path) -> &'static str {
    let (text, name) = (path.to_str().unwrap(), path.file_name().unwrap().to_str().unwrap());
    match name {
        "a0.tdb" => "data",
        "a0_var.tdb" | "d0_var.tdb" => "values",
        "a0_validity.tdb" => "validity",
        "d0.tdb" => "coordinates",
        "__fragment_metadata.tdb" => "fragment metadata",
        _ if text.contains("/__schema/") => "schema",
        _ if text.contains("/__meta/") => "array metadata",
        _ if name.ends_with(".con") => "consolidated commits",
        _ => "other",
    }
}

fn percent(share: Option<&Share>) -> String {
    match share {
        Some(&(detected, flips)) => format!("{}", (detected * 100 + flips / 2) / flips.max(1)),
        None => String::new(),
    }
}

/// Prints a table whose rows are subjects with a kind of file, and whose columns are filters.
fn print(title: &str, rows: &[(String, BTreeMap<&'static str, Share>)], columns: &[&'static str]) {
    println!("\n{title}\n\n| | {} |\n|---|{}", columns.join(" | "), "--:|".repeat(columns.len()));
    for (name, shares) in rows {
        let cells: Vec<String> = columns.iter().map(|column| percent(shares.get(column))).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
}

/// The shares of the files of one field, per kind.
fn measure(api: &Api, uri: &str, kinds: &[&'static str], flips: usize) -> BTreeMap<&'static str, Share> {
    let ctx = api.context(&[]);
    let sound = verify(&ctx, uri);
    assert!(sound.findings.is_empty() && sound.failure.is_none(), "{:?}", sound.findings);
    let mut shares: BTreeMap<&'static str, Share> = BTreeMap::new();
    for file in files(Path::new(uri)) {
        let kind = kind_of(&file);
        if kinds.contains(&kind) {
            let (detected, all) = flip(&ctx, uri, &file, flips);
            let share = shares.entry(kind).or_default();
            *share = (share.0 + detected, share.1 + all);
        }
    }
    shares
}

/// The lengths of variable cells and validity are stored without filters, as is the dimension.
fn of_attributes(api: &Api, folder: &Path, is_dense: bool, flips: usize) {
    const COLUMNS: [&str; 12] = [
        "none",
        "zstd",
        "byteshuffle, zstd",
        "lz4",
        "gzip",
        "bzip2",
        "rle",
        "dictionary",
        "double delta",
        "bit width",
        "MD5",
        "zstd, SHA-256",
    ];
    let mut rows: Vec<(String, BTreeMap<&'static str, Share>)> = Vec::new();
    for subject in ATTRIBUTES {
        let mut kinds: BTreeMap<&'static str, BTreeMap<&'static str, Share>> = BTreeMap::new();
        for (filter, pipeline) in pipelines(subject) {
            let uri = folder.join("array");
            _ = std::fs::remove_dir_all(&uri);
            let uri = uri.to_str().unwrap();
            array(api, uri, is_dense, (subject, pipeline), (DIMENSIONS[0], Pipeline::default()));
            for (kind, share) in measure(api, uri, &["data", "values", "validity"], flips) {
                kinds.entry(kind).or_default().insert(filter, share);
            }
        }
        for (kind, shares) in kinds {
            let kind = if kind == "data" && subject.values.is_none() { "offsets" } else { kind };
            rows.push((format!("{}: {kind}", subject.name), shares));
        }
    }
    print(if is_dense { "Attributes of dense arrays" } else { "Attributes of sparse arrays" }, &rows, &COLUMNS);
}

fn of_dimensions(api: &Api, folder: &Path, flips: usize) {
    let mut rows: Vec<(String, BTreeMap<&'static str, Share>)> = Vec::new();
    for subject in DIMENSIONS {
        let mut kinds: BTreeMap<&'static str, BTreeMap<&'static str, Share>> = BTreeMap::new();
        for (filter, pipeline) in pipelines(subject).into_iter().filter(|(_, pipeline)| pipeline.filters.len() < 2) {
            let uri = folder.join("array");
            _ = std::fs::remove_dir_all(&uri);
            let uri = uri.to_str().unwrap();
            array(api, uri, false, (ATTRIBUTES[0], Pipeline::default()), (subject, pipeline));
            for (kind, share) in measure(api, uri, &["coordinates", "values"], flips) {
                kinds.entry(kind).or_default().insert(filter, share);
            }
        }
        for (kind, shares) in kinds {
            let kind = if kind == "coordinates" && subject.values.is_none() { "offsets" } else { kind };
            rows.push((format!("{}: {kind}", subject.name), shares));
        }
    }
    let columns = ["none", "zstd", "lz4", "gzip", "bzip2", "rle", "dictionary", "double delta", "bit width", "MD5"];
    print("Dimensions of sparse arrays", &rows, &columns);
}

/// Files that are not those of fields, after consolidation.
fn of_other_files(api: &Api, folder: &Path, flips: usize) {
    let mut kinds: BTreeMap<&'static str, BTreeMap<&'static str, Share>> = BTreeMap::new();
    for is_dense in [true, false] {
        let uri = folder.join("array");
        _ = std::fs::remove_dir_all(&uri);
        let uri = uri.to_str().unwrap();
        array(api, uri, is_dense, (ATTRIBUTES[0], Pipeline::default()), (DIMENSIONS[0], Pipeline::default()));
        let ctx = api.context(&[]);
        let name = text(uri);
        let handle = ctx.get("array_alloc", &[pointer(&name)]).unwrap();
        ctx.call("array_open", &[handle, 1]).unwrap();
        let (key, value) = (text("key"), 7i32.to_le_bytes());
        ctx.call("array_put_metadata", &[handle, pointer(&key), 0, 1, bytes(&value)]).unwrap();
        ctx.call("array_close", &[handle]).unwrap();
        ctx.free("array", handle);
        for mode in ["fragment_meta", "commits"] {
            crate::dangling::consolidate(&ctx, uri, mode).unwrap();
        }
        let measured = ["schema", "fragment metadata", "array metadata", "consolidated commits"];
        for (kind, share) in measure(api, uri, &measured, flips * 10) {
            kinds.entry(kind).or_default().insert(if is_dense { "dense" } else { "sparse" }, share);
        }
    }
    let rows: Vec<_> = kinds.into_iter().map(|(kind, shares)| (kind.to_owned(), shares)).collect();
    print("Other files", &rows, &["dense", "sparse"]);
}

#[test]
fn flipped_bits_of_floats_in_sparse_arrays_are_reported() {
    let (api, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    let uri = folder.path().join("array");
    let subject = subject("float64", 3, Some(1), false);
    let plain = Pipeline::default();
    array(&api, uri.to_str().unwrap(), false, (subject, plain.clone()), (DIMENSIONS[0], plain));
    let is_data = |path: &PathBuf| path.file_name().is_some_and(|name| name == "a0.tdb");
    let file = files(&uri).into_iter().find(is_data).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    // Three tiles of a header, a chunk header and 100 cells; a cell in the middle of the second one.
    assert_eq!(bytes.len(), 3 * (8 + 12 + 100 * 8));
    let cell = 820 + 20 + 50 * 8;
    let ctx = api.context(&[]);
    for bit in 16..64 {
        let mut flipped = bytes.clone();
        flipped[cell + bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&file, &flipped).unwrap();
        let verified = verify(&ctx, uri.to_str().unwrap());
        assert!(verified.findings.iter().any(|finding| finding.code == 18), "bit {bit}: {:?}", verified.findings);
    }
}

#[test]
#[ignore = "measures for minutes"]
fn bit_flips() {
    let flips = std::env::var("FLIPS").map_or(FLIPS, |flips| flips.parse().unwrap());
    let (api, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    of_other_files(&api, folder.path(), flips);
    of_dimensions(&api, folder.path(), flips);
    of_attributes(&api, folder.path(), false, flips);
    of_attributes(&api, folder.path(), true, flips);
}
