//! The process's environment.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use crate::platform::environment::each;
use crate::types::text_of_path;

/// An environment variable; `var_os` panics on names that no environment can hold.
pub(super) fn variable(key: &str) -> Option<String> {
    if key.is_empty() || key.contains(['=', '\0']) {
        return None;
    }
    std::env::var_os(key).map(|value| text_of_path(value.as_encoded_bytes()).into_owned())
}

/// Whether there is a variable whose name begins with `prefix`.
pub(super) fn has_any(prefix: &str) -> bool {
    let mut has_any = false;
    each(prefix, |_| {
        has_any = true;
        ControlFlow::Break(())
    });
    has_any
}

/// A digest of the variables whose names begin with `prefix`, if there are any: one walk over the environment, which
/// costs less than asking for a single variable by a name that is made first.
pub(super) fn fingerprint(prefix: &str) -> Option<u64> {
    let mut digest = None;
    each(prefix, |variable| {
        variable.hash(digest.get_or_insert_with(DefaultHasher::new));
        ControlFlow::Continue(())
    });
    digest.map(|digest| digest.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_with_the_prefix_is_detected() {
        let (name, _) = std::env::vars().next().unwrap();
        assert!(has_any(&name) && has_any(""));
        assert!(!has_any("no variable begins like this"));
        assert_eq!((fingerprint(&name), fingerprint(&name) == fingerprint("")), (fingerprint(&name), false));
    }
}
