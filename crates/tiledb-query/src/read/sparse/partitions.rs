//! Partitions of a sparse read in row- or column-major order whose results exceed the buffers: one part per submit.
//! The parts are those of libtiledb, since programs may depend on them.
//!
//! A part consists of as many ranges as are estimated to fit; in two or more dimensions, of complete rows, where a row is all
//! ranges of the fastest-varying dimension. A row or range that is too large is divided along the slowest-varying dimension
//! that can be divided, recursively, until the parts are estimated to fit; a part that turns out not to fit when it is read is
//! divided further.

use std::sync::Arc;

use super::ranges_after::parts_after;
use crate::read::estimate::sparse::add_box;
use crate::read::estimate::sum::{CellSizes, SizeSum};
use crate::read::position::{PartRanges, RemainingParts};
use crate::read::spec::ReadSpec;
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::{ArraySchema, Dimension};
use tiledb_cells::columns::output::Outputs;
use tiledb_cells::space::grid::Odometer;
use tiledb_cells::space::range_boxes;
use tiledb_cells::space::range_boxes::RangeBoxes;
use tiledb_cells::space::ranges::RangeSet;
use tiledb_cells::space::split;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::sparse_read::MAX_ESTIMATED_BOXES;
use tiledb_core::stats::{Stats, Timer};
use tiledb_core::types::{CellRange, Datatype, Layout, Name};

/// The parts of a read.
pub struct Partitions {
    array: Arc<OpenArray>,
    layout: Layout,
    fields: Vec<Name>,
    /// The capacity for each field as it was at the first submit: fixed cells or starts, values, validity.
    capacities: Vec<[u64; 3]>,
    whole: Subarray,
    /// Its boxes of ranges, how many there are, and the first that is in no part.
    ranges: RangeBoxes,
    boxes: u64,
    next: u64,
    /// Parts that came of a division, the next one last.
    divided: Vec<Partition>,
    apart: bool,
    stats: Stats,
}

/// A part of a read.
#[derive(Clone)]
pub struct Partition {
    subarray: Subarray,
    /// How often the range of each dimension was divided.
    depths: Vec<u8>,
    /// The boxes that it consists of, if it was not divided.
    boxes: Option<(u64, u64)>,
}

impl Partition {
    /// The ranges of its cells.
    pub fn subarray(&self) -> &Subarray {
        &self.subarray
    }

    fn ranges(&self) -> PartRanges {
        self.subarray.sets().iter().map(|set| set.ranges().to_vec()).collect()
    }
}

impl Partitions {
    /// The parts for these buffers; `None` if the read has no parts.
    ///
    /// # Errors
    /// If a parameter has an invalid value.
    pub fn new(spec: &ReadSpec, out: &Outputs<'_>) -> Result<Option<Partitions>> {
        let Some(boxes) = spec.subarray.box_count().filter(|&count| count <= MAX_ESTIMATED_BOXES.bytes()) else {
            return Ok(None);
        };
        let dimensions = spec.array.schema().domain().dimensions();
        let apart = !follow_in_order(&spec.subarray);
        // Some strings may be between parts. Along the Hilbert curve, parts would not be in order.
        let is_text = dimensions.iter().any(|dimension| dimension.is_var());
        if spec.array.schema().cell_order() == Layout::Hilbert || (apart && is_text) {
            return Ok(None);
        }
        let skip = spec.config.bool("sm.skip_est_size_partitioning")?;
        let capacities = out.columns.iter().map(|column| {
            let (data, validity) = (column.data.len() as u64, column.validity.as_ref().map_or(0, |v| v.len() as u64));
            match &column.offsets {
                _ if skip => [u64::MAX; 3],
                Some(offsets) => [offsets.bytes() as u64, data, validity],
                None => [data, 0, validity],
            }
        });
        Ok(Some(Partitions {
            array: spec.array.clone(),
            layout: spec.layout,
            fields: spec.fields.to_vec(),
            capacities: capacities.collect(),
            whole: spec.subarray.clone(),
            ranges: RangeBoxes::new(counts(&spec.subarray), spec.layout),
            boxes,
            next: 0,
            divided: Vec::new(),
            apart,
            stats: spec.stats.clone(),
        }))
    }

    /// True if the cells of a part are not the next ones in the order of all, but some of them: parts must be read one
    /// by one.
    pub fn is_apart(&self) -> bool {
        self.apart
    }

    /// Has parts read one by one: those that were delivered are not the beginning of all cells.
    pub fn read_apart(&mut self) {
        self.apart = true;
    }

    /// True if the cells of a part follow one another in the order of all: it has one coordinate of the slowest dimensions,
    /// and all of the fastest.
    pub fn is_in_one_piece(&self, part: &Partition) -> bool {
        let sets = part.subarray.sets();
        let all = self.whole.sets();
        let mut dimensions = self.ranges.dimensions().skip_while(|&d| sets[d].is_point()).skip(1);
        dimensions.all(|d| sets[d].ranges() == all[d].ranges())
    }

    /// The remaining parts after the cells up to the corner of a part, whichever parts they are of.
    ///
    /// # Errors
    /// As [`parts_after`].
    pub fn remaining_after(&self, last: &Partition) -> Result<RemainingParts> {
        let divided = parts_after(&self.whole, &self.corner(last))?;
        Ok(RemainingParts { next: self.boxes, boxes: self.boxes, divided, stuck: None, last: Some(last.ranges()) })
    }

    /// The remaining parts after the part that was delivered last.
    pub fn left(&self, last: Option<&Partition>) -> RemainingParts {
        RemainingParts {
            next: self.next,
            boxes: self.boxes,
            divided: self.divided.iter().rev().map(Partition::ranges).collect(),
            stuck: None,
            last: last.map(Partition::ranges),
        }
    }

    /// Continues with the remainder of another read of the same ranges; a part that was stuck is the next one.
    ///
    /// # Errors
    /// For a box of ranges that there is not, or a part of other dimensions.
    pub fn resume_with(&mut self, left: &RemainingParts) -> Result<()> {
        if left.next > self.boxes {
            bail!("Cannot go on with the read at box of ranges {}; it has {}", left.next, self.boxes);
        }
        self.next = left.next;
        let parts = left.divided.iter().rev().chain(&left.stuck);
        self.divided = parts.map(|ranges| self.part_with(ranges)).collect::<Result<_>>()?;
        Ok(())
    }

    /// The part that has these ranges.
    ///
    /// # Errors
    /// If not every dimension has some.
    pub fn part_with(&self, ranges: &PartRanges) -> Result<Partition> {
        let dimensions = self.whole.sets().len();
        if ranges.len() != dimensions || ranges.iter().any(Vec::is_empty) {
            bail!("Cannot go on with the read; a part of it has no ranges for each of {dimensions} dimensions");
        }
        let mut subarray = self.whole.clone();
        for (d, ranges) in ranges.iter().enumerate().filter(|(d, ranges)| **ranges != self.whole.sets()[*d].ranges()) {
            subarray = subarray.with_ranges(d, ranges.clone());
        }
        Ok(Partition { subarray, depths: vec![0; dimensions], boxes: None })
    }

    /// True once the last part was returned.
    pub fn is_done(&self) -> bool {
        self.divided.is_empty() && self.next >= self.boxes
    }

    /// The next part; `None` after the last.
    ///
    /// # Errors
    /// If the metadata of a fragment cannot be read.
    pub fn next_partition(&mut self) -> Result<Option<Partition>> {
        let stats = self.stats.clone();
        let _timer = stats.timer(Timer::PartitionNext);
        if let Some(part) = self.divided.pop() {
            return self.fitting(part).map(Some);
        }
        if self.next >= self.boxes {
            return Ok(None);
        }
        let first = self.next;
        let fitting = self.fitting_boxes()?;
        let (last, is_cut) = self.ranges.whole_rows(first, first + fitting.max(1) - 1, true);
        self.next = last + 1;
        let part = self.part_of(first, last);
        match fitting > 0 && !is_cut {
            true => Ok(Some(part)),
            false => self.first_half(part).map(Some),
        }
    }

    /// The first of the parts of a part whose cells turned out not to fit; `None` if it cannot be divided.
    ///
    /// # Errors
    /// As [`Partitions::next`].
    pub fn divide(&mut self, part: &Partition) -> Result<Option<Partition>> {
        let stats = self.stats.clone();
        let _timer = stats.timer(Timer::PartitionSplit);
        if let Some((first, last)) = part.boxes.filter(|(first, last)| first < last) {
            let (last, is_cut) = self.ranges.whole_rows(first, range_boxes::fewer(first, last), true);
            if !is_cut {
                self.next = last + 1;
                return Ok(Some(self.part_of(first, last)));
            }
        }
        let Some((first, second)) = self.halves(part) else { return Ok(None) };
        self.divided.push(second);
        self.fitting(first).map(Some)
    }

    /// A part, or its first subpart that is estimated to fit.
    fn fitting(&mut self, mut part: Partition) -> Result<Partition> {
        while self.is_too_large(&part)? {
            let Some((first, second)) = self.halves(&part) else { break };
            self.divided.push(second);
            part = first;
        }
        Ok(part)
    }

    fn first_half(&mut self, part: Partition) -> Result<Partition> {
        let Some((first, second)) = self.halves(&part) else { return Ok(part) };
        self.divided.push(second);
        self.fitting(first)
    }

    /// How many boxes, from the next on, are estimated to fit together.
    fn fitting_boxes(&self) -> Result<u64> {
        let mut estimate = SizeEstimate::new(self, &self.whole)?;
        let mut boxes = Odometer::at(counts(&self.whole), self.layout, self.next);
        for count in 0..self.boxes - self.next {
            estimate.add(boxes.position().unwrap_or_default())?;
            let mut sums = estimate.sums.iter().zip(&estimate.capacities);
            if let Some(full) = sums.find_map(|(sum, &[fixed, values, validity])| sum.excess(fixed, values, validity)) {
                self.stats.add(full, 1);
                range_boxes::count(&self.stats, self.boxes - self.next, count);
                return Ok(count);
            }
            boxes.advance();
        }
        range_boxes::count(&self.stats, self.boxes - self.next, self.boxes - self.next);
        Ok(self.boxes - self.next)
    }

    fn is_too_large(&self, part: &Partition) -> Result<bool> {
        let mut estimate = SizeEstimate::new(self, &part.subarray)?;
        let mut boxes = Odometer::new(counts(&part.subarray), self.layout);
        while let Some(position) = boxes.position() {
            estimate.add(position)?;
            boxes.advance();
        }
        let fields = estimate.sums.iter().zip(&estimate.sizes).zip(&estimate.capacities);
        Ok(fields.into_iter().any(|((sum, sizes), &[fixed, values, validity])| {
            let size = sum.rounded(sizes);
            let of_data = if sizes.is_var { size.offsets > fixed || size.data > values } else { size.data > fixed };
            of_data || size.validity > validity
        }))
    }

    /// The part that these boxes make.
    fn part_of(&self, first: u64, last: u64) -> Partition {
        let (low, high) = (self.ranges.coordinates(first), self.ranges.coordinates(last));
        let mut subarray = self.whole.clone();
        for (d, set) in self.whole.sets().iter().enumerate().filter(|(_, set)| !set.is_default()) {
            if let Some(ranges) = set.ranges().get(low[d] as usize..=high[d] as usize) {
                subarray = subarray.with_ranges(d, ranges.to_vec());
            }
        }
        let depths = vec![0; self.whole.sets().len()];
        Partition { subarray, depths, boxes: Some((first, last)) }
    }

    /// The parts of a part, divided along the slowest dimension that can be; of several ranges along the slowest that is
    /// more than a point, or not at all.
    fn halves(&self, part: &Partition) -> Option<(Partition, Partition)> {
        let dimensions = self.array.schema().domain().dimensions();
        let sets = part.subarray.sets();
        let is_one_box = sets.iter().all(|set| set.ranges().len() == 1);
        let mut open = self.ranges.dimensions().filter(|&d| !sets[d].is_point());
        let along = |d: usize| {
            let (first, second) = match sets[d].ranges() {
                [range] => {
                    let (first, second) = match range.is_var() {
                        true => split::halves_of_text(range, part.depths[d])?,
                        false => split::halves(dimensions[d].datatype(), range)?,
                    };
                    (vec![first], vec![second])
                }
                ranges => {
                    let (first, second) = ranges.split_at(ranges.len().div_ceil(2));
                    (first.to_vec(), second.to_vec())
                }
            };
            let mut depths = part.depths.clone();
            // A range of floating-point numbers around 0 can be halved some thousand times.
            depths[d] = depths[d].saturating_add(1);
            let half = |ranges| Partition {
                subarray: part.subarray.with_ranges(d, ranges),
                depths: depths.clone(),
                boxes: None,
            };
            Some((half(first), half(second)))
        };
        if is_one_box { open.find_map(along) } else { open.next().and_then(along) }
    }

    /// The maximum coordinates of a part, the slowest dimension first, up to the last that does not extend to its end.
    pub fn corner(&self, part: &Partition) -> Vec<(usize, Datatype, Vec<u8>)> {
        let dimensions = self.array.schema().domain().dimensions();
        let sets = part.subarray.sets();
        let limits = self.ranges.dimensions().rev().skip_while(|&d| sets[d].is_default()).count();
        let limited = self.ranges.dimensions().take(limits);
        let end = |d: usize| Some((d, dimensions[d].datatype(), sets[d].ranges().last()?.high().to_vec()));
        limited.filter_map(end).collect()
    }
}

/// The part of `subarray` that begins with the first coordinate of a corner, or more.
pub fn from_corner(subarray: &Subarray, corner: &[(usize, Datatype, Vec<u8>)]) -> Subarray {
    let Some((d, datatype, value)) = corner.first() else { return subarray.clone() };
    let cut = |range: &CellRange| match range.is_var() && range.high().is_empty() {
        true => Some(range.clone()),
        false if CellRange::compare(*datatype, range.high(), value).is_lt() => None,
        false if CellRange::compare(*datatype, range.low(), value).is_ge() => Some(range.clone()),
        false if range.is_var() => Some(CellRange::var(value, range.high())),
        false => CellRange::fixed(value, range.high()).ok(),
    };
    let ranges: Vec<CellRange> = subarray.sets()[*d].ranges().iter().filter_map(cut).collect();
    if ranges.is_empty() { subarray.clone() } else { subarray.with_ranges(*d, ranges) }
}

/// The sizes of some boxes, as they are added up.
struct SizeEstimate<'a> {
    subarray: &'a Subarray,
    schema: &'a ArraySchema,
    fragments: Vec<&'a Fragment>,
    /// The fields of the schema, and their capacities.
    sizes: Vec<CellSizes<'a>>,
    capacities: Vec<[u64; 3]>,
    sums: Vec<SizeSum>,
}

impl<'a> SizeEstimate<'a> {
    fn new(partitions: &'a Partitions, subarray: &'a Subarray) -> Result<SizeEstimate<'a>> {
        let array = &partitions.array;
        let schema = partitions.array.schema();
        let fragments = array.fragments()?.iter().filter(|fragment| !fragment.is_dense());
        let touched = fragments.filter(|fragment| subarray.touches(fragment.non_empty_domain()));
        let fields = partitions.fields.iter().zip(&partitions.capacities);
        let (sizes, capacities): (Vec<_>, Vec<_>) =
            fields.filter_map(|(name, capacity)| Some((CellSizes::of_field(schema.field(name)?), *capacity))).unzip();
        let sums = vec![SizeSum::default(); sizes.len()];
        let fragments = touched.map(|fragment| &**fragment).collect();
        Ok(SizeEstimate { subarray, schema, fragments, sizes, capacities, sums })
    }

    fn add(&mut self, position: &[u64]) -> Result<()> {
        let sets = self.subarray.sets();
        let ranges = sets.iter().zip(position).filter_map(|(set, &at)| set.ranges().get(at as usize));
        let ranges: Vec<&CellRange> = ranges.collect();
        add_box(self.schema, &self.fragments, sets, &ranges, &self.sizes, &mut self.sums)
    }
}

/// True if boxes of ranges, row by row, follow one another in the order of cells: ranges ascend and do not overlap, and
/// between the slowest dimension and the fastest none has several.
fn follow_in_order(subarray: &Subarray) -> bool {
    let dimensions = subarray.schema().domain().dimensions().iter().zip(subarray.sets());
    let ascends = |(dimension, set): (&Arc<Dimension>, &RangeSet)| {
        let follows =
            |pair: &[CellRange]| CellRange::compare(dimension.datatype(), pair[0].high(), pair[1].low()).is_lt();
        set.ranges().windows(2).all(follows)
    };
    let mut inner = subarray.sets().iter().skip(1).rev().skip(1);
    inner.all(|set| set.ranges().len() == 1) && dimensions.into_iter().all(ascends)
}

fn counts(subarray: &Subarray) -> Vec<u64> {
    subarray.sets().iter().map(|set| set.ranges().len() as u64).collect()
}
