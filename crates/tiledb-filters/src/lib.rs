//! Codecs, encryption, and the filter pipelines that tiles pass through.

pub mod codec;
pub mod crypto;

pub mod filter;
pub mod tile;
