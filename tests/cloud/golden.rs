//! Golden arrays in object stores read the same as on disk.

use std::path::{Path, PathBuf};

use crate::files::make_bucket;
use support::golden::case::Case;
use support::servers::Store;
use support::{Api, pointer, text};

/// Of the current version every so many cases are read, unless `GOLDEN=all`; of each older one the first.
const EVERY: usize = 20;

/// The folders of the cases of a version, unpacked.
fn cases(version: &str, into: &Path) -> Vec<PathBuf> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{version}.tar.gz"));
    let Ok(file) = std::fs::File::open(archive) else { return Vec::new() };
    let folder = into.join(version);
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(&folder).unwrap();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|case| case.unwrap().path()).collect();
    cases.sort();
    cases
}

pub fn check() {
    let (api, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    let bucket = format!("{}://golden", Store::of_environment().scheme());
    make_bucket(&api, &bucket);
    let step = if std::env::var("GOLDEN").is_ok_and(|which| which == "all") { 1 } else { EVERY };
    let mut chosen: Vec<PathBuf> = cases("v22", folder.path()).into_iter().step_by(step).collect();
    chosen.extend((1..22).filter_map(|version| cases(&format!("v{version}"), folder.path()).into_iter().next()));
    let (mut queries, mut differ, mut arrays) = (0, 0, 0);
    for path in chosen {
        let case = Case::load(&path);
        if case.document()["kind"] != "array" || !case.document()["unpack_at"].is_null() {
            continue;
        }
        let none = |_: &Case, _: &Api| Ok(());
        let name = path.file_name().unwrap().to_str().unwrap();
        let (from, to) = (case.uri().to_owned(), format!("{bucket}/{name}"));
        let here = case.check(&api, none);
        let ctx = api.context(&[]);
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        ctx.call("vfs_copy_dir", &[vfs, pointer(&text(&from)), pointer(&text(&to))]).unwrap();
        let there = case.at(PathBuf::from(&to)).check(&api, none);
        ctx.call("vfs_remove_dir", &[vfs, pointer(&text(&to))]).unwrap();
        ctx.free("vfs", vfs);
        arrays += 1;
        for ((query, here), (_, there)) in here.iter().zip(&there) {
            queries += 1;
            if here.is_ok() != there.is_ok() {
                println!("{name} {query}: here {here:?}, there {there:?}");
                differ += 1;
            }
        }
        assert_eq!(here.len(), there.len(), "{name}");
    }
    println!("cloud: {arrays} golden arrays in {bucket}, {queries} queries, {differ} differ");
    assert!(differ == 0 && queries > 0);
}
