//! POSITIVE_DELTA: the difference of each integer to the previous one; for ascending values, such as
//! sorted coordinates. A write of descending values fails.
//!
//! Option: maximum number of bytes of a window. Datetimes are integers since format version 20; other types are not
//! changed.
//!
//! Metadata: `windows u32`, per window `first value, bytes u32`, then the metadata of earlier filters.

use std::marker::PhantomData;

use super::shared::integers::{Integer, by_integer};
use super::shared::windows::{self, Windows, take};
use super::shared::{finish, put, take_mut};
use super::stage::{FilterStage, StageInput, StageOutput};
use crate::codec::simd::{self, Kernel};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::{Datatype, FormatVersion};
use tiledb_core::wire::WireReader;

struct PositiveDelta(Windows);

/// The filter for values of this type, if it does anything to them.
pub(super) fn stage(datatype: Datatype, version: FormatVersion, max_window: u32) -> Option<Box<dyn FilterStage>> {
    let active = windows::take_values_of(datatype, version) || datatype.is_byte();
    active.then(|| -> Box<dyn FilterStage> { Box::new(PositiveDelta(Windows::new(datatype, max_window))) })
}

impl FilterStage for PositiveDelta {
    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        let windows = self.0;
        put(&mut output.meta, windows.cut(input.data).len())?;
        if !input.data.len().is_multiple_of(windows.width()) {
            bail!("POSITIVE_DELTA cannot take {} bytes as values of {} bytes", input.data.len(), windows.width());
        }
        output.data.resize(input.data.len(), 0);
        by_integer!(windows.physical, T => simd::run(Differences::<T> { windows, src: input.data, output, of: PhantomData }))?;
        output.append_earlier_metadata(&input);
        Ok(())
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        Ok(input.data.len())
    }

    fn reverse(&self, input: StageInput<'_>, _: usize, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        let entry = self.0.width() + 4;
        let mut r = WireReader::new("metadata of differences", input.meta);
        let count = r.count32(entry)?;
        let windows = r.bytes(count * entry)?;
        meta.extend_from_slice(r.bytes(r.remaining())?);
        by_integer!(self.0.physical, T => sums_of::<T>(windows, input.data, dst))
    }
}

struct Differences<'a, T> {
    windows: Windows,
    src: &'a [u8],
    /// Has capacity for as many bytes.
    output: &'a mut StageOutput,
    of: PhantomData<T>,
}

impl<T: Integer> Kernel for Differences<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let StageOutput { meta, data, .. } = self.output;
        let mut place = 0;
        for window in self.windows.cut(self.src) {
            let to = &mut data[place..place + window.len()];
            place += window.len();
            if !T::differences(window, to) {
                return Err(descent::<T>(window));
            }
            to[..T::SIZE].fill(0);
            meta.extend_from_slice(&window[..T::SIZE]);
            put(meta, window.len())?;
        }
        Ok(())
    }
}

/// The error of a window whose values descend.
#[cold]
fn descent<T: Integer>(window: &[u8]) -> Error {
    let values = || window.chunks_exact(T::SIZE).map(T::load);
    match values().zip(values().skip(1)).find(|(before, value)| value < before) {
        Some((before, value)) => Error::invalid(format!(
            "[TileDB::Filter] Error: Positive delta filter error: delta is not positive. {value} follows {before}; values must not descend"
        )),
        None => Error::internal("Values that descend do not"),
    }
}

fn sums_of<T: Integer>(windows: &[u8], src: &[u8], dst: &mut [u8]) -> Result<()> {
    let (mut src, mut dst) = (src, dst);
    for window in windows.chunks_exact(T::SIZE + 4) {
        let (first, len) = window.split_at(T::SIZE);
        let len = u32::from_le_bytes([len[0], len[1], len[2], len[3]]) as usize;
        let (from, to) = (take(&mut src, len)?, take_mut(&mut dst, len)?);
        T::running_sums(T::load(first), from, to);
    }
    finish(dst)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::testing::{decode, refuses_other_numbers, round_trip};
    use tiledb_core::types::CURRENT_VERSION;

    #[test]
    fn windows_start_anew() {
        let stage = stage(Datatype::Uint16, CURRENT_VERSION, 1024).unwrap();
        let meta =
            [&[3, 0, 0, 0][..], &[5, 1, 6, 0, 0, 0], &[0, 0, 0, 0, 0, 0], &[9, 0, 2, 0, 0, 0], b"before"].concat();
        let data = [0, 0, 1, 0, 255, 0, 0, 0];
        let (rest, back) = decode(&*stage, &meta, &data, 8).unwrap();
        assert_eq!(rest, b"before");
        assert_eq!(back, [5, 1, 6, 1, 5, 2, 9, 0]);
        refuses_other_numbers(&*stage, &meta, &data, 8, &[0, 6, 12, 18]);
    }

    proptest! {
        #[test]
        fn ascending_integers_come_back(
            values in prop::collection::vec(any::<u64>(), 0..300),
            sorted: bool,
            max_window in 0u32..600,
        ) {
            for datatype in Datatype::all() {
                let Some(stage) = stage(datatype, CURRENT_VERSION, max_window) else { continue };
                let size = datatype.size();
                let data = by_integer!(datatype.physical(), T => {
                    let mut values: Vec<T> = values.iter().map(|&v| v as T).collect();
                    if sorted {
                        values.sort_unstable();
                    }
                    values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()
                });
                // Only descents within a window are detected.
                let in_window = (max_window as usize / size).max(1) * size;
                let ascending = by_integer!(datatype.physical(), T => {
                    data.chunks(in_window).all(|window| window.chunks(size).is_sorted_by_key(T::load))
                });
                match stage.forward(StageInput { meta: &[], parts: &[], data: &data }, &mut StageOutput::default()) {
                    Ok(()) => {
                        prop_assert!(ascending);
                        round_trip(&*stage, &data);
                    }
                    Err(error) => prop_assert!(!ascending && error.text().contains("must not descend")),
                }
            }
        }
    }
}
