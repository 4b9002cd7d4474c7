//! Listings of the commits per step of a maintainer, and what is planned without one.

use std::sync::Arc;

use super::lease::MaintenanceLease;
use super::maintainer::Maintainer;
use super::merge_commit::MergeCommit;
use super::protocol::{Protection, TAKEOVER};
use super::settings::MaintenanceSettings;
use super::step::StepKind;
use crate::maintain::{MaintenanceSteps, MergeCandidate, vacuum};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::fragment::FragmentName;
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::input::Inputs;
use tiledb_cells::write::testing::{self, column};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::stats::Timer;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_query::Query;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// An array of 64 cells, in fragments of two cells that follow in space and in time.
pub(super) struct Fixture {
    pub(super) resources: Resources,
    pub(super) uri: Uri,
    array_type: ArrayType,
}

impl Fixture {
    pub(super) fn new(name: &str, array_type: ArrayType, fragments: i32) -> Fixture {
        let mut config = Config::new();
        config.set("sm.consolidation.amplification", "4").unwrap();
        config.set("sm.maintenance.max_fragments", "2").unwrap();
        config.set("sm.maintenance.write_grace_ms", "0").unwrap();
        let resources = Resources::new(config).unwrap();
        let uri = Uri::parse(&format!("mem://listings/{name}")).unwrap();
        let ends = [0, 63].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&2i32.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(array_type);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        let fixture = Fixture { resources, uri, array_type };
        (1..=fragments).for_each(|time| fixture.write(time));
        fixture
    }

    pub(super) fn write(&self, time: i32) {
        self.write_cells(2 * (time - 1) % 64, time as u64);
    }

    /// Writes two cells from `first` on.
    pub(super) fn write_cells(&self, first: i32, time: u64) {
        let array = self.open(QueryType::Write, time);
        let cells = [first, first + 1].map(i32::to_le_bytes).concat();
        let mut writer = match self.array_type {
            ArrayType::Dense => {
                writer(testing::spec(array, Layout::RowMajor, &[(first, first + 1)], u64::MAX)).unwrap()
            }
            ArrayType::Sparse => writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap(),
        };
        let mut columns = vec![column("a", &cells)];
        if self.array_type == ArrayType::Sparse {
            columns.push(column("d", &cells));
        }
        writer.write(&Inputs { columns: columns.into() }).unwrap();
        writer.finish().unwrap();
    }

    fn open(&self, query_type: QueryType, time: u64) -> OpenArray {
        OpenArray::open(&self.resources, &self.uri, query_type, (0, time), &EncryptionKey::None).unwrap()
    }

    /// Deletes the cells whose value is less than `end`.
    pub(super) fn delete(&self, end: i32, time: u64) {
        let mut query = Query::new(&Arc::new(self.open(QueryType::Delete, time)), QueryType::Delete).unwrap();
        let comparison = Comparison::new("a", Some(&end.to_le_bytes()), ComparisonOperator::Less).unwrap();
        query.set_condition(Some(Condition::new(comparison))).unwrap();
        query.submit().unwrap();
    }

    /// Number of the cells that the visible fragments contain, deleted ones included.
    pub(super) fn stored_cells(&self) -> u64 {
        let array = self.open(QueryType::Read, u64::MAX);
        array.fragments().unwrap().iter().map(|fragment| fragment.cell_count()).sum()
    }

    pub(super) fn steps(&self) -> MaintenanceSteps<'_> {
        MaintenanceSteps::new(&self.resources, &self.uri).unwrap()
    }

    pub(super) fn lease(&self) -> MaintenanceLease {
        let (lease, mut takeover) =
            MaintenanceLease::acquire(&self.resources, &self.uri, CURRENT_VERSION, 60_000).unwrap();
        TAKEOVER.iter().try_for_each(|step| lease.take_over(*step, &mut takeover)).unwrap();
        lease
    }

    /// Merges some of the candidates, by a maintainer.
    pub(super) fn merge(
        &self,
        steps: &MaintenanceSteps<'_>,
        lease: &Arc<MaintenanceLease>,
        sources: &[MergeCandidate],
    ) {
        let replaced: Vec<FragmentName> = sources.iter().map(|source| source.name.clone()).collect();
        let names: Vec<String> = replaced.iter().map(|name| name.as_str().to_owned()).collect();
        steps.merge(&names, u64::MAX, &mut |_| Ok(()), Arc::new(MergeCommit::new(lease, replaced))).unwrap();
        lease.close_journal();
    }

    /// Number of listings of the commits.
    fn listings(&self) -> u64 {
        self.resources.stats().measurements(Timer::ListCommits)
    }

    /// The candidates of a maintainer, if they are those that a new one would find, and the number of listings.
    fn candidates(&self, steps: &MaintenanceSteps<'_>) -> (Vec<MergeCandidate>, u64) {
        let before = self.listings();
        let candidates = steps.candidates().unwrap();
        let listings = self.listings() - before;
        let text = |candidates: &[MergeCandidate]| {
            let text = candidates.iter().map(|candidate| {
                let MergeCandidate { name, bytes, cells, region, replaced_by, is_mergeable, .. } = candidate;
                let tiles = candidate.tiles.as_ref().map(|tiles| tiles.spans.clone());
                format!("{} {bytes} {cells} {region:?} {tiles:?} {replaced_by:?} {is_mergeable}\n", name.as_str())
            });
            text.collect::<String>()
        };
        assert_eq!(text(&candidates), text(&self.steps().candidates().unwrap()));
        (candidates, listings)
    }
}

const TYPES: [ArrayType; 2] = [ArrayType::Sparse, ArrayType::Dense];

#[test]
fn merge_steps_list_the_commits_once() {
    for array_type in TYPES {
        for (protection, expected) in [(Protection::Atomic, 1), (Protection::Fenced, 2), (Protection::Unfenced, 2)] {
            let fixture = Fixture::new("steps", array_type, 32);
            let mut settings = MaintenanceSettings::new(fixture.resources.config()).unwrap();
            // Some four fragments at a time.
            settings.limits.bytes = 4 * fixture.steps().candidates().unwrap()[0].bytes;
            let lease = fixture.lease();
            lease.assume(protection);
            let mut counts = Vec::new();
            let on_step = &mut |step: &super::MaintenanceStep| {
                if step.kind == StepKind::Fragments {
                    counts.push(fixture.listings());
                }
                Ok(())
            };
            Maintainer::new(fixture.steps(), settings, lease, on_step).run(super::lease::Takeover::default()).unwrap();
            assert!(counts.len() > 3, "{} steps", counts.len());
            for pair in counts.windows(2) {
                assert_eq!(pair[1] - pair[0], expected, "{array_type:?} {protection:?}: {counts:?}");
            }
        }
    }
}

#[test]
fn candidates_after_a_merge_are_those_of_a_new_listing() {
    for array_type in TYPES {
        let fixture = Fixture::new("applied", array_type, 12);
        let (steps, lease) = (fixture.steps(), Arc::new(fixture.lease()));
        let (candidates, listings) = fixture.candidates(&steps);
        assert_eq!((candidates.len(), listings), (12, 1));
        fixture.merge(&steps, &lease, &candidates[2..5]);
        let (candidates, listings) = fixture.candidates(&steps);
        assert_eq!(listings, 0, "{array_type:?}");
        let visible: Vec<MergeCandidate> =
            candidates.into_iter().filter(|candidate| candidate.replaced_by.is_none()).collect();
        assert_eq!(visible.len(), 10);
        fixture.merge(&steps, &lease, &visible[1..4]);
        let (candidates, listings) = fixture.candidates(&steps);
        assert_eq!(listings, 0, "{array_type:?}");
        // Without a merge since then, the commits are listed.
        assert!(!candidates.is_empty() && fixture.candidates(&steps).1 == 1, "{array_type:?}");
    }
}

#[test]
fn commits_and_vacuums_of_others_between_steps_are_listed() {
    let changes: [&dyn Fn(&Fixture); 2] =
        [&|fixture| fixture.write(20), &|fixture| vacuum(&fixture.resources, &fixture.uri).unwrap()];
    for array_type in TYPES {
        for (number, change) in changes.iter().enumerate() {
            let fixture = Fixture::new("others", array_type, 12);
            let (steps, lease) = (fixture.steps(), Arc::new(fixture.lease()));
            let (candidates, _) = fixture.candidates(&steps);
            fixture.merge(&steps, &lease, &candidates[2..5]);
            let (candidates, _) = fixture.candidates(&steps);
            let visible: Vec<MergeCandidate> =
                candidates.into_iter().filter(|candidate| candidate.replaced_by.is_none()).collect();
            change(&fixture);
            fixture.merge(&steps, &lease, &visible[4..7]);
            let (candidates, listings) = fixture.candidates(&steps);
            assert!(listings > 0, "{array_type:?} change {number}");
            let count = candidates.iter().filter(|candidate| candidate.replaced_by.is_none()).count();
            assert_eq!(count, if number == 0 { 9 } else { 8 }, "{array_type:?}");
        }
    }
}
