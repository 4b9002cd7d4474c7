//! Handlers of `fork`, which does not exist.

/// Does nothing.
pub fn register(_before: extern "C" fn(), _after: extern "C" fn(), _in_child: extern "C" fn()) {}
