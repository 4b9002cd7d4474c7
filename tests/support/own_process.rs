//! Tests in processes of their own, for targets with the usual test harness: the reference damages the memory of its process now
//! and then, and must not end the other tests.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use super::library_process::HARNESS;

/// Runs an ignored test of this program in a process of its own, and again if a signal ends the process.
pub fn run(test: &str, variables: &[(&str, &str)]) {
    let run = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(HARNESS).arg(test).envs(variables.iter().copied()).output().unwrap()
    };
    let mut output = run();
    if output.status.signal().is_some() {
        output = run();
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let is_run = text.contains("test result: ok. 1 passed");
    assert!(output.status.success() && is_run, "{}: {text}{}", output.status, String::from_utf8_lossy(&output.stderr));
}

/// Runs a test with the name `test` that uses both libraries in a process of its own. It is not repeated: if the process dies, either
/// library may have damaged its memory.
pub fn isolated(test: &str, body: impl FnOnce()) {
    const NAME: &str = "ISOLATED_TEST";
    if std::env::var(NAME).is_ok_and(|name| name == test) {
        return body();
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(&HARNESS[1..]).arg(test).env(NAME, test).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let is_run = text.contains("test result: ok. 1 passed");
    assert!(output.status.success() && is_run, "{}: {text}{}", output.status, String::from_utf8_lossy(&output.stderr));
}
