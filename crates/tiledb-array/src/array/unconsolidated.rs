//! Selects the fragments for time travel to a time before a schema evolution: consolidated fragments lack the values of
//! attributes that were dropped before the consolidation, so that their sources are read instead.

use std::collections::{HashMap, HashSet};

use super::{ArrayDirectory, SchemaStore, commits};
use crate::fragment::FragmentName;
use crate::schema::ArraySchema;
use tiledb_core::error::Result;
use tiledb_storage::vfs::{Uri, Vfs};

/// The fragments that a read in a time window sees, with the schema at its end.
///
/// # Errors
/// If a vacuum file or a schema cannot be read.
pub(super) fn names_to_read(
    vfs: &Vfs,
    directory: &ArrayDirectory,
    schemas: &SchemaStore,
    schema: &ArraySchema,
    window: (u64, u64),
) -> Result<Vec<FragmentName>> {
    let touching = !schema.is_dense();
    match !directory.vacuums().is_empty() && schemas.drops_any(schema)? {
        true => directory.visible_unconsolidated(vfs, window, touching),
        false => Ok(directory.visible(vfs, window, touching)?.0),
    }
}

/// A consolidation, as its vacuum file describes it.
pub struct Consolidation {
    /// The fragment that it created; of several ones the last.
    pub created: FragmentName,
    /// The names of the fragments that it replaced.
    pub replaced: Vec<String>,
}

impl ArrayDirectory {
    /// As the first part of [`ArrayDirectory::visible`], but a consolidated fragment is replaced by its sources if all of them
    /// still exist.
    ///
    /// # Errors
    /// If a vacuum file cannot be read.
    fn visible_unconsolidated(&self, vfs: &Vfs, window: (u64, u64), touching: bool) -> Result<Vec<FragmentName>> {
        let counts = |name: &FragmentName| name.is_in(window, touching && name.version().has_touching_visibility());
        let merges = self.consolidations(vfs, counts)?;
        let there = PresentFragments::of(self);
        let mut replaced_by: HashMap<&str, &[String]> = HashMap::new();
        replaced_by.extend(self.vacuums().iter().map(|vacuum| (vacuum.0.as_str(), &[][..])));
        replaced_by.extend(merges.iter().map(|merge| (merge.created.as_str(), &merge.replaced[..])));
        let (undone, mut visible): (Vec<&Consolidation>, Vec<&Consolidation>) =
            merges.iter().partition(|merge| there.can_undo(merge, &replaced_by));
        let mut undone: HashMap<&str, &Consolidation> =
            undone.into_iter().map(|merge| (merge.created.as_str(), merge)).collect();
        // Fragments that were consolidated again, and stay so, are not restored either.
        let mut replaced: HashSet<&str> = HashSet::new();
        while let Some(merge) = visible.pop() {
            for name in &merge.replaced {
                if replaced.insert(name) {
                    visible.extend(undone.remove(name.as_str()));
                }
            }
        }
        let hidden = |name: &FragmentName| replaced.contains(name.as_str()) || undone.contains_key(name.as_str());
        Ok(self.fragments().iter().filter(|name| counts(name) && !hidden(name)).cloned().collect())
    }

    /// The consolidations whose vacuum files have selected names.
    ///
    /// # Errors
    /// If a vacuum file cannot be read.
    pub fn consolidations(&self, vfs: &Vfs, is_selected: impl Fn(&FragmentName) -> bool) -> Result<Vec<Consolidation>> {
        let selected: Vec<&(FragmentName, Uri)> = self.vacuums().iter().filter(|file| is_selected(&file.0)).collect();
        let texts = vfs.map(self.uri(), selected.len(), |index| vfs.read(&selected[index].1))?;
        let consolidation = |(created, text): (&FragmentName, &Vec<u8>)| Consolidation {
            created: created.clone(),
            replaced: commits::vacuumed(text).collect(),
        };
        Ok(selected.iter().map(|file| &file.0).zip(&texts).map(consolidation).collect())
    }
}

/// The fragments that an array has.
struct PresentFragments<'a> {
    names: HashSet<&'a str>,
    by_times: HashMap<(u64, u64), Vec<&'a FragmentName>>,
}

impl<'a> PresentFragments<'a> {
    fn of(directory: &'a ArrayDirectory) -> PresentFragments<'a> {
        let mut by_times: HashMap<_, Vec<_>> = HashMap::new();
        for name in directory.fragments() {
            by_times.entry(name.timestamps()).or_default().push(name);
        }
        PresentFragments { names: directory.fragments().iter().map(FragmentName::as_str).collect(), by_times }
    }

    /// True if a consolidation made one fragment only, which is there as are all that it replaced. One that made several names
    /// the last, and the others have the same times. Those that a consolidation created by its vacuum file, and those that are older
    /// because they were replaced, also several consolidations before, are not of this one. Of each consolidation, `replaced_by` has
    /// what it replaced.
    fn can_undo(&self, merge: &Consolidation, replaced_by: &HashMap<&str, &[String]>) -> bool {
        if !merge.replaced.iter().all(|name| self.names.contains(name.as_str())) {
            return false;
        }
        let of_its_times = self.by_times.get(&merge.created.timestamps()).into_iter().flatten().copied();
        let mut others = of_its_times.filter(|name| !replaced_by.contains_key(name.as_str())).peekable();
        if others.peek().is_none() {
            return self.names.contains(merge.created.as_str());
        }
        let mut older: HashSet<&str> = HashSet::new();
        let mut pending: Vec<&str> = merge.replaced.iter().map(String::as_str).collect();
        while let Some(name) = pending.pop() {
            if older.insert(name) {
                pending.extend(replaced_by.get(name).copied().unwrap_or_default().iter().map(String::as_str));
            }
        }
        self.names.contains(merge.created.as_str()) && others.all(|name| older.contains(name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::config::Config;
    use tiledb_core::pool::Pools;

    /// The first and last time of a fragment.
    type Times = (u64, u64);

    fn name((start, end): Times) -> String {
        format!("__{start}_{end}_0123456789abcdef0123456789abcdef_22")
    }

    /// The timestamps of the fragments that are visible in a window, in an array with fragments of these timestamps and these
    /// consolidations.
    fn visible(fragments: &[Times], merges: &[(Times, &[Times])], window: Times) -> Vec<Times> {
        let fragments: Vec<String> = fragments.iter().copied().map(name).collect();
        let names = |times: &[Times]| times.iter().copied().map(name).collect();
        let merges: Vec<(String, Vec<String>)> =
            merges.iter().map(|(created, replaced)| (name(*created), names(replaced))).collect();
        visible_names(&fragments, &merges, window).iter().map(FragmentName::timestamps).collect()
    }

    fn visible_names(fragments: &[String], merges: &[(String, Vec<String>)], window: Times) -> Vec<FragmentName> {
        let vfs = Vfs::new(&Config::new(), &Pools::new(1, 1)).unwrap();
        let uri = Uri::parse("mem://unmerged/array").unwrap();
        let put = |file: String, text: &str| vfs.put(&uri.join(&file), text.as_bytes()).unwrap();
        put("__schema/__1_1_0123456789abcdef0123456789abcdef".to_owned(), "");
        for name in fragments {
            put(format!("__commits/{name}.wrt"), "");
        }
        for (created, replaced) in merges {
            let lines: String = replaced.iter().map(|name| format!("/__fragments/{name}\n")).collect();
            put(format!("__commits/{created}.vac"), &lines);
        }
        ArrayDirectory::load(&vfs, &uri).unwrap().visible_unconsolidated(&vfs, window, true).unwrap()
    }

    #[test]
    fn consolidations_of_the_same_times_are_both_undone() {
        let other = |name: &str| name.replace("0123", "4567");
        let (first, second, pair) = (name((1, 1)), name((2, 2)), name((1, 2)));
        let (late, again) = (other(&second), other(&pair));
        let merges =
            [(pair.clone(), vec![first.clone(), second.clone()]), (again.clone(), vec![pair.clone(), late.clone()])];
        let fragments = [first.clone(), second.clone(), late.clone(), pair.clone(), again.clone()];
        let mut sources = vec![first, second, late];
        sources.sort();
        let visible = visible_names(&fragments, &merges, (0, 9));
        let mut visible: Vec<&str> = visible.iter().map(FragmentName::as_str).collect();
        visible.sort_unstable();
        assert_eq!(visible, sources);
        // What a consolidation before replaced is older than the fragment, though it may have the same times.
        let (first, second, third) = (name((1, 1)), other(&name((1, 1))), name((1, 1)).replace("0123", "89ab"));
        let (pair, all) = (name((1, 1)).replace("0123", "cdef"), name((1, 1)).replace("0123", "fedc"));
        let merges =
            [(pair.clone(), vec![first.clone(), second.clone()]), (all.clone(), vec![pair.clone(), third.clone()])];
        let visible = visible_names(&[first, second, third.clone(), pair.clone(), all], &merges, (0, 9));
        let mut visible: Vec<&str> = visible.iter().map(FragmentName::as_str).collect();
        visible.sort_unstable();
        // The third may have been made by the first consolidation.
        assert_eq!(visible, [&third, &pair]);
    }

    #[test]
    fn a_consolidation_that_may_have_created_several_fragments_is_not_undone() {
        let (first, second, pair) = (name((1, 1)), name((2, 2)), name((1, 2)));
        let again = pair.replace("0123", "4567");
        let merges = [(pair.clone(), vec![first.clone(), second.clone()])];
        let fragments = [first, second, pair.clone(), again];
        let visible = visible_names(&fragments, &merges, (0, 9));
        assert!(visible.iter().any(|name| name.as_str() == pair));
    }

    #[test]
    fn what_was_replaced_is_read_while_all_of_it_is_there() {
        let (first, second, third) = ((1, 1), (2, 2), (3, 3));
        let pair = (1, 2);
        let all = (1, 3);
        let merges: &[(Times, &[Times])] = &[(pair, &[first, second]), (all, &[pair, third])];
        let there = [first, second, third, pair, all];
        assert_eq!(visible(&there, merges, (0, 9)), [first, second, third]);
        assert_eq!(visible(&there, merges, (0, 2)), [first, second]);
        // A vacuum that was interrupted, at one place or another.
        assert_eq!(visible(&[second, third, pair, all], merges, (0, 9)), [pair, third]);
        assert_eq!(visible(&[first, second, pair, all], merges, (0, 9)), [all]);
        assert_eq!(visible(&[first, second, third, all], merges, (0, 9)), [all]);
        assert_eq!(visible(&[all], merges, (0, 9)), [all]);
        assert_eq!(visible(&there[..3], &[], (0, 9)), [first, second, third]);
    }
}
