//! The handle types of the C interface: one opaque struct each, and the table that says what each
//! of them holds.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use std::sync::Arc;

use super::boundary::{Handle, Kind};

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

/// Declares what each handle holds and the error for a pointer that is no such handle.
macro_rules! handles {
    ($($handle:ident = $kind:literal, $object:ty, $invalid:literal;)+) => {$(
        impl Handle for $handle {
            type Object = $object;
            const KIND: Kind = Kind($kind);
            const INVALID: &'static str = $invalid;
        }
    )+};
}

handles! {
    tiledb_error_t = 1, super::error::ErrorObject, "C API: Invalid TileDB error object";
    tiledb_config_t = 2, super::config::ConfigObject, "C API: Invalid TileDB configuration object";
    tiledb_config_iter_t = 3, super::config::ConfigIter, "C API: Invalid TileDB configuration iterator object";
    tiledb_ctx_t = 4, super::context::Context, "C API: Invalid TileDB context object";
    tiledb_filter_t = 5, super::value::Value<crate::filter::Filter>, "C API: Invalid TileDB filter object";
    tiledb_filter_list_t = 6, super::value::Value<crate::filter::Pipeline>, "C API: Invalid TileDB filter list object";
    tiledb_string_t = 7, super::string::Text, "C API: Invalid TileDB string object";
    tiledb_attribute_t = 8, super::value::Value<crate::schema::Attribute>, "C API: Invalid TileDB attribute object";
    tiledb_dimension_t = 9, super::value::Value<crate::schema::Dimension>, "C API: Invalid TileDB dimension object";
    tiledb_domain_t = 10, super::domain_object::DomainObject, "C API: Invalid TileDB domain object";
    tiledb_array_schema_t = 11, super::schema_object::SchemaObject, "C API: Invalid TileDB array_schema object";
    tiledb_query_t = 12, super::query_object::QueryObject, "Error: Invalid TileDB query object";
    tiledb_array_t = 13, super::array_object::ArrayObject, "C API: Invalid TileDB array object";
    tiledb_array_schema_evolution_t = 14, super::schema_object::EvolutionObject, "C API: Invalid TileDB array schema evolution object";
    tiledb_buffer_t = 15, super::buffer_object::BufferObject, "C API: Invalid TileDB buffer object";
    tiledb_buffer_list_t = 16, super::buffer_object::BufferListObject, "C API: Invalid TileDB buffer list object";
    tiledb_fragment_info_t = 17, crate::array::FragmentInfo, "C API: Invalid TileDB fragment_info object";
    tiledb_group_t = 18, crate::group::Group, "C API: Invalid TileDB group object";
    tiledb_subarray_t = 19, super::subarray_object::SubarrayObject, "C API: Invalid TileDB subarray object";
    tiledb_vfs_t = 20, super::vfs::VfsObject, "C API: Invalid TileDB vfs object";
    tiledb_vfs_fh_t = 21, crate::vfs::FileHandle, "C API: Invalid TileDB vfs file handle object";
    tiledb_query_condition_t = 22, super::query_condition::ConditionObject, "Error: Invalid TileDB query condition object";
    tiledb_consolidation_plan_t = 23, crate::maintain::ConsolidationPlan, "Error: Invalid TileDB consolidation plan object";
    tiledb_enumeration_t = 24, crate::schema::Enumeration, "C API: Invalid TileDB enumeration object";
    tiledb_ndrectangle_t = 25, super::domain_object::RectangleObject, "C API: Invalid TileDB tiledb_ndrectangle_t object";
    tiledb_current_domain_t = 26, super::domain_object::CurrentDomainObject, "C API: Invalid TileDB tiledb_current_domain_t object";
    tiledb_profile_t = 27, super::profile::ProfileObject, "C API: Invalid TileDB profile object";
    tiledb_query_channel_t = 28, super::query_aggregate::Channel, "C API: Invalid TileDB tiledb_query_channel_t object";
    tiledb_query_field_t = 31, super::query_field::QueryField, "C API: Invalid TileDB tiledb_query_field_t object";
    tiledb_dimension_label_t = 32, crate::schema::DimensionLabel, "C API: Invalid TileDB dimension label object";
}

impl Handle for tiledb_channel_operation_t {
    type Object = crate::query::aggregate::operation::Aggregate;
    const KIND: Kind = Kind(29);
    const INVALID: &'static str = "C API: Invalid TileDB tiledb_channel_operation_t object";

    fn constant(address: *const Self) -> Option<Arc<Self::Object>> {
        super::query_aggregate::operation_at(address).map(Arc::new)
    }
}

impl Handle for tiledb_channel_operator_t {
    type Object = crate::query::aggregate::operation::Operator;
    const KIND: Kind = Kind(30);
    const INVALID: &'static str = "C API: Invalid TileDB tiledb_channel_operator_handle_t object";

    fn constant(address: *const Self) -> Option<Arc<Self::Object>> {
        super::query_aggregate::operator_at(address).map(Arc::new)
    }
}
