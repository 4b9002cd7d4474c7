//! Explores all interleavings of edits of a group, consolidations and vacuums of its metadata, and readers. Each process may be
//! suspended before every step for any time, or killed there.
//!
//! What holds: no edit of different members or keys is lost, readers fail at most because a vacuum removed a file that they had
//! listed, and one consolidation of metadata changes no value. What does not hold, as in libtiledb, is in
//! [`known_limits_are_the_only_ones`].

use tiledb_core::state_space;

/// A file of the members or of the metadata. Times are those in names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct StoredFile {
    start: u8,
    end: u8,
    number: u8,
    /// The two members or keys: present or deleted; none if the file does not have it.
    entries: [Option<bool>; 2],
}

/// A vacuum file: the numbers of the files that it hides, as bits.
type Hidden = u16;

#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct World {
    files: Vec<StoredFile>,
    /// By the number of the consolidation.
    vacuums: [Option<Hidden>; 2],
}

impl World {
    fn store(&mut self, file: StoredFile) {
        let place = self.files.partition_point(|other| *other < file);
        self.files.insert(place, file);
    }

    fn hidden(&self) -> Hidden {
        self.vacuums.iter().flatten().fold(0, |all, hidden| all | hidden)
    }

    fn visible(&self) -> Vec<StoredFile> {
        self.files.iter().filter(|file| self.hidden() >> file.number & 1 == 0).copied().collect()
    }
}

/// The members or keys that files have: of several entries that of the last file counts.
fn latest(files: &[StoredFile]) -> [Option<bool>; 2] {
    let mut entries = [None; 2];
    for file in files {
        for (entry, later) in entries.iter_mut().zip(file.entries) {
            *entry = later.or(*entry);
        }
    }
    entries
}

fn numbers(files: &[StoredFile]) -> Hidden {
    files.iter().fold(0, |all, file| all | 1 << file.number)
}

/// What an edit stores when the group is closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum EditRule {
    /// All members as of the opening, with the change: details of groups, as libtiledb writes them.
    AllMembers,
    /// Only the changed ones: metadata.
    ChangedOnly,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Process {
    /// Changes an entry to a value, by a file of a time.
    Edit {
        rule: EditRule,
        time: u8,
        number: u8,
        entry: usize,
        value: bool,
        opened: Option<[Option<bool>; 2]>,
        is_done: bool,
    },
    /// Lists and reads, stores the merged file, and hides the merged ones (`consolidate_metadata`).
    Consolidate { number: u8, listed: Option<(Vec<StoredFile>, bool)>, step: usize },
    /// Lists the vacuum files, removes the files that they hide, then these (`vacuum_metadata`).
    Vacuum { listed: [bool; 2], replaced: Hidden, step: usize },
    /// Lists, reads the vacuum files, then the others.
    Read { listed: Vec<StoredFile>, vacuums: [bool; 2], step: usize },
}

/// What a reader sees.
type Seen = Option<[Option<bool>; 2]>;

impl Process {
    /// The next step, and what a reader has seen then; none after the last one.
    fn take(&mut self, world: &mut World) -> Option<Seen> {
        match self {
            Process::Edit { is_done: true, .. } => return None,
            Process::Edit { opened: opened @ None, .. } => *opened = Some(latest(&world.visible())),
            Process::Edit { rule, time, number, entry, value, opened: Some(opened), is_done } => {
                let mut entries = if *rule == EditRule::AllMembers { *opened } else { [None; 2] };
                // Deleted ones are not written again.
                entries.iter_mut().filter(|entry| **entry == Some(false)).for_each(|entry| *entry = None);
                entries[*entry] = Some(*value);
                world.store(StoredFile { start: *time, end: *time, number: *number, entries });
                *is_done = true;
            }
            Process::Consolidate { number, listed, step } => {
                match (*step, &listed) {
                    (0, _) => *listed = Some((world.visible(), true)),
                    (1, Some((files, _))) => {
                        let is_there = files.iter().all(|file| world.files.contains(file)) && files.len() > 1;
                        *listed = Some((files.clone(), is_there));
                    }
                    (_, Some((_, false))) => return None,
                    (2, Some((files, _))) => {
                        let (start, end) = (files[0].start, files.iter().map(|file| file.end).max().unwrap_or(0));
                        // Deleted ones are forgotten.
                        let entries = latest(files).map(|entry| entry.filter(|is_present| *is_present));
                        world.store(StoredFile { start, end, number: *number, entries });
                    }
                    (3, Some((files, _))) => world.vacuums[usize::from(*number % 2)] = Some(numbers(files)),
                    _ => return None,
                }
                *step += 1;
            }
            Process::Vacuum { listed, replaced, step } => {
                match *step {
                    0 => *listed = world.vacuums.map(|vacuum| vacuum.is_some()),
                    1 => *replaced = world.hidden(),
                    2 => world.files.retain(|file| *replaced >> file.number & 1 == 0),
                    3 => {
                        let vacuums = world.vacuums.iter_mut().zip(&*listed).filter(|(_, listed)| **listed);
                        vacuums.for_each(|(vacuum, _)| *vacuum = None);
                    }
                    _ => return None,
                }
                *step += 1;
            }
            Process::Read { listed, vacuums, step } => {
                match *step {
                    0 => {
                        listed.clone_from(&world.files);
                        *vacuums = world.vacuums.map(|vacuum| vacuum.is_some());
                    }
                    1 => {
                        let mut hidden = 0;
                        for (vacuum, _) in world.vacuums.iter().zip(&*vacuums).filter(|(_, listed)| **listed) {
                            match vacuum {
                                Some(lines) => hidden |= lines,
                                // The reader fails.
                                None => *step = 3,
                            }
                        }
                        listed.retain(|file| hidden >> file.number & 1 == 0);
                    }
                    2 => {
                        let is_there = listed.iter().all(|file| world.files.contains(file));
                        *step += 1;
                        return Some(is_there.then(|| latest(listed)));
                    }
                    _ => return None,
                }
                *step += 1;
            }
        }
        Some(None)
    }

    fn is_done(&self) -> bool {
        matches!(self, Process::Edit { is_done: true, .. })
    }
}

const MEMBERS: World = World { files: Vec::new(), vacuums: [None; 2] };

/// A group whose first entry is present, by files of these times.
fn group(times: &[u8]) -> World {
    let mut world = MEMBERS;
    for (number, &time) in (0..).zip(times) {
        world.store(StoredFile { start: time, end: time, number, entries: [Some(true), None] });
    }
    world
}

fn edit(rule: EditRule, number: u8, time: u8, entry: usize, value: bool) -> Process {
    Process::Edit { rule, time, number, entry, value, opened: None, is_done: false }
}

fn consolidate(number: u8) -> Process {
    Process::Consolidate { number, listed: None, step: 0 }
}

fn vacuum() -> Process {
    Process::Vacuum { listed: [false; 2], replaced: 0, step: 0 }
}

fn reader() -> Process {
    Process::Read { listed: Vec::new(), vacuums: [false; 2], step: 0 }
}

/// Visits all states, and returns their number, or one in which an edit that was completed has no effect.
fn explore(world: World, processes: Vec<Process>) -> Result<usize, String> {
    let is_lost = |view: [Option<bool>; 2], processes: &[Process]| {
        // An entry that nobody has changed is as it was.
        let changes = |number: usize| {
            processes.iter().filter_map(move |process| match process {
                Process::Edit { entry, value, .. } if *entry == number => Some((process.is_done(), *value)),
                _ => None,
            })
        };
        (0..2).any(|entry| match changes(entry).next() {
            Some((true, value)) => view[entry].unwrap_or(false) != value,
            Some((false, _)) => false,
            None => view[entry].unwrap_or(false) != (entry == 0),
        })
    };
    state_space::explore((world, processes), |(world, processes), successors| {
        if is_lost(latest(&world.visible()), processes) {
            return Err(format!("an edit is lost: {world:?} {processes:?}"));
        }
        for at in 0..processes.len() {
            let mut next = (world.clone(), processes.clone());
            let Some(view) = next.1[at].take(&mut next.0) else { continue };
            // A reader may have begun before an edit: only what nobody edits is certain.
            let is_edited = processes.iter().any(|process| matches!(process, Process::Edit { entry: 0, .. }));
            if !is_edited && view.is_some_and(|view| view[0] != Some(true)) {
                return Err(format!("a reader misses an entry: {world:?} {processes:?}"));
            }
            successors.push(next);
        }
        Ok(())
    })
}

#[test]
fn edits_of_groups_and_one_consolidation_lose_nothing() {
    use EditRule::*;
    let scenarios = [
        // Details: two editors that add members.
        (group(&[1]), vec![edit(AllMembers, 1, 2, 1, true), reader(), reader()]),
        (group(&[1, 2]), vec![edit(ChangedOnly, 2, 3, 0, false), consolidate(4), vacuum(), vacuum()]),
        (group(&[1, 2]), vec![edit(ChangedOnly, 2, 3, 1, true), consolidate(4), vacuum(), vacuum(), reader()]),
        (
            group(&[1, 2]),
            vec![edit(ChangedOnly, 2, 3, 0, false), edit(ChangedOnly, 3, 4, 1, true), consolidate(4), vacuum()],
        ),
    ];
    for (world, processes) in scenarios {
        let states = explore(world, processes).unwrap_or_else(|wrong| panic!("{wrong}"));
        println!("{states} states");
        assert!(states > 30);
    }
}

/// libtiledb has the same limits: files of both libraries mean the same.
#[test]
fn known_limits_are_the_only_ones() {
    use EditRule::*;
    let refute = |world, processes: Vec<Process>| {
        let text = format!("{processes:?}");
        explore(world, processes).expect_err(&text)
    };
    // An editor that opened the group before a member was removed adds it again: it stores all members. If it stored
    // only its change, both edits would last.
    let edits = |rule| vec![edit(rule, 1, 2, 0, false), edit(rule, 2, 3, 1, true)];
    refute(group(&[1]), edits(AllMembers));
    explore(group(&[1]), edits(ChangedOnly)).unwrap();
    // Two consolidations of metadata at a time, with a vacuum: one that was suspended stores a deleted key again.
    refute(group(&[1, 2]), vec![edit(ChangedOnly, 2, 3, 0, false), consolidate(4), consolidate(5), vacuum()]);
}
