//! This library in the memory of the process.

/// Does nothing: a module is not unloaded.
pub fn keep_loaded() {}

/// Does nothing: there are no relocations.
pub fn release_relocations() {}
