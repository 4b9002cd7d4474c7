//! Random histories of arrays.

use std::collections::BTreeMap;

use super::array::{Parameters, TestConsolidation, TestEvolution, TestWrite};
use super::habits::Habits;
use super::judge::identity;
use super::labels::LabelWrite;
use super::model::cells::{Selection, places};
use super::model::condition::{Condition, Operand, Operator};
use super::model::order::Order;
use super::model::schema::Schema;
use super::model::value::Value;
use super::model::{ArrayKind, Cell, Window};
use super::operands::{TestKind, draw_aggregates};
use super::random::Random;
use super::read::ReadOptions;
use super::shape::{ArrayShape, COLORS, ValueKind};
use tiledb_core::types::Layout;

/// What can be done to an array.
#[derive(Clone, Debug)]
pub enum Step {
    Write(u64, TestWrite),
    Delete(u64, Condition),
    Evolve(u64, TestEvolution),
    /// Puts metadata, or deletes those without a value.
    Put(u64, Vec<(String, Option<Vec<u8>>)>),
    /// Merges fragments, up to a time.
    Consolidate(TestConsolidation, MergeEffect),
    /// Consolidates what has no cells.
    ConsolidateOther(&'static str, Parameters),
    /// In a mode; it is stopped after a number of files and folders.
    Vacuum(&'static str, Option<u64>),
    Maintain(Parameters),
    /// Copies the array, with its fragments or merged, and reads the copy.
    Copy(bool),
    Verify,
    /// Labels of the first dimension are written.
    WriteLabels(u64, LabelWrite),
    /// The array of the labels is consolidated, or vacuumed.
    ConsolidateLabels,
    VacuumLabels,
    /// Begins a read that goes on during the next steps.
    BeginRead(Selection, ReadOptions),
    /// Reads on with all reads that have begun.
    ContinueReads,
}

/// What a merge does to the past.
#[derive(Clone, Copy, Debug)]
pub struct MergeEffect {
    pub until: u64,
    pub purges: bool,
}

/// The source of the steps of a history.
pub struct Generator {
    pub random: Random,
    shape: ArrayShape,
    /// The time before all changes.
    epoch: u64,
    /// The time of the last change.
    time: u64,
    /// Changes are later than this.
    min_time: u64,
    /// The number of the next cell.
    next: i64,
    /// The schemas, each since a time.
    schemas: Vec<(u64, Schema)>,
    /// Number of the next attribute that is added.
    next_attribute: usize,
    has_merged: bool,
    pub habits: Habits,
    /// The numbers of the cells of the last sparse write.
    pub last_cells: Vec<i64>,
    /// Whether the last step of its kind was a delete of some of these.
    pub has_deleted: bool,
    /// Conditions are on attributes below this number.
    stable: usize,
}

const OPERATORS: [Operator; 6] = [
    Operator::Less,
    Operator::LessOrEqual,
    Operator::Greater,
    Operator::GreaterOrEqual,
    Operator::Equal,
    Operator::NotEqual,
];

/// Number of attributes that all arrays have at all times.
pub const STABLE: usize = 4;

/// The parameter that drops deleted cells from merged fragments.
pub const PURGE: &str = "sm.consolidation.purge_deleted_cells";

const TEXTS: [&str; 6] = ["", "a", "aa", "b", "bcd", "longest"];

impl Generator {
    pub fn new(mut random: Random, shape: &ArrayShape, epoch: u64) -> Generator {
        let habits = Habits::draw(&mut random, shape);
        Generator {
            random,
            shape: shape.clone(),
            epoch,
            time: epoch + 1,
            min_time: epoch + 1,
            next: 0,
            schemas: vec![(0, shape.created_schema())],
            next_attribute: shape.created,
            has_merged: false,
            habits,
            last_cells: Vec::new(),
            has_deleted: false,
            stable: usize::MAX,
        }
    }

    /// For histories whose schema changes at unknown times: conditions are on attributes that all arrays have, and cells have values of
    /// all attributes of any time, anywhere in the domain. The labels are those that the enumeration always has.
    pub fn concurrent(random: Random, shape: &ArrayShape, epoch: u64) -> Generator {
        let mut generator = Generator::new(random, shape, epoch);
        generator.schemas[0].1.attributes = (0..shape.attributes.len()).collect();
        generator.schemas[0].1.domain = shape.domain();
        generator.stable = STABLE;
        generator
    }

    /// All later changes have later times than those so far.
    fn begin_later(&mut self) {
        self.time += 1;
        self.min_time = self.time;
    }

    pub fn time(&mut self) -> u64 {
        let has_current_domain = self.shape.current_domain.is_some();
        match self.random.below(8) {
            // Earlier than others; often before the current domain had expanded, in whose windows such cells are not visible.
            kind if kind == 0 || has_current_domain && kind > 5 => {
                self.min_time + self.random.below(self.time + 1 - self.min_time)
            }
            1 | 2 => self.time,
            ahead => {
                self.time += ahead - 2;
                self.time
            }
        }
    }

    fn schema(&self, time: u64) -> &Schema {
        let later = self.schemas[1..].iter().rfind(|schema| schema.0 <= time);
        &later.unwrap_or(&self.schemas[0]).1
    }

    fn newest(&self) -> &Schema {
        self.schema(u64::MAX)
    }

    fn value(&mut self, attribute: usize) -> Value {
        let TestKind { kind, nullable } = TestKind::of(&self.shape, attribute);
        if nullable && self.random.one_in(3) {
            return Value::Null;
        }
        match kind {
            ValueKind::Int => Value::Int(self.random.below(5) as i64),
            ValueKind::Byte => Value::Int(self.random.below(4) as i64),
            ValueKind::Real if self.random.one_in(12) => Value::real(f64::NAN),
            ValueKind::Real => Value::real(self.random.below(9) as f64 / 2.0 - 2.0),
            ValueKind::Text => Value::text(self.random.pick(&TEXTS)),
            ValueKind::Pair => Value::List(vec![self.random.below(3) as i64, -1]),
            ValueKind::List => Value::List((0..self.random.below(4)).map(|number| number as i64 - 1).collect()),
            // Indexes without a label, too: libtiledb does not look at them.
            ValueKind::Color if self.random.one_in(12) => Value::Int(self.random.below(COLORS.len() as u64) as i64),
            ValueKind::Color => Value::Int(self.random.below(self.newest().labels.len() as u64) as i64),
        }
    }

    fn cell(&mut self, at: Vec<u8>, attributes: &[usize]) -> Cell {
        let mut values: BTreeMap<usize, Value> =
            attributes.iter().map(|attribute| (*attribute, self.value(*attribute))).collect();
        values.insert(0, Value::Int(self.next));
        self.next += 1;
        Cell { at, values }
    }

    /// Where cells are written: inside the current domain, or rarely anywhere.
    fn written_domain(&mut self) -> Vec<(u8, u8)> {
        let domain = self.newest().domain.clone();
        if domain != self.shape.domain() && self.random.one_in(16) { self.shape.domain() } else { domain }
    }

    /// A write, whatever its time of the newest schema.
    pub fn write(&mut self) -> TestWrite {
        let attributes = self.newest().attributes.clone();
        if self.shape.is_dense() {
            return self.dense_write(&attributes);
        }
        let max = self.random.pick(&[2, 10, 40]);
        let domain = self.written_domain();
        let mut cells = Vec::new();
        for _ in 0..=self.random.below(max) {
            let at = domain.iter().map(|(low, high)| {
                let last = if self.habits.crowds { (high - low).min(1) } else { high - low };
                low + self.random.below(u64::from(last) + 1) as u8
            });
            let at = at.collect();
            cells.push(self.cell(at, &attributes));
        }
        if self.shape.kind == (ArrayKind::Sparse { dups: false }) {
            cells.sort_by(|cell, other| cell.at.cmp(&other.at));
            cells.dedup_by(|cell, other| cell.at == other.at);
        }
        self.last_cells = cells.iter().map(|cell| identity(cell).0).collect();
        if self.shape.cell_order == Layout::Hilbert || !self.random.one_in(4) {
            return TestWrite::unordered(&cells);
        }
        self.sort(Order::Global, &mut cells);
        TestWrite { layout: Layout::GlobalOrder, ranges: Vec::new(), parts: self.parts(cells) }
    }

    fn sort(&self, order: Order, cells: &mut [Cell]) {
        let global = self.shape.order();
        cells.sort_by_key(|cell| global.key(order, &cell.at));
    }

    /// Cells in several submits.
    fn parts(&mut self, cells: Vec<Cell>) -> Vec<Vec<Cell>> {
        let size = 1 + self.random.below(cells.len() as u64) as usize;
        cells.chunks(size).map(<[Cell]>::to_vec).collect()
    }

    fn dense_write(&mut self, attributes: &[usize]) -> TestWrite {
        let dimensions = self.shape.dimensions.clone();
        let domain = self.written_domain();
        // Whole tiles inside of the domain.
        let tiles = dimensions
            .iter()
            .zip(&domain)
            .map(|(dimension, (low, high))| (low.div_ceil(dimension.extent), (high + 1) / dimension.extent));
        let tiles: Vec<(u8, u8)> = tiles.collect();
        let is_global = tiles.iter().all(|(first, end)| first < end)
            && dimensions.iter().all(|dimension| dimension.side % dimension.extent == 0)
            && self.random.one_in(4);
        let mut ranges = Vec::new();
        for (at, dimension) in dimensions.iter().enumerate() {
            let unit = if is_global { dimension.extent } else { 1 };
            let (first, end) = if is_global { tiles[at] } else { (domain[at].0, domain[at].1 + 1) };
            let low = u64::from(first) + self.random.below(u64::from(end - first));
            let high = low + self.random.below(u64::from(end) - low);
            ranges.push((low as u8 * unit, (high as u8 + 1) * unit - 1));
        }
        let layout = match is_global {
            true => Layout::GlobalOrder,
            false => self.random.pick(&[Layout::RowMajor, Layout::ColMajor]),
        };
        let mut cells: Vec<Cell> = places(&ranges).into_iter().map(|at| self.cell(at, attributes)).collect();
        match layout {
            Layout::GlobalOrder => self.sort(Order::Global, &mut cells),
            Layout::ColMajor => self.sort(Order::Column, &mut cells),
            _ => {}
        }
        let parts = if is_global { self.parts(cells) } else { vec![cells] };
        TestWrite { layout, ranges, parts }
    }

    /// A comparison of an attribute, if it is of a kind that has some.
    fn comparison(&mut self, attribute: usize, is_delete: bool) -> Option<Condition> {
        let operand = Operand::Attribute(attribute);
        let TestKind { kind, nullable } = TestKind::of(&self.shape, attribute);
        if nullable && self.random.one_in(6) && kind != ValueKind::Pair && kind != ValueKind::List {
            let is_null = is_delete || self.random.one_in(2);
            let operator = if is_null { Operator::Equal } else { Operator::NotEqual };
            return Some(Condition::Compare(operand, operator, vec![Value::Null]));
        }
        let has_order = kind != ValueKind::Color || self.shape.orders_colors;
        let operator = self.random.pick(if has_order { &OPERATORS } else { &OPERATORS[4..] });
        let mut constant = || match kind {
            ValueKind::Int if attribute == 0 => Value::Int(self.random.below(self.next as u64 + 1) as i64),
            ValueKind::Int => Value::Int(self.random.below(5) as i64),
            ValueKind::Byte => Value::Int(self.random.below(4) as i64),
            ValueKind::Real => Value::real(self.random.below(9) as f64 / 2.0 - 2.0),
            // Not less than the empty text: the stored form of the opposite would stand for null.
            ValueKind::Text => Value::text(self.random.pick(&TEXTS[1..])),
            // The enumeration may not have it.
            _ => Value::text(self.random.pick(&COLORS)),
        };
        if matches!(kind, ValueKind::Pair | ValueKind::List) {
            return None;
        }
        let constants = vec![constant(), constant(), constant()];
        Some(match self.random.below(8) {
            0 if kind != ValueKind::Real => Condition::Compare(operand, Operator::Equal, constants),
            1 if kind != ValueKind::Real => Condition::Compare(operand, Operator::NotEqual, constants),
            _ => Condition::Compare(operand, operator, constants[..1].to_vec()),
        })
    }

    /// A condition on attributes of the schemas of a time and of now.
    pub fn condition(&mut self, time: u64, is_delete: bool) -> Condition {
        let newest = &self.newest().attributes;
        // Merged cells have the fill value of attributes that they lacked.
        let is_stable = |attribute: &usize| {
            *attribute < self.stable && (!is_delete || *attribute < self.shape.created || !self.has_merged)
        };
        let attributes: Vec<usize> = self
            .schema(time)
            .attributes
            .iter()
            .copied()
            .filter(|attribute| newest.contains(attribute) && is_stable(attribute))
            .collect();
        match self.random.below(10) {
            is_or @ 0..=1 => {
                let parts = [self.condition(time, is_delete), self.condition(time, is_delete)];
                // Combinations of the same kind are one.
                let flat = parts.into_iter().flat_map(|part| match part {
                    Condition::And(parts) if is_or == 0 => parts,
                    Condition::Or(parts) if is_or == 1 => parts,
                    part => vec![part],
                });
                if is_or == 1 { Condition::Or(flat.collect()) } else { Condition::And(flat.collect()) }
            }
            2 if !is_delete => Condition::Not(Box::new(self.condition(time, is_delete))),
            3 => {
                let dimension = self.random.below(self.shape.dimensions.len() as u64) as usize;
                let at = self.random.below(u64::from(self.shape.dimensions[dimension].side));
                let operator = self.random.pick(&OPERATORS);
                Condition::Compare(Operand::Dimension(dimension), operator, vec![Value::Int(at as i64)])
            }
            _ => loop {
                let attribute = self.random.pick(&attributes);
                if let Some(condition) = self.comparison(attribute, is_delete) {
                    return condition;
                }
            },
        }
    }

    fn budget(&mut self) -> Option<u64> {
        match self.random.below(3) {
            0 => Some(20_000 + self.random.below(200_000)),
            _ => None,
        }
    }

    pub fn consolidate(&mut self) -> Step {
        let rarity = if self.habits.purges { 2 } else { 6 };
        let purges = self.random.one_in(rarity) && !self.shape.is_dense();
        let mut parameters = vec![(PURGE, purges.to_string())];
        let mut until = u64::MAX;
        if let Some(budget) = self.budget() {
            parameters.push(("sm.mem.total_budget", (4 * budget).to_string()));
        }
        // The sources of several fragments are not read for dropped attributes.
        if !self.habits.drops && self.random.one_in(3) {
            parameters.push(("sm.consolidation.max_fragment_size", (100 + self.random.below(2000)).to_string()));
        }
        if self.random.one_in(6) {
            parameters.push(("sm.consolidation.buffer_size", (100 + self.random.below(2000)).to_string()));
        }
        if self.random.one_in(6) {
            parameters.push(("sm.consolidation.amplification", self.random.pick(&["1.0", "1.5", "4.0"]).to_owned()));
        }
        if self.random.one_in(4) {
            let min = 2 + self.random.below(2);
            parameters.push(("sm.consolidation.step_min_frags", min.to_string()));
            parameters.push(("sm.consolidation.step_max_frags", (min + self.random.below(3)).to_string()));
            parameters.push(("sm.consolidation.steps", (1 + self.random.below(3)).to_string()));
            if self.random.one_in(2) {
                parameters.push(("sm.consolidation.step_size_ratio", "0.5".to_owned()));
            }
        }
        if self.random.one_in(rarity) {
            let start = self.past(1);
            until = start + if self.habits.purges { 100 } else { self.random.below(10) };
            parameters.push(("sm.consolidation.timestamp_start", start.to_string()));
            parameters.push(("sm.consolidation.timestamp_end", until.to_string()));
        }
        let picks = self.random.one_in(rarity.max(4)).then(|| match self.random.below(2) {
            0 => (0..12).filter(|_| self.random.one_in(2)).collect(),
            _ => (1 + self.random.below(2) as usize..12).collect(),
        });
        if picks.is_some() {
            until = u64::MAX;
        }
        self.merged(purges);
        Step::Consolidate(TestConsolidation { parameters, picks }, MergeEffect { until, purges })
    }

    /// Fragments are merged. A dense fragment of a time between those of merged ones would hide newer cells.
    pub fn merged(&mut self, purges: bool) {
        self.has_merged = true;
        if purges || self.shape.is_dense() || self.shape.has_label {
            self.begin_later();
        }
    }

    fn evolve(&mut self) -> Option<Step> {
        let newest = self.newest().clone();
        // The first attribute identifies cells.
        let dropped: Vec<usize> = newest.attributes[1..].to_vec();
        let is_drop = self.next_attribute == self.shape.attributes.len() || self.habits.drops || self.random.one_in(3);
        let change = match if self.habits.drops { 8 } else { self.random.below(8) } {
            0..=2 if newest.domain != self.shape.domain() => TestEvolution::Expand(self.expanded(&newest.domain)),
            // Refused, unless it is the current domain.
            3 if newest.domain != self.shape.created_schema().domain => {
                TestEvolution::Expand(self.shape.created_schema().domain)
            }
            4 | 5 if (1..COLORS.len()).contains(&newest.labels.len()) => {
                TestEvolution::Extend(newest.labels.len() + 1 + self.random.below(2) as usize)
            }
            _ if is_drop && dropped.len() < 3 => return None,
            _ if is_drop => TestEvolution::Drop(self.random.pick(&dropped)),
            _ => {
                self.next_attribute += 1;
                TestEvolution::Add(self.next_attribute - 1)
            }
        };
        let change = match change {
            TestEvolution::Extend(count) => TestEvolution::Extend(count.min(COLORS.len())),
            change => change,
        };
        self.time += 1;
        let evolved = change.apply(&newest);
        if newest.can_become(&evolved) {
            self.schemas.push((self.time, evolved));
        }
        Some(Step::Evolve(self.time, change))
    }

    /// A larger current domain.
    fn expanded(&mut self, domain: &[(u8, u8)]) -> Vec<(u8, u8)> {
        let whole = self.shape.domain();
        let mut expand = |(range, whole): (&(u8, u8), &(u8, u8))| {
            let low = range.0 - self.random.below(u64::from(range.0 - whole.0) + 1) as u8;
            (low, range.1 + self.random.below(u64::from(whole.1 - range.1) + 1) as u8)
        };
        domain.iter().zip(&whole).map(&mut expand).collect()
    }

    pub fn put(&mut self) -> Step {
        let time = self.time();
        let mut entry = || {
            let value =
                (!self.random.one_in(3)).then(|| vec![self.random.below(256) as u8; 1 + self.random.below(3) as usize]);
            (format!("key{}", self.random.below(3)), value)
        };
        let entries = if time.is_multiple_of(2) { vec![entry()] } else { vec![entry(), entry()] };
        let mut entries: BTreeMap<String, Option<Vec<u8>>> = entries.into_iter().collect();
        Step::Put(time, std::mem::take(&mut entries).into_iter().collect())
    }

    pub fn maintain(&mut self) -> Step {
        let mut parameters = vec![
            ("sm.maintenance.max_fragments", (1 + self.random.below(4)).to_string()),
            ("sm.maintenance.max_commits", (1 + self.random.below(6)).to_string()),
            ("sm.maintenance.max_fragment_metadata", (1 + self.random.below(6)).to_string()),
        ];
        if self.random.one_in(2) {
            parameters.push(("sm.consolidation.max_fragment_size", (100 + self.random.below(2000)).to_string()));
        }
        let purges = !self.shape.is_dense() && self.random.one_in(if self.habits.purges { 2 } else { 6 });
        if purges {
            parameters.push((PURGE, "true".to_owned()));
        }
        self.merged(purges);
        Step::Maintain(parameters)
    }

    /// A step with the labels.
    fn label_step(&mut self) -> Step {
        match self.random.below(8) {
            0 => {
                self.begin_later();
                Step::ConsolidateLabels
            }
            1 => Step::VacuumLabels,
            _ => {
                let time = self.time();
                Step::WriteLabels(time, LabelWrite::draw(&self.shape, &mut self.random))
            }
        }
    }

    pub fn step(&mut self) -> Step {
        if self.shape.has_label && self.random.one_in(4) {
            return self.label_step();
        }
        if self.habits.drops && self.random.one_in(2) {
            return match self.random.below(4) {
                0 => self.consolidate(),
                1 => self.evolve().unwrap_or(Step::Verify),
                _ => self.vacuum("fragments"),
            };
        }
        if self.habits.purges && !self.random.one_in(3) {
            return self.purging_step();
        }
        let is_plain = self.shape.attributes.len() == 4 && !self.shape.encrypts && self.shape.current_domain.is_none();
        match self.random.below(if is_plain { 18 } else { 22 }) {
            0..=5 => {
                let time = self.time();
                Step::Write(time, self.write())
            }
            6..=8 if self.shape.is_dense() => {
                let time = self.time();
                Step::Write(time, self.write())
            }
            6..=8 => {
                let time = self.time();
                Step::Delete(time, self.condition(time, true))
            }
            9..=11 => self.consolidate(),
            12 => Step::ConsolidateOther(self.random.pick(&["commits", "fragment_meta"]), Vec::new()),
            13 | 14 => self.vacuum("fragments"),
            15 => {
                let mode = self.random.pick(&["commits", "fragment_meta"]);
                self.vacuum(mode)
            }
            16 => match self.random.below(8) {
                0 => Step::Copy(self.random.one_in(2)),
                1 | 2 => Step::Verify,
                3 | 4 => self.maintain(),
                _ => self.begin_read(),
            },
            17 => Step::ContinueReads,
            18 | 19 => self.evolve().unwrap_or(Step::Verify),
            20 => self.put(),
            _ if self.random.one_in(2) => Step::ConsolidateOther("array_meta", Vec::new()),
            _ => self.vacuum("array_meta"),
        }
    }

    fn vacuum(&mut self, mode: &'static str) -> Step {
        let rarity = if self.habits.drops { 2 } else { 4 };
        Step::Vacuum(mode, self.random.one_in(rarity).then(|| 1 + self.random.below(4)))
    }

    fn begin_read(&mut self) -> Step {
        let mut options = self.read_options();
        options.cells = options.cells.min(4);
        let selection = self.selection(options.layout);
        Step::BeginRead(selection, options)
    }

    /// Times between which cells may be read.
    pub fn window(&mut self) -> Window {
        let evolved = self.schemas.last().map_or(0, |schema| schema.0);
        let end = match self.random.below(3) {
            0 => u64::MAX,
            1 if self.habits.drops && evolved > self.epoch => evolved - 1,
            _ => self.past(2),
        };
        let start = if self.random.one_in(4) { self.past(1).min(end) } else { 0 };
        (start, end)
    }

    /// A time before that of the last change and so many more.
    pub fn past(&mut self, later: u64) -> u64 {
        self.epoch + self.random.below(self.time + later - self.epoch)
    }

    pub fn selection(&mut self, layout: Layout) -> Selection {
        let window = self.window();
        let mut selection = Selection::all(self.shape.dimensions.len(), window);
        let is_global = layout == Layout::GlobalOrder;
        let domain = self.schema(window.1).domain.clone();
        let whole = self.shape.domain();
        let domain = if domain != whole && self.random.one_in(20) { whole } else { domain };
        for (domain, ranges) in domain.iter().zip(&mut selection.ranges) {
            let mut next = domain.0;
            let count = if is_global { 2 } else { 3 };
            for _ in 0..self.random.below(count) {
                let low = next + self.random.below(6) as u8;
                let high = low + self.random.below(8) as u8;
                if low <= domain.1 && !(is_global && self.shape.is_dense()) {
                    ranges.push((low, high.min(domain.1)));
                }
                next = high.saturating_add(1);
            }
        }
        if self.random.one_in(3) {
            selection.condition = Some(self.condition(window.1, false));
        }
        selection
    }

    pub fn read_options(&mut self) -> ReadOptions {
        let layouts = [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder, Layout::Unordered];
        let layouts = if self.shape.cell_order == Layout::Hilbert { &layouts[2..] } else { &layouts[..] };
        let cells = self.random.pick(&[2, 7, 500]);
        let layout = self.random.pick(layouts);
        let has_aggregates = self.shape.is_dense() || matches!(layout, Layout::GlobalOrder | Layout::Unordered);
        let aggregates = if has_aggregates && self.random.one_in(4) {
            draw_aggregates(&mut self.random, &self.shape)
        } else {
            Vec::new()
        };
        ReadOptions { layout, cells: 1 + self.random.below(cells) as usize, budget: self.budget(), aggregates }
    }
}
