//! Encryption keys and digests.

use crate::config::Config;
use crate::error::{Result, bail};
use crate::types::EncryptionType;

/// The key of an array or group.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum EncryptionKey {
    /// Data lie in the open.
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
    /// The key given by `sm.encryption_type` and `sm.encryption_key`.
    ///
    /// # Errors
    /// For an unknown type, or a key whose length does not fit the type.
    pub fn from_config(config: &Config) -> Result<EncryptionKey> {
        let name = config.str("sm.encryption_type");
        let Some(kind) = EncryptionType::from_name(&name) else {
            bail!("[TileDB::Array] Error: Cannot open array; invalid encryption type {name}");
        };
        EncryptionKey::new(kind, config.str("sm.encryption_key").as_bytes())
    }

    /// A key of this type.
    ///
    /// # Errors
    /// If the length of the key does not fit the type.
    pub fn new(kind: EncryptionType, key: &[u8]) -> Result<EncryptionKey> {
        match (kind, <[u8; 32]>::try_from(key)) {
            (EncryptionType::NoEncryption, _) if key.is_empty() => Ok(EncryptionKey::None),
            (EncryptionType::Aes256Gcm, Ok(key)) => Ok(EncryptionKey::Aes256(key)),
            _ => bail!("[TileDB::Encryption] Error: Cannot create key; invalid key length for encryption type."),
        }
    }

    /// The type of encryption.
    pub fn encryption_type(&self) -> EncryptionType {
        match self {
            EncryptionKey::None => EncryptionType::NoEncryption,
            EncryptionKey::Aes256(_) => EncryptionType::Aes256Gcm,
        }
    }
}
