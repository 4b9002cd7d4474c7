//! The AWS credential provider chain.
//!
//! Providers are tried in order until one returns access keys; the others report why they have none.

mod container;
mod dpop;
mod login;
mod process;
mod role;
mod session_cache;
mod sso;
mod sts;
mod web_identity;

use std::time::{Duration, SystemTime};

use super::super::amazon::{AccessKeys, AccessKeysResult, environment, imds};
use super::super::expiring_cache::Expiring;
use super::options::{CredentialSource, S3Options};
use super::profile::ProfileFiles;
use super::signer::Signer;
use sts::Sts;
use tiledb_core::error::{Error, ErrorKind, Result};

/// Interval after which the chain is tried again if no provider had keys.
const ABSENCE_LIFETIME: Duration = Duration::from_secs(600);

/// Input of the providers.
struct ProviderContext<'a> {
    options: &'a S3Options,
    files: &'a ProfileFiles,
    sts: &'a Sts,
}

/// A provider: its name in error messages, and its function.
type Provider = (&'static str, fn(&ProviderContext<'_>) -> AccessKeysResult);

const ENVIRONMENT: Provider = ("environment", |_| environment::find());
const PROFILE: Provider = ("profile", |context| role::profile(context.files, context.sts, &context.options.network));
const PROCESS: Provider = ("credential_process", |context| process::find(context.files.chosen()));
const WEB_IDENTITY: Provider = ("web identity", |context| web_identity::find(context.files, context.sts));
const SSO: Provider = ("SSO", |context| {
    let files = context.files;
    sso::find(files, &files.chosen, files.chosen(), &context.options.network)
});
const LOGIN: Provider = ("login", |context| {
    let files = context.files;
    login::find(&files.chosen, files.chosen(), &context.options.network)
});
const SERVICE: Provider = ("container", |context| container::find(&context.options.network));
const MACHINE: Provider = ("machine", |_| imds::find());

/// Finds the signer of requests.
///
/// # Errors
/// `Io` if a configured role cannot be assumed.
pub(super) fn find(options: &S3Options, region: &str) -> Result<Expiring<Signer>> {
    let chosen = &options.credentials;
    let always = |signer| Ok(Expiring { value: signer, until: None });
    if chosen.anonymous {
        return always(Signer::Nobody);
    }
    if let Some(keys) = &chosen.keys {
        return always(Signer::Keys(keys.clone()));
    }
    let files = ProfileFiles::load();
    let sts = Sts::new(options, region);
    let context = ProviderContext { options, files: &files, sts: &sts };
    let own_keys = match chosen.source {
        CredentialSource::Auto => first_success(&context, &automatic()),
        CredentialSource::Files => first_success(&context, &[PROFILE, PROCESS, WEB_IDENTITY, SSO, LOGIN]),
        CredentialSource::Roles => role::chosen(&files, &sts, &options.network),
    };
    let signed = |keys: Expiring<AccessKeys>| Expiring { value: Signer::Keys(keys.value), until: keys.until };
    match (&chosen.role, own_keys) {
        (None, Ok(keys)) => Ok(signed(keys)),
        // Public buckets can be read without keys.
        (None, Err(why)) => {
            let since = SystemTime::now();
            Ok(Expiring { value: Signer::Unknown { why, since }, until: since.checked_add(ABSENCE_LIFETIME) })
        }
        (Some(role), own_keys) => {
            let assumed = own_keys.and_then(|own| sts.assume(&own.value, role));
            assumed.map(signed).map_err(|why| {
                let text = format!("S3: The role '{}' of 'vfs.s3.aws_role_arn' cannot be had: {why}", role.arn);
                Error::new(ErrorKind::Io, text)
            })
        }
    }
}

/// The default chain. A container has a credential service of its own.
fn automatic() -> [Provider; 7] {
    let last = if container::is_named() { SERVICE } else { MACHINE };
    [ENVIRONMENT, PROFILE, PROCESS, WEB_IDENTITY, SSO, LOGIN, last]
}

/// The access keys of the first provider that has any.
fn first_success(context: &ProviderContext<'_>, sources: &[Provider]) -> AccessKeysResult {
    let mut reasons = Vec::new();
    for (name, find) in sources {
        match find(context) {
            Ok(keys) => return Ok(keys),
            Err(why) => reasons.push(format!("{name}: {why}")),
        }
    }
    Err(reasons.join("; "))
}
