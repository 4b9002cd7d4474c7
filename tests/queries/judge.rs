//! Compares two answers to a question.

use crate::arrays::{defect, is_set_of_other_size};
use crate::ask::{Answer, End, Part, Rows};
use crate::model::{self, Answer as Total, Cell};
use crate::question::{Aggregate, Field, Question, Room};
use crate::scenario::{Kind, Scenario, Tree};
use crate::support::Failure;
use crate::support::accepted::{self, Entry};

/// An array and what is asked of it.
pub struct Case<'a> {
    pub scenario: &'a Scenario,
    pub question: &'a Question,
    /// Asks the reference another question.
    pub again: &'a dyn Fn(&Question) -> Answer,
}

/// What was accepted, or what is wrong.
pub fn judge(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Vec<&'static Entry>, String> {
    let estimates = check_estimates(case, ours, theirs)?;
    let mut accepted = judge_answers(case, ours, theirs)?;
    accepted.extend(estimates);
    Ok(accepted)
}

fn judge_answers(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Vec<&'static Entry>, String> {
    let question = case.question;
    let differ = || format!("ends: {:?} {:?}", ours.end, theirs.end);
    match (&ours.end, &theirs.end) {
        (End::Complete, End::Complete) => {
            check_parts(question, ours)?;
            check_deliveries(case, ours, theirs)?;
            match compare(case, ours, theirs) {
                Err(_) if case.scenario.dense && question.layout == 3 => in_rows(case, ours),
                judged => judged,
            }
        }
        (a, b) if a == b => Ok(Vec::new()),
        // Any of several fields may be named.
        (End::Failed(a), End::Failed(b)) if is_short_validity(a) && is_short_validity(b) => Ok(Vec::new()),
        (End::Failed(_), End::Failed(failure)) if defect(failure).is_some() => {
            Ok(defect(failure).into_iter().collect())
        }
        (End::Failed(a), _) if is_set_of_other_size(a) => Ok(vec![&accepted::SET_MEMBER_SIZE]),
        (End::Failed(a), End::Failed(b)) if is_budget(a) && is_budget(b) => Ok(Vec::new()),
        (End::Complete, End::Failed(failure)) if defect(failure).is_some() => Ok(defect(failure).into_iter().collect()),
        (End::Complete, End::Failed(failure)) if is_of_absent(failure) && !case.scenario.steps.is_empty() => {
            Ok(vec![&accepted::ABSENT_ATTRIBUTES])
        }
        (End::Complete, End::Failed(failure)) if lacks_statistics(failure) => {
            let bare = Question { aggregates: Vec::new(), ..question.clone() };
            if !bare.fields.is_empty() {
                let theirs = (case.again)(&bare);
                compare_rows(case, ours, &theirs)?;
            }
            Ok(vec![&accepted::ABSENT_STATISTICS])
        }
        (End::Complete, End::Failed(failure)) if failure.text == "DenseReader: Cannot begin iteration" => {
            in_rows(case, ours)
        }
        (End::Complete, End::Failed(failure)) if is_budget(failure) && !question.config.is_empty() => {
            let roomy = Question { config: Vec::new(), ..question.clone() };
            let theirs = (case.again)(&roomy);
            let mut accepted = judge(&Case { question: &roomy, ..*case }, ours, &theirs)?;
            accepted.push(&accepted::LITTLE_MEMORY);
            Ok(accepted)
        }
        (End::Complete, End::Failed(failure)) if question.tight && failure.text.contains("bad_alloc") => {
            in_more_room(case, ours)
        }
        (End::Complete, End::Stuck) => in_more_room(case, ours),
        _ => Err(differ()),
    }
}

/// Compares a dense read in no order with what the reference answers in row-major order.
fn in_rows(case: &Case<'_>, ours: &Answer) -> Result<Vec<&'static Entry>, String> {
    let question = Question { layout: 0, rooms: roomy(case.question), tight: false, ..case.question.clone() };
    let theirs = (case.again)(&question);
    let mut accepted = compare(&Case { question: &question, ..*case }, ours, &theirs)?;
    accepted.push(&accepted::UNORDERED_DENSE);
    Ok(accepted)
}

/// Compares with what the reference answers in large buffers.
fn in_more_room(case: &Case<'_>, ours: &Answer) -> Result<Vec<&'static Entry>, String> {
    let roomy = Question { rooms: roomy(case.question), ..case.question.clone() };
    let mut accepted = compare(case, ours, &(case.again)(&roomy))?;
    accepted.push(&accepted::LITTLE_ROOM);
    Ok(accepted)
}

fn is_short_validity(failure: &Failure) -> bool {
    failure.text.contains("Invalid number of validity cells given for attribute")
}

fn is_of_absent(failure: &Failure) -> bool {
    failure.text.contains("Field doesn't exist") || failure.text.contains("Unknown attribute a")
}

fn lacks_statistics(failure: &Failure) -> bool {
    let text = &failure.text;
    ["min", "max", "sum", "null count"]
        .iter()
        .any(|name| text.contains(&format!("Trying to access tile {name} metadata that's not present")))
}

fn is_budget(failure: &Failure) -> bool {
    failure.text.contains("budget") || failure.text.contains("memory")
}

fn compare(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Vec<&'static Entry>, String> {
    let mut accepted = Vec::new();
    accepted.extend(compare_rows(case, ours, theirs)?);
    accepted.extend(compare_totals(case, ours, theirs)?);
    Ok(accepted)
}

fn compare_rows(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Option<&'static Entry>, String> {
    let Case { scenario, question, again } = case;
    if ours.rows == theirs.rows || !is_ordered(scenario, question) && sorted(&ours.rows) == sorted(&theirs.rows) {
        return Ok(None);
    }
    let differ = || format!("rows: {} {}", ours.rows.len(), theirs.rows.len());
    if (deletes_by_absent(scenario) || compares_absent(scenario, question)) && is_part(&theirs.rows, &ours.rows) {
        return Ok(Some(&accepted::ABSENT_ATTRIBUTES));
    }
    let several = |(kind, ranges): (&Kind, &Vec<_>)| kind.values.is_none() && ranges.len() > 1;
    if !scenario.dense && scenario.dimension_kinds.iter().zip(&question.ranges).any(several) {
        let ranges = question.ranges.iter().map(|ranges| joined(ranges)).collect();
        let apart =
            Question { ranges, rooms: roomy(question), tight: false, config: Vec::new(), ..(*question).clone() };
        let (mut ours, mut theirs) = (sorted(&ours.rows), sorted(&again(&apart).rows));
        ours.dedup();
        theirs.dedup();
        if ours == theirs {
            return Ok(Some(&accepted::STRING_RANGES));
        }
    }
    let Some(condition) = &question.condition else { return Err(differ()) };
    if scenario.dense {
        let own = Question { layout: scenario.cell_order, rooms: roomy(question), tight: false, ..(*question).clone() };
        let theirs = again(&own);
        return match sorted(&ours.rows) == sorted(&theirs.rows) {
            true => Ok(Some(&accepted::DENSE_CONDITIONS)),
            false => Err(format!("{}, in the array's order {:?}", differ(), theirs.rows)),
        };
    }
    if scenario.names_missing(condition) {
        let other = Question { layout: 3, ..(*question).clone() };
        let (mut ours, mut theirs) = (sorted(&ours.rows), sorted(&again(&other).rows));
        ours.dedup();
        theirs.dedup();
        if ours == theirs {
            return Ok(Some(&accepted::MISSING_MEMBERS));
        }
    }
    Err(differ())
}

/// The attributes that some fragment lacks.
fn absent(scenario: &Scenario) -> Vec<String> {
    let lacks = |number: usize| scenario.fragments.iter().any(|fragment| !fragment.present[number]);
    (0..scenario.attributes.len()).filter(|&number| lacks(number)).map(|number| format!("a{number}")).collect()
}

/// True if cells are deleted by an attribute that some fragment lacks.
fn deletes_by_absent(scenario: &Scenario) -> bool {
    let absent = absent(scenario);
    scenario.deletes.iter().any(|(_, tree, _)| names(tree, &absent))
}

/// True if the condition names an attribute that some fragment lacks.
fn compares_absent(scenario: &Scenario, question: &Question) -> bool {
    question.condition.as_ref().is_some_and(|tree| names(tree, &absent(scenario)))
}

fn names(tree: &Tree, fields: &[String]) -> bool {
    match tree {
        Tree::Not(inner) => names(inner, fields),
        Tree::Both(left, right, _) => names(left, fields) || names(right, fields),
        Tree::Leaf { field, .. } => fields.contains(field),
    }
}

/// True if all rows of `part` are among those of `all`, as often.
fn is_part(part: &Rows, all: &Rows) -> bool {
    let (part, all) = (sorted(part), sorted(all));
    let mut rest = all.iter();
    part.iter().all(|row| rest.any(|other| other == row))
}

/// The ranges in order, those that overlap as one.
fn joined(ranges: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (low, high) in sorted {
        match joined.last_mut() {
            Some(last) if low <= last.1 => last.1 = last.1.max(high),
            _ => joined.push((low, high)),
        }
    }
    joined
}

/// Room for everything.
fn roomy(question: &Question) -> Vec<Room> {
    question.rooms.iter().map(|_| Room { data: 100_000, offsets: 4000, validity: 100_000 }).collect()
}

fn compare_totals(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Option<&'static Entry>, String> {
    let Case { scenario, question, again } = case;
    let pairs = question.aggregates.iter().zip(ours.totals.iter().zip(&theirs.totals));
    let wrong: Vec<(&Aggregate, (&Total, &Total))> =
        pairs.filter(|(aggregate, (a, b))| a != b && !is_near(scenario, **aggregate, a, b)).collect();
    let Some((first, (a, b))) = wrong.first() else { return Ok(None) };
    let differ = || format!("aggregate {first:?}: {a:?} {b:?}");
    if scenario.dense && question.layout != scenario.cell_order {
        let own = Question { layout: scenario.cell_order, rooms: roomy(question), tight: false, ..(*question).clone() };
        let theirs = again(&own);
        compare_totals(&Case { question: &own, ..*case }, ours, &theirs)?;
        return Ok(Some(&accepted::DENSE_CONDITIONS));
    }
    if scenario.dense {
        if theirs.parts.len() > 1 {
            let roomy = Question { rooms: roomy(question), tight: false, ..(*question).clone() };
            compare_totals(&Case { question: &roomy, ..*case }, ours, &again(&roomy))?;
            return Ok(Some(&accepted::AGGREGATES_AGAIN));
        }
        if scenario.consolidate {
            return Ok(Some(&accepted::AGGREGATES_BETWEEN));
        }
        if question.ranges.iter().any(|ranges| joined(ranges).len() < ranges.len()) {
            return Ok(Some(&accepted::AGGREGATES_OF_RANGES));
        }
        let doubtful = |(aggregate, answers): &(&Aggregate, (&Total, &Total))| {
            is_doubtful(scenario, **aggregate) || answers.0.valid == Some(0)
        };
        if !wrong.iter().all(doubtful) {
            return Err(differ());
        }
        let ranges = question.ranges.iter().all(|ranges| ranges.len() == 1);
        if ranges && question.condition.is_none() && scenario.steps.is_empty() {
            check_written(case, &wrong)?;
        }
        return Ok(Some(&accepted::AGGREGATES_OF_DENSE));
    }
    if deletes_by_absent(scenario) || compares_absent(scenario, question) {
        return Ok(Some(&accepted::ABSENT_ATTRIBUTES));
    }
    let places = places_of(question);
    let cells = again(&Question {
        fields: places.clone(),
        aggregates: Vec::new(),
        rooms: room_for(&places),
        tight: false,
        config: Vec::new(),
        layout: 3,
        ranges: question.ranges.iter().map(|ranges| joined(ranges)).collect(),
        ..(*question).clone()
    });
    check_model(scenario, &places, &cells.rows, cells.rows.len(), &wrong)?;
    Ok(Some(&accepted::AGGREGATES_OF_SPARSE))
}

/// The fields that are aggregated, or the first.
fn places_of(question: &Question) -> Vec<usize> {
    let mut places: Vec<usize> = question.aggregates.iter().flatten().map(|&(_, place)| place).collect();
    places.sort_unstable();
    places.dedup();
    if places.is_empty() {
        places.push(0);
    }
    places
}

fn room_for(places: &[usize]) -> Vec<Room> {
    places.iter().map(|_| Room { data: 100_000, offsets: 4000, validity: 100_000 }).collect()
}

/// Our aggregates must be those of the cells of a dense array that were written, as the reference reads them.
fn check_written(case: &Case<'_>, wrong: &[(&Aggregate, (&Total, &Total))]) -> Result<(), String> {
    let Case { scenario, question, again } = case;
    let places = places_of(question);
    let bare =
        Question { fields: places.clone(), aggregates: Vec::new(), rooms: room_for(&places), ..(*question).clone() };
    let rows = again(&Question { tight: false, config: Vec::new(), layout: 0, ..bare }).rows;
    let (start, end) = (question.window.0.unwrap_or(0), question.window.1.unwrap_or(u64::MAX));
    let fragments: Vec<_> =
        scenario.fragments.iter().filter(|fragment| (start..=end).contains(&fragment.time)).collect();
    let is_written = |mut number: i64| {
        let mut at: Vec<i64> = Vec::new();
        for ranges in question.ranges.iter().rev() {
            let count = ranges[0].1 - ranges[0].0 + 1;
            at.push(ranges[0].0 + number % count);
            number /= count;
        }
        at.reverse();
        let holds = |region: &[(i64, i64)]| region.iter().zip(&at).all(|(side, at)| (side.0..=side.1).contains(at));
        fragments.iter().any(|fragment| holds(&fragment.region))
    };
    let written: Rows =
        rows.iter().enumerate().filter(|(number, _)| is_written(*number as i64)).map(|(_, row)| row.clone()).collect();
    check_model(scenario, &places, &written, rows.len(), wrong)
}

/// Checks our aggregates against cells of the fields at `places`; `count` cells are in the ranges.
fn check_model(
    scenario: &Scenario,
    places: &[usize],
    rows: &Rows,
    count: usize,
    wrong: &[(&Aggregate, (&Total, &Total))],
) -> Result<(), String> {
    for (aggregate, (ours, theirs)) in wrong {
        let agrees = match aggregate {
            None => ours.value == (count as u64).to_le_bytes(),
            Some((operator, place)) => {
                let Field { kind, nullable, .. } = Field::of(scenario, *place);
                let column = places.iter().position(|other| other == place).unwrap_or(0);
                let cell = |row: &Vec<(Vec<u8>, Option<u8>)>| (row[column].0.clone(), row[column].1 != Some(0));
                let cells: Vec<Cell> = rows.iter().map(cell).collect();
                model::agrees(kind, nullable, operator, &cells, ours)
            }
        };
        if !agrees {
            return Err(format!("aggregate {aggregate:?}: {ours:?} {theirs:?}: of {rows:?}"));
        }
    }
    Ok(())
}

/// Equal but for rounding: sums and means of whole and other numbers.
fn is_near(scenario: &Scenario, aggregate: Aggregate, ours: &Total, theirs: &Total) -> bool {
    let Some((operator, place)) = aggregate else { return false };
    let kind = Field::of(scenario, place).kind;
    let real = |total: &Total| total.value.as_slice().try_into().ok().map(f64::from_le_bytes);
    let floats = operator == "mean" || operator == "sum" && model::is_real(kind);
    match (real(ours), real(theirs)) {
        (Some(a), Some(b)) if floats && ours.valid == theirs.valid => {
            a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * a.abs().max(1.0)
        }
        _ => false,
    }
}

/// What the reference aggregates wrongly in dense arrays.
fn is_doubtful(scenario: &Scenario, aggregate: Aggregate) -> bool {
    let Some((operator, place)) = aggregate else { return false };
    let kind = Field::of(scenario, place).kind;
    operator == "mean"
        || model::is_real(kind)
        || operator == "sum" && kind.size == 8
        || kind.number == 11
        || operator == "null_count" && (kind.values != Some(1) || !matches!(kind.number, 0..=3 | 5..=10))
}

fn is_ordered(scenario: &Scenario, question: &Question) -> bool {
    let several = question.ranges.iter().any(|ranges| ranges.len() > 1) || scenario.cell_order == 4;
    // Cells of one fragment with one dimension the reference leaves in the order of ranges.
    // In little room or memory it answers part by part of the ranges, each in order.
    let strings = scenario.dimension_kinds.iter().any(|kind| kind.values.is_none());
    let in_parts = (several || strings) && (question.tight || scenario.dimensions.len() == 1)
        || question.layout < 2 && !question.config.is_empty();
    scenario.dense || !scenario.dups && !in_parts
}

fn sorted(rows: &Rows) -> Rows {
    let mut rows = rows.clone();
    rows.sort();
    rows
}

/// One submit is enough where there is room for everything; an incomplete one says that the buffers were full, or,
/// where memory is limited, that it was.
fn check_parts(question: &Question, ours: &Answer) -> Result<(), String> {
    let Some(((_, status, details), before)) = ours.parts.split_last() else { return Ok(()) };
    let limited = question.config.iter().any(|(name, _)| name.contains("mem"));
    let full =
        |&(_, status, details): &Part| status == INCOMPLETE && (details == BUFFERS || limited && details == MEMORY);
    let fits = question.tight || limited || before.is_empty();
    match (*status, *details) == (COMPLETED, 0) && before.iter().all(full) && fits {
        true => Ok(()),
        false => Err(format!("parts: {:?}", ours.parts)),
    }
}

/// Dense reads deliver as many cells with every submit as those of the reference, which takes no heed of memory.
fn check_deliveries(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<(), String> {
    let limited = case.question.config.iter().any(|(name, _)| name.contains("mem"));
    match !case.scenario.dense || limited || ours.parts == theirs.parts {
        true => Ok(()),
        false => Err(format!("deliveries: {:?} {:?}", ours.parts, theirs.parts)),
    }
}

/// Numbers of statuses, and of the reasons why a query is incomplete.
const COMPLETED: u32 = 1;
const INCOMPLETE: u32 = 3;
const BUFFERS: u32 = 1;
const MEMORY: u32 = 2;

/// Both estimate the same, to the last byte.
fn check_estimates(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Option<&'static Entry>, String> {
    let differ = || Err(format!("estimates: {:?} {:?}", ours.estimates, theirs.estimates));
    let Case { scenario, question, .. } = case;
    let mut accepted = None;
    if ours.estimates.len() != theirs.estimates.len() {
        return differ();
    }
    for ((our, their), &place) in ours.estimates.iter().zip(&theirs.estimates).zip(&question.fields) {
        if our == their {
            continue;
        }
        let is_var = Field::of(scenario, place).kind.values.is_none();
        if !(scenario.dense && scenario.beyond.is_some() && is_var && our[1..] == their[1..]) {
            return differ();
        }
        accepted = Some(&accepted::CURRENT_DOMAIN_ESTIMATES);
    }
    Ok(accepted)
}
