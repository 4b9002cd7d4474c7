//! Merges of fragments, of which readers may see the sources beside the result.
//!
//! A merge lists the commits when it is planned, before its own commit and afterwards, and withdraws if it finds the result of another
//! one, or if one of its sources was hidden or withdrawn meanwhile (docs/durability.md). Cells are therefore doubled only until the
//! sources are hidden, and for good if another merge was planned and committed meanwhile, or cannot tell the result from a write.

/// One result of a merge: a fragment, or several with one commit.
#[derive(Debug)]
struct Merge {
    /// The number of its operation.
    work: usize,
    /// When it was planned, between two steps.
    planned: (u64, u64),
    /// The name of its last fragment.
    fragment: String,
    commit: Option<(u64, String)>,
    /// When the commit was removed again.
    withdrawn: Option<u64>,
    /// When its sources were hidden, and by which file.
    hidden: Option<(u64, String)>,
    /// Another merge takes it for a write: its start and its end are the same time, or the end is in the future of a clock.
    is_indistinct: bool,
}

impl Merge {
    /// Whether sources and result are visible at some step between two.
    fn is_open(&self, (from, to): (u64, u64)) -> bool {
        self.commit.as_ref().is_some_and(|commit| commit.0 <= to) && self.end().is_none_or(|end| from <= end)
    }

    /// When it was complete, or had no effect any more.
    fn end(&self) -> Option<u64> {
        self.hidden.as_ref().map(|hidden| hidden.0).or(self.withdrawn)
    }

    /// Whether it was planned by a listing that has the result and the sources of another one, or does not recognize that result, and
    /// committed before that one was complete or withdrawn.
    fn repeats(&self, other: &Merge) -> bool {
        let Some((commit, _)) = &self.commit else { return false };
        let is_known = other.is_open(self.planned)
            || other.is_indistinct && other.commit.as_ref().is_some_and(|other| self.planned.0 <= other.0);
        self.work != other.work && self.withdrawn.is_none() && is_known && other.is_open((*commit, *commit))
    }
}

/// All merges of a history.
#[derive(Debug)]
pub struct Merges {
    all: Vec<Merge>,
    /// Clocks differ: a process may see results whose end is in its future.
    has_skew: bool,
}

impl Merges {
    /// None yet; the clocks of the processes may differ.
    pub fn new(has_skew: bool) -> Merges {
        Merges { all: Vec::new(), has_skew }
    }

    /// An actor changes a file in an operation that merges fragments, which began at a step.
    pub fn change(&mut self, (work, begin): (usize, u64), step: u64, path: &str, is_removal: bool) {
        let last = self.all.iter_mut().rev().find(|merge| merge.work == work);
        let Some((folder, name)) = path.strip_prefix("store/array/").and_then(|path| path.split_once('/')) else {
            return;
        };
        if folder == "__fragments" && !is_removal {
            let fragment = name.split('/').next().unwrap_or_default();
            let planned_from = match last {
                None => begin,
                Some(Merge { withdrawn: Some(withdrawn), .. }) => *withdrawn,
                Some(Merge { hidden: Some((hidden, _)), .. }) => *hidden,
                Some(Merge { commit: Some((commit, _)), .. }) => *commit,
                // Another file.
                Some(merge) if merge.fragment == fragment => return,
                // Another fragment, perhaps of another attempt, after one that was withdrawn.
                Some(merge) => {
                    merge.planned.1 = step;
                    fragment.clone_into(&mut merge.fragment);
                    return;
                }
            };
            let planned = (planned_from, step);
            let fragment = fragment.to_owned();
            self.all.push(Merge {
                work,
                planned,
                fragment,
                commit: None,
                withdrawn: None,
                hidden: None,
                is_indistinct: false,
            });
            return;
        }
        if folder != "__commits" {
            return;
        }
        if !is_removal && let Some(fragment) = name.strip_suffix(".vac") {
            // Perhaps of another maintainer, which completes the merge.
            let completed = self.all.iter_mut().filter(|merge| merge.fragment == fragment && merge.commit.is_some());
            completed.for_each(|merge| merge.hidden = merge.hidden.take().or_else(|| Some((step, path.to_owned()))));
        }
        let Some(merge) = self.all.iter_mut().rev().find(|merge| merge.work == work) else { return };
        let is_commit = name.ends_with(".wrt") || name.ends_with(".con");
        match &merge.commit {
            None if is_commit && !is_removal => {
                let mut times = name.split('_').filter_map(|part| part.parse::<u64>().ok());
                let (start, end) = (times.next(), times.next());
                merge.is_indistinct = start == end || self.has_skew;
                merge.commit = Some((step, path.to_owned()));
            }
            Some((_, commit)) if is_removal && commit == path && merge.hidden.is_none() => {
                merge.withdrawn = Some(step);
            }
            Some(_) if name.ends_with(".vac") && !is_removal => merge.hidden = Some((step, path.to_owned())),
            _ => (),
        }
    }

    /// A crash took back names.
    pub fn lose(&mut self, paths: &[String]) {
        for merge in &mut self.all {
            for file in [&mut merge.commit, &mut merge.hidden] {
                if file.as_ref().is_some_and(|(_, path)| paths.contains(path)) {
                    *file = None;
                }
            }
        }
    }

    /// Whether cells may be visible twice after a step: by merges of which the operations leave their sources visible for a while
    /// (`opens`), or by two merges, of which the operation of one excludes no other one (`excludes_none`).
    pub fn may_double(&self, step: u64, opens: impl Fn(usize) -> bool, excludes_none: impl Fn(usize) -> bool) -> bool {
        let is_open = |merge: &Merge| opens(merge.work) && merge.is_open((step, u64::MAX));
        let repeats = |merge: &Merge| {
            self.all
                .iter()
                .any(|other| (excludes_none(merge.work) || excludes_none(other.work)) && merge.repeats(other))
        };
        self.all.iter().any(|merge| is_open(merge) || repeats(merge))
    }
}
