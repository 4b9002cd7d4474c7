//! Differences of successive values: `n u64`, the first value, then n-1 differences, all of the values'
//! width. Differences wrap, so signed and unsigned values of a width are the same to them.

use crate::error::{Result, bail};

/// Bytes of the count.
const HEAD: usize = 8;

/// Appends the differences of the values of `width` bytes (1, 2, 4 or 8) in `src`.
///
/// # Errors
/// If `src` is not whole values.
pub fn compress(width: usize, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if width == 0 || !src.len().is_multiple_of(width) {
        bail!("DELTA cannot compress {} bytes as values of {width} bytes", src.len());
    }
    out.extend_from_slice(&((src.len() / width) as u64).to_le_bytes());
    let mut before = 0u64;
    for value in src.chunks_exact(width) {
        let value = load(value);
        out.extend_from_slice(&value.wrapping_sub(before).to_le_bytes()[..width]);
        before = value;
    }
    Ok(())
}

/// Adds the differences up again; they must fill `dst` exactly.
///
/// # Errors
/// If they do not.
pub fn decompress(width: usize, src: &[u8], dst: &mut [u8]) -> Result<()> {
    let len = dst.len();
    let Some((count, differences)) = src.split_first_chunk::<HEAD>() else {
        bail!(Corrupt, "{} bytes are too few for differences", src.len());
    };
    let count = u64::from_le_bytes(*count);
    if width == 0 || differences.len() != len || count.checked_mul(width as u64) != Some(len as u64) {
        bail!(Corrupt, "{count} differences in {} bytes instead of {len}", differences.len());
    }
    let mut value = 0u64;
    for (to, difference) in dst.chunks_exact_mut(width).zip(differences.chunks_exact(width)) {
        value = value.wrapping_add(load(difference));
        to.copy_from_slice(&value.to_le_bytes()[..width]);
    }
    Ok(())
}

/// A value of at most 8 bytes.
fn load(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_come_back(data in prop::collection::vec(any::<u64>(), 0..100), width in prop::sample::select(vec![1usize, 2, 4, 8])) {
            let data: &[u8] = bytemuck::cast_slice(&data);
            let mut packed = Vec::new();
            compress(width, data, &mut packed).unwrap();
            let mut back = vec![1; data.len()];
            decompress(width, &packed, &mut back).unwrap();
            prop_assert_eq!(&back, data);
            prop_assert!(decompress(width, &packed[1..], &mut back).is_err());
        }
    }
}
