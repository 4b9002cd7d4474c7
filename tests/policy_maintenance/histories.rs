//! Random histories, and concurrent maintainers.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Maintain, cells, commits, plain, reader_of_reference};
use support::Api;
use support::lifecycle::actions::Actions;
use support::lifecycle::model::{Cell, Doomed, Row, Shape};
use support::lifecycle::reader::Reader;
use support::random::Random;

/// Histories that are played, unless `SEEDS` says how many.
const FEW: u64 = 40;

/// A lease file of a maintainer that was killed long ago.
const OLD_LEASE: &str = "__1_2_0123456789abcdef0123456789abcdef_22.lease";

fn shape(random: &mut Random) -> Shape {
    let dense = random.one_in(3);
    let dims = (0..random.between(1, 2)).map(|_| {
        let high = random.between(3, 11) as i32;
        let extents: Vec<i32> = (1..=high + 1).filter(|extent| (high + 1) % extent == 0).collect();
        (high, *random.pick(&extents))
    });
    Shape {
        dense,
        dims: dims.collect(),
        dups: !dense && random.one_in(2),
        cell_order: 0,
        tile_order: random.between(0, 1) as u64,
        capacity: random.between(1, 9) as u64,
        encrypted: random.one_in(8),
    }
}

/// Writes a random box or random cells.
fn write(random: &mut Random, actions: &Actions<'_>, uri: &str, shape: &Shape, time: u64) {
    let region: Vec<(i32, i32)> = shape
        .dims
        .iter()
        .map(|(high, _)| {
            let low = random.between(0, i64::from(*high)) as i32;
            (low, random.between(i64::from(low), i64::from(*high)) as i32)
        })
        .collect();
    let mut all = vec![Vec::new()];
    for &(low, high) in &region {
        all = all.iter().flat_map(|at: &Vec<i32>| (low..=high).map(move |x| [&at[..], &[x]].concat())).collect();
    }
    if !shape.dense {
        all.retain(|_| !random.one_in(3));
    }
    let value = |number: usize| 100 * time as i32 + number as i32;
    let cells: Vec<Cell> = all
        .into_iter()
        .enumerate()
        .map(|(number, coords)| Cell { coords, time, value: value(number), has: Vec::new() })
        .collect();
    if !cells.is_empty() {
        actions.write(uri, shape, time, &cells, &region).unwrap();
    }
}

/// Both libraries, as far as they are there.
struct Libraries<'a> {
    actions: Actions<'a>,
    reference: Option<&'a mut Reader>,
}

impl Libraries<'_> {
    /// The cells at each time, by each library.
    fn snapshots(&mut self, uri: &str, shape: &Shape, times: &[u64]) -> Vec<Vec<Row>> {
        let mut cells = Vec::new();
        for &time in times {
            cells.push(self.actions.read(uri, shape, (0, time), &[]).unwrap());
            if let Some(reference) = &mut self.reference {
                cells.push(reference.read(uri, shape, (0, time), &[]).unwrap());
            }
        }
        cells
    }

    fn count(&self) -> usize {
        1 + usize::from(self.reference.is_some())
    }
}

fn play(seed: u64, folder: &Path, reference: Option<&mut Reader>) {
    let mut random = Random::new(seed);
    let shape = shape(&mut random);
    let (api, array) = (Api::ours(), folder.join("array"));
    let actions = &Actions { api: &api, who: "", encrypted: shape.encrypted };
    let mut libraries = Libraries { actions: Actions { ..*actions }, reference };
    let uri = array.to_str().unwrap();
    actions.create(uri, &shape).unwrap();
    let last = random.between(4, 16) as u64;
    let everything = u64::MAX.to_string();
    for time in 1..=last {
        match random.between(0, 9) {
            0..=1 if !shape.dense => {
                actions.delete(uri, time, Doomed::Below(100 * random.between(0, time as i64) as i32)).unwrap();
            }
            2 if time > 3 => {
                let bound = random.between(1, 3).to_string();
                let config =
                    [("sm.maintenance.max_fragments", bound.as_str()), ("sm.maintenance.retention_ms", &everything)];
                actions.maintain(uri, &config).unwrap();
            }
            _ => write(&mut random, actions, uri, &shape, time),
        }
    }
    if actions.fragments(uri).unwrap().is_empty() {
        return;
    }
    // Both libraries ignore the file.
    std::fs::write(array.join("__commits").join(OLD_LEASE), "process 1\nend\n").unwrap();
    let times: Vec<u64> = (1..=last).collect();
    let before = libraries.snapshots(uri, &shape, &times);
    let bound = random.between(1, 4);
    let (text, small) = (bound.to_string(), random.between(0, 2).to_string());
    let config = [
        ("sm.maintenance.max_fragments", text.as_str()),
        ("sm.maintenance.max_commits", &small),
        ("sm.maintenance.max_fragment_metadata", &small),
    ];
    let with_retention = [&config[..], &[("sm.maintenance.retention_ms", &everything)]].concat();
    actions.maintain(uri, &with_retention).unwrap();
    assert_eq!(before, libraries.snapshots(uri, &shape, &times), "seed {seed}, {shape:?}");
    assert!(shape.dense || actions.fragments(uri).unwrap().len() <= bound as usize, "seed {seed}");
    assert!(commits(&array, ".lease").is_empty());
    actions.maintain(uri, &[&config[..], &[("sm.maintenance.retention_ms", "0")]].concat()).unwrap();
    // Cells of dense arrays have no times: what was replaced can only be read as of the last time.
    let left = if shape.dense { &before[(last as usize - 1) * libraries.count()..] } else { &before[..] };
    let times = if shape.dense { &times[last as usize - 1..] } else { &times[..] };
    assert_eq!(left, libraries.snapshots(uri, &shape, times), "vacuumed, seed {seed}, {shape:?}");
    assert!(commits(&array, ".vac").is_empty());
    let again = actions.maintain(uri, &config).unwrap();
    assert_eq!(again.steps[0], 0, "seed {seed}: {again:?}");
}

#[test]
fn random_histories_read_as_before() {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(FEW);
    let mut reference = reader_of_reference();
    for seed in 0..seeds {
        let folder = tempfile::tempdir().unwrap();
        play(seed, folder.path(), reference.as_mut());
    }
}

#[test]
fn maintainers_and_a_writer_at_once_double_no_cell() {
    const WRITES: u64 = 60;
    let folder = tempfile::tempdir().unwrap();
    let (array, shape) = (folder.path().join("array"), plain(true));
    let uri = array.to_str().unwrap();
    let api = Api::ours();
    let actions = Actions { api: &api, who: "", encrypted: false };
    actions.create(uri, &shape).unwrap();
    let is_done = AtomicBool::new(false);
    let (mut merges, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let maintain = || {
            let (api, mut merges, mut refused) = (Api::ours(), 0, 0);
            let actions = Actions { api: &api, who: "", encrypted: false };
            let config = [("sm.maintenance.max_fragments", "4"), ("sm.maintenance.retention_ms", "0")];
            loop {
                let is_last = is_done.load(Ordering::SeqCst);
                match actions.maintain(uri, &config) {
                    Ok(report) => merges += report.steps[0],
                    Err(failure) if failure.text.contains("another maintainer holds the lease") => refused += 1,
                    Err(failure) => panic!("{failure:?}"),
                }
                if is_last {
                    return (merges, refused);
                }
            }
        };
        let maintainers = [scope.spawn(maintain), scope.spawn(maintain), scope.spawn(maintain)];
        for time in 1..=WRITES {
            actions.write(uri, &shape, time, &cells(time, 5), &[]).unwrap();
        }
        is_done.store(true, Ordering::SeqCst);
        for maintainer in maintainers {
            let (merged, failed) = maintainer.join().unwrap();
            (merges, refused) = (merges + merged, refused + failed);
        }
    });
    assert!(merges > 0, "{refused} refused");
    assert_eq!(actions.read(uri, &shape, (0, WRITES), &[]).unwrap().len() as u64, 5 * WRITES);
    if let Some(mut reference) = reader_of_reference() {
        assert_eq!(reference.read(uri, &shape, (0, WRITES), &[]).unwrap().len() as u64, 5 * WRITES);
    }
    assert!(commits(&array, ".lease").is_empty());
}
