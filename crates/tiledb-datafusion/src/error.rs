//! Errors of the engine as those of DataFusion.

use datafusion::error::DataFusionError;

/// An error of the engine.
pub(crate) fn external(error: tiledb::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
