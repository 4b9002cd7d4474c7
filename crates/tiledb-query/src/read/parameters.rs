//! Validates configuration parameters before a read. Some of them have no other effect in this engine, but invalid values are
//! rejected as by libtiledb, so that mistakes are detected with either library.

use super::spec::ReadSpec;
use tiledb_core::config::{Config, Settings};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Layout;

/// Numbers of bytes or tiles.
const DENSE: [&str; 1] = ["sm.mem.tile_upper_memory_limit"];
const SPARSE: [&str; 2] = ["sm.mem.tile_upper_memory_limit", "sm.query.sparse_global_order.preprocess_tile_merge"];
/// Shares of the memory budget.
const GLOBAL_SHARES: [&str; 3] = [
    "sm.mem.reader.sparse_global_order.ratio_array_data",
    "sm.mem.reader.sparse_global_order.ratio_coords",
    "sm.mem.reader.sparse_global_order.ratio_tile_ranges",
];
const DUPLICATES_SHARES: [&str; 3] = [
    "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data",
    "sm.mem.reader.sparse_unordered_with_dups.ratio_coords",
    "sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges",
];
/// Boolean parameters of libtiledb's size-based partitioning.
const TRUTHS: [&str; 2] = ["sm.skip_est_size_partitioning", "sm.skip_unary_partitioning_budget_check"];

/// Checks the parameters that a read of this kind begins with.
///
/// # Errors
/// For the first value that is wrong, and without threads for reading.
pub fn check(spec: &ReadSpec) -> Result<()> {
    let config = &spec.config;
    let schema = spec.array.schema();
    if spec.condition.is_some() {
        check_evaluator(config)?;
    }
    spec.array.resources().threads().check_files()?;
    let ordered = matches!(spec.layout, Layout::RowMajor | Layout::ColMajor);
    let duplicates = schema.allows_dups() && spec.layout == Layout::Unordered;
    let (numbers, shares, truths): (&[&str], &[&str], &[&str]) = match schema.is_dense() {
        true => (&DENSE, &[], &TRUTHS),
        false if ordered => (&[], &[], &TRUTHS),
        false if duplicates => (&DENSE, &DUPLICATES_SHARES, &["sm.partial_tile_offsets_loading"]),
        false => (&SPARSE, &GLOBAL_SHARES, &[]),
    };
    numbers.iter().filter(|name| config.is_set(name)).try_for_each(|name| config.u64(name).map(drop))?;
    shares.iter().filter(|name| config.is_set(name)).try_for_each(|name| config.f64(name).map(drop))?;
    truths.iter().filter(|name| config.is_set(name)).try_for_each(|name| config.bool(name).map(drop))
}

/// Dense reads that deliver the coordinates of the cells that match a condition, and nothing else.
#[derive(Clone, Copy)]
pub struct OnlyCoordinates(pub bool);

impl Settings for OnlyCoordinates {
    fn parse(config: &Config) -> Result<OnlyCoordinates> {
        Ok(OnlyCoordinates(config.bool("sm.query.dense.qc_coords_mode")?))
    }
}

/// There is one way to evaluate conditions.
fn check_evaluator(config: &Config) -> Result<()> {
    const NAME: &str = "sm.query.condition_evaluator";
    match &*config.str(NAME) {
        "ast" => Ok(()),
        "datafusion" => bail!(
            "Query: Invalid value for parameter '{NAME}': 'datafusion' requires build configuration '-DTILEDB_RUST=ON'"
        ),
        other => bail!("Query: Invalid value for parameter '{NAME}': found '{other}', expected 'datafusion' or 'ast'"),
    }
}
