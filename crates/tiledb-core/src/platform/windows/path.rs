//! Paths as bytes: in WTF-8, as the standard library encodes them.

use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt;
use std::path::PathBuf;

/// Whether paths have drives and backslashes, and `file` URIs are percent-encoded.
pub const IS_WINDOWS: bool = true;

/// The path with these bytes. A surrogate without its other half is three bytes that are not UTF-8; any other such bytes
/// are in no path of Windows, and become the replacement character.
pub fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let valid = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        units.extend(valid.encode_utf16());
        rest = match &rest[valid.len()..] {
            [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, after @ ..] => {
                units.push(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
                after
            }
            [_, after @ ..] => {
                units.push(char::REPLACEMENT_CHARACTER as u16);
                after
            }
            [] => &[],
        };
    }
    OsString::from_wide(&units).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_comes_back() {
        for units in [&[0x41, 0xE9][..], &[0xD83D, 0xDE00], &[0xD83D, 0x41], &[0xDE00], &[0xD800, 0xD801]] {
            let path: PathBuf = OsString::from_wide(units).into();
            assert_eq!(from_bytes(path.as_os_str().as_encoded_bytes().to_vec()), path);
        }
    }
}
