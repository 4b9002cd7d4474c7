//! `tiledb-rs verify` on valid and corrupt arrays, in a folder and in S3.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::path::Path;

use support::Story;

/// Changes a byte of a file.
fn damage(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 0x40;
    std::fs::write(path, bytes).unwrap();
}

/// The files below a folder whose name this is.
fn files(folder: &Path, name: &str, paths: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            files(&entry.path(), name, paths);
        } else if entry.file_name() == name {
            paths.push(entry.path());
        }
    }
    paths.sort();
}

#[test]
fn verify_reports_damaged_arrays_only() {
    let mut story = Story::new();
    story.unpack(&["v22/consolidated_sparse_dups", "v22/dense_query_conditions"]);
    let (sparse, dense) = ("consolidated_sparse_dups/array", "dense_query_conditions/array");
    story.run(&["verify", sparse, dense]).run(&["verify", "--json", sparse]);
    let mut paths = Vec::new();
    files(&story.path().join(sparse), "a0.tdb", &mut paths);
    let length = std::fs::metadata(&paths[0]).unwrap().len() as usize;
    damage(&paths[0], length - 1);
    story.run(&["verify", sparse, dense]).run(&["verify", "nowhere"]).run(&["verify"]);
    let report = story.tool(&["verify", "--json", sparse]);
    assert_eq!(report.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let finding = &report[0]["findings"][0];
    assert_eq!((&finding["severity"], &finding["field"]), (&"error".into(), &"a".into()), "{report:#}");
    assert!(finding["file"].as_str().unwrap().ends_with("/a0.tdb"), "{report:#}");
    story.is_as("verify");
}

/// A fragment whose commit follows a delete commit in a file of many, and which was replaced and vacuumed, is missed by nobody.
#[test]
fn commits_after_delete_commits_are_verified() {
    let story = Story::new();
    story.unpack(&["v22/deletes_commits_consolidated"]);
    let array = support::array(&story, "deletes_commits_consolidated");
    let commits = std::fs::read_dir(story.path().join(&array).join("__commits")).unwrap();
    let mut paths = commits.map(|entry| entry.unwrap().path());
    let path = paths.find(|path| path.extension().is_some_and(|extension| extension == "con")).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let place = |name: &[u8]| bytes.windows(name.len()).position(|part| part == name).unwrap();
    let (delete, next) = (place(b"__commits/__30_30"), place(b"__commits/__31_31"));
    std::fs::write(&path, [&bytes[delete..next], &bytes[..delete], &bytes[next..]].concat()).unwrap();
    for command in ["verify", "consolidate", "vacuum", "verify"] {
        let output = story.tool(&[command, &array]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && (command != "verify" || text.contains(": sound (")), "{command}: {text}");
    }
}

#[test]
fn tiles_beyond_the_budget_are_reported_as_not_verified() {
    let story = Story::new();
    let rows: String = (0..100_000).map(|row| format!("{row}\n")).collect();
    std::fs::write(story.path().join("rows.csv"), format!("a\n{rows}")).unwrap();
    assert!(story.tool(&["import", "rows.csv", "x", "--tile", "100000"]).status.success());
    for (budget, verdict) in [("100000000", "x: sound ("), ("300000", "x: no findings, not verified: 1 tile (")] {
        let output = story.tool(&["-c", &format!("sm.mem.total_budget={budget}"), "verify", "x"]);
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && stdout.contains(verdict), "{stdout}");
    }
}

#[test]
fn absent_group_members_are_reported() {
    let story = Story::new();
    story.unpack(&["v22/group_members"]);
    std::fs::remove_dir_all(story.path().join("group_members/group/dense1")).unwrap();
    let output = story.tool(&["verify", "group_members/group"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("It is a member of the group group_members/group, and nothing is there"), "{stdout}");
    assert_eq!(stdout.matches(": sound (files: ").count(), 2, "the others are looked at: {stdout}");
}
