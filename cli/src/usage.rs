//! Usage errors, without the values of arguments: a mistyped one may contain a credential.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use crate::args::Arguments;
use crate::examples::with_examples;
use crate::model::{Error, Result};
use crate::output::{HIDDEN, is_secret, redact};

/// Parses the arguments of the process; for `--help` and `--version`, and where an error shows no values, clap ends it.
///
/// # Errors
/// The error of clap where values in it had to be hidden.
pub(crate) fn parse() -> Result<Arguments> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let parsed = with_examples(Arguments::command()).try_get_matches_from(&words);
    parsed.and_then(|found| Arguments::from_arg_matches(&found)).or_else(|error| {
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            error.exit()
        }
        let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let message = error.to_string();
        match hide_values(&words, &message) {
            safe if safe == message && !wants_json(std::env::args_os()) => error.exit(),
            safe => Err(Error::usage(safe.strip_prefix("error: ").unwrap_or(&safe).trim_end())),
        }
    })
}

/// Whether the arguments ask for JSON, also where they are invalid.
pub(crate) fn wants_json(words: impl Iterator<Item = OsString>) -> bool {
    words.skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

/// The message of clap for these arguments, without values of parameters and credentials in URLs.
fn hide_values(words: &[&str], message: &str) -> String {
    if parameters(words).any(is_cut_off) {
        return "an argument is not KEY=VALUE: write -c KEY=VALUE without spaces, as -c sm.memory_budget=1000000"
            .to_owned();
    }
    let mut safe = message.to_owned();
    // An argument may be shown without the option that it was attached to.
    let values = words.iter().filter_map(|word| word.split_once('=')).filter(|(_, value)| !value.is_empty());
    for (_, value) in values {
        let values = std::iter::successors(Some(value), |value| value.split_once('=').map(|(_, value)| value));
        for value in values.filter(|value| !value.is_empty()) {
            safe = safe.replace(&format!("={value}"), &format!("={HIDDEN}"));
        }
    }
    let safe = redact(&safe);
    if safe == message {
        return message.to_owned();
    }
    let first = safe.lines().next().unwrap_or_default();
    format!("{}; see --help", first.strip_prefix("error: ").unwrap_or(first))
}

/// Whether the value of a parameter may be the next argument: there is no `=`, or nothing after it.
fn is_cut_off(pair: &str) -> bool {
    pair.split_once('=').is_none_or(|(name, value)| value.is_empty() && is_secret(name))
}

/// The values of `-c` and `--set` as they were written.
fn parameters<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let mut words = words.iter().copied().take_while(|word| *word != "--");
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            if matches!(word, "-c" | "--set") {
                return words.next();
            }
            let attached = word.strip_prefix("--set=").or_else(|| {
                let pair = word.strip_prefix("-c")?;
                Some(pair.strip_prefix('=').unwrap_or(pair))
            });
            if attached.is_some() {
                return attached;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// The message for arguments that clap rejects.
    fn printed(words: &[&str]) -> String {
        let error = Arguments::try_parse_from(std::iter::once(&"tiledb-rs").chain(words)).err();
        hide_values(words, &error.map_or(String::new(), |error| error.to_string()))
    }

    #[test]
    fn values_of_mistyped_arguments_are_hidden() {
        for words in [
            &["-c", "rest.token", "hUnTeR2", "info", "x"][..],
            &["-c", "rest.token=", "hUnTeR2", "info", "x"],
            &["--set", "rest.token", "hUnTeR2", "info", "x"],
            &["-crest.token", "hUnTeR2"],
            &["-c=rest.token", "hUnTeR2"],
            &["--set=rest.token", "hUnTeR2"],
            &["info", "x", "-c", "rest.token", "hUnTeR2"],
            &["info", "-c", "hUnTeR2", "x", "y"],
            &["info", "x", "rest.token=hUnTeR2"],
            &["rest.token=hUnTeR2", "info", "x"],
            &["info", "x", "--tokken=hUnTeR2"],
            &["head", "x", "-n", "rest.token=hUnTeR2"],
            &["head", "x", "-nrest.token=hUnTeR2"],
            &["head", "x", "--limit=rest.token=hUnTeR2"],
            &["info", "x", "s3://b/k?sig=hUnTeR2"],
            &["info", "x", "s3://b/k#sig=hUnTeR2"],
            &["info", "x", "https://u:hUnTeR2@host/"],
        ] {
            let message = printed(words);
            assert!(!message.contains("hUnTeR2") && message.len() > 20, "{words:?}: {message}");
        }
        assert!(printed(&["info", "x", "rest.token=hUnTeR2"]).contains("'rest.token=***'"));
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        for words in [&["verify"][..], &["inof", "x"], &["info", "x", "y"], &["-c", "rest.token=", "inof"]] {
            let error = Arguments::try_parse_from(std::iter::once(&"tiledb-rs").chain(words)).err();
            let message = error.map_or(String::new(), |error| error.to_string());
            let is_cut = words.contains(&"rest.token=");
            assert_eq!(hide_values(words, &message) != message, is_cut, "{message}");
        }
    }
}
