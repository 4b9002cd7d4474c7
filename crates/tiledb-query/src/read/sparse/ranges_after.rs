//! The remainder of a read in row- or column-major order after a point, as parts of ranges in that order.

use crate::read::position::PartRanges;
use tiledb_cells::space::split;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellRange, Datatype};

/// A dimension with its type and a value.
type Coordinate = (usize, Datatype, Vec<u8>);

/// The parts after a point: with its coordinates of the slower dimensions, and greater ones of one dimension, from the
/// fastest dimension to the slowest.
///
/// # Errors
/// If a coordinate is the empty string, which in ranges represents all strings.
pub(super) fn parts_after(subarray: &Subarray, place: &[Coordinate]) -> Result<Vec<PartRanges>> {
    let mut parts = Vec::new();
    for (index, (dimension, datatype, value)) in place.iter().enumerate().rev() {
        let mut part = parts_at(subarray, &place[..index])?;
        let ranges = &mut part[*dimension];
        *ranges = ranges.iter().filter_map(|range| split::after(*datatype, range, value)).collect();
        parts.push(part);
    }
    parts.retain(|part| part.iter().all(|ranges| !ranges.is_empty()));
    Ok(parts)
}

/// The ranges with only these coordinates of some dimensions, repeated by the number of ranges that contain them.
fn parts_at(subarray: &Subarray, place: &[Coordinate]) -> Result<PartRanges> {
    let mut part: PartRanges = subarray.sets().iter().map(|set| set.ranges().to_vec()).collect();
    for (dimension, datatype, value) in place {
        if value.is_empty() {
            bail!("Cannot tell where the read stands; no range has only the empty text");
        }
        let ranges = &mut part[*dimension];
        let is_var = ranges.first().is_some_and(CellRange::is_var);
        let point = if is_var { CellRange::var(value, value) } else { CellRange::fixed(value, value)? };
        ranges.retain(|range| (is_var && range.high().is_empty()) || range.contains(*datatype, &point));
        ranges.fill(point);
    }
    Ok(part)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tiledb_array::schema::{ArraySchema, Dimension, Domain};
    use tiledb_core::types::ArrayType;

    /// A dimension of numbers and one of texts, with two ranges each.
    fn subarray() -> Subarray {
        let mut domain = Domain::new();
        domain.add(Arc::new(Dimension::new("d", Datatype::Uint8, Some(&[0, 99]), None).unwrap()));
        domain.add(Arc::new(Dimension::new("s", Datatype::StringAscii, None, None).unwrap()));
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(domain)).unwrap();
        let mut subarray = Subarray::new(&Arc::new(schema));
        for (low, high) in [(0, 9), (5, 20)] {
            subarray.add_range(0, &[low], &[high]).unwrap();
        }
        for (low, high) in [("b", "d"), ("f", "g")] {
            subarray.add_range_var(1, low.as_bytes(), high.as_bytes()).unwrap();
        }
        subarray
    }

    #[test]
    fn remainder_has_the_cells_of_the_slower_coordinate_and_those_after_it() {
        let number = (0, Datatype::Uint8, vec![7]);
        let text = (1, Datatype::StringAscii, b"c".to_vec());
        let fixed = |low: u8, high: u8| CellRange::of(low, high);
        let var = |low: &str, high: &str| CellRange::var(low.as_bytes(), high.as_bytes());
        let texts = vec![var("b", "d"), var("f", "g")];
        let after = |place: &[Coordinate]| parts_after(&subarray(), place).unwrap();
        // Row-major: numbers are slower. The coordinate is in both of their ranges.
        let row_major = after(&[number.clone(), text.clone()]);
        let after_text = |part: &PartRanges| part[1].iter().map(|range| range.low().to_vec()).collect::<Vec<_>>();
        assert_eq!(row_major.len(), 2);
        assert_eq!(row_major[0][0], [fixed(7, 7), fixed(7, 7)]);
        assert!(after_text(&row_major[0])[0].as_slice() > &b"c"[..] && after_text(&row_major[0])[1] == b"f");
        assert_eq!(row_major[1], [vec![fixed(8, 9), fixed(8, 20)], texts]);
        // Column-major: texts are slower, and this one is in one of their ranges.
        let col_major = after(&[text, number]);
        assert_eq!(col_major.len(), 2);
        assert_eq!(col_major[0], [vec![fixed(8, 9), fixed(8, 20)], vec![var("c", "c")]]);
        assert_eq!(col_major[1][0], [fixed(0, 9), fixed(5, 20)]);
        assert!(
            parts_after(&subarray(), &[(1, Datatype::StringAscii, Vec::new()), (0, Datatype::Uint8, vec![7])]).is_err()
        );
    }

    #[test]
    fn nothing_remains_after_the_last_coordinates() {
        let place = [(0, Datatype::Uint8, vec![20]), (1, Datatype::StringAscii, b"g".to_vec())];
        let parts = parts_after(&subarray(), &place).unwrap();
        assert!(parts.iter().all(|part| part[1].iter().all(|range| range.low() > b"g".as_slice())), "{parts:?}");
    }
}
