//! The functions that JavaScript calls: requests and responses in the memory of the module.
#![expect(unsafe_code, reason = "JavaScript hands over memory by its address")]

use std::cell::RefCell;

use serde_json::{Value as Json, json};
use tiledb::{Error, ErrorKind};
use tiledb_storage::vfs::HostRequest;

use crate::protocol::CallOutcome;
use crate::session::ModuleSession;

/// A call that succeeded.
const DONE: u32 = 0;
/// A call that failed: the response is the error.
const FAILED: u32 = 1;
/// A call that is repeated after the response was supplied.
const PENDING: u32 = 2;

struct Module {
    session: Option<ModuleSession>,
    response: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> = const { RefCell::new(Module { session: None, response: Vec::new() }) };
}

unsafe extern "C" {
    /// Runs the constructors of the C library; made by the linker.
    #[cfg(target_arch = "wasm32")]
    fn __wasm_call_ctors();
}

/// Initializes the C library, once, before all other calls. A module without this function initializes it in each of them.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    // SAFETY: JavaScript calls it once, when the module is instantiated.
    unsafe { __wasm_call_ctors() }
}

/// Allocates memory for a request or for bytes of a file. The call that receives it frees it.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_alloc(length: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if bytes.try_reserve_exact(length).is_err() {
        return std::ptr::null_mut();
    }
    bytes.resize(length, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// The memory of [`tiledb_alloc`].
///
/// # Safety
/// It was allocated with this length and is not used any more.
unsafe fn owned(start: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: as the caller promises.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, length)) }.into_vec()
}

/// Runs a request, as JSON, and returns 0 if it succeeded, 1 if it failed, 2 if it needs files.
///
/// # Safety
/// `request` was returned by [`tiledb_alloc`] for this length; it is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_call(request: *mut u8, length: usize) -> u32 {
    // SAFETY: as the caller promises.
    let request = unsafe { owned(request, length) };
    respond(|session| session.call(&request))
}

/// Supplies bytes of a file, or an index. The request, as JSON, is followed by `bytes`; both were allocated together.
///
/// # Safety
/// `request` was returned by [`tiledb_alloc`] for this length; it is freed. The JSON has `header` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_supply(request: *mut u8, length: usize, header: usize) -> u32 {
    // SAFETY: as the caller promises.
    let mut request = unsafe { owned(request, length) };
    let bytes = request.split_off(header.min(length));
    respond(|session| session.supply(&request, bytes))
}

/// The response to the last call, as JSON, valid until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_response() -> *const u8 {
    MODULE.with_borrow(|module| module.response.as_ptr())
}

/// Bytes of the response.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_response_length() -> usize {
    MODULE.with_borrow(|module| module.response.len())
}

fn respond(work: impl FnOnce(&mut ModuleSession) -> CallOutcome) -> u32 {
    MODULE.with_borrow_mut(|module| {
        if module.session.is_none() {
            module.session = ModuleSession::new().ok();
        }
        let response = match &mut module.session {
            Some(session) => work(session),
            None => CallOutcome::Failed(Error::new(ErrorKind::OutOfMemory, "There is no memory for a context")),
        };
        let (status, json) = encode(response);
        module.response = json.to_string().into_bytes();
        status
    })
}

fn encode(response: CallOutcome) -> (u32, Json) {
    match response {
        CallOutcome::Done(json) => (DONE, json),
        CallOutcome::Failed(error) => {
            (FAILED, json!({"kind": format!("{:?}", error.kind()), "message": error.to_string()}))
        }
        CallOutcome::Pending(requests) => {
            let request = |request: &HostRequest| match request {
                HostRequest::Index(uri) => json!({"uri": uri.as_str()}),
                HostRequest::Ranges(uri, size, ranges) => {
                    let ranges: Vec<[u64; 2]> = ranges.iter().map(|range| [range.start, range.end]).collect();
                    json!({"uri": uri.as_str(), "size": size, "ranges": ranges})
                }
            };
            (PENDING, requests.iter().map(request).collect())
        }
    }
}
