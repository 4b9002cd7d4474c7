//! AES-256-GCM and digests by OpenSSL.

use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;
use openssl::error::ErrorStack;
use openssl::hash::{Hasher, MessageDigest};

use super::algorithms::{Digest, IV_SIZE, TAG_SIZE};

/// Name of the provider in error messages.
pub(super) const NAME: &str = "OpenSSL";

type Result<T> = std::result::Result<T, ErrorStack>;

/// Writes the cipher text of `plain` to `out`, which has the same length.
pub(super) fn encrypt(key: &[u8; 32], plain: &[u8], out: &mut [u8]) -> Result<([u8; IV_SIZE], [u8; TAG_SIZE])> {
    let mut iv = [0; IV_SIZE];
    let mut tag = [0; TAG_SIZE];
    openssl::rand::rand_bytes(&mut iv)?;
    let mut context = CipherCtx::new()?;
    context.encrypt_init(Some(Cipher::aes_256_gcm()), Some(key), Some(&iv))?;
    context.cipher_update(plain, Some(out))?;
    context.cipher_final(&mut [])?;
    context.tag(&mut tag)?;
    Ok((iv, tag))
}

/// Decrypts `cipher` into `dst`, which has the same length.
pub(super) fn decrypt(
    key: &[u8; 32],
    iv: &[u8; IV_SIZE],
    tag: &[u8; TAG_SIZE],
    cipher: &[u8],
    dst: &mut [u8],
) -> Result<()> {
    let mut context = CipherCtx::new()?;
    context.decrypt_init(Some(Cipher::aes_256_gcm()), Some(key), Some(iv))?;
    context.cipher_update(cipher, Some(dst))?;
    context.set_tag(tag)?;
    context.cipher_final(&mut []).map(|_| ())
}

/// A digest that is being computed.
pub(super) struct OpensslDigest(Hasher);

impl OpensslDigest {
    pub(super) fn new(kind: Digest) -> Result<OpensslDigest> {
        let kind = match kind {
            Digest::Md5 => MessageDigest::md5(),
            Digest::Sha256 => MessageDigest::sha256(),
        };
        Hasher::new(kind).map(OpensslDigest)
    }

    pub(super) fn update(&mut self, piece: &[u8]) -> Result<()> {
        self.0.update(piece)
    }

    /// Appends the digest to `out`.
    pub(super) fn append(mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.0.finish()?);
        Ok(())
    }
}
