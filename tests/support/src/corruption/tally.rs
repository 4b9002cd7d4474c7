//! Counts the outcomes that the workers report.

use std::collections::BTreeMap;

/// The findings of all cases.
#[derive(Default)]
pub struct Tally {
    counts: BTreeMap<String, u64>,
    /// Error texts: of damaged data files, of other files; and those without what they should name.
    data: [u64; 2],
    other: [u64; 2],
    /// Those texts, by how often they came, with an example each.
    nameless: BTreeMap<String, (u64, String)>,
    pub failures: Vec<String>,
}

impl Tally {
    /// Takes one line: kind, case, array, file, damage, details.
    pub fn take(&mut self, line: &str) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [kind, _, _, file, _, detail] = parts[..] else {
            self.failures.push(line.to_owned());
            return;
        };
        if kind == "text" {
            return self.text(file, detail, line);
        }
        *self.counts.entry(kind.to_owned()).or_default() += 1;
        if ["signal", "hang", "silent", "short"].contains(&kind) {
            self.failures.push(line.to_owned());
        }
    }

    /// An error text should name the damaged file, and for a data file the field and the tile.
    fn text(&mut self, file: &str, text: &str, line: &str) {
        if text.contains("Cannot reserve") || text.contains("panicked") || text.contains("internal error") {
            self.failures.push(line.to_owned());
        }
        let name = file.rsplit('/').next().unwrap_or(file);
        let is_data = is_data_file(file);
        let named = text.contains(name) && (!is_data || text.contains("tile ") && text.contains("field "));
        let count = if is_data { &mut self.data } else { &mut self.other };
        count[0] += 1;
        count[1] += u64::from(named);
        if !named {
            let without_digits: String = text.chars().filter(|c| !c.is_ascii_digit()).take(120).collect();
            self.nameless.entry(without_digits).or_insert_with(|| (0, line.to_owned())).0 += 1;
        }
    }

    /// Prints the figures; 0 if nothing failed.
    pub fn judge(&self, cases: u64) -> i32 {
        for line in self.failures.iter().take(40) {
            println!("FAILED {line}");
        }
        let mut nameless: Vec<_> = self.nameless.values().collect();
        nameless.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (count, line) in nameless.iter().take(25) {
            println!("names too little, {count} times: {line}");
        }
        let done: u64 = self.counts.values().sum();
        let counts: Vec<String> = self.counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        println!("damage: {done} cases: {}", counts.join(", "));
        println!(
            "errors that name the file, field and tile: {} of {} about data files; the file: {} of {} about other files",
            self.data[1], self.data[0], self.other[1], self.other[0]
        );
        let missing = cases.saturating_sub(done);
        println!("{done} passed, {} failed", self.failures.len() as u64 + missing);
        i32::from(!self.failures.is_empty() || missing > 0)
    }
}

/// True for the files of fields in the folder of a fragment, of any format version.
pub fn is_data_file(place: &str) -> bool {
    let (folder, name) = place.rsplit_once('/').unwrap_or(("", place));
    let is_fragment =
        folder.starts_with("__fragments/") || folder.starts_with("__") && folder.contains(char::is_numeric);
    is_fragment && name.ends_with(".tdb") && name != "__fragment_metadata.tdb"
}
