//! Groups on a server.

use std::sync::Arc;

use super::objects;
use super::routes::{self, Kind};
use super::session::{Ask, Session};
use super::uri::Place;
use crate::convert::{config, group, metadata};
use crate::describe::{
    self, GroupCreate, GroupCreateDetails, GroupDetails, GroupMetadata, GroupUpdate, GroupUpdateDetails,
};
use crate::message::{Builder, View};
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
/// If there is one already, or the server refuses.
pub(crate) fn create(resources: &Resources, uri: &Uri) -> Result<()> {
    if objects::is_group(resources, uri)? {
        bail!("Group: Cannot create group; Group '{uri}' already exists");
    }
    let at = At::new(resources, uri)?;
    let legacy = at.session.is_legacy()?;
    let storage = at.place.storage.as_deref();
    if storage.is_some() && !legacy {
        bail!("RestClient: TileDB-Server does not support custom backend storage locations.");
    }
    let body = at.session.form().write::<GroupCreate>(|out| {
        config::fill(&mut out.child(GroupCreate::CONFIG)?, &config::for_server(resources.config()))?;
        out.child(GroupCreate::GROUP_DETAILS)?.set_text(GroupCreateDetails::URI, storage.unwrap_or_default())
    })?;
    let route = routes::of_new_group(&at.place, legacy);
    let pieces: &[&[u8]] = &[&body];
    let ask = at.ask(Method::Post, "", "create the group").body(pieces);
    at.session.tell(&Ask { route, names_creator: true, ..ask })
}

/// A handle on a group on a server.
#[must_use]
pub(crate) fn behind(group: Group) -> Group {
    let uri = group.uri().clone();
    group.behind(Arc::new(OnServer(uri)))
}

/// A group, as requests about it need it.
struct At {
    session: Arc<Session>,
    place: Place,
    uri: Uri,
}

impl At {
    fn new(resources: &Resources, uri: &Uri) -> Result<At> {
        let session = Session::of(resources)?;
        Ok(At { place: session.place(uri)?, session, uri: uri.clone() })
    }

    fn ask(&self, method: Method, rest: &str, what: &str) -> Ask<'_> {
        let route = routes::of(Kind::Groups, 2, &self.place, rest);
        Ask::new(method, &self.place, route, format!("Cannot {what} '{}'", self.uri))
    }

    /// A request about the members.
    fn ask_members(&self, method: Method, what: &str) -> Result<Ask<'_>> {
        let route = routes::of_members(&self.place, self.session.is_legacy()?);
        Ok(Ask { route, ..self.ask(method, "", what) })
    }
}

/// The group at a URI.
struct OnServer(Uri);

impl GroupSource for OnServer {
    fn open(&self, resources: &Resources) -> Result<(Vec<Member>, Metadata)> {
        let at = At::new(resources, &self.0)?;
        let fill = |out: &mut Builder<'_, describe::Group>| {
            config::fill(&mut out.child(describe::Group::CONFIG)?, &config::for_server(resources.config()))?;
            out.child(describe::Group::GROUP).map(drop)
        };
        let body = at.session.form().write(fill)?;
        let pieces: &[&[u8]] = &[&body];
        let ask = at.ask_members(Method::Post, "open the group")?.body(pieces).freely();
        let read = |view: View<'_, GroupDetails>| {
            let told = group::details_of(view)?;
            let metadata = told.metadata.unwrap_or_default().values()?;
            Ok((told.members, metadata))
        };
        at.session.learn(&ask, |reading, answer| reading.read(answer, read))
    }

    fn type_of(&self, resources: &Resources, uri: &Uri) -> Result<ObjectType> {
        match Session::of(resources)?.is_legacy()? {
            true => objects::object_type(resources, uri),
            // Newer servers find out themselves.
            false => Ok(ObjectType::Invalid),
        }
    }

    fn write_metadata(&self, resources: &Resources, changes: &MetadataChanges) -> Result<()> {
        let at = At::new(resources, &self.0)?;
        let entries = changes.sorted()?;
        let body = at.session.form().write::<GroupMetadata>(|out| {
            config::fill(&mut out.child(GroupMetadata::CONFIG)?, &config::for_server(resources.config()))?;
            metadata::fill(&mut out.child(GroupMetadata::METADATA)?, entries.into_iter())
        })?;
        let pieces: &[&[u8]] = &[&body];
        at.session.tell(&at.ask(Method::Put, "/metadata", "write the metadata of").body(pieces).freely())
    }

    fn write_members(&self, resources: &Resources, added: &[&Member], removed: &[&Member]) -> Result<()> {
        let at = At::new(resources, &self.0)?;
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
        let ask = at.ask_members(Method::Patch, "change the members of")?.body(pieces);
        at.session.tell(&Ask { names_creator: true, ..ask })
    }

    fn delete(&self, resources: &Resources, uri: &Uri, recursive: bool) -> Result<()> {
        let at = At::new(resources, uri)?;
        let ask = at.ask(Method::Delete, &format!("/delete?recursive={recursive}"), "delete the group");
        let deleted = at.session.tell(&ask);
        at.session.forget(&ask);
        deleted
    }
}
