//! Optional sections at the end of a footer, since version 23: each has an identifier, a size and data. Sections with an
//! unknown identifier are skipped, but retained for consolidated fragment metadata.

use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::wire::{WireReader, WireWriter};

/// Identifier of the section with the positions of the global-order bounds.
const BOUNDS: u64 = 0;
/// Size of an identifier and the size of the data.
const HEAD: usize = 12;

/// An optional section of a footer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OptionalSection {
    /// The positions of the tables of bounds, which are among the words of the footer.
    Bounds,
    /// A section of another writer.
    Unknown { identifier: u64, data: Box<[u8]> },
}

impl OptionalSection {
    /// Reads all sections of a fragment in so many dimensions; also the positions of the tables of bounds: lower ones of
    /// all dimensions, then upper ones; none if there is no such section.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub(super) fn read_all(r: &mut WireReader<'_>, dimensions: usize) -> Result<(Box<[OptionalSection]>, Vec<u64>)> {
        let count = r.count32(HEAD)?;
        let mut sections = memory::with_capacity("a fragment footer", count)?;
        let mut bounds = Vec::new();
        for _ in 0..count {
            let identifier = r.u64()?;
            let size = r.u32()? as usize;
            if identifier != BOUNDS {
                sections.push(OptionalSection::Unknown { identifier, data: r.bytes(size)?.into() });
                continue;
            }
            let expected = dimensions.saturating_mul(16);
            if size != expected {
                bail!(
                    Corrupt,
                    "fragment footer: the positions of global-order bounds take {size} bytes instead of {expected}"
                );
            }
            // As for libtiledb, the last one counts.
            bounds = r.words(2 * dimensions)?;
            sections.push(OptionalSection::Bounds);
        }
        Ok((sections.into_boxed_slice(), bounds))
    }

    /// Appends sections; `bounds` are the positions of the tables of bounds.
    pub(super) fn write_all(sections: &[OptionalSection], bounds: &[u64], w: &mut WireWriter) {
        w.u32(sections.len() as u32);
        for section in sections {
            match section {
                OptionalSection::Bounds => {
                    w.u64(BOUNDS).u32(size_of_val(bounds) as u32).words(bounds);
                }
                OptionalSection::Unknown { identifier, data } => {
                    w.u64(*identifier).u32(data.len() as u32).bytes(data);
                }
            }
        }
    }

    pub(super) fn size_in_memory(&self) -> usize {
        let data = match self {
            OptionalSection::Bounds => 0,
            OptionalSection::Unknown { data, .. } => data.len(),
        };
        size_of::<OptionalSection>() + data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections() -> Vec<u8> {
        let mut w = WireWriter::new();
        w.u32(3).u64(7).u32(3).bytes(b"abc").u64(BOUNDS).u32(32).words(&[10, 20, 30, 40]).u64(9).u32(0);
        w.finish().unwrap()
    }

    #[test]
    fn unknown_sections_are_skipped_and_retained() {
        let bytes = sections();
        let mut r = WireReader::new("footer", &bytes);
        let (read, bounds) = OptionalSection::read_all(&mut r, 2).unwrap();
        assert_eq!((r.position(), read.len(), &bounds[..]), (bytes.len(), 3, &[10, 20, 30, 40][..]));
        let mut w = WireWriter::new();
        OptionalSection::write_all(&read, &bounds, &mut w);
        assert_eq!(w.finish().unwrap(), bytes);
    }

    #[test]
    fn sections_that_contradict_their_sizes_are_refused() {
        let bytes = sections();
        let read =
            |bytes: &[u8], dimensions| OptionalSection::read_all(&mut WireReader::new("footer", bytes), dimensions);
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], 2).is_err(), "{length}");
        }
        let wrong = read(&bytes, 3).unwrap_err();
        let text = "fragment footer: the positions of global-order bounds take 32 bytes instead of 48";
        assert_eq!(wrong.text(), text);
        assert!(read(&u32::MAX.to_le_bytes(), 2).is_err());
        // A section that is larger than the footer.
        let mut long = bytes;
        long[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&long, 2).is_err());
    }
}
