//! `--dry-run` prints what the same command then does, and modifies nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value as Json;
use support::{Story, compile, libraries, project};

/// In a linked `__fragments`, previews list the fragments with their sizes; what a link in a fragment leads to is not counted.
#[test]
fn sweep_previews_what_links_contain() {
    let story = Story::new();
    std::fs::write(story.path().join("rows.csv"), "a,b\n1,x\n2,\n3,z\n").unwrap();
    assert!(story.tool(&["import", "rows.csv", "rows"]).status.success());
    let name = "__1_1_0123456789abcdef0123456789abcdef_22";
    let fragments = story.path().join("rows/__fragments");
    std::fs::create_dir(fragments.join(name)).unwrap();
    std::fs::write(fragments.join(name).join("a0.tdb"), [7; 100]).unwrap();
    std::fs::write(story.path().join("foreign"), [7; 1000]).unwrap();
    std::os::unix::fs::symlink(story.path().join("foreign"), fragments.join(name).join("a1.tdb")).unwrap();
    let field_sizes = json(&story, &["info", "--json", "rows"]);
    std::fs::rename(&fragments, story.path().join("disk")).unwrap();
    std::os::unix::fs::symlink("../disk", &fragments).unwrap();
    assert_eq!(json(&story, &["info", "--json", "rows"]), field_sizes);
    let preview = json(&story, &["sweep", "--dry-run", "--json", "rows"]);
    assert_eq!((preview["bytes"].as_u64(), preview["files"].as_array().unwrap().len()), (Some(100), 1), "{preview}");
    let swept = json(&story, &["sweep", "--json", "rows"]);
    assert_eq!((swept["removed"].as_u64(), swept["bytes"].as_u64()), (Some(1), Some(100)), "{swept}");
    assert!(!story.path().join("disk").join(name).exists());
    assert_eq!(std::fs::read(story.path().join("foreign")).unwrap().len(), 1000);
}

/// Sizes of files by their names.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let mut sizes = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            sizes.extend(files(&path).into_iter().map(|(file, size)| (format!("{name}/{file}"), size)));
        } else {
            sizes.insert(name, path.metadata().unwrap().len());
        }
    }
    sizes
}

fn last(uri: &str) -> String {
    uri.trim_end_matches('/').rsplit('/').next().unwrap().to_owned()
}

/// Of each merged fragment those that it replaced, as the array says.
fn replaced(array: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let vacuums = files(array).into_keys().filter(|name| name.ends_with(".vac") && !name.contains("__meta/"));
    let lines = |file: &String| std::fs::read_to_string(array.join(file)).unwrap().lines().map(last).collect();
    vacuums.map(|file| (last(file.strip_suffix(".vac").unwrap()), lines(&file))).collect()
}

fn json(story: &Story, arguments: &[&str]) -> Json {
    let output = story.tool(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Consolidates; how many steps it was said to take, and took.
fn consolidates_as_said(story: &Story, array: &str, parameters: &[&str]) -> (usize, usize) {
    let set: Vec<&str> = parameters.iter().flat_map(|parameter| ["-c", parameter]).collect();
    let folder = story.path().join(array);
    let before = files(&folder);
    let said = json(story, &[&set[..], &["consolidate", "--dry-run", "--json", array]].concat());
    assert_eq!(files(&folder), before, "{parameters:?}: a dry run changes nothing");
    let old = replaced(&folder);
    let done = story.tool(&[&set[..], &["consolidate", array]].concat());
    assert!(done.status.success(), "{parameters:?}: {}", String::from_utf8_lossy(&done.stderr));
    let mut made = replaced(&folder);
    made.retain(|name, _| !old.contains_key(name));

    let steps = said["steps"].as_array().unwrap();
    assert_eq!(steps.is_empty(), made.is_empty(), "{parameters:?}");
    for (number, step) in steps.iter().enumerate() {
        let sources = step["merged"].as_array().unwrap();
        assert_eq!(step["expected"], number > 0, "{parameters:?}");
        assert!(sources.len() > 1 && (number > 0 || sources.iter().all(|source| source["uri"].is_string())));
    }
    // Later steps look at what earlier ones made, whose size nobody knows beforehand.
    if let Some(step) = steps.first() {
        let sources = step["merged"].as_array().unwrap();
        let merged: BTreeSet<String> = sources.iter().map(|source| last(source["uri"].as_str().unwrap())).collect();
        let is_inside = |file: &str| merged.iter().any(|name| file.contains(&format!("{name}/")));
        let bytes: u64 = before.iter().filter(|(file, _)| is_inside(file)).map(|(_, size)| size).sum();
        assert_eq!(step["bytes_before"], bytes, "{parameters:?}");
        assert!(made.values().any(|sources| *sources == merged), "{parameters:?}: {merged:?}, but {made:?}");
    }
    (steps.len(), made.len())
}

fn fragments(story: &Story, arguments: &[&str]) {
    let program = story.path().join("fragments");
    if !program.exists() {
        compile(&project().join("cli/tests/programs/fragments.c"), &program);
    }
    let mut command = std::process::Command::new(program);
    command.args(arguments).env("LD_LIBRARY_PATH", libraries());
    assert!(command.current_dir(story.path()).status().unwrap().success());
}

#[test]
fn consolidation_does_what_its_dry_run_prints() {
    let story = Story::new();
    let [least, most, ratio] =
        ["step_min_frags=2", "step_max_frags=3", "step_size_ratio=0.5"].map(|text| format!("sm.consolidation.{text}"));
    let cases: [(&str, Vec<&str>, usize); 6] = [
        ("all", vec![], 1),
        ("some", vec![&least, &most], 5),
        ("alike", vec![&least, &most, &ratio], 5),
        ("early", vec!["sm.consolidation.timestamp_end=4"], 1),
        ("once", vec![&least, &most, "sm.consolidation.steps=1"], 1),
        ("none", vec!["sm.consolidation.timestamp_start=90"], 0),
    ];
    for (name, parameters, steps) in cases {
        fragments(&story, &[name, "11", "30"]);
        assert_eq!(consolidates_as_said(&story, name, &parameters), (steps, steps), "{name}");
    }
    let golden = [
        "v22/deletes",
        "v22/dense_multi_fragment",
        "v22/dense_disjoint_fragments",
        "v22/evolution_dense",
        "v5/sparse_2d__2.0.8",
    ];
    story.unpack(&golden);
    for case in golden {
        let array = format!("{}/array", case.split_once('/').unwrap().1);
        let steps = consolidates_as_said(&story, &array, &[]);
        let expected = usize::from(case != "v22/dense_disjoint_fragments");
        assert_eq!(steps, (expected, expected), "{case}");
    }
}

/// What is merged is divided again, and that merged in turn. How large it becomes is not known beforehand: so a few
/// previews have a step more or less. `SEEDS=5..6` takes others.
#[test]
fn consolidation_takes_as_many_steps_as_its_dry_run() {
    let story = Story::new();
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "0..60".to_owned());
    let (from, to) = seeds.split_once("..").unwrap();
    let seeds: std::ops::Range<u64> = from.parse().unwrap()..to.parse().unwrap();
    let (mut wrong, mut several, count) = (Vec::new(), 0, seeds.end - seeds.start);
    for seed in seeds {
        let mut state = seed;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        let name = seed.to_string();
        fragments(
            &story,
            &[&name, &(2 + below(11)).to_string(), &(2 + below(200)).to_string(), &(seed + 1).to_string()],
        );
        let least = 2 + below(2);
        let parameters = [
            format!("step_min_frags={least}"),
            format!("step_max_frags={}", least + below(4)),
            format!("steps={}", 1 + below(30)),
            format!("max_fragment_size={}", 200 << below(7)),
            format!("step_size_ratio={}", below(3) as f64 / 4.0),
            format!("amplification={}", 1 + below(3)),
        ]
        .map(|parameter| format!("sm.consolidation.{parameter}"));
        let (said, done) = consolidates_as_said(&story, &name, &parameters.each_ref().map(String::as_str));
        several += u64::from(done > 1);
        if said != done {
            wrong.push(format!("seed {seed}, {parameters:?}: {said} steps were said, {done} done"));
        }
        _ = std::fs::remove_dir_all(story.path().join(name));
    }
    println!(
        "{} of {count} previews are wrong in their later steps; several steps: {several}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(wrong.len() as u64 * 10 <= count, "{}", wrong.join("\n"));
    assert!(several * 4 >= count);
}

/// Runs a command twice; it removes what it said, and nothing else.
fn removes_as_said(story: &Story, array: &str, arguments: &[&str]) -> usize {
    let folder = story.path().join(array);
    let before = files(&folder);
    let said = json(story, &[arguments, &["--dry-run", "--json", array]].concat());
    assert_eq!(files(&folder), before, "{arguments:?}: a dry run changes nothing");
    assert!(story.tool(&[arguments, &[array]].concat()).status.success());
    let after = files(&folder);
    let said: Vec<(&str, u64)> = said["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["uri"].as_str().unwrap(), file["bytes"].as_u64().unwrap()))
        .collect();
    let gone: BTreeMap<&String, &u64> = before.iter().filter(|file| !after.contains_key(file.0)).collect();
    for (uri, bytes) in &said {
        let name = uri.split_once(&format!("/{array}/")).unwrap().1.trim_end_matches('/');
        let is_part = |file: &str| file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let sum: u64 = gone.iter().filter(|(file, _)| is_part(file)).map(|(_, size)| **size).sum();
        assert_eq!(sum, *bytes, "{arguments:?}: {uri}");
    }
    let all: u64 = gone.into_values().sum();
    assert_eq!(said.iter().map(|file| file.1).sum::<u64>(), all, "{arguments:?}");
    said.len()
}

#[test]
fn vacuum_removes_what_its_dry_run_prints() {
    let story = Story::new();
    fragments(&story, &["array", "6", "30"]);
    for mode in ["fragment-meta", "commits", "fragment-meta", "fragments", "commits"] {
        assert!(story.tool(&["consolidate", "--mode", mode, "array"]).status.success());
    }
    // The first file of footers; the commits that stand in another file; six fragments with the note that lists them.
    assert_eq!(removes_as_said(&story, "array", &["vacuum", "--mode", "fragment-meta"]), 1);
    assert!(removes_as_said(&story, "array", &["vacuum", "--mode", "commits"]) >= 2);
    assert!(removes_as_said(&story, "array", &["vacuum"]) >= 7);
    assert_eq!(removes_as_said(&story, "array", &["vacuum"]), 0);
    for name in ["__1_1_0123456789abcdef0123456789abcdef_22", "__2_2_0123456789abcdef0123456789abcdee_22"] {
        let orphan = story.path().join("array/__fragments").join(name);
        std::fs::create_dir(&orphan).unwrap();
        std::fs::write(orphan.join("a0.tdb"), [0; 77]).unwrap();
    }
    assert_eq!(removes_as_said(&story, "array", &["sweep"]), 2);
    assert_eq!(removes_as_said(&story, "array", &["sweep"]), 0);
}
