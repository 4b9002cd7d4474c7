//! Compares the results of two libraries.

use crate::Failure;
use crate::accepted::{self, Entry};
use crate::aggregates::{self, AggregateQuery};
use crate::conditions::reference_model::{self, ModelCell, ModelQuery};
use crate::conditions::run_seed::{defect, is_of_other_size};
use crate::conditions::scenario::{Kind, Scenario, Tree};
use crate::queries::execute::{Answer, End, Part, Row, Rows};
use crate::queries::random_query::{Field, RandomQuery};

/// An array and what is asked of it.
pub struct Case<'a> {
    pub scenario: &'a Scenario,
    pub question: &'a RandomQuery,
    /// What the reference estimates of the same array without a current domain.
    pub twin: &'a dyn Fn() -> Vec<[u64; 3]>,
    /// How many fragments the array has.
    pub fragments: usize,
}

/// Of more fragments the reference mixes up those of one time: it adds up their shares in another order.
const SORTED: usize = 16;

impl Case<'_> {
    /// The last time that counts. Opened anew at the same time, an array is opened as it is now.
    fn end(&self) -> Option<u64> {
        let RandomQuery { window, before, .. } = self.question;
        window.1.filter(|_| before.is_none_or(|before| before.1 != window.1))
    }

    /// The cells that the question selects.
    fn select(&self) -> Vec<ModelCell<'_>> {
        let RandomQuery { layout, window, ranges, condition, .. } = self.question;
        let window = (window.0.unwrap_or(0), self.end().unwrap_or(u64::MAX));
        reference_model::select(
            self.scenario,
            &ModelQuery { layout: *layout, window, ranges, condition: condition.as_ref() },
        )
    }
}

/// What was accepted, or what is wrong. `theirs` is missing where the reference dies.
pub fn judge(case: &Case<'_>, ours: &Answer, theirs: Option<&Answer>) -> Result<Vec<&'static Entry>, String> {
    if ours.end == End::Complete {
        check_parts(case.question, ours)?;
        // What ours answers must be what was written, whatever the reference answers.
        let selected = case.select();
        check_rows(case, &selected, ours)?;
        check_totals(case, &selected, ours)?;
    }
    let Some(theirs) = theirs else { return Ok(Vec::new()) };
    let judged = compare(case, ours, theirs);
    if judged.is_ok() || !reads_dropped(case) {
        return judged;
    }
    // Other fragments are read, so the estimates differ also where both fail.
    let alike = || compare(case, ours, &Answer { estimates: ours.estimates.clone(), ..theirs.clone() });
    match ours.end == End::Complete || alike().is_ok() {
        true => Ok(vec![&accepted::DROPPED_ATTRIBUTES]),
        false => judged,
    }
}

/// What is accepted of the difference between two answers.
fn compare(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Vec<&'static Entry>, String> {
    let mut accepted = Vec::new();
    accepted.extend(check_estimates(case, ours, theirs)?);
    match (&ours.end, &theirs.end) {
        (End::Complete, _) => accepted.extend(why(case, ours, theirs)?),
        (a, b) if a == b => {}
        // Any of several fields may be named.
        (End::Failed(a), End::Failed(b)) if is_short_validity(a) && is_short_validity(b) => {}
        (End::Failed(a), End::Failed(b)) if is_budget(a) && is_budget(b) => {}
        (End::Failed(_), End::Failed(failure)) if defect(failure).is_some() => accepted.extend(defect(failure)),
        (End::Failed(a), _) if is_of_other_size(a) && case.scenario.has_odd_size(case.question.condition.as_ref()) => {
            accepted.push(&accepted::VALUE_SIZE);
        }
        _ => return Err(format!("ends: {:?} {:?}", ours.end, theirs.end)),
    }
    Ok(accepted)
}

/// Why the reference answers otherwise than ours, which answers what was written.
fn why(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Option<&'static Entry>, String> {
    let Case { scenario, question, .. } = case;
    let reason = match &theirs.end {
        End::Complete => {
            check_deliveries(case, ours, theirs)?;
            let rows = why_rows(case, ours, theirs)?;
            return Ok(rows.or(why_totals(case, ours, theirs)?));
        }
        End::Stuck => Some(&accepted::LITTLE_ROOM),
        End::Failed(failure) => match () {
            () if defect(failure).is_some() => defect(failure),
            () if is_of_absent(failure) && !scenario.steps.is_empty() => Some(&accepted::ABSENT_ATTRIBUTES),
            () if lacks_statistics(failure) => Some(&accepted::ABSENT_STATISTICS),
            () if failure.text == "DenseReader: Cannot begin iteration" => Some(&accepted::UNORDERED_DENSE),
            () if is_budget(failure) && !question.config.is_empty() => Some(&accepted::LITTLE_MEMORY),
            () if failure.text.contains("bad_alloc") => Some(&accepted::LITTLE_ROOM),
            () if is_of_other_text(failure)
                && scenario.dense
                && question.condition.is_some()
                && question.layout != scenario.cell_order =>
            {
                Some(&accepted::DENSE_CONDITIONS)
            }
            () => None,
        },
    };
    reason.map(Some).ok_or_else(|| format!("ends: {:?} {:?}", ours.end, theirs.end))
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

/// What the least or greatest text is, is no text, or longer than any that was written.
fn is_of_other_text(failure: &Failure) -> bool {
    failure.text.ends_with("basic_string::_M_create") || failure.text.contains("Min/max buffer not big enough")
}

fn is_budget(failure: &Failure) -> bool {
    failure.text.contains("budget") || failure.text.contains("memory")
}

/// Our rows must be those of the cells.
fn check_rows(case: &Case<'_>, selected: &[ModelCell<'_>], ours: &Answer) -> Result<(), String> {
    let Case { scenario, question, .. } = case;
    let row = |cell: &ModelCell<'_>| -> Row {
        question.fields.iter().map(|&place| reference_model::value(scenario, cell, place)).collect()
    };
    // In the order of rows or columns a cell of a sparse array comes as often as it lies in ranges.
    let often = |cell: &ModelCell<'_>| if question.layout < 2 { cell.times } else { 1 };
    let mut expected: Rows = selected.iter().flat_map(|cell| std::iter::repeat_n(row(cell), often(cell))).collect();
    if question.fields.is_empty() {
        expected.clear();
    }
    let in_order = match scenario.dense {
        // In no order they come tile by tile where there is little room.
        true => question.layout < 3 || ours.parts.len() == 1,
        // Where ranges overlap or do not ascend, several submits deliver them one after the other; with one dimension a
        // single one may, too.
        false => {
            let at_once = ours.parts.len() == 1 && scenario.dimensions.len() > 1;
            question.layout < 2 && !scenario.dups && (at_once || ascend(&question.ranges))
        }
    };
    match expected == ours.rows || !in_order && sorted(&expected) == sorted(&ours.rows) {
        true => Ok(()),
        false => Err(format!("rows: {}, of the cells {} {expected:?}", ours.rows.len(), expected.len())),
    }
}

/// True if every range of a dimension begins behind the end of the one before.
fn ascend(ranges: &[Vec<(i64, i64)>]) -> bool {
    ranges.iter().all(|ranges| ranges.windows(2).all(|pair| pair[0].1 < pair[1].0))
}

/// Our aggregates must be those of the cells.
fn check_totals(case: &Case<'_>, selected: &[ModelCell<'_>], ours: &Answer) -> Result<(), String> {
    let Case { scenario, question, .. } = case;
    for (aggregate, answer) in question.aggregates.iter().zip(&ours.totals) {
        if !aggregates::is_of(scenario, selected, *aggregate, answer) {
            let count = selected.iter().filter(|cell| cell.meets).count();
            return Err(format!("aggregate {aggregate:?}: {answer:?} of {count} of {} cells", selected.len()));
        }
    }
    Ok(())
}

fn why_rows(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Option<&'static Entry>, String> {
    let Case { scenario, question, .. } = case;
    if ours.rows == theirs.rows || !is_ordered(scenario, question) && sorted(&ours.rows) == sorted(&theirs.rows) {
        return Ok(None);
    }
    let several = |(kind, ranges): (&Kind, &Vec<_>)| kind.values.is_none() && ranges.len() > 1;
    let missing = |tree| scenario.names_missing(tree);
    let entry = match () {
        () if compares_absent(scenario, question) => &accepted::ABSENT_ATTRIBUTES,
        () if scenario.dense && question.layout == 3 => &accepted::UNORDERED_DENSE,
        () if scenario.dense && question.condition.is_some() && question.layout != scenario.cell_order => {
            &accepted::DENSE_CONDITIONS
        }
        () if !scenario.dense && scenario.dimension_kinds.iter().zip(&question.ranges).any(several) => {
            &accepted::STRING_RANGES
        }
        () if question.condition.as_ref().is_some_and(missing) => &accepted::MISSING_MEMBERS,
        () if question.condition.as_ref().is_some_and(|tree| scenario.compares_characters(tree)) => {
            &accepted::CHARACTERS
        }
        () if scenario.orders_characters(question.condition.as_ref()) => &accepted::UNSIGNED_CHARACTERS,
        () if scenario.dense && question.fields.iter().any(|&place| is_absent(scenario, place)) => {
            &accepted::ABSENT_ATTRIBUTES
        }
        () => return Err(format!("rows: {} {}", ours.rows.len(), theirs.rows.len())),
    };
    Ok(Some(entry))
}

/// True if some fragment lacks the field at a place.
fn is_absent(scenario: &Scenario, place: usize) -> bool {
    let number = place.checked_sub(scenario.dimensions.len()).filter(|&number| number < scenario.attributes.len());
    number.is_some_and(|number| scenario.fragments.iter().any(|fragment| !fragment.present[number]))
}

/// The attributes that some fragment lacks.
fn absent(scenario: &Scenario) -> Vec<String> {
    let first = scenario.dimensions.len();
    let is_absent = |number: &usize| is_absent(scenario, first + number);
    (0..scenario.attributes.len()).filter(is_absent).map(|number| format!("a{number}")).collect()
}

/// True if the array is opened as of a time before an attribute was dropped, of which fragments were merged since.
fn reads_dropped(case: &Case<'_>) -> bool {
    case.end().is_some() && !case.scenario.merged.is_empty() && case.scenario.drops_after(0)
}

/// True if the condition names an attribute that some fragment lacks.
fn compares_absent(scenario: &Scenario, question: &RandomQuery) -> bool {
    question.condition.as_ref().is_some_and(|tree| names(tree, &absent(scenario)))
}

fn names(tree: &Tree, fields: &[String]) -> bool {
    match tree {
        Tree::Not(inner) => names(inner, fields),
        Tree::Both(left, right, _) => names(left, fields) || names(right, fields),
        Tree::Leaf { field, .. } => fields.contains(field),
    }
}

fn why_totals(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Option<&'static Entry>, String> {
    let Case { scenario, question, .. } = case;
    let pairs = ours.totals.iter().zip(&theirs.totals);
    let answers = question.aggregates.iter().zip(pairs).map(|(&aggregate, (a, b))| (aggregate, a, b));
    let condition = question.condition.as_ref();
    let aggregate_query =
        AggregateQuery { layout: question.layout, ranges: &question.ranges, condition, again: theirs.parts.len() > 1 };
    match aggregates::why(scenario, &aggregate_query, answers) {
        Ok(None) => Ok(None),
        _ if compares_absent(scenario, question) => Ok(Some(&accepted::ABSENT_ATTRIBUTES)),
        Err(_)
            if scenario.dense && question.aggregates.iter().flatten().any(|(_, place)| is_absent(scenario, *place)) =>
        {
            Ok(Some(&accepted::ABSENT_ATTRIBUTES))
        }
        judged => judged,
    }
}

fn is_ordered(scenario: &Scenario, question: &RandomQuery) -> bool {
    // In little room or memory the reference answers part by part of the ranges, each in order; ours does not follow it
    // for strings, in Hilbert's order and in little memory.
    let strings = scenario.dimension_kinds.iter().any(|kind| kind.values.is_none());
    let in_parts =
        (strings || scenario.cell_order == 4) && question.tight || question.layout < 2 && !question.config.is_empty();
    scenario.dense || !scenario.dups && !in_parts
}

fn sorted(rows: &Rows) -> Rows {
    let mut rows = rows.clone();
    rows.sort();
    rows
}

/// One submit is enough where there is room for everything; an incomplete one says that the buffers were full, or,
/// where memory is limited, that it was.
fn check_parts(question: &RandomQuery, ours: &Answer) -> Result<(), String> {
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

/// Both estimate the same, to the last byte; what the reference miscounts is what it estimates of the twin.
fn check_estimates(case: &Case<'_>, ours: &Answer, theirs: &Answer) -> Result<Option<&'static Entry>, String> {
    let Case { scenario, question, twin, fragments } = case;
    let differs = |(our, their): &(&[u64; 3], &[u64; 3])| our != their;
    let mut fields = question.fields.iter().zip(ours.estimates.iter().zip(&theirs.estimates));
    let alike = ours.estimates.len() == theirs.estimates.len();
    if alike && !fields.clone().any(|(_, pair)| differs(&pair)) {
        return Ok(None);
    }
    let is_var = |place: usize| Field::of(scenario, place).kind.values.is_none();
    let known = fields.all(|(&place, (our, their))| our == their || is_var(place) && our[1..] == their[1..]);
    let rounds = |(our, their): (&[u64; 3], &[u64; 3])| our[0].abs_diff(their[0]) <= 1;
    if alike && known && *fragments > SORTED && ours.estimates.iter().zip(&theirs.estimates).all(rounds) {
        return Ok(None);
    }
    let twin = if alike && known && scenario.dense && scenario.beyond.is_some() { twin() } else { Vec::new() };
    match twin == ours.estimates {
        true => Ok(Some(&accepted::CURRENT_DOMAIN_ESTIMATES)),
        false => Err(format!("estimates: {:?} {:?} twin {twin:?}", ours.estimates, theirs.estimates)),
    }
}
