//! Arrays of every format version, as messages.

use std::path::{Path, PathBuf};

use support::library;
use support::random::Random;

/// Arrays of a version that are unpacked.
const ARRAYS: usize = 3;

/// Unpacks some golden arrays of the version that a seed stands for, which are not encrypted and lie anywhere.
pub fn unpack(seed: u64, folder: &Path, random: &mut Random) -> Vec<PathBuf> {
    let file = library::root().join(format!("tests/golden/v{}.tar.gz", seed % 22 + 1));
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(std::fs::File::open(file).unwrap()));
    archive.unpack(folder).unwrap();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let mut arrays = Vec::new();
    while arrays.len() < ARRAYS && !cases.is_empty() {
        let case = cases.swap_remove(random.next() as usize % cases.len());
        let document: serde_json::Value =
            serde_json::from_slice(&std::fs::read(case.join("expected.json")).unwrap()).unwrap();
        let queries = document["queries"].as_array().is_some_and(|queries| !queries.is_empty());
        if document["kind"] == "array" && document["unpack_at"].is_null() && document["encryption"].is_null() && queries
        {
            let place = case.join("array");
            tar::Archive::new(std::fs::File::open(case.join("array.tar")).unwrap()).unpack(&place).unwrap();
            arrays.push(place.join(document["root"].as_str().unwrap()));
        }
    }
    arrays
}
