//! Arrays with random schemas are valid at every stage of their lifecycle; references to missing files are found.

use std::ops::Range;
use std::path::{Path, PathBuf};

use support::corruption::report::{Report, Verified, verify};
use support::round_trip::execute;
use support::round_trip::scenario::Scenario;
use support::{Api, Ctx, pointer, text};

const NOTE: u32 = 0;
const WARNING: u32 = 1;
const ERROR: u32 = 2;

/// A random array that was written, or nothing where its schema or cells are refused.
pub fn random(api: &Api, folder: &Path, seed: u64) -> Option<(Scenario, String)> {
    let scenario = Scenario::random(seed);
    let uri = folder.join(seed.to_string()).to_str()?.to_owned();
    execute::create(api, &uri, &scenario).ok()?;
    scenario.writes.iter().try_for_each(|write| execute::write(api, &uri, &scenario, write)).ok()?;
    Some((scenario, uri))
}

/// Merges what a mode names.
pub fn consolidate(ctx: &Ctx<'_>, uri: &str, mode: &str) -> Result<(), String> {
    let uri = text(uri);
    let config = [("sm.consolidation.mode", mode)];
    ctx.configure("array_consolidate", pointer(&uri), &config).map_err(|failure| failure.text)
}

/// An array of three fragments, merged where that is asked for, and the verification after some of its files were changed.
pub fn after(api: &Api, modes: &[&str], change: impl FnOnce(&Array)) -> Verified {
    let folder = tempfile::tempdir().unwrap();
    let is_fit = |scenario: &Scenario| !scenario.dense && !scenario.encrypted && scenario.writes.len() == 3;
    let fit = (0..).filter(|&seed| is_fit(&Scenario::random(seed)));
    let (_, uri) = fit.into_iter().find_map(|seed| random(api, folder.path(), seed)).unwrap();
    let ctx = api.context(&[]);
    modes.iter().for_each(|mode| consolidate(&ctx, &uri, mode).unwrap());
    let sound = verify(&ctx, &uri);
    assert!(sound.findings.is_empty() && sound.failure.is_none(), "{modes:?}: {:?}", sound.findings);
    change(&Array(PathBuf::from(&uri)));
    verify(&ctx, &uri)
}

/// The folder of an array.
pub struct Array(pub PathBuf);

impl Array {
    /// What lies in a folder and has such an end, in the order of names: fragments by time.
    pub fn all(&self, folder: &str, end: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.0.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<PathBuf> = entries.filter(|path| path.to_str().unwrap().ends_with(end)).collect();
        paths.sort();
        assert!(!paths.is_empty(), "no {end} in {folder}");
        paths
    }

    /// Removes a file or folder.
    pub fn remove(&self, path: &Path) {
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
    }

    /// Turns a byte in the middle of a file.
    pub fn turn(&self, path: &Path) {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        std::fs::write(path, bytes).unwrap();
    }
}

/// One finding has this severity and says this.
fn assert_reported(verified: &Verified, severity: u32, words: &str) {
    let fits = |finding: &Report| finding.severity == severity && finding.text.contains(words);
    let texts: Vec<String> = verified.findings.iter().map(Report::text).collect();
    assert!(verified.findings.iter().any(fits), "nothing says '{words}': {texts:#?}");
    assert!(verified.failure.is_none(), "{:?}", verified.failure);
}

#[test]
fn random_arrays_are_sound_at_every_stage() {
    let (api, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "3000..3060".to_owned());
    let (from, to) = seeds.split_once("..").expect("SEEDS=FROM..TO");
    let seeds: Range<u64> = from.parse().unwrap()..to.parse().unwrap();
    let (mut looks, mut min_looks) = (0, 0);
    for seed in seeds {
        min_looks += 2;
        let Some((scenario, uri)) = random(&api, folder.path(), seed) else { continue };
        for mode in ["", "fragment_meta", "commits", "fragments"] {
            let ctx = execute::context(&api, &scenario, Default::default(), None);
            if !mode.is_empty() && (scenario.encrypted || consolidate(&ctx, &uri, mode).is_err()) {
                continue;
            }
            let verified = verify(&ctx, &uri);
            let texts: Vec<String> = verified.findings.iter().map(Report::text).collect();
            assert!(
                texts.is_empty() && verified.failure.is_none(),
                "seed {seed} after '{mode}': {texts:?} {:?}",
                verified.failure
            );
            looks += 1;
        }
    }
    println!("{looks} sound arrays of random schemas");
    assert!(looks >= min_looks, "{looks} of at least {min_looks}");
}

#[test]
fn commit_without_its_fragment_is_reported() {
    let api = Api::ours();
    let verified = after(&api, &[], |array| array.remove(&array.all("__fragments", "")[1]));
    assert_reported(&verified, ERROR, "which is not there");
    let verified = after(&api, &[], |array| array.remove(&array.all("__commits", ".wrt")[1]));
    assert_reported(&verified, NOTE, "was not committed");
}

#[test]
fn remains_of_a_consolidation_are_reported() {
    let api = Api::ours();
    // The sources go, and the file that says so stays.
    let verified = after(&api, &["fragments"], |array| {
        let merged = array.all("__commits", ".vac")[0].file_stem().unwrap().to_owned();
        let fragments = array.all("__fragments", "");
        fragments.iter().filter(|path| path.file_name() != Some(&*merged)).for_each(|path| array.remove(path));
    });
    assert_reported(&verified, WARNING, "was replaced, which is not there");
    // What they were merged into goes: all cells are lost.
    let verified = after(&api, &["fragments"], |array| {
        let merged = array.all("__commits", ".vac")[0].file_stem().unwrap().to_owned();
        array.remove(&array.0.join("__fragments").join(merged));
    });
    assert_reported(&verified, ERROR, "in favour of");
}

#[test]
fn vacuums_that_were_stopped_are_noted() {
    let api = Api::ours();
    let remove_sources = |array: &Array| {
        let merged = array.all("__commits", ".vac")[0].file_stem().unwrap().to_owned();
        for (folder, extension) in [("__commits", ".wrt"), ("__fragments", "")] {
            let files = array.all(folder, extension);
            files.iter().filter(|path| path.file_stem() != Some(&*merged)).for_each(|path| array.remove(path));
        }
    };
    // Commits and fragments are gone, the list is not yet.
    let verified = after(&api, &["fragments"], remove_sources);
    assert_reported(&verified, NOTE, "was replaced, which is not there");
    assert!(verified.findings.iter().all(|finding| finding.severity == NOTE), "{:?}", verified.findings);
    // The result is gone, too: no vacuum does that.
    let verified = after(&api, &["fragments"], |array| {
        remove_sources(array);
        array.all("__commits", ".wrt").iter().chain(&array.all("__fragments", "")).for_each(|path| array.remove(path));
    });
    assert_reported(&verified, WARNING, "was replaced, which is not there");
    assert_reported(&verified, ERROR, "in favour of");
    // A fragment that the merge does not include.
    let verified = after(&api, &["fragments"], |array| {
        let list = &array.all("__commits", ".vac")[0];
        let line = "__fragments/__99_99_00000000000000000000000000000000_22\n";
        std::fs::write(list, std::fs::read_to_string(list).unwrap() + line).unwrap();
    });
    assert_reported(&verified, WARNING, "was replaced, which is not there");
}

#[test]
fn consolidated_files_without_their_sources_are_reported() {
    let api = Api::ours();
    let verified = after(&api, &["commits"], |array| array.remove(&array.all("__fragments", "")[0]));
    assert_reported(&verified, ERROR, "which is not there");
    let verified = after(&api, &["commits"], |array| {
        let [con] = &array.all("__commits", ".con")[..] else { panic!("one file") };
        std::fs::write(con.with_extension("ign"), "__fragments/__1_1_00000000000000000000000000000000_22\n").unwrap();
    });
    assert_reported(&verified, WARNING, "which no consolidated commits have");
    let verified = after(&api, &["fragment_meta"], |array| array.turn(&array.all("__fragment_meta", ".meta")[0]));
    assert!(!verified.findings.is_empty(), "nothing is said of damaged footers");
}

#[test]
fn tile_beyond_the_memory_budget_is_noted() {
    let (api, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    let mut left_out = 0;
    for seed in 3000..3040 {
        let Some((scenario, uri)) = random(&api, folder.path(), seed) else { continue };
        if scenario.encrypted {
            continue;
        }
        for budget in ["5000000", "100000", "2000"] {
            let verified = verify(&api.context(&[("sm.mem.total_budget", budget)]), &uri);
            let other: Vec<_> = verified.findings.iter().filter(|it| it.severity != NOTE).map(Report::text).collect();
            assert!(other.is_empty(), "seed {seed} in {budget} bytes: {other:?}");
            left_out += verified.findings.len() + usize::from(verified.failure.is_some());
            if let Some(failure) = verified.failure {
                assert!(failure.contains("budget"), "seed {seed} in {budget} bytes: {failure}");
            }
        }
    }
    println!("{left_out} things were not looked at");
}
