//! Whose keys sign requests: the sources of keys, in the order in which they are asked.
//!
//! Each source is asked only where those before it gave nothing, and says why it gave nothing itself.

mod container;
mod process;
mod role;
mod sso;
mod sts;
mod web_identity;

use std::time::{Duration, SystemTime};

use super::super::amazon::{Found, Keys, environment, imds};
use super::super::refresh::Fetched;
use super::keys::Signer;
use super::options::{Options, Source};
use super::profile::Files;
use sts::Sts;
use tiledb_core::error::{Error, ErrorKind, Result};

/// After so long it is looked again whether there are keys by now.
const LOOKED: Duration = Duration::from_secs(600);

/// What sources know.
struct Asking<'a> {
    options: &'a Options,
    files: &'a Files,
    sts: &'a Sts,
}

/// A source: what errors call it, and how it is asked.
type Asked = (&'static str, fn(&Asking<'_>) -> Found);

const ENVIRONMENT: Asked = ("environment", |_| environment::find());
const PROFILE: Asked = ("profile", |asking| role::profile(asking.files, asking.sts, &asking.options.network));
const PROCESS: Asked = ("credential_process", |asking| process::find(asking.files.chosen()));
const WEB_IDENTITY: Asked = ("web identity", |asking| web_identity::find(asking.files, asking.sts));
const SSO: Asked = ("SSO", |asking| {
    let files = asking.files;
    sso::find(files, &files.chosen, files.chosen(), &asking.options.network)
});
const SERVICE: Asked = ("container", |asking| container::find(&asking.options.network));
const MACHINE: Asked = ("machine", |_| imds::find());

/// Who signs requests.
///
/// # Errors
/// `Io` where a role that the configuration names cannot be had.
pub(super) fn find(options: &Options, region: &str) -> Result<Fetched<Signer>> {
    let chosen = &options.credentials;
    let always = |signer| Ok(Fetched { value: signer, until: None });
    if chosen.anonymous {
        return always(Signer::Nobody);
    }
    if let Some(keys) = &chosen.keys {
        return always(Signer::Keys(keys.clone()));
    }
    let files = Files::load();
    let sts = Sts::new(options, region);
    let asking = Asking { options, files: &files, sts: &sts };
    let found = match chosen.source {
        Source::Auto => first(&asking, &automatic()),
        Source::Files => first(&asking, &[PROFILE, PROCESS, WEB_IDENTITY, SSO]),
        Source::Roles => role::chosen(&files, &sts, &options.network),
    };
    let signed = |keys: Fetched<Keys>| Fetched { value: Signer::Keys(keys.value), until: keys.until };
    match (&chosen.role, found) {
        (None, Ok(keys)) => Ok(signed(keys)),
        // Public buckets can be read.
        (None, Err(why)) => {
            let since = SystemTime::now();
            Ok(Fetched { value: Signer::Unknown { why, since }, until: since.checked_add(LOOKED) })
        }
        (Some(role), found) => {
            let lent = found.and_then(|own| sts.assume(&own.value, role));
            lent.map(signed).map_err(|why| {
                let text = format!("S3: The role '{}' of 'vfs.s3.aws_role_arn' cannot be had: {why}", role.arn);
                Error::new(ErrorKind::Io, text)
            })
        }
    }
}

/// The sources where nothing is configured. A container has a service of its own.
fn automatic() -> [Asked; 6] {
    let last = if container::is_named() { SERVICE } else { MACHINE };
    [ENVIRONMENT, PROFILE, PROCESS, WEB_IDENTITY, SSO, last]
}

/// The keys of the first source that has some.
fn first(asking: &Asking<'_>, sources: &[Asked]) -> Found {
    let mut reasons = Vec::new();
    for (name, find) in sources {
        match find(asking) {
            Ok(keys) => return Ok(keys),
            Err(why) => reasons.push(format!("{name}: {why}")),
        }
    }
    Err(reasons.join("; "))
}
