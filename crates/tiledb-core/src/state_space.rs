//! Visits all states that the processes of a protocol can reach: the models of protocols are explored by it.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

/// Visits all states that can be reached from `start`, and returns their number. `visit` judges a state and adds those after one more
/// step. States are visited in the order of their distance from `start`: the first one that is wrong is among the nearest.
///
/// # Errors
/// That of `visit` at a state that is wrong.
pub fn explore<S: Clone + Eq + Hash, E>(
    start: S,
    mut visit: impl FnMut(&S, &mut Vec<S>) -> Result<(), E>,
) -> Result<usize, E> {
    let mut visited = HashSet::from([start.clone()]);
    let mut pending = VecDeque::from([start]);
    let mut successors = Vec::new();
    while let Some(state) = pending.pop_front() {
        visit(&state, &mut successors)?;
        for next in successors.drain(..) {
            if visited.insert(next.clone()) {
                pending.push_back(next);
            }
        }
    }
    Ok(visited.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers are doubled or become their successor, up to 100.
    fn visit(number: &u32, successors: &mut Vec<u32>) -> Result<(), u32> {
        successors.extend([number * 2, number + 1].into_iter().filter(|next| *next <= 100));
        Ok(())
    }

    #[test]
    fn every_state_is_visited_once() {
        let mut visits = Vec::new();
        let states = explore(1, |number, successors| {
            visits.push(*number);
            visit(number, successors)
        });
        assert_eq!(states, Ok(100));
        visits.sort_unstable();
        assert_eq!(visits, Vec::from_iter(1..=100));
    }

    #[test]
    fn the_nearest_wrong_state_is_reported() {
        // 7 is four steps away (2, 3, 6, 7), 64 six.
        let reported = explore(
            1,
            |number, successors| {
                if [7, 64].contains(number) { Err(*number) } else { visit(number, successors) }
            },
        );
        assert_eq!(reported, Err(7));
    }
}
