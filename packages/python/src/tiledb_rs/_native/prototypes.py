"""Argument types of the functions of the C interface that the package calls.

A row has the name without ``tiledb_``, the result and the arguments: ``p`` pointer, ``s`` const char*, ``i`` int32_t, ``I`` uint32_t or an
enumeration, ``Q`` uint64_t or size_t, ``B`` uint8_t, ``v`` void. The tests compare the rows with the C headers.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

CODES = {
    "p": ctypes.c_void_p,
    "s": ctypes.c_char_p,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "Q": ctypes.c_uint64,
    "B": ctypes.c_uint8,
    "v": None,
}
FUNCTIONS = """
aggregate_count_get i pp
aggregate_free i pp
array_alloc i psp
array_close i pp
array_create i psp
array_delete_fragments_v2 i psQQ
array_delete_metadata i pps
array_evolve i psp
array_free v p
array_get_enumeration i ppsp
array_get_metadata i ppsppp
array_get_metadata_from_index i ppQppppp
array_get_metadata_num i ppp
array_get_non_empty_domain_from_index i ppIpp
array_get_non_empty_domain_var_from_index i ppIppp
array_get_non_empty_domain_var_size_from_index i ppIppp
array_get_open_timestamp_end i ppp
array_get_open_timestamp_start i ppp
array_get_schema i ppp
array_has_metadata_key i ppspp
array_load_all_enumerations i pp
array_open i ppI
array_put_metadata i ppsIIp
array_schema_add_attribute i ppp
array_schema_add_enumeration i ppp
array_schema_alloc i pIp
array_schema_check i pp
array_schema_evolution_add_attribute i ppp
array_schema_evolution_add_enumeration i ppp
array_schema_evolution_alloc i pp
array_schema_evolution_drop_attribute i pps
array_schema_evolution_expand_current_domain i ppp
array_schema_evolution_extend_enumeration i ppp
array_schema_evolution_free v p
array_schema_evolution_set_timestamp_range i ppQQ
array_schema_free v p
array_schema_get_allows_dups i ppp
array_schema_get_array_type i ppp
array_schema_get_attribute_from_index i ppIp
array_schema_get_attribute_num i ppp
array_schema_get_capacity i ppp
array_schema_get_cell_order i ppp
array_schema_get_coords_filter_list i ppp
array_schema_get_current_domain i ppp
array_schema_get_domain i ppp
array_schema_get_enumeration_from_name i ppsp
array_schema_get_offsets_filter_list i ppp
array_schema_get_tile_order i ppp
array_schema_get_validity_filter_list i ppp
array_schema_get_version i ppp
array_schema_set_allows_dups i ppi
array_schema_set_capacity i ppQ
array_schema_set_cell_order i ppI
array_schema_set_coords_filter_list i ppp
array_schema_set_current_domain i ppp
array_schema_set_domain i ppp
array_schema_set_offsets_filter_list i ppp
array_schema_set_tile_order i ppI
array_schema_set_validity_filter_list i ppp
array_set_open_timestamp_end i ppQ
array_set_open_timestamp_start i ppQ
array_upgrade_version i psp
attribute_alloc i psIp
attribute_free v p
attribute_get_cell_val_num i ppp
attribute_get_enumeration_name i ppp
attribute_get_fill_value i pppp
attribute_get_fill_value_nullable i ppppp
attribute_get_filter_list i ppp
attribute_get_name i ppp
attribute_get_nullable i ppp
attribute_get_type i ppp
attribute_set_cell_val_num i ppI
attribute_set_enumeration_name i pps
attribute_set_fill_value i pppQ
attribute_set_fill_value_nullable i pppQB
attribute_set_filter_list i ppp
attribute_set_nullable i ppB
channel_apply_aggregate i ppsp
channel_operator_max_get i pp
channel_operator_mean_get i pp
channel_operator_min_get i pp
channel_operator_null_count_get i pp
channel_operator_sum_get i pp
config_alloc i pp
config_free v p
config_get i pspp
config_iter_free v p
config_set i pssp
create_unary_aggregate i pppsp
ctx_alloc_with_error i ppp
ctx_cancel_tasks i p
ctx_free v p
ctx_get_config i pp
ctx_get_last_error i pp
current_domain_create i pp
current_domain_free i p
current_domain_get_is_empty i ppp
current_domain_get_ndrectangle i ppp
current_domain_set_ndrectangle i ppp
dimension_alloc i psIppp
dimension_free v p
dimension_get_domain i ppp
dimension_get_filter_list i ppp
dimension_get_name i ppp
dimension_get_tile_extent i ppp
dimension_get_type i ppp
dimension_set_filter_list i ppp
domain_add_dimension i ppp
domain_alloc i pp
domain_free v p
domain_get_dimension_from_index i ppIp
domain_get_ndim i ppp
enumeration_alloc i psIIipQpQp
enumeration_extend i pppQpQp
enumeration_free v p
enumeration_get_cell_val_num i ppp
enumeration_get_data i pppp
enumeration_get_offsets i pppp
enumeration_get_ordered i ppp
enumeration_get_type i ppp
error_free v p
error_message i pp
filter_alloc i pIp
filter_free v p
filter_get_option i ppIp
filter_get_type i ppp
filter_list_add_filter i ppp
filter_list_alloc i pp
filter_list_free v p
filter_list_get_filter_from_index i ppIp
filter_list_get_nfilters i ppp
filter_set_option i ppIp
fragment_info_alloc i psp
fragment_info_free v p
fragment_info_get_cell_num i ppIp
fragment_info_get_fragment_num i ppp
fragment_info_get_fragment_size i ppIp
fragment_info_get_fragment_uri i ppIp
fragment_info_get_non_empty_domain_from_index i ppIIp
fragment_info_get_non_empty_domain_var_from_index i ppIIpp
fragment_info_get_non_empty_domain_var_size_from_index i ppIIpp
fragment_info_get_sparse i ppIp
fragment_info_get_timestamp_range i ppIpp
fragment_info_get_version i ppIp
fragment_info_load i pp
group_add_member i ppsBs
group_alloc i psp
group_close i pp
group_create i ps
group_delete_group i ppsB
group_delete_metadata i pps
group_free v p
group_get_is_relative_uri_by_name i ppsp
group_get_member_by_index_v2 i ppQppp
group_get_member_by_name_v2 i ppspp
group_get_member_count i ppp
group_get_metadata i ppsppp
group_get_metadata_from_index i ppQppppp
group_get_metadata_num i ppp
group_has_metadata_key i ppspp
group_open i ppI
group_put_metadata i ppsIIp
group_remove_member i pps
group_set_config i ppp
ndrectangle_alloc i ppp
ndrectangle_free i p
ndrectangle_get_range i ppIp
ndrectangle_set_range i ppIp
object_ls i pspp
object_move i pss
object_remove i ps
object_type i psp
object_walk i psIpp
query_alloc i ppIp
query_channel_free i pp
query_condition_alloc i pp
query_condition_alloc_set_membership i pspQpQIp
query_condition_combine i pppIp
query_condition_free v p
query_condition_init i ppspQI
query_condition_negate i ppp
query_finalize i pp
query_free v p
query_get_default_channel i ppp
query_get_status i ppp
query_set_condition i ppp
query_set_data_buffer i ppspp
query_set_layout i ppI
query_set_offsets_buffer i ppspp
query_set_subarray_t i ppp
query_set_validity_buffer i ppspp
query_submit i pp
rs_array_compatibility i psppp
rs_array_consolidate i psppp
rs_array_downgrade i pssIpp
rs_array_maintain i pspIpp
rs_array_orphans i pspp
rs_array_rewrite i psspIBpp
rs_array_sweep_watched i pspp
rs_array_vacuum i psppp
rs_array_verify i psppppp
rs_live_handles Q
rs_datetime_from_text i Isp
rs_object_copy i pssBBppp
rs_query_condition_from_text i ppsp
rs_query_from_arrow i pppQppp
rs_query_to_arrow i pppQQp
rs_schema_advise i pspIppp
rs_schema_from_json i psp
rs_schema_to_json i ppp
rs_subarray_part_count i pppppQQp
rs_subarray_partition i ppppQpppp
string_free i p
string_view i ppp
subarray_add_point_ranges i ppIpQ
subarray_add_point_ranges_var i ppIpQpQ
subarray_add_range i ppIppp
subarray_add_range_var i ppIpQpQ
subarray_alloc i ppp
subarray_free v p
subarray_get_range i ppIQppp
subarray_get_range_num i ppIp
subarray_get_range_var i ppIQpp
subarray_get_range_var_size i ppIQpp
subarray_set_subarray i ppp
version v ppp
vfs_alloc i ppp
vfs_close i pp
vfs_copy_dir i ppss
vfs_create_dir i pps
vfs_fh_free v p
vfs_file_size i ppsp
vfs_free v p
vfs_is_dir i ppsp
vfs_is_file i ppsp
vfs_ls i ppspp
vfs_move_dir i ppss
vfs_move_file i ppss
vfs_open i ppsIp
vfs_read i ppQpQ
vfs_remove_dir i pps
vfs_remove_file i pps
vfs_write i pppQ
"""


def declare(library: ctypes.CDLL) -> SimpleNamespace:
    """The declared functions, and no others; libtiledb lacks those that begin with ``tiledb_rs_``."""
    found = SimpleNamespace()
    for row in FUNCTIONS.strip().splitlines():
        name, result, *arguments = row.split()
        try:
            function = getattr(library, f"tiledb_{name}")
        except AttributeError:
            raise ImportError(f"{library._name} has no function tiledb_{name}: it is not the library of this package") from None
        function.restype = CODES[result]
        function.argtypes = [CODES[code] for code in (arguments[0] if arguments else "")]
        setattr(found, f"tiledb_{name}", function)
    return found
