//! Retry strategy of requests to S3: `vfs.s3.retry_strategy`, in the terms of the AWS SDKs.

use std::time::Duration;

use super::super::ambient::variable;
use super::super::parameters::{count, number};
use super::profile::ProfileFiles;
use crate::http::RetryPolicy;
use tiledb_core::config::{Config, ValueSource};
use tiledb_core::error::Result;

/// Attempts of the standard strategy if their number is not set.
const STANDARD_ATTEMPTS: u32 = 3;

/// Initial and maximum delay of the standard strategy.
const STANDARD_DELAYS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(20)];

/// Retries of the legacy strategy where `vfs.s3.connect_max_tries` is empty and the AWS settings name no number.
const LEGACY_RETRIES: u32 = 5;

const MAX_TRIES: &str = "vfs.s3.connect_max_tries";

/// Settings of the AWS tools: the environment, then the active profile.
#[derive(Default)]
struct AwsSettings {
    mode: Option<String>,
    /// Number of attempts, and where it was found.
    attempts: Option<(&'static str, String)>,
}

impl AwsSettings {
    fn load() -> AwsSettings {
        let files = ProfileFiles::load();
        let setting = |name: &'static str, entry: &'static str| {
            let in_profile = || files.chosen().text(entry).map(|value| (entry, value));
            variable(name).map(|value| (name, value)).or_else(in_profile)
        };
        AwsSettings {
            mode: setting("AWS_RETRY_MODE", "retry_mode").map(|(_, mode)| mode),
            attempts: setting("AWS_MAX_ATTEMPTS", "max_attempts"),
        }
    }
}

/// True if the value is not the built-in default.
fn is_non_empty(config: &Config, name: &str) -> bool {
    config.source(name) != ValueSource::Default
}

/// The policy of a configuration.
///
/// # Errors
/// For numbers that cannot be used.
pub(super) fn policy(config: &Config) -> Result<RetryPolicy> {
    // The AWS settings count where the configuration refers to them.
    let refers = is_non_empty(config, "vfs.s3.retry_strategy") || config.str(MAX_TRIES).is_empty();
    policy_with(config, &if refers { AwsSettings::load() } else { AwsSettings::default() })
}

fn policy_with(config: &Config, aws: &AwsSettings) -> Result<RetryPolicy> {
    let chosen = config.str("vfs.s3.retry_strategy");
    let is_set = is_non_empty(config, "vfs.s3.retry_strategy");
    let mode = if is_set && chosen.is_empty() { aws.mode.as_deref().unwrap_or_default() } else { &chosen };
    let is_standard = ["standard", "adaptive"].contains(&mode);
    let attempts = || aws.attempts.as_ref().map(|(name, value)| number(name, value)).transpose();
    let has_tries = !config.str(MAX_TRIES).is_empty();
    if is_standard {
        let set =
            if has_tries && is_non_empty(config, MAX_TRIES) { Some(count(config, MAX_TRIES)?) } else { attempts()? };
        let [initial_delay, max_delay] = STANDARD_DELAYS;
        let max_retries = set.unwrap_or(STANDARD_ATTEMPTS).saturating_sub(1);
        return Ok(RetryPolicy { max_retries, initial_delay, max_delay, ..RetryPolicy::default() });
    }
    let max_retries = match has_tries {
        true => count(config, MAX_TRIES)?,
        false => attempts()?.map_or(LEGACY_RETRIES, |attempts| attempts.saturating_sub(1)),
    };
    let initial_delay = Duration::from_millis(count(config, "vfs.s3.connect_scale_factor")?.into());
    Ok(RetryPolicy { max_retries, initial_delay, ..RetryPolicy::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Retries, and the initial and the maximum delay in milliseconds.
    fn retries(entries: &[(&str, &str)], aws: &AwsSettings) -> (u32, u128, u128) {
        let mut config = Config::new();
        for (name, value) in entries {
            config.set(&format!("vfs.s3.{name}"), value).unwrap();
        }
        let policy = policy_with(&config, aws).unwrap();
        (policy.max_retries, policy.initial_delay.as_millis(), policy.max_delay.as_millis())
    }

    #[test]
    fn strategies_set_attempts_and_delays() {
        let none = AwsSettings::default();
        let legacy = (5, 25, 10_000);
        assert_eq!(retries(&[], &none), legacy);
        assert_eq!(retries(&[("retry_strategy", "legacy")], &none), legacy);
        assert_eq!(retries(&[("retry_strategy", "")], &none), legacy);
        assert_eq!(retries(&[("connect_max_tries", "")], &none), legacy);
        assert_eq!(retries(&[("connect_max_tries", "2"), ("connect_scale_factor", "7")], &none), (2, 7, 10_000));
        for name in ["standard", "adaptive"] {
            let strategy = ("retry_strategy", name);
            assert_eq!(retries(&[strategy], &none), (2, 1_000, 20_000));
            assert_eq!(retries(&[strategy, ("connect_max_tries", "10")], &none), (9, 1_000, 20_000));
            assert_eq!(retries(&[strategy, ("connect_max_tries", "")], &none), (2, 1_000, 20_000));
            assert_eq!(retries(&[strategy, ("connect_max_tries", "-1")], &none), (0, 1_000, 20_000));
            assert_eq!(retries(&[strategy, ("connect_scale_factor", "7")], &none), (2, 1_000, 20_000));
        }
    }

    #[test]
    fn settings_of_the_aws_tools_fill_in() {
        let of = |mode: &str, attempts: &str| AwsSettings {
            mode: Some(mode.to_owned()),
            attempts: Some(("max_attempts", attempts.to_owned())),
        };
        assert_eq!(retries(&[("retry_strategy", "")], &of("standard", "8")), (7, 1_000, 20_000));
        assert_eq!(retries(&[("retry_strategy", "")], &of("unknown", "8")), (5, 25, 10_000));
        assert_eq!(retries(&[("retry_strategy", "standard")], &of("legacy", "0")), (0, 1_000, 20_000));
        assert_eq!(retries(&[("connect_max_tries", "")], &of("standard", "8")), (7, 25, 10_000));
        let mut config = Config::new();
        config.set("vfs.s3.retry_strategy", "standard").unwrap();
        let error = policy_with(&config, &of("standard", "many")).unwrap_err();
        assert!(error.text().contains("value 'many' of 'max_attempts'"), "{}", error.text());
    }

    #[test]
    fn unknown_strategies_are_rejected_by_name() {
        let mut config = Config::new();
        let error = config.set("vfs.s3.retry_strategy", "standart").unwrap_err();
        let text = error.text();
        assert!(text.contains("'vfs.s3.retry_strategy'") && text.contains("'standart'"), "{text}");
        assert!(text.contains("'standard', 'adaptive', 'legacy'"), "{text}");
    }
}
