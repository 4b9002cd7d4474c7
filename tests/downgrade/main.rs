//! Golden arrays of format version 22, copied into versions 18 to 21 by `tiledb_rs_array_downgrade`: of every copy each recorded
//! query returns the recorded result, as far as our library returns it of the original. What a version cannot express is
//! rejected before anything is written, with the features and the versions that they require; the test counts both.
//!
//! Each array is also rewritten by `tiledb_rs_array_rewrite` with recommended filters, with preserved and with merged fragments: of
//! these copies, too, each recorded query returns the recorded result.
//!
//! Random arrays with deletes, consolidation and evolved schemas are copied as well, and both libraries read the copies
//! (`COPIES=1000`, `COPIES=17..18`, and `cargo test --test downgrade -- histories` for these alone).
//!
//! Each array is copied into one of the versions, in turn; `FORMAT_VERSIONS=18..22` copies all of them into each of these.
//! `cargo test --test downgrade -- dense_4d` copies the arrays whose name contains that.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod histories;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

use serde_json::Value;
use support::golden::case::{Case, list};
use support::lifecycle::reader;
use support::{Api, Ctx, address, folders, pointer, text};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|argument| argument == "--list") {
        println!("golden_arrays_in_older_versions: test");
        return;
    }
    if reader::serve() {
        return;
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v22.tar.gz");
    let packed = flate2::read::GzDecoder::new(std::fs::File::open(golden).unwrap());
    tar::Archive::new(packed).unpack(folder.path()).unwrap();
    let names = std::fs::read_dir(folder.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.filter(|name| filter.is_none_or(|filter| name.contains(filter))).collect();
    let versions = std::env::var("FORMAT_VERSIONS").ok();
    let versions = versions.map(|versions| {
        let (from, to) = versions.split_once("..").expect("FORMAT_VERSIONS=FROM..TO");
        from.parse::<u32>().unwrap()..to.parse::<u32>().unwrap()
    });
    let ours = Api::ours();
    let mut tally = Tally::default();
    for (name, one) in names.into_iter().zip((18..22).cycle()) {
        println!("case {name}");
        std::io::stdout().flush().unwrap();
        tally.case(&ours, &folder.path().join(&name), &name, versions.clone().unwrap_or(one..one + 1));
        std::fs::remove_dir_all(folder.path().join(&name)).unwrap();
    }
    if filter.is_none_or(|filter| filter == "histories") {
        let (copies, wrong) = histories::play_all(&ours);
        println!("{copies} copies of random arrays read by both libraries");
        wrong.iter().for_each(|why| tally.fail(why));
        tally.queries += copies;
    }
    if filter.is_none_or(|filter| filter == "targets") {
        targets::check(&ours).iter().for_each(|why| tally.fail(why));
        tally.queries += 1;
    }
    tally.print();
    std::process::exit(i32::from(tally.failed > 0 || tally.queries == 0));
}

#[derive(Default)]
struct Tally {
    /// Arrays that were rewritten, and how many of them have other filters.
    rewritten: [usize; 2],
    /// Copies, by version.
    copies: BTreeMap<u32, usize>,
    /// Arrays that cannot be copied, by version and reasons.
    rejected: BTreeMap<(u32, String), usize>,
    queries: usize,
    failed: usize,
}

impl Tally {
    fn print(&self) {
        for (version, count) in &self.copies {
            println!("version {version}: {count} arrays copied");
        }
        for ((version, reasons), count) in &self.rejected {
            println!("version {version}: {count} arrays rejected: {reasons}");
        }
        println!("{} arrays rewritten, {} with other filters", self.rewritten[0], self.rewritten[1]);
        println!("{} passed, {} failed", self.queries, self.failed);
    }

    fn fail(&mut self, text: &str) {
        println!("FAILED {}", text.replace('\n', " "));
        self.failed += 1;
    }

    fn case(&mut self, ours: &Api, folder: &Path, name: &str, versions: std::ops::Range<u32>) {
        let mut case = Case::load(folder);
        if case.document()["kind"] != "array" {
            return;
        }
        let original = case.uri().to_owned();
        // Corrupt arrays, and results that the reference gets wrong.
        let of_original = failures(&case, ours);
        for version in versions {
            let copy = folder.join(format!("copy{version}"));
            let copied = downgrade(&case.context(ours), &original, copy.to_str().unwrap(), version);
            match copied {
                Ok(()) => *self.copies.entry(version).or_default() += 1,
                Err(reasons) => {
                    if copy.exists() {
                        self.fail(&format!("{name}: something was written in version {version}, though {reasons}"));
                    }
                    *self.rejected.entry((version, reasons_of(&reasons))).or_default() += 1;
                    continue;
                }
            }
            case = self.queries(case, ours, copy, comparable, &of_original, &format!("{name} in version {version}"));
        }
        for (fragments, comparable) in [(PRESERVED, comparable as Comparable), (MERGED, at_no_time)] {
            let copy = folder.join(format!("rewritten{fragments}"));
            let what = format!("{name} rewritten, fragments {fragments}");
            let objective = self.rewritten[0] as u64 % 3;
            match rewrite(&case.context(ours), &original, copy.to_str().unwrap(), objective, fragments) {
                Ok(is_changed) => self.rewritten = [self.rewritten[0] + 1, self.rewritten[1] + usize::from(is_changed)],
                Err(reasons) => {
                    *self.rejected.entry((22, reasons_of(&reasons))).or_default() += 1;
                    _ = std::fs::remove_dir_all(copy);
                    continue;
                }
            }
            case = self.queries(case, ours, copy, comparable, &of_original, &what);
        }
    }

    /// Executes the queries at a copy, and removes it.
    fn queries(
        &mut self,
        case: Case,
        ours: &Api,
        copy: std::path::PathBuf,
        comparable: Comparable,
        of_original: &BTreeMap<String, String>,
        what: &str,
    ) -> Case {
        let expected = comparable(case.document()).into_iter().filter(|id| !of_original.contains_key(id));
        let expected: Vec<String> = expected.collect();
        let case = case.at(copy.clone());
        let of_copy = failures(&case, ours);
        for id in expected {
            match of_copy.get(&id) {
                None => self.queries += 1,
                Some(why) => self.fail(&format!("{what}: {id}: {why}")),
            }
        }
        std::fs::remove_dir_all(copy).unwrap();
        case
    }
}

/// The queries that fail or return another result than recorded.
fn failures(case: &Case, api: &Api) -> BTreeMap<String, String> {
    let outcomes = case.check(api, |_, _| Ok(()));
    outcomes.into_iter().filter_map(|(id, outcome)| Some((id, outcome.err()?))).collect()
}

/// Selects queries that a copy must answer as the original.
type Comparable = fn(&Value) -> Vec<String>;

/// What becomes of the fragments, as `tiledb_rs_rewritten_fragments_t`.
const PRESERVED: u64 = 0;
const MERGED: u64 = 1;

/// The queries whose result does not depend on what a copy omits: earlier schemas.
fn comparable(document: &Value) -> Vec<String> {
    let files: Vec<&str> = list(&document["files"]).iter().filter_map(|file| file[0].as_str()).collect();
    let is_schema = |file: &&&str| file.starts_with("__schema/__") && file.matches('/').count() == 1;
    let schemas = files.iter().filter(is_schema).filter(|file| !file.contains("__enumerations")).count();
    let queries = list(&document["queries"]).iter().filter(|query| !(schemas > 1 && in_window(query)));
    queries.map(id).collect()
}

/// Dense arrays with cells that no fragment covers, beginnings of their names.
const GAPS: [&str; 2] = ["dense_disjoint_fragments", "consolidated_dense_commits"];

/// The queries that read the cells that there are now, not the times at which they were written.
fn at_no_time(document: &Value) -> Vec<String> {
    // As a consolidation does, merging stores fill values between the fragments of these arrays, and aggregates include them.
    let has_gaps = document["case"].as_str().is_some_and(|name| GAPS.iter().any(|gaps| name.starts_with(gaps)));
    let is_readable = |query: &&Value| {
        let text = query.to_string();
        let counts_gaps = has_gaps && id(query).starts_with("agg_");
        !in_window(query) && !text.contains("__timestamps") && !counts_gaps
    };
    list(&document["queries"]).iter().filter(is_readable).map(id).collect()
}

fn in_window(query: &Value) -> bool {
    query["open"]["start"].is_u64() || query["open"]["end"].is_u64()
}

fn id(query: &Value) -> String {
    match &query["id"] {
        Value::String(id) => id.replace(' ', "_"),
        other => other.to_string(),
    }
}

extern "C" fn go_on(_: u64, _: u64, _: u64) -> i32 {
    1
}

type Progress = extern "C" fn(u64, u64, u64) -> i32;

fn downgrade(ctx: &Ctx<'_>, from: &str, to: &str, version: u32) -> Result<(), String> {
    let (from, to) = (text(from), text(to));
    let arguments = [pointer(&from), pointer(&to), u64::from(version), go_on as Progress as usize as u64, 0];
    let copied = ctx.call("rs_array_downgrade", &arguments).map_err(|failure| failure.text);
    let (mut newest, mut required, mut readers) = (0u32, 0u32, 0u64);
    let arguments = [pointer(&from), address(&mut newest), address(&mut required), address(&mut readers)];
    if ctx.call("rs_array_compatibility", &arguments).is_ok() {
        let readers = ctx.take_string(readers).unwrap();
        assert!(readers.starts_with("libtiledb 2."), "{readers}");
        // Corrupt arrays cannot be copied either.
        assert!(version >= required || copied.is_err(), "version {version} of {required}");
    }
    copied
}

extern "C" fn see(advice: &Advice, is_changed: &mut bool) -> i32 {
    *is_changed |= advice.reason == 0;
    1
}

/// The beginning of a `tiledb_rs_advice_t`.
#[repr(C)]
struct Advice {
    property: u32,
    reason: u32,
}

/// Rewrites an array with recommended filters; returns whether they are others.
fn rewrite(ctx: &Ctx<'_>, from: &str, to: &str, objective: u64, fragments: u64) -> Result<bool, String> {
    let (from, to) = (text(from), text(to));
    let (mut schema, mut is_changed) = (0u64, false);
    let see = see as extern "C" fn(&Advice, &mut bool) -> i32 as usize as u64;
    let arguments = [pointer(&from), 0, objective, see, address(&mut is_changed), address(&mut schema)];
    ctx.call("rs_schema_advise", &arguments).map_err(|failure| failure.text)?;
    let arguments = [pointer(&from), pointer(&to), schema, fragments, 0, 0, 0];
    let rewritten = ctx.call("rs_array_rewrite", &arguments).map_err(|failure| failure.text);
    ctx.free("array_schema", schema);
    rewritten.map(|()| is_changed)
}

/// Rewrites an array with the filters that it has.
fn rewrite_plain(ctx: &Ctx<'_>, from: &str, to: &str, fragments: u64) -> Result<(), String> {
    let (from, to) = (text(from), text(to));
    let arguments = [pointer(&from), pointer(&to), 0, fragments, 0, 0, 0];
    ctx.call("rs_array_rewrite", &arguments).map_err(|failure| failure.text)
}

/// The reasons without names.
fn reasons_of(text: &str) -> String {
    let Some((_, reasons)) = text.split_once(": ").filter(|_| text.contains("requires version")) else {
        return text.split('\'').step_by(2).collect::<Vec<_>>().join("...");
    };
    let reasons = reasons.split("; ").map(|reason| {
        let (feature, rest) = reason.split_once(" (").unwrap_or((reason, ""));
        format!("{feature} {}", rest.split_once(") ").map_or("", |(_, rest)| rest))
    });
    reasons.collect::<Vec<_>>().join("; ")
}
