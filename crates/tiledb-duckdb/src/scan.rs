//! The table function `read_tiledb`.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use libduckdb_sys as ffi;

use crate::boundary::{drop_boxed, guarded, into_boxed, text_of};
use crate::parameters::Parameters;
use crate::table::Table;
use crate::vectors::{Vector, capacity};

/// Registers the function.
///
/// # Safety
/// `connection` is open.
pub(crate) unsafe fn register(connection: ffi::duckdb_connection) -> Result<(), String> {
    // SAFETY: DuckDB copies the name, and keeps the callbacks, which are functions of the extension.
    unsafe {
        let mut function = ffi::duckdb_create_table_function();
        ffi::duckdb_table_function_set_name(function, c"read_tiledb".as_ptr());
        Parameters::declare(function);
        ffi::duckdb_table_function_supports_projection_pushdown(function, true);
        ffi::duckdb_table_function_set_bind(function, Some(bind));
        ffi::duckdb_table_function_set_init(function, Some(begin));
        ffi::duckdb_table_function_set_local_init(function, Some(begin_thread));
        ffi::duckdb_table_function_set_function(function, Some(next));
        let state = ffi::duckdb_register_table_function(connection, function);
        ffi::duckdb_destroy_table_function(&raw mut function);
        if state == ffi::DuckDBSuccess { Ok(()) } else { Err("DuckDB does not register read_tiledb".to_owned()) }
    }
}

/// What the threads of a read share.
struct Scan {
    table: Arc<Table>,
    /// Columns of the table, for each column of the result; `None` for one that has no values, which DuckDB asks for to count rows.
    columns: Vec<Option<usize>>,
    /// Those that are read.
    read: Vec<usize>,
    next_part: AtomicUsize,
}

/// The work of a thread.
#[derive(Default)]
struct ThreadScan {
    batches: Option<tiledb::RecordBatches>,
    batch: Option<RecordBatch>,
    /// Rows of the batch that were delivered.
    row: usize,
    /// Rows without columns that are to be delivered.
    counted: u64,
}

unsafe extern "C" fn bind(info: ffi::duckdb_bind_info) {
    let work = || {
        // SAFETY: DuckDB passes the call that it binds, and copies names and types.
        unsafe {
            let table = Table::open(Parameters::of_call(info)?)?;
            for column in &table.columns {
                ffi::duckdb_bind_add_result_column(info, text_of(&column.name).as_ptr(), column.logical_type.as_raw());
            }
            if let Some(rows) = table.rows {
                ffi::duckdb_bind_set_cardinality(info, rows, false);
            }
            ffi::duckdb_bind_set_bind_data(info, into_boxed(Arc::new(table)), Some(drop_boxed::<Arc<Table>>));
        }
        Ok(())
    };
    if let Err(error) = guarded(work) {
        // SAFETY: as above.
        unsafe { ffi::duckdb_bind_set_error(info, text_of(&error).as_ptr()) };
    }
}

unsafe extern "C" fn begin(info: ffi::duckdb_init_info) {
    let work = || {
        // SAFETY: DuckDB passes the read that begins; its bind data are those of `bind`.
        unsafe {
            let table = borrowed::<Arc<Table>>(ffi::duckdb_init_get_bind_data(info))?;
            let columns = (0..ffi::duckdb_init_get_column_count(info)).map(|column| {
                let index = ffi::duckdb_init_get_column_index(info, column) as usize;
                (index < table.columns.len()).then_some(index)
            });
            let columns: Vec<Option<usize>> = columns.collect();
            let read = columns.iter().filter_map(|column| *column).collect();
            let scan = Scan { table: Arc::clone(table), columns, read, next_part: AtomicUsize::new(0) };
            ffi::duckdb_init_set_max_threads(info, table.parts.len().max(1) as u64);
            ffi::duckdb_init_set_init_data(info, into_boxed(scan), Some(drop_boxed::<Scan>));
        }
        Ok(())
    };
    if let Err(error) = guarded(work) {
        // SAFETY: as above.
        unsafe { ffi::duckdb_init_set_error(info, text_of(&error).as_ptr()) };
    }
}

unsafe extern "C" fn begin_thread(info: ffi::duckdb_init_info) {
    // SAFETY: DuckDB passes the read that a thread begins with.
    unsafe {
        ffi::duckdb_init_set_init_data(info, into_boxed(ThreadScan::default()), Some(drop_boxed::<ThreadScan>));
    }
}

unsafe extern "C" fn next(info: ffi::duckdb_function_info, chunk: ffi::duckdb_data_chunk) {
    let work = || {
        // SAFETY: DuckDB passes the data of `begin`, and those of `begin_thread` to one thread at a time.
        let (scan, thread) = unsafe {
            let scan = borrowed::<Scan>(ffi::duckdb_function_get_init_data(info))?;
            let thread: *mut ThreadScan = ffi::duckdb_function_get_local_init_data(info).cast();
            (scan, thread.as_mut().ok_or("read_tiledb: DuckDB passes no state of the thread")?)
        };
        let rows = thread.deliver(scan, chunk)?;
        // SAFETY: as many rows as the vectors of the chunk were filled with.
        unsafe { ffi::duckdb_data_chunk_set_size(chunk, rows as u64) };
        Ok(())
    };
    if let Err(error) = guarded(work) {
        // SAFETY: DuckDB passes the function that runs.
        unsafe { ffi::duckdb_function_set_error(info, text_of(&error).as_ptr()) };
    }
}

/// Data that a callback handed over to DuckDB.
///
/// # Safety
/// `data` is null or was made of a `T`, which lives as long as the callback runs.
unsafe fn borrowed<'a, T>(data: *mut c_void) -> Result<&'a T, String> {
    // SAFETY: as the caller promises.
    unsafe { data.cast::<T>().as_ref() }.ok_or_else(|| "read_tiledb: DuckDB passes no data of the call".to_owned())
}

impl ThreadScan {
    /// Fills a chunk; returns its rows, 0 at the end.
    fn deliver(&mut self, scan: &Scan, chunk: ffi::duckdb_data_chunk) -> Result<usize, String> {
        loop {
            if self.counted > 0 {
                let rows = self.counted.min(capacity() as u64);
                self.counted -= rows;
                return Ok(rows as usize);
            }
            if let Some(batch) = &self.batch {
                let rows = (batch.num_rows() - self.row).min(capacity());
                if rows > 0 {
                    fill(scan, &batch.slice(self.row, rows), chunk)?;
                    self.row += rows;
                    return Ok(rows);
                }
            }
            self.row = 0;
            self.batch =
                self.batches.as_mut().and_then(Iterator::next).transpose().map_err(|error| error.to_string())?;
            if self.batch.is_some() {
                continue;
            }
            let Some(part) = scan.table.parts.get(scan.next_part.fetch_add(1, Ordering::Relaxed)) else { return Ok(0) };
            if scan.read.is_empty() {
                self.counted = scan.table.count(part)?;
            } else {
                self.batches = Some(scan.table.read(part, &scan.read)?);
            }
        }
    }
}

/// Fills a chunk with rows of a batch, which has the columns that have values.
fn fill(scan: &Scan, batch: &RecordBatch, chunk: ffi::duckdb_data_chunk) -> Result<(), String> {
    let filled = scan.columns.iter().enumerate().filter_map(|(place, column)| Some((place, (*column)?)));
    for ((place, column), values) in filled.zip(batch.columns()) {
        let column = &scan.table.columns[column];
        // SAFETY: the chunk has a vector of the column's type at its place.
        let vector = unsafe { Vector::of_chunk(chunk, place) };
        vector.fill(&column.conversion, values).map_err(|error| format!("column '{}': {error}", column.name))?;
    }
    Ok(())
}
