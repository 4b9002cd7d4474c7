//! Operations on the TileDB server of a context.

use tiledb_core::error::Result;
#[cfg(not(feature = "rest"))]
use tiledb_core::error::bail;
use tiledb_storage::resources::Resources;

/// Adds a header to all requests of a context.
///
/// # Errors
/// For parameters of servers that cannot be understood.
#[cfg(feature = "rest")]
pub fn set_tag(resources: &Resources, name: &str, value: &str) -> Result<()> {
    super::rest::session::Session::of(resources)?.set_tag(name, value);
    Ok(())
}

/// Whether the server of a context predates TileDB 3.
///
/// # Errors
/// If the request fails or the response is invalid.
#[cfg(feature = "rest")]
pub fn is_legacy(resources: &Resources) -> Result<bool> {
    super::rest::session::Session::of(resources)?.is_legacy()
}

/// Without the REST client there are no requests.
///
/// # Errors
/// None.
#[cfg(not(feature = "rest"))]
pub fn set_tag(_: &Resources, _: &str, _: &str) -> Result<()> {
    Ok(())
}

/// Fails without the REST client.
///
/// # Errors
/// Always.
#[cfg(not(feature = "rest"))]
pub fn is_legacy(_: &Resources) -> Result<bool> {
    bail!(Unsupported, "This library was built without the client of TileDB servers (feature `rest`)")
}
