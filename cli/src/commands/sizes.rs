//! What the files of an array's fragments hold: bytes of each field.

use crate::tiledb::{Context, Field, Fragment, Result, Schema, Vfs};

/// Bytes of one field in all fragments.
pub struct FieldSize {
    pub name: String,
    pub stored: u64,
    /// Before filters, of fields whose cells have one size.
    pub decoded: Option<u64>,
}

/// The bytes of each field, and of all else in the folders of fragments.
pub fn of_fields(ctx: &Context, uri: &str, schema: &Schema, fragments: &[Fragment]) -> Result<Vec<FieldSize>> {
    let fields = schema.fields();
    let mut stored = vec![0_u64; fields.len()];
    let (mut coordinates, mut rest) = (0_u64, 0_u64);
    for entry in Vfs::new(ctx)?.list_recursive(uri)?.iter().filter(|entry| !entry.is_folder) {
        let Some((folder, file)) = entry.uri.rsplit_once('/') else { continue };
        let name = folder.rsplit('/').next().unwrap_or_default();
        let Some(fragment) = fragments.iter().position(|fragment| fragment.name() == name) else { continue };
        match field_of(file, schema, &fields, fragments[fragment].version) {
            Some(at) => stored[at] += entry.size,
            None if file.starts_with("__coords") => coordinates += entry.size,
            None => rest += entry.size,
        }
    }
    let in_dense: u64 = fragments.iter().filter(|fragment| fragment.is_dense).map(|fragment| fragment.cells).sum();
    let cells: u64 = fragments.iter().map(|fragment| fragment.cells).sum();
    let mut sizes: Vec<FieldSize> = fields
        .iter()
        .zip(stored)
        .enumerate()
        .map(|(at, (field, stored))| {
            let is_dimension = at < schema.dimensions.len();
            let cells = if is_dimension { cells - in_dense } else { cells };
            let size = field.cell_size() as u64 + u64::from(field.is_nullable);
            let decoded = (!field.is_var() && stored > 0).then(|| cells.saturating_mul(size));
            FieldSize { name: field.name.clone(), stored, decoded }
        })
        .collect();
    for (name, stored) in [("coordinates", coordinates), ("indexes and footers", rest)] {
        if stored > 0 {
            sizes.push(FieldSize { name: format!("({name})"), stored, decoded: None });
        }
    }
    Ok(sizes)
}

/// The first version whose files are called by the numbers of their fields.
const NUMBERED: u32 = 8;

/// The field of a file of a fragment: `a0.tdb`, `d1_var.tdb`, before version 8 `name_var.tdb`.
fn field_of(file: &str, schema: &Schema, fields: &[Field], version: u32) -> Option<usize> {
    let stem = file.strip_suffix(".tdb")?;
    let short = stem.strip_suffix("_var").or_else(|| stem.strip_suffix("_validity")).unwrap_or(stem);
    if version < NUMBERED {
        return fields.iter().position(|field| field.name == stem || field.name == short);
    }
    let (kind, number) = short.split_at_checked(1)?;
    let number: usize = number.parse().ok()?;
    let first = match kind {
        "d" => 0,
        "a" => schema.dimensions.len(),
        _ => return None,
    };
    (first + number < fields.len()).then_some(first + number)
}
