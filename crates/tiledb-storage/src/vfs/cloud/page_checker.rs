//! Bounds paginated listings: a page that repeats another, contains names that were not requested, or adds nothing too
//! often is an error, and so is a listing that exceeds its memory limit.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::store::{ListPage, ListRequest};
use tiledb_core::error::{Error, ErrorKind, Result, bail};

/// Maximum number of successive empty pages: stores scan a fixed number of names per page and skip deleted ones.
const MOST_EMPTY: u32 = 1000;

/// Maximum size of a name or a continuation token. Stores allow names of 1,024 bytes or letters.
const LONGEST: usize = 8 << 10;

/// Memory of an entry in addition to its name.
const ENTRY: u64 = 64;

/// State of one listing.
pub(super) struct PageChecker {
    hasher: RandomState,
    /// Digests of the continuation tokens.
    tokens: HashSet<u64>,
    /// Digest of the first name of the last page that was not empty.
    first: Option<u64>,
    empty: u32,
    /// Memory of all entries, and its limit.
    bytes: u64,
    most: u64,
}

impl PageChecker {
    /// `most` is the memory limit in bytes.
    pub(super) fn new(most: u64) -> PageChecker {
        let (hasher, tokens) = (RandomState::new(), HashSet::new());
        PageChecker { hasher, tokens, first: None, empty: 0, bytes: 0, most }
    }

    /// Checks the next page.
    ///
    /// # Errors
    /// `Io` for an invalid page, `OutOfMemory` if the listing exceeds its memory limit.
    pub(super) fn check(&mut self, listing: &ListRequest<'_>, page: &ListPage) -> Result<()> {
        let names = || page.objects.iter().map(|object| &object.key).chain(&page.prefixes);
        for name in names() {
            if !name.starts_with(listing.prefix) || name.contains('\0') || name.len() > LONGEST {
                return Err(broken(listing, format_args!("the name '{}', which was not asked for", shown(name))));
            }
        }
        self.count(names().map(|name| name.len() as u64), listing.bucket)?;
        self.advance(names().next().map(String::as_str), page.next.as_deref()).map_err(|what| broken(listing, what))
    }

    /// Counts the memory that entries with names of these lengths take.
    ///
    /// # Errors
    /// `OutOfMemory` if it is too much.
    pub(super) fn count(&mut self, lengths: impl Iterator<Item = u64>, bucket: &str) -> Result<()> {
        self.bytes += lengths.map(|length| length + ENTRY).sum::<u64>();
        if self.bytes > self.most {
            bail!(
                OutOfMemory,
                "The listing of '{bucket}' takes more than {} bytes; list less at a time, or raise 'sm.mem.total_budget', of which it may \
                 take a fourth",
                self.most
            );
        }
        Ok(())
    }

    /// Records the first name of a page and the token of the next one.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn advance(&mut self, first: Option<&str>, next: Option<&str>) -> std::result::Result<(), String> {
        let digest = |text: &str| self.hasher.hash_one(text);
        match first.map(digest) {
            None => self.empty += 1,
            first if first == self.first => return Err("the same page again".to_owned()),
            first => (self.first, self.empty) = (first, 0),
        }
        let Some(next) = next else { return Ok(()) };
        if self.empty > MOST_EMPTY {
            return Err(format!("{} pages in a row without entries", self.empty));
        }
        if next.is_empty() || next.len() > LONGEST {
            return Err(format!("a continuation token of {} bytes", next.len()));
        }
        let token = self.hasher.hash_one(next);
        if self.tokens.insert(token) { Ok(()) } else { Err("a continuation token that it named before".to_owned()) }
    }
}

#[cold]
fn broken(listing: &ListRequest<'_>, what: impl std::fmt::Display) -> Error {
    let text =
        format!("The listing of '{}/{}' cannot be used: the store answers with {what}", listing.bucket, listing.prefix);
    Error::new(ErrorKind::Io, text)
}

/// An untrusted name for an error message.
fn shown(name: &str) -> String {
    name.escape_debug().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::super::store::Object;
    use super::*;

    fn page(names: &[&str], next: Option<&str>) -> ListPage {
        let objects = names.iter().map(|&name| Object { key: name.to_owned(), size: 1 }).collect();
        ListPage { objects, prefixes: Vec::new(), next: next.map(str::to_owned) }
    }

    const LISTING: ListRequest<'static> = ListRequest { bucket: "b", prefix: "p/", deep: true, most: None, from: None };

    fn ends(most: u64, page_of: impl Fn(usize) -> ListPage) -> (usize, String) {
        let mut pages = PageChecker::new(most);
        for number in 0..100_000 {
            if let Err(error) = pages.check(&LISTING, &page_of(number)) {
                return (number, error.text().to_owned());
            }
        }
        (100_000, String::new())
    }

    #[test]
    fn listings_come_to_an_end() {
        let name = |number: usize| format!("p/{number}");
        let token = |number: usize| format!("t{number}");
        let all = u64::MAX;
        let cases: [(&str, (usize, String)); 6] = [
            ("named before", ends(all, |number| page(&[&name(number)], Some("t")))),
            ("named before", ends(all, |number| page(&[&name(number)], Some(&token(number % 3))))),
            ("the same page", ends(all, |number| page(&["p/a", "p/b"], Some(&token(number))))),
            ("without entries", ends(all, |number| page(&[], Some(&token(number))))),
            ("more than 10000 bytes", ends(10_000, |number| page(&[&name(number)], Some(&token(number))))),
            ("token of 0 bytes", ends(all, |number| page(&[&name(number)], Some("")))),
        ];
        for (what, (number, text)) in cases {
            assert!(number <= 1001 && text.contains(what), "{what}: {number} {text}");
        }
        for odd in ["q/a", "p", "p/\0", &format!("p/{}", "x".repeat(9000))] {
            let (number, text) = ends(all, |_| page(&[odd], None));
            assert!(number == 0 && text.contains("was not asked for"), "{text}");
        }
        let mut pages = PageChecker::new(all);
        for number in 0..5000 {
            pages.check(&LISTING, &page(&[&name(number)], Some(&token(number)))).unwrap();
            pages.check(&LISTING, &page(&[], Some(&format!("e{number}")))).unwrap();
        }
    }
}
