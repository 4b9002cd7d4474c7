//! Sorting by the first word of a key: cells are identified by codes, numbers of few bits.
//!
//! A code shares a word with the abbreviated key, as many of the varying upper bits of the key as fit, so that 8 bytes
//! per cell are moved. One pass over the highest bits partitions the cells into cache-sized buckets; the buckets are
//! sorted by comparison, and cells with equal abbreviated keys by their keys. Equal keys are ordered by their codes. All passes
//! run in parallel.

use std::ops::Range;

use tiledb_core::error::Result;
use tiledb_core::limits::keys::{
    CELLS_PER_SORT_BLOCK, CELLS_PER_SORT_TASK, MAX_COMPARED_CELLS, MAX_STACK_TIES, SAMPLED_KEYS,
};
use tiledb_core::memory;
use tiledb_core::pool::{CancelToken, Pools};

/// Bits that the buckets are made by.
const BUCKET_BITS: u32 = 11;
const BUCKETS: usize = 1 << BUCKET_BITS;

/// Cells that the buffers of a block hold: the value of [`CELLS_PER_SORT_BLOCK`].
pub const BLOCK: usize = 256;

/// Keys that the buffers for ties on the stack hold: the value of [`MAX_STACK_TIES`].
const STACK_TIES: usize = 24;

/// The outcome of a sort.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SortedCodes {
    /// The codes in the order of their keys.
    pub codes: Vec<u64>,
    /// Runs of two and more codes whose keys are equal.
    pub ties: Vec<Range<usize>>,
}

/// True if no key is less than the one before it.
pub fn is_ascending(keys: &[u64]) -> bool {
    // In blocks without an early exit, which the compiler can vectorise.
    let sorted = |keys: &[u64]| keys.iter().zip(&keys[1..]).fold(true, |sorted, (a, b)| sorted & (a <= b));
    keys.len() < 2 || (0..keys.len() - 1).step_by(256).all(|start| sorted(&keys[start..keys.len().min(start + 257)]))
}

/// Runs of two and more equal items; the first of all items has the position `start`.
///
/// # Errors
/// If memory does not suffice.
pub fn ties<T>(items: &[T], start: usize, equal: impl Fn(&T, &T) -> bool) -> Result<Vec<Range<usize>>> {
    let mut ties: Vec<Range<usize>> = Vec::new();
    for (at, pair) in (start + 1..).zip(items.windows(2)) {
        if equal(&pair[0], &pair[1]) {
            match ties.last_mut() {
                Some(run) if run.end == at => run.end = at + 1,
                _ => memory::push("equal keys", &mut ties, at - 1..at + 1)?,
            }
        }
    }
    Ok(ties)
}

/// Keys and the code of each. An object, so that the sort is compiled once for all callers.
pub trait KeySource: Sync {
    /// How many keys there are.
    fn count(&self) -> usize;

    /// True if keys are computed anew whenever they are needed. Then their range is estimated from a sample.
    fn is_computed(&self) -> bool {
        false
    }

    /// The keys of a range of at most [`BLOCK`] positions, and their codes; in `buffers` if they do not lie side by side.
    fn block<'a>(&'a self, range: Range<usize>, buffers: &'a mut [[u64; BLOCK]; 2]) -> (&'a [u64], Codes<'a>);

    /// The keys of some codes.
    fn keys_of(&self, codes: &[u64], out: &mut [u64]);
}

/// The codes of some keys.
#[derive(Clone, Copy)]
pub enum Codes<'a> {
    /// Ascending by one, from this one on.
    From(u64),
    Each(&'a [u64]),
}

/// Keys that lie side by side; their positions are their codes.
impl KeySource for Vec<u64> {
    fn count(&self) -> usize {
        self.len()
    }

    fn block<'a>(&'a self, range: Range<usize>, _: &'a mut [[u64; BLOCK]; 2]) -> (&'a [u64], Codes<'a>) {
        let first = range.start as u64;
        (&self[range], Codes::From(first))
    }

    fn keys_of(&self, codes: &[u64], out: &mut [u64]) {
        out.iter_mut().zip(codes).for_each(|(out, &code)| *out = self[code as usize]);
    }
}

/// Sorts keys with their codes, which are below `2^code_bits`. Equal keys are ordered by their codes; where all keys ascend already,
/// the codes are left as they are.
///
/// # Errors
/// If memory does not suffice, or on cancellation.
pub fn sort(source: &dyn KeySource, code_bits: u32, pools: &Pools, cancel: &CancelToken) -> Result<SortedCodes> {
    let mut work = SortJob { source, abbreviation: Abbreviation::default(), code_bits, pools, cancel };
    if source.is_computed() && source.count() > MAX_COMPARED_CELLS.count() {
        let sample = work.sample();
        work.abbreviation = Abbreviation::new(sample.least, sample.most, code_bits, true);
        let sizes = work.bucket_sizes()?;
        if !work.is_uneven(&sizes) {
            return work.sort_buckets(&sizes);
        }
        // The sample is not typical of the keys.
    }
    let surveys = work.of_parts(|part| work.survey(std::iter::once(part)))?;
    if surveys.iter().all(|survey| survey.ascends) && surveys.windows(2).all(|pair| pair[0].last <= pair[1].first) {
        return work.in_order();
    }
    let least = surveys.iter().map(|survey| survey.least).min().unwrap_or(0);
    let most = surveys.iter().map(|survey| survey.most).max().unwrap_or(0);
    work.abbreviation = Abbreviation::new(least, most, code_bits, false);
    match source.count() > MAX_COMPARED_CELLS.count() {
        true => work.sort_buckets(&work.bucket_sizes()?),
        false => work.sort_few(),
    }
}

/// Sorts ascending codes by the keys at the same positions; returns the runs of equal keys.
///
/// # Errors
/// As [`sort`].
pub fn sort_codes(
    codes: &mut [u64],
    mut keys: Vec<u64>,
    pools: &Pools,
    cancel: &CancelToken,
) -> Result<Vec<Range<usize>>> {
    let SortedCodes { codes: positions, ties } = sort(&keys, bits(codes.len() as u64), pools, cancel)?;
    // The memory of the keys has the codes from here on.
    keys.copy_from_slice(codes);
    codes.iter_mut().zip(positions).for_each(|(code, position)| *code = keys[position as usize]);
    Ok(ties)
}

/// Bits of a number.
fn bits(number: u64) -> u32 {
    64 - number.leading_zeros()
}

/// How keys are abbreviated to share a word with a code.
#[derive(Clone, Copy, Default)]
struct Abbreviation {
    /// The key that is abbreviated to 0, as are those below.
    least: u64,
    /// How many of the low bits are dropped.
    shift: u32,
    /// The greatest abbreviated key, which keys above share.
    most: u64,
    /// There may be keys outside of the range.
    is_estimate: bool,
}

impl Abbreviation {
    /// For keys from `least` to `most`; leaves `code_bits` for a code.
    fn new(least: u64, most: u64, code_bits: u32, is_estimate: bool) -> Abbreviation {
        // With codes of 64 bits none are left.
        let shift = (bits(most - least) + code_bits).saturating_sub(64).min(63);
        Abbreviation { least, shift, most: (most - least) >> shift, is_estimate }
    }

    #[inline(always)]
    fn of(self, key: u64) -> u64 {
        (key.saturating_sub(self.least) >> self.shift).min(self.most)
    }

    /// True if keys that are abbreviated to this one may differ.
    fn is_ambiguous(self, short: u64) -> bool {
        self.shift > 0 || self.is_estimate && (short == 0 || short == self.most)
    }
}

/// The input of a sort, and the threads that run it.
struct SortJob<'a> {
    source: &'a dyn KeySource,
    abbreviation: Abbreviation,
    code_bits: u32,
    pools: &'a Pools,
    cancel: &'a CancelToken,
}

/// A part of the cells, and how many of them belong to each bucket.
type PartSizes = (Range<usize>, Vec<usize>);

/// What is known of some keys before they are sorted.
struct Survey {
    first: u64,
    last: u64,
    least: u64,
    most: u64,
    /// No key is less than the one before it.
    ascends: bool,
}

/// Codes that are in order, of the keys from a position on, and the runs of equal keys that end among them.
struct Stretch<'a> {
    start: usize,
    codes: &'a mut [u64],
    ties: Vec<Range<usize>>,
}

/// Cells that are sorted by one thread, and the runs of equal keys among them.
struct Bucket<'a> {
    /// Its position among all cells.
    start: usize,
    cells: &'a mut [u64],
    ties: Vec<Range<usize>>,
}

impl SortJob<'_> {
    fn count(&self) -> usize {
        self.source.count()
    }

    /// Passes the keys and codes of a range on, block by block. Its buffers are on the stack only while it runs.
    #[inline(never)]
    fn for_keys(&self, range: Range<usize>, mut take: impl FnMut(&[u64], Codes<'_>)) {
        let mut buffers = [[0; BLOCK]; 2];
        let block = CELLS_PER_SORT_BLOCK.count().min(BLOCK);
        for start in range.clone().step_by(block) {
            let (keys, codes) = self.source.block(start..range.end.min(start + block), &mut buffers);
            take(keys, codes);
        }
    }

    /// Looks at some keys of many.
    fn sample(&self) -> Survey {
        let count = self.count();
        let samples = SAMPLED_KEYS.count();
        let start = |sample: usize| (count - samples) * sample / (samples - 1);
        self.survey((0..samples).map(|sample| start(sample)..start(sample) + samples))
    }

    /// Looks at the keys of ascending ranges.
    fn survey(&self, ranges: impl Iterator<Item = Range<usize>>) -> Survey {
        let mut survey = Survey { first: 0, last: 0, least: u64::MAX, most: 0, ascends: true };
        let mut is_first = true;
        for range in ranges {
            self.for_keys(range, |keys, _| {
                let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else { return };
                if is_first {
                    survey.first = first;
                }
                survey.ascends = survey.ascends && (is_first || survey.last <= first) && is_ascending(keys);
                survey.last = last;
                is_first = false;
                for &key in keys {
                    (survey.least, survey.most) = (survey.least.min(key), survey.most.max(key));
                }
            });
        }
        survey
    }

    /// The codes of keys that ascend.
    fn in_order(&self) -> Result<SortedCodes> {
        let mut codes: Vec<u64> = memory::zeroed("sorting", self.count())?;
        let part = self.count().div_ceil(self.parts()).max(1);
        let starts = (0..).step_by(part);
        let stretch = |(start, codes)| Stretch { start, codes, ties: Vec::new() };
        let mut stretches: Vec<Stretch<'_>> = starts.zip(codes.chunks_mut(part)).map(stretch).collect();
        let bytes = self.count() * size_of::<u64>();
        self.pools.for_each_mut(&mut stretches, bytes, self.cancel, |_, stretch| self.fill(stretch))?;
        let mut ties: Vec<Range<usize>> = Vec::new();
        for stretch in stretches {
            let mut more = stretch.ties.into_iter().peekable();
            if let Some(last) = ties.last_mut()
                && let Some(first) = more.next_if(|first| first.start < last.end)
            {
                last.end = first.end;
            }
            memory::reserve("equal keys", &mut ties, more.len())?;
            ties.extend(more);
        }
        Ok(SortedCodes { codes, ties })
    }

    fn fill(&self, Stretch { start, codes, ties }: &mut Stretch<'_>) -> Result<()> {
        let (mut at, mut result) = (*start, Ok(()));
        // With the last key before: a run may begin there.
        let mut before = None;
        let first = start.saturating_sub(1);
        self.for_keys(first..*start, |keys, _| before = keys.last().copied());
        self.for_keys(*start..*start + codes.len(), |keys, keyed| {
            let out = &mut codes[at - *start..][..keys.len()];
            match keyed {
                Codes::From(first) => (first..).zip(out).for_each(|(code, out)| *out = code),
                Codes::Each(keyed) => out.copy_from_slice(keyed),
            }
            for &key in keys {
                if before == Some(key) && result.is_ok() {
                    match ties.last_mut() {
                        Some(run) if run.end == at => run.end = at + 1,
                        _ => result = memory::push("equal keys", ties, at - 1..at + 1),
                    }
                }
                (before, at) = (Some(key), at + 1);
            }
        });
        result
    }

    /// Passes some cells on, block by block: each is an abbreviated key and a code in one word, the key above. Not inlined, as
    /// [`SortJob::for_keys`].
    #[inline(never)]
    fn for_blocks(&self, range: Range<usize>, mut take: impl FnMut(&mut [u64])) {
        let mut cells = [0; BLOCK];
        self.for_keys(range, |keys, codes| {
            let cells = &mut cells[..keys.len()];
            self.join(keys, codes, cells);
            take(cells);
        });
    }

    #[inline(never)]
    fn join(&self, keys: &[u64], codes: Codes<'_>, out: &mut [u64]) {
        let cells = out.iter_mut().zip(keys);
        // A shift by 64 could only be one of a key of no bits.
        let join = |key: u64, code| self.abbreviation.of(key).checked_shl(self.code_bits).unwrap_or(0) | code;
        match codes {
            Codes::Each(codes) => cells.zip(codes).for_each(|((out, &key), &code)| *out = join(key, code)),
            Codes::From(first) => cells.zip(first..).for_each(|((out, &key), code)| *out = join(key, code)),
        }
    }

    /// Into how many parts the cells are cut.
    fn parts(&self) -> usize {
        self.pools.parts(self.count(), CELLS_PER_SORT_TASK.count())
    }

    /// The results of `look` for each part of the cells, in parallel.
    fn of_parts<T: Send>(&self, look: impl Fn(Range<usize>) -> T + Sync) -> Result<Vec<T>> {
        let bytes = self.count() * size_of::<u64>();
        self.pools.map_parts(self.count(), self.parts(), bytes, self.cancel, |part| Ok(look(part)))
    }

    fn sort_few(&self) -> Result<SortedCodes> {
        let mut cells = memory::with_capacity("sorting", self.count())?;
        self.for_blocks(0..self.count(), |block| cells.extend_from_slice(block));
        let mut all = Bucket { start: 0, cells: &mut cells[..], ties: Vec::new() };
        self.sort_bucket(&mut all)?;
        let ties = all.ties;
        Ok(SortedCodes { codes: cells, ties })
    }

    /// Leaves the codes of a bucket, in order.
    fn sort_bucket(&self, Bucket { start, cells, ties: tied }: &mut Bucket<'_>) -> Result<()> {
        cells.sort_unstable();
        let short = |cell: u64| cell.checked_shr(self.code_bits).unwrap_or(0);
        let runs = ties(cells, 0, |&a, &b| short(a) == short(b))?;
        let ambiguous: Vec<bool> =
            runs.iter().map(|run| self.abbreviation.is_ambiguous(short(cells[run.start]))).collect();
        let mask = 1u64.checked_shl(self.code_bits).unwrap_or(0).wrapping_sub(1);
        cells.iter_mut().for_each(|cell| *cell &= mask);
        for (run, is_ambiguous) in runs.into_iter().zip(ambiguous) {
            let at = *start + run.start;
            match is_ambiguous {
                true => self.resolve(&mut cells[run], at, tied)?,
                false => memory::push("equal keys", tied, at..*start + run.end)?,
            }
        }
        Ok(())
    }

    /// The bucket of an abbreviated key with a code.
    #[inline(always)]
    fn bucket(&self) -> impl Fn(u64) -> usize + Copy {
        let shift = self.code_bits + bits(self.abbreviation.most).saturating_sub(BUCKET_BITS);
        move |cell| cell.checked_shr(shift).unwrap_or(0) as usize
    }

    /// How many cells of each part belong to each bucket.
    fn bucket_sizes(&self) -> Result<Vec<PartSizes>> {
        let bucket = self.bucket();
        self.of_parts(|part| {
            let mut sizes = vec![0; BUCKETS];
            self.for_blocks(part.clone(), |cells| cells.iter().for_each(|&cell| sizes[bucket(cell)] += 1));
            (part, sizes)
        })
    }

    /// True if the buckets at the ends, which get the keys outside of the sampled range, have many of all cells.
    fn is_uneven(&self, parts: &[PartSizes]) -> bool {
        let ends = [0, self.bucket()(self.abbreviation.most.checked_shl(self.code_bits).unwrap_or(0))];
        ends.iter().any(|&end| parts.iter().map(|part| part.1[end]).sum::<usize>() > self.count() / 8)
    }

    /// Cuts the cells into buckets, whose sizes are known, then sorts each.
    fn sort_buckets(&self, counts: &[PartSizes]) -> Result<SortedCodes> {
        let bucket = self.bucket();
        let sizes: Vec<usize> = (0..BUCKETS).map(|bucket| counts.iter().map(|part| part.1[bucket]).sum()).collect();
        // In each bucket, the cells of each part follow those of the part before.
        let places = (0..BUCKETS).flat_map(|bucket| counts.iter().map(move |part| part.1[bucket]).enumerate());
        let bytes = self.count() * size_of::<u64>();
        let mut cells = memory::written_by("sorting", counts.len(), places, |buckets| {
            let mut parts: Vec<_> = counts.iter().map(|part| part.0.clone()).zip(buckets).collect();
            self.pools.for_each_mut(&mut parts, bytes, self.cancel, |_, (part, buckets)| {
                self.for_blocks(part.clone(), |block| block.iter().for_each(|&cell| buckets[bucket(cell)].push(cell)));
                Ok(())
            })
        })?;
        let mut buckets = Vec::with_capacity(BUCKETS);
        let (mut rest, mut start) = (&mut cells[..], 0);
        for size in sizes {
            let (cells, more) = rest.split_at_mut(size);
            buckets.push(Bucket { start, cells, ties: Vec::new() });
            (rest, start) = (more, start + size);
        }
        self.pools.for_each_mut(&mut buckets, bytes, self.cancel, |_, bucket| self.sort_bucket(bucket))?;
        // Equal keys are in one bucket.
        let mut ties = memory::with_capacity("equal keys", buckets.iter().map(|bucket| bucket.ties.len()).sum())?;
        buckets.into_iter().for_each(|mut bucket| ties.append(&mut bucket.ties));
        Ok(SortedCodes { codes: cells, ties })
    }

    /// Sorts codes whose keys have one abbreviation, by these keys, and adds the runs of equal ones.
    #[inline(never)]
    fn resolve(&self, codes: &mut [u64], start: usize, tied: &mut Vec<Range<usize>>) -> Result<()> {
        let more = if codes.len() <= MAX_STACK_TIES.count().min(STACK_TIES) {
            let (mut keys, mut pairs) = ([0; STACK_TIES], [(0, 0); STACK_TIES]);
            let (keys, pairs) = (&mut keys[..codes.len()], &mut pairs[..codes.len()]);
            self.source.keys_of(codes, keys);
            pairs.iter_mut().zip(keys.iter().zip(&*codes)).for_each(|(pair, (&key, &code))| *pair = (key, code));
            pairs.sort_unstable();
            codes.iter_mut().zip(&*pairs).for_each(|(code, pair)| *code = pair.1);
            ties(pairs, start, |a, b| a.0 == b.0)?
        } else {
            let mut keys = memory::zeroed("sort keys", codes.len())?;
            self.source.keys_of(codes, &mut keys);
            let mut ties = sort_codes(codes, keys, self.pools, self.cancel)?;
            ties.iter_mut().for_each(|run| *run = run.start + start..run.end + start);
            ties
        };
        memory::reserve("equal keys", tied, more.len())?;
        tied.extend(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiledb_core::limits::simulation::SimulatedLimits;

    /// Keys that are only sampled, with the codes of these positions.
    struct Sampled<'a> {
        keys: &'a [u64],
        scale: u64,
    }

    impl KeySource for Sampled<'_> {
        fn count(&self) -> usize {
            self.keys.len()
        }

        fn is_computed(&self) -> bool {
            true
        }

        fn block<'a>(&'a self, range: Range<usize>, buffers: &'a mut [[u64; BLOCK]; 2]) -> (&'a [u64], Codes<'a>) {
            let codes = &mut buffers[0][..range.len()];
            codes.iter_mut().zip(range.clone()).for_each(|(code, at)| *code = at as u64 * self.scale);
            (&self.keys[range], Codes::Each(codes))
        }

        fn keys_of(&self, codes: &[u64], out: &mut [u64]) {
            out.iter_mut().zip(codes).for_each(|(out, code)| *out = self.keys[(code / self.scale) as usize]);
        }
    }

    fn check(keys: &[u64], code_bits: u32) {
        let sort =
            |source: &dyn KeySource, bits| sort(source, bits, &Pools::new(3, 1), &CancelToken::default()).unwrap();
        let sorted = sort(&keys.to_vec(), code_bits);
        let codes: Vec<u64> = (0..keys.len() as u64).collect();
        for scale in [1, 1000] {
            let mut other = sort(&Sampled { keys, scale }, (code_bits + 10).min(64));
            other.codes.iter_mut().for_each(|code| *code /= scale);
            assert_eq!(other, sorted);
        }
        let mut expected: Vec<(u64, u64)> = keys.iter().copied().zip(codes).collect();
        expected.sort();
        assert!(expected.iter().map(|pair| pair.1).eq(sorted.codes.iter().copied()));
        let in_tie = |at: usize| sorted.ties.iter().any(|run| run.contains(&at) && at > run.start);
        for at in 1..keys.len() {
            assert_eq!(expected[at - 1].0 == expected[at].0, in_tie(at), "at {at}");
        }
    }

    proptest! {
        #[test]
        fn as_the_standard_sort(
            mut keys in prop::collection::vec(any::<u64>(), 0..3000),
            shift in 0u32..64,
            code_bits in 12u32..65,
            limits in prop::option::of(any::<u64>()),
        ) {
            keys.iter_mut().for_each(|key| *key >>= shift);
            SimulatedLimits::of_option(limits).run(|| check(&keys, code_bits));
        }
    }

    #[test]
    fn ends_of_the_number_line_and_equal_keys() {
        check(&[], 1);
        check(&[7; 5000], 64);
        let far: Vec<u64> = (0..5000).map(|i| if i % 3 == 0 { u64::MAX } else { i % 2 }).collect();
        check(&far, 13);
        let dense: Vec<u64> = (0..70_000u64).map(|i| i.wrapping_mul(0x9e37_79b9) & 0xffff).collect();
        check(&dense, 20);
    }

    #[test]
    fn many_keys_are_put_into_buckets_by_several_threads() {
        let count = 3 * CELLS_PER_SORT_TASK.count() as u64 + 1234;
        let mixed = |cell: u64| cell.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Spread out, in few buckets, all but one in one bucket, too wide for one word with their codes, in order with equal keys
        // everywhere, and in order but for the last.
        let kinds: [&dyn Fn(u64) -> u64; 10] = [
            &|cell| mixed(cell) >> 30,
            &|cell| mixed(cell) >> 62 << 40 | cell & 7,
            &|cell| if cell == 9 { 1 << 40 } else { mixed(cell) & 0xff },
            &mixed,
            &|cell| cell / 3,
            &|cell| cell / (CELLS_PER_SORT_TASK.count() as u64 + 7),
            &|cell| if cell == count - 1 { 0 } else { cell / 3 },
            // Keys beyond those that are sampled: on both sides, and too wide for one word.
            &|cell| if cell % 1000 == 777 { mixed(cell) >> 34 } else { 1 << 20 | mixed(cell) >> 60 },
            &|cell| if cell == 777 { u64::MAX } else { mixed(cell) >> 44 },
            // A sample that is not typical.
            &|cell| if cell % (count / 31) < 400 { 7 } else { mixed(cell) >> 20 },
        ];
        for key in kinds {
            check(&(0..count).map(key).collect::<Vec<u64>>(), 18);
        }
    }

    #[test]
    fn disorder_is_detected_at_every_place() {
        let keys: Vec<u64> = (0..2000).map(|i| i / 2).collect();
        assert!(is_ascending(&keys) && is_ascending(&[]) && is_ascending(&keys[..1]));
        for at in [1, 255, 256, 257, 258, 511, 512, 513, 1999] {
            let mut broken = keys.clone();
            broken[at] = 0;
            assert_eq!(is_ascending(&broken), at <= 1, "at {at}");
        }
    }
}
