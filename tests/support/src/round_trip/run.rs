//! Runs a scenario with both libraries and compares the results.

use std::path::Path;

use super::{accepted, disk, unfiltered};
use crate::accepted::{BYTE_DIMENSIONS, CRASHES, DROPPED_BYTES, REFUSALS_OF_FILTERS};
use crate::round_trip::execute::{self, Answer, comparable};
use crate::round_trip::scenario::{Read, Scenario};
use crate::{Api, Failure};

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

/// Creates, writes and reads with both libraries. `is_unusable`: the reference crashes, or
/// loses cells where others crash.
pub fn round_trip(
    ours: &Api,
    reference: &Api,
    scenario: &Scenario,
    folder: &Path,
    is_unusable: bool,
    phase: impl Fn(&str),
) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    // Names of the same length, so that errors and files compare.
    let sides = [("ours", ours, folder.join("ours")), ("reference", reference, folder.join("refs"))];
    let mut failures: Vec<Option<(usize, Failure)>> = Vec::new();
    for (who, api, path) in &sides {
        phase(who);
        if *who == "reference" && is_unusable {
            // What was refused is not there to be read.
            if failures[0].is_none() {
                reads_alone(ours, sides[0].2.to_str().unwrap_or_default(), scenario)?;
            }
            outcome.accepted.push(CRASHES.name);
            return Ok(outcome);
        }
        failures.push(make(api, path.to_str().unwrap_or_default(), scenario));
    }
    match (&failures[0], &failures[1]) {
        (None, None) => {}
        (Some(a), Some(b)) if a == b => return Ok(outcome),
        (a, b) if accepted::overflows(scenario, a.as_ref(), b.as_ref()) => {
            if !reads_back(ours, sides[0].2.to_str().unwrap_or_default(), scenario) {
                return Err(format!("the reference refuses to write ({b:?}), and ours does not read what it wrote"));
            }
            outcome.accepted.push(BYTE_DIMENSIONS.name);
            return Ok(outcome);
        }
        (a, b) if accepted::is_verbatim(a.as_ref(), b.as_ref()) => {
            // Cells in no order come back in another one.
            if a.is_none() && scenario.dense && !reads_back(ours, sides[0].2.to_str().unwrap_or_default(), scenario) {
                return Err(format!("the reference refuses to write ({b:?}), and ours does not read what it wrote"));
            }
            outcome.accepted.push(REFUSALS_OF_FILTERS.name);
            return Ok(outcome);
        }
        (a, b) => match accepted::refusal(scenario, a.as_ref(), b.as_ref()) {
            // What ours refuses to write must be lost where it is written.
            Some(reason)
                if reason != DROPPED_BYTES.name
                    || a.as_ref().is_some_and(|ours| unfiltered::is_lost(reference, folder, scenario, ours.0)) =>
            {
                outcome.accepted.push(reason);
                return Ok(outcome);
            }
            _ => return Err(format!("writing: ours {a:?}, the reference {b:?}")),
        },
    }
    // In a store there are no files to look into.
    if sides[0].2.is_dir() {
        outcome.files = disk::compare(&sides[0].2, &sides[1].2, scenario)?;
    }
    let mut results: Vec<Vec<Answer>> = vec![Vec::new(); scenario.reads.len()];
    for (who, api, _) in &sides {
        phase(who);
        for (_, _, path) in &sides {
            for (result, query) in results.iter_mut().zip(&scenario.reads) {
                let uri = path.to_str().unwrap_or_default();
                let answer = execute::read(api, uri, scenario, query).map_err(|failure| general(failure, uri));
                result.push(answer.map(|fields| comparable(scenario, query, fields)));
            }
        }
    }
    for (number, result) in results.iter().enumerate() {
        match compare(result) {
            Ok(()) => {}
            Err(text) => {
                let query = &scenario.reads[number];
                if accepted::is_checksum(result) {
                    outcome.accepted.push(REFUSALS_OF_FILTERS.name);
                    continue;
                }
                let Some(reason) = accepted::read(scenario, query, result) else {
                    return Err(format!("read {number}: {text}; {query:?}"));
                };
                // What the reference answers otherwise ours must have read as it was written.
                phase("reference");
                let written =
                    unfiltered::cells(reference, folder, scenario, query).map(|rows| comparable(scenario, query, rows));
                if !written.as_ref().is_some_and(|written| unfiltered::is_same(scenario, query, &result[0], written)) {
                    return Err(format!(
                        "read {number}: {reason} but ours is not what was written: {text}; {query:?} {written:?} {:?}",
                        result[0]
                    ));
                }
                outcome.accepted.push(reason);
            }
        }
    }
    outcome.reads = results.len() as u64 * 4;
    Ok(outcome)
}

/// Creates and writes; gives the first failure and its place: 0 is the creation, then come the writes.
fn make(api: &Api, uri: &str, scenario: &Scenario) -> Option<(usize, Failure)> {
    if let Err(failure) = execute::create(api, uri, scenario) {
        return Some((0, general(failure, uri)));
    }
    let writes = scenario.writes.iter().enumerate();
    let mut failures = writes.filter_map(|(i, write)| Some((i + 1, execute::write(api, uri, scenario, write).err()?)));
    failures.next().map(|(place, failure)| (place, general(failure, uri)))
}

/// True if the attributes of each write to a dense array are read as they were written, where only that write is looked at.
fn reads_back(api: &Api, uri: &str, scenario: &Scenario) -> bool {
    scenario.writes.iter().all(|write| {
        let dimensions = vec![false; scenario.dimensions.len()];
        let read = Read {
            window: (Some(write.time), Some(write.time)),
            layout: write.layout,
            ranges: write.region.iter().map(|&range| vec![range]).collect(),
            fields: dimensions.into_iter().chain(scenario.attributes.iter().map(|_| true)).collect(),
            ..scenario.whole()
        };
        let columns = scenario.attributes.iter().zip(&write.columns);
        let written: Vec<_> = columns.map(|(attribute, data)| data.split(attribute.shape.cell_size())).collect();
        execute::read(api, uri, scenario, &read).is_ok_and(|cells| cells == written)
    })
}

/// Fails unless all queries are answered, and each write to a dense array is read as it was written.
fn reads_alone(api: &Api, uri: &str, scenario: &Scenario) -> Result<(), String> {
    // Both libraries refuse several ranges in global order.
    let is_refused = |query: &&Read| query.layout == 2 && query.ranges.iter().any(|ranges| ranges.len() > 1);
    for query in scenario.reads.iter().filter(|query| !is_refused(query)) {
        execute::read(api, uri, scenario, query)
            .map_err(|failure| format!("the reference crashes, and ours cannot read: {failure:?}; {query:?}"))?;
    }
    if scenario.dense && !reads_back(api, uri, scenario) {
        return Err("the reference crashes, and ours does not read what it wrote".to_owned());
    }
    Ok(())
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

fn first(a: &[Vec<execute::Cell>], b: &[Vec<execute::Cell>]) -> String {
    for (field, (a, b)) in a.iter().zip(b).enumerate() {
        if a != b {
            let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
            let show = |cells: &[execute::Cell]| {
                let cell = cells.get(at).map(|(bytes, validity)| (bytes[..bytes.len().min(40)].to_vec(), *validity));
                format!("{cell:?}")
            };
            let (here, there) = (show(a), show(b));
            return format!("column {field}: {} and {} cells, cell {at} is {here} and {there}", a.len(), b.len());
        }
    }
    "another number of columns".to_owned()
}
