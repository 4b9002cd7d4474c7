//! Credential provider: a role that trusts a token in a file (EKS service accounts, continuous integration).

use super::super::super::amazon::AccessKeysResult;
use super::super::super::ambient::{read_text, variable};
use super::super::profile::{ProfileFiles, ProfileSection};
use super::super::signer::AssumedRole;
use super::sts::Sts;

/// Token file and role from the environment, or else from the profile.
pub(super) fn find(files: &ProfileFiles, sts: &Sts) -> AccessKeysResult {
    if let (Some(arn), Some(file)) = (variable("AWS_ROLE_ARN"), variable("AWS_WEB_IDENTITY_TOKEN_FILE")) {
        let role = AssumedRole { arn, session: variable("AWS_ROLE_SESSION_NAME"), ..AssumedRole::default() };
        return assume(sts, sts.amazon(), &role, &file);
    }
    let unset = "AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE are not both set";
    in_profile(files.chosen(), sts, sts.amazon())
        .unwrap_or_else(|| Err(format!("{unset}, and the profile names no role_arn with web_identity_token_file")))
}

/// Token file and role from a profile, if it has both. `place` is the STS endpoint.
pub(super) fn in_profile(profile: &ProfileSection, sts: &Sts, location: &str) -> Option<AccessKeysResult> {
    let (arn, file) = (profile.text("role_arn")?, profile.get("web_identity_token_file")?);
    let role = AssumedRole { arn, session: profile.text("role_session_name"), ..AssumedRole::default() };
    Some(assume(sts, location, &role, file))
}

fn assume(sts: &Sts, location: &str, role: &AssumedRole, file: &str) -> AccessKeysResult {
    // The file is rotated.
    let token = read_text(file).map_err(|error| format!("the token file '{file}': {error}"))?;
    sts.assume_with_token(location, role, token.trim())
}
