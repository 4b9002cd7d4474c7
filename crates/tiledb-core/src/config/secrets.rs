//! Parameters whose values are credentials.

use super::params::{IDENTITIES, find, is_header};

/// A credential that programs set for libtiledb, of which the table of parameters does not know.
const UNLISTED: &str = "vfs.gcs.external_account_configuration";

/// Whether a parameter is saved in files: not those that libtiledb leaves out, nor headers of requests.
pub(super) fn is_saved(name: &str) -> bool {
    let is_left_out = find(name).is_some_and(|parameter| parameter.secret);
    !is_left_out && !is_header(name) && name != UNLISTED
}

/// Whether the value of a parameter is a credential, which is not shown.
pub fn is_secret(name: &str) -> bool {
    !is_saved(name) && !IDENTITIES.contains(&name)
}
