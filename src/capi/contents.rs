//! Table of handle types: the object of each, and the error for an invalid handle.

use std::sync::Arc;

use super::boundary::Handle;
use super::handles::*;

/// Declares the object of each handle type, and the error for a pointer that is not such a handle.
macro_rules! handles {
    ($($handle:ident = $object:ty, $invalid:literal;)+) => {$(
        impl Handle for $handle {
            type Object = $object;
            const INVALID: &'static str = $invalid;
        }
    )+};
}

handles! {
    tiledb_error_t = super::error_object::ErrorObject, "C API: Invalid TileDB error object";
    tiledb_config_t = super::config::ConfigObject, "C API: Invalid TileDB configuration object";
    tiledb_config_iter_t = super::config::ConfigIter, "C API: Invalid TileDB configuration iterator object";
    tiledb_ctx_t = super::context_object::Context, "C API: Invalid TileDB context object";
    tiledb_filter_t = super::value::Value<tiledb_filters::filter::Filter>, "C API: Invalid TileDB filter object";
    tiledb_filter_list_t = super::value::Value<tiledb_filters::filter::Pipeline>, "C API: Invalid TileDB filter list object";
    tiledb_string_t = super::string::Text, "C API: Invalid TileDB string object";
    tiledb_attribute_t = super::value::Value<tiledb_array::schema::Attribute>, "C API: Invalid TileDB attribute object";
    tiledb_dimension_t = super::value::Value<tiledb_array::schema::Dimension>, "C API: Invalid TileDB dimension object";
    tiledb_domain_t = super::domain_object::DomainObject, "C API: Invalid TileDB domain object";
    tiledb_array_schema_t = super::schema_object::SchemaObject, "C API: Invalid TileDB array_schema object";
    tiledb_query_t = super::query_object::QueryObject, "Error: Invalid TileDB query object";
    tiledb_array_t = super::array_object::ArrayObject, "C API: Invalid TileDB array object";
    tiledb_array_schema_evolution_t = super::schema_object::EvolutionObject, "C API: Invalid TileDB array schema evolution object";
    tiledb_buffer_t = super::buffer_object::BufferObject, "C API: Invalid TileDB buffer object";
    tiledb_buffer_list_t = super::buffer_object::BufferListObject, "C API: Invalid TileDB buffer list object";
    tiledb_fragment_info_t = tiledb_array::array::FragmentInfo, "C API: Invalid TileDB fragment_info object";
    tiledb_group_t = tiledb_array::group::Group, "C API: Invalid TileDB group object";
    tiledb_subarray_t = super::subarray_object::SubarrayObject, "C API: Invalid TileDB subarray object";
    tiledb_vfs_t = super::vfs::VfsObject, "C API: Invalid TileDB vfs object";
    tiledb_vfs_fh_t = tiledb_storage::vfs::FileHandle, "C API: Invalid TileDB vfs file handle object";
    tiledb_query_condition_t = super::query_condition::ConditionObject, "Error: Invalid TileDB query condition object";
    tiledb_consolidation_plan_t = super::consolidation_plan::PlanObject, "Error: Invalid TileDB consolidation plan object";
    tiledb_enumeration_t = tiledb_array::schema::Enumeration, "C API: Invalid TileDB enumeration object";
    tiledb_ndrectangle_t = super::domain_object::RectangleObject, "C API: Invalid TileDB tiledb_ndrectangle_t object";
    tiledb_current_domain_t = super::domain_object::CurrentDomainObject, "C API: Invalid TileDB tiledb_current_domain_t object";
    tiledb_profile_t = super::profile::ProfileObject, "C API: Invalid TileDB profile object";
    tiledb_query_channel_t = super::query_aggregate::Channel, "C API: Invalid TileDB tiledb_query_channel_t object";
    tiledb_query_field_t = super::query_field::QueryField, "C API: Invalid TileDB tiledb_query_field_t object";
    tiledb_dimension_label_t = tiledb_array::schema::DimensionLabel, "C API: Invalid TileDB dimension label object";
}

impl Handle for tiledb_channel_operation_t {
    type Object = tiledb_cells::aggregate::operation::Aggregate;
    const INVALID: &'static str = "C API: Invalid TileDB tiledb_channel_operation_t object";

    fn constant(address: *const Self) -> Option<Arc<Self::Object>> {
        super::query_aggregate::operation_at(address).map(Arc::new)
    }
}

impl Handle for tiledb_channel_operator_t {
    type Object = tiledb_cells::aggregate::operation::AggregateOperator;
    const INVALID: &'static str = "C API: Invalid TileDB tiledb_channel_operator_handle_t object";

    fn constant(address: *const Self) -> Option<Arc<Self::Object>> {
        super::query_aggregate::operator_at(address).map(Arc::new)
    }
}
