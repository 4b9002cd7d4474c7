//! Whole runs: their steps, their reports, and what they take over from killed maintainers.

use std::sync::{Arc, Mutex};

use super::journal::{Journal, MAX_JOURNAL_BYTES};
use super::lease_file::{LeaseFile, MaintainerFiles};
use super::listing_tests::Fixture;
use super::step::{MaintenanceStep, StepKind};
use super::{maintain, maintain_after_write, maintain_dry_run};
use crate::maintain::{consolidate_fragments, vacuum_file};
use tiledb_array::array::ArrayDirectory;
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_core::config::Config;
use tiledb_core::log;
use tiledb_core::stats::Timer;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, FormatVersion};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Vfs;

/// Bounds that nothing exceeds, and which keep what is replaced.
const NOTHING: [(&str, &str); 4] = [
    ("sm.maintenance.max_fragments", "100"),
    ("sm.maintenance.max_commits", "100"),
    ("sm.maintenance.max_fragment_metadata", "100"),
    ("sm.maintenance.retention_ms", "18446744073709551615"),
];

impl Fixture {
    fn vfs(&self) -> &Vfs {
        self.resources.vfs()
    }

    fn configured(&self, parameters: &[(&str, &str)]) -> Resources {
        let mut config = self.resources.config().clone();
        for (name, value) in NOTHING.iter().chain(parameters) {
            config.set(name, value).unwrap();
        }
        self.resources.with_config(config).unwrap()
    }

    /// The steps of a run with some parameters; the others let it do nothing.
    fn maintain(&self, parameters: &[(&str, &str)]) -> Vec<MaintenanceStep> {
        let mut steps = Vec::new();
        let on_step = &mut |step: &MaintenanceStep| {
            steps.push(step.clone());
            Ok(())
        };
        maintain(&self.configured(parameters), &self.uri, on_step).unwrap();
        steps
    }

    fn planned(&self, parameters: &[(&str, &str)]) -> Vec<MaintenanceStep> {
        let mut steps = Vec::new();
        let on_step = &mut |step: &MaintenanceStep| {
            steps.push(step.clone());
            Ok(())
        };
        maintain_dry_run(&self.configured(parameters), &self.uri, on_step).unwrap();
        steps
    }

    /// Number of files with an extension in a folder of the array.
    fn count(&self, folder: &str, extension: &str) -> usize {
        let names = self.vfs().names(&self.uri.join(folder)).unwrap();
        names.iter().filter(|item| item.name.ends_with(extension)).count()
    }

    /// The fragments that readers see.
    fn visible(&self) -> Vec<FragmentName> {
        let directory = ArrayDirectory::load(self.vfs(), &self.uri).unwrap();
        directory
            .visible(self.vfs(), (0, timestamp_now()), true)
            .unwrap()
            .0
            .iter()
            .map(|name| (*name).clone())
            .collect()
    }

    /// Leaves the lease of a maintainer that was killed some seconds ago, with its journal.
    fn leave_lease(&self, seconds: u64, journal: &Journal) {
        let end = timestamp_now() - 1000 * seconds;
        let file = LeaseFile::new(&self.uri, (end - 1000, end), CURRENT_VERSION);
        self.vfs().put(&file.uri, &journal.to_bytes()).unwrap();
    }

    /// Leaves the folder of a fragment without a commit.
    fn leave_orphan(&self, name: &FragmentName) {
        self.vfs().put(&name.folder(&self.uri).join("a0.tdb"), b"cells").unwrap();
    }

    fn has_folder(&self, name: &FragmentName) -> bool {
        self.vfs().is_dir(&name.folder(&self.uri)).unwrap()
    }

    /// Number of leases and tombstones.
    fn leases(&self) -> usize {
        MaintainerFiles::list(self.vfs(), &self.uri).unwrap().leases.len()
    }
}

fn kinds(steps: &[MaintenanceStep]) -> Vec<StepKind> {
    steps.iter().map(|step| step.kind).collect()
}

/// Kind, number of sources and number of results.
fn numbers(steps: &[MaintenanceStep]) -> Vec<(StepKind, u64, u64)> {
    steps.iter().map(|step| (step.kind, step.sources, step.results)).collect()
}

#[test]
fn run_within_all_bounds_takes_no_step() {
    let fixture = Fixture::new("no_step", ArrayType::Sparse, 4);
    assert!(fixture.maintain(&[]).is_empty() && fixture.planned(&[]).is_empty());
    let bounds = [("sm.maintenance.max_fragments", "4"), ("sm.maintenance.max_commits", "4")];
    let bounds = [&bounds[..], &[("sm.maintenance.max_fragment_metadata", "4")]].concat();
    assert!(fixture.maintain(&bounds).is_empty() && fixture.planned(&bounds).is_empty());
    assert_eq!((fixture.visible().len(), fixture.count("__commits", ".wrt"), fixture.leases()), (4, 4, 0));
}

#[test]
fn each_exceeded_bound_takes_one_step_that_is_planned_and_reported() {
    let cases = [
        ("sm.maintenance.max_commits", (StepKind::Commits, 4, 1), ("__commits", ".con")),
        ("sm.maintenance.max_fragment_metadata", (StepKind::FragmentMetadata, 4, 1), ("__fragment_meta", ".meta")),
        ("sm.maintenance.max_fragments", (StepKind::Fragments, 4, 1), ("__commits", ".vac")),
    ];
    for (parameter, expected, (folder, extension)) in cases {
        let fixture = Fixture::new("one_step", ArrayType::Sparse, 4);
        let parameters = [(parameter, "3")];
        assert_eq!(numbers(&fixture.planned(&parameters)), [expected]);
        assert_eq!(fixture.count(folder, extension), 0, "a plan changes nothing");
        let steps = fixture.maintain(&parameters);
        assert_eq!(numbers(&steps), [expected]);
        assert_eq!(fixture.count(folder, extension), 1, "{parameter}");
        let kind = expected.0;
        assert!(!kinds(&fixture.maintain(&parameters)).contains(&kind), "{parameter} is met");
        if kind == StepKind::Fragments {
            let merged = fixture.steps().candidates().unwrap().into_iter().find(|one| one.cells == 8).unwrap();
            assert_eq!(steps[0].bytes_written, merged.bytes);
        }
    }
}

/// What a late write hides is lost with the next merge: the warning comes before.
#[test]
fn late_write_is_reported_before_it_is_merged() {
    let fixture = Fixture::new("late", ArrayType::Dense, 1);
    fixture.write(3);
    let bound = [("sm.maintenance.max_fragments", "1"), ("config.logging_level", "2")];
    assert_eq!(kinds(&fixture.maintain(&bound)), [StepKind::Fragments]);
    fixture.write(2);
    let lines = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&lines);
    log::configure(fixture.configured(&bound).config()).unwrap();
    log::set_sink(Some(Arc::new(move |_, text: &str| written.lock().unwrap().push(text.to_owned()))));
    assert_eq!(kinds(&fixture.maintain(&bound)), [StepKind::Fragments]);
    log::set_sink(None);
    log::configure(&Config::new()).unwrap();
    let lines = lines.lock().unwrap();
    let is_warning = |line: &&String| line.contains("/late'") && line.contains("was committed after the fragments");
    assert_eq!(lines.iter().filter(is_warning).count(), 1, "{lines:?}");
}

#[test]
fn replaced_files_are_removed_after_the_retention_period() {
    let fixture = Fixture::new("retention", ArrayType::Sparse, 4);
    let first = fixture.visible();
    let merge = [("sm.maintenance.max_fragments", "1")];
    assert_eq!(kinds(&fixture.maintain(&merge)), [StepKind::Fragments]);
    assert!(first.iter().all(|name| fixture.has_folder(name)), "readers that opened the array before need them");
    // The cells are of 1970.
    let old = [("sm.maintenance.retention_ms", "1000000")];
    assert_eq!(kinds(&fixture.planned(&old)), [StepKind::Vacuum]);
    assert!(first.iter().all(|name| fixture.has_folder(name)));
    let steps = fixture.maintain(&old);
    // Folders and commits of the fragments, and the vacuum file.
    assert_eq!(numbers(&steps), [(StepKind::Vacuum, 9, 0)]);
    assert!(!first.iter().any(|name| fixture.has_folder(name)));
    assert!(fixture.maintain(&old).is_empty());
}

#[test]
fn run_without_retention_removes_what_it_replaces() {
    let fixture = Fixture::new("no_retention", ArrayType::Sparse, 4);
    let first = fixture.visible();
    let steps = fixture.maintain(&[("sm.maintenance.max_fragments", "1"), ("sm.maintenance.retention_ms", "0")]);
    assert_eq!(kinds(&steps), [StepKind::Fragments, StepKind::Vacuum]);
    assert!(!first.iter().any(|name| fixture.has_folder(name)));
    assert_eq!((fixture.visible().len(), fixture.count("__commits", ".vac")), (1, 0));
}

/// A write that began before the deleted cells may be committed after the merge, with older cells of their coordinates.
#[test]
fn deleted_cells_are_not_purged_within_the_grace_period() {
    for (grace, stored) in [("0", 2), ("60000", 4)] {
        let fixture = Fixture::new(&format!("grace_{grace}"), ArrayType::Sparse, 0);
        let now = timestamp_now();
        fixture.write_cells(0, now - 2);
        fixture.write_cells(8, now - 1);
        fixture.delete(8, now);
        let parameters = [
            ("sm.maintenance.max_fragments", "1"),
            ("sm.maintenance.write_grace_ms", grace),
            ("sm.consolidation.purge_deleted_cells", "true"),
        ];
        assert_eq!(kinds(&fixture.maintain(&parameters)), [StepKind::Fragments], "{grace}");
        assert_eq!((fixture.visible().len(), fixture.stored_cells()), (1, stored), "{grace}");
    }
}

#[test]
fn committed_merge_of_a_killed_maintainer_is_completed() {
    let fixture = Fixture::new("killed", ArrayType::Sparse, 4);
    let replaced = fixture.visible();
    let steps = fixture.steps();
    let candidates = steps.candidates().unwrap();
    fixture.merge(&steps, &Arc::new(fixture.lease()), &candidates);
    let created = fixture.visible();
    let vacuum = vacuum_file(&fixture.uri, &created[0]);
    fixture.vfs().remove_files(std::slice::from_ref(&vacuum)).unwrap();
    assert_eq!(fixture.visible().len(), 5, "killed before the vacuum file");
    fixture.leave_lease(60, &Journal { is_fenced: true, begun: Vec::new(), created: created.clone(), replaced });
    assert_eq!(numbers(&fixture.maintain(&[])), [(StepKind::Recovery, 4, 1)]);
    assert_eq!((fixture.visible(), fixture.leases()), (created, 0));
    assert!(fixture.vfs().is_file(&vacuum).unwrap());
    assert!(fixture.maintain(&[]).is_empty());
}

#[test]
fn merge_of_a_killed_maintainer_that_is_complete_or_not_committed_is_not_reported() {
    let fixture = Fixture::new("complete", ArrayType::Sparse, 4);
    let replaced = fixture.visible();
    let uncommitted = FragmentName::new(1, 4, CURRENT_VERSION);
    fixture.leave_lease(
        60,
        &Journal { is_fenced: true, begun: Vec::new(), created: vec![uncommitted], replaced: replaced.clone() },
    );
    assert!(fixture.maintain(&[]).is_empty());
    assert_eq!((fixture.visible().len(), fixture.leases()), (4, 0));
    let steps = fixture.steps();
    fixture.merge(&steps, &Arc::new(fixture.lease()), &steps.candidates().unwrap());
    let created = fixture.visible();
    fixture.leave_lease(60, &Journal { is_fenced: true, begun: Vec::new(), created: created.clone(), replaced });
    assert!(fixture.maintain(&[]).is_empty());
    assert_eq!((fixture.visible(), fixture.leases()), (created, 0));
}

/// Where commits cannot be fenced, a fragment that may still be committed stays, and so does its journal.
#[test]
fn orphans_of_a_killed_maintainer_are_removed_once_they_cannot_be_committed() {
    let old = FormatVersion::from_number(11).unwrap();
    let fenced = FragmentName::new(1, 2, CURRENT_VERSION);
    let unfenced = FragmentName::new(1, 2, old);
    let begun = [FragmentName::new(3, 4, CURRENT_VERSION), FragmentName::new(3, 4, old)];
    let orders = [vec![fenced.clone(), unfenced.clone()], vec![unfenced.clone(), fenced.clone()]];
    for created in orders {
        let fixture = Fixture::new("orphans", ArrayType::Sparse, 2);
        begun.iter().chain(&created).for_each(|name| fixture.leave_orphan(name));
        // Nobody commits ten leases after the end of the own one, which are ten seconds.
        let journal = Journal {
            begun: begun.to_vec(),
            created: created.clone(),
            replaced: fixture.visible(),
            ..Journal::default()
        };
        fixture.leave_lease(60, &journal);
        for _ in 0..2 {
            assert!(fixture.maintain(&[]).is_empty());
            assert!(!begun.iter().any(|name| fixture.has_folder(name)), "only begun");
            assert!(!fixture.has_folder(&fenced) && fixture.has_folder(&unfenced), "{created:?}");
            assert_eq!(fixture.leases(), 1, "the tombstone stays for the retention period");
        }
        fixture.maintain(&[("sm.maintenance.retention_ms", "1000")]);
        assert_eq!(fixture.leases(), 0);
        assert_eq!(fixture.visible().len(), 2);
    }
}

/// A file that somebody else has put there: it names the oldest fragment as the result of a merge of the newest one.
#[test]
fn forged_journal_hides_no_newer_fragment() {
    let fixture = Fixture::new("forged", ArrayType::Sparse, 3);
    let visible = fixture.visible();
    let [first, .., last] = &visible[..] else { panic!("{visible:?}") };
    for replaced in [vec![last.clone()], vec![first.clone()], visible.clone()] {
        let created = vec![first.clone()];
        fixture.leave_lease(60, &Journal { is_fenced: true, begun: Vec::new(), created, replaced });
        assert!(fixture.maintain(&[]).is_empty());
        assert_eq!(fixture.visible(), visible);
        assert_eq!(fixture.leases(), 0);
    }
}

/// The number of names that fit into a journal takes no time that matters.
#[test]
fn journal_of_the_maximum_size_is_taken_over() {
    let fixture = Fixture::new("large", ArrayType::Sparse, 3);
    let names = (0..MAX_JOURNAL_BYTES / 72).map(|time| FragmentName::new(time + 1, time + 1, CURRENT_VERSION));
    let journal = Journal { is_fenced: true, begun: names.collect(), ..Journal::default() };
    assert!(journal.to_bytes().len() as u64 > MAX_JOURNAL_BYTES / 2);
    // One of them is there.
    let orphan = &journal.begun[journal.begun.len() / 2];
    fixture.leave_orphan(orphan);
    fixture.leave_lease(60, &journal);
    let visible = fixture.visible();
    assert!(fixture.maintain(&[]).is_empty());
    assert_eq!((fixture.visible(), fixture.leases()), (visible, 0));
    assert!(!fixture.has_folder(orphan));
}

#[test]
fn tombstone_of_fenced_fragments_is_removed_at_once() {
    let fixture = Fixture::new("tombstones", ArrayType::Sparse, 2);
    let created = vec![FragmentName::new(1, 2, CURRENT_VERSION)];
    fixture.leave_lease(60, &Journal { is_fenced: true, begun: Vec::new(), created, replaced: fixture.visible() });
    assert!(fixture.maintain(&[]).is_empty());
    assert_eq!(fixture.leases(), 0);
}

/// What other processes do between two merges of a run.
#[test]
fn merge_is_planned_again_after_a_change_by_others() {
    type Change = fn(&Fixture, &[String]);
    fn consolidate(fixture: &Fixture, names: &[String]) {
        consolidate_fragments(&fixture.resources, &fixture.uri, names, &mut |_| Ok(())).unwrap();
    }
    let changes: [(&str, Change); 3] = [
        ("all later fragments are merged", consolidate),
        // Of as many fragments as before, some are others.
        ("pairs are merged, and there are more fragments", |fixture, names| {
            [1, 3].into_iter().for_each(|first| consolidate(fixture, &names[first..first + 2]));
            [13, 14].into_iter().for_each(|time| fixture.write(time));
        }),
        // A result of a merge that is withdrawn: all others are those of before.
        ("fragments are withdrawn", |fixture, names| {
            for name in [&names[1], &names[3]] {
                let commit = FragmentName::parse(name).unwrap().commit().unwrap();
                fixture.vfs().remove_file(&fixture.uri.join(&commit)).unwrap();
            }
        }),
    ];
    for array_type in [ArrayType::Sparse, ArrayType::Dense] {
        for (number, (text, change)) in changes.iter().enumerate() {
            let fixture = Fixture::new("planned_again", array_type, 12);
            let bytes = fixture.steps().candidates().unwrap().iter().map(|one| one.bytes).max().unwrap();
            // Four fragments at a time.
            let bytes = (9 * bytes / 2).to_string();
            let resources = fixture
                .configured(&[("sm.maintenance.max_fragments", "2"), ("sm.consolidation.max_fragment_size", &bytes)]);
            let mut merges = 0;
            let on_step = &mut |step: &MaintenanceStep| {
                assert_eq!(step.kind, StepKind::Fragments);
                merges += 1;
                if merges == 1 {
                    let visible = fixture.visible();
                    let end = visible.iter().map(FragmentName::timestamps).find(|times| times.0 < times.1).unwrap().1;
                    let later = visible.iter().filter(|name| name.timestamps().0 > end);
                    let names: Vec<String> = later.map(|name| name.as_str().to_owned()).collect();
                    assert!(names.len() >= 5, "{array_type:?}: {names:?}");
                    change(&fixture, &names);
                }
                Ok(())
            };
            maintain(&resources, &fixture.uri, on_step).unwrap();
            assert!(merges > usize::from(number > 0), "{array_type:?}, {text}: {merges} merges");
            assert!(fixture.visible().len() <= 5, "{array_type:?}, {text}: {:?}", fixture.visible());
            assert_eq!(fixture.leases(), 0);
        }
    }
}

/// A merge that fails for another reason is not repeated: each attempt would list the array again.
#[test]
fn merge_that_fails_without_a_change_ends_the_run() {
    let fixture = Fixture::new("fails", ArrayType::Sparse, 4);
    let resources = fixture.configured(&[("sm.maintenance.max_fragments", "2"), ("sm.consolidation.buffer_size", "1")]);
    let listings = || resources.stats().measurements(Timer::ListCommits);
    let before = listings();
    let error = maintain(&resources, &fixture.uri, &mut |_| Ok(())).unwrap_err();
    assert!(listings() - before < 15, "{} listings: {error:?}", listings() - before);
    assert_eq!((fixture.visible().len(), fixture.leases()), (4, 0));
}

/// What is hidden or consolidated is no reason for maintenance.
#[test]
fn array_exceeds_its_bounds_by_visible_fragments_and_loose_commits() {
    let fixture = Fixture::new("exceeds", ArrayType::Sparse, 4);
    let steps = fixture.steps();
    let check = |cases: &[(usize, usize, bool)], text: &str| {
        for &(fragments, commits, expected) in cases {
            assert_eq!(steps.exceeds(fragments, commits).unwrap(), expected, "{text}: {fragments}, {commits}");
        }
    };
    check(&[(3, 9, true), (4, 9, false), (9, 3, true), (9, 4, false), (4, 4, false)], "written");
    let delete = FragmentName::new(5, 5, CURRENT_VERSION);
    let delete = fixture.uri.join(&format!("__commits/{delete}.del"));
    fixture.vfs().put(&delete, b"").unwrap();
    check(&[(3, 9, true), (4, 9, false), (9, 4, true), (9, 5, false), (4, 5, false)], "deleted");
    fixture.vfs().remove_file(&delete).unwrap();
    let candidates = steps.candidates().unwrap();
    fixture.merge(&steps, &Arc::new(fixture.lease()), &candidates);
    check(&[(0, 9, true), (1, 9, false), (9, 0, true), (9, 1, false), (1, 1, false)], "merged");
    fixture.vfs().put(&delete, b"").unwrap();
    check(&[(0, 9, true), (1, 9, false), (9, 1, true), (9, 2, false), (1, 2, false)], "merged and deleted");
    steps.consolidate_commits(&mut |_| Ok(())).unwrap();
    check(&[(0, 9, true), (1, 9, false), (9, 1, false), (9, 0, false), (1, 0, false)], "consolidated");
}

#[test]
fn array_is_maintained_after_a_write_that_exceeds_a_bound() {
    for (parameters, expected) in [
        (vec![("sm.maintenance.max_fragments", "3")], 4),
        (vec![("sm.maintenance.max_fragments", "3"), ("sm.maintenance.after_write", "false")], 4),
        (vec![("sm.maintenance.max_fragments", "4"), ("sm.maintenance.after_write", "true")], 4),
        (vec![("sm.maintenance.max_fragments", "3"), ("sm.maintenance.after_write", "true")], 1),
    ] {
        let fixture = Fixture::new("after_write", ArrayType::Sparse, 4);
        let config = fixture.configured(&parameters).config().clone();
        maintain_after_write(&fixture.resources, config, &fixture.uri).unwrap();
        assert_eq!(fixture.visible().len(), expected, "{parameters:?}");
    }
}
