//! This library in the memory of the process.

/// Does nothing: the linker marks the library as one that stays loaded (`build.rs`).
pub fn keep_loaded() {}
