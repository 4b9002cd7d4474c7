//! TileDB arrays from Rust through the C interface: declarations, handles that free themselves, errors as `Result`, a
//! write, reads with a condition on two threads, and results as Arrow. docs/rust.md explains it.
//!
//!     rustc --edition 2024 quickstart.rs $(pkg-config --libs tiledb_rs)

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::process::ExitCode;
use std::{ptr, slice, thread};

/// What the program needs of `tiledb/tiledb.h` and `tiledb/tiledb_rs.h`. Enumerations are `u32`: a number that is not
/// declared here is then no undefined behaviour.
#[allow(non_camel_case_types)]
mod sys {
    use std::ffi::{c_char, c_void};

    macro_rules! opaque {
        ($($name:ident)*) => {
            $(
                #[repr(C)]
                pub struct $name {
                    _private: [u8; 0],
                }
            )*
        };
    }

    opaque! {
        tiledb_array_schema_t tiledb_array_t tiledb_attribute_t tiledb_config_t tiledb_ctx_t tiledb_dimension_t
        tiledb_domain_t tiledb_error_t tiledb_query_condition_t tiledb_query_t
    }

    pub const TILEDB_OK: i32 = 0;
    pub const TILEDB_INT32: u32 = 0;
    pub const TILEDB_UINT32: u32 = 9;
    pub const TILEDB_STRING_UTF8: u32 = 12;
    pub const TILEDB_VAR_NUM: u32 = u32::MAX;
    pub const TILEDB_SPARSE: u32 = 1;
    pub const TILEDB_ROW_MAJOR: u32 = 0;
    pub const TILEDB_UNORDERED: u32 = 3;
    pub const TILEDB_READ: u32 = 0;
    pub const TILEDB_WRITE: u32 = 1;
    pub const TILEDB_INCOMPLETE: u32 = 3;
    pub const TILEDB_LT: u32 = 0;
    pub const TILEDB_GE: u32 = 3;

    unsafe extern "C" {
        pub fn tiledb_ctx_alloc(config: *mut tiledb_config_t, ctx: *mut *mut tiledb_ctx_t) -> i32;
        pub fn tiledb_ctx_free(ctx: *mut *mut tiledb_ctx_t);
        pub fn tiledb_ctx_get_last_error(ctx: *mut tiledb_ctx_t, err: *mut *mut tiledb_error_t) -> i32;
        pub fn tiledb_error_message(err: *mut tiledb_error_t, errmsg: *mut *const c_char) -> i32;
        pub fn tiledb_error_free(err: *mut *mut tiledb_error_t);
        pub fn tiledb_domain_alloc(ctx: *mut tiledb_ctx_t, domain: *mut *mut tiledb_domain_t) -> i32;
        pub fn tiledb_domain_add_dimension(
            ctx: *mut tiledb_ctx_t,
            domain: *mut tiledb_domain_t,
            dim: *mut tiledb_dimension_t,
        ) -> i32;
        pub fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t);
        pub fn tiledb_dimension_alloc(
            ctx: *mut tiledb_ctx_t,
            name: *const c_char,
            datatype: u32,
            dim_domain: *const c_void,
            tile_extent: *const c_void,
            dim: *mut *mut tiledb_dimension_t,
        ) -> i32;
        pub fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t);
        pub fn tiledb_attribute_alloc(
            ctx: *mut tiledb_ctx_t,
            name: *const c_char,
            datatype: u32,
            attr: *mut *mut tiledb_attribute_t,
        ) -> i32;
        pub fn tiledb_attribute_set_cell_val_num(
            ctx: *mut tiledb_ctx_t,
            attr: *mut tiledb_attribute_t,
            cell_val_num: u32,
        ) -> i32;
        pub fn tiledb_attribute_free(attr: *mut *mut tiledb_attribute_t);
        pub fn tiledb_array_schema_alloc(
            ctx: *mut tiledb_ctx_t,
            array_type: u32,
            array_schema: *mut *mut tiledb_array_schema_t,
        ) -> i32;
        pub fn tiledb_array_schema_set_domain(
            ctx: *mut tiledb_ctx_t,
            array_schema: *mut tiledb_array_schema_t,
            domain: *mut tiledb_domain_t,
        ) -> i32;
        pub fn tiledb_array_schema_add_attribute(
            ctx: *mut tiledb_ctx_t,
            array_schema: *mut tiledb_array_schema_t,
            attr: *mut tiledb_attribute_t,
        ) -> i32;
        pub fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t);
        pub fn tiledb_array_create(
            ctx: *mut tiledb_ctx_t,
            array_uri: *const c_char,
            array_schema: *const tiledb_array_schema_t,
        ) -> i32;
        pub fn tiledb_array_alloc(
            ctx: *mut tiledb_ctx_t,
            array_uri: *const c_char,
            array: *mut *mut tiledb_array_t,
        ) -> i32;
        pub fn tiledb_array_open(ctx: *mut tiledb_ctx_t, array: *mut tiledb_array_t, query_type: u32) -> i32;
        pub fn tiledb_array_free(array: *mut *mut tiledb_array_t);
        pub fn tiledb_query_alloc(
            ctx: *mut tiledb_ctx_t,
            array: *mut tiledb_array_t,
            query_type: u32,
            query: *mut *mut tiledb_query_t,
        ) -> i32;
        pub fn tiledb_query_set_layout(ctx: *mut tiledb_ctx_t, query: *mut tiledb_query_t, layout: u32) -> i32;
        pub fn tiledb_query_set_condition(
            ctx: *mut tiledb_ctx_t,
            query: *mut tiledb_query_t,
            cond: *const tiledb_query_condition_t,
        ) -> i32;
        pub fn tiledb_query_set_data_buffer(
            ctx: *mut tiledb_ctx_t,
            query: *mut tiledb_query_t,
            name: *const c_char,
            buffer: *mut c_void,
            buffer_size: *mut u64,
        ) -> i32;
        pub fn tiledb_query_set_offsets_buffer(
            ctx: *mut tiledb_ctx_t,
            query: *mut tiledb_query_t,
            name: *const c_char,
            buffer: *mut u64,
            buffer_size: *mut u64,
        ) -> i32;
        pub fn tiledb_query_submit(ctx: *mut tiledb_ctx_t, query: *mut tiledb_query_t) -> i32;
        pub fn tiledb_query_get_status(ctx: *mut tiledb_ctx_t, query: *mut tiledb_query_t, status: *mut u32) -> i32;
        pub fn tiledb_query_free(query: *mut *mut tiledb_query_t);
        pub fn tiledb_query_condition_alloc(ctx: *mut tiledb_ctx_t, cond: *mut *mut tiledb_query_condition_t) -> i32;
        pub fn tiledb_query_condition_init(
            ctx: *mut tiledb_ctx_t,
            cond: *mut tiledb_query_condition_t,
            attribute_name: *const c_char,
            condition_value: *const c_void,
            condition_value_size: u64,
            op: u32,
        ) -> i32;
        pub fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t);
        pub fn tiledb_rs_query_to_arrow(
            ctx: *mut tiledb_ctx_t,
            query: *mut tiledb_query_t,
            fields: *mut *const c_char,
            field_num: u64,
            batch_bytes: u64,
            stream: *mut c_void,
        ) -> i32;
    }
}

/// A handle of the library, which is freed when it goes out of scope.
struct Handle<T> {
    raw: *mut T,
    free: unsafe extern "C" fn(*mut *mut T),
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: the function belongs to the type of the handle, which is null or was allocated by the library.
        unsafe { (self.free)(&mut self.raw) }
    }
}

// SAFETY: the library does not care on which thread a handle is used or freed.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: calls with the same handle wait for each other where they must.
unsafe impl<T> Sync for Handle<T> {}

/// The text of an error of the library.
#[derive(Debug)]
struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

type Result<T> = std::result::Result<T, Error>;

/// A context: configuration, caches and last error of all calls that are made with it.
struct Context(Handle<sys::tiledb_ctx_t>);

impl Context {
    fn new() -> Result<Self> {
        let mut context = Self(Handle { raw: ptr::null_mut(), free: sys::tiledb_ctx_free });
        // SAFETY: null stands for the default configuration; the handle is valid for a write.
        match unsafe { sys::tiledb_ctx_alloc(ptr::null_mut(), &mut context.0.raw) } {
            sys::TILEDB_OK => Ok(context),
            _ => Err(Error("no context; tiledb_ctx_alloc_with_error has the reason".to_owned())),
        }
    }

    fn raw(&self) -> *mut sys::tiledb_ctx_t {
        self.0.raw
    }

    /// Turns what a function returned into a result with the library's message.
    fn check(&self, code: i32) -> Result<()> {
        if code == sys::TILEDB_OK {
            return Ok(());
        }
        let mut error = Handle { raw: ptr::null_mut(), free: sys::tiledb_error_free };
        let mut message = ptr::null();
        // SAFETY: the outputs are valid for writes; the text is copied before the error handle, which owns it, is freed.
        unsafe {
            sys::tiledb_ctx_get_last_error(self.raw(), &mut error.raw);
            sys::tiledb_error_message(error.raw, &mut message);
            let is_known = !message.is_null();
            let text = if is_known {
                CStr::from_ptr(message).to_string_lossy().into_owned()
            } else {
                "unknown error".to_owned()
            };
            Err(Error(text))
        }
    }

    /// A new handle, which `alloc` creates and `free` will free.
    fn handle<T>(
        &self,
        free: unsafe extern "C" fn(*mut *mut T),
        alloc: impl FnOnce(*mut *mut T) -> i32,
    ) -> Result<Handle<T>> {
        let mut handle = Handle { raw: ptr::null_mut(), free };
        self.check(alloc(&mut handle.raw))?;
        Ok(handle)
    }
}

/// Creates an array of peaks by number: their height in metres, and their name.
fn create(context: &Context, uri: &CStr) -> Result<()> {
    let (ctx, numbers, extent) = (context.raw(), [1_u32, 1000], 100_u32);
    // SAFETY: all handles are alive; domain and extent have the datatype of the dimension, which copies them.
    unsafe {
        let domain = context.handle(sys::tiledb_domain_free, |domain| sys::tiledb_domain_alloc(ctx, domain))?;
        let peak = context.handle(sys::tiledb_dimension_free, |peak| {
            let (numbers, extent) = (numbers.as_ptr().cast(), ptr::from_ref(&extent).cast());
            sys::tiledb_dimension_alloc(ctx, c"peak".as_ptr(), sys::TILEDB_UINT32, numbers, extent, peak)
        })?;
        context.check(sys::tiledb_domain_add_dimension(ctx, domain.raw, peak.raw))?;
        let schema = context.handle(sys::tiledb_array_schema_free, |schema| {
            sys::tiledb_array_schema_alloc(ctx, sys::TILEDB_SPARSE, schema)
        })?;
        context.check(sys::tiledb_array_schema_set_domain(ctx, schema.raw, domain.raw))?;
        for (name, datatype, values) in
            [(c"height", sys::TILEDB_INT32, 1), (c"name", sys::TILEDB_STRING_UTF8, sys::TILEDB_VAR_NUM)]
        {
            let attribute = context.handle(sys::tiledb_attribute_free, |attribute| {
                sys::tiledb_attribute_alloc(ctx, name.as_ptr(), datatype, attribute)
            })?;
            context.check(sys::tiledb_attribute_set_cell_val_num(ctx, attribute.raw, values))?;
            context.check(sys::tiledb_array_schema_add_attribute(ctx, schema.raw, attribute.raw))?;
        }
        context.check(sys::tiledb_array_create(ctx, uri.as_ptr(), schema.raw))
    }
}

/// An open array, which freeing closes. Metadata would only be stored by `tiledb_array_close`.
struct Array {
    handle: Handle<sys::tiledb_array_t>,
    query_type: u32,
}

impl Array {
    fn open(context: &Context, uri: &CStr, query_type: u32) -> Result<Self> {
        // SAFETY: the URI ends with a null byte, and all handles are alive.
        unsafe {
            let alloc = |array| sys::tiledb_array_alloc(context.raw(), uri.as_ptr(), array);
            let handle = context.handle(sys::tiledb_array_free, alloc)?;
            context.check(sys::tiledb_array_open(context.raw(), handle.raw, query_type))?;
            Ok(Self { handle, query_type })
        }
    }
}

/// Types of which every combination of bytes is a value, so that the library may fill buffers with them.
///
/// # Safety
///
/// That must hold for the type.
unsafe trait Plain: Copy {}
// SAFETY: integers are such types.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}

/// A query. The library keeps the addresses of buffers and of their sizes: both are borrowed for as long as the query
/// lives, and are cells because it changes them at every submit.
struct Query<'a> {
    handle: Handle<sys::tiledb_query_t>,
    context: &'a Context,
    buffers: Vec<&'a Cell<u64>>,
}

impl Drop for Query<'_> {
    /// Its only purpose is that the compiler rejects buffers that end before the query: the handle is freed after this.
    fn drop(&mut self) {}
}

impl<'a> Query<'a> {
    fn new(context: &'a Context, array: &Array, layout: u32) -> Result<Self> {
        // SAFETY: all handles are alive.
        unsafe {
            let alloc = |query| sys::tiledb_query_alloc(context.raw(), array.handle.raw, array.query_type, query);
            let handle = context.handle(sys::tiledb_query_free, alloc)?;
            context.check(sys::tiledb_query_set_layout(context.raw(), handle.raw, layout))?;
            Ok(Self { handle, context, buffers: Vec::new() })
        }
    }

    /// Sets the buffer of a field; `bytes` holds how much of it is used after a submit.
    fn set_data<T: Plain>(&mut self, field: &CStr, cells: &'a [Cell<T>], bytes: &'a Cell<u64>) -> Result<()> {
        bytes.set(size_of_val(cells) as u64);
        let (buffer, name) = (cells.as_ptr().cast_mut().cast::<c_void>(), field.as_ptr());
        self.buffers.push(bytes);
        // SAFETY: buffer and size outlive the query, only this thread uses them, and any bytes are values of the type.
        let code = unsafe {
            sys::tiledb_query_set_data_buffer(self.context.raw(), self.handle.raw, name, buffer, bytes.as_ptr())
        };
        self.context.check(code)
    }

    /// Sets where each cell of a variable-length field begins, in bytes.
    fn set_offsets(&mut self, field: &CStr, offsets: &'a [Cell<u64>], bytes: &'a Cell<u64>) -> Result<()> {
        bytes.set(size_of_val(offsets) as u64);
        let (buffer, name) = (offsets.as_ptr().cast_mut().cast::<u64>(), field.as_ptr());
        self.buffers.push(bytes);
        // SAFETY: as above.
        let code = unsafe {
            sys::tiledb_query_set_offsets_buffer(self.context.raw(), self.handle.raw, name, buffer, bytes.as_ptr())
        };
        self.context.check(code)
    }

    /// Only cells whose height compares so are read.
    fn where_height(&mut self, operator: u32, metres: i32) -> Result<()> {
        let ctx = self.context.raw();
        // SAFETY: the value has the datatype of the attribute and is copied, as is the condition.
        unsafe {
            let alloc = |condition| sys::tiledb_query_condition_alloc(ctx, condition);
            let condition = self.context.handle(sys::tiledb_query_condition_free, alloc)?;
            let (value, size) = (ptr::from_ref(&metres).cast(), size_of_val(&metres) as u64);
            let (raw, name) = (condition.raw, c"height".as_ptr());
            self.context.check(sys::tiledb_query_condition_init(ctx, raw, name, value, size, operator))?;
            self.context.check(sys::tiledb_query_set_condition(ctx, self.handle.raw, raw))
        }
    }

    /// Fills the buffers, or writes them; false if there are more results, which the next submit returns.
    fn submit(&mut self) -> Result<bool> {
        let (ctx, query, mut status) = (self.context.raw(), self.handle.raw, 0);
        // SAFETY: the buffers are alive, and no other thread has the query.
        unsafe {
            self.context.check(sys::tiledb_query_submit(ctx, query))?;
            self.context.check(sys::tiledb_query_get_status(ctx, query, &mut status))?;
        }
        if status == sys::TILEDB_INCOMPLETE && self.buffers.iter().all(|bytes| bytes.get() == 0) {
            return Err(Error("the buffers are too small for a single cell".to_owned()));
        }
        Ok(status != sys::TILEDB_INCOMPLETE)
    }
}

fn write(context: &Context, uri: &CStr, peaks: &[(u32, i32, &str)]) -> Result<()> {
    let array = Array::open(context, uri, sys::TILEDB_WRITE)?;
    let numbers: Vec<_> = peaks.iter().map(|peak| Cell::new(peak.0)).collect();
    let heights: Vec<_> = peaks.iter().map(|peak| Cell::new(peak.1)).collect();
    let (mut offsets, mut names) = (Vec::new(), Vec::new());
    for (_, _, name) in peaks {
        offsets.push(Cell::new(names.len() as u64));
        names.extend(name.bytes().map(Cell::new));
    }
    let bytes = [const { Cell::new(0) }; 4];
    let mut query = Query::new(context, &array, sys::TILEDB_UNORDERED)?;
    query.set_data(c"peak", &numbers, &bytes[0])?;
    query.set_data(c"height", &heights, &bytes[1])?;
    query.set_data(c"name", &names, &bytes[2])?;
    query.set_offsets(c"name", &offsets, &bytes[3])?;
    query.submit().map(drop)
}

/// Number and height of the peaks whose height compares so, read into buffers for four at a time.
fn read(context: &Context, array: &Array, operator: u32, metres: i32) -> Result<Vec<(u32, i32)>> {
    let (numbers, heights) = ([const { Cell::new(0_u32) }; 4], [const { Cell::new(0_i32) }; 4]);
    let (number_bytes, height_bytes) = (Cell::new(0), Cell::new(0));
    let mut query = Query::new(context, array, sys::TILEDB_ROW_MAJOR)?;
    query.set_data(c"peak", &numbers, &number_bytes)?;
    query.set_data(c"height", &heights, &height_bytes)?;
    query.where_height(operator, metres)?;
    let mut peaks = Vec::new();
    loop {
        let is_complete = query.submit()?;
        let count = number_bytes.get() as usize / size_of::<u32>();
        peaks.extend(numbers.iter().zip(&heights).take(count).map(|(number, height)| (number.get(), height.get())));
        if is_complete {
            return Ok(peaks);
        }
    }
}

/// The structs of the Arrow C data and stream interfaces; a crate for Arrow has them, too.
mod arrow {
    use std::ffi::{c_char, c_int, c_void};

    #[repr(C)]
    pub struct ArrowSchema {
        pub format: *const c_char,
        pub name: *const c_char,
        pub metadata: *const c_char,
        pub flags: i64,
        pub n_children: i64,
        pub children: *mut *mut ArrowSchema,
        pub dictionary: *mut ArrowSchema,
        pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
        pub private_data: *mut c_void,
    }

    #[repr(C)]
    pub struct ArrowArray {
        pub length: i64,
        pub null_count: i64,
        pub offset: i64,
        pub n_buffers: i64,
        pub n_children: i64,
        pub buffers: *mut *const c_void,
        pub children: *mut *mut ArrowArray,
        pub dictionary: *mut ArrowArray,
        pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
        pub private_data: *mut c_void,
    }

    #[repr(C)]
    pub struct ArrowArrayStream {
        pub get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
        pub get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
        pub get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
        pub release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
        pub private_data: *mut c_void,
    }

    macro_rules! released {
        ($($name:ident)*) => {
            $(
                impl $name {
                    pub fn empty() -> Self {
                        // SAFETY: null pointers, zeros and `None` are values of the fields.
                        unsafe { std::mem::zeroed() }
                    }
                }

                impl Drop for $name {
                    fn drop(&mut self) {
                        if let Some(release) = self.release {
                            // SAFETY: the producer set it, and sets it to null when it is called.
                            unsafe { release(self) }
                        }
                    }
                }
            )*
        };
    }

    released! { ArrowSchema ArrowArray ArrowArrayStream }
}

/// Turns what a function of a stream returned into a result with the stream's message.
fn check_stream(stream: &mut arrow::ArrowArrayStream, code: c_int) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    let message = match stream.get_last_error {
        // SAFETY: the stream was not released.
        Some(get_last_error) => unsafe { get_last_error(stream) },
        None => ptr::null(),
    };
    if message.is_null() {
        return Err(Error(format!("the stream failed with error {code}")));
    }
    // SAFETY: the text is valid until the next call.
    Err(Error(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()))
}

/// Name and height of the peaks from a height on, read as Arrow record batches.
fn read_arrow(context: &Context, array: &Array, metres: i32) -> Result<Vec<(String, i32)>> {
    let mut stream = arrow::ArrowArrayStream::empty();
    let mut query = Query::new(context, array, sys::TILEDB_ROW_MAJOR)?;
    query.where_height(sys::TILEDB_GE, metres)?;
    let mut fields: [*const c_char; 2] = [c"name".as_ptr(), c"height".as_ptr()];
    let (raw, place) = (query.handle.raw, (&raw mut stream).cast::<c_void>());
    // SAFETY: the query has no buffers, and the stream is valid for a write.
    context.check(unsafe { sys::tiledb_rs_query_to_arrow(context.raw(), raw, fields.as_mut_ptr(), 2, 0, place) })?;
    drop(query); // the stream keeps what it needs of it

    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(Error("the stream is released".to_owned()));
    };
    let mut schema = arrow::ArrowSchema::empty();
    // SAFETY: the stream was not released, and the schema is valid for a write.
    let code = unsafe { get_schema(&mut stream, &mut schema) };
    check_stream(&mut stream, code)?;
    // SAFETY: a schema has as many children as it says, each with a format.
    let formats = unsafe {
        let children = slice::from_raw_parts(schema.children, schema.n_children as usize);
        children.iter().map(|child| CStr::from_ptr((**child).format)).collect::<Vec<_>>()
    };
    if formats != [c"U", c"i"] {
        return Err(Error(format!("text and 32-bit integers are expected, and not {formats:?}")));
    }

    let mut peaks = Vec::new();
    loop {
        let mut batch = arrow::ArrowArray::empty();
        // SAFETY: as above.
        let code = unsafe { get_next(&mut stream, &mut batch) };
        check_stream(&mut stream, code)?;
        if batch.release.is_none() {
            return Ok(peaks); // that was the last batch
        }
        // SAFETY: by their formats the columns have these buffers, without nulls as the attributes are not nullable;
        // all are alive until the batch is released, at the end of this block.
        unsafe {
            let (names, heights) = (&**batch.children, &**batch.children.add(1));
            let (offsets, text) = ((*names.buffers.add(1)).cast::<i64>(), (*names.buffers.add(2)).cast::<u8>());
            let metres = (*heights.buffers.add(1)).cast::<i32>();
            for row in 0..batch.length as usize {
                let place = offsets.add(names.offset as usize + row);
                let (start, end) = (*place as usize, *place.add(1) as usize);
                let name = slice::from_raw_parts(text.add(start), end - start);
                let height = *metres.add(heights.offset as usize + row);
                peaks.push((String::from_utf8_lossy(name).into_owned(), height));
            }
        }
    }
}

fn run() -> Result<()> {
    let context = Context::new()?;
    let uri = c"quickstart_rust"; // a folder; or s3://bucket/peaks, mem://peaks, ...
    create(&context, uri)?;
    write(
        &context,
        uri,
        &[
            (1, 4809, "Mont Blanc"),
            (2, 4634, "Dufourspitze"),
            (3, 4545, "Dom"),
            (4, 4478, "Matterhorn"),
            (5, 3798, "Großglockner"),
            (6, 2962, "Zugspitze"),
            (7, 2864, "Triglav"),
        ],
    )?;

    // Threads share a context and an open array; each has queries of its own.
    let array = Array::open(&context, uri, sys::TILEDB_READ)?;
    let (high, low) = thread::scope(|scope| {
        let high = scope.spawn(|| read(&context, &array, sys::TILEDB_GE, 3000));
        let low = read(&context, &array, sys::TILEDB_LT, 3000);
        (high.join().unwrap_or_else(|_| Err(Error("the thread panicked".to_owned()))), low)
    });
    println!("From 3000 m: {:?}", high?);
    println!("Below: {:?}", low?);
    for (name, height) in read_arrow(&context, &array, 3000)? {
        println!("{name}: {height} m");
    }
    if let Err(error) = Array::open(&context, c"mem://nothing", sys::TILEDB_READ) {
        println!("Error: {error}");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
