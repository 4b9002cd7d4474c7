//! `copy`: the copy equals the source, also after an interruption.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use support::{Story, array, bucket, compile, contents, example, flights, project, tool};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(tool()).args(arguments).current_dir(folder).env_remove("RUST_BACKTRACE").output().unwrap()
}

/// What a call that must succeed prints.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a call that must fail says.
fn refused(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = run(folder, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

fn cells(folder: &Path, array: &str) -> String {
    said(folder, &["cat", array, "--format", "csv"])
}

#[test]
fn arrays_of_all_versions_are_copied() {
    let story = Story::new();
    let here = story.path();
    let cases = [
        "v3/sparse_2d__1.6.3",
        "v5/consolidated_meta__2.0.8",
        "v5/consolidated_sparse__2.0.8",
        "v11/dense_types__2.7.2",
        "v22/consolidated_sparse_fragments",
        "v22/consolidated_sparse_dups",
        "v22/consolidated_dense_everything",
        "v22/deletes_commits_consolidated",
        "v22/deleted_fragments_consolidated_commits",
    ];
    story.unpack(&cases);
    for case in cases {
        let array = &array(&story, case.split_once('/').unwrap().1);
        let copied = said(here, &["copy", array, "copy"]);
        assert!(copied.starts_with("copy: arrays: 1, groups: 0, files: "), "{copied}");
        assert_eq!(contents(&here.join("copy")), contents(&here.join(array)), "{case}");
        assert_eq!(cells(here, "copy"), cells(here, array), "{case}");
        // Once more there is nothing to do.
        let again = said(here, &["copy", array, "copy/", "--check"]);
        assert!(again.contains("files: 0, bytes: 0, ") && again.contains("differing: 0"), "{again}");
        std::fs::remove_dir_all(here.join("copy")).unwrap();
    }
}

/// Of an encrypted array no key is needed; with it the copy is read.
#[test]
fn encrypted_array_is_copied_without_its_key() {
    let story = Story::new();
    let here = story.path();
    story.unpack(&["v11/encrypted__2.7.2"]);
    let array = &array(&story, "encrypted__2.7.2");
    said(here, &["copy", array, "copy"]);
    assert_eq!(contents(&here.join("copy")), contents(&here.join(array)));
}

/// Fragments without a commit are not copied, and those that such a copy left are no hindrance.
#[test]
fn fragments_without_a_commit_are_not_copied() {
    let story = Story::new();
    let here = story.path();
    story.unpack(&["v22/dense_query_conditions"]);
    let array = &array(&story, "dense_query_conditions");
    let unfinished = "__fragments/__5_5_0123456789abcdef0123456789abcdef_22";
    for root in [array, "copy"] {
        std::fs::create_dir_all(here.join(root).join(unfinished)).unwrap();
        std::fs::write(here.join(root).join(unfinished).join("a0.tdb"), "part").unwrap();
    }
    let dry = said(here, &["copy", array, "copy", "--dry-run"]);
    assert!(dry.contains("nothing is done") && contents(&here.join("copy")).len() == 1, "{dry}");
    std::fs::remove_dir_all(here.join("copy")).unwrap();
    said(here, &["copy", array, "copy"]);
    assert!(!here.join("copy").join(unfinished).exists());
    assert_eq!(cells(here, "copy"), cells(here, array));
}

#[test]
fn copy_refuses_targets_with_other_contents() {
    let story = Story::new();
    let here = story.path();
    story.unpack(&["v22/dense_query_conditions", "v22/deletes", "v3/sparse_2d__1.6.3", "v3/dense_2d__1.6.3"]);
    let names = ["dense_query_conditions", "deletes", "sparse_2d__1.6.3", "dense_2d__1.6.3"];
    let [dense, deletes, old, other] = &names.map(|name| array(&story, name));
    let before = contents(here);
    let text = refused(here, &["copy", dense, deletes], 3);
    assert!(text.contains("is not an earlier copy: it has __commits/"), "{text}");
    refused(here, &["copy", old, other], 3);
    let text = refused(here, &["copy", dense, &format!("{dense}/inside")], 2);
    assert!(text.contains("lie in one another"), "{text}");
    refused(here, &["copy", dense, dense], 2);
    refused(here, &["copy", "nowhere", "copy"], 3);
    assert_eq!(contents(here), before);

    // A half-written file is written anew, one with other contents if asked for.
    said(here, &["copy", dense, "copy"]);
    let data = before.keys().find(|path| path.starts_with(dense) && path.ends_with("a0.tdb")).unwrap();
    let copied = here.join("copy").join(data.strip_prefix(dense).unwrap());
    let whole = std::fs::read(&copied).unwrap();
    std::fs::write(&copied, &whole[..whole.len() / 2]).unwrap();
    let text = said(here, &["copy", dense, "copy"]);
    assert!(text.contains(&format!("files: 1, bytes: {}", whole.len())), "{text}");
    std::fs::write(&copied, vec![7; whole.len()]).unwrap();
    assert!(said(here, &["copy", dense, "copy"]).contains("files: 0"));
    refused(here, &["copy", dense, "copy", "--check", "--dry-run"], 1);
    assert!(said(here, &["copy", dense, "copy", "--check"]).contains("differing: 1"));
    assert!(said(here, &["copy", dense, "copy", "--check", "--dry-run"]).contains("files: 0"));
    assert_eq!(std::fs::read(&copied).unwrap(), whole);
}

/// Stopped or killed in the middle of a large file, a copy is no array; the next one brings it to its end.
#[test]
fn interrupted_copy_of_a_large_file_is_completed_by_the_next() {
    const LARGE: u64 = 192 << 20;
    let story = Story::new();
    let here = story.path();
    story.unpack(&["v22/consolidated_sparse_fragments"]);
    let array = &array(&story, "consolidated_sparse_fragments");
    let fragments = here.join(array).join("__fragments");
    let fragment = std::fs::read_dir(&fragments).unwrap().map(|entry| entry.unwrap().path()).min().unwrap();
    // A file that readers do not look at makes the fragment large.
    std::fs::File::create(fragment.join("z.tdb")).unwrap().set_len(LARGE).unwrap();
    let expected = cells(here, array);
    let large = here.join("copy").join(fragment.strip_prefix(here.join(array)).unwrap()).join("z.tdb");
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let mut child = Command::new(tool())
            .args(["copy", array, "copy"])
            .current_dir(here)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !std::fs::metadata(&large).is_ok_and(|metadata| metadata.len() > 0) {
            assert!(child.try_wait().unwrap().is_none(), "the copy came to its end");
            // The copy gets the processor, which this test may not have much of.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let number = child.id().to_string();
        assert!(Command::new("kill").args([signal, &number]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        let commits = here.join("copy/__commits");
        assert_eq!(std::fs::read_dir(commits).map_or(0, Iterator::count), 0, "{signal}: no commit");
        assert!(refused(here, &["cat", "copy"], 3).contains("copy is no array"), "{signal}");
    }
    said(here, &["copy", array, "copy"]);
    assert_eq!(cells(here, "copy"), expected);
    assert_eq!(std::fs::metadata(large).unwrap().len(), LARGE);
    assert!(said(here, &["copy", array, "copy", "--check"]).contains("files: 0"));
}

#[test]
fn groups_are_copied_with_their_members() {
    let story = Story::new();
    let here = &story.path().canonicalize().unwrap();
    story.unpack(&["v22/group_members"]);
    let group = &array(&story, "group_members");
    said(here, &["copy", group, "copy"]);
    let without_root = |text: String| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(without_root(said(here, &["tree", "copy"])), without_root(said(here, &["tree", group])));
    let again = said(here, &["copy", group, "copy"]);
    assert!(again.contains("files: 0, bytes: 0"), "{again}");

    let program = compile(&project().join("cli/tests/copy_group.c"), &here.join("program"));
    let place = |name: &str| format!("file://{}/{name}", here.display());
    let output = Command::new(program).args([place("made"), place("other")]).current_dir(here).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = said(here, &["copy", "made", "moved"]);
    assert!(text.contains(&format!("stays where it is: {}", place("other"))), "{text}");
    assert!(text.contains("members lead into the copy: moved\n"), "{text}");
    std::fs::remove_dir_all(here.join("made")).unwrap();
    let uris = |group: &str| {
        let all: serde_json::Value = serde_json::from_str(&said(here, &["ls", "--json", group])).unwrap();
        all.as_array().unwrap().iter().map(|member| member["uri"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(uris("moved"), [place("moved/inner/deep"), place("other"), place("moved/inner")]);
    assert_eq!(uris("moved/inner/deep"), [place("moved/inner")]);
}

/// To a store and back: the environment names its server, as `make test-tool` has it.
#[test]
fn copy_in_s3_and_back_has_the_same_contents() {
    let (Ok(endpoint), Ok("s3")) =
        (std::env::var("TILEDB_VFS_S3_ENDPOINT_OVERRIDE"), std::env::var("STORE").as_deref())
    else {
        println!("skipped: there is no server; make test-tool starts one");
        return;
    };
    bucket(&endpoint, "copies");
    let story = Story::new();
    let here = story.path();
    flights(&example("flights", here), ".", here);
    story.unpack(&["v22/group_members", "v5/consolidated_sparse__2.0.8"]);
    let group = &array(&story, "group_members");
    let old = &array(&story, "consolidated_sparse__2.0.8");
    for (at, array) in [old, "flights", "weather"].iter().enumerate() {
        let (far, back) = (&format!("s3://copies/{at}"), &format!("back{at}"));
        said(here, &["copy", array, far]);
        assert!(said(here, &["copy", array, far, "--check"]).contains("files: 0"), "{array}");
        assert_eq!(cells(here, far), cells(here, array), "{array}");
        said(here, &["copy", far, back]);
        assert_eq!(contents(&here.join(back)), contents(&here.join(array)), "{array}");
    }
    said(here, &["copy", group, "s3://copies/group"]);
    said(here, &["copy", "s3://copies/group", "group"]);
    let without_root = |text: String| text.split_once('\n').unwrap().1.to_owned();
    for copy in ["s3://copies/group", "group"] {
        assert_eq!(without_root(said(here, &["tree", copy])), without_root(said(here, &["tree", group])), "{copy}");
    }
}
