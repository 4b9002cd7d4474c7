//! `#[path]` compiles a file again in each target that names it: what tests share is in the crate `support`.

use std::collections::BTreeMap;

use super::house::root_files;

/// Files that may contain the attribute, how often, and why.
const REASONS: [(&str, usize, &str); 8] = [
    ("build.rs", 1, "a build script cannot use a crate of the workspace without compiling it first"),
    ("cli/build.rs", 1, "as the build script of the library"),
    ("cli/tests/cells.rs", 3, "modules of a target that is one file beside its folder"),
    ("cli/tests/round_trip.rs", 1, "values of Arrow that only two targets of the tool write"),
    ("crates/tiledb/tests/api/examples.rs", 5, "runs the examples"),
    ("tests/fuzz_seeds/main.rs", 1, "runs the fuzz targets, which are outside of the workspace"),
    ("tests/policy_maintenance/main.rs", 1, "a model in the unit tests of the engine"),
    ("tests/simulation/main.rs", 1, "the model, a folder of its own"),
];

/// Number of attributes by file.
fn attributes(files: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, usize> {
    let count = |text: &str| text.lines().filter(|line| line.trim_start().starts_with("#[path")).count();
    let counts = files.into_iter().map(|(path, text)| (path, count(&text)));
    counts.filter(|(_, count)| *count > 0).collect()
}

/// Files with more or fewer attributes than the list says.
fn deviations(actual: &BTreeMap<String, usize>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, count) in actual {
        let expected = REASONS.iter().find(|(file, ..)| file == path).map_or(0, |(_, count, _)| *count);
        if *count > expected {
            wrong.push(format!("{path}: {count} `#[path]` instead of {expected}; move the module to tests/support"));
        }
    }
    for (path, expected, _) in REASONS {
        let count = actual.get(path).copied().unwrap_or(0);
        if count < expected {
            wrong.push(format!("{path}: {count} `#[path]` instead of {expected}; correct the list"));
        }
    }
    wrong
}

#[test]
fn path_attributes_are_those_with_a_reason() {
    let build =
        (String::from("build.rs"), std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/build.rs")).unwrap());
    let folders = ["benches", "cli", "crates", "fuzz", "src", "tests"];
    let files = folders.into_iter().flat_map(root_files).chain([build]);
    let wrong = deviations(&attributes(files));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn new_and_missing_path_attributes_are_reported() {
    let text = |path: &str, count: usize| (path.to_owned(), "    #[path = \"../a/b.rs\"]\nmod b;\n".repeat(count));
    let listed = || REASONS.iter().map(|(path, count, _)| text(path, *count));
    assert_eq!(deviations(&attributes(listed())), Vec::<String>::new());
    assert_eq!(deviations(&attributes(listed().chain([text("tests/cloud/main.rs", 1)]))).len(), 1);
    assert_eq!(deviations(&attributes(listed().skip(1))).len(), 1);
    assert_eq!(deviations(&attributes([text("build.rs", 2)].into_iter().chain(listed().skip(1)))).len(), 1);
}

/// They would not run: the crate has no test target, which would compile it a second time.
#[test]
fn crate_of_the_tests_has_no_unit_tests() {
    let with_tests = root_files("tests/support").into_iter().filter(|(_, text)| text.contains("#[test]"));
    let paths: Vec<String> = with_tests.map(|(path, _)| path).collect();
    assert!(paths.is_empty(), "move these tests to a target: {paths:?}");
}
