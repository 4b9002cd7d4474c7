//! Closest known names, for errors about unknown ones.

/// Names that are compared with an unknown one, and the bytes of the longest: an error of a schema with very many names takes
/// milliseconds.
const MAX_COMPARED: usize = 1000;
const MAX_NAME_BYTES: usize = 64;

/// Number of names in an error.
const MAX_LISTED: usize = 3;

/// The known names that are closest to an unknown one, as the end of an error: `; closest names: 'a', 'b'`. Empty if there are
/// none.
pub fn closest_names<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> String {
    if unknown.len() > MAX_NAME_BYTES {
        return String::new();
    }
    let short = known.filter(|name| name.len() <= MAX_NAME_BYTES).take(MAX_COMPARED).enumerate();
    let mut names: Vec<(usize, usize, &str)> =
        short.map(|(position, name)| (edit_distance(unknown, name), position, name)).collect();
    names.sort_unstable();
    let quoted: Vec<String> = names.iter().take(MAX_LISTED).map(|(_, _, name)| format!("'{name}'")).collect();
    match quoted.len() {
        0 => String::new(),
        1 => format!("; closest name: {}", quoted.concat()),
        _ => format!("; closest names: {}", quoted.join(", ")),
    }
}

/// The least number of inserted, deleted and replaced bytes between two texts (Levenshtein).
pub(crate) fn edit_distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_closest_names_are_listed() {
        let known = ["rows", "cols", "temperature", "pressure", "temp"];
        let text = |unknown| closest_names(unknown, known.into_iter());
        assert_eq!(text("temperatur"), "; closest names: 'temperature', 'temp', 'pressure'");
        assert_eq!(text("row"), "; closest names: 'rows', 'cols', 'temp'");
        assert_eq!(closest_names("b", ["a"].into_iter()), "; closest name: 'a'");
        assert_eq!(closest_names("a", [].into_iter()), "");
    }

    #[test]
    fn very_long_names_are_not_compared() {
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        assert_eq!(closest_names(&long, ["a"].into_iter()), "");
        assert_eq!(closest_names("a", [long.as_str(), "b"].into_iter()), "; closest name: 'b'");
    }
}
