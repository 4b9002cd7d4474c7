//! Subarrays: the part of an array that a query selects, as ranges per dimension.

use std::sync::Arc;

use super::label_ranges::LabelRanges;
use super::ranges::{RangeSet, checked, disjoint, sorted};
use tiledb_array::schema::{ArraySchema, Dimension, no_dimension};
use tiledb_core::config::{Config, Settings};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::{CellRange, NdRange};

/// Ranges per dimension. A dimension without added ranges selects its whole domain.
#[derive(Clone)]
pub struct Subarray {
    schema: Arc<ArraySchema>,
    /// Shared by copies until one of them is modified: a query copies its subarray on every submit.
    ranges: Arc<DimensionRanges>,
    pub coalesce: bool,
    rules: RangeRules,
}

#[derive(Clone)]
struct DimensionRanges {
    /// Per dimension its ranges.
    sets: Vec<RangeSet>,
    /// Per dimension the label that chooses its indexes, if one does.
    labels: Vec<Option<LabelRanges>>,
}

/// Configuration parameters of ranges.
#[derive(Clone, Copy)]
pub struct RangeRules {
    /// Those added later are cut to the domain.
    crop: bool,
    /// Those that overlap count as one.
    merges: bool,
}

impl Settings for RangeRules {
    fn parse(config: &Config) -> Result<RangeRules> {
        let merges = config.bool("sm.merge_overlapping_ranges_experimental")?;
        let crop = match config.str("sm.read_range_oob").as_str() {
            "warn" => true,
            "error" => false,
            other => bail!(
                "Subarray: [set_config] Invalid value {other} for sm.read_range_obb. Acceptable values are 'error' or \
                 'warn'."
            ),
        };
        Ok(RangeRules { crop, merges })
    }
}

impl Subarray {
    /// The whole domain of an array.
    pub fn new(schema: &Arc<ArraySchema>) -> Subarray {
        let dimensions = schema.domain().dimensions();
        let sets = dimensions.iter().map(|dimension| RangeSet::whole(dimension.domain())).collect();
        let labels = vec![None; dimensions.len()];
        Subarray {
            schema: schema.clone(),
            ranges: Arc::new(DimensionRanges { sets, labels }),
            coalesce: true,
            rules: RangeRules { crop: false, merges: true },
        }
    }

    /// Takes from a configuration `sm.read_range_oob`: with `warn`, ranges added later are cut to the domain; and
    /// `sm.merge_overlapping_ranges_experimental`.
    ///
    /// # Errors
    /// For another value than `warn` or `error`.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        self.rules = config.settings()?;
        Ok(())
    }

    /// True if overlapping ranges are merged in sparse reads in global and unordered layout: else these return a cell
    /// once for every combination of ranges that contains it.
    pub fn merges(&self) -> bool {
        self.rules.merges
    }

    /// Whether ranges that follow one another become one.
    ///
    /// # Errors
    /// Once ranges were added.
    pub fn set_coalesce(&mut self, coalesce: bool) -> Result<()> {
        if !self.is_default() {
            bail!(
                "Subarray: non-default ranges have been set, cannot change coalesce_ranges setting! Change it before ranges are \
                 added"
            );
        }
        self.coalesce = coalesce;
        Ok(())
    }

    /// Whether ranges that follow one another become one.
    pub fn coalesces(&self) -> bool {
        self.coalesce
    }

    /// The schema of its array.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// True if no range was added to any dimension.
    pub fn is_default(&self) -> bool {
        self.sets().iter().all(RangeSet::is_default) && self.labels().iter().all(Option::is_none)
    }

    /// The ranges of all dimensions.
    pub fn sets(&self) -> &[RangeSet] {
        &self.ranges.sets
    }

    /// Per dimension the label that chooses its indexes, if one does.
    pub fn labels(&self) -> &[Option<LabelRanges>] {
        &self.ranges.labels
    }

    pub(super) fn labels_mut(&mut self) -> &mut [Option<LabelRanges>] {
        &mut Arc::make_mut(&mut self.ranges).labels
    }

    fn sets_mut(&mut self) -> &mut [RangeSet] {
        &mut Arc::make_mut(&mut self.ranges).sets
    }

    /// The ranges of all dimensions in ascending order, merged if they overlap unless each counts by itself.
    pub fn ascending(&self) -> Vec<Vec<CellRange>> {
        let ascending = |(dimension, set): (&Arc<Dimension>, &RangeSet)| match self.rules.merges {
            true => disjoint(dimension.datatype(), set.ranges()),
            false => sorted(dimension.datatype(), set.ranges()),
        };
        self.schema.domain().dimensions().iter().zip(self.sets()).map(ascending).collect()
    }

    /// The subarray as reads take it: without reversed ranges of strings, since readers search lists of bounds that must be
    /// in order.
    #[must_use]
    pub fn without_reversed(&self) -> Subarray {
        let mut part = self.clone();
        for (dimension, set) in self.sets().iter().enumerate() {
            let Some(fewer) = set.without_reversed() else { continue };
            if let Some(set) = part.sets_mut().get_mut(dimension) {
                *set = fewer;
            }
        }
        part
    }

    /// The part of a dimension inside a range; `None` if there is none.
    pub fn within(&self, dimension: usize, band: &CellRange) -> Option<Subarray> {
        let mut part = self.clone();
        let datatype = self.schema.domain().dimensions().get(dimension)?.datatype();
        let set = part.sets_mut().get_mut(dimension)?;
        *set = set.within(datatype, band)?;
        Some(part)
    }

    /// The same with other ranges of a dimension.
    pub fn with_ranges(&self, dimension: usize, ranges: Vec<CellRange>) -> Subarray {
        let mut part = self.clone();
        if let Some(set) = part.sets_mut().get_mut(dimension) {
            *set = RangeSet::of(ranges);
        }
        part
    }

    /// True if ranges of every dimension overlap the side of a box.
    pub fn touches(&self, bounds: &[CellRange]) -> bool {
        let mut axes = self.schema.domain().dimensions().iter().zip(bounds).zip(self.sets());
        axes.all(|((dimension, side), set)| {
            set.is_default() || set.ranges().iter().any(|range| range.overlaps(dimension.datatype(), side))
        })
    }

    /// How many boxes the ranges make; `None` beyond 2^64.
    pub fn box_count(&self) -> Option<u64> {
        self.sets().iter().try_fold(1u64, |count, set| count.checked_mul(set.ranges().len() as u64))
    }

    /// The box, if the ranges make only one.
    pub fn single_box(&self) -> Option<NdRange> {
        let single = |set: &RangeSet| match set.ranges() {
            [range] => Some(range.clone()),
            _ => None,
        };
        self.sets().iter().map(single).collect()
    }

    /// The index of a dimension.
    ///
    /// # Errors
    /// If no dimension has this name.
    pub fn dimension_index(&self, name: &str) -> Result<u32> {
        match self.schema.domain().index_of(name) {
            Some(index) => Ok(index as u32),
            None => Err(no_dimension(self.schema.domain(), name).prefixed("TileDB internal: ")),
        }
    }

    #[cold]
    fn no_index(&self, cannot: &str, index: u32) -> Error {
        let count = self.schema.domain().len();
        Error::invalid(format!("Subarray: {cannot}; Invalid dimension index: {index} is not below {count}"))
    }

    fn dimension(&self, index: u32) -> Result<Arc<Dimension>> {
        match self.schema.domain().dimensions().get(index as usize) {
            Some(dimension) => Ok(dimension.clone()),
            None => Err(self.no_index("Cannot add range", index)),
        }
    }

    fn add(&mut self, index: u32, dimension: &Dimension, range: CellRange) -> Result<()> {
        if self.has_label_ranges(index) {
            bail!(
                "Subarray: Cannot add range to to dimension; A range is already set on a dimension label for this \
                 dimension: '{}'",
                dimension.name()
            );
        }
        let range = checked(dimension.name(), dimension.datatype(), range, dimension.domain(), self.rules.crop)?;
        let coalesce = self.coalesce;
        self.set_mut(index)?.add(dimension.datatype(), range, coalesce);
        Ok(())
    }

    pub(crate) fn set_mut(&mut self, index: u32) -> Result<&mut RangeSet> {
        if index as usize >= self.sets().len() {
            return Err(self.no_index("Cannot add range", index));
        }
        self.sets_mut().get_mut(index as usize).ok_or_else(|| Error::internal("a dimension without ranges"))
    }

    /// Bytes of one value of a fixed dimension, for callers that hold values by address.
    ///
    /// # Errors
    /// For a dimension that does not exist or holds strings.
    pub fn value_size(&self, index: u32) -> Result<usize> {
        let dimension = self.dimension(index)?;
        if dimension.is_var() {
            bail!(
                "Subarray: Cannot add range; Range must be fixed-sized: dimension '{}' holds strings, use \
                 tiledb_subarray_add_range_var",
                dimension.name()
            );
        }
        Ok(dimension.size())
    }

    /// As [`Subarray::value_size`], for points.
    ///
    /// # Errors
    /// As there.
    pub fn point_size(&self, index: u32) -> Result<usize> {
        Ok(self.dimension(index)?.size())
    }

    /// Bytes of the box that [`Subarray::set_box`] takes.
    pub fn box_size(&self) -> usize {
        self.schema.domain().dimensions().iter().map(|dimension| 2 * dimension.size()).sum()
    }

    /// Adds a range of fixed-size values.
    ///
    /// # Errors
    /// For a dimension that does not exist or holds strings, and for ends out of order or, unless they are
    /// cut, outside the domain.
    pub fn add_range(&mut self, index: u32, low: &[u8], high: &[u8]) -> Result<()> {
        let dimension = self.dimension(index)?;
        if dimension.is_var() {
            bail!(
                "Subarray: Cannot add range; Range must be fixed-sized: dimension '{}' holds strings, use \
                 tiledb_subarray_add_range_var",
                dimension.name()
            );
        }
        self.add(index, &dimension, CellRange::fixed(low, high)?)
    }

    /// Adds a range of strings.
    ///
    /// # Errors
    /// For a dimension that does not exist or is fixed, and for ends out of order.
    pub fn add_range_var(&mut self, index: u32, low: &[u8], high: &[u8]) -> Result<()> {
        let dimension = self.dimension(index)?;
        if !dimension.is_var() {
            bail!(
                "Subarray: Cannot add range; Range must be variable-sized: dimension '{}' has type {}, use \
                 tiledb_subarray_add_range",
                dimension.name(),
                dimension.datatype().name()
            );
        }
        self.add(index, &dimension, CellRange::var(low, high))
    }

    /// Adds a range of one value for each of the fixed-size values.
    ///
    /// # Errors
    /// As [`Subarray::add_range`].
    pub fn add_points(&mut self, index: u32, values: &[u8]) -> Result<()> {
        let dimension = self.dimension(index)?;
        if dimension.is_var() {
            bail!(
                "Subarray: Cannot add range; Range must be fixed-sized. If you want to add a variable-sized range, use the \
                 add_range_var() instead: dimension '{}' holds strings",
                dimension.name()
            );
        }
        let size = dimension.size().max(1);
        self.set_mut(index)?.reserve(values.len() / size);
        for value in values.chunks_exact(size) {
            self.add(index, &dimension, CellRange::fixed(value, value)?)?;
        }
        Ok(())
    }

    /// Adds a range of one value for each string; `starts` are byte positions in `values`.
    ///
    /// # Errors
    /// As [`Subarray::add_range_var`], and for positions that do not ascend inside the values.
    pub fn add_points_var(&mut self, index: u32, values: &[u8], starts: &[u64]) -> Result<()> {
        let dimension = self.dimension(index)?;
        if !dimension.is_var() {
            bail!(
                "Subarray: Cannot add range; Range must be variable-sizedIf you want to add a fixed-sized range, use the \
                 add_point_ranges() instead: dimension '{}' has type {}",
                dimension.name(),
                dimension.datatype().name()
            );
        }
        for (position, &start) in starts.iter().enumerate() {
            let end = starts.get(position + 1).copied().unwrap_or(values.len() as u64);
            let Some(value) = values.get(start as usize..end as usize) else {
                bail!(
                    "Subarray: Cannot add ranges; Invalid range: offset {start} lies outside {} bytes of values",
                    values.len()
                );
            };
            self.add(index, &dimension, CellRange::var(value, value))?;
        }
        Ok(())
    }

    /// Replaces all ranges by one box: low and high of every dimension, one after the other. None changes nothing.
    ///
    /// # Errors
    /// As [`Subarray::add_range`]; for arrays whose dimensions differ in type or hold strings.
    pub fn set_box(&mut self, values: Option<&[u8]>) -> Result<()> {
        let dimensions = self.schema.domain().dimensions().to_vec();
        if let Some(dimension) = dimensions.iter().find(|dimension| dimension.is_var()) {
            bail!(
                "Subarray: Cannot set subarray; Function not applicable to variable-sized domains: dimension '{}' holds \
                 strings, add ranges dimension by dimension",
                dimension.name()
            );
        }
        if let Some(dimension) = dimensions.iter().find(|dimension| dimension.datatype() != dimensions[0].datatype()) {
            bail!(
                "Subarray: Cannot set subarray; Function not applicable to heterogeneous domains: dimension '{}' has another \
                 type than '{}', add ranges dimension by dimension",
                dimension.name(),
                dimensions[0].name()
            );
        }
        let Some(values) = values else { return Ok(()) };
        let mut fresh = self.whole();
        let size = dimensions.first().map_or(1, |dimension| dimension.size()).max(1);
        for ((index, dimension), ends) in dimensions.iter().enumerate().zip(values.chunks_exact(2 * size)) {
            let (low, high) = ends.split_at(size);
            fresh.add(index as u32, dimension, CellRange::fixed(low, high)?)?;
        }
        *self = fresh;
        Ok(())
    }

    /// The whole domain, with the same parameters.
    #[must_use]
    pub fn whole(&self) -> Subarray {
        Subarray { rules: self.rules, coalesce: self.coalesce, ..Subarray::new(&self.schema) }
    }

    /// Replaces all ranges by one box that is known to be inside the domain.
    pub fn set_nd_range(&mut self, ranges: &[CellRange]) {
        let dimensions = self.schema.domain().dimensions();
        let sets = &mut Arc::make_mut(&mut self.ranges).sets;
        for ((set, dimension), range) in sets.iter_mut().zip(dimensions).zip(ranges) {
            *set = RangeSet::whole(None);
            set.add(dimension.datatype(), range.clone(), false);
        }
    }

    /// Takes the ranges of a dimension of another subarray.
    pub fn copy_ranges(&mut self, dimension: usize, other: &Subarray, from: usize) {
        if let (Some(set), Some(ranges)) = (self.sets_mut().get_mut(dimension), other.sets().get(from)) {
            set.clone_from(ranges);
        }
    }

    /// The number of ranges of a dimension.
    ///
    /// # Errors
    /// For a dimension that does not exist.
    pub fn range_num(&self, index: u32) -> Result<u64> {
        match self.sets().get(index as usize) {
            Some(_) if self.awaits_indexes(index as usize) => Ok(0),
            Some(set) => Ok(set.ranges().len() as u64),
            None => bail!(
                "Subarray: Cannot get number of ranges for a dimension; Invalid dimension index {index} requested, {} \
                 max avail.",
                self.sets().len().saturating_sub(1)
            ),
        }
    }

    /// A range of a dimension.
    ///
    /// # Errors
    /// For a dimension or a range that does not exist.
    pub fn range(&self, index: u32, number: u64) -> Result<&CellRange> {
        let Some(set) = self.sets().get(index as usize) else {
            return Err(self.no_index("Cannot get range", index));
        };
        if self.awaits_indexes(index as usize) {
            bail!(
                "Subarray: Cannot get range; Invalid range index: {number}; its label has the ranges of the dimension"
            );
        }
        match usize::try_from(number).ok().and_then(|number| set.ranges().get(number)) {
            Some(range) => Ok(range),
            None => {
                bail!("Subarray: Cannot get range; Invalid range index: {number} is not below {}", set.ranges().len())
            }
        }
    }

    /// A range of a dimension of strings.
    ///
    /// # Errors
    /// For a dimension or a range that does not exist, and for a fixed dimension.
    pub fn range_var(&self, index: u32, number: u64) -> Result<&CellRange> {
        let Some(dimension) = self.schema.domain().dimensions().get(index as usize) else {
            return Err(self.no_index("Cannot get var range size", index));
        };
        if !dimension.is_var() {
            bail!("Subarray: Cannot get var range size; Dimension {} is not var sized", dimension.name());
        }
        match self.range(index, number) {
            Ok(range) => Ok(range),
            Err(_) => bail!("Subarray: Cannot get var range size; Invalid range index: there is no range {number}"),
        }
    }
}
