//! Encryption keys, AES-256-GCM, and digests: by OpenSSL, in WebAssembly by crates in Rust.

mod algorithms;
mod digest;
#[cfg(target_arch = "x86_64")]
mod md5;
#[cfg(target_arch = "x86_64")]
mod multi_buffer;
#[cfg(not(target_arch = "wasm32"))]
mod openssl;
#[cfg(target_arch = "wasm32")]
mod portable;
mod provider;
#[cfg(target_arch = "x86_64")]
mod sha256;

pub use algorithms::{Digest, IV_SIZE, TAG_SIZE};
pub use digest::Sha256Hasher;

use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{EncryptionType, bytes_of_path};

/// The key of an array or group.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum EncryptionKey {
    /// No encryption.
    #[default]
    None,
    /// AES-256-GCM with these 32 bytes.
    Aes256([u8; 32]),
}

impl std::fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.encryption_type().name())
    }
}

impl EncryptionKey {
    /// The key of `sm.encryption_type` and `sm.encryption_key`, which has any bytes in the text form of paths.
    ///
    /// # Errors
    /// For an unknown type, or a key whose length does not fit the type.
    pub fn from_config(config: &Config) -> Result<EncryptionKey> {
        EncryptionKey::new(configured_type(config)?, &bytes_of_path(&config.str("sm.encryption_key")))
    }

    /// The key for opening an array: none if the configuration has no key, whatever type it names. As in libtiledb, the
    /// mismatch is reported when a schema is read.
    ///
    /// # Errors
    /// For an unknown type, or a key whose length does not fit AES.
    pub fn for_opening(config: &Config) -> Result<EncryptionKey> {
        let key = config.str("sm.encryption_key");
        match key.is_empty() || configured_type(config)? == EncryptionType::NoEncryption {
            true => Ok(EncryptionKey::None),
            false => EncryptionKey::from_config(config),
        }
    }

    /// A key of this type.
    ///
    /// # Errors
    /// If the length of the key does not fit the type.
    pub fn new(kind: EncryptionType, key: &[u8]) -> Result<EncryptionKey> {
        match (kind, <[u8; 32]>::try_from(key)) {
            (EncryptionType::NoEncryption, _) if key.is_empty() => Ok(EncryptionKey::None),
            (EncryptionType::Aes256Gcm, Ok(key)) => Ok(EncryptionKey::Aes256(key)),
            _ => bail!(
                Key,
                "[TileDB::Encryption] Error: Cannot create key; invalid key length for encryption type. The key \
                 (sm.encryption_key) has {} bytes, and the type (sm.encryption_type) is {}; AES_256_GCM takes 32 bytes, NO_ENCRYPTION none",
                key.len(),
                kind.name()
            ),
        }
    }

    pub fn encryption_type(&self) -> EncryptionType {
        match self {
            EncryptionKey::None => EncryptionType::NoEncryption,
            EncryptionKey::Aes256(_) => EncryptionType::Aes256Gcm,
        }
    }
}

fn configured_type(config: &Config) -> Result<EncryptionType> {
    let name = config.str("sm.encryption_type");
    let all = [EncryptionType::NoEncryption, EncryptionType::Aes256Gcm];
    all.into_iter()
        .find(|kind| kind.name() == name)
        .ok_or_else(|| Error::invalid(format!("Error: Invalid EncryptionType {name}")))
}

/// Appends the cipher text of `plain`, which has the same length, to `out`; returns the random
/// initialisation vector and the tag.
///
/// # Errors
/// If OpenSSL fails.
pub fn encrypt(key: &[u8; 32], plain: &[u8], out: &mut Vec<u8>) -> Result<([u8; IV_SIZE], [u8; TAG_SIZE])> {
    let start = out.len();
    memory::reserve("a cipher text", out, plain.len())?;
    out.resize(start + plain.len(), 0);
    let encrypted = provider::encrypt(key, plain, &mut out[start..]);
    encrypted.map_err(|error| Error::internal(format!("[TileDB::Encryption] Error: {} error; {error}", provider::NAME)))
}

/// Decrypts `cipher` into `dst`, which has the same length.
///
/// # Errors
/// If the key is another one, or any byte was changed.
pub fn decrypt(key: &[u8; 32], iv: &[u8; IV_SIZE], tag: &[u8; TAG_SIZE], cipher: &[u8], dst: &mut [u8]) -> Result<()> {
    if cipher.len() != dst.len() {
        bail!(Corrupt, "A cipher text of {} bytes for {} bytes of plain text", cipher.len(), dst.len());
    }
    provider::decrypt(key, iv, tag, cipher, dst).map_err(|_| {
        let text = format!(
            "[TileDB::Encryption] Error: {} error; error finalizing decryption. The key is not that of the array, or the bytes are corrupt",
            provider::NAME
        );
        Error::new(ErrorKind::Key, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_text_opens_with_its_key_only() {
        let key = *b"0123456789abcdeF0123456789abcdeF";
        let mut cipher = Vec::new();
        let (iv, tag) = encrypt(&key, b"plain text", &mut cipher).unwrap();
        let mut plain = [0; 10];
        decrypt(&key, &iv, &tag, &cipher, &mut plain).unwrap();
        assert_eq!(&plain, b"plain text");
        let mut other = key;
        other[0] ^= 1;
        assert!(decrypt(&other, &iv, &tag, &cipher, &mut plain).is_err());
        cipher[3] ^= 1;
        assert!(decrypt(&key, &iv, &tag, &cipher, &mut plain).is_err());
        assert!(decrypt(&key, &iv, &tag, &cipher, &mut plain[1..]).is_err());
        let (iv, tag) = encrypt(&key, b"", &mut Vec::new()).unwrap();
        decrypt(&key, &iv, &tag, &[], &mut []).unwrap();
    }

    #[test]
    fn a_key_fits_its_type() {
        assert!(EncryptionKey::new(EncryptionType::Aes256Gcm, b"short").is_err());
        assert!(EncryptionKey::new(EncryptionType::NoEncryption, b"").is_ok());
    }
}
