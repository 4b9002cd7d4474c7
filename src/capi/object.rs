//! C functions of objects: arrays and groups in a directory tree.

use std::ffi::{c_char, c_void};

use super::boundary::{Buffer, CEnum, In, Out, OutStr, Str, call_user, capi_return_t};
use super::call::call;
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_object_t, tiledb_walk_order_t};
use super::handles::tiledb_ctx_t;
use super::vfs::storage_uri;
use tiledb::location::Location;
use tiledb_array::object::{self, WalkOrder};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Name, ObjectType};
use tiledb_storage::vfs::Uri;

/// Lists the arrays and groups in a directory, not recursively, in the order of their names.
///
/// @param ctx The context.
/// @param path The directory.
/// @param callback Called with each URI, its type and `data`: it returns 1 to go on, 0 to stop,
///     -1 for an error. It may call any function.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_ls(
    ctx: In<tiledb_ctx_t>,
    path: Str,
    callback: Option<extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32>,
    data: Buffer,
) -> i32 {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("Error: Cannot initiate object ls; Invalid callback function") };
        let path = path.opt()?.unwrap_or_default();
        object::list(context.resources().vfs(), path, |uri, kind| tell(callback, uri, kind, &data))
    })
}

/// Moves or renames an array or a group.
///
/// @param ctx The context.
/// @param old_path The array or group.
/// @param new_path Its new name, on the same storage.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_move(ctx: In<tiledb_ctx_t>, old_path: Str, new_path: Str) -> i32 {
    call(ctx, |context| {
        object::rename(context.resources().vfs(), &old_path.path("old_path")?, &new_path.path("new_path")?)
    })
}

/// Removes an array or a group with all its contents. The removal is immediate and cannot be undone. Of a symbolic link only
/// the link is removed.
///
/// @param ctx The context.
/// @param path The array or group.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_remove(ctx: In<tiledb_ctx_t>, path: Str) -> i32 {
    call(ctx, |context| object::remove(context.resources().vfs(), &path.path("path")?))
}

/// Returns whether a URI is an array, a group or neither.
///
/// @param ctx The context.
/// @param path The URI.
/// @param type `TILEDB_ARRAY`, `TILEDB_GROUP`, or `TILEDB_INVALID` for anything else and for nothing.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_type(ctx: In<tiledb_ctx_t>, path: Str, r#type: Out<tiledb_object_t>) -> i32 {
    call(ctx, |context| {
        r#type.check()?;
        r#type.set(c_type(Location::of(&storage_uri(path)?).object_type(context.resources())?))
    })
}

/// Returns an object type from its text.
///
/// @param str The text.
/// @param object_type Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_type_from_str(str: Str, object_type: Out<tiledb_object_t>) -> capi_return_t {
    of_text(str, object_type)
}

/// Returns the text of an object type.
///
/// @param object_type The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_type_to_str(object_type: CEnum<tiledb_object_t>, str: OutStr) -> capi_return_t {
    text_of(object_type, str)
}

/// Lists the arrays and groups in a directory and in its groups, recursively.
///
/// @param ctx The context.
/// @param path The directory.
/// @param order Whether a group comes before (`TILEDB_PREORDER`) or after what it holds.
/// @param callback Called with each URI, its type and `data`: it returns 1 to go on, 0 to stop,
///     -1 for an error. It may call any function.
/// @param data Handed to the callback.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_walk(
    ctx: In<tiledb_ctx_t>,
    path: Str,
    order: CEnum<tiledb_walk_order_t>,
    callback: Option<extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32>,
    data: Buffer,
) -> i32 {
    call(ctx, |context| {
        let Some(callback) = callback else { bail!("Error: Cannot initiate walk; Invalid callback function") };
        let path = path.opt()?.unwrap_or_default();
        let order = if order.number() == 0 { WalkOrder::Preorder } else { WalkOrder::Postorder };
        object::walk(context.resources().vfs(), path, order, |uri, kind| tell(callback, uri, kind, &data))
    })
}

/// Returns a walk order from its text.
///
/// @param str The text.
/// @param walk_order Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_walk_order_from_str(str: Str, walk_order: Out<tiledb_walk_order_t>) -> capi_return_t {
    of_text(str, walk_order)
}

/// Returns the text of a walk order.
///
/// @param walk_order The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_walk_order_to_str(walk_order: CEnum<tiledb_walk_order_t>, str: OutStr) -> capi_return_t {
    text_of(walk_order, str)
}

fn c_type(kind: ObjectType) -> tiledb_object_t {
    match kind {
        ObjectType::Invalid => tiledb_object_t::TILEDB_INVALID,
        ObjectType::Group => tiledb_object_t::TILEDB_GROUP,
        ObjectType::Array => tiledb_object_t::TILEDB_ARRAY,
    }
}

/// Calls the user's callback; returns whether to continue.
fn tell(
    callback: extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32,
    uri: &Uri,
    kind: ObjectType,
    data: &Buffer,
) -> Result<bool> {
    match call_user(|| callback(Name::of_path(uri.as_str()).as_c_str().as_ptr(), c_type(kind), data.as_ptr().cast()))? {
        -1 => bail!("Object: The callback returned an error at '{uri}'"),
        answer => Ok(answer == 1),
    }
}
