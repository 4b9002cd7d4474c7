//! Copies of a source from which a vacuum removes files meanwhile: it is listed again, and what replaces them is copied.

use super::ends::below;
use super::file_roles::CopyPhase;
use super::files::Copier;
use super::plan::{self, CopySource};
use crate::error::{Error, ErrorKind, Result};

/// Maximum number of listings.
const MAX_LISTINGS: usize = 10;

/// Calls `copy` with the source, and with a new listing of it as long as that fails since a file was removed before it was copied.
/// The listing that was copied, and the result of `copy`.
pub(super) fn copy_listed<T>(
    copier: &Copier<'_, '_>,
    mut source: CopySource,
    copy: impl Fn(&mut CopySource) -> Result<T>,
) -> Result<(CopySource, T)> {
    for _ in 0..MAX_LISTINGS {
        let error = match copy(&mut source) {
            Ok(copied) => return Ok((source, copied)),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => error,
        };
        // The first error is reported.
        let Ok(next) = plan::source(copier.vfs, copier.from) else { return Err(error) };
        if source.files.iter().all(|file| next.has(&file.name)) {
            return Err(error);
        }
        remove_outdated(copier, &source, &next)?;
        source = next;
    }
    let text = format!(
        "{}: {MAX_LISTINGS} times files were removed before they were copied; the source changes faster than it can be copied: copy it \
         while nobody consolidates and vacuums it",
        copier.from
    );
    Err(Error::new(ErrorKind::Store, text))
}

/// Removes the files that this copy created in the target and that the source has no more, commits first.
fn remove_outdated(copier: &Copier<'_, '_>, source: &CopySource, next: &CopySource) -> Result<()> {
    let mut outdated: Vec<(CopyPhase, String)> = Vec::new();
    let mut folders = Vec::new();
    for name in copier.created.take_others(|name| next.has(name)) {
        let role = source.objects.role(&name);
        folders.extend(role.fragment);
        outdated.push((role.phase, name));
    }
    outdated.sort_by(|a, b| b.cmp(a));
    for (_, name) in outdated {
        let uri = below(copier.to, &name);
        if copier.vfs.is_file(&uri)? {
            copier.vfs.remove_file(&uri)?;
        }
    }
    folders.dedup();
    for folder in folders {
        let uri = below(copier.to, &folder);
        if copier.vfs.is_dir(&uri)? && copier.vfs.list_recursive(&uri)?.is_empty() {
            copier.vfs.remove_dir(&uri)?;
        }
    }
    Ok(())
}
