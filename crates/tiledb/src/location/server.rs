//! Operations on the TileDB server of a context.

use tiledb_core::error::Result;
#[cfg(not(feature = "rest"))]
use tiledb_core::error::bail;
#[cfg(feature = "rest")]
use tiledb_rest::client::session;
use tiledb_storage::resources::Resources;

/// Adds a header to all requests of a context. Without the client of servers there are none.
///
/// # Errors
/// For invalid parameters of servers.
#[cfg_attr(not(feature = "rest"), allow(unused_variables, reason = "there are no requests"))]
pub fn set_tag(resources: &Resources, name: &str, value: &str) -> Result<()> {
    #[cfg(feature = "rest")]
    session::set_tag(resources, name, value)?;
    Ok(())
}

/// Whether the server of a context predates TileDB 3.
///
/// # Errors
/// If the request fails or the response is invalid.
#[cfg(feature = "rest")]
pub fn is_legacy(resources: &Resources) -> Result<bool> {
    session::is_legacy(resources)
}

/// Fails without the client of servers.
///
/// # Errors
/// Always.
#[cfg(not(feature = "rest"))]
pub fn is_legacy(_: &Resources) -> Result<bool> {
    bail!(Unsupported, "This library was built without the client of TileDB servers (feature `rest`)")
}
