//! Removal of many files in batches, with progress reports and cancellation.

use tiledb_core::error::Result;
use tiledb_core::limits::fragment::{LOCAL_REMOVALS_PER_CHECK, REMOTE_REMOVALS_PER_CHECK};
use tiledb_core::pool::CancelToken;
use tiledb_storage::vfs::{Uri, Vfs};

/// Called with the number of files removed and their total; a folder counts as one. An error stops the removal.
pub type OnRemoved<'a> = &'a mut dyn FnMut(u64, u64) -> Result<()>;

/// Called with each file and folder that would be removed.
pub type OnListed<'a> = &'a mut dyn FnMut(&Uri) -> Result<()>;

/// A removal of files and folders, with its progress callback and cancellation token.
pub struct FileRemoval<'a> {
    vfs: &'a Vfs,
    watch: Option<RemovalObserver<'a>>,
    /// Reports what would be removed, in a dry run.
    listing: Option<OnListed<'a>>,
    done: u64,
    total: u64,
}

/// Progress callback and cancellation.
struct RemovalObserver<'a> {
    on_removed: OnRemoved<'a>,
    cancel: &'a CancelToken,
    portion: usize,
}

impl<'a> FileRemoval<'a> {
    /// A removal without progress reports.
    pub fn new(vfs: &'a Vfs) -> FileRemoval<'a> {
        FileRemoval { vfs, watch: None, listing: None, done: 0, total: 0 }
    }

    /// A dry run, which reports what would be removed.
    pub fn dry_run(vfs: &'a Vfs, on_listed: OnListed<'a>) -> FileRemoval<'a> {
        FileRemoval { listing: Some(on_listed), ..FileRemoval::new(vfs) }
    }

    /// Whether nothing may be changed.
    pub(super) fn is_dry_run(&self) -> bool {
        self.listing.is_some()
    }

    /// A removal below `uri` that reports its progress, and stops on cancellation.
    ///
    /// # Errors
    /// If the storage scheme is unknown.
    pub fn with_progress(
        vfs: &'a Vfs,
        uri: &Uri,
        cancel: &'a CancelToken,
        on_removed: OnRemoved<'a>,
    ) -> Result<FileRemoval<'a>> {
        let portion = if vfs.is_remote(uri)? { REMOTE_REMOVALS_PER_CHECK } else { LOCAL_REMOVALS_PER_CHECK }.count();
        Ok(FileRemoval { watch: Some(RemovalObserver { on_removed, cancel, portion }), ..FileRemoval::new(vfs) })
    }

    /// The file systems that it removes from.
    pub(super) fn vfs(&self) -> &'a Vfs {
        self.vfs
    }

    /// The number of files and folders that were removed.
    pub fn removed(&self) -> u64 {
        self.done
    }

    /// Sets the total number of files.
    pub fn expect(&mut self, count: usize) {
        self.total = count as u64;
    }

    /// Removes files of one storage backend; a missing file is no error.
    ///
    /// # Errors
    /// If a storage operation fails or the removal is stopped; some files may have been removed by then.
    pub fn files(&mut self, uris: &[Uri]) -> Result<()> {
        self.portions(uris, |vfs, portion| vfs.remove_files(portion))
    }

    /// Removes folders of one storage backend recursively; a missing folder is no error.
    ///
    /// # Errors
    /// As [`FileRemoval::files`].
    pub(super) fn folders(&mut self, uris: &[Uri]) -> Result<()> {
        self.portions(uris, |vfs, portion| vfs.remove_dirs(&[portion]))
    }

    fn portions(&mut self, uris: &[Uri], remove: impl Fn(&Vfs, &[Uri]) -> Result<()>) -> Result<()> {
        if let Some(on_listed) = &mut self.listing {
            return uris.iter().try_for_each(on_listed);
        }
        let Some(watch) = &mut self.watch else {
            remove(self.vfs, uris)?;
            self.done += uris.len() as u64;
            return Ok(());
        };
        for portion in uris.chunks(watch.portion) {
            watch.cancel.check()?;
            remove(self.vfs, portion)?;
            self.done += portion.len() as u64;
            (watch.on_removed)(self.done, self.total.max(self.done))?;
        }
        Ok(())
    }
}
