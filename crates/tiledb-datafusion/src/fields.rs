//! What the conversion of filters knows of an array.

use tiledb::{ArraySchema, CellValNum, Datatype};

/// The columns of an array.
#[derive(Clone, Debug)]
pub(crate) struct ArrayFields {
    pub(crate) is_dense: bool,
    list: Vec<Column>,
}

/// A dimension or attribute.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) datatype: Datatype,
    pub(crate) is_dimension: bool,
    pub(crate) is_nullable: bool,
    pub(crate) has_enumeration: bool,
    /// Whether a cell has one number, or one text of any length.
    pub(crate) is_scalar: bool,
}

impl ArrayFields {
    pub(crate) fn of_schema(schema: &ArraySchema) -> ArrayFields {
        let dimensions = schema.dimensions().into_iter().map(|dimension| Column {
            name: dimension.name().to_owned(),
            datatype: dimension.datatype(),
            is_dimension: true,
            is_nullable: false,
            has_enumeration: false,
            is_scalar: true,
        });
        let attributes = schema.attributes().into_iter().map(|attribute| {
            let number = if is_text(attribute.datatype()) { CellValNum::Var } else { CellValNum::Fixed(1) };
            Column {
                name: attribute.name().to_owned(),
                datatype: attribute.datatype(),
                is_dimension: false,
                is_nullable: attribute.is_nullable(),
                has_enumeration: attribute.enumeration_name().is_some(),
                is_scalar: attribute.cell_val_num() == number,
            }
        });
        ArrayFields { is_dense: schema.is_dense(), list: dimensions.chain(attributes).collect() }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|column| column.name.as_str())
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Column> {
        self.list.iter().find(|column| column.name == name)
    }

    pub(crate) fn dimensions(&self) -> impl Iterator<Item = &Column> {
        self.list.iter().filter(|column| column.is_dimension)
    }
}

/// Whether the values of a datatype are texts whose order is that of their bytes.
pub(crate) fn is_text(datatype: Datatype) -> bool {
    matches!(datatype, Datatype::StringAscii | Datatype::StringUtf8)
}

/// Whether the values of a datatype are floating-point numbers.
pub(crate) fn is_real(datatype: Datatype) -> bool {
    matches!(datatype, Datatype::Float32 | Datatype::Float64)
}

/// Whether the values of a datatype are whole numbers that are compared as such: integers, dates and times.
pub(crate) fn is_whole(datatype: Datatype) -> bool {
    is_unsigned(datatype)
        || matches!(datatype, Datatype::Int8 | Datatype::Int16 | Datatype::Int32 | Datatype::Int64)
        || datatype.is_datetime()
        || datatype.is_time()
}

/// The least and the greatest value of a datatype of whole numbers.
pub(crate) fn bounds(datatype: Datatype) -> (i128, i128) {
    let bits = 8 * datatype.size() as u32;
    if is_unsigned(datatype) { (0, (1 << bits) - 1) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) }
}

fn is_unsigned(datatype: Datatype) -> bool {
    matches!(datatype, Datatype::Uint8 | Datatype::Uint16 | Datatype::Uint32 | Datatype::Uint64)
}
