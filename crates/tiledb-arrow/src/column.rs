//! Export of array fields: their Arrow types, and buffers of a read as Arrow arrays.

use std::sync::Arc;

use super::aligned_buffer::AlignedBuffer;
use super::c_data::{ArrayNode, NULLABLE, ORDERED, SchemaNode};
use tiledb_array::schema::{Enumeration, Field};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Cell, Datatype, dispatch};
use tiledb_query::FilledBuffers;

/// Metadata key of a field's TileDB datatype.
const DATATYPE: &str = "tiledb.datatype";

/// Arrow layout of a field's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnShape {
    /// One value per cell.
    Single,
    /// A fixed number of bytes per cell.
    Bytes(usize),
    /// A fixed number of values per cell.
    Fixed(usize),
    /// Bytes with 64-bit offsets.
    Text,
    /// Values with 64-bit offsets.
    List,
}

/// A field as an Arrow column.
pub(crate) struct ArrowColumn {
    pub field: Field,
    shape: ColumnShape,
    dictionary: Option<Dictionary>,
}

struct Dictionary {
    schema: SchemaNode,
    values: ArrayNode,
    count: u64,
}

/// The layout of cells with this many values, `None` for a variable number.
pub(crate) fn shape_of(datatype: Datatype, values: Option<u32>) -> ColumnShape {
    match (values, datatype.is_arrow_bytes()) {
        (Some(count), true) => ColumnShape::Bytes(count as usize),
        (Some(1), false) => ColumnShape::Single,
        (Some(count), false) => ColumnShape::Fixed(count as usize),
        (None, true) => ColumnShape::Text,
        (None, false) => ColumnShape::List,
    }
}

fn schema_of(name: &str, datatype: Datatype, shape: ColumnShape) -> SchemaNode {
    let value = datatype.arrow_format();
    let (format, has_child) = match shape {
        ColumnShape::Single => (value.to_owned(), false),
        ColumnShape::Bytes(count) => (format!("w:{count}"), false),
        ColumnShape::Fixed(count) => (format!("+w:{count}"), true),
        ColumnShape::Text if datatype.is_arrow_text() => ("U".to_owned(), false),
        ColumnShape::Text => ("Z".to_owned(), false),
        ColumnShape::List => ("+L".to_owned(), true),
    };
    let item = || SchemaNode { format: value.to_owned(), name: "item".to_owned(), ..SchemaNode::default() };
    SchemaNode {
        format,
        name: name.to_owned(),
        metadata: vec![(DATATYPE, datatype.name().to_owned())],
        children: if has_child { vec![item()] } else { Vec::new() },
        ..SchemaNode::default()
    }
}

/// Contiguous values as an array of their type.
fn values_node(datatype: Datatype, data: Arc<AlignedBuffer>, length: usize) -> Result<ArrayNode> {
    let data = match datatype {
        Datatype::Bool => Arc::new(AlignedBuffer::bits(data.bytes().get(..length).unwrap_or_default())?.0),
        _ => data,
    };
    Ok(ArrayNode { length, buffers: vec![None, Some(data)], ..ArrayNode::default() })
}

fn node(
    name: &str,
    (datatype, shape): (Datatype, ColumnShape),
    length: usize,
    data: Arc<AlignedBuffer>,
    offsets: Option<Arc<AlignedBuffer>>,
) -> Result<ArrayNode> {
    let ends = |offsets: &Option<Arc<AlignedBuffer>>| -> Result<(Arc<AlignedBuffer>, usize)> {
        let Some(offsets) = offsets else { bail!(Internal, "Field '{name}' has no offsets") };
        let last = offsets.bytes().chunks_exact(8).nth(length).map(<u64 as Cell>::from_le);
        Ok((offsets.clone(), usize::try_from(last.unwrap_or(0)).unwrap_or(usize::MAX)))
    };
    match shape {
        ColumnShape::Single => values_node(datatype, data, length),
        ColumnShape::Bytes(_) => Ok(ArrayNode { length, buffers: vec![None, Some(data)], ..ArrayNode::default() }),
        ColumnShape::Fixed(count) => {
            let child = values_node(datatype, data, length.saturating_mul(count))?;
            Ok(ArrayNode { length, buffers: vec![None], children: vec![child], ..ArrayNode::default() })
        }
        ColumnShape::Text => {
            let (offsets, _) = ends(&offsets)?;
            if datatype.is_arrow_text() {
                check_utf8(name, data.bytes(), offsets.bytes())?;
            }
            Ok(ArrayNode { length, buffers: vec![None, Some(offsets), Some(data)], ..ArrayNode::default() })
        }
        ColumnShape::List => {
            let (offsets, count) = ends(&offsets)?;
            let child = values_node(datatype, data, count)?;
            Ok(ArrayNode { length, buffers: vec![None, Some(offsets)], children: vec![child], ..ArrayNode::default() })
        }
    }
}

/// Arrow strings must be valid UTF-8.
fn check_utf8(name: &str, data: &[u8], offsets: &[u8]) -> Result<()> {
    let Ok(text) = std::str::from_utf8(data) else {
        bail!("Arrow: field '{name}' has text that is not UTF-8; read it by buffers, or store it as TILEDB_BLOB")
    };
    let is_cut =
        |start: &[u8]| !usize::try_from(<u64 as Cell>::from_le(start)).is_ok_and(|start| text.is_char_boundary(start));
    if !text.is_ascii() && offsets.chunks_exact(8).any(is_cut) {
        bail!("Arrow: a cell of field '{name}' begins within a character of UTF-8; store it as TILEDB_BLOB");
    }
    Ok(())
}

impl Dictionary {
    fn new(values: &Enumeration) -> Result<Dictionary> {
        let datatype = values.datatype();
        let count = values.len();
        let shape = shape_of(datatype, values.cell_val_num().fixed());
        let offsets = match values.is_var() {
            true => {
                let size = datatype.size().max(1) as u64;
                let starts = values.offsets().iter().copied().chain([values.data().len() as u64]);
                let starts: Vec<u64> =
                    starts.map(|start| if shape == ColumnShape::List { start / size } else { start }).collect();
                Some(Arc::new(AlignedBuffer::of_words(starts, (count + 1) * 8)))
            }
            false => None,
        };
        let data = Arc::new(AlignedBuffer::copied(values.data())?);
        let array = node(values.name(), (datatype, shape), count, data, offsets)?;
        Ok(Dictionary { schema: schema_of("", datatype, shape), values: array, count: count as u64 })
    }
}

impl ArrowColumn {
    /// A field, with its enumeration's values as dictionary.
    ///
    /// # Errors
    /// If the values are not valid text.
    pub(crate) fn new(field: &Field, enumeration: Option<&Enumeration>) -> Result<ArrowColumn> {
        let shape = shape_of(field.datatype, field.cell_val_num.fixed());
        let dictionary = match enumeration {
            Some(values) if shape == ColumnShape::Single => Some(Dictionary::new(values)?),
            _ => None,
        };
        Ok(ArrowColumn { field: field.clone(), shape, dictionary })
    }

    /// Its type.
    pub(crate) fn schema(&self, is_ordered: bool) -> SchemaNode {
        let mut node = schema_of(&self.field.name, self.field.datatype, self.shape);
        if self.field.nullable || self.dictionary.is_some() {
            node.flags |= NULLABLE;
        }
        if let Some(dictionary) = &self.dictionary {
            node.flags |= if is_ordered { ORDERED } else { 0 };
            node.dictionary = Some(Box::new(dictionary.schema.clone()));
        }
        node
    }

    /// The number of cells in the buffers of a read.
    pub(crate) fn rows(&self, filled: &FilledBuffers) -> usize {
        match &filled.offsets {
            Some((_, bytes)) => (bytes / 8).saturating_sub(1),
            None => filled.data.1 / self.field.cell_size().max(1),
        }
    }

    /// The buffers of a read as an array.
    ///
    /// # Errors
    /// For text that is not UTF-8.
    pub(crate) fn array(&self, filled: FilledBuffers, rows: usize) -> Result<ArrayNode> {
        let data = Arc::new(AlignedBuffer::of_words(filled.data.0, filled.data.1));
        let offsets = filled.offsets.map(|(words, bytes)| Arc::new(AlignedBuffer::of_words(words, bytes.max(8))));
        let validity = filled.validity.map(|(words, bytes)| AlignedBuffer::of_words(words, bytes));
        let valid = validity.as_ref().map(|block| block.bytes());
        let mut array = node(&self.field.name, (self.field.datatype, self.shape), rows, data.clone(), offsets)?;
        let known = match &self.dictionary {
            Some(dictionary) => known_indexes(self.field.datatype, data.bytes(), rows, valid, dictionary.count),
            None => None,
        };
        if let Some(valid) = known.as_deref().or(valid) {
            let (bits, nulls) = AlignedBuffer::bits(valid)?;
            array.null_count = nulls;
            if nulls > 0 {
                array.buffers[0] = Some(Arc::new(bits));
            }
        }
        array.dictionary = self.dictionary.as_ref().map(|dictionary| Box::new(dictionary.values.clone()));
        Ok(array)
    }
}

/// Validity of enumeration indexes, if some are out of range, such as those of cells that were never written: they
/// become null. `None` if all are valid.
fn known_indexes(datatype: Datatype, data: &[u8], rows: usize, valid: Option<&[u8]>, count: u64) -> Option<Vec<u8>> {
    dispatch!(datatype.physical(), T => {
        let zero = T::default().to_key();
        // Integers below zero have a key below that of zero.
        let is_known = |cell: &[u8]| <T as Cell>::from_le(cell).to_key().wrapping_sub(zero) < count;
        let cells = || data.chunks_exact(size_of::<T>()).take(rows);
        if cells().all(is_known) {
            return None;
        }
        let valid = |at: usize| valid.is_none_or(|valid| valid.get(at).is_some_and(|&byte| byte != 0));
        Some(cells().enumerate().map(|(at, cell)| u8::from(valid(at) && is_known(cell))).collect())
    })
}
