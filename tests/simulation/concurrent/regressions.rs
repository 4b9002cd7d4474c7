//! Histories that once failed: what the processes did, in the interleavings of many seeds.

use std::sync::Arc;

use tiledb_core::limits::simulation::SimulatedLimits;

use super::actors::{
    CopyKind, Operation, consolidate, copy, delete, evolve, purge_by_policy, vacuum, wait_for_suspension, write,
    write_as_of,
};
use super::plan::{Actor, Plan, Planned, draw_shape};
use super::run::run;
use crate::array::TestWrite;
use crate::model::ArrayKind;
use crate::model::Cell;
use crate::model::condition::{Condition, Operand, Operator};
use crate::model::value::Value;
use crate::random::Random;
use crate::world::{Counted, Fault, FaultKind, Medium};

/// A history of actors on a sparse array.
fn plan_of(seed: u64, medium: Medium, actors: &[Vec<Arc<dyn Operation>>]) -> Plan {
    let shape = (0..).map(|seed| draw_shape(&mut Random(seed)));
    let is_plain = |kind: ArrayKind| kind == ArrayKind::Sparse { dups: false };
    let shape = shape.into_iter().find(|shape| is_plain(shape.kind) && shape.dimensions.len() == 1).unwrap();
    let planned = |operations: &Vec<Arc<dyn Operation>>| {
        let planned = |(number, operation): (usize, &Arc<dyn Operation>)| Planned {
            number: number as u64,
            operation: Arc::clone(operation),
            faults: Vec::new(),
        };
        Actor { skew: 0, operations: operations.iter().enumerate().map(planned).collect() }
    };
    let actors = actors.iter().map(planned).collect();
    Plan { seed, medium, shape, limits: SimulatedLimits::default(), actors }
}

/// Runs actors on a sparse array, in some interleavings.
fn run_all(seeds: std::ops::Range<u64>, medium: Medium, actors: &[Vec<Arc<dyn Operation>>]) {
    for seed in seeds {
        assert_eq!(run(&plan_of(seed, medium, actors), false, None).failure, None, "seed {seed}");
    }
}

fn write_of(number: i64) -> Arc<dyn Operation> {
    write(cells_of(&[number]))
}

/// A write of the first cells.
fn cells_of(numbers: &[i64]) -> TestWrite {
    let cell = |(at, number): (u8, &i64)| {
        let values = [(0, Value::Int(*number)), (1, Value::Int(0)), (2, Value::text("")), (3, Value::Null)];
        Cell { at: vec![at], values: values.into() }
    };
    TestWrite::unordered(&(0..).zip(numbers).map(cell).collect::<Vec<_>>())
}

/// The copy listed the array twice, and saw the evolution in one of both listings.
#[test]
fn copies_of_an_array_whose_schema_evolves_are_states_of_it() {
    let evolution = || evolve(vec![4]);
    for kind in [CopyKind::Rewrite, CopyKind::Merge, CopyKind::Downgrade(21)] {
        let actors =
            [vec![write_of(0), copy(kind), copy(kind)], vec![write_of(1), evolution(), write_of(2), evolution()]];
        run_all(0..40, Medium::Objects, &actors);
    }
}

#[test]
fn copies_of_an_array_whose_cells_are_deleted_are_states_of_it() {
    let all = Condition::Compare(Operand::Attribute(0), Operator::GreaterOrEqual, vec![Value::Int(0)]);
    for kind in [CopyKind::Rewrite, CopyKind::Merge, CopyKind::Downgrade(21)] {
        let actors = [vec![write_of(0), copy(kind), copy(kind)], vec![write_of(1), delete(all.clone()), write_of(2)]];
        run_all(0..40, Medium::Objects, &actors);
    }
}

/// Maintenance purged the deleted cell within the grace period, and the older one was read.
#[test]
fn deleted_cells_supersede_those_of_late_writes() {
    let positive = Condition::Compare(Operand::Attribute(0), Operator::GreaterOrEqual, vec![Value::Int(1)]);
    for grace in [0, 60_000] {
        let actors = [vec![
            write(cells_of(&[1, 0])),
            write_of(2),
            delete(positive.clone()),
            purge_by_policy(grace),
            write_as_of(1, cells_of(&[0])),
        ]];
        run_all(0..10, Medium::Objects, &actors);
    }
}

/// A downgrade that was killed before it had stored the schema could not be repeated.
#[test]
fn copies_that_were_killed_at_any_call_are_completed_later() {
    for kind in [CopyKind::Rewrite, CopyKind::Merge, CopyKind::Downgrade(21)] {
        for call in 0..80 {
            let medium = match call % 3 {
                0 => Medium::Objects,
                rest => Medium::Local { syncs_directories: rest == 1 },
            };
            let mut plan = plan_of(call, medium, &[vec![write_of(0), copy(kind)]]);
            plan.actors[0].operations[1].faults.push(Fault::at(call, FaultKind::Kill));
            assert_eq!(run(&plan, false, None).failure, None, "{kind:?} killed at call {call}");
        }
    }
}

/// The list named fragments that others had vacuumed while the process was suspended, and nobody revoked them after it was killed.
#[test]
fn list_of_commits_beside_a_vacuum_names_no_removed_fragment_when_its_process_is_killed() {
    for medium in [Medium::Objects, Medium::Local { syncs_directories: true }] {
        for change in 0..4 {
            let lister = vec![write_of(0), write_of(1), consolidate("commits")];
            let vacuumer = vec![wait_for_suspension(0, 2), consolidate("fragments"), vacuum("fragments")];
            let mut plan = plan_of(change, medium, &[lister, vacuumer]);
            let fault = |call, kind| Fault { call, counted: Counted::Changes, kind };
            plan.actors[0].operations[2].faults =
                vec![fault(change, FaultKind::PauseUntil(1, 2)), fault(change + 1, FaultKind::Kill)];
            assert_eq!(run(&plan, false, None).failure, None, "{medium:?}, suspended at change {change}");
        }
    }
}
