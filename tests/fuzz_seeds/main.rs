//! Runs the fuzz targets on their seeds. `BLESS=1` writes the seeds again; findings to be kept are stored next to them
//! under other names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

mod seeds;
#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

// The C functions that targets call.
use tiledb_rs as _;

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target)
}

fn bless() {
    for (target, name, bytes) in seeds::all() {
        fs::create_dir_all(folder(target)).unwrap();
        fs::write(folder(target).join(name), bytes).unwrap();
    }
}

#[test]
fn every_target_accepts_its_seeds() {
    if std::env::var_os("BLESS").is_some() {
        bless();
    }
    for (target, run) in targets::TARGETS {
        let files: Vec<PathBuf> = fs::read_dir(folder(target)).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "{target} has no seeds");
        for file in files {
            let bytes = fs::read(&file).unwrap();
            println!("{}", file.display());
            // Cut short they must be borne as well.
            for len in [bytes.len(), bytes.len() / 2, bytes.len().saturating_sub(1)] {
                run(&bytes[..len]);
            }
        }
    }
}
