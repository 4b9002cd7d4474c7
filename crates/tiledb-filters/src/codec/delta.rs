//! Delta encoding, differences of successive values: `n u64`, the first value, then n-1 differences, all in the width of the
//! values. Differences wrap around, so that signed and unsigned values of the same width are encoded alike.

use tiledb_core::error::{Result, bail};

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
    let start = out.len();
    out.resize(start + src.len(), 0);
    let dst = &mut out[start..];
    match width {
        1 => differences(src, dst, |a, b| u8::from_le_bytes(a).wrapping_sub(u8::from_le_bytes(b)).to_le_bytes()),
        2 => differences(src, dst, |a, b| u16::from_le_bytes(a).wrapping_sub(u16::from_le_bytes(b)).to_le_bytes()),
        4 => differences(src, dst, |a, b| u32::from_le_bytes(a).wrapping_sub(u32::from_le_bytes(b)).to_le_bytes()),
        _ => differences(src, dst, |a, b| u64::from_le_bytes(a).wrapping_sub(u64::from_le_bytes(b)).to_le_bytes()),
    }
    Ok(())
}

/// Restores the values; they must fill `dst` exactly. Trailing bytes are ignored: releases 2.16 to 2.18 wrote one value
/// too many.
///
/// # Errors
/// If they do not.
pub fn decompress(width: usize, src: &[u8], dst: &mut [u8]) -> Result<()> {
    let len = dst.len();
    let Some((count, src)) = src.split_first_chunk::<HEAD>() else {
        bail!(Corrupt, "{} bytes are too few for differences", src.len());
    };
    let count = u64::from_le_bytes(*count);
    let differences = src.get(..len).filter(|_| width != 0 && count.checked_mul(width as u64) == Some(len as u64));
    let Some(src) = differences else {
        bail!(Corrupt, "{count} differences in {} bytes instead of {len}", src.len());
    };
    match width {
        1 => sums(src, dst, |sum: u8, v| sum.wrapping_add(u8::from_le_bytes(v)), u8::to_le_bytes),
        2 => sums(src, dst, |sum: u16, v| sum.wrapping_add(u16::from_le_bytes(v)), u16::to_le_bytes),
        4 => sums(src, dst, |sum: u32, v| sum.wrapping_add(u32::from_le_bytes(v)), u32::to_le_bytes),
        _ => sums(src, dst, |sum: u64, v| sum.wrapping_add(u64::from_le_bytes(v)), u64::to_le_bytes),
    }
    Ok(())
}

fn differences<const W: usize>(src: &[u8], dst: &mut [u8], minus: impl Fn([u8; W], [u8; W]) -> [u8; W]) {
    let values = src.as_chunks::<W>().0;
    let places = dst.as_chunks_mut::<W>().0;
    let (Some((first, rest)), Some((place, places))) = (values.split_first(), places.split_first_mut()) else { return };
    *place = *first;
    for (to, (value, before)) in places.iter_mut().zip(rest.iter().zip(values)) {
        *to = minus(*value, *before);
    }
}

fn sums<const W: usize, T: Copy + Default>(
    src: &[u8],
    dst: &mut [u8],
    add: impl Fn(T, [u8; W]) -> T,
    store: impl Fn(T) -> [u8; W],
) {
    let mut sum = T::default();
    for (to, difference) in dst.as_chunks_mut::<W>().0.iter_mut().zip(src.as_chunks::<W>().0) {
        sum = add(sum, *difference);
        *to = store(sum);
    }
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
            back.fill(1);
            packed.extend_from_slice(&data[data.len().saturating_sub(width)..]);
            decompress(width, &packed, &mut back).unwrap();
            prop_assert_eq!(&back, data);
        }
    }
}
