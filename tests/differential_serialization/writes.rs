//! Writes across the libraries: one library creates the query, and its submits are executed by servers of both in turn,
//! so that the state of an unfinished fragment is transferred between two submits. The result must be that of a local
//! write: the same files, and the same cells for both readers.

use std::collections::BTreeMap;
use std::path::Path;

use support::accepted;
use support::folders::copy;
use support::messages::cross;
use support::random::Random;
use support::round_trip::execute;
use support::round_trip::scenario::{OffsetMode, Read, Scenario, Write};
use support::seeds::{Played, phase, reference_takes};
use support::{Api, Ctx, Failure};

/// `TILEDB_GLOBAL_ORDER`.
const GLOBAL: u64 = 2;
/// `TILEDB_UNORDERED`.
const UNORDERED: u64 = 3;

/// Who makes a query, and who takes its submits in turn; `true` is ours.
type Way = (bool, &'static [bool]);

const WAYS: [Way; 6] = [
    (true, &[false]),
    (false, &[true]),
    OURS,
    (false, &[false, true]),
    (true, &[true, false]),
    (false, &[true, false]),
];

/// What ours does alone.
const OURS: Way = (true, &[true]);
/// What the reference does alone.
const THEIRS: Way = (false, &[false]);

/// Both libraries, and where they write.
pub struct Writes<'a> {
    pub seed: u64,
    pub ours: &'a Api,
    pub reference: &'a Api,
    pub folder: &'a Path,
}

/// The bytes of the files of a fragment by name.
type Files = BTreeMap<String, Vec<u8>>;

impl Writes<'_> {
    fn side(&self, is_ours: bool) -> &Api {
        if is_ours { self.ours } else { self.reference }
    }

    /// Has all writes of a scenario cross.
    pub fn play(&self, scenario: &Scenario, random: &mut Random) -> Result<Played, String> {
        let mut played = Played::default();
        for (number, write) in scenario.writes.iter().enumerate() {
            let write = changed(scenario, write, random);
            let way = WAYS[(self.seed as usize + number) % WAYS.len()];
            let judged = self.judge(scenario, &write, way, number, &mut played);
            played.queries += judged.map_err(|text| {
                let Write { layout, apart, submits, .. } = &write;
                format!("write {number} {way:?}, layout {layout}, apart {apart}, {submits:?}: {text}")
            })?;
        }
        Ok(played)
    }

    /// What the reference alone does not do either, or dies of, must be done where ours does all.
    fn judge(
        &self,
        scenario: &Scenario,
        write: &Write,
        way: Way,
        number: usize,
        played: &mut Played,
    ) -> Result<u64, String> {
        let by_ours = || {
            phase(self.seed, "ours");
            self.compare(scenario, write, OURS, number)
        };
        if way == OURS {
            return by_ours();
        }
        let result = match reference_takes(self.seed, 2 * number) {
            true => self.compare(scenario, write, way, number),
            false => Err("the reference dies".to_owned()),
        };
        let alone =
            || reference_takes(self.seed, 2 * number + 1) && self.compare(scenario, write, THEIRS, number).is_ok();
        match result {
            Err(text) if alone() => Err(format!("{text}; not of its own messages")),
            Err(_) => {
                played.accepted.push(&accepted::WRITES_IN_MESSAGES);
                by_ours()
            }
            done => done,
        }
    }

    /// Compares one write that crosses with the same one without a message.
    fn compare(&self, scenario: &Scenario, write: &Write, way: Way, number: usize) -> Result<u64, String> {
        let (by_us, servers) = way;
        let place = |kind: &str| self.folder.join(format!("{kind}{number}{by_us}{servers:?}")).display().to_string();
        let (alone, crossed) = (place("alone"), place("crossed"));
        let client = self.side(by_us);
        execute::create(client, &alone, scenario).map_err(|failure| format!("{failure:?}"))?;
        copy(Path::new(&alone), Path::new(&crossed));
        let direct = execute::write(client, &alone, scenario, write);
        let contexts = [false, true].map(|side| execute::context(self.side(side), scenario, write.mode, Some(write)));
        let mut turn = servers.iter().cycle();
        let ctx = &contexts[usize::from(by_us)];
        let sent = execute::write_by(ctx, &crossed, scenario, write, &mut |query, is_last| {
            let server = &contexts[usize::from(*turn.next().unwrap())];
            cross(ctx, query, server, &crossed, |there| take(server, there, write, is_last))
        });
        let is_one = servers.iter().all(|&server| server == by_us);
        match (direct, sent) {
            (Ok(()), Ok(())) => {}
            (Err(_), Err(_)) => return Ok(0),
            // DOUBLE_DELTA of the reference refuses differences of more than 63 bits, which ours stores.
            (Err(failure), Ok(())) | (Ok(()), Err(failure))
                if failure.by_reference && !is_one && failure.text.contains("DoubleDelta") =>
            {
                return Ok(0);
            }
            (direct, sent) => return Err(format!("without messages {direct:?}, with them {sent:?}")),
        }
        let [direct, crossed_files] = [&alone, &crossed].map(|uri| files(Path::new(uri)));
        // Compressors of the libraries differ, and nobody encrypts twice to the same bytes.
        let is_plain = !scenario.encrypted;
        let comparable = |files: &Files| -> Vec<(String, usize, Option<Vec<u8>>)> {
            let tell = |(name, bytes): (&String, &Vec<u8>)| {
                let length = if is_one { bytes.len() } else { 0 };
                (name.clone(), length, (is_one && is_plain).then(|| bytes.clone()))
            };
            files.iter().map(tell).collect()
        };
        let [direct, crossed_files] = [comparable(&direct), comparable(&crossed_files)];
        if let Some((direct, crossed_files)) =
            direct.iter().zip(&crossed_files).find(|(direct, crossed_files)| direct != crossed_files)
        {
            return Err(format!("files {} {} and {} {}", direct.0, direct.1, crossed_files.0, crossed_files.1));
        }
        if direct.len() != crossed_files.len() {
            return Err(format!("{} and {} files", direct.len(), crossed_files.len()));
        }
        for is_ours in if is_one && by_us { &[true][..] } else { &[true, false] } {
            let read = whole(scenario, write);
            let [direct, crossed_cells] =
                [&alone, &crossed].map(|uri| execute::read(self.side(*is_ours), uri, scenario, &read));
            // Some of what it wrote, with filters in an odd order, the reference cannot read.
            if (*is_ours || direct.is_ok()) && direct.as_ref().ok() != crossed_cells.as_ref().ok() {
                return Err(format!("cells, to ours {is_ours}: {:?} {:?}", direct.err(), crossed_cells.err()));
            }
        }
        Ok(1)
    }
}

/// A server's part.
fn take(server: &Ctx<'_>, query: u64, write: &Write, is_last: bool) -> Result<(), Failure> {
    let act = if is_last && write.layout == GLOBAL { "query_submit_and_finalize" } else { "query_submit" };
    server.call(act, &[query])
}

/// A write that messages can carry: between two submits of one in global order no tile is begun. Some of those in no order
/// bring their fields apart.
fn changed(scenario: &Scenario, write: &Write, random: &mut Random) -> Write {
    let mut write = write.clone();
    write.apart = write.layout == UNORDERED && random.one_in(2);
    if write.layout == GLOBAL {
        let extents = scenario.dimensions.iter().map(|d| d.extent.unwrap_or(d.high - d.low + 1) as usize);
        let tile = if scenario.dense { extents.product() } else { scenario.capacity as usize };
        let mut left: usize = write.submits.iter().sum();
        if random.one_in(2) && left > 2 * tile && !scenario.dense {
            // The reference as a client takes as many coordinates with each submit only.
            let count = random.between(2, (left / tile).min(5) as i64) as usize;
            write.submits = vec![left / tile / count * tile; count];
            return write;
        }
        write.submits.clear();
        while left > tile {
            let most = ((left - 1) / tile).min(8) as i64;
            let now = tile * random.between(1, most) as usize;
            write.submits.push(now);
            left -= now;
        }
        write.submits.push(left);
    }
    write
}

/// All that a write wrote.
fn whole(scenario: &Scenario, write: &Write) -> Read {
    let count: usize = write.submits.iter().sum();
    Read {
        window: (None, None),
        layout: if scenario.dense { 0 } else { GLOBAL },
        ranges: match scenario.dense {
            true => write.region.iter().map(|range| vec![*range]).collect(),
            false => vec![Vec::new(); scenario.dimensions.len()],
        },
        fields: vec![true; scenario.dimensions.len() + scenario.attributes.len()],
        room: count + 1,
        var_room: 100,
        tight: false,
        mode: OffsetMode::default(),
    }
}

/// The files of the only fragment.
fn files(array: &Path) -> Files {
    let fragments: Vec<_> = std::fs::read_dir(array.join("__fragments")).into_iter().flatten().flatten().collect();
    let files = fragments.iter().flat_map(|fragment| std::fs::read_dir(fragment.path()).unwrap()).flatten();
    files.map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap())).collect()
}
