//! Who asks.

use crate::error::{Error, Result};
use crate::log::{self, Level};

/// What a request proves its right with.
pub(super) enum Credential {
    /// The key of the account, which signs.
    Key(Vec<u8>),
    /// A shared access signature: parameters of each request.
    Signature(String),
    /// Nothing: what is public.
    Anonymous,
}

impl Credential {
    /// What the parameters say: a key comes before a signature.
    ///
    /// # Errors
    /// For a key that is none.
    pub(super) fn of(account: &str, key: Option<&str>, token: Option<&str>) -> Result<Credential> {
        match (key, token.map(|token| token.trim_start_matches('?'))) {
            (Some(key), _) if !account.is_empty() => openssl::base64::decode_block(key.trim())
                .map(Credential::Key)
                .map_err(|_| Error::invalid("Azure: 'vfs.azure.storage_account_key' is not in Base64")),
            (key, token) => {
                if key.is_some() {
                    log::line(Level::Warn, || {
                        "Azure storage account name must be set when specifying account key. Account key will be ignored."
                            .to_owned()
                    });
                }
                Ok(token.map_or(Credential::Anonymous, |token| Credential::Signature(token.to_owned())))
            }
        }
    }
}
