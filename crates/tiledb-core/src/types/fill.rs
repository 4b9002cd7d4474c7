//! Default fill values.

use super::{Cell, CellValNum, Datatype, dispatch};

/// The default fill value of a field as the bytes of one cell: the least value of signed integers,
/// datetimes and times, the greatest of unsigned ones, a quiet NaN for floats, `0x80` for `CHAR`
/// and zero for strings and opaque bytes. A fixed cell repeats the value, a variable one holds it once.
pub fn default_fill(datatype: Datatype, cell_val_num: CellValNum) -> Vec<u8> {
    let value = default_value(datatype);
    value.repeat(cell_val_num.fixed().unwrap_or(1) as usize)
}

fn default_value(datatype: Datatype) -> Vec<u8> {
    use Datatype::*;
    match datatype {
        Char => vec![0x80],
        Float32 => f32::NAN.to_le_bytes().to_vec(),
        Float64 => f64::NAN.to_le_bytes().to_vec(),
        _ if datatype.is_string() || datatype.is_byte() || datatype == Any => vec![0; datatype.size()],
        Uint8 | Uint16 | Uint32 | Uint64 => vec![0xff; datatype.size()],
        _ => dispatch!(datatype.physical(), T => bytemuck::bytes_of(&<T as Cell>::LOWEST).to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_measured_on_the_reference() {
        assert_eq!(default_fill(Datatype::Int32, CellValNum::ONE), [0, 0, 0, 0x80]);
        assert_eq!(default_fill(Datatype::Uint16, CellValNum::ONE), [0xff, 0xff]);
        assert_eq!(default_fill(Datatype::Float64, CellValNum::ONE), [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
        assert_eq!(default_fill(Datatype::DatetimeDay, CellValNum::ONE), [0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(default_fill(Datatype::StringAscii, CellValNum::VAR), [0]);
        assert_eq!(default_fill(Datatype::Char, CellValNum::from_number(3).unwrap()), [0x80; 3]);
    }
}
