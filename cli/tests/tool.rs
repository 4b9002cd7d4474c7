//! The tool as a user runs it: output and exit code must be those in `expected/NAME.txt`; `BLESS=1` rewrites these
//! files. Golden arrays are unpacked for the test; the flights arrays are written by the C example.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use support::{Story, array, bucket, example, flights};

#[test]
fn golden_arrays_are_printed() {
    let mut story = Story::new();
    story.unpack(&[
        "v22/consolidated_sparse_dups",
        "v22/dense_query_conditions",
        "v22/dims_named_oddly",
        "v3/dense_types__1.6.3",
    ]);
    let sparse = &array(&story, "consolidated_sparse_dups");
    let dense = &array(&story, "dense_query_conditions");
    let odd = &array(&story, "dims_named_oddly");
    let old = &array(&story, "dense_types__1.6.3");
    story.run(&["info", sparse]).run(&["info", dense, "--json"]).run(&["info", odd]).run(&["info", old]);
    story.run(&["head", sparse]).run(&["head", dense, "-n", "3"]).run(&["cat", odd, "--format", "csv"]);
    story.run(&["head", old, "--json"]);
    story.is_as("golden");
}

#[test]
fn evolved_schemas_are_printed() {
    let mut story = Story::new();
    let cases =
        ["v22/evolution_dense", "v22/evolution_sparse", "v22/evolution_readd_other_type", "v22/evolution_consolidated"];
    story.unpack(&cases);
    for case in cases {
        story.run(&["info", "--all", &array(&story, case.split_once('/').unwrap().1)]);
    }
    story.is_as("evolution");
}

#[test]
fn maintenance_commands_print_their_results() {
    let mut story = Story::new();
    story.unpack(&["v22/deletes", "v5/sparse_2d__2.0.8"]);
    let (new, old) = (&array(&story, "deletes"), &array(&story, "sparse_2d__2.0.8"));
    let before = story.tool(&["cat", new, "--format", "csv"]).stdout;
    for uri in [new, old] {
        story.run(&["consolidate", "--dry-run", uri]).run(&["consolidate", uri]).run(&["vacuum", "--dry-run", uri]);
        story.run(&["vacuum", uri]).run(&["sweep", "--dry-run", uri]).run(&["sweep", uri]);
        story.run(&["upgrade", "--dry-run", uri]).run(&["upgrade", uri]);
        story.run(&["consolidate", "--mode", "fragment-meta", "--json", uri]);
    }
    let after = story.tool(&["cat", new, "--format", "csv"]).stdout;
    assert!(!before.is_empty() && before == after, "maintenance leaves the cells as they are");
    story.is_as("maintenance");
}

#[test]
fn maintenance_follows_the_policy() {
    let mut story = Story::new();
    story.unpack(&["v22/deletes", "v5/sparse_2d__2.0.8"]);
    let (new, old) = (&array(&story, "deletes"), &array(&story, "sparse_2d__2.0.8"));
    let before = story.tool(&["cat", new, "--format", "csv"]).stdout;
    let bound = ["-c", "sm.maintenance.max_fragments=1", "-c", "sm.maintenance.max_commits=0"];
    for uri in [new, old] {
        story.run(&["maintain", uri]);
        story.run(&[&bound[..], &["maintain", "--dry-run", uri]].concat());
        story.run(&[&bound[..], &["maintain", uri]].concat());
        story.run(&[&bound[..], &["maintain", "--dry-run", "--json", uri]].concat());
        story.run(&[&bound[..], &["maintain", "--json", uri]].concat());
        story.run(&["maintain", uri]);
    }
    let after = story.tool(&["cat", new, "--format", "csv"]).stdout;
    assert!(!before.is_empty() && before == after, "maintenance leaves the cells as they are");
    story.run(&["maintain", "missing"]).run(&["maintain", "--watch", "5", "--dry-run", new]);
    story.run(&["-c", "sm.maintenance.max_fragments=0", "maintain", new]);
    story.is_as("policy_maintenance");
}

#[test]
fn all_arrays_of_a_group_are_maintained() {
    let story = Story::new();
    story.unpack(&["v22/group_members"]);
    let group = "group_members/group";
    let maintained = story.tool(&["maintain", group]);
    let text = String::from_utf8(maintained.stdout).unwrap();
    assert!(maintained.status.success(), "{text}");
    for array in ["dense1:", "sparse1:", "sub/inner/leaf:"] {
        assert!(text.contains(array), "{text}");
    }
    std::fs::remove_dir_all(story.path().join(group).join("dense1")).unwrap();
    let failed = story.tool(&["maintain", "--json", group]);
    let [text, errors] = [failed.stdout, failed.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(failed.status.code(), Some(3), "{text}{errors}");
    assert!(text.contains("\"arrays\": [\n    {") && text.contains("\"failed\": [\n    {"), "{text}");
    assert!(
        errors.contains("dense1") && errors.contains("1 members of group_members/group could not be maintained"),
        "{errors}"
    );
}

#[test]
fn copies_for_older_readers_have_their_version() {
    let mut story = Story::new();
    story.unpack(&["v22/deletes", "v22/current_domain_sparse"]);
    let [plain, newer] = ["deletes", "current_domain_sparse"].map(|name| array(&story, name));
    let cells = |story: &Story, uri: &str| story.tool(&["cat", uri, "--format", "csv"]).stdout;
    story.run(&["downgrade", "--dry-run", &plain, "copy"]).run(&["downgrade", &plain, "copy"]);
    story.run(&["downgrade", &plain, "copy"]).run(&["downgrade", "--format-version", "20", "--json", &plain, "other"]);
    story.run(&["downgrade", "--format-version", "17", &plain, "third"]);
    story.run(&["downgrade", "--format-version", "21", &newer, "third"]);
    story.run(&["downgrade", "--dry-run", "--format-version", "21", &newer, "third"]);
    story.run(&["downgrade", "missing", "third"]).run(&["ls", "third"]);
    let before = cells(&story, &plain);
    assert!(!before.is_empty() && before == cells(&story, "copy") && before == cells(&story, "other"));
    story.run(&["verify", "copy"]).run(&["verify", "--json", "other"]);
    story.is_as("downgrade");
}

#[test]
fn recommended_filters_are_printed() {
    let mut story = Story::new();
    story.unpack(&["v22/dense_query_conditions", "v22/sparse_nullable_all", "v5/sparse_2d__2.0.8"]);
    let arrays = ["dense_query_conditions", "sparse_nullable_all", "sparse_2d__2.0.8"].map(|name| array(&story, name));
    for uri in &arrays {
        for profile in ["small", "balanced", "fast"] {
            story.run(&["advise", "--profile", profile, uri]);
        }
    }
    story.run(&["advise", "--json", &arrays[0]]).run(&["advise", "missing"]).run(&[
        "advise",
        "--profile",
        "best",
        &arrays[0],
    ]);
    story.is_as("advise");
}

#[test]
fn rewritten_arrays_have_the_same_cells() {
    let mut story = Story::new();
    story.unpack(&["v22/deletes", "v22/dense_query_conditions"]);
    let [sparse, dense] = ["deletes", "dense_query_conditions"].map(|name| array(&story, name));
    let cells = |story: &Story, uri: &str| story.tool(&["cat", uri, "--format", "csv"]).stdout;
    for (uri, name) in [(&sparse, "sparse"), (&dense, "dense")] {
        let before = cells(&story, uri);
        assert!(!before.is_empty());
        for (profile, copy) in [("small", "small"), ("fast", "fast")] {
            let copy = format!("{name}_{copy}");
            story.run(&["rewrite", "--profile", profile, uri, &copy]);
            assert!(before == cells(&story, &copy));
        }
        let merged = format!("{name}_merged");
        story.run(&["rewrite", "--json", "--merge", uri, &merged]).run(&["verify", &merged]);
        assert!(before == cells(&story, &merged));
    }
    story.run(&["rewrite", &sparse, "sparse_fast"]).run(&["rewrite", "--resume", &sparse, "sparse_fast"]);
    story.run(&["rewrite", "--resume", "--profile", "fast", &sparse, "sparse_fast"]);
    story.run(&["rewrite", &sparse, &sparse]).run(&["rewrite", "missing", "copy"]).run(&["rewrite", &sparse]);
    story.is_as("rewrite");
}

#[test]
fn mistakes_are_reported_with_a_remedy() {
    let mut story = Story::new();
    story.unpack(&["v22/dense_query_conditions"]);
    let dense = &array(&story, "dense_query_conditions");
    std::fs::create_dir(story.path().join("empty")).unwrap();
    story.run(&["info", "nowhere"]).run(&["ls", "nowhere"]).run(&["ls", "empty"]).run(&["ls", dense]);
    story.run(&["tree", "empty"]).run(&["consolidate", "empty"]);
    story.run(&["cat", dense, "--where", "no_such_field > 1"]).run(&["cat", dense, "--range", "z=1:2"]);
    story.run(&["cat", dense, "--where", "("]).run(&["cat", dense, "--fields", "x"]);
    story.run(&["-c", "sm.tile_cache_size", "info", dense]).run(&["-c", "sm.memory_budget=many", "info", dense]);
    story.is_as("mistakes");
}

#[test]
fn flights_example_runs() {
    let mut story = Story::new();
    let program = example("flights", story.path());
    flights(&program, ".", story.path());
    look_at_flights(&mut story, "");
    story.is_as("flights");
}

fn look_at_flights(story: &mut Story, place: &str) {
    let (flights, weather) = (&format!("{place}flights"), &format!("{place}weather"));
    story.run(&["head", "-n", "5", flights]).run(&["head", "-n", "3", "--json", weather]);
    story.run(&["cat", flights, "--where", "dep_delay > 200", "--fields", "time,origin,dep_delay"]);
}

/// The same in a store: the environment names its server, as `make test-tool` has it.
#[test]
fn flights_example_runs_in_s3() {
    let (Ok(endpoint), Ok("s3")) =
        (std::env::var("TILEDB_VFS_S3_ENDPOINT_OVERRIDE"), std::env::var("STORE").as_deref())
    else {
        println!("skipped: there is no server; make test-tool starts one");
        return;
    };
    bucket(&endpoint, "tool");
    let mut story = Story::new();
    let program = example("flights", story.path());
    flights(&program, "s3://tool", story.path());
    story.run(&["ls", "s3://tool"]).run(&["tree", "s3://tool"]);
    look_at_flights(&mut story, "s3://tool/");
    story.run(&["vacuum", "s3://tool/flights"]);
    let verified = story.tool(&["verify", "s3://tool/flights", "s3://tool/weather"]);
    let stdout = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success() && stdout.matches(": sound (files: ").count() == 2, "{stdout}");
    story.is_as("flights_in_s3");
}

#[test]
fn completion_and_manual_are_printed() {
    let story = Story::new();
    for shell in ["bash", "zsh", "fish"] {
        let output = story.tool(&["completion", shell]);
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("consolidate"), "{shell}");
    }
    assert!(story.tool(&["man", "pages"]).status.success());
    let page = std::fs::read_to_string(story.path().join("pages/tiledb-rs-cat.1")).unwrap();
    assert!(page.contains("CONDITION"), "{page}");
}
