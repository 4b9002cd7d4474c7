//! The arrays of dimension labels are maintained with their array.

use crate::Maintain;
use support::lifecycle::actions::Actions;
use support::{Api, Array, Cells, Column, Ctx, Failure, bytes, pointer, text};

const CELLS: i64 = 10;

/// A dense array with a label of its dimension.
fn create(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let ends: Vec<u8> = [0, CELLS - 1].map(i64::to_le_bytes).concat();
    let [d, a, l] = ["d", "a", "l"].map(text);
    let domain = ctx.get("domain_alloc", &[])?;
    let dimension = ctx.get("dimension_alloc", &[pointer(&d), 1, bytes(&ends), bytes(&5i64.to_le_bytes())])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let attribute = ctx.get("attribute_alloc", &[pointer(&a), 1])?;
    let schema = ctx.get("array_schema_alloc", &[0])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    ctx.call("array_schema_add_dimension_label", &[schema, 0, pointer(&l), 1, 1])?;
    let uri = text(uri);
    ctx.call("array_create", &[pointer(&uri), schema])?;
    ctx.free("array_schema", schema);
    ctx.free("attribute", attribute);
    ctx.free("dimension", dimension);
    ctx.free("domain", domain);
    Ok(())
}

/// Writes all cells of a field: `10 * time` and so on.
fn write(ctx: &Ctx<'_>, uri: &str, field: &str, time: u64) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 1, None, Some(time))?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[query, 0])?;
    let data = (0..CELLS).flat_map(|cell| (10 * time as i64 + cell).to_le_bytes()).collect();
    let mut column = Column::filled(field, Cells { data, ..Cells::default() });
    column.bind(ctx, query)?;
    let written = ctx.call("query_submit", &[query]);
    ctx.free("query", query);
    written
}

/// Reads all cells of a field.
fn read(ctx: &Ctx<'_>, uri: &str, field: &str) -> Result<Vec<u8>, Failure> {
    let array = Array::open(ctx, uri, 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, 0])?;
    let subarray = ctx.get("subarray_alloc", &[array.handle])?;
    let [low, high] = [0, CELLS - 1].map(i64::to_le_bytes);
    ctx.call("subarray_add_range", &[subarray, 0, bytes(&low), bytes(&high), 0])?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    let mut column = Column::with_capacity(field, 8 * CELLS as usize, None, None);
    column.bind(ctx, query)?;
    let read = ctx.call("query_submit", &[query]);
    ctx.free("query", query);
    read.map(|()| column.result().data)
}

#[test]
fn arrays_of_labels_are_maintained_with_their_array() {
    const BOUNDS: [(&str, &str); 2] = [("sm.maintenance.max_fragments", "3"), ("sm.maintenance.retention_ms", "0")];
    let api = Api::ours();
    let actions = Actions { api: &api, who: "", encrypted: false };
    for after_write in ["false", "true"] {
        let folder = tempfile::tempdir().unwrap();
        let array = folder.path().join("array");
        let (uri, label) = (array.to_str().unwrap(), format!("{}/__labels/l0", array.display()));
        let ctx = actions.context(&[&BOUNDS[..], &[("sm.maintenance.after_write", after_write)]].concat());
        create(&ctx, uri).unwrap();
        for time in 1..=8 {
            // The array of the label is written first.
            write(&actions.context(&[]), &label, "label", time).unwrap();
            write(&ctx, uri, "a", time).unwrap();
        }
        let counts = || [uri, &label].map(|uri| actions.fragments(uri).unwrap().len());
        if after_write == "false" {
            assert_eq!(counts(), [8, 8]);
            let steps = actions.maintain(uri, &BOUNDS).unwrap().steps;
            assert_eq!(steps[0], 2, "{steps:?}");
        }
        assert!(counts().iter().all(|count| *count <= 3), "{:?}", counts());
        let last: Vec<u8> = (80..80 + CELLS).flat_map(i64::to_le_bytes).collect();
        assert_eq!(read(&ctx, uri, "a").unwrap(), last);
        assert_eq!(read(&ctx, &label, "label").unwrap(), last);
    }
}
