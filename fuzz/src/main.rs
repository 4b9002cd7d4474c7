//! One program for all targets: `FUZZ_TARGET` names the one to run. `tools/fuzz.sh` drives it.
#![no_main]

mod imports;
mod targets;

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let all = || targets::TARGETS.iter().chain(&imports::TARGETS);
    match all().find(|target| target.0 == name) {
        Some(target) => target.1,
        None => panic!("FUZZ_TARGET={name} is none of {:?}", all().map(|target| target.0).collect::<Vec<_>>()),
    }
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
