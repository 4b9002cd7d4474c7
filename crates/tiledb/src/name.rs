//! Names and URIs, which other programs read as strings that end with a zero byte.

use crate::error::{Error, Result};

/// # Errors
/// If the text contains a zero byte.
pub(crate) fn check_text(text: &str) -> Result<()> {
    match text.bytes().any(|byte| byte == 0) {
        true => Err(Error::invalid(format!("{text:?} contains a zero byte"))),
        false => Ok(()),
    }
}
