//! Compares the files of two arrays: names, schema, fragment metadata table by table, and the files of fields whose
//! filter pipelines are deterministic.

use std::io::Read as _;
use std::path::Path;

use crate::round_trip::data::Style;
use crate::round_trip::execute::KEY;
use crate::round_trip::pipeline::Pipeline;
use crate::round_trip::scenario::{Scenario, Write};
use crate::round_trip::statistics;

/// Compares two arrays; gives the number of files whose bytes were compared.
pub fn compare(ours: &Path, reference: &Path, scenario: &Scenario) -> Result<u64, String> {
    for folder in ["__commits", "__fragments", "__schema"] {
        let (a, b) = (names(&ours.join(folder))?, names(&reference.join(folder))?);
        if a.len() != b.len() {
            return Err(format!("{folder}: {a:?} and {b:?}"));
        }
    }
    let schema = |array: &Path| -> Result<Vec<u8>, String> {
        let folder = array.join("__schema");
        let name = names(&folder)?.into_iter().find(|name| name.len() > 40).ok_or("no schema")?;
        Ok(generic_tile(&bytes(&folder.join(name))?)?.0)
    };
    same("the schema", &schema(ours)?, &schema(reference)?)?;
    let mut files = 0;
    let fragments = names(&ours.join("__fragments"))?.into_iter().zip(names(&reference.join("__fragments"))?);
    for (number, (a, b)) in fragments.enumerate() {
        let (a, b) = (ours.join("__fragments").join(a), reference.join("__fragments").join(b));
        files += fragment(&a, &b, scenario, number).map_err(|text| format!("fragment {number}: {text}"))?;
    }
    Ok(files)
}

fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into()).collect();
    names.sort();
    Ok(names)
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn same(what: &str, a: &[u8], b: &[u8]) -> Result<(), String> {
    if a == b {
        return Ok(());
    }
    let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
    let show = |bytes: &[u8]| bytes[at.saturating_sub(8)..bytes.len().min(at + 24)].to_vec();
    let (here, there) = (show(a), show(b));
    Err(format!("{what}: {} and {} bytes, from byte {at} on differing: {here:?} and {there:?}", a.len(), b.len()))
}

/// What is known of the three files of a field: values (of fixed or var cells), offsets, validity.
struct Field {
    name: String,
    /// True if the bytes of the values, of the offsets and of the validity leave no choice.
    exact: [bool; 3],
    var: bool,
    /// True where some bytes of the values are those of memory that nobody set: the files only have the same length.
    undefined: bool,
    /// False where the reference miscounts nulls.
    nulls: bool,
    /// False where the reference takes its extremes over some of the tiles.
    extremes: bool,
    /// False where sums overflow in an order of cells that is its own.
    sums: bool,
    /// True where the reference mislays the extremes of all tiles.
    mislaid: bool,
    /// False where the reference takes characters for numbers without a sign.
    signs: bool,
}

impl Field {
    /// Believes all statistics.
    fn trust(&mut self) {
        (self.nulls, self.extremes, self.sums, self.mislaid, self.signs) = (true, true, true, false, true);
    }
}

fn fields(scenario: &Scenario, write: &Write) -> Vec<Field> {
    let list = |pipeline: &Option<Pipeline>, default: bool| pipeline.as_ref().map_or(default, Pipeline::is_exact);
    let offsets = list(&scenario.offsets, false);
    let validity = list(&scenario.validity, true);
    let plain = write.ordered && !scenario.encrypted;
    let exact = |values: bool| [plain && values, plain && offsets, plain && validity];
    let mut fields: Vec<Field> = Vec::new();
    for (number, attribute) in scenario.attributes.iter().enumerate() {
        let values = attribute.pipeline.is_exact();
        let undefined = crate::round_trip::accepted::undefined_bytes(&attribute.pipeline);
        let nulls = !crate::round_trip::accepted::miscounted_nulls(attribute.shape, scenario.dense);
        let var = attribute.shape.values.is_none();
        let extremes = !crate::round_trip::accepted::partial_extremes(attribute.shape);
        // Where runs are gathered into columns the reference takes the cells of a tile in the order of rows.
        let sums = !(scenario.dense && scenario.cell_order == 1 && attribute.style == Style::Noise);
        let mislaid = crate::round_trip::accepted::mislaid_extremes(scenario, write, attribute.shape);
        fields.push(Field {
            name: format!("a{number}"),
            exact: exact(values),
            var,
            undefined,
            nulls,
            sums,
            extremes,
            mislaid,
            signs: !attribute.shape.is_unsigned(),
        });
    }
    fields.push(Field {
        name: "coords".to_owned(),
        exact: [true; 3],
        var: false,
        undefined: false,
        nulls: true,
        sums: true,
        extremes: true,
        mislaid: false,
        signs: true,
    });
    for (number, dimension) in scenario.dimensions.iter().enumerate() {
        let pipeline = match (&dimension.pipeline, &scenario.coords) {
            (own, _) if !own.filters.is_empty() => own.clone(),
            (own, None) => Pipeline { filters: vec![crate::round_trip::pipeline::zstd()], ..own.clone() },
            (_, Some(coords)) => coords.clone(),
        };
        let values = pipeline.is_exact();
        fields.push(Field {
            name: format!("d{number}"),
            exact: exact(values),
            var: dimension.is_string(),
            undefined: crate::round_trip::accepted::undefined_bytes(&pipeline),
            nulls: true,
            sums: true,
            extremes: true,
            mislaid: false,
            signs: true,
        });
    }
    fields
}

fn fragment(ours: &Path, reference: &Path, scenario: &Scenario, number: usize) -> Result<u64, String> {
    let (a, b) = (names(ours)?, names(reference)?);
    if a != b {
        return Err(format!("the files are {a:?} and {b:?}"));
    }
    let mut fields = fields(scenario, &scenario.writes[number]);
    let tables = metadata(&bytes(&ours.join("__fragment_metadata.tdb"))?, &fields)?;
    for field in fields.iter_mut().filter(|field| field.var) {
        // What the reference's filters make of no values is not determined: some take one from behind the end.
        // Ours leaves such chunks out.
        let name = format!("var sizes of {}", field.name);
        let sizes = tables.iter().find(|(table, _)| *table == name).map_or(&[][..], |(_, sizes)| sizes);
        field.exact[0] &= !sizes.chunks(8).skip(1).any(|size| size.iter().all(|&byte| byte == 0));
        let values = reference.join(format!("{}_var.tdb", field.name));
        field.exact[0] &= !(field.exact[0] && has_empty_chunk(&bytes(&values)?));
    }
    let mut files = 0;
    for field in &fields {
        let (values, offsets) = if field.var { ("_var", "") } else { ("", "-") };
        for (exact, part) in field.exact.iter().zip([values, offsets, "_validity"]) {
            let name = format!("{}{part}.tdb", field.name);
            if *exact && a.contains(&name) {
                let (mut a, mut b) = (bytes(&ours.join(&name))?, bytes(&reference.join(&name))?);
                if field.undefined && part == values {
                    a.fill(0);
                    b.fill(0);
                }
                same(&name, &a, &b)?;
                files += 1;
            }
        }
    }
    let read = |folder: &Path| metadata(&bytes(&folder.join("__fragment_metadata.tdb"))?, &fields);
    let (a, b) = (read(ours)?, read(reference)?);
    for ((name, a), (_, b)) in a.iter().zip(&b) {
        same(name, a, b)?;
    }
    // What the reference states otherwise must be that of the cells, as must all the rest.
    fields.iter_mut().for_each(Field::trust);
    let all = metadata(&bytes(&ours.join("__fragment_metadata.tdb"))?, &fields)?;
    statistics::check(scenario, &scenario.writes[number], &all)?;
    Ok(files)
}

/// True if a file of filtered tiles has a chunk without values.
fn has_empty_chunk(file: &[u8]) -> bool {
    let mut cursor = Cursor(file);
    let mut empty = false;
    while let Ok(chunks) = cursor.number(8) {
        for _ in 0..chunks {
            let Ok(original) = cursor.number(4) else { break };
            let length = cursor.number(4).unwrap_or(0) + cursor.number(4).unwrap_or(0);
            let _ = cursor.take(length);
            empty |= original == 0;
        }
    }
    empty
}

/// The tables of fragment metadata by name, and the parts of the footer. What a compressor's version decides is left out.
fn metadata(file: &[u8], fields: &[Field]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut tables = Vec::new();
    let mut at = 0;
    let mut starts = Vec::new();
    let mut next = |name: String, keep: bool, tables: &mut Vec<(String, Vec<u8>)>| -> Result<(), String> {
        let (payload, length) =
            generic_tile(file.get(at..).unwrap_or_default()).map_err(|text| format!("{name}: {text}"))?;
        starts.push(at as u64);
        at += length;
        if keep {
            tables.push((name, payload));
        }
        Ok(())
    };
    next("R-tree".to_owned(), true, &mut tables)?;
    let kinds = ["offsets", "var offsets", "var sizes", "validity offsets", "minima", "maxima", "sums", "null counts"];
    for (number, kind) in kinds.iter().enumerate() {
        for field in fields {
            let [values, offsets, validity] = field.exact;
            let keep = match number {
                0 => {
                    if field.var {
                        offsets
                    } else {
                        values
                    }
                }
                1 => values,
                3 => validity,
                // With them go minimum and maximum of var cells.
                4 | 5 => field.signs && (!field.var || field.nulls),
                6 => field.signs && field.sums,
                7 => field.nulls,
                _ => true,
            };
            next(format!("{kind} of {}", field.name), keep, &mut tables)?;
            if let (4 | 5, true, true, Some((_, table))) = (number, keep, field.mislaid, tables.last_mut()) {
                // The sizes and the places of the values are right.
                let places = Cursor(table).number(8)?;
                table.truncate(16 + places);
            }
        }
    }
    next("fragment statistics".to_owned(), true, &mut tables)?;
    let (_, statistics) = tables.pop().unwrap_or_default();
    let mut cursor = Cursor(&statistics);
    for field in fields {
        for part in ["minimum", "maximum"] {
            let length = cursor.number(8)?;
            let value = cursor.take(length)?.to_vec();
            if field.signs && field.extremes && !field.mislaid && (!field.var || field.nulls) {
                tables.push((format!("{part} of {}", field.name), value));
            }
        }
        for part in ["sum", "null count"] {
            let value = cursor.take(8)?.to_vec();
            if if part == "sum" { field.signs && field.sums } else { field.nulls } {
                tables.push((format!("{part} of {}", field.name), value));
            }
        }
    }
    next("processed conditions".to_owned(), true, &mut tables)?;
    footer(file.get(at..).unwrap_or_default(), fields, &starts, &mut tables)?;
    Ok(tables)
}

/// Takes the footer apart; the name of the schema is left out, positions must be those of the tables.
fn footer(footer: &[u8], fields: &[Field], starts: &[u64], tables: &mut Vec<(String, Vec<u8>)>) -> Result<(), String> {
    let number = |at: usize| -> Option<u64> { Some(u64::from_le_bytes(footer.get(at..at + 8)?.try_into().ok()?)) };
    let length = number(4).ok_or("a short footer")? as usize;
    let n = fields.len();
    let end = footer.len().checked_sub(8).ok_or("a short footer")?;
    if number(end) != Some(end as u64) {
        return Err(format!("the footer has {end} bytes and says {:?}", number(end)));
    }
    let positions = end.checked_sub(8 * starts.len()).ok_or("a short footer")?;
    let sizes = positions.checked_sub(24 * n).ok_or("a short footer")?;
    for (i, start) in starts.iter().enumerate() {
        if number(positions + 8 * i) != Some(*start) {
            return Err(format!("position {i} is {:?} instead of {start}", number(positions + 8 * i)));
        }
    }
    let head = footer.get(12 + length..sizes).ok_or("a short footer")?;
    tables.push(("footer".to_owned(), [&footer[..12], head].concat()));
    for part in 0..3 {
        for (i, field) in fields.iter().enumerate() {
            let [values, offsets, validity] = field.exact;
            let keep = match part {
                0 => {
                    if field.var {
                        offsets
                    } else {
                        values
                    }
                }
                1 => values,
                _ => validity,
            };
            if keep {
                let size = number(sizes + 8 * (part * n + i)).unwrap_or(0);
                tables.push((format!("file size {part} of {}", field.name), size.to_le_bytes().to_vec()));
            }
        }
    }
    Ok(())
}

/// A little-endian cursor.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (head, rest) = self.0.split_at_checked(count).ok_or("a short tile")?;
        self.0 = rest;
        Ok(head)
    }

    fn number(&mut self, bytes: usize) -> Result<usize, String> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |all, &byte| (all << 8) | usize::from(byte)))
    }
}

/// Decodes a generic tile: its payload and its length in the file.
fn generic_tile(file: &[u8]) -> Result<(Vec<u8>, usize), String> {
    let mut cursor = Cursor(file);
    let _version = cursor.number(4)?;
    let persisted = cursor.number(8)?;
    let size = cursor.number(8)?;
    let _type_and_cell = cursor.take(9)?;
    let encrypted = cursor.number(1)? == 1;
    let pipeline = cursor.number(4)?;
    cursor.take(pipeline)?;
    let mut body = Cursor(cursor.take(persisted)?);
    let mut payload = Vec::new();
    for _ in 0..body.number(8)? {
        let _original = body.number(4)?;
        let filtered = body.number(4)?;
        let meta = body.number(4)?;
        let (mut meta, mut data) = (body.take(meta)?.to_vec(), body.take(filtered)?.to_vec());
        if encrypted {
            (meta, data) = decrypt(&meta, &data)?;
        }
        let mut parts = Cursor(&meta);
        let count = parts.number(4)? + parts.number(4)?;
        let mut data = Cursor(&data);
        for _ in 0..count {
            let (_, compressed) = (parts.number(4)?, parts.number(4)?);
            let mut decoder = flate2::read::ZlibDecoder::new(data.take(compressed)?);
            decoder.read_to_end(&mut payload).map_err(|error| error.to_string())?;
        }
    }
    if payload.len() != size {
        return Err(format!("a generic tile of {} instead of {size} bytes", payload.len()));
    }
    Ok((payload, 34 + pipeline + persisted))
}

/// Undoes AES-256-GCM: the metadata and the data of the filter before it.
fn decrypt(meta: &[u8], data: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let (mut meta, mut data) = (Cursor(meta), Cursor(data));
    let counts = [meta.number(4)?, meta.number(4)?];
    let mut out = [Vec::new(), Vec::new()];
    for (count, out) in counts.into_iter().zip(&mut out) {
        for _ in 0..count {
            let (_, length) = (meta.number(4)?, meta.number(4)?);
            let (iv, tag) = (meta.take(12)?, meta.take(16)?);
            let cipher = openssl::symm::Cipher::aes_256_gcm();
            let text = data.take(length)?;
            let plain = openssl::symm::decrypt_aead(cipher, KEY.as_bytes(), Some(iv), &[], text, tag);
            out.extend(plain.map_err(|error| error.to_string())?);
        }
    }
    let [meta, data] = out;
    Ok((meta, data))
}
