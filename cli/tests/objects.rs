//! `schema`, `create`, `count`, `meta`, `rm` and `mv`: what one prints another takes, and other files stay as they are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::process::Output;

use support::{Story, array, contents};

fn says(story: &Story, arguments: &[&str]) -> String {
    let output = story.tool(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refuses(story: &Story, arguments: &[&str], code: i32, words: &[&str]) {
    let Output { status, stderr, .. } = story.tool(arguments);
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(code), "{arguments:?}: {stderr}");
    assert!(words.iter().all(|word| stderr.contains(word)), "{arguments:?}: {stderr}");
}

/// A story with an array of rows, and files that are no arrays.
fn story() -> Story {
    let story = Story::new();
    std::fs::write(story.path().join("rows.csv"), "a,b\n1,x\n2,\n3,z\n").unwrap();
    says(&story, &["import", "rows.csv", "rows"]);
    std::fs::create_dir_all(story.path().join("folder/inner")).unwrap();
    std::fs::write(story.path().join("folder/inner/letter"), "dear").unwrap();
    story
}

/// The schemas of golden arrays, with filters, fill values and enumerations of all kinds, are those of their copies.
#[test]
fn created_schemas_equal_the_printed_ones() {
    let story = Story::new();
    let archive = support::project().join("tests/golden/v22.tar.gz");
    let list = std::process::Command::new("tar").arg("-tzf").arg(archive).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let cases: Vec<&str> =
        list.lines().filter_map(|line| line.trim_start_matches("./").strip_suffix("/array.tar")).collect();
    assert!(cases.len() > 30, "{}", cases.len());
    // Some of them, unless CASES=all, and those with a part of their own.
    let step = if std::env::var("CASES").is_ok_and(|cases| cases == "all") { 1 } else { cases.len() / 30 };
    let chosen = cases.iter().enumerate().filter(|(at, case)| at % step == 0 || case.contains("current_domain"));
    let (mut compared, mut current) = (0, 0);
    for case in chosen.map(|(_, case)| case).filter(|case| !case.contains("encrypt")) {
        story.unpack(&[&format!("v22/{case}")]);
        let uri = array(&story, case);
        let output = story.tool(&["schema", &uri]);
        assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stderr));
        std::fs::write(story.path().join("schema.json"), &output.stdout).unwrap();
        current += usize::from(String::from_utf8_lossy(&output.stdout).contains("current_domain"));
        says(&story, &["create", "copy", "schema.json"]);
        let copy = story.tool(&["schema", "copy"]);
        assert_eq!(String::from_utf8(copy.stdout).unwrap(), String::from_utf8(output.stdout).unwrap(), "{case}");
        says(&story, &["rm", "copy"]);
        std::fs::remove_dir_all(story.path().join(case)).unwrap();
        compared += 1;
    }
    assert!(compared > 20 && current > 0, "{compared} {current}");
}

const SCHEMA: &str = r#"{ "array_type": "sparse", "capacity": 100, "cell_order": "hilbert",
    "dimensions": [{ "name": "x", "type": "FLOAT64", "domain": [0.1, 1e300] },
                   { "name": "t", "type": "DATETIME_DAY", "domain": ["1970-01-01", "2100-01-01"], "tile": 7 }],
    "attributes": [{ "name": "a", "type": "INT32", "fill": -5, "filters": [{ "type": "ZSTD", "level": 7 }] },
                   { "name": "s", "type": "STRING_UTF8", "nullable": true }],
    "offsets_filters": [] }"#;

#[test]
fn invalid_schema_files_are_refused() {
    let story = story();
    let create = |text: &str| {
        std::fs::write(story.path().join("schema.json"), text).unwrap();
        ["create", "new", "schema.json"]
    };
    for (from, to, word) in [
        ("\"sparse\"", "\"spares\"", "schema.array_type"),
        ("\"capacity\": 100", "\"capacity\": 0", "schema.capacity"),
        ("\"capacity\": 100", "\"capacitance\": 100", "unknown key \"capacitance\""),
        ("\"hilbert\"", "\"random\"", "schema.cell_order"),
        ("\"FLOAT64\"", "\"FLOAT65\"", "schema.dimensions[0].type"),
        ("[0.1, 1e300]", "[0.1]", "schema.dimensions[0].domain"),
        ("[0.1, 1e300]", "[5, 1]", "schema.json"),
        ("\"1970-01-01\"", "\"1970-13-01\"", "schema.dimensions[1].domain"),
        ("\"tile\": 7", "\"tile\": \"week\"", "schema.dimensions[1].tile"),
        ("\"ZSTD\"", "\"ZZZ\"", "schema.attributes[0].filters[0].type"),
        ("\"level\": 7", "\"max_window\": 7", "schema.attributes[0].filters[0].max_window"),
        ("\"level\": 7", "\"level\": 7.5", "schema.attributes[0].filters[0].level"),
        ("\"fill\": -5", "\"fill\": 99999999999", "schema.attributes[0].fill"),
        ("\"fill\": -5", "\"cell_values\": 0", "schema.attributes[0].cell_values"),
        ("\"nullable\": true", "\"nullable\": 1", "schema.attributes[1].nullable"),
        ("\"nullable\": true", "\"enumeration\": \"e\"", "schema.attributes[1].enumeration"),
        ("\"name\": \"s\"", "\"name\": \"a\"", "schema.json"),
        ("\"name\": \"s\"", "\"name\": \"s\\u0000\"", "schema.json"),
        ("\"attributes\"", "\"Attributes\"", "unknown key"),
        ("\"offsets_filters\": []", "\"offsets_filters\": {}", "schema.offsets_filters"),
        ("\"offsets_filters\": []", "\"current_domain\": [[1, 2]]", "schema.current_domain"),
        ("\"offsets_filters\": []", "\"current_domain\": [[1, 2], [3]]", "schema.current_domain"),
        ("\"offsets_filters\": []", "\"current_domain\": [[-1, 2], [0, 1]]", "schema.json"),
        ("\"offsets_filters\": []", "\"current_domain\": [[1, [2, 3]], [0, 1]]", "schema.current_domain"),
        ("{ \"array_type\"", "[{ \"array_type\"", "no JSON"),
    ] {
        let text = SCHEMA.replacen(from, to, 1);
        assert_ne!(text, SCHEMA);
        refuses(&story, &create(&text), 3, &["schema.json", word]);
    }
    for text in
        ["", "5", "null", "[]", "{}", "\"", &"[".repeat(100_000), &format!("{}{}", "[".repeat(100), "]".repeat(100))]
    {
        refuses(&story, &create(text), 3, &["schema.json"]);
    }
    assert!(!story.path().join("new").exists());
    says(&story, &[&["create", "--dry-run"], &create(SCHEMA)[1..]].concat());
    assert!(!story.path().join("new").exists());
    says(&story, &create(SCHEMA));
    let schema: serde_json::Value = serde_json::from_str(&says(&story, &["schema", "new"])).unwrap();
    assert_eq!(schema["dimensions"][0]["domain"], serde_json::json!([0.1, 1e300]));
    assert_eq!(
        (&schema["attributes"][0]["fill"], &schema["attributes"][1]["cell_values"]),
        (&(-5).into(), &"var".into())
    );
    assert_eq!((&schema["offsets_filters"], &schema["cell_order"]), (&serde_json::json!([]), &"hilbert".into()));
    // Nothing takes the place of something else.
    refuses(&story, &create(SCHEMA), 2, &["new is an array already"]);
    refuses(&story, &["create", "folder", "schema.json"], 2, &["folder", "not empty", "--force"]);
    refuses(&story, &["create", "rows.csv", "schema.json"], 2, &["rows.csv is a file"]);
    refuses(&story, &["create", "--group", "folder"], 2, &["not empty"]);
    refuses(&story, &["create", "other", "missing.json"], 3, &["missing.json"]);
    refuses(&story, &["create", "other"], 2, &["<FILE>"]);
    refuses(&story, &["create", "other", "schema.json", "--group"], 2, &["--group"]);
    refuses(&story, &["schema", "folder"], 3, &["folder"]);
    says(&story, &["create", "--group", "group"]);
    refuses(&story, &["schema", "group"], 2, &["group is a group"]);
    refuses(&story, &["create", "group", "schema.json"], 2, &["group is a group"]);
    says(&story, &["create", "--force", "folder", "schema.json"]);
    assert_eq!(std::fs::read(story.path().join("folder/inner/letter")).unwrap(), b"dear");
}

#[test]
fn cells_are_counted() {
    let story = Story::new();
    story.unpack(&["v22/dense_query_conditions", "v22/sparse_nullable_all", "v22/deletes"]);
    let mut conditions = 0;
    for case in ["dense_query_conditions", "sparse_nullable_all", "deletes"] {
        let uri = array(&story, case);
        let schema: serde_json::Value = serde_json::from_str(&says(&story, &["schema", &uri])).unwrap();
        let mut selections = vec![Vec::new()];
        for attribute in schema["attributes"].as_array().unwrap() {
            let name = attribute["name"].as_str().unwrap();
            if attribute["cell_values"] == 1 && attribute["type"].as_str().unwrap().contains("INT") {
                selections.push(vec!["--where".to_owned(), format!("{name} > 5")]);
            }
            if attribute["nullable"] == true {
                selections.push(vec!["--where".to_owned(), format!("{name} is null")]);
            }
        }
        let dimension = schema["dimensions"][0]["name"].as_str().unwrap();
        selections.push(vec!["--range".to_owned(), format!("{dimension}=:{}", schema["dimensions"][0]["domain"][1])]);
        for selection in selections {
            let words: Vec<&str> = selection.iter().map(String::as_str).collect();
            let csv = says(&story, &[&["cat", &uri, "--format", "json"], &words[..]].concat());
            let counted = says(&story, &[&["count", &uri], &words[..]].concat());
            assert_eq!(counted.trim(), csv.lines().count().to_string(), "{case} {words:?}");
            conditions += usize::from(words.contains(&"--where"));
        }
    }
    assert!(conditions > 5, "{conditions}");
    let uri = array(&story, "deletes");
    let json: serde_json::Value = serde_json::from_str(&says(&story, &["count", "--json", &uri])).unwrap();
    assert!(json["cells"].as_u64().unwrap() > 0);
    refuses(&story, &["count", "missing"], 3, &["missing"]);
    refuses(&story, &["count", &uri, "--where", "("], 2, &["--where"]);
    refuses(&story, &["count", &uri, "--range", "nobody=1"], 2, &["nobody=1"]);
    let story = self::story();
    std::fs::write(story.path().join("empty.csv"), "a,b\n").unwrap();
    says(&story, &["import", "empty.csv", "empty"]);
    assert_eq!(says(&story, &["count", "empty"]), "0\n");
}

#[test]
fn metadata_are_set_and_deleted() {
    let story = story();
    says(&story, &["create", "--group", "group"]);
    for uri in ["rows", "group"] {
        assert_eq!(says(&story, &["meta", "list", uri]), "");
        for (key, values, kind, shown) in [
            ("int", &["5"][..], "INT64", "5"),
            ("negative", &["-5", "-7"], "INT64", "[-5, -7]"),
            ("real", &["1.5"], "FLOAT64", "1.5"),
            ("mixed", &["-1", "1.5"], "FLOAT64", "[-1, 1.5]"),
            ("large", &["18446744073709551615"], "UINT64", "18446744073709551615"),
            ("too large", &["18446744073709551616"], "STRING_UTF8", "18446744073709551616"),
            ("code", &["00501"], "STRING_UTF8", "00501"),
            ("text", &["a text, ä"], "STRING_UTF8", "a text, ä"),
            ("empty", &[""], "STRING_UTF8", ""),
            ("typed", &["--type", "UINT8", "1", "2", "3"], "UINT8", "[1, 2, 3]"),
            ("date", &["2024-05-31", "--type", "datetime_day"], "DATETIME_DAY", "2024-05-31"),
            ("flag", &["true", "--type", "BOOL"], "BOOL", "true"),
            ("control \u{1b}[31m", &["\u{202e}x"], "STRING_UTF8", "\\u{202e}x"),
            ("int", &["6"], "INT64", "6"),
        ] {
            says(&story, &[&["meta", "set", uri, key], values].concat());
            let got = says(&story, &["meta", "get", uri, key]);
            assert_eq!(got.trim_end_matches('\n'), shown, "{key}");
            let json: serde_json::Value =
                serde_json::from_str(&says(&story, &["meta", "get", "--json", uri, key])).unwrap();
            assert_eq!((&json["key"], &json["type"]), (&key.into(), &kind.into()));
        }
        let all: serde_json::Value = serde_json::from_str(&says(&story, &["meta", "list", "--json", uri])).unwrap();
        assert_eq!(all.as_array().unwrap().len(), 13);
        let printed = says(&story, &["meta", "list", uri]);
        assert!(printed.contains("control \\u{1b}[31m") && !printed.contains('\u{1b}'));
        // All keys exist, or none is deleted.
        refuses(&story, &["meta", "delete", uri, "int", "nobody"], 3, &["\"nobody\""]);
        says(&story, &["meta", "delete", uri, "int", "date"]);
        refuses(&story, &["meta", "get", uri, "int"], 3, &["\"int\""]);
        refuses(&story, &["meta", "delete", uri, "int"], 3, &["\"int\""]);
        for (values, word) in [
            (&["300", "--type", "UINT8"][..], "300"),
            (&["x", "--type", "NUMBER"], "NUMBER"),
            (&["a", "b"], "quote"),
            (&["a", "b", "--type", "STRING_UTF8"], "quote"),
            (&[], "<VALUE>"),
        ] {
            refuses(&story, &[&["meta", "set", uri, "wrong"], values].concat(), 2, &[word]);
        }
        refuses(&story, &["meta", "get", uri, "wrong"], 3, &["\"wrong\""]);
    }
    refuses(&story, &["meta", "list", "folder"], 3, &["folder is no array and no group"]);
    refuses(&story, &["meta", "set", "missing", "a", "5"], 3, &["missing is no array and no group"]);
}

#[test]
fn only_arrays_and_groups_are_removed() {
    let story = story();
    says(&story, &["create", "--group", "group"]);
    says(&story, &["create", "--group", "group/inner"]);
    says(&story, &["mv", "rows", "group/inner/rows"]);
    assert!(!story.path().join("rows").exists());
    let before = contents(story.path());
    for uri in ["folder", "rows.csv", "missing", "group/inner/rows/__schema", ""] {
        let output = story.tool(&["rm", uri]);
        assert!(!output.status.success(), "{uri}");
    }
    // The first of them is an array: nothing is removed unless all are objects.
    refuses(&story, &["rm", "group/inner/rows", "rows.csv"], 3, &["rows.csv is no array and no group"]);
    let printed = says(&story, &["rm", "--dry-run", "group"]);
    assert!(
        printed.contains("group/inner\n") && printed.contains("array ") && printed.contains("group/inner/rows"),
        "{printed}"
    );
    assert!(printed.contains("group: group would be removed, files:"), "{printed}");
    assert_eq!(contents(story.path()), before);
    let json: serde_json::Value = serde_json::from_str(&says(&story, &["rm", "--json", "--dry-run", "group"])).unwrap();
    assert_eq!(json["removed"][0]["inside"].as_array().unwrap().len(), 2);
    assert!(json["removed"][0]["bytes"].as_u64().unwrap() > 100);
    // What a link leads to is no part of the group.
    std::os::unix::fs::symlink(story.path().join("folder"), story.path().join("group/link")).unwrap();
    let printed = says(&story, &["rm", "group"]);
    assert!(printed.contains("group removed"), "{printed}");
    assert!(!story.path().join("group").exists());
    assert_eq!(std::fs::read(story.path().join("folder/inner/letter")).unwrap(), b"dear");
}

#[test]
fn objects_are_moved_to_free_places() {
    let story = story();
    says(&story, &["create", "--group", "group"]);
    let cells = says(&story, &["cat", "rows", "--format", "csv"]);
    let before = contents(story.path());
    for (from, to, code, word) in [
        ("rows", "group", 2, "group exists"),
        ("rows", "rows", 2, "rows is rows, or in it"),
        ("rows", "rows/", 2, "or in it"),
        ("rows", "rows/inner", 2, "or in it"),
        ("rows", "folder", 2, "folder exists"),
        ("rows", "rows.csv", 2, "rows.csv exists"),
        ("folder", "new", 3, "folder is no array and no group"),
        ("rows.csv", "new", 3, "rows.csv is no array and no group"),
        ("missing", "new", 3, "missing is no array and no group"),
    ] {
        refuses(&story, &["mv", from, to], code, &[word]);
    }
    says(&story, &["mv", "--dry-run", "rows", "new"]);
    assert_eq!(contents(story.path()), before);
    assert_eq!(says(&story, &["mv", "rows", "new"]), "rows: array moved to new\n");
    assert_eq!(says(&story, &["cat", "new", "--format", "csv"]), cells);
    says(&story, &["mv", "group", "other"]);
    assert_eq!(says(&story, &["ls", "other"]), "");
}

/// A link is neither removed nor renamed, and what is named twice is removed once.
#[test]
fn links_are_refused_and_repeated_names_removed_once() {
    let story = story();
    let cells = says(&story, &["cat", "rows", "--format", "csv"]);
    std::os::unix::fs::symlink("rows", story.path().join("link")).unwrap();
    for (link, arguments) in
        [("link", &["rm", "link"][..]), ("link/", &["rm", "link/"]), ("link", &["mv", "link", "new"])]
    {
        refuses(&story, arguments, 2, &[&format!("{link} is a symbolic link")]);
        assert_eq!(says(&story, &["cat", "rows", "--format", "csv"]), cells);
    }
    says(&story, &["create", "--group", "group"]);
    says(&story, &["create", "--group", "group/inner"]);
    let printed = says(&story, &["rm", "group/inner", "group", "rows", "rows/", "./rows"]);
    assert!(printed.matches(" removed, files").count() == 2 && printed.contains("group: group removed"), "{printed}");
    assert!(!story.path().join("group").exists() && !story.path().join("rows").exists());
}

/// What symbolic links lead to is not removed, and is not printed as removed.
#[test]
fn rm_of_a_group_lists_links_without_what_they_lead_to() {
    let story = story();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, story.path().join(name)).unwrap();
    std::fs::create_dir(story.path().join("disk")).unwrap();
    says(&story, &["import", "rows.csv", "disk/behind"]);
    says(&story, &["create", "--group", "group"]);
    says(&story, &["import", "rows.csv", "group/own"]);
    link("../rows", "group/linked");
    link("../disk", "group/sub");
    let before = contents(&story.path().join("rows"));
    let printed = says(&story, &["rm", "--dry-run", "group"]);
    let arrays: Vec<&str> = printed.lines().filter(|line| line.trim_start().starts_with("array ")).collect();
    assert!(arrays.len() == 1 && arrays[0].ends_with("group/own"), "{printed}");
    let links: Vec<&str> = printed.lines().filter(|line| line.trim_start().starts_with("symbolic link ")).collect();
    assert!(links.len() == 2 && links.iter().all(|line| line.ends_with(", without what it leads to")), "{printed}");
    let json: serde_json::Value = serde_json::from_str(&says(&story, &["rm", "--json", "group"])).unwrap();
    let removed = &json["removed"][0];
    assert_eq!(removed["inside"].as_array().unwrap().len(), 1, "{json}");
    assert_eq!(removed["links"].as_array().unwrap().len(), 2, "{json}");
    assert!(!story.path().join("group").exists());
    assert_eq!(contents(&story.path().join("rows")), before);
    assert!(story.path().join("disk/behind/__schema").exists());
}

/// Every manual page has the examples, the options and no line of another format.
#[test]
fn manual_pages_have_examples() {
    let story = Story::new();
    says(&story, &["man", "pages"]);
    let mut pages = 0;
    for page in std::fs::read_dir(story.path().join("pages")).unwrap().map(|page| page.unwrap()) {
        let text = std::fs::read_to_string(page.path()).unwrap();
        let name = page.file_name().into_string().unwrap();
        assert!(text.matches(".SH EXAMPLES\n").count() == 1 && text.contains(".B tiledb\\-rs"), "{name}");
        let command = name.trim_end_matches(".1").trim_start_matches("tiledb-rs").trim_start_matches('-');
        // Only metadata has commands of its own.
        let words = match command.strip_prefix("meta-") {
            Some(action) => vec!["meta", action, "--help"],
            None if command.is_empty() => vec!["--help"],
            None => vec![command, "--help"],
        };
        assert!(says(&story, &words).contains("Examples:\n"), "{name}");
        pages += 1;
    }
    assert!(pages > 25, "{pages}");
}

/// An error about what is no array says what is there, and which command is for it.
#[test]
fn errors_say_what_is_there_instead_of_an_array() {
    let story = story();
    std::fs::write(story.path().join("rows.parquet"), "PAR1....").unwrap();
    std::fs::write(story.path().join("rows.csv.gz"), b"\x1f\x8b\x08\0").unwrap();
    std::fs::write(story.path().join("nothing"), "").unwrap();
    for command in ["info", "head", "count", "schema", "picture", "consolidate", "advise"] {
        for (name, parts) in [
            ("rows.csv", &["rows.csv is no array, but a file", "tiledb-rs import FILE ARRAY"][..]),
            ("rows.parquet", &["but a Parquet file"]),
            ("rows.csv.gz", &["compressed with gzip", "gzip -dc FILE"]),
            ("nothing", &["but an empty file"]),
            ("folder", &["but a folder", "tiledb-rs ls"]),
            ("missing", &["missing is no array: nothing is there"]),
        ] {
            refuses(&story, &[command, name], 3, parts);
        }
    }
    let output = story.tool(&["-c", "sm.encryption_key=0123456789abcdef0123456789abcdef", "info", "rows"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("sm.encryption_key") && !error.contains("[TileDB::"), "{error}");
}

/// Another file system than that of temporary files, if there is one to write to.
fn other_file_system(story: &Story) -> Option<tempfile::TempDir> {
    use std::os::unix::fs::MetadataExt;

    let device = |path: &std::path::Path| path.metadata().map(|metadata| metadata.dev()).ok();
    let folders = [std::path::Path::new("/dev/shm"), std::path::Path::new("/var/tmp")];
    let other =
        folders.into_iter().find(|folder| device(folder).is_some_and(|one| Some(one) != device(story.path())))?;
    tempfile::tempdir_in(other).ok()
}

#[test]
fn objects_move_to_other_file_systems() {
    let story = story();
    let Some(other) = other_file_system(&story) else { return };
    let before = contents(&story.path().join("rows"));
    let target = other.path().join("moved");
    let target = target.to_str().unwrap();
    assert!(says(&story, &["mv", "rows", target]).contains("array moved"));
    assert!(!story.path().join("rows").exists());
    assert_eq!(contents(std::path::Path::new(target)), before);
    says(&story, &["create", "--group", "group"]);
    says(&story, &["mv", target, "group/rows"]);
    let group = other.path().join("group");
    says(&story, &["mv", "group", group.to_str().unwrap()]);
    assert_eq!(contents(&group.join("rows")), before);
    assert!(!story.path().join("group").exists());
}

#[test]
fn statistics_are_those_of_the_selected_cells() {
    let story = Story::new();
    std::fs::write(story.path().join("rows.csv"), "d,a,s\n1,5,x\n2,,y\n3,10,\n4,-1,z\n").unwrap();
    says(&story, &["import", "rows.csv", "rows", "--dims", "d"]);
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&says(&story, &[&["stats", "--json", "rows"], arguments].concat())).unwrap()
    };
    let all = json(&[]);
    assert_eq!(all["cells"], 4);
    let field = |all: &serde_json::Value, name: &str| {
        all["fields"].as_array().unwrap().iter().find(|field| field["name"] == name).unwrap().clone()
    };
    let a = field(&all, "a");
    assert_eq!((&a["min"], &a["max"], &a["nulls"]), (&(-1).into(), &10.into(), &1.into()));
    assert!((a["mean"].as_f64().unwrap() - 14.0 / 3.0).abs() < 1e-9);
    assert_eq!((&field(&all, "d")["min"], &field(&all, "d")["max"]), (&1.into(), &4.into()));
    let some = json(&["--where", "a > 0", "--fields", "a"]);
    assert_eq!((&some["cells"], some["fields"].as_array().unwrap().len()), (&2.into(), 1));
    assert_eq!(some["fields"][0]["min"], 5);
    let shown = says(&story, &["stats", "rows", "--range", "d=2:3"]);
    assert!(shown.starts_with("FIELD") && shown.contains("cells: 2"), "{shown}");
    refuses(&story, &["stats", "rows", "--fields", "b"], 2, &["no field \"b\""]);
}

#[test]
fn differences_of_arrays_are_listed() {
    let story = Story::new();
    std::fs::write(story.path().join("left.csv"), "d,a,b\n1,5,x\n2,6,y\n3,7,z\n").unwrap();
    std::fs::write(story.path().join("right.csv"), "d,a,b\n1,5,x\n2,9,y\n4,7,z\n").unwrap();
    for (file, array) in [("left.csv", "left"), ("right.csv", "right")] {
        says(&story, &["import", file, array, "--dims", "d"]);
    }
    says(&story, &["copy", "left", "same"]);
    assert!(says(&story, &["diff", "left", "same"]).ends_with("equal cells: 3, different cells: 0\n"));
    says(&story, &["meta", "set", "right", "source", "here"]);
    let output = story.tool(&["diff", "--json", "left", "right"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["equal"], &report["cells"]["equal"], &report["cells"]["different"]),
        (&false.into(), &1.into(), &3.into())
    );
    assert_eq!(report["cells"]["listed"][0], serde_json::json!({ "coordinates": "2", "left": "a=6", "right": "a=9" }));
    assert_eq!(report["cells"]["listed"][1]["right"], "(none)");
    assert_eq!(report["metadata"][0]["name"], "source");
    // Dense arrays, and another schema.
    for file in ["left", "right"] {
        says(&story, &["import", &format!("{file}.csv"), &format!("dense_{file}")]);
    }
    let text = String::from_utf8(story.tool(&["diff", "dense_left", "dense_right"]).stdout).unwrap();
    assert!(text.contains("equal cells: 1, different cells: 2"), "{text}");
    let text = String::from_utf8(story.tool(&["diff", "left", "dense_left"]).stdout).unwrap();
    assert!(text.contains("array_type") && text.contains("cells are not compared"), "{text}");
}

#[test]
fn cells_and_attributes_are_changed() {
    let story = Story::new();
    std::fs::write(story.path().join("rows.csv"), "d,a\n1,5\n2,6\n3,7\n").unwrap();
    std::fs::write(story.path().join("more.csv"), "d,a\n4,8\n").unwrap();
    refuses(&story, &["append", "rows.csv", "rows"], 3, &["rows is no array: nothing is there"]);
    says(&story, &["import", "rows.csv", "rows", "--dims", "d"]);
    says(&story, &["append", "more.csv", "rows"]);
    let cells = |fields: &str| says(&story, &["cat", "rows", "--format", "csv", "--fields", fields]);
    assert_eq!(cells("a"), "a\n5\n6\n7\n8\n");
    assert_eq!(
        says(&story, &["delete", "rows", "--where", "a > 6", "--dry-run"]),
        "delete: nothing is done; cells: 2\n"
    );
    assert_eq!(says(&story, &["delete", "rows", "--where", "a > 6"]), "delete: cells: 2\n");
    assert_eq!(cells("a"), "a\n5\n6\n");
    assert_eq!(
        says(&story, &["evolve", "rows", "--add", "note=STRING_UTF8?", "--add", "n=INT32?", "--drop", "a"]),
        "evolve: added: note, n; dropped: a\n"
    );
    assert_eq!(cells("d,note,n"), "d,note,n\n1,,\n2,,\n");
    for (arguments, words) in [
        (&["--drop", "b"][..], "there are note, n"),
        (&["--drop", "note", "--drop", "n"], "keeps one attribute"),
        (&["--add", "d=INT32"], "there is a field of this name"),
        (&["--add", "x=INT33"], "is no datatype"),
        (&["--add", "x"], "write NAME=TYPE"),
    ] {
        refuses(&story, &[&["evolve", "rows"], arguments].concat(), 2, &[words]);
    }
    says(&story, &["import", "rows.csv", "dense"]);
    refuses(&story, &["delete", "dense", "--where", "a > 6"], 2, &["dense is dense"]);
}

#[test]
fn new_fragments_are_printed() {
    let story = story();
    let shown = says(&story, &["watch", "--json", "--all", "--limit", "1", "rows"]);
    let fragment: serde_json::Value = serde_json::from_str(shown.trim_end()).unwrap();
    assert_eq!((fragment["cells"].as_u64(), fragment["timestamps"].as_array().unwrap().len()), (Some(10_000), 2));
    let mut command = std::process::Command::new(support::tool());
    command.args(["watch", "--interval", "0", "--limit", "1", "rows"]).current_dir(story.path());
    let watch = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    // The watch may begin after a fragment is written: one is written until it sees one.
    let mut watch = Some(watch);
    for _ in 0..100 {
        says(&story, &["append", "rows.csv", "rows"]);
        if watch.as_mut().unwrap().try_wait().unwrap().is_some() {
            break;
        }
    }
    let output = watch.take().unwrap().wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && shown.contains("cells: ") && shown.lines().count() == 1, "{shown}");
}

#[test]
fn keys_are_read_from_files() {
    let story = story();
    let key = "0123456789abcdef0123456789abcdef";
    std::fs::write(story.path().join("key"), format!("{key}\n")).unwrap();
    std::fs::write(story.path().join("short"), "0123").unwrap();
    says(&story, &["--key-file", "key", "import", "rows.csv", "secret"]);
    refuses(&story, &["count", "secret"], 3, &["sm.encryption_key"]);
    assert_eq!(says(&story, &["--key-file", "key", "count", "secret"]), "3\n");
    let mut command = std::process::Command::new(support::tool());
    command.args(["count", "secret"]).current_dir(story.path()).env("TILEDB_RS_KEY_FILE", "key");
    assert_eq!(command.output().unwrap().stdout, b"3\n");
    refuses(&story, &["--key-file", "short", "count", "secret"], 2, &["the key has 4 bytes", "32"]);
    refuses(&story, &["--key-file", "missing", "count", "secret"], 2, &["--key-file missing"]);
    let set = format!("sm.encryption_key={key}");
    let output = story.tool(&["-c", &set, "-c", "sm.encryption_type=AES_256_GCM", "count", "secret"]);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && warning.contains("--key-file") && !warning.contains(key), "{warning}");
}

#[test]
fn errors_are_json_where_the_output_is() {
    let story = story();
    for (arguments, code, words) in [
        (&["info", "missing"][..], 3, "missing is no array"),
        (&["head", "rows", "--fields", "x"], 2, "there is no field"),
        (&["head"], 2, "required arguments"),
        (&["meta", "get", "rows", "x"], 3, "no metadata"),
    ] {
        let output = story.tool(&[arguments, &["--json"]].concat());
        let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!((output.status.code(), &error["exit_code"]), (Some(code), &code.into()), "{error}");
        assert!(error["error"].as_str().unwrap().contains(words) && output.stdout.is_empty(), "{error}");
    }
    let picture: serde_json::Value = serde_json::from_str(&says(&story, &["--json", "picture", "rows"])).unwrap();
    assert_eq!(picture["file"], "rows.html");
}

#[test]
fn descriptions_with_a_key_twice_or_endless_filters_are_refused() {
    let story = story();
    let schema = says(&story, &["schema", "rows"]);
    let twice = schema.replacen("\"array_type\":", "\"array_type\": \"dense\", \"array_type\":", 1);
    assert_ne!(twice, schema);
    std::fs::write(story.path().join("twice.json"), twice).unwrap();
    refuses(&story, &["create", "new", "twice.json"], 3, &["the key \"array_type\" is there twice"]);
    let mut endless: serde_json::Value = serde_json::from_str(&schema).unwrap();
    endless["attributes"][0]["filters"] = serde_json::json!(vec![serde_json::json!({ "type": "ZSTD" }); 1001]);
    std::fs::write(story.path().join("endless.json"), endless.to_string()).unwrap();
    refuses(&story, &["create", "new", "endless.json"], 3, &["1001 filters"]);
}
