//! Explores all interleavings of merges of the same fragments: by [requests](super::merge_conflict), and by a maintainer whose lease
//! excludes other maintainers, on storage that exchanges files. Each may be suspended before every step for any time, or killed there.

use tiledb_core::state_space;

/// A set of fragments, one bit each: two that were written, then the result of each process.
type Fragments = u8;

const WRITTEN: Fragments = 0b0011;

/// The greatest number of processes.
const COUNT: usize = 3;

const fn result_of(process: usize) -> Fragments {
    1 << (2 + process)
}

/// The files of the array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct World {
    committed: Fragments,
    /// How often the result of each process has the cells of each written fragment.
    cells: [[u8; 2]; COUNT],
    /// The vacuum file of each process: what it hides.
    vacuums: [Option<Fragments>; COUNT],
    /// One bit for each process that has prepared its vacuum file.
    prepared: u8,
    /// Merges that were planned and committed while the sources and the result of a requested one were visible, which is permitted to
    /// double cells.
    has_repeated: bool,
}

/// What a listing shows: commits, and one bit for each vacuum file and prepared one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
struct Listing {
    committed: Fragments,
    vacuums: u8,
    prepared: u8,
}

impl World {
    fn list(&self) -> Listing {
        let vacuums = (0..COUNT).filter(|at| self.vacuums[*at].is_some()).fold(0, |all, at| all | 1 << at);
        Listing { committed: self.committed, vacuums, prepared: self.prepared }
    }

    /// The fragments of a listing that its vacuum files do not hide, as they are read now.
    fn visible(&self, listing: &Listing) -> Fragments {
        let listed = (0..COUNT).filter(|at| listing.vacuums >> at & 1 == 1);
        listing.committed & !listed.fold(0, |all, at| all | self.vacuums[at].unwrap_or(0))
    }

    fn counts(&self, fragments: Fragments) -> [u8; 2] {
        [0, 1].map(|cell| {
            let results = (0..COUNT).filter(|at| fragments & result_of(*at) != 0);
            (fragments >> cell & 1) + results.map(|at| self.cells[at][cell]).sum::<u8>()
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Request,
    Maintainer,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Plan,
    /// Read the vacuum files of the listing, and the sources.
    Choose,
    PrepareVacuum,
    HideCreated,
    /// The listing before and after the commit.
    List(When),
    /// Remove the prepared files of merges that were known when this one was planned.
    Fence(When),
    ListAgain(When),
    /// Read the vacuum files that are new.
    Check(When),
    Commit,
    /// Store the vacuum file, or exchange it.
    Hide,
    Discard,
    /// Remove the commit, or the prepared vacuum file.
    Withdraw,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum When {
    Before,
    After,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Process {
    kind: Kind,
    step: Step,
    known: Listing,
    listing: Listing,
    sources: Fragments,
    /// Requested merges that were open when this one was planned, one bit each.
    open: u8,
}

/// What the code does, or less.
#[derive(Clone, Copy)]
struct Rules {
    fences: bool,
    /// Vacuum files of pending merges are read again.
    distrusts_pending: bool,
    lists_afterwards: bool,
    checks_sources: bool,
}

const RULES: Rules = Rules { fences: true, distrusts_pending: true, lists_afterwards: true, checks_sources: true };

impl Process {
    fn new(kind: Kind) -> Process {
        let listing = Listing::default();
        Process { kind, step: Step::Plan, known: listing, listing, sources: 0, open: 0 }
    }

    /// Whether its sources and its result are visible.
    fn is_open(&self, world: &World, at: usize) -> bool {
        self.kind == Kind::Request && world.committed & result_of(at) != 0 && world.vacuums[at].is_none()
    }

    fn is_conflict(&self, world: &World, rules: &Rules) -> bool {
        let settled = self.known.vacuums & !if rules.distrusts_pending { self.known.prepared } else { 0 };
        let visible =
            if self.listing.vacuums & !settled == 0 { self.listing.committed } else { world.visible(&self.listing) };
        rules.checks_sources && self.sources & !visible != 0
    }
}

/// Takes the next step of a process.
fn take(world: &mut World, processes: &mut [Process], at: usize, rules: &Rules) {
    let open = (0..processes.len()).filter(|other| processes[*other].is_open(world, *other));
    let open = open.fold(0, |all, other| all | 1 << other) & !(1 << at);
    let (own, process) = (result_of(at), &mut processes[at]);
    let is_request = process.kind == Kind::Request;
    let failed = |when| if when == When::After { Step::Withdraw } else { Step::Done };
    let checked = |when| match when {
        When::Before => Step::Commit,
        When::After => Step::Hide,
    };
    process.step = match process.step {
        Step::Plan => {
            process.known = world.list();
            process.open = open;
            Step::Choose
        }
        Step::Choose => {
            process.sources = world.visible(&process.known);
            world.cells[at] = world.counts(process.sources);
            match (process.sources.count_ones() < 2, is_request) {
                (true, _) => Step::Done,
                (false, true) => Step::List(When::Before),
                (false, false) => Step::PrepareVacuum,
            }
        }
        Step::PrepareVacuum => {
            world.prepared |= 1 << at;
            Step::HideCreated
        }
        Step::HideCreated => {
            world.vacuums[at] = Some(own);
            Step::Commit
        }
        Step::List(when) => {
            process.listing = world.list();
            let results = process.listing.committed & !process.known.committed & !own & !WRITTEN;
            match (results != 0, is_request && rules.fences) {
                (true, _) => failed(when),
                (false, true) => Step::Fence(when),
                (false, false) => Step::Check(when),
            }
        }
        Step::Fence(when) => {
            world.prepared &= !process.listing.prepared;
            if process.listing.prepared == 0 { Step::Check(when) } else { Step::ListAgain(when) }
        }
        Step::ListAgain(when) => {
            process.listing = world.list();
            Step::Check(when)
        }
        Step::Check(when) if process.is_conflict(world, rules) => failed(when),
        Step::Check(when) => checked(when),
        Step::Commit => {
            world.committed |= own;
            world.has_repeated |= process.open & open != 0;
            if rules.lists_afterwards { Step::List(When::After) } else { Step::Hide }
        }
        Step::Hide if is_request => {
            world.vacuums[at] = Some(process.sources);
            Step::Done
        }
        // The exchange fails without the prepared file: the result stays hidden.
        Step::Hide if world.prepared >> at & 1 == 0 => Step::Done,
        Step::Hide => {
            world.vacuums[at] = Some(process.sources);
            Step::Discard
        }
        Step::Discard => {
            world.prepared &= !(1 << at);
            Step::Done
        }
        Step::Withdraw => {
            match process.kind {
                Kind::Request => world.committed &= !own,
                Kind::Maintainer => world.prepared &= !(1 << at),
            }
            Step::Done
        }
        Step::Done => Step::Done,
    };
}

/// Visits all states, and returns their number, or one that is wrong.
fn explore(kinds: &[Kind], rules: &Rules) -> Result<usize, String> {
    let world =
        World { committed: WRITTEN, cells: [[0; 2]; COUNT], vacuums: [None; COUNT], prepared: 0, has_repeated: false };
    let start = (world, kinds.iter().copied().map(Process::new).collect::<Vec<_>>());
    state_space::explore(start, |(world, processes), successors| {
        let counts = world.counts(world.visible(&world.list()));
        // Wherever maintainers are.
        let is_done = processes.iter().all(|process| process.kind == Kind::Maintainer || process.step == Step::Done);
        if counts.contains(&0) {
            return Err(format!("cells are lost: {world:#?} {processes:#?}"));
        }
        if is_done && !world.has_repeated && counts != [1, 1] {
            return Err(format!("cells are doubled: {world:#?} {processes:#?}"));
        }
        for at in (0..processes.len()).filter(|at| processes[*at].step != Step::Done) {
            let mut next = (*world, processes.clone());
            take(&mut next.0, &mut next.1, at, rules);
            successors.push(next);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::{Maintainer, Request};

    const SCENARIOS: [&[Kind]; 4] =
        [&[Request, Request], &[Maintainer, Request], &[Request, Request, Request], &[Maintainer, Request, Request]];

    #[test]
    fn merges_of_the_same_fragments_lose_no_cell_and_double_none() {
        for kinds in SCENARIOS {
            let states = explore(kinds, &RULES).unwrap_or_else(|wrong| panic!("{kinds:?}: {wrong}"));
            println!("{kinds:?}: {states} states");
            assert!(states > 100, "{states}");
        }
    }

    #[test]
    fn weaker_protocols_are_refuted() {
        let refute = |rules: Rules| SCENARIOS.iter().find_map(|kinds| explore(kinds, &rules).err());
        for (what, rules) in [
            ("no fence", Rules { fences: false, ..RULES }),
            ("pending merges are known", Rules { distrusts_pending: false, ..RULES }),
            ("one listing", Rules { lists_afterwards: false, ..RULES }),
            ("sources are not looked for", Rules { checks_sources: false, ..RULES }),
        ] {
            assert!(refute(rules).is_some(), "{what}");
        }
    }
}
