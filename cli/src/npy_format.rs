//! Headers of NPY files of NumPy, and the datatypes of their values.

use tiledb::Datatype;

use crate::model::{DatatypeExt, DatatypeKind};

/// The first bytes of a file.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Headers are padded to a multiple of this, so that values are aligned.
const ALIGNMENT: usize = 64;
/// Maximum number of dimensions of NumPy.
const MAX_DIMENSIONS: usize = 64;

/// Units of dates, from `DATETIME_YEAR` on.
const UNITS: [&str; 13] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"];

/// The header of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    pub datatype: Datatype,
    pub is_big_endian: bool,
    /// Whether the first index changes fastest.
    pub is_fortran: bool,
    pub shape: Vec<u64>,
}

/// The type of a datatype's values; `None` for texts.
pub(crate) fn descriptor(datatype: Datatype) -> Option<String> {
    if datatype.unit().is_some() {
        return UNITS
            .get(usize::from(datatype.number().checked_sub(Datatype::DatetimeYear.number())?))
            .map(|unit| format!("<M8[{unit}]"));
    }
    let order = if datatype.size() == 1 { '|' } else { '<' };
    match datatype.kind() {
        DatatypeKind::Signed(size) => Some(format!("{order}i{size}")),
        DatatypeKind::Unsigned(size) => Some(format!("{order}u{size}")),
        DatatypeKind::Real(size) => Some(format!("<f{size}")),
        DatatypeKind::Bool => Some("|b1".to_owned()),
        DatatypeKind::Text(_) | DatatypeKind::Bytes => None,
    }
}

/// The header of a file whose last index changes fastest.
pub(crate) fn header(descriptor: &str, shape: &[u64]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let sides = if shape.len() > 1 { sides.trim_end_matches(", ") } else { sides.trim_end() };
    let mut text = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({sides}), }}");
    // Magic, version and length, then the text, which a line end completes.
    let whole = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(ALIGNMENT);
    let length = whole - MAGIC.len() - 4;
    text.push_str(&" ".repeat(length - text.len() - 1));
    text.push('\n');
    let length = u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes();
    [MAGIC, &[1, 0][..], &length, text.as_bytes()].concat()
}

impl NpyHeader {
    /// Parses the text of a header, a literal of Python.
    ///
    /// # Errors
    /// What is wrong, or not supported.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let shown: String = text.trim().chars().take(200).collect();
        let malformed = || format!("the header is {shown:?}");
        let value = |key: &str| {
            let at = text.find(&format!("'{key}'"))?;
            Some(text[at + key.len() + 2..].trim_start().strip_prefix(':')?.trim_start())
        };
        let descr = value("descr").ok_or_else(malformed)?;
        let Some(descr) = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')) else {
            return Err(match descr.starts_with('[') {
                true => "the values are records: save each field as a file of its own".to_owned(),
                false => malformed(),
            });
        };
        let (datatype, is_big_endian) = datatype(descr.0).ok_or_else(|| {
            format!("no datatype suits values of type {:?}: save numbers, booleans or datetime64", descr.0)
        })?;
        let order = value("fortran_order").ok_or_else(malformed)?;
        let is_fortran = order.starts_with("True");
        if !is_fortran && !order.starts_with("False") {
            return Err(malformed());
        }
        let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).ok_or_else(malformed)?.0;
        let sides = shape.split(',').map(str::trim).filter(|side| !side.is_empty());
        let shape = sides.map(|side| side.parse::<u64>().map_err(|_| malformed())).collect::<Result<Vec<_>, _>>()?;
        if shape.len() > MAX_DIMENSIONS {
            return Err(format!("{} dimensions are more than {MAX_DIMENSIONS}", shape.len()));
        }
        let bytes = shape.iter().try_fold(datatype.size() as u64, |all, side| all.checked_mul(*side));
        if bytes.is_none_or(|bytes| bytes > i64::MAX as u64) {
            return Err(format!("the shape {shape:?} is larger than any file"));
        }
        Ok(Self { datatype, is_big_endian, is_fortran, shape })
    }
}

/// The datatype of a type of NumPy, and whether its bytes are in big-endian order.
fn datatype(descriptor: &str) -> Option<(Datatype, bool)> {
    let (order, kind) = descriptor.split_at_checked(1)?;
    let is_big_endian = match order {
        "<" | "|" | "=" => false,
        ">" => true,
        _ => return None,
    };
    let datatype = match kind {
        "b1" => Datatype::Bool,
        "i1" => Datatype::Int8,
        "i2" => Datatype::Int16,
        "i4" => Datatype::Int32,
        "i8" => Datatype::Int64,
        "u1" => Datatype::Uint8,
        "u2" => Datatype::Uint16,
        "u4" => Datatype::Uint32,
        "u8" => Datatype::Uint64,
        "f4" => Datatype::Float32,
        "f8" => Datatype::Float64,
        _ => {
            let unit = kind.strip_prefix("M8[")?.strip_suffix(']')?;
            let at = UNITS.iter().position(|name| *name == unit)?;
            Datatype::DatetimeYear.finer(at as u32)
        }
    };
    Some((datatype, is_big_endian))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;
    use crate::model::Unit;

    #[test]
    fn headers_come_back() {
        // Durations and dates of the same unit have one type in NumPy.
        for &number in Datatype::ALL.iter().filter(|datatype| !datatype.is_time()) {
            let Some(descriptor) = descriptor(number) else { continue };
            for shape in [&[][..], &[5], &[0, 7], &[2, 3, 4]] {
                let bytes = header(&descriptor, shape);
                assert_eq!((bytes.len() % ALIGNMENT, bytes.last()), (0, Some(&b'\n')));
                let read = NpyHeader::parse(std::str::from_utf8(&bytes[10..]).unwrap()).unwrap();
                assert_eq!((read.datatype, read.shape.as_slice()), (number, shape), "{descriptor}");
                assert!(!read.is_big_endian && !read.is_fortran);
            }
        }
        // As NumPy writes it.
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
        assert!(header("<f8", &[3]).windows(text.len()).any(|part| part == text.as_bytes()));
    }

    #[test]
    fn hostile_headers_are_errors() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
        for end in 0..good.len() - 5 {
            assert!(NpyHeader::parse(&good[..end]).is_err(), "{end}");
        }
        for (from, to) in [
            ("<f8", "|O"),
            ("<f8", "<U5"),
            ("<f8", ""),
            ("'<f8'", "[('x', '<f8')]"),
            ("False", "5"),
            ("(3, 4)", "(-3, 4)"),
            ("(3, 4)", "(9223372036854775807, 4)"),
            ("(3, 4)", "(18446744073709551616,)"),
            ("(3, 4)", "(((3, 4)"),
        ] {
            assert!(NpyHeader::parse(&good.replace(from, to)).is_err(), "{to}");
        }
        assert!(NpyHeader::parse(&good.replace("(3, 4)", &format!("({})", "1,".repeat(65)))).is_err());
    }

    #[test]
    fn dates_have_units() {
        assert_eq!(descriptor(Datatype::DatetimeDay).unwrap(), "<M8[D]");
        assert_eq!(datatype(">M8[ns]"), Some((Datatype::DatetimeNs, true)));
        assert!(Datatype::DatetimeDay.unit() == Some(Unit::Seconds(86_400)));
        assert_eq!(datatype("<M8[25s]"), None);
    }
}
