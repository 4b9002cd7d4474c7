//! Parameters `sm.consolidation.*` of fragment consolidation.

use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

#[derive(Clone, Debug)]
pub(super) struct ConsolidationSettings {
    /// The time window of fragments that may be chosen.
    pub(super) window: (u64, u64),
    /// Maximum number of steps.
    pub(super) steps: u32,
    /// Minimum and maximum number of fragments per step.
    pub(super) fragments: (u32, u32),
    /// Minimum size ratio of neighbours: 1 for equal ones.
    pub(super) size_ratio: f32,
    /// Maximum ratio of the cells of a merged dense fragment to those of its sources.
    pub(super) amplification: f32,
    /// Bytes that a fragment may have before the next begins.
    pub(super) max_size: u64,
    /// Deleted cells are dropped.
    pub(super) purge: bool,
    /// Bytes for the cells of each field: at least for one. How many there are at a time follows the memory budget.
    pub(super) buffer: u64,
}

impl ConsolidationSettings {
    /// As a configuration says.
    ///
    /// # Errors
    /// For values that cannot be understood or contradict one another.
    pub(super) fn new(config: &Config) -> Result<ConsolidationSettings> {
        let settings = ConsolidationSettings {
            window: window(config)?,
            steps: config.u32("sm.consolidation.steps")?,
            fragments: (config.u32("sm.consolidation.step_min_frags")?, config.u32("sm.consolidation.step_max_frags")?),
            size_ratio: config.f32("sm.consolidation.step_size_ratio")?,
            amplification: config.f32("sm.consolidation.amplification")?,
            max_size: config.u64("sm.consolidation.max_fragment_size")?,
            purge: config.bool("sm.consolidation.purge_deleted_cells")?,
            buffer: config.u64("sm.consolidation.buffer_size")?,
        };
        let wrong = if settings.fragments.0 > settings.fragments.1 {
            "Minimum fragments config parameter is larger than the maximum"
        } else if !(0.0..=1.0).contains(&settings.size_ratio) {
            "Step size ratio config parameter must be in [0.0, 1.0]"
        } else if settings.amplification.is_nan() || settings.amplification < 0.0 {
            "Amplification config parameter must be non-negative"
        } else {
            return Ok(settings);
        };
        bail!("FragmentConsolidator: Invalid configuration; {wrong}")
    }
}

/// The window of time that is consolidated.
pub(super) fn window(config: &Config) -> Result<(u64, u64)> {
    Ok((config.u64("sm.consolidation.timestamp_start")?, config.u64("sm.consolidation.timestamp_end")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(parameters: &[(&str, &str)]) -> Result<ConsolidationSettings> {
        let mut config = Config::new();
        for (name, value) in parameters {
            config.set(&format!("sm.consolidation.{name}"), value).unwrap();
        }
        ConsolidationSettings::new(&config)
    }

    #[test]
    fn contradictory_settings_are_errors() {
        let cases: [(&[(&str, &str)], &str); 9] = [
            (&[("step_min_frags", "3"), ("step_max_frags", "3")], ""),
            (&[("step_min_frags", "4"), ("step_max_frags", "3")], "Minimum fragments"),
            (&[("step_size_ratio", "0")], ""),
            (&[("step_size_ratio", "1")], ""),
            (&[("step_size_ratio", "1.01")], "Step size ratio"),
            (&[("step_size_ratio", "-0.01")], "Step size ratio"),
            (&[("amplification", "0")], ""),
            (&[("amplification", "-0.5")], "Amplification"),
            (&[("amplification", "nan")], "Amplification"),
        ];
        for (parameters, expected) in cases {
            match settings(parameters) {
                Ok(_) => assert!(expected.is_empty(), "{parameters:?}"),
                Err(error) => {
                    assert!(!expected.is_empty() && error.text().contains(expected), "{parameters:?}: {error:?}")
                }
            }
        }
        let all = settings(&[("timestamp_start", "5"), ("timestamp_end", "7"), ("steps", "9"), ("buffer_size", "11")]);
        let all = all.unwrap();
        assert_eq!((all.window, all.steps, all.buffer), ((5, 7), 9, 11));
    }
}
