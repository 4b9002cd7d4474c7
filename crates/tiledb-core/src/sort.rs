//! Stable sort of lists that are short or seldom sorted.
//!
//! Each type and order that the standard sorts are called with is 4 to 10 kB of code. Here only an index sort is compiled, once,
//! which calls the order through a pointer. Cells and their keys are sorted elsewhere, by sorts of their own types.

use std::cmp::Ordering;

/// Sorts by an order; equal items stay in their order.
pub fn by<T>(items: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    if items.is_sorted_by(|a, b| order(a, b).is_le()) {
        return;
    }
    let places = sorted_indexes(items.len(), &mut |a, b| order(&items[a], &items[b]));
    arrange(places, &mut |a, b| items.swap(a, b));
}

/// Sorts by a key.
pub fn by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

fn sorted_indexes(len: usize, order: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..len).collect();
    indexes.sort_by(|&a, &b| order(a, b));
    indexes
}

/// Brings the item at `places[n]` to place n, along the cycles of the permutation.
fn arrange(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..places.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut places[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_standard_sort(items in prop::collection::vec((0_u8..20, any::<u8>()), 0..200)) {
            let (mut expected, mut actual) = (items.clone(), items.clone());
            expected.sort_by_key(|item| item.0);
            by_key(&mut actual, |item| item.0);
            prop_assert_eq!(&actual, &expected);
            expected.sort_by_key(|item| std::cmp::Reverse(item.1));
            by_key(&mut actual, |item| std::cmp::Reverse(item.1));
            prop_assert_eq!(actual, expected);
        }
    }
}
