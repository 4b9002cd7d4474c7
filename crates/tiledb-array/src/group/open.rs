//! An open group: an immutable snapshot.

use std::sync::OnceLock;

use super::create::{exists, no_group};
use super::details::GroupDetails;
use super::member_list::MemberList;
use super::{ADDING, Member};
use crate::array::{Metadata, check_stays_in_groups};
use crate::fragment::{claim, read_time, reserve, wait_for};
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::suggestion::closest_names;
use tiledb_core::types::QueryType;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The snapshot of a group at the time it was opened.
pub struct OpenGroup {
    uri: Uri,
    resources: Resources,
    query_type: QueryType,
    key: EncryptionKey,
    /// The window as it was set: an end of `u64::MAX` or 0 means the present.
    window: (u64, u64),
    opened_at: u64,
    /// Timestamp reserved for the metadata if it is open for writing.
    reserved: Option<u64>,
    /// The version of its files.
    version: u32,
    members: MemberList,
    metadata: OnceLock<Metadata>,
}

impl OpenGroup {
    /// Opens the group at `uri` with the time window and the key of the configuration.
    ///
    /// # Errors
    /// `NotFound` if there is no group; otherwise if its members cannot be read.
    pub(super) fn open(resources: &Resources, uri: &Uri, query_type: QueryType) -> Result<OpenGroup> {
        check_stays_in_groups(resources.vfs(), uri)?;
        let config = resources.config();
        let key = EncryptionKey::from_config(config)?;
        let window = (config.u64("sm.group.timestamp_start")?, config.u64("sm.group.timestamp_end")?);
        let files = GroupDetails::list(resources.vfs(), uri)?;
        // Detail files make it a group.
        if files.is_empty() && !exists(resources.vfs(), uri)? {
            return Err(no_group(uri));
        }
        check_threads(resources)?;
        let opened_at = read_time();
        let window_now = (window.0, end_of(window, query_type, opened_at));
        let (version, members) = GroupDetails::load(resources, files, window_now, &key)?;
        let elsewhere = members.iter().filter(|member| !member.relative).map(|member| member.uri.as_str());
        resources.vfs().check_links(uri, elsewhere)?;
        Ok(OpenGroup {
            uri: uri.clone(),
            resources: resources.clone(),
            query_type,
            key,
            window,
            opened_at,
            reserved: if query_type == QueryType::Read { None } else { reserve(uri) },
            version,
            members: members.into(),
            metadata: OnceLock::new(),
        })
    }

    /// The group at `uri` from a message. Missing metadata is read on first use.
    ///
    /// # Errors
    /// If the key cannot be determined.
    pub(super) fn from_parts(
        resources: &Resources,
        uri: &Uri,
        query_type: QueryType,
        members: Vec<Member>,
        metadata: Option<Metadata>,
    ) -> Result<OpenGroup> {
        let config = resources.config();
        Ok(OpenGroup {
            uri: uri.clone(),
            resources: resources.clone(),
            query_type,
            key: EncryptionKey::from_config(config)?,
            window: (config.u64("sm.group.timestamp_start")?, config.u64("sm.group.timestamp_end")?),
            opened_at: read_time(),
            reserved: None,
            version: ADDING,
            members: members.into(),
            metadata: metadata.map(OnceLock::from).unwrap_or_default(),
        })
    }

    /// The group's URI.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    pub fn query_type(&self) -> QueryType {
        self.query_type
    }

    pub(super) fn resources(&self) -> &Resources {
        &self.resources
    }

    pub(super) fn key(&self) -> &EncryptionKey {
        &self.key
    }

    /// The members in the order of keys.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The members, for lookups.
    pub(super) fn member_list(&self) -> &MemberList {
        &self.members
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The member at a position in the order of names, or URIs where they have none.
    ///
    /// # Errors
    /// Beyond the last one.
    pub fn member_at(&self, index: u64) -> Result<&Member> {
        match usize::try_from(index).ok().and_then(|index| self.members.get(index)) {
            Some(member) => Ok(member),
            None => bail!("Group Details: index {index} is larger than member count {}", self.len()),
        }
    }

    /// The member of this name.
    ///
    /// # Errors
    /// If there is none; members without a name are not found by their URI.
    pub fn member_named(&self, name: &str) -> Result<&Member> {
        match self.members.find(name).filter(|member| member.name.is_some()) {
            Some(member) => Ok(member),
            None => {
                let names = closest_names(name, self.members.iter().filter_map(|member| member.name.as_deref()));
                bail!(NotFound, "Group Details: {name} does not exist in group{names}")
            }
        }
    }

    /// The metadata of the window, read on first use.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn metadata(&self) -> Result<&Metadata> {
        if let Some(metadata) = self.metadata.get() {
            return Ok(metadata);
        }
        let window = (self.window.0, end_of(self.window, self.query_type, self.opened_at));
        let _timer = self.resources.stats().timer(Timer::LoadGroupMetadata);
        let metadata = Metadata::load(&self.resources, &self.uri, window, &self.key, Counter::GroupMetadataRead)?;
        Ok(self.metadata.get_or_init(|| metadata))
    }

    /// The timestamp of a write: the end of the window, or `now` if it is not set.
    pub(super) fn time_or(&self, now: impl FnOnce() -> u64) -> u64 {
        if matches!(self.window.1, 0 | u64::MAX) { now() } else { self.window.1 }
    }

    /// The time of the metadata: when the group was opened.
    pub(super) fn claim_opening(&self) -> u64 {
        match self.reserved {
            Some(time) => {
                wait_for(time);
                time
            }
            None => claim(&self.uri),
        }
    }

    /// The version of its files.
    pub(super) fn version(&self) -> u32 {
        self.version
    }
}

/// Rejects to list a group without threads, as libtiledb does.
pub(super) fn check_threads(resources: &Resources) -> Result<()> {
    resources.threads().check_computing().map_err(|error| error.prefixed("[TileDB::ThreadPool] Error: "))
}

/// The end of the window; `now` if it is not set, or if it is 0 and the group is open for writing.
fn end_of(window: (u64, u64), query_type: QueryType, now: u64) -> u64 {
    match window.1 {
        u64::MAX => now,
        0 if query_type != QueryType::Read => now,
        end => end,
    }
}
