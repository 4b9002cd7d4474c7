//! Members and descriptions of groups as texts that callers release with `free()`.

use crate::boundary::{In, Out, OutText, Str, capi_return_t};
use crate::call::call;
use crate::enum_text::value_of;
use crate::enums::tiledb_object_t;
use crate::handles::{tiledb_ctx_t, tiledb_group_t};
use tiledb_core::types::bytes_of_path;

/// Returns a readable description of a group and its members, one line per member.
///
/// Removed in 2.30; use `tiledb_group_dump_str_v2`.
///
/// @param ctx The TileDB context.
/// @param group The group, open for any purpose.
/// @param dump_ascii Receives the NUL-terminated text; release it with `free()` of the C library.
/// @param recursive 1 to describe the members of members too, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_dump_str(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    dump_ascii: OutText,
    recursive: u8,
) -> capi_return_t {
    call(ctx, |_| {
        let group = group.get()?;
        dump_ascii.check()?;
        dump_ascii.set_for_free(&bytes_of_path(&group.dump(recursive != 0)?))
    })
}

/// Returns a member of a group by its position in the order of names.
///
/// Removed in 2.26; use `tiledb_group_get_member_by_index_v2`.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param index The position, from 0 and less than `tiledb_group_get_member_count`.
/// @param uri Receives the complete URI of the member; release it with `free()` of the C library.
/// @param type Receives the type that was stored with the member.
/// @param name Receives its name, to be released with `free()`; null if it has none.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading, or the index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_by_index(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    index: u64,
    uri: OutText,
    r#type: Out<tiledb_object_t>,
    name: OutText,
) -> capi_return_t {
    call(ctx, |_| {
        let group = group.get()?;
        uri.check()?;
        r#type.check()?;
        name.check()?;
        let open = group.with_members("Cannot get member by index")?;
        let member = open.member_at(index)?;
        let kind = value_of(member.kind.number())?;
        uri.set_for_free(&bytes_of_path(&member.location(open.uri())))?;
        match &member.name {
            Some(text) => name.set_for_free(text.as_bytes())?,
            None => name.set_null()?,
        }
        r#type.set(kind)
    })
}

/// Returns a member of a group by its name.
///
/// Removed in 2.26; use `tiledb_group_get_member_by_name_v2`.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param name The name.
/// @param uri Receives the complete URI of the member; release it with `free()` of the C library.
/// @param type Receives the type that was stored with the member.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading or has no such member.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_by_name(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name: Str,
    uri: OutText,
    r#type: Out<tiledb_object_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let (group, name) = (group.get()?, name.get("name")?);
        uri.check()?;
        r#type.check()?;
        let open = group.with_members("Cannot get member by name")?;
        let member = open.member_named(name)?;
        let kind = value_of(member.kind.number())?;
        uri.set_for_free(&bytes_of_path(&member.location(open.uri())))?;
        r#type.set(kind)
    })
}
