//! The schema, which evolves.

use super::cells::{Selection, is_in_box};
use super::{Cell, Model, latest};

/// What of a schema can evolve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// Numbers of the attributes.
    pub attributes: Vec<usize>,
    /// The current domain: the lowest and the highest coordinate of each dimension.
    pub domain: Vec<(u8, u8)>,
    /// The values of the enumeration, by their indexes.
    pub labels: Vec<&'static str>,
}

impl Schema {
    /// A current domain expands and never shrinks (measured); an enumeration gets values after those it has (format, "Schema").
    pub fn can_become(&self, other: &Schema) -> bool {
        let mut ranges = self.domain.iter().zip(&other.domain);
        ranges.all(|(range, other)| other.0 <= range.0 && other.1 >= range.1) && other.labels.starts_with(&self.labels)
    }

    /// A range may not exceed the current domain at the end of the window (measured).
    pub fn accepts_read(&self, selection: &Selection) -> bool {
        let mut ranges = selection.ranges.iter().zip(&self.domain);
        ranges.all(|(ranges, domain)| ranges.iter().all(|range| range.0 >= domain.0 && range.1 <= domain.1))
    }
}

impl Model {
    /// The schemas that an array can have at the end of a window: that of the last evolution until then, of several at one time that with
    /// the last name (measured).
    pub fn schemas(&self, end: u64) -> Vec<&Schema> {
        let evolutions = self.during((0, end)).filter(|event| !event.schemas().is_empty());
        let (last, _) = latest(evolutions.map(|event| (event, ())).collect(), false);
        if last.is_empty() { vec![&self.schema] } else { last.iter().flat_map(|(event, ())| event.schemas()).collect() }
    }

    /// The schema at the end of a window, where there is one.
    pub fn schema(&self, end: u64) -> &Schema {
        self.schemas(end).pop().unwrap_or(&self.schema)
    }

    /// A write is of the newest schema, whatever its time, and refused if a cell is outside of the current domain (measured).
    pub fn accepts_write(&self, cells: &[Cell]) -> bool {
        cells.iter().all(|cell| is_in_box(&self.schema(u64::MAX).domain, &cell.at))
    }
}
