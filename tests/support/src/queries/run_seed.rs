//! Runs a seed: both libraries write, delete and evolve the schema, and their query results are compared.

use crate::conditions::run_seed as arrays;
use crate::conditions::scenario::Scenario;
use crate::queries::compare::{Case, judge};
use crate::queries::execute::ask;
use crate::queries::random_query::RandomQuery;
use crate::random::Random;
use crate::seeds::{self, Played, phase};
use crate::{Api, Ctx, Failure, folders};

/// Questions to each array.
const QUESTIONS: usize = 12;

pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let scenario = Scenario::wide(seed);
    let folder = folders::temporary().join(format!("queries-{}-{seed}", std::process::id()));
    let uri = folder.to_str().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let result = compare(ours, reference, &scenario, seed, uri);
    if std::env::var_os("KEEP").is_none() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    result
}

pub const THREADS: [(&str, &str); 2] = [("sm.compute_concurrency_level", "2"), ("sm.io_concurrency_level", "2")];

fn compare(ours: &Api, reference: &Api, scenario: &Scenario, seed: u64, uri: &str) -> Result<Played, String> {
    let mut config = THREADS.to_vec();
    if seed % 3 == 1 {
        // A write of ours may make several fragments.
        config.push(("sm.fragment.max_size", "300"));
    }
    let (our_ctx, ref_ctx) = (ours.context(&config), reference.context(&THREADS));
    let made = prepare(&our_ctx, &ref_ctx, scenario, seed, uri);
    let scenario = &made.map_err(|failure| format!("{failure:?} {scenario:?}"))?;
    let random = &mut Random::new(seed ^ 0x9e57);
    let (mut played, mut wrong) = (Played::default(), Vec::new());
    for number in 0..QUESTIONS {
        let question = RandomQuery::random(random, scenario);
        let mut config = THREADS.to_vec();
        config.extend(question.config.iter().map(|(name, value)| (*name, value.as_str())));
        let contexts = [ours.context(&config), reference.context(&config)];
        // Of what the reference dies of, only the cells tell what is right.
        let takes = seeds::reference_takes(seed, number);
        let theirs = takes.then(|| ask(&contexts[1], scenario, uri, &question));
        phase(seed, "ours");
        let answer = ask(&contexts[0], scenario, uri, &question);
        let twin = || {
            phase(seed, "reference");
            let scenario = Scenario { beyond: None, ..scenario.clone() };
            let uri = format!("{uri}-twin");
            let _ = std::fs::remove_dir_all(&uri);
            let made = prepare(&our_ctx, &ref_ctx, &scenario, seed, &uri);
            let answer = made.map(|scenario| ask(&ref_ctx, &scenario, &uri, &question));
            let _ = std::fs::remove_dir_all(&uri);
            answer.map(|answer| answer.estimates).unwrap_or_default()
        };
        let fragments = std::fs::read_dir(format!("{uri}/__fragments")).map_or(0, Iterator::count);
        let case = Case { scenario, question: &question, twin: &twin, fragments };
        match judge(&case, &answer, theirs.as_ref()) {
            Ok(accepted) => played.accepted.extend(accepted),
            Err(text) => wrong.push(format!("{number}: {text}; {question:?} OURS {answer:?} THEIRS {theirs:?}")),
        }
        played.queries += 1;
    }
    if wrong.is_empty() {
        Ok(played)
    } else {
        Err(format!("question {} OF {scenario:?}", wrong.join(" AND question ")))
    }
}

/// Makes the array; the scenario without deletions that were refused.
pub fn prepare(
    ours: &Ctx<'_>,
    reference: &Ctx<'_>,
    scenario: &Scenario,
    seed: u64,
    uri: &str,
) -> Result<Scenario, Failure> {
    phase(seed, "reference");
    arrays::create(reference, scenario, uri)?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    for (number, fragment) in scenario.fragments.iter().enumerate() {
        let (who, ctx) = if fragment.by_us { ("ours", ours) } else { ("reference", reference) };
        phase(seed, who);
        if number > 0 {
            arrays::evolve(ctx, scenario, uri, number, now + number as u64)?;
        }
        arrays::write(ctx, scenario, uri, fragment)?;
    }
    arrays::evolve(reference, scenario, uri, scenario.fragments.len(), now + scenario.fragments.len() as u64)?;
    let mut made = scenario.clone();
    made.deletes.retain(|(time, tree, by_us)| {
        phase(seed, if *by_us { "ours" } else { "reference" });
        // A condition that does not fit the array is refused.
        arrays::delete(if *by_us { ours } else { reference }, uri, *time, tree).is_ok()
    });
    // Of dense arrays with a current domain the reference writes fragments anew that nobody can read.
    made.consolidate &= scenario.fragments.len() > 1 && !(scenario.dense && scenario.beyond.is_some());
    if made.consolidate {
        // Where fragments lack attributes it takes older values of dense arrays than it reads before, and cells from
        // sparse ones that no deletion is about, as it does where these are null.
        let by_us = seed % 2 == 1 || !scenario.steps.is_empty();
        let (who, api) = if by_us { ("ours", ours.api) } else { ("reference", reference.api) };
        phase(seed, who);
        made.merged = arrays::consolidate(api, uri);
    }
    Ok(made)
}
