//! Google Cloud credentials.

use super::super::tokens::{self, GoogleParameters, TokenProvider};
use crate::http::{Network, Request};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::log::{self, Level};

pub(super) enum GcsCredential {
    /// Access token of the account that the configuration or the environment names.
    Token(TokenProvider),
    /// No authentication, for test servers.
    Anonymous,
}

impl GcsCredential {
    /// Credentials of a configuration. A custom endpoint without any credential parameter is accessed anonymously.
    pub(super) fn of(config: &Config, has_endpoint: bool, network: &Network) -> GcsCredential {
        let parameters = GoogleParameters {
            service_account_key: config.str("vfs.gcs.service_account_key"),
            workload_identity: config.str("vfs.gcs.workload_identity_configuration"),
            impersonate: config.str("vfs.gcs.impersonate_service_account"),
        };
        if !parameters.service_account_key.is_empty() && !parameters.workload_identity.is_empty() {
            log::line(Level::Warn, || {
                "Both GCS service account key and workload identity configuration were specified; picking the former"
                    .to_owned()
            });
        }
        let named = [&parameters.service_account_key, &parameters.workload_identity, &parameters.impersonate];
        if has_endpoint && named.iter().all(|text| text.is_empty()) {
            return GcsCredential::Anonymous;
        }
        let network = network.clone();
        GcsCredential::Token(TokenProvider::new(Box::new(move || tokens::of_google(&parameters, &network)), false))
    }

    /// The value of the `authorization` header, if any.
    ///
    /// # Errors
    /// If a token is required but cannot be obtained.
    pub(super) fn header(&self) -> Result<Option<String>> {
        match self {
            GcsCredential::Token(tokens) => tokens.header(),
            GcsCredential::Anonymous => Ok(None),
        }
    }

    /// Whether a request that was rejected is worth making again, with another token.
    pub(super) fn renew(&self, sent: &Request<'_>) -> bool {
        matches!(self, GcsCredential::Token(tokens) if tokens.renew(sent))
    }
}
