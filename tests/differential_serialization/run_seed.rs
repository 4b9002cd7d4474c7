//! Runs one seed.

use std::path::Path;

use crate::compare::Judge;
use crate::labeled_arrays::Shaped;
use crate::writes::Writes;
use crate::{fixtures, golden, objects};
use support::random::Random;
use support::round_trip::execute;
use support::round_trip::scenario::Scenario;
use support::seeds::{Played, phase};
use support::{Api, Ctx, Failure, folders, pointer, text};

/// Serializes all that a seed makes with both libraries.
pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let mut folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    folder.disable_cleanup(std::env::var_os("KEEP").is_some());
    let mut random = Random::new(seed);
    let scenario = Scenario::random(seed);
    let place = |name: &str| format!("file://{}", Path::join(folder.path(), name).display());
    let (array, group) = (place("array"), place("group"));
    let (who, api) = if random.one_in(2) { ("ours", ours) } else { ("reference", reference) };
    phase(seed, who);
    if fixtures::make(api, &array, &group, &scenario, &mut random).is_err() {
        return Ok(Played::default());
    }
    let writes = Writes { seed, ours, reference, folder: folder.path() };
    let written = writes.play(&scenario, &mut Random::new(seed ^ 0x33))?;
    let config = config(&scenario, &mut random);
    let (ours, reference) = (ours.context(&config), reference.context(&config));
    let mut judge = Judge { seed, ours: &ours, reference: &reference, compared: 0 };
    play_array(&mut judge, &array, &mut random)?;
    play_parts(&mut judge, &array, &scenario, &mut random)?;
    play_answers(&mut judge, &array)?;
    play_group(&mut judge, &group)?;
    play_shaped(&mut judge, &place("shaped"), who == "ours", &mut random)?;
    for array in golden::unpack(seed, &folder.path().join("golden"), &mut random) {
        let uri = array.to_str().unwrap();
        play_array(&mut judge, uri, &mut random).map_err(|text| format!("{uri}: {text}"))?;
    }
    Ok(Played { queries: judge.compared + written.queries, accepted: written.accepted })
}

/// What a server is asked to load with an array.
fn config(scenario: &Scenario, random: &mut Random) -> Vec<(&'static str, &'static str)> {
    const FLAGS: [&str; 5] = [
        "rest.load_enumerations_on_array_open",
        "rest.load_enumerations_on_array_open_all_schemas",
        "rest.load_metadata_on_array_open",
        "rest.load_non_empty_domain_on_array_open",
        "rest.use_refactored_array_open_and_query_submit",
    ];
    let threads = [("sm.compute_concurrency_level", "2"), ("sm.io_concurrency_level", "2")];
    let mut config: Vec<_> = threads.to_vec();
    if scenario.encrypted {
        config.extend([("sm.encryption_type", "AES_256_GCM"), ("sm.encryption_key", execute::KEY)]);
    }
    for name in FLAGS {
        if random.one_in(2) {
            config.push((name, *random.pick(&["true", "false"])));
        }
    }
    config
}

fn play_array(judge: &mut Judge<'_>, uri: &str, random: &mut Random) -> Result<(), String> {
    for side in [0, 1] {
        let write = |ctx: &Ctx<'_>, form: u64| objects::schema(ctx, uri, form, side);
        judge.exchanged("schema", &write, &|ctx, form, bytes| objects::schema_again(ctx, form, bytes, side))?;
        let window = match random.next() % 3 {
            0 => (None, Some(25)),
            1 => (Some(15), Some(30)),
            _ => (None, Some(1000)),
        };
        let write = |ctx: &Ctx<'_>, form: u64| objects::array(ctx, uri, window, 0, form, side);
        judge.exchanged("array", &write, &|ctx, form, bytes| objects::array_again(ctx, uri, form, bytes, side))?;
        let write = |ctx: &Ctx<'_>, form: u64| objects::array(ctx, uri, (None, Some(50)), 1, form, side);
        judge.exchanged("array to write", &write, &|ctx, form, bytes| {
            objects::array_again(ctx, uri, form, bytes, side)
        })?;
        let write = |ctx: &Ctx<'_>, form: u64| objects::fragment_info(ctx, uri, form, side);
        let again = |ctx: &Ctx<'_>, form: u64, bytes: &[u8]| objects::fragment_info_again(ctx, uri, form, bytes, side);
        judge.exchanged("fragment info", &write, &again)?;
    }
    Ok(())
}

/// An array with labels or a current domain, which is expanded.
fn play_shaped(judge: &mut Judge<'_>, uri: &str, by_us: bool, random: &mut Random) -> Result<(), String> {
    let shaped = Shaped::random(random);
    let maker = if by_us { judge.ours } else { judge.reference };
    shaped.create(maker, uri).map_err(|failure| format!("{failure:?}"))?;
    play_array(judge, uri, random)?;
    if !shaped.is_expanded() {
        return Ok(());
    }
    let write = |ctx: &Ctx<'_>, form: u64| {
        let made = shaped.expansion(ctx);
        objects::with(ctx, "array_schema_evolution", made, |evolution| {
            ctx.message("serialize_array_schema_evolution", &[evolution, form, 1])
        })
    };
    judge.written("expansion", &write)?;
    // The reference cannot serialize an expansion that it read: what is compared is the schema that it makes.
    let (sender, form) = (if by_us { judge.reference } else { judge.ours }, random.next() % 2);
    let evolved = write(sender, form).and_then(|message| {
        let buffer = maker.buffer(&message);
        let made = maker.get("deserialize_array_schema_evolution", &[buffer.handle, form, 0]);
        objects::with(maker, "array_schema_evolution", made, |evolution| {
            maker.call("array_evolve", &[pointer(&text(uri)), evolution])
        })
    });
    evolved.map_err(|failure| format!("{failure:?}"))?;
    play_array(judge, uri, random)
}

fn play_parts(judge: &mut Judge<'_>, uri: &str, scenario: &Scenario, random: &mut Random) -> Result<(), String> {
    let function = "serialize_array_metadata";
    let write = |ctx: &Ctx<'_>, form: u64| objects::of_array(ctx, uri, 1000, function, &[form]);
    judge.exchanged("metadata", &write, &|ctx, form, bytes| objects::metadata_again(ctx, uri, form, bytes))?;
    let function = "serialize_array_non_empty_domain_all_dimensions";
    let write = |ctx: &Ctx<'_>, form: u64| objects::of_array(ctx, uri, 1000, function, &[form, 0]);
    judge.exchanged("domain", &write, &|ctx, form, bytes| objects::domain_again(ctx, uri, form, bytes))?;
    let seed = random.next();
    let write = |ctx: &Ctx<'_>, form: u64| {
        let made = fixtures::evolution(ctx, &mut Random::new(seed), scenario, seed % 3);
        objects::with(ctx, "array_schema_evolution", made, |evolution| {
            ctx.message("serialize_array_schema_evolution", &[evolution, form, 1])
        })
    };
    judge.exchanged("evolution", &write, &|ctx, form, bytes| objects::evolution_again(ctx, form, bytes))?;
    let write = |ctx: &Ctx<'_>, form: u64| -> Result<Vec<u8>, Failure> {
        let made = ctx.get("ctx_get_config", &[]);
        objects::with(ctx, "config", made, |config| ctx.message("serialize_config", &[config, form, 1]))
    };
    judge.exchanged("config", &write, &|ctx, form, bytes| objects::config_again(ctx, form, bytes))
}

fn play_answers(judge: &mut Judge<'_>, uri: &str) -> Result<(), String> {
    const REQUESTS: [(&str, &str); 4] = [
        (
            "handle_load_array_schema_request",
            r#"{"config":{"entries":[{"key":"rest.load_enumerations_on_array_open","value":"true"}]}}"#,
        ),
        ("handle_load_array_schema_request", r#"{"includeEnumerations":false}"#),
        ("handle_load_enumerations_request", r#"{"enumerations":[]}"#),
        ("handle_consolidation_plan_request", r#"{"fragmentSize":"100000"}"#),
    ];
    for (function, request) in REQUESTS {
        // The answer has the form of the request.
        judge.written(function, &|ctx, form| objects::answered(ctx, uri, function, form, request.as_bytes()))?;
    }
    Ok(())
}

fn play_group(judge: &mut Judge<'_>, uri: &str) -> Result<(), String> {
    let write =
        |ctx: &Ctx<'_>, form: u64| objects::group(ctx, uri, |group| ctx.message("serialize_group", &[group, form, 1]));
    let again = |ctx: &Ctx<'_>, form: u64, bytes: &[u8]| {
        let buffer = ctx.buffer(bytes);
        objects::group(ctx, uri, |group| {
            ctx.call("deserialize_group", &[buffer.handle, form, 1, group])?;
            ctx.message("serialize_group", &[group, 0, 1])
        })
    };
    judge.exchanged("group", &write, &again)?;
    let write = |ctx: &Ctx<'_>, form: u64| {
        objects::group(ctx, uri, |group| ctx.message("serialize_group_metadata", &[group, form]))
    };
    judge.written("metadata of a group", &write).map(drop)
}
