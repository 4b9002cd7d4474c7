//! Verification: it must report nothing for valid arrays of every format version, and the corruption of corrupt ones.
//!
//! Copies of golden arrays are corrupted as in `tests/corruption/main.rs`, verified, and read in a process of their
//! own. Undetected corruption must be harmless, or be in bytes that the format does not protect; `COPIES=20000` sets
//! the number of copies. `GOLDEN=folder` selects another folder of golden arrays, each `VERSION/CASE`.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod bit_flips;
mod damaged;
mod dangling;

use std::path::Path;

use support::Api;
use support::corruption::report::verify;
use support::golden::case::Case;

/// How many copies are damaged without being asked for more.
const USUAL: u64 = 200;

/// What is wrong with some golden arrays in truth: kinds of findings by name.
const TRUE: [(&str, &[u32]); 4] = [
    // Writers of the time stored fields of nullable cells in one another's places.
    ("v7/nullable_sparse", &[15]),
    // A box of datetimes whose low end is above its high end.
    ("v3/sparse_datetime", &[19]),
    ("v4/sparse_datetime", &[19]),
    // Damaged on purpose.
    ("v22/corrupt", &[15]),
];

/// Unpacks the golden arrays whose name `is_chosen` takes.
fn unpack(into: &Path, is_chosen: &dyn Fn(&str) -> bool) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for entry in std::fs::read_dir(golden).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(version) = name.strip_suffix(".tar.gz").filter(|version| is_chosen(version)) else { continue };
        let packed = flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap());
        tar::Archive::new(packed).unpack(into.join(version)).unwrap();
    }
}

/// True for the versions of the format, whose arrays are sound.
fn is_version(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok()) || name == "mixed" || name == "singles"
}

#[test]
fn sound_arrays_have_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    let root = match std::env::var_os("GOLDEN") {
        Some(root) => {
            support::folders::copy(Path::new(&root), folder.path());
            folder.path()
        }
        None => {
            unpack(folder.path(), &is_version);
            folder.path()
        }
    };
    let api = Api::ours();
    let (mut wrong, mut arrays, mut tiles) = (Vec::new(), 0, 0);
    let versions = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
    for version in versions.filter(|entry| is_version(&entry.file_name().to_string_lossy())) {
        for entry in std::fs::read_dir(version.path()).unwrap().map(|entry| entry.unwrap()) {
            if !entry.path().join("expected.json").exists() {
                continue;
            }
            let case = Case::load(&entry.path());
            let name = format!("{}/{}", version.file_name().display(), entry.file_name().display());
            if case.document()["kind"] != "array" || !case.document()["unpack_at"].is_null() {
                continue;
            }
            let verified = verify(&case.context(&api), case.uri());
            if TRUE.iter().any(|(known, codes)| {
                name.starts_with(known) && verified.findings.iter().all(|it| codes.contains(&it.code))
            }) {
                assert!(!verified.findings.is_empty(), "{name} was damaged, but nothing was found");
                continue;
            }
            arrays += 1;
            tiles += verified.verified[1];
            wrong.extend(verified.findings.iter().map(|finding| format!("{name}: {}", finding.text())));
            wrong.extend(verified.failure.map(|text| format!("{name}: failed: {text}")));
        }
    }
    println!("{arrays} sound arrays, {tiles} tiles, {} findings", wrong.len());
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong[..wrong.len().min(300)].join("\n"));
    assert!(arrays > 20 && tiles > arrays);
}

#[test]
fn damaged_arrays_are_reported() {
    let copies = std::env::var("COPIES").map_or(USUAL, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    unpack(folder.path(), &|name| name == "v22");
    let counts = damaged::count(folder.path(), 0..copies);
    println!("{}", counts.text());
    assert!(counts.failures.is_empty(), "{}", counts.failures[..counts.failures.len().min(40)].join("\n"));
    assert!(counts.detected() * 2 > copies, "{} of {copies} were found", counts.detected());
}
