//! Filters that transform each part of a chunk, where the length of the result follows from the length of the part. Metadata:
//! `parts u32`, then each part's length on disk u32, then the metadata of earlier filters.

use super::{finish, put, take_mut};
use crate::filter::stage::{FilterStage, StageInput, StageOutput};
use tiledb_core::error::Result;
use tiledb_core::wire::WireReader;

/// Transformation of a part.
pub(in crate::filter) trait Shuffle {
    /// The length of the first of the parts into which `len` bytes are divided; the rest, if any, is the second one.
    fn cut(&self, len: usize) -> usize {
        len
    }

    /// The length on disk of a part of `len` bytes.
    ///
    /// # Errors
    /// If the bytes are not whole values, where they must be.
    fn shuffled_size(&self, len: usize) -> Result<usize> {
        Ok(len)
    }

    /// The length of a part that takes `len` bytes on disk.
    fn original_size(&self, len: usize) -> usize {
        len
    }

    /// Fills `dst`, of [`Shuffle::shuffled_size`].
    ///
    /// # Errors
    /// If a value cannot be stored.
    fn shuffle(&self, src: &[u8], dst: &mut [u8]) -> Result<()>;

    /// Inverse of [`Shuffle::shuffle`].
    fn unshuffle(&self, src: &[u8], dst: &mut [u8]);
}

/// The filter that shuffles every part of the data.
pub(in crate::filter) struct Shuffled<S>(pub(in crate::filter) S);

impl<S: Shuffle> FilterStage for Shuffled<S> {
    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        let (first, second) = input.data.split_at(self.0.cut(input.data.len()).min(input.data.len()));
        // libtiledb cannot read an empty part after another filter of this kind, but accepts that there is none.
        let parts = match (first, second) {
            ([], []) => &[][..],
            (_, []) => &[first],
            _ => &[first, second],
        };
        put(&mut output.meta, parts.len())?;
        for part in parts {
            let start = output.data.len();
            let len = self.0.shuffled_size(part.len())?;
            put(&mut output.meta, len)?;
            output.data.resize(start + len, 0);
            self.0.shuffle(part, &mut output.data[start..])?;
        }
        output.append_earlier_metadata(&input);
        Ok(())
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        let mut r = WireReader::new("metadata of a shuffled chunk", input.meta);
        let mut size = 0usize;
        for _ in 0..r.count32(4)? {
            size = size.saturating_add(self.0.original_size(r.u32()? as usize));
        }
        Ok(size)
    }

    fn reverse(&self, input: StageInput<'_>, _: usize, meta: &mut Vec<u8>, mut dst: &mut [u8]) -> Result<()> {
        let mut r = WireReader::new("metadata of a shuffled chunk", input.meta);
        let mut data = WireReader::new("shuffled chunk", input.data);
        for _ in 0..r.count32(4)? {
            let part = data.bytes(r.u32()? as usize)?;
            let original = self.0.original_size(part.len());
            self.0.unshuffle(part, take_mut(&mut dst, original)?);
        }
        if !data.is_empty() {
            return Err(data.corrupt(format_args!("{} bytes belong to no part", data.remaining())));
        }
        meta.extend_from_slice(r.bytes(r.remaining())?);
        finish(dst)
    }
}
