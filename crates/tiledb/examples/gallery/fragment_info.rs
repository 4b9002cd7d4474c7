//! What is known about the fragments of an array that was written twice.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, FragmentInfo};

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/fragment_info");
    if !Array::exists(&ctx, uri)? {
        let schema = ArraySchema::dense()
            .dimension(Dimension::new("rows", 1..=4_i32).tile(4))
            .dimension(Dimension::new("columns", 1..=4_i32).tile(4))
            .attribute(Attribute::new::<i32>("a"))
            .build()?;
        Array::create(&ctx, uri, &schema)?;
        let cells: Vec<i32> = (1..=16).collect();
        for _ in 0..2 {
            Array::open_for_writing(&ctx, uri)?.write().values("a", &cells).submit()?;
        }
    }

    let info = FragmentInfo::load(&ctx, uri)?;
    let fragments = info.fragments();
    writeln!(out, "Number of fragments: {}", fragments.len())?;
    writeln!(out, "To Vacuum Num: {}", info.to_vacuum().len())?;
    writeln!(out, "Total Cell Count: {}", fragments.iter().map(|fragment| fragment.cell_count()).sum::<u64>())?;
    let unconsolidated = fragments.iter().filter(|fragment| !fragment.has_consolidated_metadata()).count();
    writeln!(out, "Unconsolidated Metadata Num: {unconsolidated}")?;
    for (i, fragment) in fragments.iter().enumerate() {
        writeln!(out, "Name {i}: {}", fragment.name())?;
        writeln!(out, "URI  {i}: {}", fragment.uri())?;
        writeln!(out, "Size {i}: {}", fragment.size())?;
        writeln!(out, "Type {i}: {}", if fragment.is_dense() { "Dense" } else { "Sparse" })?;
        let (start, end) = fragment.timestamps();
        writeln!(out, "Timestamp Range {i}: [{start}, {end}]")?;
        writeln!(out, "Cell Num {i}: {}", fragment.cell_count())?;
        writeln!(out, "Version {i}: {}", fragment.format_version())?;
        writeln!(out, "Has Consolidated Metadata {i}: {}", fragment.has_consolidated_metadata())?;
        writeln!(out, "Schema {i}: {}", fragment.schema())?;
        writeln!(out, "Schema Name {i}: {}", fragment.schema_name())?;
        for (dimension, low, high) in fragment.non_empty_domain() {
            writeln!(out, "Non-empty domain {i}: {dimension} [{low}, {high}]")?;
        }
        writeln!(out, "Num MBRs {i}: {}", fragment.bounding_box_count())?; // dense fragments have none
    }
    Ok(())
}
