//! Maximum length of a source file.

use super::house::{HOUSE, House};

const LONGEST: usize = 600;

fn wrong(house: &House) -> Vec<String> {
    let long = house.files.iter().filter(|file| file.lines > LONGEST);
    long.map(|file| format!("{}: {} lines", file.path, file.lines)).collect()
}

#[test]
fn files_are_short() {
    let wrong = wrong(&HOUSE);
    assert!(wrong.is_empty(), "longer than {LONGEST} lines: {wrong:?}");
}

#[test]
fn long_file_is_reported() {
    let text = "fn f() {}\n".repeat(LONGEST);
    assert!(wrong(&House::planted(&[("src/tile/x.rs", &text)])).is_empty());
    assert_eq!(wrong(&House::planted(&[("src/tile/x.rs", &(text + "\n"))])).len(), 1);
}
