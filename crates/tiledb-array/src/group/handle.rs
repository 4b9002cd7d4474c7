//! Group handle: location, and the pending changes while it is open.

use std::cell::OnceCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::changes::GroupChanges;
use super::{GroupSource, Member, OpenGroup, delete, dump};
use crate::array::MetadataChanges;
use crate::fragment::claim;
use crate::object::{object_type, type_in};
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{CURRENT_VERSION, Datatype, Name, ObjectType, QueryType};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{DirHandle, Uri};

/// A handle on a group. Its methods lock it for their duration.
pub struct Group {
    uri: Uri,
    /// The URI as C borrows it.
    name: Name,
    /// The server of a remote group.
    source: Option<Arc<dyn GroupSource>>,
    state: Mutex<State>,
}

struct State {
    resources: Resources,
    session: Option<Session>,
}

/// From opening to closing.
struct Session {
    open: Arc<OpenGroup>,
    members: GroupChanges,
    metadata: MetadataChanges,
    /// The group's folder, opened when the type of a member in it is first determined; `None` if that is not faster.
    folder: OnceCell<Option<Box<dyn DirHandle>>>,
}

impl Session {
    fn new(open: OpenGroup) -> Session {
        let members = GroupChanges::default();
        let metadata = MetadataChanges::default();
        Session { open: Arc::new(open), members, metadata, folder: OnceCell::new() }
    }

    /// The type of a name in the group's folder, if that is faster than by URI.
    fn type_in_folder(&self, name: &str) -> Option<ObjectType> {
        let folder = self.folder.get_or_init(|| self.open.resources().vfs().open_dir(self.open.uri()));
        type_in(&**folder.as_ref()?, name)
    }
}

impl Group {
    /// A handle that is not open.
    ///
    /// # Errors
    /// If the URI is invalid.
    pub fn new(resources: &Resources, uri: &str) -> Result<Group> {
        let text = uri;
        let Ok(uri) = Uri::parse(text) else {
            bail!("C API: Failed to allocate TileDB group API object; Invalid URI: '{text}'");
        };
        let state = State { resources: resources.clone(), session: None };
        Ok(Group { name: Name::of_path(uri.as_str()), uri, source: None, state: Mutex::new(state) })
    }

    /// The same group on a server.
    #[must_use]
    pub fn with_source(self, source: Arc<dyn GroupSource>) -> Group {
        Group { source: Some(source), ..self }
    }

    /// The group's URI.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The group's URI, ended by a NUL.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The configuration it works with.
    pub fn config(&self) -> Config {
        self.state().resources.config().clone()
    }

    /// Overrides the parameters that are set in a configuration, such as the time window and the key; the others keep their
    /// values.
    ///
    /// # Errors
    /// While the group is open, and for invalid values.
    pub fn set_config(&self, config: &Config) -> Result<()> {
        let mut state = self.state();
        if state.session.is_some() {
            bail!("Group: [set_config] Cannot set config; Group is open: close '{}' first", self.uri);
        }
        state.set_config(config)
    }

    /// True while it is open.
    pub fn is_open(&self) -> bool {
        self.state().session.is_some()
    }

    /// Opens the group. `query_type` is the number of C.
    ///
    /// # Errors
    /// If it is open, does not exist, cannot be read with the key, or cannot be opened so.
    pub fn open(&self, query_type: u32) -> Result<()> {
        let mut state = self.state();
        if state.session.is_some() {
            bail!("Group: Cannot open group; Group already open: close '{}' first", self.uri);
        }
        let query_type = match QueryType::from_number(query_type) {
            Ok(known @ (QueryType::Read | QueryType::Write | QueryType::ModifyExclusive)) => known,
            _ => bail!(
                "Group: Cannot open group; Unsupported query type: {query_type}; use TILEDB_READ, TILEDB_WRITE or \
                 TILEDB_MODIFY_EXCLUSIVE"
            ),
        };
        let resources = state.resources.clone();
        let timer = if query_type == QueryType::Read { Timer::GroupOpenRead } else { Timer::GroupOpenWrite };
        let _timer = resources.stats().timer(timer);
        let open = match &self.source {
            Some(source) => {
                let (members, metadata) = source.open(&resources)?;
                OpenGroup::from_parts(&resources, &self.uri, query_type, members, Some(metadata))?
            }
            None => OpenGroup::open(&resources, &self.uri, query_type)?,
        };
        state.session = Some(Session::new(open));
        Ok(())
    }

    /// Sets members and metadata from a message. For a group that is open for writing they are changes, written when it
    /// is closed; otherwise they are its contents, and the group is open. Metadata missing from the message are read on
    /// first use.
    ///
    /// # Errors
    /// If the configuration is invalid, or a member occurs twice.
    pub fn set_contents(
        &self,
        config: Option<&Config>,
        members: Option<Vec<Member>>,
        metadata: Option<MetadataChanges>,
    ) -> Result<()> {
        let mut state = self.state();
        if let Some(config) = config {
            state.set_config(config)?;
        }
        let Some(members) = members else { return Ok(()) };
        let State { resources, session } = &mut *state;
        match session {
            Some(session) if session.open.query_type() != QueryType::Read => {
                session.members = GroupChanges::default();
                members.into_iter().try_for_each(|member| session.members.add(member))?;
                session.metadata.append(&metadata.unwrap_or_default())?;
            }
            _ => {
                let metadata = metadata.map(|metadata| metadata.values()).transpose()?;
                *session = Some(Session::new(OpenGroup::from_parts(
                    resources,
                    &self.uri,
                    QueryType::Read,
                    members,
                    metadata,
                )?));
            }
        }
        Ok(())
    }

    /// Pending changes of metadata; none while it is closed.
    pub fn changes<T>(&self, see: impl FnOnce(&MetadataChanges) -> T) -> T {
        match &self.state().session {
            Some(session) => see(&session.metadata),
            None => see(&MetadataChanges::default()),
        }
    }

    /// Adds changes of metadata from a message.
    ///
    /// # Errors
    /// If the group is not open for writing.
    pub fn set_metadata(&self, supplied: &MetadataChanges) -> Result<()> {
        let mut state = self.state();
        let what = "Cannot deserialize metadata;";
        state.changing(&self.uri, what, what)?.metadata.append(supplied)
    }

    /// The group as it was opened; `cannot` says what cannot be done otherwise.
    ///
    /// # Errors
    /// If it is not open.
    pub fn snapshot(&self, cannot: &str) -> Result<Arc<OpenGroup>> {
        self.opened(cannot)
    }

    /// Closes the group and writes its pending changes; no effect if it is closed.
    ///
    /// # Errors
    /// If the changes cannot be written; they are lost then, and the group is closed.
    pub fn close(&self) -> Result<()> {
        let Some(Session { open, members, metadata, .. }) = self.state().session.take() else { return Ok(()) };
        if let Some(source) = &self.source {
            return write_to(&**source, &open, &members, &metadata);
        }
        // Groups have no version of their own to follow: their files are of the version of new arrays.
        let version = open.resources().config().write_format_version()?.unwrap_or(CURRENT_VERSION);
        if !metadata.is_empty() {
            let time = open.time_or(|| open.claim_opening());
            metadata.write(open.resources(), open.uri(), version, time, open.key())?;
        }
        if members.is_empty() {
            return Ok(());
        }
        let details = members.details(open.member_list(), open.version());
        let time = open.time_or(|| claim(open.uri()));
        details.write(open.resources(), open.uri(), version, time, open.key())
    }

    /// The query type of the open group.
    ///
    /// # Errors
    /// If it is not open.
    pub fn query_type(&self) -> Result<QueryType> {
        match &self.state().session {
            Some(session) => Ok(session.open.query_type()),
            None => bail!("Group: Cannot get query_type; Group is not open: open '{}' first", self.uri),
        }
    }

    /// Adds a member, written when the group is closed. Without a type, the type is determined from the URI.
    ///
    /// # Errors
    /// If the group is not open for writing, for an invalid URI, and if the member was added already.
    pub fn add_member(&self, uri: &str, relative: bool, name: Option<&str>, kind: Option<ObjectType>) -> Result<()> {
        let mut state = self.state();
        let session = state.changing(&self.uri, "Cannot add member;", "Cannot add member;")?;
        let uri = match relative {
            true => uri.to_owned(),
            false => match Uri::parse(uri) {
                Ok(uri) => uri.as_str().to_owned(),
                Err(_) => bail!("Filesystem: Unsupported URI scheme: '{uri}'"),
            },
        };
        let mut member = Member { kind: ObjectType::Invalid, relative, uri, name: name.map(str::to_owned) };
        // Members outside of the folder could not be opened.
        member.place(&self.uri)?;
        member.kind = match kind {
            Some(kind) => kind,
            None => self.type_of(session, &member)?,
        };
        session.members.add(member)
    }

    /// The type of the object at a member's URI. Servers determine it themselves.
    fn type_of(&self, session: &Session, member: &Member) -> Result<ObjectType> {
        if let Some(kind) = member.plain_name().and_then(|name| session.type_in_folder(name)) {
            return Ok(kind);
        }
        let resources = session.open.resources();
        let place = &member.place(&self.uri)?;
        match (&self.source, place.is_tiledb()) {
            (_, false) => object_type(resources.vfs(), place),
            (Some(source), true) => source.type_of(resources, place),
            (None, true) => Ok(ObjectType::Invalid),
        }
    }

    /// Removes a member from the group, not from the storage, when the group is closed.
    ///
    /// # Errors
    /// Unless the group is open for writing and has such a member.
    pub fn remove_member(&self, name_or_uri: &str) -> Result<()> {
        let mut state = self.state();
        let session = state.changing(&self.uri, "Cannot mark member for removal;", "Cannot get member;")?;
        session.members.remove(session.open.member_list(), name_or_uri)
    }

    /// The group, for questions about its members; `cannot` says what cannot be done otherwise.
    ///
    /// # Errors
    /// Unless it is open for reading.
    pub fn with_members(&self, cannot: &str) -> Result<Arc<OpenGroup>> {
        let open = self.opened(cannot)?;
        if open.query_type() != QueryType::Read {
            bail!("Group: Cannot get member; Group was not opened in read mode: open '{}' with TILEDB_READ", self.uri);
        }
        Ok(open)
    }

    /// The group with its metadata loaded; `cannot` describes the operation in errors. The handle keeps the result
    /// alive until it is closed.
    ///
    /// # Errors
    /// If it is not open for reading, or the metadata cannot be read.
    pub fn with_metadata(&self, cannot: &str) -> Result<Arc<OpenGroup>> {
        let open = self.opened(cannot)?;
        if open.query_type() != QueryType::Read {
            bail!("Group: {cannot}; Group was not opened in read mode: open '{}' with TILEDB_READ", self.uri);
        }
        open.metadata()?;
        Ok(open)
    }

    fn opened(&self, cannot: &str) -> Result<Arc<OpenGroup>> {
        match &self.state().session {
            Some(session) => Ok(session.open.clone()),
            None => bail!("Group: {cannot}; Group is not open: open '{}' first", self.uri),
        }
    }

    /// Records metadata, written when the group is closed. `bytes` are the cells of the value; `None` makes it empty.
    ///
    /// # Errors
    /// Unless the group is open for writing, and without a proper datatype.
    pub fn put_metadata(&self, key: &str, datatype: u32, bytes: Option<&[u8]>) -> Result<()> {
        let mut state = self.state();
        let session = state.changing(&self.uri, "Cannot put metadata;", "Cannot put metadata;")?;
        let datatype = Datatype::from_number(datatype)?;
        if datatype == Datatype::Any {
            bail!("Group: Cannot put metadata; Value type cannot be ANY: give key '{key}' another datatype");
        }
        session.metadata.put(key, datatype, bytes.unwrap_or_default())
    }

    /// Records that metadata go when the group is closed.
    ///
    /// # Errors
    /// Unless the group is open for writing.
    pub fn delete_metadata(&self, key: &str) -> Result<()> {
        let mut state = self.state();
        state.changing(&self.uri, "Cannot delete metadata.", "Cannot delete metadata.")?.metadata.delete(key)
    }

    /// The group and its members as text, with those of its members where `recursive`; without them while it is closed.
    ///
    /// # Errors
    /// If a member is a group that cannot be read.
    pub fn dump(&self, recursive: bool) -> Result<String> {
        let open = self.state().session.as_ref().map(|session| Arc::clone(&session.open));
        match open {
            Some(open) => dump::dump(&open, recursive),
            None => Ok(dump::title(&self.uri)),
        }
    }

    /// Deletes the group at `uri`, with all that its members hold where `recursive`; the handle is closed then, and
    /// what it recorded is not written.
    ///
    /// # Errors
    /// Unless it is open for writing or exclusive modification and there is a group; then it stays open.
    pub fn delete(&self, uri: &str, recursive: bool) -> Result<()> {
        let mut state = self.state();
        let Some(session) = &state.session else {
            bail!("Group: [delete_group] Group is not open: open '{}' with TILEDB_MODIFY_EXCLUSIVE", self.uri)
        };
        // Libtiledb 2.30 requires exclusive mode, and 2.31 the mode for writing.
        if session.open.query_type() == QueryType::Read {
            bail!("Group: [delete_group] Query type must be MODIFY_EXCLUSIVE or WRITE: open '{}' for that", self.uri);
        }
        let Ok(uri) = Uri::parse(uri) else {
            bail!("Group: Cannot open group; Group does not exist. '{uri}' is no URI")
        };
        match &self.source {
            Some(source) => source.delete(session.open.resources(), &uri, recursive)?,
            None => delete(session.open.resources(), &uri, recursive)?,
        }
        state.session = None;
        Ok(())
    }
}

/// Sends the changes to the server.
fn write_to(
    source: &dyn GroupSource,
    open: &OpenGroup,
    members: &GroupChanges,
    metadata: &MetadataChanges,
) -> Result<()> {
    if !metadata.is_empty() {
        source.write_metadata(open.resources(), metadata)?;
    }
    if members.is_empty() {
        return Ok(());
    }
    let (added, removed): (Vec<&Member>, Vec<&Member>) = (members.added().collect(), members.removed().collect());
    source.write_members(open.resources(), &added, &removed)
}

impl State {
    /// Overrides the parameters that are set in a configuration.
    fn set_config(&mut self, config: &Config) -> Result<()> {
        let mut merged = self.resources.config().clone();
        merged.inherit(config);
        self.resources = self.resources.with_config(merged)?;
        Ok(())
    }

    /// The session, if the group is open for writing; else an error that says what cannot be done.
    fn changing(&mut self, uri: &Uri, closed: &str, reading: &str) -> Result<&mut Session> {
        match &mut self.session {
            None => bail!("Group: {closed} Group is not open: open '{uri}' with TILEDB_WRITE"),
            Some(session) if session.open.query_type() == QueryType::Read => {
                bail!(
                    "Group: {reading} Group was not opened in write or modify_exclusive mode: open '{uri}' with TILEDB_WRITE"
                )
            }
            Some(session) => Ok(session),
        }
    }
}
