//! Groups.

use std::fmt;

use crate::context::Context;
use crate::datatype::ObjectType;
use crate::error::{AtUri, Error, ErrorKind, Result};
use crate::location::{self, Location};
use crate::metadata::{Metadata, MetadataValue};
use crate::name::check_text;
use crate::uri::normalize_relative;
use tiledb_array::group as engine;
use tiledb_core::log;
use tiledb_core::types::{ObjectType as EngineObject, QueryType};

/// A group that is open for reading: arrays and other groups by name, and metadata.
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, Group, ObjectType};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("x", 0..=9_i32))
///     .attribute(Attribute::new::<f32>("a"))
///     .build()?;
/// Group::create(&ctx, "mem://experiment")?;
/// Array::create(&ctx, "mem://experiment/raw", &schema)?;
/// let writer = Group::open_for_writing(&ctx, "mem://experiment")?;
/// writer.add_relative("raw", Some("raw"))?;
/// writer.put_metadata("author", "Ada")?;
/// writer.close()?;
///
/// let group = Group::open(&ctx, "mem://experiment")?;
/// let raw = group.member("raw")?;
/// assert_eq!((raw.kind(), raw.uri()), (Some(ObjectType::Array), "mem://experiment/raw"));
/// assert_eq!(group.metadata()?.get::<String>("author")?.as_deref(), Some("Ada"));
/// # Ok::<(), tiledb::Error>(())
/// ```
pub struct Group {
    group: engine::Group,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    name: Option<String>,
    uri: String,
    kind: Option<ObjectType>,
    is_relative: bool,
    is_outside: bool,
}

impl Member {
    /// The name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Whether it is an array or a group.
    pub fn kind(&self) -> Option<ObjectType> {
        self.kind
    }

    /// Whether its URI is stored relative to that of the group.
    pub fn is_relative(&self) -> bool {
        self.is_relative
    }

    /// Whether its URI leads out of the folder of the group by `..`. Such a member is not opened, lest a group from elsewhere reach any
    /// file.
    pub fn is_outside(&self) -> bool {
        self.is_outside
    }

    fn of_engine(member: &engine::Member, open: &engine::OpenGroup) -> Member {
        let uri = member.location(open.uri());
        let folder = open.uri().as_str().trim_end_matches('/');
        let name = uri.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        Member {
            name: member.name.clone(),
            is_outside: name.is_some_and(|name| normalize_relative(name).is_err()),
            uri,
            kind: ObjectType::of_engine(member.kind),
            is_relative: member.relative,
        }
    }
}

fn open(ctx: &Context, uri: &str, kind: QueryType) -> Result<engine::Group> {
    let target = location::parse(uri)?;
    let location = Location::of(&target);
    let group = location::group(ctx.resources(), uri).at(uri)?;
    group.open(kind.number().into()).map_err(|error| {
        let object = location.object_type(ctx.resources());
        let error = Error::from(error);
        match object.is_ok_and(|object| object != EngineObject::Group) {
            true => error.refined(ErrorKind::NotFound),
            false => error,
        }
        .at(uri)
    })?;
    Ok(group)
}

impl Group {
    /// Creates a group without members.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] if there is a group or an array; and if storage fails.
    pub fn create(ctx: &Context, uri: &str) -> Result<()> {
        let target = location::parse(uri)?;
        let location = Location::of(&target);
        location::create_group(ctx.resources(), uri).map_err(|error| {
            let object = location.object_type(ctx.resources());
            let error = Error::from(error);
            match object.is_ok_and(|object| object != EngineObject::Invalid) {
                true => error.refined(ErrorKind::AlreadyExists),
                false => error,
            }
            .at(uri)
        })
    }

    /// Opens a group for reading.
    ///
    /// # Errors
    /// If there is no group, or it cannot be read.
    pub fn open(ctx: &Context, uri: &str) -> Result<Group> {
        Ok(Group { group: open(ctx, uri, QueryType::Read)? })
    }

    /// Opens a group for changing its members and metadata.
    ///
    /// # Errors
    /// As [`Group::open`].
    pub fn open_for_writing(ctx: &Context, uri: &str) -> Result<GroupWriter> {
        Ok(GroupWriter { group: open(ctx, uri, QueryType::Write)? })
    }

    /// Deletes a group; if `is_recursive`, with the arrays and groups that are its members. This cannot be undone.
    ///
    /// # Errors
    /// If there is no group, or storage fails.
    pub fn delete(ctx: &Context, uri: &str, is_recursive: bool) -> Result<()> {
        open(ctx, uri, QueryType::ModifyExclusive)?.delete(uri, is_recursive).at(uri)
    }

    /// The URI.
    pub fn uri(&self) -> &str {
        self.group.uri().as_str()
    }

    /// The members in the order of their names, or URIs where they have none.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn members(&self) -> Result<Vec<Member>> {
        let open = self.group.with_members("Cannot get members").at(self.uri())?;
        Ok(open.members().iter().map(|member| Member::of_engine(member, &open)).collect())
    }

    /// The member of a name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is none.
    pub fn member(&self, name: &str) -> Result<Member> {
        let open = self.group.with_members("Cannot get member").at(self.uri())?;
        let member = open.member_named(name).at(self.uri())?;
        Ok(Member::of_engine(member, &open))
    }

    /// The metadata.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn metadata(&self) -> Result<Metadata> {
        Ok(Metadata::of_group(self.group.with_metadata("Cannot get metadata").at(self.uri())?))
    }

    /// The names and kinds of the members as text for people, a line each; if `is_recursive`, with the members of the groups among them.
    ///
    /// # Errors
    /// If they cannot be read.
    ///
    /// ```
    /// # use tiledb::{Context, Group};
    /// # let ctx = Context::new()?;
    /// for uri in ["mem://team", "mem://team/images", "mem://team/images/raw"] {
    ///     Group::create(&ctx, uri)?;
    /// }
    /// Group::open_for_writing(&ctx, "mem://team")?.add_relative("images", None)?;
    /// Group::open_for_writing(&ctx, "mem://team/images")?.add_relative("raw", None)?;
    /// let text = Group::open(&ctx, "mem://team")?.dump(true)?;
    /// assert_eq!(text, "team GROUP\n|-- images GROUP\n|------ raw GROUP\n");
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    pub fn dump(&self, is_recursive: bool) -> Result<String> {
        self.group.dump(is_recursive).at(self.uri())
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("uri", &self.uri()).finish()
    }
}

/// A group that is open for changing its members and metadata. The changes are written when it is [closed](GroupWriter::close), or
/// dropped.
pub struct GroupWriter {
    group: engine::Group,
}

impl GroupWriter {
    /// The URI.
    pub fn uri(&self) -> &str {
        self.group.uri().as_str()
    }

    /// Adds an array or a group by its URI, with a name or without.
    ///
    /// # Errors
    /// If the URI is invalid.
    pub fn add(&self, uri: &str, name: Option<&str>) -> Result<()> {
        self.group.add_member(uri, false, name, None).at(self.uri())
    }

    /// Adds an array or a group by its URI relative to that of the group, so that they can be moved together.
    ///
    /// # Errors
    /// If the URI leads out of the group.
    pub fn add_relative(&self, uri: &str, name: Option<&str>) -> Result<()> {
        self.group.add_member(uri, true, name, None).at(self.uri())
    }

    /// Adds an array or a group that need not exist yet.
    ///
    /// # Errors
    /// If the URI is invalid.
    pub fn add_as(&self, kind: ObjectType, uri: &str, is_relative: bool, name: Option<&str>) -> Result<()> {
        self.group.add_member(uri, is_relative, name, Some(kind.engine())).at(self.uri())
    }

    /// Removes a member by its name, or its URI if it has no name. The array or group itself remains.
    ///
    /// # Errors
    /// If there is no such member.
    pub fn remove(&self, name_or_uri: &str) -> Result<()> {
        self.group.remove_member(name_or_uri).at(self.uri())
    }

    /// Sets metadata: a number, a text, a Boolean or a list of numbers.
    ///
    /// # Errors
    /// If the key is invalid.
    pub fn put_metadata(&self, key: &str, value: impl Into<MetadataValue>) -> Result<()> {
        check_text(key).at(self.uri())?;
        let value = value.into();
        let datatype = value.datatype().engine().number().into();
        self.group.put_metadata(key, datatype, Some(value.bytes())).at(self.uri())
    }

    /// Deletes metadata. There need not be such a key.
    ///
    /// # Errors
    /// If the key is invalid.
    pub fn delete_metadata(&self, key: &str) -> Result<()> {
        self.group.delete_metadata(key).at(self.uri())
    }

    /// Writes the changes. Dropping does the same, but errors are only logged.
    ///
    /// # Errors
    /// If storage fails; the changes are lost then.
    pub fn close(self) -> Result<()> {
        self.group.close().at(self.uri())
    }
}

impl Drop for GroupWriter {
    fn drop(&mut self) {
        if let Err(error) = self.group.close() {
            log::line(log::Level::Error, || format!("Cannot close the group '{}': {}", self.uri(), error.text()));
        }
    }
}

impl fmt::Debug for GroupWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupWriter").field("uri", &self.uri()).finish()
    }
}
