//! Snapshot of a store's folder as text: arrays and groups, and files byte by byte.

use std::fmt::Write as _;

use support::operations::{Place, snapshot as arrays};
use support::{Column, Failure, address, borrowed, pointer, text};

/// All that can be seen.
pub fn look(place: &Place<'_>) -> Result<String, Failure> {
    let mut snapshot = arrays::look(place)?;
    rich(place, &mut snapshot)?;
    files(place, &mut snapshot)?;
    Ok(snapshot)
}

/// The cells of the array with fields of all kinds.
fn rich(place: &Place<'_>, snapshot: &mut String) -> Result<(), Failure> {
    let ctx = place.ctx;
    if ctx.get("object_type", &[pointer(&text(&place.uri("rich")))])? & 0xff != 2 {
        return Ok(());
    }
    let array = place.open("rich", 0, None)?;
    let schema = ctx.get("array_get_schema", &[array])?;
    let is_sparse = ctx.get("array_schema_get_array_type", &[schema])? & 0xff == 1;
    ctx.free("array_schema", schema);
    let query = place.hold("query", &[array, 0])?;
    ctx.call("query_set_layout", &[query, if is_sparse { 3 } else { 0 }])?;
    let subarray = place.hold("subarray", &[array])?;
    let whole = [0i32, 7].map(i32::to_le_bytes).concat();
    ctx.call("subarray_set_subarray", &[subarray, whole.as_ptr() as u64])?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    let mut columns = [
        Column::with_capacity("d", 256, None, None),
        Column::with_capacity("a", 256, None, None),
        Column::with_capacity("n", 256, None, Some(64)),
        Column::with_capacity("v", 1024, Some(64), Some(64)),
    ];
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])?;
    for column in &columns {
        let cells = column.result();
        write!(snapshot, " rich {:?} {:?} {:?}", cells.data, cells.offsets, cells.validity).unwrap();
    }
    Ok(())
}

extern "C" fn visit(path: u64, names: &mut Vec<String>) -> i32 {
    names.push(borrowed(path));
    1
}

/// The files of one folder.
fn files(place: &Place<'_>, snapshot: &mut String) -> Result<(), Failure> {
    let ctx = place.ctx;
    let vfs = place.hold("vfs", &[0])?;
    let mut names = Vec::<String>::new();
    for folder in ["files", "copies"] {
        let uri = text(&place.uri(folder));
        let arguments = [
            vfs,
            pointer(&uri),
            visit as extern "C" fn(u64, &mut Vec<String>) -> i32 as *const () as u64,
            address(&mut names),
        ];
        ctx.call("vfs_ls", &arguments)?;
    }
    names.sort();
    for name in names {
        let uri = text(&name);
        let size = ctx.get("vfs_file_size", &[vfs, pointer(&uri)])?;
        if size == 0 {
            write!(snapshot, " {} empty", &name[place.folder.len()..]).unwrap();
            continue;
        }
        let handle = ctx.get("vfs_open", &[vfs, pointer(&uri), 0])?;
        let mut out = vec![0u8; size as usize];
        let read = ctx.call("vfs_read", &[handle, 0, out.as_mut_ptr() as u64, size]);
        ctx.free("vfs_fh", handle);
        read?;
        let sum = out.iter().fold(0u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        write!(snapshot, " {} {size} {sum}", &name[place.folder.len()..]).unwrap();
    }
    Ok(())
}
