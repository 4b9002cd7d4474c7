//! The random lifecycle of an array.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::location;
use support::lifecycle::actions::{Actions, Outcome};
use support::lifecycle::model::{Cell, Doomed, Fragment, Model, Row, Shape};
use support::random::Random;
use support::seeds::{Played, phase};
use support::{Api, Failure};

/// Plays a seed.
pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let folder = location::of_seed(seed);
    let result = Lifecycle::begin(ours, reference, seed, &folder).and_then(Lifecycle::live);
    if std::env::var_os("KEEP").is_none() {
        location::remove(&folder);
    }
    result
}

struct Lifecycle<'a> {
    seed: u64,
    random: Random,
    hands: [Actions<'a>; 2],
    folder: PathBuf,
    /// The array.
    array: PathBuf,
    model: Model,
    /// Times of fragments and deletions not used yet.
    times: Vec<u64>,
    evolutions: u32,
    /// What is known no longer suffices to go on.
    over: bool,
    played: Played,
}

/// A fragment or a vacuum file, and what is in it.
type File = (String, Vec<u8>);

/// What became of an operation of both libraries.
type Outcomes = [Result<(), Failure>; 2];

impl<'a> Lifecycle<'a> {
    fn begin(ours: &'a Api, reference: &'a Api, seed: u64, folder: &Path) -> Result<Lifecycle<'a>, String> {
        let mut random = Random::new(seed);
        let dense = random.one_in(3);
        let dims = (0..random.between(1, 2)).map(|_| {
            let high = random.between(3, 11) as i32;
            // The reference dies of tiles that reach beyond the domain.
            let extents: Vec<i32> = (1..=high + 1).filter(|extent| (high + 1) % extent == 0).collect();
            (high, *random.pick(&extents))
        });
        let shape = Shape {
            dense,
            dims: dims.collect(),
            dups: !dense && random.one_in(3),
            cell_order: if !dense && random.one_in(4) { 4 } else { random.between(0, 1) as u64 },
            tile_order: random.between(0, 1) as u64,
            capacity: random.between(1, 9) as u64,
            encrypted: random.one_in(8),
        };
        let mut times: Vec<u64> = (1..400).collect();
        for place in (1..times.len()).rev() {
            times.swap(place, random.between(0, place as i64) as usize);
        }
        let hands = [(ours, "ours"), (reference, "reference")].map(|(api, who)| Actions {
            api,
            who,
            encrypted: shape.encrypted,
        });
        let array = folder.join("array");
        let life = Lifecycle {
            seed,
            random,
            hands,
            folder: folder.to_owned(),
            array,
            model: Model {
                shape,
                fragments: Vec::new(),
                vacuums: Vec::new(),
                deletes: Vec::new(),
                schemas: vec![(0, Vec::new())],
            },
            times,
            evolutions: 0,
            over: false,
            played: Played::default(),
        };
        life.show(&format!("{:?}", life.model.shape));
        life.hands[0].create(life.uri(), &life.model.shape).map_err(|failure| format!("create: {failure:?}"))?;
        Ok(life)
    }

    fn live(mut self) -> Result<Played, String> {
        for step in 0..self.random.between(6, 16) {
            let what = self.random.between(0, 19);
            let sparse = !self.model.shape.dense;
            match what {
                _ if step < 2 => self.write(),
                0..=6 => self.write(),
                7..=9 if sparse => self.delete(),
                10 => self.evolve(),
                11..=14 => self.consolidate_fragments(),
                15 => self.consolidate_other(),
                16..=17 => self.vacuum("fragments"),
                18 => self.vacuum("commits"),
                19 => self.vacuum("fragment_meta"),
                _ => Ok(()),
            }
            .map_err(|text| format!("step {step}: {text}"))?;
            if self.over {
                return Ok(self.played);
            }
            let reader = self.random.between(0, 1) as usize;
            let window = self.window();
            self.check(reader, window).map_err(|text| format!("step {step}, {what}: {text}"))?;
        }
        for reader in [0, 1] {
            self.check(reader, (0, u64::MAX - 1)).map_err(|text| format!("at last: {text}"))?;
            let window = self.window();
            self.check(reader, window).map_err(|text| format!("at last: {text}"))?;
        }
        Ok(self.played)
    }

    fn uri(&self) -> &str {
        self.array.to_str().unwrap()
    }

    fn show(&self, what: &str) {
        if std::env::var_os("SHOW").is_some() {
            println!("show {} {what}", self.seed);
        }
    }

    /// Either library.
    fn either(&mut self) -> usize {
        let who = self.random.between(0, 1) as usize;
        phase(self.seed, self.hands[who].who);
        who
    }

    fn window(&mut self) -> (u64, u64) {
        let end = if self.random.one_in(3) { 100_000 } else { self.random.between(1, 450) as u64 };
        let start = if self.random.one_in(2) { 0 } else { self.random.between(0, 300) as u64 };
        (start.min(end), end)
    }

    fn check(&mut self, reader: usize, window: (u64, u64)) -> Result<(), String> {
        let model = &self.model;
        let evolving: Vec<u32> = if model.shape.dense { Vec::new() } else { model.schema_at(window.1).clone() };
        let mut expected = model.read(window);
        if model.shape.dense {
            expected.iter_mut().for_each(|row| row.truncate(3));
        }
        let hands = &self.hands[reader];
        phase(self.seed, hands.who);
        match hands.read(self.uri(), &model.shape, window, &evolving) {
            Ok(got) if got == expected => {
                self.played.queries += 1;
                Ok(())
            }
            Ok(got) => {
                let only = |a: &[Row], b: &[Row]| {
                    let only: Vec<_> = a.iter().zip(0..).filter(|(row, _)| !b.contains(row)).take(3).collect();
                    format!("{only:?}")
                };
                Err(format!(
                    "{} reads {} rows of {window:?}, not {}; too many {} missing {}",
                    hands.who,
                    got.len(),
                    expected.len(),
                    only(&got, &expected),
                    only(&expected, &got)
                ))
            }
            Err(failure) => Err(format!("{} cannot read {window:?}: {failure:?}", hands.who)),
        }
    }

    fn write(&mut self) -> Result<(), String> {
        let time = self.times.pop().unwrap();
        let has = self.model.newest().clone();
        let shape = self.model.shape.clone();
        let region: Vec<(i32, i32)> = shape
            .dims
            .iter()
            .map(|(high, _)| {
                let low = self.random.between(0, i64::from(*high)) as i32;
                (low, self.random.between(i64::from(low), i64::from(*high)) as i32)
            })
            .collect();
        let mut places: Vec<Vec<i32>> = vec![Vec::new()];
        if shape.dense {
            for (low, high) in &region {
                places = places.iter().flat_map(|place| (*low..=*high).map(|c| [&place[..], &[c]].concat())).collect();
            }
        } else {
            let count = self.random.between(1, 12);
            places = (0..count)
                .map(|_| shape.dims.iter().map(|dim| self.random.between(0, i64::from(dim.0)) as i32).collect())
                .collect();
            if !shape.dups {
                places.sort();
                places.dedup();
            }
        }
        let cells: Vec<Cell> = places
            .into_iter()
            .map(|coords| Cell { coords, time, value: self.random.between(0, 99) as i32, has: has.clone() })
            .collect();
        let who = self.either();
        self.show(&format!("{} writes at {time} {region:?} {} cells", self.hands[who].who, cells.len()));
        let before = disk::names(&self.array.join("__fragments"));
        let written = self.hands[who].write(self.uri(), &shape, time, &cells, &region);
        written.map_err(|failure| format!("write: {failure:?}"))?;
        let name =
            disk::names(&self.array.join("__fragments")).into_iter().find(|name| !before.contains(name)).unwrap();
        self.model.fragments.push(Fragment { name, times: (time, time), cells, region });
        Ok(())
    }

    fn delete(&mut self) -> Result<(), String> {
        let time = self.times.pop().unwrap();
        let doomed = match self.random.between(0, 2) {
            0 => Doomed::Below(self.random.between(0, 40) as i32),
            1 => Doomed::Is(self.random.between(0, 99) as i32),
            _ => Doomed::Beyond(self.random.between(3, 11) as i32),
        };
        let who = self.either();
        self.show(&format!("{} deletes at {time} {doomed:?}", self.hands[who].who));
        self.hands[who].delete(self.uri(), time, doomed).map_err(|failure| format!("delete: {failure:?}"))?;
        self.model.deletes.push((time, doomed));
        Ok(())
    }

    fn evolve(&mut self) -> Result<(), String> {
        self.evolutions += 1;
        let time = 1000 + 10 * u64::from(self.evolutions);
        let mut attributes = self.model.newest().clone();
        let add = attributes.is_empty() || self.random.one_in(2);
        let attribute = if add { self.evolutions } else { attributes.remove(0) };
        if add {
            attributes.push(attribute);
        }
        // The reference does not encrypt what it evolves.
        let who = if self.model.shape.encrypted { 0 } else { self.either() };
        self.show(&format!("{} evolves at {time}: {attribute} {add}", self.hands[who].who));
        let evolved = self.hands[who].evolve(self.uri(), time, attribute, add);
        evolved.map_err(|failure| format!("evolve: {failure:?}"))?;
        self.model.schemas.push((time, attributes));
        Ok(())
    }

    /// Lets both libraries do the same to a copy of the array each, and goes on with one of them.
    fn both(&mut self, work: impl Fn(&Actions<'_>, &str) -> Outcome) -> (Outcomes, [PathBuf; 2]) {
        let copies = ["ours", "theirs"].map(|name| self.folder.join(name));
        let outcomes = [0, 1].map(|who| {
            location::remove(&copies[who]);
            location::copy(&self.array, &copies[who]);
            phase(self.seed, self.hands[who].who);
            work(&self.hands[who], copies[who].to_str().unwrap())
        });
        phase(self.seed, "ours");
        (outcomes, copies)
    }

    fn go_on_with(&mut self, copy: &Path) {
        location::remove(&self.array);
        location::rename(copy, &self.array);
    }

    fn consolidate_fragments(&mut self) -> Result<(), String> {
        let known = disk::names(&self.array.join("__fragments"));
        let mut config: Vec<(&str, String)> = Vec::new();
        let purge = self.random.one_in(4);
        config.push(("sm.consolidation.purge_deleted_cells", purge.to_string()));
        let amplification = *self.random.pick(&["1.0", "1.5", "100"]);
        config.push(("sm.consolidation.amplification", amplification.to_owned()));
        if self.random.one_in(4) {
            let start = self.random.between(0, 200);
            config.push(("sm.consolidation.timestamp_start", start.to_string()));
            config.push(("sm.consolidation.timestamp_end", self.random.between(start, 420).to_string()));
        }
        // Sizes of compressed metadata differ between the libraries, and with them which fragments are the smallest.
        if self.random.one_in(4) {
            config.push(("sm.consolidation.step_min_frags", "2".to_owned()));
        }
        if self.random.one_in(6) {
            config.push(("sm.consolidation.max_fragment_size", self.random.between(1, 400).to_string()));
        }
        let pairs: Vec<(&str, &str)> = config.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let named: Option<Vec<String>> = self.random.one_in(3).then(|| {
            let visible = self.hands[0].fragments(self.uri()).unwrap();
            visible.into_iter().filter(|_| !self.random.one_in(3)).collect()
        });
        self.show(&format!("consolidate {named:?} {pairs:?}"));
        let (outcomes, copies) = self.both(|hands, uri| match &named {
            Some(names) => hands.consolidate_named(uri, names, &pairs),
            None => hands.consolidate(uri, &pairs),
        });
        // The reference refuses tiles that are larger than a fragment may be, where ours have one tile then.
        if outcomes[0].is_ok() && outcomes[1].as_ref().is_err_and(|failure| failure.text.contains("single tile")) {
            let vacuums = disk::names(&self.array.join("__commits"));
            self.go_on_with(&copies[0]);
            return self.learn(&known, &vacuums, purge);
        }
        // The reference merges fragments whose times overlap with those of others, though cells change places by that.
        let is_rejected =
            outcomes[0].as_ref().is_err_and(|failure| failure.text.contains("could supersede later ones"));
        if is_rejected && outcomes[1].is_ok() {
            self.go_on_with(&copies[0]);
            return Ok(());
        }
        if outcomes[0] != outcomes[1] {
            return Err(format!("consolidate {named:?} {pairs:?}: {outcomes:?}"));
        }
        // The reference ends the times of a new fragment with those of its last source, though others may end later.
        if [0, 1].iter().any(|who| disk::ends_early(&copies[*who], &known)) {
            let vacuums = disk::names(&self.array.join("__commits"));
            self.go_on_with(&copies[0]);
            return self.learn(&known, &vacuums, purge);
        }
        // Where a greatest size is hard to keep to the libraries divide otherwise. Of encrypted data no two are equal, and
        // the reference leaves duplicates of merged fragments in an order of its own.
        let divides = config.iter().any(|(name, _)| name.ends_with("max_fragment_size"));
        let are_merged = known.iter().map(|name| disk::times(name)).any(|times| times.0 < times.1);
        let exact = !(self.model.shape.encrypted || self.model.shape.dups && are_merged);
        let [ours, theirs] = [0, 1].map(|who| disk::fragments(&copies[who], &known, exact));
        let is_left = disk::names(&copies[0].join("__fragments")) == known && disk::have_common_times(&known);
        if ours != theirs && (divides || is_left) {
            let vacuums = disk::names(&self.array.join("__commits"));
            self.go_on_with(&copies[0]);
            return self.learn(&known, &vacuums, purge);
        }
        if ours != theirs {
            let only = |a: &[File], b: &[File]| {
                let only = a.iter().filter(|file| !b.contains(file));
                only.map(|(name, bytes)| format!("{name} {}", bytes.escape_ascii())).collect::<Vec<_>>()
            };
            let (ours, theirs) = (only(&ours, &theirs), only(&theirs, &ours));
            return Err(format!("consolidate {named:?} {pairs:?} makes {ours:?}, not {theirs:?}"));
        }
        let who = self.random.between(0, 1) as usize;
        self.show(&format!("  by {}: {:?}", self.hands[who].who, outcomes[who]));
        let vacuums = disk::names(&self.array.join("__commits"));
        self.go_on_with(&copies[who]);
        self.learn(&known, &vacuums, purge)
    }

    /// Takes note of what a consolidation made.
    fn learn(&mut self, known: &[String], vacuums: &[String], purge: bool) -> Result<(), String> {
        let added: Vec<String> =
            disk::names(&self.array.join("__fragments")).into_iter().filter(|name| !known.contains(name)).collect();
        let commits = disk::names(&self.array.join("__commits"));
        let noted: Vec<&String> =
            commits.iter().filter(|name| name.ends_with(".vac") && !vacuums.contains(*name)).collect();
        match (added.as_slice(), noted.as_slice()) {
            ([], []) => Ok(()),
            ([name], [note]) => {
                let sources = disk::listed(&self.array, note);
                let cells = self.model.merged(&sources, purge);
                let sides = self.model.fragments.iter().filter(|fragment| sources.contains(&fragment.name));
                let region = sides
                    .map(|fragment| fragment.region.clone())
                    .reduce(|a, b| a.iter().zip(&b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect());
                let times = disk::times(name);
                self.model.fragments.push(Fragment { name: name.clone(), times, cells, region: region.unwrap() });
                self.model.vacuums.push((times, sources));
                Ok(())
            }
            // Which fragment has which cells is not told: those of sparse arrays come back anyway.
            _ => {
                self.over = true;
                let shape = self.model.shape.clone();
                for reader in [0, 1] {
                    if !shape.dense && !purge && self.model.newest().is_empty() {
                        self.check(reader, (0, 100_000))?;
                    }
                }
                Ok(())
            }
        }
    }

    fn consolidate_other(&mut self) -> Result<(), String> {
        let mode = *self.random.pick(&["commits", "fragment_meta"]);
        let who = self.either();
        self.show(&format!("{} consolidates {mode}", self.hands[who].who));
        match self.hands[who].consolidate(self.uri(), &[("sm.consolidation.mode", mode)]) {
            // The reference orders times as texts, and looks for deletions where they no longer are.
            Err(failure) if who == 1 && is_known(&failure) => Ok(()),
            outcome => outcome.map_err(|failure| format!("consolidate {mode}: {failure:?}")),
        }
    }

    fn vacuum(&mut self, mode: &str) -> Result<(), String> {
        self.show(&format!("vacuum {mode}"));
        let (outcomes, copies) = self.both(|hands, uri| hands.vacuum(uri, mode));
        let who = self.random.between(0, 1) as usize;
        let known = disk::names(&self.array.join("__fragments"));
        if let Err(failure) = &outcomes[0] {
            return Err(format!("vacuum {mode}: {failure:?}"));
        }
        let who = match &outcomes[1] {
            Err(failure) if is_known(failure) => 0,
            Err(failure) => return Err(format!("the reference cannot vacuum {mode}: {failure:?}")),
            Ok(()) => {
                let [ours, theirs] = [0, 1].map(|who| disk::fragments(&copies[who], &known, false));
                if ours != theirs {
                    return Err(format!("vacuum {mode} leaves {ours:?}, not {theirs:?}"));
                }
                who
            }
        };
        self.show(&format!("  by {}", self.hands[who].who));
        self.go_on_with(&copies[who]);
        if mode == "fragments" {
            let gone: Vec<String> = self.model.vacuums.drain(..).flat_map(|vacuum| vacuum.1).collect();
            self.model.fragments.retain(|fragment| !gone.contains(&fragment.name));
        }
        Ok(())
    }
}

fn is_known(failure: &Failure) -> bool {
    failure.text.contains("start timestamp cannot be after end timestamp")
        || failure.text.contains(".del'; No such file or directory")
}
