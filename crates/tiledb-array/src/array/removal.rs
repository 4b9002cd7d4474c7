//! Removing many files in portions, so that somebody can see how far it has come, and stop it.

use tiledb_core::error::Result;
use tiledb_core::pool::CancelToken;
use tiledb_storage::vfs::{Uri, Vfs};

/// Told how many files were removed of those that there are, a folder with all it holds as one. An error stops the removal.
pub type OnRemoved<'a> = &'a mut dyn FnMut(u64, u64) -> Result<()>;

/// Told of each file and folder that would go.
pub type OnListed<'a> = &'a mut dyn FnMut(&Uri) -> Result<()>;

/// Files and folders that go, with those who want to know.
pub struct Removal<'a> {
    vfs: &'a Vfs,
    watch: Option<Watch<'a>>,
    /// Only told of what would go.
    listing: Option<OnListed<'a>>,
    done: u64,
    total: u64,
}

/// Who is told, and who may stop it.
struct Watch<'a> {
    on_removed: OnRemoved<'a>,
    cancel: &'a CancelToken,
    portion: usize,
}

/// What goes between two looks at the wish to stop: on near storage, and on far storage, where a request removes many.
const NEAR: usize = 8;
const FAR: usize = 256;

impl<'a> Removal<'a> {
    /// One that nobody watches.
    pub fn new(vfs: &'a Vfs) -> Removal<'a> {
        Removal { vfs, watch: None, listing: None, done: 0, total: 0 }
    }

    /// One that removes nothing, and tells what it would.
    pub fn listed(vfs: &'a Vfs, on_listed: OnListed<'a>) -> Removal<'a> {
        Removal { listing: Some(on_listed), ..Removal::new(vfs) }
    }

    /// Whether nothing may be changed.
    pub(super) fn is_listing(&self) -> bool {
        self.listing.is_some()
    }

    /// One below `uri` that tells how far it is; `cancel` stops it too.
    ///
    /// # Errors
    /// If nobody knows such storage.
    pub fn watched(vfs: &'a Vfs, uri: &Uri, cancel: &'a CancelToken, on_removed: OnRemoved<'a>) -> Result<Removal<'a>> {
        let portion = if vfs.is_remote(uri)? { FAR } else { NEAR };
        Ok(Removal { watch: Some(Watch { on_removed, cancel, portion }), ..Removal::new(vfs) })
    }

    /// The file systems that it removes from.
    pub(super) fn vfs(&self) -> &'a Vfs {
        self.vfs
    }

    /// There are so many files to remove, all together.
    pub fn expect(&mut self, count: usize) {
        self.total = count as u64;
    }

    /// Removes files of one storage; what is missing is no error.
    ///
    /// # Errors
    /// Where the storage refuses, and what stops it; some may be removed then.
    pub fn files(&mut self, uris: &[Uri]) -> Result<()> {
        self.portions(uris, |vfs, portion| vfs.remove_files(portion))
    }

    /// Removes folders of one storage with all they hold; what is missing is no error.
    ///
    /// # Errors
    /// As [`Removal::files`].
    pub(super) fn folders(&mut self, uris: &[Uri]) -> Result<()> {
        self.portions(uris, |vfs, portion| vfs.remove_dirs(&[portion]))
    }

    fn portions(&mut self, uris: &[Uri], remove: impl Fn(&Vfs, &[Uri]) -> Result<()>) -> Result<()> {
        if let Some(on_listed) = &mut self.listing {
            return uris.iter().try_for_each(on_listed);
        }
        let Some(watch) = &mut self.watch else { return remove(self.vfs, uris) };
        for portion in uris.chunks(watch.portion) {
            watch.cancel.check()?;
            remove(self.vfs, portion)?;
            self.done += portion.len() as u64;
            (watch.on_removed)(self.done, self.total.max(self.done))?;
        }
        Ok(())
    }
}
