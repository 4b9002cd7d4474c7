//! Random histories of arrays.

use super::model::{Cell, Selection, Test};
use tiledb_array::condition::ComparisonOperator;
use tiledb_core::types::Layout;
use tiledb_filters::filter::FilterType;

/// A generator of numbers (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % end
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize].clone()
    }
}

/// The schema of an array.
#[derive(Clone, Debug)]
pub(super) struct ArrayShape {
    pub(super) dimensions: usize,
    /// Number of coordinates along a dimension.
    pub(super) side: u8,
    pub(super) extent: u8,
    /// The first dimension has texts.
    pub(super) has_texts: bool,
    pub(super) dups: bool,
    pub(super) cell_order: Layout,
    pub(super) tile_order: Layout,
    pub(super) capacity: u64,
    pub(super) text_filter: Option<FilterType>,
    /// Coordinates, offsets and validity have the default filters, or none.
    pub(super) compresses: bool,
}

impl ArrayShape {
    pub(super) fn draw(random: &mut Random) -> ArrayShape {
        let side = 1 + random.below(20) as u8;
        ArrayShape {
            dimensions: 1 + random.below(2) as usize,
            side,
            extent: 1 + random.below(u64::from(side)) as u8,
            has_texts: random.one_in(4),
            dups: random.one_in(2),
            cell_order: random.pick(&[Layout::RowMajor, Layout::ColMajor, Layout::Hilbert]),
            tile_order: random.pick(&[Layout::RowMajor, Layout::ColMajor]),
            capacity: 1 + random.below(8),
            text_filter: random.pick(&[None, None, Some(FilterType::Rle), Some(FilterType::Dictionary)]),
            compresses: random.one_in(4),
        }
    }
}

/// What can be done to an array.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Write(u64, Vec<Cell>),
    Delete(u64, Test),
    Consolidate {
        settings: Vec<(&'static str, String)>,
        purges: bool,
        /// The positions of the fragments, if not all.
        picks: Option<Vec<usize>>,
    },
    Vacuum(&'static str),
}

/// How a read is done; without influence on the cells that it returns.
#[derive(Clone, Debug)]
pub(super) struct ReadOptions {
    pub(super) layout: Layout,
    /// Cells that a submit returns at most.
    pub(super) cells: usize,
    pub(super) budget: Option<u64>,
}

/// The source of the steps of a history.
pub(super) struct Generator {
    random: Random,
    shape: ArrayShape,
    /// The time of the last write or delete.
    time: u64,
    /// Writes and deletes are later than this.
    least_time: u64,
    /// The number of the next cell.
    next: i32,
}

const OPERATORS: [ComparisonOperator; 6] = [
    ComparisonOperator::Less,
    ComparisonOperator::LessOrEqual,
    ComparisonOperator::Greater,
    ComparisonOperator::GreaterOrEqual,
    ComparisonOperator::Equal,
    ComparisonOperator::NotEqual,
];

const TEXTS: [&str; 6] = ["", "a", "aa", "b", "bcd", "longest"];

impl Generator {
    pub(super) fn new(random: Random, shape: &ArrayShape) -> Generator {
        Generator { random, shape: shape.clone(), time: 1, least_time: 1, next: 0 }
    }

    /// All later writes and deletes have later times than those so far.
    fn begin_later(&mut self) {
        self.time += 1;
        self.least_time = self.time;
    }

    fn time(&mut self) -> u64 {
        match self.random.below(8) {
            // Earlier than others.
            0 => self.least_time + self.random.below(self.time + 1 - self.least_time),
            1 | 2 => self.time,
            ahead => {
                self.time += ahead - 2;
                self.time
            }
        }
    }

    fn cell(&mut self) -> Cell {
        let mut coordinate = |is_present: bool| {
            if is_present { self.random.below(u64::from(self.shape.side)) as u8 } else { 0 }
        };
        let at = [coordinate(true), coordinate(self.shape.dimensions > 1)];
        self.next += 1;
        Cell {
            at,
            number: self.next - 1,
            small: self.random.below(4) as u8,
            text: self.random.pick(&TEXTS).to_owned(),
            nullable: (!self.random.one_in(3)).then(|| self.random.below(5) as i32),
        }
    }

    fn write(&mut self) -> Step {
        let most = self.random.pick(&[2, 10, 40]);
        let mut cells: Vec<Cell> = (0..=self.random.below(most)).map(|_| self.cell()).collect();
        if !self.shape.dups {
            cells.sort_by_key(|cell| cell.at);
            cells.dedup_by_key(|cell| cell.at);
        }
        Step::Write(self.time(), cells)
    }

    /// A condition; on attributes that can be null only if `nulls` is set.
    pub(super) fn condition(&mut self) -> Test {
        let operator = self.random.pick(&OPERATORS);
        match self.random.below(7) {
            0 | 1 => Test::Number(operator, self.random.below(self.next as u64 + 1) as i32),
            2 => Test::Small(operator, self.random.below(4) as u8),
            // Not less than the empty text: the stored form of the opposite would stand for null.
            3 => Test::Text(operator, self.random.pick(&TEXTS[1..]).to_owned()),
            4 => Test::Both(Box::new(self.condition()), Box::new(self.condition())),
            5 => Test::Either(Box::new(self.condition()), Box::new(self.condition())),
            _ => Test::Nullable(operator, self.random.below(5) as i32),
        }
    }

    fn budget(&mut self) -> Option<u64> {
        match self.random.below(3) {
            0 => Some(20_000 + self.random.below(200_000)),
            _ => None,
        }
    }

    fn consolidate(&mut self) -> Step {
        let purges = self.random.one_in(6);
        let mut settings = vec![("sm.consolidation.purge_deleted_cells", purges.to_string())];
        if let Some(budget) = self.budget() {
            settings.push(("sm.mem.total_budget", (4 * budget).to_string()));
        }
        if self.random.one_in(3) {
            settings.push(("sm.consolidation.max_fragment_size", (100 + self.random.below(2000)).to_string()));
        }
        if self.random.one_in(4) {
            let least = 2 + self.random.below(2);
            settings.push(("sm.consolidation.step_min_frags", least.to_string()));
            settings.push(("sm.consolidation.step_max_frags", (least + self.random.below(3)).to_string()));
            settings.push(("sm.consolidation.steps", (1 + self.random.below(3)).to_string()));
            if self.random.one_in(2) {
                settings.push(("sm.consolidation.step_size_ratio", "0.5".to_owned()));
            }
        }
        if self.random.one_in(6) {
            let start = self.random.below(self.time + 1);
            settings.push(("sm.consolidation.timestamp_start", start.to_string()));
            settings.push(("sm.consolidation.timestamp_end", (start + self.random.below(10)).to_string()));
        }
        let picks = self.random.one_in(6).then(|| (0..12).filter(|_| self.random.one_in(2)).collect());
        if purges {
            self.begin_later();
        }
        Step::Consolidate { settings, purges, picks }
    }

    pub(super) fn step(&mut self) -> Step {
        match self.random.below(16) {
            0..=5 => self.write(),
            6..=8 => {
                let condition = self.condition();
                Step::Delete(self.time(), condition)
            }
            9..=11 => self.consolidate(),
            12 => Step::Consolidate {
                settings: vec![("sm.consolidation.mode", self.random.pick(&["commits", "fragment_meta"]).to_owned())],
                purges: false,
                picks: None,
            },
            13 | 14 => Step::Vacuum("fragments"),
            _ => Step::Vacuum(self.random.pick(&["commits", "fragment_meta"])),
        }
    }

    /// Times between which cells may be read.
    pub(super) fn window(&mut self) -> (u64, u64) {
        let end = if self.random.one_in(3) { u64::MAX } else { self.random.below(self.time + 2) };
        let start = if self.random.one_in(4) { self.random.below(end.min(self.time) + 1) } else { 0 };
        (start, end)
    }

    pub(super) fn selection(&mut self, layout: Layout) -> Selection {
        let window = self.window();
        let mut ranges = [Vec::new(), Vec::new()];
        for ranges in ranges.iter_mut().take(self.shape.dimensions) {
            let mut next = 0;
            let count = if layout == Layout::GlobalOrder { 2 } else { 3 };
            for _ in 0..self.random.below(count) {
                let low = next + self.random.below(6) as u8;
                let high = low + self.random.below(8) as u8;
                if low < self.shape.side {
                    ranges.push((low, high.min(self.shape.side - 1)));
                }
                next = high.saturating_add(1);
            }
        }
        let condition = self.random.one_in(3).then(|| self.condition());
        Selection { window, ranges, condition }
    }

    pub(super) fn read_options(&mut self) -> ReadOptions {
        let layouts = [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder, Layout::Unordered];
        let layouts = if self.shape.cell_order == Layout::Hilbert { &layouts[2..] } else { &layouts[..] };
        let cells = self.random.pick(&[2, 7, 500]);
        ReadOptions {
            layout: self.random.pick(layouts),
            cells: 1 + self.random.below(cells) as usize,
            budget: self.budget(),
        }
    }
}
