"""Names of configuration parameters: the library stores any, so a misspelled one would have no effect.

The tests compare them with the configuration reference.
"""

from __future__ import annotations

import difflib
import sys
import warnings

# Those whose values are credentials: of the library's table of parameters, with which the tests compare them.
SECRET_NAMES = frozenset(
    """
rest.password
rest.token
rest.username
sm.encryption_key
vfs.azure.storage_account_key
vfs.azure.storage_sas_token
vfs.gcs.external_account_configuration
vfs.gcs.service_account_key
vfs.gcs.workload_identity_configuration
vfs.http.authorization
vfs.s3.aws_access_key_id
vfs.s3.aws_external_id
vfs.s3.aws_secret_access_key
vfs.s3.aws_session_token
vfs.s3.proxy_password
vfs.s3.proxy_username
""".split()
)
SECRET_PREFIXES = ("rest.custom_headers.", "vfs.http.custom_headers.", "vfs.s3.custom_headers.")
NAMES = frozenset(
    """
config.env_var_prefix
config.logging_format
config.logging_level
filestore.buffer_size
profile_dir
profile_name
rest.capnp_traversal_limit
rest.creation_access_credentials_name
rest.curl.buffer_size
rest.curl.retry_errors
rest.curl.tcp_keepalive
rest.curl.verbose
rest.http_compressor
rest.ignore_ssl_validation
rest.load_enumerations_on_array_open
rest.load_enumerations_on_array_open_all_schemas
rest.load_metadata_on_array_open
rest.load_non_empty_domain_on_array_open
rest.min_throughput
rest.password
rest.payer_namespace
rest.progress_timeout_ms
rest.redirect_hosts
rest.resubmit_incomplete
rest.retry_count
rest.retry_delay_factor
rest.retry_http_codes
rest.retry_initial_delay_ms
rest.server_address
rest.server_serialization_format
rest.token
rest.use_refactored_array_open
rest.use_refactored_array_open_and_query_submit
rest.username
sm.advise.properties
sm.advise.slice_cells
sm.advise.slice_sides
sm.allow_separate_attribute_writes
sm.allow_updates_experimental
sm.check_coord_dups
sm.check_coord_oob
sm.check_global_order
sm.chunk_cache_size
sm.compute_concurrency_level
sm.consolidation.amplification
sm.consolidation.buffer_size
sm.consolidation.max_fragment_size
sm.consolidation.mode
sm.consolidation.purge_deleted_cells
sm.consolidation.step_max_frags
sm.consolidation.step_min_frags
sm.consolidation.step_size_ratio
sm.consolidation.steps
sm.consolidation.timestamp_end
sm.consolidation.timestamp_start
sm.dedup_coords
sm.enable_signal_handlers
sm.encryption_key
sm.encryption_type
sm.enumerations_max_size
sm.enumerations_max_total_size
sm.fragment.max_size
sm.fragment_info.preload_mbrs
sm.group.timestamp_end
sm.group.timestamp_start
sm.io_concurrency_level
sm.maintenance.after_write
sm.maintenance.lease_ms
sm.maintenance.max_commits
sm.maintenance.max_fragment_metadata
sm.maintenance.max_fragments
sm.maintenance.retention_ms
sm.maintenance.write_grace_ms
sm.max_tile_overlap_size
sm.mem.consolidation.buffers_weight
sm.mem.consolidation.reader_weight
sm.mem.consolidation.writer_weight
sm.mem.malloc_trim
sm.mem.reader.sparse_global_order.ratio_array_data
sm.mem.reader.sparse_global_order.ratio_coords
sm.mem.reader.sparse_global_order.ratio_tile_ranges
sm.mem.reader.sparse_unordered_with_dups.ratio_array_data
sm.mem.reader.sparse_unordered_with_dups.ratio_coords
sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges
sm.mem.structure_budget
sm.mem.tile_upper_memory_limit
sm.mem.total_budget
sm.memory_budget
sm.memory_budget_var
sm.merge_overlapping_ranges_experimental
sm.partial_tile_offsets_loading
sm.query.condition_evaluator
sm.query.dense.qc_coords_mode
sm.query.dense.reader
sm.query.sparse_global_order.preprocess_tile_merge
sm.query.sparse_global_order.reader
sm.query.sparse_unordered_with_dups.reader
sm.read_range_oob
sm.skip_checksum_validation
sm.skip_est_size_partitioning
sm.skip_unary_partitioning_budget_check
sm.vacuum.mode
sm.var_offsets.bitsize
sm.var_offsets.extra_element
sm.var_offsets.mode
sm.write_format_version
ssl.ca_file
ssl.ca_path
ssl.verify
vfs.azure.blob_endpoint
vfs.azure.block_list_block_size
vfs.azure.is_data_lake_endpoint
vfs.azure.max_parallel_ops
vfs.azure.max_retries
vfs.azure.max_retry_delay_ms
vfs.azure.retry_delay_ms
vfs.azure.storage_account_key
vfs.azure.storage_account_name
vfs.azure.storage_sas_token
vfs.azure.use_block_list_upload
vfs.file.posix_directory_permissions
vfs.file.posix_file_permissions
vfs.file.sync_directories
vfs.gcs.endpoint
vfs.gcs.impersonate_service_account
vfs.gcs.max_direct_upload_size
vfs.gcs.max_parallel_ops
vfs.gcs.multi_part_size
vfs.gcs.project_id
vfs.gcs.request_timeout_ms
vfs.gcs.service_account_key
vfs.gcs.use_multi_part_upload
vfs.gcs.workload_identity_configuration
vfs.http.authorization
vfs.http.connect_timeout_ms
vfs.http.credential_origins
vfs.http.html_listing
vfs.http.index_max_age_ms
vfs.http.link_origins
vfs.http.max_parallel_ops
vfs.http.max_retries
vfs.http.max_retry_delay_ms
vfs.http.max_unranged_size
vfs.http.request_timeout_ms
vfs.http.retry_delay_ms
vfs.log_operations
vfs.max_batch_size
vfs.min_batch_gap
vfs.min_batch_size
vfs.min_parallel_size
vfs.min_throughput
vfs.read_ahead_cache_size
vfs.read_ahead_size
vfs.read_logging_mode
vfs.s3.aws_access_key_id
vfs.s3.aws_external_id
vfs.s3.aws_load_frequency
vfs.s3.aws_role_arn
vfs.s3.aws_secret_access_key
vfs.s3.aws_session_name
vfs.s3.aws_session_token
vfs.s3.bucket_canned_acl
vfs.s3.ca_file
vfs.s3.ca_path
vfs.s3.config_source
vfs.s3.connect_max_tries
vfs.s3.connect_scale_factor
vfs.s3.connect_timeout_ms
vfs.s3.endpoint_override
vfs.s3.install_sigpipe_handler
vfs.s3.logging_level
vfs.s3.max_parallel_ops
vfs.s3.multipart_part_size
vfs.s3.no_sign_request
vfs.s3.object_canned_acl
vfs.s3.proxy_host
vfs.s3.proxy_password
vfs.s3.proxy_port
vfs.s3.proxy_scheme
vfs.s3.proxy_username
vfs.s3.region
vfs.s3.request_timeout_ms
vfs.s3.requester_pays
vfs.s3.retry_strategy
vfs.s3.scheme
vfs.s3.skip_init
vfs.s3.sse
vfs.s3.sse_kms_key_id
vfs.s3.storage_class
vfs.s3.use_multipart_upload
vfs.s3.use_virtual_addressing
vfs.s3.verify_ssl
""".split()
)
# Other names belong to the application, which can keep settings of its own in a configuration.
_SECTIONS = ("config.", "filestore.", "rest.", "sm.", "ssl.", "vfs.")
_HEADERS = ("rest.custom_headers.", "vfs.http.custom_headers.", "vfs.s3.custom_headers.")


def warn_if_unknown(name: str) -> None:
    """Warns of a name that looks like a parameter and is none."""
    if name in NAMES or not name.startswith(_SECTIONS) or name.startswith(_HEADERS):
        return
    meant = difflib.get_close_matches(name, NAMES, 1)
    text = f"there is no configuration parameter {name!r}, which has no effect" + (f"; did you mean {meant[0]!r}?" if meant else "")
    warnings.warn(text, UserWarning, stacklevel=_caller())


def _caller() -> int:
    """How many calls lie between :func:`warn_if_unknown` and the code outside this package."""
    depth, package = 1, __name__.partition(".")[0]
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    return depth


__all__ = ["NAMES", "warn_if_unknown"]
