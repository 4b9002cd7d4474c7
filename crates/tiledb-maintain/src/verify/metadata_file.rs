//! Verification of `__fragment_metadata.tdb`: footer and tables.

use super::context::{VerifyContext, unless_stopped};
use super::finding::{Code, Finding};
use super::report::Report;
use tiledb_array::fragment::{FooterSection, Fragment};
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::{scratch, scratch_size};
use tiledb_core::sort;
use tiledb_core::types::{Datatype, NdRange};
use tiledb_storage::vfs::ReadFile;

/// Verifies every byte of the metadata file of a fragment.
///
/// # Errors
/// Errors that stop the verification.
pub(super) fn check(work: &VerifyContext<'_>, fragment: &Fragment, report: &mut Report<'_>) -> Result<Vec<Finding>> {
    let uri = fragment.metadata_file();
    let mut found = Vec::new();
    let mut note = |code: Code, offset: Option<u64>, text: String| {
        let fragment = Some(fragment.name().as_str().to_owned());
        found.push(Finding { fragment, offset, ..Finding::new(code, &uri, text) });
    };
    let file = match unless_stopped(work.resources.vfs().open(&uri))? {
        Ok(file) => file,
        Err(error) => {
            note(Code::Footer.or_of(&error), None, error.text().to_owned());
            return Ok(found);
        }
    };
    let size = file.len();
    report.file(size)?;
    let end = match unless_stopped(fragment.footer_location(size))? {
        Ok(Some((place, bytes))) => {
            let stored = unless_stopped(part_of(work, &file, place.start, place.end, |stored| Ok(stored.to_vec())))?;
            if stored.as_ref().is_ok_and(|stored| *stored != bytes) {
                let text = "The footer has bytes that no writer writes".to_owned();
                note(Code::Footer, Some(place.start), text);
            }
            place.start
        }
        Ok(None) => size,
        Err(error) => {
            note(Code::Footer, None, error.text().to_owned());
            size
        }
    };
    let mut places = fragment.table_positions();
    if !fragment.version().has_footer() {
        // All metadata is one generic tile.
        places.push((FooterSection::RTree, 0, 0));
    }
    sort::by_key(&mut places, |place| place.2);
    let mut next = 0;
    for (at, &(section, index, start)) in places.iter().enumerate() {
        work.resources.cancel().check()?;
        let stop = places.get(at + 1).map_or(end, |place| place.2).min(end);
        if start != next && start != stop {
            note(
                Code::Table,
                Some(start),
                format!("{section:?} of field {index} begins at byte {start} instead of {next}"),
            );
        }
        let is_last = at + 1 == places.len();
        let taken = part_of(work, &file, start, stop, |bytes| {
            let mut taken = fragment.verify_table(bytes, section, index)?;
            // Version 15 wrote a table more than its footer has places.
            while let Some(rest) = bytes.get(taken..).filter(|rest| is_last && !rest.is_empty()) {
                taken += fragment.verify_table(rest, section, index)?;
            }
            Ok(taken as u64)
        });
        match unless_stopped(taken)? {
            Ok(taken) if start + taken == stop => (),
            Ok(taken) => {
                let text = format!("{} bytes follow table {section:?} of field {index}", stop - start - taken);
                note(Code::Table, Some(start + taken), text);
            }
            Err(error) => {
                let text = format!("Cannot read table {section:?} of field {index} ({})", error.text());
                note(Code::Table.or_of(&error), Some(start), text);
            }
        }
        next = stop;
    }
    if let Some(error) = unless_stopped(rtree(fragment))?.err() {
        note(Code::Boxes.or_of(&error), None, error.text().to_owned());
    }
    if let Some(error) = unless_stopped(fragment.processed_conditions())?.err() {
        note(Code::Table.or_of(&error), None, error.text().to_owned());
    }
    Ok(found)
}

/// Reads bytes of a file and passes them on.
fn part_of<T>(
    work: &VerifyContext<'_>,
    file: &ReadFile,
    start: u64,
    end: u64,
    take: impl FnOnce(&[u8]) -> Result<T>,
) -> Result<T> {
    let Some(size) = end.checked_sub(start).filter(|_| end <= file.len()) else {
        bail!(Corrupt, "it is said to lie at bytes {start} to {end} of a file of {} bytes", file.len());
    };
    let kind = tiledb_core::budget::MemoryKind::FilteredTiles;
    let mut bytes = work.budget.lease(kind, scratch_size(size), || scratch(size as usize))?;
    file.read_at(start, bytes.slice_mut())?;
    take(&bytes)
}

/// The boxes above those of tiles hold exactly these, and the non-empty domain is the box around all of them.
fn rtree(fragment: &Fragment) -> Result<()> {
    if fragment.is_dense() {
        return Ok(());
    }
    let tree = fragment.rtree()?;
    let dimensions: Vec<(Datatype, bool)> =
        fragment.schema().domain().dimensions().iter().map(|d| (d.datatype(), d.is_var())).collect();
    let mut boxes = tiledb_array::fragment::RTree::builder(&dimensions);
    for tile in 0..tree.leaf_count() {
        boxes.push(&tree.leaf(tile).unwrap_or_default())?;
    }
    let again = boxes.build()?;
    if !again.equals(tree) {
        bail!(Corrupt, "The upper boxes of the R-tree are not those around the boxes of tiles");
    }
    let domain = fragment.non_empty_domain();
    let is_domain = |root: &NdRange| {
        let mut ends = root.iter().zip(domain).zip(&dimensions);
        root.len() == domain.len() && ends.all(|((root, domain), (datatype, _))| root.equals(domain, *datatype))
    };
    if let Some(root) = tree.root().filter(|root| !is_domain(root)) {
        bail!(Corrupt, "The non-empty domain is {domain:?}, but the box around all tiles is {root:?}");
    }
    Ok(())
}
