//! Output on terminals contains no control characters of names, values and errors, and no credentials; completions of shells.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at once")]

mod support;

use support::{Story, project, tool};

/// An escape sequence, a bell, a bidirectional override, an isolate, a C1 control, DEL, and a line separator.
const HOSTILE: &str = "\u{1b}[31m\u{7}\u{202e}\u{2066}\u{9b}2J\u{7f}\u{2028}\r";

fn is_control(letter: char) -> bool {
    letter != '\n' && letter.is_control() || "\u{202e}\u{2066}\u{2028}".contains(letter)
}

/// All that a call prints has no control characters.
fn check(story: &Story, arguments: &[&str]) -> String {
    let output = story.tool(arguments);
    let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(!printed.contains(is_control), "{arguments:?}: {printed:?}");
    printed
}

fn story() -> (Story, String) {
    let (story, name) = (Story::new(), format!("n{HOSTILE}"));
    std::fs::write(story.path().join("rows.csv"), format!("\"a{HOSTILE}b\",s\n1,\"{HOSTILE}\"\n")).unwrap();
    assert!(story.tool(&["import", "rows.csv", &name]).status.success());
    (story, name)
}

#[test]
fn control_characters_are_escaped() {
    let (story, name) = story();
    for arguments in [
        &["ls", "."][..],
        &["ls", ".", "--json"],
        &["tree", "."],
        &["tree", ".", "--json"],
        &["info", &name],
        &["info", &name, "--json"],
        &["head", &name],
        &["cat", &name],
        &["verify", &name],
        &["import", "rows.csv", "new", "--dry-run"],
        &["consolidate", "--dry-run", &name],
        &["picture", &name, "-o", "page.html"],
        &["copy", &name, "copied"],
    ] {
        check(&story, arguments);
        assert!(story.tool(arguments).status.success(), "{arguments:?}");
    }
    // Errors: names of files and arrays, arguments, values.
    for arguments in [
        &["info", &format!("no{HOSTILE}")][..],
        &["import", &format!("no{HOSTILE}.csv"), "x"],
        &["cat", &name, "--range", &format!("row={HOSTILE}:")],
        &["cat", &name, "--where", &format!("x == '{HOSTILE}'")],
        &["cat", &name, "--fields", &format!("no{HOSTILE}")],
        &["import", "rows.csv", &name, "--delimiter", HOSTILE],
        &["-c", &format!("a.{HOSTILE}=1"), "info", &name],
        &["ls", &name],
    ] {
        check(&story, arguments);
        assert!(!story.tool(arguments).status.success(), "{arguments:?}");
    }
    let shown = check(&story, &["cat", &name]);
    assert!(shown.contains("\\u{1b}[31m\\u{7}\\u{202e}\\u{2066}\\u{9b}2J\\u{7f}\\u{2028}\\r"), "{shown}");
}

#[test]
fn raw_formats_are_exact() {
    let (story, name) = story();
    let csv = String::from_utf8(story.tool(&["cat", &name, "--format", "csv", "--fields", "s"]).stdout).unwrap();
    assert_eq!(csv, format!("s\n\"{HOSTILE}\"\n"));
    let json = story.tool(&["cat", &name, "--format", "json", "--fields", "s"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["s"], HOSTILE);
}

#[test]
fn credentials_are_not_shown() {
    let story = Story::new();
    for (arguments, secret) in [
        (&["-c", "vfs.s3.aws_secret_access_keyhUnTeR2", "info", "x"][..], "hUnTeR2"),
        (&["-c", "hUnTeR2hUnTeR2", "info", "x"], "hUnTeR2"),
        (&["-c", "hUnTeR2=", "info", "x"], "hUnTeR2"),
        (&["-c", "rest.token:hUnTeR2", "info", "x"], "hUnTeR2"),
        (&["info", "https://user:hUnTeR2@localhost:1/x"], "hUnTeR2"),
        (&["info", "https://hUnTeR2@localhost:1/x"], "hUnTeR2"),
        (&["copy", "https://a.localhost/c?sv=1&sig=hUnTeR2&se=2", "x"], "hUnTeR2"),
        (&["cat", "azure://c/x?sig=hUnTeR2"], "hUnTeR2"),
        (&["import", "s3://key:hUnTeR2@bucket/rows.csv", "x"], "hUnTeR2"),
        (&["info", "foo://user:hUn/TeR2@host/x"], "TeR2"),
        (&["-c", "rest.token", "hUnTeR2", "info", "x"], "hUnTeR2"),
        (&["--set", "rest.token", "hUnTeR2"], "hUnTeR2"),
        (&["info", "-c", "rest.token", "hUnTeR2"], "hUnTeR2"),
        (&["info", "x", "rest.token=hUnTeR2"], "hUnTeR2"),
        (&["--config", "rest.token=hUnTeR2", "info", "x"], "hUnTeR2"),
        (&["info", "s3://b.localhost/k#sig=hUnTeR2"], "hUnTeR2"),
    ] {
        let mut command = std::process::Command::new(tool());
        command.args(["-c", "vfs.azure.max_retries=0", "-c", "vfs.s3.connect_max_tries=1"]);
        let output = command.args(arguments).current_dir(story.path()).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
        assert!(matches!(output.status.code(), Some(2 | 3)), "{arguments:?}: {printed}");
        assert!(!printed.contains(secret) && !printed.is_empty(), "{arguments:?}: {printed}");
    }
}

#[test]
fn notes_logs_and_colors_are_as_options_say() {
    let story = Story::new();
    std::fs::write(story.path().join("rows.csv"), "d,a\n1,5\n").unwrap();
    let printed = |arguments: &[&str]| {
        let output = story.tool(arguments);
        assert!(output.status.success(), "{arguments:?}");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    printed(&["import", "rows.csv", "rows", "--dims", "d"]);
    printed(&["append", "rows.csv", "rows"]);
    let none = ["cat", "rows", "--range", "d=5:6"];
    assert!(printed(&none)[1].contains("no cells are selected"));
    assert_eq!(printed(&[&["-q"], &none[..]].concat())[1], "");
    assert_eq!(printed(&["info", "rows"])[1], "");
    assert!(printed(&["-v", "consolidate", "rows"])[1].contains("Consolidation"));
    let is_styled = |arguments: &[&str]| printed(arguments)[0].contains('\u{1b}');
    assert!(is_styled(&["--color", "always", "head", "rows"]));
    assert!(!is_styled(&["--color", "never", "head", "rows"]) && !is_styled(&["head", "rows"]));
}

/// Each line in an interactive shell, completed by the tab key behind it.
#[test]
fn shells_complete_commands_options_and_values() {
    let story = Story::new();
    let program = project().join("cli/tests/programs/complete.py");
    for shell in ["bash", "zsh", "fish"] {
        let script = story.path().join(shell);
        std::fs::write(&script, story.tool(&["completion", shell]).stdout).unwrap();
        for (line, completed) in [
            ("tiledb-rs ver", "verify"),
            ("tiledb-rs cat --wh", "cat --where"),
            ("tiledb-rs import x y --checks", "import x y --checksum"),
            ("tiledb-rs meta se", "meta set"),
            ("tiledb-rs advise --profile sm", "advise --profile small"),
        ] {
            let mut command = std::process::Command::new("python3");
            let output = command.arg(&program).arg(shell).arg(&script).arg(line).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            // Only bash is everywhere.
            if printed.trim() == "absent" && shell != "bash" {
                break;
            }
            assert_eq!(printed.trim(), completed, "{shell}: {line}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn mistyped_parameters_are_refused() {
    let story = Story::new();
    std::fs::write(story.path().join("config"), "# mine\nsm.mem.totalbudget 5\n").unwrap();
    std::fs::write(story.path().join("good"), "# mine\nsm.mem.total_budget 500000000\n").unwrap();
    std::fs::write(story.path().join("rows.csv"), "a\n1\n").unwrap();
    for arguments in [&["-c", "sm.mem.totalbudget=5"][..], &["--config", "config"]] {
        let output = story.tool(&[arguments, &["import", "rows.csv", "x"]].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(
            stderr.contains("no parameter sm.mem.totalbudget") && stderr.contains("sm.mem.total_budget is"),
            "{stderr}"
        );
    }
    let fine = ["--config", "good", "-c", "vfs.s3.custom_headers.X-A=b", "-c", "sm.memory_budget=100000000"];
    assert!(story.tool(&[&fine[..], &["import", "rows.csv", "x"]].concat()).status.success());
}
