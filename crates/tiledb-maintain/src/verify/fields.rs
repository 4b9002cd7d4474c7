//! The files of a fragment's fields and the places of tiles in them.

use std::collections::{HashMap, HashSet};

use super::finding::{Code, Finding};
use super::listing::Listed;
use super::report::Report;
use super::work::unless_stopped;
use tiledb_array::fragment::{Fragment, METADATA_FILE, Part, Section, file_name};
use tiledb_array::schema::Field;
use tiledb_core::error::Result;

/// Looks at the files and the tables of places, and gives the fields whose tiles can be looked at.
///
/// # Errors
/// What stops the verification.
pub(super) fn check(fragment: &Fragment, files: &[Listed], report: &mut Report<'_>) -> Result<HashSet<usize>> {
    let mut known: HashSet<String> = HashSet::from([METADATA_FILE.to_owned()]);
    let by_name: HashMap<&str, &Listed> = files.iter().map(|file| (file.name.as_str(), file)).collect();
    let mut sound = HashSet::new();
    let all = fragment.schema().fields().iter().chain(fragment.special_fields());
    for field in all.filter(|field| !(fragment.is_dense() && field.is_dimension)) {
        let mut is_sound = true;
        for part in Part::of(field).filter(|part| *part != Part::Validity || fragment.version().has_nullable()) {
            let name = file_name(fragment.version(), field, part);
            let is_first = known.insert(name.clone());
            let listed = by_name.get(name.as_str()).copied();
            if is_first && listed.is_some() {
                report.file(0)?;
            }
            let (found, has_places) = of_part(fragment, field, part, listed)?;
            is_sound &= has_places;
            // Old dimensions share a file.
            if is_first {
                report.tell_all(&found)?;
            }
        }
        if is_sound {
            sound.insert(field.index);
        }
    }
    for file in files.iter().filter(|file| !known.contains(&file.name)) {
        report.file(file.size)?;
        let finding = Finding::new(Code::Stray, &file.uri, "No field of the fragment has this file");
        report.tell(&Finding { fragment: Some(fragment.name().as_str().to_owned()), ..finding })?;
    }
    Ok(sound)
}

/// Looks at the file of a part of a field, and tells whether the places of all its tiles are known.
fn of_part(fragment: &Fragment, field: &Field, part: Part, listed: Option<&Listed>) -> Result<(Vec<Finding>, bool)> {
    let file = fragment.file_uri(field, part);
    let told = |code: Code, file: &tiledb_storage::vfs::Uri, text: String| Finding {
        field: Some(field.name.to_string()),
        fragment: Some(fragment.name().as_str().to_owned()),
        ..Finding::new(code, file, text)
    };
    let (mut found, size) = (Vec::new(), fragment.file_size(field, part));
    match listed {
        // Nothing is written of values that are all empty.
        None if size == 0 => (),
        None => return Ok((vec![told(Code::Missing, &file, "The file is missing".to_owned())], false)),
        Some(listed) if listed.size != size => {
            let text = format!("The file has {} bytes, {size} are said to be in it", listed.size);
            found.push(told(Code::FileSize, &file, text).at(listed.size.min(size)));
        }
        Some(_) => (),
    }
    let (tables, metadata) = (tables_of(part), fragment.metadata_file());
    let mut has_all = true;
    for &table in tables {
        match unless_stopped(fragment.words_of(table, field))? {
            Ok(words) if words.len() as u64 == fragment.tile_count() => (),
            Ok(words) => {
                let text = format!("Table {table:?} has {} tiles of {}", words.len(), fragment.tile_count());
                found.push(told(Code::Table, &metadata, text));
                has_all = false;
            }
            // The table was told of with the metadata file.
            Err(_) => has_all = false,
        }
    }
    if !has_all {
        // Where no tile has a place none is looked at; the finding may stand elsewhere.
        let text = "Its tiles were not looked at, since their places are not known".to_owned();
        found.push(told(Code::TilePlace, &file, text));
        return Ok((found, false));
    }
    let places = fragment.words_of(tables[0], field)?;
    if let Some(&first) = places.first().filter(|&&first| first != 0) {
        found.push(told(Code::TilePlace, &file, format!("The first tile begins at byte {first}")).at(0));
    }
    if let Some(tile) = (1..places.len()).find(|&tile| places[tile] < places[tile - 1]) {
        let text =
            format!("Tile {tile} begins at byte {}, before tile {} at {}", places[tile], tile - 1, places[tile - 1]);
        found.push(Finding { tile: Some(tile as u64), ..told(Code::TilePlace, &file, text) });
    }
    if let Some(&last) = places.last().filter(|&&last| last > size) {
        let text = format!("The last tile begins at byte {last} of {size}");
        found.push(told(Code::TilePlace, &file, text));
    }
    // A file of another size may still hold sound tiles.
    Ok((found, true))
}

/// The tables about a part: places of tiles first.
fn tables_of(part: Part) -> &'static [Section] {
    match part {
        Part::Data => &[Section::Offsets],
        Part::Var => &[Section::VarOffsets, Section::VarSizes],
        Part::Validity => &[Section::ValidityOffsets],
    }
}
