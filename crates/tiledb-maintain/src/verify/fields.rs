//! Verification of the files of a fragment's fields, and of the offsets of tiles in them.

use std::collections::{HashMap, HashSet};

use super::array_listing::ListedFile;
use super::context::unless_stopped;
use super::finding::{Code, Finding};
use super::report::Report;
use tiledb_array::fragment::{FieldPart, FooterSection, Fragment, METADATA_FILE, file_name};
use tiledb_array::schema::Field;
use tiledb_core::error::Result;

/// Verifies the files of fields and the tables of tile offsets; returns the fields whose tiles can be verified.
///
/// # Errors
/// Errors that stop the verification.
pub(super) fn check(fragment: &Fragment, files: &[ListedFile], report: &mut Report<'_>) -> Result<HashSet<usize>> {
    let mut known: HashSet<String> = HashSet::from([METADATA_FILE.to_owned()]);
    let by_name: HashMap<&str, &ListedFile> = files.iter().map(|file| (file.name.as_str(), file)).collect();
    let mut sound = HashSet::new();
    let all = fragment.schema().fields().iter().chain(fragment.special_fields());
    for field in all.filter(|field| !(fragment.is_dense() && field.is_dimension)) {
        let mut is_sound = true;
        for part in
            FieldPart::of(field).filter(|part| *part != FieldPart::Validity || fragment.version().has_nullable())
        {
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
                report.report_all(&found)?;
            }
        }
        if is_sound {
            sound.insert(field.index);
        }
    }
    for file in files.iter().filter(|file| !known.contains(&file.name)) {
        report.file(file.size)?;
        let finding = Finding::new(Code::Stray, &file.uri, "No field of the fragment has this file");
        report.report(&Finding { fragment: Some(fragment.name().as_str().to_owned()), ..finding })?;
    }
    Ok(sound)
}

/// Verifies the file of a part of a field; returns whether the offsets of all its tiles are known.
fn of_part(
    fragment: &Fragment,
    field: &Field,
    part: FieldPart,
    listed: Option<&ListedFile>,
) -> Result<(Vec<Finding>, bool)> {
    let file = fragment.file_uri(field, part);
    let finding = |code: Code, file: &tiledb_storage::vfs::Uri, text: String| Finding {
        field: Some(field.name.to_string()),
        fragment: Some(fragment.name().as_str().to_owned()),
        ..Finding::new(code, file, text)
    };
    let mut found = Vec::new();
    let size = fragment.file_size(field, part);
    match listed {
        // No file is written if all values are empty.
        None if size == 0 => (),
        None => return Ok((vec![finding(Code::Missing, &file, "The file is missing".to_owned())], false)),
        Some(listed) if listed.size != size => {
            let text = format!("The file has {} bytes, {size} are said to be in it", listed.size);
            found.push(finding(Code::FileSize, &file, text).at(listed.size.min(size)));
        }
        Some(_) => (),
    }
    let tables = tables_of(part);
    let metadata = fragment.metadata_file();
    let mut has_all = true;
    for &table in tables {
        match unless_stopped(fragment.table_words(table, field))? {
            Ok(words) if words.len() as u64 == fragment.tile_count() => (),
            Ok(words) => {
                let text = format!("Table {table:?} has {} tiles of {}", words.len(), fragment.tile_count());
                found.push(finding(Code::Table, &metadata, text));
                has_all = false;
            }
            // The table was reported with the metadata file.
            Err(_) => has_all = false,
        }
    }
    if !has_all {
        // Tiles without offsets cannot be verified; the cause may be another finding.
        let text = "Its tiles were not looked at, since their places are not known".to_owned();
        found.push(finding(Code::TilePlace, &file, text));
        return Ok((found, false));
    }
    let places = fragment.table_words(tables[0], field)?;
    if let Some(&first) = places.first().filter(|&&first| first != 0) {
        found.push(finding(Code::TilePlace, &file, format!("The first tile begins at byte {first}")).at(0));
    }
    if let Some(tile) = (1..places.len()).find(|&tile| places[tile] < places[tile - 1]) {
        let text =
            format!("Tile {tile} begins at byte {}, before tile {} at {}", places[tile], tile - 1, places[tile - 1]);
        found.push(Finding { tile: Some(tile as u64), ..finding(Code::TilePlace, &file, text) });
    }
    if let Some(&last) = places.last().filter(|&&last| last > size) {
        let text = format!("The last tile begins at byte {last} of {size}");
        found.push(finding(Code::TilePlace, &file, text));
    }
    // A file of another size may still hold valid tiles.
    Ok((found, true))
}

/// The tables about a part: places of tiles first.
fn tables_of(part: FieldPart) -> &'static [FooterSection] {
    match part {
        FieldPart::Data => &[FooterSection::Offsets],
        FieldPart::Var => &[FooterSection::VarOffsets, FooterSection::VarSizes],
        FieldPart::Validity => &[FooterSection::ValidityOffsets],
    }
}
