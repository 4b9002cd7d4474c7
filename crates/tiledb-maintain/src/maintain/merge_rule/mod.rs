//! The rule that decides whether a set of fragments can be merged without changing what any reader sees.
//!
//! Readers resolve cells that several fragments contain by the order of these fragments, which is that of their names:
//! by first time, then by text (`__start_end_uuid_version`). A merged fragment has the first and the last time of its
//! sources, so that it can have another place in this order than they had; in dense arrays it also supplies cells that
//! none of them has.

use std::cell::RefCell;
use std::ops::Range;

use tiledb_array::fragment::{FragmentName, NamePlace};
use tiledb_cells::space::box_index::{BoxIndex, BoxNode, overlap};
use tiledb_cells::space::grid::CoordSpan;

/// Which of several fragments supplies a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellPrecedence {
    /// Dense arrays: the last fragment whose box contains the cell, whether it was written there or not.
    LastBox,
    /// Sparse arrays whose merged fragments store the times of cells: the latest cell, and of equally late ones that of
    /// the last fragment.
    LatestCell,
    /// Sparse arrays of formats without times of cells: the last fragment.
    LastFragment,
    /// Sparse arrays that allow duplicates: all fragments.
    All,
}

/// A fragment and the box around its cells.
#[derive(Clone, Debug)]
pub(crate) struct FragmentBox {
    pub(crate) name: FragmentName,
    /// Cells or their ranks per dimension; empty if duplicates are allowed.
    pub(crate) region: Vec<CoordSpan>,
    /// The last time of the fragment that replaced it, if it is visible to readers as of earlier times only.
    pub(crate) replaced_by: Option<u64>,
}

/// All fragments of an array that readers see, in their order. A position is an index in it.
pub(crate) struct MergeRule {
    precedence: CellPrecedence,
    fragments: Vec<FragmentBox>,
    index: BoxIndex,
    cached_names: RefCell<Option<NamedPositions>>,
}

/// First and last time, and the positions of the first and the last fragment with these.
type NamedPositions = ((u64, u64), usize, usize);

/// Fragments that are to be merged.
#[derive(Clone, Debug)]
pub(crate) struct MergeSet {
    /// Ascending.
    positions: Vec<usize>,
    /// The box around all of them.
    region: Vec<CoordSpan>,
    start: u64,
    end: u64,
}

impl MergeRule {
    /// The rule for the fragments that readers see, in any order.
    pub(crate) fn new(precedence: CellPrecedence, mut fragments: Vec<FragmentBox>) -> MergeRule {
        // Usually they are in order.
        fragments.sort_by(|a, b| a.name.cmp(&b.name));
        let boxes = match precedence {
            CellPrecedence::All => Vec::new(),
            _ => fragments.iter().map(|fragment| fragment.region.clone()).collect(),
        };
        MergeRule { precedence, fragments, index: BoxIndex::new(boxes), cached_names: RefCell::new(None) }
    }

    /// The position of a fragment.
    pub(crate) fn position(&self, name: &FragmentName) -> Option<usize> {
        self.fragments.binary_search_by(|fragment| fragment.name.cmp(name)).ok()
    }

    /// The fragment at a position.
    pub(crate) fn name(&self, position: usize) -> &FragmentName {
        &self.fragments[position].name
    }

    /// A set of one fragment.
    pub(crate) fn set(&self, position: usize) -> MergeSet {
        let FragmentBox { name, region, .. } = &self.fragments[position];
        let (start, end) = name.timestamps();
        MergeSet { positions: vec![position], region: region.clone(), start, end }
    }

    /// Adds a fragment to a set.
    pub(crate) fn add(&self, set: &mut MergeSet, position: usize) {
        let FragmentBox { name, region, .. } = &self.fragments[position];
        if set.last() < position {
            set.positions.push(position);
        } else if let Err(at) = set.positions.binary_search(&position) {
            set.positions.insert(at, position);
        }
        set.region.iter_mut().zip(region).for_each(|(side, other)| *side = side.join(*other));
        set.start = set.start.min(name.timestamps().0);
        set.end = set.end.max(name.timestamps().1);
    }

    /// True if older fragments exclude the set and each set with more, later fragments: only in dense arrays, where a
    /// merged fragment supplies all cells of its box.
    pub(crate) fn is_blocked(&self, set: &MergeSet) -> bool {
        let older = || self.fragments.partition_point(|fragment| fragment.name.timestamps().0 < set.start);
        self.precedence == CellPrecedence::LastBox && self.index.overlaps_before(&set.region, older())
    }

    /// True if a [conflict](MergeRule::check) with the fragment at a position remains, whichever later fragments are added
    /// to the set: times decide which of them is first.
    pub(crate) fn is_permanent(&self, set: &MergeSet, position: usize) -> bool {
        self.fragments[position].name.timestamps().0 != set.start
    }

    /// The place of a merged fragment among those with its times, such that the merge changes no cell that is read; or
    /// the position of a fragment that reads differently wherever the merged one is.
    ///
    /// Let *S* be the set and *M* the merged fragment, or each of several that divide its cells. The name of *M* begins
    /// with `__start_end_`, the first and the last time of *S*, and continues as we like, so that its place is free
    /// among the fragments that begin with the same. Let *F* be a fragment outside of *S*. It is in order if
    ///
    /// - its box does not overlap that of *S*; or
    /// - it is after *M*, and after all sources in *S* that it competes with; or
    /// - the array is sparse, and *F* is before *M* and before all sources that it competes with.
    ///
    /// *F* competes with a source if their boxes overlap; where cells have times, if they can also have cells of equal
    /// times, since others are resolved by their times, which a merge preserves.
    ///
    /// If each *F* is in order, each reader sees the same. Take a cell, and the fragments that supply it: without any
    /// outside of *S* the merge decides as a reader does, and in dense arrays *M* supplies the fill value where no source
    /// has the cell, as for a cell that no fragment has. Otherwise let *F* be one that would supply the cell if *S* did not
    /// exist. Sources that have the cell compete with *F*, so that it is before or after all of these, as it is
    /// before or after *M*; then it supplies the cell in both cases or in none. If no source has the cell, *F* supplies it
    /// before the merge; afterwards, too, since *M* does not have it in sparse arrays and is before *F* in dense ones. A
    /// reader at a window of time in which *M* is visible sees *M* and not *S*, which is in that window, too; all others see
    /// *S*; times of cells exclude the same cells of both.
    ///
    /// *F* may be a fragment that a consolidation has replaced, which readers as of an earlier time see. It is of no
    /// consequence if *M* ends at the time from which on it is hidden, or later: then no reader sees both.
    pub(crate) fn check(&self, set: &MergeSet) -> Result<NamePlace, usize> {
        if self.precedence == CellPrecedence::All {
            return Ok(NamePlace::default());
        }
        let equal = self.equal_names(set);
        // After the sources, as far as possible; in dense arrays with free space between the sources rather first.
        let last = (set.last() + 1).clamp(equal.start, equal.end);
        let conflict = match self.at(set, &equal, last) {
            Ok(place) => return Ok(place),
            Err(conflict) => conflict,
        };
        if equal.start < last { self.at(set, &equal, equal.start).map_err(|_| conflict) } else { Err(conflict) }
    }

    /// The place immediately before `cut`; or the position of a fragment that is not in order then, or that leaves no name.
    fn at(&self, set: &MergeSet, equal: &Range<usize>, cut: usize) -> Result<NamePlace, usize> {
        if let Some(conflict) = self.conflict(set, cut) {
            return Err(conflict);
        }
        Some(self.place(equal, cut)).filter(NamePlace::has_room).ok_or(cut)
    }

    /// The position of a fragment that is not in order if the merged fragment is immediately before `cut`.
    fn conflict(&self, set: &MergeSet, cut: usize) -> Option<usize> {
        let (&first, &last) = (set.positions.first()?, set.positions.last()?);
        // Fragments before all sources and the merged one, or after them, are in order; but older dense ones are not.
        let begin = match self.precedence {
            CellPrecedence::LastBox => 0,
            _ => first.min(cut),
        };
        let end = cut.max(last + 1);
        let is_contiguous = last - first + 1 == set.positions.len();
        if is_contiguous && (begin, end) == (first, last + 1) {
            return None;
        }
        let mut conflict = None;
        let mut enter = |node: &BoxNode| {
            let is_of_set = is_contiguous && first <= node.ends.0 && node.ends.1 <= last;
            !is_of_set && node.ends.0 < end && begin <= node.ends.1 && overlap(&node.hull, &set.region)
        };
        self.index.search(&set.region, &mut enter, &mut |position| {
            let is_in_way = (begin..end).contains(&position)
                && overlap(&self.fragments[position].region, &set.region)
                && !set.contains(position)
                && self.fragments[position].replaced_by.is_none_or(|end| set.end < end)
                && match (position < cut, self.precedence) {
                    (true, CellPrecedence::LastBox) => true,
                    (true, _) => self.competes(set, position, first..position),
                    (false, _) => self.competes(set, position, position + 1..last + 1),
                };
            conflict = conflict.or(Some(position).filter(|_| is_in_way));
            is_in_way
        });
        conflict
    }

    /// True if a fragment competes with one of the sources at some positions.
    fn competes(&self, set: &MergeSet, position: usize, sources: Range<usize>) -> bool {
        let FragmentBox { name, region, .. } = &self.fragments[position];
        let mut enter =
            |node: &BoxNode| node.ends.0 < sources.end && sources.start <= node.ends.1 && overlap(&node.hull, region);
        self.index.search(region, &mut enter, &mut |source| {
            sources.contains(&source)
                && overlap(&self.fragments[source].region, region)
                && set.contains(source)
                && (self.precedence != CellPrecedence::LatestCell || {
                    let (a, b) = (name.timestamps(), self.fragments[source].name.timestamps());
                    a.0 <= b.1 && b.0 <= a.1
                })
        })
    }

    /// The positions of the fragments whose names begin as that of the merged fragment. The times of the last set are
    /// cached: most sets of a bulk load have the same.
    fn equal_names(&self, set: &MergeSet) -> Range<usize> {
        let times = (set.start, set.end);
        let cached = *self.cached_names.borrow();
        if let Some((_, start, end)) = cached.filter(|cached| cached.0 == times) {
            return start..end;
        }
        let beginning = format!("__{}_{}_", set.start, set.end);
        let start_of = |fragment: &FragmentBox| fragment.name.timestamps().0;
        let is_before = |fragment: &FragmentBox| {
            start_of(fragment) < set.start
                || start_of(fragment) == set.start && fragment.name.as_str() < beginning.as_str()
        };
        let is_equal =
            |fragment: &FragmentBox| start_of(fragment) == set.start && fragment.name.as_str().starts_with(&beginning);
        let start = self.fragments.partition_point(is_before);
        let end = self.fragments.partition_point(|fragment| is_before(fragment) || is_equal(fragment));
        *self.cached_names.borrow_mut() = Some((times, start, end));
        start..end
    }

    fn place(&self, equal: &Range<usize>, cut: usize) -> NamePlace {
        let name = |position: usize| Some(self.fragments[position].name.clone());
        NamePlace {
            after: if equal.start < cut { name(cut - 1) } else { None },
            before: if cut < equal.end { name(cut) } else { None },
            is_descending: false,
        }
    }
}

impl MergeSet {
    /// True if a position is in the set.
    fn contains(&self, position: usize) -> bool {
        self.positions.binary_search(&position).is_ok()
    }

    /// The last position.
    pub(crate) fn last(&self) -> usize {
        self.positions.last().copied().unwrap_or_default()
    }

    /// Number of fragments.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }
}

#[cfg(test)]
mod tests;
