//! Record batches between the arrow-rs release of `tiledb` and that of DataFusion.
//!
//! Both describe arrays by the structures of the Arrow C data interface, whose layout is fixed. No value is copied.

use std::mem::{ManuallyDrop, transmute_copy};
use std::sync::Arc;

use arrow::array::{Array, RecordBatch, RecordBatchOptions, StructArray};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::ffi;
use arrow_array::{Array as _, RecordBatch as EngineBatch, StructArray as EngineStruct, ffi as engine_ffi};
use arrow_schema::{ArrowError as EngineError, Schema as EngineSchema};
use datafusion::error::{DataFusionError, Result};

const _: () = assert!(size_of::<ffi::FFI_ArrowArray>() == size_of::<engine_ffi::FFI_ArrowArray>());
const _: () = assert!(size_of::<ffi::FFI_ArrowSchema>() == size_of::<engine_ffi::FFI_ArrowSchema>());

/// The same structure as a type of the other release.
fn as_other<A, B>(structure: A) -> B {
    let structure = ManuallyDrop::new(structure);
    // SAFETY: the callers pass `FFI_ArrowArray` and `FFI_ArrowSchema`, which both releases declare as `#[repr(C)]` with the fields of
    // the Arrow C data interface. The original is not dropped, so that the copy is the only owner.
    unsafe { transmute_copy::<A, B>(&structure) }
}

fn external(error: EngineError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// A schema of the engine's release.
pub(crate) fn schema_of(schema: &EngineSchema) -> Result<SchemaRef> {
    let exported = engine_ffi::FFI_ArrowSchema::try_from(schema).map_err(external)?;
    let exported: ffi::FFI_ArrowSchema = as_other(exported);
    Ok(Arc::new(Schema::try_from(&exported)?))
}

/// A batch of the engine's release, with the schema that [`schema_of`] returned for it.
pub(crate) fn batch_of(batch: EngineBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let rows = batch.num_rows();
    let (array, structure) = engine_ffi::to_ffi(&EngineStruct::from(batch).into_data()).map_err(external)?;
    let array: ffi::FFI_ArrowArray = as_other(array);
    let structure: ffi::FFI_ArrowSchema = as_other(structure);
    // SAFETY: `to_ffi` made both structures of one valid array.
    let data = unsafe { ffi::from_ffi(array, &structure) }?;
    let columns = StructArray::from(data).into_parts().1;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

/// The schema of the engine's release.
pub(crate) fn engine_schema_of(schema: &Schema) -> Result<EngineSchema> {
    let exported: engine_ffi::FFI_ArrowSchema = as_other(ffi::FFI_ArrowSchema::try_from(schema)?);
    EngineSchema::try_from(&exported).map_err(external)
}

/// A batch of the engine's release.
pub(crate) fn engine_batch_of(batch: RecordBatch) -> Result<EngineBatch, EngineError> {
    let exported = ffi::to_ffi(&StructArray::from(batch).into_data());
    let (array, structure) = exported.map_err(|error| EngineError::ExternalError(Box::new(error)))?;
    let array: engine_ffi::FFI_ArrowArray = as_other(array);
    let structure: engine_ffi::FFI_ArrowSchema = as_other(structure);
    // SAFETY: `to_ffi` made both structures of one valid array.
    let data = unsafe { engine_ffi::from_ffi(array, &structure) }?;
    Ok(EngineBatch::from(EngineStruct::from(data)))
}
