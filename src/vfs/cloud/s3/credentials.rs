//! Whose keys sign requests.

use super::options;
use super::profile::{Profile, variable};
use crate::error::{Error, ErrorKind, Result};

/// The keys of an account or of a session.
#[derive(Clone)]
pub(super) struct Keys {
    pub(super) id: String,
    pub(super) secret: String,
    /// What a session adds.
    pub(super) token: Option<String>,
}

/// The keys that requests are signed with; `None` where they are not to be signed.
///
/// Those of the configuration come first, then those of the environment, then those of the profile.
///
/// # Errors
/// `Io` where none are found: it says where they were looked for.
pub(super) fn find(options: &options::Credentials) -> Result<Option<Keys>> {
    if options.anonymous {
        return Ok(None);
    }
    if !options.id.is_empty() {
        let token = Some(options.token.clone()).filter(|token| !token.is_empty());
        return Ok(Some(Keys { id: options.id.clone(), secret: options.secret.clone(), token }));
    }
    let named = |name| variable(name).filter(|_| !options.only_files);
    if let (Some(id), Some(secret)) = (named("AWS_ACCESS_KEY_ID"), named("AWS_SECRET_ACCESS_KEY")) {
        return Ok(Some(Keys { id, secret, token: variable("AWS_SESSION_TOKEN") }));
    }
    let profile = Profile::load();
    if let (Some(id), Some(secret)) = (profile.get("aws_access_key_id"), profile.get("aws_secret_access_key")) {
        let token = profile.get("aws_session_token").map(str::to_owned);
        return Ok(Some(Keys { id: id.to_owned(), secret: secret.to_owned(), token }));
    }
    Err(none_found(&profile))
}

#[cold]
fn none_found(profile: &Profile) -> Error {
    let files: Vec<String> = profile.files.iter().map(|file| file.display().to_string()).collect();
    let text = format!(
        "S3: There are no credentials. Looked for: 'vfs.s3.aws_access_key_id' and 'vfs.s3.aws_secret_access_key' (not set); \
         AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment (not both set); profile '{}' in {} (no keys). Set \
         'vfs.s3.no_sign_request' to use public buckets.",
        profile.name,
        files.join(" and "),
    );
    Error::new(ErrorKind::Io, text)
}
