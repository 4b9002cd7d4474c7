//! Copies of fragments that an earlier attempt has left: an interrupted one, or one that found a fragment of the array removed.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::{ArrayCopy, CopiedDeletes, CopySource, cells_of, not_of_source, timestamps_of};
use tiledb_array::array::{FileRemoval, UnpublishedArray, remove_fragments};
use tiledb_array::fragment::{Fragment, FragmentName};
use tiledb_core::error::{ErrorContext, Result};

impl ArrayCopy<'_> {
    /// The copy of each group of fragments that an earlier attempt has left, if any. Copies of fragments that the array has no more are
    /// removed.
    ///
    /// Fragments with equal timestamps are copied in their order, so that the names of their copies have it; of some of
    /// them it is not known which ones these are, and all are copied again.
    ///
    /// # Errors
    /// If a fragment cannot be read, or the copy is an array with other fragments.
    pub(super) fn earlier_copies(
        &self,
        source: &CopySource,
        groups: &[&[Arc<Fragment>]],
        deletes: &CopiedDeletes,
        to: &UnpublishedArray,
    ) -> Result<Vec<Option<FragmentName>>> {
        let directory = to.directory()?;
        let copies = to.fragments(&directory).context(|| format!("Cannot resume the copy '{}'", to.uri()))?;
        let mut reused = vec![None; groups.len()];
        if copies.is_empty() {
            return Ok(reused);
        }
        let mut numbers: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
        for (number, group) in groups.iter().enumerate() {
            numbers.entry(timestamps_of(group)).or_default().push(number);
        }
        let mut copies_of: BTreeMap<(u64, u64), Vec<&Arc<Fragment>>> = BTreeMap::new();
        for copy in &copies {
            copies_of.entry(copy.timestamps()).or_default().push(copy);
        }
        for (times, copies) in copies_of {
            let Some(numbers) = numbers.get(&times).filter(|numbers| numbers.len() == copies.len()) else { continue };
            let mut pairs = numbers.iter().zip(&copies);
            if pairs.try_fold(true, |all, (&number, copy)| {
                Ok(all && self.is_copy(source, copy, groups[number], deletes)?)
            })? {
                numbers.iter().zip(&copies).for_each(|(&number, copy)| reused[number] = Some(copy.name().clone()));
            }
        }
        let retained: HashSet<&FragmentName> = reused.iter().flatten().collect();
        let others: Vec<&FragmentName> = directory.fragments().iter().filter(|name| !retained.contains(name)).collect();
        match others.first() {
            Some(other) if self.is_published => {
                return Err(not_of_source("fragment", other.as_str(), to.uri(), &source.uri));
            }
            Some(_) => remove_fragments(&mut FileRemoval::new(self.resources.vfs()), &directory, &others)?,
            None => (),
        }
        if !self.is_published {
            // They are written again.
            let vacuums: Vec<_> = directory.vacuums().iter().map(|(_, file)| file.clone()).collect();
            self.resources.vfs().remove_files(&vacuums)?;
        }
        Ok(reused)
    }

    /// True if a fragment with the timestamps of a group can be its copy.
    fn is_copy(
        &self,
        source: &CopySource,
        copy: &Fragment,
        group: &[Arc<Fragment>],
        deletes: &CopiedDeletes,
    ) -> Result<bool> {
        if self.is_merged {
            // It may have fewer cells; the comparison finds whether they are others.
            return Ok(true);
        }
        // Of cells with equal coordinates and timestamps in a merged fragment, the copy has the one that readers see.
        let is_count = match copy.schema().is_dense() || copy.schema().allows_dups() {
            true => copy.cell_count() == cells_of(group),
            false => copy.cell_count() <= cells_of(group),
        };
        if !is_count || copy.schema().is_dense() {
            return Ok(is_count);
        }
        let array = self.sources(source, group, deletes)?;
        let (retained, _) = self.retained(&array)?;
        let expected: HashSet<String> = deletes.markers(&retained.conditions).into_iter().collect();
        Ok(copy.processed_conditions()?.iter().collect::<HashSet<_>>() == expected.iter().collect())
    }
}
