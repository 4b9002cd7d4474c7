//! The model of libtiledb's consolidation, checked with consolidations by libtiledb and by this library.

use serde_json::Value;

use crate::reference_consolidation::ReferenceSteps;
use crate::{plain, process_of_reference};
use support::lifecycle::actions::Actions;
use support::lifecycle::model::Cell;
use support::lifecycle::reader;
use support::random::Random;
use support::{Api, library_process, pointer, text};

/// Visible fragments, by time: first and last time, and size.
fn fragments(actions: &Actions<'_>, uri: &str) -> Vec<(u64, u64, u64)> {
    let (ctx, uri) = (actions.context(&[]), text(uri));
    let info = ctx.get("fragment_info_alloc", &[pointer(&uri)]).unwrap();
    ctx.call("fragment_info_load", &[info]).unwrap();
    let count = ctx.get("fragment_info_get_fragment_num", &[info]).unwrap() & 0xffff_ffff;
    let fragment = |number: u64| {
        let mut times = [0u64; 2];
        let outputs = times.each_mut().map(|time| std::ptr::from_mut(time) as u64);
        ctx.call("fragment_info_get_timestamp_range", &[info, number, outputs[0], outputs[1]]).unwrap();
        (times[0], times[1], ctx.get("fragment_info_get_fragment_size", &[info, number]).unwrap())
    };
    let mut fragments: Vec<(u64, u64, u64)> = (0..count).map(fragment).collect();
    ctx.free("fragment_info", info);
    fragments.sort_unstable();
    fragments
}

/// Appends fragments of random sizes, and consolidates after every few.
fn play(actions: &Actions<'_>, random: &mut Random) {
    let (folder, shape) = (tempfile::tempdir().unwrap(), plain(true));
    let array = folder.path().join("array");
    let uri = array.to_str().unwrap();
    actions.create(uri, &shape).unwrap();
    let settings = match random.between(0, 3) {
        0 => ReferenceSteps { steps: 1, ..ReferenceSteps::DEFAULT },
        _ => {
            let min_fragments = random.between(2, 4) as u32;
            let max_fragments = min_fragments + random.between(0, 4) as u32;
            // Sizes of such small fragments are similar.
            let size_ratio = *random.pick(&[0.0, 0.5, 0.7, 0.9]);
            ReferenceSteps { steps: 1, min_fragments, max_fragments, size_ratio }
        }
    };
    let [min, max, ratio] =
        [settings.min_fragments.to_string(), settings.max_fragments.to_string(), settings.size_ratio.to_string()];
    let config = [
        ("sm.consolidation.steps", "1"),
        ("sm.consolidation.step_min_frags", &min),
        ("sm.consolidation.step_max_frags", &max),
        ("sm.consolidation.step_size_ratio", &ratio),
    ];
    for time in 1..=14 {
        let count = *random.pick(&[1, 3, 20, 90]);
        let cell = |x: i32| Cell { coords: vec![x], time, value: x * 7919 % 1000, has: Vec::new() };
        actions.write(uri, &shape, time, &(0..count).map(cell).collect::<Vec<_>>(), &[]).unwrap();
        if random.one_in(3) {
            let mut before = fragments(actions, uri);
            let sizes: Vec<u64> = before.iter().map(|fragment| fragment.2).collect();
            let chosen = settings.choose(&sizes);
            actions.consolidate(uri, &config).unwrap();
            let after = fragments(actions, uri);
            if let Some(chosen) = chosen.clone() {
                let times = (before[chosen.start].0, before[chosen.end - 1].1, 0);
                before.splice(chosen, [times]);
            }
            let times = |fragments: &[(u64, u64, u64)]| fragments.iter().map(|f| (f.0, f.1)).collect::<Vec<_>>();
            assert_eq!(times(&before), times(&after), "{settings:?} of {sizes:?}: {chosen:?}");
        }
    }
}

fn play_all(api: &Api) {
    let actions = Actions { api, who: "", encrypted: false };
    (0..20).for_each(|seed| play(&actions, &mut Random::new(seed)));
}

#[test]
fn the_model_of_consolidation_selects_what_libtiledb_selects() {
    play_all(&Api::ours());
    if let Some(mut reference) = process_of_reference("reference::the_model_selects_what_libtiledb_selects") {
        reference.read(&Value::Null).unwrap();
    }
}

#[test]
#[ignore = "run by another test in a process of its own"]
fn the_model_selects_what_libtiledb_selects() {
    library_process::serve(|api, _| {
        play_all(api);
        Value::Null
    });
}

#[test]
#[ignore = "run by other tests in a process of its own"]
fn reads_by_libtiledb() {
    reader::serve();
}
