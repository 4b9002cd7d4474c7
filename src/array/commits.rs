//! Consolidated commits: many commits in one file.
//!
//! A `.con` file is a sequence of lines `__commits/<name>.wrt` or `<name>.ok`; a line that ends in
//! `.del` is followed by the size and the bytes of the whole delete commit. An `.ign` file has
//! such lines too: entries of `.con` files that count no longer.

use std::collections::HashSet;
use std::ops::Range;

use crate::error::{Error, Result};

/// What a file of consolidated commits says.
#[derive(Default)]
pub struct Consolidated {
    /// Names of committed fragments, with their extension.
    pub fragments: HashSet<String>,
    /// Delete conditions: relative name of the commit and where its bytes lie.
    pub deletes: Vec<(String, Range<u64>)>,
}

/// Reads a `.con` file.
///
/// # Errors
/// If a line or a delete commit is cut short.
pub fn read(bytes: &[u8], ignored: &HashSet<String>) -> Result<Consolidated> {
    let mut found = Consolidated::default();
    let mut at = 0;
    while at < bytes.len() {
        let position = at;
        let corrupt = |text: &str| Error::corrupt(format!("Consolidated commits: at byte {position}: {text}"));
        let end = bytes[at..].iter().position(|&byte| byte == b'\n').ok_or_else(|| corrupt("a line without end"))?;
        let line = std::str::from_utf8(&bytes[at..at + end]).map_err(|_| corrupt("a line that is no text"))?;
        at += end + 1;
        if line.ends_with(".del") {
            let size = bytes.get(at..at + 8).map(bytemuck::pod_read_unaligned::<u64>);
            let start = at as u64 + 8;
            let stop = size.and_then(|size| start.checked_add(size)).filter(|&stop| stop <= bytes.len() as u64);
            let stop = stop.ok_or_else(|| corrupt("a delete commit is cut short"))?;
            found.deletes.push((line.to_owned(), start..stop));
            at = stop as usize;
        } else if !ignored.contains(line) {
            found.fragments.insert(last_part(line).to_owned());
        }
    }
    Ok(found)
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

/// What follows the last slash.
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
        let found = read(&bytes, &ignored).unwrap();
        assert_eq!(found.fragments, HashSet::from(["__1_1_aa_22.wrt".to_owned(), "__2_2_bb_9.ok".to_owned()]));
        let (name, range) = &found.deletes[0];
        assert_eq!(name, "__commits/__3_3_cc_22.del");
        assert_eq!(&bytes[range.start as usize..range.end as usize], b"a\nb\n");
        for cut in 0..bytes.len() {
            // Cut short anywhere but between entries is an error, nowhere a panic.
            let _ = read(&bytes[..cut], &ignored);
        }
        assert!(read(&bytes[..bytes.len() - 1], &ignored).is_err());
    }

    #[test]
    fn vacuum_files_name_fragments_in_any_form() {
        let text = b"/__fragments/__1_1_aa_22\nfile:///x/y/__fragments/__2_2_bb_12/\n";
        assert_eq!(vacuumed(text).collect::<Vec<_>>(), ["__1_1_aa_22", "__2_2_bb_12"]);
    }
}
