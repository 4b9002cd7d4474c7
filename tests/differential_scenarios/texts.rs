//! Error messages that deliberately differ from those of the reference, each with its reason.

use support::continues;

/// A text that may differ, and how.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    /// What the text of ours begins with.
    ours: &'static str,
    /// What that of the reference begins with.
    theirs: &'static str,
    why: &'static str,
}

/// All of them.
pub static ALL: &[Text] = &[
    Text { ours: "", theirs: "", why: "ours goes on where the text of the reference ends, and names the value" },
    Text {
        ours: "C API: argument `attribute name` may not be nullptr",
        theirs: "TileDB internal: basic_string: construction from null is not valid",
        why: "the reference tells of its own workings",
    },
    Text {
        ours: "C API: argument `enumeration name` may not be nullptr",
        theirs: "C API: Invalid TileDB enumeration object",
        why: "a name was null, no object was asked for",
    },
    Text {
        ours: "C API: Cannot export",
        theirs: "C API: unknown exception type; no further information",
        why: "the reference does not say what is wrong",
    },
    Text {
        ours: "C API: The array metadata doesn't contain the file_sizekey",
        theirs: "C API: unknown exception type; no further information",
        why: "the reference does not say what is wrong",
    },
    Text {
        ours: "C API: The array metadata doesn't contain the file_sizekey",
        theirs: "[TileDB::Array] Error: Cannot open array; Array does not exist.",
        why: "the reference leaves the error of an earlier call",
    },
];

/// Why two refusals, each a step and a text, may differ.
pub fn accepted(ours: (&str, &str), theirs: (&str, &str)) -> Option<&'static Text> {
    let (longer, others) = ALL.split_first()?;
    let goes_on = ours.1.len() > theirs.1.len() && continues(ours.1, theirs.1);
    let named = |text: &&Text| ours.1.starts_with(text.ours) && theirs.1.starts_with(text.theirs);
    match ours.0 == theirs.0 {
        true if goes_on => Some(longer),
        true => others.iter().find(named),
        false => None,
    }
}
