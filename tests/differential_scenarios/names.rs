//! Names of counters and timers: over all scenarios both libraries update the same ones, except for those that
//! `docs/statistics.md` lists with the reason, each of which must occur.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use support::{Ctx, borrowed};

const DOCUMENT: &str = include_str!("../../docs/statistics.md");
/// Before the names in the last line of a story.
const LINE: &str = "names: ";

/// What contexts that are gone have counted.
static COUNTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The library whose contexts count: ours helps to play the scenarios of both.
pub static LIBRARY: OnceLock<PathBuf> = OnceLock::new();

/// Takes note of what a context of the library has counted.
pub fn note(ctx: &Ctx<'_>) {
    if LIBRARY.get() != Some(&ctx.api.path) {
        return;
    }
    let Ok(json) = ctx.get("ctx_get_stats", &[]) else { return };
    let text = borrowed(json);
    let keys = text.lines().filter_map(|line| line.trim().strip_prefix("\"Context.")?.split('"').next());
    let names = keys.map(|key| key.trim_end_matches(".sum").trim_end_matches(".avg").to_owned());
    COUNTED.lock().unwrap().extend(names);
}

/// The last line of a story.
pub fn line() -> String {
    let names: Vec<String> = COUNTED.lock().unwrap().iter().cloned().collect();
    format!("{LINE}{}", names.join(" "))
}

/// Takes the names off a story.
pub fn take(story: &mut Vec<String>) -> BTreeSet<String> {
    let Some(line) = story.pop_if(|line| line.starts_with(LINE)) else { return BTreeSet::new() };
    line[LINE.len()..].split_whitespace().map(str::to_owned).collect()
}

/// The names between backticks in the table with this header whose rows begin with a name, which may end in `*`.
fn listed(header: &str) -> Vec<&'static str> {
    let rows = DOCUMENT.lines().skip_while(|line| *line != header).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').step_by(2)).filter(|name| !name.is_empty()).collect()
}

fn is(entry: &str, name: &str) -> bool {
    entry.strip_suffix('*').map_or(entry == name, |beginning| name.starts_with(beginning))
}

/// What is wrong with the names that both have counted.
pub fn faults(ours: &BTreeSet<String>, theirs: &BTreeSet<String>) -> Vec<String> {
    let missing = differences("ours", ours, theirs, &listed("| names | why |"));
    let more = differences("the reference", theirs, ours, &listed("| counted by this library alone | why |"));
    missing.into_iter().chain(more).collect()
}

/// What `some` lack of what others count and is not listed, and what is listed and not so.
fn differences(who: &str, some: &BTreeSet<String>, others: &BTreeSet<String>, listed: &[&str]) -> Vec<String> {
    let missing = others.difference(some).filter(|name| !listed.iter().any(|entry| is(entry, name)));
    let missing = missing.map(|name| format!("{who} never counts {name}, and docs/statistics.md does not list it"));
    let met = |entry: &&&str| others.iter().any(|name| is(entry, name)) && !some.iter().any(|name| is(entry, name));
    let idle = listed.iter().filter(|entry| !met(entry));
    let idle = idle.map(|entry| format!("docs/statistics.md lists {entry}, which is not so"));
    missing.chain(idle).collect()
}
