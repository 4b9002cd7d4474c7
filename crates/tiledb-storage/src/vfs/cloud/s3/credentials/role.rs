//! Credential provider: profiles, and the roles that they assume.

use super::super::super::amazon::{AccessKeys, AccessKeysResult, environment, imds};
use super::super::super::expiring_cache::Expiring;
use super::super::profile::{ProfileFiles, ProfileSection};
use super::super::signer::AssumedRole;
use super::sts::Sts;
use super::{container, login, process, sso, web_identity};
use crate::http::Network;

/// Maximum length of a chain of `source_profile` references.
const DEPTH: usize = 16;

/// The access keys of the active profile, or else those of its role.
pub(super) fn profile(files: &ProfileFiles, sts: &Sts, network: &Network) -> AccessKeysResult {
    let profile = files.profile(&files.chosen)?;
    let has_source = profile.get("source_profile").or_else(|| profile.get("credential_source")).is_some();
    match in_profile(profile) {
        Some(value) => Ok(Expiring { value, until: None }),
        None if profile.get("role_arn").is_some() && has_source => chosen(files, sts, network),
        None => Err(format!("profile '{}' holds no keys and no role_arn with source_profile", files.chosen)),
    }
}

/// The access keys of the active profile's role, or else its own.
pub(super) fn chosen(files: &ProfileFiles, sts: &Sts, network: &Network) -> AccessKeysResult {
    Chain { files, sts, network }.resolve(&files.chosen, DEPTH)
}

fn in_profile(profile: &ProfileSection) -> Option<AccessKeys> {
    let (id, secret) = (profile.text("aws_access_key_id")?, profile.text("aws_secret_access_key")?);
    Some(AccessKeys { id, secret, token: profile.text("aws_session_token") })
}

struct Chain<'a> {
    files: &'a ProfileFiles,
    sts: &'a Sts,
    network: &'a Network,
}

impl Chain<'_> {
    /// The access keys of a profile; `left` is the number of references that may still be followed.
    fn resolve(&self, name: &str, left: usize) -> AccessKeysResult {
        let profile = self.files.profile(name)?;
        self.keys(name, profile, left).map_err(|why| format!("profile '{name}': {why}"))
    }

    fn keys(&self, name: &str, profile: &ProfileSection, left: usize) -> AccessKeysResult {
        let own = in_profile(profile).map(|value| Expiring { value, until: None });
        let Some(arn) = profile.text("role_arn") else {
            return match own {
                Some(own) => Ok(own),
                None if profile.get("credential_process").is_some() => process::find(profile),
                None if profile.get("login_session").is_some() => login::find(name, profile, self.network),
                None => sso::find(self.files, name, profile, self.network),
            };
        };
        if let Some(keys) = web_identity::in_profile(profile, self.sts, self.sts.store()) {
            return keys;
        }
        let opens_itself = profile.get("source_profile") == Some(name);
        let opener = match own {
            Some(own) if opens_itself => own,
            // In a referenced profile, keys take precedence over the role.
            Some(own) if left < DEPTH => return Ok(own),
            _ => self.source(profile, left)?,
        };
        if profile.get("mfa_serial").is_some() {
            return Err("the role wants a code of a device (mfa_serial), which cannot be asked for".to_owned());
        }
        let role = AssumedRole {
            arn,
            session: profile.text("role_session_name"),
            external_id: profile.text("external_id"),
            seconds: profile.get("duration_seconds").and_then(|seconds| seconds.parse().ok()),
        };
        self.sts.assume(&opener.value, &role)
    }

    /// The access keys with which a profile's role is assumed.
    fn source(&self, profile: &ProfileSection, left: usize) -> AccessKeysResult {
        let next = left.checked_sub(1).ok_or("the profiles refer to one another in a circle")?;
        match (profile.get("source_profile"), profile.get("credential_source")) {
            (Some(name), _) => self.resolve(name, next),
            (None, Some("Environment")) => environment::find(),
            (None, Some("Ec2InstanceMetadata")) => imds::find(),
            (None, Some("EcsContainer")) => container::find(self.network),
            (None, Some(other)) => Err(format!("the credential_source '{other}' is unknown")),
            (None, None) => Err("it names a role_arn and nothing that opens it".to_owned()),
        }
    }
}
