//! Object types, and members of groups and folders.

use std::ops::ControlFlow;

use tiledb::{Context, Group, object, uri};

use super::error::Result;

/// The type of the object at a URI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectType {
    Array,
    Group,
    /// Neither: a folder, or nothing.
    Other,
}

impl ObjectType {
    fn of(kind: Option<tiledb::ObjectType>) -> Self {
        match kind {
            Some(tiledb::ObjectType::Array) => Self::Array,
            Some(tiledb::ObjectType::Group) => Self::Group,
            _ => Self::Other,
        }
    }

    /// As the crate calls it.
    fn kind(self) -> Option<tiledb::ObjectType> {
        match self {
            Self::Array => Some(tiledb::ObjectType::Array),
            Self::Group => Some(tiledb::ObjectType::Group),
            Self::Other => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Group => "group",
            Self::Other => "other",
        }
    }
}

/// A member of a group, or an object in a folder.
#[derive(Clone, PartialEq, Eq)]
pub struct Member {
    pub uri: String,
    /// Its name in the group; none if it has none.
    pub name: Option<String>,
    pub object: ObjectType,
    /// Whether its URI is relative to the group; taken for absolute of unnamed members.
    pub is_relative: bool,
    /// Whether its URI leads out of the folder of the group by `..`. The library does not open such a member, lest a group from
    /// elsewhere reach any file.
    pub is_outside: bool,
}

impl Member {
    /// Its name, or the last part of its URI.
    pub fn label(&self) -> &str {
        let last = || self.uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        self.name.as_deref().unwrap_or_else(last)
    }

    /// An object in a folder.
    fn in_folder(uri: &str, kind: tiledb::ObjectType) -> Self {
        let object = ObjectType::of(Some(kind));
        Self { uri: uri.to_owned(), name: None, object, is_relative: false, is_outside: false }
    }
}

/// The type of the object at a URI.
pub fn object_type(ctx: &Context, uri: &str) -> Result<ObjectType> {
    Ok(ObjectType::of(object::object_type(ctx, uri)?))
}

/// The path of a URI: of a `file` URI its local path.
pub fn local_path(text: &str) -> Result<String> {
    Ok(uri::local_path(text)?.unwrap_or_else(|| text.to_owned()))
}

/// The members of a group, or the arrays and groups in a folder, by name.
pub fn members(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let mut members = match object_type(ctx, uri)? {
        ObjectType::Group => of_group(ctx, uri)?,
        _ => object::list(ctx, uri)?.into_iter().map(|(uri, kind)| Member::in_folder(&uri, kind)).collect(),
    };
    members.sort_by(|a, b| a.label().cmp(b.label()));
    Ok(members)
}

fn of_group(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let group = Group::open(ctx, uri)?;
    let folder = group.uri();
    let members = group.members()?.into_iter().map(|member| {
        let name = member.name().filter(|name| !name.is_empty()).map(str::to_owned);
        Member {
            uri: member.uri().to_owned(),
            is_relative: name.is_some() && member.is_relative(),
            name,
            object: ObjectType::of(member.kind()),
            is_outside: leads_out(member.uri(), folder),
        }
    });
    Ok(members.collect())
}

/// Whether a URI that begins with that of a folder leads out of it again.
fn leads_out(member: &str, folder: &str) -> bool {
    let below = member.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    below.is_some_and(|name| uri::normalize_relative(name).is_err())
}

/// Removes members from a group, by name or URI, and adds others.
pub fn change_group(ctx: &Context, uri: &str, gone: &[String], new: &[Member]) -> Result<()> {
    let group = Group::open_for_writing(ctx, uri)?;
    for member in gone {
        group.remove(member)?;
    }
    for member in new {
        let name = member.name.as_deref();
        match (member.object.kind(), member.is_relative) {
            (Some(kind), is_relative) => group.add_as(kind, &member.uri, is_relative, name)?,
            (None, true) => group.add_relative(&member.uri, name)?,
            (None, false) => group.add(&member.uri, name)?,
        }
    }
    Ok(group.close()?)
}

/// The arrays and groups in a folder and in the groups there, recursively.
pub fn objects_below(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    object::walk(ctx, uri, object::WalkOrder::Preorder, |uri, kind| {
        members.push(Member::in_folder(uri, kind));
        ControlFlow::Continue(())
    })?;
    Ok(members)
}
