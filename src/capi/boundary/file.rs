//! C streams.

use tiledb_core::error::{Result, bail};

/// A C stream: `FILE *`; null stands for standard output.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct CFile(*mut libc::FILE);

#[cfg(not(windows))]
unsafe extern "C" {
    /// The C library's standard output.
    #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
    static stdout: *mut libc::FILE;
}

#[cfg(windows)]
unsafe extern "C" {
    fn __acrt_iob_func(number: std::ffi::c_uint) -> *mut libc::FILE;
}

/// The C library's standard output.
fn standard_output() -> *mut libc::FILE {
    // SAFETY: a variable that the C library initializes before it runs a program; a function without preconditions.
    unsafe {
        #[cfg(not(windows))]
        return stdout;
        #[cfg(windows)]
        return __acrt_iob_func(1);
    }
}

impl CFile {
    /// Refuses a null pointer.
    ///
    /// # Errors
    /// For a null pointer.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_null() {
            bail!("C API: Invalid stream handle; must be non-null");
        }
        Ok(())
    }

    /// Writes the text to the stream.
    ///
    /// # Errors
    /// If the C library cannot write all of it.
    pub(crate) fn write(self, text: &str) -> Result<()> {
        // SAFETY: the caller's stream is open, as the function's documentation requires; standard output is the
        // C library's own.
        let written = unsafe {
            let stream = if self.0.is_null() { standard_output() } else { self.0 };
            libc::fwrite(text.as_ptr().cast(), 1, text.len(), stream)
        };
        if written != text.len() {
            bail!(Io, "Cannot write {} bytes to the given stream; {written} were written", text.len());
        }
        Ok(())
    }
}
