//! libtiledb's selection of the fragments that a step of consolidation merges (`FragmentConsolidator::compute_next_to_consolidate`
//! of version 2.30), for sparse arrays and on sizes only: what the policy is compared with. Tests of the root package compare
//! it with consolidations by libtiledb.

use std::ops::Range;

/// `sm.consolidation.steps`, `step_min_frags`, `step_max_frags` and `step_size_ratio`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferenceSteps {
    pub steps: u32,
    pub min_fragments: u32,
    pub max_fragments: u32,
    pub size_ratio: f32,
}

impl ReferenceSteps {
    /// The defaults: all fragments are merged into one.
    pub(super) const DEFAULT: ReferenceSteps =
        ReferenceSteps { steps: u32::MAX, min_fragments: u32::MAX, max_fragments: u32::MAX, size_ratio: 0.0 };

    /// The fragments of the next step, by their sizes in the order of time.
    pub(super) fn choose(&self, sizes: &[u64]) -> Option<Range<usize>> {
        let count = sizes.len();
        let [min, max] = [self.min_fragments, self.max_fragments].map(|limit| (limit as usize).min(count));
        // The longest run from each fragment.
        let run = |first: usize| {
            let go_together = |at: &usize| {
                let ratio = sizes[at - 1] as f32 / sizes[*at] as f32;
                (if ratio <= 1.0 { ratio } else { 1.0 / ratio }) >= self.size_ratio
            };
            1 + (first + 1..count.min(first + max)).take_while(go_together).count()
        };
        let runs: Vec<usize> = (0..count).map(run).collect();
        let longest = runs.iter().copied().max().filter(|longest| *longest >= min.max(2))?;
        // Of equally many, the first one, unless another one is smaller by a fifth.
        let mut best: Option<(usize, u64)> = None;
        for first in (0..count).filter(|&first| runs[first] == longest) {
            let size: u64 = sizes[first..first + longest].iter().sum();
            if best.is_none_or(|(_, least)| (size as f64) < least as f64 / 1.25) {
                best = Some((first, size));
            }
        }
        best.map(|(first, _)| first..first + longest)
    }

    /// Consolidates: the bytes that are written. The size of a fragment is the sum of those that it was merged from.
    pub(super) fn consolidate(&self, sizes: &mut Vec<u64>) -> u64 {
        let mut written = 0;
        for _ in 0..self.steps {
            let Some(chosen) = self.choose(sizes) else { break };
            let size = sizes[chosen.clone()].iter().sum();
            sizes.splice(chosen, [size]);
            written += size;
        }
        written
    }
}
