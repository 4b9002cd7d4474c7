//! One dimension of the boxes of an R-tree.

use tiledb_core::error::{Error, Result};
use tiledb_core::memory;
use tiledb_core::types::{Cell, CellRange, Datatype, dispatch};
use tiledb_core::wire::{WireReader, WireWriter};

/// Purpose of the memory, for errors.
const WHAT: &str = "an R-tree";

/// The ranges of all nodes in one dimension, low end before high end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoundsColumn {
    datatype: Datatype,
    /// For strings: offset of each end in `bytes`, two per node, and the end of the last.
    starts: Option<Vec<u64>>,
    bytes: Vec<u8>,
}

impl BoundsColumn {
    pub(super) fn new(datatype: Datatype, var: bool) -> BoundsColumn {
        BoundsColumn { datatype, starts: var.then(|| vec![0]), bytes: Vec::new() }
    }

    pub(super) fn datatype(&self) -> Datatype {
        self.datatype
    }

    pub(super) fn is_var(&self) -> bool {
        self.starts.is_some()
    }

    /// The bytes of one range on disk, at least.
    pub(super) fn least_bytes(&self) -> usize {
        if self.is_var() { 16 } else { 2 * self.datatype.size() }
    }

    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.starts.as_ref().map_or(0, |starts| starts.capacity() * 8)
    }

    /// Reserves capacity for `count` more ranges; the count was checked against the available bytes.
    pub(super) fn reserve(&mut self, count: usize) -> Result<()> {
        match &mut self.starts {
            Some(starts) => memory::reserve(WHAT, starts, 2 * count),
            None => memory::reserve(WHAT, &mut self.bytes, 2 * count * self.datatype.size()),
        }
    }

    pub(super) fn push(&mut self, low: &[u8], high: &[u8]) -> Result<()> {
        let size = self.datatype.size();
        self.bytes.extend_from_slice(low);
        let middle = self.bytes.len() as u64;
        self.bytes.extend_from_slice(high);
        match &mut self.starts {
            Some(starts) => starts.extend([middle, self.bytes.len() as u64]),
            None if low.len() == size && high.len() == size => (),
            None => return Err(Error::internal(format!("R-tree: a range of {} bytes in {size}", low.len()))),
        }
        Ok(())
    }

    pub(super) fn read(&mut self, r: &mut WireReader) -> Result<()> {
        let Some(starts) = &mut self.starts else {
            self.bytes.extend_from_slice(r.bytes(2 * self.datatype.size())?);
            return Ok(());
        };
        let total = r.u64()?;
        let low = r.length64()?;
        if low as u64 > total || total > r.remaining() as u64 {
            return Err(r.corrupt(format_args!("a range of {total} bytes with a low end of {low}")));
        }
        let start = self.bytes.len() as u64;
        memory::reserve(WHAT, &mut self.bytes, total as usize)?;
        self.bytes.extend_from_slice(r.bytes(total as usize)?);
        starts.extend([start + low as u64, start + total]);
        Ok(())
    }

    pub(super) fn write(&self, node: usize, w: &mut WireWriter) {
        let (low, high) = self.ends(node);
        if self.is_var() {
            w.u64((low.len() + high.len()) as u64).u64(low.len() as u64);
        }
        w.bytes(low).bytes(high);
    }

    /// Both ends of a node's range; empty beyond the last node.
    pub(super) fn ends(&self, node: usize) -> (&[u8], &[u8]) {
        let (start, middle, end) = match &self.starts {
            Some(starts) => match starts.get(2 * node..2 * node + 3) {
                Some(s) => (s[0] as usize, s[1] as usize, s[2] as usize),
                None => (0, 0, 0),
            },
            None => {
                let size = self.datatype.size();
                (2 * node * size, (2 * node + 1) * size, 2 * (node + 1) * size)
            }
        };
        let slice = |from, to| self.bytes.get(from..to).unwrap_or_default();
        (slice(start, middle), slice(middle, end))
    }

    pub(super) fn range(&self, node: usize) -> CellRange {
        let (low, high) = self.ends(node);
        match self.is_var() {
            true => CellRange::var(low, high),
            false => CellRange::fixed(low, high).unwrap_or_else(|_| CellRange::var(low, high)),
        }
    }

    /// All ranges of a fixed-size column, low and high interleaved.
    pub(super) fn fixed_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Unions of `fanout` consecutive ranges each.
    pub(super) fn grouped(&self, count: usize, fanout: usize) -> Result<BoundsColumn> {
        let mut groups = BoundsColumn::new(self.datatype, self.is_var());
        groups.reserve(count.div_ceil(fanout))?;
        if self.is_var() {
            for first in (0..count).step_by(fanout) {
                let (mut low, mut high) = self.ends(first);
                for node in first + 1..(first + fanout).min(count) {
                    let ends = self.ends(node);
                    (low, high) = (low.min(ends.0), high.max(ends.1));
                }
                groups.push(low, high)?;
            }
        } else {
            dispatch!(self.datatype.physical(), T => group_fixed::<T>(&self.bytes, fanout, &mut groups.bytes));
        }
        Ok(groups)
    }

    /// Adds the ranges of a column of the same dimension.
    pub(super) fn append(&mut self, other: &BoundsColumn) {
        let shift = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&other.bytes);
        if let (Some(starts), Some(more)) = (&mut self.starts, &other.starts) {
            starts.extend(more[1..].iter().map(|start| start + shift));
        }
    }
}

fn group_fixed<T: Cell>(ranges: &[u8], fanout: usize, out: &mut Vec<u8>) {
    let size = size_of::<T>();
    for group in ranges.chunks(2 * size * fanout) {
        let (mut low, mut high) = (T::from_le(group), T::from_le(&group[size..]));
        for range in group.chunks_exact(2 * size).skip(1) {
            let l = T::from_le(range);
            let h = T::from_le(&range[size..]);
            if l < low {
                low = l;
            }
            if h > high {
                high = h;
            }
        }
        out.extend_from_slice(bytemuck::bytes_of(&low));
        out.extend_from_slice(bytemuck::bytes_of(&high));
    }
}
