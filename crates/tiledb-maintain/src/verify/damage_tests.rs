//! Each kind of damage, and all that is reported of it: `damage.txt` has the complete findings, which `BLESS=1` rewrites.
//!
//! Cells are stored without filters and without checksums, so that values can be changed one by one.

use std::fmt::Write as _;
use std::sync::Arc;

use super::totals::FragmentTotals;
use super::{Counts, Finding, Severity, verify};
use crate::maintain::{RewriteOptions, consolidate, rewrite, vacuum_with_progress};
use tiledb_array::array::{MetadataChanges, OpenArray, create};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain, Enumeration};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::limits::fragment::LOCAL_REMOVALS_PER_CHECK;
use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, DataOrder, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::Pipeline;
use tiledb_filters::tile::TileStats;
use tiledb_query::Query;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Cells of a write, of which four are in a tile.
const CELLS: i32 = 8;

/// Bytes of a tile in front of its cells: the number of chunks, and the sizes of the one chunk.
const HEADERS: usize = 8 + 12;

/// An array in memory with a fixed, a nullable, a floating, an enumerated and two text attributes.
struct Damaged {
    resources: Resources,
    uri: Uri,
}

impl Damaged {
    /// An array that was written twice: all cells of a dense one, then those of a box that begins and ends within tiles; even, then odd
    /// coordinates of a sparse one.
    fn new(array_type: ArrayType) -> Damaged {
        let array = Damaged::empty(array_type);
        array.write(1);
        array.write(2);
        array
    }

    fn empty(array_type: ArrayType) -> Damaged {
        let mut config = Config::new();
        config.set("sm.skip_checksum_validation", "true").unwrap();
        let resources = Resources::new(config).unwrap();
        let uri = Uri::parse(&format!("mem://damage/{array_type:?}")).unwrap();
        let last = if array_type == ArrayType::Dense { CELLS - 1 } else { 19 };
        let ends = [0, last].map(i32::to_le_bytes).concat();
        let mut dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&4i32.to_le_bytes())).unwrap();
        dimension.set_filters(Pipeline::default()).unwrap();
        let mut schema = ArraySchema::new(array_type);
        schema.set_coords_filters(Pipeline::default()).unwrap();
        schema.set_offsets_filters(Pipeline::default());
        schema.set_validity_filters(Pipeline::default());
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.set_capacity(4).unwrap();
        let colours = Enumeration::new("colours", Datatype::StringAscii, u32::MAX, false, b"redgreen", Some(&[0, 3]));
        schema.add_enumeration(Arc::new(colours.unwrap())).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("f", Datatype::Float64))).unwrap();
        let mut nullable = Attribute::new("n", Datatype::Uint8);
        nullable.set_nullable(true);
        schema.add_attribute(Arc::new(nullable)).unwrap();
        let mut text = Attribute::new("t", Datatype::StringAscii);
        text.set_cell_val_num(u32::MAX).unwrap();
        schema.add_attribute(Arc::new(text)).unwrap();
        let mut colour = Attribute::new("e", Datatype::Uint8);
        colour.set_enumeration("colours").unwrap();
        schema.add_attribute(Arc::new(colour)).unwrap();
        let mut word = Attribute::new("w", Datatype::StringAscii);
        word.set_cell_val_num(u32::MAX).unwrap();
        word.set_nullable(true);
        schema.add_attribute(Arc::new(word)).unwrap();
        if array_type == ArrayType::Dense {
            schema.add_label(0, "x", DataOrder::Increasing, Datatype::Int64, false).unwrap();
        }
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        Damaged { resources, uri }
    }

    fn open(&self, kind: QueryType, time: u64) -> OpenArray {
        OpenArray::open(&self.resources, &self.uri, kind, (0, time), &EncryptionKey::None).unwrap()
    }

    fn write(&self, time: u64) {
        let array = self.open(QueryType::Write, time);
        let is_dense = array.schema().is_dense();
        let (low, high) = if is_dense && time == 2 { (1, 5) } else { (0, CELLS - 1) };
        let numbers: Vec<i32> = (low..=high).map(|cell| cell * 37 % 11 + time as i32).collect();
        let coords: Vec<i32> = (low..=high).map(|cell| 2 * cell + (time as i32 - 1)).collect();
        let floats: Vec<f64> = numbers.iter().map(|number| f64::from(*number) / 4.0).collect();
        let bytes: Vec<u8> = numbers.iter().map(|number| *number as u8).collect();
        let validity: Vec<u8> = (low..=high).map(|cell| u8::from(cell % 3 > 0)).collect();
        let colours: Vec<u8> = (low..=high).map(|cell| (cell % 2) as u8).collect();
        let texts: Vec<String> = numbers.iter().map(|number| "word"[..*number as usize % 5].to_owned()).collect();
        let (starts, texts) = (starts(&texts), texts.concat());
        let mut columns = vec![
            column("a", bytemuck::cast_slice(&numbers)),
            column("f", bytemuck::cast_slice(&floats)),
            InputColumn { validity: Some(&validity), ..column("n", &bytes) },
            InputColumn { starts: Some(starts.clone().into()), ..column("t", texts.as_bytes()) },
            InputColumn { starts: Some(starts.into()), validity: Some(&validity), ..column("w", texts.as_bytes()) },
            column("e", &colours),
        ];
        if !is_dense {
            columns.push(column("d", bytemuck::cast_slice(&coords)));
        }
        let sides: &[(i32, i32)] = if is_dense { &[(low, high)] } else { &[] };
        let layout = if is_dense { Layout::RowMajor } else { Layout::Unordered };
        let mut writer = writer(testing::spec(array, layout, sides, u64::MAX)).unwrap();
        writer.write(&Inputs { columns: columns.into() }).unwrap();
        writer.finish().unwrap();
    }

    fn put_metadata(&self, time: u64) {
        let mut changes = MetadataChanges::default();
        changes.put("key", Datatype::Uint8, &[time as u8]).unwrap();
        changes.write(&self.resources, &self.uri, CURRENT_VERSION, time, &EncryptionKey::None).unwrap();
    }

    /// Deletes the cells whose attribute `a` has a value; consolidation of their fragments marks them.
    fn delete(&self, time: u64, value: i32) {
        let array = Arc::new(self.open(QueryType::Delete, time));
        let mut query = Query::new(&array, QueryType::Delete).unwrap();
        let comparison = Comparison::new("a", Some(&value.to_le_bytes()), ComparisonOperator::Equal).unwrap();
        query.set_condition(Some(Condition::new(comparison))).unwrap();
        query.submit().unwrap();
    }

    fn consolidate(&self, mode: &str) {
        let mut config = self.resources.config().clone();
        config.set("sm.consolidation.mode", mode).unwrap();
        consolidate(&self.resources.with_config(config).unwrap(), &self.uri, &mut |_| Ok(())).unwrap();
    }

    /// Files and folders in a folder, in the order of their names.
    fn all(&self, folder: &str) -> Vec<Uri> {
        let folder = self.uri.join(folder);
        let mut names: Vec<String> =
            self.resources.vfs().names(&folder).unwrap().into_iter().map(|item| item.name.clone()).collect();
        names.sort();
        names.iter().map(|name| folder.join(name)).collect()
    }

    /// The file of a commit or of metadata with such an end.
    fn file(&self, folder: &str, end: &str) -> Uri {
        self.all(folder).into_iter().find(|file| file.last_part().ends_with(end)).unwrap()
    }

    /// A file of the fragment with this number, in the order of time.
    fn of(&self, fragment: usize, name: &str) -> Uri {
        self.all("__fragments")[fragment].join(name)
    }

    fn edit(&self, file: &Uri, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = self.resources.vfs().read(file).unwrap();
        change(&mut bytes);
        self.resources.vfs().put(file, &bytes).unwrap();
    }

    /// Replaces a cell of a column of the first fragment, of whose tiles each has four.
    fn set<T: bytemuck::NoUninit>(&self, file: &str, cell: usize, value: T) {
        self.set_in(0, file, cell, value);
    }

    fn set_in<T: bytemuck::NoUninit>(&self, fragment: usize, file: &str, cell: usize, value: T) {
        let size = size_of::<T>();
        let at = (cell / 4) * (HEADERS + 4 * size) + HEADERS + (cell % 4) * size;
        self.edit(&self.of(fragment, file), |bytes| bytes[at..at + size].copy_from_slice(bytemuck::bytes_of(&value)));
    }

    fn remove(&self, file: &Uri) {
        self.resources.vfs().remove_files(std::slice::from_ref(file)).unwrap();
    }

    fn remove_folder(&self, folder: &Uri) {
        self.resources.vfs().remove_dirs(&[std::slice::from_ref(folder)]).unwrap();
    }

    /// All findings, in the order in which they are reported, without random parts of names, and the counts.
    fn findings(&self) -> Result<(String, Counts)> {
        let (mut lines, mut last) = (String::new(), (0, 0));
        let root = format!("{}/", self.uri.without_trailing_slash());
        let on_finding = &mut |one: &super::Finding| {
            let name = |name: &str| without_random_parts(&name.replace(&root, ""));
            let file = name(&one.file.to_string());
            write!(lines, "{:?} {:?} {file}", one.severity, one.code).unwrap();
            one.field.iter().for_each(|field| write!(lines, " field {field}").unwrap());
            one.fragment.iter().for_each(|fragment| write!(lines, " of {}", name(fragment)).unwrap());
            one.tile.iter().for_each(|tile| write!(lines, " tile {tile}").unwrap());
            one.offset.iter().for_each(|offset| write!(lines, " byte {offset}").unwrap());
            writeln!(lines, ": {}", name(&one.text)).unwrap();
            Ok(())
        };
        let on_verified = &mut |bytes, total| {
            assert!(bytes >= last.0, "progress goes on");
            last = (bytes, total);
            Ok(())
        };
        let counts = verify(&self.resources, &self.uri, on_finding, on_verified)?;
        assert_eq!(last.0, last.1, "progress ends with all bytes");
        Ok((lines, counts))
    }

    /// Bytes of all files and their number.
    fn size(&self) -> (u64, u64) {
        let files = self.resources.vfs().list_recursive(&self.uri).unwrap();
        let files: Vec<u64> = files.iter().filter(|file| !file.is_dir).map(|file| file.size).collect();
        (files.iter().sum(), files.len() as u64)
    }
}

/// A text whose names of fragments, schemas and other files with times have neither the random part nor the version; of schemas
/// and enumerations no time.
fn without_random_parts(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("__").filter(|&at| rest.len() > at + 2) {
        short.push_str(&rest[..at]);
        let name = &rest[at..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let parts: Vec<&str> = name[2..end].split('_').collect();
        let is_random = |part: &&str| part.len() == 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        match parts[..] {
            [start, end, random, ..] if is_random(&random) && start.len() < 6 => _ = write!(short, "{start}-{end}"),
            [_, _, random, ..] if is_random(&random) => short.push_str("NOW"),
            [random] | [random, _] if is_random(&random) => short.push_str("RANDOM"),
            _ => short.push_str(&name[..end]),
        }
        rest = &name[end..];
    }
    short.push_str(rest);
    short
}

/// A kind of damage of an array.
type Damage = (&'static str, fn(&Damaged));

/// Damage of a dense array that was written twice.
const DENSE: &[Damage] = &[
    ("a written cell", |array| array.set_in(1, "a0.tdb", 5, 70i32)),
    ("a cell that was not written", |array| array.set_in(1, "a0.tdb", 0, 70i32)),
    ("a validity that was not written", |array| array.set_in(1, "a2_validity.tdb", 6, 1u8)),
    ("the schema of a label is missing", |array| array.remove(&array.file("__labels/l0/__schema", ""))),
    ("the array of a label is missing", |array| array.remove_folder(&array.uri.join("__labels"))),
    ("a write between the times of fragments that were merged", |array| {
        array.write(4);
        array.consolidate("fragments");
        array.write(3);
    }),
    ("a file among labels", |array| array.resources.vfs().put(&array.uri.join("__labels/l0/x"), b"x").unwrap()),
];

/// Damage of a sparse array that was written twice.
const SPARSE: &[Damage] = &[
    ("a value above the maximum", |array| array.set("a0.tdb", 2, 1000i32)),
    ("a value between the others", |array| array.set("a0.tdb", 6, 5i32)),
    ("a real value", |array| array.set("a1.tdb", 3, 1.125f64)),
    ("no number", |array| array.set("a1.tdb", 3, f64::NAN)),
    ("an enumerated value", |array| array.set("a4.tdb", 7, 0u8)),
    ("a null value", |array| array.set("a2.tdb", 0, 200u8)),
    ("a value becomes null", |array| array.set("a2_validity.tdb", 1, 0u8)),
    ("a text becomes null", |array| array.set("a5_validity.tdb", 1, 0u8)),
    ("validity that is none", |array| array.set("a2_validity.tdb", 5, 2u8)),
    ("a coordinate above the next", |array| array.set("d0.tdb", 1, 5i32)),
    ("a coordinate beyond the tile", |array| array.set("d0.tdb", 3, 9i32)),
    ("a coordinate beyond the fragment", |array| array.set("d0.tdb", 7, 15i32)),
    ("a coordinate beyond the domain", |array| array.set("d0.tdb", 7, 20i32)),
    ("a coordinate below the domain", |array| array.set("d0.tdb", 0, -1i32)),
    ("equal coordinates in a tile", |array| array.set("d0.tdb", 2, 2i32)),
    ("equal coordinates of all cells of a tile", |array| {
        array.set("d0.tdb", 1, 6i32);
        array.set("d0.tdb", 2, 6i32);
        array.set("d0.tdb", 0, 6i32);
    }),
    ("equal coordinates in two tiles", |array| array.set("d0.tdb", 4, 6i32)),
    ("a tile before the one in front of it", |array| array.set("d0.tdb", 4, 5i32)),
    ("the first offset", |array| array.set("a3.tdb", 0, 1u64)),
    ("an offset below the one before", |array| array.set("a3.tdb", 2, 0u64)),
    ("an offset at that of the next", |array| array.set("a3.tdb", 1, 0u64)),
    ("the last offset at the end of values", |array| {
        array.edit(&array.of(0, "a3.tdb"), |bytes| {
            let size = 6u64;
            let at = bytes.len() - 8;
            bytes[at..].copy_from_slice(&size.to_le_bytes());
        })
    }),
    ("an offset beyond the values", |array| array.set("a3.tdb", 3, 1000u64)),
    ("a character", |array| array.edit(&array.of(0, "a3_var.tdb"), |bytes| bytes[HEADERS] = b'z')),
    ("more chunks than there are", |array| array.edit(&array.of(0, "a0.tdb"), |bytes| bytes[0] = 2)),
    ("fewer chunks than there are", |array| array.edit(&array.of(0, "a0.tdb"), |bytes| bytes[0] = 0)),
    ("a chunk that is too long", |array| array.edit(&array.of(0, "a0.tdb"), |bytes| bytes[12] += 4)),
    ("a chunk that is too short", |array| array.edit(&array.of(0, "a0.tdb"), |bytes| bytes[12] -= 4)),
    ("a chunk of more cells", |array| array.edit(&array.of(0, "d0.tdb"), |bytes| bytes[8] += 4)),
    ("a file that is cut in its last tile", |array| {
        array.edit(&array.of(0, "a0.tdb"), |bytes| {
            bytes.truncate(bytes.len() - 1);
        })
    }),
    ("coordinates that are cut before the last tile", |array| {
        array.edit(&array.of(0, "d0.tdb"), |bytes| {
            bytes.truncate(36);
        })
    }),
    ("a file that is too long", |array| array.edit(&array.of(0, "a4.tdb"), |bytes| bytes.push(0))),
    ("an empty file", |array| array.edit(&array.of(0, "a2_validity.tdb"), Vec::clear)),
    ("a missing file of values", |array| array.remove(&array.of(0, "a3_var.tdb"))),
    ("a missing file of validity", |array| array.remove(&array.of(0, "a2_validity.tdb"))),
    ("missing coordinates", |array| array.remove(&array.of(0, "d0.tdb"))),
    ("a file of no field", |array| array.resources.vfs().put(&array.of(0, "a6.tdb"), b"cells").unwrap()),
    ("a folder in a fragment", |array| array.resources.vfs().put(&array.of(0, "x/y"), b"cells").unwrap()),
    ("a file beside the array's", |array| array.resources.vfs().put(&array.uri.join("notes"), b"text").unwrap()),
    ("a fragment's metadata is missing", |array| array.remove(&array.of(0, "__fragment_metadata.tdb"))),
    ("a fragment's metadata is cut", |array| {
        array.edit(&array.of(0, "__fragment_metadata.tdb"), |bytes| {
            bytes.truncate(bytes.len() / 2);
        })
    }),
    ("metadata of the other fragment", |array| {
        let other = array.resources.vfs().read(&array.of(1, "__fragment_metadata.tdb")).unwrap();
        array.edit(&array.of(0, "__fragment_metadata.tdb"), |bytes| *bytes = other);
    }),
    ("the R-tree", |array| array.edit(&array.of(0, "__fragment_metadata.tdb"), |bytes| bytes[60] ^= 1)),
    ("a fragment without a commit", |array| array.remove(&array.file("__commits", ".wrt"))),
    ("a fragment without files", |array| {
        let folder = array.all("__fragments")[1].clone();
        for item in array.resources.vfs().names(&folder).unwrap().iter() {
            array.remove(&folder.join(&item.name));
        }
    }),
    ("a commit without a fragment", |array| array.remove_folder(&array.all("__fragments")[1])),
    ("a commit of no fragment's name", |array| {
        array.resources.vfs().put(&array.uri.join("__commits/x.wrt"), b"").unwrap()
    }),
    ("a file of no kind among commits", |array| {
        array.resources.vfs().put(&array.uri.join("__commits/x.txt"), b"").unwrap()
    }),
    ("a condition that is none", |array| {
        let name = "__commits/__3_3_0123456789abcdef0123456789abcdef_22.del";
        array.resources.vfs().put(&array.uri.join(name), b"condition").unwrap();
    }),
    ("an entry that is taken back, but in no file", |array| {
        let name = "__commits/__1_2_0123456789abcdef0123456789abcdef_22.ign";
        let line = b"__fragments/__1_1_0123456789abcdef0123456789abcdef_22\n";
        array.resources.vfs().put(&array.uri.join(name), line).unwrap();
    }),
    ("replaced fragments that are not there", |array| {
        let name = "__commits/__1_2_0123456789abcdef0123456789abcdef_22.vac";
        let line = b"__fragments/__1_1_0123456789abcdef0123456789abcdef_22\n";
        array.resources.vfs().put(&array.uri.join(name), line).unwrap();
    }),
    ("a file of no times among schemas", |array| {
        array.resources.vfs().put(&array.uri.join("__schema/x"), b"x").unwrap()
    }),
    ("a schema that is cut", |array| array.edit(&array.file("__schema", ""), |bytes| bytes.truncate(50))),
    ("a missing enumeration", |array| array.remove(&array.file("__schema/__enumerations", ""))),
    ("bytes behind an enumeration", |array| {
        array.edit(&array.file("__schema/__enumerations", ""), |bytes| bytes.push(0))
    }),
    ("an enumeration that is cut", |array| {
        array.edit(&array.file("__schema/__enumerations", ""), |bytes| bytes.truncate(40))
    }),
];

/// Damage of a sparse array whose metadata and commits were consolidated, and whose deleted cells are marked.
const CONSOLIDATED: &[Damage] = &[
    ("metadata with bytes behind it", |array| array.edit(&array.all("__meta")[0], |bytes| bytes.push(0))),
    ("metadata that is cut", |array| array.edit(&array.all("__meta")[0], |bytes| bytes.truncate(40))),
    ("replaced metadata that is not there", |array| {
        array.edit(&array.file("__meta", ".vac"), |bytes| {
            bytes.extend_from_slice(b"__meta/__9_9_0123456789abcdef0123456789abcdef\n");
        })
    }),
    ("metadata that a vacuum has removed before it was stopped", |array| array.remove(&array.all("__meta")[0])),
    ("merged metadata that is not there", |array| {
        array.remove(&array.all("__meta")[0]);
        let merged = array.file("__meta", ".vac").to_string().replace(".vac", "");
        array.remove(&Uri::parse(&merged).unwrap());
    }),
    ("commits of nothing", |array| array.edit(&array.file("__commits", ".con"), Vec::clear)),
    ("commits with a line of no fragment", |array| {
        array.edit(&array.file("__commits", ".con"), |bytes| {
            bytes.extend_from_slice(b"nothing\n");
        })
    }),
    ("commits with a line of a fragment that is not there", |array| {
        array.edit(&array.file("__commits", ".con"), |bytes| {
            bytes.extend_from_slice(b"__commits/__9_9_0123456789abcdef0123456789abcdef_22.wrt\n");
        })
    }),
    ("a consolidated condition", |array| {
        array.edit(&array.file("__commits", ".con"), |bytes| {
            let line = bytes.windows(5).position(|part| part == b".del\n").unwrap();
            bytes[line + 5 + 8 + 20] ^= 0xff;
        })
    }),
    ("footers with bytes behind them", |array| array.edit(&array.all("__fragment_meta")[0], |bytes| bytes.push(0))),
    ("footers that are cut", |array| array.edit(&array.all("__fragment_meta")[0], |bytes| bytes.truncate(40))),
    ("a fragment that was replaced is missing", |array| array.remove_folder(&array.all("__fragments")[0])),
    ("the result of a consolidation is missing", |array| {
        let merged = array.all("__fragments").into_iter().find(|folder| folder.to_string().contains("__1_2_")).unwrap();
        array.remove_folder(&merged);
    }),
    ("a file of times that is too short", |array| {
        let merged = array.all("__fragments").iter().position(|folder| folder.to_string().contains("__1_2_")).unwrap();
        array.edit(&array.of(merged, "t.tdb"), |bytes| _ = bytes.pop());
    }),
];

/// A sparse array with files of all kinds.
fn consolidated() -> Damaged {
    let array = Damaged::empty(ArrayType::Sparse);
    array.write(1);
    array.write(2);
    array.put_metadata(1);
    array.put_metadata(2);
    array.delete(3, 1);
    array.consolidate("array_meta");
    array.consolidate("fragments");
    array.write(4);
    array.consolidate("commits");
    array.consolidate("fragment_meta");
    array
}

/// Name, array without damage, and what is done to it.
type ArrayKind = (&'static str, fn() -> Damaged, &'static [Damage]);

#[test]
fn each_damage_has_exactly_these_findings() {
    let kinds: [ArrayKind; 3] = [
        ("dense", || Damaged::new(ArrayType::Dense), DENSE),
        ("sparse", || Damaged::new(ArrayType::Sparse), SPARSE),
        ("consolidated", consolidated, CONSOLIDATED),
    ];
    let mut text = String::new();
    for (kind, create, damages) in kinds {
        let array = create();
        let (findings, counts) = array.findings().unwrap();
        let (bytes, files) = array.size();
        assert_eq!(findings, "", "{kind}");
        assert_eq!((counts.bytes, counts.files), (bytes, files), "{kind}: all bytes of all files");
        _ = writeln!(text, "# {kind}: {} tiles\n", counts.tiles);
        for (damage, change) in damages {
            let array = create();
            change(&array);
            let findings = match array.findings() {
                Ok((findings, _)) => findings,
                Err(error) => format!("verification fails: {}\n", without_random_parts(error.text())),
            };
            _ = writeln!(text, "## {damage}\n{findings}");
        }
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/verify/damage.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (actual, expected) in text.split("## ").zip(expected.split("## ")) {
        assert_eq!(actual, expected);
    }
    assert_eq!(text, expected);
}

#[test]
fn arrays_that_are_not_there_cannot_be_verified() {
    let array = Damaged::new(ArrayType::Sparse);
    let uri = Uri::parse("mem://damage/nothing").unwrap();
    let error = verify(&array.resources, &uri, &mut |_| Ok(()), &mut |_, _| Ok(())).unwrap_err();
    assert!(
        error.kind() == ErrorKind::NotFound && error.text().starts_with("Verify: Cannot verify array"),
        "{error:?}"
    );
    // What is left of an array is verified.
    array.remove_folder(&array.uri.join("__schema"));
    assert!(array.findings().unwrap().1.findings[2] > 0);
}

#[test]
fn errors_of_callbacks_and_cancellation_stop_a_verification() {
    let array = Damaged::new(ArrayType::Sparse);
    let stop = || Error::invalid("stop".to_owned());
    let error = verify(&array.resources, &array.uri, &mut |_| Ok(()), &mut |_, _| Err(stop())).unwrap_err();
    assert_eq!(error.text(), "stop");
    array.set("a0.tdb", 2, 1000i32);
    array.set("a0.tdb", 6, 1000i32);
    let mut findings = 0;
    let mut on_finding = |_: &super::Finding| {
        findings += 1;
        Err(stop())
    };
    let error = verify(&array.resources, &array.uri, &mut on_finding, &mut |_, _| Ok(())).unwrap_err();
    assert_eq!((error.text(), findings), ("stop", 1));
}

/// Texts of the findings about totals of the fragment of time 1, if the statistics of its first `tiles` tiles are changed.
fn totals(array: &Damaged, tiles: u64, change: impl Fn(&str, u64, &mut TileStats)) -> Vec<String> {
    let open = array.open(QueryType::Read, 1);
    let fragment = &open.fragments().unwrap()[0];
    let mut totals = FragmentTotals::new(fragment);
    for field in fragment.schema().fields() {
        for tile in 0..tiles {
            let mut stats = fragment.tile_stats(field, tile).unwrap().unwrap();
            change(field.name.as_str(), tile, &mut stats);
            totals.add(&[(field.index, stats)]);
        }
    }
    let text = |finding: super::Finding| {
        assert!(finding.code == super::Code::Statistics && finding.file == fragment.metadata_file());
        assert_eq!(finding.fragment.as_deref(), Some(fragment.name().as_str()));
        format!("{}: {}", finding.field.unwrap(), finding.text)
    };
    totals.compare(fragment).into_iter().map(text).collect()
}

#[test]
fn totals_of_a_fragment_are_those_of_all_its_tiles() {
    let none: [&str; 0] = [];
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let array = Damaged::new(array_type);
        assert_eq!(totals(&array, 2, |_, _, _| ()), none);
        let damaged = |name: &str, tile: u64, stats: &mut TileStats| match (name, tile) {
            ("a", 1) => stats.sum = 27i64.to_le_bytes(),
            ("n", 0) => stats.null_count += 1,
            ("t", 0) => stats.max = b"x".to_vec(),
            ("e", 1) => stats.max = vec![4],
            ("f", _) => (stats.min, stats.sum) = (0.0f64.to_le_bytes().to_vec(), 9.0f64.to_le_bytes()),
            _ => (),
        };
        let expected = [
            "a: The sum of the fragment is said to be 43, but is 44",
            "n: 3 cells are said to be null, but 4 are",
            "t: Minimum and maximum of the fragment are said to be '' and 'word', but are '' and 'x'",
            "e: Minimum and maximum of the fragment are said to be 0 and 1, but are 0 and 4",
        ];
        assert_eq!(totals(&array, 2, damaged), expected, "{array_type:?}");
        // The others may be as the totals say.
        assert_eq!(totals(&array, 1, damaged), none, "{array_type:?}");
        assert_eq!(totals(&array, 0, damaged), none, "{array_type:?}");
    }
}

/// The stopped vacuum has removed the result of the first merge, and left the file that hides its sources.
#[test]
fn copies_of_a_merge_that_a_stopped_vacuum_removed_are_not_damaged() {
    for removed in 1..14 {
        let array = Damaged::empty(ArrayType::Dense);
        let resources = &array.resources;
        array.write(1);
        array.write(3);
        consolidate(resources, &array.uri, &mut |_| Ok(())).unwrap();
        array.write(5);
        consolidate(resources, &array.uri, &mut |_| Ok(())).unwrap();
        let mut stop = |files, _| if files < removed { Ok(()) } else { Err(Error::invalid("stopped")) };
        let each = SimulatedLimits::new(&[(&LOCAL_REMOVALS_PER_CHECK, 1)]);
        _ = each.run(|| vacuum_with_progress(resources, &array.uri, &mut stop));
        let copy = Uri::parse(&format!("{}_copy", array.uri)).unwrap();
        let options = RewriteOptions { schema: None, merge: false, resume: false };
        rewrite(resources, &array.uri, &copy, options, &mut |_| Ok(())).unwrap();
        let mut findings = Vec::new();
        let mut on_finding = |finding: &Finding| {
            // Notes say that the vacuum is to be repeated.
            if !matches!(finding.severity, Severity::Note) {
                findings.push(format!("{finding:?}"));
            }
            Ok(())
        };
        verify(resources, &copy, &mut on_finding, &mut |_, _| Ok(())).unwrap();
        assert_eq!(findings, Vec::<String>::new(), "{removed} files");
    }
}
