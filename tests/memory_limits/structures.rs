//! Structures of very many long, similar texts: what either library writes, both can read. Similar texts compress a
//! hundredfold, as bombs do.
//!
//! Every write and read runs in a process of its own, so that a crash of libtiledb is known as its own. By default with
//! some 10,000 entries; `STRUCTURES=full` uses a million, and prints time and memory.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::resident;
use crate::support::{Api, Array, Cells, Column, Ctx, Failure, address, borrowed, bytes, folders, pointer, text};

const INT32: u64 = 0;
const INT64: u64 = 1;
const UINT8: u64 = 6;
const UINT32: u64 = 9;
const STRING_ASCII: u64 = 11;
const VARIABLE: u64 = u32::MAX as u64;
const READ: u64 = 0;
const WRITE: u64 = 1;
const DELETE: u64 = 2;
const UNORDERED: u64 = 3;

type Work = fn(&Ctx<'_>, &str, usize) -> Result<(), Failure>;

/// A structure: how many entries it has, in the gate and otherwise, and how it is written and read. libtiledb's time grows
/// with the square of the number of many of them.
struct Structure {
    name: &'static str,
    /// Written and read by ours alone.
    ours: [usize; 2],
    /// Written by either library, and read by both.
    both: [usize; 2],
    write: Work,
    read: Work,
}

const STRUCTURES: [Structure; 12] = [
    Structure {
        name: "members",
        ours: [50_000, 1_000_000],
        both: [10_000, 1_000_000],
        write: members::write,
        read: members::read,
    },
    Structure {
        name: "enumeration",
        ours: [200_000, 1_000_000],
        both: [50_000, 1_000_000],
        write: enumeration::write,
        read: enumeration::read,
    },
    Structure {
        name: "array_keys",
        ours: [100_000, 1_000_000],
        both: [1_000, 10_000],
        write: metadata::write_array,
        read: metadata::read_array,
    },
    Structure {
        name: "group_keys",
        ours: [100_000, 1_000_000],
        both: [1_000, 10_000],
        write: metadata::write_group,
        read: metadata::read_group,
    },
    Structure {
        name: "value",
        ours: [100 << 20, 200 << 20],
        both: [10 << 20, 200 << 20],
        write: metadata::write_value,
        read: metadata::read_value,
    },
    Structure {
        name: "set",
        ours: [200_000, 1_000_000],
        both: [1_000, 10_000],
        write: deletes::write_set,
        read: deletes::read,
    },
    Structure {
        name: "comparisons",
        ours: [10_000, 100_000],
        both: [500, 2_000],
        write: deletes::write_comparisons,
        read: deletes::read,
    },
    Structure {
        name: "conditions",
        ours: [50, 1_000],
        both: [20, 200],
        write: deletes::write_conditions,
        read: deletes::read,
    },
    Structure {
        name: "attributes",
        ours: [2_000, 100_000],
        both: [500, 10_000],
        write: schemas::write_attributes,
        read: schemas::read_attributes,
    },
    Structure {
        name: "dimensions",
        ours: [100, 1_000],
        both: [30, 100],
        write: schemas::write_dimensions,
        read: schemas::read_dimensions,
    },
    Structure {
        name: "tiles",
        ours: [20_000, 1_000_000],
        both: [1_000, 20_000],
        write: fragments::write_tiles,
        read: fragments::read_tiles,
    },
    Structure {
        name: "footers",
        ours: [300, 100_000],
        both: [100, 5_000],
        write: fragments::write_footers,
        read: fragments::read_footers,
    },
];

/// A text of a hundred bytes.
fn entry(number: usize) -> String {
    format!(
        "https://purl.example.org/institute-of-everything/ontologies/obo/release-2026-11/cells/CELLTYPE_{number:07}"
    )
}

/// Entries that are compared one by one.
fn samples(count: usize) -> [usize; 4] {
    [0, 1.min(count - 1), count / 2, count - 1]
}

fn is_full() -> bool {
    std::env::var_os("STRUCTURES").is_some_and(|word| word == "full")
}

/// Writes with each library, and reads what it wrote with both; gives the number of failures.
pub fn parent(folder: &Path, wanted: &str) -> usize {
    let mut failed = 0;
    let scale = usize::from(is_full());
    let has_reference = crate::support::library::reference().is_some();
    for structure in STRUCTURES.iter().filter(|known| "structures".contains(wanted) || known.name.contains(wanted)) {
        let mut cases = vec![("ours", structure.ours[scale], &["ours"][..])];
        if has_reference {
            cases.extend(
                ["ours", "reference"].map(|writer| (writer, structure.both[scale], &["ours", "reference"][..])),
            );
        }
        for (writer, count, readers) in cases {
            let place = folder.join("structure");
            let run = |role: &str, library: &str| run(structure, [role, library, writer], &place, count);
            failed += match run("write", writer) {
                true => readers.iter().filter(|reader| !run("read", reader)).count(),
                false => 1,
            };
            let _ = std::fs::remove_dir_all(&place);
        }
    }
    failed
}

/// True if it succeeded.
fn run(structure: &Structure, [role, library, writer]: [&str; 3], place: &Path, count: usize) -> bool {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program)
        .args(["--structure", structure.name, &format!("{role}/{library}"), &count.to_string()])
        .arg(place)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    let is_done = output.status.success();
    if !is_done {
        let why = String::from_utf8_lossy(&output.stderr);
        println!(
            "FAILED {} of {count} written by {writer}, {role} by {library}: {} {why}",
            structure.name, output.status
        );
    } else if is_full() || std::env::var_os("SHOW").is_some() {
        print!("{} of {count} written by {writer}, {role} by {library}: {report}", structure.name);
    }
    is_done
}

/// One write or read: `--structure NAME ROLE/LIBRARY COUNT PLACE`.
pub fn child(arguments: &[String]) {
    let [_, name, work, count, place] = arguments else { panic!("five arguments: {arguments:?}") };
    let structure = STRUCTURES.iter().find(|known| known.name == name).unwrap();
    let (role, library) = work.split_once('/').unwrap();
    let api = if library == "ours" { Api::ours() } else { Api::reference().unwrap() };
    let large = (1u64 << 33).to_string();
    let ctx = api.context(&[("sm.enumerations_max_size", &large), ("sm.enumerations_max_total_size", &large)]);
    let run = if role == "write" { structure.write } else { structure.read };
    if role == "write" {
        std::fs::create_dir(place).unwrap();
    }
    resident::reset_peak();
    let (before, start) = (resident::now(), Instant::now());
    run(&ctx, place, count.parse().unwrap()).unwrap();
    let time = start.elapsed();
    println!("{:.2} s, {} MiB", time.as_secs_f64(), resident::peak().saturating_sub(before) >> 20);
}

/// Opens a group, works with it, and closes it, which writes.
fn with_group(
    ctx: &Ctx<'_>,
    uri: &str,
    query_type: u64,
    work: impl FnOnce(u64) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let group = ctx.get("group_alloc", &[pointer(&text(uri))])?;
    ctx.call("group_open", &[group, query_type])?;
    work(group)?;
    ctx.call("group_close", &[group])?;
    ctx.free("group", group);
    Ok(())
}

/// Attributes and dimensions of a sparse array: names, and whether they are texts.
struct Fields {
    dimensions: Vec<(String, bool)>,
    attributes: Vec<(String, bool)>,
    capacity: u64,
}

/// A dimension of whole numbers and an attribute of texts.
fn fields() -> Fields {
    Fields { dimensions: vec![("d".to_owned(), false)], attributes: vec![("a".to_owned(), true)], capacity: 10_000 }
}

fn schema(ctx: &Ctx<'_>, fields: &Fields) -> Result<u64, Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for (name, is_text) in &fields.dimensions {
        let (ends, extent) = ([0i64, 1 << 40], [1i64 << 20]);
        let (datatype, ends, extent) = match is_text {
            true => (STRING_ASCII, 0, 0),
            false => (INT64, ends.as_ptr() as u64, extent.as_ptr() as u64),
        };
        let dimension = ctx.get("dimension_alloc", &[pointer(&text(name)), datatype, ends, extent])?;
        ctx.call("domain_add_dimension", &[domain, dimension])?;
        ctx.free("dimension", dimension);
    }
    let schema = ctx.get("array_schema_alloc", &[1])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_capacity", &[schema, fields.capacity])?;
    for (name, is_text) in &fields.attributes {
        let datatype = if *is_text { STRING_ASCII } else { INT32 };
        let attribute = ctx.get("attribute_alloc", &[pointer(&text(name)), datatype])?;
        if *is_text {
            ctx.call("attribute_set_cell_val_num", &[attribute, VARIABLE])?;
        }
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        ctx.free("attribute", attribute);
    }
    Ok(schema)
}

fn create(ctx: &Ctx<'_>, uri: &str, fields: &Fields) -> Result<(), Failure> {
    let schema = schema(ctx, fields)?;
    ctx.call("array_create", &[pointer(&text(uri)), schema])?;
    ctx.free("array_schema", schema);
    Ok(())
}

fn submit(ctx: &Ctx<'_>, uri: &str, query_type: u64, columns: &mut [Column]) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, query_type, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, query_type])?;
    ctx.call("query_set_layout", &[query, UNORDERED])?;
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    ctx.call("query_submit", &[query])?;
    ctx.free("query", query);
    Ok(())
}

fn numbers(name: &str, values: impl Iterator<Item = i64>) -> Column {
    Column::filled(name, Cells { data: values.flat_map(i64::to_le_bytes).collect(), ..Cells::default() })
}

/// Texts one after the other, and where each begins.
fn texts(values: impl Iterator<Item = String>) -> (Vec<u8>, Vec<u64>) {
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for value in values {
        offsets.push(data.len() as u64);
        data.extend_from_slice(value.as_bytes());
    }
    (data, offsets)
}

fn text_column(name: &str, values: impl Iterator<Item = String>) -> Column {
    let (data, offsets) = texts(values);
    Column::filled(name, Cells { data, offsets: Some(offsets), validity: None })
}

mod members {
    use super::*;

    const ARRAY: u64 = 2;

    fn uri(number: usize) -> String {
        format!("s3://institute-of-everything-production/projects/single-cell-atlas/releases/2026-11/array_{number:07}")
    }

    pub fn write(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let group = format!("{place}/g");
        ctx.call("group_create", &[pointer(&text(&group))])?;
        with_group(ctx, &group, WRITE, |group| {
            (0..count).try_for_each(|number| {
                let (uri, name) = (text(&uri(number)), text(&entry(number)));
                ctx.call("group_add_member_with_type", &[group, pointer(&uri), 0, pointer(&name), ARRAY])
            })
        })
    }

    pub fn read(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        with_group(ctx, &format!("{place}/g"), READ, |group| {
            assert_eq!(ctx.get("group_get_member_count", &[group])?, count as u64);
            for number in samples(count) {
                let (mut member, mut kind) = (0u64, 0u64);
                let name = text(&entry(number));
                let arguments = [group, pointer(&name), address(&mut member), address(&mut kind)];
                ctx.call("group_get_member_by_name_v2", &arguments)?;
                assert_eq!((ctx.take_string(member), kind as u32), (Some(uri(number)), ARRAY as u32));
            }
            Ok(())
        })
    }
}

mod enumeration {
    use super::*;

    pub fn write(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let (data, offsets) = texts((0..count).map(entry));
        let name = text("terms");
        let (sizes, datatype) = ([data.len() as u64, 8 * offsets.len() as u64], STRING_ASCII);
        let values = [bytes(&data), sizes[0], offsets.as_ptr() as u64, sizes[1]];
        let arguments = [&[pointer(&name), datatype, VARIABLE, 0][..], &values].concat();
        let enumeration = ctx.get("enumeration_alloc", &arguments)?;
        let schema = schema(ctx, &Fields { attributes: Vec::new(), ..fields() })?;
        ctx.call("array_schema_add_enumeration", &[schema, enumeration])?;
        let attribute = ctx.get("attribute_alloc", &[pointer(&text("t")), UINT32])?;
        ctx.call("attribute_set_enumeration_name", &[attribute, pointer(&name)])?;
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        ctx.call("array_create", &[pointer(&text(&format!("{place}/a"))), schema])
    }

    pub fn read(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
        let enumeration = ctx.get("array_get_enumeration", &[array.handle, pointer(&text("terms"))])?;
        for number in samples(count) {
            let value = entry(number);
            let (mut exists, mut index) = (0u64, 0u64);
            let output = [address(&mut exists), address(&mut index)];
            let arguments = [enumeration, bytes(value.as_bytes()), value.len() as u64, output[0], output[1]];
            ctx.call("enumeration_get_value_index", &arguments)?;
            assert_eq!((exists as u32, index), (1, number as u64));
        }
        let (mut offsets, mut size) = (0u64, 0u64);
        ctx.call("enumeration_get_offsets", &[enumeration, address(&mut offsets), address(&mut size)])?;
        assert_eq!(size, 8 * count as u64);
        Ok(())
    }
}

mod metadata {
    use super::*;

    fn put(ctx: &Ctx<'_>, function: &str, handle: u64, count: usize) -> Result<(), Failure> {
        (0..count).try_for_each(|number| {
            let (key, value) = (text(&entry(number)), format!("value {number}"));
            let value = [value.len() as u64, bytes(value.as_bytes())];
            ctx.call(function, &[handle, pointer(&key), STRING_ASCII, value[0], value[1]])
        })
    }

    fn compare(ctx: &Ctx<'_>, kind: &str, handle: u64, count: usize) -> Result<(), Failure> {
        assert_eq!(ctx.get(&format!("{kind}_get_metadata_num"), &[handle])?, count as u64);
        for number in samples(count) {
            let (mut datatype, mut length, mut value) = (0u64, 0u64, 0u64);
            let output = [address(&mut datatype), address(&mut length), address(&mut value)];
            let key = text(&entry(number));
            let arguments = [handle, pointer(&key), output[0], output[1], output[2]];
            ctx.call(&format!("{kind}_get_metadata"), &arguments)?;
            let expected = format!("value {number}");
            assert_eq!(length as usize, expected.len());
            assert!(borrowed(value).starts_with(&expected));
        }
        Ok(())
    }

    pub fn write_array(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let uri = format!("{place}/a");
        create(ctx, &uri, &fields())?;
        let array = Array::open(ctx, &uri, WRITE, None, None)?;
        put(ctx, "array_put_metadata", array.handle, count)?;
        ctx.call("array_close", &[array.handle])
    }

    pub fn read_array(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
        compare(ctx, "array", array.handle, count)
    }

    pub fn write_group(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let group = format!("{place}/g");
        ctx.call("group_create", &[pointer(&text(&group))])?;
        with_group(ctx, &group, WRITE, |group| put(ctx, "group_put_metadata", group, count))
    }

    pub fn read_group(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        with_group(ctx, &format!("{place}/g"), READ, |group| compare(ctx, "group", group, count))
    }

    /// A single value of zeros, such as a mask.
    pub fn write_value(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let uri = format!("{place}/a");
        create(ctx, &uri, &fields())?;
        let array = Array::open(ctx, &uri, WRITE, None, None)?;
        let (key, value) = (text("mask"), vec![0; count]);
        let arguments = [array.handle, pointer(&key), UINT8, count as u64, bytes(&value)];
        ctx.call("array_put_metadata", &arguments)?;
        ctx.call("array_close", &[array.handle])
    }

    pub fn read_value(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
        let (mut datatype, mut length, mut value) = (0u64, 0u64, 0u64);
        let output = [address(&mut datatype), address(&mut length), address(&mut value)];
        let key = text("mask");
        ctx.call("array_get_metadata", &[array.handle, pointer(&key), output[0], output[1], output[2]])?;
        assert_eq!((datatype as u32, length as u32), (UINT8 as u32, count as u32));
        Ok(())
    }
}

mod deletes {
    use super::*;

    const EQUAL: u64 = 4;
    const OR: u64 = 1;
    const IN: u64 = 6;

    /// An array of two cells, one of which a condition of many values deletes.
    fn prepare(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
        create(ctx, uri, &fields())?;
        let cells = ["another".to_owned(), entry(0)].into_iter();
        submit(ctx, uri, WRITE, &mut [numbers("d", 0..2), text_column("a", cells)])
    }

    fn delete(ctx: &Ctx<'_>, uri: &str, condition: u64) -> Result<(), Failure> {
        let array = Array::open(ctx, uri, DELETE, None, None)?;
        let query = ctx.get("query_alloc", &[array.handle, DELETE])?;
        ctx.call("query_set_condition", &[query, condition])?;
        ctx.call("query_submit", &[query])?;
        ctx.free("query", query);
        Ok(())
    }

    fn comparison(ctx: &Ctx<'_>, value: &str) -> Result<u64, Failure> {
        let condition = ctx.get("query_condition_alloc", &[])?;
        let value = [bytes(value.as_bytes()), value.len() as u64];
        ctx.call("query_condition_init", &[condition, pointer(&text("a")), value[0], value[1], EQUAL])?;
        Ok(condition)
    }

    pub fn write_set(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let uri = format!("{place}/a");
        prepare(ctx, &uri)?;
        let (data, offsets) = texts((0..count).map(entry));
        let values = [bytes(&data), data.len() as u64, offsets.as_ptr() as u64, 8 * offsets.len() as u64];
        let field = text("a");
        let arguments = [pointer(&field), values[0], values[1], values[2], values[3], IN];
        delete(ctx, &uri, ctx.get("query_condition_alloc_set_membership", &arguments)?)
    }

    /// One comparison per value, combined in pairs.
    pub fn write_comparisons(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let uri = format!("{place}/a");
        prepare(ctx, &uri)?;
        let mut level = (0..count).map(|number| comparison(ctx, &entry(number))).collect::<Result<Vec<u64>, _>>()?;
        while level.len() > 1 {
            let mut next = Vec::new();
            for pair in level.chunks(2) {
                next.push(match pair {
                    [one, other] => {
                        let both = ctx.get("query_condition_combine", &[*one, *other, OR])?;
                        ctx.free("query_condition", *one);
                        ctx.free("query_condition", *other);
                        both
                    }
                    _ => pair[0],
                });
            }
            level = next;
        }
        delete(ctx, &uri, level[0])
    }

    /// A deletion per value, whose commits are consolidated.
    pub fn write_conditions(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let uri = format!("{place}/a");
        prepare(ctx, &uri)?;
        for number in (0..count).rev() {
            delete(ctx, &uri, comparison(ctx, &entry(number))?)?;
        }
        consolidate(ctx, &uri, "commits")
    }

    pub fn read(ctx: &Ctx<'_>, place: &str, _: usize) -> Result<(), Failure> {
        let mut columns = [Column::with_capacity("d", 64, None, None), Column::with_capacity("a", 256, Some(8), None)];
        submit(ctx, &format!("{place}/a"), READ, &mut columns)?;
        assert_eq!(columns[0].result().data, 0i64.to_le_bytes());
        assert_eq!(columns[1].result().data, b"another");
        Ok(())
    }
}

fn consolidate(ctx: &Ctx<'_>, uri: &str, mode: &str) -> Result<(), Failure> {
    let mut config = ctx.api.config(&[("sm.consolidation.mode", mode)]);
    let done = ctx.call("array_consolidate", &[pointer(&text(uri)), config]);
    ctx.api.raw("config_free", &[address(&mut config)]);
    done
}

mod schemas {
    use super::*;

    fn attributes(count: usize) -> Fields {
        Fields { attributes: (0..count).map(|number| (entry(number), number % 2 == 0)).collect(), ..fields() }
    }

    pub fn write_attributes(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        create(ctx, &format!("{place}/a"), &attributes(count))
    }

    pub fn read_attributes(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
        let schema = ctx.get("array_get_schema", &[array.handle])?;
        assert_eq!(ctx.get("array_schema_get_attribute_num", &[schema])? as u32, count as u32);
        for number in samples(count) {
            let attribute = ctx.get("array_schema_get_attribute_from_index", &[schema, number as u64])?;
            assert_eq!(borrowed(ctx.get("attribute_get_name", &[attribute])?), entry(number));
        }
        Ok(())
    }

    pub fn write_dimensions(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let dimensions = (0..count).map(|number| (entry(number), number % 2 == 0)).collect();
        create(ctx, &format!("{place}/a"), &Fields { dimensions, ..fields() })
    }

    pub fn read_dimensions(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
        let schema = ctx.get("array_get_schema", &[array.handle])?;
        let domain = ctx.get("array_schema_get_domain", &[schema])?;
        assert_eq!(ctx.get("domain_get_ndim", &[domain])? as u32, count as u32);
        Ok(())
    }
}

mod fragments {
    use super::*;

    /// One cell per tile, with texts as coordinates and values: boxes, minima and maxima are texts, too.
    pub fn write_tiles(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let uri = format!("{place}/a");
        create(ctx, &uri, &Fields { dimensions: vec![("d".to_owned(), true)], capacity: 1, ..fields() })?;
        let mut columns = [text_column("d", (0..count).map(entry)), text_column("a", (0..count).map(entry))];
        submit(ctx, &uri, WRITE, &mut columns)
    }

    pub fn read_tiles(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
        for number in samples(count) {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            let value = entry(number);
            let end = [bytes(value.as_bytes()), value.len() as u64];
            ctx.call("subarray_add_range_var", &[subarray, 0, end[0], end[1], end[0], end[1]])?;
            let query = ctx.get("query_alloc", &[array.handle, READ])?;
            ctx.call("query_set_layout", &[query, UNORDERED])?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            let condition = ctx.get("query_condition_alloc", &[])?;
            ctx.call("query_condition_init", &[condition, pointer(&text("a")), end[0], end[1], 4])?;
            ctx.call("query_set_condition", &[query, condition])?;
            let mut column = Column::with_capacity("a", 256, Some(8), None);
            column.bind(ctx, query)?;
            ctx.call("query_submit", &[query])?;
            assert_eq!(column.result().data, value.as_bytes());
            ctx.free("query", query);
            ctx.free("subarray", subarray);
        }
        Ok(())
    }

    /// Copies of one fragment, whose footers are consolidated.
    pub fn write_footers(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let uri = format!("{place}/a");
        create(ctx, &uri, &fields())?;
        submit(ctx, &uri, WRITE, &mut [numbers("d", 0..1), text_column("a", std::iter::once(entry(0)))])?;
        let first = |folder: &str| {
            std::fs::read_dir(format!("{uri}/{folder}"))
                .unwrap()
                .next()
                .unwrap()
                .unwrap()
                .file_name()
                .into_string()
                .unwrap()
        };
        let (fragment, commit) = (first("__fragments"), first("__commits"));
        let [_, _, start, _, uuid, version] = fragment.split('_').collect::<Vec<_>>()[..] else {
            panic!("the name of the fragment {fragment}")
        };
        let start: u64 = start.parse().unwrap();
        for number in 1..count {
            let time = start - number as u64;
            let name = format!("__{time}_{time}_{number:08x}{}_{version}", &uuid[8..]);
            folders::copy(
                Path::new(&format!("{uri}/__fragments/{fragment}")),
                Path::new(&format!("{uri}/__fragments/{name}")),
            );
            std::fs::copy(format!("{uri}/__commits/{commit}"), format!("{uri}/__commits/{name}.wrt")).unwrap();
        }
        consolidate(ctx, &uri, "commits")?;
        consolidate(ctx, &uri, "fragment_meta")
    }

    pub fn read_footers(ctx: &Ctx<'_>, place: &str, count: usize) -> Result<(), Failure> {
        let info = ctx.get("fragment_info_alloc", &[pointer(&text(&format!("{place}/a")))])?;
        ctx.call("fragment_info_load", &[info])?;
        assert_eq!(ctx.get("fragment_info_get_fragment_num", &[info])? as u32, count as u32);
        let unconsolidated = ctx.get("fragment_info_get_unconsolidated_metadata_num", &[info])?;
        assert_eq!(unconsolidated as u32, 0);
        Ok(())
    }
}
