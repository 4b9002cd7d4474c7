//! Copies of arrays on disk, and comparison of the files that the two libraries create from the same array.

use std::path::Path;

use crate::location;
pub use crate::location::names;

fn text_of(file: &Path) -> String {
    String::from_utf8(location::read(file)).unwrap()
}

/// The times that a name states.
pub fn times(name: &str) -> (u64, u64) {
    let mut words = name.split('_').skip(2).map(|word| word.parse().unwrap());
    (words.next().unwrap(), words.next().unwrap())
}

/// True if the times of two fragments overlap.
pub fn have_common_times(names: &[String]) -> bool {
    let mut all: Vec<(u64, u64)> = names.iter().map(|name| times(name)).collect();
    all.sort_unstable();
    all.windows(2).any(|pair| pair[1].0 <= pair[0].1)
}

/// A name without what is random in it; `known` names stay.
fn shown(name: &str, known: &[String]) -> String {
    let stem = name.split('.').next().unwrap();
    if known.iter().any(|known| known == stem) {
        return name.to_owned();
    }
    let (start, end) = times(name);
    format!("{start} {end} {}", name.split_once('.').map_or("", |(_, extension)| extension))
}

/// The fragments of an array and what their consolidation noted: names without what is random, the bytes of data files
/// and the lines of vacuum files. Fragments in `known` stand for themselves. `exact` includes the data files.
pub fn fragments(array: &Path, known: &[String], exact: bool) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for fragment in names(&array.join("__fragments")) {
        let name = shown(&fragment, known);
        let folder = array.join("__fragments").join(&fragment);
        let mut content = Vec::new();
        for file in names(&folder) {
            // Consolidated commits may make the reference count a deletion twice.
            let is_compared = file != "__fragment_metadata.tdb" && file != "dci.tdb";
            let is_data = exact && is_compared && name != fragment;
            content.extend_from_slice(file.as_bytes());
            if is_data {
                content.extend(location::read(&folder.join(&file)));
            }
        }
        files.push((name, content));
    }
    for commit in names(&array.join("__commits")).iter().filter(|name| name.ends_with(".vac")) {
        let lines = text_of(&array.join("__commits").join(commit));
        let lines: Vec<String> =
            lines.lines().map(|line| shown(line.strip_prefix("/__fragments/").unwrap_or(line), known)).collect();
        files.push((shown(commit, known), lines.join("\n").into_bytes()));
    }
    // Fragments that were divided have equal times, and names in no particular order.
    files.sort();
    files
}

/// The fragments that the vacuum file of an array with this name lists.
pub fn listed(array: &Path, name: &str) -> Vec<String> {
    let lines = text_of(&array.join("__commits").join(name));
    lines.lines().map(|line| line.rsplit('/').next().unwrap().to_owned()).collect()
}

/// True if a consolidation since there were the `known` fragments merged some that end after the last of them.
pub fn ends_early(array: &Path, known: &[String]) -> bool {
    let notes = names(&array.join("__commits")).into_iter().filter(|name| name.ends_with(".vac"));
    let notes = notes.filter(|name| !known.iter().any(|known| name.starts_with(known)));
    notes.into_iter().any(|note| {
        let mut times: Vec<(u64, u64)> = listed(array, &note).iter().map(|name| self::times(name)).collect();
        times.sort_unstable();
        times.iter().map(|times| times.1).max() > times.last().map(|times| times.1)
    })
}
