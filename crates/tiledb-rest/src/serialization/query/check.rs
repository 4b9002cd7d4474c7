//! Validates results of a server before they are copied to the user's buffers: offsets that ascend within the values,
//! whole cells, equal counts in all fields, validity of 0 or 1.

use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_core::error::{Result, bail};
use tiledb_query::Query;

/// Results of a field in a response.
pub(super) struct FieldResults<'a> {
    pub name: &'a str,
    /// Cells, or offsets of their values.
    pub fixed: &'a [u8],
    pub values: &'a [u8],
    pub validity: &'a [u8],
    pub is_var: bool,
}

/// Checks the cells of a field; how many there are, where all fields of the reply have as many.
///
/// # Errors
/// `Corrupt`, naming field and cell.
pub(super) fn check(query: &Query, cells: &FieldResults<'_>, format: OffsetFormat) -> Result<Option<u64>> {
    let name = cells.name;
    let aggregate = query.aggregate_output(name);
    let field = query.array().schema().field(name);
    let count = match (cells.is_var, &aggregate, field) {
        (true, aggregate, _) => {
            let format = OffsetFormat { extra: format.extra && aggregate.is_none(), ..format };
            let datatype = aggregate.map(|output| output.shape.datatype).or(field.map(|field| field.datatype));
            // Labels are not in the schema: any number of bytes may be values of theirs.
            Some(offsets(name, cells, format, datatype.map_or(1, |datatype| datatype.size().max(1)))?)
        }
        (false, Some(output), _) => Some(whole(name, cells.fixed, output.shape.cell_size())?),
        (false, None, Some(field)) => Some(whole(name, cells.fixed, field.cell_size())?),
        // Labels, and coordinates in one buffer.
        (false, None, None) => None,
    };
    if let Some(at) = cells.validity.iter().position(|&value| value > 1) {
        bail!(Corrupt, "The validity of '{name}' is {} for cell {at}; it is 0 or 1", cells.validity[at]);
    }
    let valid = cells.validity.len() as u64;
    if let Some(count) = count.filter(|count| valid > 0 && valid != *count) {
        bail!(Corrupt, "'{name}' has {count} cells and the validity of {valid}");
    }
    Ok(count.filter(|_| aggregate.is_none()))
}

/// The number of fixed cells.
fn whole(name: &str, bytes: &[u8], size: usize) -> Result<u64> {
    let size = size.max(1);
    if !bytes.len().is_multiple_of(size) {
        bail!(Corrupt, "'{name}' has {} bytes, which are no whole cells of {size}", bytes.len());
    }
    Ok((bytes.len() / size) as u64)
}

/// The number of variable cells.
fn offsets(name: &str, cells: &FieldResults<'_>, format: OffsetFormat, value_size: usize) -> Result<u64> {
    let count = whole(name, cells.fixed, format.width)?;
    let bytes = cells.values.len();
    if count == 0 && bytes > 0 {
        bail!(Corrupt, "'{name}' has {bytes} bytes of values and no offsets");
    }
    if !bytes.is_multiple_of(value_size) {
        bail!(Corrupt, "'{name}' has {bytes} bytes of values, which are no whole values of {value_size}");
    }
    // In units of the offsets.
    let (end, step) = if format.elements { (bytes / value_size, 1) } else { (bytes, value_size) };
    let end = end as u64;
    let step = step as u64;
    let mut before = 0;
    for (cell, word) in cells.fixed.chunks_exact(format.width).enumerate() {
        let mut offset = [0; 8];
        offset[..word.len()].copy_from_slice(word);
        let offset = u64::from_le_bytes(offset);
        if (cell == 0 && offset != 0) || offset < before || offset > end || !offset.is_multiple_of(step) {
            bail!(
                Corrupt,
                "Offset {offset} of cell {cell} of '{name}' follows {before}; offsets begin with 0, ascend in steps of {step} and \
                 are at most {end} here"
            );
        }
        before = offset;
    }
    if !format.extra || count == 0 {
        return Ok(count);
    }
    if before != end {
        bail!(Corrupt, "The last offset of '{name}' is {before}; it is the total, {end}");
    }
    Ok(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[u64], values: usize, format: OffsetFormat, value_size: usize) -> Result<u64> {
        let fixed: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()[..format.width].to_vec()).collect();
        let values = vec![0; values];
        let cells = FieldResults { name: "a", fixed: &fixed, values: &values, validity: &[], is_var: true };
        offsets("a", &cells, format, value_size)
    }

    #[test]
    fn offsets_ascend_within_the_values() {
        for width in [4, 8] {
            let bytes = OffsetFormat { width, elements: false, extra: false };
            let (elements, extra) = (OffsetFormat { elements: true, ..bytes }, OffsetFormat { extra: true, ..bytes });
            assert_eq!(of(&[0, 0, 3, 9], 9, bytes, 1).unwrap(), 4);
            assert_eq!(of(&[], 0, bytes, 1).unwrap(), 0);
            assert_eq!(of(&[0, 1, 2], 8, elements, 4).unwrap(), 3);
            assert_eq!(of(&[0, 4, 8], 8, extra, 4).unwrap(), 2);
            assert_eq!(of(&[0], 0, extra, 4).unwrap(), 0);
            for (words, values, format, size) in [
                (&[0, 5, 3][..], 9, bytes, 1),
                (&[0, 10], 9, bytes, 1),
                (&[1, 2], 9, bytes, 1),
                (&[0, u64::from(u32::MAX)], 9, bytes, 1),
                (&[0, 3], 8, bytes, 4),
                (&[0, 4], 7, bytes, 4),
                (&[0, 3], 8, elements, 4),
                (&[0, 4], 8, extra, 4),
                (&[], 1, bytes, 1),
            ] {
                let error = of(words, values, format, size).unwrap_err();
                assert!(error.text().contains("'a'"), "{error}");
            }
        }
        assert!(whole("a", &[0; 7], 4).is_err() && whole("a", &[0; 8], 4).is_ok());
    }
}
