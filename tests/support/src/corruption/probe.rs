//! Reads all contents of an array.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::golden::case::{Case, list};
use crate::golden::query::{QueryResult, Started};
use crate::{Array, Ctx, Failure, address, borrowed, pointer, text};

/// Bytes of room per field and submit.
pub const ROOM: usize = 1 << 16;
/// A damaged domain can be endless: so many submits are enough.
const SUBMITS: usize = 40;

/// What one step of reading gave: a digest of the answer, or the error's text.
pub type Outcome = Result<u64, String>;

/// Reads the array of a case and gives what each step answered.
pub fn read_all(ctx: &Ctx<'_>, case: &Case) -> Vec<(String, Outcome)> {
    let digest = |answer: Result<Vec<u8>, Failure>| answer.map(|bytes| hash(&bytes)).map_err(|f| f.text);
    let mut steps = vec![
        ("fragment info".to_owned(), digest(fragment_info(ctx, case.uri()))),
        ("array".to_owned(), digest(array(ctx, case.uri()))),
    ];
    let mut layouts = Vec::new();
    for (name, query) in case.queries() {
        let Some(query) = query else { continue };
        let kind = (query["layout"].clone(), query["ranges"].is_object());
        let special = ["condition", "aggregates", "label_ranges"].iter().any(|key| !query[*key].is_null());
        if special
            || layouts.contains(&kind)
            || list(&query["fields"]).iter().any(|f| f.as_str().unwrap().starts_with("__"))
        {
            continue;
        }
        layouts.push(kind);
        let answer = run(ctx, case, query).map_err(|f| f.text);
        steps.push((format!("query {name}"), answer));
    }
    steps.push(("advice".to_owned(), advise(ctx, case.uri()).map_err(|f| f.text)));
    steps.push(("rewrite".to_owned(), rewrite(ctx, case.uri()).map_err(|f| f.text)));
    steps
}

/// Recommends filters.
fn advise(ctx: &Ctx<'_>, uri: &str) -> Result<u64, Failure> {
    let (uri, balanced) = (text(uri), 1);
    let mut schema = 0u64;
    ctx.call("rs_schema_advise", &[pointer(&uri), 0, balanced, 0, 0, address(&mut schema)])?;
    ctx.free("array_schema", schema);
    Ok(0)
}

/// Rewrites the array into memory.
fn rewrite(ctx: &Ctx<'_>, uri: &str) -> Result<u64, Failure> {
    static COPIES: AtomicU64 = AtomicU64::new(0);
    let number = COPIES.fetch_add(1, Ordering::Relaxed);
    let (uri, copy) = (text(uri), text(&format!("mem://copy{number}")));
    let rewritten = ctx.call("rs_array_rewrite", &[pointer(&uri), pointer(&copy), 0, 0, 0, 0, 0]).map(|()| 0);
    // There is nothing if it failed early.
    _ = ctx.call("object_remove", &[pointer(&copy)]);
    rewritten
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Submits a query until it completes; cells of unordered results count in any order.
fn run(ctx: &Ctx<'_>, case: &Case, query: &Value) -> Result<u64, Failure> {
    let (start, end) = (query["open"]["start"].as_u64(), query["open"]["end"].as_u64());
    let array = Array::open(ctx, case.uri(), 0, start, end)?;
    let schema = case.schema(query);
    let mut started = Started::new(&array, schema, query, ROOM)?;
    let mut total = 0u64;
    for _ in 0..SUBMITS {
        let (status, result) = started.submit()?;
        total = total.wrapping_mul(31).wrapping_add(digest(&result));
        if status != 3 {
            return Ok(total);
        }
    }
    Ok(total)
}

fn digest(result: &QueryResult) -> u64 {
    let fields: Vec<_> =
        result.iter().map(|(name, (_, cells))| (name, &cells.data, &cells.offsets, &cells.validity)).collect();
    hash(&fields)
}

/// Schema, non-empty domain, enumerations and metadata of the open array.
fn array(ctx: &Ctx<'_>, uri: &str) -> Result<Vec<u8>, Failure> {
    let array = Array::open(ctx, uri, 0, None, None)?;
    let mut out = Vec::new();
    ctx.call("array_load_all_enumerations", &[array.handle])?;
    let schema = ctx.get("array_get_schema", &[array.handle])?;
    let dump = dump(ctx, "array_schema_dump_str", schema);
    ctx.free("array_schema", schema);
    out.extend(dump?);
    let count = ctx.get("array_get_metadata_num", &[array.handle])?;
    for index in 0..count.min(1000) {
        let (mut key, mut key_len, mut datatype, mut num, mut value) = (0u64, 0u32, 0u32, 0u32, 0u64);
        let outputs =
            [address(&mut key), address(&mut key_len), address(&mut datatype), address(&mut num), address(&mut value)];
        ctx.call("array_get_metadata_from_index", &[&[array.handle, index], &outputs[..]].concat())?;
        out.extend(borrowed(key).into_bytes());
        out.extend(datatype.to_le_bytes());
        let size = ctx.api.raw("datatype_size", &[u64::from(datatype)]) as usize * num as usize;
        out.extend(foreign(value, size));
    }
    Ok(out)
}

/// Everything that fragment info tells.
fn fragment_info(ctx: &Ctx<'_>, uri: &str) -> Result<Vec<u8>, Failure> {
    let uri = text(uri);
    let info = ctx.get("fragment_info_alloc", &[pointer(&uri)])?;
    let text = ctx.call("fragment_info_load", &[info]).and_then(|()| {
        let mut out = Vec::new();
        let count = ctx.get("fragment_info_get_fragment_num", &[info])? & 0xffff_ffff;
        for fragment in 0..count {
            out.extend(ctx.get("fragment_info_get_cell_num", &[info, fragment])?.to_le_bytes());
            let boxes = ctx.get("fragment_info_get_mbr_num", &[info, fragment])?;
            for tile in 0..boxes.min(100) {
                let mut range = [0u8; 64];
                match ctx.call("fragment_info_get_mbr_from_index", &[info, fragment, tile, 0, address(&mut range)]) {
                    // Boxes of strings have no fixed size.
                    Err(failure) if !failure.text.contains("Dimension is variable-sized") => return Err(failure),
                    _ => out.extend(range),
                }
            }
        }
        out.extend(dump(ctx, "fragment_info_dump_str", info)?);
        Ok(out)
    });
    ctx.free("fragment_info", info);
    text
}

/// The text that a dump function writes.
fn dump(ctx: &Ctx<'_>, function: &str, handle: u64) -> Result<Vec<u8>, Failure> {
    let string = ctx.get(function, &[handle])?;
    let (mut data, mut len) = (0u64, 0u64);
    ctx.api.raw("string_view", &[string, address(&mut data), address(&mut len)]);
    let text = foreign(data, len as usize);
    ctx.free("string", string);
    Ok(text)
}

/// Bytes behind an address that a library gave.
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "reads what the library says it has there")]
fn foreign(address: u64, len: usize) -> Vec<u8> {
    match (address, len) {
        (0, _) | (_, 0) => Vec::new(),
        _ => unsafe { std::slice::from_raw_parts(address as *const u8, len) }.to_vec(),
    }
}
