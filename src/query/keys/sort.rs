//! Sorting by the first word of a key: cells are told apart by codes, numbers of few bits.
//!
//! A code shares a word with its key where both fit, so that 8 bytes per cell are moved. One pass over
//! the highest varying bits cuts the cells into buckets that fit into a cache; the buckets are sorted by
//! comparison, in parallel. Equal keys end up in the order of their codes.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::memory;
use crate::pool::{Cancel, Pools};

/// Below this many cells one call of the standard sort is as fast.
const FEW: usize = 2048;

/// Bits that the buckets are made by.
const BUCKET_BITS: u32 = 11;

/// The outcome of a sort.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sorted {
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

/// Sorts pairs of a key and a code below `2^code_bits`.
///
/// # Errors
/// If memory does not suffice, or on cancellation.
pub fn sort(
    pairs: impl Iterator<Item = (u64, u64)> + Clone,
    code_bits: u32,
    pools: &Pools,
    cancel: &Cancel,
) -> Result<Sorted> {
    let (mut least, mut most) = (u64::MAX, 0);
    for (key, _) in pairs.clone() {
        least = least.min(key);
        most = most.max(key);
    }
    let key_bits = 64 - most.saturating_sub(least).leading_zeros();
    if key_bits + code_bits <= 64 {
        // A shift by 64 could only be one of a key of no bits.
        let join = |(key, code): (u64, u64)| (key - least).checked_shl(code_bits).unwrap_or(0) | code;
        sort_joined(pairs.map(join), code_bits, key_bits, pools, cancel)
    } else {
        let join = |(key, code): (u64, u64)| [code, key - least];
        sort_joined(pairs.map(join), 64, key_bits, pools, cancel)
    }
}

/// A key and a code in one number, the key above.
trait Joined: Copy + Default + Send + Sync {
    /// The number without its low bits, as a word.
    fn above(self, bits: u32) -> u64;
    /// Sorts by keys, then codes.
    fn sort(cells: &mut [Self]);
    /// The low bits of all, in the same memory.
    fn all_below(cells: Vec<Self>, bits: u32) -> Result<Vec<u64>>;
}

impl Joined for u64 {
    #[inline(always)]
    fn above(self, bits: u32) -> u64 {
        self.checked_shr(bits).unwrap_or(0)
    }

    fn sort(cells: &mut [u64]) {
        cells.sort_unstable();
    }

    fn all_below(mut cells: Vec<u64>, bits: u32) -> Result<Vec<u64>> {
        let mask = 1u64.checked_shl(bits).unwrap_or(0).wrapping_sub(1);
        cells.iter_mut().for_each(|cell| *cell &= mask);
        Ok(cells)
    }
}

/// A code and its key, where they take a word each.
impl Joined for [u64; 2] {
    #[inline(always)]
    fn above(self, bits: u32) -> u64 {
        (joined(self) >> bits) as u64
    }

    fn sort(cells: &mut [Self]) {
        cells.sort_unstable_by_key(|&cell| joined(cell));
    }

    fn all_below(cells: Vec<Self>, _bits: u32) -> Result<Vec<u64>> {
        let count = cells.len();
        let mut words: Vec<u64> =
            bytemuck::allocation::try_cast_vec(cells).map_err(|_| Error::internal("Pairs of words are not words"))?;
        (0..count).for_each(|cell| words[cell] = words[2 * cell]);
        words.truncate(count);
        words.shrink_to_fit();
        Ok(words)
    }
}

#[inline(always)]
fn joined([code, key]: [u64; 2]) -> u128 {
    u128::from(key) << 64 | u128::from(code)
}

fn sort_joined<J: Joined>(
    joined: impl Iterator<Item = J> + Clone,
    code_bits: u32,
    key_bits: u32,
    pools: &Pools,
    cancel: &Cancel,
) -> Result<Sorted> {
    let count = joined.clone().count();
    let cells = if count <= FEW || key_bits == 0 {
        let mut cells = reserve(count)?;
        cells.extend(joined);
        J::sort(&mut cells);
        cells
    } else {
        sort_buckets(joined, count, code_bits + key_bits.saturating_sub(BUCKET_BITS), pools, cancel)?
    };
    let ties = ties(&cells, code_bits)?;
    Ok(Sorted { codes: J::all_below(cells, code_bits)?, ties })
}

/// Cuts the cells into buckets by the bits from `shift` on, then sorts each.
fn sort_buckets<J: Joined>(
    joined: impl Iterator<Item = J> + Clone,
    count: usize,
    shift: u32,
    pools: &Pools,
    cancel: &Cancel,
) -> Result<Vec<J>> {
    const BUCKETS: usize = 1 << BUCKET_BITS;
    let bucket = |cell: J| cell.above(shift) as usize & (BUCKETS - 1);
    let mut ends = [0usize; BUCKETS];
    joined.clone().for_each(|cell| ends[bucket(cell)] += 1);
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut cells: Vec<J> = reserve(count)?;
    cells.resize(count, J::default());
    for cell in joined {
        let end = &mut ends[bucket(cell)];
        cells[*end] = cell;
        *end += 1;
    }
    let mut buckets: Vec<&mut [J]> = Vec::with_capacity(BUCKETS);
    let (mut rest, mut start) = (&mut cells[..], 0);
    for end in ends {
        let (bucket, more) = rest.split_at_mut(end - start);
        (rest, start) = (more, end);
        if bucket.len() > 1 {
            buckets.push(bucket);
        }
    }
    pools.for_each_mut(&mut buckets, count * size_of::<J>(), cancel, |_, bucket| {
        J::sort(bucket);
        Ok(())
    })?;
    Ok(cells)
}

/// Runs of equal keys.
fn ties<J: Joined>(cells: &[J], code_bits: u32) -> Result<Vec<Range<usize>>> {
    let same = |at: usize| cells[at - 1].above(code_bits) == cells[at].above(code_bits);
    let mut ties: Vec<Range<usize>> = Vec::new();
    for at in 1..cells.len() {
        if same(at) {
            match ties.last_mut() {
                Some(run) if run.end == at => run.end = at + 1,
                _ => memory::push("equal keys", &mut ties, at - 1..at + 1)?,
            }
        }
    }
    Ok(ties)
}

fn reserve<T>(count: usize) -> Result<Vec<T>> {
    let mut cells = Vec::new();
    cells
        .try_reserve_exact(count)
        .map_err(|_| Error::out_of_memory("sorting", count.saturating_mul(size_of::<T>())))?;
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(keys: &[u64], code_bits: u32) {
        let pairs = keys.iter().enumerate().map(|(code, &key)| (key, code as u64));
        let sorted = sort(pairs.clone(), code_bits, &Pools::new(2, 1), &Cancel::default()).unwrap();
        let mut expected: Vec<(u64, u64)> = pairs.collect();
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
        ) {
            keys.iter_mut().for_each(|key| *key >>= shift);
            check(&keys, code_bits);
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
    fn ascending_is_seen_at_every_place() {
        let keys: Vec<u64> = (0..2000).map(|i| i / 2).collect();
        assert!(is_ascending(&keys) && is_ascending(&[]) && is_ascending(&keys[..1]));
        for at in [1, 255, 256, 257, 258, 511, 512, 513, 1999] {
            let mut broken = keys.clone();
            broken[at] = 0;
            assert_eq!(is_ascending(&broken), at <= 1, "at {at}");
        }
    }
}
