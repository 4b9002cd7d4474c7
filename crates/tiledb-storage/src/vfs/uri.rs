//! URIs of files, directories, arrays and groups.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::relative::check_relative;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::platform::environment::HOME;
use tiledb_core::platform::path::IS_WINDOWS;
use tiledb_core::types::{
    DisplayPath, local_path, text_of_path, uri_of_windows_name, uri_of_windows_path, windows_path_of_uri,
};

/// A URI, `scheme://...`. Cloning increments a reference count. URIs are compared as text: two spellings of the same
/// file are different URIs.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uri(Arc<str>);

/// Known schemes; not every build supports all of them.
const SCHEMES: [&str; 8] = ["s3", "azure", "gcs", "gs", "mem", "tiledb", "http", "https"];

const FILE: &str = "file://";

impl Uri {
    /// Parses a URI, or a local path, which becomes `file:///...`: absolute, with `~/` expanded, and `.`, `..` and
    /// repeated slashes resolved lexically (symbolic links are not followed). On Windows paths have drives or shares, and
    /// URIs of files are percent-encoded.
    ///
    /// # Errors
    /// For an empty text, an unknown scheme, and a `file://` that is not absolute; on Windows for paths of devices.
    pub fn parse(text: &str) -> Result<Uri> {
        if text.starts_with(if IS_WINDOWS { FILE } else { "file:///" }) && text.len() > FILE.len() {
            return Ok(Uri(text.into()));
        }
        match text.split_once("://") {
            Some((scheme, _)) if SCHEMES.contains(&scheme) => Ok(Uri(text.into())),
            Some((drive, _)) if IS_WINDOWS && drive.len() == 1 => Uri::from_windows_path(text),
            None if IS_WINDOWS && !text.is_empty() => Uri::from_windows_path(text),
            None if !text.is_empty() => Uri::from_path(&local_path(text)),
            _ => Err(Error::invalid(format!(
                "TileDB internal: Failed to construct valid URI. Given path is invalid. '{text}' is neither a path nor a URI of \
                 a supported storage (file, mem, s3, azure, gcs, https, tiledb)"
            ))),
        }
    }

    /// The URI of a local path, as [`Uri::parse`] makes it.
    ///
    /// # Errors
    /// If the current directory is needed and gone; on Windows for paths of devices.
    pub fn from_path(path: &Path) -> Result<Uri> {
        if IS_WINDOWS {
            return Uri::from_windows_path(&DisplayPath(path).to_string());
        }
        let bytes = path.as_os_str().as_encoded_bytes();
        if is_normal(bytes) {
            return Ok(Uri([FILE, &*text_of_path(bytes)].concat().into()));
        }
        let absolute = absolute(path)?;
        let path = text_of_path(absolute.as_os_str().as_encoded_bytes());
        Ok(Uri([FILE, &*path].concat().into()))
    }

    /// The URI of a path of Windows as text, of which no byte is lost.
    fn from_windows_path(path: &str) -> Result<Uri> {
        let here = current_dir()?;
        let home = std::env::var(HOME).ok().filter(|home| !home.is_empty());
        let uri = uri_of_windows_path(path, &DisplayPath(&here).to_string(), home.as_deref())?;
        Ok(Uri(uri.into()))
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is a web address (HTTP URL). Its path is percent-encoded, and it may have a query, which all operations on
    /// the path keep; both are so in no other URI.
    pub fn is_web(&self) -> bool {
        self.0.starts_with("http://") || self.0.starts_with("https://")
    }

    /// The URI up to its query, and the query with its `?`, empty if there is none.
    fn without_query(&self) -> (&str, &str) {
        let at = if self.is_web() { self.0.find('?') } else { None };
        self.0.split_at(at.unwrap_or(self.0.len()))
    }

    /// The query of a web address, which may sign it and is never shown.
    pub fn query(&self) -> Option<&str> {
        self.without_query().1.strip_prefix('?')
    }

    /// The scheme, `file` for instance.
    pub fn scheme(&self) -> &str {
        self.parts().map_or("", |(scheme, _)| scheme)
    }

    /// What follows the `://`, without the query of a web address.
    pub fn path(&self) -> &str {
        self.parts().map_or("", |(_, path)| path)
    }

    /// The scheme and what follows the `://`. Schemes contain no colon, and this is on the path of every query: a
    /// search for a single byte is enough.
    fn parts(&self) -> Option<(&str, &str)> {
        if let Some(path) = self.0.strip_prefix(FILE) {
            return Some(("file", path));
        }
        let (scheme, rest) = self.without_query().0.split_once(':')?;
        Some((scheme, rest.strip_prefix("//")?))
    }

    /// The local path of a `file://` URI, borrowed where it can be.
    ///
    /// # Errors
    /// On Windows for names that Windows does not have.
    pub fn local(&self) -> Result<Option<Cow<'_, Path>>> {
        let Some(path) = self.0.strip_prefix(FILE) else { return Ok(None) };
        if IS_WINDOWS {
            return windows_path_of_uri(path).map(|path| Some(PathBuf::from(path).into()));
        }
        Ok(Some(local_path(path)))
    }

    /// Whether this names something on a TileDB server.
    pub fn is_tiledb(&self) -> bool {
        self.scheme() == "tiledb"
    }

    /// `self/part`, with exactly one slash between. In a web address `part` is encoded, so that it is one name whatever it
    /// contains.
    #[must_use]
    pub fn join(&self, part: &str) -> Uri {
        let (base, query) = self.without_query();
        let slash = if base.ends_with('/') { "" } else { "/" };
        let part = if self.is_web() { web_name(part) } else { part.into() };
        Uri([base, slash, &part, query].concat().into())
    }

    /// The file `self.extension` beside this one.
    #[must_use]
    pub fn with_extension(&self, extension: &str) -> Uri {
        let (base, query) = self.without_query();
        Uri([base.trim_end_matches('/'), ".", extension, query].concat().into())
    }

    /// `self/name` for the name of an existing file, as the system has it.
    #[must_use]
    pub fn join_file_name(&self, name: &OsStr) -> Uri {
        self.join(&file_name(name))
    }

    /// `self/name` for a relative name from outside, which must not lead out of this folder.
    ///
    /// # Errors
    /// If a component of the name is empty, `.` or `..`, or contains NUL or a separator.
    pub fn join_relative(&self, name: &str) -> Result<Uri> {
        match check_relative(name) {
            Ok(()) => Ok(self.join(name)),
            Err(why) => bail!(Corrupt, "The relative name {name:?} leads out of the folder '{self}': {why}"),
        }
    }

    /// What follows the last slash, a trailing one aside.
    pub fn last_part(&self) -> &str {
        let path = self.path();
        let path = path.strip_suffix('/').unwrap_or(path);
        path.rsplit_once('/').map_or(path, |(_, last)| last)
    }

    /// The last component as a name: decoded where [`Uri::join`] encodes it.
    pub fn name(&self) -> Cow<'_, str> {
        if self.is_web() { name_of_web(self.last_part()) } else { self.last_part().into() }
    }

    /// The parent folder; `None` at the root.
    pub fn parent(&self) -> Option<Uri> {
        let (base, query) = self.without_query();
        let whole = base.trim_end_matches('/');
        let (above, last) = whole.rsplit_once('/')?;
        (!last.is_empty() && !above.ends_with([':', '/'])).then(|| Uri([above, query].concat().into()))
    }

    /// The same name without trailing slashes (the root keeps its own).
    #[must_use]
    pub fn without_trailing_slash(&self) -> Uri {
        let (base, query) = self.without_query();
        let trimmed = base.trim_end_matches('/');
        if trimmed.len() == base.len() || trimmed.ends_with(':') {
            return self.clone();
        }
        Uri([trimmed, query].concat().into())
    }

    /// The rest of this URI below `directory`, without a slash in front; `None` elsewhere.
    pub fn relative_to<'a>(&'a self, directory: &Uri) -> Option<&'a str> {
        let ((own, query), (base, base_query)) = (self.without_query(), directory.without_query());
        let rest = own.strip_prefix(base).filter(|_| query == base_query)?;
        if base.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// As [`Uri::relative_to`], with the names as files have them.
    pub fn names_below<'a>(&'a self, directory: &Uri) -> Option<Cow<'a, str>> {
        let rest = self.relative_to(directory)?;
        Some(if self.is_web() { name_of_web(rest) } else { rest.into() })
    }
}

/// A name as part of a web address. What else a URL cannot have is encoded when it is requested; what is `%` in a name would not be
/// told from an encoded character then.
fn web_name(name: &str) -> Cow<'_, str> {
    if !name.contains(['%', '?', '#']) {
        return name.into();
    }
    name.replace('%', "%25").replace('?', "%3F").replace('#', "%23").into()
}

/// The inverse of [`web_name`].
fn name_of_web(part: &str) -> Cow<'_, str> {
    if !part.contains('%') {
        return part.into();
    }
    part.replace("%3F", "?").replace("%23", "#").replace("%25", "%").into()
}

/// The text, but not the query of a web address, which may be a signature: errors and logs show URIs.
impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, query) = self.without_query();
        f.write_str(base)?;
        f.write_str(if query.is_empty() { "" } else { "?..." })
    }
}

impl fmt::Debug for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

/// A file name of the system as part of a URI.
pub(super) fn file_name(name: &OsStr) -> Cow<'_, str> {
    match IS_WINDOWS {
        true => uri_of_windows_name(name.as_encoded_bytes()).into(),
        false => text_of_path(name.as_encoded_bytes()),
    }
}

fn current_dir() -> Result<PathBuf> {
    let cannot = |error| Error::new(ErrorKind::Io, format!("Cannot get the current directory; {error}"));
    std::env::current_dir().map_err(cannot)
}

/// Whether [`absolute`] changes nothing in a path.
fn is_normal(path: &[u8]) -> bool {
    let Some(path) = path.strip_prefix(b"/") else { return false };
    let inner = path.strip_suffix(b"/").unwrap_or(path);
    path.is_empty() || inner.split(|byte| *byte == b'/').all(|component| !matches!(component, b"" | b"." | b".."))
}

fn absolute(path: &Path) -> Result<PathBuf> {
    let home = match path.strip_prefix("~") {
        Ok(rest) => std::env::var_os(HOME).map(|home| PathBuf::from(home).join(rest)),
        Err(_) => None,
    };
    let path = home.as_deref().unwrap_or(path);
    let mut absolute = if path.is_absolute() { PathBuf::from("/") } else { current_dir()? };
    for component in path.components() {
        match component {
            Component::Normal(name) => absolute.push(name),
            Component::ParentDir => _ = absolute.pop(),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        absolute.push("");
    }
    Ok(absolute)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    #[test]
    fn folders_have_parents_up_to_the_top() {
        for (text, parent) in [
            ("file:///a/b", Some("file:///a")),
            ("file:///a/b/", Some("file:///a")),
            ("file:///a", None),
            ("mem://a/b", Some("mem://a")),
            ("mem://a", None),
            ("s3://bucket/key", Some("s3://bucket")),
            ("s3://bucket", None),
        ] {
            assert_eq!(uri(text).parent().as_ref().map(Uri::as_str), parent, "{text}");
        }
    }

    #[test]
    fn paths_become_absolute_by_their_text() {
        let here = std::env::current_dir().unwrap();
        let here = here.to_str().unwrap();
        for (text, expected) in [
            ("/a/../b/d", "file:///b/d"),
            ("/a//b/d/", "file:///a/b/d/"),
            ("///a//b", "file:///a/b"),
            ("//", "file:///"),
            ("/", "file:///"),
            ("/a/./b", "file:///a/b"),
            ("/../..", "file:///"),
            ("x", &format!("file://{here}/x")),
            ("./x", &format!("file://{here}/x")),
            ("x/..", &format!("file://{here}")),
            ("x//", &format!("file://{here}/x/")),
            ("abc:def", &format!("file://{here}/abc:def")),
            ("x y%20é", &format!("file://{here}/x y%20é")),
        ] {
            assert_eq!(uri(text).as_str(), expected, "{text}");
        }
        let home = std::env::var("HOME").unwrap();
        assert_eq!(uri("~/d").as_str(), format!("file://{}/d", home.trim_end_matches('/')));
    }

    #[test]
    fn uris_stay_as_they_are() {
        for text in [
            "file:///a/../b//c/",
            "s3://b/x/",
            "s3://",
            "azure://c/x",
            "gcs://b/x",
            "gs://b/x",
            "mem://x",
            "mem://",
            "mem:///x",
            "tiledb://ns/x",
            "http://x/y",
            "https://x/y",
        ] {
            assert_eq!(uri(text).as_str(), text);
        }
    }

    #[test]
    fn unknown_schemes_are_refused() {
        for text in ["", "foo://x", "file://a/b", "file://", "FILE:///x", "S3://b/x", "hdfs://x/y", "://x"] {
            let error = Uri::parse(text).unwrap_err();
            let expected = format!("TileDB internal: Failed to construct valid URI. Given path is invalid. '{text}'");
            assert!(error.text().starts_with(&expected), "{}", error.text());
        }
    }

    proptest! {
        #[test]
        fn normal_paths_are_their_own_absolute_ones(path in "/?((a|[.]|[.][.]|[.]a|~)?/){0,4}(a|[.]|[.][.])?") {
            prop_assume!(!path.starts_with('~') && !IS_WINDOWS);
            let absolute = absolute(Path::new(&path)).unwrap();
            prop_assert_eq!(is_normal(path.as_bytes()), absolute.as_os_str() == OsStr::new(&path));
        }
    }

    #[test]
    fn parts() {
        let name = uri("s3://bucket/a/b/");
        assert_eq!((name.scheme(), name.path(), name.last_part()), ("s3", "bucket/a/b/", "b"));
        assert_eq!(name.join("c").as_str(), "s3://bucket/a/b/c");
        assert_eq!(uri("mem://x").join("c").as_str(), "mem://x/c");
        assert_eq!(uri("mem://").join("c").as_str(), "mem://c");
        assert_eq!(uri("file:///a/b//").without_trailing_slash(), uri("file:///a/b"));
        assert_eq!(uri("file:///").without_trailing_slash(), uri("file:///"));
        assert_eq!(uri("mem://").without_trailing_slash(), uri("mem://"));
        assert_eq!(uri("mem://a/b/c").relative_to(&uri("mem://a")), Some("b/c"));
        assert_eq!(uri("mem://ab/c").relative_to(&uri("mem://a")), None);
    }

    #[test]
    fn queries_of_web_addresses_stay_at_the_end_and_are_not_shown() {
        let array = uri("https://h/a%20b/?sig=hush&x=/y");
        assert_eq!((array.scheme(), array.path(), array.last_part()), ("https", "h/a%20b/", "a%20b"));
        assert_eq!(array.query(), Some("sig=hush&x=/y"));
        let file = array.join("__fragments").join("50%?#.tdb");
        assert_eq!(file.as_str(), "https://h/a%20b/__fragments/50%25%3F%23.tdb?sig=hush&x=/y");
        assert_eq!((&*file.name(), file.last_part()), ("50%?#.tdb", "50%25%3F%23.tdb"));
        assert_eq!(file.names_below(&array).as_deref(), Some("__fragments/50%?#.tdb"));
        assert_eq!(file.parent(), Some(array.join("__fragments")));
        assert_eq!(file.relative_to(&uri("https://h/a%20b/")), None, "another signature");
        assert_eq!(array.without_trailing_slash().as_str(), "https://h/a%20b?sig=hush&x=/y");
        assert_eq!(array.with_extension("vac").as_str(), "https://h/a%20b.vac?sig=hush&x=/y");
        assert_eq!(uri("http://h?x=/y").parent(), None);
        assert_eq!(format!("{array} {array:?}"), "https://h/a%20b/?... \"https://h/a%20b/?...\"");
        // Elsewhere `?` and `%` are letters of names.
        let object = uri("s3://b/a?x").join("50%");
        assert_eq!((object.to_string().as_str(), object.query()), ("s3://b/a?x/50%", None));
        assert_eq!(object.name(), "50%");
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in any::<String>()) {
            if let Ok(name) = Uri::parse(&text) {
                prop_assert_eq!(&uri(name.as_str()), &name);
            }
        }

        #[test]
        fn joining_and_splitting_are_inverse(base in "(file:///|mem://|s3://b/|https://h/)(x/)?y", part in "[a-z_0-9%?#23F]{1,20}") {
            let base = uri(&base);
            let joined = base.join(&part);
            prop_assert_eq!(&*joined.name(), &part);
            let below = joined.names_below(&base);
            prop_assert_eq!(below.as_deref(), Some(&*part));
        }
    }
}
