//! Files in any store.

use std::ffi::{c_char, c_void};

use super::context::{Context, ask, call, make};
use super::error::Result;
use super::handle::{Handle, lent, text};
use super::sys;

/// A file, or a folder.
pub struct VfsEntry {
    pub uri: String,
    pub size: u64,
    pub is_folder: bool,
}

/// The file systems of a context.
pub struct Vfs {
    handle: Handle<sys::tiledb_vfs_t>,
    ctx: Context,
}

// SAFETY: the interface allows the use of file systems by several threads at once.
unsafe impl Sync for Vfs {}

/// A file that is open for reading or writing.
pub struct File {
    handle: Handle<sys::tiledb_vfs_fh_t>,
    ctx: Context,
}

// SAFETY: the interface allows the use of a file by any thread, one after the other.
unsafe impl Send for File {}

impl File {
    /// Reads bytes from an offset.
    pub fn read(&self, from: u64, buffer: &mut [u8]) -> Result<()> {
        let (place, size) = (buffer.as_mut_ptr().cast(), buffer.len() as u64);
        call!(&self.ctx, tiledb_vfs_read(self.handle.raw(), from, place, size))
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let (place, size) = (bytes.as_ptr().cast(), bytes.len() as u64);
        call!(&self.ctx, tiledb_vfs_write(self.handle.raw(), place, size))
    }

    /// Closes the file; its bytes are visible from now on.
    pub fn close(self) -> Result<()> {
        call!(&self.ctx, tiledb_vfs_close(self.handle.raw()))
    }
}

impl Vfs {
    /// The VFS of a context.
    pub fn new(ctx: &Context) -> Result<Self> {
        let handle = make!(ctx, tiledb_vfs_alloc(std::ptr::null_mut()), tiledb_vfs_free)?;
        Ok(Self { handle, ctx: ctx.clone() })
    }

    /// Whether a folder exists.
    pub fn is_folder(&self, uri: &str) -> Result<bool> {
        let uri = text(uri)?;
        Ok(ask!(&self.ctx, 0, tiledb_vfs_is_dir(self.handle.raw(), uri.as_ptr()))? != 0)
    }

    /// Whether a file exists.
    pub fn is_file(&self, uri: &str) -> Result<bool> {
        let uri = text(uri)?;
        Ok(ask!(&self.ctx, 0, tiledb_vfs_is_file(self.handle.raw(), uri.as_ptr()))? != 0)
    }

    /// The first entry of a folder, if any; none for files and missing paths.
    pub fn first_in(&self, uri: &str) -> Result<Option<String>> {
        unsafe extern "C" fn tell(uri: *const c_char, first: *mut c_void) -> i32 {
            // SAFETY: this is the variable below, which nothing else accesses meanwhile.
            let first = unsafe { &mut *first.cast::<Option<String>>() };
            *first = Some(lent(uri));
            0
        }
        if !self.is_folder(uri)? {
            return Ok(None);
        }
        let (uri, mut first) = (text(uri)?, None::<String>);
        call!(&self.ctx, tiledb_vfs_ls(self.handle.raw(), uri.as_ptr(), tell, (&raw mut first).cast()))?;
        Ok(first)
    }

    /// Creates a folder and its parents, if missing.
    pub fn create_folder(&self, uri: &str) -> Result<()> {
        let uri = text(uri)?;
        call!(&self.ctx, tiledb_vfs_create_dir(self.handle.raw(), uri.as_ptr()))
    }

    /// Removes a folder with all in it.
    pub fn remove_folder(&self, uri: &str) -> Result<()> {
        let uri = text(uri)?;
        call!(&self.ctx, tiledb_vfs_remove_dir(self.handle.raw(), uri.as_ptr()))
    }

    /// Aborts incomplete multipart uploads below a folder, and counts them.
    pub fn sweep_uploads(&self, uri: &str) -> Result<u64> {
        let uri = text(uri)?;
        ask!(&self.ctx, 0, tiledb_rs_vfs_sweep_uploads(self.handle.raw(), uri.as_ptr()))
    }

    pub fn remove_file(&self, uri: &str) -> Result<()> {
        let uri = text(uri)?;
        call!(&self.ctx, tiledb_vfs_remove_file(self.handle.raw(), uri.as_ptr()))
    }

    /// Makes an empty file.
    pub fn touch(&self, uri: &str) -> Result<()> {
        let uri = text(uri)?;
        call!(&self.ctx, tiledb_vfs_touch(self.handle.raw(), uri.as_ptr()))
    }

    /// Renames a file; an existing file of that name is replaced.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (text(from)?, text(to)?);
        call!(&self.ctx, tiledb_vfs_move_file(self.handle.raw(), from.as_ptr(), to.as_ptr()))
    }

    /// Renames a folder.
    pub fn rename_folder(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (text(from)?, text(to)?);
        call!(&self.ctx, tiledb_vfs_move_dir(self.handle.raw(), from.as_ptr(), to.as_ptr()))
    }

    /// Opens a file for reading.
    pub fn open(&self, uri: &str) -> Result<File> {
        self.open_as(uri, 0)
    }

    /// Opens a file for writing, replacing an existing one.
    pub fn create(&self, uri: &str) -> Result<File> {
        self.open_as(uri, 1)
    }

    fn open_as(&self, uri: &str, mode: u32) -> Result<File> {
        let (name, uri) = (uri, text(uri)?);
        let handle = make!(&self.ctx, tiledb_vfs_open(self.handle.raw(), uri.as_ptr(), mode), tiledb_vfs_fh_free)
            .map_err(|error| error.at(name))?;
        Ok(File { handle, ctx: self.ctx.clone() })
    }

    /// Everything below a folder.
    pub fn list_recursive(&self, uri: &str) -> Result<Vec<VfsEntry>> {
        unsafe extern "C" fn tell(
            uri: *const c_char,
            _length: usize,
            size: u64,
            is_folder: u8,
            found: *mut c_void,
        ) -> i32 {
            // SAFETY: this is the list below, which nothing else accesses meanwhile.
            let found = unsafe { &mut *found.cast::<Vec<VfsEntry>>() };
            found.push(VfsEntry { uri: lent(uri), size, is_folder: is_folder != 0 });
            1
        }
        let (uri, mut found) = (text(uri)?, Vec::<VfsEntry>::new());
        let place = (&raw mut found).cast();
        call!(&self.ctx, tiledb_vfs_ls_recursive_v2(self.handle.raw(), uri.as_ptr(), tell, place))?;
        Ok(found)
    }
}
