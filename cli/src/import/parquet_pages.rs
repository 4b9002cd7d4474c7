//! Checks the sizes of the pages of an untrusted Parquet file.
//!
//! The `parquet` crate reserves memory for as many bytes as the header of a page announces, so that a file of 109 bytes aborts the
//! process, and decodes pages of gzip and brotli to the end of their stream, however many bytes that has. Therefore headers are
//! compared with the bytes that a page can decode to before pages are decoded, and such pages are decoded once without storing them.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};

use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;

use crate::model::Result;

use super::arrow_reader::{MAX_LZ4_RATIO, MAX_ZSTD_RATIO, damaged, no_memory};
use super::parquet_schema::MAX_STRUCTS;
use super::thrift::{Compact, INT32, STRUCT};

/// Bytes that are read for the header of a page at first; statistics can make it longer.
const HEADER: usize = 1 << 10;
/// Maximum length of a header.
const MAX_HEADER: usize = 16 << 20;
/// Deflate decodes to at most this many times its size.
const MAX_DEFLATE_RATIO: u64 = 1032;
/// A copy of at most 64 bytes takes three bytes in Snappy.
const MAX_SNAPPY_RATIO: u64 = 32;
/// Bytes that a page may take beyond its announced size without having been decoded before.
const UNCHECKED: u64 = 64 << 20;
/// The crate has a page and what it is decoded from in memory, brotli a buffer of its size as well.
const COPIES: u64 = 2;

/// Sizes of a page.
#[derive(Default, PartialEq, Eq, Debug)]
struct PageSizes {
    header: u64,
    compressed: u64,
    decoded: u64,
    /// Bytes of the levels of a page of version 2, which are not compressed, and whether its values are.
    levels: u64,
    is_plain: bool,
}

/// Checks all pages of a file.
pub(super) fn check_pages(file: &mut File, metadata: &ParquetMetaData) -> Result<()> {
    let size = file.metadata()?.len();
    let mut largest = 0;
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        let (Ok(start), Ok(length)) = (u64::try_from(start), u64::try_from(column.compressed_size())) else {
            return Err(damaged("a column begins before the file"));
        };
        let Some(end) = start.checked_add(length).filter(|end| *end <= size) else {
            return Err(damaged(format!("a column of {length} bytes is announced at {start}, in a file of {size}")));
        };
        let values = u64::try_from(column.num_values()).unwrap_or(0);
        largest = largest.max(check_column(file, start, end, values, column.compression())?);
    }
    // What cannot be reserved would abort the process in the crate.
    let bytes = largest.saturating_mul(COPIES);
    let length = usize::try_from(bytes).map_err(|_| no_memory(bytes))?;
    Vec::<u8>::new().try_reserve_exact(length).map_err(|_| no_memory(bytes))
}

/// Checks the pages of a column; returns the size of the largest.
fn check_column(file: &mut File, start: u64, end: u64, values: u64, codec: Compression) -> Result<u64> {
    let (mut at, mut largest) = (start, 0);
    // A column without values can have no page.
    while at < end && values > 0 {
        let Some(page) = read_header(file, at, end)? else { break };
        let left = end - at - page.header;
        if page.compressed > left || page.levels > page.compressed.min(page.decoded) {
            return Err(damaged(format!("a page of {} bytes is announced where {left} are left", page.compressed)));
        }
        let limit = if page.is_plain { page.compressed } else { max_decoded(codec, page.compressed - page.levels) };
        if page.decoded - page.levels > limit {
            let PageSizes { compressed, decoded, .. } = page;
            return Err(damaged(format!(
                "a page of {compressed} bytes announces {decoded}, and {codec} has at most {limit}"
            )));
        }
        if !page.is_plain {
            check_stream(file, at + page.header + page.levels, &page, codec)?;
        }
        largest = largest.max(page.decoded);
        at += page.header + page.compressed;
    }
    Ok(largest)
}

/// Reads the header of a page; none if it cannot be decoded, which the crate reports.
fn read_header(file: &mut File, at: u64, end: u64) -> Result<Option<PageSizes>> {
    let mut length = HEADER;
    loop {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(at))?;
        file.take((length as u64).min(end - at)).read_to_end(&mut bytes)?;
        if let Some(page) = sizes(&bytes) {
            return Ok(Some(page));
        }
        if bytes.len() < length || length >= MAX_HEADER {
            return Ok(None);
        }
        length *= 16;
    }
}

/// The sizes in a header: of the struct `PageHeader`.
fn sizes(bytes: &[u8]) -> Option<PageSizes> {
    const DECODED: i16 = 2;
    const COMPRESSED: i16 = 3;
    const VERSION_2: i16 = 8;
    let mut page = PageSizes::default();
    let mut input = Compact(bytes);
    let mut last = 0;
    while let Some((field, kind)) = input.field(last)? {
        last = field;
        match (field, kind) {
            (DECODED, INT32) => page.decoded = u64::try_from(input.number()?).ok()?,
            (COMPRESSED, INT32) => page.compressed = u64::try_from(input.number()?).ok()?,
            (VERSION_2, STRUCT) => levels(&mut input, &mut page)?,
            _ => input.skip(kind, MAX_STRUCTS)?,
        }
    }
    page.header = (bytes.len() - input.0.len()) as u64;
    Some(page)
}

/// Of the struct `DataPageHeaderV2`, the bytes of the levels and whether the values are compressed.
fn levels(input: &mut Compact<'_>, page: &mut PageSizes) -> Option<()> {
    const DEFINITION: i16 = 5;
    const REPETITION: i16 = 6;
    const IS_COMPRESSED: i16 = 7;
    const FALSE: u8 = 2;
    let mut last = 0;
    while let Some((field, kind)) = input.field(last)? {
        last = field;
        match (field, kind) {
            (DEFINITION | REPETITION, INT32) => page.levels += u64::try_from(input.number()?).ok()?,
            (IS_COMPRESSED, FALSE) => page.is_plain = true,
            _ => input.skip(kind, MAX_STRUCTS)?,
        }
    }
    Some(())
}

/// The maximum number of bytes that a codec decodes this many to.
fn max_decoded(codec: Compression, compressed: u64) -> u64 {
    match codec {
        Compression::UNCOMPRESSED => compressed,
        Compression::SNAPPY => compressed.saturating_mul(MAX_SNAPPY_RATIO),
        Compression::GZIP(_) => compressed.saturating_mul(MAX_DEFLATE_RATIO),
        Compression::LZ4 | Compression::LZ4_RAW => compressed.saturating_mul(MAX_LZ4_RATIO),
        Compression::ZSTD(_) => compressed.saturating_mul(MAX_ZSTD_RATIO),
        // A stream of brotli can repeat bytes without limit; others are not read.
        _ => u64::MAX,
    }
}

/// Decodes a stream that the crate would decode to its end, unless it cannot have many bytes more than announced.
fn check_stream(file: &mut File, at: u64, page: &PageSizes, codec: Compression) -> Result<()> {
    let (length, decoded) = (page.compressed - page.levels, page.decoded - page.levels);
    if max_decoded(codec, length) <= decoded.saturating_add(UNCHECKED) {
        return Ok(());
    }
    if !matches!(codec, Compression::GZIP(_) | Compression::BROTLI(_)) {
        return Ok(());
    }
    let mut stream = Vec::new();
    let capacity = usize::try_from(length).map_err(|_| no_memory(length))?;
    stream.try_reserve_exact(capacity).map_err(|_| no_memory(length))?;
    file.seek(SeekFrom::Start(at))?;
    file.take(length).read_to_end(&mut stream)?;
    let stream = Cursor::new(stream);
    let reader: Box<dyn Read> = match codec {
        Compression::GZIP(_) => Box::new(flate2::read::MultiGzDecoder::new(stream)),
        _ => Box::new(brotli::Decompressor::new(stream, 1 << 16)),
    };
    let count = std::io::copy(&mut reader.take(decoded.saturating_add(1)), &mut std::io::sink());
    // A stream that cannot be decoded is reported by the crate.
    if count.is_ok_and(|count| count > decoded) {
        return Err(damaged(format!("a page announces {decoded} bytes, and has more")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_the_sizes_of_pages() {
        // type, uncompressed and compressed size, then a data page of version 2 with levels of 3 and 4 bytes.
        let header = [
            0x15, 6, 0x15, 200, 1, 0x15, 100, 0x5c, 0x15, 2, 0x15, 0, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 8, 0x12, 0, 0, 9,
        ];
        let expected = PageSizes { header: 23, compressed: 50, decoded: 100, levels: 7, is_plain: true };
        assert_eq!(sizes(&header), Some(expected));
        for end in 0..header.len() - 1 {
            assert_eq!(sizes(&header[..end]), None);
        }
        // Negative sizes.
        assert_eq!(sizes(&[0x25, 1, 0]), None);
    }
}
