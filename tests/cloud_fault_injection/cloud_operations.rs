//! Operations of fault injection that only object stores have.

use crate::snapshot::look;
use support::operations::extra_operations;
use support::operations::{Operation, Place, operation};
use support::{Cells, Column, Failure, bytes, pointer, text};

pub use extra_operations::Trial;

type Done = Result<(), Failure>;

/// What there is only here: files of stores, and an array with fields of all kinds.
static MORE: [Operation; 13] = [
    operation("rich_write", |place| create_rich(place, true), |place| write_rich(place, 2)),
    operation("rich_write_dense", |place| create_rich(place, false), |place| write_rich(place, 2)),
    operation("rich_read", |place| create_rich(place, true).and_then(|()| write_rich(place, 2)), read),
    operation("file_write", |_| Ok(()), |place| write(place, "files/new", 1000, 1)),
    operation("file_replace", old, |place| write(place, "files/old", 1000, 1)),
    operation("file_in_parts", old, |place| write(place, "files/old", parts(), 3)),
    operation("file_read", old, read),
    operation("file_copy", old, |place| files(place, "vfs_copy_file", &["files/old", "copies/old"])),
    operation("file_move", old, |place| files(place, "vfs_move_file", &["files/old", "copies/old"])),
    operation("file_remove", old, |place| files(place, "vfs_remove_file", &["files/old"])),
    operation("file_touch", old, |place| files(place, "vfs_touch", &["files/touched"])),
    operation("folder_remove", several, |place| files(place, "vfs_remove_dir", &["files"])),
    operation("folder_copy", several, |place| files(place, "vfs_copy_dir", &["files", "copies"])),
];

/// Those of the others that stores have no use for.
const NOT_HERE: [&str; 2] = ["write_file", "save_profile"];

/// All trials.
pub fn trials() -> Vec<Trial> {
    let of = |operation: &'static Operation| {
        let is_read = matches!(operation.name, "file_read" | "rich_read");
        Trial {
            operation,
            reads: is_read,
            whole: !matches!(operation.name, "folder_remove" | "folder_copy" | "file_move"),
            is_undone: false,
        }
    };
    let others = extra_operations::trials().into_iter().filter(|trial| !NOT_HERE.contains(&trial.operation.name));
    others.chain(MORE.iter().map(of)).collect()
}

pub fn find(name: &str) -> Trial {
    trials().into_iter().find(|trial| trial.operation.name == name).unwrap()
}

/// Bytes of a file of several parts.
fn parts() -> usize {
    if std::env::var("STORE").as_deref() == Ok("s3") { 11 << 20 } else { 1_000_000 }
}

fn read(place: &Place<'_>) -> Done {
    look(place).map(|_| ())
}

fn old(place: &Place<'_>) -> Done {
    write(place, "files/old", 700, 1)
}

fn several(place: &Place<'_>) -> Done {
    (1..=5).try_for_each(|number| write(place, &format!("files/{number}"), 100 * number, 1))
}

/// Writes a file; whatever comes of it, it is closed.
fn write(place: &Place<'_>, name: &str, size: usize, pieces: usize) -> Done {
    let (ctx, vfs, uri) = (place.ctx, place.hold("vfs", &[0])?, text(&place.uri(name)));
    let written: Vec<u8> = (0..size).map(|at| (at * 7 % 251) as u8).collect();
    let handle = ctx.get("vfs_open", &[vfs, pointer(&uri), 1])?;
    let mut done = Ok(());
    for piece in written.chunks(size.div_ceil(pieces)) {
        // As some programs do, it goes on after a failure.
        let piece = ctx.call("vfs_write", &[handle, bytes(piece), piece.len() as u64]);
        done = done.and(piece);
    }
    let closed = ctx.call("vfs_close", &[handle]);
    ctx.free("vfs_fh", handle);
    done.and(closed)
}

fn files(place: &Place<'_>, function: &str, names: &[&str]) -> Done {
    let vfs = place.hold("vfs", &[0])?;
    let uris: Vec<_> = names.iter().map(|name| text(&place.uri(name))).collect();
    let arguments: Vec<u64> = [vfs].into_iter().chain(uris.iter().map(|uri| pointer(uri))).collect();
    place.ctx.call(function, &arguments)
}

/// An array of eight cells with fields of all kinds, and one fragment.
fn create_rich(place: &Place<'_>, is_sparse: bool) -> Done {
    let (ctx, domain) = (place.ctx, place.hold("domain", &[])?);
    let (ends, extent) = ([0i32, 7].map(i32::to_le_bytes).concat(), 4i32.to_le_bytes());
    let dimension = place.hold("dimension", &[pointer(&text("d")), 0, bytes(&ends), bytes(&extent)])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let schema = place.hold("array_schema", &[u64::from(is_sparse)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    if is_sparse {
        // What is written twice is there twice.
        ctx.call("array_schema_set_allows_dups", &[schema, 1])?;
    }
    for (name, datatype, values, is_nullable) in [("a", 0, 1, 0), ("n", 0, 1, 1), ("v", 11, u64::from(u32::MAX), 1)] {
        let attribute = place.hold("attribute", &[pointer(&text(name)), datatype])?;
        ctx.call("attribute_set_cell_val_num", &[attribute, values])?;
        ctx.call("attribute_set_nullable", &[attribute, is_nullable])?;
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    }
    ctx.call("array_create", &[pointer(&text(&place.uri("rich"))), schema])?;
    write_rich(place, 1)
}

fn write_rich(place: &Place<'_>, time: u64) -> Done {
    let ctx = place.ctx;
    let array = place.open("rich", 1, Some(time))?;
    let schema = ctx.get("array_get_schema", &[array])?;
    let is_sparse = ctx.get("array_schema_get_array_type", &[schema])? & 0xff == 1;
    ctx.free("array_schema", schema);
    let query = place.hold("query", &[array, 1])?;
    ctx.call("query_set_layout", &[query, if is_sparse { 3 } else { 0 }])?;
    let numbers = |factor: i32| (0..8).flat_map(|at| (at * factor).to_le_bytes()).collect::<Vec<u8>>();
    let cells = |data, offsets, validity| Cells { data, offsets, validity };
    let validity = Some(vec![1, 0, 1, 1, 0, 1, 1, 0]);
    let offsets = Some((0..8).map(|at| 2 * at).collect());
    let mut columns = vec![
        Column::filled("a", cells(numbers(10 * time as i32), None, None)),
        Column::filled("n", cells(numbers(100 * time as i32), None, validity.clone())),
        Column::filled("v", cells(b"aabbccddeeffgghh".to_vec(), offsets, validity)),
    ];
    if is_sparse {
        columns.push(Column::filled("d", cells(numbers(1), None, None)));
    } else {
        let (subarray, ends) = (place.hold("subarray", &[array])?, [0i32, 7].map(i32::to_le_bytes).concat());
        ctx.call("subarray_set_subarray", &[subarray, bytes(&ends)])?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])
}
