//! Object types, and members of groups and folders.

use std::ffi::{c_char, c_void};

use super::context::{Context, ask, call, make};
use super::error::Result;
use super::handle::{lent, taken, text};
use crate::relative::normalize_relative;

/// The type of the object at a URI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectType {
    Array,
    Group,
    /// Neither: a folder, or nothing.
    Other,
}

impl ObjectType {
    fn of(number: u32) -> Self {
        match number {
            1 => Self::Group,
            2 => Self::Array,
            _ => Self::Other,
        }
    }

    /// As the C interface calls it.
    fn number(self) -> u32 {
        match self {
            Self::Group => 1,
            Self::Array => 2,
            Self::Other => 0,
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
    /// Whether its URI is relative to the group; unknown for unnamed members.
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
}

/// The type of the object at a URI.
pub fn object_type(ctx: &Context, uri: &str) -> Result<ObjectType> {
    let uri = text(uri)?;
    Ok(ObjectType::of(ask!(ctx, 0, tiledb_object_type(uri.as_ptr()))?))
}

/// The URI of a local path or of a URI, as the library writes it: percent-encoded on Windows.
pub fn normalized_uri(ctx: &Context, path: &str) -> Result<String> {
    let path = text(path)?;
    // A group has its URI before it is opened.
    let group = make!(ctx, tiledb_group_alloc(path.as_ptr()), tiledb_group_free)?;
    Ok(lent(ask!(ctx, std::ptr::null(), tiledb_group_get_uri(group.raw()))?))
}

/// The path of a `file` URI.
pub fn local_path(ctx: &Context, uri: &str) -> Result<String> {
    let uri = text(uri)?;
    // A path is no longer than its URI.
    let mut path = vec![0u8; uri.as_bytes_with_nul().len()];
    let mut length = u32::try_from(path.len()).unwrap_or(u32::MAX);
    call!(ctx, tiledb_uri_to_path(uri.as_ptr(), path.as_mut_ptr().cast(), &raw mut length))?;
    Ok(lent(path.as_ptr().cast()))
}

/// The members of a group, or the arrays and groups in a folder, by name.
pub fn members(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let mut found = match object_type(ctx, uri)? {
        ObjectType::Group => of_group(ctx, uri)?,
        _ => in_folder(ctx, uri)?,
    };
    found.sort_by(|a, b| a.label().cmp(b.label()));
    Ok(found)
}

fn of_group(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let uri = text(uri)?;
    let group = make!(ctx, tiledb_group_alloc(uri.as_ptr()), tiledb_group_free)?;
    call!(ctx, tiledb_group_open(group.raw(), 0))?;
    let folder = lent(ask!(ctx, std::ptr::null(), tiledb_group_get_uri(group.raw()))?);
    let count = ask!(ctx, 0, tiledb_group_get_member_count(group.raw()))?;
    let found = (0..count)
        .map(|at| {
            let (mut uri, mut object, mut name) = (std::ptr::null_mut(), 0, std::ptr::null_mut());
            call!(
                ctx,
                tiledb_group_get_member_by_index_v2(group.raw(), at, &raw mut uri, &raw mut object, &raw mut name)
            )?;
            let name = if name.is_null() { None } else { Some(taken(name)).filter(|name| !name.is_empty()) };
            let is_relative = match &name {
                Some(name) => {
                    let name = text(name)?;
                    ask!(ctx, 0, tiledb_group_get_is_relative_uri_by_name(group.raw(), name.as_ptr()))? != 0
                }
                None => false,
            };
            let uri = taken(uri);
            let is_outside = leads_out(&uri, &folder);
            Ok(Member { uri, name, object: ObjectType::of(object), is_relative, is_outside })
        })
        .collect();
    call!(ctx, tiledb_group_close(group.raw()))?;
    found
}

/// Whether a URI that begins with that of a folder leads out of it again.
fn leads_out(uri: &str, folder: &str) -> bool {
    let below = uri.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    below.is_some_and(|name| normalize_relative(name).is_err())
}

/// Removes an array or a group with everything in its folder.
pub fn remove_object(ctx: &Context, uri: &str) -> Result<()> {
    let uri = text(uri)?;
    call!(ctx, tiledb_object_remove(uri.as_ptr()))
}

/// Renames an array or a group within its store.
pub fn move_object(ctx: &Context, from: &str, to: &str) -> Result<()> {
    let (from, to) = (text(from)?, text(to)?);
    call!(ctx, tiledb_object_move(from.as_ptr(), to.as_ptr()))
}

/// Makes a group.
pub fn create_group(ctx: &Context, uri: &str) -> Result<()> {
    let uri = text(uri)?;
    call!(ctx, tiledb_group_create(uri.as_ptr()))
}

/// Removes members from a group, by name or URI, and adds others.
pub fn change_group(ctx: &Context, uri: &str, gone: &[String], new: &[Member]) -> Result<()> {
    let uri = text(uri)?;
    let group = make!(ctx, tiledb_group_alloc(uri.as_ptr()), tiledb_group_free)?;
    call!(ctx, tiledb_group_open(group.raw(), 1))?;
    for member in gone {
        let key = text(member)?;
        call!(ctx, tiledb_group_remove_member(group.raw(), key.as_ptr()))?;
    }
    for member in new {
        let (uri, name) = (text(&member.uri)?, member.name.as_deref().map(text).transpose()?);
        let name = name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
        let (relative, kind) = (member.is_relative.into(), member.object.number());
        call!(ctx, tiledb_group_add_member_with_type(group.raw(), uri.as_ptr(), relative, name, kind))?;
    }
    call!(ctx, tiledb_group_close(group.raw()))
}

fn in_folder(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    let (uri, mut found) = (text(uri)?, Vec::<Member>::new());
    call!(ctx, tiledb_object_ls(uri.as_ptr(), add, (&raw mut found).cast()))?;
    Ok(found)
}

/// The arrays and groups in a folder and in the groups there, recursively.
pub fn objects_below(ctx: &Context, uri: &str) -> Result<Vec<Member>> {
    const PREORDER: u32 = 0;
    let (uri, mut found) = (text(uri)?, Vec::<Member>::new());
    call!(ctx, tiledb_object_walk(uri.as_ptr(), PREORDER, add, (&raw mut found).cast()))?;
    Ok(found)
}

/// Adds an object to a list.
unsafe extern "C" fn add(uri: *const c_char, object: u32, found: *mut c_void) -> i32 {
    // SAFETY: this is the list of the caller, which nothing else accesses meanwhile.
    let found = unsafe { &mut *found.cast::<Vec<Member>>() };
    let (uri, object) = (lent(uri), ObjectType::of(object));
    found.push(Member { uri, name: None, object, is_relative: false, is_outside: false });
    1
}
