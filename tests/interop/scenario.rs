//! What one seed does: a schema, writes at some times, and reads.

use crate::random::Random;

/// A numeric type of dimensions: its number, width, sign and whether it is a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Type {
    pub number: u64,
    pub size: usize,
    pub signed: bool,
    pub float: bool,
}

const fn ty(number: u64, size: usize, signed: bool, float: bool) -> Type {
    Type { number, size, signed, float }
}

/// The types of dimensions: integers, floats, datetimes and times.
const DIMENSION_TYPES: [Type; 14] = [
    ty(0, 4, true, false),
    ty(1, 8, true, false),
    ty(5, 1, true, false),
    ty(6, 1, false, false),
    ty(7, 2, true, false),
    ty(8, 2, false, false),
    ty(9, 4, false, false),
    ty(10, 8, false, false),
    ty(21, 8, true, false),
    ty(25, 8, true, false),
    ty(18, 8, true, false),
    ty(33, 8, true, false),
    ty(2, 4, true, true),
    ty(3, 8, true, true),
];

/// Numbers and widths of the types of attributes: all but ANY, which is never fixed.
const ATTRIBUTE_TYPES: [(u64, usize); 43] = {
    let sizes = [4, 8, 4, 8, 1, 1, 1, 2, 2, 4, 8, 1, 1, 2, 4, 2, 4];
    let mut types = [(0, 8); 43];
    let mut i = 0;
    while i < 43 {
        let number = if i < 17 { i } else { i + 1 };
        let size = match number {
            0..17 => sizes[number],
            40..44 => 1,
            _ => 8,
        };
        types[i] = (number as u64, size);
        i += 1;
    }
    types
};

#[derive(Clone, Debug)]
pub struct Dimension {
    pub ty: Type,
    pub low: i64,
    pub high: i64,
    pub extent: i64,
    pub filters: Vec<(u64, i32)>,
}

#[derive(Clone, Debug)]
pub struct Attribute {
    pub number: u64,
    pub size: usize,
    pub values: u64,
    pub filters: Vec<(u64, i32)>,
}

impl Attribute {
    pub fn cell_size(&self) -> usize {
        self.size * self.values as usize
    }
}

/// One fragment.
#[derive(Clone, Debug)]
pub struct Write {
    pub time: u64,
    pub layout: u64,
    /// Dense: the box written.
    pub region: Vec<(i64, i64)>,
    /// Sparse: the coordinates of the cells, by cell.
    pub cells: Vec<Vec<i64>>,
    /// The bytes of each attribute.
    pub data: Vec<Vec<u8>>,
}

/// One query.
#[derive(Clone, Debug)]
pub struct Read {
    pub window: (Option<u64>, Option<u64>),
    pub layout: u64,
    pub region: Option<Vec<(i64, i64)>>,
    /// Room in cells of each submit; the query is submitted until it completes.
    pub room: usize,
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub dense: bool,
    pub dups: bool,
    pub tile_order: u64,
    pub cell_order: u64,
    pub capacity: u64,
    pub dimensions: Vec<Dimension>,
    pub attributes: Vec<Attribute>,
    pub writes: Vec<Write>,
    pub reads: Vec<Read>,
}

impl Scenario {
    pub fn random(seed: u64) -> Scenario {
        let mut random = Random::new(seed);
        let random = &mut random;
        let dense = random.one_in(2);
        let dimensions = dimensions(random, dense);
        let mut scenario = Scenario {
            dense,
            dups: !dense && random.one_in(3),
            tile_order: random.next() % 2,
            cell_order: random.next() % 2,
            capacity: random.between(1, 60) as u64,
            dimensions,
            attributes: (0..random.between(1, 4)).map(|_| attribute(random)).collect(),
            writes: Vec::new(),
            reads: Vec::new(),
        };
        for number in 0..random.between(1, 3) {
            let write = scenario.write(random, 10 + 10 * number as u64);
            scenario.writes.push(write);
        }
        for _ in 0..4 {
            let read = scenario.read(random);
            scenario.reads.push(read);
        }
        scenario
    }

    fn region(&self, random: &mut Random) -> Vec<(i64, i64)> {
        let range = |dimension: &Dimension| {
            let (a, b) = (random.between(dimension.low, dimension.high), random.between(dimension.low, dimension.high));
            (a.min(b), a.max(b))
        };
        self.dimensions.iter().map(range).collect()
    }

    fn write(&self, random: &mut Random, time: u64) -> Write {
        let (mut region, mut cells, mut layout) = (Vec::new(), Vec::new(), 3);
        let count = if self.dense {
            region = self.region(random);
            layout = random.next() % 2;
            if random.one_in(4) {
                region = self.dimensions.iter().map(|dimension| (dimension.low, dimension.high)).collect();
                // The reference refuses some aligned writes over one-byte dimensions: its check wraps.
                let aligned = |dimension: &Dimension| {
                    dimension.ty.size > 1 && (dimension.high - dimension.low + 1) % dimension.extent == 0
                };
                layout = if self.dimensions.iter().all(aligned) { 2 } else { layout };
            }
            region.iter().map(|(low, high)| (high - low + 1) as usize).product()
        } else {
            cells = self.coordinates(random);
            cells.len()
        };
        let data = self.attributes.iter().map(|attribute| {
            let plain = random.one_in(2);
            let byte = |_| if plain { (random.next() % 3) as u8 } else { random.next() as u8 };
            (0..count * attribute.cell_size()).map(byte).collect()
        });
        Write { time, layout, region, cells, data: data.collect() }
    }

    fn coordinates(&self, random: &mut Random) -> Vec<Vec<i64>> {
        let count = random.between(1, 200);
        let cell = |random: &mut Random| -> Vec<i64> {
            self.dimensions.iter().map(|dimension| random.between(dimension.low, dimension.high)).collect()
        };
        let mut cells: Vec<Vec<i64>> = (0..count).map(|_| cell(random)).collect();
        if !self.dups {
            cells.sort();
            cells.dedup();
            for i in (1..cells.len()).rev() {
                cells.swap(i, (random.next() % (i as u64 + 1)) as usize);
            }
        }
        cells
    }

    fn read(&self, random: &mut Random) -> Read {
        let window =
            *random.pick(&[(None, None), (None, None), (Some(0), Some(20)), (Some(15), Some(40)), (None, Some(10))]);
        let layout = if self.dense { random.next() % 3 } else { random.next() % 4 };
        let region = (!random.one_in(3)).then(|| self.region(random));
        let whole = || self.dimensions.iter().map(|dimension| (dimension.low, dimension.high)).collect();
        let region = if self.dense { Some(region.unwrap_or_else(whole)) } else { region };
        let room = if random.one_in(3) { random.between(self.capacity as i64, 100) as usize } else { 1 << 14 };
        Read { window, layout, region, room: room.max(self.capacity as usize) }
    }
}

fn dimensions(random: &mut Random, dense: bool) -> Vec<Dimension> {
    let count = *random.pick(&[1, 1, 2, 2, 2, 3, 3, 4, 5]);
    let types = if dense { &DIMENSION_TYPES[..12] } else { &DIMENSION_TYPES[..] };
    let same = *random.pick(types);
    let cells = (2000f64.powf(1.0 / f64::from(count)) as i64).clamp(2, 200);
    (0..count)
        .map(|_| {
            let ty = if dense { same } else { *random.pick(types) };
            let size = random.between(1, if dense { cells } else { 200 });
            let size = if ty.size == 1 { size.min(100) } else { size };
            let low = if ty.signed { random.between(-50, 20) } else { random.between(0, 50) };
            let extent = random.between(1, size.max(1));
            // The last tile may not reach past the type's range.
            let extent = if ty.size == 1 { extent.min(20).min(size) } else { extent };
            Dimension { ty, low, high: low + size - 1, extent, filters: filters(random) }
        })
        .map(|dimension| {
            if dimension.ty.float && dimension.low == dimension.high {
                Dimension { high: dimension.high + 1, ..dimension }
            } else {
                dimension
            }
        })
        .collect()
}

fn attribute(random: &mut Random) -> Attribute {
    let (number, size) = *random.pick(&ATTRIBUTE_TYPES);
    Attribute { number, size, values: *random.pick(&[1, 1, 1, 2, 3]), filters: filters(random) }
}

/// Numbers of the filters that look at values: RLE, differences, shuffles, and those of integers.
const OF_VALUES: [u64; 7] = [4, 6, 7, 8, 9, 16, 19];
/// Numbers of the filters that take any bytes: NONE, compressors, checksums.
const OF_BYTES: [u64; 9] = [0, 1, 1, 2, 2, 3, 5, 12, 13];

/// A random pipeline with levels. Not all types allow all filters of values; both libraries must say so.
/// Those come first, since the reference loses bytes where they are given no whole values.
fn filters(random: &mut Random) -> Vec<(u64, i32)> {
    let level = |random: &mut Random| *random.pick(&[-1, 1, 5, 9]);
    let mut filters = Vec::new();
    if random.one_in(2) {
        filters.push((*random.pick(&OF_VALUES), -1));
    }
    for _ in 0..*random.pick(&[0, 0, 1, 1, 2]) {
        filters.push((*random.pick(&OF_BYTES), level(random)));
    }
    filters
}

/// A coordinate as bytes of its type.
pub fn coordinate(ty: Type, value: i64) -> Vec<u8> {
    match (ty.float, ty.size) {
        (true, 4) => (value as f32 * 0.5).to_le_bytes().to_vec(),
        (true, _) => (value as f64 * 0.5).to_le_bytes().to_vec(),
        (false, size) => value.to_le_bytes()[..size].to_vec(),
    }
}
