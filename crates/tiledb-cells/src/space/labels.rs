//! The labels of a subarray, which select the indexes of a dimension.

use super::label_ranges::LabelRanges;
use super::ranges::{RangeSet, checked};
use super::subarray::Subarray;
use tiledb_array::schema::DimensionLabel;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellRange, Name};

impl Subarray {
    /// The labels that choose indexes, by dimension.
    pub fn chosen_labels(&self) -> impl Iterator<Item = (usize, &LabelRanges)> {
        self.labels().iter().enumerate().filter_map(|(dimension, chosen)| Some((dimension, chosen.as_ref()?)))
    }

    /// Those of them whose indexes are not known yet.
    pub fn unresolved_labels(&self) -> impl Iterator<Item = (usize, LabelRanges)> {
        self.chosen_labels()
            .filter(|(_, chosen)| !chosen.is_resolved)
            .map(|(dimension, chosen)| (dimension, chosen.clone()))
    }

    /// True if ranges of a label are not yet resolved to indexes of a dimension.
    pub(crate) fn awaits_indexes(&self, dimension: usize) -> bool {
        self.labels().get(dimension).and_then(Option::as_ref).is_some_and(|chosen| !chosen.is_resolved)
    }

    /// Sets the indexes that ranges of a label resolve to.
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn resolve_labels(&mut self, dimension: usize, indexes: &[CellRange]) -> Result<()> {
        let coalesce = self.coalesce;
        let Some(datatype) = self.schema().domain().dimensions().get(dimension).map(|dimension| dimension.datatype())
        else {
            bail!("Subarray: Cannot add range; Invalid dimension index: {dimension}");
        };
        let set = self.set_mut(dimension as u32)?;
        indexes.iter().for_each(|range| set.add(datatype, range.clone(), coalesce));
        if let Some(Some(chosen)) = self.labels_mut().get_mut(dimension) {
            chosen.is_resolved = true;
        }
        Ok(())
    }

    /// Bytes of one value of a label of fixed size.
    ///
    /// # Errors
    /// For a label that does not exist, and for one of strings.
    pub fn label_size(&self, name: &str) -> Result<usize> {
        let label = self.schema().existing_label(name)?;
        if label.cell_val_num.is_var() {
            bail!(
                "Subarray: [add_label_range] Cannot add a fixed-sized range to a variable sized dimension label: use \
                 tiledb_subarray_add_label_range_var for '{name}'"
            );
        }
        Ok(label.datatype.size())
    }

    /// Adds a range of a label of fixed size; the indexes are found when a query is submitted.
    ///
    /// # Errors
    /// For a label that does not exist or is one of strings, for ends out of order, and where its dimension has ranges
    /// already, or ranges of another label.
    pub fn add_label_range(&mut self, name: &str, low: &[u8], high: &[u8]) -> Result<()> {
        self.label_size(name)?;
        self.choose_labels(name, CellRange::fixed(low, high)?)
    }

    /// Adds a range of a label of strings.
    ///
    /// # Errors
    /// As [`Subarray::add_label_range`], for labels of fixed size.
    pub fn add_label_range_var(&mut self, name: &str, low: &[u8], high: &[u8]) -> Result<()> {
        if !self.schema().existing_label(name)?.cell_val_num.is_var() {
            bail!(
                "Subarray: [add_label_range_var] Cannot add a variable-sized range to a fixed-sized dimension label: use \
                 tiledb_subarray_add_label_range for '{name}'"
            );
        }
        self.choose_labels(name, CellRange::var(low, high))
    }

    fn choose_labels(&mut self, name: &str, range: CellRange) -> Result<()> {
        let label = self.schema().existing_label(name)?.clone();
        let DimensionLabel { dimension_index, datatype, .. } = *label;
        let (dimension, coalesce) = (dimension_index as usize, self.coalesce);
        let range = checked(name, datatype, range, None, false)?;
        let has_ranges = self.sets().get(dimension).is_some_and(|set| !set.is_default());
        let Some(place) = self.labels_mut().get_mut(dimension) else {
            bail!("Subarray: Cannot add range; Invalid dimension index: {dimension}");
        };
        match place {
            Some(chosen) if *chosen.name != *name => {
                bail!(
                    "Subarray: [add_label_range] Dimension is already to set to use dimension label '{}'",
                    chosen.name
                )
            }
            None if has_ranges => {
                bail!("Subarray: [add_label_range] Dimension '{dimension}' already has ranges set to it.")
            }
            Some(chosen) if chosen.is_resolved => {
                bail!("Subarray: [add_label_range] The indexes of dimension '{dimension}' have been found already")
            }
            _ => {}
        }
        let fresh =
            || LabelRanges { name: label.name.clone(), datatype, set: RangeSet::whole(None), is_resolved: false };
        let chosen = place.get_or_insert_with(fresh);
        chosen.set.add(chosen.datatype, range, coalesce);
        Ok(())
    }

    /// True if a label chooses the indexes of a dimension.
    pub fn has_label_ranges(&self, dimension: u32) -> bool {
        self.labels().get(dimension as usize).is_some_and(Option::is_some)
    }

    /// The name of the label that chooses the indexes of a dimension.
    ///
    /// # Errors
    /// If none does.
    pub fn label_name(&self, dimension: u32) -> Result<&Name> {
        match self.labels().get(dimension as usize) {
            Some(Some(chosen)) => Ok(&chosen.name),
            _ => bail!("Subarray: [get_label_name] No label ranges set: none for dimension {dimension}"),
        }
    }

    fn ranges_of_label(&self, name: &str) -> Result<Option<&[CellRange]>> {
        let dimension = self.schema().existing_label(name)?.dimension_index as usize;
        let chosen = self.labels().get(dimension).and_then(Option::as_ref).filter(|chosen| *chosen.name == *name);
        Ok(chosen.map(|chosen| chosen.ranges()))
    }

    /// The number of ranges of a label.
    ///
    /// # Errors
    /// For a label that does not exist.
    pub fn label_range_num(&self, name: &str) -> Result<u64> {
        Ok(self.ranges_of_label(name)?.map_or(0, |ranges| ranges.len() as u64))
    }

    /// A range of a label; `function` is named in errors.
    ///
    /// # Errors
    /// For a label or a range that does not exist.
    pub fn label_range(&self, name: &str, number: u64, function: &str) -> Result<&CellRange> {
        let Some(ranges) = self.ranges_of_label(name)? else {
            bail!("Subarray: [{function}] No ranges set on dimension label '{name}'");
        };
        match usize::try_from(number).ok().and_then(|number| ranges.get(number)) {
            Some(range) => Ok(range),
            None => {
                bail!("Subarray: [{function}] Label '{name}' has {} ranges and none of number {number}", ranges.len())
            }
        }
    }
}
