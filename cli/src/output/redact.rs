//! Redacts credentials in URLs of messages.

use std::borrow::Cow;

use tiledb::Config;

/// Placeholder of redacted text.
pub(crate) const HIDDEN: &str = "***";
/// Words in names of parameters, of a query or of the library, whose values are credentials.
const SECRET: [&str; 9] = ["secret", "password", "token", "sig", "credential", "key", "sas", "auth", "username"];

/// Whether the value of a parameter with this name is a credential, or may be one.
pub(crate) fn is_secret(name: &str) -> bool {
    if Config::is_secret(name) {
        return true;
    }
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|word| name.contains(word))
}

/// A text with the user information and the credentials in the query and the fragment of each URL hidden.
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        safe.push_str(before);
        let ends = |letter: char| letter.is_whitespace() || matches!(letter, '\'' | '"' | '<' | '>' | '`');
        let (url, following) = after.split_at(after.find(ends).unwrap_or(after.len()));
        let (authority, path) = url.split_at(url.find(['/', '?', '#']).unwrap_or(url.len()));
        // A password may contain any character, even a slash: everything before the last @ that precedes the query is redacted.
        let place = authority.len() + path.find('?').unwrap_or(path.len());
        let at = url[..place].rfind('@').max(url[..place].rfind("%40"));
        let shown = match at {
            Some(at) if authority.contains(['@', ':']) || authority.contains("%40") => {
                safe.push_str(HIDDEN);
                &url[at..]
            }
            _ => url,
        };
        let (place, query) = shown.split_at(shown.find(['?', '#']).unwrap_or(shown.len()));
        safe.push_str(place);
        let separators = |letter: char| matches!(letter, '?' | '&' | ';' | '#');
        for pair in query.split_inclusive(separators) {
            match pair.split_once('=') {
                Some((name, value)) if is_secret(name) => {
                    let end = value.chars().next_back().filter(|&letter| separators(letter));
                    safe.extend([name, "=", HIDDEN]);
                    safe.extend(end);
                }
                _ => safe.push_str(pair),
            }
        }
        rest = following;
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_urls_are_hidden() {
        for (text, shown) in [
            ("no URL: a@b?sig=c", "no URL: a@b?sig=c"),
            ("s3://bucket/a@b/c", "s3://bucket/a@b/c"),
            ("s3://bucket/what?now", "s3://bucket/what?now"),
            ("https://u:p@host/x: gone", "https://***@host/x: gone"),
            ("https://u:p/w@host/x", "https://***@host/x"),
            ("'https://u@host'", "'https://***@host'"),
            ("https://u%3Ap%40host.s3.example/?prefix=x", "https://***%40host.s3.example/?prefix=x"),
            (
                "cannot open https://a.blob.core.windows.net/c/d?sv=2024&sig=a%2Bb&se=9, and s3://k:s@b/c",
                "cannot open https://a.blob.core.windows.net/c/d?sv=2024&sig=***&se=9, and s3://***@b/c",
            ),
            (
                "\"s3://b/k?X-Amz-Credential=AK/1&X-Amz-Security-Token=t&X-Amz-Date=5\"",
                "\"s3://b/k?X-Amz-Credential=***&X-Amz-Security-Token=***&X-Amz-Date=5\"",
            ),
            ("file:///a/b", "file:///a/b"),
            ("s3://b/k#sig=SECRET: gone", "s3://b/k#sig=*** gone"),
            ("s3://b/k#part?sig=x@y", "s3://b/k#part?sig=***"),
            ("s3://b/sas=1/k#sig=x@y&n=1", "s3://b/sas=1/k#sig=***&n=1"),
            ("https://u:p#w@host/x?n=1", "https://***@host/x?n=1"),
        ] {
            assert_eq!(redact(text), shown);
        }
    }

    #[test]
    fn names_of_secrets() {
        for name in [
            "vfs.s3.aws_secret_access_key",
            "rest.token",
            "rest.password",
            "vfs.azure.storage_account_sas_token",
            "vfs.s3.aws_external_id",
        ] {
            assert!(is_secret(name), "{name}");
        }
        assert!(!is_secret("sm.mem.total_budget") && !is_secret("vfs.s3.region"));
    }
}
