//! Completion scripts of shells.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Arguments;

/// Name of the program.
const PROGRAM: &str = "tiledb-rs";

/// The completion script of a shell.
pub(crate) fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Shell::Bash => with_one_separator(&script),
        _ => script.into_owned(),
    }
}

/// In the script for bash, clap_complete takes the hyphen of the program for the beginning of a subcommand where it completes the
/// options of one, but not where it recognizes the subcommand: nothing would be completed behind it.
fn with_one_separator(script: &str) -> String {
    let (recognized, completed) = (PROGRAM.replace('-', "__"), PROGRAM.replace('-', "__subcmd__"));
    script.replace(&format!("{completed}__subcmd__"), &format!("{recognized}__subcmd__"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn commands_that_bash_recognizes_have_completions() {
        let script = script(Shell::Bash);
        let recognized: HashSet<&str> =
            script.lines().filter_map(|line| line.trim().strip_prefix("cmd=\"")?.strip_suffix('"')).collect();
        let completed: HashSet<&str> = script.lines().filter_map(|line| line.trim().strip_suffix(')')).collect();
        assert!(recognized.len() > 20);
        for command in recognized.iter().filter(|command| !command.is_empty()) {
            assert!(completed.contains(command), "{command}");
        }
    }
}
