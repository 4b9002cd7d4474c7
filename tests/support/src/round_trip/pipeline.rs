//! Random filter pipelines.

use crate::random::Random;
use crate::round_trip::types::{Kind, Type};

pub const RLE: u64 = 4;
pub const DOUBLE_DELTA: u64 = 6;
pub const BIT_WIDTH: u64 = 7;
pub const BITSHUFFLE: u64 = 8;
pub const BYTESHUFFLE: u64 = 9;
pub const POSITIVE_DELTA: u64 = 10;
pub const DICTIONARY: u64 = 14;
pub const SCALE_FLOAT: u64 = 15;
pub const XOR: u64 = 16;
pub const DELTA: u64 = 19;

/// GZIP, ZSTD, LZ4 and BZIP2.
const COMPRESSORS: [u64; 4] = [1, 2, 3, 5];
/// NONE and the checksums.
const NEUTRAL: [u64; 3] = [0, 12, 13];
const ALL: [u64; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 19];

/// A filter's number and its options: their numbers and the bytes of their values.
#[derive(Clone, Debug)]
pub struct Filter {
    pub kind: u64,
    pub options: Vec<(u64, Vec<u8>)>,
}

#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    pub filters: Vec<Filter>,
    pub max_chunk: Option<u32>,
}

/// What a pipeline will work on.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub ty: Type,
    pub var: bool,
    /// Bytes of a cell, of a value of var cells.
    pub cell_size: usize,
    /// True if the values never descend.
    pub rising: bool,
    /// False where both libraries are known to refuse what is out of the ordinary.
    pub wild: bool,
}

impl Pipeline {
    /// A pipeline: mostly one that suits its subject, now and then any filters in any order.
    pub fn random(random: &mut Random, subject: Subject) -> Pipeline {
        let filters = match subject.wild {
            true => wild(random),
            false => suitable(random, subject),
        };
        let max_chunk = random.one_in(6).then(|| *random.pick(&[0, 1, 7, 16, 100, 1000, 4096, 65535, 65536, 100_000]));
        Pipeline { filters, max_chunk }
    }

    /// True if windows of integers may be smaller than a value: the reference divides by the number of values in them.
    pub fn has_small_windows(&self) -> bool {
        let is_small = |window: &[u8]| window[0] < 8 && window[1..].iter().all(|&byte| byte == 0);
        let windows = self.filters.iter().filter(|filter| matches!(filter.kind, BIT_WIDTH | POSITIVE_DELTA));
        windows.flat_map(|filter| &filter.options).any(|(_, window)| is_small(window))
    }

    pub fn has(&self, kind: u64) -> bool {
        self.filters.iter().any(|filter| filter.kind == kind)
    }

    /// True if both libraries must write the same bytes: no step that depends on a compressor's version.
    pub fn is_exact(&self) -> bool {
        !self.leaves_parts() && !self.filters.iter().any(|filter| COMPRESSORS.contains(&filter.kind))
    }

    /// True if a filter of values comes behind one that leaves any number of bytes: the reference drops those
    /// behind the last whole value.
    pub fn leaves_parts(&self) -> bool {
        let mut filters = self.filters.iter().map(|filter| filter.kind);
        filters.any(|kind| {
            COMPRESSORS.contains(&kind) || [RLE, DELTA, DOUBLE_DELTA, BIT_WIDTH, DICTIONARY].contains(&kind)
        }) && filters
            .any(|kind| [XOR, DELTA, DOUBLE_DELTA, BIT_WIDTH, POSITIVE_DELTA, RLE, SCALE_FLOAT].contains(&kind))
    }

    /// The pipeline without filters that round, which coordinates do not survive.
    pub fn lossless(mut self) -> Pipeline {
        self.filters.retain(|filter| filter.kind != SCALE_FLOAT);
        self
    }
}

/// Any filters in any order. Only the first one may scale, since what others leave is beyond all integers.
fn wild(random: &mut Random) -> Vec<Filter> {
    let mut filters: Vec<Filter> = (0..random.between(1, 6)).map(|_| any_filter(random)).collect();
    let mut first = true;
    filters.retain(|filter| std::mem::take(&mut first) || filter.kind != SCALE_FLOAT);
    filters
}

/// Filters that accept the cells one after the other.
fn suitable(random: &mut Random, subject: Subject) -> Vec<Filter> {
    let mut filters = Vec::new();
    let mut ty = subject.ty;
    // Whether the data is still a row of values, and still as long as the tile's cells.
    // The reference also runs RLE over what earlier filters noted, which is hardly ever whole cells.
    let (mut values, mut cells) = (true, true);
    if subject.var && ty.is_string() && random.one_in(2) {
        filters.push(plain(*random.pick(&[RLE, DICTIONARY])));
        (values, cells) = (false, false);
    }
    for _ in 0..*random.pick(&[0, 1, 1, 1, 2, 2, 3, 4, 5]) {
        let mut kinds = vec![*random.pick(&COMPRESSORS), *random.pick(&NEUTRAL), BITSHUFFLE, BYTESHUFFLE];
        if values {
            kinds.push(XOR);
            if ty.is_integer() {
                kinds.extend([BIT_WIDTH, BIT_WIDTH, DELTA, DOUBLE_DELTA]);
            }
            if ty.is_integer() && cells && (subject.rising || random.one_in(20)) {
                kinds.extend([POSITIVE_DELTA, POSITIVE_DELTA]);
            }
            // Floats made of anything else are mostly beyond all integers.
            if ty.kind == Kind::Float && cells {
                kinds.extend([SCALE_FLOAT, SCALE_FLOAT]);
            }
            if ty.size > 1 {
                kinds.push(*random.pick(&[DELTA, DOUBLE_DELTA]));
            }
        }
        if cells && !(subject.var && ty.is_string()) {
            kinds.extend([RLE, RLE]);
        }
        let kind = *random.pick(&kinds);
        let mut filter = with_options(random, kind, Some(ty));
        match filter.kind {
            DELTA | DOUBLE_DELTA => {
                // Real numbers and characters of several bytes need a type of their size.
                if !ty.is_integer() {
                    let same: &[u64] = match ty.size {
                        2 => &[7, 8],
                        4 => &[0, 9],
                        _ => &[1, 10, 21],
                    };
                    filter.options = vec![(0, level(random)), (9, vec![*random.pick(same) as u8])];
                }
                (values, cells) = (false, false);
            }
            SCALE_FLOAT => {
                let width = filter.options.iter().find(|(number, _)| *number == 3);
                ty = signed(width.map_or(8, |(_, bytes)| usize::from(bytes[0])));
                cells = false;
            }
            XOR => (ty, cells) = (signed(ty.size), false),
            BIT_WIDTH if ty.size > 1 => (values, cells) = (false, false),
            RLE => (values, cells) = (false, false),
            kind if COMPRESSORS.contains(&kind) => (values, cells) = (false, false),
            kind if NEUTRAL[0] == kind => {}
            _ => cells = false,
        }
        cells = cells || subject.cell_size == 1;
        filters.push(filter);
    }
    filters
}

fn signed(size: usize) -> Type {
    Type::of(match size {
        1 => 5,
        2 => 7,
        4 => 0,
        _ => 1,
    })
}

fn plain(kind: u64) -> Filter {
    Filter { kind, options: Vec::new() }
}

fn any_filter(random: &mut Random) -> Filter {
    let kind = *random.pick(&ALL);
    with_options(random, kind, None)
}

fn level(random: &mut Random) -> Vec<u8> {
    let level: i32 = *random.pick(&[-1, -1, 0, 1, 3, 5, 9]);
    level.to_le_bytes().to_vec()
}

/// The filter with random options. Without a type any reinterpretation is tried.
fn with_options(random: &mut Random, kind: u64, ty: Option<Type>) -> Filter {
    let mut options = Vec::new();
    match kind {
        1..=6 | DICTIONARY | DELTA => {
            if random.one_in(2) {
                options.push((0, level(random)));
            }
            if matches!(kind, DELTA | DOUBLE_DELTA) && random.one_in(3) {
                let any = (random.next() % 44) as u8;
                let same = [5u8, 6, 7, 8, 0, 9, 1, 10, 17];
                let fits = |number: &&u8| ty.is_none_or(|ty| ty.size % Type::of(u64::from(**number)).size == 0);
                let fitting: Vec<u8> = same.iter().filter(fits).copied().collect();
                let number = if ty.is_none() { any } else { *random.pick(&fitting) };
                options.push((9, vec![number]));
            }
        }
        BIT_WIDTH | POSITIVE_DELTA if random.one_in(2) => {
            let window: u32 = *random.pick(&[1, 4, 8, 24, 100, 256, 1024, 65536, 1 << 20]);
            options.push((if kind == BIT_WIDTH { 1 } else { 2 }, window.to_le_bytes().to_vec()));
        }
        SCALE_FLOAT => {
            // What does not fit into the integers is undefined, so narrow ones get small numbers.
            let width: u64 = *random.pick(&[1, 2, 4, 8, 8]);
            let narrow = width < 4;
            if narrow || random.one_in(2) {
                options.push((3, width.to_le_bytes().to_vec()));
            }
            if random.one_in(2) {
                let factors: &[f64] = if narrow { &[0.5, 1.0, -1.5] } else { &[0.5, 0.1, 1.0, 2.0, 3.7, -1.5] };
                options.push((4, random.pick(factors).to_le_bytes().to_vec()));
            }
            if random.one_in(2) {
                let offsets: &[f64] = if narrow { &[0.0, 1.0, -3.5] } else { &[0.0, 1.0, -3.5, 1e6] };
                options.push((5, random.pick(offsets).to_le_bytes().to_vec()));
            }
        }
        _ => {}
    }
    Filter { kind, options }
}

/// ZSTD as a schema has it by default.
pub fn zstd() -> Filter {
    plain(2)
}
