//! Aggregate results: one cell per aggregate, and the check that it fits into its buffer.

use super::operation::{Aggregate, AggregateOperator};
use super::running_sum::RunningSum;
use super::summary::FieldSummary;
use crate::columns::buffers::FieldBuffers;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

/// The cell that an aggregate delivers.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateResult {
    /// Its bytes; none where a cell of fixed text has no value.
    pub value: Vec<u8>,
    /// False for null.
    pub valid: bool,
}

/// The mean of nothing, with the sign that a division of zeros has on common processors.
const NO_MEAN: u64 = 0xfff8_0000_0000_0000;

impl Aggregate {
    /// The result, from the number of all cells and the statistics of its field.
    pub fn result(&self, cells: u64, summary: &FieldSummary) -> AggregateResult {
        let Aggregate::Unary(operator, field) = self else {
            return AggregateResult { value: cells.to_le_bytes().to_vec(), valid: true };
        };
        let value = match operator {
            AggregateOperator::NullCount => summary.nulls.to_le_bytes().to_vec(),
            AggregateOperator::Mean if summary.valid == 0 => NO_MEAN.to_le_bytes().to_vec(),
            AggregateOperator::Mean => summary.total.mean(summary.valid).to_le_bytes().to_vec(),
            AggregateOperator::Sum => sum_bytes(summary.total, self.output().shape.datatype).to_vec(),
            AggregateOperator::Min | AggregateOperator::Max => match &summary.ends {
                Some((min, max)) => if *operator == AggregateOperator::Min { min } else { max }.clone(),
                None if field.shape.is_text() => Vec::new(),
                None => vec![0; field.shape.cell_size()],
            },
        };
        AggregateResult { value, valid: !self.output().nullable || summary.valid > 0 }
    }

    /// Checks that the buffers of the result meet its requirements.
    ///
    /// # Errors
    /// For buffers that are missing or have another size than one cell.
    pub fn check_buffers(&self, buffers: Option<&FieldBuffers>) -> Result<()> {
        let Some((buffers, data)) = buffers.and_then(|buffers| Some((buffers, buffers.data?))) else {
            bail!("{}: Result buffer doesn't exist.", self.class());
        };
        let output = self.output();
        let size = if output.shape.cell_val_num.is_var() {
            match buffers.offsets.map(|offsets| offsets.capacity()) {
                None | Some(0) => bail!("OutputBufferValidator: Aggregate must have a fixed size buffer."),
                Some(size) => size == 8,
            }
        } else {
            data.capacity() == output.shape.cell_size() as u64
        };
        if !size {
            bail!("OutputBufferValidator: Aggregate fixed size buffer should be for one element only.");
        }
        match buffers.validity.map(|validity| validity.capacity()) {
            Some(_) if matches!(self, Aggregate::Unary(AggregateOperator::NullCount, _)) => {
                bail!("OutputBufferValidator: Count aggregates must not have a validity buffer.")
            }
            None | Some(0) if output.nullable => {
                bail!("OutputBufferValidator: Aggregate for nullable attributes must have a validity buffer.")
            }
            Some(size) if size != 1 => {
                bail!("OutputBufferValidator: Aggregate validity vector should be for one element only.")
            }
            _ => Ok(()),
        }
    }

    /// Checks that a result fits into its buffer.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_fits(&self, result: &AggregateResult, buffers: &FieldBuffers) -> Result<()> {
        let room = buffers.data.map_or(0, |data| data.capacity());
        if let Aggregate::Unary(_, field) = self
            && result.value.len() as u64 > room
        {
            let size = result.value.len();
            bail!("{}: Min/max buffer not big enough for {}. Required: {size}", self.class(), field.name);
        }
        Ok(())
    }
}

/// A sum in the type it is delivered in: the nearest that there is.
fn sum_bytes(total: RunningSum, datatype: Datatype) -> [u8; 8] {
    match total {
        RunningSum::Real(sum) => sum.value().to_le_bytes(),
        RunningSum::Whole(sum) if datatype == Datatype::Uint64 => {
            u64::try_from(sum.max(0)).unwrap_or(u64::MAX).to_le_bytes()
        }
        RunningSum::Whole(sum) => (sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64).to_le_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::operation::InputField;
    use crate::aggregate::summary::CellType;
    use tiledb_core::types::{CellValNum, Name};

    fn aggregate(operator: AggregateOperator, datatype: Datatype) -> Aggregate {
        let shape = CellType { datatype, cell_val_num: CellValNum::ONE };
        Aggregate::Unary(operator, InputField { name: Name::new("a"), shape, nullable: true })
    }

    #[test]
    fn results_of_nothing_and_of_too_much() {
        let none = |datatype| FieldSummary::new(CellType { datatype, cell_val_num: CellValNum::ONE });
        let result = |operator, summary: &FieldSummary| aggregate(operator, Datatype::Int64).result(0, summary);
        let empty = none(Datatype::Int64);
        assert_eq!(result(AggregateOperator::Sum, &empty), AggregateResult { value: vec![0; 8], valid: false });
        assert_eq!(result(AggregateOperator::Max, &empty), AggregateResult { value: vec![0; 8], valid: false });
        assert!(f64::from_le_bytes(result(AggregateOperator::Mean, &empty).value.try_into().unwrap()).is_nan());
        assert_eq!(result(AggregateOperator::NullCount, &empty), AggregateResult { value: vec![0; 8], valid: true });
        let great = FieldSummary { valid: 2, total: RunningSum::Whole(1 << 70), ..empty };
        assert_eq!(result(AggregateOperator::Sum, &great).value, i64::MAX.to_le_bytes());
        assert_eq!(result(AggregateOperator::Mean, &great).value, ((1u128 << 69) as f64).to_le_bytes());
        let unsigned = aggregate(AggregateOperator::Sum, Datatype::Uint64).result(0, &great);
        assert_eq!(unsigned.value, u64::MAX.to_le_bytes());
    }
}
