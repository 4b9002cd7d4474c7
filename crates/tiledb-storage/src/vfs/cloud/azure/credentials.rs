//! Azure credentials.

use super::super::tokens::{self, TokenProvider};
use crate::http::Network;
use tiledb_core::error::{Error, Result};
use tiledb_core::log::{self, Level};

pub(super) enum AzureCredential {
    /// Account key, which signs requests (Shared Key).
    Key(Vec<u8>),
    /// Shared access signature (SAS): query parameters of each request.
    Signature(String),
    /// Token of Microsoft Entra ID; without a token, public containers can be read.
    Token(TokenProvider),
    /// Anonymous access to public containers.
    Anonymous,
}

impl AzureCredential {
    /// Credentials of a configuration. A key takes precedence over a SAS, and that over a token, which is sent over TLS
    /// only.
    ///
    /// # Errors
    /// For a key that is none.
    pub(super) fn of(
        account: &str,
        key: Option<&str>,
        token: Option<&str>,
        tls: Option<&Network>,
    ) -> Result<AzureCredential> {
        match (key, token.map(|token| token.trim_start_matches('?'))) {
            (Some(key), _) if !account.is_empty() => openssl::base64::decode_block(key.trim())
                .map(AzureCredential::Key)
                .map_err(|_| Error::invalid("Azure: 'vfs.azure.storage_account_key' is not in Base64")),
            (key, token) => {
                if key.is_some() {
                    log::line(Level::Warn, || {
                        "Azure storage account name must be set when specifying account key. Account key will be ignored."
                            .to_owned()
                    });
                }
                Ok(match (token, tls.cloned()) {
                    (Some(token), _) => AzureCredential::Signature(token.to_owned()),
                    (None, Some(network)) => {
                        AzureCredential::Token(TokenProvider::new(Box::new(move || tokens::of_azure(&network)), true))
                    }
                    (None, None) => AzureCredential::Anonymous,
                })
            }
        }
    }
}
