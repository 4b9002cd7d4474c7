//! Pages of links by which nginx, Apache and Python's `http.server` list folders.

use super::address::decoded;
use crate::vfs::{DirItem, check_component};

/// What such pages say about themselves; other pages with links are none.
const TITLES: [&str; 2] = ["Index of ", "Directory listing for "];

/// The entries that a page links to, `folder` being its encoded path; `None` if it is no listing. Links elsewhere, which
/// lead up, sort the page or are hostile, are left out.
pub(super) fn entries_of(page: &str, folder: &str) -> Option<Vec<DirItem>> {
    if !TITLES.iter().any(|title| page.contains(title)) {
        return None;
    }
    let links = page.match_indices("href=").filter_map(|(at, _)| {
        let value = page.get(at + "href=".len()..)?;
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        value.get(1..)?.split(quote).next()
    });
    let mut items: Vec<DirItem> = links.filter_map(|link| item_of(&unescaped(link)?, folder)).collect();
    items.sort_unstable();
    items.dedup();
    Some(items)
}

fn item_of(link: &str, folder: &str) -> Option<DirItem> {
    let path = link.split(['?', '#']).next()?;
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = match path.strip_prefix('/') {
        Some(absolute) => absolute.strip_prefix(folder.trim_matches('/'))?.strip_prefix('/')?,
        None => path,
    };
    let name = path.strip_suffix('/').unwrap_or(path);
    // A colon in front of any slash makes it an address.
    let is_plain = !name.is_empty() && !name.contains(['/', ':']);
    let name = String::from_utf8(decoded(name).filter(|_| is_plain)?).ok()?;
    check_component(&name).ok()?;
    Some(DirItem { name, is_dir: path.ends_with('/') })
}

/// A text without character references; `None` for unknown ones.
fn unescaped(text: &str) -> Option<String> {
    let Some((before, rest)) = text.split_once('&') else { return Some(text.to_owned()) };
    let (reference, after) = rest.split_once(';')?;
    let letter = match reference {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = reference.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some([before, &letter.to_string(), &unescaped(after)?].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(page: &str, folder: &str) -> Option<Vec<String>> {
        let name = |item: DirItem| item.name + if item.is_dir { "/" } else { "" };
        entries_of(page, folder).map(|items| items.into_iter().map(name).collect())
    }

    #[test]
    fn pages_of_common_servers_are_listings() {
        let nginx = "<html><head><title>Index of /a/</title></head><body><h1>Index of /a/</h1><hr><pre><a href=\"../\">../</a>\
                     <a href=\"__schema/\">__schema/</a> 01-Jan-2026 00:00 -\n<a href=\"x%20y%2520.tdb\">x..&gt;</a></pre>";
        assert_eq!(names(nginx, "a/").unwrap(), ["__schema/", "x y%20.tdb"]);
        let apache = "<title>Index of /a</title><a href=\"?C=N;O=D\">Name</a><a href=\"/\">Parent Directory</a>\
                      <a href=\"b&amp;c.tdb\">b</a><a href=\"/a/d/\">d</a>";
        assert_eq!(names(apache, "a").unwrap(), ["b&c.tdb", "d/"]);
        let python = "<title>Directory listing for /a/</title><li><a href=\"__meta/\">__meta/</a></li>\
                      <li><a href='it%27s'>it's</a></li><li><a href=\"it%27s\">it's</a></li>";
        assert_eq!(names(python, "a/").unwrap(), ["__meta/", "it's"]);
        assert_eq!(names("<a href=\"x\">x</a>", "a"), None);
    }

    #[test]
    fn links_elsewhere_are_left_out() {
        let links = [
            "..",
            "../x",
            "/etc/passwd",
            "//evil/x",
            "http://evil/x",
            "javascript:x",
            "a/b",
            "%2e%2e/",
            "%2e",
            "x%2Fy",
            "a%00",
            "%zz",
            "",
            "#x",
            "?x",
            "&unknown;",
            "&#99999999;",
            "&",
        ];
        let page = links.iter().map(|link| format!("<a href=\"{link}\">")).collect::<String>() + "Index of /";
        assert_eq!(names(&page, "").unwrap(), Vec::<String>::new());
    }
}
