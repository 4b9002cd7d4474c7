//! Mutations that corrupt the bytes of a file.

use crate::random::Random;

/// Numbers that break what adds, multiplies or reserves without looking.
const ABSURD: [u64; 10] = [0, 1, 0x7f, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, 1 << 62, i64::MAX as u64, u64::MAX];

/// Damages the bytes and says how.
pub fn damage(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let len = bytes.len();
    let at = |random: &mut Random| (random.next() % len as u64) as usize;
    let block = |random: &mut Random| {
        let from = at(random);
        from..(from + 1 + at(random) / 4).min(len)
    };
    match random.next() % 20 {
        0..=8 => {
            let count = random.between(1, 3);
            let places: Vec<(usize, u32)> = (0..count).map(|_| (at(random), (random.next() % 8) as u32)).collect();
            for &(byte, bit) in &places {
                bytes[byte] ^= 1 << bit;
            }
            format!("flipped (byte, bit) {places:?}")
        }
        9..=11 => {
            let keep = at(random);
            bytes.truncate(keep);
            format!("cut from {len} to {keep} bytes")
        }
        12 => {
            let more = random.between(1, 100);
            bytes.extend((0..more).map(|_| random.next() as u8));
            format!("{more} bytes more")
        }
        13..=14 => {
            let (from, to) = (block(random), at(random));
            let size = from.len().min(len - to);
            for i in 0..size {
                bytes.swap(from.start + i, to + i);
            }
            format!("swapped {size} bytes at {} and {to}", from.start)
        }
        15 => {
            let (block, byte) = (block(random), *random.pick(&[0, 0xff]));
            bytes[block.clone()].fill(byte);
            format!("{block:?} filled with {byte}")
        }
        _ => {
            let number = *random.pick(&ABSURD);
            let size = *random.pick(&[1, 2, 4, 8]).min(&len);
            // Lengths and counts lie at the ends of structures as often as anywhere.
            let from = match random.next() % 4 {
                0 => random.next() as usize % (len - size + 1).min(64),
                1 => len - size - random.next() as usize % (len - size + 1).min(64),
                _ => random.next() as usize % (len - size + 1),
            };
            bytes[from..from + size].copy_from_slice(&number.to_le_bytes()[..size]);
            format!("{number:#x} in {size} bytes at {from}")
        }
    }
}
