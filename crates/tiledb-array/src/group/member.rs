//! A member of a group, and its byte layout.
//!
//! `member version u32, object type u8, relative u8, uri str64, has name u8, [name str64], [deleted u8: version 2]`.

use super::{ADDING, COMPLETE};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::ObjectType;
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_storage::vfs::{Uri, normalize_relative};

/// The fewest bytes of a member in a file.
pub(super) const SMALLEST: usize = 15;

/// Overhead of an allocation.
const ALLOCATION: usize = 16;

/// An array or group that is a member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Type at the time it became a member; `Invalid` if there was no object.
    pub kind: ObjectType,
    /// True where its URI starts at the folder of the group.
    pub relative: bool,
    /// URI as stored.
    pub uri: String,
    pub name: Option<String>,
}

impl Member {
    /// Key of the member in its group: the name, or else the URI.
    pub(super) fn key(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.uri)
    }

    /// Estimate of the memory that it takes in a list.
    pub(super) fn memory(&self) -> usize {
        size_of::<(Member, bool)>()
            + 2 * ALLOCATION
            + self.key().len()
            + self.name.as_ref().map_or(0, |_| self.uri.len())
    }

    /// The absolute URI as text, for a group at `group`, as libtiledb reports it: a relative URI appended to that of
    /// the group. Normalized if storage does not resolve `./a`, or resolves `a/../b` through symbolic links. Members
    /// outside of the group's folder are not opened.
    pub fn location(&self, group: &Uri) -> String {
        if !self.relative {
            return self.uri.clone();
        }
        let is_resolved = group.scheme() == "file" && self.uri.split('/').all(|component| component != "..");
        if !is_resolved && let Ok(place) = self.below(group) {
            return place.as_str().to_owned();
        }
        group.join(self.uri.strip_prefix('/').unwrap_or(&self.uri)).as_str().to_owned()
    }

    /// The absolute URI, for a group at `group`.
    ///
    /// # Errors
    /// If the stored URI is invalid, or leaves the group's folder.
    pub(super) fn place(&self, group: &Uri) -> Result<Uri> {
        if self.relative { self.below(group) } else { Uri::parse(&self.uri) }
    }

    /// The URI, if it is a plain name in the group's folder.
    pub(super) fn plain_name(&self) -> Option<&str> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        (self.relative && !self.uri.is_empty() && !self.uri.starts_with('.') && self.uri.bytes().all(is_plain))
            .then_some(&self.uri)
    }

    /// The URI below the group, normalized but for a slash at its end.
    fn below(&self, group: &Uri) -> Result<Uri> {
        let name = match normalize_relative(&self.uri) {
            Ok(name) => name,
            Err(why) => bail!(
                Corrupt,
                "Cannot use the member '{}' of the group '{group}' with the relative URI {:?}: {why}. Add what lies there by its \
                 whole URI",
                self.key(),
                self.uri
            ),
        };
        let place = if name.is_empty() { group.clone() } else { group.join(&name) };
        Ok(if self.uri.ends_with('/') { place.join("") } else { place })
    }

    /// Reads a member, and whether it was deleted.
    pub(super) fn read(r: &mut WireReader<'_>) -> Result<(Member, bool)> {
        let version = r.u32()?;
        if !matches!(version, COMPLETE | ADDING) {
            return Err(r.corrupt(format_args!("a member of version {version}; 1 and 2 are known")));
        }
        let kind = ObjectType::from_number(r.u8()?.into())?;
        let relative = r.u8()? != 0;
        let uri = r.path64()?.into_owned();
        let name = if r.u8()? != 0 { Some(r.str64()?.to_owned()) } else { None };
        let deleted = version == ADDING && r.u8()? != 0;
        Ok((Member { kind, relative, uri, name }, deleted))
    }

    /// Writes it with this version, of which the first knows no deleted members.
    pub(super) fn write(&self, w: &mut WireWriter, version: u32, deleted: bool) {
        w.u32(version).u8(self.kind.number()).u8(self.relative.into()).path64(&self.uri);
        match &self.name {
            Some(name) => w.u8(1).str64(name),
            None => w.u8(0),
        };
        if version == ADDING {
            w.u8(deleted.into());
        }
    }
}
