//! Files in and out: what `cat` writes, `import` reads back; other formats and damaged files are errors that say what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::fs::File;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use arrow_ipc::reader::FileReader;
use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use support::{Story, array, tool};

/// A story with rows of every type that CSV files have.
fn rows() -> Story {
    let story = Story::new();
    let mut text = "number,real,yes,text,day,at\n".to_owned();
    for row in 0..3000 {
        let word = if row % 7 == 0 { String::new() } else { format!("\"word, {}\"", row % 50) };
        let real = if row % 5 == 0 { String::new() } else { format!("{}", row as f64 / 4.0) };
        text += &format!(
            "{row},{real},{},{word},2024-05-{:02},2024-05-31T12:30:15.{:03}\n",
            row % 2 == 0,
            row % 30 + 1,
            row % 1000
        );
    }
    std::fs::write(story.path().join("rows.csv"), text).unwrap();
    says(&story, &["import", "rows.csv", "rows"]);
    story
}

/// Runs the tool, which has to succeed.
fn says(story: &Story, arguments: &[&str]) -> String {
    let output = story.tool(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn cells(story: &Story, name: &str) -> String {
    says(story, &["cat", name, "--format", "csv"])
}

/// Runs the tool, which has to refuse, with these words.
fn refuses(story: &Story, arguments: &[&str], words: &[&str]) {
    let output = story.tool(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(matches!(output.status.code(), Some(2 | 3)), "{arguments:?}: {} {stderr}", output.status);
    assert!(words.iter().all(|word| stderr.contains(word)), "{arguments:?}: {stderr}");
}

/// Runs the tool with bytes in a pipe.
fn piped(story: &Story, arguments: &[&str], bytes: &[u8]) -> Output {
    let mut command = Command::new(tool());
    command.args(arguments).current_dir(story.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut input, bytes) = (child.stdin.take().unwrap(), bytes.to_vec());
    // The tool may end before it read all.
    let writer = std::thread::spawn(move || _ = input.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

#[test]
fn every_format_comes_back() {
    let story = rows();
    let before = cells(&story, "rows");
    for extension in ["csv", "arrow", "feather", "arrows", "parquet"] {
        let file = format!("out.{extension}");
        // The dimension is made anew.
        says(&story, &["cat", "rows", "-o", &file, "--fields", "number,real,yes,text,day,at"]);
        for (name, is_sparse) in [("dense", false), ("sparse", true)] {
            let back = format!("{name} {extension}");
            let more = if is_sparse { &["--dims", "number"][..] } else { &[] };
            says(&story, &[&["import", &file, &back], more].concat());
            let fields = "number,real,yes,text,day,at";
            let csv = |array: &str| says(&story, &["cat", array, "--format", "csv", "--fields", fields]);
            assert!(csv(&back) == csv("rows"), "{back}");
        }
        // Twice as many rows, the second time through a pipe.
        let back = format!("dense {extension}");
        if extension == "parquet" {
            let bytes = std::fs::read(story.path().join(&file)).unwrap();
            let output = piped(&story, &["import", "-", &back], &bytes);
            assert!(output.status.code() == Some(2) && String::from_utf8_lossy(&output.stderr).contains("pipe"));
            continue;
        }
        let output = piped(&story, &["import", "-", &back], &std::fs::read(story.path().join(&file)).unwrap());
        assert!(output.status.success(), "{extension}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(says(&story, &["count", &back]).trim(), "6000");
        let output = piped(&story, &["import", "-", "new"], &std::fs::read(story.path().join(&file)).unwrap());
        assert!(output.status.success(), "{extension}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(cells(&story, "new") == before, "{extension}");
        says(&story, &["rm", "new"]);
    }
    // An option takes precedence over the extension, and the standard output has no extension.
    says(&story, &["cat", "rows", "-o", "really.csv", "--format", "parquet"]);
    assert!(std::fs::read(story.path().join("really.csv")).unwrap().starts_with(b"PAR1"));
    for (format, start) in
        [("parquet", &b"PAR1"[..]), ("arrow", b"ARROW1"), ("arrow-stream", &[0xff; 4]), ("json", b"{")]
    {
        let output = story.tool(&["cat", "rows", "-o", "-", "--format", format]);
        assert!(output.stdout.starts_with(start), "{format}");
    }
    refuses(&story, &["cat", "rows", "-o", "out.xml"], &["out.xml", "--format", "parquet"]);
    refuses(&story, &["head", "rows", "--fields", "day,number,day"], &["--fields", "\"day\" twice"]);
}

/// Dense arrays of every form come back from NPY files cell by cell.
#[test]
fn blocks_come_back_from_npy() {
    let story = Story::new();
    let header = |descr: &str, fortran: &str, shape: &str| {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
    };
    let write = |name: &str, head: Vec<u8>, values: &[u8]| {
        std::fs::write(story.path().join(name), [&head, values].concat()).unwrap();
    };
    let values: Vec<u8> = (0..24_i32).flat_map(i32::to_le_bytes).collect();
    let swapped: Vec<u8> = (0..24_i32).flat_map(i32::to_be_bytes).collect();
    write("c.npy", header("<i4", "False", "(2, 3, 4)"), &values);
    write("big.npy", header(">i4", "False", "(2, 3, 4)"), &swapped);
    write("f.npy", header("<i4", "True", "(4, 3, 2)"), &values);
    for (file, dims) in [("c.npy", "z,y,x"), ("big.npy", "z,y,x"), ("f.npy", "x,y,z")] {
        let name = file.trim_end_matches(".npy");
        says(&story, &["import", file, name, "--dims", dims, "--tile", "5"]);
        for (z, y, x) in [(0, 0, 0), (1, 2, 3), (0, 2, 1), (1, 0, 2)] {
            let at = |dim: &str, at: i32| format!("{dim}={at}");
            let ranges = [at("z", z), at("y", y), at("x", x)];
            let words = [
                "cat", name, "--format", "csv", "--fields", "value", "-r", &ranges[0], "-r", &ranges[1], "-r",
                &ranges[2],
            ];
            assert_eq!(says(&story, &words), format!("value\n{}\n", 12 * z + 4 * y + x), "{name}");
        }
    }
    says(&story, &["cat", "c", "-o", "back.npy"]);
    let back = std::fs::read(story.path().join("back.npy")).unwrap();
    assert!(back.ends_with(&values) && back.len() % 64 == values.len() % 64);
    says(&story, &["cat", "c", "-o", "part.npy", "--range", "y=1"]);
    let part = std::fs::read(story.path().join("part.npy")).unwrap();
    assert!(String::from_utf8_lossy(&part).contains("'shape': (2, 1, 4)"));
    assert!(part.ends_with(&[&values[16..32], &values[64..80]].concat()));
    // What is no block, or has no type there.
    std::fs::write(story.path().join("rows.csv"), "a,b,c\n1,,x\n2,5,y\n").unwrap();
    says(&story, &["import", "rows.csv", "rows"]);
    says(&story, &["import", "rows.csv", "sparse", "--dims", "a"]);
    refuses(&story, &["cat", "sparse", "-o", "x.npy"], &["dense"]);
    refuses(&story, &["cat", "rows", "-o", "x.npy"], &["one attribute", "a, b, c"]);
    refuses(&story, &["cat", "rows", "-o", "x.npy", "--fields", "b"], &["nullable"]);
    refuses(&story, &["cat", "rows", "-o", "x.npy", "--fields", "c"], &["no type"]);
    refuses(&story, &["cat", "rows", "-o", "x.npy", "--fields", "a", "-n", "1"], &["--limit"]);
    refuses(&story, &["head", "rows", "--format", "npy", "--fields", "a"], &["--limit"]);
    refuses(&story, &["cat", "c", "-o", "x.npy", "-r", "y=0", "-r", "y=2"], &["one --range", "y"]);
    refuses(&story, &["cat", "rows", "-o", "x.npy", "--fields", "a", "--where", "a > 1"], &["--where"]);
    // Files that lie.
    for (name, head, words) in [
        ("short", header("<i4", "False", "(2, 3, 5)"), &["needs 120 bytes", "96"][..]),
        ("huge", header("<i4", "False", "(1000000000, 1000000000)"), &["needs"]),
        ("many", header("<i4", "False", "(9999999999, 9999999999, 9999999999)"), &["larger than any file"]),
        ("none", header("<i4", "False", "(0, 5)"), &["no values"]),
        ("object", header("|O", "False", "(2,)"), &["\"|O\""]),
        ("version", b"\x93NUMPY\x09\0\x02\0{}".to_vec(), &["version 9"]),
        ("cut", b"\x93NUMPY\x01\0\xff\xff{'descr'".to_vec(), &["within its header"]),
        ("long", b"\x93NUMPY\x02\0\xff\xff\xff\xff{".to_vec(), &["longer than"]),
    ] {
        write("lies.npy", head.clone(), &values);
        refuses(&story, &["import", "lies.npy", "new"], &[&["lies.npy"], words].concat());
        assert!(!story.path().join("new").exists(), "{name}");
        let output = piped(&story, &["import", "-", "new"], &[&head[..], &values].concat());
        assert_eq!(output.status.code(), Some(3), "{name}");
        _ = std::fs::remove_dir_all(story.path().join("new"));
    }
    // Arrays that do not suit the file.
    write("wide.npy", header("<i4", "False", "(2, 3, 5)"), &[&values[..], &values[..24]].concat());
    refuses(&story, &["import", "wide.npy", "c"], &["5 values along \"x\"", "4"]);
    write("real.npy", header("<f4", "False", "(2, 3, 4)"), &values);
    refuses(&story, &["import", "real.npy", "c"], &["not of type FLOAT32"]);
    refuses(&story, &["import", "c.npy", "sparse"], &["no dense array of 3 dimensions"]);
    refuses(&story, &["import", "c.npy", "new", "--dims", "a,b"], &["2 dimensions, the file has 3"]);
}

#[test]
fn other_formats_are_recognized() {
    let story = Story::new();
    for (name, start, words) in [
        ("data.h5", &b"\x89HDF\r\n\x1a\n\0\0\0\0"[..], &["HDF5", "NPY"][..]),
        ("data.nc", b"CDF\x02\0\0\0\0", &["netCDF"]),
        ("rows.csv.gz", b"\x1f\x8b\x08\0\0\0\0\0", &["gzip", "gzip -dc rows.csv.gz | tiledb-rs import -"]),
        ("rows.csv.zst", b"\x28\xb5\x2f\xfd\x24\0", &["zstd -dc rows.csv.zst"]),
        ("values.npz", b"PK\x03\x04\x14\0", &["NPZ", "extract"]),
        ("old.feather", b"FEA1\0\0\0\0", &["version 1", "version 2"]),
        ("text.csv", b"\xff\xfea\0,\0b\0\n\0", &["UTF-16", "iconv"]),
        ("evil\u{1b}[31m.gz", b"\x1f\x8b\x08\0\0\0\0\0", &["evil\\u{1b}[31m.gz", "gzip"]),
    ] {
        std::fs::write(story.path().join(name), start).unwrap();
        refuses(&story, &["import", name, "new"], words);
        let output = piped(&story, &["import", "-", "new"], start);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(3) && stderr.contains("which import does not read"), "{name}: {stderr}");
        assert!(!stderr.contains('\u{1b}'));
    }
    assert!(!story.path().join("new").exists());
}

#[test]
fn damaged_files_and_pipes_are_errors() {
    let story = rows();
    let before = cells(&story, "rows");
    for file in ["out.arrow", "out.arrows", "out.parquet", "out.npy"] {
        let more = if file == "out.npy" { &["--fields", "number"][..] } else { &[] };
        says(&story, &[&["cat", "rows", "-o", file], more].concat());
        let whole = std::fs::read(story.path().join(file)).unwrap();
        for part in 1..8 {
            let cut = &whole[..whole.len() * part / 8];
            std::fs::write(story.path().join("cut"), cut).unwrap();
            refuses(&story, &["import", "cut", "new"], &["cut"]);
            assert!(!story.path().join("new").exists(), "{file} {part}");
            let output = piped(&story, &["import", "-", "new"], cut);
            // A cut stream may end between two batches.
            assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{file} {part}: {}", output.status);
            _ = std::fs::remove_dir_all(story.path().join("new"));
        }
    }
    assert_eq!(cells(&story, "rows"), before);
    // A stream that announces more than any memory has.
    let mut stream = std::fs::read(story.path().join("out.arrows")).unwrap();
    for length in [i32::MAX, -1, i32::MIN, 1 << 30] {
        stream[4..8].copy_from_slice(&length.to_le_bytes());
        let output = piped(&story, &["import", "-", "new"], &stream);
        assert_eq!(output.status.code(), Some(3), "{length}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(!story.path().join("new").exists());
}

/// Groups within groups would overflow the stack of a recursive decoder.
#[test]
fn deep_schemas_are_errors() {
    let story = Story::new();
    for depth in [5, 1000, 300_000] {
        // Thrift's compact protocol: a group `g` with one child, a column `x`, and the footer around them.
        let elements = [b"\x35\x02\x18\x01g\x15\x02\0".repeat(depth), b"\x15\x02\x25\x02\x18\x01x\0".to_vec()].concat();
        let count = depth + 2;
        let length = [(count & 0x7f) as u8 | 0x80, (count >> 7 & 0x7f) as u8 | 0x80, (count >> 14) as u8];
        let root = b"\x48\x06schema\x15\x02\0";
        let footer = [&b"\x15\x02\x19\xfc"[..], &length, root, &elements, b"\x16\0\x19\x0c\0"].concat();
        let file = [b"PAR1", &footer[..], &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat();
        std::fs::write(story.path().join("deep.parquet"), file).unwrap();
        let words = if depth < 100 { &["deep.parquet", "g.g.g.g.g.x"][..] } else { &["deep.parquet", "levels deep"] };
        refuses(&story, &["import", "deep.parquet", "new"], words);
    }
    assert!(!story.path().join("new").exists());
}

/// Small Parquet files that announce pages, decoded pages and children beyond any memory are errors, and reserve none of it.
#[test]
fn announced_sizes_of_parquet_files_are_compared_with_what_there_is() {
    let story = Story::new();
    for (name, bytes, part) in [
        ("brotli", &include_bytes!("parquet/page_2g_brotli.parquet")[..], "cannot be allocated|damaged"),
        ("gzip", include_bytes!("parquet/page_2g_gzip.parquet"), "announces 2147483647"),
        ("lz4", include_bytes!("parquet/page_2g_lz4.parquet"), "announces 2147483647"),
        ("snappy", include_bytes!("parquet/page_2g_snappy.parquet"), "announces 2147483647"),
        ("zstd", include_bytes!("parquet/page_2g_zstd.parquet"), "announces 2147483647"),
        ("bomb", include_bytes!("parquet/bomb_brotli_1GB.parquet"), "announces 800 bytes, and has more"),
        ("children", include_bytes!("parquet/children_2g.parquet"), "announces 2147483647 children"),
    ] {
        let file = story.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        // Under a limit of the address space, memory that cannot be reserved would abort the process.
        let output = Command::new("sh")
            .args(["-c", "ulimit -v 2000000; exec \"$0\" import \"$1\" new"])
            .arg(tool())
            .arg(&file)
            .current_dir(story.path())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {error}");
        assert!(part.split('|').any(|part| error.contains(part)), "{name}: {error}");
    }
    assert!(!story.path().join("new").exists());
}

/// nanoparquet stores an Arrow schema whose parts are not aligned.
#[test]
fn parquet_files_with_an_unaligned_arrow_schema_are_read() {
    let story = Story::new();
    std::fs::write(story.path().join("in.parquet"), include_bytes!("parquet/nanoparquet_small.parquet")).unwrap();
    assert!(says(&story, &["import", "in.parquet", "new"]).contains("rows: 102"));
    assert!(cells(&story, "new").lines().count() == 103);
}

/// A pipe that never ends is read in bounded memory, and a full one has no effect on what was there.
#[test]
fn endless_pipes_are_read_in_bounded_memory() {
    let story = rows();
    says(&story, &["cat", "rows", "-o", "out.arrows"]);
    let stream = std::fs::read(story.path().join("out.arrows")).unwrap();
    // Behind the first message, zeros forever: the end of the stream. Or a message that is longer than the memory.
    let metadata = i32::from_le_bytes(stream[4..8].try_into().unwrap()) as usize + 8;
    let mut endless = stream[..metadata].to_vec();
    endless.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    std::fs::write(story.path().join("endless"), endless).unwrap();
    let script = format!(
        "ulimit -v 3000000; {{ cat endless; head -c 300000000 /dev/zero; }} | {} import - new",
        tool().display()
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(story.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("are announced where") || stderr.contains("damaged"), "{stderr}");
}

/// Enumerations are those of the file, and grow with further files.
#[test]
fn enumerations_come_back() {
    let story = Story::new();
    let text = r#"{ "array_type": "sparse", "allows_duplicates": true,
        "dimensions": [{ "name": "x", "type": "INT32", "domain": [0, 1000], "tile": 10 }],
        "enumerations": [
            { "name": "color", "type": "STRING_UTF8", "values": ["red", "", "gr\u00fcn"], "ordered": true },
            { "name": "code", "type": "INT64", "values": [500, -7] }],
        "attributes": [
            { "name": "c", "type": "INT8", "enumeration": "color", "nullable": true },
            { "name": "d", "type": "UINT16", "enumeration": "code" }] }"#;
    std::fs::write(story.path().join("schema.json"), text).unwrap();
    says(&story, &["create", "colors", "schema.json"]);
    std::fs::write(story.path().join("rows.csv"), "x,c,d\n1,red,-7\n2,grün,500\n3,,500\n").unwrap();
    says(&story, &["import", "rows.csv", "colors"]);
    for extension in ["arrow", "arrows", "parquet"] {
        let file = format!("out.{extension}");
        says(&story, &["cat", "colors", "-o", &file]);
        says(&story, &["import", &file, extension, "--dims", "x"]);
        assert_eq!(cells(&story, extension), cells(&story, "colors"));
        let info: serde_json::Value = serde_json::from_str(&says(&story, &["schema", extension])).unwrap();
        let of = |name: &str| {
            info["enumerations"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
        };
        // The dictionaries of a Parquet file have only the values that occur.
        let is_parquet = extension == "parquet";
        let colors =
            if is_parquet { serde_json::json!(["red", "grün"]) } else { serde_json::json!(["red", "", "grün"]) };
        let codes = if is_parquet { serde_json::json!([-7, 500]) } else { serde_json::json!([500, -7]) };
        assert_eq!((&of("c")["values"], &of("d")["values"]), (&colors, &codes), "{extension}");
        assert_eq!(of("c")["ordered"], true, "{extension}");
    }
    // A file of other values, as a dictionary: the enumeration grows. As plain text it is an error, as in CSV.
    let other = text.replace("\"red\", \"\", \"gr\\u00fcn\"", "\"blue\", \"red\"");
    assert_ne!(other, text);
    std::fs::write(story.path().join("other.json"), &other).unwrap();
    says(&story, &["create", "blue", "other.json"]);
    std::fs::write(story.path().join("blue.csv"), "x,c,d\n9,blue,-7\n").unwrap();
    refuses(&story, &["import", "blue.csv", "colors"], &["\"blue\"", "enumeration"]);
    says(&story, &["import", "blue.csv", "blue"]);
    says(&story, &["cat", "blue", "-o", "blue.arrow"]);
    says(&story, &["import", "blue.arrow", "colors"]);
    assert!(cells(&story, "colors").ends_with("9,blue,-7\n"));
    assert!(cells(&story, "colors").contains("1,red,-7\n"), "{}", cells(&story, "colors"));
}

/// All types of golden arrays through each format, as far as the format has them.
#[test]
fn golden_arrays_come_back() {
    let story = Story::new();
    let cases =
        ["v22/sparse_nullable_all", "v22/dense_query_conditions", "v22/consolidated_sparse_dups", "v22/deletes"];
    story.unpack(&cases);
    for case in cases {
        let name = case.split_once('/').unwrap().1;
        let uri = array(&story, name);
        let schema = says(&story, &["schema", &uri]);
        std::fs::write(story.path().join("schema.json"), &schema).unwrap();
        let is_dense = schema.contains("\"dense\"");
        for extension in ["arrow", "arrows", "parquet"] {
            let (file, copy) = (format!("{name}.{extension}"), format!("{name}_{extension}"));
            says(&story, &["cat", &uri, "-o", &file]);
            says(&story, &["create", &copy, "schema.json"]);
            assert_eq!(says(&story, &["schema", &copy]), schema, "{name}");
            if !is_dense {
                says(&story, &["import", &file, &copy]);
                let sorted = |name: &str| {
                    let mut lines: Vec<String> = cells(&story, name).lines().map(str::to_owned).collect();
                    lines.sort();
                    lines
                };
                assert_eq!(sorted(&copy), sorted(&uri), "{name} {extension}");
            }
        }
    }
}

/// Dates and times have types that other readers know, and come back in those of the array.
#[test]
fn points_in_time_are_dates_and_timestamps() {
    let story = Story::new();
    let names = ["YEAR", "MONTH", "WEEK", "DAY", "HR", "MIN", "SEC", "MS", "US", "NS"];
    let row = |text: &str| names.map(|_| text).join(",");
    let rows = [row("1970-01-01T00:00:00"), row("NaT"), row("1900-01-01"), row("2100-05-31")];
    std::fs::write(story.path().join("in.csv"), format!("{}\n{}\n", names.join(","), rows.join("\n"))).unwrap();
    let types: Vec<String> = names.iter().map(|name| format!("{name}=DATETIME_{name}")).collect();
    let options = types.iter().flat_map(|one| ["--type", one]);
    says(&story, &["import", "in.csv", "times"].into_iter().chain(options).collect::<Vec<_>>());
    let day = &["import", "in.csv", "sparse", "--dims", "DAY", "--type", "DAY=DATETIME_DAY"];
    std::fs::write(story.path().join("in.csv"), "DAY,n\n2000-01-01,1\n2000-02-01,2\n").unwrap();
    says(&story, day);

    for (file, unit) in [("out.parquet", TimeUnit::Millisecond), ("out.arrow", TimeUnit::Second)] {
        says(&story, &["cat", "times", "-o", file, "--fields", &names.join(",")]);
        let opened = || File::open(story.path().join(file)).unwrap();
        let schema = match file {
            "out.arrow" => FileReader::try_new(opened(), None).unwrap().schema(),
            _ => ParquetRecordBatchReaderBuilder::try_new(opened()).unwrap().schema().clone(),
        };
        for name in names {
            let expected = match name {
                "YEAR" | "MONTH" => DataType::Int64,
                "DAY" => DataType::Date32,
                "MS" => DataType::Timestamp(TimeUnit::Millisecond, None),
                "US" => DataType::Timestamp(TimeUnit::Microsecond, None),
                "NS" => DataType::Timestamp(TimeUnit::Nanosecond, None),
                _ => DataType::Timestamp(unit, None),
            };
            assert_eq!(schema.field_with_name(name).unwrap().data_type(), &expected, "{name} in {file}");
        }
        says(&story, &["import", file, "back"]);
        let shown = |array: &str| says(&story, &["cat", array, "--format", "csv", "--fields", &names.join(",")]);
        // "Not a time" is null in dates and timestamps.
        assert_eq!(shown("back"), shown("times").replace(&row("NaT"), "NaT,NaT,,,,,,,,"), "{file}");
        says(&story, &["rm", "back"]);

        says(&story, &["cat", "sparse", "-o", file]);
        says(&story, &["import", file, "back", "--dims", "DAY"]);
        assert_eq!(cells(&story, "back"), cells(&story, "sparse"));
        assert_eq!(says(&story, &["schema", "back"]), says(&story, &["schema", "sparse"]));
        says(&story, &["rm", "back"]);
    }

    // Ten million years from now.
    std::fs::write(story.path().join("in.csv"), "DAY,WEEK\n3652425000,3652425000\n").unwrap();
    says(&story, &["import", "in.csv", "far", "--type", "DAY=DATETIME_DAY", "--type", "WEEK=DATETIME_WEEK"]);
    refuses(&story, &["cat", "far", "-o", "far.parquet"], &["DAY", "3652425000", "csv"]);
    assert!(!story.path().join("far.parquet").exists());
    says(&story, &["cat", "far", "-o", "far.parquet", "--fields", "WEEK"]);
}

#[test]
fn empty_results_are_reported() {
    let story = rows();
    let run = |arguments: &[&str]| {
        let output = story.tool(arguments);
        assert!(output.status.success(), "{arguments:?}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for format in ["table", "csv", "json"] {
        let (out, error) = run(&["cat", "rows", "--where", "number > 5000", "--format", format]);
        assert_eq!(error, "rows: no cells are selected\n", "{format}");
        assert_eq!(out.lines().count(), usize::from(format == "csv"));
        let (_, error) = run(&["head", "rows", "--format", format]);
        assert_eq!(error, "");
    }
    std::fs::write(story.path().join("empty.csv"), "a,b\n").unwrap();
    says(&story, &["import", "empty.csv", "empty"]);
    assert_eq!(run(&["head", "empty"]).1, "empty: no cells are stored\n");
    assert_eq!(run(&["cat", "empty", "-o", "empty.parquet"]).1, "empty: no cells are stored\n");
    assert_eq!(run(&["head", "rows", "-n", "0"]).1, "");
    let (_, error) = run(&["cat", "rows", "--to", "1970"]);
    assert_eq!(error, "rows: no cells are selected\n");
}

#[test]
fn times_are_dates_or_milliseconds() {
    let story = rows();
    let count = |arguments: &[&str]| says(&story, &[&["count", "rows"], arguments].concat()).trim().to_owned();
    for (arguments, cells) in [
        (&["--to", "1970-01-01"][..], "0"),
        (&["--to", "1000ms"], "0"),
        (&["--to", "2199"], "3000"),
        (&["--from", "2020", "--to", "2199-12"], "3000"),
        (&["--from", "2199"], "0"),
        (&["--from", "2020-05-31", "--to", "2200-01-01T00:00:00.5Z"], "3000"),
        (&["--from", "2200-01-01 12:30"], "0"),
        (&["--to", "18446744073709551615"], "3000"),
    ] {
        assert_eq!(count(arguments), cells, "{arguments:?}");
    }
    for wrong in
        ["2024-13-01", "yesterday", "-5", "1969-12-31", "", "2024-05-31T25:00", "1.5", "2024-05-31T12:30+02:00"]
    {
        refuses(&story, &["count", "rows", &format!("--to={wrong}")], &["2024-05-31T12:30:15.250"]);
    }
    refuses(&story, &["count", "rows", "--to=20240531"], &["20240531ms"]);
    refuses(&story, &["cat", "rows", "--from", "2024-05-31", "--to", "2024-05-30"], &["is after"]);
}

#[test]
fn export_to_a_closed_pipe_ends_quietly() {
    let story = rows();
    for format in ["parquet", "arrow-stream", "npy", "csv"] {
        let mut command = Command::new(tool());
        command.args(["cat", "rows", "--format", format, "--fields", "number"]).current_dir(story.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(0) && stderr.is_empty(), "{format}: {} {stderr}", output.status);
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(tool());
        command.args(["cat", "rows", "--format", format, "--fields", "number"]).current_dir(story.path());
        let output = command.stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(3) && stderr.contains("No space left"), "{format}: {stderr}");
    }
}
