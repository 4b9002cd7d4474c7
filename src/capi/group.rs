//! C interface: group.

use super::boundary::{Bytes, CEnum, In, Out, OutHandle, OutPtr, OutStr, Str, capi_return_t, free, pending};
use super::enums::{tiledb_datatype_t, tiledb_object_t, tiledb_query_type_t};
use super::handles::{tiledb_config_t, tiledb_ctx_t, tiledb_group_t, tiledb_string_t};

/// Adds a member to a group open for writing. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_add_member(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    uri: Str,
    relative: u8,
    name: Str,
) -> capi_return_t {
    let _ = (group, uri, relative, name);
    pending(ctx, "tiledb_group_add_member")
}

/// Adds a member of a known type to a group open for writing. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_add_member_with_type(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    uri: Str,
    relative: u8,
    name: Str,
    r#type: CEnum<tiledb_object_t>,
) -> capi_return_t {
    let _ = (group, uri, relative, name, r#type);
    pending(ctx, "tiledb_group_add_member_with_type")
}

/// Creates a handle on a group, to be freed with `tiledb_group_free`; nothing is read before it is opened. Not
/// written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_alloc(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    group: OutHandle<tiledb_group_t>,
) -> capi_return_t {
    let _ = (group_uri, group);
    pending(ctx, "tiledb_group_alloc")
}

/// Closes a group; what was changed is written. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_close(ctx: In<tiledb_ctx_t>, group: In<tiledb_group_t>) -> capi_return_t {
    let _ = (group,);
    pending(ctx, "tiledb_group_close")
}

/// Merges the metadata of a group. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_consolidate_metadata(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (group_uri, config);
    pending(ctx, "tiledb_group_consolidate_metadata")
}

/// Creates an empty group. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_create(ctx: In<tiledb_ctx_t>, group_uri: Str) -> capi_return_t {
    let _ = (group_uri,);
    pending(ctx, "tiledb_group_create")
}

/// Deletes a group; with `recursive`, its members as well. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_delete_group(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    uri: Str,
    recursive: u8,
) -> i32 {
    let _ = (group, uri, recursive);
    pending(ctx, "tiledb_group_delete_group")
}

/// Deletes a value from the metadata of a group open for writing. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_delete_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
) -> capi_return_t {
    let _ = (group, key);
    pending(ctx, "tiledb_group_delete_metadata")
}

/// Gives a group and its members as text, to be freed with `tiledb_string_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_dump_str_v2(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    dump_ascii: OutHandle<tiledb_string_t>,
    recursive: u8,
) -> capi_return_t {
    let _ = (group, dump_ascii, recursive);
    pending(ctx, "tiledb_group_dump_str_v2")
}

/// Closes and frees a group and sets the pointer to null. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_free(group: OutHandle<tiledb_group_t>) {
    free(group)
}

/// Gives a copy of the configuration of a group, to be freed with `tiledb_config_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_config(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    let _ = (group, config);
    pending(ctx, "tiledb_group_get_config")
}

/// Tells whether the URI of a member is relative to the group's. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_is_relative_uri_by_name(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name: Str,
    relative: Out<u8>,
) -> capi_return_t {
    let _ = (group, name, relative);
    pending(ctx, "tiledb_group_get_is_relative_uri_by_name")
}

/// Gives a member by its position; the texts are to be freed with `tiledb_string_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_by_index_v2(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    index: u64,
    uri: OutHandle<tiledb_string_t>,
    r#type: Out<tiledb_object_t>,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (group, index, uri, r#type, name);
    pending(ctx, "tiledb_group_get_member_by_index_v2")
}

/// Gives a member by its name; the texts are to be freed with `tiledb_string_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_by_name_v2(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name: Str,
    uri: OutHandle<tiledb_string_t>,
    r#type: Out<tiledb_object_t>,
) -> capi_return_t {
    let _ = (group, name, uri, r#type);
    pending(ctx, "tiledb_group_get_member_by_name_v2")
}

/// Gives the number of members of a group. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_member_count(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    count: Out<u64>,
) -> capi_return_t {
    let _ = (group, count);
    pending(ctx, "tiledb_group_get_member_count")
}

/// Gives a value of the metadata of a group by its key, valid until the group is closed. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    let _ = (group, key, value_type, value_num, value);
    pending(ctx, "tiledb_group_get_metadata")
}

/// Gives a value of the metadata of a group by its position, valid until the group is closed. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_metadata_from_index(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    index: u64,
    key: OutStr,
    key_len: Out<u32>,
    value_type: Out<tiledb_datatype_t>,
    value_num: Out<u32>,
    value: OutPtr,
) -> capi_return_t {
    let _ = (group, index, key, key_len, value_type, value_num, value);
    pending(ctx, "tiledb_group_get_metadata_from_index")
}

/// Gives the number of values in the metadata of a group. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_metadata_num(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    num: Out<u64>,
) -> capi_return_t {
    let _ = (group, num);
    pending(ctx, "tiledb_group_get_metadata_num")
}

/// Tells what a group was opened for. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_query_type(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    query_type: Out<tiledb_query_type_t>,
) -> capi_return_t {
    let _ = (group, query_type);
    pending(ctx, "tiledb_group_get_query_type")
}

/// Gives the URI of a group, valid until the group is freed. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_get_uri(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    group_uri: OutStr,
) -> capi_return_t {
    let _ = (group, group_uri);
    pending(ctx, "tiledb_group_get_uri")
}

/// Tells whether the metadata of a group has a value with this key, and its type. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_has_metadata_key(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
    value_type: Out<tiledb_datatype_t>,
    has_key: Out<i32>,
) -> capi_return_t {
    let _ = (group, key, value_type, has_key);
    pending(ctx, "tiledb_group_has_metadata_key")
}

/// Tells whether a group is open. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_is_open(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    is_open: Out<i32>,
) -> capi_return_t {
    let _ = (group, is_open);
    pending(ctx, "tiledb_group_is_open")
}

/// Opens a group for reading or for changing it. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_open(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    query_type: CEnum<tiledb_query_type_t>,
) -> capi_return_t {
    let _ = (group, query_type);
    pending(ctx, "tiledb_group_open")
}

/// Adds a value to the metadata of a group open for writing, or replaces it. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_put_metadata(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    key: Str,
    value_type: CEnum<tiledb_datatype_t>,
    value_num: u32,
    value: Bytes,
) -> capi_return_t {
    let _ = (group, key, value_type, value_num, value);
    pending(ctx, "tiledb_group_put_metadata")
}

/// Removes a member from a group open for writing; the member itself stays. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_remove_member(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    name_or_uri: Str,
) -> capi_return_t {
    let _ = (group, name_or_uri);
    pending(ctx, "tiledb_group_remove_member")
}

/// Sets the configuration of a closed group; the group keeps its own copy. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_set_config(
    ctx: In<tiledb_ctx_t>,
    group: In<tiledb_group_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (group, config);
    pending(ctx, "tiledb_group_set_config")
}

/// Removes the metadata files of a group that consolidation has made superfluous. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_group_vacuum_metadata(
    ctx: In<tiledb_ctx_t>,
    group_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (group_uri, config);
    pending(ctx, "tiledb_group_vacuum_metadata")
}
