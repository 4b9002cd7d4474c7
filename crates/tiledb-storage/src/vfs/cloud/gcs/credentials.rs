//! Who asks.

use super::super::tokens::{self, Bearers, Given};
use crate::http::{Network, Request};
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::log::{self, Level};

/// What a request proves its right with.
pub(super) enum Credential {
    /// A token of the account that the parameters or the environment name.
    Token(Bearers),
    /// Nothing: servers for tests.
    Anonymous,
}

impl Credential {
    /// What the parameters say. Where there is an endpoint and nothing else nobody signs in.
    pub(super) fn of(config: &Config, has_endpoint: bool, network: &Network) -> Credential {
        let given = Given {
            service_account_key: config.str("vfs.gcs.service_account_key"),
            workload_identity: config.str("vfs.gcs.workload_identity_configuration"),
            impersonate: config.str("vfs.gcs.impersonate_service_account"),
        };
        if !given.service_account_key.is_empty() && !given.workload_identity.is_empty() {
            log::line(Level::Warn, || {
                "Both GCS service account key and workload identity configuration were specified; picking the former"
                    .to_owned()
            });
        }
        let named = [&given.service_account_key, &given.workload_identity, &given.impersonate];
        if has_endpoint && named.iter().all(|text| text.is_empty()) {
            return Credential::Anonymous;
        }
        let network = network.clone();
        Credential::Token(Bearers::new(Box::new(move || tokens::of_google(&given, &network)), false))
    }

    /// The value of the header `authorization`, if there is one.
    ///
    /// # Errors
    /// Where a token is needed and none is given.
    pub(super) fn header(&self) -> Result<Option<String>> {
        match self {
            Credential::Token(tokens) => tokens.header(),
            Credential::Anonymous => Ok(None),
        }
    }

    /// Whether a request that was refused is worth making again, with another token.
    pub(super) fn renew(&self, sent: &Request<'_>) -> bool {
        matches!(self, Credential::Token(tokens) if tokens.renew(sent))
    }
}
