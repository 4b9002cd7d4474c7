//! Carries a scenario out with both libraries and compares.

use std::cmp::Ordering;
use std::path::Path;

use crate::drive::{self, Answer};
use crate::scenario::{Read, Scenario};
use crate::support::accepted::DROPPED_BYTES;
use crate::support::{Api, Failure};
use crate::{accepted, disk, twin};

/// What comparing one scenario gave.
#[derive(Default)]
pub struct Outcome {
    /// Queries compared; none if both libraries refused the schema or a write alike.
    pub reads: u64,
    /// Field files whose bytes were compared.
    pub files: u64,
    /// What was met of the accepted differences.
    pub accepted: Vec<&'static str>,
}

/// Creates, writes and reads with both libraries.
pub fn round_trip(
    ours: &Api,
    reference: &Api,
    scenario: &Scenario,
    folder: &Path,
    phase: impl Fn(&str),
) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    // Names of the same length, so that errors and files compare.
    let sides = [("ours", ours, folder.join("ours")), ("reference", reference, folder.join("refs"))];
    let mut failures = Vec::new();
    for (who, api, path) in &sides {
        phase(who);
        failures.push(make(api, path.to_str().unwrap_or_default(), scenario));
    }
    match (&failures[0], &failures[1]) {
        (None, None) => {}
        (Some(a), Some(b)) if a == b => return Ok(outcome),
        (a, b) => match accepted::refusal(scenario, a.as_ref(), b.as_ref()) {
            // What ours refuses to write must be lost where it is written.
            Some(reason)
                if reason != DROPPED_BYTES.name
                    || a.as_ref().is_some_and(|ours| twin::is_lost(reference, folder, scenario, ours.0)) =>
            {
                outcome.accepted.push(reason);
                return Ok(outcome);
            }
            _ => return Err(format!("writing: ours {a:?}, the reference {b:?}")),
        },
    }
    outcome.files = disk::compare(&sides[0].2, &sides[1].2, scenario)?;
    let mut results: Vec<Vec<Answer>> = vec![Vec::new(); scenario.reads.len()];
    for (who, api, _) in &sides {
        phase(who);
        for (_, _, path) in &sides {
            for (result, query) in results.iter_mut().zip(&scenario.reads) {
                let uri = path.to_str().unwrap_or_default();
                let answer = drive::read(api, uri, scenario, query).map_err(|failure| general(failure, uri));
                result.push(answer.map(|fields| comparable(scenario, query, fields)));
            }
        }
    }
    for (number, result) in results.iter().enumerate() {
        match compare(result) {
            Ok(()) => {}
            Err(text) => {
                let query = &scenario.reads[number];
                let reason = accepted::read(scenario, query, result).or_else(|| {
                    let reason = accepted::against_itself(scenario, query, &result[3])?;
                    let agree = |array| is_part_of_all(reference, array, scenario, query, result);
                    sides.iter().all(|side| agree(&side.2)).then_some(reason)
                });
                // What the reference lost ours must have read as it was written.
                let as_written = || {
                    let written = twin::cells(reference, folder, scenario, query)?.ok()?;
                    Some(result[0] == Ok(comparable(scenario, query, written)))
                };
                match reason.filter(|reason| *reason != DROPPED_BYTES.name || as_written() == Some(true)) {
                    Some(reason) => outcome.accepted.push(reason),
                    None => return Err(format!("read {number}: {text}; {query:?}")),
                }
            }
        }
    }
    outcome.reads = results.len() as u64 * 4;
    Ok(outcome)
}

/// Creates and writes; gives the first failure and its place: 0 is the creation, then come the writes.
fn make(api: &Api, uri: &str, scenario: &Scenario) -> Option<(usize, Failure)> {
    if let Err(failure) = drive::create(api, uri, scenario) {
        return Some((0, general(failure, uri)));
    }
    let writes = scenario.writes.iter().enumerate();
    let mut failures = writes.filter_map(|(i, write)| Some((i + 1, drive::write(api, uri, scenario, write).err()?)));
    failures.next().map(|(place, failure)| (place, general(failure, uri)))
}

/// A failure without what differs by chance: the array's place, numbers drawn for names.
fn general(failure: Failure, uri: &str) -> Failure {
    let text = failure.text.replace(uri, "ARRAY");
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
        out.push_str(if digits.len() == 32 { "UUID" } else { digits });
        out.push_str(&word[digits.len()..]);
    }
    Failure { text: out, ..failure }
}

/// Compares what ours read of ours and of the reference's, and the reference of both.
fn compare(results: &[Answer]) -> Result<(), String> {
    let names = ["ours of ours", "ours of reference", "reference of ours"];
    let standard = &results[3];
    for (name, result) in names.iter().zip(results) {
        match (result, standard) {
            (Ok(a), Ok(b)) if a != b => return Err(format!("{name} differs: {}", first(a, b))),
            (Ok(_), Ok(_)) => {}
            (Err(a), Err(b)) if a == b => {}
            (a, b) => {
                let text = |answer: &Answer| answer.as_ref().err().map(|failure| format!("{failure:?}"));
                return Err(format!("{name}: {:?}, reference of reference: {:?}", text(a), text(b)));
            }
        }
    }
    Ok(())
}

/// True if ours answers, of both arrays, what the reference finds in the ranges when it reads all of a sparse array.
fn is_part_of_all(reference: &Api, array: &Path, scenario: &Scenario, query: &Read, answers: &[Answer]) -> bool {
    let ([Ok(ours), Ok(other), ..], false) = (answers, scenario.dense) else { return false };
    if ours != other || !is_sorted(scenario, query, ours) {
        return false;
    }
    let ranges = vec![Vec::new(); scenario.dimensions.len()];
    let fields = vec![true; query.fields.len()];
    let whole = Read { layout: 3, ranges, fields, room: 1 << 17, tight: false, ..query.clone() };
    let Ok(all) = drive::read(reference, array.to_str().unwrap_or_default(), scenario, &whole) else { return false };
    // How often a cell lies in ranges, dimension by dimension.
    let times = |cell: usize| -> usize {
        let dimensions = scenario.dimensions.iter().zip(&query.ranges).zip(&all);
        let each = dimensions.map(|((dimension, ranges), column)| {
            let order = |value: i64| dimension.compare(&column[cell].0, &dimension.bytes(value));
            ranges.iter().filter(|(low, high)| order(*low).is_ge() && order(*high).is_le()).count()
                + usize::from(ranges.is_empty())
        });
        each.product()
    };
    let sorted = |columns: &[&Vec<drive::Cell>], often: &dyn Fn(usize) -> usize| {
        let count = columns.first().map_or(0, |column| column.len());
        let cell = |i: usize| columns.iter().map(|column| column[i].clone()).collect::<Vec<_>>();
        let mut cells: Vec<_> = (0..count).flat_map(|i| std::iter::repeat_n(cell(i), often(i))).collect();
        cells.sort();
        cells
    };
    let wanted: Vec<_> =
        all.iter().zip(&query.fields).filter(|(_, wanted)| **wanted).map(|(column, _)| column).collect();
    let answered = sorted(&ours.iter().collect::<Vec<_>>(), &|_| 1);
    answered == sorted(&wanted, &|cell| times(cell).min(1)) || answered == sorted(&wanted, &times)
}

/// True if cells are in the order of rows or columns, where that is asked for and can be told.
fn is_sorted(scenario: &Scenario, query: &Read, answer: &[Vec<drive::Cell>]) -> bool {
    let count = scenario.dimensions.len();
    if !keeps_order(scenario, query) || query.layout > 1 || query.fields[..count].contains(&false) {
        return true;
    }
    let order = |a: usize, b: usize| {
        let compare = |d: usize| scenario.dimensions[d].compare(&answer[d][a].0, &answer[d][b].0);
        let place = |i: usize| if query.layout == 0 { i } else { count - 1 - i };
        (0..count).map(|i| compare(place(i))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    (1..answer[0].len()).all(|cell| order(cell - 1, cell).is_le())
}

fn first(a: &[Vec<drive::Cell>], b: &[Vec<drive::Cell>]) -> String {
    for (field, (a, b)) in a.iter().zip(b).enumerate() {
        if a != b {
            let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
            let show = |cells: &[drive::Cell]| {
                let cell = cells.get(at).map(|(bytes, validity)| (bytes[..bytes.len().min(40)].to_vec(), *validity));
                format!("{cell:?}")
            };
            let (here, there) = (show(a), show(b));
            return format!("column {field}: {} and {} cells, cell {at} is {here} and {there}", a.len(), b.len());
        }
    }
    "another number of columns".to_owned()
}

/// True if the order of the cells that a query answers is determined.
fn keeps_order(scenario: &Scenario, read: &Read) -> bool {
    // Where buffers are small the reference answers part by part of the ranges, each in order.
    let several = read.ranges.iter().any(|ranges| ranges.len() > 1) || scenario.cell_order == 4;
    // Cells of one fragment with one dimension it leaves in the order of ranges.
    let single = scenario.dimensions.len() == 1 && !scenario.dense;
    let in_parts = read.layout < 2 && several && (read.tight || single);
    let in_order = scenario.dense || !scenario.dups;
    in_order && !in_parts
}

/// The result in a form in which equal results are equal: cells in any order are sorted.
pub fn comparable(scenario: &Scenario, read: &Read, fields: Vec<Vec<drive::Cell>>) -> Vec<Vec<drive::Cell>> {
    if keeps_order(scenario, read) {
        return fields;
    }
    let count = fields.iter().map(Vec::len).max().unwrap_or(0);
    let none = (Vec::new(), None);
    let mut cells: Vec<Vec<drive::Cell>> =
        (0..count).map(|i| fields.iter().map(|field| field.get(i).unwrap_or(&none).clone()).collect()).collect();
    cells.sort();
    (0..fields.len()).map(|field| cells.iter().map(|cell| cell[field].clone()).collect()).collect()
}
