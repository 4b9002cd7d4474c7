//! Stored and decoded sizes of each field of an array.

use std::collections::HashMap;

use tiledb::Context;

use crate::model::{Field, Fragment, Result, Schema, files_of_array};

/// Size of one field in all fragments.
pub(crate) struct FieldSize {
    pub name: String,
    pub stored: u64,
    /// Size before filters, of fixed-length fields.
    pub decoded: Option<u64>,
}

/// Fields of the fragments that were written with one schema, to which field numbers and file names refer.
struct Named {
    dimensions: usize,
    fields: Vec<Field>,
    places: HashMap<String, usize>,
}

impl Named {
    fn of(schema: &Schema) -> Self {
        let fields = schema.fields();
        let places = fields.iter().zip(0..).map(|(field, at)| (field.name.clone(), at)).collect();
        Self { dimensions: schema.dimensions.len(), fields, places }
    }

    /// The field of a file of a fragment: `a0.tdb`, `d1_var.tdb`, before version 8 `name_var.tdb`.
    fn of_file(&self, file: &str, version: u32) -> Option<usize> {
        let stem = file.strip_suffix(".tdb")?;
        let short = stem.strip_suffix("_var").or_else(|| stem.strip_suffix("_validity")).unwrap_or(stem);
        if version < NUMBERED {
            return self.places.get(stem).or_else(|| self.places.get(short)).copied();
        }
        let (kind, number) = short.split_at_checked(1)?;
        let number: usize = number.parse().ok()?;
        let place = match kind {
            "d" if number < self.dimensions => number,
            "a" => self.dimensions.checked_add(number)?,
            _ => return None,
        };
        (place < self.fields.len()).then_some(place)
    }
}

/// The first version whose files are called by the numbers of their fields.
const NUMBERED: u32 = 8;

/// The bytes of each field, and of all else in the folders of fragments. Fields that the newest schema has no more come
/// after its own.
pub(crate) fn of_fields(ctx: &Context, uri: &str, schema: &Schema, fragments: &[Fragment]) -> Result<Vec<FieldSize>> {
    let mut schemas: HashMap<String, Named> = HashMap::new();
    let mut by_name: HashMap<&str, (&Fragment, String)> = HashMap::new();
    for fragment in fragments {
        let name = fragment.schema_name().to_owned();
        if !schemas.contains_key(&name) {
            schemas.insert(name.clone(), Named::of(&fragment.schema()?));
        }
        by_name.insert(fragment.name(), (fragment, name));
    }
    let own = schema.fields().into_iter().map(|field| (field.name, 0, None));
    let mut sizes: Vec<(String, u64, Option<u64>)> = own.collect();
    let mut places: HashMap<String, usize> = (0..).zip(&sizes).map(|(at, size)| (size.0.clone(), at)).collect();
    let (mut coordinates, mut rest) = (0_u64, 0_u64);
    for entry in files_of_array(ctx, uri)?.iter().filter(|entry| !entry.is_dir) {
        let Some((folder, file)) = entry.uri.rsplit_once('/') else { continue };
        let found = by_name.get(folder.rsplit('/').next().unwrap_or_default());
        let Some((fragment, named)) = found.and_then(|(fragment, name)| Some((*fragment, schemas.get(name)?))) else {
            continue;
        };
        let Some(place) = named.of_file(file, fragment.version) else {
            let place = if file.starts_with("__coords") { &mut coordinates } else { &mut rest };
            *place += entry.bytes;
            continue;
        };
        let field = &named.fields[place];
        let at = *places.entry(field.name.clone()).or_insert_with(|| {
            sizes.push((field.name.clone(), 0, None));
            sizes.len() - 1
        });
        sizes[at].1 += entry.bytes;
        // Each fragment counts once: a field has up to three files.
        let is_first = !file.ends_with("_var.tdb") && !file.ends_with("_validity.tdb");
        if is_first && !field.is_var() {
            let size = field.cell_size() as u64 + u64::from(field.is_nullable);
            let decoded = fragment.cells.saturating_mul(size);
            sizes[at].2 = Some(sizes[at].2.unwrap_or(0).saturating_add(decoded));
        }
    }
    let others = [("(coordinates)", coordinates), ("(indexes and footers)", rest)];
    let others = others.into_iter().filter(|other| other.1 > 0).map(|(name, stored)| (name.to_owned(), stored, None));
    sizes.extend(others);
    Ok(sizes.into_iter().map(|(name, stored, decoded)| FieldSize { name, stored, decoded }).collect())
}
