//! Selects a mutant at run time. `tools/mutants` adds this module to the copy of `tiledb-core` that it tests.

use std::io::Write;
use std::sync::LazyLock;
use std::sync::Mutex;

static SELECTED: LazyLock<u32> =
    LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0));

/// Those that were reached, if a file for them is named.
static REACHED: LazyLock<Option<Mutex<(std::fs::File, Vec<bool>)>>> = LazyLock::new(|| {
    let path = std::env::var_os("MUTANTS_REACHED")?;
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path).ok()?;
    Some(Mutex::new((file, Vec::new())))
});

/// Whether a mutant is selected.
pub fn is(number: u32) -> bool {
    if let Some(reached) = &*REACHED {
        let mut reached = reached.lock().unwrap_or_else(|error| error.into_inner());
        let (file, numbers) = &mut *reached;
        let at = number as usize;
        if numbers.len() <= at {
            numbers.resize(at + 1, false);
        }
        if !std::mem::replace(&mut numbers[at], true) {
            _ = file.write_all(format!("{number}\n").as_bytes());
        }
    }
    *SELECTED == number
}

/// `a < b`, or `a <= b`.
pub fn lt<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a <= b } else { a < b }
}

/// `a <= b`, or `a < b`.
pub fn le<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a < b } else { a <= b }
}

/// `a > b`, or `a >= b`.
pub fn gt<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a >= b } else { a > b }
}

/// `a >= b`, or `a > b`.
pub fn ge<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a > b } else { a >= b }
}
