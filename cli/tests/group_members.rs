//! Groups of other writers whose relative members have unusual URIs, in hand-made files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::{Story, contents, tool};

const GROUP: u8 = 1;
const ARRAY: u8 = 2;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(tool()).args(arguments).current_dir(folder).env_remove("RUST_BACKTRACE").output().unwrap()
}

/// What a call prints that ends with this code.
fn printed(folder: &Path, code: i32, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = run(folder, arguments);
    let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(code), "{arguments:?}: {text}");
    text
}

/// Makes a group: the file of its details holds these relative members, each with its name, URI and type.
fn make_group(folder: &Path, members: &[(&str, &str, u8)]) {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut payload = [&1u32.to_le_bytes()[..], &(members.len() as u64).to_le_bytes()].concat();
    for (name, uri, kind) in members {
        payload.extend([&1u32.to_le_bytes()[..], &[*kind, 1], &text(uri), &[1], &text(name)].concat());
    }
    let size = payload.len() as u32;
    let chunks = [&1u64.to_le_bytes()[..], &[size, size, 0].map(u32::to_le_bytes).concat(), &payload].concat();
    let sizes = [chunks.len() as u64, payload.len() as u64].map(u64::to_le_bytes).concat();
    let pipeline = [8u32, 65536, 0].map(u32::to_le_bytes).concat();
    let head = [&22u32.to_le_bytes()[..], &sizes, &[4], &1u64.to_le_bytes(), &[0], &pipeline].concat();
    std::fs::create_dir_all(folder.join("__group")).unwrap();
    std::fs::create_dir_all(folder.join("__meta")).unwrap();
    std::fs::write(folder.join("__tiledb_group.tdb"), "").unwrap();
    std::fs::write(folder.join("__group/__1_1_00000000000000000000000000000000_1"), [head, chunks].concat()).unwrap();
}

#[test]
fn hostile_relative_members_are_refused() {
    let story = Story::new();
    let here = story.path();
    std::fs::write(here.join("rows.csv"), "a\n1\n2\n").unwrap();
    for array in ["g/in", "g/sub/x", "outside"] {
        printed(here, 0, &["import", "rows.csv", array]);
    }
    make_group(&here.join("g/sub/inner"), &[]);
    let odd = [
        ("dot", "./in", ARRAY),
        ("slashes", "sub//x", ARRAY),
        ("end", "in/.", ARRAY),
        ("deep", "sub/../sub/inner/", GROUP),
    ];
    make_group(&here.join("g"), &odd);
    let listed = printed(here, 0, &["ls", "g"]);
    for (name, uri) in [("dot", "g/./in"), ("slashes", "g/sub//x"), ("end", "g/in/."), ("deep", "g/sub/inner/")] {
        let has = |line: &str| line.contains(name) && line.trim_end().ends_with(&format!("/{uri}"));
        assert!(listed.lines().any(has), "{name}: {listed}");
    }
    assert_eq!(printed(here, 0, &["tree", "g"]).matches("(array)").count(), 3);
    assert_eq!(printed(here, 0, &["verify", "g"]).matches("sound").count(), 3);
    printed(here, 0, &["copy", "g", "copy"]);
    assert_eq!(contents(&here.join("copy")), contents(&here.join("g")));
    assert_eq!(printed(here, 0, &["ls", "copy"]).lines().count(), listed.lines().count());
    assert_eq!(
        printed(here, 0, &["cat", "copy/./in", "--format", "csv"]),
        printed(here, 0, &["cat", "g/in", "--format", "csv"])
    );

    let before = contents(&here.join("outside"));
    for hostile in
        ["../outside", "./../outside", "sub/../../outside", "/../outside", "..//outside/.", "in/../../outside/"]
    {
        for (kind, shown) in [(ARRAY, "array"), (GROUP, "group")] {
            make_group(&here.join("g"), &[&odd[..], &[("bad", hostile, kind)]].concat());
            let listed = printed(here, 0, &["ls", "g"]);
            assert!(listed.lines().count() == odd.len() + 2 && listed.contains("bad"), "{listed}");
            let tree = printed(here, 0, &["tree", "g"]);
            assert!(tree.contains(&format!("bad ({shown}, outside of the group)")), "{tree}");
            printed(here, 0, &["tree", "--json", "g"]);
            let verified = printed(here, 1, &["verify", "g"]);
            assert!(verified.contains("'bad'") && verified.matches("sound").count() == 3, "{verified}");
            let refused = printed(here, 3, &["copy", "g", "other"]);
            assert!(refused.contains("'bad'") && !here.join("other").exists(), "{refused}");
            // As the URI of the member names it.
            for arguments in
                [&["info"][..], &["cat"], &["vacuum", "--dry-run"], &["consolidate"], &["import", "rows.csv"]]
            {
                let refused =
                    printed(here, 3, &[arguments, &[&*format!("file://{}/g/../outside", here.display())]].concat());
                assert!(refused.contains("leads out of the group"), "{arguments:?}: {refused}");
            }
        }
        assert_eq!(contents(&here.join("outside")), before);
    }
}

#[test]
fn objects_inside_the_folders_of_arrays_and_groups_are_refused() {
    let story = Story::new();
    let here = story.path();
    std::fs::write(here.join("rows.csv"), "a\n1\n2\n").unwrap();
    printed(here, 0, &["import", "rows.csv", "array"]);
    printed(here, 0, &["import", "rows.csv", "other"]);
    make_group(&here.join("group"), &[]);
    let before = (contents(&here.join("array")), contents(&here.join("group")));
    let of_array = ["__schema", "__fragments", "__commits", "__fragment_meta", "__meta", "__labels"]
        .map(|folder| ("array", folder));
    let of_group = ["__group", "__meta", "__schema"].map(|folder| ("group", folder));
    for (owner, folder) in of_array.into_iter().chain(of_group) {
        for end in ["x", "x/y"] {
            let target = &format!("{owner}/{folder}/{end}");
            for (code, arguments) in [
                (3, &["import", "rows.csv"][..]),
                (3, &["import", "--force", "rows.csv"]),
                (2, &["copy", "other"]),
                (2, &["copy", "--dry-run", "other"]),
            ] {
                let refused = printed(here, code, &[arguments, &[target]].concat());
                assert!(refused.contains(&format!("lies among the files of the {owner}")), "{refused}");
            }
        }
    }
    assert_eq!((contents(&here.join("array")), contents(&here.join("group"))), before);
}
