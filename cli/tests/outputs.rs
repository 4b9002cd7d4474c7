//! Output failures: a command ends silently if the reader closes the pipe; full disks and missing files are errors that
//! name the file; invalid arguments are rejected with the valid ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use support::{Story, tool};

/// An array and a group.
fn story() -> Story {
    let story = Story::new();
    story.unpack(&["v22/sparse_nullable_all", "v22/group_members", "v22/dense_query_conditions"]);
    std::fs::write(story.path().join("rows.csv"), "a,day\n1,2024-02-03\n").unwrap();
    std::fs::write(story.path().join("wrong.csv"), "a,day\n1,2024-02-03\nx,2024-02-04\n").unwrap();
    std::fs::write(story.path().join("cut.arrow"), "ARROW1\0\0 and no more").unwrap();
    std::fs::write(story.path().join("empty.csv"), "").unwrap();
    assert!(story.tool(&["import", "rows.csv", "rows"]).status.success());
    assert!(story.tool(&["meta", "set", "rows", "key", "value"]).status.success());
    let schema = story.tool(&["schema", "rows"]);
    std::fs::write(story.path().join("schema.json"), schema.stdout).unwrap();
    story
}

const ARRAY: &str = "sparse_nullable_all/array";
const PRINTS: [&[&str]; 26] = [
    &["ls", "."],
    &["tree", "."],
    &["tree", "--json", "."],
    &["info", ARRAY],
    &["info", "--json", ARRAY],
    &["head", ARRAY],
    &["cat", ARRAY],
    &["cat", ARRAY, "--format", "csv"],
    &["cat", ARRAY, "--format", "json"],
    &["cat", ARRAY, "--format", "arrow"],
    &["cat", ARRAY, "--format", "arrow-stream"],
    &["cat", ARRAY, "--format", "parquet"],
    &["cat", "rows", "--format", "npy", "--fields", "a"],
    &["schema", ARRAY],
    &["create", "--dry-run", "new", "schema.json"],
    &["count", ARRAY],
    &["meta", "get", "rows", "key"],
    &["meta", "list", "rows"],
    &["rm", "--dry-run", "rows"],
    &["advise", ARRAY],
    &["verify", ARRAY],
    &["picture", ARRAY, "-o", "-"],
    &["maintain", "--dry-run", ARRAY],
    &["consolidate", "--dry-run", ARRAY],
    &["import", "rows.csv", "other", "--dry-run"],
    &["completion", "bash"],
];

#[test]
fn closed_output_pipe_ends_the_tool_quietly() {
    let story = story();
    for arguments in PRINTS {
        let mut command = Command::new(tool());
        command.args(arguments).current_dir(story.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn full_disks_are_errors() {
    let story = story();
    let check = |arguments: &[&str], to: Stdio| {
        let output = Command::new(tool()).args(arguments).current_dir(story.path()).stdout(to).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {stderr}");
        assert!(stderr.contains("No space left on device"), "{arguments:?}: {stderr}");
    };
    for arguments in PRINTS {
        check(arguments, File::options().write(true).open("/dev/full").unwrap().into());
    }
    for format in ["csv", "json", "arrow", "arrow-stream", "parquet"] {
        check(&["cat", ARRAY, "--format", format, "-o", "/dev/full"], Stdio::null());
    }
    check(&["picture", ARRAY, "-o", "/dev/full"], Stdio::null());
}

/// Arguments, the exit code, and words of the message.
const REFUSED: [(&[&str], i32, &[&str]); 34] = [
    (&["cat", ARRAY, "--format", "csv", "-o", "no/folder/x.csv"], 3, &["no/folder/x.csv", "No such file"]),
    (&["picture", ARRAY, "-o", "no/folder/x.html"], 3, &["no/folder/x.html", "No such file"]),
    (&["cat", ARRAY, "-o", "x.txt"], 2, &["--output", "--format"]),
    (&["cat", ARRAY, "--range", "d=9:5"], 2, &["d=9:5", "9 is above 5", "lower bound first"]),
    (&["cat", "rows", "--range", "row=-9:-5"], 2, &["row=-9:-5", "the domain is 0 .."]),
    (&["picture", "rows", "-o", "-", "--range", "row=-9:-5"], 2, &["row=-9:-5", "the domain is 0 .."]),
    (&["cat", ARRAY, "--range", "d=a:b"], 2, &["\"a\" is no value of datatype"]),
    (&["cat", ARRAY, "--range", "5"], 2, &["DIM=LOW:HIGH"]),
    (
        &["cat", ARRAY, "--from", "10ms", "--to", "5ms"],
        2,
        &["--from 1970-01-01T00:00:00.010 is after --to 1970-01-01T00:00:00.005"],
    ),
    (
        &["info", ARRAY, "--from", "10ms", "--to", "5ms"],
        2,
        &["--from 1970-01-01T00:00:00.010 is after --to 1970-01-01T00:00:00.005"],
    ),
    (
        &["picture", ARRAY, "--from", "10ms", "--to", "5ms"],
        2,
        &["--from 1970-01-01T00:00:00.010 is after --to 1970-01-01T00:00:00.005"],
    ),
    (&["cat", ARRAY, "-n", "many"], 2, &["many"]),
    (&["cat", ARRAY, "--format", "xml"], 2, &["csv", "json", "arrow"]),
    (&["cat", ARRAY, "--where", "d >"], 2, &["--where"]),
    (&["cat", ARRAY, "--where", "d = 5 or"], 2, &["--where"]),
    (&["consolidate", ARRAY, "--mode", "all"], 2, &["fragment-meta"]),
    (&["-c", "sm.memory_budget=many", "info", ARRAY], 2, &["sm.memory_budget=many"]),
    (&["-c", "sm.memory_budget", "info", ARRAY], 2, &["-c sm.memory_budget: there is no '='", "KEY=VALUE"]),
    (&["--config", "nofile", "info", ARRAY], 3, &["nofile"]),
    (&["frobnicate"], 2, &["frobnicate"]),
    (&["cat", "group_members/group"], 3, &["group_members/group"]),
    (&["verify", "rows.csv"], 3, &["rows.csv is no array and no group"]),
    (&["vacuum", "group_members/group"], 3, &["group_members/group is no array"]),
    (&["import", "nofile.csv", "x"], 3, &["nofile.csv", "No such file"]),
    (&["import", "rows", "x"], 3, &["rows", "directory"]),
    (&["import", "empty.csv", "x"], 3, &["empty.csv has no columns"]),
    (&["import", "cut.arrow", "x"], 3, &["cut.arrow"]),
    (&["import", "rows.csv", "x", "--dims", "nobody"], 2, &["nobody", "day"]),
    (&["import", "rows.csv", "x", "--dims", "a,a"], 2, &["\"a\" twice"]),
    (&["import", "rows.csv", "x", "--type", "a=FOO"], 2, &["FOO", "INT64"]),
    (&["import", "rows.csv", "x", "--type", "a"], 2, &["COLUMN=DATATYPE"]),
    (&["import", "rows.csv", "x", "--type", "nobody=INT64"], 2, &["nobody", "day"]),
    (&["import", "rows.csv", "x", "--delimiter", "ab"], 2, &["one character"]),
    (&["import", "wrong.csv", "rows"], 3, &["wrong.csv", "line 3", "\"x\"", "a"]),
];

#[test]
fn contradictory_arguments_are_refused() {
    let story = story();
    let mut wrong = Vec::new();
    for (arguments, code, words) in REFUSED {
        let output = story.tool(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        if output.status.code() != Some(code) || words.iter().any(|word| !stderr.contains(word)) {
            wrong.push(format!("{arguments:?}: {}, not {code} with {words:?}: {stderr}", output.status));
        }
        assert!(!story.path().join("x").exists(), "{arguments:?} makes an array");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files beside the arrays of the story.
fn files(story: &Story) -> Vec<String> {
    let names = std::fs::read_dir(story.path()).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = names
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_dash_is_the_standard_output() {
    let story = story();
    let before = files(&story);
    for format in ["csv", "json", "arrow", "arrow-stream", "parquet", "table"] {
        let cat = |more: &[&str]| {
            let output = story.tool(&[&["cat", ARRAY, "--format", format], more].concat());
            assert!(output.status.success(), "{format}");
            output.stdout
        };
        assert_eq!(cat(&["-o", "-"]), cat(&[]), "{format}");
    }
    assert_eq!(files(&story), before);
}

#[test]
fn output_file_is_replaced_as_a_whole() {
    let story = story();
    let before = files(&story);
    let number = |row: usize| (row * 7919) % 10_007;
    let rows: String = (0..60_000).map(|row| format!("{},{}\n", number(row), number(row + 1))).collect();
    std::fs::write(story.path().join("rows.csv"), format!("a,b\n{rows}")).unwrap();
    assert!(story.tool(&["import", "rows.csv", "large"]).status.success());
    let tool = tool();
    for (command, file) in [
        ("cat large --format csv -o out.csv", "out.csv"),
        ("cat large --format json -o out.json", "out.json"),
        ("cat large --format arrow -o out.arrow", "out.arrow"),
        ("cat large -o out.arrows", "out.arrows"),
        ("cat large -o out.parquet", "out.parquet"),
        ("cat large --fields a -o out.npy", "out.npy"),
        ("picture large -o out.html", "out.html"),
    ] {
        for old in [None, Some("old")] {
            let path = story.path().join(file);
            match old {
                Some(old) => std::fs::write(&path, old).unwrap(),
                None => _ = std::fs::remove_file(&path),
            }
            // No file may be longer than 16 KiB.
            let script = format!("trap '' XFSZ; ulimit -f 32; exec {} {command}", tool.display());
            let output = Command::new("sh").args(["-c", &script]).current_dir(story.path()).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{command}: {stderr}");
            assert!(stderr.contains(file) && stderr.contains("File too large"), "{command}: {stderr}");
            assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), old, "{command}");
            _ = std::fs::remove_file(&path);
            assert_eq!(files(&story), before, "{command}");
        }
        assert!(story.tool(&command.split(' ').collect::<Vec<_>>()).status.success());
        assert!(story.path().join(file).metadata().unwrap().len() > 20_000);
        std::fs::remove_file(story.path().join(file)).unwrap();
    }
    // What a link leads to is replaced, with its rights.
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(story.path().join("target.csv"), "old").unwrap();
    std::fs::set_permissions(story.path().join("target.csv"), PermissionsExt::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("target.csv", story.path().join("link.csv")).unwrap();
    assert!(story.tool(&["cat", "rows", "--format", "csv", "-o", "link.csv"]).status.success());
    assert!(story.path().join("link.csv").is_symlink());
    let target = story.path().join("target.csv");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "row,a,day\n0,1,2024-02-03\n");
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
