//! Selection masks: a byte for each cell, 1 for selected ones and 0 for the others.

/// Mask bytes that are tested together.
const BLOCK: usize = 256;

/// True if a cell is marked.
pub fn any(marks: &[u8]) -> bool {
    // Blocks without an early exit, which the compiler turns into wide instructions; a search for a byte has none.
    marks.chunks(BLOCK).any(|marks| marks.iter().fold(0, |any, mark| any | mark) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_is_seen_wherever_it_stands() {
        for len in [0, 1, BLOCK, 3 * BLOCK + 7] {
            let mut marks = vec![0; len];
            assert!(!any(&marks));
            for at in 0..len {
                marks[at] = 1;
                assert!(any(&marks), "{at} of {len}");
                marks[at] = 0;
            }
        }
    }
}
