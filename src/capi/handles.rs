//! The handle types of the C interface, one opaque struct each. `contents` has the object of each.
#![allow(non_camel_case_types, reason = "the names are C's own")]

/// The opaque error handle.
pub struct tiledb_error_handle_t {
    _opaque: [u8; 0],
}

/// The opaque error handle.
pub type tiledb_error_t = tiledb_error_handle_t;

/// The opaque config handle.
pub struct tiledb_config_handle_t {
    _opaque: [u8; 0],
}

/// The opaque config handle.
pub type tiledb_config_t = tiledb_config_handle_t;

/// The opaque config iter handle.
pub struct tiledb_config_iter_handle_t {
    _opaque: [u8; 0],
}

/// The opaque config iter handle.
pub type tiledb_config_iter_t = tiledb_config_iter_handle_t;

/// The opaque ctx handle.
pub struct tiledb_ctx_handle_t {
    _opaque: [u8; 0],
}

/// The opaque ctx handle.
pub type tiledb_ctx_t = tiledb_ctx_handle_t;

/// The opaque filter handle.
pub struct tiledb_filter_handle_t {
    _opaque: [u8; 0],
}

/// The opaque filter handle.
pub type tiledb_filter_t = tiledb_filter_handle_t;

/// The opaque filter list handle.
pub struct tiledb_filter_list_handle_t {
    _opaque: [u8; 0],
}

/// The opaque filter list handle.
pub type tiledb_filter_list_t = tiledb_filter_list_handle_t;

/// The opaque string handle.
pub struct tiledb_string_handle_t {
    _opaque: [u8; 0],
}

/// The opaque string handle.
pub type tiledb_string_t = tiledb_string_handle_t;

/// The opaque attribute handle.
pub struct tiledb_attribute_handle_t {
    _opaque: [u8; 0],
}

/// The opaque attribute handle.
pub type tiledb_attribute_t = tiledb_attribute_handle_t;

/// The opaque dimension handle.
pub struct tiledb_dimension_handle_t {
    _opaque: [u8; 0],
}

/// The opaque dimension handle.
pub type tiledb_dimension_t = tiledb_dimension_handle_t;

/// The opaque domain handle.
pub struct tiledb_domain_handle_t {
    _opaque: [u8; 0],
}

/// The opaque domain handle.
pub type tiledb_domain_t = tiledb_domain_handle_t;

/// The opaque array schema handle.
pub struct tiledb_array_schema_handle_t {
    _opaque: [u8; 0],
}

/// The opaque array schema handle.
pub type tiledb_array_schema_t = tiledb_array_schema_handle_t;

/// The opaque query handle.
pub struct tiledb_query_t {
    _opaque: [u8; 0],
}

/// The opaque array handle.
pub struct tiledb_array_handle_t {
    _opaque: [u8; 0],
}

/// The opaque array handle.
pub type tiledb_array_t = tiledb_array_handle_t;

/// The opaque array schema evolution handle.
pub struct tiledb_array_schema_evolution_t {
    _opaque: [u8; 0],
}

/// The opaque buffer handle.
pub struct tiledb_buffer_handle_t {
    _opaque: [u8; 0],
}

/// The opaque buffer handle.
pub type tiledb_buffer_t = tiledb_buffer_handle_t;

/// The opaque buffer list handle.
pub struct tiledb_buffer_list_handle_t {
    _opaque: [u8; 0],
}

/// The opaque buffer list handle.
pub type tiledb_buffer_list_t = tiledb_buffer_list_handle_t;

/// The opaque fragment info handle.
pub struct tiledb_fragment_info_handle_t {
    _opaque: [u8; 0],
}

/// The opaque fragment info handle.
pub type tiledb_fragment_info_t = tiledb_fragment_info_handle_t;

/// The opaque group handle.
pub struct tiledb_group_handle_t {
    _opaque: [u8; 0],
}

/// The opaque group handle.
pub type tiledb_group_t = tiledb_group_handle_t;

/// The opaque subarray handle.
pub struct tiledb_subarray_handle_t {
    _opaque: [u8; 0],
}

/// The opaque subarray handle.
pub type tiledb_subarray_t = tiledb_subarray_handle_t;

/// The opaque vfs handle.
pub struct tiledb_vfs_handle_t {
    _opaque: [u8; 0],
}

/// The opaque vfs handle.
pub type tiledb_vfs_t = tiledb_vfs_handle_t;

/// The opaque vfs fh handle.
pub struct tiledb_vfs_fh_handle_t {
    _opaque: [u8; 0],
}

/// The opaque vfs fh handle.
pub type tiledb_vfs_fh_t = tiledb_vfs_fh_handle_t;

/// The opaque query condition handle.
pub struct tiledb_query_condition_t {
    _opaque: [u8; 0],
}

/// The opaque consolidation plan handle.
pub struct tiledb_consolidation_plan_t {
    _opaque: [u8; 0],
}

/// The opaque enumeration handle.
pub struct tiledb_enumeration_handle_t {
    _opaque: [u8; 0],
}

/// The opaque enumeration handle.
pub type tiledb_enumeration_t = tiledb_enumeration_handle_t;

/// The opaque ndrectangle handle.
pub struct tiledb_ndrectangle_handle_t {
    _opaque: [u8; 0],
}

/// The opaque ndrectangle handle.
pub type tiledb_ndrectangle_t = tiledb_ndrectangle_handle_t;

/// The opaque current domain handle.
pub struct tiledb_current_domain_handle_t {
    _opaque: [u8; 0],
}

/// The opaque current domain handle.
pub type tiledb_current_domain_t = tiledb_current_domain_handle_t;

/// The opaque profile handle.
pub struct tiledb_profile_handle_t {
    _opaque: [u8; 0],
}

/// The opaque profile handle.
pub type tiledb_profile_t = tiledb_profile_handle_t;

/// The opaque query channel handle.
pub struct tiledb_query_channel_handle_t {
    _opaque: [u8; 0],
}

/// The opaque query channel handle.
pub type tiledb_query_channel_t = tiledb_query_channel_handle_t;

/// The opaque channel operation handle.
pub struct tiledb_channel_operation_handle_t {
    _opaque: [u8; 0],
}

/// The opaque channel operation handle.
pub type tiledb_channel_operation_t = tiledb_channel_operation_handle_t;

/// The opaque channel operator handle.
pub struct tiledb_channel_operator_handle_t {
    _opaque: [u8; 0],
}

/// The opaque channel operator handle.
pub type tiledb_channel_operator_t = tiledb_channel_operator_handle_t;

/// The opaque query field handle.
pub struct tiledb_query_field_handle_t {
    _opaque: [u8; 0],
}

/// The opaque query field handle.
pub type tiledb_query_field_t = tiledb_query_field_handle_t;

/// The opaque dimension label handle.
pub struct tiledb_dimension_label_handle_t {
    _opaque: [u8; 0],
}

/// The opaque dimension label handle.
pub type tiledb_dimension_label_t = tiledb_dimension_label_handle_t;
