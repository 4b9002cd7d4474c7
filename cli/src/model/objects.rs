//! Object types, and members of groups and folders.

use std::ops::ControlFlow;

use tiledb::{Context, Group, object};

use super::error::Result;

/// The type of the object at a URI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectType {
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

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Group => "group",
            Self::Other => "other",
        }
    }
}

/// A member of a group, or an object in a folder.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub uri: String,
    /// Its name in the group; none if it has none.
    pub name: Option<String>,
    pub object: ObjectType,
    /// Whether its URI leads out of the folder of the group by `..`. The library does not open such a member, lest a group from
    /// elsewhere reach any file.
    pub is_outside: bool,
}

impl Member {
    /// Its name, or the last part of its URI.
    pub(crate) fn label(&self) -> &str {
        let last = || self.uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        self.name.as_deref().unwrap_or_else(last)
    }

    /// An object in a folder.
    fn in_folder(uri: &str, kind: tiledb::ObjectType) -> Self {
        let object = ObjectType::of(Some(kind));
        Self { uri: uri.to_owned(), name: None, object, is_outside: false }
    }
}

/// The type of the object at a URI.
pub(crate) fn object_type(ctx: &Context, uri: &str) -> Result<ObjectType> {
    Ok(ObjectType::of(object::object_type(ctx, uri)?))
}

/// The members of a group, or the arrays and groups in a folder, by name.
pub(crate) fn members(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let mut members = match object_type(ctx, uri)? {
        ObjectType::Group => of_group(ctx, uri)?,
        _ => object::list(ctx, uri)?.into_iter().map(|(uri, kind)| Member::in_folder(&uri, kind)).collect(),
    };
    members.sort_by(|a, b| a.label().cmp(b.label()));
    Ok(members)
}

fn of_group(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let members = Group::open(ctx, uri)?.members()?;
    let of_member = |member: &tiledb::Member| Member {
        uri: member.uri().to_owned(),
        name: member.name().filter(|name| !name.is_empty()).map(str::to_owned),
        object: ObjectType::of(member.kind()),
        is_outside: member.is_outside(),
    };
    Ok(members.iter().map(of_member).collect())
}

/// The arrays and groups in a folder and in the groups there, recursively.
pub(crate) fn objects_below(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    object::walk(ctx, uri, object::WalkOrder::Preorder, |uri, kind| {
        members.push(Member::in_folder(uri, kind));
        ControlFlow::Continue(())
    })?;
    Ok(members)
}
