//! Carries out a seed: both libraries write an array, and queries of one are submitted by the other.

use crate::ask::{Answer, End, ask, ask_by};
use crate::judge::{Case, judge};
use crate::play::{THREADS, prepare};
use crate::question::{Field, Question};
use crate::random::Random;
use crate::scenario::Scenario;
use crate::support::messages::CAPNP;
use crate::support::seeds::{Played, phase, reference_takes};
use crate::support::{Api, Ctx, Failure, address, pointer, text};

/// Questions to each array.
const QUESTIONS: usize = 12;

/// What cannot cross.
const KNOWN: [&str; 4] = [
    // Neither library takes up aggregates of a read that stands between two submits.
    "Aggregates are not currently supported in incomplete",
    // The reference does not say in a message that a value is null: it sends an empty one.
    "Value node condition value size mismatch",
    // A read of ours by rows that does not divide into parts of ranges.
    "Cannot tell where the read stands",
    "its results are not divided into parts",
];

/// Who makes a query, and who runs its submits in turn; `true` is ours.
const WAYS: [(bool, &[bool]); 5] =
    [(true, &[false]), (false, &[true]), (true, &[true]), (true, &[true, false]), (false, &[false, true])];

pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let scenario = Scenario::wide(seed);
    let folder = std::env::temp_dir().join(format!("crossing-{}-{seed}", std::process::id()));
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
        let mut question = Question { config: Vec::new(), ..Question::random(random, scenario) };
        if !scenario.dense && matches!(question.layout, 0 | 1) && !question.aggregates.is_empty() {
            // No such read is there; of the attempt to serialize it the reference dies.
            question.layout = 3;
        }
        let (by_us, servers) = WAYS[(seed as usize + number) % WAYS.len()];
        let library = |ours_: bool| if ours_ { ours } else { reference };
        if scenario.dense && servers.contains(&false) {
            // Of dimensions of dense arrays the reference, as a server of its own queries too, tells wrong aggregates.
            let is_dimension = |place: usize| place < scenario.dimensions.len();
            question.aggregates.retain(|aggregate| aggregate.is_none_or(|(_, place)| !is_dimension(place)));
            if question.fields.is_empty() && question.aggregates.is_empty() {
                question.aggregates.push(None);
            }
        }
        match servers.contains(&false) || !by_us {
            // A step that the reference dies of tells nothing.
            true if !reference_takes(seed, number) => continue,
            true => {}
            false => phase(seed, "ours"),
        }
        let mut turn = servers.iter().cycle();
        let mut submit = |client: &Ctx<'_>, query: u64| {
            submit_at(client, query, library(*turn.next().unwrap()), scenario, uri, &question)
        };
        let mut answer = ask_by(library(by_us), scenario, uri, &question, &mut submit);
        if !by_us {
            // The reference does not say why a read on a server is incomplete.
            answer.parts.iter_mut().filter(|part| part.1 == 3).for_each(|part| part.2 = 1);
        }
        let case = Case { scenario, question: &question, twin: &Vec::new, fragments: 0 };
        let told = match answer.end {
            End::Complete => judge(&case, &answer, None).map(drop).or_else(|text| {
                // What the reference answers is known to differ here and there, with or without a message.
                let local = ask(ours, scenario, uri, &question);
                answer.estimates.clone_from(&local.estimates);
                let told = if servers.contains(&false) { judge(&case, &local, Some(&answer)) } else { Err(text) };
                told.map(|accepted| played.accepted.extend(accepted))
            }),
            _ => same_end(&answer, &[ours, reference], |library| ask(library, scenario, uri, &question)),
        };
        if let Err(text) = told {
            wrong.push(format!("{number} {by_us} {servers:?}: {text}; {question:?} ANSWER {answer:?}"));
        }
        played.queries += 1;
    }
    if wrong.is_empty() {
        Ok(played)
    } else {
        Err(format!("question {} OF {scenario:?}", wrong.join(" AND question ")))
    }
}

/// What does not come to an end must not do so either where no message is in between, with one of the libraries.
fn same_end(answer: &Answer, libraries: &[&Ctx<'_>], local: impl Fn(&Ctx<'_>) -> Answer) -> Result<(), String> {
    match &answer.end {
        End::Failed(failure) if KNOWN.iter().any(|known| failure.text.contains(known)) => Ok(()),
        _ if libraries.iter().any(|library| local(library).end != End::Complete) => Ok(()),
        end => Err(format!("{end:?}, and complete where it was made")),
    }
}

/// Has a query submitted by a server.
fn submit_at(
    client: &Ctx<'_>,
    query: u64,
    server: &Ctx<'_>,
    scenario: &Scenario,
    uri: &str,
    question: &Question,
) -> Result<(), Failure> {
    let request = server.buffer(&client.messages("serialize_query", &[query, CAPNP, 1])?);
    let (mut there, mut array) = (0u64, 0u64);
    let uri = text(uri);
    let made = [request.handle, CAPNP, 0, pointer(&uri), address(&mut there), address(&mut array)];
    server.call("deserialize_query_and_array", &made)?;
    let reply = run(server, there, scenario, question);
    server.free("query", there);
    let _ = server.call("array_close", &[array]);
    server.free("array", array);
    let reply = client.buffer(&reply?);
    client.call("deserialize_query", &[reply.handle, CAPNP, 1, query])
}

/// Gives a query the buffers that the message asked for, submits it, and writes the reply.
fn run(server: &Ctx<'_>, query: u64, scenario: &Scenario, question: &Question) -> Result<Vec<u8>, Failure> {
    let mut held: Vec<(Vec<u64>, Box<u64>)> = Vec::new();
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
            held.push((room, size));
        }
    }
    server.call("query_submit", &[query])?;
    server.messages("serialize_query", &[query, CAPNP, 0])
}
