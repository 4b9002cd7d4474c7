//! Values per cell.

use std::fmt;

/// Number of values in one cell of a field: a positive count, or variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellValNum(u32);

impl CellValNum {
    /// One value per cell.
    pub const ONE: CellValNum = CellValNum(1);
    /// Any number of values per cell; `UINT32_MAX` in files and in C.
    pub const VAR: CellValNum = CellValNum(u32::MAX);

    /// From the number in a file or in C; 0 is no valid count and gives `None`.
    pub fn from_number(number: u32) -> Option<CellValNum> {
        (number != 0).then_some(CellValNum(number))
    }

    /// The number in files and in C.
    pub fn number(self) -> u32 {
        self.0
    }

    /// True for a variable number of values.
    pub fn is_var(self) -> bool {
        self == CellValNum::VAR
    }

    /// The fixed count, or `None` if it is variable.
    pub fn fixed(self) -> Option<u32> {
        (!self.is_var()).then_some(self.0)
    }
}

impl fmt::Display for CellValNum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fixed() {
            Some(count) => write!(f, "{count}"),
            None => f.write_str("var"),
        }
    }
}
