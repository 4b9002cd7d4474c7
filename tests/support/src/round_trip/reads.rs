//! Random queries of a scenario's array.

use crate::random::Random;
use crate::round_trip::scenario::{Dimension, OffsetMode, Read, Scenario};

pub fn random(random: &mut Random, scenario: &Scenario) -> Read {
    let window =
        *random.pick(&[(None, None), (None, None), (Some(0), Some(20)), (Some(15), Some(40)), (None, Some(10))]);
    let layout = if scenario.dense { random.next() % 3 } else { random.next() % 4 };
    let several = random.one_in(3) && !(scenario.dense && layout == 2);
    let everything = random.one_in(4);
    let ranges = scenario.dimensions.iter().map(|dimension| {
        if everything {
            let whole = (dimension.low, dimension.high);
            return if scenario.dense || random.one_in(2) { vec![whole] } else { Vec::new() };
        }
        ranges(random, dimension, if several { 4 } else { 1 })
    });
    let ranges = ranges.collect();
    let count = scenario.dimensions.len() + scenario.attributes.len();
    let all = !random.one_in(4);
    let mut fields: Vec<bool> = (0..count).map(|_| all || random.one_in(2)).collect();
    if !fields.contains(&true) || (scenario.dense && !fields[scenario.dimensions.len()..].contains(&true)) {
        fields[count - 1] = true;
    }
    let capacity = scenario.capacity as usize;
    let tight = random.one_in(3);
    let room = match (tight, scenario.long) {
        (true, _) => (random.between(1, 100) as usize).max(capacity),
        (false, true) => 64,
        (false, false) if scenario.capacity > 5000 || random.one_in(40) => 1 << 17,
        (false, false) => 1 << 14,
    };
    let mode = OffsetMode::random(random);
    Read { window, layout, ranges, fields, room, var_room: if tight { 25 } else { 40 }, tight, mode }
}

/// Up to `most` ranges: sorted or not, some of one coordinate, some over one another.
fn ranges(random: &mut Random, dimension: &Dimension, most: i64) -> Vec<(i64, i64)> {
    let count = random.between(1, most);
    let point = random.one_in(4);
    let mut ranges: Vec<(i64, i64)> = (0..count).map(|_| Scenario::range(dimension, random)).collect();
    if point {
        ranges.iter_mut().for_each(|range| range.1 = range.0);
    }
    if random.one_in(2) {
        ranges.sort_unstable();
    }
    if random.one_in(2) {
        // Cut off what overlaps.
        ranges.sort_unstable();
        let mut end = i64::MIN;
        ranges.retain(|&(low, high)| {
            let apart = low > end;
            end = if apart { high } else { end };
            apart
        });
    }
    ranges
}
