//! Double-delta encoding: differences of successive differences, in as few bits as the largest one needs.
//!
//! `bits u8, n u64`, then: the unchanged bytes if `bits` is at least the number of bits of a value less
//! one, also those after the last complete value, which an earlier filter can leave; else value 0, value 1, and for each further value its second difference (its difference to the previous value, less
//! the previous difference): a sign bit and `bits` bits of the magnitude. They are packed into little-endian 64-bit words,
//! from the most significant bit.

use super::simd::{self, Kernel};
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::filter::DIFFERENCES_PER_BLOCK;

/// Bytes of `bits` and `n`.
const HEAD: usize = 9;
/// The bits of values that are stored as they are: all but one of those of the widest integers.
const VERBATIM: u32 = 63;

/// The integers that are compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integers {
    /// Bytes of one: 1, 2, 4 or 8.
    pub width: usize,
    /// Whether it has a sign.
    pub signed: bool,
}

/// Calls a kernel with the type of the integers.
macro_rules! by_type {
    ($integers:expr, $kernel:ident($($argument:expr),*)) => {
        match ($integers.width, $integers.signed) {
            (1, true) => $kernel::<1>($($argument),*, |v| i64::from(i8::from_le_bytes(v))),
            (1, false) => $kernel::<1>($($argument),*, |v| i64::from(u8::from_le_bytes(v))),
            (2, true) => $kernel::<2>($($argument),*, |v| i64::from(i16::from_le_bytes(v))),
            (2, false) => $kernel::<2>($($argument),*, |v| i64::from(u16::from_le_bytes(v))),
            (4, true) => $kernel::<4>($($argument),*, |v| i64::from(i32::from_le_bytes(v))),
            (4, false) => $kernel::<4>($($argument),*, |v| i64::from(u32::from_le_bytes(v))),
            // Unsigned words wrap to negative ones and back.
            (_, _) => $kernel::<8>($($argument),*, i64::from_le_bytes),
        }
    };
}

/// Appends the integers in `src`, compressed; verbatim if a difference, or a difference of differences, overflows 64 bits with a
/// sign. The reference rejects these on write, but reads them.
///
/// # Errors
/// If bytes of an incomplete integer follow, and the integers are not stored verbatim: the reference drops these bytes.
pub fn compress(integers: Integers, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if integers.width == 0 || !by_type!(integers, compress_as(integers.signed, src, out)) {
        bail!("DOUBLE_DELTA cannot compress {} bytes as integers of {} bytes", src.len(), integers.width);
    }
    Ok(())
}

/// Expands integers, which must fill `dst` exactly; if they are verbatim, with the bytes of an incomplete one at the end.
///
/// # Errors
/// If they do not.
pub fn decompress(integers: Integers, src: &[u8], dst: &mut [u8]) -> Result<()> {
    let Some((head, body)) = src.split_first_chunk::<HEAD>() else {
        bail!(Corrupt, "{} bytes are too few for double deltas", src.len());
    };
    let [bits, count @ ..] = *head;
    let count = u64::from_le_bytes(count);
    // Some writers append two values even if there are none.
    let body = if dst.is_empty() { &[][..] } else { body };
    let complete = count.checked_mul(integers.width as u64);
    let incomplete = complete.and_then(|bytes| (dst.len() as u64).checked_sub(bytes));
    let is_verbatim = usize::from(bits) + 1 >= 8 * integers.width;
    if !incomplete.is_some_and(|bytes| bytes == 0 || is_verbatim && bytes < integers.width as u64) {
        bail!(Corrupt, "{count} double deltas for {} bytes", dst.len());
    }
    if is_verbatim {
        if body.len() != dst.len() {
            bail!(Corrupt, "{} bytes of verbatim double deltas instead of {}", body.len(), dst.len());
        }
        dst.copy_from_slice(body);
        return Ok(());
    }
    by_type!(integers, decompress_as(u32::from(bits), body, dst))
}

/// False if bytes would be dropped.
fn compress_as<const W: usize>(signed: bool, src: &[u8], out: &mut Vec<u8>, load: impl Fn([u8; W]) -> i64) -> bool {
    let (values, incomplete) = src.as_chunks::<W>();
    let bits = simd::run(RequiredBits { values, signed, load: &load });
    if !incomplete.is_empty() && (bits as usize) < 8 * W - 1 {
        return false;
    }
    out.push(bits as u8);
    out.extend_from_slice(&(values.len() as u64).to_le_bytes());
    if bits as usize >= 8 * W - 1 {
        out.extend_from_slice(src);
        return true;
    }
    out.extend_from_slice(&src[..src.len().min(2 * W)]);
    let mut words = BitWriter::new(out);
    let mut seconds = [0; BLOCK];
    let triples = values.len().saturating_sub(2);
    let most = DIFFERENCES_PER_BLOCK.count().min(BLOCK);
    for start in (0..triples).step_by(most) {
        let count = most.min(triples - start);
        let values = &values[start..start + count + 2];
        simd::run(SecondDifferences { values, bits, load: &load, seconds: &mut seconds[..count] });
        seconds[..count].iter().for_each(|&item| words.push(item, bits + 1));
    }
    words.finish();
    true
}

/// Capacity of the buffer for differences: the value of [`DIFFERENCES_PER_BLOCK`].
const BLOCK: usize = 512;

/// The bits of the largest of the first difference and all differences of differences, 0 for two values and
/// fewer, [`VERBATIM`] if one of them overflows.
struct RequiredBits<'a, const W: usize, F> {
    values: &'a [[u8; W]],
    signed: bool,
    load: F,
}

impl<const W: usize, F: Fn([u8; W]) -> i64> Kernel for RequiredBits<'_, W, F> {
    type Output = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let RequiredBits { values, signed, load } = self;
        let [first, second, rest @ ..] = values else { return 0 };
        if rest.is_empty() {
            return 0;
        }
        // Unsigned words are processed as wrapped signed ones.
        let flip = if signed { 0 } else { i64::MIN };
        // The difference and, in the sign of the other number, whether it is not the true one.
        let step = |a: i64, b: i64| {
            let delta = a.wrapping_sub(b);
            (delta, (a ^ b) & (a ^ flip ^ delta))
        };
        let (delta, mut wrong_delta) = step(load(*second), load(*first));
        let (mut all, mut wrong_second) = (delta.unsigned_abs(), 0);
        for ((a, b), c) in values.iter().zip(&values[1..]).zip(rest) {
            let (before, _) = step(load(*b), load(*a));
            let (delta, wrong) = step(load(*c), load(*b));
            let second = delta.wrapping_sub(before);
            wrong_delta |= wrong;
            wrong_second |= (delta ^ before) & (delta ^ second);
            all |= second.unsigned_abs();
        }
        if (wrong_delta | wrong_second) < 0 {
            return VERBATIM;
        }
        (64 - all.leading_zeros()).max(1)
    }
}

/// The items: sign and magnitude of the differences of differences.
struct SecondDifferences<'a, const W: usize, F> {
    /// Two more than items.
    values: &'a [[u8; W]],
    bits: u32,
    load: F,
    seconds: &'a mut [u64],
}

impl<const W: usize, F: Fn([u8; W]) -> i64> Kernel for SecondDifferences<'_, W, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let SecondDifferences { values, bits, load, seconds } = self;
        let [_, seconds_on @ ..] = values else { return };
        for (((item, a), b), c) in seconds.iter_mut().zip(values).zip(seconds_on).zip(&seconds_on[1..]) {
            let [a, b, c] = [load(*a), load(*b), load(*c)];
            let second = c.wrapping_sub(b).wrapping_sub(b.wrapping_sub(a));
            *item = u64::from(second < 0) << bits | second.unsigned_abs();
        }
    }
}

fn decompress_as<const W: usize>(bits: u32, src: &[u8], dst: &mut [u8], load: impl Fn([u8; W]) -> i64) -> Result<()> {
    let values = dst.as_chunks_mut::<W>().0;
    let (first, rest) = values.split_at_mut(values.len().min(2));
    let Some((verbatim, stream)) = src.split_at_checked(first.len() * W) else {
        bail!(Corrupt, "Double deltas end before their second value");
    };
    first.as_flattened_mut().copy_from_slice(verbatim);
    let needed = (rest.len() as u64 * u64::from(bits + 1)).div_ceil(64) * 8;
    if stream.len() as u64 != needed {
        bail!(Corrupt, "{} bytes of double deltas instead of {needed}", stream.len());
    }
    let [a, b] = first else { return Ok(()) };
    let value = load(*b);
    let delta = value.wrapping_sub(load(*a));
    simd::run(PrefixSums { words: stream.as_chunks().0, bits, value, delta, dst: rest });
    Ok(())
}

/// Prefix sums of the items in `words`.
struct PrefixSums<'a, const W: usize> {
    words: &'a [[u8; 8]],
    bits: u32,
    /// The second value.
    value: i64,
    /// Difference to the first value.
    delta: i64,
    dst: &'a mut [[u8; W]],
}

impl<const W: usize> Kernel for PrefixSums<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let PrefixSums { words, bits, mut value, mut delta, dst } = self;
        let mut add = |to: &mut [u8; W], top: u64| {
            let magnitude = ((top << 1) >> 1 >> (63 - bits)) as i64;
            let negative = (top as i64) >> 63;
            delta = delta.wrapping_add((magnitude ^ negative).wrapping_sub(negative));
            value = value.wrapping_add(delta);
            if let Some(bytes) = value.to_le_bytes().first_chunk::<W>() {
                *to = *bytes;
            }
        };
        // An item is moved to the top of its word, from the next word where it runs across.
        let item = |word: [u8; 8], next: [u8; 8], skip: usize| {
            u64::from_le_bytes(word) << skip | (u64::from_le_bytes(next) >> 1) >> (63 - skip)
        };
        let size = bits as usize + 1;
        // These begin before the last word.
        let inner = (words.len().saturating_sub(1) * 64).div_ceil(size).min(dst.len());
        let (inner, last) = dst.split_at_mut(inner);
        let mut place = 0usize;
        for to in inner {
            if let Some(&[word, next]) = words.get(place / 64..place / 64 + 2) {
                add(to, item(word, next, place % 64));
            }
            place += size;
        }
        for to in last {
            add(to, item(words.last().copied().unwrap_or_default(), [0; 8], place % 64));
            place += size;
        }
    }
}

/// Bits on their way to words.
struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    word: u64,
    free: u32,
}

impl BitWriter<'_> {
    fn new(out: &mut Vec<u8>) -> BitWriter<'_> {
        BitWriter { out, word: 0, free: 64 }
    }

    /// Appends the low `count` bits of `bits`, of which there are 1 to 63; the others are zero.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        if count < self.free {
            self.free -= count;
            self.word |= bits << self.free;
            return;
        }
        let over = count - self.free;
        self.out.extend_from_slice(&(self.word | bits >> over).to_le_bytes());
        self.free = 64 - over;
        self.word = if over == 0 { 0 } else { bits << self.free };
    }

    fn finish(self) {
        if self.free < 64 {
            self.out.extend_from_slice(&self.word.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds() -> impl Strategy<Value = Integers> {
        let widths = prop::sample::select(vec![1usize, 2, 4, 8]);
        (widths, any::<bool>()).prop_map(|(width, signed)| Integers { width, signed })
    }

    proptest! {
        #[test]
        fn integers_come_back(integers in kinds(), values in prop::collection::vec(any::<i64>(), 0..1300), shift in 1u32..64) {
            let low = |v: &i64| (v >> shift).to_le_bytes();
            let bytes: Vec<u8> = values.iter().flat_map(|v| low(v)[..integers.width].to_vec()).collect();
            let mut packed = vec![];
            compress(integers, &bytes, &mut packed).unwrap();
            let mut back = vec![1; bytes.len()];
            decompress(integers, &packed, &mut back).unwrap();
            prop_assert_eq!(&back, &bytes);
            prop_assert!(decompress(integers, &packed[..packed.len() - 1], &mut back).is_err());
        }

        #[test]
        fn what_overflows_is_stored_verbatim(values in prop::collection::vec(any::<i64>(), 3..5), shift in 0u32..3, signed: bool) {
            let values: Vec<i64> = values.iter().map(|v| v >> shift).collect();
            let wide = |v: i64| if signed { i128::from(v) } else { i128::from(v as u64) };
            let steps: Vec<i128> = values.windows(2).map(|v| wide(v[1]) - wide(v[0])).collect();
            let seconds = steps.windows(2).map(|v| v[1] - v[0]);
            let fits = steps.iter().copied().chain(seconds).all(|v| i64::try_from(v).is_ok());
            let bytes: &[u8] = bytemuck::cast_slice(&values);
            let mut packed = Vec::new();
            compress(Integers { width: 8, signed }, bytes, &mut packed).unwrap();
            prop_assert!(fits || packed[0] == 63 && &packed[HEAD..] == bytes);
            let mut back = vec![1; bytes.len()];
            decompress(Integers { width: 8, signed }, &packed, &mut back).unwrap();
            prop_assert_eq!(&back, bytes);
        }

        #[test]
        fn bytes_after_the_last_integer_are_stored_verbatim_or_rejected(integers in kinds(), bytes in prop::collection::vec(any::<u8>(), 0..70)) {
            let mut packed = Vec::new();
            let is_complete = bytes.len().is_multiple_of(integers.width);
            let stored = compress(integers, &bytes, &mut packed);
            prop_assert!(stored.is_ok() || !is_complete);
            if stored.is_ok() {
                let mut back = vec![1; bytes.len()];
                decompress(integers, &packed, &mut back).unwrap();
                prop_assert_eq!(&back, &bytes);
                prop_assert!(is_complete || packed[HEAD..] == bytes);
                packed[0] = 1;
                prop_assert!(is_complete || decompress(integers, &packed, &mut back).is_err());
            }
        }

        #[test]
        fn noise_is_an_error_or_integers(integers in kinds(), mut noise in prop::collection::vec(any::<u8>(), 9..200), count in 0u8..100) {
            noise[1..9].copy_from_slice(&u64::from(count).to_le_bytes());
            _ = decompress(integers, &noise, &mut vec![0; usize::from(count) * integers.width]);
        }
    }

    #[test]
    fn differences_beyond_a_word_with_a_sign_are_verbatim() {
        let head = |signed, values: [u64; 3]| {
            let mut packed = Vec::new();
            compress(Integers { width: 8, signed }, bytemuck::cast_slice(&values), &mut packed).unwrap();
            (packed[0], packed.len())
        };
        let (low, high) = (1u64 << 63, i64::MAX as u64);
        assert_eq!(head(true, [0, 0, low]), (64, 33));
        assert_eq!(head(true, [0, 0, high >> 1]), (62, 33));
        assert_eq!(head(false, [0, 0, high]), (63, 33));
        assert_eq!(head(false, [0, 0, low]), (63, 33));
        assert_eq!(head(true, [low, 0, 1]), (63, 33));
        assert_eq!(head(true, [0, high, 0]), (63, 33));
    }

    #[test]
    fn incomplete_value_that_libtiledb_stores_is_read() {
        // The part that libtiledb 2.30 writes for three values of two bytes which LZ4 has made seven bytes.
        let body = [0x60, 0, 0, 0x4d, 0, 0x9a, 0];
        let part = [&[16, 3, 0, 0, 0, 0, 0, 0, 0][..], &body].concat();
        let mut bytes = [1; 7];
        decompress(Integers { width: 2, signed: true }, &part, &mut bytes).unwrap();
        assert_eq!(bytes, body);
        assert!(decompress(Integers { width: 2, signed: true }, &part, &mut [1; 8]).is_err());
    }

    #[test]
    fn bits_lie_as_the_format_says() {
        let mut out = Vec::new();
        compress(Integers { width: 1, signed: true }, &[1, 3, 6, 8], &mut out).unwrap();
        // Differences 2, 3, 2; of those 1 and -1; the first one takes two bits.
        assert_eq!(out, [2, 4, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0b0011_0100]);
        let mut out = Vec::new();
        compress(Integers { width: 2, signed: false }, &[1, 0, 3, 0], &mut out).unwrap();
        assert_eq!(out, [0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0]);
    }
}
