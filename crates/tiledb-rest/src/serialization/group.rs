//! Serialization of groups: members and metadata.

use super::format::{Deserializer, SerializationType, in_field, required, while_doing};
use super::{config, metadata};
use crate::encoding::{Builder, View};
use crate::messages::{self, GroupDetails, GroupMember};
use tiledb_array::array::MetadataChanges;
use tiledb_array::group::{Member, OpenGroup};
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::ObjectType;

/// Serializes an open group and these parameters.
///
/// # Errors
/// If its metadata cannot be read, or memory does not suffice.
pub fn write(form: SerializationType, open: &OpenGroup, entries: &[(String, String)]) -> Result<Vec<u8>> {
    let fill = |out: &mut Builder<'_, messages::Group>| {
        config::fill(&mut out.child(messages::Group::CONFIG)?, entries)?;
        fill_details(&mut out.child(messages::Group::GROUP)?, open)
    };
    form.write(fill).map_err(while_doing("serializing group"))
}

/// Serializes the members and metadata of a group.
///
/// # Errors
/// As [`write()`].
pub(crate) fn fill_details(out: &mut Builder<'_, GroupDetails>, open: &OpenGroup) -> Result<()> {
    if open.len() > 0 {
        let mut members = out.list(GroupDetails::MEMBERS, open.len())?;
        for (index, member) in open.members().iter().enumerate() {
            fill_member(&mut members.get(index)?, member)?;
        }
    }
    let entries = metadata::entries(open.metadata()?)?;
    if !entries.is_empty() {
        metadata::fill(&mut out.child(GroupDetails::METADATA)?, entries.into_iter())?;
    }
    Ok(())
}

/// Serializes a member. One without a name is named by the last component of its URI.
///
/// # Errors
/// If memory does not suffice.
pub(crate) fn fill_member(out: &mut Builder<'_, GroupMember>, member: &Member) -> Result<()> {
    let last = member.uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    out.set_text(GroupMember::URI, &member.uri)?;
    out.set_text(GroupMember::TYPE, member.kind.name())?;
    out.set(GroupMember::RELATIVE, member.relative);
    out.set_text(GroupMember::NAME, member.name.as_deref().unwrap_or(last))
}

/// A deserialized group.
#[derive(Default)]
pub struct GroupParts {
    pub config: Option<Config>,
    pub contents: Option<GroupContents>,
}

/// Contents of a deserialized group.
pub struct GroupContents {
    pub members: Vec<Member>,
    /// Metadata, if the message has any.
    pub metadata: Option<MetadataChanges>,
    /// Logical URI on the server.
    pub uri: Option<String>,
}

/// Deserializes a group.
///
/// # Errors
/// If the bytes are none.
pub fn read(reading: Deserializer, bytes: &[u8]) -> Result<GroupParts> {
    let see = |view: View<'_, messages::Group>| {
        let mut parts = GroupParts::default();
        if let Some(view) = view.child(messages::Group::CONFIG)? {
            parts.config = Some(config::of(view)?);
        }
        if let Some(view) = view.child(messages::Group::GROUP)? {
            parts.contents = Some(details_of(view)?);
        }
        Ok(parts)
    };
    reading.read(bytes, see).map_err(while_doing("deserializing group"))
}

/// Contents of a deserialized group.
///
/// # Errors
/// If it breaks a rule.
pub(crate) fn details_of(view: View<'_, GroupDetails>) -> Result<GroupContents> {
    let mut members = Vec::new();
    for member in view.items(GroupDetails::MEMBERS)?.iter() {
        memory::push("members of a group", &mut members, member_of(member)?)?;
    }
    let metadata = match view.child(GroupDetails::METADATA)? {
        Some(view) => Some(metadata::changes_of(view)?),
        None => None,
    };
    let uri = view.text(GroupDetails::LOGICAL_URI)?.map(str::to_owned);
    Ok(GroupContents { members, metadata, uri })
}

fn member_of(view: View<'_, GroupMember>) -> Result<Member> {
    let kind = required("GroupMember.type", view.text(GroupMember::TYPE)?)?;
    let uri = required("GroupMember.uri", view.text(GroupMember::URI)?)?;
    if uri.is_empty() || uri.contains('\0') {
        bail!(Corrupt, "GroupMember.uri: '{}' is no URI", uri.escape_debug());
    }
    Ok(Member {
        kind: ObjectType::from_name(kind).map_err(in_field("GroupMember.type"))?,
        relative: view.get(GroupMember::RELATIVE),
        uri: uri.to_owned(),
        name: view.text(GroupMember::NAME)?.map(str::to_owned),
    })
}
