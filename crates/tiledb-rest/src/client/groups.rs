//! Client operations on groups of a TileDB server.

use std::sync::Arc;

use super::objects;
use super::routes::{self, ResourceKind};
use super::session::{RestRequest, Session};
use super::uri::RemoteUri;
use crate::encoding::{Builder, View};
use crate::messages::{
    self, GroupCreate, GroupCreateDetails, GroupDetails, GroupMetadata, GroupUpdate, GroupUpdateDetails,
};
use crate::serialization::{config, group, metadata};
use tiledb_array::array::{Metadata, MetadataChanges};
use tiledb_array::group::{Group, GroupSource, Member};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::ObjectType;
use tiledb_storage::http::Method;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Creates a group.
///
/// # Errors
/// If there is one already, or the server rejects the request.
pub fn create(resources: &Resources, uri: &Uri) -> Result<()> {
    if objects::is_group(resources, uri)? {
        bail!("Group: Cannot create group; Group '{uri}' already exists");
    }
    let at = RemoteGroup::new(resources, uri)?;
    let legacy = at.session.is_legacy()?;
    let storage = at.remote_uri.storage.as_deref();
    if storage.is_some() && !legacy {
        bail!("RestClient: TileDB-Server does not support custom backend storage locations.");
    }
    let body = at.session.form().write::<GroupCreate>(|out| {
        config::fill(&mut out.child(GroupCreate::CONFIG)?, &config::for_server(resources.config()))?;
        out.child(GroupCreate::GROUP_DETAILS)?.set_text(GroupCreateDetails::URI, storage.unwrap_or_default())
    })?;
    let route = routes::new_group_route(&at.remote_uri, legacy);
    let pieces: &[&[u8]] = &[&body];
    let request = at.request(Method::Post, "", "create the group").body(pieces);
    at.session.perform(&RestRequest { route, names_creator: true, ..request })
}

/// A handle of a group on a server.
#[must_use]
pub fn remote_handle(group: Group) -> Group {
    let uri = group.uri().clone();
    group.with_source(Arc::new(RemoteGroupSource(uri)))
}

/// Builds requests about a group.
struct RemoteGroup {
    session: Arc<Session>,
    remote_uri: RemoteUri,
    uri: Uri,
}

impl RemoteGroup {
    fn new(resources: &Resources, uri: &Uri) -> Result<RemoteGroup> {
        let session = Session::of(resources)?;
        Ok(RemoteGroup { remote_uri: session.remote_uri(uri)?, session, uri: uri.clone() })
    }

    fn request(&self, method: Method, rest: &str, what: &str) -> RestRequest<'_> {
        let route = routes::route(ResourceKind::Groups, 2, &self.remote_uri, rest);
        RestRequest::new(method, &self.remote_uri, route, format!("Cannot {what} '{}'", self.uri))
    }

    /// A request about the members.
    fn members_request(&self, method: Method, what: &str) -> Result<RestRequest<'_>> {
        let route = routes::members_route(&self.remote_uri, self.session.is_legacy()?);
        Ok(RestRequest { route, ..self.request(method, "", what) })
    }
}

/// Loads and changes a group on the server.
struct RemoteGroupSource(Uri);

impl GroupSource for RemoteGroupSource {
    fn open(&self, resources: &Resources) -> Result<(Vec<Member>, Metadata)> {
        let at = RemoteGroup::new(resources, &self.0)?;
        let fill = |out: &mut Builder<'_, messages::Group>| {
            config::fill(&mut out.child(messages::Group::CONFIG)?, &config::for_server(resources.config()))?;
            out.child(messages::Group::GROUP).map(drop)
        };
        let body = at.session.form().write(fill)?;
        let pieces: &[&[u8]] = &[&body];
        let request = at.members_request(Method::Post, "open the group")?.body(pieces).idempotent();
        let read = |view: View<'_, GroupDetails>| {
            let details = group::details_of(view)?;
            let metadata = details.metadata.unwrap_or_default().values()?;
            Ok((details.members, metadata))
        };
        at.session.fetch(&request, |reading, answer| reading.read(answer, read))
    }

    fn type_of(&self, resources: &Resources, uri: &Uri) -> Result<ObjectType> {
        match Session::of(resources)?.is_legacy()? {
            true => objects::object_type(resources, uri),
            // Newer servers find out themselves.
            false => Ok(ObjectType::Invalid),
        }
    }

    fn write_metadata(&self, resources: &Resources, changes: &MetadataChanges) -> Result<()> {
        let at = RemoteGroup::new(resources, &self.0)?;
        let entries = changes.sorted()?;
        let body = at.session.form().write::<GroupMetadata>(|out| {
            config::fill(&mut out.child(GroupMetadata::CONFIG)?, &config::for_server(resources.config()))?;
            metadata::fill(&mut out.child(GroupMetadata::METADATA)?, entries.into_iter())
        })?;
        let pieces: &[&[u8]] = &[&body];
        at.session.perform(&at.request(Method::Put, "/metadata", "write the metadata of").body(pieces).idempotent())
    }

    fn write_members(&self, resources: &Resources, added: &[&Member], removed: &[&Member]) -> Result<()> {
        let at = RemoteGroup::new(resources, &self.0)?;
        let body = at.session.form().write::<GroupUpdate>(|out| {
            config::fill(&mut out.child(GroupUpdate::CONFIG)?, &config::for_server(resources.config()))?;
            let mut changes = out.child(GroupUpdate::GROUP_UPDATE)?;
            if !added.is_empty() {
                let mut list = changes.list(GroupUpdateDetails::MEMBERS_TO_ADD, added.len())?;
                for (index, member) in added.iter().enumerate() {
                    group::fill_member(&mut list.get(index)?, member)?;
                }
            }
            let uris: Vec<&str> = removed.iter().map(|member| member.uri.as_str()).collect();
            if uris.is_empty() { Ok(()) } else { changes.set_texts(GroupUpdateDetails::MEMBERS_TO_REMOVE, &uris) }
        })?;
        let pieces: &[&[u8]] = &[&body];
        let request = at.members_request(Method::Patch, "change the members of")?.body(pieces);
        at.session.perform(&RestRequest { names_creator: true, ..request })
    }

    fn delete(&self, resources: &Resources, uri: &Uri, recursive: bool) -> Result<()> {
        let at = RemoteGroup::new(resources, uri)?;
        let request = at.request(Method::Delete, &format!("/delete?recursive={recursive}"), "delete the group");
        let deleted = at.session.perform(&request);
        at.session.forget(&request);
        deleted
    }
}
