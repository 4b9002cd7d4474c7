//! Files in any store.

use std::ffi::{c_char, c_void};

use super::context::{Context, ask, call, make};
use super::error::Result;
use super::handle::{Handle, lent, text};
use super::sys;

/// A file, or a folder.
pub struct Entry {
    pub uri: String,
    pub size: u64,
    pub is_folder: bool,
}

/// The file systems of a context.
pub struct Vfs {
    handle: Handle<sys::tiledb_vfs_t>,
    ctx: Context,
}

impl Vfs {
    /// Those of a context, with its parameters.
    pub fn new(ctx: &Context) -> Result<Self> {
        let handle = make!(ctx, tiledb_vfs_alloc(std::ptr::null_mut()), tiledb_vfs_free)?;
        Ok(Self { handle, ctx: ctx.clone() })
    }

    /// Whether a folder is there.
    pub fn is_folder(&self, uri: &str) -> Result<bool> {
        let uri = text(uri)?;
        Ok(ask!(&self.ctx, 0, tiledb_vfs_is_dir(self.handle.raw(), uri.as_ptr()))? != 0)
    }

    /// Everything below a folder.
    pub fn list_recursive(&self, uri: &str) -> Result<Vec<Entry>> {
        unsafe extern "C" fn tell(
            uri: *const c_char,
            _length: usize,
            size: u64,
            is_folder: u8,
            found: *mut c_void,
        ) -> i32 {
            // SAFETY: this is the list below, which nobody else looks at meanwhile.
            let found = unsafe { &mut *found.cast::<Vec<Entry>>() };
            found.push(Entry { uri: lent(uri), size, is_folder: is_folder != 0 });
            1
        }
        let (uri, mut found) = (text(uri)?, Vec::<Entry>::new());
        let place = (&raw mut found).cast();
        call!(&self.ctx, tiledb_vfs_ls_recursive_v2(self.handle.raw(), uri.as_ptr(), tell, place))?;
        Ok(found)
    }
}
