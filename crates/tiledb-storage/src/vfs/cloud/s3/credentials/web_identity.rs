//! Keys of a role that trusts a token in a file (EKS service accounts, continuous integration).

use super::super::super::amazon::Found;
use super::super::super::ambient::{read_text, variable};
use super::super::keys::Role;
use super::super::profile::{Files, Section};
use super::sts::Sts;

/// With the file and the role of the environment, or else of the profile.
pub(super) fn find(files: &Files, sts: &Sts) -> Found {
    if let (Some(arn), Some(file)) = (variable("AWS_ROLE_ARN"), variable("AWS_WEB_IDENTITY_TOKEN_FILE")) {
        let role = Role { arn, session: variable("AWS_ROLE_SESSION_NAME"), ..Role::default() };
        return assume(sts, sts.amazon(), &role, &file);
    }
    let unset = "AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE are not both set";
    in_profile(files.chosen(), sts, sts.amazon())
        .unwrap_or_else(|| Err(format!("{unset}, and the profile names no role_arn with web_identity_token_file")))
}

/// With those of a profile, if it has both. `place` is where roles are asked for.
pub(super) fn in_profile(profile: &Section, sts: &Sts, place: &str) -> Option<Found> {
    let (arn, file) = (profile.text("role_arn")?, profile.get("web_identity_token_file")?);
    let role = Role { arn, session: profile.text("role_session_name"), ..Role::default() };
    Some(assume(sts, place, &role, file))
}

fn assume(sts: &Sts, place: &str, role: &Role, file: &str) -> Found {
    // The file is written anew from time to time.
    let token = read_text(file).map_err(|error| format!("the token file '{file}': {error}"))?;
    sts.assume_with_token(place, role, token.trim())
}
