//! MD5 and SHA-256 digests: of one message by the provider, of several side by side.

use super::algorithms::Digest;
use super::provider::{DigestState, NAME, ProviderError};
#[cfg(target_arch = "x86_64")]
use super::{md5::Md5, multi_buffer::digest_all, sha256::Sha256};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

/// The SHA-256 of bytes that come in pieces.
pub struct Sha256Hasher(DigestState);

impl Sha256Hasher {
    /// # Errors
    /// If OpenSSL fails.
    pub fn new() -> Result<Sha256Hasher> {
        DigestState::new(Digest::Sha256).map(Sha256Hasher).map_err(|error| failed(&error))
    }

    /// Adds a piece.
    ///
    /// # Errors
    /// If OpenSSL fails.
    pub fn update(&mut self, piece: &[u8]) -> Result<()> {
        self.0.update(piece).map_err(|error| failed(&error))
    }

    /// The digest of all pieces.
    ///
    /// # Errors
    /// If OpenSSL fails.
    pub fn finish(self) -> Result<[u8; 32]> {
        let mut digest = Vec::with_capacity(Digest::Sha256.size());
        self.0.append(&mut digest).map_err(|error| failed(&error))?;
        <[u8; 32]>::try_from(&*digest).map_err(|_| Error::internal("a SHA-256 of another size"))
    }
}

#[cold]
fn failed(error: &ProviderError) -> Error {
    Error::internal(format!("{NAME} cannot digest: {error}"))
}

impl Digest {
    /// Bytes of the digest.
    pub fn size(self) -> usize {
        match self {
            Digest::Md5 => 16,
            Digest::Sha256 => 32,
        }
    }

    /// Appends the digest of `bytes` to `out`.
    ///
    /// # Errors
    /// If this OpenSSL does not offer the digest (MD5 where only approved algorithms are allowed).
    pub fn append(self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let mut digest = || -> std::result::Result<_, ProviderError> {
            let mut state = DigestState::new(self)?;
            state.update(bytes)?;
            state.append(out)
        };
        match digest() {
            Ok(()) => Ok(()),
            Err(error) => bail!(Unsupported, "{NAME} offers no {self:?} digest: {error}"),
        }
    }

    /// The digests of several messages, in order.
    ///
    /// # Errors
    /// As [`Digest::append`], or if memory does not suffice.
    pub fn of_each(self, messages: &[&[u8]]) -> Result<Vec<u8>> {
        let mut digests = memory::with_capacity("digests", messages.len() * self.size())?;
        // The steps of a message wait for each other, those of several messages do not.
        #[cfg(target_arch = "x86_64")]
        if messages.len() > 1 {
            match (self, Sha256::detect()) {
                (Digest::Md5, _) => digest_all(&Md5, messages, &mut digests),
                (Digest::Sha256, Some(sha256)) => digest_all(&sha256, messages, &mut digests),
                (Digest::Sha256, None) => {}
            }
        }
        if digests.is_empty() {
            messages.iter().try_for_each(|message| self.append(message, &mut digests))?;
        }
        Ok(digests)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digests_are_the_known_ones() {
        let hex = |digest: Digest| {
            let mut out = Vec::new();
            digest.append(b"abc", &mut out).unwrap();
            assert_eq!(out.len(), digest.size());
            out.iter().map(|b| format!("{b:02x}")).collect::<String>()
        };
        assert_eq!(hex(Digest::Md5), "900150983cd24fb0d6963f7d28e17f72");
        assert!(hex(Digest::Sha256).starts_with("ba7816bf8f01cfea414140de5dae2223"));
    }

    fn are_those_of_openssl(messages: &[&[u8]]) {
        for digest in [Digest::Md5, Digest::Sha256] {
            let mut expected = Vec::new();
            messages.iter().for_each(|message| digest.append(message, &mut expected).unwrap());
            assert!(digest.of_each(messages).unwrap() == expected, "{digest:?}");
        }
    }

    #[test]
    fn messages_of_all_lengths_around_a_block_have_their_digests() {
        let bytes: Vec<u8> = (0..300u32).map(|n| ((n * n) >> 3) as u8).collect();
        let messages: Vec<&[u8]> = (0..bytes.len()).map(|len| &bytes[..len]).collect();
        are_those_of_openssl(&messages);
        for count in 0..20 {
            are_those_of_openssl(&messages[100..100 + count]);
        }
    }

    proptest! {
        #[test]
        fn several_messages_have_the_digests_of_each(
            bytes in prop::collection::vec(any::<u8>(), 0..5000),
            ranges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..40),
        ) {
            let place = |index: &prop::sample::Index| index.index(bytes.len() + 1);
            let message = |(a, b)| &bytes[place(a).min(place(b))..place(a).max(place(b))];
            let messages: Vec<&[u8]> = ranges.iter().map(|(a, b)| message((a, b))).collect();
            are_those_of_openssl(&messages);
        }
    }
}
