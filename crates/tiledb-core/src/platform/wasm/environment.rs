//! The environment of the process: it has no variables.

use std::ops::ControlFlow;

/// The variable that names the home directory.
pub const HOME: &str = "HOME";

/// The folder in the home directory where programs keep their settings.
pub const SETTINGS: &str = ".config";

/// Visits the variables whose names begin with `prefix`: none.
pub fn each(_prefix: &str, _visit: impl FnMut(&[u8]) -> ControlFlow<()>) {}
