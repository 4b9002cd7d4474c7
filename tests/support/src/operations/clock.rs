//! Simulated clocks of maintainers: a file has the difference to the clocks of the system, and `clock.c`, which is loaded before a
//! process, adds it. Leases expire without waiting, and however slow the machine is, none expires by itself.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::library::root;

/// The variable that names the file.
const SHIFT: &str = "CLOCK_SHIFT";

/// The lease of maintainers with a simulated clock, in milliseconds: much longer than one works.
pub const LEASE: u64 = 600_000;

/// Clocks that pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// As for a process that is stopped.
    All,
    /// As for a virtual machine that is paused: the monotonic clock stops.
    RealTime,
}

/// The clocks of some processes.
pub struct Clock {
    shim: PathBuf,
    file: PathBuf,
}

impl Clock {
    /// Compiles the shim into a folder.
    pub fn compile(folder: &Path) -> PathBuf {
        let shim = folder.join("clock.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]).arg(&shim);
        let compiled = compiler.arg(root().join("tests/support/src/operations/clock.c")).output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        shim
    }

    /// The clocks in a file, which are those of the system at first.
    pub fn new(shim: &Path, file: PathBuf) -> Clock {
        std::fs::write(&file, [0; 16]).unwrap();
        Clock { shim: shim.to_owned(), file }
    }

    /// Runs a program by these clocks.
    pub fn set(&self, program: &mut Command) {
        program.env("LD_PRELOAD", &self.shim).env(SHIFT, &self.file);
    }

    /// Lets time pass.
    pub fn advance(&self, time: Duration, clocks: Clocks) {
        advance(&self.file, time, clocks);
    }
}

fn advance(path: &Path, time: Duration, clocks: Clocks) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let add = |file: &File, place: u64| {
        let mut bytes = [0; 8];
        file.read_exact_at(&mut bytes, place).unwrap();
        let shift = i64::from_le_bytes(bytes) + time.as_nanos() as i64;
        file.write_all_at(&shift.to_le_bytes(), place).unwrap();
    };
    add(&file, 0);
    if clocks == Clocks::All {
        add(&file, 8);
    }
}

/// In a process with a simulated clock: lets time pass. False in others.
pub fn wait(time: Duration) -> bool {
    let file = std::env::var_os(SHIFT);
    if let Some(file) = &file {
        advance(Path::new(file), time, Clocks::All);
    }
    file.is_some()
}

/// True in a process with a simulated clock.
pub fn is_simulated() -> bool {
    std::env::var_os(SHIFT).is_some()
}
