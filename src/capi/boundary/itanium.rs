//! Exceptions of the Itanium C++ ABI ("Exception Handling"): caught, described and ended.
//!
//! A few instructions of assembly call the callback from a frame whose personality routine catches every exception; the
//! language-specific data of the frame is the address where execution resumes. The text of the error is that of `what()` if
//! the exception is a `std::exception`, which is determined from the type information that the ABI defines.

use std::ffi::{CStr, c_char, c_int, c_void};

/// Calls `callback` and returns its result, or the exception that it has thrown.
pub(super) fn catch<F: FnOnce() -> T, T>(callback: F) -> Result<Option<T>, *mut Exception> {
    let mut state = State { callback: Some(callback), answer: None };
    let exception = run(trampoline::<F, T>, (&raw mut state).cast());
    if exception.is_null() { Ok(state.answer) } else { Err(exception) }
}

struct State<F, T> {
    callback: Option<F>,
    answer: Option<T>,
}

extern "C-unwind" fn trampoline<F: FnOnce() -> T, T>(state: *mut c_void) {
    // SAFETY: `catch` passes its own state, which nothing else accesses during the call.
    let state = unsafe { &mut *state.cast::<State<F, T>>() };
    if let Some(callback) = state.callback.take() {
        state.answer = Some(callback());
    }
}

type Function = extern "C-unwind" fn(*mut c_void);

/// `_Unwind_Exception`, at the end of the header that C++ stores for an exception.
#[repr(C, align(16))]
pub(super) struct Exception {
    class: u64,
    cleanup: usize,
    private: [usize; 2],
}

/// Runs a function; returns the exception that it has thrown, or null.
fn run(function: Function, data: *mut c_void) -> *mut Exception {
    // SAFETY: the assembly calls the function with the data, as C does.
    unsafe { frame::tiledb_rs_call_and_stop(function, data) }
}

/// Ends a caught exception and returns its text.
pub(super) fn end(exception: *mut Exception) -> String {
    let text = what(exception).unwrap_or_else(|| "unknown exception".to_owned());
    discard(exception);
    text
}

/// cbindgen:ignore
mod frame {
    use super::{Exception, Function, c_int, c_void};

    #[cfg(target_arch = "x86_64")]
    core::arch::global_asm!(
        ".pushsection .text.tiledb_rs_call_and_stop,\"ax\",@progbits",
        ".hidden tiledb_rs_call_and_stop",
        ".globl tiledb_rs_call_and_stop",
        ".type tiledb_rs_call_and_stop,@function",
        "tiledb_rs_call_and_stop:",
        ".cfi_startproc",
        ".cfi_personality 0x1b, {handler}",
        ".cfi_lsda 0x1b, .Ltiledb_rs_stopped",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "xor eax, eax",
        // The address of a caught exception is in the register of the result.
        ".Ltiledb_rs_stopped:",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        ".size tiledb_rs_call_and_stop, . - tiledb_rs_call_and_stop",
        ".popsection",
        handler = sym handler,
    );

    #[cfg(target_arch = "aarch64")]
    core::arch::global_asm!(
        ".pushsection .text.tiledb_rs_call_and_stop,\"ax\",@progbits",
        ".hidden tiledb_rs_call_and_stop",
        ".globl tiledb_rs_call_and_stop",
        ".type tiledb_rs_call_and_stop,@function",
        "tiledb_rs_call_and_stop:",
        ".cfi_startproc",
        ".cfi_personality 0x1b, {handler}",
        ".cfi_lsda 0x1b, .Ltiledb_rs_stopped",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset w30, -8",
        ".cfi_offset w29, -16",
        "mov x29, sp",
        ".cfi_def_cfa_register w29",
        "mov x2, x0",
        "mov x0, x1",
        "blr x2",
        "mov x0, #0",
        // The address of a caught exception is in the register of the result.
        ".Ltiledb_rs_stopped:",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
        "ret",
        ".cfi_endproc",
        ".size tiledb_rs_call_and_stop, . - tiledb_rs_call_and_stop",
        ".popsection",
        handler = sym handler,
    );

    unsafe extern "C-unwind" {
        /// Calls `function(data)`; returns the exception that it has thrown, or null.
        pub(super) fn tiledb_rs_call_and_stop(function: Function, data: *mut c_void) -> *mut Exception;
    }

    unsafe extern "C" {
        fn _Unwind_GetLanguageSpecificData(context: *mut c_void) -> usize;
        fn _Unwind_SetGR(context: *mut c_void, register: c_int, value: usize);
        fn _Unwind_SetIP(context: *mut c_void, address: usize);
    }

    /// Actions that the unwinder requests, and the result codes.
    const SEARCH_PHASE: c_int = 1;
    const HANDLER_FRAME: c_int = 4;
    const HANDLER_FOUND: c_int = 6;
    const INSTALL_CONTEXT: c_int = 7;
    const CONTINUE_UNWIND: c_int = 8;

    /// The personality routine of the frame: catches everything, and resumes after the call with the exception as result.
    extern "C" fn handler(
        _version: c_int,
        actions: c_int,
        _class: u64,
        exception: *mut Exception,
        context: *mut c_void,
    ) -> c_int {
        if actions & SEARCH_PHASE != 0 {
            return HANDLER_FOUND;
        }
        if actions & HANDLER_FRAME == 0 {
            return CONTINUE_UNWIND;
        }
        // SAFETY: the unwinder passes its context, and register 0 is that of results on both architectures.
        unsafe {
            _Unwind_SetGR(context, 0, exception as usize);
            _Unwind_SetIP(context, _Unwind_GetLanguageSpecificData(context));
        }
        INSTALL_CONTEXT
    }
}

/// Classes of exceptions thrown by GNU's C++ runtime: primary ones, and dependent ones (`exception_ptr`).
const GNU: u64 = u64::from_be_bytes(*b"GNUCC++\0");
const GNU_DEPENDENT: u64 = u64::from_be_bytes(*b"GNUCC++\x01");

/// Words from an exception's type (or, for a dependent one, its object) to the part that the unwinder knows.
const HEADER_WORDS: usize = 10;

/// The object that was thrown and its type, for exceptions of GNU's runtime.
fn thrown(exception: *mut Exception) -> Option<(*const c_void, *const TypeInfo)> {
    // SAFETY: the unwinder passed the exception, and its class implies that GNU's header precedes it and the object
    // follows it.
    unsafe {
        let first = |exception: *const Exception| *exception.cast::<*const c_void>().sub(HEADER_WORDS);
        match (*exception).class {
            GNU => Some((exception.add(1).cast_const().cast(), first(exception).cast())),
            GNU_DEPENDENT => {
                let object = first(exception);
                Some((object, first(object.cast::<Exception>().sub(1)).cast()))
            }
            _ => None,
        }
    }
}

/// `std::type_info`; classes with bases continue as [`OneBase`] or [`SomeBases`].
#[repr(C)]
struct TypeInfo {
    /// Behind the offset and the type information of the type information itself.
    vtable: *const *const TypeInfo,
    name: *const c_char,
}

#[repr(C)]
struct OneBase {
    own: TypeInfo,
    base: *const TypeInfo,
}

#[repr(C)]
struct SomeBases {
    own: TypeInfo,
    flags: u32,
    count: u32,
    bases: [Base; 0],
}

#[repr(C)]
struct Base {
    class: *const TypeInfo,
    /// The base's offset in the object above the flags: 1 virtual, 2 public.
    offset_flags: isize,
}

/// The part of an object that is a `std::exception`.
fn as_std_exception(object: *const c_void, class: *const TypeInfo, depth: usize) -> Option<*const c_void> {
    if class.is_null() || depth > 16 {
        return None;
    }
    // SAFETY: type information has this form in every program of this ABI; names end with a NUL.
    unsafe {
        let name = |class: *const TypeInfo| CStr::from_ptr((*class).name);
        if name(class) == c"St9exception" {
            return Some(object);
        }
        match name(*(*class).vtable.sub(1)).to_bytes() {
            b"N10__cxxabiv120__si_class_type_infoE" => {
                as_std_exception(object, (*class.cast::<OneBase>()).base, depth + 1)
            }
            b"N10__cxxabiv121__vmi_class_type_infoE" => {
                let class = class.cast::<SomeBases>();
                let bases =
                    std::slice::from_raw_parts((&raw const (*class).bases).cast::<Base>(), (*class).count as usize);
                bases.iter().filter(|base| base.offset_flags & 3 == 2).find_map(|base| {
                    as_std_exception(object.byte_offset(base.offset_flags >> 8), base.class, depth + 1)
                })
            }
            _ => None,
        }
    }
}

/// What a `std::exception` says of itself.
fn what(exception: *mut Exception) -> Option<String> {
    type What = extern "C-unwind" fn(*const c_void) -> *const c_char;
    /// Behind the two destructors.
    const WHAT: usize = 2;
    let (object, class) = thrown(exception)?;
    let object = as_std_exception(object, class, 0)?;
    // SAFETY: the object is a std::exception, whose third virtual function is `what`.
    let what =
        unsafe { std::mem::transmute::<*const c_void, What>(*(*object.cast::<*const *const c_void>()).add(WHAT)) };
    let text = catch(|| what(object) as usize).ok()?? as *const c_char;
    // SAFETY: `what` gives a text that ends with a NUL and lives as long as the exception.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Ends an exception as the end of a `catch` block does, so that its thread counts it no longer.
fn discard(exception: *mut Exception) {
    type Begin = extern "C-unwind" fn(*mut Exception) -> *mut c_void;
    type End = extern "C-unwind" fn();
    let Some((_, class)) = thrown(exception) else { return };
    // SAFETY: the virtual table of type information is in the C++ runtime, which is loaded since there is an
    // exception; the two functions have these types in every runtime of this ABI.
    unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((*class).vtable.cast(), &mut found) == 0 {
            return;
        }
        let runtime = libc::dlopen(found.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        let function = |name: &CStr| match runtime.is_null() {
            true => libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()),
            false => libc::dlsym(runtime, name.as_ptr()),
        };
        let (begin, end) = (function(c"__cxa_begin_catch"), function(c"__cxa_end_catch"));
        if !begin.is_null() && !end.is_null() {
            let begin = std::mem::transmute::<*mut c_void, Begin>(begin);
            let end = std::mem::transmute::<*mut c_void, End>(end);
            // An exception thrown by the destructor is ignored.
            _ = catch(|| {
                begin(exception);
                end();
            });
        }
        if !runtime.is_null() {
            libc::dlclose(runtime);
        }
    }
}
