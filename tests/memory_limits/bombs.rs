//! Decompression bombs: small files that decode to gigabytes. Opening them must end soon, with little memory.
//!
//! Each is a generic tile with a valid beginning, followed by some 10,000 identical chunks: zeros, or one entry of the
//! structure repeated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tiledb_core::types::CURRENT_VERSION;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;

use crate::resident;
use support::{Api, Array, Column, Ctx, Failure, pointer, text};

/// Decoded bytes of each: far too many, and just as many as are believed of one structure or another.
pub const SIZES: [usize; 5] = [1 << 30, 255 << 20, 63 << 20, 31 << 20, 15 << 20];
/// What a chunk of a generic tile holds.
const CHUNK: usize = 60_000;
/// What opening one may take.
pub const MOST: usize = 400 << 20;
/// What a bomb may take that is no valid structure.
const INVALID: usize = 64 << 20;

/// The pieces of a payload: its beginning, what comes again and again, and its end.
pub type Pieces = (Vec<u8>, Vec<u8>, Vec<u8>);

/// A bomb: the folder of the file, how it is put together from a true payload and how many entries it has, and what
/// is done with it.
struct Bomb {
    name: &'static str,
    folder: &'static str,
    pieces: fn(&[u8], usize) -> Pieces,
    run: fn(&Ctx<'_>, &str) -> Result<(), Failure>,
}

const BOMBS: [Bomb; 15] = [
    Bomb { name: "schema_zeros", folder: "a/__schema", pieces: zeros, run: open },
    Bomb { name: "schema_attributes", folder: "a/__schema", pieces: attributes, run: open },
    Bomb { name: "label_schema_zeros", folder: "l/__labels/l0/__schema", pieces: zeros, run: open_label },
    Bomb { name: "enumeration_zeros", folder: "a/__schema/__enumerations", pieces: zeros, run: enumerations },
    Bomb { name: "enumeration_data", folder: "a/__schema/__enumerations", pieces: enumeration, run: enumerations },
    Bomb { name: "metadata_zeros", folder: "a/__meta", pieces: zeros, run: metadata },
    Bomb { name: "metadata_entries", folder: "a/__meta", pieces: metadata_entries, run: metadata },
    Bomb { name: "metadata_value", folder: "a/__meta", pieces: metadata_value, run: metadata },
    Bomb { name: "footers_zeros", folder: "a/__fragment_meta", pieces: zeros, run: open },
    Bomb { name: "footers_names", folder: "a/__fragment_meta", pieces: footers, run: open },
    Bomb { name: "group_zeros", folder: "g/__group", pieces: zeros, run: group },
    Bomb { name: "group_members", folder: "g/__group", pieces: members, run: group },
    Bomb { name: "group_alternating_members", folder: "g/__group", pieces: alternating_members, run: group },
    Bomb { name: "delete_zeros", folder: "a/__commits", pieces: zeros, run: read },
    Bomb { name: "delete_nodes", folder: "a/__commits", pieces: nodes, run: read },
];

fn zeros(_: &[u8], _: usize) -> Pieces {
    (Vec::new(), vec![0; CHUNK], Vec::new())
}

/// The place of a name with its length before it.
fn place(payload: &[u8], name: &[u8]) -> usize {
    payload.windows(name.len()).position(|window| window == name).unwrap() - 4
}

fn many(unit: &[u8]) -> Vec<u8> {
    unit.repeat(CHUNK / unit.len())
}

/// How many entries the middle of a payload has.
fn count(unit: &[u8], size: usize) -> usize {
    size.div_ceil(many(unit).len()) * (CHUNK / unit.len())
}

/// Behind the only attribute come the numbers of labels and of enumerations, then the name of one.
fn attributes(payload: &[u8], size: usize) -> Pieces {
    let (start, end) = (place(payload, b"attribute"), place(payload, b"values") - 8);
    let unit = payload[start..end].to_vec();
    let number = (count(&unit, size) as u32).to_le_bytes();
    ([&payload[..start - 4], &number].concat(), many(&unit), payload[end..].to_vec())
}

fn enumeration(payload: &[u8], size: usize) -> Pieces {
    // Name, file, type, values per cell, order, size.
    let head = payload.len() - 8 - 8;
    let size = size.div_ceil(CHUNK) * CHUNK;
    ([&payload[..head], &(size as u64).to_le_bytes()].concat(), vec![0; CHUNK], Vec::new())
}

fn metadata_entries(_: &[u8], _: usize) -> Pieces {
    let entry = |key: u8| [&[1, 0, 0, 0, key, 0, 5][..], &[1, 0, 0, 0, 7]].concat();
    (Vec::new(), many(&[entry(b'a'), entry(b'b')].concat()), Vec::new())
}

/// A single value of zeros, which is a valid structure.
fn metadata_value(_: &[u8], size: usize) -> Pieces {
    let size = (size.div_ceil(CHUNK) * CHUNK) as u32;
    ([&[1, 0, 0, 0, b'a', 0, 6][..], &size.to_le_bytes()].concat(), vec![0; CHUNK], Vec::new())
}

fn footers(_: &[u8], size: usize) -> Pieces {
    let entry = [&1u64.to_le_bytes()[..], b"x", &8u64.to_le_bytes()].concat();
    ((count(&entry, size) as u32).to_le_bytes().to_vec(), many(&entry), Vec::new())
}

fn member(uri: u8) -> Vec<u8> {
    [&2u32.to_le_bytes()[..], &[2, 1], &1u64.to_le_bytes(), &[uri, 0, 0]].concat()
}

/// Neighbours differ.
fn alternating_members(_: &[u8], size: usize) -> Pieces {
    let two = [member(b'x'), member(b'y')].concat();
    let head = [&2u32.to_le_bytes()[..], &(2 * count(&two, size) as u64).to_le_bytes()].concat();
    (head, many(&two), Vec::new())
}

fn members(_: &[u8], size: usize) -> Pieces {
    let entry = member(b'x');
    let head = [&2u32.to_le_bytes()[..], &(count(&entry, size) as u64).to_le_bytes()].concat();
    (head, many(&entry), Vec::new())
}

/// A combination of as many conditions.
fn nodes(_: &[u8], size: usize) -> Pieces {
    let value = [&9u32.to_le_bytes()[..], b"attribute", &4u64.to_le_bytes(), &[1, 0, 0, 0]].concat();
    let leaf = [&[1u8, 0][..], &value].concat();
    ([&[0u8, 0][..], &(count(&leaf, size) as u64).to_le_bytes()].concat(), many(&leaf), Vec::new())
}

/// The chunks of a tile with this payload as they lie in it.
fn chunks(payload: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut tile = Vec::new();
    generic::write(payload, CURRENT_VERSION, &EncryptionKey::None, &mut tile).unwrap();
    // Version, size on disk, size, type, cell size, encryption, size of the pipeline, the pipeline, number of chunks.
    let pipeline = u32::from_le_bytes(tile[30..34].try_into().unwrap()) as usize;
    let body = tile.split_off(34 + pipeline);
    (tile, body)
}

/// A tile that decodes to so many bytes and a few more.
pub fn tile((head, middle, tail): &Pieces, min_bytes: usize) -> Vec<u8> {
    let (mut header, _) = chunks(b"x");
    let (mut number, mut size, mut body) = (0u64, 0u64, Vec::new());
    for (piece, times) in [(head, 1), (middle, min_bytes.div_ceil(middle.len())), (tail, 1)] {
        if piece.is_empty() {
            continue;
        }
        let part = chunks(piece).1;
        assert_eq!(part[..8], 1u64.to_le_bytes(), "one chunk each");
        number += times as u64;
        size += (times * piece.len()) as u64;
        (0..times).for_each(|_| body.extend_from_slice(&part[8..]));
    }
    header[4..12].copy_from_slice(&(body.len() as u64 + 8).to_le_bytes());
    header[12..20].copy_from_slice(&size.to_le_bytes());
    [header, number.to_le_bytes().to_vec(), body].concat()
}

fn open(ctx: &Ctx<'_>, place: &str) -> Result<(), Failure> {
    Array::open(ctx, &format!("{place}/a"), 0, None, None).map(drop)
}

fn open_label(ctx: &Ctx<'_>, place: &str) -> Result<(), Failure> {
    Array::open(ctx, &format!("{place}/l/__labels/l0"), 0, None, None).map(drop)
}

fn enumerations(ctx: &Ctx<'_>, place: &str) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), 0, None, None)?;
    ctx.call("array_load_all_enumerations", &[array.handle])
}

fn metadata(ctx: &Ctx<'_>, place: &str) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), 0, None, None)?;
    ctx.get("array_get_metadata_num", &[array.handle]).map(drop)
}

fn read(ctx: &Ctx<'_>, place: &str) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    let mut column = Column::with_capacity("attribute", 64, None, None);
    ctx.call("query_set_layout", &[query, 3])?;
    column.bind(ctx, query)?;
    ctx.call("query_submit", &[query])
}

fn group(ctx: &Ctx<'_>, place: &str) -> Result<(), Failure> {
    let handle = ctx.get("group_alloc", &[pointer(&text(&format!("{place}/g")))])?;
    ctx.call("group_open", &[handle, 0])
}

/// Opens what was put into a folder, in a process of its own.
pub fn child(name: &str, place: &str) {
    let bomb = BOMBS.iter().find(|bomb| bomb.name == name).unwrap();
    let api = Api::ours();
    let ctx = api.context(&[]);
    resident::reset_peak();
    let before = resident::now();
    let done = (bomb.run)(&ctx, place);
    let rise = resident::peak().saturating_sub(before);
    let outcome = done.map_or_else(|failure| failure.text, |()| "read".to_owned());
    println!("{name}: {} MiB, {outcome}", rise >> 20);
    let is_valid = outcome == "read" && name == "metadata_value";
    assert!(rise <= if is_valid { MOST } else { INVALID }, "{rise} bytes of memory for {name}");
}

/// The file to be replaced: the last one of a kind, deletions before others.
fn file(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_none_or(|kind| kind != "wrt")).collect();
    files.sort();
    files.pop().unwrap()
}

/// Lays every bomb; gives the number of failures.
pub fn parent(folder: &Path, filter: &str) -> usize {
    let chosen: Vec<&Bomb> =
        BOMBS.iter().filter(|bomb| "bombs".contains(filter) || bomb.name.contains(filter)).collect();
    if chosen.is_empty() {
        return 0;
    }
    let place = folder.join("bombs");
    fs::create_dir(&place).unwrap();
    prepare(&Api::ours(), place.to_str().unwrap());
    let mut failed = 0;
    for bomb in chosen {
        let file = file(&place.join(bomb.folder));
        let true_bytes = fs::read(&file).unwrap();
        let payload = generic::read(&true_bytes, &EncryptionKey::None).unwrap().0;
        for size in SIZES {
            let tile = tile(&(bomb.pieces)(&payload, size), size);
            fs::write(&file, &tile).unwrap();
            let program = std::env::current_exe().unwrap();
            let output = Command::new(program).args(["--bomb", bomb.name]).arg(&place).output().unwrap();
            let memory = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() {
                failed += 1;
                let why = String::from_utf8_lossy(&output.stderr);
                println!("FAILED {size} bytes of {} bytes, {memory}: {} {why}", tile.len(), output.status);
            } else if std::env::var_os("SHOW").is_some() {
                print!("{size} bytes of {} bytes, {memory}", tile.len());
            }
        }
        fs::write(&file, &true_bytes).unwrap();
    }
    println!("bombs: at most {} MiB each", MOST >> 20);
    failed
}

/// An array with one fragment, a deletion, metadata and an enumeration; one with a label; and a group.
fn prepare(api: &Api, place: &str) {
    make(&api.context(&[]), place).unwrap();
}

fn make(ctx: &Ctx<'_>, place: &str) -> Result<(), Failure> {
    let array = text(&format!("{place}/a"));
    let schema = schema(ctx, true)?;
    let values = [1i64];
    let enumeration =
        ctx.get("enumeration_alloc", &[pointer(&text("values")), 1, 1, 0, values.as_ptr() as u64, 8, 0, 0])?;
    ctx.call("array_schema_add_enumeration", &[schema, enumeration])?;
    ctx.call("array_create", &[pointer(&array), schema])?;
    for _ in 0..2 {
        let open = Array::open(ctx, array.to_str().unwrap(), 1, None, None)?;
        let query = ctx.get("query_alloc", &[open.handle, 1])?;
        ctx.call("query_set_layout", &[query, 3])?;
        let cells = support::Cells { data: vec![1, 0, 0, 0], offsets: None, validity: None };
        let mut columns = ["d", "attribute"].map(|name| Column::filled(name, cells.clone()));
        columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
        ctx.call("query_submit", &[query])?;
        ctx.call("array_put_metadata", &[open.handle, pointer(&text("k")), 0, 1, [7i32].as_ptr() as u64])?;
    }
    delete(ctx, array.to_str().unwrap())?;
    {
        let (mut config, mut error) = (ctx.get("ctx_get_config", &[])?, 0u64);
        let (name, value) = (text("sm.consolidation.mode"), text("fragment_meta"));
        let set = [config, pointer(&name), pointer(&value), support::address(&mut error)];
        ctx.api.raw("config_set", &set);
        ctx.call("array_consolidate", &[pointer(&array), config])?;
        ctx.api.raw("config_free", &[support::address(&mut config)]);
    }
    let labelled = self::schema(ctx, false)?;
    ctx.call("array_schema_add_dimension_label", &[labelled, 0, pointer(&text("l")), 1, 1])?;
    ctx.call("array_create", &[pointer(&text(&format!("{place}/l"))), labelled])?;
    let uri = text(&format!("{place}/g"));
    ctx.call("group_create", &[pointer(&uri)])?;
    let group = ctx.get("group_alloc", &[pointer(&uri)])?;
    ctx.call("group_open", &[group, 1])?;
    ctx.call("group_add_member", &[group, pointer(&array), 0, 0])?;
    ctx.call("group_close", &[group])
}

fn schema(ctx: &Ctx<'_>, sparse: bool) -> Result<u64, Failure> {
    let (ends, extent) = ([1i32, 100], [10i32]);
    let dimension =
        ctx.get("dimension_alloc", &[pointer(&text("d")), 0, ends.as_ptr() as u64, extent.as_ptr() as u64])?;
    let domain = ctx.get("domain_alloc", &[])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let schema = ctx.get("array_schema_alloc", &[u64::from(sparse)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    let attribute = ctx.get("attribute_alloc", &[pointer(&text("attribute")), 0])?;
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    Ok(schema)
}

fn delete(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 2, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 2])?;
    let condition = ctx.get("query_condition_alloc", &[])?;
    let value = [9i32];
    ctx.call("query_condition_init", &[condition, pointer(&text("attribute")), value.as_ptr() as u64, 4, 4])?;
    ctx.call("query_set_condition", &[query, condition])?;
    ctx.call("query_submit", &[query])
}
