//! `import`: CSV files are imported into arrays, and exported unchanged.
#![allow(clippy::unwrap_used, reason = "a test stops at once")]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The tool, which cargo puts beside the tests.
fn tool() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().with_file_name("tiledb-rs")
}

struct Story {
    folder: tempfile::TempDir,
}

impl Story {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Runs the tool in the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(tool())
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .output()
            .unwrap()
    }

    /// What the tool prints when all is well.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The exit code and the error that the tool ends with.
    fn refuses(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(arguments);
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    }

    fn cells(&self, array: &str, fields: &str) -> String {
        self.says(&["cat", array, "--format", "csv", "--fields", fields])
    }
}

const PEOPLE: &str = "id,name,born,weight,member,zip\n\
    1,Ann,1990-01-02,61.5,true,00501\n\
    2,\"Berg, Bo\",1988-12-31,,false,10001\n\
    18446744073709551615,,2001-02-03,1e300,,10002\n";
const FIELDS: &str = "id,name,born,weight,member,zip";

#[test]
fn imported_rows_are_exported_unchanged() {
    let story = Story::new();
    story.file("people.csv", PEOPLE);
    let said = story.says(&["import", "people.csv", "people"]);
    for type_of in [
        "row    INT64",
        "id      UINT64",
        "name    STRING_UTF8, nullable",
        "born    DATETIME_DAY",
        "member  BOOL, nullable",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed(&said).contains(&squeezed(type_of)), "{type_of} in {said}");
    }
    let back = PEOPLE.replace("1e300", &1e300_f64.to_string());
    assert_eq!(story.cells("people", FIELDS), back);

    // Once more behind them, from the standard input.
    let mut child = Command::new(tool())
        .args(["import", "-", "people", "--json"])
        .current_dir(story.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(PEOPLE.as_bytes()).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(report, serde_json::json!({ "command": "import", "rows": 3, "fragments": 1, "made": false }));
    let rows = back.split_once('\n').unwrap().1;
    assert_eq!(story.cells("people", FIELDS), format!("{back}{rows}"));
    assert!(story.cells("people", "row").ends_with("3\n4\n5\n"));
}

#[test]
fn columns_become_dimensions() {
    let story = Story::new();
    story.file("people.csv", &PEOPLE.replace("18446744073709551615", "-3"));
    story.says(&["import", "people.csv", "people", "--dims", "born,id"]);
    let some =
        story.says(&["cat", "people", "--range", "born=1988-01-01:1990-12-31", "--range", "id=1:", "--format", "csv"]);
    assert_eq!(some.lines().count(), 3, "{some}");
    assert!(some.contains("1990-01-02,1,Ann"), "{some}");
    story.says(&["import", "people.csv", "zips", "--dims", "zip"]);
    assert!(story.cells("zips", "zip,id").ends_with("00501,1\n10001,2\n10002,-3\n"));
    let (code, error) = story.refuses(&["import", "people.csv", "names", "--dims", "name"]);
    assert!(code == 3 && error.contains("\"name\" cannot be a dimension: a cell of it has no value"), "{error}");
    assert!(!story.path("names").exists());
}

#[test]
fn csv_options_apply_to_other_forms_of_files() {
    let story = Story::new();
    story.file("a.tsv", "1\tNA\t2024-05-31 12:30\n2\tx\t2024-05-31T12:30:15.5\n");
    story.says(&[
        "import",
        "a.tsv",
        "a",
        "-d",
        "\\t",
        "--no-header",
        "--null",
        "NA",
        "--type",
        "c1=INT8",
        "--row",
        "n",
    ]);
    let rows = "n,c1,c2,c3\n0,1,,2024-05-31T12:30:00.000\n1,2,x,2024-05-31T12:30:15.500\n";
    story.says(&["import", "a.tsv", "by_extension", "--no-header", "--null", "NA", "--row", "n"]);
    assert_eq!(story.cells("by_extension", "n,c1,c2,c3"), rows);
    assert_eq!(story.cells("a", "n,c1,c2,c3"), rows);
    assert!(story.says(&["info", "a"]).contains("INT8"));
}

#[test]
fn import_error_names_the_value_that_does_not_fit() {
    let story = Story::new();
    story.file("people.csv", PEOPLE);
    story.says(&["import", "people.csv", "people"]);
    story.file("bad.csv", "id,name,born,weight,member,zip\n7,Cy,1990-01-02,heavy,true,1\n");
    story.file("few.csv", "id,name\n7,Cy\n");
    story.file("more.csv", &PEOPLE.replacen("zip", "zip2", 1));
    story.file("ragged.csv", "a,b\n1,2\n3\n");
    story.file("twice.csv", "a,a\n1,2\n");
    for (file, array, text) in [
        ("bad.csv", "people", "line 2, column \"weight\": \"heavy\" is no value of datatype FLOAT64"),
        ("few.csv", "people", "people: the file has no column \"born\""),
        ("more.csv", "people", "the array has no field \"zip2\""),
        ("ragged.csv", "new", "ragged.csv, line 3: there are 1 cells where the first row has 2"),
        ("twice.csv", "new", "column 2 is called \"a\""),
        ("none.csv", "new", "none.csv: No such file"),
    ] {
        let (code, error) = story.refuses(&["import", file, array]);
        assert!(code == 3 && error.contains(text), "{file}: {code} {error}");
    }
    assert!(!story.path("new").exists());
    assert_eq!(story.cells("people", "id").lines().count(), 4);
    for (arguments, text) in [
        (&["people.csv", "new", "--dims", "nobody"][..], "there is no column \"nobody\""),
        (&["people.csv", "new", "--row", "id"], "there is a column \"id\""),
        (&["people.csv", "new", "--type", "id=NUMBER"], "\"NUMBER\" is no datatype"),
        (&["people.csv", "people", "--dims", "id"], "leave out --dims"),
    ] {
        let (code, error) = story.refuses(&[&["import"], arguments].concat());
        assert!(code == 2 && error.contains(text), "{arguments:?}: {code} {error}");
    }
    let proposal = story.says(&["import", "people.csv", "new", "--dry-run", "--json"]);
    let proposal: serde_json::Value = serde_json::from_str(&proposal).unwrap();
    assert_eq!(proposal["fields"][2]["type"], "STRING_UTF8, nullable");
    assert!(!story.path("new").exists());
}

/// Cells of more than one fragment, which end with whole tiles.
#[test]
fn large_files_become_several_fragments() {
    let story = Story::new();
    let mut file = std::io::BufWriter::new(File::create(story.path("long.csv")).unwrap());
    writeln!(file, "number,text").unwrap();
    const ROWS: u64 = 1_100_000;
    for row in 0..ROWS {
        writeln!(file, "{},{:050}", row * 7 % 1000, row).unwrap();
    }
    file.flush().unwrap();
    let report: serde_json::Value =
        serde_json::from_str(&story.says(&["import", "long.csv", "long", "--json"])).unwrap();
    assert_eq!((&report["rows"], &report["fragments"]), (&ROWS.into(), &2.into()));
    let last = story.says(&["cat", "long", "--range", "row=1099999:", "--format", "csv"]);
    assert_eq!(last, format!("row,number,text\n1099999,{},{:050}\n", (ROWS - 1) * 7 % 1000, ROWS - 1));
}

/// The flights of the example.
#[test]
fn flights_example_is_imported() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (story, file) = (Story::new(), project.join("examples-c/data/flights.csv"));
    story.says(&["import", file.to_str().unwrap(), "flights"]);
    let text = std::fs::read_to_string(file).unwrap();
    let header = text.lines().next().unwrap();
    let back = story.cells("flights", header);
    let differs = back.lines().zip(text.lines()).find(|(back, text)| back != text);
    assert_eq!(differs, None);
    assert_eq!(back.lines().count(), text.lines().count());
}

/// Arrow files there and back: all that one array holds is what the other one holds.
#[test]
fn arrow_files_restore_an_equal_array() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (story, file) = (Story::new(), project.join("examples-c/data/flights.csv"));
    let (file, text) = (file.to_str().unwrap(), std::fs::read_to_string(&file).unwrap());
    let header = text.lines().next().unwrap();
    for dimensions in [&[][..], &["--dims", "origin,time"]] {
        story.says(&[&["import", file, "there"], dimensions].concat());
        story.says(&["cat", "there", "--format", "arrow", "-o", "all.arrow", "--fields", header]);
        story.says(&[&["import", "all.arrow", "back"], dimensions].concat());
        assert_eq!(story.cells("there", header), story.cells("back", header));
        // Filters, which come last in a line, depend on the order of the rows, which in a sparse array is its own.
        let schema = |name: &str| {
            let (report, mut end) = (story.says(&["info", name]), usize::MAX);
            let mut lines = Vec::new();
            for line in report.lines().skip(1).take(14) {
                end = line.find("FILTERS").unwrap_or(end);
                if dimensions.is_empty() {
                    lines.push(line.to_owned());
                } else if !line.starts_with("  the filter") && !line.starts_with("  no feature") {
                    lines.push(line.get(..end).unwrap_or(line).to_owned());
                }
            }
            lines
        };
        assert_eq!(schema("there"), schema("back"));
        // Behind those that are there.
        story.says(&["import", "all.arrow", "back"]);
        assert_eq!(story.cells("back", header).lines().count(), 2 * text.lines().count() - 1);
        for name in ["there", "back"] {
            std::fs::remove_dir_all(story.path(name)).unwrap();
        }
    }
    story.says(&["import", file, "there"]);
    story.says(&[
        "cat",
        "there",
        "--format",
        "arrow",
        "-o",
        "some.arrow",
        "-n",
        "5",
        "--range",
        "row=100:",
        "--fields",
        header,
    ]);
    let made: serde_json::Value =
        serde_json::from_str(&story.says(&["import", "some.arrow", "some", "--json"])).unwrap();
    assert_eq!(made["rows"], 5);
    let five: Vec<&str> = text.lines().skip(101).take(5).collect();
    assert_eq!(story.cells("some", header).lines().skip(1).collect::<Vec<_>>(), five);
    let (code, error) = story.refuses(&["cat", "there", "--format", "arrow", "--where", "flight > 5"]);
    assert!(code == 2 && error.contains("--where"), "{error}");
    let (code, error) = story.refuses(&["cat", "there", "-o", "table.txt"]);
    assert!(code == 2 && error.contains("--output"), "{error}");
    story.file("broken.arrow", "ARROW1\0\0and nothing behind it");
    let (code, error) = story.refuses(&["import", "broken.arrow", "new"]);
    assert!(code == 3 && error.contains("broken.arrow: "), "{error}");
}

fn bytes_in(folder: &Path) -> u64 {
    let size = |entry: std::fs::DirEntry| match entry.file_type().unwrap().is_dir() {
        true => bytes_in(&entry.path()),
        false => entry.metadata().unwrap().len(),
    };
    std::fs::read_dir(folder).unwrap().map(|entry| size(entry.unwrap())).sum()
}

/// Filters that are recommended by a sample: the cells are the same, and a profile is as good as its name.
#[test]
fn filters_are_selected_by_profiles() {
    let story = Story::new();
    let mut file = std::io::BufWriter::new(File::create(story.path("rows.csv")).unwrap());
    let fields = "time,station,value,note";
    writeln!(file, "{fields}").unwrap();
    let mut state = 1u64;
    for row in 0..300_000u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise = state >> 40;
        let note = if row % 10 == 0 { String::new() } else { format!("{noise:x}") };
        writeln!(file, "{},station {},{},{note}", 1_600_000_000 + row * 60, row / 1000 % 30, noise % 1000).unwrap();
    }
    file.into_inner().unwrap().sync_all().unwrap();
    story.says(&["import", "rows.csv", "usual"]);
    story.says(&["cat", "usual", "--format", "arrow", "-o", "rows.arrow", "--fields", fields]);
    let cells = story.cells("usual", fields);
    let mut sizes = Vec::new();
    for profile in ["small", "balanced", "fast"] {
        for (source, name) in [("rows.csv", "csv"), ("rows.arrow", "arrow")] {
            let array = format!("{name}_{profile}");
            let printed = story.says(&["import", "--profile", profile, source, &array]);
            let station = printed.lines().find(|line| line.contains("station")).unwrap();
            assert!(station.contains("RLE"), "{printed}");
            let preview = story.says(&["import", "--dry-run", "--profile", profile, source, "not_made"]);
            assert!(printed.starts_with(&preview), "{preview} {printed}");
            assert!(cells == story.cells(&array, fields), "{array}");
            sizes.push(bytes_in(&story.path(&array)));
        }
    }
    assert!(sizes[0] <= sizes[2] && sizes[2] <= sizes[4], "{sizes:?}");
    assert_eq!(sizes[2], bytes_in(&story.path("usual")), "balanced is the default");
    assert!(!story.path("not_made").exists());

    // As dimensions, with a checksum; from the standard input; where there are no rows; where the array exists.
    story.says(&["import", "--profile", "small", "--checksum", "md5", "--dims", "time", "rows.csv", "sparse"]);
    assert!(cells == story.cells("sparse", fields));
    assert!(story.says(&["info", "sparse"]).contains("CHECKSUM_MD5"));
    let mut child = Command::new(tool())
        .args(["import", "--profile", "fast", "-", "piped"])
        .current_dir(story.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(story.path("rows.csv")).unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(cells == story.cells("piped", fields));
    story.file("empty.csv", "a,b\n");
    story.says(&["import", "--profile", "small", "empty.csv", "empty"]);
    let (code, error) = story.refuses(&["import", "--profile", "small", "rows.csv", "usual"]);
    assert!(code == 2 && error.contains("--profile"), "{error}");
}

#[test]
fn quotes_that_are_never_closed_are_refused() {
    let story = Story::new();
    story.file("there.csv", "a,b\n1,x\n");
    story.says(&["import", "there.csv", "there"]);
    for (text, line) in
        [("a,b\n1,x\n2,\"y\n3,z\n", 3), ("a,\"b\n1,x\n", 1), ("a,b\n1,\"x\"\"\n", 2), ("a,b\n1,\"x\ny\"\n2,\"", 4)]
    {
        story.file("open.csv", text);
        for array in ["new", "there"] {
            let (code, stderr) = story.refuses(&["import", "open.csv", array]);
            assert!(
                code == 3 && stderr.contains(&format!("open.csv, line {line}: a quote is opened")),
                "{text:?}: {stderr}"
            );
        }
        let mut command = Command::new(tool());
        command
            .args(["import", "-", "new"])
            .current_dir(story.folder.path())
            .stdin(File::open(story.path("open.csv")).unwrap());
        let stderr = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert!(stderr.contains(&format!("line {line}: a quote is opened")), "{stderr}");
        assert!(!story.path("new").exists());
        assert_eq!(story.cells("there", "a,b"), "a,b\n1,x\n");
    }
}

#[test]
fn import_into_a_folder_with_files_is_refused() {
    let story = Story::new();
    story.file("rows.csv", "a\n1\n");
    std::fs::create_dir_all(story.path("home/inner")).unwrap();
    std::fs::create_dir(story.path("empty")).unwrap();
    story.file("home/inner/letter", "dear");
    for array in ["home", "home/", "home/inner", "."] {
        for more in [&[][..], &["--dry-run"]] {
            let (code, stderr) = story.refuses(&[&["import", "rows.csv", array], more].concat());
            assert!(code == 2 && stderr.contains("not empty") && stderr.contains("--force"), "{stderr}");
        }
    }
    assert!(!story.path("home/__schema").exists() && !story.path("__schema").exists());
    story.says(&["import", "rows.csv", "empty"]);
    story.says(&["import", "rows.csv", "empty"]);
    story.says(&["import", "rows.csv", "home", "--force"]);
    assert_eq!((story.cells("empty", "a"), story.cells("home", "a")), ("a\n1\n1\n".into(), "a\n1\n".into()));
    assert_eq!(std::fs::read(story.path("home/inner/letter")).unwrap(), b"dear");
}

#[test]
fn targets_that_are_files_are_refused() {
    let story = Story::new();
    story.file("rows.csv", "a\n1\n");
    story.file("letter", "dear");
    for more in [&[][..], &["--force"], &["--dry-run"]] {
        for file in ["rows.csv", "nowhere.csv"] {
            let (code, stderr) = story.refuses(&[&["import", file, "letter"], more].concat());
            assert!(code == 2 && stderr.contains("letter is a file"), "{code}: {stderr}");
        }
    }
    assert_eq!(std::fs::read(story.path("letter")).unwrap(), b"dear");
}

/// Names that a file gives are no mistake of the caller.
#[test]
fn damaged_names_in_files_are_errors_of_the_file() {
    let story = Story::new();
    story.file("rows.csv", "naame,b\nx,1\n");
    story.says(&["import", "rows.csv", "there"]);
    story.says(&["cat", "there", "--format", "arrow", "-o", "whole.arrow"]);
    let whole = std::fs::read(story.path("whole.arrow")).unwrap();
    for (from, to) in
        [(&b"STRING_UTF8"[..], &b"STRI\0G_UTF8"[..]), (b"STRING_UTF8", b"STRINX_UTF8"), (b"naame", b"na\0me")]
    {
        let mut bytes = whole.clone();
        let places: Vec<usize> = (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
        std::fs::write(story.path("bad.arrow"), bytes).unwrap();
        let (code, stderr) = story.refuses(&["import", "bad.arrow", "new"]);
        assert!(code == 3 && stderr.contains("bad.arrow: "), "{code}: {stderr}");
    }
    story.file("bad.csv", "a\0b,c\n1,2\n");
    let (code, stderr) = story.refuses(&["import", "bad.csv", "new"]);
    assert!(code == 3 && stderr.contains("bad.csv: "), "{code}: {stderr}");
    assert!(!story.path("new").exists());
}

#[test]
fn checksums_find_changed_bytes() {
    let story = Story::new();
    let rows: String = (0..1000).map(|row| format!("{row},text{row}\n")).collect();
    story.file("rows.csv", &format!("a,b\n{rows}"));
    for (checksum, name) in [("md5", "CHECKSUM_MD5"), ("sha256", "CHECKSUM_SHA256")] {
        for (number, options) in [&["--tile", "1000"][..], &["--dims", "a"]].into_iter().enumerate() {
            let array = &format!("{checksum}{number}");
            let said = story.says(&[&["import", "rows.csv", array, "--checksum", checksum], options].concat());
            let fields = said.lines().filter(|line| line.starts_with("dimension") || line.starts_with("attribute"));
            // Row numbers of a dense array are not stored.
            assert!(fields.skip(1 - number).all(|line| line.ends_with(name)), "{said}");
            assert!(story.says(&["info", array]).matches(name).count() >= 4);
            let before = story.says(&["cat", array, "--format", "csv"]);
            let fragments = story.path(array).join("__fragments");
            let fragment = std::fs::read_dir(fragments).unwrap().next().unwrap().unwrap().path();
            let mut files: Vec<PathBuf> =
                std::fs::read_dir(fragment).unwrap().map(|file| file.unwrap().path()).collect();
            files.retain(|file| !file.ends_with("__fragment_metadata.tdb"));
            assert!(files.len() >= 3);
            for file in files {
                let bytes = std::fs::read(&file).unwrap();
                for at in (0..bytes.len()).step_by(bytes.len() / 7) {
                    let mut changed = bytes.clone();
                    changed[at] ^= 1;
                    std::fs::write(&file, changed).unwrap();
                    let output = story.run(&["cat", array, "--format", "csv"]);
                    assert!(output.status.code() == Some(3), "{} at {at}", file.display());
                }
                std::fs::write(&file, bytes).unwrap();
            }
            assert_eq!(story.says(&["cat", array, "--format", "csv"]), before);
        }
    }
    let (code, stderr) = story.refuses(&["import", "rows.csv", "md50", "--checksum", "md5"]);
    assert!(code == 2 && stderr.contains("--checksum"), "{stderr}");
}

/// Once all columns of a file were looked for among all others.
#[test]
fn files_with_many_columns_are_imported() {
    let story = Story::new();
    let names: Vec<String> = (0..3000).map(|column| format!("column{column}")).collect();
    let cells = |row: usize| (0..3000).map(|column| (row + column).to_string()).collect::<Vec<_>>().join(",");
    let text = format!("{}\n{}\n{}\n", names.join(","), cells(1), cells(2));
    story.file("wide.csv", &text);
    story.says(&["import", "wide.csv", "wide"]);
    assert_eq!(story.says(&["cat", "wide", "--format", "csv", "--fields", &names.join(",")]), text);
}

/// Some editors write a UTF-8 byte-order mark before text.
#[test]
fn byte_order_marks_are_skipped() {
    let story = Story::new();
    story.file("marked.csv", "\u{feff}a,b\n1,x\n");
    story.file("config", "\u{feff}sm.mem.total_budget 100000000\n");
    story.says(&["--config", "config", "import", "marked.csv", "header"]);
    assert_eq!(story.cells("header", "a,b"), "a,b\n1,x\n");
    story.file("marked.csv", "\u{feff}1,x\n");
    story.says(&["import", "--no-header", "marked.csv", "bare"]);
    assert_eq!(story.cells("bare", "c1,c2"), "c1,c2\n1,x\n");
    story.file("marked.csv", "\u{feff}\"1\",\"x,y\"\n");
    story.says(&["import", "--no-header", "marked.csv", "quoted"]);
    assert_eq!(story.cells("quoted", "c1,c2"), "c1,c2\n1,\"x,y\"\n");
}

/// Rows of JSON as lines and as a list, with a pipe of them; what an array exports comes back into an array of its schema.
#[test]
fn json_rows_become_cells_of_their_types() {
    let story = Story::new();
    let rows = [
        r#"{"id": 1, "name": "x, y", "day": "2024-05-31", "real": 1.5, "is": true, "list": [1, 2], "tree": {"k": [null]}, "zip": "00501"}"#,
        r#"{"name": "12", "id": 18446744073709551615, "list": [], "real": null}"#,
    ];
    let fields = "id,name,day,real,is,list,tree,zip";
    let expected = [
        r#"{"id":1,"name":"x, y","day":"2024-05-31","real":1.5,"is":true,"list":[1,2],"tree":"{\"k\":[null]}","zip":"00501"}"#,
        r#"{"id":18446744073709551615,"name":"12","day":null,"real":null,"is":null,"list":[],"tree":null,"zip":null}"#,
    ];
    for (name, text) in [("lines.jsonl", rows.join("\n")), ("list.json", format!("[{}]", rows.join(",\n")))] {
        story.file(name, &text);
        let said = story.says(&["import", name, "array"]);
        for part in ["UINT64", "DATETIME_DAY, nullable", "FLOAT64, nullable", "BOOL, nullable", "INT64 (var)"] {
            assert!(said.contains(part), "{name}: {part} in {said}");
        }
        let cells = story.says(&["cat", "array", "--format", "json", "--fields", fields]);
        assert_eq!(cells.lines().collect::<Vec<_>>(), expected, "{name}");
        // Its own export goes into another array of the schema.
        std::fs::write(story.path("schema.json"), story.says(&["schema", "array"])).unwrap();
        story.says(&["create", "other", "schema.json"]);
        story.says(&["cat", "array", "--output", "back.jsonl", "--fields", fields]);
        story.says(&["import", "back.jsonl", "other"]);
        assert_eq!(story.says(&["cat", "other", "--format", "json", "--fields", fields]), cells, "{name}");
        for array in ["array", "other"] {
            story.says(&["rm", array]);
        }
        std::fs::remove_file(story.path("back.jsonl")).unwrap();
    }
    let mut child = Command::new(tool())
        .args(["import", "-", "piped", "--dims", "id"])
        .current_dir(story.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"id": 2, "v": "b"} {"id": 1, "v": "a"}"#).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(story.cells("piped", "id,v"), "id,v\n1,a\n2,b\n");
}

#[test]
fn json_values_of_other_types_are_errors() {
    let story = Story::new();
    story.file("numbers.json", r#"[{"a": 1}, {"a": 2}]"#);
    story.says(&["import", "numbers.json", "numbers"]);
    for (text, part) in [
        ("{\"a\": 1}\n{\"a\": \"2\"}", "line 2: column \"a\" has a text where earlier rows have a number"),
        ("{\"a\": 1}\n{\"a\": 2", "line 2"),
        ("[1, 2]", "a row must be a JSON object"),
        ("[{\"a\": 1}", "ends within its list"),
        ("{}", "no columns"),
    ] {
        story.file("wrong.json", text);
        let (code, error) = story.refuses(&["import", "wrong.json", "new"]);
        assert!(code == 3 && error.contains(part), "{text}: {code} {error}");
        assert!(!story.path("new").exists());
    }
    // Neither a text nor a boolean becomes an integer of an array that is there.
    for (value, part) in
        [("\"2\"", "there is a text"), ("true", "no value of datatype INT64"), ("1.5", "no value of datatype INT64")]
    {
        story.file("wrong.json", &format!("{{\"a\": {value}}}"));
        let (code, error) = story.refuses(&["import", "wrong.json", "numbers"]);
        assert!(code == 3 && error.contains(part), "{value}: {code} {error}");
    }
    assert_eq!(story.cells("numbers", "a"), "a\n1\n2\n");
}

#[test]
fn delimiters_of_csv_files_are_recognized_and_reported() {
    let story = Story::new();
    story.file("people.csv", "name;age\nAnn, Lee;5\nBo;6\n");
    let output = story.run(&["import", "people.csv", "people"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && notes.contains("fields are divided by ';'"), "{notes}");
    assert_eq!(story.cells("people", "name,age"), "name,age\n\"Ann, Lee\",5\nBo,6\n");
    let output = story.run(&["import", "people.csv", "texts", "--delimiter", ","]);
    assert_eq!(output.status.code(), Some(3));
}
