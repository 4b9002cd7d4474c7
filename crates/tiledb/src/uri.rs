//! URIs of arrays, groups and files.

use crate::error::{AtUri, Error, Result};
use tiledb_core::types::text_of_path;
use tiledb_storage::vfs::{self as engine, Uri};

/// The URI of a path or of a URI, as this library writes it: absolute, and with a scheme.
///
/// ```
/// use tiledb::uri;
///
/// assert_eq!(uri::normalize("mem://team/")?, "mem://team/");
/// assert!(uri::normalize("images/2024")?.starts_with("file://"));
/// # Ok::<(), tiledb::Error>(())
/// ```
///
/// # Errors
/// If the text is neither.
pub fn normalize(path_or_uri: &str) -> Result<String> {
    Ok(Uri::parse(path_or_uri).at(path_or_uri)?.as_str().to_owned())
}

/// The local path of a `file` URI; `None` for the URIs of other storage.
///
/// # Errors
/// If the text is not a URI.
pub fn local_path(uri: &str) -> Result<Option<String>> {
    let uri = Uri::parse(uri).at(uri)?;
    Ok(uri.local()?.map(|path| text_of_path(path.as_os_str().as_encoded_bytes()).into_owned()))
}

/// Resolves `.`, `..` and empty parts of a name relative to a folder.
///
/// ```
/// use tiledb::uri;
///
/// assert_eq!(uri::normalize_relative("images/./2023/../2024")?, "images/2024");
/// assert!(uri::normalize_relative("../secrets").is_err());
/// # Ok::<(), tiledb::Error>(())
/// ```
///
/// # Errors
/// If it leads out of the folder.
pub fn normalize_relative(name: &str) -> Result<String> {
    engine::normalize_relative(name).map_err(|why| Error::invalid(why).at(name))
}

/// Checks that a name relative to a folder stays in it on every file system: none of its parts is empty, `.` or `..`.
///
/// ```
/// use tiledb::uri;
///
/// assert!(uri::check_relative("images/2024").is_ok());
/// assert!(uri::check_relative("images/../../secrets").is_err());
/// ```
///
/// # Errors
/// What is wrong with the name.
pub fn check_relative(name: &str) -> Result<()> {
    engine::check_relative(name).map_err(|why| Error::invalid(why).at(name))
}
