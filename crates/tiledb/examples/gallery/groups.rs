//! Four arrays in a group and a group inside it, printed as a tree.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, Group, Vfs};

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/my_group");
    Group::create(&ctx, uri)?;
    Group::create(&ctx, &format!("{uri}/sparse_arrays"))?;
    Vfs::new(&ctx).create_dir(&format!("{uri}/dense_arrays"))?;
    let builders =
        [("dense_arrays", ["A", "B"], ArraySchema::dense()), ("sparse_arrays", ["C", "D"], ArraySchema::sparse())];
    for (kind, names, builder) in builders {
        let schema = builder
            .dimension(Dimension::new("rows", 1..=4_i32).tile(4))
            .dimension(Dimension::new("cols", 1..=4_i32).tile(4))
            .attribute(Attribute::new::<i32>("a"))
            .build()?;
        for name in names {
            Array::create(&ctx, &format!("{uri}/{kind}/array_{name}"), &schema)?;
        }
    }

    let group = Group::open_for_writing(&ctx, uri)?;
    group.add_relative("dense_arrays/array_A", None)?;
    group.add_relative("dense_arrays/array_B", Some("array_b"))?;
    group.add_relative("sparse_arrays", None)?;
    group.close()?;
    let inner = Group::open_for_writing(&ctx, &format!("{uri}/sparse_arrays"))?;
    inner.add_relative("array_C", None)?;
    inner.add_relative("array_D", None)?;
    inner.close()?;

    writeln!(out, "{}", Group::open(&ctx, uri)?.dump(true)?)?;
    Ok(Group::delete(&ctx, uri, true)?)
}
