//! Histories of several processes that work on an array at the same time, and are suspended, killed and misled meanwhile.

mod actors;
mod interleaving;
mod merges;
mod plan;
pub mod reference;
mod regressions;
mod run;
mod site;
mod state;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use plan::Plan;
use reference::Reference;
use run::{Totals, run};

use super::seeds::Seeds;

/// libtiledb reads the files of one history in so many.
const COMPARED: u64 = 10;

/// Seeds of every run.
const SEEDS: std::ops::Range<u64> = 0..500;

/// The shortest plan that fails and is reached by leaving things out one by one, within a time.
fn shrunk(mut plan: Plan, limit: Duration, reference: Option<&Reference>) -> Plan {
    let begun = Instant::now();
    loop {
        let smaller = plan
            .smaller()
            .into_iter()
            .find(|plan| begun.elapsed() < limit && run(plan, false, reference).failure.is_some());
        match smaller {
            Some(smaller) => plan = smaller,
            None => return plan,
        }
    }
}

/// The report of a failing history.
fn report(seed: u64, text: &str, shrinks: bool, reference: Option<&Reference>) -> String {
    if !shrinks {
        return format!("seed {seed}: {text}");
    }
    let plan = shrunk(Plan::draw(seed), Duration::from_secs(30), reference);
    let outcome = run(&plan, true, reference);
    let mut lines = vec![format!("seed {seed}: {}", outcome.failure.as_deref().unwrap_or(text))];
    lines.push(format!("  {:?}, {:?}, {:?}", plan.medium, plan.shape, plan.limits));
    for (at, actor) in plan.actors.iter().enumerate() {
        lines.push(format!("  actor {at}, clock {:+} ms", actor.skew));
        for planned in &actor.operations {
            lines.push(format!("    {at}.{} {:?} {:?}", planned.number, planned.operation, planned.faults));
        }
    }
    if std::env::var_os("CALLS").is_some() {
        lines.extend(outcome.calls.iter().map(|call| format!("  {call}")));
    }
    lines.join("\n")
}

#[test]
fn histories_of_concurrent_processes_lose_nothing_and_show_nothing_else() {
    std::panic::set_hook(Box::new(|_| ()));
    let seeds = Seeds::requested(SEEDS);
    let (failed, totals) = (Mutex::new(Vec::new()), Mutex::new(Totals::default()));
    let reference = Reference::start();
    let work = || {
        while let Some(seed) = seeds.next() {
            let reference = reference.as_ref().filter(|_| seed.is_multiple_of(COMPARED));
            let outcome = run(&Plan::draw(seed), false, reference);
            totals.lock().unwrap().add(&outcome.totals);
            if let Some(text) = outcome.failure {
                let shrinks = seeds.shrinks() && failed.lock().unwrap().len() < 4;
                seeds.fail(seed);
                let text = report(seed, &text, shrinks, reference);
                failed.lock().unwrap().push(text);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..seeds.threads() {
            scope.spawn(work);
        }
    });
    _ = std::panic::take_hook();
    let (failed, totals) = (failed.into_inner().unwrap(), totals.into_inner().unwrap());
    println!("{} histories, {:?}, {totals:#?}", seeds.taken(), seeds.elapsed());
    println!("figures: histories={} {totals} failing={}", seeds.taken(), failed.len());
    assert!(failed.is_empty(), "{} histories failed\n{}", failed.len(), failed[..failed.len().min(40)].join("\n"));
}

#[test]
fn a_seed_determines_the_history() {
    for seed in 0..20 {
        let [a, b] = [(); 2].map(|()| run(&Plan::draw(seed), false, None).totals.digest);
        assert_eq!(a, b, "seed {seed}");
    }
}
