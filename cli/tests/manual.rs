//! The commands in docs/tool.md and in the README print what is written there: they are run by a shell, one after the other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Text on a line, or a line by itself, that stands for output which is left out.
const ELLIPSIS: &str = "...";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The fenced blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    format!("\n{text}")
        .split(&format!("\n{fence}"))
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap().to_owned())
        .collect()
}

/// A shell command in a folder in which the tool and the files of the source tree are found: its output, errors included.
fn run(folder: &Path, command: &str) -> String {
    let tool = support::tool();
    let path = format!("{}:{}", tool.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let shell = ["-c", &format!("{{ {command}\n}} 2>&1")].map(str::to_owned);
    let output = Command::new("sh").args(shell).env("PATH", path).current_dir(folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command}: {text}");
    text
}

/// A folder with the examples of the source tree.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("examples-c"), folder.path().join("examples-c")).unwrap();
    folder
}

/// The words of a line; columns may be wider than in the text.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a line is as the expected one, in which an ellipsis stands for any text.
fn is_line(expected: &str, actual: &str) -> bool {
    let mut parts = expected.split(ELLIPSIS);
    let Some(mut rest) = actual.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether lines are as the expected ones, in which an ellipsis on a line by itself stands for any lines.
fn is_output(expected: &[String], actual: &[String]) -> bool {
    match (expected.split_first(), actual.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == ELLIPSIS => {
            is_output(rest, actual) || actual.split_first().is_some_and(|(_, more)| is_output(expected, more))
        }
        (Some((first, rest)), Some((line, more))) => is_line(first, line) && is_output(rest, more),
        _ => false,
    }
}

fn compare(command: &str, expected: &str, actual: &str) {
    let lines = |text: &str| text.lines().map(words).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    assert!(is_output(&lines(expected), &lines(actual)), "$ {command}\n{actual}\nis described as\n{expected}");
}

#[test]
fn commands_of_the_manual_print_what_it_says() {
    let folder = folder();
    let text = std::fs::read_to_string(root().join("docs/tool.md")).unwrap();
    let verified = std::fs::read_to_string(root().join("cli/tests/expected/verify.txt")).unwrap();
    let mut commands = 0;
    for block in blocks(&text, "text") {
        let mut parts = format!("\n{block}");
        if !block.starts_with("$ ") {
            let known: Vec<String> = verified.lines().map(words).collect();
            assert!(block.lines().all(|line| known.contains(&words(line))), "no test prints\n{block}");
            parts.clear();
        }
        for part in parts.split("\n$ ").skip(1) {
            let (command, expected) = part.split_once('\n').unwrap_or((part, ""));
            compare(command, expected, &run(folder.path(), command));
            commands += 1;
        }
    }
    assert!(commands > 20, "{commands} commands were found");
}

#[test]
fn first_program_in_the_shell_prints_what_the_readme_says() {
    let folder = folder();
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let section = text.split("## First program").nth(1).unwrap().split("\n## ").next().unwrap();
    let program = blocks(section, "sh").into_iter().find(|block| block.contains("tiledb-rs import")).unwrap();
    let after = section.split(&program).nth(1).unwrap();
    compare(&program, &blocks(after, "text")[0], &run(folder.path(), &program));
}

#[test]
fn ellipsis_matches_any_output_and_nothing_else_does() {
    let lines = |text: &str| text.lines().map(words).collect::<Vec<_>>();
    for (expected, actual, is_equal) in [
        ("a 1\n...\nb", "a 1\nx\ny\nb", true),
        ("a 1\n...\nb", "a 1\nb", true),
        ("a ... c", "a b c", true),
        ("a ... c", "a b d", false),
        ("a", "a\nb", false),
        ("a\nb", "a", false),
        ("... 2 of ...", "1, 2 of 3", true),
    ] {
        assert_eq!(is_output(&lines(expected), &lines(actual)), is_equal, "{expected}: {actual}");
    }
}
