//! Further functions of TileDB's C interface: schemas with all their properties, metadata, removal of objects, aggregates.
#![allow(missing_docs, non_camel_case_types, reason = "the names are those of the C interface, described there")]

use std::ffi::{c_char, c_int, c_void};

use super::sys::*;

opaque! {
    tiledb_array_schema_evolution_t
    tiledb_channel_operation_t
    tiledb_current_domain_t
    tiledb_ndrectangle_t
    tiledb_query_channel_t
}

/// Bounds of a dimension.
#[repr(C)]
pub struct tiledb_range_t {
    pub min: *const c_void,
    pub min_size: u64,
    pub max: *const c_void,
    pub max_size: u64,
}

unsafe extern "C" {
    pub fn tiledb_array_schema_set_current_domain(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        current_domain: *mut tiledb_current_domain_t,
    ) -> i32;
    pub fn tiledb_current_domain_create(
        ctx: *mut tiledb_ctx_t,
        current_domain: *mut *mut tiledb_current_domain_t,
    ) -> i32;
    pub fn tiledb_current_domain_get_ndrectangle(
        ctx: *mut tiledb_ctx_t,
        current_domain: *mut tiledb_current_domain_t,
        ndr: *mut *mut tiledb_ndrectangle_t,
    ) -> i32;
    pub fn tiledb_current_domain_set_ndrectangle(
        ctx: *mut tiledb_ctx_t,
        current_domain: *mut tiledb_current_domain_t,
        ndr: *mut tiledb_ndrectangle_t,
    ) -> i32;
    pub fn tiledb_ndrectangle_alloc(
        ctx: *mut tiledb_ctx_t,
        domain: *mut tiledb_domain_t,
        ndr: *mut *mut tiledb_ndrectangle_t,
    ) -> i32;
    pub fn tiledb_ndrectangle_free(ndr: *mut *mut tiledb_ndrectangle_t) -> i32;
    pub fn tiledb_ndrectangle_get_range_from_name(
        ctx: *mut tiledb_ctx_t,
        ndr: *mut tiledb_ndrectangle_t,
        name: *const c_char,
        range: *mut tiledb_range_t,
    ) -> i32;
    pub fn tiledb_ndrectangle_set_range_for_name(
        ctx: *mut tiledb_ctx_t,
        ndr: *mut tiledb_ndrectangle_t,
        name: *const c_char,
        range: *mut tiledb_range_t,
    ) -> i32;
    pub fn tiledb_object_walk(
        ctx: *mut tiledb_ctx_t,
        path: *const c_char,
        order: u32,
        callback: unsafe extern "C" fn(*const c_char, u32, *mut c_void) -> i32,
        data: *mut c_void,
    ) -> i32;
    pub fn tiledb_attribute_get_fill_value(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        value: *mut *const c_void,
        size: *mut u64,
    ) -> i32;
    pub fn tiledb_attribute_set_fill_value(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        value: *const c_void,
        size: u64,
    ) -> i32;
    pub fn tiledb_array_schema_get_current_domain(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        current_domain: *mut *mut tiledb_current_domain_t,
    ) -> i32;
    pub fn tiledb_current_domain_free(current_domain: *mut *mut tiledb_current_domain_t) -> i32;
    pub fn tiledb_current_domain_get_is_empty(
        ctx: *mut tiledb_ctx_t,
        current_domain: *mut tiledb_current_domain_t,
        is_empty: *mut u32,
    ) -> i32;
    pub fn tiledb_array_schema_get_dimension_label_num(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        dim_label_num: *mut u64,
    ) -> i32;
    pub fn tiledb_array_schema_check(ctx: *mut tiledb_ctx_t, array_schema: *mut tiledb_array_schema_t) -> i32;
    pub fn tiledb_array_schema_load(
        ctx: *mut tiledb_ctx_t,
        array_uri: *const c_char,
        array_schema: *mut *mut tiledb_array_schema_t,
    ) -> i32;
    pub fn tiledb_enumeration_alloc(
        ctx: *mut tiledb_ctx_t,
        name: *const c_char,
        kind: u32,
        cell_val_num: u32,
        ordered: c_int,
        data: *const c_void,
        data_size: u64,
        offsets: *const c_void,
        offsets_size: u64,
        enumeration: *mut *mut tiledb_enumeration_t,
    ) -> i32;
    pub fn tiledb_enumeration_extend(
        ctx: *mut tiledb_ctx_t,
        old_enumeration: *mut tiledb_enumeration_t,
        data: *const c_void,
        data_size: u64,
        offsets: *const c_void,
        offsets_size: u64,
        new_enumeration: *mut *mut tiledb_enumeration_t,
    ) -> i32;
    pub fn tiledb_array_schema_add_enumeration(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        enumeration: *mut tiledb_enumeration_t,
    ) -> i32;
    pub fn tiledb_attribute_set_enumeration_name(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        enumeration_name: *const c_char,
    ) -> i32;
    pub fn tiledb_array_schema_evolution_alloc(
        ctx: *mut tiledb_ctx_t,
        array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
    ) -> i32;
    pub fn tiledb_array_schema_evolution_extend_enumeration(
        ctx: *mut tiledb_ctx_t,
        array_schema_evolution: *mut tiledb_array_schema_evolution_t,
        enumeration: *mut tiledb_enumeration_t,
    ) -> i32;
    pub fn tiledb_array_schema_evolution_free(array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t);
    pub fn tiledb_array_evolve(
        ctx: *mut tiledb_ctx_t,
        array_uri: *const c_char,
        array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    ) -> i32;
    pub fn tiledb_enumeration_get_ordered(
        ctx: *mut tiledb_ctx_t,
        enumeration: *mut tiledb_enumeration_t,
        ordered: *mut c_int,
    ) -> i32;
    pub fn tiledb_attribute_get_fill_value_nullable(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        value: *mut *const c_void,
        size: *mut u64,
        valid: *mut u8,
    ) -> i32;
    pub fn tiledb_attribute_set_fill_value_nullable(
        ctx: *mut tiledb_ctx_t,
        attr: *mut tiledb_attribute_t,
        value: *const c_void,
        size: u64,
        validity: u8,
    ) -> i32;
    pub fn tiledb_object_move(ctx: *mut tiledb_ctx_t, old_path: *const c_char, new_path: *const c_char) -> i32;
    pub fn tiledb_object_remove(ctx: *mut tiledb_ctx_t, path: *const c_char) -> i32;
    pub fn tiledb_array_put_metadata(
        ctx: *mut tiledb_ctx_t,
        array: *mut tiledb_array_t,
        key: *const c_char,
        value_type: u32,
        value_num: u32,
        value: *const c_void,
    ) -> i32;
    pub fn tiledb_array_delete_metadata(ctx: *mut tiledb_ctx_t, array: *mut tiledb_array_t, key: *const c_char) -> i32;
    pub fn tiledb_group_put_metadata(
        ctx: *mut tiledb_ctx_t,
        group: *mut tiledb_group_t,
        key: *const c_char,
        value_type: u32,
        value_num: u32,
        value: *const c_void,
    ) -> i32;
    pub fn tiledb_group_delete_metadata(ctx: *mut tiledb_ctx_t, group: *mut tiledb_group_t, key: *const c_char) -> i32;
    pub fn tiledb_group_get_metadata_num(ctx: *mut tiledb_ctx_t, group: *mut tiledb_group_t, num: *mut u64) -> i32;
    pub fn tiledb_group_get_metadata_from_index(
        ctx: *mut tiledb_ctx_t,
        group: *mut tiledb_group_t,
        index: u64,
        key: *mut *const c_char,
        key_len: *mut u32,
        value_type: *mut u32,
        value_num: *mut u32,
        value: *mut *const c_void,
    ) -> i32;
    pub fn tiledb_filter_set_option(
        ctx: *mut tiledb_ctx_t,
        filter: *mut tiledb_filter_t,
        option: u32,
        value: *const c_void,
    ) -> i32;
    pub fn tiledb_array_schema_set_cell_order(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        cell_order: u32,
    ) -> i32;
    pub fn tiledb_array_schema_set_tile_order(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        tile_order: u32,
    ) -> i32;
    pub fn tiledb_array_schema_set_coords_filter_list(
        ctx: *mut tiledb_ctx_t,
        array_schema: *mut tiledb_array_schema_t,
        filter_list: *mut tiledb_filter_list_t,
    ) -> i32;
    pub fn tiledb_filter_type_from_str(str: *const c_char, filter_type: *mut u32) -> i32;
    pub fn tiledb_layout_from_str(str: *const c_char, layout: *mut u32) -> i32;
    pub fn tiledb_query_get_default_channel(
        ctx: *mut tiledb_ctx_t,
        query: *mut tiledb_query_t,
        channel: *mut *mut tiledb_query_channel_t,
    ) -> i32;
    pub fn tiledb_aggregate_count_get(ctx: *mut tiledb_ctx_t, operation: *mut *const tiledb_channel_operation_t)
    -> i32;
    pub fn tiledb_channel_apply_aggregate(
        ctx: *mut tiledb_ctx_t,
        channel: *mut tiledb_query_channel_t,
        output_field_name: *const c_char,
        operation: *const tiledb_channel_operation_t,
    ) -> i32;
    pub fn tiledb_query_channel_free(ctx: *mut tiledb_ctx_t, channel: *mut *mut tiledb_query_channel_t) -> i32;
}
