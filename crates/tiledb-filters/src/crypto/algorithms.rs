//! Kinds of digests, and sizes of what ciphers use.

/// Bytes of an initialisation vector.
pub const IV_SIZE: usize = 12;
/// Bytes of the tag that proves a cipher text genuine.
pub const TAG_SIZE: usize = 16;

/// A kind of digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digest {
    /// 16 bytes.
    Md5,
    /// 32 bytes.
    Sha256,
}
