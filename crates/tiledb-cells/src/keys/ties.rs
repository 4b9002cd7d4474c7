//! Resolves ties of the first word: the next word of each cell is fetched once and sorted by, and so on for the ties
//! that remain. Small runs are sorted by comparison.

use std::ops::Range;

use super::columns::KeyedColumns;
use super::plan::KeyComparison;
use super::sort::sort_codes;
use tiledb_core::error::Result;
use tiledb_core::limits::keys::{CELLS_PER_TIE_TASK, MAX_COMPARED_TIES, MAX_SORTED_WORDS};
use tiledb_core::memory;
use tiledb_core::pool::{CancelToken, Pools};
use tiledb_filters::tile::prefix;

/// How many steps of the comparison are known to be equal.
#[derive(Clone, Copy)]
struct ComparisonState {
    /// The next step of the comparison.
    step: usize,
    /// Bytes of the texts of this step.
    depth: usize,
    /// Words that were fetched.
    looks: u32,
}

/// Cells of a write that are being sorted.
pub(crate) struct Ties<'a> {
    pub cells: KeyedColumns<'a>,
    /// Threads.
    pub pools: &'a Pools,
    /// Stops the work.
    pub cancel: &'a CancelToken,
}

/// Runs that one task sorts.
struct Task<'a> {
    codes: &'a mut [u64],
    /// Where the codes begin in those of all.
    start: usize,
    runs: &'a [Range<usize>],
    places: Vec<usize>,
}

impl Ties<'_> {
    /// Sorts runs of cells whose first words are equal. Returns the positions of those whose coordinates equal those of
    /// the previous cell, ascending.
    ///
    /// # Errors
    /// If memory does not suffice, or on cancellation.
    pub(crate) fn resolve(&self, codes: &mut [u64], runs: &[Range<usize>]) -> Result<Vec<usize>> {
        self.resolve_from(codes, runs, ComparisonState { step: 1, depth: 8, looks: 0 })
    }

    fn resolve_from(&self, codes: &mut [u64], runs: &[Range<usize>], known: ComparisonState) -> Result<Vec<usize>> {
        let resolve = |codes: &mut [u64], start, equal: &mut Vec<usize>| self.resolve_run(codes, known, start, equal);
        each_run(codes, runs, self.pools, self.cancel, &resolve)
    }

    fn resolve_run(
        &self,
        codes: &mut [u64],
        known: ComparisonState,
        start: usize,
        equal: &mut Vec<usize>,
    ) -> Result<()> {
        if codes.len() <= MAX_COMPARED_TIES.count() || u64::from(known.looks) >= MAX_SORTED_WORDS.bytes() {
            return self.compare(codes, known.step, start, equal);
        }
        let Some((words, known)) = self.next_words(codes, known)? else {
            return self.compare(codes, known.step, start, equal);
        };
        let ties = sort_codes(codes, words, self.pools, self.cancel)?;
        for place in self.resolve_from(codes, &ties, known)? {
            memory::push("equal keys", equal, start + place)?;
        }
        Ok(())
    }

    /// The next words of cells, and the state of those where they are equal; `None` if there are no more.
    fn next_words(&self, codes: &[u64], mut known: ComparisonState) -> Result<Option<(Vec<u64>, ComparisonState)>> {
        let mut words = memory::zeroed("sort keys", codes.len())?;
        while let Some(step) = self.cells.plan().steps().get(known.step) {
            let looks = known.looks + 1;
            match *step {
                KeyComparison::Word(word) => {
                    self.cells.gather(word, codes, &mut words);
                    return Ok(Some((words, ComparisonState { looks, ..known.next_step() })));
                }
                KeyComparison::Text(dimension) => {
                    let texts = codes.iter().map(|&code| self.cells.coords()[dimension].text(code as usize));
                    if let Some(depth) = first_difference(texts.clone(), known.depth) {
                        let prefixes = texts.map(|text| prefix(text.get(depth..).unwrap_or_default()));
                        words.iter_mut().zip(prefixes).for_each(|(word, prefix)| *word = prefix);
                        return Ok(Some((words, ComparisonState { depth: depth + 8, looks, ..known })));
                    }
                    known = known.next_step();
                }
            }
        }
        Ok(None)
    }

    /// Sorts cells that are equal up to a step by comparing them.
    fn compare(&self, codes: &mut [u64], step: usize, start: usize, equal: &mut Vec<usize>) -> Result<()> {
        let compare = |a: u64, b: u64| {
            let (a, b) = (a as usize, b as usize);
            self.cells.compare_from(step, a, b).then_with(|| self.cells.compare_bits(a, b))
        };
        codes.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
        for at in 1..codes.len() {
            if compare(codes[at - 1], codes[at]).is_eq() {
                memory::push("equal keys", equal, start + at)?;
            }
        }
        Ok(())
    }
}

/// Sorts the codes of a run, which begins at a position, and adds the positions of some of them.
type ResolveRun<'a> = &'a (dyn Fn(&mut [u64], usize, &mut Vec<usize>) -> Result<()> + Sync);

/// Sorts ascending runs of codes, on all threads. Returns the positions that were added, run by run.
///
/// # Errors
/// Those of `resolve`; if memory does not suffice, or on cancellation.
pub fn each_run(
    codes: &mut [u64],
    runs: &[Range<usize>],
    pools: &Pools,
    cancel: &CancelToken,
    resolve: ResolveRun<'_>,
) -> Result<Vec<usize>> {
    let mut tasks: Vec<Task<'_>> = Vec::new();
    let (mut rest, mut start, mut runs, mut total) = (codes, 0, runs, 0);
    while !runs.is_empty() {
        let mut cells = 0;
        let full = |run: &Range<usize>| {
            cells += run.len();
            cells >= CELLS_PER_TIE_TASK.count()
        };
        let count = runs.iter().position(full).map_or(runs.len(), |last| last + 1);
        let (now, later) = runs.split_at(count);
        let (from, to) = (now[0].start, now[count - 1].end);
        let (codes, more) = rest.split_at_mut(to - start);
        let codes = &mut codes[from - start..];
        memory::push("equal keys", &mut tasks, Task { codes, start: from, runs: now, places: Vec::new() })?;
        (rest, start, runs, total) = (more, to, later, total + cells);
    }
    // Every cell is fetched from a random position.
    const LINE: usize = 64;
    pools.for_each_mut(&mut tasks, total * LINE, cancel, |_, task| {
        for run in task.runs {
            let codes = &mut task.codes[run.start - task.start..run.end - task.start];
            resolve(codes, run.start, &mut task.places)?;
        }
        Ok(())
    })?;
    let mut places = memory::with_capacity("equal keys", tasks.iter().map(|task| task.places.len()).sum())?;
    tasks.iter().for_each(|task| places.extend_from_slice(&task.places));
    Ok(places)
}

impl ComparisonState {
    /// The state after a step that words decided. For strings these were the first eight bytes.
    fn next_step(self) -> ComparisonState {
        ComparisonState { step: self.step + 1, depth: 8, ..self }
    }
}

/// From where on texts differ that are equal, or end, before `depth`; nothing if all are equal.
fn first_difference<'a>(mut texts: impl Iterator<Item = &'a [u8]>, depth: usize) -> Option<usize> {
    let first = texts.next()?;
    let mut rest = first.get(depth..).unwrap_or_default();
    let mut differ = false;
    for text in texts {
        let other = text.get(depth..).unwrap_or_default();
        if !other.starts_with(rest) {
            let same = rest.iter().zip(other).take_while(|(a, b)| a == b).count();
            rest = &rest[..same];
        }
        differ |= text.len() != first.len() || rest.len() < other.len();
    }
    differ.then_some(depth + rest.len())
}
