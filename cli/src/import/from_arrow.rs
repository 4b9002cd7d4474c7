//! Rows of Arrow and Parquet files.

use arrow_array::RecordBatch;

use crate::model::{Error, Result, write_batches};
use crate::progress::Progress;

use super::record_batches::RecordBatches;
use super::sample::RowSample;
use super::target::{FRAGMENT, ImportTarget};

/// Imports batches, divided into chunks of rows.
pub(crate) fn fill(
    target: &mut ImportTarget<'_>,
    batches: RecordBatches,
    rows: u64,
    progress: &Progress,
) -> Result<()> {
    let (mut held, mut size) = (Vec::<RecordBatch>::new(), 0);
    for batch in batches {
        for piece in pieces(target, batch?)? {
            size += target.bytes(&piece)?;
            held.push(piece);
            let waiting = held.iter().map(|batch| batch.num_rows() as u64).sum();
            if size >= FRAGMENT && target.whole(waiting) > 0 {
                let rest = split(&mut held, target.whole(waiting) as usize);
                put(target, &mut held)?;
                size = rest.iter().map(|batch| target.bytes(batch)).sum::<Result<usize>>()?;
                held = rest;
            }
        }
        if !progress.update(target.stored, rows) {
            return Err(Error::Stopped);
        }
    }
    put(target, &mut held)
}

/// Divides a batch into pieces of about the bytes of a fragment: a few texts that many rows refer to are small in a file.
fn pieces(target: &ImportTarget<'_>, batch: RecordBatch) -> Result<Vec<RecordBatch>> {
    let (rows, size) = (batch.num_rows(), target.bytes(&batch)?);
    let step = (rows as u128 * FRAGMENT as u128 / size.max(1) as u128).clamp(1, rows.max(1) as u128) as usize;
    let piece = |first: usize| batch.slice(first, step.min(rows - first));
    Ok((0..rows).step_by(step).map(piece).collect())
}

/// Splits batches after a number of rows; returns the rest.
fn split(held: &mut Vec<RecordBatch>, rows: usize) -> Vec<RecordBatch> {
    let (mut left, mut rest) = (rows, Vec::new());
    for batch in std::mem::take(held) {
        let taken = batch.num_rows().min(left);
        left -= taken;
        if taken > 0 {
            held.push(batch.slice(0, taken));
        }
        if taken < batch.num_rows() {
            rest.push(batch.slice(taken, batch.num_rows() - taken));
        }
    }
    rest
}

/// Writes sampled rows of a file with `count` rows.
pub(crate) fn fill_sample(target: &mut ImportTarget<'_>, sample: RowSample<RecordBatch>, count: u64) -> Result<()> {
    put(target, &mut sample.into_rows(count).collect())
}

fn put(target: &mut ImportTarget<'_>, held: &mut Vec<RecordBatch>) -> Result<()> {
    let batches = std::mem::take(held);
    let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
    target.extend_enumerations(&batches)?;
    target.write(rows, |array, place| write_batches(array, place, batches))
}
