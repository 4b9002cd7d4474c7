//! Typed groups of parameters, parsed once per configuration.

use super::{Config, environment};
use crate::error::Result;

/// Parameters that are used together, parsed. Every query needs some: looking them up by name would cost more than a
/// small read.
pub trait Settings: Copy + Send + Sync + 'static {
    /// Looks them up.
    ///
    /// # Errors
    /// For the first value that is wrong.
    fn parse(config: &Config) -> Result<Self>;
}

/// Two groups that are used together: the environment is scanned once for both.
impl<A: Settings, B: Settings> Settings for (A, B) {
    fn parse(config: &Config) -> Result<(A, B)> {
        Ok((A::parse(config)?, B::parse(config)?))
    }
}

impl Config {
    /// A group of parameters. They are parsed again where the environment, which may hold parameters, has changed.
    ///
    /// # Errors
    /// For the first value that is wrong.
    pub fn settings<T: Settings>(&self) -> Result<T> {
        let environment = environment::fingerprint(self.prefix());
        match self.0.parsed.get(environment) {
            Some(settings) => Ok(settings),
            None => Ok(self.0.parsed.insert(environment, T::parse(self)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local!(static PARSED: Cell<u32> = const { Cell::new(0) });

    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Dedup(bool);

    impl Settings for Dedup {
        fn parse(config: &Config) -> Result<Dedup> {
            PARSED.set(PARSED.get() + 1);
            config.bool("sm.dedup_coords").map(Dedup)
        }
    }

    #[derive(Clone, Copy)]
    struct Other;

    impl Settings for Other {
        fn parse(_: &Config) -> Result<Other> {
            Ok(Other)
        }
    }

    #[test]
    fn settings_are_parsed_once_until_something_is_set() {
        let mut config = Config::new();
        config.set("config.env_var_prefix", "no variable begins like this").unwrap();
        config.settings::<Other>().unwrap();
        let copy = config.clone();
        assert_eq!([config.settings(), copy.settings()].map(Result::<Dedup>::unwrap), [Dedup(false); 2]);
        assert_eq!(PARSED.take(), 1);
        config.set("sm.dedup_coords", "true").unwrap();
        assert_eq!([config.settings(), copy.settings()].map(Result::<Dedup>::unwrap), [Dedup(true), Dedup(false)]);
        assert_eq!(PARSED.take(), 1);
        config.set("sm.dedup_coords", "wrong").unwrap_err();
        config.set("config.env_var_prefix", "").unwrap();
        assert_eq!([config.settings(), config.settings()].map(Result::<Dedup>::unwrap), [Dedup(true); 2]);
        assert_eq!(PARSED.take(), 1);
    }
}
