//! Selects a mutant at run time. `tools/mutants` adds this module to the copy of `tiledb-core` that it tests.

use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// More than there are mutants.
const MAX_MUTANTS: usize = 1 << 15;

struct Switch {
    selected: u32,
    /// The file of those that were reached, if it is named.
    reached: Option<std::fs::File>,
}

static SWITCH: LazyLock<Switch> = LazyLock::new(|| {
    let selected = std::env::var("MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0);
    let path = std::env::var_os("MUTANTS_REACHED");
    let reached = path.and_then(|path| std::fs::OpenOptions::new().create(true).append(true).open(path).ok());
    Switch { selected, reached }
});

/// Those that were reached. Without a lock: mutants are in the innermost loops, and in processes that were forked.
static REACHED: [AtomicBool; MAX_MUTANTS] = [const { AtomicBool::new(false) }; MAX_MUTANTS];

#[cold]
fn note(mut file: &std::fs::File, number: u32) {
    if REACHED.get(number as usize).is_some_and(|reached| !reached.swap(true, Ordering::Relaxed)) {
        _ = file.write_all(format!("{number}\n").as_bytes());
    }
}

/// Whether a mutant is selected.
#[inline]
pub fn is(number: u32) -> bool {
    let switch = &*SWITCH;
    if let Some(file) = &switch.reached
        && !REACHED.get(number as usize).is_some_and(|reached| reached.load(Ordering::Relaxed))
    {
        note(file, number);
    }
    switch.selected == number
}

/// `a < b`, or `a <= b`.
#[inline]
pub fn lt<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a <= b } else { a < b }
}

/// `a <= b`, or `a < b`.
#[inline]
pub fn le<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a < b } else { a <= b }
}

/// `a > b`, or `a >= b`.
#[inline]
pub fn gt<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a >= b } else { a > b }
}

/// `a >= b`, or `a > b`.
#[inline]
pub fn ge<A: PartialOrd<B> + ?Sized, B: ?Sized>(number: u32, a: &A, b: &B) -> bool {
    if is(number) { a > b } else { a >= b }
}
