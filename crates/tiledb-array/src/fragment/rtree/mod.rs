//! The R-tree of a sparse fragment: the bounding boxes of its tiles, and the levels above them.
//!
//! On disk (format version 5 and later): fanout, number of levels, and per level from the root to the leaves a count
//! and the boxes. Versions 3 and 4 store the dimension count first and a domain type after the fanout. In memory each
//! dimension is one flat column over all nodes.

mod column;
mod search;

use column::BoundsColumn;
pub use search::TileCover;
use tiledb_core::error::{Error, Result};
use tiledb_core::types::{CellRange, Datatype, FormatVersion, NdRange};
use tiledb_core::wire::{WireReader, WireWriter};

/// Boxes of the level below that one box above holds.
const FANOUT: usize = 10;

/// Bounding boxes of tiles, searchable.
#[derive(Clone, Debug, PartialEq)]
pub struct RTree {
    fanout: usize,
    /// Start of each level in the columns, root first, and the end of the last one.
    levels: Vec<usize>,
    columns: Vec<BoundsColumn>,
}

impl RTree {
    /// A tree over boxes of dimensions with these types; `var` marks strings.
    pub fn builder(dimensions: &[(Datatype, bool)]) -> RTreeBuilder {
        let columns = dimensions.iter().map(|&(datatype, var)| BoundsColumn::new(datatype, var)).collect();
        RTreeBuilder { columns, count: 0 }
    }

    /// Number of leaves: one per tile.
    pub fn leaf_count(&self) -> usize {
        match self.levels.as_slice() {
            [.., start, end] => end - start,
            _ => 0,
        }
    }

    /// Number of levels; 0 without leaves.
    pub fn height(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// Number of dimensions.
    pub fn dimension_count(&self) -> usize {
        self.columns.len()
    }

    /// Low and high end of a tile's box in one dimension; `None` beyond the last tile or dimension.
    pub fn leaf_ends(&self, dimension: usize, tile: usize) -> Option<(&[u8], &[u8])> {
        let start = *self.levels.iter().rev().nth(1)?;
        if tile >= self.leaf_count() {
            return None;
        }
        Some(self.columns.get(dimension)?.ends(start + tile))
    }

    /// The bounding box of a tile; `None` beyond the last one.
    pub fn leaf(&self, tile: usize) -> Option<NdRange> {
        let start = *self.levels.iter().rev().nth(1)?;
        (tile < self.leaf_count()).then(|| self.columns.iter().map(|column| column.range(start + tile)).collect())
    }

    /// The box around everything; `None` without leaves.
    pub fn root(&self) -> Option<NdRange> {
        (self.height() > 0).then(|| self.columns.iter().map(|column| column.range(0)).collect())
    }

    /// True if another tree of the same dimensions has the same boxes. Of zeros with different signs either may be an end of a box
    /// around both.
    pub fn equals(&self, other: &RTree) -> bool {
        let nodes = self.levels.last().copied().unwrap_or(0);
        let is_equal = |(column, other): (&BoundsColumn, &BoundsColumn)| {
            (0..nodes).all(|node| column.range(node).equals(&other.range(node), column.datatype()))
        };
        self.fanout == other.fanout
            && self.levels == other.levels
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(is_equal)
    }

    /// Bytes this tree occupies in memory.
    pub fn memory(&self) -> usize {
        self.columns.iter().map(BoundsColumn::memory).sum::<usize>() + self.levels.len() * 8
    }

    /// Reads the payload of the table.
    ///
    /// # Errors
    /// If the bytes do not follow the format or the levels do not fit together.
    pub fn read(payload: &[u8], version: FormatVersion, dimensions: &[(Datatype, bool)]) -> Result<RTree> {
        let mut r = WireReader::new("R-tree", payload);
        if !version.has_dimension_files() {
            r.u32()?;
        }
        let fanout = r.u32()? as usize;
        if !version.has_dimension_files() {
            r.u8()?;
        }
        let mut columns: Vec<BoundsColumn> =
            dimensions.iter().map(|&(datatype, var)| BoundsColumn::new(datatype, var)).collect();
        let box_size: usize = columns.iter().map(BoundsColumn::least_bytes).sum();
        let level_count = r.count32(8)?;
        let mut levels = Vec::with_capacity(level_count.min(64) + 1);
        let mut nodes = 0;
        for _ in 0..level_count {
            let count = r.count64(box_size)?;
            levels.push(nodes);
            nodes += count;
            for column in &mut columns {
                column.reserve(count)?;
            }
            for _ in 0..count {
                for column in &mut columns {
                    column.read(&mut r)?;
                }
            }
        }
        if level_count > 0 {
            levels.push(nodes);
        }
        let tree = RTree { fanout, levels, columns };
        tree.check().map(|()| tree)
    }

    /// The levels must narrow by the fanout up to a single root.
    fn check(&self) -> Result<()> {
        let counts: Vec<usize> = self.levels.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let fits = |pair: &[usize]| pair[0] == pair[1].div_ceil(self.fanout);
        let sound = match counts.first() {
            None => true,
            Some(&root) => root == 1 && self.fanout >= 2 && counts.windows(2).all(fits),
        };
        if sound {
            return Ok(());
        }
        Err(Error::corrupt(format!("R-tree: levels of {counts:?} boxes do not fit the fanout {}", self.fanout)))
    }

    /// Writes the payload of the table as versions 5 and later have it.
    pub fn write(&self, w: &mut WireWriter) {
        w.u32(self.fanout as u32).u32(self.height() as u32);
        for level in self.levels.windows(2) {
            w.u64((level[1] - level[0]) as u64);
            for node in level[0]..level[1] {
                for column in &self.columns {
                    column.write(node, w);
                }
            }
        }
    }
}

/// Collects the boxes of tiles, then builds the tree.
#[derive(Clone, Debug)]
pub struct RTreeBuilder {
    columns: Vec<BoundsColumn>,
    count: usize,
}

impl RTreeBuilder {
    /// Adds the box of the next tile.
    ///
    /// # Errors
    /// If it has not one range of the right size per dimension.
    pub fn push(&mut self, mbr: &[CellRange]) -> Result<()> {
        if mbr.len() != self.columns.len() {
            return Err(Error::internal(format!(
                "R-tree: a box of {} ranges for {} dimensions",
                mbr.len(),
                self.columns.len()
            )));
        }
        for (column, range) in self.columns.iter_mut().zip(mbr) {
            column.push(range.low(), range.high())?;
        }
        self.count += 1;
        Ok(())
    }

    /// Writes the boxes added so far in the format of a tree of one level.
    pub fn write(&self, w: &mut WireWriter) {
        w.u32(FANOUT as u32).u32(1).u64(self.count as u64);
        for node in 0..self.count {
            for column in &self.columns {
                column.write(node, w);
            }
        }
    }

    /// Adds the boxes that [`RTreeBuilder::write`] wrote.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub fn read(&mut self, bytes: &[u8]) -> Result<()> {
        let mut r = WireReader::new("R-tree", bytes);
        let (_, levels) = (r.u32()?, r.u32()?);
        if levels > 1 {
            return Err(r.corrupt(format_args!("{levels} levels where there is one")));
        }
        let size: usize = self.columns.iter().map(BoundsColumn::least_bytes).sum();
        let count = if levels == 0 { 0 } else { r.count64(size)? };
        for _ in 0..count {
            for column in &mut self.columns {
                column.read(&mut r)?;
            }
        }
        self.count += count;
        Ok(())
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Groups the boxes by ten until one remains.
    ///
    /// # Errors
    /// None in practice: ranges of a column have equal sizes.
    pub fn build(self) -> Result<RTree> {
        let mut stages = vec![self.columns];
        let mut counts = vec![self.count];
        while let (Some(below), Some(&count)) = (stages.last(), counts.last()) {
            if count <= 1 {
                break;
            }
            let above = below.iter().map(|column| column.grouped(count, FANOUT)).collect::<Result<Vec<_>>>()?;
            stages.push(above);
            counts.push(count.div_ceil(FANOUT));
        }
        if self.count == 0 {
            return Ok(RTree { fanout: FANOUT, levels: Vec::new(), columns: stages.pop().unwrap_or_default() });
        }
        let mut levels = vec![0];
        let mut columns = Vec::new();
        while let (Some(stage), Some(count)) = (stages.pop(), counts.pop()) {
            levels.push(levels.last().copied().unwrap_or(0) + count);
            if columns.is_empty() {
                columns = stage;
                continue;
            }
            for (all, level) in columns.iter_mut().zip(&stage) {
                all.append(level);
            }
        }
        Ok(RTree { fanout: FANOUT, levels, columns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::CURRENT_VERSION;

    const DIMENSIONS: [(Datatype, bool); 2] = [(Datatype::Int32, false), (Datatype::StringAscii, true)];

    fn tree(count: i32) -> RTree {
        let mut builder = RTree::builder(&DIMENSIONS);
        for i in 0..count {
            let text = format!("{i:05}");
            let range = CellRange::var(text.as_bytes(), format!("{text}z").as_bytes());
            builder.push(&[CellRange::of(-i, -i + 1), range]).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn heights_follow_the_count() {
        for (count, height) in [(0, 0), (1, 1), (2, 2), (10, 2), (11, 3), (100, 3), (101, 4), (1000, 4), (1001, 5)] {
            assert_eq!((tree(count).height(), tree(count).leaf_count()), (height, count as usize));
        }
    }

    #[test]
    fn bytes_round_trip() {
        for count in [0, 1, 7, 10, 11, 123] {
            let tree = tree(count);
            let mut w = WireWriter::new();
            tree.write(&mut w);
            let back = RTree::read(&w.finish().unwrap(), CURRENT_VERSION, &DIMENSIONS).unwrap();
            assert_eq!(back, tree);
        }
        let tree = tree(123);
        let root = tree.root().unwrap();
        assert_eq!(root[0].ends::<i32>(), (-122, 1));
        assert_eq!((root[1].low(), root[1].high()), (&b"00000"[..], &b"00122z"[..]));
        assert_eq!(tree.leaf(5).unwrap()[0].ends::<i32>(), (-5, -4));
        assert!(tree.leaf(123).is_none());
    }

    #[test]
    fn boxes_that_differ_in_the_sign_of_zero_are_equal() {
        let tree = |lows: [f64; 2]| {
            let mut builder = RTree::builder(&[(Datatype::Float64, false)]);
            lows.iter().for_each(|low| builder.push(&[CellRange::of(*low, 1.0)]).unwrap());
            builder.build().unwrap()
        };
        let [a, b] = [tree([0.0, -0.0]), tree([-0.0, 0.0])];
        assert!(a != b && a.equals(&b) && !a.equals(&tree([0.0, 0.5])));
    }

    #[test]
    fn damaged_bytes_never_panic() {
        let mut w = WireWriter::new();
        tree(25).write(&mut w);
        let bytes = w.finish().unwrap();
        for position in 0..bytes.len() {
            for flip in [1u8, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[position] ^= flip;
                // Either an error or boxes of some kind.
                if let Ok(tree) = RTree::read(&damaged, CURRENT_VERSION, &DIMENSIONS) {
                    tree.overlapping(&[vec![CellRange::of(-3i32, 3)], Vec::new()]);
                }
            }
            assert!(RTree::read(&bytes[..position], CURRENT_VERSION, &DIMENSIONS).is_err());
        }
    }
}
