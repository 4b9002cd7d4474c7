//! Structures of the Arrow C data and stream interfaces, and owners of exported ones.
//!
//! # Safety contract
//!
//! The consumer of a structure calls its `release` once, or moves the structure (including children) and sets `release`
//! of the source to null. Pointers in it are valid until then. A callback is called with the structure that it belongs
//! to, those of a stream on any number of threads, but none during or after its `release`. Our callbacks never unwind; those of
//! others may throw.
#![expect(unsafe_code, reason = "structures of C with callbacks")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::aligned_buffer::AlignedBuffer;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Error, ErrorKind, Result};

/// Cells may be null.
pub(crate) const NULLABLE: i64 = 2;
/// The values of a dictionary have an order.
pub(crate) const ORDERED: i64 = 1;

/// A type.
#[repr(C)]
pub(crate) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) child_count: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C-unwind" fn(*mut ArrowSchema)>,
    private: *mut c_void,
}

/// Values of a type.
#[repr(C)]
pub(crate) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) buffer_count: i64,
    pub(super) child_count: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C-unwind" fn(*mut ArrowArray)>,
    private: *mut c_void,
}

/// Record batches, one after the other.
#[repr(C)]
pub(crate) struct ArrowArrayStream {
    pub(super) get_schema: Option<unsafe extern "C-unwind" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(super) get_next: Option<unsafe extern "C-unwind" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C-unwind" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C-unwind" fn(*mut ArrowArrayStream)>,
    private: *mut c_void,
}

/// A type to export.
#[derive(Clone, Debug, Default)]
pub struct SchemaNode {
    pub format: String,
    pub name: String,
    /// Keys and values.
    pub metadata: Vec<(&'static str, String)>,
    pub flags: i64,
    pub children: Vec<SchemaNode>,
    pub dictionary: Option<Box<SchemaNode>>,
}

/// An array to export.
#[derive(Clone, Default)]
pub struct ArrayNode {
    pub length: usize,
    pub null_count: usize,
    /// A bitmap may be missing.
    pub buffers: Vec<Option<Arc<AlignedBuffer>>>,
    pub children: Vec<ArrayNode>,
    pub dictionary: Option<Box<ArrayNode>>,
}

/// Owner of an exported schema.
struct SchemaOwner {
    _texts: [CString; 2],
    _metadata: Vec<u8>,
    children: Vec<*mut ArrowSchema>,
    dictionary: *mut ArrowSchema,
}

/// Owner of an exported array.
struct ArrayOwner {
    pointers: Vec<*const c_void>,
    _blocks: Vec<Option<Arc<AlignedBuffer>>>,
    children: Vec<*mut ArrowArray>,
    dictionary: *mut ArrowArray,
}

fn text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

impl SchemaNode {
    fn metadata_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if !self.metadata.is_empty() {
            bytes.extend((self.metadata.len() as i32).to_ne_bytes());
            for text in self.metadata.iter().flat_map(|(key, value)| [*key, value.as_str()]) {
                bytes.extend((text.len() as i32).to_ne_bytes());
                bytes.extend(text.as_bytes());
            }
        }
        bytes
    }

    fn export(self) -> ArrowSchema {
        let format = text(&self.format);
        let name = text(&self.name);
        let metadata = self.metadata_bytes();
        let children = self.children.into_iter().map(|child| Box::into_raw(Box::new(child.export()))).collect();
        let dictionary = self.dictionary.map_or(std::ptr::null_mut(), |node| Box::into_raw(Box::new(node.export())));
        let pointers = (format.as_ptr(), name.as_ptr(), metadata.as_ptr());
        let has_metadata = !metadata.is_empty();
        let mut owner = Box::new(SchemaOwner { _texts: [format, name], _metadata: metadata, children, dictionary });
        ArrowSchema {
            format: pointers.0,
            name: pointers.1,
            metadata: if has_metadata { pointers.2.cast() } else { std::ptr::null() },
            flags: self.flags,
            child_count: owner.children.len() as i64,
            children: owner.children.as_mut_ptr(),
            dictionary,
            release: Some(release_schema),
            private: Box::into_raw(owner).cast(),
        }
    }
}

impl ArrayNode {
    fn export(self) -> ArrowArray {
        let address = |block: &Option<Arc<AlignedBuffer>>| {
            block.as_ref().map_or(std::ptr::null(), |block| block.address().cast())
        };
        let pointers = self.buffers.iter().map(address).collect();
        let children = self.children.into_iter().map(|child| Box::into_raw(Box::new(child.export()))).collect();
        let dictionary = self.dictionary.map_or(std::ptr::null_mut(), |node| Box::into_raw(Box::new(node.export())));
        let mut owner = Box::new(ArrayOwner { pointers, _blocks: self.buffers, children, dictionary });
        ArrowArray {
            length: self.length as i64,
            null_count: self.null_count as i64,
            offset: 0,
            buffer_count: owner.pointers.len() as i64,
            child_count: owner.children.len() as i64,
            buffers: owner.pointers.as_mut_ptr(),
            children: owner.children.as_mut_ptr(),
            dictionary,
            release: Some(release_array),
            private: Box::into_raw(owner).cast(),
        }
    }
}

/// The two callbacks are alike.
macro_rules! release {
    ($name:ident $structure:ident $owner:ident) => {
        unsafe extern "C-unwind" fn $name(released: *mut $structure) {
            // SAFETY: by the contract of this file `released` was created by `export`, and its owner still exists;
            // children are ours or were moved from, in which case their `release` is null.
            unsafe {
                let Some(released) = released.as_mut() else { return };
                if released.release.take().is_none() || released.private.is_null() {
                    return;
                }
                let owner =
                    Box::from_raw(std::mem::replace(&mut released.private, std::ptr::null_mut()).cast::<$owner>());
                for &child in owner.children.iter().chain([&owner.dictionary]).filter(|child| !child.is_null()) {
                    if let Some(release) = (*child).release {
                        release(child);
                    }
                    drop(Box::from_raw(child));
                }
            }
        }
    };
}
release!(release_schema ArrowSchema SchemaOwner);
release!(release_array ArrowArray ArrayOwner);

/// Source of the batches of an exported stream.
pub trait BatchSource: Send {
    /// The type of the batches.
    ///
    /// # Errors
    /// If it cannot be determined.
    fn schema(&mut self) -> Result<SchemaNode>;

    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// If it cannot be read.
    fn next(&mut self) -> Result<Option<ArrayNode>>;
}

/// Runs the body of a callback, so that panics do not unwind into C.
pub(crate) type CallbackGuard = fn(&mut dyn FnMut() -> Result<()>) -> Result<()>;

/// Threads that use a stream together, as readers of Arrow libraries allow, take turns.
struct StreamOwner {
    guard: CallbackGuard,
    state: Mutex<StreamState>,
}

struct StreamState {
    batches: Box<dyn BatchSource>,
    error: Option<CString>,
}

/// Exports a stream to a caller's structure.
pub fn export_stream(batches: Box<dyn BatchSource>, guard: CallbackGuard, out: UserPtr<u8>) {
    let owner = Box::new(StreamOwner { guard, state: Mutex::new(StreamState { batches, error: None }) });
    let stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private: Box::into_raw(owner).cast(),
    };
    // SAFETY: the function that receives the address requires it to be writable memory for a stream.
    unsafe { out.address().cast::<ArrowArrayStream>().write_unaligned(stream) };
}

impl StreamOwner {
    fn lock(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer<T>(&self, out: *mut T, work: impl Fn(&mut dyn BatchSource) -> Result<T>) -> c_int {
        let mut state = self.lock();
        let StreamState { batches, error } = &mut *state;
        let mut result = None;
        let done = (self.guard)(&mut || {
            if out.is_null() {
                return Err(Error::invalid("Arrow stream: the output pointer is null; pass a structure"));
            }
            result = Some(work(&mut **batches)?);
            Ok(())
        });
        match (done, result) {
            (Ok(()), Some(result)) => {
                *error = None;
                // SAFETY: not null; the caller's memory for the result of the callback.
                unsafe { out.write_unaligned(result) };
                0
            }
            (Err(failure), _) => {
                *error = Some(text(failure.text()));
                code_of(failure.kind())
            }
            (Ok(()), None) => libc::EIO,
        }
    }
}

fn code_of(kind: ErrorKind) -> c_int {
    match kind {
        ErrorKind::Invalid | ErrorKind::Unsupported => libc::EINVAL,
        ErrorKind::OutOfMemory | ErrorKind::Budget => libc::ENOMEM,
        ErrorKind::Cancelled => libc::ECANCELED,
        _ => libc::EIO,
    }
}

/// The owner of a stream that was not released; `None` for null.
unsafe fn owner<'a>(stream: *mut ArrowArrayStream) -> Option<&'a StreamOwner> {
    // SAFETY: by the contract of this file it was created by `export_stream`, and is not released meanwhile.
    unsafe { stream.as_ref()?.private.cast::<StreamOwner>().as_ref() }
}

unsafe extern "C-unwind" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the contract of this file.
    let Some(owner) = (unsafe { owner(stream) }) else { return libc::EINVAL };
    owner.answer(out, |batches| batches.schema().map(SchemaNode::export))
}

unsafe extern "C-unwind" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the contract of this file.
    let Some(owner) = (unsafe { owner(stream) }) else { return libc::EINVAL };
    owner.answer(out, |batches| Ok(batches.next()?.map_or_else(end, ArrayNode::export)))
}

/// End of the stream.
fn end() -> ArrowArray {
    ArrowArray {
        length: 0,
        null_count: 0,
        offset: 0,
        buffer_count: 0,
        child_count: 0,
        buffers: std::ptr::null_mut(),
        children: std::ptr::null_mut(),
        dictionary: std::ptr::null_mut(),
        release: None,
        private: std::ptr::null_mut(),
    }
}

unsafe extern "C-unwind" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: the contract of this file.
    let Some(owner) = (unsafe { owner(stream) }) else { return std::ptr::null() };
    // The text stays until the next call of another callback, as the interface has it.
    owner.lock().error.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}

unsafe extern "C-unwind" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: the contract of this file: the owner is there until now.
    unsafe {
        let Some(stream) = stream.as_mut() else { return };
        if stream.release.take().is_some() && !stream.private.is_null() {
            drop(Box::from_raw(std::mem::replace(&mut stream.private, std::ptr::null_mut()).cast::<StreamOwner>()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    /// Batches that are made by one thread at a time, if those that read them take turns.
    struct Batches {
        left: usize,
        is_in_use: Arc<AtomicBool>,
        overlaps: Arc<AtomicUsize>,
    }

    impl BatchSource for Batches {
        fn schema(&mut self) -> Result<SchemaNode> {
            Err(Error::invalid("no schema"))
        }

        fn next(&mut self) -> Result<Option<ArrayNode>> {
            self.overlaps.fetch_add(usize::from(self.is_in_use.swap(true, Ordering::SeqCst)), Ordering::SeqCst);
            std::thread::yield_now();
            let buffers = Vec::new();
            let children = Vec::new();
            let node = ArrayNode { length: 1, null_count: 0, buffers, children, dictionary: None };
            let next = (self.left > 0).then_some(node);
            self.left = self.left.saturating_sub(1);
            self.is_in_use.store(false, Ordering::SeqCst);
            Ok(next)
        }
    }

    struct Shared(*mut ArrowArrayStream);
    // SAFETY: the callbacks may be called on any thread.
    unsafe impl Sync for Shared {}

    #[test]
    fn threads_that_share_a_stream_take_turns() {
        let is_in_use = Arc::new(AtomicBool::new(false));
        let overlaps = Arc::new(AtomicUsize::new(0));
        let batches = Batches { left: 1000, is_in_use, overlaps: overlaps.clone() };
        let mut memory = MaybeUninit::<ArrowArrayStream>::uninit();
        // SAFETY: the memory is there until the end of the test.
        let out = unsafe { UserPtr::new(memory.as_mut_ptr().cast::<u8>()) };
        export_stream(Box::new(batches), |work| work(), out);
        let stream = Shared(memory.as_mut_ptr());
        let read = |shared: &Shared| {
            let mut rows = 0;
            loop {
                let mut array = MaybeUninit::<ArrowArray>::uninit();
                // SAFETY: the stream is not released yet, and the array is released once.
                unsafe {
                    assert_eq!(get_next(shared.0, array.as_mut_ptr()), 0);
                    let array = array.assume_init_mut();
                    let Some(release) = array.release else { return rows };
                    rows += array.length;
                    release(array);
                }
            }
        };
        let rows: i64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| read(&stream))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((rows, overlaps.load(Ordering::SeqCst)), (1000, 0));
        let mut schema = MaybeUninit::<ArrowSchema>::uninit();
        // SAFETY: the stream is not released yet.
        unsafe {
            assert_eq!(get_schema(stream.0, schema.as_mut_ptr()), libc::EINVAL);
            assert!(std::ffi::CStr::from_ptr(get_last_error(stream.0)).to_str().unwrap().contains("no schema"));
            release_stream(stream.0);
        }
    }
}
