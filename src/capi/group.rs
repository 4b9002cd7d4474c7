//! C functions of groups.

use super::boundary::{CEnum, In, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::config::ConfigObject;
use super::enum_text::value_of;
use super::enums::{tiledb_object_t, tiledb_query_type_t};
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_group_t, tiledb_string_t};
use super::string::Text;
use tiledb::location;
use tiledb_core::error::bail;
use tiledb_core::types::ObjectType;

/// Adds a member to a group, effective when the group is closed.
///
/// The type of the member (array or group) is determined by looking at its URI now; if there is nothing, it is stored as
/// invalid. To skip this, use `tiledb_group_add_member_with_type`. A stored member of the same name is replaced.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing or exclusive modification.
/// @param uri The URI of the member, which need not exist.
/// @param relative 1 if the URI is relative to the folder of the group, so that both can be moved together; it must not leave
///     the folder by `..`. 0 for a complete URI.
/// @param name The name of the member in the group; null if it is to be known by its URI.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for writing, the URI is not allowed, or a member of
///     the same name has been added already.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_add_member(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    uri: Str,
    relative: u8,
    name: Str,
) -> capi_return_t {
    call(ctx, |_| group.get()?.add_member(&uri.path("group_uri")?, relative != 0, name.opt()?, None))
}

/// Adds a member of a given type to a group, effective when the group is closed. Unlike `tiledb_group_add_member` it does not
/// access the URI.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing or exclusive modification.
/// @param uri The member, which need not exist.
/// @param relative 1 if the URI starts at the folder of the group, so that both can be moved together, else 0. A relative URI
/// does not lead out of the folder by `..`.
/// @param name The name of the member in the group; null: it is known by its URI.
/// @param type `TILEDB_ARRAY` or `TILEDB_GROUP`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_add_member_with_type(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    uri: Str,
    relative: u8,
    name: Str,
    r#type: CEnum<tiledb_object_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let uri = &uri.path("group_uri")?;
        let kind = match ObjectType::from_number(r#type.number()) {
            Ok(known @ (ObjectType::Array | ObjectType::Group)) => known,
            _ => bail!("C API: Invalid object `type`: {} is neither TILEDB_ARRAY nor TILEDB_GROUP", r#type.number()),
        };
        group.get()?.add_member(uri, relative != 0, name.opt()?, Some(kind))
    })
}

/// Creates a handle on a group. Nothing is read from storage until the group is opened.
///
/// A group is a folder that lists arrays and other groups as members and has metadata.
///
/// ```c
/// tiledb_group_t *weather = NULL;
/// tiledb_group_create(ctx, "weather");
/// tiledb_group_alloc(ctx, "weather", &weather);
/// tiledb_group_open(ctx, weather, TILEDB_WRITE);
/// tiledb_group_add_member(ctx, weather, "january", 1, "january");
/// tiledb_group_close(ctx, weather); // stores the changes
/// tiledb_group_free(&weather);
/// ```
///
/// @param ctx The TileDB context.
/// @param group_uri The URI or path of the group, which need not exist yet.
/// @param group Receives the handle; free it with `tiledb_group_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid URI.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_alloc(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    group: OutHandle<tiledb_group_t>,
) -> capi_return_t {
    make(ctx, group, |context| location::group(context.resources(), &group_uri.path("group_uri")?))
}

/// Closes a group and stores the members and metadata that were changed since it was opened.
///
/// Metadata pointers obtained from the group become invalid. Closing a group that is not open does nothing. If the changes
/// cannot be stored, the call fails, the group is closed nevertheless, and the changes are lost.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the changes could not be stored.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_close(ctx: In<tiledb_ctx_t>, group: In<tiledb_group_t>) -> capi_return_t {
    call(ctx, |_| group.get()?.close())
}

/// Consolidates the metadata files of a group into one. `sm.consolidation.timestamp_start` and `sm.consolidation.timestamp_end`
/// select which.
///
/// @param ctx The TileDB context.
/// @param group_uri The group's URI or path.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_consolidate_metadata(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let resources = context.resources_with(config)?;
        location::consolidate_group_metadata(&resources, &group_uri.path("group_uri")?)
    })
}

/// Creates a group without members.
///
/// @param ctx The TileDB context.
/// @param group_uri The URI of the new group. There must be no group yet, and it must not be inside the folder of an array or
///     among the internal files of a group.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is a group already or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_create(ctx: In<tiledb_ctx_t>, group_uri: Str) -> capi_return_t {
    call(ctx, |context| location::create_group(context.resources(), &group_uri.path("group_uri")?))
}

/// Deletes a group, and optionally its members.
///
/// The deletion is immediate. Files in the folder that do not belong to the group remain. The handle is closed, and changes
/// made through it are discarded. A deletion that was interrupted can be repeated.
///
/// @param ctx The TileDB context.
/// @param group A group, open with `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
/// @param uri The URI of the group to delete, usually that of `group`.
/// @param recursive 1 to delete the members too, wherever they are, and theirs; 0 to delete the group only. If a relative URI
///     leaves the folder of its group, or a member is a symbolic link, nothing is deleted.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_delete_group(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    uri: Str,
    recursive: u8,
) -> i32 {
    call(ctx, |_| group.get()?.delete(&uri.path("group_uri")?, recursive != 0))
}

/// Returns a readable description of a group and its members, one line per member.
///
/// @param ctx The TileDB context.
/// @param group The group, open for any purpose; members added since are not told.
/// @param dump_ascii Receives the text, to be freed with `tiledb_string_free`.
/// @param recursive 1 to tell the members of members too, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_dump_str_v2(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    dump_ascii: OutHandle<tiledb_string_t>,
    recursive: u8,
) -> capi_return_t {
    make(ctx, dump_ascii, |_| Ok(Text::of_path(&group.get()?.dump(recursive != 0)?)))
}

/// Frees a group handle and sets the pointer to null.
///
/// An open group is closed, but its changes are discarded: call `tiledb_group_close` first.
///
/// @param group The group; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_free(group: OutHandle<tiledb_group_t>) {
    free(group)
}

/// Returns a copy of the configuration of a group.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param config Receives the configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_config(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    make(ctx, config, |_| Ok(ConfigObject::new(group.get()?.config())))
}

/// Reports whether the URI of a member is relative to the folder of the group.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param name The name of the member.
/// @param relative Receives 1 if it does, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_is_relative_uri_by_name(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name: Str,
    relative: Out<u8>,
) -> capi_return_t {
    call(ctx, |_| {
        let (group, name) = (group.get()?, name.get("name")?);
        relative.check()?;
        relative.set(group.with_members("Cannot get member by name")?.member_named(name)?.relative.into())
    })
}

/// Returns a member of a group by its position in the order of names.
///
/// The order is defined and stable, unlike in libtiledb, where it depends on a hash table.
///
/// ```c
/// uint64_t count = 0;
/// tiledb_group_get_member_count(ctx, group, &count);
/// for (uint64_t i = 0; i < count; i++) {
///   tiledb_string_t *uri = NULL, *name = NULL;
///   tiledb_object_t type = TILEDB_INVALID;
///   const char *text = NULL;
///   size_t length = 0;
///   tiledb_group_get_member_by_index_v2(ctx, group, i, &uri, &type, &name);
///   tiledb_string_view(uri, &text, &length);
///   printf("%.*s\n", (int)length, text);
///   tiledb_string_free(&uri);
///   if (name != NULL)
///     tiledb_string_free(&name);
/// }
/// ```
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param index The position, from 0 and less than `tiledb_group_get_member_count`.
/// @param uri Receives the complete URI of the member; free it with `tiledb_string_free`.
/// @param type Receives the type that was stored with the member: `TILEDB_INVALID` if there was nothing at its URI then.
/// @param name Receives its name, to be freed with `tiledb_string_free`; null if it has none.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading, or the index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_by_index_v2(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    index: u64,
    uri: OutHandle<tiledb_string_t>,
    r#type: Out<tiledb_object_t>,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let group = group.get()?;
        uri.check()?;
        r#type.check()?;
        name.check()?;
        let open = group.with_members("Cannot get member by index")?;
        let member = open.member_at(index)?;
        uri.set(Text::of_path(&member.location(open.uri())))?;
        match &member.name {
            Some(text) => name.set(Text::new(text.as_str()))?,
            None => name.set_null()?,
        }
        r#type.set(value_of(member.kind.number())?)
    })
}

/// Returns a member of a group by its name.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param name The name.
/// @param uri Receives the complete URI of the member; free it with `tiledb_string_free`.
/// @param type Receives the type that was stored with the member: `TILEDB_INVALID` if there was nothing at its URI then.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading or has no such member.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_by_name_v2(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name: Str,
    uri: OutHandle<tiledb_string_t>,
    r#type: Out<tiledb_object_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let (group, name) = (group.get()?, name.get("name")?);
        uri.check()?;
        r#type.check()?;
        let open = group.with_members("Cannot get member by name")?;
        let member = open.member_named(name)?;
        uri.set(Text::of_path(&member.location(open.uri())))?;
        r#type.set(value_of(member.kind.number())?)
    })
}

/// Returns the number of members of a group.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param count Receives the number.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_count(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    count: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        let group = group.get()?;
        count.check()?;
        count.set(group.with_members("Cannot get member count")?.len() as u64)
    })
}

/// Returns the purpose for which a group was opened.
///
/// @param ctx The TileDB context.
/// @param group The group, which is open.
/// @param query_type Receives the purpose.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_query_type(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    query_type: Out<tiledb_query_type_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let group = group.get()?;
        query_type.check()?;
        query_type.set(value_of(group.query_type()?.number())?)
    })
}

/// Returns the URI of a group.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param group_uri Receives the URI, valid until the group is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_uri(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    group_uri: OutStr,
) -> capi_return_t {
    call(ctx, |_| group_uri.set(group.get()?.name().as_c_str()))
}

/// Reports whether a group is open.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param is_open Receives 1 if it is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_is_open(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    is_open: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| is_open.set(group.get()?.is_open().into()))
}

/// Opens a group, as a snapshot at the time that its configuration selects (`sm.group.timestamp_start`,
/// `sm.group.timestamp_end`; by default now).
///
/// @param ctx The TileDB context.
/// @param group The group, not open.
/// @param query_type `TILEDB_READ` to list members and metadata; `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE` to change them, which
///     takes effect on close, or to delete the group.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is open already, does not exist, or for other query types.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_open(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    query_type: CEnum<tiledb_query_type_t>,
) -> capi_return_t {
    call(ctx, |_| group.get()?.open(query_type.number()))
}

/// Removes a member from a group, effective when the group is closed. The array or group itself is not deleted.
///
/// It also cancels an addition since the group was opened.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing or exclusive modification.
/// @param name_or_uri The name of the member, or the URI it was added with if that is unique.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for writing or has no such member.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_remove_member(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name_or_uri: Str,
) -> capi_return_t {
    call(ctx, |_| group.get()?.remove_member(&name_or_uri.path("name")?))
}

/// Sets parameters for a group handle, which must not be open: the key, and the time to open the group at.
///
/// The parameters that are set in `config` override those that the handle has, at first those of the context; the others keep
/// their values.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param config The configuration, which is copied.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_set_config(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |_| group.get()?.set_config(&config.get()?.snapshot()))
}

/// Removes the metadata files of a group that consolidation has replaced.
///
/// @param ctx The TileDB context.
/// @param group_uri The group's URI or path.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_vacuum_metadata(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let resources = context.resources_with(config)?;
        location::vacuum_group_metadata(&resources, &group_uri.path("group_uri")?)
    })
}
