//! Paths of Windows and their `file` URIs: drive letters, shares, percent encoding, names that Windows reserves.
//!
//! As libtiledb on Windows: `C:\my data` is `file:///C:/my%20data`, and `\\server\share\a` is `file://server/share/a`. Nothing
//! here asks the system, so that all of it is tested everywhere.
//!
//! A URI is checked when it is converted to a path: Windows would drop trailing dots and spaces of names, open devices and
//! alternate data streams, and accept encoded separators, which lead out of a folder.

use std::borrow::Cow;

use super::{bytes_of_path, text_of_path};
use crate::error::{Error, Result, bail};

/// Characters that no name contains.
const FORBIDDEN: &[char] = &['<', '>', ':', '"', '|', '?', '*'];

/// Names of devices, with any extension.
const DEVICES: &[&str] = &["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The URI of a path, absolute and with `.`, `..` and repeated separators resolved lexically. `current` is the current
/// directory, `home` what `~` means.
///
/// # Errors
/// For devices, incomplete names of shares, and paths relative to the current directory of another drive.
pub fn uri_of_windows_path(path: &str, current: &str, home: Option<&str>) -> Result<String> {
    let mut text = without_verbatim_prefix(path)?;
    if let (Some(rest), Some(home)) = (text.strip_prefix('~'), home)
        && (rest.is_empty() || rest.starts_with('\\'))
    {
        text = format!("{}{rest}", without_verbatim_prefix(home)?);
    }
    if !is_absolute(&text) {
        let current = without_verbatim_prefix(current)?;
        text = match text.strip_prefix('\\') {
            Some(rest) => format!(r"{}\{rest}", root_of(&current)?.0),
            None => match drive_of(&text) {
                None => format!(r"{current}\{text}"),
                Some(drive) if drive_of(&current).is_some_and(|here| here.eq_ignore_ascii_case(drive)) => {
                    format!(r"{current}\{}", &text[2..])
                }
                Some(drive) => bail!(
                    "Cannot use path '{path}': it is relative to the current directory of drive {drive}; give an absolute path, \
                     such as '{drive}\\{}'",
                    &text[2..]
                ),
            },
        };
    }
    let (root, rest) = root_of(&text)?;
    let mut names = Vec::new();
    for name in rest.split('\\') {
        match name {
            "" | "." => {}
            ".." => _ = names.pop(),
            name => names.push(encoded(name)),
        }
    }
    let root = match root.strip_prefix(r"\\") {
        Some(share) => format!("file://{}", share.split('\\').map(encoded).collect::<Vec<_>>().join("/")),
        None => format!("file:///{root}"),
    };
    let last = if names.is_empty() || text.ends_with('\\') { "/" } else { "" };
    let names: String = names.iter().flat_map(|name| ["/", name]).collect();
    Ok(format!("{root}{names}{last}"))
}

/// The path of a URI without its `file://`.
///
/// # Errors
/// For names that Windows does not have or changes, encoded separators, and bytes that are not UTF-8.
pub fn windows_path_of_uri(rest: &str) -> Result<String> {
    let (local, names) = match rest.strip_prefix(['/', '\\']) {
        Some(local) => (true, local),
        None => (drive_of(rest).is_some(), rest),
    };
    let (mut path, names) = match drive_of(names).filter(|_| local) {
        Some(drive) => (drive.to_owned(), &names[2..]),
        None => (String::from(if local { "" } else { r"\" }), names),
    };
    let is_drive = path.ends_with(':');
    if is_drive && !names.is_empty() && !names.starts_with(['/', '\\']) {
        bail!("Cannot use URI 'file://{rest}': a slash is missing after the drive");
    }
    if !local && names.split(['/', '\\']).next().is_some_and(|server| matches!(server, "." | "..")) {
        bail!("Cannot use URI 'file://{rest}': it names a device, not a file or directory");
    }
    for name in names.split(['/', '\\']).filter(|name| !name.is_empty()) {
        let plain = decoded(name).and_then(|plain| match refusal(name, &plain) {
            Some(why) => Err(why),
            None => Ok(plain),
        });
        let plain =
            plain.map_err(|why| Error::invalid(format!("Cannot use URI 'file://{rest}': the name '{name}' {why}")))?;
        path.push('\\');
        path.push_str(&plain);
    }
    if names.ends_with(['/', '\\']) || path.len() == usize::from(is_drive) * 2 {
        path.push('\\');
    }
    Ok(path)
}

/// A name of a file, in WTF-8, as part of a URI.
pub fn uri_of_windows_name(name: &[u8]) -> String {
    encoded(&text_of_path(name))
}

/// With backslashes, and without the prefix `\\?\` of paths that Windows does not normalize.
fn without_verbatim_prefix(path: &str) -> Result<String> {
    let text = path.replace('/', r"\");
    let device = || Error::invalid(format!("Cannot use path '{path}': it names a device, not a file or directory"));
    match text.strip_prefix(r"\\?\") {
        Some(rest) if rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(r"UNC\")) => {
            Ok(format!(r"\\{}", &rest[4..]))
        }
        Some(rest) if drive_of(rest).is_some() => Ok(rest.to_owned()),
        Some(_) => Err(device()),
        None if text.starts_with(r"\\.\") || text.starts_with(r"\??\") => Err(device()),
        None => Ok(text),
    }
}

/// `C:` of a path that begins with a drive.
fn drive_of(text: &str) -> Option<&str> {
    match text.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => Some(&text[..2]),
        _ => None,
    }
}

fn is_absolute(text: &str) -> bool {
    text.starts_with(r"\\") || drive_of(text).is_some() && text[2..].starts_with('\\')
}

/// The drive or share of an absolute path, and what follows.
fn root_of(text: &str) -> Result<(&str, &str)> {
    if drive_of(text).is_some() {
        return Ok(text.split_at(2));
    }
    let mut separators = text.match_indices('\\').map(|(at, _)| at).filter(|at| *at > 1);
    let server = separators.next().unwrap_or(text.len());
    let share = separators.next().unwrap_or(text.len());
    if !text.starts_with(r"\\") || server == 2 || share <= server + 1 {
        bail!("Cannot use path '{text}': a path that begins with two separators names a server and a share");
    }
    Ok(text.split_at(share))
}

/// Percent-encodes a component: what RFC 3986 has in none, and all that is not ASCII.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for &byte in &*bytes_of_path(name) {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A component without percent encoding; a `%` without two digits is itself.
fn decoded(name: &str) -> std::result::Result<Cow<'_, str>, &'static str> {
    let bytes = bytes_of_path(name);
    if matches!(bytes, Cow::Borrowed(_)) && !name.contains('%') {
        return Ok(name.into());
    }
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high << 4 | low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).map(Cow::Owned).map_err(|_| "is not valid UTF-8")
}

/// Why a component cannot be used, as it stands in the URI and decoded.
fn refusal(name: &str, plain: &str) -> Option<&'static str> {
    let control = |character: char| character < ' ';
    if plain == "." || plain == ".." {
        return (name != plain).then_some("is encoded; write '.' or '..' plainly");
    }
    if plain.contains(['/', '\\', '\0']) {
        return Some("contains an encoded separator or NUL");
    }
    if plain.contains(FORBIDDEN) || plain.contains(control) {
        return Some(
            "contains a character that Windows does not allow in names (< > : \" | ? * or a control character)",
        );
    }
    if plain.ends_with(['.', ' ']) {
        return Some("ends with a dot or a space, which Windows would drop; choose another name");
    }
    is_device(plain).then_some("is reserved for a device of Windows; choose another name")
}

fn is_device(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    let port = |base: &str| {
        let is_port =
            base.get(..3).is_some_and(|kind| ["COM", "LPT"].iter().any(|port| kind.eq_ignore_ascii_case(port)));
        is_port && matches!(&base[3..], "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
    };
    DEVICES.iter().any(|device| device.eq_ignore_ascii_case(base)) || port(base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn uri(path: &str) -> Result<String> {
        uri_of_windows_path(path, r"C:\base\here", Some(r"C:\Users\me"))
    }

    #[test]
    fn paths_have_uris() {
        for (path, expected) in [
            (r"C:\data\a", "file:///C:/data/a"),
            ("C:/data/a", "file:///C:/data/a"),
            (r"c:\data\a\", "file:///c:/data/a/"),
            (r"C:\data\.\b\..\\a", "file:///C:/data/a"),
            (r"C:\..\..\a", "file:///C:/a"),
            (r"C:\", "file:///C:/"),
            ("C:", "file:///C:/base/here/"),
            (r"C:a\b", "file:///C:/base/here/a/b"),
            ("c:a", "file:///C:/base/here/a"),
            (r"\data\a", "file:///C:/data/a"),
            ("/data/a", "file:///C:/data/a"),
            (r"data\a", "file:///C:/base/here/data/a"),
            (r"..\a", "file:///C:/base/a"),
            (".", "file:///C:/base/here"),
            ("~", "file:///C:/Users/me"),
            ("~/a", "file:///C:/Users/me/a"),
            (r"~\a", "file:///C:/Users/me/a"),
            ("~a", "file:///C:/base/here/~a"),
            (r"\\server\share\a b", "file://server/share/a%20b"),
            (r"\\server\share", "file://server/share/"),
            (r"\\server\share\..\..\a", "file://server/share/a"),
            ("//server/share/a/", "file://server/share/a/"),
            (r"\\?\C:\data\a", "file:///C:/data/a"),
            (r"\\?\UNC\server\share\a", "file://server/share/a"),
            (r"C:\my data\100%\#1", "file:///C:/my%20data/100%25/%231"),
            (r"C:\été", "file:///C:/%C3%A9t%C3%A9"),
            (r"C:\a%20b", "file:///C:/a%2520b"),
        ] {
            assert_eq!(uri(path).unwrap(), expected, "{path}");
        }
        assert_eq!(uri_of_windows_path(r"\a", r"\\server\share\here", None).unwrap(), "file://server/share/a");
        assert_eq!(uri_of_windows_path("a", r"\\?\C:\long", None).unwrap(), "file:///C:/long/a");
        assert_eq!(uri_of_windows_path("~/a", r"C:\", None).unwrap(), "file:///C:/~/a");
    }

    #[test]
    fn paths_of_devices_and_other_drives_are_refused() {
        for (path, why) in [
            (r"\\.\COM1", "names a device"),
            (r"\\.\C:\a", "names a device"),
            (r"\\?\Volume{0}\a", "names a device"),
            ("//./pipe/a", "names a device"),
            (r"\??\C:\a", "names a device"),
            (r"D:a", "absolute path, such as 'D:\\a'"),
            (r"\\", "a server and a share"),
            (r"\\server", "a server and a share"),
            (r"\\server\", "a server and a share"),
            (r"\\\share\a", "a server and a share"),
        ] {
            let error = uri(path).unwrap_err();
            assert!(error.text().contains(why), "{path}: {}", error.text());
        }
    }

    #[test]
    fn uris_have_paths() {
        for (rest, expected) in [
            ("/C:/data/a", r"C:\data\a"),
            ("/c:/data/a/", r"c:\data\a\"),
            (r"/C:\data\a", r"C:\data\a"),
            ("C:/data", r"C:\data"),
            ("/C:", r"C:\"),
            ("/C:/", r"C:\"),
            ("/C:/a/../b//c", r"C:\a\..\b\c"),
            ("/C:/a%20b", r"C:\a b"),
            ("/C:/a b", r"C:\a b"),
            ("/C:/100%/a%zz", r"C:\100%\a%zz"),
            ("/C:/a%2520b", r"C:\a%20b"),
            ("/C:/%C3%A9t%c3%a9/\u{e9}", "C:\\\u{e9}t\u{e9}\\\u{e9}"),
            ("/C:/%F0%9F%98%80", "C:\\\u{1f600}"),
            ("/data/a", r"\data\a"),
            ("/", r"\"),
            ("server/share/a", r"\\server\share\a"),
            ("//server/share", r"\server\share"),
            ("/C:/nul_/console/com/com10/lpt0/a.con", r"C:\nul_\console\com\com10\lpt0\a.con"),
        ] {
            assert_eq!(windows_path_of_uri(rest).unwrap(), expected, "{rest}");
        }
    }

    #[test]
    fn names_that_windows_changes_or_reserves_are_refused() {
        for name in [
            "con",
            "CON",
            "con.txt",
            "con .txt",
            "prn",
            "aux.",
            "nul",
            "NUL.tar.gz",
            "com1",
            "LPT9.x",
            "com¹",
            "conin$",
            "tail.",
            "tail ",
            "tail%20",
            "tail%2e",
            "...",
            "%2e",
            "%2E%2e",
            ".%2e",
            "a%2fb",
            "a%5Cb",
            "..%2f..%5C",
            "a%00b",
            "a:b",
            "a::$DATA",
            "a%3Ab",
            "C:",
            "a<b",
            "a>b",
            "a|b",
            "a?b",
            "a*b",
            "a\"b",
            "%3f",
            "a\tb",
            "a%1Fb",
            "%ff",
            "%ED%A0%80",
            "%C3",
            "\u{10FFFF}",
        ] {
            for rest in [format!("/C:/g/{name}"), format!("/C:/{name}/a"), format!("server/share/{name}")] {
                let error = windows_path_of_uri(&rest).unwrap_err();
                assert!(error.text().contains(&format!("'{name}'")), "{rest}: {}", error.text());
            }
        }
        for rest in
            ["?/C:/a", "./C:/a", "./COM1", "//?/C:/a", "/C:a", "C:a", "/C:C:/a", "//./COM1", "server/share/C:/a"]
        {
            assert!(windows_path_of_uri(rest).is_err(), "{rest}");
        }
    }

    /// A surrogate without its other half is three bytes of WTF-8; its name can be listed, and not be opened.
    #[test]
    fn unpaired_surrogates_are_errors() {
        assert_eq!(uri_of_windows_name(b"a\xED\xA0\x80"), "a%ED%A0%80");
        let path = text_of_path(b"C:\\\xED\xA0\x80").into_owned();
        let uri = uri(&path).unwrap();
        assert_eq!(uri, "file:///C:/%ED%A0%80");
        assert!(windows_path_of_uri(&uri["file://".len()..]).unwrap_err().text().contains("not valid UTF-8"));
    }

    proptest! {
        #[test]
        fn any_text_is_converted_or_refused(path in any::<String>(), uri_path in "[/\\\\:%a-cC0-9.? *]{0,20}") {
            for text in [path.as_str(), &uri_path] {
                if let Ok(uri) = uri(text) {
                    prop_assert!(uri.starts_with("file://") && uri.is_ascii());
                }
                if let Ok(path) = windows_path_of_uri(text) {
                    // Neither a device nor a stream, whatever the text was.
                    prop_assert!(!path.starts_with(r"\\?") && !path.starts_with(r"\\.\"), "{path}");
                    prop_assert!(!path.get(2..).unwrap_or("").contains([':', '?', '*', '\0']), "{path}");
                }
            }
        }

        #[test]
        fn paths_come_back(names in prop::collection::vec("[^/\\\\<>:\"|?*\\x00-\\x1f]{0,6}[^/\\\\<>:\"|?*\\x00-\\x1f. ]", 0..5),
            share in any::<bool>()) {
            let root = if share { r"\\server\share" } else { "C:" };
            let path = format!(r"{root}\{}", names.join(r"\"));
            prop_assume!(text_of_path(path.as_bytes()) == path);
            let uri = uri(&path).unwrap();
            match windows_path_of_uri(&uri["file://".len()..]) {
                Ok(back) => prop_assert_eq!(back, path),
                Err(_) => prop_assert!(names.iter().any(|name| is_device(name))),
            }
        }

        /// Whatever a name contains, it stays below the folder that it is joined to.
        #[test]
        fn names_stay_in_their_folder(name in "[a%2eEfF5cC.:/ ]{1,12}") {
            prop_assume!(!name.split('/').any(|part| part == ".."));
            if let Ok(path) = windows_path_of_uri(&format!("/C:/folder/{name}")) {
                prop_assert!(path.starts_with(r"C:\folder\"));
                prop_assert!(path.split('\\').all(|part| part != ".."));
            }
        }
    }
}
