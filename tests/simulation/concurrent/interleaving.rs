//! Interleavings that scheduling alone hardly reaches: a process is suspended before a change of the storage, before or after one that
//! others go by, or at another call, while another one completes several operations; then it goes on, or is killed at its next such
//! call. Or it goes on when another one is suspended in the middle of an operation, which goes on after it.

use std::sync::Arc;

use super::actors::{Operation, draw_evolution_and_write, draw_maintenance, wait_for_suspension};
use super::plan::{Actor, Drawing, Planned};
use crate::world::{Counted, Fault, FaultKind};

/// Operations of all kinds.
const ALL_KINDS: u64 = u64::MAX;

/// Draws one for some histories of several actors, and for all that maintain an array.
pub fn draw(drawing: &mut Drawing, actors: &mut [Actor]) {
    let rarity = if drawing.generator.habits.maintains { 1 } else { 3 };
    if actors.len() < 2 || !drawing.generator.random.one_in(rarity) {
        return;
    }
    let maintains = drawing.generator.habits.maintains;
    let random = &mut drawing.generator.random;
    let count = actors.len();
    let suspended = random.below(count as u64) as usize;
    let other = (suspended + 1 + random.below(count as u64 - 1) as usize) % count;
    // Later ones find more in the array.
    let place = |actor: &Actor, lot: u64| actor.operations.len() - (lot as usize % (actor.operations.len() / 2 + 1));
    let lots = [random.below(1 << 16), random.below(1 << 16)];
    let (number, begin) = (place(&actors[suspended], lots[0]), place(&actors[other], lots[1]));
    let is_killed = random.one_in(2);
    drawing.generator.habits.maintains |= random.one_in(2);
    // Reads change nothing, and see what others change between two calls.
    let (counted, bits) = match random.below(4) {
        0 => (Counted::All, 7),
        1 => (Counted::Changes, 3),
        2 => (Counted::Commits, 4),
        _ => (Counted::AfterCommits, 4),
    };
    let bits = random.below(bits);
    let call = random.below(1 << bits);
    let shape = random.below(4);
    let call_of_other = random.below(8);
    let mut completed = vec![wait_for_suspension(suspended, number as u64)];
    let evolved = if random.one_in(8) { draw_evolution_and_write(drawing) } else { None };
    drawing.count += evolved.as_ref().map_or(0, Vec::len);
    completed.extend(evolved.unwrap_or_default());
    let count = 3 + drawing.generator.random.below(2) as usize;
    while completed.len() < count {
        completed.push(operation(drawing));
    }
    let begun = operation(drawing);
    let last = (begin + completed.len() - 1) as u64;
    let fault = |call, counted, kind| Fault { call, counted, kind };
    let mut faults = vec![fault(call, counted, FaultKind::PauseUntil(other, last))];
    let mut faults_of_other = Vec::new();
    match shape {
        // Twice: before and after a change that others go by.
        0 => {
            let middle = (begin + 1 + call_of_other as usize % (completed.len() - 1)) as u64;
            faults = vec![
                fault(call, Counted::Commits, FaultKind::PauseUntil(other, middle)),
                fault(call, Counted::AfterCommits, FaultKind::PauseUntil(other, last)),
            ];
        }
        // Until the other one is suspended until this one is complete.
        1 => {
            let first = begin as u64 + 1;
            faults = vec![fault(call, counted, FaultKind::PauseUntilSuspended(other, first))];
            let until = FaultKind::PauseUntil(suspended, number as u64);
            faults_of_other.push(fault(call_of_other, Counted::Commits, until));
        }
        _ => (),
    }
    faults.extend(is_killed.then(|| fault(call + 1, counted, FaultKind::Kill)));
    drawing.generator.habits.maintains = maintains;
    insert(&mut actors[suspended], number, vec![(begun, faults)]);
    let with_faults = |(place, operation)| (operation, if place == 1 { faults_of_other.clone() } else { Vec::new() });
    insert(&mut actors[other], begin, completed.into_iter().enumerate().map(with_faults).collect());
}

/// Mostly maintenance, where processes maintain the array, and of any kind otherwise.
fn operation(drawing: &mut Drawing) -> Arc<dyn Operation> {
    let is_maintenance = drawing.generator.habits.maintains && !drawing.generator.random.one_in(5);
    let maintenance = if is_maintenance { draw_maintenance(drawing) } else { None };
    match maintenance {
        Some(operation) => {
            drawing.count += 1;
            operation
        }
        None => drawing.operation(ALL_KINDS),
    }
}

/// Inserts operations with their faults before another one.
fn insert(actor: &mut Actor, begin: usize, operations: Vec<(Arc<dyn Operation>, Vec<Fault>)>) {
    let planned = operations.into_iter().map(|(operation, faults)| Planned { number: 0, operation, faults });
    actor.operations.splice(begin..begin, planned.collect::<Vec<_>>());
    actor.operations.iter_mut().enumerate().for_each(|(number, planned)| planned.number = number as u64);
}
