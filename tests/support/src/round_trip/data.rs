//! Random cells suited to filters: runs, ascending values, small ranges, noise.

use crate::random::Random;
use crate::round_trip::types::{CHAR, Kind, Type};

/// The cells of one field. `offsets` are the bytes at which var cells start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    pub values: Vec<u8>,
    pub offsets: Option<Vec<u64>>,
    pub validity: Option<Vec<u8>>,
}

/// What the cells of a field look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub ty: Type,
    /// Values per cell; none for var cells.
    pub values: Option<u32>,
    pub nullable: bool,
}

impl Shape {
    /// Bytes of a fixed cell; one value for var cells.
    pub fn cell_size(self) -> usize {
        self.ty.size * self.values.unwrap_or(1) as usize
    }

    /// True if the reference takes characters for numbers without a sign, as C does on aarch64: its fill value is 0 there, and
    /// its statistics are others than on x86-64. Ours are those of x86-64 everywhere.
    pub fn is_unsigned(self) -> bool {
        cfg!(target_arch = "aarch64") && self.ty.number == CHAR
    }
}

/// How the values of a field follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Constant,
    Runs,
    Rising,
    Small,
    Wide,
    Noise,
}

pub const STYLES: [Style; 6] = [Style::Constant, Style::Runs, Style::Rising, Style::Small, Style::Wide, Style::Noise];

impl Data {
    /// Random cells.
    pub fn random(random: &mut Random, shape: Shape, style: Style, count: usize, long: bool) -> Data {
        let mut data = Data::default();
        let mut series = Series { style, at: random.between(-20, 20) };
        match shape.values {
            Some(values) => {
                for _ in 0..count * values as usize {
                    series.push(random, shape.ty, &mut data.values);
                }
            }
            None => var_cells(random, shape.ty, &mut series, count, long, &mut data),
        }
        if shape.nullable {
            let (all, none) = (random.one_in(6), random.one_in(6));
            let valid = |_| u8::from(!all && (none || !random.one_in(3)));
            data.validity = Some((0..count).map(valid).collect());
        }
        data
    }

    fn cell(&self, size: usize, i: usize) -> &[u8] {
        match &self.offsets {
            None => &self.values[i * size..(i + 1) * size],
            Some(offsets) => {
                let end = offsets.get(i + 1).map_or(self.values.len(), |&end| end as usize);
                &self.values[offsets[i] as usize..end]
            }
        }
    }

    /// The cells at these places, in this order.
    pub fn gather(&self, size: usize, places: &[usize]) -> Data {
        let mut data = Data {
            values: Vec::new(),
            offsets: self.offsets.as_ref().map(|_| Vec::new()),
            validity: self.validity.as_ref().map(|validity| places.iter().map(|&i| validity[i]).collect()),
        };
        for &i in places {
            if let Some(offsets) = &mut data.offsets {
                offsets.push(data.values.len() as u64);
            }
            data.values.extend_from_slice(self.cell(size, i));
        }
        data
    }

    /// Cell by cell: its bytes and its validity.
    pub fn split(&self, size: usize) -> Vec<(Vec<u8>, Option<u8>)> {
        let count = self.offsets.as_ref().map_or(self.values.len() / size.max(1), Vec::len);
        let validity = |i: usize| self.validity.as_ref().and_then(|validity| validity.get(i).copied());
        (0..count).map(|i| (self.cell(size, i).to_vec(), validity(i))).collect()
    }
}

/// A sequence of numbers.
struct Series {
    style: Style,
    at: i64,
}

impl Series {
    fn push(&mut self, random: &mut Random, ty: Type, out: &mut Vec<u8>) {
        let value = match self.style {
            Style::Constant => self.at,
            Style::Runs => {
                if random.one_in(9) {
                    self.at = random.between(0, 5);
                }
                self.at
            }
            Style::Rising => {
                self.at += random.between(0, 3);
                self.at
            }
            Style::Small => random.between(-3, 9),
            Style::Wide => random.between(-40_000, 40_000),
            Style::Noise => {
                let noise = random.next().to_le_bytes();
                return out.extend_from_slice(&noise[..ty.size]);
            }
        };
        let value = if ty.kind == Kind::Bytes && ty.size == 1 { 97 + value.rem_euclid(26) } else { value };
        out.extend(ty.bytes(value));
    }
}

fn var_cells(random: &mut Random, ty: Type, series: &mut Series, count: usize, long: bool, data: &mut Data) {
    let most = *random.pick(&[1, 3, 3, 8, 20]);
    let empty = random.one_in(12);
    let mut offsets = Vec::with_capacity(count);
    let mut last = 0..0;
    for _ in 0..count {
        let start = data.values.len();
        offsets.push(start as u64);
        let same = matches!(series.style, Style::Constant | Style::Runs) && !random.one_in(6);
        if same {
            data.values.extend_from_within(last.clone());
        } else if !empty {
            let length = match long && random.one_in(7) {
                true => random.between(1000, 150_000 / ty.size as i64),
                false => random.between(0, most),
            };
            (0..length).for_each(|_| series.push(random, ty, &mut data.values));
        }
        last = start..data.values.len();
    }
    data.offsets = Some(offsets);
}
