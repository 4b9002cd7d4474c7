//! Shared by the integration tests: drives any library with the TileDB C interface, ours or the reference, through its symbols.
//!
//! Both libraries export the same names, so each is opened privately with `dlopen` and called
//! through pointers. Every argument of the interface is an integer or a pointer, so one calling
//! shape serves all functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print their figures")]
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "calls foreign functions as a C program does")]

pub mod accepted;
pub mod aggregates;
pub mod conditions;
pub mod corruption;
pub mod cpu_timeout;
pub mod folders;
pub mod golden;
pub mod library;
pub mod library_process;
pub mod lifecycle;
pub mod limits;
pub mod messages;
pub mod misuse;
pub mod operations;
pub mod queries;
pub mod random;
pub mod round_trip;
pub mod seeds;
pub mod servers;
pub mod tables;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub mod trace;
pub mod walk;
pub mod writer_rows;

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// `TILEDB_OK`.
pub const OK: i32 = 0;

/// One loaded library.
pub struct Api {
    library: *mut c_void,
    /// Where it was loaded from.
    pub path: PathBuf,
}

// SAFETY: a loaded library belongs to no thread.
unsafe impl Send for Api {}
// SAFETY: it is only read.
unsafe impl Sync for Api {}

/// A failed call: the function, its code and the context's last error.
#[derive(Debug, Clone)]
pub struct Failure {
    pub function: String,
    pub code: i32,
    pub text: String,
    /// Whether the library is the reference.
    pub by_reference: bool,
}

/// Whether a text continues another one; a text in parentheses may go on inside them.
pub fn continues(text: &str, beginning: &str) -> bool {
    let beginning = beginning.trim_end_matches([')', '.']);
    !beginning.is_empty() && text.starts_with(beginning)
}

/// Failures of two libraries are the same if the text of ours continues that of the reference: name, value and remedy are
/// appended. `capi-tests/abi/errors.txt` has what is appended word for word.
impl PartialEq for Failure {
    fn eq(&self, other: &Failure) -> bool {
        let is_continued = match (self.by_reference, other.by_reference) {
            (true, false) => continues(&other.text, &self.text),
            (false, true) => continues(&self.text, &other.text),
            _ => false,
        };
        (&self.function, self.code) == (&other.function, other.code) && (is_continued || self.text == other.text)
    }
}

impl Eq for Failure {}

type Function = extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i64;

impl Api {
    /// Opens a library privately.
    pub fn open(path: &Path) -> Result<Api, String> {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            let text = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(format!("{}: {}", path.display(), text.to_string_lossy()));
        }
        Ok(Api { library, path: path.to_owned() })
    }

    /// The library of this build.
    pub fn ours() -> Api {
        Api::open(&library::ours()).unwrap()
    }

    /// The reference, if it is there.
    pub fn reference() -> Option<Api> {
        library::reference().map(|path| Api::open(&path).unwrap())
    }

    /// A failure of this library.
    pub fn failure(&self, function: &str, code: i32, text: String) -> Failure {
        let by_reference = self.symbol("tiledb_rs_query_submit").is_none();
        Failure { function: function.to_owned(), code, text, by_reference }
    }

    /// The address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<*mut c_void> {
        let name = CString::new(name).unwrap();
        let address = unsafe { libc::dlsym(self.library, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }

    /// Calls `tiledb_NAME` with these arguments and gives the raw result.
    pub fn raw(&self, name: &str, args: &[u64]) -> i64 {
        let address = self.symbol(&format!("tiledb_{name}")).unwrap_or_else(|| panic!("no tiledb_{name}"));
        let mut a = [0u64; 12];
        a[..args.len()].copy_from_slice(args);
        // Extra integer arguments are harmless in the C calling conventions of 64-bit systems.
        let function: Function = unsafe { std::mem::transmute(address) };
        function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11])
    }

    /// A configuration with these parameters.
    pub fn config(&self, config: &[(&str, &str)]) -> u64 {
        let (mut handle, mut error) = (0u64, 0u64);
        assert_eq!(self.raw("config_alloc", &[address(&mut handle), address(&mut error)]) as i32, OK);
        for (name, value) in config {
            let (name, value) = (text(name), text(value));
            let code = self.raw("config_set", &[handle, pointer(&name), pointer(&value), address(&mut error)]);
            assert_eq!(code as i32, OK, "config_set {name:?} {value:?}");
        }
        handle
    }

    /// A context with these parameters.
    pub fn context(&self, config: &[(&str, &str)]) -> Ctx<'_> {
        let (mut handle, mut ctx) = (self.config(config), 0u64);
        assert_eq!(self.raw("ctx_alloc", &[handle, address(&mut ctx)]) as i32, OK);
        self.raw("config_free", &[address(&mut handle)]);
        Ctx { api: self, handle: ctx }
    }
}

/// The text behind a `const char *` that a library gave.
pub fn borrowed(text: u64) -> String {
    unsafe { CStr::from_ptr(text as *const c_char) }.to_string_lossy().into_owned()
}

/// Sets an environment variable of this process, which has no other thread that reads the environment.
pub fn set_variable(name: &str, value: &str) {
    unsafe { std::env::set_var(name, value) };
}

/// A NUL-ended text.
pub fn text(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// A text as an argument.
pub fn pointer(text: &CStr) -> u64 {
    text.as_ptr() as u64
}

/// A variable's address as an argument.
pub fn address<T>(variable: &mut T) -> u64 {
    std::ptr::from_mut(variable) as u64
}

/// The address of bytes as an argument.
pub fn bytes(bytes: &[u8]) -> u64 {
    bytes.as_ptr() as u64
}

/// Stops a read at one of its calls.
extern "C" fn stop(_: u64, _: u64, calls: &mut u64) -> i32 {
    *calls = calls.saturating_sub(1);
    i32::from(*calls > 0)
}

/// A context of one library; freed when dropped.
pub struct Ctx<'a> {
    pub api: &'a Api,
    pub handle: u64,
}

impl Ctx<'_> {
    /// Calls `tiledb_NAME(ctx, args...)`.
    pub fn call(&self, name: &str, args: &[u64]) -> Result<(), Failure> {
        let mut all = vec![self.handle];
        all.extend_from_slice(args);
        let code = self.api.raw(name, &all) as i32;
        if code == OK {
            return Ok(());
        }
        Err(self.api.failure(name, code, self.last_error()))
    }

    /// Submits a read. Ours are stopped `stops` times before, wherever they are then; that must not matter.
    pub fn submit_read(&self, query: u64, stops: u64) -> Result<(), Failure> {
        for mut calls in (1..=stops).filter(|_| self.api.symbol("tiledb_rs_query_submit").is_some()) {
            let stop: extern "C" fn(u64, u64, &mut u64) -> i32 = stop;
            match self.call("rs_query_submit", &[query, stop as usize as u64, address(&mut calls)]) {
                Err(failure) if failure.text.starts_with("tiledb_rs_query_submit: stopped after") => {}
                // Answers are compared with those of the other library.
                submitted => {
                    return submitted.map_err(|failure| Failure { function: "query_submit".to_owned(), ..failure });
                }
            }
        }
        self.call("query_submit", &[query])
    }

    /// Calls `tiledb_NAME(ctx, handle, config)` with these parameters.
    pub fn configure(&self, name: &str, handle: u64, config: &[(&str, &str)]) -> Result<(), Failure> {
        let mut made = self.api.config(config);
        let outcome = self.call(name, &[handle, made]);
        self.api.raw("config_free", &[address(&mut made)]);
        outcome
    }

    /// The text of the context's last error.
    pub fn last_error(&self) -> String {
        let (mut error, mut message) = (0u64, 0u64);
        self.api.raw("ctx_get_last_error", &[self.handle, address(&mut error)]);
        if error == 0 {
            return String::new();
        }
        self.api.raw("error_message", &[error, address(&mut message)]);
        let text = match message {
            0 => String::new(),
            message => borrowed(message),
        };
        self.api.raw("error_free", &[address(&mut error)]);
        text
    }

    /// Calls a function whose last parameter is an output of at most 64 bits.
    pub fn get(&self, name: &str, args: &[u64]) -> Result<u64, Failure> {
        let mut out = 0u64;
        let mut all = args.to_vec();
        all.push(address(&mut out));
        self.call(name, &all)?;
        Ok(out)
    }

    /// The text of a string handle, which is freed; `None` for null.
    pub fn take_string(&self, mut handle: u64) -> Option<String> {
        if handle == 0 {
            return None;
        }
        let (mut data, mut length) = (0u64, 0usize);
        self.api.raw("string_view", &[handle, address(&mut data), address(&mut length)]);
        let bytes = unsafe { std::slice::from_raw_parts(data as *const u8, length) };
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.api.raw("string_free", &[address(&mut handle)]);
        Some(text)
    }

    /// Frees a handle of this kind: `free("array", handle)`.
    pub fn free(&self, kind: &str, mut handle: u64) {
        self.api.raw(&format!("{kind}_free"), &[address(&mut handle)]);
    }
}

/// What is done with every context before it is freed.
pub static BEFORE_END: OnceLock<fn(&Ctx<'_>)> = OnceLock::new();

impl Drop for Ctx<'_> {
    fn drop(&mut self) {
        if let Some(act) = BEFORE_END.get() {
            act(self);
        }
        self.api.raw("ctx_free", &[address(&mut self.handle)]);
    }
}

/// An open array; closed and freed when dropped.
pub struct Array<'a> {
    pub ctx: &'a Ctx<'a>,
    pub handle: u64,
}

impl<'a> Array<'a> {
    /// Opens the array for `query_type` in a time window.
    pub fn open(
        ctx: &'a Ctx<'a>,
        uri: &str,
        query_type: u64,
        start: Option<u64>,
        end: Option<u64>,
    ) -> Result<Array<'a>, Failure> {
        let uri = text(uri);
        let array = Array { ctx, handle: ctx.get("array_alloc", &[pointer(&uri)])? };
        if let Some(start) = start {
            ctx.call("array_set_open_timestamp_start", &[array.handle, start])?;
        }
        if let Some(end) = end {
            ctx.call("array_set_open_timestamp_end", &[array.handle, end])?;
        }
        ctx.call("array_open", &[array.handle, query_type])?;
        Ok(array)
    }
}

impl Drop for Array<'_> {
    fn drop(&mut self) {
        let _ = self.ctx.call("array_close", &[self.handle]);
        self.ctx.free("array", self.handle);
    }
}

/// The buffers of one field of a query. The sizes live at fixed addresses, as the interface asks.
pub struct Column {
    pub name: CString,
    pub data: Vec<u8>,
    pub offsets: Option<Vec<u64>>,
    pub validity: Option<Vec<u8>>,
    /// Bytes of data, offsets and validity.
    pub sizes: Box<[u64; 3]>,
}

impl Column {
    /// Empty buffers with this room: bytes of data, offsets, validity values.
    pub fn with_capacity(name: &str, data: usize, offsets: Option<usize>, validity: Option<usize>) -> Column {
        Column {
            name: text(name),
            data: vec![0; data],
            offsets: offsets.map(|len| vec![0; len]),
            validity: validity.map(|len| vec![0; len]),
            sizes: Box::new([data as u64, offsets.unwrap_or(0) as u64 * 8, validity.unwrap_or(0) as u64]),
        }
    }

    /// Buffers that hold these cells, to be written.
    pub fn filled(name: &str, cells: Cells) -> Column {
        let len = |len: usize| len as u64;
        let sizes = [
            len(cells.data.len()),
            len(cells.offsets.as_ref().map_or(0, |offsets| offsets.len() * 8)),
            len(cells.validity.as_ref().map_or(0, Vec::len)),
        ];
        let Cells { data, offsets, validity } = cells;
        Column { name: text(name), data, offsets, validity, sizes: Box::new(sizes) }
    }

    /// Sets the buffers on the query.
    pub fn bind(&mut self, ctx: &Ctx<'_>, query: u64) -> Result<(), Failure> {
        let name = pointer(&self.name);
        let [data, offsets, validity] = &mut *self.sizes;
        ctx.call("query_set_data_buffer", &[query, name, self.data.as_mut_ptr() as u64, address(data)])?;
        if let Some(buffer) = &mut self.offsets {
            ctx.call("query_set_offsets_buffer", &[query, name, buffer.as_mut_ptr() as u64, address(offsets)])?;
        }
        if let Some(buffer) = &mut self.validity {
            ctx.call("query_set_validity_buffer", &[query, name, buffer.as_mut_ptr() as u64, address(validity)])?;
        }
        Ok(())
    }

    /// What was read.
    pub fn result(&self) -> Cells {
        Cells {
            data: self.data[..self.sizes[0] as usize].to_vec(),
            offsets: self.offsets.as_ref().map(|offsets| offsets[..self.sizes[1] as usize / 8].to_vec()),
            validity: self.validity.as_ref().map(|validity| validity[..self.sizes[2] as usize].to_vec()),
        }
    }
}

/// The cells of one field of a result.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cells {
    pub data: Vec<u8>,
    pub offsets: Option<Vec<u64>>,
    pub validity: Option<Vec<u8>>,
}

impl Cells {
    /// The same cells, some of them null.
    pub fn nulls(self, validity: &[u8]) -> Cells {
        Cells { validity: Some(validity.to_vec()), ..self }
    }

    /// Cell by cell: its bytes and its validity. `size` is the size of fixed cells.
    pub fn split(&self, size: usize) -> Vec<(Vec<u8>, Option<u8>)> {
        let values: Vec<Vec<u8>> = match &self.offsets {
            None => self.data.chunks(size.max(1)).map(<[u8]>::to_vec).collect(),
            Some(offsets) => {
                let end = |i: usize| offsets.get(i + 1).map_or(self.data.len(), |&end| end as usize);
                let cell = |i: usize| self.data.get(offsets[i] as usize..end(i)).unwrap_or(b"?").to_vec();
                (0..offsets.len()).map(cell).collect()
            }
        };
        let validity = |i: usize| self.validity.as_ref().and_then(|validity| validity.get(i).copied());
        values.into_iter().enumerate().map(|(i, value)| (value, validity(i))).collect()
    }
}
