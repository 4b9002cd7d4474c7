//! The functions of TileDB's C interface that the tool calls, as the headers in `include/tiledb` declare them.
//!
//! The shared library has them; `tests/declarations.rs` compares each with its prototype.
//! An enumeration is a `u32` here: a number that the tool does not know is not undefined behaviour.
#![allow(missing_docs, non_camel_case_types, reason = "the names are those of the C interface, described there")]

use std::ffi::{c_char, c_int, c_void};

macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            #[repr(C)]
            pub struct $name {
                _private: [u8; 0],
            }
        )*
    };
}

pub(super) use opaque;

opaque! {
    tiledb_array_schema_t
    tiledb_array_t
    tiledb_attribute_t
    tiledb_config_t
    tiledb_ctx_t
    tiledb_dimension_t
    tiledb_domain_t
    tiledb_enumeration_t
    tiledb_error_t
    tiledb_filter_list_t
    tiledb_filter_t
    tiledb_fragment_info_t
    tiledb_group_t
    tiledb_query_condition_t
    tiledb_query_t
    tiledb_string_t
    tiledb_subarray_t
    tiledb_vfs_fh_t
    tiledb_vfs_t
}

/// What `tiledb_vfs_ls_recursive_v2` calls: with a path, its length, the size, whether it is a directory.
pub type tiledb_ls_callback_v2_t = unsafe extern "C" fn(*const c_char, usize, u64, u8, *mut c_void) -> i32;

/// What `tiledb_rs_schema_advise` recommends.
#[repr(C)]
pub struct tiledb_rs_advice_t {
    pub property: u32,
    pub reason: u32,
    pub is_applied: u32,
    pub field: *const c_char,
    pub current: *const c_char,
    pub recommended: *const c_char,
    pub sampled_bytes: u64,
    pub current_bytes: u64,
    pub recommended_bytes: u64,
    pub current_nanoseconds: u64,
    pub recommended_nanoseconds: u64,
}

/// A step of `tiledb_rs_array_maintain`.
#[repr(C)]
pub struct tiledb_rs_maintenance_step_t {
    pub kind: u32,
    pub is_planned: u32,
    pub sources: u64,
    pub results: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub reason: *const c_char,
}

/// What `tiledb_rs_array_verify` found.
#[repr(C)]
pub struct tiledb_rs_finding_t {
    pub severity: u32,
    pub code: u32,
    pub file: *const c_char,
    pub field: *const c_char,
    pub fragment: *const c_char,
    pub tile: u64,
    pub offset: u64,
    pub text: *const c_char,
    pub remedy: *const c_char,
}

/// Totals of a verification.
#[repr(C)]
#[derive(Default)]
pub struct tiledb_rs_verified_t {
    pub files: u64,
    pub tiles: u64,
    pub bytes: u64,
    pub notes: u64,
    pub warnings: u64,
    pub errors: u64,
}

unsafe extern "C" {
    pub fn tiledb_config_alloc(config: *mut *mut tiledb_config_t, error: *mut *mut tiledb_error_t) -> i32;
    pub fn tiledb_config_free(config: *mut *mut tiledb_config_t);
    pub fn tiledb_config_set(
        config: *mut tiledb_config_t,
        param: *const c_char,
        value: *const c_char,
        error: *mut *mut tiledb_error_t,
    ) -> i32;
    pub fn tiledb_config_load_from_file(
        config: *mut tiledb_config_t,
        filename: *const c_char,
        error: *mut *mut tiledb_error_t,
    ) -> i32;
    pub fn tiledb_error_message(err: *mut tiledb_error_t, errmsg: *mut *const c_char) -> i32;
    pub fn tiledb_error_free(err: *mut *mut tiledb_error_t);
    pub fn tiledb_ctx_alloc_with_error(
        config: *mut tiledb_config_t,
        ctx: *mut *mut tiledb_ctx_t,
        error: *mut *mut tiledb_error_t,
    ) -> i32;
    pub fn tiledb_ctx_free(ctx: *mut *mut tiledb_ctx_t);
    pub fn tiledb_ctx_get_last_error(ctx: *mut tiledb_ctx_t, err: *mut *mut tiledb_error_t) -> i32;
    pub fn tiledb_ctx_cancel_tasks(ctx: *mut tiledb_ctx_t) -> i32;
    pub fn tiledb_string_view(s: *mut tiledb_string_t, data: *mut *const c_char, length: *mut usize) -> i32;
    pub fn tiledb_string_free(s: *mut *mut tiledb_string_t) -> i32;
    pub fn tiledb_object_type(ctx: *mut tiledb_ctx_t, path: *const c_char, kind: *mut u32) -> i32;
    pub fn tiledb_object_ls(
        ctx: *mut tiledb_ctx_t,
        path: *const c_char,
        callback: unsafe extern "C" fn(*const c_char, u32, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_group_alloc(ctx: *mut tiledb_ctx_t, group_uri: *const c_char, group: *mut *mut tiledb_group_t)
    -> i32;
    pub fn tiledb_uri_to_path(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        path_out: *mut c_char,
        path_length: *mut u32,
    ) -> i32;
    pub fn tiledb_group_open(ctx: *mut tiledb_ctx_t, group: *mut tiledb_group_t, query_type: u32) -> i32;
    pub fn tiledb_group_close(ctx: *mut tiledb_ctx_t, group: *mut tiledb_group_t) -> i32;
    pub fn tiledb_group_free(group: *mut *mut tiledb_group_t);
    pub fn tiledb_group_get_uri(
        ctx: *mut tiledb_ctx_t,
        group: *mut tiledb_group_t,
        group_uri: *mut *const c_char,
    ) -> i32;
    pub fn tiledb_group_get_member_count(ctx: *mut tiledb_ctx_t, group: *mut tiledb_group_t, count: *mut u64) -> i32;
    pub fn tiledb_group_get_member_by_index_v2(
        ctx: *mut tiledb_ctx_t,
        group: *mut tiledb_group_t,
        index: u64,
        uri: *mut *mut tiledb_string_t,
        kind: *mut u32,
        name: *mut *mut tiledb_string_t,
    ) -> i32;
    pub fn tiledb_group_get_is_relative_uri_by_name(
        ctx: *mut tiledb_ctx_t,
        group: *mut tiledb_group_t,
        name: *const c_char,
        relative: *mut u8,
    ) -> i32;
    pub fn tiledb_group_create(ctx: *mut tiledb_ctx_t, group_uri: *const c_char) -> i32;
    pub fn tiledb_group_add_member_with_type(
        ctx: *mut tiledb_ctx_t,
        group: *mut tiledb_group_t,
        uri: *const c_char,
        relative: u8,
        name: *const c_char,
        kind: u32,
    ) -> i32;
    pub fn tiledb_group_remove_member(
        ctx: *mut tiledb_ctx_t,
        group: *mut tiledb_group_t,
        name_or_uri: *const c_char,
    ) -> i32;
    pub fn tiledb_array_alloc(ctx: *mut tiledb_ctx_t, array_uri: *const c_char, array: *mut *mut tiledb_array_t)
    -> i32;
    pub fn tiledb_array_open(ctx: *mut tiledb_ctx_t, array: *mut tiledb_array_t, query_type: u32) -> i32;
    pub fn tiledb_array_close(ctx: *mut tiledb_ctx_t, array: *mut tiledb_array_t) -> i32;
    pub fn tiledb_array_free(array: *mut *mut tiledb_array_t);
    pub fn tiledb_array_set_open_timestamp_start(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        timestamp_start: u64,
    ) -> i32;
    pub fn tiledb_array_set_open_timestamp_end(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        timestamp_end: u64,
    ) -> i32;
    pub fn tiledb_array_get_schema(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        array_schema: *mut *mut tiledb_array_schema_t,
    ) -> i32;
    pub fn tiledb_array_get_non_empty_domain_from_index(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        idx: u32,
        domain: *mut c_void,
        is_empty: *mut i32,
    ) -> i32;
    pub fn tiledb_array_get_non_empty_domain_var_size_from_index(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        idx: u32,
        start_size: *mut u64,
        end_size: *mut u64,
        is_empty: *mut i32,
    ) -> i32;
    pub fn tiledb_array_get_non_empty_domain_var_from_index(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        idx: u32,
        start: *mut c_void,
        end: *mut c_void,
        is_empty: *mut i32,
    ) -> i32;
    pub fn tiledb_array_get_metadata_num(ctx: *mut tiledb_ctx_t, array: *mut tiledb_array_t, num: *mut u64) -> i32;
    pub fn tiledb_array_get_metadata_from_index(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        index: u64,
        key: *mut *const c_char,
        key_len: *mut u32,
        value_type: *mut u32,
        value_num: *mut u32,
        value: *mut *const c_void,
    ) -> i32;
    pub fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t);
    pub fn tiledb_array_upgrade_version(
        ctx: *mut tiledb_ctx_t,
        array_uri: *const c_char,
        config: *mut tiledb_config_t,
    ) -> i32;
    pub fn tiledb_array_schema_get_allows_dups(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        allows_dups: *mut c_int,
    ) -> i32;
    pub fn tiledb_array_schema_get_array_type(
        ctx: *mut tiledb_ctx_t,
        array_schema: *const tiledb_array_schema_t,
        array_type: *mut u32,
    ) -> i32;
    pub fn tiledb_array_schema_get_attribute_from_index(
        ctx: *mut tiledb_ctx_t,
        array_schema: *const tiledb_array_schema_t,
        index: u32,
        attr: *mut *mut tiledb_attribute_t,
    ) -> i32;
    pub fn tiledb_array_schema_get_attribute_num(
        ctx: *mut tiledb_ctx_t,
        array_schema: *const tiledb_array_schema_t,
        attribute_num: *mut u32,
    ) -> i32;
    pub fn tiledb_array_schema_get_capacity(
        ctx: *mut tiledb_ctx_t,
        array_schema: *const tiledb_array_schema_t,
        capacity: *mut u64,
    ) -> i32;
    pub fn tiledb_array_schema_get_cell_order(
        ctx: *mut tiledb_ctx_t,
        array_schema: *const tiledb_array_schema_t,
        cell_order: *mut u32,
    ) -> i32;
    pub fn tiledb_array_schema_get_tile_order(
        ctx: *mut tiledb_ctx_t,
        array_schema: *const tiledb_array_schema_t,
        tile_order: *mut u32,
    ) -> i32;
    pub fn tiledb_array_schema_get_domain(
        ctx: *mut tiledb_ctx_t,
        array_schema: *const tiledb_array_schema_t,
        domain: *mut *mut tiledb_domain_t,
    ) -> i32;
    pub fn tiledb_array_schema_get_offsets_filter_list(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        filter_list: *mut *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_array_schema_get_coords_filter_list(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        filter_list: *mut *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_array_schema_get_validity_filter_list(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        filter_list: *mut *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_array_schema_get_version(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        version: *mut u32,
    ) -> i32;
    pub fn tiledb_array_schema_get_enumeration_from_attribute_name(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        attribute_name: *const c_char,
        enumeration: *mut *mut tiledb_enumeration_t,
    ) -> i32;
    pub fn tiledb_attribute_free(attr: *mut *mut tiledb_attribute_t);
    pub fn tiledb_attribute_get_cell_val_num(
        ctx: *mut tiledb_ctx_t,
        attr: *const tiledb_attribute_t,
        cell_val_num: *mut u32,
    ) -> i32;
    pub fn tiledb_attribute_get_filter_list(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        filter_list: *mut *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_attribute_get_name(
        ctx: *mut tiledb_ctx_t,
        attr: *const tiledb_attribute_t,
        name: *mut *const c_char,
    ) -> i32;
    pub fn tiledb_attribute_get_nullable(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        nullable: *mut u8,
    ) -> i32;
    pub fn tiledb_attribute_get_type(ctx: *mut tiledb_ctx_t, attr: *const tiledb_attribute_t, kind: *mut u32) -> i32;
    pub fn tiledb_attribute_get_enumeration_name(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        name: *mut *mut tiledb_string_t,
    ) -> i32;
    pub fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t);
    pub fn tiledb_dimension_get_domain(
        ctx: *mut tiledb_ctx_t,
        dim: *const tiledb_dimension_t,
        domain: *mut *const c_void,
    ) -> i32;
    pub fn tiledb_dimension_get_filter_list(
        ctx: *mut tiledb_ctx_t,
        dim: *mut tiledb_dimension_t,
        filter_list: *mut *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_dimension_get_name(
        ctx: *mut tiledb_ctx_t,
        dim: *const tiledb_dimension_t,
        name: *mut *const c_char,
    ) -> i32;
    pub fn tiledb_dimension_get_tile_extent(
        ctx: *mut tiledb_ctx_t,
        dim: *const tiledb_dimension_t,
        tile_extent: *mut *const c_void,
    ) -> i32;
    pub fn tiledb_dimension_get_type(ctx: *mut tiledb_ctx_t, dim: *const tiledb_dimension_t, kind: *mut u32) -> i32;
    pub fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t);
    pub fn tiledb_domain_get_ndim(ctx: *mut tiledb_ctx_t, domain: *const tiledb_domain_t, ndim: *mut u32) -> i32;
    pub fn tiledb_domain_get_dimension_from_index(
        ctx: *mut tiledb_ctx_t,
        domain: *const tiledb_domain_t,
        index: u32,
        dim: *mut *mut tiledb_dimension_t,
    ) -> i32;
    pub fn tiledb_enumeration_free(enumeration: *mut *mut tiledb_enumeration_t);
    pub fn tiledb_enumeration_get_cell_val_num(
        ctx: *mut tiledb_ctx_t,
        enumeration: *mut tiledb_enumeration_t,
        cell_val_num: *mut u32,
    ) -> i32;
    pub fn tiledb_enumeration_get_data(
        ctx: *mut tiledb_ctx_t,
        enumeration: *mut tiledb_enumeration_t,
        data: *mut *const c_void,
        data_size: *mut u64,
    ) -> i32;
    pub fn tiledb_enumeration_get_offsets(
        ctx: *mut tiledb_ctx_t,
        enumeration: *mut tiledb_enumeration_t,
        offsets: *mut *const c_void,
        offsets_size: *mut u64,
    ) -> i32;
    pub fn tiledb_enumeration_get_type(
        ctx: *mut tiledb_ctx_t,
        enumeration: *mut tiledb_enumeration_t,
        kind: *mut u32,
    ) -> i32;
    pub fn tiledb_filter_list_free(filter_list: *mut *mut tiledb_filter_list_t);
    pub fn tiledb_filter_list_get_nfilters(
        ctx: *mut tiledb_ctx_t,
        filter_list: *const tiledb_filter_list_t,
        nfilters: *mut u32,
    ) -> i32;
    pub fn tiledb_filter_list_get_filter_from_index(
        ctx: *mut tiledb_ctx_t,
        filter_list: *const tiledb_filter_list_t,
        index: u32,
        filter: *mut *mut tiledb_filter_t,
    ) -> i32;
    pub fn tiledb_filter_free(filter: *mut *mut tiledb_filter_t);
    pub fn tiledb_filter_get_type(ctx: *mut tiledb_ctx_t, filter: *mut tiledb_filter_t, kind: *mut u32) -> i32;
    pub fn tiledb_filter_get_option(
        ctx: *mut tiledb_ctx_t,
        filter: *mut tiledb_filter_t,
        option: u32,
        value: *mut c_void,
    ) -> i32;
    pub fn tiledb_filter_type_to_str(filter_type: u32, text: *mut *const c_char) -> i32;
    pub fn tiledb_datatype_to_str(datatype: u32, text: *mut *const c_char) -> i32;
    pub fn tiledb_layout_to_str(layout: u32, text: *mut *const c_char) -> i32;
    pub fn tiledb_fragment_info_alloc(
        ctx: *mut tiledb_ctx_t,
        array_uri: *const c_char,
        fragment_info: *mut *mut tiledb_fragment_info_t,
    ) -> i32;
    pub fn tiledb_fragment_info_free(fragment_info: *mut *mut tiledb_fragment_info_t);
    pub fn tiledb_fragment_info_load(ctx: *mut tiledb_ctx_t, fragment_info: *mut tiledb_fragment_info_t) -> i32;
    pub fn tiledb_fragment_info_get_fragment_num(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fragment_num: *mut u32,
    ) -> i32;
    pub fn tiledb_fragment_info_get_fragment_uri(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        uri: *mut *const c_char,
    ) -> i32;
    pub fn tiledb_fragment_info_get_fragment_size(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        size: *mut u64,
    ) -> i32;
    pub fn tiledb_fragment_info_get_cell_num(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        cell_num: *mut u64,
    ) -> i32;
    pub fn tiledb_fragment_info_get_dense(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        dense: *mut i32,
    ) -> i32;
    pub fn tiledb_fragment_info_get_timestamp_range(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        start: *mut u64,
        end: *mut u64,
    ) -> i32;
    pub fn tiledb_fragment_info_get_version(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        version: *mut u32,
    ) -> i32;
    pub fn tiledb_fragment_info_get_to_vacuum_num(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        to_vacuum_num: *mut u32,
    ) -> i32;
    pub fn tiledb_fragment_info_get_to_vacuum_uri(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        uri: *mut *const c_char,
    ) -> i32;
    pub fn tiledb_fragment_info_get_non_empty_domain_from_index(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        did: u32,
        domain: *mut c_void,
    ) -> i32;
    pub fn tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        did: u32,
        start_size: *mut u64,
        end_size: *mut u64,
    ) -> i32;
    pub fn tiledb_fragment_info_get_non_empty_domain_var_from_index(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        did: u32,
        start: *mut c_void,
        end: *mut c_void,
    ) -> i32;
    pub fn tiledb_fragment_info_get_unconsolidated_metadata_num(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        unconsolidated: *mut u32,
    ) -> i32;
    pub fn tiledb_datatype_from_str(text: *const c_char, datatype: *mut u32) -> i32;
    pub fn tiledb_filter_alloc(ctx: *mut tiledb_ctx_t, kind: u32, filter: *mut *mut tiledb_filter_t) -> i32;
    pub fn tiledb_filter_list_alloc(ctx: *mut tiledb_ctx_t, filter_list: *mut *mut tiledb_filter_list_t) -> i32;
    pub fn tiledb_filter_list_add_filter(
        ctx: *mut tiledb_ctx_t,
        filter_list: *mut tiledb_filter_list_t,
        filter: *mut tiledb_filter_t,
    ) -> i32;
    pub fn tiledb_dimension_alloc(
        ctx: *mut tiledb_ctx_t,
        name: *const c_char,
        kind: u32,
        dim_domain: *const c_void,
        tile_extent: *const c_void,
        dim: *mut *mut tiledb_dimension_t,
    ) -> i32;
    pub fn tiledb_dimension_set_filter_list(
        ctx: *mut tiledb_ctx_t,
        dim: *mut tiledb_dimension_t,
        filter_list: *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_domain_alloc(ctx: *mut tiledb_ctx_t, domain: *mut *mut tiledb_domain_t) -> i32;
    pub fn tiledb_domain_add_dimension(
        ctx: *mut tiledb_ctx_t,
        domain: *mut tiledb_domain_t,
        dim: *mut tiledb_dimension_t,
    ) -> i32;
    pub fn tiledb_attribute_alloc(
        ctx: *mut tiledb_ctx_t,
        name: *const c_char,
        kind: u32,
        attr: *mut *mut tiledb_attribute_t,
    ) -> i32;
    pub fn tiledb_attribute_set_nullable(ctx: *mut tiledb_ctx_t, attr: *mut tiledb_attribute_t, nullable: u8) -> i32;
    pub fn tiledb_attribute_set_cell_val_num(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        cell_val_num: u32,
    ) -> i32;
    pub fn tiledb_attribute_set_filter_list(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        filter_list: *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_array_schema_alloc(
        ctx: *mut tiledb_ctx_t,
        array_type: u32,
        array_schema: *mut *mut tiledb_array_schema_t,
    ) -> i32;
    pub fn tiledb_array_schema_set_domain(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        domain: *mut tiledb_domain_t,
    ) -> i32;
    pub fn tiledb_array_schema_add_attribute(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        attr: *mut tiledb_attribute_t,
    ) -> i32;
    pub fn tiledb_array_schema_set_capacity(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        capacity: u64,
    ) -> i32;
    pub fn tiledb_array_schema_set_allows_dups(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        allows_dups: c_int,
    ) -> i32;
    pub fn tiledb_array_schema_set_offsets_filter_list(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        filter_list: *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_array_schema_set_validity_filter_list(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        filter_list: *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_array_create(
        ctx: *mut tiledb_ctx_t,
        array_uri: *const c_char,
        array_schema: *mut tiledb_array_schema_t,
    ) -> i32;
    pub fn tiledb_query_finalize(ctx: *mut tiledb_ctx_t, query: *mut tiledb_query_t) -> i32;
    pub fn tiledb_query_alloc(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        query_type: u32,
        query: *mut *mut tiledb_query_t,
    ) -> i32;
    pub fn tiledb_query_free(query: *mut *mut tiledb_query_t);
    pub fn tiledb_query_submit(ctx: *mut tiledb_ctx_t, query: *mut tiledb_query_t) -> i32;
    pub fn tiledb_query_set_layout(ctx: *mut tiledb_ctx_t, query: *mut tiledb_query_t, layout: u32) -> i32;
    pub fn tiledb_query_set_data_buffer(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        name: *const c_char,
        buffer: *mut c_void,
        buffer_size: *mut u64,
    ) -> i32;
    pub fn tiledb_query_set_offsets_buffer(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        name: *const c_char,
        buffer: *mut u64,
        buffer_size: *mut u64,
    ) -> i32;
    pub fn tiledb_query_set_validity_buffer(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        name: *const c_char,
        buffer: *mut u8,
        buffer_size: *mut u64,
    ) -> i32;
    pub fn tiledb_query_get_status(ctx: *mut tiledb_ctx_t, query: *mut tiledb_query_t, status: *mut u32) -> i32;
    pub fn tiledb_query_set_subarray_t(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        subarray: *const tiledb_subarray_t,
    ) -> i32;
    pub fn tiledb_query_set_condition(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        cond: *const tiledb_query_condition_t,
    ) -> i32;
    pub fn tiledb_query_condition_alloc(ctx: *mut tiledb_ctx_t, cond: *mut *mut tiledb_query_condition_t) -> i32;
    pub fn tiledb_query_condition_init(
        ctx: *mut tiledb_ctx_t,
        cond: *mut tiledb_query_condition_t,
        attribute_name: *const c_char,
        condition_value: *const c_void,
        condition_value_size: u64,
        op: u32,
    ) -> i32;
    pub fn tiledb_query_condition_combine(
        ctx: *mut tiledb_ctx_t,
        left_cond: *const tiledb_query_condition_t,
        right_cond: *const tiledb_query_condition_t,
        combination_op: u32,
        combined_cond: *mut *mut tiledb_query_condition_t,
    ) -> i32;
    pub fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t);
    pub fn tiledb_subarray_alloc(
        ctx: *mut tiledb_ctx_t,
        array: *const tiledb_array_t,
        subarray: *mut *mut tiledb_subarray_t,
    ) -> i32;
    pub fn tiledb_subarray_free(subarray: *mut *mut tiledb_subarray_t);
    pub fn tiledb_subarray_add_range_by_name(
        ctx: *mut tiledb_ctx_t,
        subarray: *mut tiledb_subarray_t,
        dim_name: *const c_char,
        start: *const c_void,
        end: *const c_void,
        stride: *const c_void,
    ) -> i32;
    pub fn tiledb_subarray_add_range_var_by_name(
        ctx: *mut tiledb_ctx_t,
        subarray: *mut tiledb_subarray_t,
        dim_name: *const c_char,
        start: *const c_void,
        start_size: u64,
        end: *const c_void,
        end_size: u64,
    ) -> i32;
    pub fn tiledb_vfs_alloc(ctx: *mut tiledb_ctx_t, config: *mut tiledb_config_t, vfs: *mut *mut tiledb_vfs_t) -> i32;
    pub fn tiledb_vfs_free(vfs: *mut *mut tiledb_vfs_t);
    pub fn tiledb_vfs_ls_recursive_v2(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        path: *const c_char,
        callback: tiledb_ls_callback_v2_t,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_vfs_ls(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        path: *const c_char,
        callback: unsafe extern "C" fn(*const c_char, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_vfs_is_dir(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        uri: *const c_char,
        is_dir: *mut i32,
    ) -> i32;
    pub fn tiledb_vfs_is_file(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        uri: *const c_char,
        is_file: *mut i32,
    ) -> i32;
    pub fn tiledb_vfs_create_dir(ctx: *mut tiledb_ctx_t, vfs: *mut tiledb_vfs_t, uri: *const c_char) -> i32;
    pub fn tiledb_vfs_remove_dir(ctx: *mut tiledb_ctx_t, vfs: *mut tiledb_vfs_t, uri: *const c_char) -> i32;
    pub fn tiledb_vfs_remove_file(ctx: *mut tiledb_ctx_t, vfs: *mut tiledb_vfs_t, uri: *const c_char) -> i32;
    pub fn tiledb_vfs_touch(ctx: *mut tiledb_ctx_t, vfs: *mut tiledb_vfs_t, uri: *const c_char) -> i32;
    pub fn tiledb_vfs_move_dir(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        old_uri: *const c_char,
        new_uri: *const c_char,
    ) -> i32;
    pub fn tiledb_vfs_move_file(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        old_uri: *const c_char,
        new_uri: *const c_char,
    ) -> i32;
    pub fn tiledb_vfs_open(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        uri: *const c_char,
        mode: u32,
        fh: *mut *mut tiledb_vfs_fh_t,
    ) -> i32;
    pub fn tiledb_vfs_close(ctx: *mut tiledb_ctx_t, fh: *mut tiledb_vfs_fh_t) -> i32;
    pub fn tiledb_vfs_fh_free(fh: *mut *mut tiledb_vfs_fh_t);
    pub fn tiledb_vfs_read(
        ctx: *mut tiledb_ctx_t,
        fh: *mut tiledb_vfs_fh_t,
        offset: u64,
        buffer: *mut c_void,
        nbytes: u64,
    ) -> i32;
    pub fn tiledb_vfs_write(
        ctx: *mut tiledb_ctx_t,
        fh: *mut tiledb_vfs_fh_t,
        buffer: *const c_void,
        nbytes: u64,
    ) -> i32;
    pub fn tiledb_rs_array_consolidate(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        config: *mut tiledb_config_t,
        callback: unsafe extern "C" fn(u64, u64, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_query_to_arrow(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        fields: *const *const c_char,
        field_num: u64,
        batch_bytes: u64,
        stream: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_query_from_arrow(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        stream: *mut c_void,
        batch_bytes: u64,
        callback: Option<unsafe extern "C" fn(u64, *mut c_void) -> i32>,
        data: *mut c_void,
        cells: *mut u64,
    ) -> i32;
    pub fn tiledb_rs_array_compatibility(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        version: *mut u32,
        required: *mut u32,
        readers: *mut *mut tiledb_string_t,
    ) -> i32;
    pub fn tiledb_rs_array_downgrade(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        target: *const c_char,
        version: u32,
        callback: unsafe extern "C" fn(u64, u64, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_array_rewrite(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        target: *const c_char,
        array_schema: *mut tiledb_array_schema_t,
        fragments: u32,
        resume: u8,
        callback: unsafe extern "C" fn(u64, u64, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_array_orphans(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        callback: unsafe extern "C" fn(*const c_char, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_fragment_info_get_array_schema(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        array_schema: *mut *mut tiledb_array_schema_t,
    ) -> i32;
    pub fn tiledb_fragment_info_get_array_schema_name(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        schema_name: *mut *const c_char,
    ) -> i32;
    pub fn tiledb_fragment_info_get_mbr_num(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        mbr_num: *mut u64,
    ) -> i32;
    pub fn tiledb_fragment_info_get_mbr_from_index(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        mid: u32,
        did: u32,
        mbr: *mut c_void,
    ) -> i32;
    pub fn tiledb_fragment_info_get_mbr_var_size_from_index(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        mid: u32,
        did: u32,
        start_size: *mut u64,
        end_size: *mut u64,
    ) -> i32;
    pub fn tiledb_fragment_info_get_mbr_var_from_index(
        ctx: *mut tiledb_ctx_t,
        fragment_info: *mut tiledb_fragment_info_t,
        fid: u32,
        mid: u32,
        did: u32,
        start: *mut c_void,
        end: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_array_vacuum(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        config: *mut tiledb_config_t,
        callback: unsafe extern "C" fn(u64, u64, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_schema_advise(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        config: *mut tiledb_config_t,
        objective: u32,
        callback: unsafe extern "C" fn(*const tiledb_rs_advice_t, *mut c_void) -> i32,
        data: *mut c_void,
        array_schema: *mut *mut tiledb_array_schema_t,
    ) -> i32;
    pub fn tiledb_rs_array_maintain(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        config: *mut tiledb_config_t,
        dry_run: u32,
        callback: unsafe extern "C" fn(*const tiledb_rs_maintenance_step_t, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_array_verify(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        config: *mut tiledb_config_t,
        on_finding: unsafe extern "C" fn(*const tiledb_rs_finding_t, *mut c_void) -> i32,
        on_progress: unsafe extern "C" fn(u64, u64, *mut c_void) -> i32,
        data: *mut c_void,
        verified: *mut tiledb_rs_verified_t,
    ) -> i32;
    pub fn tiledb_rs_vfs_sweep_uploads(
        ctx: *mut tiledb_ctx_t,
        vfs: *mut tiledb_vfs_t,
        uri: *const c_char,
        count: *mut u64,
    ) -> i32;
    pub fn tiledb_rs_array_sweep_watched(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        callback: unsafe extern "C" fn(u64, u64, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_array_consolidate_steps(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        config: *mut tiledb_config_t,
        callback: unsafe extern "C" fn(u64, *const c_char, u64, u64, u64, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_subarray_tiles(
        ctx: *mut tiledb_ctx_t,
        array: *const tiledb_array_t,
        subarray: *const tiledb_subarray_t,
        condition: *const tiledb_query_condition_t,
        callback: unsafe extern "C" fn(*const c_char, u64, i32, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_rs_array_vacuum_files(
        ctx: *mut tiledb_ctx_t,
        uri: *const c_char,
        config: *mut tiledb_config_t,
        callback: unsafe extern "C" fn(*const c_char, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
}
