//! What a history does more often than others: combinations that hardly occur where everything is drawn alike.

use super::model::ArrayKind;
use super::random::Random;
use super::shape::ArrayShape;

/// Drawn once for each history. Half of them have some.
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// Cells are written at a few places, so that they supersede one another.
    pub crowds: bool,
    /// The last cells are deleted, so that older ones of their places remain, and purged from some fragments.
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
