//! The order in which the comparisons of a predicate are evaluated: on a stack of masks, of which few are alive at a
//! time however deeply groups nest.

use tiledb_array::condition::{Combination, Predicate, PredicateNode};
use tiledb_core::limits::selection::MAX_NESTED_MASKS;
use tiledb_core::sort;

/// How a new mask is combined with the one on top of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CombineMode {
    /// The new mask is pushed onto the stack.
    Start,
    /// AND: both marks must be set.
    And,
    /// OR: one of the marks must be set.
    Or,
}

impl From<Combination> for CombineMode {
    fn from(combination: Combination) -> CombineMode {
        match combination {
            Combination::And => CombineMode::And,
            Combination::Or => CombineMode::Or,
        }
    }
}

/// One step of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramStep {
    /// Evaluates the comparison with this number.
    Test {
        /// Counted in the order of the predicate.
        test: usize,
        /// How its mask is combined.
        mode: CombineMode,
    },
    /// Jumps to a later step if the mask on top cannot change by the steps between: all is 0 at AND, or all is 1 at OR.
    Skip {
        /// How the next mask would be combined with that on top.
        mode: CombineMode,
        /// The step to go to.
        to: usize,
    },
    /// Pops the top mask and combines it with the one below.
    Meet(CombineMode),
}

/// A node with its parts.
struct PlannedNode {
    parts: Vec<usize>,
    /// Marks needed at the same time.
    need: usize,
    /// The number of the comparison, for a leaf.
    test: Option<usize>,
    mode: CombineMode,
}

/// The steps of a predicate. Within a group, comparisons of lower `cost` come first: they may make others unnecessary.
pub(crate) fn steps(predicate: &Predicate, cost: &dyn Fn(usize) -> usize) -> Vec<ProgramStep> {
    let planned = in_order(predicate, cost);
    let mut steps = Vec::with_capacity(2 * planned.len());
    let mut work = vec![PendingStep::PredicateNode { node: 0, mode: CombineMode::Start }];
    while let Some(item) = work.pop() {
        let (node, mode) = match item {
            PendingStep::PredicateNode { node, mode } => (node, mode),
            PendingStep::Meet { mode, skip } => {
                steps.push(ProgramStep::Meet(mode));
                let next_step = steps.len();
                if let Some(ProgramStep::Skip { to, .. }) = steps.get_mut(skip) {
                    *to = next_step;
                }
                continue;
            }
        };
        let Some(planned) = planned.get(node) else { continue };
        if let Some(test) = planned.test {
            steps.push(ProgramStep::Test { test, mode });
            continue;
        }
        if mode != CombineMode::Start {
            work.push(PendingStep::Meet { mode, skip: steps.len() });
            steps.push(ProgramStep::Skip { mode, to: 0 });
        }
        let modes = std::iter::once(CombineMode::Start).chain(std::iter::repeat(planned.mode));
        let parts = planned.parts.iter().zip(modes).map(|(&node, mode)| PendingStep::PredicateNode { node, mode });
        let first = work.len();
        work.extend(parts);
        if let Some(new) = work.get_mut(first..) {
            new.reverse();
        }
    }
    steps
}

enum PendingStep {
    PredicateNode { node: usize, mode: CombineMode },
    Meet { mode: CombineMode, skip: usize },
}

/// Finds the parts of every node and determines their order of evaluation.
fn in_order(predicate: &Predicate, cost: &dyn Fn(usize) -> usize) -> Vec<PlannedNode> {
    let nodes = predicate.nodes();
    let mut planned: Vec<PlannedNode> = Vec::with_capacity(nodes.len());
    let mut tests = predicate.leaves().count();
    // From the last node to the first: the parts of a group follow it.
    let mut open: Vec<usize> = Vec::new();
    for (number, node) in nodes.iter().enumerate().rev() {
        let at = |node: usize| nodes.len() - 1 - node;
        let item = match node {
            PredicateNode::Leaf(_) => {
                tests -= 1;
                PlannedNode { parts: Vec::new(), need: 1, test: Some(tests), mode: CombineMode::Start }
            }
            PredicateNode::Group { combination, parts } => {
                let mut own: Vec<usize> = (0..*parts).filter_map(|_| open.pop()).collect();
                let need = |part: usize| planned.get(at(part)).map_or(0, |part| part.need);
                let is_group = |part: usize| planned.get(at(part)).is_some_and(|part| part.test.is_none());
                let is_deep = own.iter().any(|&part| is_group(part) && need(part) > MAX_NESTED_MASKS.count());
                let cost_of = |part: usize| planned.get(at(part)).and_then(|part| part.test).map_or(0, cost);
                sort::by_key(&mut own, |&part| match is_group(part) {
                    false => (is_deep, cost_of(part)),
                    true => (!is_deep, usize::MAX - need(part)),
                });
                let extra =
                    own.iter().enumerate().map(|(place, &part)| need(part) + usize::from(place > 0 && is_group(part)));
                PlannedNode { need: extra.max().unwrap_or(1), parts: own, test: None, mode: (*combination).into() }
            }
        };
        planned.push(item);
        open.push(number);
    }
    planned.reverse();
    planned
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};

    fn leaf() -> Condition {
        Condition::new(Comparison::new("a", Some(&[1]), ComparisonOperator::Less).unwrap())
    }

    /// The most marks on the stack at a time, and how many are left.
    fn depth(steps: &[ProgramStep]) -> (usize, usize) {
        let (mut depth, mut most) = (0usize, 0);
        for step in steps {
            match step {
                ProgramStep::Test { mode: CombineMode::Start, .. } => depth += 1,
                ProgramStep::Meet(_) => depth -= 1,
                _ => {}
            }
            most = most.max(depth);
        }
        (most, depth)
    }

    #[test]
    fn leaves_come_first_and_groups_can_be_skipped() {
        let (a, b) = (leaf(), leaf());
        let group = a.combine(&b, Combination::Or);
        let condition = group.combine(&leaf(), Combination::And);
        let predicate = condition.predicate().unwrap();
        let tests = |cost: &dyn Fn(usize) -> usize| {
            let tests = steps(&predicate, cost).into_iter();
            let tests =
                tests.filter_map(|step| if let ProgramStep::Test { test, .. } = step { Some(test) } else { None });
            tests.collect::<Vec<_>>()
        };
        assert_eq!(tests(&|test| 2 - test), [2, 1, 0], "the cheaper one first");
        let steps = steps(&predicate, &|_| 0);
        assert_eq!(
            steps,
            [
                ProgramStep::Test { test: 2, mode: CombineMode::Start },
                ProgramStep::Skip { mode: CombineMode::And, to: 5 },
                ProgramStep::Test { test: 0, mode: CombineMode::Start },
                ProgramStep::Test { test: 1, mode: CombineMode::Or },
                ProgramStep::Meet(CombineMode::And),
            ]
        );
    }

    #[test]
    fn deep_conditions_need_few_marks() {
        let mut deep = leaf();
        for level in 0..100_000 {
            let combination = if level % 2 == 0 { Combination::And } else { Combination::Or };
            deep = if level % 3 == 0 { deep.combine(&leaf(), combination) } else { leaf().combine(&deep, combination) };
        }
        let (most, left) = depth(&steps(&deep.predicate().unwrap(), &|test| test));
        assert!(most <= 10 && left == 1, "{most} {left}");
        let mut full = leaf();
        for level in 0..12 {
            full = full.combine(&full, if level % 2 == 0 { Combination::And } else { Combination::Or });
        }
        let (most, left) = depth(&steps(&full.predicate().unwrap(), &|test| test % 3));
        assert!(most <= 14 && left == 1, "{most} {left}");
    }
}
