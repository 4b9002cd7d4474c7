//! A random scenario, generated from a seed: a schema, timestamped writes, and reads.

use std::cmp::Ordering;

use crate::random::Random;
use crate::round_trip::data::{Data, STYLES, Shape, Style};
use crate::round_trip::order::Order;
use crate::round_trip::pipeline::{DELTA, DOUBLE_DELTA, POSITIVE_DELTA, Pipeline, SCALE_FLOAT, Subject};
use crate::round_trip::types::{ANY, ASCII, Kind, Type};

/// The numbers of the types of dimensions: integers, floats, datetimes, times, strings.
const DIMENSION_TYPES: [u64; 15] = [0, 1, 5, 6, 7, 8, 9, 10, 21, 25, 18, 33, 2, 3, ASCII];

#[derive(Clone, Debug)]
pub struct Dimension {
    pub ty: Type,
    /// Ends of the domain. Coordinates of strings are places in `words`.
    pub low: i64,
    pub high: i64,
    pub extent: Option<i64>,
    pub words: Vec<Vec<u8>>,
    pub pipeline: Pipeline,
}

impl Dimension {
    pub fn is_string(&self) -> bool {
        self.ty.number == ASCII
    }

    /// A coordinate as bytes.
    pub fn bytes(&self, value: i64) -> Vec<u8> {
        if self.is_string() { self.words[value as usize].clone() } else { self.ty.bytes(value) }
    }

    /// Compares two coordinates given as bytes.
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, &byte| (all << 8) | u64::from(byte));
        let shift = 64 - 8 * self.ty.size as u32;
        let signed = |bytes: &[u8]| (number(bytes) << shift) as i64;
        match (self.ty.kind, self.ty.size) {
            _ if self.is_string() => a.cmp(b),
            (Kind::Float, 4) => f32::from_bits(number(a) as u32).total_cmp(&f32::from_bits(number(b) as u32)),
            (Kind::Float, _) => f64::from_bits(number(a)).total_cmp(&f64::from_bits(number(b))),
            (Kind::Signed, _) => signed(a).cmp(&signed(b)),
            _ => number(a).cmp(&number(b)),
        }
    }

    /// The coordinate that has these bytes.
    pub fn value(&self, bytes: &[u8]) -> i64 {
        let number = bytes.iter().rev().fold(0u64, |all, &byte| (all << 8) | u64::from(byte));
        match (self.ty.kind, self.ty.size) {
            _ if self.is_string() => self.words.binary_search_by(|word| word[..].cmp(bytes)).unwrap() as i64,
            (Kind::Float, 4) => (f32::from_bits(number as u32) * 2.0) as i64,
            (Kind::Float, _) => (f64::from_bits(number) * 2.0) as i64,
            (Kind::Signed, size) => (number << (64 - 8 * size)) as i64 >> (64 - 8 * size),
            _ => number as i64,
        }
    }

    /// A coordinate as errors name it.
    pub fn shown(&self, bytes: &[u8]) -> String {
        let number = bytes.iter().rev().fold(0u64, |all, &byte| (all << 8) | u64::from(byte));
        match (self.ty.kind, self.ty.size) {
            _ if self.is_string() => String::from_utf8_lossy(bytes).into_owned(),
            (Kind::Float, 4) => f32::from_bits(number as u32).to_string(),
            (Kind::Float, _) => f64::from_bits(number).to_string(),
            (Kind::Signed, size) => ((number << (64 - 8 * size)) as i64 >> (64 - 8 * size)).to_string(),
            _ => number.to_string(),
        }
    }

    pub fn shape(&self) -> Shape {
        Shape { ty: self.ty, values: (!self.is_string()).then_some(1), nullable: false }
    }
}

#[derive(Clone, Debug)]
pub struct Attribute {
    pub shape: Shape,
    pub pipeline: Pipeline,
    /// The fill value and, of nullable attributes, its validity.
    pub fill: Option<(Vec<u8>, u8)>,
    pub style: Style,
}

/// How offsets look in the buffers of a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct OffsetMode {
    pub narrow: bool,
    pub extra: bool,
    pub elements: bool,
}

impl OffsetMode {
    pub fn random(random: &mut Random) -> OffsetMode {
        let odd = random.one_in(3);
        let mut one = || odd && random.one_in(2);
        OffsetMode { narrow: one(), extra: one(), elements: one() }
    }
}

/// One fragment.
#[derive(Clone, Debug)]
pub struct Write {
    pub time: u64,
    pub layout: u64,
    /// Dense: the box written.
    pub region: Vec<(i64, i64)>,
    /// The attributes, then of sparse arrays the dimensions.
    pub columns: Vec<Data>,
    /// Cells of each submit.
    pub submits: Vec<usize>,
    pub mode: OffsetMode,
    /// Drop cells at coordinates written twice.
    pub dedup: bool,
    /// True if the order of the cells within the fragment is determined.
    pub ordered: bool,
    /// Submits bring the dimensions first, then one attribute each.
    pub apart: bool,
}

/// One query.
#[derive(Clone, Debug)]
pub struct Read {
    pub window: (Option<u64>, Option<u64>),
    pub layout: u64,
    /// The ranges of each dimension; none means all of it.
    pub ranges: Vec<Vec<(i64, i64)>>,
    /// Fields read: the dimensions, then the attributes.
    pub fields: Vec<bool>,
    /// Room in cells of each submit, and in values of a var cell; the query is submitted until it completes.
    pub room: usize,
    pub var_room: usize,
    /// True if it may take several submits.
    pub tight: bool,
    pub mode: OffsetMode,
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub dense: bool,
    pub dups: bool,
    pub encrypted: bool,
    pub tile_order: u64,
    pub cell_order: u64,
    pub capacity: u64,
    pub dimensions: Vec<Dimension>,
    pub attributes: Vec<Attribute>,
    pub coords: Option<Pipeline>,
    pub offsets: Option<Pipeline>,
    pub validity: Option<Pipeline>,
    /// Some var cells are longer than a chunk.
    pub long: bool,
    pub writes: Vec<Write>,
    pub reads: Vec<Read>,
}

/// How many cells a scenario is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Small,
    Medium,
    /// Tiles of several chunks.
    Chunks,
    /// Few cells, some of them longer than a chunk.
    Long,
}

impl Scenario {
    pub fn random(seed: u64) -> Scenario {
        let mut random = Random::new(seed);
        let random = &mut random;
        let dense = random.one_in(2);
        let scale = match random.next() % 24 {
            0 => Scale::Chunks,
            1..=5 => Scale::Medium,
            6 => Scale::Long,
            _ => Scale::Small,
        };
        // At most one field of a few gets filters in any order, so that most arrays can be written.
        let wild = random.one_in(4).then(|| random.next() % 8);
        let count = match scale {
            Scale::Chunks | Scale::Long => random.between(1, 2),
            _ => *random.pick(&[1, 1, 2, 2, 3, 4, 8]),
        };
        let mut scenario = Scenario {
            dense,
            dups: !dense && random.one_in(3),
            encrypted: random.one_in(6),
            tile_order: random.next() % 2,
            cell_order: if !dense && random.one_in(4) { 4 } else { random.next() % 2 },
            capacity: match scale {
                Scale::Small => random.between(1, 60),
                Scale::Medium => random.between(20, 2000),
                Scale::Chunks => *random.pick(&[9_000, 20_000, 100_000]),
                Scale::Long => random.between(1, 6),
            } as u64,
            dimensions: Vec::new(),
            attributes: (0..count).map(|i| attribute(random, scale, wild == Some(i as u64))).collect(),
            coords: special(random, Type::of(10), wild == Some(5)),
            offsets: special(random, Type::of(10), wild == Some(6)),
            validity: special(random, Type::of(6), wild == Some(7)),
            long: scale == Scale::Long,
            writes: Vec::new(),
            reads: Vec::new(),
        };
        scenario.dimensions = dimensions(random, dense, scale, scenario.cell_order == 4, wild == Some(4));
        for number in 0..random.between(1, if scale == Scale::Chunks { 2 } else { 3 }) {
            let write = scenario.write(random, scale, 10 + 10 * number as u64);
            scenario.writes.push(write);
        }
        for _ in 0..if scale == Scale::Chunks { 2 } else { 4 } {
            let read = crate::round_trip::reads::random(random, &scenario);
            scenario.reads.push(read);
        }
        scenario
    }

    /// What the seed does, a line for each part, all starting with `show`.
    pub fn describe(&self) -> String {
        let mut lines = vec![format!(
            "dense {} dups {} encrypted {} orders {} {} capacity {} coords {:?} offsets {:?} validity {:?}",
            self.dense,
            self.dups,
            self.encrypted,
            self.tile_order,
            self.cell_order,
            self.capacity,
            self.coords,
            self.offsets,
            self.validity
        )];
        lines.extend(self.dimensions.iter().map(|dimension| {
            let Dimension { ty, low, high, extent, pipeline, .. } = dimension;
            format!("dimension {} {low}..={high} by {extent:?} {pipeline:?}", ty.number)
        }));
        lines.extend(self.attributes.iter().map(|attribute| format!("{attribute:?}")));
        lines.extend(self.writes.iter().map(|write| {
            let Write { time, layout, region, submits, mode, dedup, .. } = write;
            format!("write at {time} layout {layout} region {region:?} submits {submits:?} {mode:?} dedup {dedup}")
        }));
        lines.extend(self.reads.iter().map(|read| format!("{read:?}")));
        lines.iter().map(|line| format!("show: {line}")).collect::<Vec<_>>().join("\n")
    }

    /// A query of all cells and fields, in row-major order.
    pub fn whole(&self) -> Read {
        let ranges = |dimension: &Dimension| match self.dense {
            true => vec![(dimension.low, dimension.high)],
            false => Vec::new(),
        };
        Read {
            window: (None, None),
            layout: 0,
            ranges: self.dimensions.iter().map(ranges).collect(),
            fields: vec![true; self.dimensions.len() + self.attributes.len()],
            room: 1 << 17,
            var_room: 40,
            tight: false,
            mode: OffsetMode::default(),
        }
    }

    /// The shapes of all fields: dimensions, then attributes.
    pub fn fields(&self) -> Vec<(String, Shape)> {
        let dimensions = self.dimensions.iter().enumerate().map(|(i, dimension)| (format!("d{i}"), dimension.shape()));
        let attributes = self.attributes.iter().enumerate().map(|(i, attribute)| (format!("a{i}"), attribute.shape));
        dimensions.chain(attributes).collect()
    }

    pub fn pipelines(&self) -> impl Iterator<Item = &Pipeline> {
        let lists = [&self.coords, &self.offsets, &self.validity].into_iter().flatten();
        let lists = lists.chain(self.dimensions.iter().map(|dimension| &dimension.pipeline));
        lists.chain(self.attributes.iter().map(|attribute| &attribute.pipeline))
    }

    pub fn has_small_windows(&self) -> bool {
        self.pipelines().any(|pipeline| pipeline.has_small_windows())
    }

    /// True if a filter works on what another one left.
    pub fn has_several_filters(&self) -> bool {
        self.pipelines().any(|pipeline| pipeline.filters.len() > 1)
    }

    pub fn range(dimension: &Dimension, random: &mut Random) -> (i64, i64) {
        let (a, b) = (random.between(dimension.low, dimension.high), random.between(dimension.low, dimension.high));
        (a.min(b), a.max(b))
    }

    fn write(&self, random: &mut Random, scale: Scale, time: u64) -> Write {
        if self.dense { self.dense_write(random, time) } else { self.sparse_write(random, scale, time) }
    }

    fn attribute_data(&self, random: &mut Random, count: usize) -> Vec<Data> {
        let data = |attribute: &Attribute| Data::random(random, attribute.shape, attribute.style, count, self.long);
        self.attributes.iter().map(data).collect()
    }

    fn dense_write(&self, random: &mut Random, time: u64) -> Write {
        let mut layout = random.next() % 2;
        let mut region: Vec<_> = self.dimensions.iter().map(|dimension| Self::range(dimension, random)).collect();
        if random.one_in(3) {
            region = self.dimensions.iter().map(|dimension| (dimension.low, dimension.high)).collect();
            // The reference refuses some aligned writes over one-byte dimensions: its check wraps.
            let aligned = |dimension: &Dimension| {
                let extent = dimension.extent.unwrap_or(1);
                dimension.ty.size > 1 && (dimension.high - dimension.low + 1) % extent == 0
            };
            layout = if self.dimensions.iter().all(aligned) { 2 } else { layout };
        }
        let count = region.iter().map(|(low, high)| (high - low + 1) as usize).product();
        let columns = self.attribute_data(random, count);
        let submits = if layout == 2 { parts(random, count) } else { vec![count] };
        let mode = OffsetMode::random(random);
        Write { time, layout, region, columns, submits, mode, dedup: false, ordered: true, apart: false }
    }

    fn sparse_write(&self, random: &mut Random, scale: Scale, time: u64) -> Write {
        let count = match scale {
            Scale::Small => random.between(1, 200),
            Scale::Medium => random.between(200, 3000),
            Scale::Chunks => random.between(9_000, 30_000),
            Scale::Long => random.between(1, 20),
        };
        let mut cells: Vec<Vec<i64>> = (0..count).map(|_| self.cell(random)).collect();
        cells.sort();
        cells.dedup();
        // Cells of equal coordinates are equal, since their order is open.
        let twice = random.one_in(if self.dups { 2 } else { 8 });
        let mut places: Vec<usize> = (0..cells.len()).collect();
        if twice {
            places.extend((0..cells.len()).filter(|_| random.one_in(5)).collect::<Vec<_>>());
        }
        for i in (1..places.len()).rev() {
            places.swap(i, (random.next() % (i as u64 + 1)) as usize);
        }
        let global = self.cell_order != 4 && random.one_in(3);
        // In the reference global-order writes read past their cells where some of them are dropped.
        let dedup = twice && !global && !random.one_in(5);
        if global {
            let order = Order::new(self);
            places.sort_by(|&a, &b| order.compare(&cells[a], &cells[b]));
        }
        let mut columns = self.attribute_data(random, cells.len());
        for (number, dimension) in self.dimensions.iter().enumerate() {
            let mut data = Data { offsets: dimension.is_string().then(Vec::new), ..Data::default() };
            for cell in &cells {
                if let Some(offsets) = &mut data.offsets {
                    offsets.push(data.values.len() as u64);
                }
                data.values.extend(dimension.bytes(cell[number]));
            }
            columns.push(data);
        }
        let shapes = self.attributes.iter().map(|attribute| attribute.shape);
        let shapes = shapes.chain(self.dimensions.iter().map(Dimension::shape));
        let columns =
            shapes.zip(&columns).map(|(shape, data)| data.gather(shape.cell_size(), &places)).collect::<Vec<_>>();
        let submits = if global { parts(random, places.len()) } else { vec![places.len()] };
        let layout = if global { 2 } else { 3 };
        // The reference compares strings as coordinates as if all offsets had 64 bits.
        let strings = self.dimensions.iter().any(Dimension::is_string);
        let mode = OffsetMode::random(random);
        let mode = OffsetMode { narrow: mode.narrow && !strings, ..mode };
        Write { time, layout, region: Vec::new(), columns, submits, mode, dedup, ordered: true, apart: false }
    }

    fn cell(&self, random: &mut Random) -> Vec<i64> {
        self.dimensions.iter().map(|dimension| random.between(dimension.low, dimension.high)).collect()
    }
}

/// Cuts a number of cells into a few submits.
fn parts(random: &mut Random, count: usize) -> Vec<usize> {
    let mut left = count;
    let mut parts = Vec::new();
    while left > 0 && random.one_in(2) {
        let part = random.between(1, left as i64) as usize;
        parts.push(part);
        left -= part;
    }
    if left > 0 || parts.is_empty() {
        parts.push(left);
    }
    parts
}

fn special(random: &mut Random, ty: Type, wild: bool) -> Option<Pipeline> {
    let subject = Subject { ty, var: false, cell_size: ty.size, rising: false, wild };
    (wild || random.one_in(2)).then(|| Pipeline::random(random, subject).lossless())
}

fn dimensions(random: &mut Random, dense: bool, scale: Scale, hilbert: bool, wild: bool) -> Vec<Dimension> {
    let count = *random.pick(&[1, 1, 2, 2, 2, 3, 3, 4, 5]);
    let types = if dense { &DIMENSION_TYPES[..12] } else { &DIMENSION_TYPES[..] };
    let same = Type::of(*random.pick(types));
    let cells = match scale {
        Scale::Small => 2000f64,
        Scale::Medium => 8000.0,
        Scale::Chunks => 60_000.0,
        Scale::Long => 20.0,
    };
    let longest = (cells.powf(1.0 / f64::from(count)) as i64).max(2);
    let longest = if scale == Scale::Chunks { longest } else { longest.min(200) };
    (0..count)
        .map(|number| {
            let ty = if dense { same } else { Type::of(*random.pick(types)) };
            let least = if dense && scale == Scale::Chunks { longest * 2 / 3 } else { 1 };
            let mut size = random.between(
                least,
                if dense { longest } else { if scale == Scale::Long { longest } else { longest.max(200) } },
            );
            if ty.size == 1 {
                size = size.min(100);
            }
            let low = if ty.kind == Kind::Signed { random.between(-50, 20) } else { random.between(0, 50) };
            let extent = random.between(if scale == Scale::Chunks { size / 2 } else { 1 }.max(1), size);
            // The last tile may not reach past the type's range.
            let extent = if ty.size == 1 { extent.min(20).min(size) } else { extent };
            let high = low + size - 1 + i64::from(ty.kind == Kind::Float && size == 1);
            let no_extent = !dense && (ty.number == ASCII || (hilbert && random.one_in(2)));
            let pipeline = match random.one_in(2) || wild {
                true => Pipeline::random(
                    random,
                    Subject {
                        ty,
                        var: ty.number == ASCII,
                        cell_size: ty.size,
                        rising: false,
                        wild: wild && number == 0,
                    },
                ),
                false => Pipeline::default(),
            };
            let pipeline = pipeline.lossless();
            let dimension = Dimension { ty, low, high, extent: Some(extent), words: Vec::new(), pipeline };
            match ty.number {
                ASCII => string_dimension(random, dimension),
                _ => Dimension { extent: (!no_extent).then_some(extent), ..dimension },
            }
        })
        .collect()
}

/// Gives the dimension a sorted list of words as its coordinates.
fn string_dimension(random: &mut Random, dimension: Dimension) -> Dimension {
    let letters = *random.pick(&[2, 5, 26]);
    let length = *random.pick(&[2, 4, 12]);
    let word = |random: &mut Random| -> Vec<u8> {
        (0..random.between(0, length)).map(|_| 97 + (random.next() % letters) as u8).collect()
    };
    let mut words: Vec<Vec<u8>> = (0..random.between(1, 150)).map(|_| word(random)).collect();
    words.sort();
    words.dedup();
    Dimension { low: 0, high: words.len() as i64 - 1, extent: None, words, ..dimension }
}

fn attribute(random: &mut Random, scale: Scale, wild: bool) -> Attribute {
    let ty = Type::of(random.next() % 44);
    let var = ty.number == ANY && !random.one_in(20) || random.one_in(4) || ty.is_string() && !random.one_in(3);
    let mut values = (!var).then(|| *random.pick(&[1, 1, 1, 1, 2, 3, 7]));
    if !var && scale == Scale::Long && random.one_in(2) {
        values = Some((random.between(1, 100_000) as usize / ty.size).max(1) as u32);
    }
    let cell_size = ty.size * values.unwrap_or(1) as usize;
    let pipeline = Pipeline::random(random, Subject { ty, var, cell_size, rising: true, wild });
    // Other values are not numbers to it.
    let pipeline = if ty.kind == Kind::Float { pipeline } else { pipeline.lossless() };
    let needs_rising = pipeline.has(POSITIVE_DELTA);
    let tame = pipeline.has(DOUBLE_DELTA) || pipeline.has(DELTA);
    let style = match (needs_rising, tame) {
        _ if pipeline.has(SCALE_FLOAT) => *random.pick(&[Style::Constant, Style::Runs, Style::Small]),
        (true, _) => *random.pick(&[Style::Constant, Style::Constant, Style::Constant, Style::Rising]),
        (false, true) => *random.pick(&STYLES[..5]),
        _ => *random.pick(&STYLES),
    };
    let shape = Shape { ty, values, nullable: random.one_in(3) };
    let fill = random.one_in(3).then(|| {
        let count = values.unwrap_or(random.between(1, 4) as u32);
        let one = Shape { values: Some(count), nullable: false, ..shape };
        (Data::random(random, one, Style::Small, 1, false).values, (random.next() % 2) as u8)
    });
    Attribute { shape, pipeline, fill, style }
}
