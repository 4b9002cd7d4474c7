//! What lies at URIs of a server.

use super::routes::{self, Kind};
use super::session::{Ask, Session};
use tiledb_core::error::Result;
use tiledb_core::types::ObjectType;
use tiledb_storage::http::Method;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// What lies at a URI.
///
/// # Errors
/// If the server does not say.
pub(crate) fn object_type(resources: &Resources, uri: &Uri) -> Result<ObjectType> {
    Ok(if lies_at(resources, uri, Kind::Arrays)? {
        ObjectType::Array
    } else if is_group(resources, uri)? {
        ObjectType::Group
    } else {
        ObjectType::Invalid
    })
}

/// Whether a group lies at a URI.
///
/// # Errors
/// If the server does not say.
pub(super) fn is_group(resources: &Resources, uri: &Uri) -> Result<bool> {
    lies_at(resources, uri, Kind::Groups)
}

fn lies_at(resources: &Resources, uri: &Uri, kind: Kind) -> Result<bool> {
    let session = Session::of(resources)?;
    let place = session.place(uri)?;
    let (method, version) = if kind == Kind::Arrays { (Method::Get, 1) } else { (Method::Options, 2) };
    let route = routes::of(kind, version, &place, "");
    session.finds(&Ask::new(method, &place, route, format!("Cannot ask what is at '{uri}'")))
}
