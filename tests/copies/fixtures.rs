//! Arrays and groups to copy, and their snapshots.

use std::fmt::Write as _;

use support::operations::snapshot::look;
use support::operations::{Done, Place};
use support::walk::bytes_at;
use support::{Failure, address, bytes, pointer, text};

/// An array or group.
pub struct Life {
    pub name: &'static str,
    /// Its folder.
    pub object: &'static str,
    pub prepare: fn(&Place<'_>) -> Done,
    pub look: fn(&Place<'_>) -> Result<String, Failure>,
    /// What happens to a copy later.
    pub go_on: fn(&Place<'_>) -> Done,
}

const fn array(name: &'static str, prepare: fn(&Place<'_>) -> Done, go_on: fn(&Place<'_>) -> Done) -> Life {
    Life { name, object: "array", prepare, look, go_on }
}

/// All of them.
pub const LIVES: [Life; 7] = [
    array("dense", |place| place.dense(3), |place| place.write_dense(50)),
    array("evolved", evolved, |place| place.put_metadata("array", 50, &["newest"])),
    array("consolidated", |place| merged(place, &[]), |place| place.write_sparse(50)),
    array("vacuumed", |place| merged(place, &MODES), |place| place.delete_cells()),
    Life { look: look_at_enumeration, ..array("enumerated", |place| place.create_enumerated(), |_| Ok(())) },
    Life { look: look_at_labels, ..array("labelled", labelled, |place| write_labels(place, 200)) },
    Life { name: "group", object: "group", prepare: group, look: look_at_group, go_on: put_group_metadata },
];

const MODES: [&str; 4] = ["fragments", "array_meta", "fragment_meta", "commits"];

fn evolved(place: &Place<'_>) -> Done {
    place.dense(2)?;
    place.put_metadata("array", 5, &["old", "new"])?;
    place.evolve()
}

/// Everything is consolidated, then what is named is vacuumed.
fn merged(place: &Place<'_>, vacuumed: &[&str]) -> Done {
    place.with_metadata()?;
    (2..5).try_for_each(|time| place.write_sparse(time))?;
    MODES.iter().try_for_each(|mode| place.consolidate(mode))?;
    vacuumed.iter().try_for_each(|mode| place.vacuum(mode))
}

fn look_at_enumeration(place: &Place<'_>) -> Result<String, Failure> {
    let mut snapshot = look(place)?;
    let array = place.open("array", 0, None)?;
    let enumeration = place.ctx.get("array_get_enumeration", &[array, pointer(&text("e"))])?;
    let (mut data, mut size) = (0u64, 0u64);
    place.ctx.call("enumeration_get_data", &[enumeration, address(&mut data), address(&mut size)])?;
    write!(snapshot, " enumeration {}", String::from_utf8_lossy(&bytes_at(data, size as usize))).unwrap();
    place.ctx.free("enumeration", enumeration);
    Ok(snapshot)
}

fn labelled(place: &Place<'_>) -> Done {
    place.create_labelled()?;
    place.write_dense(1)?;
    write_labels(place, 100)
}

/// A query about the labels of all rows.
fn with_labels(place: &Place<'_>, query_type: u64, labels: &mut [i64; 8]) -> Done {
    let ctx = place.ctx;
    let array = place.open("array", query_type, None)?;
    let (query, subarray) = (place.hold("query", &[array, query_type])?, place.hold("subarray", &[array])?);
    let (first, last, mut size) = (0i32.to_le_bytes(), 7i32.to_le_bytes(), 64u64);
    ctx.call("subarray_add_range", &[subarray, 0, bytes(&first), bytes(&last), 0])?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.call("query_set_layout", &[query, 0])?;
    ctx.call(
        "query_set_data_buffer",
        &[query, pointer(&text("rows")), labels.as_mut_ptr() as u64, address(&mut size)],
    )?;
    // The reference dies where a query of labels alone is finalized, which it needs not be.
    ctx.call("query_submit", &[query])
}

fn write_labels(place: &Place<'_>, first: i64) -> Done {
    with_labels(place, 1, &mut std::array::from_fn(|row| first + 3 * row as i64))
}

fn look_at_labels(place: &Place<'_>) -> Result<String, Failure> {
    let (snapshot, mut labels) = (look(place)?, [0; 8]);
    with_labels(place, 0, &mut labels)?;
    Ok(format!("{snapshot} labels {labels:?}"))
}

/// A group of an array and of a group that has an array, all of them inside, and with metadata that were merged.
fn group(place: &Place<'_>) -> Done {
    place.create_group()?;
    let outer = Place::new(place.ctx, &place.uri("group"));
    outer.dense(1)?;
    outer.create_group()?;
    let inner = Place::new(place.ctx, &outer.uri("group"));
    inner.sparse(2)?;
    change(&outer, |group| add(&outer, group, "array"))?;
    change(place, |group| add(place, group, "array").and_then(|()| add(place, group, "group")))?;
    put_group_metadata(place)?;
    put_group_metadata(place)?;
    let config = place.config(&[("sm.consolidation.mode", "group_meta"), ("sm.vacuum.mode", "group_meta")])?;
    let uri = text(&place.uri("group"));
    place.ctx.call("group_consolidate_metadata", &[pointer(&uri), config])?;
    place.ctx.call("group_vacuum_metadata", &[pointer(&uri), config])
}

fn add(place: &Place<'_>, group: u64, name: &str) -> Done {
    let name = text(name);
    place.ctx.call("group_add_member", &[group, pointer(&name), 1, pointer(&name)])
}

/// Changes the group in a folder.
fn change(place: &Place<'_>, change: impl FnOnce(u64) -> Done) -> Done {
    let group = place.hold("group", &[pointer(&text(&place.uri("group")))])?;
    place.ctx.call("group_open", &[group, 1])?;
    change(group)?;
    place.ctx.call("group_close", &[group])
}

fn put_group_metadata(place: &Place<'_>) -> Done {
    // Metadata of equal times have no order.
    std::thread::sleep(std::time::Duration::from_millis(2));
    change(place, |group| {
        place.ctx.call("group_put_metadata", &[group, pointer(&text("key")), 0, 1, bytes(&7i32.to_le_bytes())])
    })
}

/// A group and its members, where it says they are.
fn look_at_group(place: &Place<'_>) -> Result<String, Failure> {
    let ctx = place.ctx;
    let mut snapshot = String::new();
    let mut waiting = vec![place.uri("group")];
    while let Some(uri) = waiting.pop() {
        let group = place.hold("group", &[pointer(&text(&uri))])?;
        ctx.call("group_open", &[group, 0])?;
        write!(snapshot, " {} metadata", ctx.get("group_get_metadata_num", &[group])?).unwrap();
        for name in ["array", "group"] {
            let (mut member_uri, mut kind) = (0u64, 0u64);
            let name = text(name);
            if ctx
                .call(
                    "group_get_member_by_name_v2",
                    &[group, pointer(&name), address(&mut member_uri), address(&mut kind)],
                )
                .is_err()
            {
                continue;
            }
            let member_uri = ctx.take_string(member_uri).unwrap();
            let folder = place.folder.trim_start_matches("file://");
            assert!(
                member_uri.trim_start_matches("file://").starts_with(folder),
                "{member_uri} does not lie in {folder}"
            );
            if kind & 0xff == 1 {
                waiting.push(member_uri);
            } else {
                let parent = member_uri.strip_suffix("/array").unwrap();
                let array = look_at_array(place, parent)?;
                write!(snapshot, " member{array}").unwrap();
            }
        }
        ctx.call("group_close", &[group])?;
    }
    Ok(snapshot)
}

/// The array in a folder, without the group there.
fn look_at_array(place: &Place<'_>, folder: &str) -> Result<String, Failure> {
    let mut snapshot = String::new();
    support::operations::snapshot::array(&Place::new(place.ctx, folder), "array", &mut snapshot)?;
    Ok(snapshot)
}
