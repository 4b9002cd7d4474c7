//! Values of NPY files, which become the cells of a block of a dense array.

use std::io::Read;

use tiledb::{Context, Datatype};

use crate::model::{
    Array, ArrayWriter, BlockOrder, Dimension, Error, FilterChoice, Moments, NewArray, NewAttribute, NewDimension,
    Range, Result, Value, WriteBuffers, write_block,
};
use crate::npy_format::{MAGIC, NpyHeader};
use crate::progress::Progress;

use super::input::Input;
use super::propose::ImportOptions;
use super::target::FRAGMENT;

/// Maximum length of the header.
const MAX_HEADER: u32 = 1 << 20;
/// Name of the attribute of a new array.
const ATTRIBUTE: &str = "value";

/// A file, of which the header was read.
pub(crate) struct NpyFile {
    name: String,
    source: Box<dyn Read>,
    pub header: NpyHeader,
}

impl NpyFile {
    /// Opens a file or a pipe, and reads the header.
    pub(crate) fn open(input: &mut Input) -> Result<Self> {
        let (name, mut source) = (input.name.clone(), input.read()?);
        let wrong = |what: &str| Error::failed(format!("{name}: {what}"));
        let mut start = [0; 8];
        source.read_exact(&mut start).map_err(|_| wrong("the file ends within its header"))?;
        if !start.starts_with(MAGIC) {
            return Err(wrong("the file has no header of NumPy"));
        }
        let wide = match start[6] {
            1 => false,
            2 | 3 => true,
            version => return Err(wrong(&format!("version {version} of NPY is unknown"))),
        };
        let mut length = [0; 4];
        let place = if wide { &mut length[..] } else { &mut length[..2] };
        source.read_exact(place).map_err(|_| wrong("the file ends within its header"))?;
        let length = u32::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(wrong(&format!("a header of {length} bytes is longer than {MAX_HEADER}")));
        }
        let mut text = Vec::new();
        source.by_ref().take(length.into()).read_to_end(&mut text)?;
        if text.len() < length as usize {
            return Err(wrong("the file ends within its header"));
        }
        let mut header = NpyHeader::parse(&String::from_utf8_lossy(&text)).map_err(|what| wrong(&what))?;
        if header.shape.is_empty() {
            header.shape.push(1);
        }
        let values: u64 = header.shape.iter().product();
        let needed = values * header.datatype.size() as u64;
        let found = input.size.saturating_sub((start.len() + if wide { 4 } else { 2 }) as u64 + u64::from(length));
        if !input.is_pipe() && found < needed {
            return Err(wrong(&format!("its shape needs {needed} bytes, and {found} are left")));
        }
        if values == 0 {
            return Err(wrong("there are no values"));
        }
        Ok(Self { name, source, header })
    }

    /// Derives a dense array for the values.
    pub(crate) fn propose(&self, options: &ImportOptions) -> Result<NewArray> {
        let shape = &self.header.shape;
        let names = if options.dimensions.is_empty() {
            (0..shape.len()).map(|at| format!("d{at}")).collect()
        } else {
            options.dimensions.clone()
        };
        if names.len() != shape.len() {
            return Err(Error::usage(format!("--dims names {} dimensions, the file has {}", names.len(), shape.len())));
        }
        if !options.types.is_empty() {
            return Err(Error::usage("--type is for columns: an NPY file has its datatype"));
        }
        let extents = extents(shape, self.header.datatype.size() as u64, self.header.is_fortran, options.tile);
        let dimensions = names.into_iter().zip(shape).zip(extents).map(|((name, side), extent)| NewDimension {
            name,
            datatype: Datatype::Int64,
            domain: Some([0_u64.to_le_bytes(), (side - 1).to_le_bytes()].concat()),
            extent: Some(extent.to_le_bytes().to_vec()),
        });
        Ok(NewArray {
            is_dense: true,
            capacity: options.tile,
            dimensions: dimensions.collect(),
            attributes: vec![NewAttribute {
                name: ATTRIBUTE.to_owned(),
                datatype: self.header.datatype,
                is_nullable: false,
            }],
            checksum: options.checksum,
            filters: FilterChoice::Default,
        })
    }

    /// Writes the values to an array from the beginning of its domain on; returns the numbers of cells and of fragments.
    pub(crate) fn fill(mut self, ctx: &Context, uri: &str, progress: &Progress) -> Result<(u64, u64)> {
        let array = Array::open(ctx, uri, Moments::default())?;
        let schema = array.schema();
        let shape = self.header.shape.clone();
        let attribute = match schema.attributes.as_slice() {
            [attribute] if schema.is_dense() && schema.dimensions.len() == shape.len() => attribute.field(),
            _ => {
                let count = shape.len();
                return Err(Error::failed(format!(
                    "{uri} is no dense array of {count} dimensions with one attribute, as the NPY file needs"
                )));
            }
        };
        if attribute.datatype != self.header.datatype || attribute.values != 1 || attribute.is_nullable {
            let (name, datatype) = (&attribute.name, self.header.datatype);
            return Err(Error::failed(format!(
                "{uri}: the cells of {name:?} are not of type {datatype}, as those of the file"
            )));
        }
        let sides = schema.dimensions.iter().zip(&shape).map(|(dimension, side)| Side::new(uri, dimension, *side));
        let mut sides = sides.collect::<Result<Vec<_>>>()?;
        // In Fortran order the first index changes fastest.
        let order = if self.header.is_fortran { BlockOrder::ColumnMajor } else { BlockOrder::RowMajor };
        if self.header.is_fortran {
            sides.reverse();
        }
        let blocks = Blocks::new(&sides, attribute.datatype.size() as u64);
        let total = blocks.total();
        let mut cells = WriteBuffers::new(attribute);
        let (mut stored, mut fragments) = (0_u64, 0_u64);
        for block in blocks {
            if !progress.update(fragments, total) {
                return Err(Error::Stopped);
            }
            let count: u64 = block.iter().map(|[low, high]| high - low + 1).product();
            self.read(count, &mut cells.data)?;
            let ranges: Vec<Range> = sides.iter().zip(&block).map(|(side, bounds)| side.range(*bounds)).collect();
            let array = ArrayWriter::open(ctx, uri)?;
            write_block(&array, &ranges, order, std::slice::from_mut(&mut cells))?;
            stored += count;
            fragments += 1;
        }
        Ok((stored, fragments))
    }

    /// Reads values into a buffer, in the byte order and the representation of TileDB.
    fn read(&mut self, count: u64, data: &mut Vec<u8>) -> Result<()> {
        let size = self.header.datatype.size();
        let length = count * size as u64;
        data.clear();
        self.source.by_ref().take(length).read_to_end(data)?;
        if (data.len() as u64) < length {
            return Err(Error::failed(format!("{}: the file ends within its values", self.name)));
        }
        if self.header.is_big_endian {
            data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        if self.header.datatype == Datatype::Bool {
            data.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        Ok(())
    }
}

/// Extents of tiles of about so many cells, about as long in each dimension. Along dimensions of which a layer is larger than a
/// fragment they are 1, so that fragments consist of whole tiles.
fn extents(shape: &[u64], size: u64, is_fortran: bool, tile: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if is_fortran {
        order.reverse();
    }
    let mut extents = vec![1; shape.len()];
    let layer = |at: usize| order[at + 1..].iter().fold(size, |bytes, &next| bytes.saturating_mul(shape[next]));
    let mut free: Vec<usize> = (0..order.len())
        .filter(|&at| layer(at).saturating_mul(shape[order[at]].min(tile)) <= FRAGMENT as u64 || at + 1 == order.len())
        .map(|at| order[at])
        .collect();
    free.sort_by_key(|&at| shape[at]);
    let mut left = tile.max(1) as f64;
    for (done, &at) in free.iter().enumerate() {
        let even = left.powf(1.0 / (free.len() - done) as f64).round().max(1.0);
        extents[at] = (even as u64).min(shape[at]);
        left /= extents[at] as f64;
    }
    extents
}

/// A dimension of the array, along which the file has so many values.
struct Side {
    name: String,
    datatype: Datatype,
    first: i128,
    length: u64,
    extent: u64,
}

impl Side {
    fn new(uri: &str, dimension: &Dimension, length: u64) -> Result<Self> {
        let number = |value: &Value| match value {
            Value::Int(number) | Value::Moment(_, number) => Some(i128::from(*number)),
            Value::Unsigned(number) => Some(i128::from(*number)),
            _ => None,
        };
        let name = dimension.name.clone();
        let domain = dimension.domain.as_ref().and_then(|(low, high)| Some((number(low)?, number(high)?)));
        let Some((first, last)) = domain else {
            return Err(Error::failed(format!("{uri}: dimension {name:?} has no integer domain")));
        };
        if i128::from(length) > last - first + 1 {
            let room = last - first + 1;
            return Err(Error::failed(format!(
                "{uri}: the file has {length} values along {name:?}, its domain {room}"
            )));
        }
        let extent = dimension.extent.as_ref().and_then(number).and_then(|extent| u64::try_from(extent).ok());
        Ok(Self { name, datatype: dimension.datatype, first, length, extent: extent.unwrap_or(1).max(1) })
    }

    fn range(&self, [low, high]: [u64; 2]) -> Range {
        let bytes = |at: u64| (self.first + i128::from(at)).to_le_bytes()[..self.datatype.size()].to_vec();
        Range { dimension: self.name.clone(), low: bytes(low), high: bytes(high) }
    }
}

/// Iterates over blocks of values that follow each other in a file, each within the memory of a fragment.
struct Blocks {
    lengths: Vec<u64>,
    /// The dimension that is divided: of those before it a block has one index, of those behind it all.
    divided: usize,
    step: u64,
    next: Vec<u64>,
    is_done: bool,
}

impl Blocks {
    fn new(sides: &[Side], size: u64) -> Self {
        let lengths: Vec<u64> = sides.iter().map(|side| side.length).collect();
        let layer = |at: usize| lengths[at + 1..].iter().fold(size, |bytes, length| bytes.saturating_mul(*length));
        let divided = (0..lengths.len()).find(|&at| layer(at) <= FRAGMENT as u64).unwrap_or(lengths.len() - 1);
        let most = (FRAGMENT as u64 / layer(divided)).max(1);
        let extent = sides[divided].extent;
        let step = if most > extent { most / extent * extent } else { most };
        Self { next: vec![0; lengths.len()], step: step.min(lengths[divided]), lengths, divided, is_done: false }
    }

    fn total(&self) -> u64 {
        self.lengths[..self.divided].iter().product::<u64>() * self.lengths[self.divided].div_ceil(self.step)
    }
}

impl Iterator for Blocks {
    type Item = Vec<[u64; 2]>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let bounds = |at: usize| match at.cmp(&self.divided) {
            std::cmp::Ordering::Less => [self.next[at]; 2],
            std::cmp::Ordering::Equal => [self.next[at], (self.next[at] + self.step).min(self.lengths[at]) - 1],
            std::cmp::Ordering::Greater => [0, self.lengths[at] - 1],
        };
        let block = (0..self.lengths.len()).map(bounds).collect();
        self.is_done = true;
        for at in (0..=self.divided).rev() {
            self.next[at] += if at == self.divided { self.step } else { 1 };
            if self.next[at] < self.lengths[at] {
                self.is_done = false;
                break;
            }
            self.next[at] = 0;
        }
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(lengths: &[u64], extent: u64, size: u64) -> Vec<Vec<[u64; 2]>> {
        let side =
            |length: &u64| Side { name: String::new(), datatype: Datatype::Int64, first: 0, length: *length, extent };
        Blocks::new(&lengths.iter().map(side).collect::<Vec<_>>(), size).collect()
    }

    #[test]
    fn blocks_cover_the_file_in_its_order() {
        let half = FRAGMENT as u64 / 16;
        for (lengths, extent, size) in [
            (&[1][..], 1, 8),
            (&[10, 10], 3, 8),
            (&[5, half], 2, 8),
            (&[3, 2, 5 * half], 7, 8),
            (&[3, 4, half, 2], 1, 8),
            (&[20 * half], 1000, 8),
        ] {
            let mut next = 0;
            for block in blocks(lengths, extent, size) {
                let first = block.iter().zip(lengths).fold(0, |at, (bounds, length)| at * length + bounds[0]);
                let cells: u64 = block.iter().map(|[low, high]| high - low + 1).product();
                assert_eq!(first, next, "{lengths:?}");
                assert!(cells * size <= FRAGMENT as u64, "{lengths:?}");
                next += cells;
            }
            assert_eq!(next, lengths.iter().product::<u64>(), "{lengths:?}");
        }
    }

    #[test]
    fn tiles_are_about_as_long_as_wide() {
        assert_eq!(extents(&[1000, 1000], 8, false, 10_000), [100, 100]);
        assert_eq!(extents(&[10, 100_000], 8, false, 10_000), [10, 1000]);
        assert_eq!(extents(&[5], 8, false, 10_000), [5]);
        assert_eq!(extents(&[1 << 30], 8, false, 10_000), [10_000]);
        // A layer is larger than a fragment.
        assert_eq!(extents(&[100, 1 << 30], 8, false, 10_000), [1, 10_000]);
        assert_eq!(extents(&[1 << 30, 100], 8, true, 10_000), [10_000, 1]);
    }
}
