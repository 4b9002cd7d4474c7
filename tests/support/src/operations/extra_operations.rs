//! Further operations of fault injection: reads, and operations in several steps.

use std::ffi::CStr;

use crate::operations::{OPERATIONS, Operation, Place, operation};
use crate::walk;
use crate::{Failure, OK, address, borrowed, bytes, pointer, text};

/// An operation and what it promises.
pub struct Trial {
    pub operation: &'static Operation,
    /// Everything is read.
    pub reads: bool,
    /// It is done as a whole or not at all; of others a part may be done, and doing it again ends it.
    pub whole: bool,
    /// After a failure there are the same files and folders as before, unless they cannot be removed either.
    pub is_undone: bool,
}

/// What is read by looking at it.
static READS: [Operation; 8] = [
    operation("read_dense", |place| place.dense(2), |_| Ok(())),
    operation("read_sparse", |place| place.sparse(3), |_| Ok(())),
    operation("read_deleted", deleted, |_| Ok(())),
    operation("read_evolved", evolved, |_| Ok(())),
    operation("read_metadata", |place| place.with_metadata(), |_| Ok(())),
    operation("read_consolidated", consolidated, |_| Ok(())),
    operation("read_group", |place| place.group(), |_| Ok(())),
    operation("read_enumerated", |place| place.create_enumerated(), |_| Ok(())),
];

/// What takes several steps, or changes no array.
static STEPS: [Operation; 17] = [
    operation("load_enumerations", |place| place.create_enumerated(), load_enumerations),
    operation("fragment_info", consolidated, fragment_info),
    operation("walk", |place| place.group(), walk_objects),
    operation("list", |place| place.group(), list),
    operation("move_array", |place| place.dense(2), |place| from_to(place, "object_move", "array", "moved")),
    operation("remove_array", |place| place.sparse(2), |place| on(place, "object_remove", "array")),
    operation("delete_array", consolidated, |place| on(place, "array_delete", "array")),
    operation("delete_group", group_of_array, delete_group),
    operation("copy_dir", |place| place.dense(2), |place| in_vfs(place, "vfs_copy_dir", &["array", "moved"])),
    operation("move_dir", |place| place.dense(2), |place| in_vfs(place, "vfs_move_dir", &["array", "moved"])),
    operation("write_file", |_| Ok(()), write_file),
    operation("write_large", create_large, |place| large(place, 1)),
    operation("read_large", |place| create_large(place).and_then(|()| large(place, 1)), |place| large(place, 0)),
    operation("write_labels", |place| place.create_labelled(), write_labels),
    operation("downgrade", deleted, |place| {
        copy(place, "rs_array_downgrade", &[18, go_on as Progress as usize as u64, 0])
    }),
    operation("rewrite", deleted, |place| copy(place, "rs_array_rewrite", &[0, 0, 1, 0, 0])),
    operation("save_profile", |place| save_profile(place, "first"), |place| save_profile(place, "second")),
];

/// All trials.
pub fn trials() -> Vec<Trial> {
    let of = |reads, whole| {
        move |operation: &'static Operation| {
            let is_undone = ["create", "evolve", "downgrade"].iter().any(|name| operation.name.starts_with(name));
            // A copy is no array before it is complete.
            let whole = whole || ["downgrade", "rewrite"].contains(&operation.name);
            Trial { operation, reads, whole, is_undone }
        }
    };
    let changes = OPERATIONS.iter().map(of(false, true));
    changes.chain(READS.iter().map(of(true, true))).chain(STEPS.iter().map(of(false, false))).collect()
}

impl Trial {
    pub fn find(name: &str) -> Trial {
        trials().into_iter().find(|trial| trial.operation.name == name).unwrap()
    }

    /// Runs the operation. Reads return a snapshot.
    pub fn run(&self, place: &Place<'_>, take_snapshot: Snapshot) -> Result<String, Failure> {
        if self.reads { take_snapshot(place) } else { (self.operation.run)(place).map(|()| String::new()) }
    }
}

/// Reads everything in a place.
type Snapshot = fn(&Place<'_>) -> Result<String, Failure>;

type Done = Result<(), Failure>;

fn deleted(place: &Place<'_>) -> Done {
    place.sparse(2)?;
    place.delete_cells()
}

fn evolved(place: &Place<'_>) -> Done {
    place.dense(2)?;
    place.evolve()
}

fn consolidated(place: &Place<'_>) -> Done {
    place.sparse(3)?;
    ["fragments", "commits", "fragment_meta"].into_iter().try_for_each(|mode| place.consolidate(mode))
}

fn load_enumerations(place: &Place<'_>) -> Done {
    let array = place.open("array", 0, None)?;
    place.ctx.call("array_load_all_enumerations", &[array])
}

fn fragment_info(place: &Place<'_>) -> Done {
    let info = place.hold("fragment_info", &[pointer(&text(&place.uri("array")))])?;
    place.ctx.call("fragment_info_load", &[info])?;
    let fragments = place.ctx.get("fragment_info_get_fragment_num", &[info])? & 0xffff_ffff;
    assert_eq!(fragments, 1, "a fragment is missing");
    for number in 0..fragments {
        place.ctx.get("fragment_info_get_mbr_num", &[info, number])?;
        place.ctx.get("fragment_info_get_fragment_size", &[info, number])?;
    }
    Ok(())
}

fn walk_objects(place: &Place<'_>) -> Done {
    for order in 0..3 {
        let objects = walk::try_walk(place.ctx, &place.folder, order, 100)?;
        assert_eq!(objects.len(), 2, "an object is missing");
    }
    Ok(())
}

fn list(place: &Place<'_>) -> Done {
    in_vfs(place, "vfs_is_dir", &["array"])?;
    let (vfs, mut size) = (place.hold("vfs", &[0])?, 0u64);
    let folder = text(&place.uri("array"));
    place.ctx.call("vfs_dir_size", &[vfs, pointer(&folder), address(&mut size)])?;
    assert!(size > 1000, "{size} bytes are too few");
    Ok(())
}

fn from_to(place: &Place<'_>, function: &str, from: &str, to: &str) -> Done {
    let (from, to) = (text(&place.uri(from)), text(&place.uri(to)));
    place.ctx.call(function, &[pointer(&from), pointer(&to)])
}

type Progress = extern "C" fn(u64, u64, u64) -> i32;

extern "C" fn go_on(_: u64, _: u64, _: u64) -> i32 {
    1
}

/// A copy of the array by a function, with further arguments.
fn copy(place: &Place<'_>, function: &str, arguments: &[u64]) -> Done {
    let (from, to) = (text(&place.uri("array")), text(&place.uri("moved")));
    place.ctx.call(function, &[&[pointer(&from), pointer(&to)], arguments].concat())
}

fn on(place: &Place<'_>, function: &str, name: &str) -> Done {
    place.ctx.call(function, &[pointer(&text(&place.uri(name)))])
}

/// A group that holds an array.
fn group_of_array(place: &Place<'_>) -> Done {
    place.create_group()?;
    Place::new(place.ctx, &place.uri("group")).sparse(2)?;
    let group = place.hold("group", &[pointer(&text(&place.uri("group")))])?;
    place.ctx.call("group_open", &[group, 1])?;
    place.ctx.call("group_add_member", &[group, pointer(&text("array")), 1, pointer(&text("first"))])?;
    place.ctx.call("group_close", &[group])
}

fn delete_group(place: &Place<'_>) -> Done {
    let uri = text(&place.uri("group"));
    let group = place.hold("group", &[pointer(&uri)])?;
    place.ctx.call("group_open", &[group, 4])?;
    place.ctx.call("group_delete_group", &[group, pointer(&uri), 1])
}

fn in_vfs(place: &Place<'_>, function: &str, names: &[&str]) -> Done {
    let vfs = place.hold("vfs", &[0])?;
    let uris: Vec<_> = names.iter().map(|name| text(&place.uri(name))).collect();
    let mut answer = 0u64;
    let uris = uris.iter().map(|uri| pointer(uri));
    let arguments: Vec<u64> = [vfs].into_iter().chain(uris).chain([address(&mut answer)]).collect();
    place.ctx.call(function, &arguments)
}

fn write_file(place: &Place<'_>) -> Done {
    let (ctx, file) = (place.ctx, text(&place.uri("folder/file")));
    let written: Vec<u8> = (0..600_000u32).map(|byte| byte as u8).collect();
    let vfs = place.hold("vfs", &[0])?;
    for (mode, part) in [(1, &written[..400_000]), (2, &written[400_000..])] {
        let handle = ctx.get("vfs_open", &[vfs, pointer(&file), mode])?;
        let done = ctx.call("vfs_write", &[handle, part.as_ptr() as u64, part.len() as u64]);
        let closed = done.and_then(|()| ctx.call("vfs_close", &[handle]));
        ctx.free("vfs_fh", handle);
        closed?;
    }
    let handle = ctx.get("vfs_open", &[vfs, pointer(&file), 0])?;
    let mut read = vec![0u8; written.len()];
    let done = ctx.call("vfs_read", &[handle, 0, read.as_mut_ptr() as u64, read.len() as u64]);
    ctx.free("vfs_fh", handle);
    done?;
    assert_eq!(read, written);
    ctx.call("vfs_remove_file", &[vfs, pointer(&file)])
}

/// Cells of an array that several threads write and read.
const CELLS: usize = 400_000;

fn create_large(place: &Place<'_>) -> Done {
    let (ctx, domain) = (place.ctx, place.hold("domain", &[])?);
    let (ends, extent) = ([0, CELLS as i64 - 1].map(i64::to_le_bytes).concat(), 20_000i64.to_le_bytes());
    let dimension = place.hold("dimension", &[pointer(&text("d")), 1, bytes(&ends), bytes(&extent)])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let (schema, attribute) = (place.hold("array_schema", &[0])?, place.hold("attribute", &[pointer(&text("a")), 1])?);
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    ctx.call("array_create", &[pointer(&text(&place.uri("large"))), schema])
}

/// Writes all cells, or reads them.
fn large(place: &Place<'_>, query_type: u64) -> Done {
    let array = place.open("large", query_type, None)?;
    let expected: Vec<i64> = (0..CELLS as i64).map(|cell| cell * cell).collect();
    let mut cells = if query_type == 1 { expected.clone() } else { vec![0; CELLS] };
    let ends = [0, CELLS as i64 - 1].map(i64::to_le_bytes).concat();
    query(place, array, query_type, &ends, "a", &mut cells)?;
    assert!(cells == expected, "other cells were read");
    Ok(())
}

/// Labels and cells in one query would be two changes; these are labels alone.
fn write_labels(place: &Place<'_>) -> Done {
    let array = place.open("array", 1, None)?;
    let ends = [0i32, 7].map(i32::to_le_bytes).concat();
    query(place, array, 1, &ends, "rows", &mut [3i64, 5, 7, 9, 11, 13, 15, 17])
}

/// A query about all cells of the first dimension.
fn query(place: &Place<'_>, array: u64, query_type: u64, ends: &[u8], field: &str, values: &mut [i64]) -> Done {
    let (ctx, mut size) = (place.ctx, size_of_val(values) as u64);
    let (query, subarray) = (place.hold("query", &[array, query_type])?, place.hold("subarray", &[array])?);
    let (first, last) = ends.split_at(ends.len() / 2);
    ctx.call("subarray_add_range", &[subarray, 0, bytes(first), bytes(last), 0])?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.call("query_set_layout", &[query, 0])?;
    let field = text(field);
    let buffer = [query, pointer(&field), values.as_mut_ptr() as u64, address(&mut size)];
    ctx.call("query_set_data_buffer", &buffer)?;
    ctx.call("query_submit", &[query])
}

/// Saves a profile beside the others; the first one stays whatever happens.
fn save_profile(place: &Place<'_>, name: &str) -> Done {
    let (api, folder, name) = (place.ctx.api, text(&place.folder), text(name));
    let call = |function: &str, arguments: &[u64]| -> Done {
        let mut error = 0u64;
        let code = api.raw(function, &[arguments, &[address(&mut error)]].concat()) as i32;
        let mut message = 0u64;
        if code == OK {
            return Ok(());
        }
        api.raw("error_message", &[error, address(&mut message)]);
        let failure = api.failure(function, code, borrowed(message));
        api.raw("error_free", &[address(&mut error)]);
        Err(failure)
    };
    let with = |name: &CStr, run: &dyn Fn(u64) -> Done| {
        let mut profile = 0u64;
        call("profile_alloc", &[pointer(name), pointer(&folder), address(&mut profile)])?;
        let done = run(profile);
        api.raw("profile_free", &[address(&mut profile)]);
        done
    };
    with(&name, &|profile| {
        call("profile_set_param", &[profile, pointer(&text("my.own")), pointer(&text("1"))])?;
        call("profile_save", &[profile, 1])
    })?;
    with(&text("first"), &|profile| call("profile_load", &[profile]))
}
