//! Arrays and groups as objects in a directory tree.

use std::ops::ControlFlow;

use crate::context::Context;
use crate::datatype::ObjectType;
use crate::error::{AtUri, Result};
use crate::location::{self, Location};
use tiledb_array::object::{self as engine, WalkOrder as EngineOrder};

/// What is at a URI: an array, a group, or neither.
///
/// # Errors
/// If storage fails.
///
/// ```
/// # use tiledb::{Context, Group, ObjectType, object};
/// let ctx = Context::new()?;
/// Group::create(&ctx, "mem://team")?;
/// assert_eq!(object::object_type(&ctx, "mem://team")?, Some(ObjectType::Group));
/// # Ok::<(), tiledb::Error>(())
/// ```
pub fn object_type(ctx: &Context, uri: &str) -> Result<Option<ObjectType>> {
    let kind = Location::of(&location::parse(uri)?).object_type(ctx.resources()).at(uri)?;
    Ok(ObjectType::of_engine(kind))
}

/// Removes an array, or a group with all that its folder contains. This cannot be undone.
///
/// # Errors
/// If there is neither, or storage fails.
pub fn remove(ctx: &Context, uri: &str) -> Result<()> {
    engine::remove(ctx.resources().vfs(), uri).at(uri)
}

/// Moves an array or a group on the same storage.
///
/// # Errors
/// If there is neither, or storage fails.
pub fn rename(ctx: &Context, from: &str, to: &str) -> Result<()> {
    engine::rename(ctx.resources().vfs(), from, to).at(from)
}

/// Lists the arrays and groups in a folder, not recursively, in the order of their names.
///
/// # Errors
/// If the folder cannot be listed.
pub fn list(ctx: &Context, uri: &str) -> Result<Vec<(String, ObjectType)>> {
    let mut objects = Vec::new();
    let listed = engine::list(ctx.resources().vfs(), uri, |uri, kind| {
        objects.extend(ObjectType::of_engine(kind).map(|kind| (uri.as_str().to_owned(), kind)));
        Ok(true)
    });
    listed.at(uri)?;
    Ok(objects)
}

/// The order in which [`walk`] visits a group and what its folder contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalkOrder {
    /// A group before its contents.
    #[default]
    Preorder,
    /// A group after its contents.
    Postorder,
}

/// Visits the arrays and groups in a folder and in its groups, recursively, until `visit` breaks off.
///
/// # Errors
/// If a folder cannot be listed.
pub fn walk(
    ctx: &Context,
    uri: &str,
    order: WalkOrder,
    mut visit: impl FnMut(&str, ObjectType) -> ControlFlow<()>,
) -> Result<()> {
    let order = match order {
        WalkOrder::Preorder => EngineOrder::Preorder,
        WalkOrder::Postorder => EngineOrder::Postorder,
    };
    let walked = engine::walk(ctx.resources().vfs(), uri, order, |uri, kind| {
        Ok(ObjectType::of_engine(kind).is_none_or(|kind| visit(uri.as_str(), kind).is_continue()))
    });
    walked.at(uri)
}
