//! C interface: object.

use std::ffi::{c_char, c_void};

use super::boundary::{Buffer, CEnum, In, Out, OutStr, Str, capi_return_t, pending};
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_object_t, tiledb_walk_order_t};
use super::handles::tiledb_ctx_t;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_ls(
    ctx: In<tiledb_ctx_t>,
    path: Str,
    callback: Option<extern "C" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32>,
    data: Buffer,
) -> i32 {
    let _ = (path, callback, data);
    pending(ctx, "tiledb_object_ls")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_move(ctx: In<tiledb_ctx_t>, old_path: Str, new_path: Str) -> i32 {
    let _ = (old_path, new_path);
    pending(ctx, "tiledb_object_move")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_remove(ctx: In<tiledb_ctx_t>, path: Str) -> i32 {
    let _ = (path,);
    pending(ctx, "tiledb_object_remove")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_type(ctx: In<tiledb_ctx_t>, path: Str, r#type: Out<tiledb_object_t>) -> i32 {
    let _ = (path, r#type);
    pending(ctx, "tiledb_object_type")
}

/// Gives an object type from its text.
///
/// @param str The text.
/// @param object_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_type_from_str(str: Str, object_type: Out<tiledb_object_t>) -> capi_return_t {
    of_text(str, object_type)
}

/// Gives the text of an object type.
///
/// @param object_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_type_to_str(object_type: CEnum<tiledb_object_t>, str: OutStr) -> capi_return_t {
    text_of(object_type, str)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_object_walk(
    ctx: In<tiledb_ctx_t>,
    path: Str,
    order: CEnum<tiledb_walk_order_t>,
    callback: Option<extern "C" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32>,
    data: Buffer,
) -> i32 {
    let _ = (path, order, callback, data);
    pending(ctx, "tiledb_object_walk")
}

/// Gives a walk order from its text.
///
/// @param str The text.
/// @param walk_order The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_walk_order_from_str(str: Str, walk_order: Out<tiledb_walk_order_t>) -> capi_return_t {
    of_text(str, walk_order)
}

/// Gives the text of a walk order.
///
/// @param walk_order The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_walk_order_to_str(walk_order: CEnum<tiledb_walk_order_t>, str: OutStr) -> capi_return_t {
    text_of(walk_order, str)
}
