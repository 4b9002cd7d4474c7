//! Whatever is merged, in whichever steps, cells stay: random histories of writes with equal and nearly equal times are
//! consolidated in steps, by lists, by plans and by policy, and vacuumed.

use std::path::Path;

use crate::{Maintain, reader_of_reference};
use support::lifecycle::actions::Actions;
use support::lifecycle::model::{Cell, Row, Shape};
use support::lifecycle::reader::Reader;
use support::random::Random;
use support::{Api, Array};

/// Histories that are played, unless `SEEDS` says how many.
const FEW: u64 = 60;

/// Writes have the times 1 to this one.
const LAST: i64 = 4;

struct History<'a> {
    seed: u64,
    random: Random,
    shape: Shape,
    uri: &'a str,
    ours: &'a Actions<'a>,
    reference: Option<&'a mut Reader>,
    merges: usize,
}

fn shape(random: &mut Random) -> Shape {
    let dense = random.one_in(2);
    let dims = (0..random.between(1, 2)).map(|_| (11, *random.pick(&[1, 2, 3, 4, 6])));
    Shape {
        dense,
        dims: dims.collect(),
        dups: !dense && random.one_in(4),
        cell_order: 0,
        tile_order: random.between(0, 1) as u64,
        capacity: random.between(1, 9) as u64,
        encrypted: false,
    }
}

impl History<'_> {
    /// Writes a random box, often of tiles.
    fn write(&mut self, number: i32) {
        let is_aligned = self.random.one_in(2);
        let region: Vec<(i32, i32)> = self
            .shape
            .dims
            .clone()
            .iter()
            .map(|&(high, extent)| {
                let low = self.random.between(0, i64::from(high)) as i32;
                let high = self.random.between(i64::from(low), i64::from(high.min(low + 5))) as i32;
                if is_aligned { (low / extent * extent, high / extent * extent + extent - 1) } else { (low, high) }
            })
            .collect();
        let mut all = vec![Vec::new()];
        for &(low, high) in &region {
            all = all.iter().flat_map(|at: &Vec<i32>| (low..=high).map(move |x| [&at[..], &[x]].concat())).collect();
        }
        if !self.shape.dense {
            all.retain(|_| !self.random.one_in(3));
        }
        let time = self.random.between(1, LAST) as u64;
        let cells = all.into_iter().zip(0..).map(|(coords, at)| {
            let value = 1000 * number + at;
            Cell { coords, time, value, has: Vec::new() }
        });
        let cells: Vec<Cell> = cells.collect();
        if !cells.is_empty() {
            self.ours.write(self.uri, &self.shape, time, &cells, &region).unwrap();
        }
    }

    /// The cells at each time, by our library, and by the reference if no cell supersedes another: which of several cells of one time it
    /// reads depends on how many there are in a consolidated fragment, on the time that it reads, and on whether commits are consolidated.
    fn snapshots(&mut self) -> Vec<Vec<Row>> {
        let (uri, shape) = (self.uri, &self.shape);
        let mut snapshots = Vec::new();
        for time in 1..=LAST as u64 {
            snapshots.push(self.ours.read(uri, shape, (0, time), &[]).unwrap());
            if let Some(reference) = self.reference.as_deref_mut().filter(|_| shape.dups) {
                snapshots.push(reference.read(uri, shape, (0, time), &[]).unwrap());
            }
        }
        snapshots
    }

    /// Executes the nodes of a consolidation plan.
    fn execute_plan(&mut self) {
        let ctx = self.ours.context(&[]);
        let bytes = *self.random.pick(&[1u64, 2000, 1 << 20]);
        let nodes: Vec<Vec<String>> = {
            let array = Array::open(&ctx, self.uri, 0, None, None).unwrap();
            let plan = ctx.get("consolidation_plan_create_with_mbr", &[array.handle, bytes]).unwrap();
            let count = ctx.get("consolidation_plan_get_num_nodes", &[plan]).unwrap();
            let node = |node: u64| {
                let count = ctx.get("consolidation_plan_get_num_fragments", &[plan, node]).unwrap() & 0xffff_ffff;
                let name = |at: u64| {
                    let uri = ctx.get("consolidation_plan_get_fragment_uri", &[plan, node, at]).unwrap();
                    support::borrowed(uri)
                };
                (0..count).map(name).collect()
            };
            let nodes = (0..count).map(node).collect();
            ctx.free("consolidation_plan", plan);
            nodes
        };
        for names in nodes.iter().filter(|names| names.len() > 1) {
            self.merge_list(names);
        }
    }

    /// Merges a list of fragments, which may be refused.
    fn merge_list(&mut self, names: &[String]) {
        match self.ours.consolidate_named(self.uri, names, &[]) {
            Ok(()) => self.merges += 1,
            Err(failure) => {
                assert!(failure.text.contains("Cannot consolidate;"), "{failure:?}");
                assert!(!self.shape.dups, "{failure:?}");
            }
        }
    }

    /// Consolidates in steps.
    fn consolidate(&mut self) {
        let min = self.random.between(2, 4);
        let max = min + self.random.between(0, 4);
        let mut config = vec![
            ("sm.consolidation.step_min_frags", min.to_string()),
            ("sm.consolidation.step_max_frags", max.to_string()),
            ("sm.consolidation.steps", self.random.between(1, 4).to_string()),
            ("sm.consolidation.amplification", self.random.pick(&["1.0", "1.5", "2.0", "100.0"]).to_string()),
        ];
        if self.random.one_in(4) {
            config.truncate(0);
        }
        if self.random.one_in(3) {
            let bytes = self.random.pick(&["200", "500", "2000"]).to_string();
            config.push(("sm.consolidation.max_fragment_size", bytes));
        }
        if self.random.one_in(4) {
            config.push(("sm.consolidation.timestamp_start", self.random.between(0, 2).to_string()));
            config.push(("sm.consolidation.timestamp_end", self.random.between(2, LAST).to_string()));
        }
        let config: Vec<(&str, &str)> = config.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let before = self.ours.fragments(self.uri).unwrap();
        self.ours.consolidate(self.uri, &config).unwrap();
        self.merges += usize::from(self.ours.fragments(self.uri).unwrap() != before);
    }

    fn maintain(&mut self) {
        let bound = self.random.between(1, 6).to_string();
        let all = u64::MAX.to_string();
        let mut config = vec![
            ("sm.maintenance.max_fragments", bound.as_str()),
            ("sm.maintenance.max_commits", "3"),
            ("sm.maintenance.max_fragment_metadata", "3"),
            ("sm.maintenance.retention_ms", all.as_str()),
        ];
        if self.random.one_in(3) {
            config.push(("sm.consolidation.max_fragment_size", "2000"));
        }
        if self.random.one_in(3) {
            config.push(("sm.consolidation.amplification", "3.0"));
        }
        self.merges += self.ours.maintain(self.uri, &config).unwrap().steps[0];
    }

    /// Merges or vacuums in some way, and compares the cells before and afterwards.
    fn act(&mut self, log: &mut Vec<String>) {
        let before = self.snapshots();
        let names = self.ours.fragments(self.uri).unwrap();
        let action = match self.random.between(0, 9) {
            0..=3 => {
                self.consolidate();
                "consolidate"
            }
            4..=5 => {
                let some: Vec<String> = names.iter().filter(|_| !self.random.one_in(3)).cloned().collect();
                if some.len() > 1 {
                    self.merge_list(&some);
                }
                "list"
            }
            6 => {
                self.execute_plan();
                "plan"
            }
            7..=8 => {
                self.maintain();
                "maintain"
            }
            _ => {
                self.ours.vacuum(self.uri, "fragments").unwrap();
                "vacuum"
            }
        };
        log.push(format!("{action}: {names:?}"));
        let after = self.snapshots();
        // A vacuum of a dense array loses past times.
        let is_last_only = action == "vacuum" && self.shape.dense;
        let first = if is_last_only { before.len() - before.len() / LAST as usize } else { 0 };
        if let Some(at) = (first..before.len()).find(|&at| before[at] != after[at]) {
            let differ = |a: &[Row], b: &[Row]| a.iter().filter(|row| !b.contains(row)).cloned().collect::<Vec<_>>();
            panic!(
                "seed {}, {:?}:\n{}\nnow {:?}\nread {at} was {:?}, and is {:?}",
                self.seed,
                self.shape,
                log.join("\n"),
                self.ours.fragments(self.uri),
                differ(&before[at], &after[at]),
                differ(&after[at], &before[at])
            );
        }
    }
}

/// Plays a history; the number of its merges.
fn play(seed: u64, folder: &Path, ours: &Actions<'_>, reference: Option<&mut Reader>) -> usize {
    let mut random = Random::new(seed);
    let shape = shape(&mut random);
    let array = folder.join("array");
    let uri = array.to_str().unwrap();
    ours.create(uri, &shape).unwrap();
    let mut history = History { seed, random, shape, uri, ours, reference, merges: 0 };
    let mut log = Vec::new();
    let mut number = 0;
    for _ in 0..history.random.between(1, 3) {
        for _ in 0..history.random.between(2, 6) {
            history.write(number);
            number += 1;
        }
        for _ in 0..history.random.between(1, 3) {
            history.act(&mut log);
        }
    }
    history.merges
}

#[test]
fn merges_of_fragments_with_equal_times_change_no_cell() {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(FEW);
    let api = Api::ours();
    let ours = Actions { api: &api, who: "", encrypted: false };
    let mut reference = reader_of_reference();
    let mut merges = 0;
    for seed in 0..seeds {
        let folder = tempfile::tempdir().unwrap();
        merges += play(seed, folder.path(), &ours, reference.as_mut());
    }
    assert!(merges as u64 > seeds, "{merges} merges of {seeds} histories");
}
