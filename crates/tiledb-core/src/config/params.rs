//! Every parameter the library knows, in one table: name, default, check, secrecy.
//!
//! Unknown names may be set, too: clients store settings of their own in a configuration.

use crate::suggestion::edit_distance;
use DefaultValue::{Text, Threads, Unset};
use ValueCheck::{Bool, BoolOrEmpty, F32, I64, I64OrEmpty, None, OneOf, U32, U64};

/// One known parameter.
pub(crate) struct Parameter {
    /// Name, such as `sm.check_coord_dups`.
    pub(crate) name: &'static str,
    /// Built-in value.
    pub(crate) default: DefaultValue,
    /// Validation when the parameter is set.
    pub(crate) check: ValueCheck,
    /// Left out of saved files.
    pub(crate) secret: bool,
}

/// The built-in value of a parameter.
pub(crate) enum DefaultValue {
    Text(&'static str),
    /// The number of hardware threads.
    Threads,
    /// No value: the parameter is listed only once it is set.
    Unset,
}

/// Validation of a value when it is set. Most values are validated when they are used.
pub(crate) enum ValueCheck {
    /// Any text.
    None,
    /// `true` or `false` in any case.
    Bool,
    /// As [`ValueCheck::Bool`], or empty.
    BoolOrEmpty,
    /// An unsigned number of 32 bits.
    U32,
    /// An unsigned number of 64 bits.
    U64,
    /// A signed number of 64 bits.
    I64,
    /// As [`ValueCheck::I64`], or empty.
    I64OrEmpty,
    /// A number of single precision.
    F32,
    /// One of these texts; otherwise this error message, in which `{}` is replaced by the value.
    OneOf(&'static [&'static str], &'static str),
}

const LOG_FORMAT: ValueCheck = OneOf(&["DEFAULT", "JSON"], "Config: Invalid logging format parameter value");
const SERIALIZATION: ValueCheck = OneOf(&["CAPNP", "JSON"], "Error: Invalid SerializationType {}");
const OFFSETS_MODE: ValueCheck = OneOf(&["bytes", "elements"], "Config: Invalid offsets format parameter value");
const S3_SCHEME: ValueCheck = OneOf(&["http", "https"], "Config: Invalid S3 scheme parameter value");
const RETRY_STRATEGY: ValueCheck =
    OneOf(&["standard", "adaptive", "legacy", ""], "Config: Invalid S3 retry strategy parameter value");
const BUCKET_ACL: ValueCheck = OneOf(
    &["NOT_SET", "private_", "public_read", "public_read_write", "authenticated_read"],
    "Error: value vfs.s3.bucket_canned_acl invalid canned acl for vfs.s3.bucket_canned_acl",
);
const OBJECT_ACL: ValueCheck = OneOf(
    &[
        "NOT_SET",
        "private_",
        "public_read",
        "public_read_write",
        "authenticated_read",
        "aws_exec_read",
        "bucket_owner_read",
        "bucket_owner_full_control",
    ],
    "Error: value vfs.s3.object_canned_acl invalid canned acl for vfs.s3.object_canned_acl",
);

/// The parameter of this name.
pub(crate) fn find(name: &str) -> Option<&'static Parameter> {
    let mut slot = hash(name.as_bytes());
    loop {
        let parameter = PARAMETERS.get(usize::from(SLOTS[slot % SLOTS.len()].checked_sub(1)?))?;
        if parameter.name == name {
            return Some(parameter);
        }
        slot += 1;
    }
}

/// Number of parameters, counted from 1, by the hash of their names, or the next free slot; 0 for none. Several per
/// parameter, so that most are in their own.
static SLOTS: [u16; 1024] = {
    let mut slots = [0; 1024];
    let mut index = 0;
    while index < PARAMETERS.len() {
        let mut slot = hash(PARAMETERS[index].name.as_bytes());
        while slots[slot % slots.len()] != 0 {
            slot += 1;
        }
        index += 1;
        slots[slot % slots.len()] = index as u16;
    }
    slots
};

/// Of the length and the last eight bytes: names with the same prefix differ at the end.
const fn hash(name: &[u8]) -> usize {
    let mut word = 0;
    let mut at = name.len().saturating_sub(8);
    while at < name.len() {
        word = word << 8 ^ name[at] as u64;
        at += 1;
    }
    word = word.wrapping_add(name.len() as u64);
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

/// Below these prefixes any name is a parameter.
const HEADERS: [&str; 3] = ["rest.custom_headers.", "vfs.http.custom_headers.", "vfs.s3.custom_headers."];

/// True for the name of a header that requests carry.
pub(crate) fn is_header(name: &str) -> bool {
    HEADERS.iter().any(|prefix| name.strip_prefix(prefix).is_some_and(|header| !header.is_empty()))
}

/// Names of accounts and roles: libtiledb saves none of them, but they open nothing by themselves.
pub(super) const IDENTITIES: [&str; 5] = [
    "vfs.azure.storage_account_name",
    "vfs.gcs.impersonate_service_account",
    "vfs.s3.aws_load_frequency",
    "vfs.s3.aws_role_arn",
    "vfs.s3.aws_session_name",
];

/// The parameter whose name is closest to another name, and the edit distance.
pub(crate) fn closest(name: &str) -> Option<(usize, &'static str)> {
    PARAMETERS.iter().map(|known| (edit_distance(name, known.name), known.name)).min()
}

const fn open(name: &'static str, default: DefaultValue, check: ValueCheck) -> Parameter {
    Parameter { name, default, check, secret: false }
}

const fn secret(name: &'static str, default: DefaultValue, check: ValueCheck) -> Parameter {
    Parameter { name, default, check, secret: true }
}

/// Default prefix of environment variables.
pub(crate) const ENVIRONMENT_PREFIX: &str = "TILEDB_";

/// The parameters, sorted by name.
pub(crate) static PARAMETERS: &[Parameter] = &[
    open("config.env_var_prefix", Text(ENVIRONMENT_PREFIX), None),
    open("config.logging_format", Text("DEFAULT"), LOG_FORMAT),
    open("config.logging_level", Text("0"), U32),
    open("filestore.buffer_size", Text("104857600"), None),
    open("profile_dir", Text(""), None),
    open("profile_name", Text(""), None),
    open("rest.capnp_traversal_limit", Text("2147483648"), None),
    open("rest.creation_access_credentials_name", Unset, None),
    open("rest.curl.buffer_size", Text("524288"), None),
    open("rest.curl.retry_errors", Text("true"), None),
    open("rest.curl.tcp_keepalive", Text("true"), Bool),
    open("rest.curl.verbose", Text("false"), None),
    open("rest.http_compressor", Text("any"), None),
    open("rest.ignore_ssl_validation", Unset, None),
    open("rest.load_enumerations_on_array_open", Text("false"), None),
    open("rest.load_enumerations_on_array_open_all_schemas", Text("false"), None),
    open("rest.load_metadata_on_array_open", Text("true"), None),
    open("rest.load_non_empty_domain_on_array_open", Text("true"), None),
    open("rest.min_throughput", Unset, U64),
    secret("rest.password", Unset, None),
    open("rest.payer_namespace", Text(""), None),
    open("rest.progress_timeout_ms", Unset, U64),
    open("rest.redirect_hosts", Unset, None),
    open("rest.resubmit_incomplete", Unset, None),
    open("rest.retry_count", Text("25"), None),
    open("rest.retry_delay_factor", Text("1.25"), None),
    open("rest.retry_http_codes", Text("503"), None),
    open("rest.retry_initial_delay_ms", Text("500"), None),
    open("rest.server_address", Text("https://api.tiledb.com"), None),
    open("rest.server_serialization_format", Text("CAPNP"), SERIALIZATION),
    secret("rest.token", Unset, None),
    open("rest.use_refactored_array_open", Text("true"), None),
    open("rest.use_refactored_array_open_and_query_submit", Text("true"), None),
    secret("rest.username", Unset, None),
    open("sm.advise.properties", Unset, None),
    open("sm.advise.slice_cells", Unset, U64),
    open("sm.advise.slice_sides", Unset, None),
    open("sm.allow_separate_attribute_writes", Text("false"), Bool),
    open("sm.allow_updates_experimental", Text("false"), Bool),
    open("sm.check_coord_dups", Text("true"), Bool),
    open("sm.check_coord_oob", Text("true"), Bool),
    open("sm.check_global_order", Text("true"), Bool),
    open("sm.chunk_cache_size", Unset, U64),
    open("sm.compute_concurrency_level", Threads, U64),
    open("sm.consolidation.amplification", Text("1.0"), F32),
    open("sm.consolidation.buffer_size", Text("50000000"), U64),
    open("sm.consolidation.max_fragment_size", Text("18446744073709551615"), U64),
    open("sm.consolidation.mode", Text("fragments"), None),
    open("sm.consolidation.purge_deleted_cells", Text("false"), Bool),
    open("sm.consolidation.step_max_frags", Text("4294967295"), U32),
    open("sm.consolidation.step_min_frags", Text("4294967295"), U32),
    open("sm.consolidation.step_size_ratio", Text("0.0"), F32),
    open("sm.consolidation.steps", Text("4294967295"), U32),
    open("sm.consolidation.timestamp_end", Text("18446744073709551615"), None),
    open("sm.consolidation.timestamp_start", Text("0"), None),
    open("sm.dedup_coords", Text("false"), Bool),
    open("sm.enable_signal_handlers", Text("true"), Bool),
    secret("sm.encryption_key", Text(""), None),
    open("sm.encryption_type", Text("NO_ENCRYPTION"), None),
    open("sm.enumerations_max_size", Text("10485760"), None),
    open("sm.enumerations_max_total_size", Text("52428800"), None),
    open("sm.fragment.max_size", Unset, None),
    open("sm.fragment_info.preload_mbrs", Text("false"), Bool),
    open("sm.group.timestamp_end", Text("18446744073709551615"), None),
    open("sm.group.timestamp_start", Text("0"), None),
    open("sm.io_concurrency_level", Threads, U64),
    open("sm.maintenance.after_write", Unset, Bool),
    open("sm.maintenance.lease_ms", Unset, U64),
    open("sm.maintenance.max_commits", Unset, U64),
    open("sm.maintenance.max_fragment_metadata", Unset, U64),
    open("sm.maintenance.max_fragments", Unset, U64),
    open("sm.maintenance.retention_ms", Unset, U64),
    open("sm.maintenance.write_grace_ms", Unset, U64),
    open("sm.max_tile_overlap_size", Text("314572800"), None),
    open("sm.mem.consolidation.buffers_weight", Text("1"), None),
    open("sm.mem.consolidation.reader_weight", Text("3"), None),
    open("sm.mem.consolidation.writer_weight", Text("2"), None),
    open("sm.mem.malloc_trim", Text("true"), None),
    open("sm.mem.reader.sparse_global_order.ratio_array_data", Text("0.1"), None),
    open("sm.mem.reader.sparse_global_order.ratio_coords", Text("0.5"), None),
    open("sm.mem.reader.sparse_global_order.ratio_tile_ranges", Text("0.1"), None),
    open("sm.mem.reader.sparse_unordered_with_dups.ratio_array_data", Text("0.1"), None),
    open("sm.mem.reader.sparse_unordered_with_dups.ratio_coords", Text("0.5"), None),
    open("sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges", Text("0.1"), None),
    open("sm.mem.structure_budget", Unset, U64),
    open("sm.mem.tile_upper_memory_limit", Text("1073741824"), None),
    open("sm.mem.total_budget", Text("10737418240"), None),
    open("sm.memory_budget", Text("5368709120"), U64),
    open("sm.memory_budget_var", Text("10737418240"), U64),
    open("sm.merge_overlapping_ranges_experimental", Text("true"), Bool),
    open("sm.partial_tile_offsets_loading", Text("false"), None),
    open("sm.query.condition_evaluator", Text("ast"), None),
    open("sm.query.dense.qc_coords_mode", Text("false"), None),
    open("sm.query.dense.reader", Text("refactored"), None),
    open("sm.query.sparse_global_order.preprocess_tile_merge", Text("32768"), None),
    open("sm.query.sparse_global_order.reader", Text("refactored"), None),
    open("sm.query.sparse_unordered_with_dups.reader", Text("refactored"), None),
    open("sm.read_range_oob", Text("warn"), None),
    open("sm.skip_checksum_validation", Text("false"), None),
    open("sm.skip_est_size_partitioning", Text("false"), None),
    open("sm.skip_unary_partitioning_budget_check", Text("false"), None),
    open("sm.vacuum.mode", Text("fragments"), None),
    open("sm.var_offsets.bitsize", Text("64"), U32),
    open("sm.var_offsets.extra_element", Text("false"), Bool),
    open("sm.var_offsets.mode", Text("bytes"), OFFSETS_MODE),
    open("sm.write_format_version", Unset, U32),
    open("ssl.ca_file", Text(""), None),
    open("ssl.ca_path", Text(""), None),
    open("ssl.verify", Text("true"), Bool),
    open("vfs.azure.blob_endpoint", Text(""), None),
    open("vfs.azure.block_list_block_size", Text("5242880"), None),
    open("vfs.azure.is_data_lake_endpoint", Text(""), BoolOrEmpty),
    open("vfs.azure.max_parallel_ops", Threads, None),
    open("vfs.azure.max_retries", Text("5"), None),
    open("vfs.azure.max_retry_delay_ms", Text("60000"), None),
    open("vfs.azure.retry_delay_ms", Text("800"), None),
    secret("vfs.azure.storage_account_key", Text(""), None),
    secret("vfs.azure.storage_account_name", Text(""), None),
    secret("vfs.azure.storage_sas_token", Text(""), None),
    open("vfs.azure.use_block_list_upload", Text("true"), None),
    open("vfs.file.posix_directory_permissions", Text("755"), U32),
    open("vfs.file.posix_file_permissions", Text("644"), U32),
    open("vfs.file.sync_directories", Unset, None),
    open("vfs.gcs.endpoint", Text(""), None),
    secret("vfs.gcs.impersonate_service_account", Text(""), None),
    open("vfs.gcs.max_direct_upload_size", Text("10737418240"), None),
    open("vfs.gcs.max_parallel_ops", Threads, None),
    open("vfs.gcs.multi_part_size", Text("5242880"), None),
    open("vfs.gcs.project_id", Text(""), None),
    open("vfs.gcs.request_timeout_ms", Text("3000"), None),
    secret("vfs.gcs.service_account_key", Text(""), None),
    open("vfs.gcs.use_multi_part_upload", Text("true"), None),
    secret("vfs.gcs.workload_identity_configuration", Text(""), None),
    secret("vfs.http.authorization", Unset, None),
    open("vfs.http.connect_timeout_ms", Unset, U64),
    open("vfs.http.credential_origins", Unset, None),
    open("vfs.http.html_listing", Unset, Bool),
    open("vfs.http.index_max_age_ms", Unset, U64),
    open("vfs.http.link_origins", Unset, None),
    open("vfs.http.max_parallel_ops", Unset, U64),
    open("vfs.http.max_retries", Unset, U64),
    open("vfs.http.max_retry_delay_ms", Unset, U64),
    open("vfs.http.max_unranged_size", Unset, U64),
    open("vfs.http.request_timeout_ms", Unset, U64),
    open("vfs.http.retry_delay_ms", Unset, U64),
    open("vfs.log_operations", Text("false"), None),
    open("vfs.max_batch_size", Text("104857600"), U64),
    open("vfs.min_batch_gap", Text("512000"), U64),
    open("vfs.min_batch_size", Text("20971520"), U64),
    open("vfs.min_parallel_size", Text("10485760"), U64),
    open("vfs.min_throughput", Unset, U64),
    open("vfs.read_ahead_cache_size", Text("10485760"), U64),
    open("vfs.read_ahead_size", Text("102400"), U64),
    open("vfs.read_logging_mode", Text(""), None),
    secret("vfs.s3.aws_access_key_id", Text(""), None),
    secret("vfs.s3.aws_external_id", Text(""), None),
    secret("vfs.s3.aws_load_frequency", Text(""), None),
    secret("vfs.s3.aws_role_arn", Text(""), None),
    secret("vfs.s3.aws_secret_access_key", Text(""), None),
    secret("vfs.s3.aws_session_name", Text(""), None),
    secret("vfs.s3.aws_session_token", Text(""), None),
    open("vfs.s3.bucket_canned_acl", Text("NOT_SET"), BUCKET_ACL),
    open("vfs.s3.ca_file", Text(""), None),
    open("vfs.s3.ca_path", Text(""), None),
    open("vfs.s3.config_source", Text("auto"), None),
    open("vfs.s3.connect_max_tries", Text("5"), I64OrEmpty),
    open("vfs.s3.connect_scale_factor", Text("25"), I64),
    open("vfs.s3.connect_timeout_ms", Text("10800"), I64),
    open("vfs.s3.endpoint_override", Text(""), None),
    open("vfs.s3.install_sigpipe_handler", Text("true"), None),
    open("vfs.s3.logging_level", Text("Off"), None),
    open("vfs.s3.max_parallel_ops", Threads, U64),
    open("vfs.s3.multipart_part_size", Text("5242880"), U64),
    open("vfs.s3.no_sign_request", Text("false"), Bool),
    open("vfs.s3.object_canned_acl", Text("NOT_SET"), OBJECT_ACL),
    open("vfs.s3.proxy_host", Text(""), None),
    secret("vfs.s3.proxy_password", Text(""), None),
    open("vfs.s3.proxy_port", Text("0"), I64),
    open("vfs.s3.proxy_scheme", Text("http"), None),
    secret("vfs.s3.proxy_username", Text(""), None),
    open("vfs.s3.region", Text(""), None),
    open("vfs.s3.request_timeout_ms", Text("3000"), I64),
    open("vfs.s3.requester_pays", Text("false"), Bool),
    open("vfs.s3.retry_strategy", Unset, RETRY_STRATEGY),
    open("vfs.s3.scheme", Text("https"), S3_SCHEME),
    open("vfs.s3.skip_init", Text("false"), None),
    open("vfs.s3.sse", Text(""), None),
    open("vfs.s3.sse_kms_key_id", Text(""), None),
    open("vfs.s3.storage_class", Text("NOT_SET"), None),
    open("vfs.s3.use_multipart_upload", Text("true"), Bool),
    open("vfs.s3.use_virtual_addressing", Text("true"), Bool),
    open("vfs.s3.verify_ssl", Text("true"), Bool),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_looked_up_in_ascending_order() {
        assert!(PARAMETERS.windows(2).all(|pair| pair[0].name < pair[1].name));
        for parameter in PARAMETERS {
            assert!(std::ptr::eq(find(parameter.name).unwrap(), parameter));
        }
        assert!(find("sm.none").is_none());
    }

    #[test]
    fn unknown_name_with_the_hash_of_a_parameter_is_rejected() {
        let slots = PARAMETERS.iter().map(|parameter| hash(parameter.name.as_bytes()));
        let first_slots: std::collections::HashSet<usize> = slots.collect();
        assert!(first_slots.len() < PARAMETERS.len(), "no two parameters share a slot: collisions are not tested");
        for parameter in PARAMETERS.iter().filter(|parameter| parameter.name.len() > 8) {
            let other = parameter.name.replacen(|_: char| true, "#", 1);
            assert_eq!(hash(other.as_bytes()), hash(parameter.name.as_bytes()));
            assert!(find(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn every_parameter_is_documented_with_its_default() {
        let documentation = include_str!("../../../../docs/configuration.md");
        // The table of parameters without effect comes after the reference tables: name, type, default, description.
        let reference = documentation.split("## Accepted, without effect").next().unwrap();
        let rows = reference.lines().filter(|line| line.starts_with("| `"));
        let rows: Vec<Vec<&str>> =
            rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect();
        assert_eq!(rows.len(), PARAMETERS.len());
        for parameter in PARAMETERS {
            let default = match parameter.default {
                Text("") => "empty".to_owned(),
                Text(text) => format!("`{text}`"),
                Threads => "number of hardware threads".to_owned(),
                Unset => "not set".to_owned(),
            };
            let name = format!("`{}`", parameter.name);
            let row = rows.iter().find(|row| row[0] == name);
            let documented = row.filter(|row| row.len() == 4 && row[2] == default && row[3].ends_with('.'));
            assert!(documented.is_some(), "docs/configuration.md lacks {name} with the default {default}: {row:?}");
        }
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (one, other, distance) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("flaw", "lawn", 2)] {
            assert_eq!((edit_distance(one, other), edit_distance(other, one)), (distance, distance));
        }
    }
}
