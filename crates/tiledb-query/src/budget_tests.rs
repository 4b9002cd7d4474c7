//! The memory budget does not change what a submit delivers: random reads of dense and sparse arrays with a small budget return
//! the same cells per submit as with a large one, or an error.
//!
//! `SEEDS=FROM..TO` runs other seeds.

use std::sync::Arc;
use tiledb_core::limits::simulation::SimulatedLimits;

use super::ordered_tests::Random;
use super::{Query, Status};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::budget::TOTAL;
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Seeds of every run.
const SEEDS: std::ops::Range<u64> = 0..60;
const LARGE: u64 = 1 << 30;
const LAYOUTS: [Layout; 4] = [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder, Layout::Unordered];

/// A field: its name, whether its values are strings, and whether it is nullable.
type Field = (&'static str, bool, bool);
const ATTRIBUTES: [Field; 4] = [("f", false, false), ("n", false, true), ("v", true, false), ("w", true, true)];
const DIMENSIONS: [Field; 2] = [("y", false, false), ("x", false, false)];

/// The buffers of a field, and their sizes: data, offsets, validity.
struct Buffers {
    field: Field,
    memory: [Vec<u64>; 3],
    sizes: [u64; 3],
}

impl Buffers {
    fn new(field: Field, sizes: [u64; 3]) -> Buffers {
        Buffers { field, memory: sizes.map(|size| vec![0; size.div_ceil(8) as usize]), sizes }
    }

    fn bytes(&self, which: usize) -> &[u8] {
        &bytemuck::cast_slice(&self.memory[which])[..self.sizes[which] as usize]
    }

    fn set(&mut self, query: &mut Query) {
        let (name, is_var, is_nullable) = self.field;
        let [data, offsets, validity] =
            self.memory.each_mut().map(|memory| UserPtr::in_test(memory.as_mut_ptr().cast()));
        let [data_size, offsets_size, validity_size] = self.sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer(name, data, data_size).unwrap();
        if is_var {
            query.set_offsets_buffer(name, offsets, offsets_size).unwrap();
        }
        if is_nullable {
            query.set_validity_buffer(name, validity, validity_size).unwrap();
        }
    }
}

/// The bytes of the data, offsets and validity of each field after a submit, and whether it was the last.
type Submit = (Vec<Vec<u8>>, bool);

struct TestArray {
    kind: ArrayType,
    /// Cells may have the same coordinates: they come in any order.
    dups: bool,
    sides: Vec<i32>,
    uri: Uri,
    resources: Resources,
}

impl TestArray {
    fn random(seed: u64, random: &mut Random) -> TestArray {
        let kind = if random.one_in(2) { ArrayType::Dense } else { ArrayType::Sparse };
        let sides = match random.one_in(3) && kind == ArrayType::Dense {
            true => vec![500 + random.below(3000) as i32],
            false => vec![8 + random.below(60) as i32, 8 + random.below(60) as i32],
        };
        let uri = Uri::parse(&format!("mem://budget/{seed}")).unwrap();
        let dups = kind == ArrayType::Sparse && random.one_in(2);
        let array = TestArray { kind, dups, sides, uri, resources: Resources::new(Config::new()).unwrap() };
        let mut domain = Domain::new();
        for (side, (name, _, _)) in array.sides.iter().zip(DIMENSIONS) {
            let extent = (1 + random.below(*side as u64 / 2) as i32).to_le_bytes();
            // A tile may extend beyond the domain.
            let bounds = [0, side - 1];
            let dimension = Dimension::new(name, Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent));
            domain.add(Arc::new(dimension.unwrap()));
        }
        let mut schema = ArraySchema::new(kind);
        schema.set_domain(Arc::new(domain)).unwrap();
        schema.set_cell_order(LAYOUTS[random.below(2) as usize]).unwrap();
        schema.set_tile_order(LAYOUTS[random.below(2) as usize]).unwrap();
        if kind == ArrayType::Sparse {
            schema.set_capacity(1 + random.below(60)).unwrap();
            schema.set_allows_dups(dups).unwrap();
        }
        for (name, is_var, is_nullable) in ATTRIBUTES {
            let mut attribute = Attribute::new(name, if is_var { Datatype::StringAscii } else { Datatype::Int32 });
            if is_var {
                attribute.set_cell_val_num(u32::MAX).unwrap();
            }
            attribute.set_nullable(is_nullable);
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        create(&array.resources, &array.uri, &schema, &EncryptionKey::None).unwrap();
        for _ in 0..random.below(4) {
            array.write(random);
        }
        array
    }

    fn open(&self, kind: QueryType) -> Arc<OpenArray> {
        Arc::new(OpenArray::open(&self.resources, &self.uri, kind, (0, u64::MAX), &EncryptionKey::None).unwrap())
    }

    fn range(&self, d: usize, random: &mut Random) -> (i32, i32) {
        let side = self.sides[d] as u64;
        let low = if random.one_in(3) { 0 } else { random.below(side) };
        let high = if random.one_in(3) { side - 1 } else { low + random.below(side - low) };
        (low as i32, high as i32)
    }

    /// Writes a box of random cells.
    fn write(&self, random: &mut Random) {
        let open = self.open(QueryType::Write);
        let mut query = Query::new(&open, QueryType::Write).unwrap();
        let mut subarray = Subarray::new(open.schema());
        let ranges: Vec<(i32, i32)> = (0..self.sides.len()).map(|d| self.range(d, random)).collect();
        for (d, (low, high)) in ranges.iter().enumerate() {
            subarray.add_range(d as u32, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
        }
        let mut cells: Vec<[i32; 2]> = Vec::new();
        let (second_low, second_high) = ranges.get(1).copied().unwrap_or((0, 0));
        for y in ranges[0].0..=ranges[0].1 {
            cells.extend((second_low..=second_high).map(|x| [y, x]));
        }
        let longest = 1 + random.below(30);
        if self.kind == ArrayType::Sparse {
            let share = 1 + random.below(4);
            cells.retain(|_| random.one_in(share));
        }
        if cells.is_empty() {
            return;
        }
        let mut buffers = Vec::new();
        for field in ATTRIBUTES {
            let (mut data, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
            for _ in &cells {
                offsets.push(data.len() as u64);
                match field.1 {
                    true => data.extend((0..random.below(longest)).map(|_| b'a' + random.below(26) as u8)),
                    false => data.extend((random.below(1000) as i32).to_le_bytes()),
                }
                validity.push(u8::from(!random.one_in(3)));
            }
            buffers.push(filled(field, &data, &offsets, &validity));
        }
        if self.kind == ArrayType::Sparse {
            query.set_layout(Layout::Unordered).unwrap();
            for (d, field) in DIMENSIONS.into_iter().enumerate() {
                let coordinates: Vec<i32> = cells.iter().map(|cell| cell[d]).collect();
                buffers.push(filled(field, bytemuck::cast_slice(&coordinates), &[], &[]));
            }
        } else {
            query.set_layout(Layout::RowMajor).unwrap();
            query.set_subarray(&subarray).unwrap();
        }
        buffers.iter_mut().for_each(|buffers| buffers.set(&mut query));
        query.submit().unwrap();
    }
}

fn filled(field: Field, data: &[u8], offsets: &[u64], validity: &[u8]) -> Buffers {
    let parts = [data, bytemuck::cast_slice(offsets), validity];
    let mut buffers = Buffers::new(field, parts.map(|part| part.len() as u64));
    for (memory, part) in buffers.memory.iter_mut().zip(parts) {
        bytemuck::cast_slice_mut(memory)[..part.len()].copy_from_slice(part);
    }
    buffers
}

/// A read; the sizes are those of the buffers of each field.
struct Read {
    layout: Layout,
    ranges: Vec<(usize, i32, i32)>,
    least: Option<i32>,
    fields: Vec<(Field, [u64; 3])>,
    config: Vec<(&'static str, &'static str)>,
}

impl Read {
    fn random(array: &TestArray, random: &mut Random) -> Read {
        let layout = LAYOUTS[random.below(4) as usize];
        let mut ranges = Vec::new();
        for d in 0..array.sides.len() {
            let is_dense = array.kind == ArrayType::Dense;
            let count = if layout == Layout::GlobalOrder { 1 } else { 1 + random.below(3) };
            for _ in 0..if is_dense || random.one_in(2) { count } else { 0 } {
                let (low, high) = array.range(d, random);
                ranges.push((d, low, high));
            }
        }
        // Ranges in order without overlaps are another case in sparse reads.
        if random.one_in(2) {
            ranges.sort();
            ranges.dedup_by(|next, last| next.0 == last.0 && next.1 <= last.2);
        }
        let most = if random.one_in(2) { 100 } else { 4000 };
        let cells = 1 + random.below(most);
        let longest = 1 + random.below(30);
        let mut fields: Vec<Field> = ATTRIBUTES.into_iter().filter(|_| random.one_in(2)).collect();
        fields.extend(DIMENSIONS[..array.sides.len()].iter().filter(|_| random.one_in(3)));
        if fields.is_empty() {
            fields.push(ATTRIBUTES[2]);
        }
        let mut config = Vec::new();
        let formats = [
            ("sm.var_offsets.bitsize", "32"),
            ("sm.var_offsets.mode", "elements"),
            ("sm.var_offsets.extra_element", "true"),
        ];
        config.extend(formats.into_iter().filter(|_| random.one_in(3)));
        let extra = if config.iter().any(|(name, _)| *name == "sm.var_offsets.extra_element") { 8 } else { 0 };
        let sizes = |&(name, is_var, is_nullable): &Field| {
            let data = if is_var { cells * longest } else { 4 * cells };
            let sizes = [data, if is_var { 8 * cells + extra } else { 0 }, if is_nullable { cells } else { 0 }];
            ((name, is_var, is_nullable), sizes)
        };
        let fields = fields.iter().map(sizes).collect();
        let least = random.one_in(4).then(|| random.below(1000) as i32);
        Read { layout, ranges, least, fields, config }
    }

    /// Per submit the bytes of all buffers, and whether it was the last.
    fn run(&self, array: &TestArray, budget: u64) -> (Vec<Submit>, Result<()>) {
        let open = array.open(QueryType::Read);
        let mut query = Query::new(&open, QueryType::Read).unwrap();
        let mut config = Config::new();
        config.set(TOTAL, &budget.to_string()).unwrap();
        self.config.iter().for_each(|(name, value)| config.set(name, value).unwrap());
        query.set_config(&config).unwrap();
        query.set_layout(self.layout).unwrap();
        let mut subarray = Subarray::new(open.schema());
        for (d, low, high) in &self.ranges {
            subarray.add_range(*d as u32, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
        }
        query.set_subarray(&subarray).unwrap();
        if let Some(least) = self.least {
            let comparison =
                Comparison::new("f", Some(&least.to_le_bytes()), ComparisonOperator::GreaterOrEqual).unwrap();
            query.set_condition(Some(Condition::new(comparison))).unwrap();
        }
        let mut submits = Vec::new();
        loop {
            let mut buffers: Vec<Buffers> =
                self.fields.iter().map(|(field, sizes)| Buffers::new(*field, *sizes)).collect();
            buffers.iter_mut().for_each(|buffers| buffers.set(&mut query));
            if let Err(error) = query.submit() {
                return (submits, Err(error));
            }
            let is_done = query.status() == Status::Completed;
            let is_stuck = !is_done && !query.has_results();
            assert_eq!(is_done, !query.needs_buffers());
            let filled = |buffers: &Buffers| [0, 1, 2].map(|which| buffers.bytes(which).to_vec());
            submits.push((buffers.iter().flat_map(filled).collect(), is_done));
            if is_done || is_stuck || submits.len() > 400 {
                return (submits, Ok(()));
            }
        }
    }
}

/// What is compared: all buffers, or, where cells may come in any order, the sorted bytes of all but offsets.
fn bytes(array: &TestArray, submits: &[Submit]) -> Vec<Submit> {
    let mut submits = submits.to_vec();
    if array.dups {
        for buffers in submits.iter_mut().flat_map(|submit| submit.0.chunks_mut(3)) {
            buffers[0].sort_unstable();
            buffers[1].clear();
            buffers[2].sort_unstable();
        }
    }
    submits
}

/// How many reads with a small budget there were, and how many of them failed.
fn run(seed: u64, differences: &mut Vec<String>) -> (usize, usize) {
    let mut random = Random(seed);
    let array = TestArray::random(seed, &mut random);
    let (mut reads, mut failed) = (0, 0);
    for _ in 0..8 {
        let read = Read::random(&array, &mut random);
        let (expected, end) = read.run(&array, LARGE);
        end.unwrap();
        for budget in [2_000 + random.below(20_000), 20_000 + random.below(200_000)] {
            let (submits, end) = read.run(&array, budget);
            let context = || {
                let Read { layout, ranges, least, fields, config } = &read;
                let TestArray { kind, dups, sides, .. } = &array;
                format!(
                    "seed {seed}, {budget} bytes: {kind:?} {dups} {sides:?} {layout:?} {ranges:?} {least:?} {fields:?} {config:?}"
                )
            };
            let cells = |submits: &[Submit]| -> Vec<Vec<usize>> {
                submits.iter().map(|submit| submit.0.iter().map(Vec::len).collect()).collect()
            };
            let count = if end.is_ok() { expected.len() } else { submits.len() };
            reads += 1;
            if cells(&submits) != cells(&expected[..count]) {
                let (sizes, expected) = (cells(&submits), cells(&expected));
                differences.push(format!("{}\n  {sizes:?}\n  {expected:?}", context()));
            } else if bytes(&array, &submits) != bytes(&array, &expected[..count]) {
                differences.push(format!("other cells, {}", context()));
            }
            if let Err(error) = end {
                failed += 1;
                if error.kind() != ErrorKind::Budget {
                    differences.push(format!("{}, {}", error.text(), context()));
                }
            }
        }
    }
    array.resources.vfs().remove_dir(&array.uri).unwrap();
    (reads, failed)
}

#[test]
fn small_budget_delivers_the_same_cells_per_submit() {
    let seeds = std::env::var("SEEDS").ok().map(|seeds| {
        let (from, to) = seeds.split_once("..").unwrap();
        from.parse().unwrap()..to.parse().unwrap()
    });
    let (mut reads, mut failed, mut differences) = (0, 0, Vec::new());
    for seed in seeds.unwrap_or(SEEDS) {
        // Every other one with tiny internal limits.
        let limits = SimulatedLimits::of_option((seed % 2 == 1).then_some(seed));
        let (more, errors) = limits.run(|| run(seed, &mut differences));
        reads += more;
        failed += errors;
    }
    assert!(differences.is_empty(), "{} of {reads}: {}", differences.len(), differences.join("\n"));
    assert!(failed < reads / 4, "{failed} of {reads} reads failed");
}
