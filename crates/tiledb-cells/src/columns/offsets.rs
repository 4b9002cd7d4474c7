//! Offset formats of variable cells in user buffers (`sm.var_offsets.*`).

use std::borrow::Cow;

use super::memory::OutMem;
use tiledb_core::config::{Config, Settings};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Name;

/// Format of offsets of variable cells in user buffers (`sm.var_offsets.*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetFormat {
    /// Bytes of one offset: 4 or 8.
    pub width: usize,
    /// Offsets count values, not bytes.
    pub elements: bool,
    /// The offsets end with an extra element, the total size.
    pub extra: bool,
}

/// Bytes that the size of a buffer counts for each offset.
const STATED: usize = 8;

impl OffsetFormat {
    /// How many bytes of an offsets buffer to be written are read, of the size that its size variable states. libtiledb
    /// counts eight bytes for each offset even where offsets are 32-bit, so the second half of such a buffer need not
    /// be mapped.
    pub fn memory(&self, stated: u64) -> u64 {
        stated / STATED as u64 * self.width as u64
    }

    /// As [`OffsetFormat::memory`] for a write of a known number of cells: a size that counts four bytes for each of their offsets
    /// is accepted, too.
    pub fn memory_of_cells(&self, stated: u64, cells: Option<u64>) -> u64 {
        let is_exact = !self.extra && cells.is_some_and(|cells| cells.checked_mul(self.width as u64) == Some(stated));
        if is_exact { stated } else { self.memory(stated) }
    }
}

impl Settings for OffsetFormat {
    fn parse(config: &Config) -> Result<OffsetFormat> {
        let width = match config.u64("sm.var_offsets.bitsize")? {
            32 => 4,
            64 => 8,
            bits => bail!("Cannot initialize query; Unsupported offsets bitsize {bits} in configuration"),
        };
        let elements = match config.str("sm.var_offsets.mode").as_str() {
            "bytes" => false,
            "elements" => true,
            mode => bail!("Cannot initialize query; Unsupported offsets format {mode} in configuration"),
        };
        Ok(OffsetFormat { width, elements, extra: config.bool("sm.var_offsets.extra_element")? })
    }
}

/// Where the offsets of a variable field go.
pub struct OffsetsOut<'a> {
    memory: OutMem<'a>,
    format: OffsetFormat,
    value_size: u64,
}

impl<'a> OffsetsOut<'a> {
    /// Offsets of values of `value_size` bytes into `memory`.
    #[inline]
    pub fn new(memory: OutMem<'a>, format: OffsetFormat, value_size: usize) -> OffsetsOut<'a> {
        OffsetsOut { memory, format, value_size: if format.elements { value_size.max(1) as u64 } else { 1 } }
    }

    /// The same for a while, from a cell on.
    ///
    /// # Errors
    /// If the capacity is exceeded.
    pub(crate) fn after(&mut self, cells: usize) -> Result<OffsetsOut<'_>> {
        let mut memory = self.memory.all();
        memory.take_front(cells.saturating_mul(self.format.width))?;
        Ok(OffsetsOut { memory, format: self.format, value_size: self.value_size })
    }

    /// Splits off the part for the first cells.
    ///
    /// # Errors
    /// As [`OffsetsOut::after`].
    pub(crate) fn take_front(&mut self, cells: usize) -> Result<OffsetsOut<'a>> {
        let memory = self.memory.take_front(cells.saturating_mul(self.format.width))?;
        Ok(OffsetsOut { memory, format: self.format, value_size: self.value_size })
    }

    /// Bytes of the memory.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// How many cells' offsets fit, without the extra one. A caller states eight bytes for each offset, whatever its
    /// width (see [`OffsetFormat::memory`]); a single cell needs less.
    pub(crate) fn capacity(&self) -> usize {
        let (len, extra) = (self.memory.len(), usize::from(self.format.extra));
        let single = (len / self.format.width).saturating_sub(extra).min(1);
        (len / STATED).saturating_sub(extra).max(single)
    }

    /// The offsets of the first cells as words, if the format has starts in bytes in 64 bits and the memory is aligned and large
    /// enough for them.
    pub fn words(&mut self, cells: usize) -> Option<&mut [u64]> {
        if self.format.width != 8 || self.value_size != 1 {
            return None;
        }
        self.memory.words(cells)
    }

    /// Writes the starts (in bytes) of cells `first..`.
    ///
    /// # Errors
    /// If they do not fit, or an offset does not fit into 32 bits.
    pub fn put(&mut self, first: usize, starts: &[u64]) -> Result<()> {
        let width = self.format.width;
        let begin = first.saturating_mul(width);
        self.memory.with(begin..begin.saturating_add(starts.len() * width), |out| {
            if width == 8 && self.value_size == 1 {
                out.copy_from_slice(bytemuck::cast_slice(starts));
                return Ok(());
            }
            if width == 8 {
                for (out, start) in out.chunks_exact_mut(8).zip(starts) {
                    out.copy_from_slice(&(start / self.value_size).to_le_bytes());
                }
                return Ok(());
            }
            for (out, start) in out.chunks_exact_mut(4).zip(starts) {
                let Ok(start) = u32::try_from(start / self.value_size) else {
                    bail!("Offset {start} does not fit into 32 bits; set sm.var_offsets.bitsize to 64");
                };
                out.copy_from_slice(&start.to_le_bytes());
            }
            Ok(())
        })
    }

    /// Bytes used after `cells` cells with `total` bytes of data; writes the extra offset, unless there are no cells.
    pub(crate) fn close(&mut self, cells: usize, total: u64) -> Result<u64> {
        if !self.format.extra || cells == 0 {
            return Ok((cells * self.format.width) as u64);
        }
        if cells < self.capacity() + 1 && self.memory.len() >= (cells + 1) * self.format.width {
            self.put(cells, &[total])?;
            return Ok(((cells + 1) * self.format.width) as u64);
        }
        Ok((cells * self.format.width) as u64)
    }
}

/// Converts user-supplied offsets, in the bytes that [`OffsetFormat::memory`] returns, to checked starts in bytes.
pub(crate) fn starts<'a>(
    name: &Name,
    offsets: &'a [u8],
    data: &[u8],
    format: OffsetFormat,
    value_size: usize,
) -> Result<Cow<'a, [u64]>> {
    let factor = if format.elements { value_size as u64 } else { 1 };
    let mut starts: Cow<'a, [u64]> = match bytemuck::try_cast_slice(offsets) {
        Ok(words) if format.width == 8 && factor == 1 => Cow::Borrowed(words),
        _ => {
            let mut starts = memory::with_capacity("offsets", offsets.len() / format.width)?;
            let word = |word: &[u8]| {
                let mut bytes = [0; 8];
                bytes[..word.len()].copy_from_slice(word);
                u64::from_le_bytes(bytes).saturating_mul(factor)
            };
            starts.extend(offsets.chunks_exact(format.width).map(word));
            Cow::Owned(starts)
        }
    };
    if format.extra {
        let Some((&last, rest)) = starts.split_last() else {
            bail!("WriterBase: Invalid offsets for attribute {name}; the extra offset element is missing");
        };
        if last != data.len() as u64 {
            bail!(
                "WriterBase: Invalid offsets for attribute {name}; the last offset: {} is not equal to the size of the \
                 data buffer: {}",
                last / factor.max(1),
                data.len() as u64 / factor.max(1)
            );
        }
        let len = rest.len();
        match &mut starts {
            Cow::Borrowed(words) => *words = &words[..len],
            Cow::Owned(words) => words.truncate(len),
        }
    }
    // Sizes of values are powers of two.
    let (mut last, mut bits) = (0, 0);
    for (index, &start) in starts.iter().enumerate() {
        if start < last {
            bail!(
                "WriterBase: Invalid offsets for attribute {name}; offsets must be given in strictly ascending order. \
                 Offset {start} at index {index} follows {last}"
            );
        }
        if start > data.len() as u64 {
            bail!(
                "WriterBase: Invalid offsets for attribute {name}; offset {start} specified at index {index} for buffer \
                 of size {} bytes",
                data.len()
            );
        }
        last = start;
        bits |= start;
    }
    let is_cut = |start: &u64| !start.is_multiple_of(value_size.max(1) as u64);
    if is_cut(&bits)
        && let Some((index, start)) = starts.iter().enumerate().find(|(_, start)| is_cut(start))
    {
        bail!(
            "WriterBase: Invalid offsets for attribute {name}; offset {start} specified at index {index} is not a multiple of \
             the {value_size} bytes of a value; give offsets in bytes, or set sm.var_offsets.mode to elements"
        );
    }
    if !starts.is_empty() && is_cut(&(data.len() as u64)) {
        bail!(
            "WriterBase: Invalid offsets for attribute {name}; the size of the data buffer, {}, is not a multiple of the {value_size} \
             bytes of a value",
            data.len()
        );
    }
    Ok(starts)
}
