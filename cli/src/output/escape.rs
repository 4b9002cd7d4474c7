//! Escapes control characters in text from arrays, files and servers before it is printed on a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a terminal does something with a character other than show it: it moves the cursor, changes colours or the title,
/// ends the line, or turns the direction in which text is shown.
fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Separators of lines and paragraphs; invisible characters that hide text.
            | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A text with control characters as escapes, as `\n`, `\u{1b}` or `\u{202e}`.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) || !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => escaped.extend(letter.escape_default()),
            _ if is_control(letter) => escaped.extend(letter.escape_unicode()),
            _ => escaped.push(letter),
        }
    }
    Cow::Owned(escaped)
}

/// JSON with control characters as escapes of JSON: the same value.
pub(crate) fn escape_json(text: &str) -> Cow<'_, str> {
    // The JSON writer has escaped the control characters below space in strings; the remaining ones are its own line ends.
    let is_left = |letter: char| letter > ' ' && is_control(letter);
    if text.is_ascii() && !text.contains('\u{7f}') || !text.contains(is_left) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_left(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_obey_is_escaped() {
        for (text, shown) in [
            ("plain, é, 日本, 👩\u{200d}👩", "plain, é, 日本, 👩\u{200d}👩"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("gpj.\u{202e}exe", "gpj.\\u{202e}exe"),
            ("\u{2066}x\u{2069}\u{61c}", "\\u{2066}x\\u{2069}\\u{61c}"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}"),
            ("a\u{2028}b\u{e0041}", "a\\u{2028}b\\u{e0041}"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({ "\u{202e}": "a\u{1b}\u{9b}\u{7f}\n\u{e0041}\u{2028}é" });
        let text = format!("{value:#}");
        let escaped = escape_json(&text);
        assert!(escaped.chars().all(|letter| letter == '\n' || !is_control(letter)), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap_or_default(), value);
    }
}
