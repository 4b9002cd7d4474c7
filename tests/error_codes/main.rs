//! Error codes and messages for invalid use: the cases of `capi-tests/abi/errors.txt`, recorded with libtiledb, are
//! executed through the C interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]
#![allow(unsafe_code, reason = "calls by address")]

mod script;

use script::{Player, script};
use support::misuse::caller::Library;

#[test]
fn every_mistake_has_the_code_and_text_of_the_reference() {
    let library = Library::open(&support::library::ours());
    let situations = script();
    assert!(situations.len() > 250, "the table is there");
    let mut faults = Vec::new();
    for situation in &situations {
        let directory = tempfile::tempdir().expect("a directory");
        std::env::set_current_dir(directory.path()).unwrap();
        let mut player = Player::new(&library, directory.path());
        if let Err(fault) = situation.lines.iter().try_for_each(|line| player.play(line)) {
            faults.push(format!("{}: {fault}", situation.name));
        }
    }
    assert!(faults.is_empty(), "{} of {} situations:\n{}", faults.len(), situations.len(), faults.join("\n"));
}
