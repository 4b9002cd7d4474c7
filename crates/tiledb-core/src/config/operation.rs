//! The effective configuration of an operation that is passed a configuration beside its context.

use super::Config;
use crate::types::EncryptionType;

/// Parameters that select what an operation does, which does not depend on the context.
const SELECTORS: [&str; 2] = ["sm.consolidation.mode", "sm.vacuum.mode"];

const KEY_TYPE: &str = "sm.encryption_type";
const KEY: &str = "sm.encryption_key";

impl Config {
    /// The effective configuration of an operation of a context with this configuration that is passed another one: every
    /// parameter that is set in `passed` overrides that of the context. Two kinds of parameters are exceptions, as in
    /// libtiledb:
    ///
    /// - The mode of a consolidation or vacuum is that of `passed`; where it is unset there, that of the environment, the
    ///   profile, or the default.
    /// - The type of encryption and the key are those of `passed` if they are a key; otherwise both are those of the context.
    #[must_use]
    pub fn for_operation(&self, passed: &Config) -> Config {
        let mut effective = self.clone();
        effective.inherit(passed);
        for name in SELECTORS.into_iter().filter(|name| !passed.is_set(name)) {
            effective.unset(name);
        }
        let has_key = !passed.str(KEY).is_empty() && passed.str(KEY_TYPE) != EncryptionType::NoEncryption.name();
        for name in [KEY_TYPE, KEY] {
            match (has_key, self.0.set.get(name)) {
                (true, _) => effective.store(name, &passed.str(name)),
                (false, Some(value)) => effective.store(name, value),
                (false, None) => effective.unset(name),
            }
        }
        effective
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(values: &[(&str, &str)]) -> Config {
        let mut config = Config::new();
        values.iter().for_each(|(name, value)| config.set(name, value).unwrap());
        config
    }

    #[test]
    fn set_parameters_override_those_of_the_context() {
        const NAME: &str = "sm.consolidation.steps";
        let context = config(&[(NAME, "7"), ("vfs.s3.region", "here")]);
        assert_eq!(context.for_operation(&Config::new()).str(NAME), "7");
        let mut passed = config(&[(NAME, "8")]);
        assert_eq!(context.for_operation(&passed).str(NAME), "8");
        passed.unset(NAME);
        assert_eq!(context.for_operation(&passed).str(NAME), "7");
        assert_eq!(context.for_operation(&passed).str("vfs.s3.region"), "here");
        assert_eq!(Config::new().for_operation(&config(&[(NAME, "9")])).str(NAME), "9");
    }

    #[test]
    fn a_default_that_is_set_overrides_too() {
        const NAME: &str = "sm.consolidation.purge_deleted_cells";
        let context = config(&[(NAME, "true")]);
        assert!(!context.for_operation(&config(&[(NAME, "false")])).bool(NAME).unwrap());
        assert!(context.for_operation(&Config::new()).bool(NAME).unwrap());
    }

    #[test]
    fn modes_are_not_those_of_the_context() {
        for name in SELECTORS {
            let context = config(&[(name, "commits")]);
            assert_eq!(context.for_operation(&Config::new()).str(name), "fragments");
            assert_eq!(context.for_operation(&config(&[(name, "array_meta")])).str(name), "array_meta");
        }
    }

    #[test]
    fn type_and_key_are_of_one_configuration() {
        let context = config(&[(KEY_TYPE, "AES_256_GCM"), (KEY, "of the context")]);
        let key = |passed: &[(&str, &str)]| {
            let effective = context.for_operation(&config(passed));
            (effective.str(KEY_TYPE), effective.str(KEY))
        };
        let own = ("AES_256_GCM".to_owned(), "of the context".to_owned());
        for without_key in [&[][..], &[(KEY_TYPE, "NO_ENCRYPTION"), (KEY, "k")], &[(KEY, "")], &[(KEY, "k")]] {
            assert_eq!(key(without_key), own, "{without_key:?}");
        }
        assert_eq!(key(&[(KEY_TYPE, "AES_256_GCM"), (KEY, "k")]).1, "k");
        let plain = Config::new().for_operation(&config(&[(KEY_TYPE, "AES_256_GCM")]));
        assert_eq!(plain.str(KEY_TYPE), "NO_ENCRYPTION");
    }
}
