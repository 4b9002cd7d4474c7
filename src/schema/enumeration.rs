//! Enumerations: lists of values that attribute cells refer to by index.

use crate::types::{CellValNum, Datatype, Name};

/// An enumeration as a schema refers to it: a name and the file that holds the values.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumerationRef {
    /// The name of the enumeration.
    pub name: Name,
    /// The file's name in `__schema/__enumerations`.
    pub path: Name,
}

/// An enumeration with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    name: Name,
    path: Name,
    datatype: Datatype,
    cell_val_num: CellValNum,
    ordered: bool,
    data: Vec<u8>,
    offsets: Vec<u64>,
}

impl Enumeration {
    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The file's name.
    pub fn path(&self) -> &Name {
        &self.path
    }

    /// The type of the values.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Elements per value.
    pub fn cell_val_num(&self) -> CellValNum {
        self.cell_val_num
    }

    /// True if the order of the values has a meaning.
    pub fn ordered(&self) -> bool {
        self.ordered
    }

    /// The values, one after another.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Where each value starts; empty unless values have variable lengths.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }
}
