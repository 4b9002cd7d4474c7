//! Sparse reads in row- or column-major order: all at once if it fits, else part by part ([`Partitions`]). Cells are
//! read and sorted once, and a part only determines how many of them a submit delivers; unless ranges overlap or are
//! not in order.

use super::partitions::{Partition, Partitions, from_corner};
use super::reader::{Corner, SparseReader};
use crate::read::position::{ReadPosition, RemainingParts};
use crate::read::spec::{QueryReader, ReadProgress, ReadSpec};
use tiledb_cells::columns::output::Outputs;
use tiledb_cells::space::range_boxes;
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::Timer;

/// A sparse read in row- or column-major order.
pub struct PartitionedReader {
    spec: ReadSpec,
    reader: SparseReader,
    /// Those of a reader of the whole.
    steps: u64,
    parts: PartitionState,
    /// The part that was delivered last.
    last: Option<Partition>,
    /// The remainder of another reader of the same read.
    left: Option<RemainingParts>,
    /// Delivered cells of the part that could not be divided.
    begun: usize,
}

/// How a read is delivered.
enum PartitionState {
    /// It has not begun.
    Unknown,
    /// As buffers are filled.
    None,
    /// By parts; the one that is delivered, if its cells did not fit and it could not be divided.
    Some(Box<Partitions>, Option<Partition>),
}

enum PartitionOutcome {
    /// Delivered completely: the number of its cells.
    Whole(usize),
    /// Its cells do not fit together; none is delivered.
    TooLarge,
    /// As `TooLarge`, but memory did not suffice to retain its first cells: the reader is after these.
    Passed,
    /// Some of its cells were delivered, the number of which this is, as many as fit.
    Begun(usize),
}

impl PartitionedReader {
    /// Prepares a read.
    ///
    /// # Errors
    /// As [`SparseReader::new`].
    pub fn new(spec: ReadSpec) -> Result<PartitionedReader> {
        let timer = spec.stats.timer(Timer::ReadPrepare);
        let reader = SparseReader::new(&spec)?;
        drop(timer);
        let steps = reader.steps();
        Ok(PartitionedReader { spec, reader, steps, parts: PartitionState::Unknown, last: None, left: None, begun: 0 })
    }

    /// Continues with the remainder of another reader: cells up to the end of its last part are skipped.
    fn go_on(&mut self, left: &RemainingParts, out: &Outputs<'_>) -> Result<PartitionState> {
        let Some(mut partitions) = Partitions::new(&self.spec, out)? else {
            bail!("Cannot go on with the read; its results are not divided into parts");
        };
        partitions.resume_with(left)?;
        let last = left.last.as_ref().map(|last| partitions.part_with(last)).transpose()?;
        if last.as_ref().is_some_and(|last| !partitions.is_in_one_piece(last)) {
            partitions.read_apart();
        }
        if let Some(last) = last.filter(|_| !partitions.is_apart()) {
            skip_to(&mut self.reader, &partitions.corner(&last))?;
        }
        Ok(PartitionState::Some(Box::new(partitions), None))
    }

    /// Partitions are needed unless all tiles fit at once.
    fn begin(&mut self, out: &Outputs<'_>) -> Result<PartitionState> {
        if let Some(left) = self.left.take() {
            return self.go_on(&left, out);
        }
        if fits(&self.reader, out)? {
            let count = self.spec.subarray.box_count().unwrap_or(u64::MAX);
            range_boxes::count(&self.spec.stats, count, count);
            return Ok(PartitionState::None);
        }
        Ok(match Partitions::new(&self.spec, out)? {
            Some(partitions) => PartitionState::Some(Box::new(partitions), None),
            None => PartitionState::None,
        })
    }
}

/// A reader of the cells of a part and those after it, without the first `begun` cells of the part; `last` is the part
/// before it.
fn reader_before(
    spec: &ReadSpec,
    partitions: &Partitions,
    part: &Partition,
    last: Option<&Partition>,
    begun: usize,
) -> Result<SparseReader> {
    let corner = last.filter(|_| !partitions.is_apart()).map(|last| partitions.corner(last));
    let subarray = match &corner {
        Some(corner) => from_corner(&spec.subarray, corner),
        None if partitions.is_apart() => part.subarray().clone(),
        None => spec.subarray.clone(),
    };
    let mut reader = SparseReader::new(&ReadSpec { subarray, ..spec.clone() })?;
    if let Some(corner) = &corner {
        skip_to(&mut reader, corner)?;
    }
    let mut left = begun;
    while left > 0 && reader.is_ready()? {
        let cells = reader.waiting(None).min(left);
        reader.skip(cells);
        left -= cells;
    }
    Ok(reader)
}

/// True if all cells of all tiles fit into the buffers.
fn fits(reader: &SparseReader, out: &Outputs<'_>) -> Result<bool> {
    if reader.repeats() {
        return Ok(false);
    }
    let cells = reader.max_cells();
    for (place, column) in out.columns.iter().enumerate() {
        let values = match column.offsets {
            Some(_) => reader.max_values(place)?,
            None => 0,
        };
        if cells > column.capacity(reader.cell_size(place)) as u64 || values > column.data.len() as u64 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Skips cells up to a corner.
fn skip_to(reader: &mut SparseReader, corner: &Corner) -> Result<()> {
    while reader.is_ready()? {
        reader.skip(reader.waiting(Some(corner)));
        if reader.has_batch() {
            break;
        }
    }
    Ok(())
}

/// Begins to read a part, if parts are read one by one.
fn turn_to(reader: &mut SparseReader, spec: &ReadSpec, partitions: &Partitions, part: Partition) -> Result<Partition> {
    if partitions.is_apart() {
        *reader = SparseReader::new(&ReadSpec { subarray: part.subarray().clone(), ..spec.clone() })?;
    }
    Ok(part)
}

/// Delivers the cells of a part, `all` of them or none, or as many as fit.
fn deliver(
    reader: &mut SparseReader,
    partitions: &Partitions,
    part: &Partition,
    out: &mut Outputs<'_>,
    all: bool,
) -> Result<PartitionOutcome> {
    let mut delivered = 0;
    let filled: Vec<(usize, usize)> = out.columns.iter().map(|column| (column.cells, column.bytes)).collect();
    // Delivered batches, as long as they can be returned.
    let mut spent = Some(Vec::new());
    let mut start = None;
    // The last part has all remaining cells, whatever its corner.
    let corner = (!partitions.is_done() && !partitions.is_apart()).then(|| partitions.corner(part));
    while reader.is_ready()? {
        let waiting = reader.waiting(corner.as_deref());
        let copy = reader.copy_of_batch();
        let position = reader.position_in_batch();
        if delivered == 0 {
            start = reader.window_position();
        }
        let cells = reader.deliver(out, waiting, all && delivered == 0)?;
        delivered += cells;
        if cells < waiting {
            if !all {
                return Ok(PartitionOutcome::Begun(delivered));
            }
            for (column, (cells, bytes)) in out.columns.iter_mut().zip(filled) {
                (column.cells, column.bytes) = (cells, bytes);
            }
            if delivered == 0 || start.is_some_and(|start| reader.rewind(start)) {
                return Ok(PartitionOutcome::TooLarge);
            }
            let Some(spent) = spent else { return Ok(PartitionOutcome::Passed) };
            reader.return_to(position);
            reader.return_batches(spent);
            return Ok(PartitionOutcome::TooLarge);
        }
        if reader.has_batch() {
            break;
        }
        spent = spent.zip(copy).map(|(mut spent, copy)| {
            spent.push(copy);
            spent
        });
    }
    Ok(PartitionOutcome::Whole(delivered))
}

impl QueryReader for PartitionedReader {
    fn step(&mut self, out: &mut Outputs<'_>) -> Result<ReadProgress> {
        if matches!(self.parts, PartitionState::Unknown) {
            self.parts = self.begin(out)?;
        }
        let PartitionState::Some(partitions, open) = &mut self.parts else { return self.reader.step(out) };
        loop {
            let part = match open.take() {
                Some(part) => part,
                None => match partitions.next_partition()? {
                    Some(part) => turn_to(&mut self.reader, &self.spec, partitions, part)?,
                    None => return Ok(ReadProgress::Done),
                },
            };
            if !partitions.is_apart() && !self.reader.is_ready()? {
                return Ok(ReadProgress::Done);
            }
            let outcome = deliver(&mut self.reader, partitions, &part, out, true)?;
            if matches!(outcome, PartitionOutcome::Passed) {
                self.reader.release();
                self.reader = reader_before(&self.spec, partitions, &part, self.last.as_ref(), self.begun)?;
            }
            match outcome {
                PartitionOutcome::Whole(0) => continue,
                PartitionOutcome::Whole(_) => (self.last, self.begun) = (Some(part), 0),
                _ => match partitions.divide(&part)? {
                    Some(half) => {
                        *open = Some(turn_to(&mut self.reader, &self.spec, partitions, half)?);
                        continue;
                    }
                    // Libtiledb would not make progress.
                    None => {
                        if let PartitionOutcome::Begun(cells) =
                            deliver(&mut self.reader, partitions, &part, out, false)?
                        {
                            self.begun += cells;
                        }
                        *open = Some(part);
                    }
                },
            }
            if !partitions.is_done() || open.is_some() {
                return Ok(ReadProgress::Incomplete);
            }
            self.reader.release();
            return Ok(ReadProgress::Done);
        }
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn position(&self) -> Result<ReadPosition> {
        let boxes = self.spec.subarray.box_count().unwrap_or(u64::MAX);
        match &self.parts {
            PartitionState::Unknown => Ok(ReadPosition::Parts(
                self.left.clone().unwrap_or(RemainingParts { boxes, ..RemainingParts::default() }),
            )),
            PartitionState::Some(partitions, None) => match self.last.as_ref().filter(|_| !partitions.is_apart()) {
                // Cells of later parts came before its own.
                Some(last) if !partitions.is_in_one_piece(last) => {
                    partitions.remaining_after(last).map(ReadPosition::Parts)
                }
                last => Ok(ReadPosition::Parts(partitions.left(last.or(self.last.as_ref())))),
            },
            PartitionState::None if self.reader.is_done() => {
                Ok(ReadPosition::Parts(RemainingParts { next: boxes, boxes, ..RemainingParts::default() }))
            }
            PartitionState::Some(_, Some(_)) | PartitionState::None => bail!(
                "Cannot tell where the read stands; it stands between cells that cannot be divided into parts of ranges. \
                 Larger buffers may help, or the global or no order"
            ),
        }
    }

    fn exact_position(&self) -> Result<ReadPosition> {
        if let (PartitionState::Some(partitions, None), Some(last)) = (&self.parts, &self.last)
            && !partitions.is_apart()
            && !partitions.is_in_one_piece(last)
        {
            bail!("Cannot tell where the read stands; cells of later parts came before those of the last one");
        }
        self.position()
    }

    fn resume_from(&mut self, position: &ReadPosition) -> Result<()> {
        self.left = Some(position.parts()?.clone());
        Ok(())
    }
}
