//! Explores all interleavings of a writer, a merge, one that revokes its commit, consolidations of commits, vacuums of fragments and of commits, and a reader.
//! Each may be suspended before every step for any time, or killed there. The code executes the same lists of steps.

use super::commits::CommitsStep;
use tiledb_array::array::{REMOVAL, REVOCATION, RemovalStep};
use tiledb_core::state_space;

/// A set of fragments, one bit each: two that are there from the beginning, that of the writer, and the merged one.
type Fragments = u8;

const WRITTEN: Fragments = 0b0011;
const OF_WRITER: Fragments = 0b0100;
const MERGED: Fragments = 0b1000;

/// Consolidations of commits and vacuums, each.
const COUNT: usize = 2;

/// The files of the array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    /// Commit files.
    loose: Fragments,
    /// Folders of fragments.
    stored: Fragments,
    /// Files of consolidated commits, and prepared ones.
    consolidated: [Option<Fragments>; COUNT],
    prepared: [Option<Fragments>; COUNT],
    /// Ignore files in order.
    ignores: Vec<Fragments>,
    /// The vacuum file of the merge.
    vacuum: Option<Fragments>,
    /// The fragments that the merged one replaces.
    replaced: Fragments,
}

/// A listing of the commits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
struct Listing {
    loose: Fragments,
    consolidated: [bool; COUNT],
    ignored: Fragments,
    has_vacuum: bool,
}

impl World {
    fn list(&self) -> Listing {
        Listing {
            loose: self.loose,
            consolidated: self.consolidated.map(|file| file.is_some()),
            // Ignore files do not change: only their removal matters, which readers do not notice once they have read them.
            ignored: self.ignored(),
            has_vacuum: self.vacuum.is_some(),
        }
    }

    fn ignored(&self) -> Fragments {
        self.ignores.iter().fold(0, |all, lines| all | lines)
    }

    /// The entries of consolidated commits that count.
    fn entries(&self) -> Fragments {
        self.consolidated.iter().flatten().fold(0, |all, entries| all | entries) & !self.ignored()
    }

    /// The fragments that are committed in a listing; none if a listed file is gone.
    fn committed(&self, listing: &Listing) -> Option<Fragments> {
        let mut all = 0;
        for (file, is_listed) in self.consolidated.iter().zip(listing.consolidated) {
            if is_listed {
                all |= (*file)?;
            }
        }
        Some(listing.loose | all & !listing.ignored)
    }

    fn visible(&self) -> Fragments {
        (self.loose | self.entries()) & !self.vacuum.unwrap_or(0)
    }

    fn ignore(&mut self, lines: Fragments) {
        if lines != 0 && !self.ignores.contains(&lines) {
            self.ignores.push(lines);
            self.ignores.sort_unstable();
        }
    }

    /// How often the cells of each written fragment are in some fragments.
    fn counts(&self, fragments: Fragments) -> [u8; 3] {
        let merged = if fragments & MERGED == 0 { 0 } else { self.replaced };
        [0, 1, 2].map(|at| (fragments >> at & 1) + (merged >> at & 1))
    }

    /// What is wrong with the fragments that a reader sees.
    fn check(&self, visible: Fragments, is_merging: bool) -> Result<(), &'static str> {
        let counts = self.counts(visible);
        if counts[..2].contains(&0) {
            Err("cells are lost")
        } else if !is_merging && counts.iter().any(|count| *count > 1) {
            Err("cells are doubled")
        } else {
            Ok(())
        }
    }

    /// One of the two parts of a step that removes fragments: what is listed, and what is done about it.
    fn remove(&mut self, step: RemovalStep, fragments: Fragments, lists: bool, pending: &mut Option<Fragments>) {
        match (step, lists) {
            (RemovalStep::Ignore, true) => *pending = Some(self.entries() & fragments),
            (RemovalStep::Ignore, false) => self.ignore(pending.take().unwrap_or(0)),
            (RemovalStep::Fence, true) => {
                let prepared = (0..COUNT).filter(|at| self.prepared[*at].is_some());
                *pending = Some(prepared.fold(0, |all, at| all | 1 << at));
            }
            (RemovalStep::Fence, false) => {
                let files = pending.take().unwrap_or(0);
                (0..COUNT).filter(|at| files >> at & 1 == 1).for_each(|at| self.prepared[at] = None);
            }
            (RemovalStep::RemoveCommits, true) => self.loose &= !fragments,
            (RemovalStep::RemoveFolders, true) => self.stored &= !fragments,
            (RemovalStep::RemoveCommits | RemovalStep::RemoveFolders, false) => (),
        }
    }

    /// True between the commit of the merge and its vacuum file.
    fn is_merging(&self) -> bool {
        (self.loose | self.entries()) & MERGED != 0 && self.vacuum.is_none()
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Role {
    Writer,
    Merge,
    /// A merge that revokes its commit, since it has listed the result of another one.
    RevokedMerge {
        /// What was read before the step that is being done.
        pending: Option<Fragments>,
    },
    /// With the entries that it stores.
    Commits {
        number: usize,
        listing: Listing,
        entries: Fragments,
    },
    Vacuum {
        replaced: Fragments,
        /// What was read before the step that is being done.
        pending: Option<Fragments>,
    },
    CommitsVacuum {
        listing: Listing,
        ignores: Vec<Fragments>,
        superfluous: [bool; COUNT],
    },
    Reader {
        listing: Listing,
        committed: Fragments,
        is_merging: bool,
    },
}

/// A process: what it is, and its next step; none after the last one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Process {
    role: Role,
    step: Option<usize>,
}

/// The protocol.
#[derive(Clone, Copy)]
struct Rules {
    commits: &'static [CommitsStep],
    /// Prepared files are copied and removed afterwards, not renamed.
    copies: bool,
    removal: &'static [RemovalStep],
    /// Before the folder is removed.
    revocation: &'static [RemovalStep],
}

/// A step of a consolidation of commits, or a part of one.
#[derive(Clone, Copy)]
enum CommitsPart {
    Step(CommitsStep),
    /// Copy the prepared file to its name.
    Copy,
    /// Remove the original.
    Discard,
}

impl Rules {
    fn commits_part(&self, at: usize) -> Option<CommitsPart> {
        let parts = |step: &CommitsStep| match (step, self.copies) {
            // The request is not repeated.
            (CommitsStep::Publish, true) => vec![CommitsPart::Copy, CommitsPart::Discard],
            (step, _) => vec![CommitsPart::Step(*step)],
        };
        self.commits.iter().flat_map(parts).nth(at)
    }
}

impl Process {
    fn next(&mut self) {
        self.step = self.step.map(|step| step + 1);
    }

    /// The next step.
    fn take(&mut self, world: &mut World, rules: &Rules) -> Result<(), &'static str> {
        let Some(step) = self.step else { return Ok(()) };
        self.next();
        match &mut self.role {
            Role::Writer => match step {
                0 => world.stored |= OF_WRITER,
                _ => {
                    world.loose |= OF_WRITER;
                    self.step = None;
                }
            },
            Role::Merge => match step {
                0 => {
                    world.replaced = world.visible() & !OF_WRITER;
                    world.stored |= MERGED;
                }
                1 => world.loose |= MERGED,
                _ => {
                    world.vacuum = Some(world.replaced);
                    self.step = None;
                }
            },
            Role::RevokedMerge { pending } => match step {
                0 => {
                    world.replaced = world.visible() & !OF_WRITER;
                    world.stored |= MERGED;
                }
                1 => world.loose |= MERGED,
                // Two steps each, as in a vacuum.
                step => match rules.revocation.get((step - 2) / 2) {
                    Some(removal) => world.remove(*removal, MERGED, step % 2 == 0, pending),
                    None => {
                        world.stored &= !MERGED;
                        self.step = None;
                    }
                },
            },
            Role::Commits { .. } => self.consolidate(world, rules, step),
            Role::Vacuum { .. } => self.vacuum(world, rules, step),
            Role::CommitsVacuum { .. } => self.vacuum_commits(world, step),
            Role::Reader { .. } => return self.read(world, step),
        }
        Ok(())
    }

    fn consolidate(&mut self, world: &mut World, rules: &Rules, step: usize) {
        let Role::Commits { number, listing, entries } = &mut self.role else { return };
        match step {
            0 => *listing = world.list(),
            1 => {
                // A vacuum file that is gone hides nothing.
                let hidden = if listing.has_vacuum { world.vacuum.unwrap_or(0) } else { 0 };
                match world.committed(listing) {
                    Some(committed) => *entries = committed & !hidden,
                    None => self.step = None,
                }
            }
            step => {
                let Some(part) = rules.commits_part(step - 2) else { return self.step = None };
                let step = match part {
                    CommitsPart::Step(step) => step,
                    CommitsPart::Copy => {
                        match world.prepared[*number] {
                            Some(prepared) => world.consolidated[*number] = Some(prepared),
                            None => self.step = None,
                        }
                        return;
                    }
                    CommitsPart::Discard => return world.prepared[*number] = None,
                };
                match step {
                    CommitsStep::Prepare => world.prepared[*number] = Some(*entries),
                    CommitsStep::Confirm => {
                        let committed = world.loose | world.entries();
                        if *entries & !committed != 0 {
                            world.prepared[*number] = None;
                            self.step = None;
                        }
                    }
                    CommitsStep::Publish => match world.prepared[*number].take() {
                        Some(prepared) => world.consolidated[*number] = Some(prepared),
                        None => self.step = None,
                    },
                    CommitsStep::Store => world.consolidated[*number] = Some(*entries),
                    CommitsStep::FindRemoved => {
                        *entries &= world.vacuum.unwrap_or(0) | !world.stored;
                    }
                    CommitsStep::Revoke => world.ignore(*entries & world.entries()),
                }
            }
        }
    }

    fn vacuum(&mut self, world: &mut World, rules: &Rules, step: usize) {
        let Role::Vacuum { replaced, pending } = &mut self.role else { return };
        match step {
            0 if world.vacuum.is_none() => self.step = None,
            0 => (),
            1 => match world.vacuum {
                Some(lines) => *replaced = lines,
                None => self.step = None,
            },
            // Two steps each: what is listed, and what is done about it.
            step => match rules.removal.get((step - 2) / 2) {
                None => {
                    world.vacuum = None;
                    self.step = None;
                }
                Some(removal) => world.remove(*removal, *replaced, step % 2 == 0, pending),
            },
        }
    }

    fn vacuum_commits(&mut self, world: &mut World, step: usize) {
        let Role::CommitsVacuum { listing, ignores, superfluous } = &mut self.role else { return };
        match step {
            0 => {
                *listing = world.list();
                ignores.clone_from(&world.ignores);
            }
            1 => {
                let Some(standing) = world.committed(&Listing { loose: 0, ..*listing }) else {
                    return self.step = None;
                };
                let entries = |at: usize| world.consolidated[at].unwrap_or(0) & !listing.ignored;
                let mut order: Vec<usize> = (0..COUNT).filter(|at| listing.consolidated[*at]).collect();
                order.sort_by_key(|at| std::cmp::Reverse(entries(*at).count_ones()));
                let mut seen = 0;
                for at in order {
                    superfluous[at] = entries(at) & !seen == 0;
                    seen |= entries(at);
                }
                let retained = (0..COUNT).filter(|at| listing.consolidated[*at] && !superfluous[*at]);
                let lines = retained.fold(0, |all, at| all | world.consolidated[at].unwrap_or(0));
                ignores.retain(|file| file & lines == 0);
                listing.loose &= standing;
            }
            2 => world.loose &= !listing.loose,
            3 => (0..COUNT).filter(|at| superfluous[*at]).for_each(|at| world.consolidated[at] = None),
            _ => {
                world.ignores.retain(|file| !ignores.contains(file));
                self.step = None;
            }
        }
    }

    fn read(&mut self, world: &World, step: usize) -> Result<(), &'static str> {
        let Role::Reader { listing, committed, is_merging } = &mut self.role else { return Ok(()) };
        match step {
            0 => (*listing, *is_merging) = (world.list(), world.is_merging()),
            1 => match world.committed(listing) {
                Some(entries) => *committed = entries,
                // A file that is gone: the array is listed again.
                None => self.step = None,
            },
            2 => match (listing.has_vacuum, world.vacuum) {
                (true, Some(hidden)) => *committed &= !hidden,
                (false, _) => (),
                (true, None) => self.step = None,
            },
            _ => {
                self.step = None;
                // Otherwise the reader fails: the vacuum has removed a fragment that it has listed.
                if *committed & !world.stored == 0 {
                    return world.check(*committed, *is_merging);
                }
            }
        }
        Ok(())
    }
}

/// What runs side by side.
#[derive(Clone, Copy)]
struct Scenario {
    rules: Rules,
    /// Processes of each kind: a writer, a merge, one that revokes its commit, consolidations of commits, vacuums of fragments and of commits, a reader.
    writers: usize,
    merges: usize,
    revoked_merges: usize,
    commits: usize,
    vacuums: usize,
    commits_vacuums: usize,
    readers: usize,
}

impl Scenario {
    fn start(self) -> (World, Vec<Process>) {
        let is_merged = self.merges + self.revoked_merges == 0;
        let merged = if is_merged { MERGED } else { 0 };
        let world = World {
            loose: WRITTEN | merged,
            stored: WRITTEN | merged,
            consolidated: [None; COUNT],
            prepared: [None; COUNT],
            ignores: Vec::new(),
            vacuum: is_merged.then_some(WRITTEN),
            replaced: if is_merged { WRITTEN } else { 0 },
        };
        let listing = Listing::default();
        let mut roles = Vec::new();
        roles.extend((0..self.writers).map(|_| Role::Writer));
        roles.extend((0..self.merges).map(|_| Role::Merge));
        roles.extend((0..self.revoked_merges).map(|_| Role::RevokedMerge { pending: None }));
        roles.extend((0..self.commits).map(|number| Role::Commits { number, listing, entries: 0 }));
        roles.extend((0..self.vacuums).map(|_| Role::Vacuum { replaced: 0, pending: None }));
        let superfluous = [false; COUNT];
        let vacuum = |_| Role::CommitsVacuum { listing, ignores: Vec::new(), superfluous };
        roles.extend((0..self.commits_vacuums).map(vacuum));
        roles.extend((0..self.readers).map(|_| Role::Reader { listing, committed: 0, is_merging: false }));
        (world, roles.into_iter().map(|role| Process { role, step: Some(0) }).collect())
    }

    /// Visits all states, and returns their number, or one that is wrong. In each of them, a reader that does everything at once
    /// opens the array, with all cells.
    fn explore(self) -> Result<usize, String> {
        state_space::explore(self.start(), |(world, processes), successors| {
            let wrong = |text| format!("{text}: {world:#?} {processes:#?}");
            let visible = world.visible();
            if visible & !world.stored != 0 {
                return Err(wrong("a committed fragment is not stored"));
            }
            world.check(visible, world.is_merging()).map_err(wrong)?;
            for at in (0..processes.len()).filter(|at| processes[*at].step.is_some()) {
                let mut next = (world.clone(), processes.clone());
                next.1[at].take(&mut next.0, &self.rules).map_err(wrong)?;
                successors.push(next);
            }
            Ok(())
        })
    }
}

/// The rules that the code follows.
const RULES: Rules = Rules { commits: &CommitsStep::FENCED, copies: false, removal: &REMOVAL, revocation: &REVOCATION };

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Scenario = Scenario {
        rules: RULES,
        writers: 0,
        merges: 0,
        revoked_merges: 0,
        commits: 0,
        vacuums: 0,
        commits_vacuums: 0,
        readers: 0,
    };

    /// Groups of processes with some thousand states each.
    const SCENARIOS: [Scenario; 6] = [
        Scenario { merges: 1, commits: 1, vacuums: 1, ..NONE },
        Scenario { revoked_merges: 1, commits: 2, ..NONE },
        Scenario { revoked_merges: 1, commits: 1, commits_vacuums: 1, readers: 1, ..NONE },
        Scenario { commits: 2, vacuums: 1, ..NONE },
        Scenario { commits: 1, vacuums: 1, readers: 1, ..NONE },
        Scenario { commits: 1, vacuums: 1, commits_vacuums: 1, ..NONE },
    ];

    /// Larger ones.
    const MORE_SCENARIOS: [Scenario; 6] = [
        Scenario { revoked_merges: 1, commits: 2, commits_vacuums: 1, readers: 1, ..NONE },
        Scenario { writers: 1, merges: 1, commits: 1, vacuums: 1, readers: 1, ..NONE },
        Scenario { merges: 1, commits: 1, vacuums: 1, commits_vacuums: 1, readers: 1, ..NONE },
        Scenario { commits: 2, vacuums: 1, readers: 1, ..NONE },
        Scenario { commits: 2, vacuums: 1, commits_vacuums: 1, ..NONE },
        Scenario { commits: 1, vacuums: 2, commits_vacuums: 1, ..NONE },
    ];

    fn explore(scenarios: &[Scenario]) {
        for scenario in scenarios {
            for copies in [false, true] {
                let scenario = Scenario { rules: Rules { copies, ..RULES }, ..*scenario };
                let states = scenario.explore().unwrap_or_else(|wrong| panic!("copies: {copies}: {wrong}"));
                println!("{states} states");
                assert!(states > 500, "{states}");
            }
        }
    }

    #[test]
    fn commits_and_vacuums_lose_no_cell_and_leave_no_commit_without_fragment() {
        explore(&SCENARIOS);
    }

    #[test]
    #[ignore = "takes a minute, `make test-maintenance` runs it"]
    fn many_commits_and_vacuums_lose_no_cell_and_leave_no_commit_without_fragment() {
        explore(&MORE_SCENARIOS);
    }

    #[test]
    fn weaker_protocols_are_refuted() {
        let refute = |rules: Rules| {
            let mut explored = SCENARIOS.iter().map(|scenario| Scenario { rules, ..*scenario }.explore());
            let wrong = explored.find_map(Result::err);
            wrong.unwrap_or_else(|| panic!("{:?} {:?}", rules.commits, rules.removal))
        };
        let unstored = "a committed fragment is not stored";
        // Stores without a fence.
        assert!(refute(Rules { commits: &CommitsStep::UNFENCED, ..RULES }).starts_with(unstored));
        use CommitsStep::*;
        assert!(refute(Rules { commits: &[Prepare, Publish, FindRemoved, Revoke], ..RULES }).starts_with(unstored));
        assert!(refute(Rules { commits: &[Confirm, Prepare, Publish], ..RULES }).starts_with(unstored));
        use RemovalStep::*;
        for removal in [
            &[Ignore, RemoveCommits, Ignore, RemoveFolders][..],
            &[Ignore, Fence, RemoveCommits, Ignore, RemoveFolders],
            &[Ignore, RemoveCommits, Ignore, Fence, RemoveFolders],
        ] {
            assert!(refute(Rules { removal, ..RULES }).starts_with(unstored));
        }
        for revocation in
            [&[RemoveCommits][..], &[RemoveCommits, Ignore], &[RemoveCommits, Fence], &[Fence, RemoveCommits, Ignore]]
        {
            assert!(refute(Rules { revocation, ..RULES }).starts_with(unstored));
        }
    }
}
