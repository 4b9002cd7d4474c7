//! Row- and column-major reads of sparse arrays in little memory, against a plain model: few or many distinct values along
//! the slowest dimension, integers, floating-point numbers or strings, duplicates or not, several fragments, deletes, conditions, time travel.
//!
//! `SEEDS=FROM..TO` runs other seeds.

use std::collections::BTreeMap;
use std::sync::Arc;
use tiledb_core::limits::simulation::SimulatedLimits;

use super::{Query, Status};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, Cell as _, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Seeds of every run.
const SEEDS: std::ops::Range<u64> = 0..150;
/// The upper bound of the second dimension.
const MOST: i32 = 400;

/// A generator of numbers (splitmix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % end
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// A cell: its coordinates, and a number that tells cells apart.
type Cell = (String, i32, i32);

/// An array, and what was written to it.
struct Model {
    /// Of the first dimension.
    datatype: Datatype,
    dups: bool,
    /// Numbers have all values of their type.
    is_wide: bool,
    /// Cells with the time of their write.
    cells: Vec<(u64, Cell)>,
    /// Of all cells written until a time those with lesser numbers were deleted.
    deletes: Vec<(u64, i32)>,
}

impl Model {
    fn is_text(&self) -> bool {
        self.datatype == Datatype::StringAscii
    }

    /// What a read up to a time finds of cells whose numbers are at least `least`.
    fn expected_cells(&self, end: u64, least: i32, is_selected: impl Fn(&Cell) -> bool) -> Vec<Cell> {
        let is_alive = |&(time, ref cell): &(u64, Cell)| {
            !self.deletes.iter().any(|&(at, number)| at <= end && time <= at && cell.2 < number)
        };
        let mut versions: Vec<&(u64, Cell)> = self.cells.iter().filter(|cell| cell.0 <= end).collect();
        if !self.dups {
            let latest: BTreeMap<(&str, i32), &(u64, Cell)> =
                versions.iter().map(|cell| ((&*cell.1.0, cell.1.1), *cell)).collect();
            versions = latest.into_values().collect();
        }
        let alive = versions.into_iter().filter(|cell| is_alive(cell) && cell.1.2 >= least && is_selected(&cell.1));
        let mut cells: Vec<Cell> = alive.map(|cell| cell.1.clone()).collect();
        cells.sort();
        cells
    }
}

fn schema(model: &Model, random: &mut Random) -> ArraySchema {
    let number = |name: &str| {
        let bounds = if model.is_wide { [i32::MIN, i32::MAX - 2 * MOST] } else { [0i32, MOST] };
        let extent = (1 + random_extent(name, model)).to_le_bytes();
        Dimension::new(name, Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent)).unwrap()
    };
    let mut domain = Domain::new();
    domain.add(Arc::new(match model.datatype {
        Datatype::StringAscii => Dimension::new("s", Datatype::StringAscii, None, None).unwrap(),
        Datatype::Float64 => {
            let (bounds, extent) = ([-1e6, 1e6], (f64::from(MOST) / 4.0).to_le_bytes());
            let extent = model.dups.then_some(&extent[..]);
            Dimension::new("s", Datatype::Float64, Some(bytemuck::cast_slice(&bounds)), extent).unwrap()
        }
        _ => number("s"),
    }));
    domain.add(Arc::new(number("p")));
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(domain)).unwrap();
    let orders = [Layout::RowMajor, Layout::ColMajor, Layout::Hilbert];
    schema.set_cell_order(orders[random.below(3) as usize]).unwrap();
    schema.set_tile_order(orders[random.below(2) as usize]).unwrap();
    schema.set_capacity(1 + random.below(40)).unwrap();
    schema.set_allows_dups(model.dups).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    schema
}

/// Tiles are as wide as the domain, or a quarter of it.
fn random_extent(name: &str, model: &Model) -> i32 {
    if (name == "p") == model.dups { MOST } else { MOST / 4 }
}

/// The coordinates of a place along the first dimension.
fn texts(model: &Model, value: &str) -> Vec<u8> {
    match model.datatype {
        Datatype::StringAscii => value.as_bytes().to_vec(),
        Datatype::Float64 => value.parse::<f64>().unwrap().to_le_bytes().to_vec(),
        _ => value.parse::<i32>().unwrap().to_le_bytes().to_vec(),
    }
}

struct Buffers {
    first: Vec<u8>,
    offsets: Vec<u64>,
    numbers: [Vec<i32>; 2],
    sizes: [u64; 4],
}

impl Buffers {
    fn of(capacity: usize) -> Buffers {
        Buffers {
            first: vec![0; 24 * capacity],
            offsets: vec![0; capacity],
            numbers: std::array::from_fn(|_| vec![0; capacity]),
            sizes: [0; 4],
        }
    }

    fn attach(&mut self, query: &mut Query, model: &Model) {
        let bytes = |numbers: &Vec<i32>| 4 * numbers.len() as u64;
        self.sizes =
            [self.first.len() as u64, 8 * self.offsets.len() as u64, bytes(&self.numbers[0]), bytes(&self.numbers[1])];
        let [first, offsets, p, a] = self.sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer("s", UserPtr::in_test(self.first.as_mut_ptr()), first).unwrap();
        if model.is_text() {
            query.set_offsets_buffer("s", UserPtr::in_test(self.offsets.as_mut_ptr().cast()), offsets).unwrap();
        }
        for ((name, numbers), size) in ["p", "a"].into_iter().zip(&mut self.numbers).zip([p, a]) {
            query.set_data_buffer(name, UserPtr::in_test(numbers.as_mut_ptr().cast()), size).unwrap();
        }
    }

    fn cells(&self, model: &Model) -> Vec<Cell> {
        let count = self.sizes[2] as usize / 4;
        let value = |cell: usize| match model.datatype {
            Datatype::StringAscii => {
                let end = if cell + 1 < count { self.offsets[cell + 1] } else { self.sizes[0] };
                String::from_utf8(self.first[self.offsets[cell] as usize..end as usize].to_vec()).unwrap()
            }
            Datatype::Float64 => f64::from_le_bytes(self.first[8 * cell..][..8].try_into().unwrap()).to_string(),
            _ => i32::from_le_bytes(self.first[4 * cell..][..4].try_into().unwrap()).to_string(),
        };
        (0..count).map(|cell| (value(cell), self.numbers[0][cell], self.numbers[1][cell])).collect()
    }
}

/// What cells are ordered by.
fn key(model: &Model, cell: &Cell, layout: Layout) -> (Vec<u8>, Vec<u8>) {
    let first = match model.datatype {
        Datatype::StringAscii => cell.0.clone().into_bytes(),
        // Zeros are equal, whatever their sign.
        Datatype::Float64 => (cell.0.parse::<f64>().unwrap() + 0.0).to_key().to_be_bytes().to_vec(),
        _ => cell.0.parse::<i32>().unwrap().to_be_bytes().to_vec(),
    };
    let second = cell.1.to_be_bytes().to_vec();
    if layout == Layout::RowMajor { (first, second) } else { (second, first) }
}

fn less_than(number: i32, operator: ComparisonOperator) -> Condition {
    Condition::new(Comparison::new("a", Some(&number.to_le_bytes()), operator).unwrap())
}

fn write(array: &Arc<OpenArray>, model: &Model, cells: &[Cell]) {
    let mut buffers = Buffers::of(0);
    for (first, second, number) in cells {
        buffers.offsets.push(buffers.first.len() as u64);
        buffers.first.extend(texts(model, first));
        buffers.numbers[0].push(*second);
        buffers.numbers[1].push(*number);
    }
    let mut query = Query::new(array, QueryType::Write).unwrap();
    query.set_layout(Layout::Unordered).unwrap();
    buffers.attach(&mut query, model);
    query.submit().unwrap();
}

/// Reads the cells in order with a memory budget, as a list for each submit.
fn read(
    array: &Arc<OpenArray>,
    model: &Model,
    (first, second): (Option<&str>, &[(i32, i32)]),
    (layout, budget): (Layout, u64),
    least: i32,
    capacity: usize,
) -> Vec<Vec<Cell>> {
    let mut subarray = Subarray::new(array.schema());
    if let Some(first) = first {
        let value = texts(model, first);
        match model.is_text() {
            true => subarray.add_range_var(0, &value, &value).unwrap(),
            false => subarray.add_range(0, &value, &value).unwrap(),
        }
    }
    for (low, high) in second {
        subarray.add_range(1, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
    }
    let mut query = Query::new(array, QueryType::Read).unwrap();
    let mut config = Config::new();
    config.set("sm.mem.total_budget", &budget.to_string()).unwrap();
    query.set_config(&config).unwrap();
    query.set_layout(layout).unwrap();
    query.set_subarray(&subarray).unwrap();
    if least > 0 {
        query.set_condition(Some(less_than(least, ComparisonOperator::GreaterOrEqual))).unwrap();
    }
    // Buffers of some reads become larger from submit to submit.
    let growth = capacity % 3 * 5;
    let mut submits = Vec::new();
    loop {
        let mut buffers = Buffers::of(capacity + growth * submits.len());
        buffers.attach(&mut query, model);
        query.submit().unwrap();
        let cells = buffers.cells(model);
        let is_done = query.status() == Status::Completed;
        assert!(is_done || !cells.is_empty(), "a submit without progress");
        submits.push(cells);
        if is_done {
            return submits;
        }
    }
}

fn run(seed: u64) {
    let mut random = Random(seed);
    let datatype = [Datatype::StringAscii, Datatype::Int32, Datatype::Float64][random.below(3) as usize];
    let (dups, is_wide) = (random.one_in(2), random.one_in(3));
    let mut model = Model { datatype, dups, is_wide, cells: Vec::new(), deletes: Vec::new() };
    let budget = if random.one_in(4) { 1 << 30 } else { 24_000 + random.below(60_000) };
    let mut config = Config::new();
    config.set("sm.mem.total_budget", &budget.to_string()).unwrap();
    let resources = Resources::new(config).unwrap();
    let uri = Uri::parse(&format!("mem://ordered/{seed}")).unwrap();
    let none = EncryptionKey::None;
    let schema = schema(&model, &mut random);
    create(&resources, &uri, &schema, &none).unwrap();
    let open = |kind, time| Arc::new(OpenArray::open(&resources, &uri, kind, (0, time), &none).unwrap());

    // One value, two, or many; strings that differ only after their first eight bytes, too.
    let values = [1, 2, MOST as u64][random.below(3) as usize];
    let seconds = if random.one_in(4) { 3 } else { MOST as u64 };
    let prefix = if random.one_in(2) { "" } else { "long_prefix_" };
    let (writes, mut number, mut time) = (1 + random.below(5), 0, 0);
    for _ in 0..writes {
        time += 10;
        let mut coordinates = std::collections::HashSet::new();
        let mut cells: Vec<Cell> = Vec::new();
        for _ in 0..1 + random.below(150) {
            let value = random.below(values);
            let first = match model.datatype {
                Datatype::StringAscii => format!("{prefix}{value}"),
                // At the same place, but another coordinate.
                Datatype::Float64 if value == 0 && random.one_in(2) => "-0".to_owned(),
                Datatype::Float64 => (value as f64 * -0.375 + 0.0).to_string(),
                _ => value.to_string(),
            };
            let second = random.below(seconds) as i32;
            if model.dups || coordinates.insert((first.clone(), second)) {
                cells.push((first, second, number));
                number += 1;
            }
        }
        write(&open(QueryType::Write, time), &model, &cells);
        model.cells.extend(cells.into_iter().map(|cell| (time, cell)));
        if random.one_in(4) {
            time += 10;
            let least = random.below(number as u64 + 1) as i32;
            let mut query = Query::new(&open(QueryType::Delete, time), QueryType::Delete).unwrap();
            query.set_condition(Some(less_than(least, ComparisonOperator::Less))).unwrap();
            query.submit().unwrap();
            model.deletes.push((time, least));
        }
    }
    for _ in 0..6 {
        let end = if random.one_in(3) { random.below(time + 10) } else { time };
        let layout = if random.one_in(2) { Layout::RowMajor } else { Layout::ColMajor };
        let least = if random.one_in(3) { random.below(number as u64 + 1) as i32 } else { 0 };
        let first = random.one_in(3).then(|| &model.cells[random.below(model.cells.len() as u64) as usize].1.0);
        let middle = random.below(MOST as u64 - 1) as i32;
        let second: &[(i32, i32)] = match random.below(4) {
            0 => &[(0, middle)],
            1 => &[(0, middle / 2), (middle / 2 + 1 + middle % 3, MOST)],
            _ => &[],
        };
        let most = if random.one_in(3) { 2000 } else { 90 };
        let capacity = 1 + random.below(most) as usize;
        let array = open(QueryType::Read, end);
        let ranges = (first.map(String::as_str), second);
        let submits = read(&array, &model, ranges, (layout, budget), least, capacity);
        let unlimited = read(&array, &model, ranges, (layout, 1 << 30), least, capacity);
        let context =
            format!("seed {seed}: {first:?} {second:?} until {end} in {layout:?}, {capacity} cells, {budget} bytes");
        let cells = |submits: &[Vec<Cell>]| submits.iter().map(Vec::len).collect::<Vec<usize>>();
        assert_eq!(cells(&submits), cells(&unlimited), "cells per submit depend on the budget, {context}");
        let cells_read = submits.concat();
        assert!(cells_read.is_sorted_by_key(|cell| key(&model, cell, layout)), "the order, {context}");
        let expected = model.expected_cells(end, least, |cell| {
            let is_inside = second.is_empty() || second.iter().any(|(low, high)| (*low..=*high).contains(&cell.1));
            let of_first = |first: &String| key(&model, &(first.clone(), 0, 0), Layout::RowMajor).0;
            is_inside && first.is_none_or(|first| of_first(first) == of_first(&cell.0))
        });
        let mut sorted = cells_read;
        sorted.sort();
        assert_eq!(sorted, expected, "{context}");
    }
    resources.vfs().remove_dir(&uri).unwrap();
}

#[test]
fn ordered_reads_stream_in_little_memory() {
    let seeds = std::env::var("SEEDS").ok().map(|seeds| {
        let (from, to) = seeds.split_once("..").unwrap();
        from.parse().unwrap()..to.parse().unwrap()
    });
    // Every other one with tiny internal limits.
    let limits = |seed: u64| SimulatedLimits::of_option((seed % 2 == 1).then_some(seed));
    seeds.unwrap_or(SEEDS).for_each(|seed| limits(seed).run(|| run(seed)));
}

/// Windows end between different cells, and more versions of a cell than a window holds are resolved in one.
#[test]
fn versions_of_few_cells_are_read_in_windows_of_fewer() {
    for seed in 0..40 {
        let datatype = [Datatype::StringAscii, Datatype::Int32][seed as usize % 2];
        SimulatedLimits::of_option(Some(seed)).run(|| {
            let mut model = Model { datatype, dups: false, is_wide: false, cells: Vec::new(), deletes: Vec::new() };
            let resources = Resources::new(Config::new()).unwrap();
            let none = EncryptionKey::None;
            let uri = Uri::parse(&format!("mem://ordered/versions_{seed}")).unwrap();
            create(&resources, &uri, &schema(&model, &mut Random(seed)), &none).unwrap();
            let open = |kind, time| Arc::new(OpenArray::open(&resources, &uri, kind, (0, time), &none).unwrap());
            let first = if model.is_text() { "long_prefix_1" } else { "1" };
            for time in 1..60 {
                let number = 10 * time as i32;
                let cells: Vec<Cell> = (0..4).map(|at| (first.to_owned(), at, number + at)).collect();
                write(&open(QueryType::Write, time), &model, &cells);
                model.cells.extend(cells.into_iter().map(|cell| (time, cell)));
            }
            let array = open(QueryType::Read, 60);
            let actual = read(&array, &model, (None, &[]), (Layout::RowMajor, 24_000), 0, 100).concat();
            assert_eq!(actual, model.expected_cells(60, 0, |_| true), "seed {seed}");
            resources.vfs().remove_dir(&uri).unwrap();
        });
    }
}

/// Comparisons go on with the texts where numbers are equal, and with their ends where these begin alike.
#[test]
fn texts_beside_floats_are_sorted_in_little_memory() {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://ordered/floats").unwrap();
    let none = EncryptionKey::None;
    let bounds = [-1e6, 1e6];
    let number = Dimension::new("f", Datatype::Float64, Some(bytemuck::cast_slice(&bounds)), None).unwrap();
    let text = Dimension::new("s", Datatype::StringAscii, None, None).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(number), Arc::new(text)]))).unwrap();
    schema.set_capacity(7).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    create(&resources, &uri, &schema, &none).unwrap();
    let open = |kind, time| Arc::new(OpenArray::open(&resources, &uri, kind, (0, time), &none).unwrap());
    // Numbers from the highest to the lowest, texts in an order of their own.
    let cells: Vec<(f64, String)> =
        (0..750).map(|cell| (f64::from(cell % 5) * -0.375, format!("long_prefix_{:03}", cell / 5 * 7 % 150))).collect();
    for fragment in 0..3 {
        let numbers: Vec<usize> = (0..cells.len()).filter(|cell| cell / 5 % 3 == fragment).collect();
        let mut first: Vec<f64> = numbers.iter().map(|cell| cells[*cell].0).collect();
        let mut second: Vec<u8> = numbers.iter().flat_map(|cell| cells[*cell].1.bytes()).collect();
        let mut offsets: Vec<u64> = (0..numbers.len() as u64).map(|cell| 15 * cell).collect();
        let mut values: Vec<i32> = numbers.iter().map(|cell| *cell as i32).collect();
        let count = numbers.len() as u64;
        let mut sizes = [8 * count, 15 * count, 8 * count, 4 * count];
        let [of_first, of_second, of_offsets, of_values] = sizes.each_mut().map(|size| UserPtr::in_test(size));
        let mut query = Query::new(&open(QueryType::Write, 1 + fragment as u64), QueryType::Write).unwrap();
        query.set_layout(Layout::Unordered).unwrap();
        query.set_data_buffer("f", UserPtr::in_test(first.as_mut_ptr().cast()), of_first).unwrap();
        query.set_data_buffer("s", UserPtr::in_test(second.as_mut_ptr()), of_second).unwrap();
        query.set_offsets_buffer("s", UserPtr::in_test(offsets.as_mut_ptr().cast()), of_offsets).unwrap();
        query.set_data_buffer("a", UserPtr::in_test(values.as_mut_ptr().cast()), of_values).unwrap();
        query.submit().unwrap();
    }
    let mut config = Config::new();
    config.set("sm.mem.total_budget", "30000").unwrap();
    for layout in [Layout::RowMajor, Layout::ColMajor] {
        let mut query = Query::new(&open(QueryType::Read, 9), QueryType::Read).unwrap();
        query.set_config(&config).unwrap();
        query.set_layout(layout).unwrap();
        let mut actual = Vec::new();
        while query.status() != Status::Completed {
            let mut values = [0i32; 100];
            let mut size = 400;
            let start = UserPtr::in_test(values.as_mut_ptr().cast());
            query.set_data_buffer("a", start, UserPtr::in_test(&raw mut size)).unwrap();
            query.submit().unwrap();
            assert!(size > 0 || query.status() == Status::Completed, "a submit without progress");
            actual.extend(values[..size as usize / 4].iter().map(|value| *value as usize));
        }
        let mut expected: Vec<usize> = (0..cells.len()).collect();
        let by_row = |a: &usize, b: &usize| cells[*a].0.total_cmp(&cells[*b].0).then(cells[*a].1.cmp(&cells[*b].1));
        let by_column = |a: &usize, b: &usize| cells[*a].1.cmp(&cells[*b].1).then(cells[*a].0.total_cmp(&cells[*b].0));
        if layout == Layout::RowMajor {
            expected.sort_by(by_row)
        } else {
            expected.sort_by(by_column)
        }
        assert_eq!(actual, expected, "{layout:?}");
    }
}
