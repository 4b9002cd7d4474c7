//! What a history does more often than others: combinations that hardly occur where everything is drawn alike.

use super::array::TestConsolidation;
use super::history::{Generator, MergeEffect, PURGE, Step};
use super::model::ArrayKind;
use super::model::condition::{Condition, Operand, Operator};
use super::model::value::Value;
use super::random::Random;
use super::shape::ArrayShape;

/// Drawn once for each history. Half of them have some.
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// Cells are written at a few places, so that they supersede one another.
    pub crowds: bool,
    /// Some cells of the last write are deleted, so that older ones of their places remain, and purged from some fragments.
    pub purges: bool,
    /// Attributes are dropped, and the array is read as of a time before, between consolidations and vacuums that stop.
    pub drops: bool,
    /// Processes consolidate commits and fragments, vacuum and maintain beside one another.
    pub maintains: bool,
}

/// Number of attributes of arrays whose schema does not evolve.
const UNCHANGED: usize = 4;

impl Habits {
    pub fn draw(random: &mut Random, shape: &ArrayShape) -> Habits {
        let crowds = random.one_in(6);
        let habits = Habits { crowds, ..Habits::default() };
        match random.below(6) {
            0 if shape.kind == (ArrayKind::Sparse { dups: false }) => Habits { crowds: true, purges: true, ..habits },
            1 if shape.attributes.len() > UNCHANGED => Habits { drops: true, ..habits },
            2 => Habits { maintains: true, ..habits },
            _ => habits,
        }
    }
}

impl Generator {
    /// A step of a history that purges: a write, a delete of some of its cells, or a consolidation after that.
    pub fn purging_step(&mut self) -> Step {
        if std::mem::take(&mut self.has_deleted) && !self.random.one_in(4) {
            return if self.random.one_in(4) { self.maintain() } else { self.purge_of_some() };
        }
        let time = self.time();
        if self.last_cells.is_empty() || !self.random.one_in(3) {
            return Step::Write(time, self.write());
        }
        self.has_deleted = true;
        let first = Value::Int(self.random.pick(&self.last_cells));
        let operator = self.random.pick(&[Operator::Equal, Operator::GreaterOrEqual]);
        // Or of all cells, so that merged fragments have none that is alive.
        let (first, operator) =
            if self.random.one_in(6) { (Value::Int(0), Operator::GreaterOrEqual) } else { (first, operator) };
        Step::Delete(time, Condition::Compare(Operand::Attribute(0), operator, vec![first]))
    }

    /// A consolidation that purges fragments since a time.
    fn purge_of_some(&mut self) -> Step {
        let step = self.consolidate();
        let Step::Consolidate(mut consolidation, _) = step else { return step };
        let start = self.past(1);
        let until = start + 100;
        let is_other = |name: &str| !name.contains("timestamp") && name != PURGE;
        consolidation.parameters.retain(|parameter| is_other(parameter.0));
        consolidation.parameters.extend([
            (PURGE, "true".to_owned()),
            ("sm.consolidation.timestamp_start", start.to_string()),
            ("sm.consolidation.timestamp_end", until.to_string()),
        ]);
        self.merged(true);
        Step::Consolidate(TestConsolidation { picks: None, ..consolidation }, MergeEffect { until, purges: true })
    }
}
