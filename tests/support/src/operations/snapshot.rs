//! Snapshot of a folder as text: cells, attributes and metadata of its arrays, members of its group.

use std::fmt::Write as _;

use crate::operations::Place;
use crate::{Column, Failure, address, borrowed, pointer, text};

/// The kinds that objects have.
const GROUP: u64 = 1;
const ARRAY: u64 = 2;

/// All that can be seen.
pub fn look(place: &Place<'_>) -> Result<String, Failure> {
    let mut snapshot = String::new();
    let kind = |name: &str| {
        place.ctx.get("object_type", &[pointer(&text(&format!("{}/{name}", place.folder)))]).map(|kind| kind & 0xff)
    };
    for name in ["array", "moved"] {
        if kind(name)? == ARRAY {
            array(place, name, &mut snapshot)?;
        }
    }
    if kind("group")? == GROUP {
        group(place, &mut snapshot)?;
    }
    Ok(snapshot)
}

/// What an array holds.
pub fn array(place: &Place<'_>, name: &str, snapshot: &mut String) -> Result<(), Failure> {
    let ctx = place.ctx;
    let array = match place.open(name, 0, None) {
        // An array whose removal was interrupted; a creation leaves no such folder.
        Err(failure) if failure.text.contains("Array does not exist.") => {
            write!(snapshot, " {name} without a schema").unwrap();
            return Ok(());
        }
        array => array?,
    };
    let schema = ctx.get("array_get_schema", &[array])?;
    for number in 0..ctx.get("array_schema_get_attribute_num", &[schema])? & 0xffff_ffff {
        let attribute = ctx.get("array_schema_get_attribute_from_index", &[schema, number])?;
        write!(snapshot, " {}", borrowed(ctx.get("attribute_get_name", &[attribute])?)).unwrap();
        ctx.free("attribute", attribute);
    }
    let is_sparse = ctx.get("array_schema_get_array_type", &[schema])? & 0xff == 1;
    ctx.free("array_schema", schema);
    metadata(place, "array", array, snapshot)?;
    let query = place.hold("query", &[array, 0])?;
    ctx.call("query_set_layout", &[query, if is_sparse { 3 } else { 0 }])?;
    let subarray = place.hold("subarray", &[array])?;
    let whole = [0i32, 7, 0, 7].map(i32::to_le_bytes).concat();
    ctx.call("subarray_set_subarray", &[subarray, whole.as_ptr() as u64])?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    let mut columns: Vec<Column> =
        ["x", "y", "a"].iter().map(|name| Column::with_capacity(name, 4096, None, None)).collect();
    columns.push(Column::with_capacity("s", 1 << 14, Some(1024), None));
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])?;
    write!(snapshot, " status {}", ctx.get("query_get_status", &[query])? & 0xff).unwrap();
    let split: Vec<_> = columns.iter().map(|column| column.result().split(4)).collect();
    let mut cells: Vec<_> = (0..split[0].len()).map(|cell| split.each(cell)).collect();
    cells.sort();
    write!(snapshot, " cells {cells:?}").unwrap();
    Ok(())
}

/// The values of one cell in all columns.
trait Each {
    fn each(&self, cell: usize) -> Vec<Vec<u8>>;
}

impl Each for Vec<Vec<(Vec<u8>, Option<u8>)>> {
    fn each(&self, cell: usize) -> Vec<Vec<u8>> {
        self.iter().map(|column| column[cell].0.clone()).collect()
    }
}

fn metadata(place: &Place<'_>, kind: &str, handle: u64, snapshot: &mut String) -> Result<(), Failure> {
    let ctx = place.ctx;
    for number in 0..ctx.get(&format!("{kind}_get_metadata_num"), &[handle])? {
        let [mut key, mut size, mut datatype, mut count, mut value] = [0u64; 5];
        let out =
            [address(&mut key), address(&mut size), address(&mut datatype), address(&mut count), address(&mut value)];
        ctx.call(&format!("{kind}_get_metadata_from_index"), &[&[handle, number], &out[..]].concat())?;
        write!(snapshot, " {}={count}", &borrowed(key)[..size as u32 as usize]).unwrap();
    }
    Ok(())
}

fn group(place: &Place<'_>, snapshot: &mut String) -> Result<(), Failure> {
    let ctx = place.ctx;
    let group = place.hold("group", &[pointer(&text(&format!("{}/group", place.folder)))])?;
    ctx.call("group_open", &[group, 0])?;
    metadata(place, "group", group, snapshot)?;
    let mut members = Vec::new();
    for name in ["first", "second", "third"] {
        let (mut uri, mut kind) = (0u64, 0u64);
        // It lives until the call returns.
        let key = text(name);
        let values = [group, pointer(&key), address(&mut uri), address(&mut kind)];
        if ctx.call("group_get_member_by_name_v2", &values).is_ok() {
            members.push(name);
        }
    }
    write!(snapshot, " {} members {members:?}", ctx.get("group_get_member_count", &[group])?).unwrap();
    ctx.call("group_close", &[group])?;
    Ok(())
}
