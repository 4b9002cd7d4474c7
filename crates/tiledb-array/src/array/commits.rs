//! Consolidated commits: many commits in one file.
//!
//! A `.con` file is a sequence of lines `__commits/<name>.wrt` or `<name>.ok`; a line that ends in
//! `.del` is followed by the size and the bytes of the whole delete commit. An `.ign` file has
//! such lines, too: entries of `.con` files that are to be ignored.

use std::collections::HashSet;
use std::ops::Range;

use tiledb_core::error::{Error, Result};
use tiledb_storage::vfs::{Uri, check_relative};

/// Extension of files that a maintainer stores before it renames them: readers ignore them.
pub(super) const PREPARED: &str = "prepared";

/// The file that is renamed to `uri` when it counts.
pub fn prepared_uri(uri: &Uri) -> Uri {
    uri.with_extension(PREPARED)
}

/// The later name of a prepared file; none for other files.
pub fn prepared_file(name: &str) -> Option<&str> {
    name.strip_suffix(PREPARED)?.strip_suffix('.')
}

/// Contents of a file of consolidated commits.
#[derive(Default)]
pub struct ConsolidatedCommits {
    /// Names of committed fragments, with their extension.
    pub fragments: HashSet<String>,
    /// Delete conditions: relative name of the commit and its byte range in the file.
    pub deletes: Vec<(String, Range<u64>)>,
    /// Lines name no commit, or there are none: commits may be missing.
    pub is_damaged: bool,
}

/// An entry of a `.con` file.
pub enum ConsolidatedEntry<'a> {
    /// The relative name of the commit of a fragment.
    Fragment(&'a str),
    /// The relative name of a delete commit, and its byte range in the file.
    Delete(&'a str, Range<u64>),
    /// A line that names no commit, at a place in the file. An interrupted consolidation of libtiledb leaves a line that is cut short;
    /// the commits are then still there in files of their own. libtiledb ignores such lines.
    Other(usize),
}

/// The entries of a `.con` file. Delete commits are binary data between the lines; the last line may lack its end.
///
/// # Errors
/// If a commit is outside of the array, or a delete commit is cut short.
pub fn entries(bytes: &[u8]) -> impl Iterator<Item = Result<ConsolidatedEntry<'_>>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        (at < bytes.len()).then(|| {
            let parsed = entry(bytes, at);
            at = parsed.as_ref().map_or(bytes.len(), |(_, end)| *end);
            parsed.map(|(entry, _)| entry)
        })
    })
}

/// The entry at a place, and where it ends.
fn entry(bytes: &[u8], position: usize) -> Result<(ConsolidatedEntry<'_>, usize)> {
    let corrupt = |text: &str| Error::corrupt(format!("Consolidated commits: at byte {position}: {text}"));
    let rest = &bytes[position..];
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let at = (position + end + 1).min(bytes.len());
    let commit = std::str::from_utf8(&rest[..end]).ok();
    let commit = commit.filter(|line| [".wrt", ".ok", ".del"].iter().any(|extension| line.ends_with(extension)));
    let Some(line) = commit else { return Ok((ConsolidatedEntry::Other(position), at)) };
    check_relative(line).map_err(|why| corrupt(&format!("{line:?} is no commit of this array: {why}")))?;
    if !line.ends_with(".del") {
        return Ok((ConsolidatedEntry::Fragment(line), at));
    }
    let size = bytes.get(at..at + 8).map(bytemuck::pod_read_unaligned::<u64>);
    let start = at as u64 + 8;
    let stop = size.and_then(|size| start.checked_add(size)).filter(|&stop| stop <= bytes.len() as u64);
    let stop = stop.ok_or_else(|| corrupt("a delete commit is cut short"))?;
    Ok((ConsolidatedEntry::Delete(line, start..stop), stop as usize))
}

/// Reads a `.con` file.
///
/// # Errors
/// As [`entries`].
pub fn read(bytes: &[u8], ignored: &HashSet<String>) -> Result<ConsolidatedCommits> {
    let mut commits = ConsolidatedCommits { is_damaged: bytes.is_empty(), ..ConsolidatedCommits::default() };
    for entry in entries(bytes) {
        match entry? {
            ConsolidatedEntry::Delete(line, range) => commits.deletes.push((line.to_owned(), range)),
            ConsolidatedEntry::Fragment(line) if !ignored.contains(line) => {
                commits.fragments.insert(last_part(line).to_owned());
            }
            ConsolidatedEntry::Fragment(_) => {}
            ConsolidatedEntry::Other(_) => commits.is_damaged = true,
        }
    }
    Ok(commits)
}

/// The lines of an `.ign` file.
pub fn ignored(bytes: &[u8]) -> impl Iterator<Item = String> {
    lines(bytes)
}

/// The names of the fragments that a `.vac` file lists, whatever their URIs look like: arrays may
/// have been moved since.
pub fn vacuumed(bytes: &[u8]) -> impl Iterator<Item = String> {
    lines(bytes).map(|line| last_part(line.trim_end_matches('/')).to_owned())
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// The part after the last slash.
pub fn last_part(line: &str) -> &str {
    line.rsplit('/').next().unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_delete_commits_mix() {
        let mut bytes = b"__commits/__1_1_aa_22.wrt\n__2_2_bb_9.ok\n__commits/__3_3_cc_22.del\n".to_vec();
        bytes.extend_from_slice(&4u64.to_le_bytes());
        bytes.extend_from_slice(b"a\nb\n");
        bytes.extend_from_slice(b"__commits/__4_4_dd_22.wrt\n");
        let ignored = HashSet::from(["__commits/__4_4_dd_22.wrt".to_owned()]);
        let commits = read(&bytes, &ignored).unwrap();
        assert_eq!(commits.fragments, HashSet::from(["__1_1_aa_22.wrt".to_owned(), "__2_2_bb_9.ok".to_owned()]));
        let (name, range) = &commits.deletes[0];
        assert_eq!(name, "__commits/__3_3_cc_22.del");
        assert_eq!(&bytes[range.start as usize..range.end as usize], b"a\nb\n");
    }

    /// As libtiledb reads what it leaves where a consolidation was interrupted.
    #[test]
    fn line_that_is_cut_short_is_ignored_and_delete_commit_that_is_cut_short_is_refused() {
        let first = b"__commits/__1_1_aa_22.wrt\n__commits/__2_2_bb_22.del\n";
        let delete = [&4u64.to_le_bytes()[..], b"a\nb\n"].concat();
        let last = b"__commits/__3_3_cc_22.wrt\n";
        let bytes = [&first[..], &delete, last].concat();
        let count = |cut: usize| {
            let commits = read(&bytes[..cut], &HashSet::new()).ok()?;
            Some((commits.fragments.len(), commits.deletes.len()))
        };
        let starts_delete = first.len() - 1;
        let ends_delete = first.len() + delete.len();
        for cut in 0..=bytes.len() {
            let expected = match cut {
                _ if cut < 25 => Some((0, 0)),
                _ if cut < starts_delete => Some((1, 0)),
                _ if cut < ends_delete => None,
                _ if cut < bytes.len() - 1 => Some((1, 1)),
                _ => Some((2, 1)),
            };
            assert_eq!(count(cut), expected, "{cut}");
        }
        let noise = [&b"\nno commit\n\xff\xfe\n"[..], last].concat();
        assert_eq!(read(&noise, &HashSet::new()).unwrap().fragments.len(), 1);
    }

    #[test]
    fn lines_that_lead_elsewhere_are_refused() {
        for line in
            ["../__1_1_aa_22.wrt", "__commits/../../x/__1_1_aa_22.wrt", "/etc/x.del", "__commits//x.ok", "a\0.ok"]
        {
            let mut bytes = format!("{line}\n").into_bytes();
            bytes.extend_from_slice(&[0; 8]);
            assert!(entries(&bytes).next().unwrap().is_err(), "{line:?}");
        }
    }

    #[test]
    fn vacuum_files_name_fragments_in_any_form() {
        let text = b"/__fragments/__1_1_aa_22\nfile:///x/y/__fragments/__2_2_bb_12/\n";
        assert_eq!(vacuumed(text).collect::<Vec<_>>(), ["__1_1_aa_22", "__2_2_bb_12"]);
    }
}
