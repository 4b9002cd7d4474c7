//! One program for all targets: `FUZZ_TARGET` names the one to run. `tools/fuzz.sh` drives it.
#![no_main]

mod targets;

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    match targets::TARGETS.iter().find(|target| target.0 == name) {
        Some(target) => target.1,
        None => panic!("FUZZ_TARGET={name} is none of {:?}", targets::TARGETS.map(|target| target.0)),
    }
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
