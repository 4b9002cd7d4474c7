//! Who computes ciphers and digests: OpenSSL, in WebAssembly crates in Rust.

#[cfg(not(target_arch = "wasm32"))]
pub(super) use super::openssl::{NAME, OpensslDigest as DigestState, decrypt, encrypt};
#[cfg(target_arch = "wasm32")]
pub(super) use super::portable::{NAME, PortableDigest as DigestState, decrypt, encrypt};
#[cfg(not(target_arch = "wasm32"))]
pub(super) use ::openssl::error::ErrorStack as ProviderError;
#[cfg(target_arch = "wasm32")]
pub(super) use aes_gcm::Error as ProviderError;
