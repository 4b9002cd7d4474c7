//! Runs a seed: both libraries write an array, and queries of one are submitted by the other.

use support::accepted;
use support::conditions::scenario::{Kind, Scenario, Tree};
use support::messages::cross;
use support::queries::compare::{Case, judge};
use support::queries::execute::{Answer, End, ask, ask_by};
use support::queries::random_query::{Field, RandomQuery};
use support::queries::run_seed::{THREADS, prepare};
use support::random::Random;
use support::seeds::{Played, phase, reference_takes};
use support::{Api, Ctx, Failure, address, folders, pointer, text};

/// Questions to each array.
const QUESTIONS: usize = 12;

/// What cannot cross.
const KNOWN: [&str; 5] = [
    // Neither library takes up aggregates of a read that stands between two submits.
    "Aggregates are not currently supported in incomplete",
    // The reference does not say in a message that a value is null: it sends an empty one.
    "Value node condition value size mismatch",
    "Value node non-empty attribute may only be var-sized for ASCII strings",
    // A read of ours by rows that does not divide into parts of ranges.
    "Cannot tell where the read stands",
    "its results are not divided into parts",
];

/// Who makes a query, and who runs its submits in turn; `true` is ours.
const WAYS: [(bool, &[bool]); 5] =
    [(true, &[false]), (false, &[true]), (true, &[true]), (true, &[true, false]), (false, &[false, true])];

pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let scenario = Scenario::wide(seed);
    let folder = folders::temporary().join(format!("crossing-{}-{seed}", std::process::id()));
    let uri = folder.to_str().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let (our_ctx, ref_ctx) = (ours.context(&THREADS), reference.context(&THREADS));
    let made = prepare(&our_ctx, &ref_ctx, &scenario, seed, uri);
    let result = made.map_err(|failure| format!("{failure:?} {scenario:?}"));
    let result = result.and_then(|scenario| compare(&our_ctx, &ref_ctx, &scenario, seed, uri));
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn compare(ours: &Ctx<'_>, reference: &Ctx<'_>, scenario: &Scenario, seed: u64, uri: &str) -> Result<Played, String> {
    let random = &mut Random::new(seed ^ 0x51de);
    let (mut played, mut wrong) = (Played::default(), Vec::new());
    for number in 0..QUESTIONS {
        let mut question = RandomQuery { config: Vec::new(), ..RandomQuery::random(random, scenario) };
        if !scenario.dense && matches!(question.layout, 0 | 1) && !question.aggregates.is_empty() {
            // No such read is there; of the attempt to serialize it the reference dies.
            question.layout = 3;
        }
        let (by_us, mut servers) = WAYS[(seed as usize + number) % WAYS.len()];
        if let Ok(way) = std::env::var("WAY") {
            servers = Box::leak(way.chars().map(|c| c == 'o').collect::<Vec<bool>>().into_boxed_slice());
        }
        let library = |ours_: bool| if ours_ { ours } else { reference };
        if scenario.dense && servers.contains(&false) {
            // Of dimensions of dense arrays the reference, as a server of its own queries too, tells wrong aggregates.
            let is_dimension = |place: usize| place < scenario.dimensions.len();
            question.aggregates.retain(|aggregate| aggregate.is_none_or(|(_, place)| !is_dimension(place)));
            if question.fields.is_empty() && question.aggregates.is_empty() {
                question.aggregates.push(None);
            }
        }
        if std::env::var("ONLY").is_ok_and(|only| only != number.to_string()) {
            continue;
        }
        match servers.contains(&false) || !by_us {
            // A step that the reference dies of tells nothing.
            true if !reference_takes(seed, number) => continue,
            true => {}
            false => phase(seed, "ours"),
        }
        let mut turn = servers.iter().cycle();
        let mut submit = |client: &Ctx<'_>, query: u64| {
            let server = library(*turn.next().unwrap());
            cross(client, query, server, uri, |there| run(server, there, scenario, &question))
        };
        let mut answer = ask_by(library(by_us), scenario, uri, &question, &mut submit);
        if !by_us {
            // The reference does not say why a read on a server is incomplete.
            answer.parts.iter_mut().filter(|part| part.1 == 3).for_each(|part| part.2 = 1);
        }
        let sent = RandomQuery {
            condition: question.condition.clone().map(|tree| as_sent(tree, by_us, scenario)),
            ..question.clone()
        };
        let case = Case { scenario, question: &sent, twin: &Vec::new, fragments: 0 };
        let result = match answer.end {
            End::Complete => judge(&case, &answer, None).map(drop).or_else(|text| {
                // What the reference answers is known to differ here and there, with or without a message.
                let local = ask(ours, scenario, uri, &sent);
                answer.estimates.clone_from(&local.estimates);
                let is_theirs = servers.contains(&false) || !by_us;
                let result = if is_theirs { judge(&case, &local, Some(&answer)) } else { Err(text) };
                result.map(|accepted| played.accepted.extend(accepted))
            }),
            _ if is_unwritten(scenario, &question, &answer.end) && servers.contains(&false) => {
                played.accepted.push(&accepted::UNORDERED_DENSE);
                Ok(())
            }
            _ => same_end(&answer, &[ours, reference], |library| ask(library, scenario, uri, &sent)),
        };
        if let Err(text) = result {
            wrong.push(format!("{number} {by_us} {servers:?}: {text}; {sent:?} ANSWER {answer:?}"));
        } else if sent.condition.as_ref().is_some_and(is_of_empty_text) && !by_us {
            played.accepted.push(&accepted::NULLS_IN_MESSAGES);
        }
        played.queries += 1;
    }
    if wrong.is_empty() {
        Ok(played)
    } else {
        Err(format!("question {} OF {scenario:?}", wrong.join(" AND question ")))
    }
}

/// A condition as it crosses: the reference writes null as an empty value, which is one where that can be compared.
fn as_sent(tree: Tree, by_us: bool, scenario: &Scenario) -> Tree {
    match tree {
        Tree::Not(inner) => Tree::Not(Box::new(as_sent(*inner, by_us, scenario))),
        Tree::Both(left, right, how) => {
            let [left, right] = [left, right].map(|part| Box::new(as_sent(*part, by_us, scenario)));
            Tree::Both(left, right, how)
        }
        Tree::Leaf { field, operator, value: None, members, by_index } if !by_us && members.is_empty() => {
            let value = may_be_empty(&field, by_index, scenario).then(Vec::new);
            Tree::Leaf { field, operator, value, members, by_index }
        }
        leaf => leaf,
    }
}

/// True for text, and for values of an enumeration.
fn may_be_empty(field: &str, by_index: bool, scenario: &Scenario) -> bool {
    const TEXTS: [u64; 3] = [4, 11, 12];
    let is_text = |kind: &Kind| TEXTS.contains(&kind.number);
    let Ok(number) = field[1..].parse::<usize>() else { return false };
    match field.starts_with('a') {
        true => scenario
            .attributes
            .get(number)
            .is_some_and(|attribute| is_text(&attribute.kind) || (attribute.enumeration.is_some() && !by_index)),
        false => scenario.dimension_kinds.get(number).is_some_and(is_text),
    }
}

fn is_of_empty_text(tree: &Tree) -> bool {
    match tree {
        Tree::Not(inner) => is_of_empty_text(inner),
        Tree::Both(left, right, _) => is_of_empty_text(left) || is_of_empty_text(right),
        Tree::Leaf { value, .. } => value.as_ref().is_some_and(Vec::is_empty),
    }
}

/// True if a reply is refused because the reference left cells of it unwritten.
fn is_unwritten(scenario: &Scenario, question: &RandomQuery, end: &End) -> bool {
    let is_refused = matches!(end, End::Failed(failure) if failure.text.contains("The validity of 'a"));
    scenario.dense && question.layout == 3 && is_refused
}

/// What does not come to an end must not do so either where no message is in between, with one of the libraries.
fn same_end(answer: &Answer, libraries: &[&Ctx<'_>], local: impl Fn(&Ctx<'_>) -> Answer) -> Result<(), String> {
    match &answer.end {
        End::Failed(failure) if KNOWN.iter().any(|known| failure.text.contains(known)) => Ok(()),
        _ if libraries.iter().any(|library| local(library).end != End::Complete) => Ok(()),
        end => Err(format!("{end:?}, and complete where it was made")),
    }
}

/// Buffers and their sizes.
type Buffers = Vec<(Vec<u64>, Box<u64>)>;

/// Gives a query the buffers that the message asked for, and submits it.
fn run(server: &Ctx<'_>, query: u64, scenario: &Scenario, question: &RandomQuery) -> Result<Buffers, Failure> {
    let mut buffers = Buffers::new();
    for place in &question.fields {
        let field = Field::of(scenario, *place);
        let name = text(&field.name);
        let parts = [("data", true), ("offsets", field.kind.values.is_none()), ("validity", field.nullable)];
        for (part, _) in parts.into_iter().filter(|(_, there)| *there) {
            let (mut start, mut size) = (0u64, 0u64);
            let get = [query, pointer(&name), address(&mut start), address(&mut size)];
            server.call(&format!("query_get_{part}_buffer"), &get)?;
            assert!(start == 0 && size != 0, "the {part} buffer of {} is at {start}, its size at {size}", field.name);
            let bytes = unsafe { *(size as *const u64) };
            let (mut room, mut size) = (vec![0u64; bytes as usize / 8 + 1], Box::new(bytes));
            let set = [query, pointer(&name), room.as_mut_ptr() as u64, address(&mut *size)];
            server.call(&format!("query_set_{part}_buffer"), &set)?;
            buffers.push((room, size));
        }
    }
    server.call("query_submit", &[query])?;
    Ok(buffers)
}
