//! The generic tile: a payload of bytes behind a header that says how it is filtered.

use crate::crypto::EncryptionKey;
use crate::error::{Error, ErrorKind, Result};

/// Reads the generic tile at the start of `bytes`: its payload, and how many bytes it takes.
///
/// # Errors
/// If the bytes are corrupt, or encrypted otherwise than `key` says.
pub fn read(_bytes: &[u8], _key: &EncryptionKey) -> Result<(Vec<u8>, usize)> {
    Err(Error::new(ErrorKind::Unsupported, "Generic tiles are not written yet"))
}

/// Appends `payload` as a generic tile.
///
/// # Errors
/// If it cannot be compressed or encrypted.
pub fn write(_payload: &[u8], _key: &EncryptionKey, _out: &mut Vec<u8>) -> Result<()> {
    Err(Error::new(ErrorKind::Unsupported, "Generic tiles are not written yet"))
}
