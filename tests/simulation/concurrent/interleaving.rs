//! Interleavings that scheduling alone hardly reaches: a process is suspended at a change of the storage, or at another call, while
//! another one completes several operations; then it goes on, or is killed at its next change or call.

use std::sync::Arc;

use super::actors::{Operation, draw_maintenance, wait_for_suspension};
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
    let (counted, bits) = if random.one_in(4) { (Counted::All, 7) } else { (Counted::Changes, 3) };
    let bits = random.below(bits);
    let call = random.below(1 << bits);
    let mut completed = vec![wait_for_suspension(suspended, number as u64)];
    for _ in 0..2 + random.below(2) {
        completed.push(operation(drawing));
    }
    let begun = operation(drawing);
    let last = (begin + completed.len() - 1) as u64;
    let fault = |call, kind| Fault { call, counted, kind };
    let mut faults = vec![fault(call, FaultKind::PauseUntil(other, last))];
    faults.extend(is_killed.then(|| fault(call + 1, FaultKind::Kill)));
    drawing.generator.habits.maintains = maintains;
    insert(&mut actors[suspended], number, vec![begun], faults);
    insert(&mut actors[other], begin, completed, Vec::new());
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

/// Inserts operations, of which the first has faults, before another one.
fn insert(actor: &mut Actor, begin: usize, operations: Vec<Arc<dyn Operation>>, mut faults: Vec<Fault>) {
    let planned =
        operations.into_iter().map(|operation| Planned { number: 0, operation, faults: std::mem::take(&mut faults) });
    actor.operations.splice(begin..begin, planned.collect::<Vec<_>>());
    actor.operations.iter_mut().enumerate().for_each(|(number, planned)| planned.number = number as u64);
}
