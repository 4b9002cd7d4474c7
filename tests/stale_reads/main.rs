//! Stale reads: a context that has read an array before must read the same as a new context, however soon other
//! processes modify the files after a read or another modification: they remove the array and create another one,
//! overwrite a file in place, rename another file over it, write through a mapping of it, or replace the array by
//! another one. A missing file is reported, or ignored where the format requires it.
//!
//! `FOLDERS=/a:/b` selects the folders, one for each file system (`tools/test_stale.sh` mounts some), `ARRAYS` and
//! `ROUNDS` the amount of work in each.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "writes through a mapping as another process may")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use support::library_process::{self, HARNESS, LibraryProcess};
use support::{Api, Array, Cells, Column, Ctx, borrowed, bytes, pointer, text};

const READ: u64 = 0;
const WRITE: u64 = 1;
const CELLS: usize = 4096;
const BYTESHUFFLE: u64 = 9;
const CHECKSUM_MD5: u64 = 12;

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

#[test]
fn long_lived_context_reads_what_a_new_one_reads() {
    let own = [std::env::temp_dir(), PathBuf::from("/dev/shm")].map(|folder| tempfile::tempdir_in(folder).ok());
    let folders = match std::env::var("FOLDERS") {
        Ok(folders) => folders.split(':').map(PathBuf::from).collect(),
        Err(_) => own.iter().flatten().map(|folder| folder.path().to_owned()).collect::<Vec<_>>(),
    };
    let (arrays, rounds) = (number("ARRAYS", 12), number("ROUNDS", 1));
    let api = Api::ours();
    for folder in folders {
        let mut tally = Tally::default();
        let long_lived = api.context(&[]);
        for round in 0..rounds {
            run(&api, &long_lived, &folder.join(format!("round{round}")), arrays, &mut tally);
        }
        let stats = borrowed(long_lived.get("ctx_get_stats", &[]).unwrap());
        // Clients read this one.
        assert!(stats.contains("Context.subSubarray.precompute_tile_overlap.tile_overlap_cache_hit\": "));
        let hits = stats.lines().filter(|line| line.contains("Cache.hit_num")).map(str::trim).collect::<Vec<_>>();
        let Tally { compared, stale } = tally;
        println!("{}: {compared} comparisons, {} stale; {}", folder.display(), stale.len(), hits.join(" "));
        assert!(stale.is_empty(), "{}", stale.join("\n"));
        assert!(compared >= 4 * arrays * rounds);
    }
}

#[derive(Default)]
struct Tally {
    compared: usize,
    stale: Vec<String>,
}

/// Creates arrays, looks at them, changes them, and looks again: at once, and when their files have not been changed for a while,
/// so that what is made of them is cached.
fn run(api: &Api, long_lived: &Ctx<'_>, folder: &Path, arrays: usize, tally: &mut Tally) {
    fs::create_dir_all(folder).unwrap();
    let place = |array: usize| folder.join(format!("array{array}"));
    let mut value = 0;
    let mut next = || {
        value += 1;
        value
    };
    let mut look = |array: usize, expected: i32, when: &str| {
        let uri = place(array);
        let (cached, fresh) = (read(long_lived, &uri), read(&api.context(&[]), &uri));
        tally.compared += 1;
        if cached != fresh || fresh != Ok(expected) {
            tally.stale.push(format!("{}, {when}: {cached:?} instead of {fresh:?}, {expected}", uri.display()));
        }
    };
    for array in 0..arrays {
        let first = next();
        write(long_lived, &place(array), first);
        look(array, first, "written");
        for change in [Change::ALL[array % Change::ALL.len()], Change::ALL[(array / 2) % Change::ALL.len()]] {
            let value = next();
            change.make(long_lived, &place(array), value);
            look(array, value, &format!("{change:?} at once"));
            look(array, value, &format!("{change:?} at once, again"));
        }
    }
    let mut values: Vec<i32> = (0..arrays).map(|array| read(&api.context(&[]), &place(array)).unwrap()).collect();
    for step in 0..2 {
        std::thread::sleep(settled(&place(0)));
        for (array, value) in values.iter_mut().enumerate() {
            look(array, *value, "settled");
            look(array, *value, "settled, again");
            let change = Change::ALL[(array + step) % Change::ALL.len()];
            *value = next();
            change.make(long_lived, &place(array), *value);
            look(array, *value, &format!("settled, {change:?}"));
            look(array, *value, &format!("settled, {change:?}, again"));
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

/// So long nothing is cached after a change: longer where times are whole seconds.
fn settled(array: &Path) -> Duration {
    let is_coarse = data_file(array).metadata().unwrap().ctime_nsec() % 1_000_000 == 0;
    Duration::from_millis(if is_coarse { 3_200 } else { 1_200 })
}

#[derive(Clone, Copy, Debug)]
enum Change {
    /// Removes the array and creates another one: inodes are often used again.
    Recreate,
    Overwrite,
    Truncate,
    RenameOver,
    /// Writes into a shared mapping that was read before.
    Map,
    /// Puts another array in its place.
    Replace,
}

impl Change {
    const ALL: [Change; 6] =
        [Change::Recreate, Change::Overwrite, Change::Truncate, Change::RenameOver, Change::Map, Change::Replace];

    /// Changes an array so that all cells have the value.
    fn make(self, ctx: &Ctx<'_>, array: &Path, value: i32) {
        let other = array.with_extension("other");
        if matches!(self, Change::Recreate) {
            fs::remove_dir_all(array).unwrap();
            return write(ctx, array, value);
        }
        write(ctx, &other, value);
        let (file, new) = (data_file(array), fs::read(data_file(&other)).unwrap());
        assert_eq!(file.metadata().unwrap().len(), new.len() as u64);
        match self {
            Change::Overwrite => {
                let file = OpenOptions::new().write(true).open(file).unwrap();
                file.write_all_at(&new, 0).unwrap();
                file.sync_all().unwrap();
            }
            Change::Truncate => {
                let mut file = File::create(file).unwrap();
                file.write_all(&new).unwrap();
                file.sync_all().unwrap();
            }
            Change::RenameOver => fs::rename(data_file(&other), file).unwrap(),
            Change::Map => map(&OpenOptions::new().read(true).write(true).open(file).unwrap(), &new),
            _ => {
                let away = array.with_extension("away");
                fs::rename(array, &away).unwrap();
                fs::rename(&other, array).unwrap();
                fs::remove_dir_all(away).unwrap();
            }
        }
        _ = fs::remove_dir_all(other);
    }
}

/// Writes into a shared mapping of a file, of which each page was read before.
fn map(file: &File, new: &[u8]) {
    let (len, flags) = (new.len(), libc::PROT_READ | libc::PROT_WRITE);
    let start = unsafe { libc::mmap(std::ptr::null_mut(), len, flags, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(start, libc::MAP_FAILED);
    let mapped = unsafe { std::slice::from_raw_parts_mut(start.cast::<u8>(), len) };
    assert!(mapped.iter().map(|&byte| u64::from(std::hint::black_box(byte))).sum::<u64>() > 0);
    mapped.copy_from_slice(new);
    assert_eq!(unsafe { libc::munmap(start, len) }, 0);
}

/// The file of the array's only attribute.
fn data_file(array: &Path) -> PathBuf {
    let fragment = fs::read_dir(array.join("__fragments")).unwrap().next().unwrap().unwrap();
    fragment.path().join("a0.tdb")
}

/// Creates an array all cells of which have one value.
fn write(ctx: &Ctx<'_>, place: &Path, value: i32) {
    write_with(ctx, place, value, &[BYTESHUFFLE]);
}

fn write_with(ctx: &Ctx<'_>, place: &Path, value: i32, kinds: &[u64]) {
    let uri = text(place.to_str().unwrap());
    let get = |name: &str, args: &[u64]| ctx.get(name, args).unwrap();
    let call = |name: &str, args: &[u64]| ctx.call(name, args).unwrap();
    let (name, ends, extent) = (text("x"), [0, CELLS as i32 - 1], CELLS as i32);
    let domain = get("domain_alloc", &[]);
    let dimension = get("dimension_alloc", &[pointer(&name), 0, ends.as_ptr() as u64, (&raw const extent) as u64]);
    call("domain_add_dimension", &[domain, dimension]);
    let filters = get("filter_list_alloc", &[]);
    for kind in kinds {
        let filter = get("filter_alloc", &[*kind]);
        call("filter_list_add_filter", &[filters, filter]);
        ctx.free("filter", filter);
    }
    let attribute_name = text("a");
    let attribute = get("attribute_alloc", &[pointer(&attribute_name), 0]);
    call("attribute_set_filter_list", &[attribute, filters]);
    let schema = get("array_schema_alloc", &[0]);
    call("array_schema_set_domain", &[schema, domain]);
    call("array_schema_add_attribute", &[schema, attribute]);
    call("array_create", &[pointer(&uri), schema]);
    for (kind, handle) in [
        ("array_schema", schema),
        ("attribute", attribute),
        ("filter_list", filters),
        ("dimension", dimension),
        ("domain", domain),
    ] {
        ctx.free(kind, handle);
    }
    let array = Array::open(ctx, place.to_str().unwrap(), WRITE, None, None).unwrap();
    let query = get("query_alloc", &[array.handle, WRITE]);
    let cells = Cells { data: value.to_le_bytes().repeat(CELLS), ..Cells::default() };
    let mut column = Column::filled("a", cells);
    column.bind(ctx, query).unwrap();
    call("query_submit", &[query]);
    call("query_finalize", &[query]);
    ctx.free("query", query);
}

/// Reads a few cells, which are equal.
fn read(ctx: &Ctx<'_>, place: &Path) -> Result<i32, String> {
    read_configured(ctx, place, &[])
}

fn read_configured(ctx: &Ctx<'_>, place: &Path, config: &[(&str, &str)]) -> Result<i32, String> {
    let uri = text(place.to_str().unwrap());
    let array = Array { ctx, handle: ctx.get("array_alloc", &[pointer(&uri)]).map_err(|failure| failure.text)? };
    if !config.is_empty() {
        ctx.configure("array_set_config", array.handle, config).map_err(|failure| failure.text)?;
    }
    ctx.call("array_open", &[array.handle, READ]).map_err(|failure| failure.text)?;
    read_open(ctx, array.handle)
}

fn read_open(ctx: &Ctx<'_>, array: u64) -> Result<i32, String> {
    let query = ctx.get("query_alloc", &[array, READ]).map_err(|failure| failure.text)?;
    let subarray = ctx.get("subarray_alloc", &[array]).map_err(|failure| failure.text)?;
    let ends = [100i32, 103].map(i32::to_le_bytes);
    let mut column = Column::with_capacity("a", 16, None, None);
    let mut read = || {
        ctx.call("subarray_add_range", &[subarray, 0, bytes(&ends[0]), bytes(&ends[1]), 0])?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        column.bind(ctx, query)?;
        ctx.call("query_submit", &[query])
    };
    let read = read().map_err(|failure| failure.text);
    ctx.free("query", query);
    ctx.free("subarray", subarray);
    read?;
    let value = |cell: &[u8]| i32::from_le_bytes(cell.try_into().unwrap());
    let cells: Vec<i32> = column.data.chunks(4).map(value).collect();
    if cells.iter().all(|cell| *cell == cells[0]) { Ok(cells[0]) } else { Err(format!("{cells:?}")) }
}

/// Unverified chunks do not reach an open that compares digests.
#[test]
fn chunks_read_without_checksum_are_verified_later() {
    let folder = tempfile::tempdir().unwrap();
    let (api, place) = (Api::ours(), folder.path().join("array"));
    let ctx = api.context(&[]);
    write_with(&ctx, &place, 7, &[CHECKSUM_MD5, BYTESHUFFLE]);
    let file = OpenOptions::new().write(true).open(data_file(&place)).unwrap();
    // The last byte is one of a cell.
    file.write_all_at(&[9], file.metadata().unwrap().len() - 1).unwrap();
    file.sync_all().unwrap();
    std::thread::sleep(settled(&place));
    let read = |skips: &str| read_configured(&ctx, &place, &[("sm.skip_checksum_validation", skips)]);
    let before = read("false").unwrap_err();
    for _ in 0..3 {
        assert_eq!(read("true"), Ok(7));
    }
    assert_eq!(read("false"), Err(before));
    assert_eq!(read("true"), Ok(7));
}

/// A file that is missing is named; a fragment that is gone as a whole was removed by somebody.
#[test]
fn missing_data_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (api, place) = (Api::ours(), folder.path().join("array"));
    let ctx = api.context(&[]);
    write(&ctx, &place, 7);
    let file = data_file(&place);
    fs::remove_file(&file).unwrap();
    for _ in 0..2 {
        let text = read(&api.context(&[]), &place).unwrap_err();
        assert!(text.contains("is incomplete: its file 'a0.tdb' is missing") && !text.contains("vacuum"), "{text}");
    }
    let array = Array::open(&ctx, place.to_str().unwrap(), READ, None, None).unwrap();
    fs::remove_dir_all(file.parent().unwrap()).unwrap();
    let text = read_open(&ctx, array.handle).unwrap_err();
    assert!(text.contains("The fragment is gone: a vacuum"), "{text}");
}

/// Of formats 5 to 11 a fragment whose folder was removed by hand is ignored, as the reference does, though its commit is there.
#[test]
fn an_old_fragment_without_its_folder_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let ours = Api::ours();
    let mut reference = LibraryProcess::reference(&[&HARNESS[..], &["open_by_another_library"]].concat());
    let mut removed = 0;
    for version in 5..=11 {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/v{version}.tar.gz"));
        let place = folder.path().join(format!("v{version}"));
        tar::Archive::new(flate2::read::GzDecoder::new(File::open(path).unwrap())).unpack(&place).unwrap();
        for case in fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(packed) = File::open(case.join("array.tar")) else { continue };
            tar::Archive::new(packed).unpack(&case).unwrap();
            let Some((array, fragment)) = committed(&case) else { continue };
            let array = array.to_str().unwrap();
            // Those that are encrypted are not opened without a key.
            if open(&ours, array).is_err() {
                continue;
            }
            fs::remove_dir_all(&fragment).unwrap();
            removed += 1;
            open(&ours, array).unwrap();
            if let Some(reference) = &mut reference {
                let opened = library_process::to_result(&reference.read(&json!(array)).unwrap());
                opened.unwrap_or_else(|why| panic!("{}: {why}", fragment.display()));
            }
        }
    }
    println!("{removed} folders of fragments were removed");
    assert!(removed > 20);
}

fn open(api: &Api, array: &str) -> Result<(), support::Failure> {
    Array::open(&api.context(&[]), array, READ, None, None).map(drop)
}

#[test]
#[ignore = "run by another test in a process of its own"]
fn open_by_another_library() {
    library_process::serve(|api, array| {
        library_process::to_value(open(api, array.as_str().unwrap()).map(|()| Value::Null))
    });
}

/// An array below a folder, and the folder of one of its fragments that has a commit beside it.
fn committed(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let commits = entries.iter().filter(|path| path.extension().is_some_and(|end| end == "ok"));
    let fragment = commits.map(|path| path.with_extension("")).find(|fragment| fragment.is_dir());
    let below = || entries.iter().filter(|path| path.is_dir()).find_map(|path| committed(path));
    fragment.map(|fragment| (folder.to_owned(), fragment)).or_else(below)
}
