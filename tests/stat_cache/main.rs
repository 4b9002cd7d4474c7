//! The metadata cache never serves stale entries: after other processes modify or remove a file, replace it by a file
//! of another array, or replace the array, a context that has read the array before must read the same as a new
//! context, or fail in the same way.
//!
//! `CASES=0..10000` selects the cases, `VERSIONS=all` the arrays of every format version.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use support::corruption::mutate;
use support::corruption::probe::{self, Outcome};
use support::corruption::worker;
use support::golden::case::Case;
use support::random::Random;
use support::{Api, Ctx};

type Step = (String, Outcome);

const USUAL: Range<u64> = 0..150;
/// So long after a change of a file nothing is cached of it.
const SETTLED: Duration = Duration::from_millis(1_100);
/// Cases that wait for that together.
const TOGETHER: usize = 30;

#[test]
fn cached_file_that_changes_is_read_again() {
    let cases = std::env::var("CASES").map_or(USUAL, |text| {
        let (from, to) = text.split_once("..").expect("CASES=from..to");
        from.parse().unwrap()..to.parse().unwrap()
    });
    let folder = tempfile::tempdir().unwrap();
    let all = std::env::var("VERSIONS").is_ok_and(|versions| versions == "all");
    for version in if all { 1..=22 } else { 22..=22 } {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/v{version}.tar.gz"));
        let packed = flate2::read::GzDecoder::new(fs::File::open(path).unwrap());
        tar::Archive::new(packed).unpack(folder.path().join(format!("v{version}"))).unwrap();
    }
    let names = worker::array_names(folder.path());
    let (mut changed, mut wrong) = (0, Vec::new());
    let numbers: Vec<u64> = cases.collect();
    for numbers in numbers.chunks(TOGETHER) {
        let prepare = |&number: &u64| {
            let mut random = Random::new(number);
            let name = random.pick(&names).clone();
            let case = Case::load(&folder.path().join(&name));
            let other = Case::load(&folder.path().join(random.pick(&names)));
            let change = Change::choose(&mut random, Path::new(case.uri()), Path::new(other.uri()))?;
            sync(Path::new(case.uri()));
            // The other one is copied from where it lies.
            Some((number, name, case, other, change))
        };
        let prepared: Vec<_> = numbers.iter().filter_map(prepare).collect();
        std::thread::sleep(SETTLED);
        for (number, name, case, _other, change) in &prepared {
            let (differs, difference) = look(case, change);
            changed += usize::from(differs);
            wrong.extend(
                difference.into_iter().map(|difference| format!("{number} {name}, {}: {difference}", change.how)),
            );
        }
    }
    println!("{changed} changes showed, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(changed > 0);
}

/// What others do to a file or a folder.
struct Change {
    place: PathBuf,
    /// What stands there afterwards: the bytes of a file, or a folder.
    new: New,
    how: String,
}

enum New {
    Nothing,
    Bytes(Vec<u8>),
    Folder(PathBuf),
}

impl Change {
    fn choose(random: &mut Random, array: &Path, other: &Path) -> Option<Change> {
        let place = worker::pick_file(random, array)?;
        let shown = place.strip_prefix(array).unwrap().display().to_string();
        let (place, new, how) = match random.next() % 8 {
            0 => (place, New::Nothing, format!("{shown} taken away")),
            1 => (array.to_owned(), New::Folder(other.to_owned()), format!("{} in its place", other.display())),
            2 => (place.parent().unwrap().to_owned(), New::Nothing, format!("the folder of {shown} taken away")),
            3..=5 => {
                let role = role(&place);
                let theirs = (0..40).filter_map(|_| worker::pick_file(random, other));
                let theirs = theirs.into_iter().find(|theirs| self::role(theirs) == role)?;
                let how = format!("bytes of {} in {shown}", theirs.display());
                (place, New::Bytes(fs::read(theirs).unwrap()), how)
            }
            _ => {
                let mut bytes = fs::read(&place).unwrap();
                let how = format!("{shown}: {}", mutate::damage(random, &mut bytes));
                (place, New::Bytes(bytes), how)
            }
        };
        Some(Change { place, new, how })
    }
}

/// Files with equal roles may take each other's place.
fn role(file: &Path) -> String {
    let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
    match file.file_name().unwrap().to_str().unwrap() {
        name @ "__fragment_metadata.tdb" => name.to_owned(),
        _ if folder.starts_with("__") && folder.contains(char::is_numeric) => "data".to_owned(),
        _ => folder.to_owned(),
    }
}

/// Reads an array before, during and after a change; true if the change showed, and what a context that knew the array
/// before read otherwise than a new one.
fn look(case: &Case, change: &Change) -> (bool, Option<String>) {
    let api = Api::ours();
    let ctx = context(&api, case);
    let before = probe::read_all(&ctx, case);
    let away = change.place.with_extension("away");
    fs::rename(&change.place, &away).unwrap();
    match &change.new {
        New::Nothing => {}
        New::Bytes(bytes) => {
            // Half of them keep the file, and change what is in it.
            if bytes.len().is_multiple_of(2) {
                fs::copy(&away, &change.place).unwrap();
            }
            fs::write(&change.place, bytes).unwrap();
        }
        New::Folder(folder) => support::folders::copy(folder, &change.place),
    }
    let during = [probe::read_all(&ctx, case), probe::read_all(&context(&api, case), case)];
    match change.place.is_dir() {
        true => fs::remove_dir_all(&change.place).unwrap(),
        false => _ = fs::remove_file(&change.place),
    }
    fs::rename(&away, &change.place).unwrap();
    let after = probe::read_all(&ctx, case);
    let unlike = |(now, expected): (&Step, &Step)| {
        // The ranges of the queries may be too short for the dimensions of the other array.
        let is_allowed = matches!((&now.1, &expected.1, &change.new), (Err(_), Err(_), New::Folder(_)));
        (now != expected && !is_allowed).then(|| format!("{now:?} instead of {expected:?}"))
    };
    let [cached, new] = &during;
    let mut differences = cached.iter().zip(new).filter_map(unlike);
    let mut later = after.iter().zip(&before).filter(|(now, then)| now != then);
    let difference = differences
        .next()
        .or_else(|| later.next().map(|(now, then)| format!("afterwards {now:?} instead of {then:?}")));
    (*new != before, difference)
}

/// Writes back all files of a folder: of what was not written back nothing is cached.
fn sync(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => sync(&entry),
            false => fs::File::open(entry).unwrap().sync_all().unwrap(),
        }
    }
}

fn context<'a>(api: &'a Api, case: &Case) -> Ctx<'a> {
    case.context_with(api, &[("sm.compute_concurrency_level", "2"), ("sm.io_concurrency_level", "2")])
}
