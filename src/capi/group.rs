//! C interface: group.

use super::array_args::resources_with;
use super::boundary::{CEnum, In, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::config::ConfigObject;
use super::enum_text::value_of;
use super::enums::{tiledb_object_t, tiledb_query_type_t};
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_group_t, tiledb_string_t};
use super::string::Text;
use tiledb_core::error::bail;
use tiledb_core::types::ObjectType;
use tiledb_rest::groups;

/// Adds a member to a group, written when the group is closed; the URI is looked at to tell whether it is an array or
/// a group. A member of the same name is replaced.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing or exclusive modification.
/// @param uri The member, which need not exist.
/// @param relative 1 if the URI starts at the folder of the group, so that both can be moved together, else 0. A relative URI
/// does not lead out of the folder by `..`.
/// @param name The name of the member in the group; null: it is known by its URI.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Adds a member of a known type to a group, written when the group is closed; the URI is not looked at.
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
            _ => bail!("C API: Invalid object `type`"),
        };
        group.get()?.add_member(uri, relative != 0, name.opt()?, Some(kind))
    })
}

/// Creates a handle on a group; nothing is read before it is opened.
///
/// @param ctx The TileDB context.
/// @param group_uri The group's URI or path; the group need not exist.
/// @param group The handle, to be freed with `tiledb_group_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_alloc(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    group: OutHandle<tiledb_group_t>,
) -> capi_return_t {
    make(ctx, group, |context| groups::handle(context.resources(), &group_uri.path("group_uri")?))
}

/// Closes a group and writes what was changed; a closed one stays closed.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_close(ctx: In<tiledb_ctx_t>, group: In<tiledb_group_t>) -> capi_return_t {
    call(ctx, |_| group.get()?.close())
}

/// Merges the metadata files of a group into one. The times of `sm.consolidation.timestamp_start` and
/// `sm.consolidation.timestamp_end` say which.
///
/// @param ctx The TileDB context.
/// @param group_uri The group's URI or path.
/// @param config The configuration; null: that of the context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_consolidate_metadata(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let resources = resources_with(context, config)?;
        groups::consolidate_metadata(&resources, &group_uri.path("group_uri")?)
    })
}

/// Creates a group without members.
///
/// @param ctx The TileDB context.
/// @param group_uri Where; there must be no group yet, and it must not lie inside the folder of an array or among the files of a group.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_create(ctx: In<tiledb_ctx_t>, group_uri: Str) -> capi_return_t {
    call(ctx, |context| groups::create(context.resources(), &group_uri.path("group_uri")?))
}

/// Deletes a group. Files in its folder that are not the group's stay. The handle is closed, and what was changed through
/// it is not written.
///
/// @param ctx The TileDB context.
/// @param group A group, open for exclusive modification.
/// @param uri The URI of the group to delete, usually its own.
/// @param recursive 1 to delete the members too, wherever they lie, and theirs; else 0. Nothing is deleted where a relative URI leads
/// out of the folder of its group.
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

/// Gives a group and its members as text, one line each.
///
/// @param ctx The TileDB context.
/// @param group The group, open for any purpose; members added since are not told.
/// @param dump_ascii The text, to be freed with `tiledb_string_free`.
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

/// Closes and frees a group and sets the pointer to null. What was changed since it was opened is lost.
///
/// @param group The group.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_free(group: OutHandle<tiledb_group_t>) {
    free(group)
}

/// Gives a copy of the configuration of a group.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param config The configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_config(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    make(ctx, config, |_| Ok(ConfigObject::new(group.get()?.config())))
}

/// Tells whether the URI of a member starts at the folder of the group.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param name The name of the member.
/// @param relative 1 if it does, else 0.
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

/// Gives a member of a group by its position in the order of names. (In libtiledb members have the order of a hash table of
/// the C++ library it was built with, which no program can rely on.)
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param index The position.
/// @param uri The whole URI of the member, to be freed with `tiledb_string_free`.
/// @param type What it was when it became a member; `TILEDB_INVALID` where nothing was there.
/// @param name Its name, to be freed with `tiledb_string_free`; null if it has none.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives a member of a group by its name.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param name The name.
/// @param uri The whole URI of the member, to be freed with `tiledb_string_free`.
/// @param type What it was when it became a member; `TILEDB_INVALID` where nothing was there.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Gives the number of members of a group.
///
/// @param ctx The TileDB context.
/// @param group The group, open for reading.
/// @param count The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Tells what a group was opened for.
///
/// @param ctx The TileDB context.
/// @param group The group, which is open.
/// @param query_type The purpose.
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

/// Gives the URI of a group.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param group_uri The URI, valid until the group is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_uri(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    group_uri: OutStr,
) -> capi_return_t {
    call(ctx, |_| group_uri.set(group.get()?.name().as_c_str()))
}

/// Tells whether a group is open.
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param is_open 1 if it is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_is_open(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    is_open: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| is_open.set(group.get()?.is_open().into()))
}

/// Opens a group at the times that its configuration names (`sm.group.timestamp_start`, `sm.group.timestamp_end`).
///
/// @param ctx The TileDB context.
/// @param group The group.
/// @param query_type `TILEDB_READ`, `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_open(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    query_type: CEnum<tiledb_query_type_t>,
) -> capi_return_t {
    call(ctx, |_| group.get()?.open(query_type.number()))
}

/// Removes a member from a group when the group is closed, or one added since it was opened; what it names stays in storage.
///
/// @param ctx The TileDB context.
/// @param group The group, open for writing or exclusive modification.
/// @param name_or_uri The name of the member, or the URI it was added with if no other member has it.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_remove_member(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name_or_uri: Str,
) -> capi_return_t {
    call(ctx, |_| group.get()?.remove_member(&name_or_uri.path("name")?))
}

/// Gives a group a configuration of its own; it must not be open.
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
    call(ctx, |_| group.get()?.set_config(config.get()?.snapshot()))
}

/// Removes the metadata files of a group that were merged into others.
///
/// @param ctx The TileDB context.
/// @param group_uri The group's URI or path.
/// @param config The configuration; null: that of the context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_vacuum_metadata(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let resources = resources_with(context, config)?;
        groups::vacuum_metadata(&resources, &group_uri.path("group_uri")?)
    })
}
