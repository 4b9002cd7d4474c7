//! Paths as text: a reversible mapping of arbitrary bytes to valid UTF-8.
//!
//! Unix paths are byte strings, and libtiledb passes them through unchanged. In this engine they are text: each byte that is
//! not part of valid UTF-8 is mapped to one private-use code point (U+10FF80 for 0x80 to U+10FFFF for 0xFF), and mapped back
//! when the path is passed to the system or to C, or written to a file. If a path contains one of these code points itself, its
//! four bytes are mapped like invalid ones, so that every path survives the round trip.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::platform;

/// Code point offset of a byte that is not UTF-8.
const PLANE: u32 = 0x10_FF00;
/// First UTF-8 byte of code points in this plane.
const LEAD: u8 = 0xF4;

/// The byte that is encoded by a character.
fn byte_of(character: char) -> Option<u8> {
    let code = u32::from(character);
    (code >= PLANE + 0x80).then_some(code as u8)
}

fn stands_for_bytes(text: &str) -> bool {
    text.as_bytes().contains(&LEAD) && text.chars().any(|character| byte_of(character).is_some())
}

/// A path's bytes as text.
pub fn text_of_path(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !stands_for_bytes(text) => Cow::Borrowed(text),
        _ => Cow::Owned(encoded(bytes)),
    }
}

fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(4));
    let one = |byte: &u8| char::from_u32(PLANE + u32::from(*byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                Some(_) => text.extend(character.encode_utf8(&mut [0; 4]).as_bytes().iter().map(one)),
                None => text.push(character),
            }
        }
        text.extend(chunk.invalid().iter().map(one));
    }
    text
}

/// The bytes of a path in its text form.
pub fn bytes_of_path(text: &str) -> Cow<'_, [u8]> {
    if !stands_for_bytes(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// The path that is encoded by a text, for system calls.
pub fn local_path(text: &str) -> Cow<'_, Path> {
    match bytes_of_path(text) {
        Cow::Borrowed(_) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(bytes) => Cow::Owned(platform::path::from_bytes(bytes)),
    }
}

/// A path in the text of an error.
pub struct DisplayPath<'a>(pub &'a Path);

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text_of_path(self.0.as_os_str().as_encoded_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn utf8_stays_as_it_is() {
        for text in ["", "file:///a/é", "\u{10FF7F}", "\u{10FEFF}"] {
            assert!(matches!(text_of_path(text.as_bytes()), Cow::Borrowed(same) if same == text));
            assert!(matches!(bytes_of_path(text), Cow::Borrowed(same) if same == text.as_bytes()));
        }
        assert_eq!(text_of_path(b"a\xFF/\xC3"), "a\u{10FFFF}/\u{10FFC3}");
        assert_eq!(DisplayPath(Path::new("a/b")).to_string(), "a/b");
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(pieces in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..6),
            any::<char>().prop_map(|c| c.to_string().into_bytes()),
            (0x10_FF70u32..0x11_0000).prop_map(|c| char::from_u32(c).unwrap().to_string().into_bytes()),
        ], 0..6)) {
            let bytes = pieces.concat();
            let text = text_of_path(&bytes);
            prop_assert_eq!(&*bytes_of_path(&text), bytes.as_slice());
            prop_assert_eq!(text.split('/').count(), bytes.split(|&byte| byte == b'/').count());
        }
    }
}
