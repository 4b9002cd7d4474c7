//! Object types on a server.

use super::routes::{self, ResourceKind};
use super::session::{RestRequest, Session};
use tiledb_core::error::Result;
use tiledb_core::types::ObjectType;
use tiledb_storage::http::Method;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The type of the object at a URI.
///
/// # Errors
/// If the request fails or the response is invalid.
pub fn object_type(resources: &Resources, uri: &Uri) -> Result<ObjectType> {
    Ok(if lies_at(resources, uri, ResourceKind::Arrays)? {
        ObjectType::Array
    } else if is_group(resources, uri)? {
        ObjectType::Group
    } else {
        ObjectType::Invalid
    })
}

/// Whether there is a group at a URI.
///
/// # Errors
/// If the request fails or the response is invalid.
pub(super) fn is_group(resources: &Resources, uri: &Uri) -> Result<bool> {
    lies_at(resources, uri, ResourceKind::Groups)
}

fn lies_at(resources: &Resources, uri: &Uri, kind: ResourceKind) -> Result<bool> {
    let session = Session::of(resources)?;
    let remote_uri = session.remote_uri(uri)?;
    let (method, version) = if kind == ResourceKind::Arrays { (Method::Get, 1) } else { (Method::Options, 2) };
    let route = routes::route(kind, version, &remote_uri, "");
    session.exists(&RestRequest::new(method, &remote_uri, route, format!("Cannot ask what is at '{uri}'")))
}
