//! Arrays that this crate writes, read by TileDB-Py on the reference, and the other way.

use std::path::{Path, PathBuf};
use std::process::Command;

use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, Enumeration, Filter, Group, SchemaEvolution, attr};

/// Python with the reference, if it is there; with `REFERENCE=required` it must be.
fn python() -> Option<PathBuf> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    let is_required = std::env::var_os("REFERENCE").is_some_and(|word| word == "required");
    assert!(!is_required || python.exists(), "the reference is missing: `make venv`");
    python.exists().then_some(python)
}

fn run(python: &Path, folder: &Path, program: &str) -> String {
    let output = Command::new(python).arg("-c").arg(program).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const READS: &str = r#"
import tiledb
with tiledb.open("sparse") as A:
    cells = A.multi_index[:]
    print([int(x) for x in cells["id"]], [x.decode() for x in cells["key"]])
    print([float(x) for x in cells["a"]])
    print([str(x) for x in cells["text"]], [str(x) for x in cells["colour"]])
    print(A.meta["unit"], list(A.meta["range"]), A.nonempty_domain()[0][0], A.nonempty_domain()[0][1])
with tiledb.open("dense") as A:
    print(A[1:3, 2:4]["v"].tolist())
with tiledb.Group("group") as G:
    print(sorted((m.name, m.type.__name__) for m in G), G.meta["author"])
"#;

const WRITES: &str = r#"
import numpy, tiledb
domain = tiledb.Domain(tiledb.Dim("t", domain=(numpy.datetime64("2000-01-01"), numpy.datetime64("2030-01-01")),
                                  tile=numpy.timedelta64(10, "D"), dtype="datetime64[D]"))
schema = tiledb.ArraySchema(domain=domain, sparse=True, attrs=[
    tiledb.Attr("v", dtype="float32", nullable=True), tiledb.Attr("s", dtype=str, var=True)])
tiledb.Array.create("theirs", schema)
with tiledb.open("theirs", "w") as A:
    A[numpy.array(["2001-05-06", "2020-02-29"], dtype="datetime64[D]")] = {
        "v": numpy.array([1.5, 2.5], dtype="float32"), "s": numpy.array(["eins", "zwei"])}
    A.meta["answer"] = 42
"#;

#[test]
fn the_reference_reads_what_the_crate_writes() {
    let Some(python) = python() else { return eprintln!("skipped: the reference is missing") };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let ctx = Context::new().unwrap();
    let sparse = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=999_i64).tile(10))
        .dimension(Dimension::string("key"))
        .attribute(Attribute::new::<f64>("a").filters([Filter::byte_shuffle(), Filter::zstd(5)]))
        .attribute(Attribute::string("text").filter(Filter::rle()))
        .attribute(Attribute::new::<i32>("colour").enumeration("colours"))
        .enumeration(Enumeration::strings("colours", ["red", "green"]).unwrap())
        .build()
        .unwrap();
    Array::create(&ctx, &at("sparse"), &sparse).unwrap();
    let writer = Array::open_for_writing(&ctx, &at("sparse")).unwrap();
    writer
        .write()
        .values("id", &[5_i64, 1, 9])
        .strings("key", &["b", "a", "c"])
        .values("a", &[0.5, 1.5, 2.5])
        .strings("text", &["fünf", "eins", ""])
        .strings("colour", &["green", "red", "green"])
        .submit()
        .unwrap();
    writer.put_metadata("unit", "kelvin").unwrap();
    writer.put_metadata("range", [1_i64, 9]).unwrap();
    writer.close().unwrap();
    Array::open_for_deletion(&ctx, &at("sparse")).unwrap().delete(&attr("id").eq(9)).unwrap();
    let dense = ArraySchema::dense()
        .dimension(Dimension::new("row", 0..=9_i32).tile(4))
        .dimension(Dimension::new("column", 0..=9_i32).tile(4))
        .attribute(Attribute::new::<u16>("v").fill_value(7_u16))
        .build()
        .unwrap();
    Array::create(&ctx, &at("dense"), &dense).unwrap();
    let writer = Array::open_for_writing(&ctx, &at("dense")).unwrap();
    writer.write().range("row", 1..=2).range("column", 2..4).values("v", &[1_u16, 2, 3, 4]).submit().unwrap();
    Array::evolve(&ctx, &at("dense"), &SchemaEvolution::new().add_attribute(Attribute::new::<u8>("w"))).unwrap();
    Group::create(&ctx, &at("group")).unwrap();
    let group = Group::open_for_writing(&ctx, &at("group")).unwrap();
    group.add(&at("dense"), Some("image")).unwrap();
    group.put_metadata("author", "Ada").unwrap();
    group.close().unwrap();

    let expected = "[1, 5] ['a', 'b']\n[1.5, 0.5]\n['eins', 'fünf'] ['red', 'green']\nkelvin [1, 9] 1 9\n\
                    [[1, 2], [3, 4]]\n[('image', 'Array')] Ada\n";
    assert_eq!(run(&python, folder.path(), READS), expected);
}

#[test]
fn the_crate_reads_what_the_reference_writes() {
    let Some(python) = python() else { return eprintln!("skipped: the reference is missing") };
    let folder = tempfile::tempdir().unwrap();
    run(&python, folder.path(), WRITES);
    let ctx = Context::new().unwrap();
    let array = Array::open(&ctx, folder.path().join("theirs").to_str().unwrap()).unwrap();
    let batch = array.read().range("t", "2020-01-01"..).all().unwrap();
    assert_eq!(batch.values::<i64>("t").unwrap(), [18_321]);
    assert_eq!(batch.strings("s").unwrap().to_vec(), ["zwei"]);
    assert!(batch.optional::<f32>("v").unwrap().eq([Some(2.5)]));
    assert_eq!(array.metadata().unwrap().get::<i64>("answer").unwrap(), Some(42));
}
