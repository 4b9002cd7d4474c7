//! Fields: what a query can read or write of a cell.

use crate::datatype::{CellValNum, Datatype};
use tiledb_array::fragment::TIMESTAMPS;
use tiledb_array::schema as engine;
use tiledb_core::types::Name;

/// A field: a dimension, an attribute or a dimension label, as a query reads or writes it.
#[derive(Clone, Debug)]
pub struct Field {
    pub(crate) name: Name,
    kind: FieldKind,
    datatype: Datatype,
    cell_val_num: CellValNum,
    nullable: bool,
    enumeration: Option<Name>,
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldKind {
    /// The coordinates of a dimension.
    Dimension,
    /// The values of an attribute.
    Attribute,
    /// The values of a dimension label.
    Label,
    /// The result of an aggregate.
    Aggregate,
    /// The timestamps at which cells were written (`__timestamps`), of sparse arrays.
    Timestamps,
}

impl Field {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn kind(&self) -> FieldKind {
        self.kind
    }

    /// The datatype of the values.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The number of values per cell.
    pub fn cell_val_num(&self) -> CellValNum {
        self.cell_val_num
    }

    /// Whether cells may be null.
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Whether cells have any number of values.
    pub fn is_var(&self) -> bool {
        self.cell_val_num.is_var()
    }

    /// The name of the enumeration whose values the cells refer to.
    pub fn enumeration_name(&self) -> Option<&str> {
        self.enumeration.as_deref()
    }

    /// The size of a cell in bytes; of a value, if cells have any number.
    pub(crate) fn cell_size(&self) -> usize {
        match self.cell_val_num {
            CellValNum::Fixed(number) => number as usize * self.datatype.size(),
            CellValNum::Var => self.datatype.size(),
        }
    }

    /// The result of an aggregate.
    pub(crate) fn aggregate(name: &str, datatype: Datatype, cell_val_num: CellValNum, nullable: bool) -> Field {
        let name = Name::new(name);
        let kind = FieldKind::Aggregate;
        Field { name, kind, datatype, cell_val_num, nullable, enumeration: None }
    }

    /// The field or label of this name.
    pub(crate) fn find(schema: &engine::ArraySchema, name: &str) -> Option<Field> {
        if let Some(field) = schema.field(name) {
            let attribute = field.attribute_index.and_then(|index| schema.attributes().get(index));
            return Some(Field {
                name: field.name.clone(),
                kind: if field.is_dimension { FieldKind::Dimension } else { FieldKind::Attribute },
                datatype: Datatype::of_engine(field.datatype),
                cell_val_num: CellValNum::of_engine(field.cell_val_num),
                nullable: field.nullable,
                enumeration: attribute.and_then(|attribute| attribute.enumeration().cloned()),
            });
        }
        if let Some(label) = schema.label(name) {
            return Some(Field {
                name: label.name.clone(),
                kind: FieldKind::Label,
                datatype: Datatype::of_engine(label.datatype),
                cell_val_num: CellValNum::of_engine(label.cell_val_num),
                nullable: false,
                enumeration: None,
            });
        }
        (name == TIMESTAMPS && !schema.is_dense()).then(|| Field {
            name: Name::new(name),
            kind: FieldKind::Timestamps,
            datatype: Datatype::Uint64,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            enumeration: None,
        })
    }
}
