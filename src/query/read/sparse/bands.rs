//! Sparse reads in an order that tiles do not have must sort all they read. Where that is more than the
//! memory budget holds, they go band by band along the slowest dimension of that order.

use super::reader::SparseReader;
use crate::error::Result;
use crate::query::columns::output::Outputs;
use crate::query::read::spec::{Progress, ReadSpec, Reader};
use crate::query::space::split;
use crate::types::{CellRange, Datatype, Layout};

/// The eighths of the memory that coordinates may take, and together with keys: cells are brought to the results in the
/// rest.
const COORDINATES: u64 = 5;
const TOGETHER: u64 = 6;
/// Halves of halves that are read although all tiles reach into them: fewer cells have keys, but coordinates are decoded
/// again and again.
const MOST_HALVES: u32 = 6;

/// Two parts of a band, and how many halves of halves they are that all tiles reach into.
type Halves = (CellRange, CellRange, u32);

/// A sparse read in row- or column-major order.
pub struct BandedReader {
    spec: ReadSpec,
    /// The slowest dimension of the order.
    dimension: usize,
    /// Those of a reader of the whole.
    pub steps: u64,
    /// The bands to come, the next one last, and how often each was divided although all tiles reach into both halves.
    bands: Vec<(CellRange, u32)>,
    current: Option<SparseReader>,
}

impl BandedReader {
    /// Prepares a read.
    ///
    /// # Errors
    /// As [`SparseReader::new`].
    pub fn new(spec: ReadSpec) -> Result<BandedReader> {
        let dimensions = spec.array.schema().domain().dimensions().len();
        let dimension = if spec.layout == Layout::ColMajor { dimensions - 1 } else { 0 };
        let whole = SparseReader::new(&spec)?;
        let steps = whole.steps();
        let mut reader = BandedReader { spec, dimension, steps, bands: Vec::new(), current: None };
        reader.begin(whole, None, 0)?;
        Ok(reader)
    }

    fn datatype(&self) -> Datatype {
        self.spec.array.schema().domain().dimensions()[self.dimension].datatype()
    }

    /// Goes on with a reader of a band, or with halves of it where that is too much at a time.
    fn begin(&mut self, reader: SparseReader, band: Option<&CellRange>, depth: u32) -> Result<()> {
        match self.divide(&reader, band, depth)? {
            Some((first, second, depth)) => self.bands.extend([(second, depth), (first, depth)]),
            None => self.current = Some(reader),
        }
        Ok(())
    }

    /// The halves to read in place of what a reader has before it, if that is too much.
    fn divide(&self, reader: &SparseReader, band: Option<&CellRange>, depth: u32) -> Result<Option<Halves>> {
        let ((coordinates, keys), eighth) = (reader.need(), reader.limit() / 8);
        // Of the cells of tiles that reach into all halves there is no telling but this.
        let keys = keys >> depth.min(MOST_HALVES);
        let coordinates_fit = coordinates <= eighth * COORDINATES;
        if coordinates_fit && coordinates.saturating_add(keys) <= eighth * TOGETHER {
            return Ok(None);
        }
        let (datatype, sides) = (self.datatype(), reader.sides(self.dimension)?);
        let misses = |half: &CellRange| sides.iter().any(|side| side.within(datatype, half).is_none());
        let may_be_fewer = depth < MOST_HALVES && coordinates_fit;
        let deeper = |(first, second): (CellRange, CellRange)| match misses(&first) || misses(&second) {
            true => Some((first, second, depth)),
            false => may_be_fewer.then_some((first, second, depth + 1)),
        };
        Ok(halves(datatype, &sides, band).and_then(deeper))
    }

    /// The reader of the band that is read now, if it needs no other.
    pub fn whole(&self) -> Option<&SparseReader> {
        self.current.as_ref().filter(|_| self.bands.is_empty())
    }

    /// True once nothing is left to be read.
    pub fn is_done(&self) -> bool {
        self.bands.is_empty() && self.current.is_none()
    }

    /// The reader that has the next cells at hand; `None` at the end.
    ///
    /// # Errors
    /// From storage and for what is stored there.
    pub fn ready(&mut self) -> Result<Option<&mut SparseReader>> {
        while self.next()? {
            if let Some(reader) = &mut self.current
                && !reader.is_ready()?
            {
                self.current = None;
            } else {
                break;
            }
        }
        Ok(self.current.as_mut())
    }

    /// Finds the next reader; false at the end.
    fn next(&mut self) -> Result<bool> {
        while self.current.is_none() {
            let Some((band, depth)) = self.bands.pop() else { return Ok(false) };
            let Some(subarray) = self.spec.subarray.within(self.dimension, &band) else { continue };
            let mut reader = SparseReader::new(&ReadSpec { subarray, ..self.spec.clone() })?;
            reader.ignore_order_of_ranges();
            self.begin(reader, Some(&band), depth)?;
        }
        Ok(true)
    }
}

impl BandedReader {
    /// As [`Reader::step`].
    ///
    /// # Errors
    /// As there.
    pub fn step(&mut self, out: &mut Outputs<'_>) -> Result<Progress> {
        while self.next()? {
            let Some(reader) = &mut self.current else { break };
            match reader.step(out)? {
                Progress::Done => self.current = None,
                incomplete @ Progress::Incomplete(_) => return Ok(incomplete),
            }
        }
        Ok(Progress::Done)
    }
}

/// Two bands that hold what tiles have inside a band; `None` if all of it may have one coordinate.
fn halves(datatype: Datatype, sides: &[CellRange], band: Option<&CellRange>) -> Option<(CellRange, CellRange)> {
    let inside = |side: &CellRange| match band {
        Some(band) => side.within(datatype, band),
        None => Some(side.clone()),
    };
    let sides: Vec<CellRange> = sides.iter().filter_map(inside).collect();
    let mut hull = sides.first()?.clone();
    sides.iter().for_each(|side| hull.expand(datatype, side));
    if hull.is_var() {
        let mut ends: Vec<&[u8]> = sides.iter().map(CellRange::high).filter(|end| *end < hull.high()).collect();
        ends.sort_unstable();
        let middle = *ends.get(ends.len() / 2)?;
        return Some((CellRange::var(hull.low(), middle), CellRange::var(&[middle, b"\0"].concat(), hull.high())));
    }
    split::halves(datatype, &hull)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn halves_share_nothing_and_leave_nothing_out(a: i16, b: i16, value: i16) {
            let whole = CellRange::of(a.min(b), a.max(b));
            match halves(Datatype::Int16, std::slice::from_ref(&whole), None) {
                None => prop_assert_eq!(a, b),
                Some((first, second)) => {
                    let value = CellRange::of(value, value);
                    let holds = |range: &CellRange| u8::from(range.contains(Datatype::Int16, &value));
                    prop_assert_eq!(holds(&first) + holds(&second), holds(&whole));
                    prop_assert!(whole.contains(Datatype::Int16, &first) && whole.contains(Datatype::Int16, &second));
                }
            }
        }
    }

    #[test]
    fn halves_of_other_kinds() {
        let (first, second) = halves(Datatype::Float64, &[CellRange::of(-1.0, 3.0)], None).unwrap();
        assert_eq!((first, second), (CellRange::of(-1.0, 1.0), CellRange::of(1f64.next_up(), 3.0)));
        assert!(halves(Datatype::Float32, &[CellRange::of(2f32, 2.0)], None).is_none());
        let text = |low: &str, high: &str| CellRange::var(low.as_bytes(), high.as_bytes());
        let sides = vec![text("a", "c"), text("c", "f"), text("g", "h")];
        let (first, second) = halves(Datatype::StringAscii, &sides, None).unwrap();
        assert_eq!((first, second), (text("a", "f"), text("f\0", "h")));
        let (first, second) = halves(Datatype::StringAscii, &sides, Some(&text("b", "f"))).unwrap();
        assert_eq!((first, second), (text("b", "c"), text("c\0", "f")));
        assert!(halves(Datatype::StringAscii, &[text("a", "b")], None).is_none());
        assert!(halves(Datatype::Int32, &[], None).is_none());
    }
}
