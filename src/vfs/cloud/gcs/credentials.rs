//! Who asks.

use super::super::given;
use super::super::http::Client;
use super::super::refresh::Refreshed;
use super::service_account::ServiceAccount;
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result, bail};
use crate::log::{self, Level};

/// What a request proves its right with.
pub(super) enum Credential {
    /// A token that the key of a service account is good for.
    ServiceAccount(ServiceAccount, Refreshed<String>),
    /// Nothing: what is public, and servers for tests.
    Anonymous,
}

impl Credential {
    /// What the parameters say. Where there is an endpoint and nothing else nobody signs in.
    ///
    /// # Errors
    /// For a key that cannot be used, and where there is none.
    pub(super) fn of(config: &Config, has_endpoint: bool) -> Result<Credential> {
        let key = given::text(config, "vfs.gcs.service_account_key");
        let federation = given::text(config, "vfs.gcs.workload_identity_configuration");
        if given::text(config, "vfs.gcs.impersonate_service_account").is_some() {
            bail!(Unsupported, "GCS: 'vfs.gcs.impersonate_service_account' cannot be used yet");
        }
        match (key, federation) {
            (Some(key), federation) => {
                if federation.is_some() {
                    log::line(Level::Warn, || {
                        "Both GCS service account key and workload identity configuration were specified; picking the former"
                            .to_owned()
                    });
                }
                Ok(Credential::ServiceAccount(ServiceAccount::parse(&key)?, Refreshed::new()))
            }
            (None, Some(_)) => {
                bail!(Unsupported, "GCS: 'vfs.gcs.workload_identity_configuration' cannot be used yet")
            }
            (None, None) if has_endpoint => Ok(Credential::Anonymous),
            (None, None) => Err(Error::new(
                ErrorKind::Io,
                "GCS: There are no credentials. Looked for: 'vfs.gcs.service_account_key' (not set); an endpoint without \
                 credentials in 'vfs.gcs.endpoint' or CLOUD_STORAGE_EMULATOR_ENDPOINT in the environment (not set).",
            )),
        }
    }

    /// The value of the header `authorization`, if there is one.
    ///
    /// # Errors
    /// Where a token is needed and none is given.
    pub(super) fn authorization(&self, client: &Client) -> Result<Option<String>> {
        match self {
            Credential::ServiceAccount(account, token) => {
                token.get(&|| account.fetch(client)).map(|token| Some(format!("Bearer {token}")))
            }
            Credential::Anonymous => Ok(None),
        }
    }
}
