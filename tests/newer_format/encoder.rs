//! Rewrites arrays of format version 22 in version 23, after the layout that `docs/format.md` describes: names and schemas
//! state the version, footers get optional sections, and sparse fragments tables of the bounds of their tiles.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use tiledb_array::fragment::{FieldPart, FooterSection, Fragment, FragmentName, METADATA_FILE, MetadataCaching};
use tiledb_array::schema::{ArraySchema, Field, SchemaName};
use tiledb_core::config::Config;
use tiledb_core::types::CURRENT_VERSION;
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::codec::StringTarget;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Identifier of a section that no reader knows.
const UNKNOWN: u64 = 77;

/// Damage to the bounds of all sparse fragments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damage {
    /// Lower bounds are the upper ones, and the other way round.
    Swapped,
    /// The tiles have each other's bounds.
    Reversed,
    /// Both bounds are those of the last cell.
    Collapsed,
    /// Upper bounds are far outside their tiles.
    OutOfTile,
    /// The last entry is missing.
    Truncated,
    /// The table ends within its sizes.
    NoSizes,
    /// The sizes of both parts are absurd.
    AbsurdSizes,
    /// Offsets of strings lie beyond the text.
    AbsurdOffsets,
    /// The header of the generic tile states an absurd size.
    AbsurdTile,
    /// The tables are said to lie beyond the file.
    Beyond,
    /// The tables are said to lie at the beginning of the file.
    Elsewhere,
}

impl Damage {
    pub const ALL: [Damage; 11] = [
        Damage::Swapped,
        Damage::Reversed,
        Damage::Collapsed,
        Damage::OutOfTile,
        Damage::Truncated,
        Damage::NoSizes,
        Damage::AbsurdSizes,
        Damage::AbsurdOffsets,
        Damage::AbsurdTile,
        Damage::Beyond,
        Damage::Elsewhere,
    ];
}

/// What was rewritten.
#[derive(Default, Debug)]
pub struct Counts {
    pub fragments: usize,
    /// Tiles with bounds.
    pub tiles: u64,
}

/// A writer of version 23.
pub struct Encoder {
    pub key: EncryptionKey,
    /// Surrounds the section of bounds with sections that no reader knows.
    pub unknown_sections: bool,
    pub damage: Option<Damage>,
}

/// Values of all tiles in one dimension.
type Bounds = Vec<Vec<u8>>;

impl Encoder {
    /// Rewrites the array in a folder, and those of its labels.
    pub fn rewrite(&self, root: &Path) -> Counts {
        let (mut counts, mut footers) = (Counts::default(), HashMap::new());
        let resources = Resources::new(Config::new()).unwrap();
        let schemas = self.rewrite_schemas(&root.join("__schema"));
        for folder in entries(&root.join("__fragments")) {
            let schema_of = |name: &str| -> tiledb_core::error::Result<Arc<ArraySchema>> { Ok(schemas[name].clone()) };
            let name = FragmentName::parse(folder.file_name().unwrap().to_str().unwrap()).unwrap();
            let array = Uri::from_path(root).unwrap();
            let fragment =
                Fragment::load(&resources, &array, name, &self.key, None, MetadataCaching::None, &schema_of).unwrap();
            let (file, footer) =
                self.metadata(&fragment, &std::fs::read(folder.join(METADATA_FILE)).unwrap(), &mut counts);
            std::fs::write(folder.join(METADATA_FILE), file).unwrap();
            footers.insert(renamed_path(&folder).file_name().unwrap().to_str().unwrap().to_owned(), footer);
            std::fs::rename(&folder, renamed_path(&folder)).unwrap();
            counts.fragments += 1;
        }
        for file in entries(&root.join("__commits")) {
            let bytes = renamed(&std::fs::read(&file).unwrap());
            std::fs::remove_file(&file).unwrap();
            std::fs::write(renamed_path(&file), bytes).unwrap();
        }
        for file in entries(&root.join("__fragment_meta")) {
            let bytes = self.consolidated(&std::fs::read(&file).unwrap(), &footers);
            std::fs::remove_file(&file).unwrap();
            std::fs::write(renamed_path(&file), bytes).unwrap();
        }
        for label in entries(&root.join("__labels")) {
            let of_label = self.rewrite(&label);
            counts.fragments += of_label.fragments;
            counts.tiles += of_label.tiles;
        }
        counts
    }

    /// A generic tile of version 23.
    fn tile(&self, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        generic::write(payload, CURRENT_VERSION, &self.key, &mut bytes).unwrap();
        bytes[..4].copy_from_slice(&23u32.to_le_bytes());
        bytes
    }

    fn rewrite_schemas(&self, folder: &Path) -> HashMap<String, Arc<ArraySchema>> {
        let files = entries(folder).into_iter().filter(|path| path.is_file());
        let rewrite = |path: std::path::PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let (mut payload, _) = generic::read(&std::fs::read(&path).unwrap(), &self.key).unwrap();
            let mut schema = ArraySchema::read(&payload).unwrap();
            schema.set_name(SchemaName::parse(&name).unwrap());
            assert_eq!(payload[..4], 22u32.to_le_bytes());
            payload[..4].copy_from_slice(&23u32.to_le_bytes());
            std::fs::write(&path, self.tile(&payload)).unwrap();
            (name, Arc::new(schema))
        };
        files.map(rewrite).collect()
    }

    /// The metadata file and the footer of a fragment whose file is `bytes`.
    fn metadata(&self, fragment: &Fragment, bytes: &[u8], counts: &mut Counts) -> (Vec<u8>, Vec<u8>) {
        let footer = fragment.footer();
        let one = |section| footer.section(section)[0] as usize;
        let (sums, conditions) = (one(FooterSection::Sums), one(FooterSection::Conditions));
        let (place, old) = fragment.footer_location(bytes.len() as u64).unwrap().unwrap();
        // The names of conditions state the version.
        let names = generic::read(&bytes[conditions..place.start as usize], &self.key).unwrap().0;
        let mut file = bytes[..sums].to_vec();
        let mut positions = Vec::new();
        if !fragment.is_dense() {
            counts.tiles += fragment.tile_count();
            let [lower, upper] = self.bounds(fragment);
            for bounds in lower.iter().chain(&upper) {
                positions.push(file.len() as u64);
                file.extend(self.table(fragment, positions.len() - 1, bounds));
            }
            match self.damage {
                Some(Damage::Beyond) => positions.fill(u64::MAX),
                Some(Damage::Elsewhere) => positions.fill(0),
                _ => (),
            }
        }
        let added = (file.len() - sums) as u64;
        file.extend(&bytes[sums..conditions]);
        file.extend(self.tile(&renamed(&names)));
        let mut new = WireWriter::new();
        // Sums, null counts, statistics and conditions follow the bounds.
        let moved = 2 * footer.field_count() + 2;
        let (head, words) = old.split_at(old.len() - 8 * moved);
        new.u32(23).bytes(&head[4..]);
        for word in words.chunks_exact(8) {
            new.u64(u64::from_le_bytes(word.try_into().unwrap()) + added);
        }
        new.bytes(&self.sections(&positions));
        let footer = new.finish().unwrap();
        file.extend(&footer);
        file.extend((footer.len() as u64).to_le_bytes());
        (file, footer)
    }

    /// The optional sections of a footer.
    fn sections(&self, positions: &[u64]) -> Vec<u8> {
        let mut w = WireWriter::new();
        w.u32(2 * u32::from(self.unknown_sections) + u32::from(!positions.is_empty()));
        if self.unknown_sections {
            w.u64(UNKNOWN).u32(5).bytes(b"first");
        }
        if !positions.is_empty() {
            w.u64(0).u32(8 * positions.len() as u32).words(positions);
        }
        if self.unknown_sections {
            w.u64(UNKNOWN + 1).u32(0);
        }
        w.finish().unwrap()
    }

    /// The first and the last coordinate of every tile, per dimension.
    fn bounds(&self, fragment: &Fragment) -> [Vec<Bounds>; 2] {
        let mut both: [Vec<Bounds>; 2] = [Vec::new(), Vec::new()];
        for field in fragment.schema().fields().iter().filter(|field| field.is_dimension) {
            let ends = (0..fragment.tile_count()).map(|tile| self.ends(fragment, field, tile));
            let (lower, upper) = ends.map(|[first, last]| (first, last)).unzip();
            both[0].push(lower);
            both[1].push(upper);
        }
        match self.damage {
            Some(Damage::Swapped) => both.reverse(),
            Some(Damage::Collapsed) => both[0] = both[1].clone(),
            Some(Damage::Reversed) => both.iter_mut().flatten().for_each(|bounds| bounds.reverse()),
            Some(Damage::OutOfTile) => both[1].iter_mut().flatten().flatten().for_each(|byte| *byte = 0x7f),
            _ => (),
        }
        both
    }

    /// The values of the first and the last cell of a tile.
    fn ends(&self, fragment: &Fragment, field: &Field, tile: u64) -> [Vec<u8>; 2] {
        let stored = |part| {
            let place = fragment.tile(field, part, tile).unwrap();
            let mut bytes = vec![0; (place.end - place.start) as usize];
            fragment.file(field, part).unwrap().read_at(place.start, &mut bytes).unwrap();
            bytes
        };
        let decode = |part, size: usize| {
            let mut out = vec![0; size];
            let (pipeline, shape) = fragment.filters_of(field, part);
            pipeline.reverse(&shape, &self.key, &stored(part), &mut out).unwrap();
            out
        };
        let cells = fragment.cells_in_tile(tile) as usize;
        if !field.is_var() {
            let values = decode(FieldPart::Data, cells * field.cell_size());
            let cell = |index: usize| values[index * field.cell_size()..][..field.cell_size()].to_vec();
            return [cell(0), cell(cells - 1)];
        }
        let size = fragment.var_tile_size(field, tile).unwrap() as usize;
        let text = decode(FieldPart::Var, size);
        let mut starts = vec![0; cells];
        if field.encodes_strings(fragment.version()) {
            let (pipeline, shape) = fragment.filters_of(field, FieldPart::Var);
            let target = StringTarget::Starts(&mut starts, size);
            pipeline.reverse_strings(&shape, &self.key, &stored(FieldPart::Var), target).unwrap();
        } else {
            let words = decode(FieldPart::Data, 8 * cells);
            for (start, word) in starts.iter_mut().zip(words.chunks_exact(8)) {
                *start = u64::from_le_bytes(word.try_into().unwrap());
            }
        }
        let end = starts.get(1).map_or(size, |&start| start as usize);
        [text[..end].to_vec(), text[starts[cells - 1] as usize..].to_vec()]
    }

    /// A table of bounds as a generic tile; damaged if it is to be, in the first dimension.
    fn table(&self, fragment: &Fragment, index: usize, bounds: &[Vec<u8>]) -> Vec<u8> {
        let dimensions = fragment.schema().domain().dimensions();
        let is_var = dimensions[index % dimensions.len()].is_var();
        let damage = self.damage.filter(|_| index == 0);
        let (mut fixed, mut text) = (Vec::new(), Vec::new());
        for bound in bounds {
            match is_var {
                true => {
                    fixed.extend((text.len() as u64).to_le_bytes());
                    text.extend(bound);
                }
                false => fixed.extend(bound),
            }
        }
        match damage {
            Some(Damage::Truncated) => fixed.truncate(fixed.len() - fixed.len() / bounds.len().max(1)),
            Some(Damage::AbsurdOffsets) => fixed.fill(0xff),
            _ => (),
        }
        let sizes = match damage {
            Some(Damage::AbsurdSizes) => [u64::MAX, u64::MAX],
            _ => [fixed.len() as u64, text.len() as u64],
        };
        let mut w = WireWriter::new();
        w.words(&sizes).bytes(&fixed).bytes(&text);
        let mut payload = w.finish().unwrap();
        if damage == Some(Damage::NoSizes) {
            payload.truncate(5);
        }
        let mut tile = self.tile(&payload);
        if damage == Some(Damage::AbsurdTile) {
            tile[4..20].fill(0xff);
        }
        tile
    }

    /// Consolidated fragment metadata with the footers of fragments by their new names.
    fn consolidated(&self, bytes: &[u8], footers: &HashMap<String, Vec<u8>>) -> Vec<u8> {
        let payload = generic::read(bytes, &self.key).unwrap().0;
        let mut r = WireReader::new("consolidated fragment metadata", &payload);
        let count = r.u32().unwrap();
        let all: Vec<(String, usize)> =
            (0..count).map(|_| (r.str64().unwrap().to_owned(), r.u64().unwrap() as usize)).collect();
        let (mut index, mut written) = (WireWriter::new(), WireWriter::new());
        let head = r.position();
        index.u32(count);
        for (at, (name, start)) in all.iter().enumerate() {
            let name = String::from_utf8(renamed(name.as_bytes())).unwrap();
            index.str64(&name).u64((head + written.len()) as u64);
            let end = all.get(at + 1).map_or(payload.len(), |next| next.1);
            match footers.get(&name) {
                Some(footer) => _ = written.bytes(footer),
                // The fragment was vacuumed.
                None => _ = written.u32(23).bytes(&payload[start + 4..end]).bytes(&self.sections(&[])),
            }
        }
        index.append(written);
        self.tile(&index.finish().unwrap())
    }
}

/// The entries of a folder; none if it does not exist.
pub fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The path with a name that states version 23.
fn renamed_path(path: &Path) -> std::path::PathBuf {
    let name = path.file_name().and_then(OsStr::to_str).unwrap();
    path.with_file_name(String::from_utf8(renamed(name.as_bytes())).unwrap())
}

/// Bytes whose timestamped names state version 23 instead of 22.
fn renamed(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for at in 32..bytes.len().saturating_sub(2) {
        let is_name = bytes[at - 32..at].iter().all(u8::is_ascii_hexdigit) && &bytes[at..at + 3] == b"_22";
        if is_name && !bytes.get(at + 3).is_some_and(u8::is_ascii_digit) {
            out[at + 2] = b'3';
        }
    }
    out
}
