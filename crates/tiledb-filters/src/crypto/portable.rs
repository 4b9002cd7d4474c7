//! AES-256-GCM and digests in Rust, for WebAssembly, where there is no OpenSSL.

use aes_gcm::aead::AeadInPlace;
use aes_gcm::{Aes256Gcm, KeyInit};
use md5::{Digest as _, Md5};
use sha2::Sha256;

use super::algorithms::{Digest, IV_SIZE, TAG_SIZE};
use tiledb_core::env;

/// Name of the provider in error messages.
pub(super) const NAME: &str = "AES";

type Result<T> = std::result::Result<T, aes_gcm::Error>;

/// Writes the cipher text of `plain` to `out`, which has the same length.
pub(super) fn encrypt(key: &[u8; 32], plain: &[u8], out: &mut [u8]) -> Result<([u8; IV_SIZE], [u8; TAG_SIZE])> {
    // The lower half of a version 4 UUID has 62 random bits.
    let low = env::unique_number() as u64;
    let high = env::unique_number() as u64;
    let mut random = [0; 16];
    random[..8].copy_from_slice(&low.to_le_bytes());
    random[8..].copy_from_slice(&high.to_le_bytes());
    let mut iv = [0; IV_SIZE];
    iv.copy_from_slice(&random[..IV_SIZE]);
    out.copy_from_slice(plain);
    let tag = Aes256Gcm::new(key.into()).encrypt_in_place_detached(&iv.into(), &[], out)?;
    Ok((iv, tag.into()))
}

/// Decrypts `cipher` into `dst`, which has the same length.
pub(super) fn decrypt(
    key: &[u8; 32],
    iv: &[u8; IV_SIZE],
    tag: &[u8; TAG_SIZE],
    cipher: &[u8],
    dst: &mut [u8],
) -> Result<()> {
    dst.copy_from_slice(cipher);
    Aes256Gcm::new(key.into()).decrypt_in_place_detached(iv.into(), &[], dst, tag.into())
}

/// A digest that is being computed.
pub(super) enum PortableDigest {
    Md5(Box<Md5>),
    Sha256(Box<Sha256>),
}

#[allow(clippy::unnecessary_wraps, reason = "as with OpenSSL")]
impl PortableDigest {
    pub(super) fn new(kind: Digest) -> Result<PortableDigest> {
        Ok(match kind {
            Digest::Md5 => PortableDigest::Md5(Box::default()),
            Digest::Sha256 => PortableDigest::Sha256(Box::default()),
        })
    }

    pub(super) fn update(&mut self, piece: &[u8]) -> Result<()> {
        match self {
            PortableDigest::Md5(state) => state.update(piece),
            PortableDigest::Sha256(state) => state.update(piece),
        }
        Ok(())
    }

    /// Appends the digest to `out`.
    pub(super) fn append(self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            PortableDigest::Md5(state) => out.extend_from_slice(&state.finalize()),
            PortableDigest::Sha256(state) => out.extend_from_slice(&state.finalize()),
        }
        Ok(())
    }
}
