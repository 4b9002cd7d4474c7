//! The rules of the model: measured with libtiledb, and listed in `docs/model.md`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What `measure_rules.py` prints of a rule that libtiledb follows.
const HOLDS: &str = "holds";

/// What libtiledb does, by rule. None without libtiledb.
fn measured(root: &Path) -> Option<BTreeMap<String, String>> {
    let python = root.join(".venv/bin/python");
    if !python.exists() {
        let is_required = std::env::var("REFERENCE").is_ok_and(|value| value == "required");
        assert!(!is_required, "the reference is missing: `make venv`");
        return None;
    }
    let mut command = Command::new(python);
    let output = command.args(["-W", "ignore"]).arg(root.join("tests/simulation/measure_rules.py")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let rules = text.lines().filter_map(|line| line.split_once('\t'));
    Some(rules.map(|(rule, result)| (rule.to_owned(), result.to_owned())).collect())
}

#[test]
fn measured_rules_of_the_model_hold_for_libtiledb_and_are_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(measured) = measured(root) else { return };
    let wrong: Vec<_> = measured.iter().filter(|(_, result)| *result != HOLDS).collect();
    assert!(wrong.is_empty(), "libtiledb does not follow {wrong:?}");
    let document = std::fs::read_to_string(root.join("docs/model.md")).unwrap();
    let cells = document.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|')?.rsplit('|').next());
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).filter(|name| !name.contains('/'));
    let mut documented: Vec<&str> = names.collect();
    documented.sort_unstable();
    documented.dedup();
    assert_eq!(documented, measured.keys().map(String::as_str).collect::<Vec<_>>());
}
