//! `--where` selects the cells that meet the condition, in dense and sparse arrays: `between`, negations, null cells.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use serde_json::Value as Json;
use support::{Story, array};

/// The cells of `cat`, of those that meet a condition.
fn cells(story: &Story, uri: &str, condition: Option<&str>) -> Vec<Json> {
    let mut arguments = vec!["cat", uri, "--format", "json"];
    arguments.extend(condition.iter().flat_map(|condition| ["--where", condition]));
    let output = story.tool(&arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{condition:?}: {stderr}");
    std::str::from_utf8(&output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The condition as the tool takes it, and whether a number meets it; null meets none.
type Case<'a> = (&'a str, &'a dyn Fn(f64) -> bool);

#[test]
fn condition_selects_the_cells_that_meet_it() {
    let story = Story::new();
    let low_and_high = |value: f64| (-500_000.0..=60_000.0).contains(&value);
    let numbers: [Case<'_>; 9] = [
        ("FIELD between -500000 and 60000", &low_and_high),
        ("FIELD BETWEEN -500000 AND 60000 and FIELD > 0", &|value| low_and_high(value) && value > 0.0),
        ("FIELD not between -500000 and 60000", &|value| !low_and_high(value)),
        ("not FIELD between -500000 and 60000 or FIELD = 0", &|value| !low_and_high(value)),
        ("not (FIELD not between -500000 and 60000)", &low_and_high),
        ("FIELD between 60000 and -500000", &|_| false),
        ("FIELD not between 60000 and -500000", &|_| true),
        ("not (FIELD > 3)", &|value| value <= 3.0),
        ("not (FIELD < 3 or not FIELD < 900000)", &|value| (3.0..900_000.0).contains(&value)),
    ];
    for (case, fields) in [("dense_query_conditions", &["a", "n"][..]), ("sparse_query_conditions", &["a"])] {
        story.unpack(&[&format!("v22/{case}")]);
        let uri = array(&story, case);
        let all = cells(&story, &uri, None);
        for field in fields {
            for (condition, meets) in &numbers {
                let condition = condition.replace("FIELD", field);
                let expected: Vec<&Json> = all.iter().filter(|cell| cell[*field].as_f64().is_some_and(meets)).collect();
                let selected = cells(&story, &uri, Some(&condition));
                assert_eq!(selected.iter().collect::<Vec<_>>(), expected, "{case}: {condition}");
            }
        }
        let is_between = |text: &str| ("a"..="lz").contains(&text);
        let expected = all.iter().filter(|cell| is_between(cell["s"].as_str().unwrap())).count();
        assert!(expected > 0);
        assert_eq!(cells(&story, &uri, Some("s between 'a' and 'lz'")).len(), expected, "{case}");
        assert_eq!(cells(&story, &uri, Some("s not between a and 'lz'")).len(), all.len() - expected, "{case}");
        // Of nulls only those that are asked for are found.
        let nulls = all.iter().filter(|cell| cell["n"].is_null()).count();
        assert!(nulls > 0);
        for (condition, count) in [
            ("n is null", nulls),
            ("not (n is not null)", nulls),
            ("not (n is null)", all.len() - nulls),
            ("n not in (1)", all.len() - nulls),
            ("n between 1 and 0 or n is null", nulls),
        ] {
            assert_eq!(cells(&story, &uri, Some(condition)).len(), count, "{case}: {condition}");
        }
    }
}

#[test]
fn incomplete_conditions_are_refused() {
    let story = Story::new();
    story.unpack(&["v22/dense_query_conditions"]);
    let uri = array(&story, "dense_query_conditions");
    for (condition, words) in [
        ("a between", "a value is missing after a"),
        ("a between 1", "write \"a between 1 and 2\""),
        ("a between 1 or 2", "write \"a between 1 and 2\""),
        ("a between 1, 2", "write \"a between 1 and 2\""),
        ("a between (1 and 2)", "a value is missing after a"),
        ("a between 1 and", "a value is missing after a"),
        ("a between 1 and 2 and", "a field is missing before the end"),
        ("a between x and 2", "x"),
        ("a between 1 and 2 3", "3 is not expected"),
        ("a not", "write \"a not in (1, 2)\" or \"a not between 1 and 2\""),
        ("a not = 1", "write \"a not in (1, 2)\" or \"a not between 1 and 2\""),
        ("between 1 and 2", "\"in\" or \"between\" after between"),
        ("between > 1", "there is no field \"between\""),
        ("a", "\"in\" or \"between\" after a"),
    ] {
        let output = story.tool(&["cat", &uri, "--where", condition]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{condition}: {stderr}");
        assert!(stderr.contains(words), "{condition}: {stderr}");
    }
}
