//! The environment of the process.

use std::ops::ControlFlow;

/// The variable that names the home directory.
pub const HOME: &str = "USERPROFILE";

/// The folder in the home directory where programs keep their settings.
pub const SETTINGS: &str = "AppData/Roaming";

/// Visits the variables whose names begin with `prefix`, as `name=value` in WTF-8.
pub fn each(prefix: &str, mut visit: impl FnMut(&[u8]) -> ControlFlow<()>) {
    for (name, value) in std::env::vars_os() {
        if !name.as_encoded_bytes().starts_with(prefix.as_bytes()) {
            continue;
        }
        if visit(&[name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat()).is_break() {
            return;
        }
    }
}
