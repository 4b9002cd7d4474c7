//! bzip2: one stream per call.
#![expect(unsafe_code, reason = "bzip2 in Rust keeps the calls of the C library")]

use std::ffi::{c_int, c_uint, c_void};

use libbz2_rs_sys::{BZ_FINISH, BZ_FINISH_OK, BZ_MEM_ERROR, BZ_OK, BZ_STREAM_END, bz_stream};
use libbz2_rs_sys::{BZ2_bzCompress, BZ2_bzCompressEnd, BZ2_bzCompressInit};
use libbz2_rs_sys::{BZ2_bzDecompress, BZ2_bzDecompressEnd, BZ2_bzDecompressInit};

use super::{ObjectPool, spare_capacity};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::cache::MAX_RETAINED_BZIP2_BYTES;

/// The level taken for those that bzip2 does not have.
const DEFAULT_LEVEL: c_int = 1;
/// Bytes of a block per level.
const BLOCK: usize = 100_000;
/// Magic bytes of a stream, before the digit of its level.
const MAGIC: [u8; 3] = *b"BZh";

/// Appends `src` as one stream; levels are 1 to 9, in 100 KB per block. Where a smaller block holds all of
/// `src`, its level is taken: the result is the same, and takes less memory, to read too.
///
/// # Errors
/// For more than 4 GB, or if memory is short.
pub fn compress(level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let level = if (1..=9).contains(&level) { level } else { DEFAULT_LEVEL };
    let level = level.min(level_for(src.len()));
    let len = length(src)?;
    let fill = |place: *mut u8, capacity: usize| {
        let capacity = c_uint::try_from(capacity).unwrap_or(c_uint::MAX);
        with_stream(|stream| {
            (stream.next_in, stream.avail_in) = (src.as_ptr().cast(), len);
            (stream.next_out, stream.avail_out) = (place.cast(), capacity);
            // SAFETY: `next_in` is readable for `avail_in` bytes, `next_out` writable for `avail_out`, and the
            // stream stays where it is until it is ended.
            let code = unsafe {
                match BZ2_bzCompressInit(stream, level, 0, 0) {
                    BZ_OK => {
                        let code = BZ2_bzCompress(stream, BZ_FINISH);
                        BZ2_bzCompressEnd(stream);
                        code
                    }
                    code => code,
                }
            };
            match code {
                BZ_STREAM_END => Ok((capacity - stream.avail_out) as usize),
                BZ_FINISH_OK => bail!(Internal, "BZIP2 compression of {len} bytes takes more than {capacity}"),
                code => Err(failure("compression", len as usize, code)),
            }
        })
    };
    // SAFETY: bzip2 counts in `avail_out` the bytes it has written.
    unsafe { spare_capacity::append(out, bound(src.len()), fill) }
}

/// Decompresses one stream, which must fill `dst` exactly.
///
/// # Errors
/// If it does not, or is corrupt.
pub fn decompress(src: &[u8], dst: &mut [u8]) -> Result<()> {
    let capacity = length(dst)?;
    let Some(([magic @ .., level], rest)) = src.split_first_chunk::<4>() else {
        bail!(Corrupt, "{} bytes are too few for BZIP2", src.len());
    };
    if *magic != MAGIC || !(b'1'..=b'9').contains(level) {
        bail!(Corrupt, "BZIP2 data do not begin as such");
    }
    // No block holds more than all of `dst` needs, so none needs more memory.
    let head = [MAGIC[0], MAGIC[1], MAGIC[2], (*level).min(b'0' + level_for(dst.len()) as u8)];
    let rest_len = length(rest)?;
    let mut nothing = 0u8;
    // An empty slice may have a dangling pointer; bzip2 requires a valid one.
    let place = if dst.is_empty() { &raw mut nothing } else { dst.as_mut_ptr() };
    with_stream(|stream| {
        (stream.next_out, stream.avail_out) = (place.cast(), capacity);
        // SAFETY: `next_in` is readable for `avail_in` bytes in both calls, `next_out` writable for `avail_out`,
        // and the stream stays where it is until it is ended.
        let code = unsafe {
            match BZ2_bzDecompressInit(stream, 0, 0) {
                BZ_OK => {
                    (stream.next_in, stream.avail_in) = (head.as_ptr().cast(), head.len() as c_uint);
                    let mut code = BZ2_bzDecompress(stream);
                    if code == BZ_OK {
                        (stream.next_in, stream.avail_in) = (rest.as_ptr().cast(), rest_len);
                        code = BZ2_bzDecompress(stream);
                    }
                    BZ2_bzDecompressEnd(stream);
                    code
                }
                code => code,
            }
        };
        match code {
            BZ_STREAM_END if stream.avail_out == 0 => Ok(()),
            BZ_STREAM_END => {
                bail!(Corrupt, "BZIP2 decompression gave {} bytes instead of {capacity}", capacity - stream.avail_out)
            }
            BZ_OK => bail!(Corrupt, "BZIP2 data end too early or hold more than {capacity} bytes"),
            code => Err(failure("decompression", capacity as usize, code)),
        }
    })
}

fn failure(work: &str, len: usize, code: c_int) -> Error {
    match code {
        BZ_MEM_ERROR => Error::out_of_memory("bzip2", len),
        code => Error::corrupt(format!("BZIP2 {work} of {len} bytes failed: code {code}")),
    }
}

/// The most bytes that `len` bytes can become.
pub fn bound(len: usize) -> usize {
    len + len / 100 + 600
}

/// The lowest level whose blocks hold `len` bytes, or the highest. Run-length encoding expands four equal bytes to five
/// in a block, and the last bytes of a block stay unused.
fn level_for(len: usize) -> c_int {
    let most = len.saturating_add(len / 4 + 50);
    most.div_ceil(BLOCK).clamp(1, 9) as c_int
}

/// A length as bzip2 takes it.
fn length(bytes: &[u8]) -> Result<c_uint> {
    match c_uint::try_from(bytes.len()) {
        Ok(len) => Ok(len),
        Err(_) => bail!("BZIP2 cannot take {} bytes at once", bytes.len()),
    }
}

/// Working memory of bzip2, several megabytes per stream, reused by later streams.
#[derive(Default)]
struct StreamMemory {
    blocks: Vec<Block>,
}

/// An allocation.
struct Block {
    words: Vec<u64>,
    in_use: bool,
}

static MEMORY: ObjectPool<StreamMemory> = ObjectPool::new(32);

/// Runs a stream on pooled memory.
fn with_stream<T>(work: impl FnOnce(&mut bz_stream) -> Result<T>) -> Result<T> {
    let mut memory = MEMORY.take(|_| true).unwrap_or_default();
    let mut stream = bz_stream::zeroed();
    stream.bzalloc = Some(allocate);
    stream.bzfree = Some(take_back);
    stream.opaque = (&raw mut memory).cast();
    let result = work(&mut stream);
    if memory.size() <= MAX_RETAINED_BZIP2_BYTES.count() {
        MEMORY.put(memory);
    }
    result
}

impl StreamMemory {
    fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.words.capacity() * 8).sum()
    }

    /// A place of `size` bytes, null if there is no memory.
    fn allocate(&mut self, size: usize) -> *mut c_void {
        let count = size.div_ceil(8);
        let fits = |block: &Block| !block.in_use && block.words.capacity() == count;
        let place = self.blocks.iter().position(fits).or_else(|| {
            let mut words = Vec::new();
            words.try_reserve_exact(count).ok()?;
            self.blocks.push(Block { words, in_use: false });
            Some(self.blocks.len() - 1)
        });
        match place.and_then(|place| self.blocks.get_mut(place)) {
            Some(block) => {
                block.in_use = true;
                block.words.as_mut_ptr().cast()
            }
            None => std::ptr::null_mut(),
        }
    }
}

/// Allocation callback of bzip2.
unsafe extern "C" fn allocate(memory: *mut c_void, count: c_int, size: c_int) -> *mut c_void {
    let size =
        usize::try_from(count).ok().zip(usize::try_from(size).ok()).and_then(|(count, size)| count.checked_mul(size));
    // SAFETY: `with_stream` set the pointer, and gives the stream exclusive access to the memory.
    let memory = unsafe { &mut *memory.cast::<StreamMemory>() };
    size.map_or(std::ptr::null_mut(), |size| memory.allocate(size))
}

/// As bzip2 returns it.
unsafe extern "C" fn take_back(memory: *mut c_void, place: *mut c_void) {
    // SAFETY: as in `allocate`.
    let memory = unsafe { &mut *memory.cast::<StreamMemory>() };
    if let Some(block) = memory.blocks.iter_mut().find(|block| std::ptr::eq(block.words.as_ptr().cast(), place)) {
        block.in_use = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The stream of a level, as other writers make it: not lowered to the size of the data.
    fn of_level(level: c_int, src: &[u8]) -> Vec<u8> {
        let mut out = vec![0u8; bound(src.len())];
        let mut written = out.len() as c_uint;
        // SAFETY: both are valid for these lengths.
        let code = unsafe {
            let source = src.as_ptr().cast_mut().cast();
            let place = out.as_mut_ptr().cast();
            libbz2_rs_sys::BZ2_bzBuffToBuffCompress(place, &raw mut written, source, src.len() as c_uint, level, 0, 0)
        };
        assert_eq!(code, BZ_OK);
        out.truncate(written as usize);
        out
    }

    #[test]
    fn a_level_is_no_larger_than_the_data() {
        let mut out = Vec::new();
        compress(9, &[1; 1000], &mut out).unwrap();
        assert_eq!(out[..4], *b"BZh1");
        let mut same = of_level(9, &[1; 1000]);
        assert_eq!(same[3], b'9');
        same[3] = b'1';
        assert_eq!(out, same);
        assert_eq!([level_for(0), level_for(79_960), level_for(80_000), level_for(usize::MAX)], [1, 1, 2, 9]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Runs of four expand most in a block.
        #[test]
        fn streams_of_any_level_come_back(len in 60_000usize..300_000, level in 1i32..10, run in 3usize..6) {
            let src: Vec<u8> = (0..len).map(|i| (i / run * 7) as u8).collect();
            let packed = of_level(level, &src);
            let mut back = vec![0; len];
            decompress(&packed, &mut back).unwrap();
            prop_assert!(back == src);
            prop_assert!(decompress(&packed[..packed.len() - 1], &mut back).is_err());
            prop_assert!(decompress(&packed, &mut back[1..]).is_err());
            let mut own = Vec::new();
            compress(level, &src, &mut own).unwrap();
            back.fill(0);
            decompress(&own, &mut back).unwrap();
            prop_assert!(back == src);
        }
    }

    #[test]
    fn block_has_one_user_at_a_time() {
        let mut memory = StreamMemory::default();
        let (a, b) = (memory.allocate(100), memory.allocate(100));
        assert_ne!(a, b);
        // SAFETY: the memory outlives the call.
        unsafe { take_back((&raw mut memory).cast(), a) };
        assert_eq!(memory.allocate(100), a);
        assert_eq!(memory.blocks.len(), 2);
    }
}
