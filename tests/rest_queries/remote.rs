//! Runs a seed: the same array in a folder and on a server, whose query results are compared.

use std::path::Path;

use support::conditions::run_seed as arrays;
use support::conditions::scenario::{Fragment, Scenario, Tree};
use support::queries::compare::{Case, judge};
use support::queries::execute::{Answer, End, Rows, ask};
use support::queries::random_query::{Field, RandomQuery, Room};
use support::random::Random;
use support::seeds::{Played, phase, reference_takes};
use support::servers::http::Server;
use support::servers::rest::Tables;
use support::{Api, Array, Cells, Column, Ctx, Failure};

/// Questions to each array.
const QUESTIONS: usize = 12;
const THREADS: [(&str, &str); 2] = [("sm.compute_concurrency_level", "2"), ("sm.io_concurrency_level", "2")];
const REMOTE: &str = "tiledb://ws/ts/q";
const GLOBAL: u64 = 2;

/// What is refused with a server in between, by either library.
const KNOWN: [&str; 3] = [
    "Aggregates are not currently supported in incomplete",
    "Cannot tell where the read stands",
    "its results are not divided into parts",
];

/// Who asks, and who serves; `true` is ours.
const WAYS: [(bool, bool); 4] = [(true, true), (true, false), (true, true), (false, true)];

pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let home = tempfile::tempdir().unwrap();
    let result = compare(ours, reference, seed, home.path());
    if std::env::var_os("KEEP").is_some() {
        println!("kept {}", home.keep().display());
    }
    result
}

fn serve(api: Api, root: &Path) -> Server {
    let tables = Tables::new(api, root);
    Server::start(move |_, request| Some(tables.answer(request)))
}

/// A context of a client of the server.
fn client<'a>(api: &'a Api, server: &Server, more: &[(&str, &str)]) -> Ctx<'a> {
    let mut config = THREADS.to_vec();
    config.extend_from_slice(&[("rest.server_address", server.address.as_str()), ("rest.token", "any")]);
    config.extend_from_slice(more);
    api.context(&config)
}

fn compare(ours: &Api, reference: &Api, seed: u64, home: &Path) -> Result<Played, String> {
    let local = home.join("local").display().to_string();
    let root = home.join("served");
    let server = serve(Api::ours(), &root);
    let theirs = serve(Api::open(&reference.path).unwrap(), &root);
    let scenario = &prepare(ours, &server, &local, &root, seed)?;
    let random = &mut Random::new(seed ^ 0xe357);
    let (mut played, mut wrong) = (Played::default(), Vec::new());
    for number in 0..QUESTIONS {
        let mut question = RandomQuery::random(random, scenario);
        let (by_us, at_ours) = WAYS[number % WAYS.len()];
        if !(by_us && at_ours) {
            question.config.clear();
            // Of the messages of such reads the reference dies, and of dimensions of dense arrays it tells wrong aggregates.
            question.aggregates.retain(|aggregate| {
                aggregate.is_none_or(|(_, place)| !scenario.dense || place >= scenario.dimensions.len())
            });
            if question.fields.is_empty() && question.aggregates.is_empty() {
                question.aggregates.push(None);
            }
            if !scenario.dense && matches!(question.layout, 0 | 1) && !question.aggregates.is_empty() {
                question.layout = 3;
            }
            if !reference_takes(seed, number) {
                continue;
            }
        } else {
            phase(seed, "ours");
        }
        let config: Vec<(&str, &str)> = question.config.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let (api, server) = (if by_us { ours } else { reference }, if at_ours { &server } else { &theirs });
        let answer = ask(&client(api, server, &config), scenario, REMOTE, &question);
        let here = ours.context(&[&THREADS[..], &config].concat());
        let expected = ask(&here, scenario, &local, &question);
        let judged = match (by_us, at_ours) {
            (true, true) => same(scenario, &question, &answer, &expected),
            _ => foreign(reference, scenario, &question, (&answer, &expected), &local)
                .map(|accepted| played.accepted.extend(accepted)),
        };
        if let Err(text) = judged {
            wrong.push(format!(
                "{number} {by_us} {at_ours}: {text}; {question:?} ANSWER {answer:?} WANTED {expected:?}"
            ));
        }
        played.queries += 1;
    }
    if wrong.is_empty() {
        Ok(played)
    } else {
        Err(format!("question {} OF {scenario:?}", wrong.join(" AND question ")))
    }
}

/// Both have the same cells in the same order where there is one, the same totals and estimates, and take as many submits.
fn same(scenario: &Scenario, question: &RandomQuery, answer: &Answer, expected: &Answer) -> Result<(), String> {
    match (&answer.end, &expected.end) {
        (End::Failed(a), _) if KNOWN.iter().any(|known| a.text.contains(known)) => return Ok(()),
        // What the server refuses is told in its words.
        (End::Failed(a), End::Failed(b)) if a.text.contains(&b.text) => return Ok(()),
        (a, b) if a == b => {}
        (a, b) => return Err(format!("ends: {a:?} {b:?}")),
    }
    let in_order = question.layout < 3 && !scenario.dups;
    let limited = !question.config.is_empty();
    match () {
        () if answer.rows != expected.rows && (in_order || sorted(&answer.rows) != sorted(&expected.rows)) => {
            Err(format!("rows: {} {}", answer.rows.len(), expected.rows.len()))
        }
        () if format!("{:?}", answer.totals) != format!("{:?}", expected.totals) => Err("totals".to_owned()),
        // Ranges that overlap are joined in a message: what lies in several is estimated once.
        () if ascend(question) && answer.estimates != expected.estimates => Err("estimates".to_owned()),
        () if !limited && answer.parts != expected.parts => Err("parts".to_owned()),
        () => Ok(()),
    }
}

/// What the reference asks or answers is what we answer here, or what it answers here itself.
fn foreign(
    reference: &Api,
    scenario: &Scenario,
    question: &RandomQuery,
    (answer, expected): (&Answer, &Answer),
    local: &str,
) -> Result<Vec<&'static support::accepted::Entry>, String> {
    let is_same = |other: &Answer| {
        let totals = format!("{:?}", answer.totals) == format!("{:?}", other.totals);
        totals && sorted(&answer.rows) == sorted(&other.rows) && answer.end == other.end
    };
    if is_same(expected) || question.condition.as_ref().is_some_and(has_blank) {
        return Ok(Vec::new());
    }
    if let End::Failed(failure) = &answer.end {
        let is_known = expected.end != End::Complete || KNOWN.iter().any(|known| failure.text.contains(known));
        if is_known || failure.text.contains("Value node condition value size mismatch") {
            return Ok(Vec::new());
        }
    }
    let theirs = ask(&reference.context(&THREADS), scenario, local, question);
    if is_same(&theirs) || theirs.end != End::Complete {
        return Ok(Vec::new());
    }
    let case = Case { scenario, question, twin: &Vec::new, fragments: 0 };
    let answer = Answer { estimates: expected.estimates.clone(), ..answer.clone() };
    judge(&case, expected, Some(&answer))
}

/// Whether a condition has a null or an empty value: the messages of libtiledb do not tell them apart.
fn has_blank(tree: &Tree) -> bool {
    match tree {
        Tree::Not(inner) => has_blank(inner),
        Tree::Both(left, right, _) => has_blank(left) || has_blank(right),
        Tree::Leaf { value, members, .. } => members.is_empty() && value.as_ref().is_none_or(Vec::is_empty),
    }
}

/// Every range of a dimension begins behind the end of the one before.
fn ascend(question: &RandomQuery) -> bool {
    question.ranges.iter().all(|ranges| ranges.windows(2).all(|pair| pair[0].1 < pair[1].0))
}

fn sorted(rows: &Rows) -> Rows {
    let mut rows = rows.clone();
    rows.sort();
    rows
}

/// Makes the array at both places; the scenario without deletions that were refused.
fn prepare(ours: &Api, server: &Server, local: &str, root: &Path, seed: u64) -> Result<Scenario, String> {
    phase(seed, "ours");
    let (here, there) = (ours.context(&THREADS), client(ours, server, &[]));
    let mut scenario = Scenario::wide(seed);
    let random = &mut Random::new(seed ^ 0x3e5);
    let both = |act: &dyn Fn(&Ctx<'_>, &str) -> Result<(), Failure>| -> Result<(), Failure> {
        act(&here, local)?;
        act(&there, REMOTE)
    };
    let mut make = || -> Result<(), Failure> {
        both(&|ctx, uri| arrays::create(ctx, &scenario, uri))?;
        // Later schemas are younger than both first ones.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
        for (number, fragment) in scenario.fragments.iter().enumerate() {
            if number > 0 {
                both(&|ctx, uri| arrays::evolve(ctx, &scenario, uri, number, now + number as u64))?;
            }
            arrays::write(&here, &scenario, local, fragment)?;
            if scenario.steps.is_empty() && random.one_in(2) {
                hand_over(&here, &there, &scenario, local, fragment, random)?;
            } else {
                arrays::write(&there, &scenario, REMOTE, fragment)?;
            }
        }
        let count = scenario.fragments.len();
        both(&|ctx, uri| arrays::evolve(ctx, &scenario, uri, count, now + count as u64))
    };
    make().map_err(|failure| format!("{failure:?} OF {scenario:?}"))?;
    let mut refused = None;
    scenario.deletes.retain(|(time, tree, _)| {
        // A condition that does not fit the array is refused, at both places.
        let done = [(&here, local), (&there, REMOTE)].map(|(ctx, uri)| arrays::delete(ctx, uri, *time, tree).is_ok());
        if done[0] != done[1] {
            refused = Some(format!("{tree:?} {done:?}"));
        }
        done[0]
    });
    if let Some(refused) = refused {
        return Err(format!("deletion {refused} OF {scenario:?}"));
    }
    if scenario.consolidate && scenario.fragments.len() > 1 && !(scenario.dense && scenario.beyond.is_some()) {
        scenario.merged = arrays::consolidate(ours, local);
        arrays::consolidate(ours, root.join("ws/ts/q").to_str().unwrap());
    }
    Ok(scenario)
}

/// Room for all cells of a fragment.
fn room(field: &Field) -> Room {
    Room { data: 4000 * field.kind.size * field.kind.values.unwrap_or(5), offsets: 4000, validity: 4000 }
}

/// Reads what a fragment holds in some order, and writes it to the server in this order: in global order in pieces.
fn hand_over(
    here: &Ctx<'_>,
    there: &Ctx<'_>,
    scenario: &Scenario,
    local: &str,
    fragment: &Fragment,
    random: &mut Random,
) -> Result<(), Failure> {
    let layout = if scenario.dense { random.next() % 2 } else { GLOBAL };
    let dimensions = if scenario.dense { scenario.dimensions.len() } else { 0 };
    let fields: Vec<usize> = (dimensions..scenario.dimensions.len() + scenario.attributes.len()).collect();
    let question = RandomQuery {
        layout,
        window: (Some(fragment.time), Some(fragment.time)),
        before: None,
        rooms: fields.iter().map(|&place| room(&Field::of(scenario, place))).collect(),
        fields,
        ranges: fragment.region.iter().map(|range| vec![*range]).collect(),
        condition: None,
        tight: false,
        config: Vec::new(),
        aggregates: Vec::new(),
    };
    let rows = match ask(here, scenario, local, &question) {
        Answer { rows, end: End::Complete, .. } => rows,
        Answer { end, .. } => panic!("{end:?}"),
    };
    let array = Array::open(there, REMOTE, 1, None, Some(fragment.time))?;
    let query = there.get("query_alloc", &[array.handle, 1])?;
    there.call("query_set_layout", &[query, layout])?;
    if scenario.dense {
        arrays::set_ranges(there, scenario, &array, query, question.ranges.iter().cloned())?;
    }
    let mut left = &rows[..];
    loop {
        let most = if scenario.dense { left.len() } else { left.len().min(random.between(1, 15) as usize) };
        let (now, then) = left.split_at(most);
        let column = |(number, &place): (usize, &usize)| {
            let field = Field::of(scenario, place);
            let starts = now.iter().scan(0, |at, row| Some(std::mem::replace(at, *at + row[number].0.len() as u64)));
            let offsets = field.kind.values.is_none().then(|| starts.collect());
            let validity = field.nullable.then(|| now.iter().map(|row| row[number].1.unwrap()).collect());
            let data = now.iter().flat_map(|row| row[number].0.clone()).collect();
            Column::filled(&field.name, Cells { data, offsets, validity })
        };
        let mut columns: Vec<Column> = question.fields.iter().enumerate().map(column).collect();
        columns.iter_mut().try_for_each(|column| column.bind(there, query))?;
        left = then;
        let last = left.is_empty();
        match (scenario.dense, last) {
            (false, true) => there.call("query_submit_and_finalize", &[query])?,
            (false, false) => there.call("query_submit", &[query])?,
            (true, _) => there.call("query_submit", &[query]).and_then(|()| there.call("query_finalize", &[query]))?,
        }
        if last {
            there.free("query", query);
            return Ok(());
        }
    }
}
