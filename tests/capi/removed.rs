//! What `capi-tests/removed.c` and `removed_queries.c` print, compared with what the last release of libtiledb that had each
//! function printed: `capi-tests/removed/PROGRAM-MINOR.txt`, recorded by `tools/removed_reference.sh`.
//!
//! Errors of this library may append to libtiledb's text. Other differences are in `capi-tests/removed/accepted.tsv`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};

use crate::{Place, compile, run};
use support::library::{self, root};
use support::tables::{Row, table};

fn folder() -> PathBuf {
    root().join("capi-tests/removed")
}

/// A trial for each recorded text.
pub fn trials(place: &Arc<Place>) -> Vec<Trial> {
    let entries = std::fs::read_dir(folder()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let texts = entries.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let mut texts: Vec<PathBuf> = texts.collect();
    texts.sort();
    let trial = |path: PathBuf| {
        let place = Arc::clone(place);
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (program, minor) = stem.split_once('-').map(|(a, b)| (a.to_owned(), b.to_owned())).expect("PROGRAM-MINOR");
        Trial::test(format!("capi-tests/removed/{stem}"), move || check(&place, &path, &program, &minor))
    };
    texts.into_iter().map(trial).collect()
}

fn check(place: &Place, recorded: &Path, program: &str, minor: &str) -> Result<(), Failed> {
    let source = root().join("capi-tests").join(program).with_extension("c");
    let executable = place.folder.path().join(format!("{program}-{minor}"));
    compile(&source, &executable, &library::ours())?;
    let ours = run(&source, &executable, &[])?;
    let theirs = std::fs::read_to_string(recorded)?;
    let differences = differences(&sections(&ours), &sections(&theirs), minor);
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n").into()) }
}

/// The lines of each section, by its title.
fn sections(text: &str) -> BTreeMap<String, Vec<String>> {
    let parts = text.split("== ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.map(|(title, rest)| (title.to_owned(), rest.lines().map(str::to_owned).collect())).collect()
}

type Sections = BTreeMap<String, Vec<String>>;

/// Where the sections of functions that this minor version had last differ.
fn differences(ours: &Sections, theirs: &Sections, minor: &str) -> Vec<String> {
    let accepted = table("../removed/accepted.tsv");
    let mut differences = Vec::new();
    for row in table("removed.tsv").iter().filter(|row| row["last_minor"] == minor) {
        let of_function = |title: &&String| title.split(',').next() == Some(row["name"].as_str());
        for title in theirs.keys().filter(of_function) {
            let (ours, theirs) = (ours.get(title).map_or(&[][..], Vec::as_slice), &theirs[title]);
            // A release that crashed or hung printed no more.
            let crash = theirs.iter().position(|line| line.starts_with("(signal "));
            let theirs = &theirs[..crash.map_or(theirs.len(), |line| line.saturating_sub(1))];
            // The whole section differs.
            let differs = |row: &Row| row["section"] == *title && row["ours"].is_empty();
            if crash.is_none() && ours.len() != theirs.len() && !accepted.iter().any(differs) {
                differences.push(format!("{title}: {} lines for {}", ours.len(), theirs.len()));
            }
            let lines = ours.iter().zip(theirs).filter(|(ours, theirs)| !agree(title, ours, theirs, &accepted));
            differences.extend(lines.map(|(ours, theirs)| format!("{title}:\n  printed  {ours}\n  recorded {theirs}")));
        }
    }
    differences
}

/// True if the lines are equal, ours continues the text of an error, or the difference is an accepted one.
fn agree(title: &str, ours: &str, theirs: &str, accepted: &[Row]) -> bool {
    let continues = theirs.contains(": -1 ") && ours.starts_with(theirs);
    let is_accepted = |row: &Row| {
        ["*", title].contains(&row["section"].as_str())
            && theirs.contains(&row["theirs"])
            && ours.contains(&row["ours"])
    };
    ours == theirs || continues || accepted.iter().any(is_accepted)
}
