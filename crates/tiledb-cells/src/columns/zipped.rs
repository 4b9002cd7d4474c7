//! Zipped coordinates: one buffer that holds the coordinates of all dimensions, cell by cell. Readers and writers only
//! know columns of dimensions; this module converts between the two.

use super::input::InputColumn;
use super::memory::{MOST, OutMem};
use super::output::OutputColumn;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::{Scratch, scratch};
use tiledb_core::types::Name;

/// The name of the buffer.
pub const COORDS: &str = "__coords";

/// The dimensions whose coordinates are zipped, all of one size.
pub struct Zip<'s> {
    names: Vec<&'s Name>,
    size: usize,
}

impl<'s> Zip<'s> {
    /// That of an array.
    pub fn new(schema: &'s ArraySchema) -> Zip<'s> {
        let dimensions = schema.domain().dimensions();
        let size = dimensions.first().map_or(0, |dimension| dimension.size());
        Zip { names: dimensions.iter().map(|dimension| dimension.name()).collect(), size }
    }

    /// Rejects arrays whose coordinates cannot be zipped.
    ///
    /// # Errors
    /// For dimensions of several types or of variable size.
    pub fn check(schema: &ArraySchema) -> Result<()> {
        let what = match (schema.domain().is_homogeneous(), schema.domain().is_fixed_size()) {
            (false, _) => "heterogeneous domains",
            (true, false) => "domains with variable-sized dimensions",
            (true, true) => return Ok(()),
        };
        bail!(
            "[TileDB::Query] Error: Cannot set buffer; Setting a buffer for zipped coordinates is not applicable to {what}"
        );
    }

    /// How many columns the buffers of a field represent.
    pub(crate) fn columns_of(&self, field: &Name) -> usize {
        if field.as_str() == COORDS { self.names.len() } else { 1 }
    }

    /// The names of these columns.
    pub(crate) fn names_of<'f>(&self, field: &'f Name) -> Vec<&'f Name>
    where
        's: 'f,
    {
        if field.as_str() == COORDS { self.names.clone() } else { vec![field] }
    }

    /// Consecutive columns in memory that is to hold zipped coordinates.
    ///
    /// # Errors
    /// For a size beyond any memory: the columns would exceed it.
    pub(crate) fn columns<'a>(&self, mut memory: OutMem<'a>) -> Result<Vec<OutputColumn<'a>>> {
        if memory.len() as u64 > MOST && self.names.len() > 1 {
            bail!("[TileDB::Query] Error: Cannot set buffer; {} bytes exceed the limit of {MOST} bytes", memory.len());
        }
        let bytes = self.bytes_of_column(&memory);
        let column = |name: &&Name| {
            let data = memory.take_front(bytes)?;
            Ok(OutputColumn { name: Name::clone(name), data, offsets: None, validity: None, cells: 0, bytes: 0 })
        };
        self.names.iter().map(column).collect()
    }

    fn bytes_of_column(&self, memory: &OutMem<'_>) -> usize {
        memory.len() / (self.size * self.names.len()).max(1) * self.size
    }

    /// Zips the first cells of the columns in place; returns the bytes of all coordinates.
    pub(crate) fn zip(&self, memory: &mut OutMem<'_>, cells: usize) -> Result<usize> {
        let (bytes, apart, count) = (cells * self.size, self.bytes_of_column(memory), self.names.len());
        if count < 2 {
            return Ok(bytes);
        }
        let mut copy = scratch(bytes * count)?;
        for (place, copy) in copy.chunks_exact_mut(bytes.max(1)).enumerate() {
            memory.with(place * apart..place * apart + bytes, |filled| {
                copy.copy_from_slice(filled);
                Ok(())
            })?;
        }
        memory.with(0..copy.len(), |out| {
            for (place, column) in copy.chunks_exact(bytes.max(1)).enumerate() {
                move_values(self.size, (column, 0, self.size), (out, place * self.size, self.size * count));
            }
            Ok(())
        })?;
        Ok(copy.len())
    }

    /// Unzips coordinates to columns; nothing for a single dimension, whose buffer is its column.
    pub(crate) fn unzip(&self, coords: &[u8]) -> Result<Vec<Scratch>> {
        let step = self.size * self.names.len();
        let cells = coords.len() / step.max(1);
        let column = |place: usize| {
            let mut column = scratch(cells * self.size)?;
            move_values(self.size, (coords, place * self.size, step), (&mut column, 0, self.size));
            Ok(column)
        };
        let places = if self.names.len() > 1 { 0..self.names.len() } else { 0..0 };
        places.map(column).collect()
    }

    /// The columns of a write, from the result of [`Zip::unzip`] for `coords`.
    pub(crate) fn inputs<'a>(&self, coords: &'a [u8], columns: &'a [Scratch]) -> Vec<InputColumn<'a>> {
        let data = |place: usize| match columns.get(place) {
            Some(column) => &column[..],
            None => coords,
        };
        let column = |(place, name): (usize, &&Name)| InputColumn {
            name: Name::clone(name),
            data: data(place),
            starts: None,
            validity: None,
        };
        self.names.iter().enumerate().map(column).collect()
    }
}

/// Copies values of `size` bytes between memories in which they are `step` bytes apart, starting at `first`.
fn move_values(size: usize, (from, first, step): (&[u8], usize, usize), to: (&mut [u8], usize, usize)) {
    match size {
        1 => move_words::<1>((from, first, step), to),
        2 => move_words::<2>((from, first, step), to),
        4 => move_words::<4>((from, first, step), to),
        _ => move_words::<8>((from, first, step), to),
    }
}

fn move_words<const N: usize>((from, first, step): (&[u8], usize, usize), to: (&mut [u8], usize, usize)) {
    let (to, start, stride) = to;
    for (from, to) in from.chunks_exact(step.max(1)).zip(to.chunks_exact_mut(stride.max(1))) {
        if let (Some(from), Some(to)) = (from.get(first..first + N), to.get_mut(start..start + N)) {
            to.copy_from_slice(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zipped_values_come_apart() {
        let (a, b) = (Name::new("a"), Name::new("b"));
        let zip = Zip { names: vec![&a, &b], size: 2 };
        let coords = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        let columns = zip.unzip(&coords).unwrap();
        let inputs = zip.inputs(&coords, &columns);
        assert_eq!(inputs.iter().map(|input| input.data).collect::<Vec<_>>(), [[1, 2, 5, 6], [3, 4, 7, 8]]);
        let alone = Zip { names: vec![&a], size: 4 };
        assert!(alone.unzip(&coords).unwrap().is_empty());
        assert_eq!(alone.inputs(&coords, &[])[0].data, coords);
    }

    #[test]
    fn columns_are_zipped_where_they_stand() {
        let (a, b, c) = (Name::new("a"), Name::new("b"), Name::new("c"));
        let zip = Zip { names: vec![&a, &b, &c], size: 1 };
        let mut memory = [1, 2, 0, 3, 4, 0, 5, 6, 0, 77];
        let columns = zip.columns(OutMem::new(&mut memory)).unwrap();
        assert_eq!(columns.iter().map(|column| column.data.len()).collect::<Vec<_>>(), [3, 3, 3]);
        assert_eq!(zip.zip(&mut OutMem::new(&mut memory), 2).unwrap(), 6);
        assert_eq!(memory[..6], [1, 3, 5, 2, 4, 6]);
        assert_eq!(memory[9], 77);
    }
}
