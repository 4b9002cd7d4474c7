//! Kernels that the compiler vectorizes, or that use vectors themselves, against loops over one value at a time that follow
//! the description of the format. `KERNEL_VALUES=1000000` compares so many random values for each type.

use tiledb_core::types::{CURRENT_VERSION, Datatype};

use super::stage::FilterStage;
use super::testing::encode;
use super::{bit_width_reduction, positive_delta, scale_float};
use crate::codec::double_delta::Integers;
use crate::codec::{double_delta, planes, rle};

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Calls `compare` with lists of random values of all magnitudes.
fn for_lists(mut compare: impl FnMut(&[u64], &mut Random)) {
    let values = std::env::var("KERNEL_VALUES").map_or(4000, |values| values.parse().unwrap());
    let (mut random, mut compared) = (Random(7), 0);
    while compared < values {
        let (count, shift, base) = (1 + random.below(700), random.below(64), random.next());
        let base = if random.below(2) == 0 { 0 } else { base };
        let list: Vec<u64> = (0..count).map(|_| (random.next() >> shift).wrapping_add(base)).collect();
        compare(&list, &mut random);
        compared += list.len();
    }
}

/// The low bytes of each value.
fn bytes_of(values: &[u64], width: usize) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()[..width].to_vec()).collect()
}

/// An integer of this type in the low bytes of a value.
fn integer(value: u64, width: usize, signed: bool) -> i128 {
    let unused = 64 - 8 * width as u32;
    if signed { i128::from((value << unused) as i64 >> unused) } else { i128::from(value << unused >> unused) }
}

const INTEGERS: [Datatype; 8] = [
    Datatype::Int8,
    Datatype::Uint8,
    Datatype::Int16,
    Datatype::Uint16,
    Datatype::Int32,
    Datatype::Uint32,
    Datatype::Int64,
    Datatype::Uint64,
];

fn is_signed(datatype: Datatype) -> bool {
    matches!(datatype, Datatype::Int8 | Datatype::Int16 | Datatype::Int32 | Datatype::Int64)
}

#[test]
fn bytes_are_transposed() {
    for width in [2, 4, 8] {
        for_lists(|values, random| {
            let mut src = bytes_of(values, width);
            src.resize(src.len() + random.below(width as u64) as usize, 9);
            let mut expected: Vec<u8> =
                (0..width).flat_map(|byte| src.chunks_exact(width).map(move |value| value[byte])).collect();
            expected.extend_from_slice(src.chunks_exact(width).remainder());
            let (mut out, mut back) = (vec![1; src.len()], vec![1; src.len()]);
            planes::scatter(width, &src, &mut out);
            planes::gather(width, &out, &mut back);
            assert!(out == expected && back == src);
        });
    }
}

#[test]
fn bits_are_transposed() {
    for_lists(|values, _| {
        let src = bytes_of(values, 8);
        let mut out = src.clone();
        planes::transpose_bits(&mut out);
        for (rows, columns) in src.chunks(8).zip(out.chunks(8)) {
            for (place, column) in columns.iter().enumerate() {
                let bits = rows.iter().enumerate().map(|(row, byte)| (byte >> place & 1) << row);
                assert_eq!(*column, bits.sum::<u8>());
            }
        }
    });
}

#[test]
fn runs_are_cells_and_counts() {
    for width in [1, 2, 3, 4, 8] {
        for_lists(|values, random| {
            let kinds = 1 + random.below(4);
            let cells: Vec<u64> = values.iter().map(|value| value.count_ones() as u64 % kinds).collect();
            let src = bytes_of(&cells, width);
            let mut expected = Vec::new();
            for run in cells.chunk_by(|a, b| a == b) {
                expected.extend_from_slice(&run[0].to_le_bytes()[..width]);
                expected.extend_from_slice(&(run.len() as u16).to_be_bytes());
            }
            let (mut out, mut back) = (Vec::new(), vec![1; src.len()]);
            rle::compress(width, &src, &mut out).unwrap();
            rle::decompress(width, &out, &mut back).unwrap();
            assert!(out == expected && back == src);
        });
    }
}

/// Bits of the largest magnitude; that of verbatim values where one overflows.
fn bits_of_differences(values: &[i128]) -> usize {
    let steps: Vec<i128> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let seconds: Vec<i128> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    match seconds.is_empty() {
        true => 0,
        false if steps.iter().chain(&seconds).any(|&value| i64::try_from(value).is_err()) => 63,
        false => {
            let largest = seconds.iter().chain(&steps[..1]).map(|value| value.unsigned_abs()).max();
            128 - largest.unwrap_or(0).leading_zeros() as usize
        }
    }
}

#[test]
fn double_deltas_are_signs_and_magnitudes() {
    for datatype in INTEGERS {
        let integers = Integers { width: datatype.size(), signed: is_signed(datatype) };
        for_lists(|values, _| {
            let src = bytes_of(values, integers.width);
            let wide: Vec<i128> = values.iter().map(|&v| integer(v, integers.width, integers.signed)).collect();
            let bits = bits_of_differences(&wide);
            let mut expected = vec![bits as u8];
            expected.extend_from_slice(&(values.len() as u64).to_le_bytes());
            if bits >= 8 * integers.width - 1 {
                expected.extend_from_slice(&src);
            } else {
                expected.extend_from_slice(&src[..src.len().min(2 * integers.width)]);
                let seconds = wide.windows(3).map(|v| v[2] - v[1] - (v[1] - v[0]));
                let stream: Vec<bool> = seconds
                    .flat_map(|second| {
                        let magnitude = second.unsigned_abs();
                        let sign = std::iter::once(second < 0);
                        sign.chain((0..bits).rev().map(move |bit| magnitude >> bit & 1 == 1))
                    })
                    .collect();
                for word in stream.chunks(64) {
                    let word = word.iter().enumerate().map(|(place, &bit)| u64::from(bit) << (63 - place)).sum::<u64>();
                    expected.extend_from_slice(&word.to_le_bytes());
                }
            }
            let (mut out, mut back) = (Vec::new(), vec![1; src.len()]);
            double_delta::compress(integers, &src, &mut out).unwrap();
            double_delta::decompress(integers, &out, &mut back).unwrap();
            assert!(out == expected, "{integers:?}, {values:?}: {out:?} instead of {expected:?}");
            assert!(back == src);
        });
    }
}

/// Checks what a filter makes of cells, and that it restores them.
fn assert_encodes(stage: &dyn FilterStage, src: &[u8], meta: &[u8], data: &[u8], datatype: Datatype) {
    let out = encode(stage, src);
    assert!(out.meta == meta && out.data == data, "{datatype:?}");
    let mut back = vec![1; src.len()];
    stage.reverse(out.as_input(), 1 << 20, &mut Vec::new(), &mut back).unwrap();
    assert!(back == src);
}

#[test]
fn narrow_integers_are_distances_from_the_least() {
    for datatype in &INTEGERS[2..] {
        let (width, signed) = (datatype.size(), is_signed(*datatype));
        for_lists(|values, random| {
            let src = bytes_of(values, width);
            let window = width * (1 + random.below(300) as usize);
            let stage = bit_width_reduction::stage(*datatype, CURRENT_VERSION, window as u32).unwrap();
            let mut meta = [src.len() as u32, src.len().div_ceil(window) as u32].map(u32::to_le_bytes).concat();
            let mut data = Vec::new();
            for window in values.chunks(window / width) {
                let wide: Vec<i128> = window.iter().map(|&value| integer(value, width, signed)).collect();
                let (least, most) = (wide.iter().min().unwrap(), wide.iter().max().unwrap());
                let needed = 128 - (most - least + 1).leading_zeros() as usize + usize::from(signed);
                let bits = [8, 16, 32].into_iter().find(|&bits| bits >= needed).unwrap_or(64).min(8 * width);
                meta.extend_from_slice(&least.to_le_bytes()[..width]);
                meta.push(bits as u8);
                meta.extend_from_slice(&((window.len() * width) as u32).to_le_bytes());
                let base = if bits == 8 * width { 0 } else { *least };
                data.extend(wide.iter().flat_map(|value| (value - base).to_le_bytes()[..bits / 8].to_vec()));
            }
            assert_encodes(&*stage, &src, &meta, &data, *datatype);
        });
    }
}

#[test]
fn positive_deltas_are_differences_within_a_window() {
    for datatype in INTEGERS {
        let (width, signed) = (datatype.size(), is_signed(datatype));
        for_lists(|values, random| {
            let mut wide: Vec<i128> = values.iter().map(|&value| integer(value, width, signed)).collect();
            wide.sort_unstable();
            let src: Vec<u8> = wide.iter().flat_map(|value| value.to_le_bytes()[..width].to_vec()).collect();
            let window = 1 + random.below(300) as usize;
            let stage = positive_delta::stage(datatype, CURRENT_VERSION, (window * width) as u32).unwrap();
            let mut meta = (wide.len().div_ceil(window) as u32).to_le_bytes().to_vec();
            let mut data = Vec::new();
            for window in wide.chunks(window) {
                meta.extend_from_slice(&window[0].to_le_bytes()[..width]);
                meta.extend_from_slice(&((window.len() * width) as u32).to_le_bytes());
                data.extend_from_slice(&[0; 8][..width]);
                data.extend(window.windows(2).flat_map(|pair| (pair[1] - pair[0]).to_le_bytes()[..width].to_vec()));
            }
            assert_encodes(&*stage, &src, &meta, &data, datatype);
        });
    }
}

#[test]
fn scaled_floats_are_rounded_away_from_zero() {
    for (datatype, width) in [4, 8].into_iter().flat_map(|float| [1, 2, 4, 8].map(|width| (float, width))) {
        let (factor, offset) = (0.37, -11.25);
        let datatype = if datatype == 4 { Datatype::Float32 } else { Datatype::Float64 };
        let stage = scale_float::stage(datatype, factor, offset, width).unwrap();
        // Halves, quarters and noise, within the integers.
        let most = 1i64 << (8 * width - 2).min(50);
        for_lists(|values, _| {
            let scaled = values.iter().map(|&value| ((value as i64) % most) as f64 + (value % 8) as f64 / 4.0);
            let floats: Vec<f64> = scaled.map(|scaled| scaled * factor + offset).collect();
            let round = |value: f64| {
                let whole = value.trunc();
                whole + if (value - whole).abs() >= 0.5 { value.signum() } else { 0.0 }
            };
            let (mut src, mut expected) = (Vec::new(), Vec::new());
            for float in floats {
                let integer = if datatype == Datatype::Float32 {
                    src.extend_from_slice(&(float as f32).to_le_bytes());
                    round(f64::from((float as f32 - offset as f32) / factor as f32))
                } else {
                    src.extend_from_slice(&float.to_le_bytes());
                    round((float - offset) / factor)
                };
                expected.extend_from_slice(&(integer as i64).to_le_bytes()[..width]);
            }
            let out = encode(&*stage, &src);
            assert!(out.data == expected, "{datatype:?}, {width} bytes");
            let mut back = vec![1; src.len()];
            stage.reverse(out.as_input(), 1 << 20, &mut Vec::new(), &mut back).unwrap();
            for (back, stored) in back.chunks(datatype.size()).zip(expected.chunks(width)) {
                let mut value = [0; 8];
                value[..width].copy_from_slice(stored);
                let stored = integer(u64::from_le_bytes(value), width, true) as i64;
                if datatype == Datatype::Float32 {
                    let float = (factor * f64::from(stored as f32) + offset) as f32;
                    assert_eq!(back, float.to_le_bytes());
                } else {
                    assert_eq!(back, (factor * stored as f64 + offset).to_le_bytes());
                }
            }
        });
    }
}
