//! DELTA: each value minus the previous one, wrapping; for values that change slowly, followed by a compressor.
//!
//! Option: the datatype that the bytes are interpreted as, `ANY` for their own. Text is interpreted as single bytes.

use super::shared::compressed::{Codec, Compressed};
use super::stage::FilterStage;
use crate::codec::delta;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

struct Delta {
    width: usize,
}

/// The filter for values of this type, taken for those of another one if that is not `ANY`.
///
/// # Errors
/// If they are real numbers, or to be taken for text.
pub(super) fn stage(datatype: Datatype, reinterpret: Datatype) -> Result<Box<dyn FilterStage>> {
    let datatype = taken_for(datatype, reinterpret)?;
    if datatype.is_float() {
        bail!("DeltaCompressor: Compression is not yet supported for float datatypes.");
    }
    Ok(Box::new(Compressed(Delta { width: width(datatype) })))
}

impl Codec for Delta {
    fn omits_empty_data() -> bool {
        true
    }

    fn compress(&self, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
        delta::compress(self.width, src, out)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        delta::decompress(self.width, src, dst)
    }
}

/// The type whose values DELTA and DOUBLE_DELTA see.
pub(super) fn taken_for(datatype: Datatype, reinterpret: Datatype) -> Result<Datatype> {
    match reinterpret {
        Datatype::Any => Ok(datatype),
        text if text.is_string() => {
            bail!("[TileDB::Filter] Error: Failed to reinterpret data as '{}'; Unsupported datatype.", text.name())
        }
        other => Ok(other),
    }
}

/// Bytes of the values that DELTA and DOUBLE_DELTA see: characters of text are single bytes, however wide.
pub(super) fn width(datatype: Datatype) -> usize {
    if datatype.is_wide_text() { 1 } else { datatype.size() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{stage, width};
    use crate::filter::testing::{bytes, compressed_parts, round_trip};
    use tiledb_core::types::Datatype;

    #[test]
    fn parts_are_counts_and_differences() {
        let rising = [2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0];
        let falling = [3, 0, 0, 0, 0, 0, 0, 0, 5, 0, 255, 255, 254, 255];
        compressed_parts(
            &*stage(Datatype::Int64, Datatype::Uint16).unwrap(),
            &[(&[1, 1, 2, 1], &rising)],
            &[(&[5, 0, 4, 0, 2, 0], &falling), (&[1, 1, 2, 1], &rising)],
        );
    }

    #[test]
    fn nothing_is_taken_for_text() {
        for text in [Datatype::Char, Datatype::StringAscii, Datatype::StringUtf16] {
            assert!(stage(text, Datatype::Any).is_ok() && stage(text, Datatype::Blob).is_ok());
            let error = stage(Datatype::Blob, text).map(|_| ()).unwrap_err();
            assert!(error.text().ends_with(&format!("as '{}'; Unsupported datatype.", text.name())));
        }
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes()) {
            for datatype in Datatype::all() {
                if datatype.is_float() {
                    prop_assert!(stage(datatype, Datatype::Any).is_err());
                    continue;
                }
                let whole = data.len() / width(datatype) * width(datatype);
                round_trip(&*stage(datatype, Datatype::Any).unwrap(), &data[..whole]);
            }
        }
    }
}
