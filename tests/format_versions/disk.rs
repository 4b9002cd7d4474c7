//! Byte-by-byte comparison of the files of two fragments with the same cells.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

/// Filters whose output is decided by the version of a library.
const FREE: [&str; 7] = ["GZIP", "ZSTD", "LZ4", "BZIP2", "WEBP", "DICTIONARY", "RLE"];

/// Compares all files; gives how many are equal.
pub fn compare(ours: &Path, reference: &Path, document: &Value, schema: &Value, upgraded: bool) -> Result<u64, String> {
    let (a, b) = (files(ours)?, files(reference)?);
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    if names(&a) != names(&b) {
        return Err(format!("files {:?} by ours, {:?} by the reference", names(&a), names(&b)));
    }
    // Encryption takes random bytes.
    let encrypted = !document["encryption"].is_null();
    let free = encrypted || has_free_filters(schema);
    let mut equal = 0;
    for (name, bytes) in &a {
        if name == "__fragment_metadata.tdb" {
            if !encrypted {
                metadata(bytes, &b[name], &Fields::new(schema), free, upgraded)?;
                equal += 1;
            }
        } else if *bytes == b[name] {
            equal += 1;
        } else if !free {
            return Err(format!("{name}: {}", difference(bytes, &b[name])));
        }
    }
    Ok(equal)
}

fn difference(a: &[u8], b: &[u8]) -> String {
    let first = a.iter().zip(b).position(|(a, b)| a != b);
    format!("{} bytes by ours, {} by the reference, first difference at {first:?}", a.len(), b.len())
}

fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        files.insert(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), bytes);
    }
    Ok(files)
}

/// True if any field of the schema goes through a filter whose output a library's version decides.
fn has_free_filters(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => fields.values().any(has_free_filters),
        Value::Array(items) => items.iter().any(has_free_filters),
        Value::String(text) => FREE.contains(&text.as_str()),
        _ => false,
    }
}

/// The fields that a fragment has tables of: attributes, zipped coordinates and dimensions, and which are variable.
struct Fields(Vec<bool>);

impl Fields {
    fn new(schema: &Value) -> Fields {
        let is_var = |part: &str| -> Vec<bool> {
            let fields = schema[part].as_array().map_or(&[][..], Vec::as_slice);
            fields.iter().map(|field| field["cell_val_num"] == "var").collect()
        };
        Fields([is_var("attrs"), vec![false], is_var("dims")].concat())
    }

    /// True for tables that the reference writes wrongly: the extremes of variable cells, per tile and of all.
    fn is_wrong(&self, table: usize) -> bool {
        let count = self.0.len();
        let Some(statistic) = table.checked_sub(1 + 4 * count) else { return false };
        match statistic / count {
            0 | 1 => self.0[statistic % count],
            4 => statistic % count == 0 && self.0.contains(&true),
            _ => false,
        }
    }
}

/// Compares the tables of two metadata files, without the places and sizes that free filters decide, and the
/// footers without the places of tables, which depend on how well these were compressed.
fn metadata(a: &[u8], b: &[u8], fields: &Fields, free: bool, upgraded: bool) -> Result<(), String> {
    let (left, mut right) = (tables(a), tables(b));
    // The reference adds conditions to fragments of version 15, whose footers have no place for them.
    if a.get(left.1) == Some(&15) && right.0.last().is_some_and(|table| **table == [0; 8]) {
        right.0.pop();
    }
    if left.0.len() != right.0.len() {
        return Err(format!("metadata: {} tables by ours, {} by the reference", left.0.len(), right.0.len()));
    }
    for (number, (x, y)) in left.0.iter().zip(&right.0).enumerate() {
        if fields.is_wrong(number) {
            continue;
        }
        if x != y && (!free || x.len() != y.len()) {
            return Err(format!("metadata: table {number}: {}: {x:?} {y:?}", difference(x, y)));
        }
    }
    let (x, y) = (&a[left.1..], &b[right.1..]);
    // Libraries newer than version 11 leave a word of rubbish behind footers of that version.
    let longer = if x.first() == Some(&11) { 8 } else { 0 };
    if x.len() + longer != y.len() {
        return Err(format!("metadata: footer: {}", difference(x, y)));
    }
    // Since version 10 footers end with their own length; before it stand the places of the tables.
    let own_length = if x.first().is_some_and(|&version| version < 10) { 0 } else { 8 };
    let places = own_length + 8 * left.0.len();
    let sizes = 8 * 3 * fields.0.len();
    let end = x.len().checked_sub(places).ok_or("metadata: the footer is too short for the places of its tables")?;
    let end = if free { end.saturating_sub(sizes) } else { end };
    // An upgraded copy has a schema of its own, of which the name stands behind the version and its length.
    let named = |footer: &[u8]| match upgraded {
        true => 12 + usize::from(footer[4]),
        false => 0,
    };
    if x[..4] != y[..4] || x.get(named(x)..end) != y.get(named(y)..end) {
        return Err(format!("metadata: footer up to {end}: {}", difference(x, y)));
    }
    Ok(())
}

/// The payloads of the generic tiles at the start of a file, and where they end.
fn tables(file: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let (mut tables, mut at) = (Vec::new(), 0);
    while let Some((payload, length)) = generic_tile(&file[at..]) {
        tables.push(payload);
        at += length;
    }
    (tables, at)
}

/// Decodes a generic tile as both libraries write it; `None` if there is none.
fn generic_tile(file: &[u8]) -> Option<(Vec<u8>, usize)> {
    let number = |at: usize, size: usize| {
        let bytes = file.get(at..at.checked_add(size)?)?;
        Some(bytes.iter().rev().fold(0usize, |all, &byte| (all << 8) | usize::from(byte)))
    };
    let (persisted, size, pipeline) = (number(4, 8)?, number(12, 8)?, number(30, 4)?);
    // A footer at this place does not begin with the version of generic tiles and the type of their cells.
    // The header states the version of the fragment in ours, that of the library in those of the reference.
    if !(7..=22).contains(&number(0, 4)?) || number(20, 9)? != 4 + 256 {
        return None;
    }
    let start = 34usize.checked_add(pipeline)?;
    let mut at = start.checked_add(8)?;
    let mut payload = Vec::new();
    for _ in 0..number(start, 8)? {
        let (filtered, meta) = (number(at + 4, 4)?, number(at + 8, 4)?);
        let data = file.get(at + 12 + meta..at + 12 + meta + filtered)?;
        flate2::read::ZlibDecoder::new(data).read_to_end(&mut payload).ok()?;
        at += 12 + meta + filtered;
    }
    (payload.len() == size).then_some((payload, start + persisted))
}
