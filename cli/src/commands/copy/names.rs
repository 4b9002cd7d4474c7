//! What a file is for, told by its name, and when its turn to be copied comes.

use std::collections::BTreeSet;

/// The order in which files are copied. All of one are there before any of the next: so a reader of the target sees a
/// fragment whole or not at all, never both what was merged and the result, and no member before it can be opened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Turn {
    /// Files that TileDB does not know.
    Other,
    Enumeration,
    Schema,
    /// Cells and what tells of them: nothing is seen of it without a commit.
    Data,
    /// Footers of many fragments in one file, which readers look for.
    Footers,
    /// Metadata that others were merged into, and what hides those; then the rest.
    MergedMeta,
    VacuumMeta,
    Meta,
    /// Delete conditions, and commits that no longer count.
    Delete,
    /// Commits of fragments that others were merged into, and what hides those; then the rest.
    MergedCommit,
    Vacuum,
    Commits,
    Commit,
    GroupMeta,
    Group,
}

impl Turn {
    /// Whether readers look for such files and take what they find for whole.
    pub fn is_seen(self) -> bool {
        !matches!(self, Turn::Other | Turn::Data)
    }

    /// Whether nothing is seen of such a file by itself.
    pub fn is_harmless(self) -> bool {
        matches!(self, Turn::Data | Turn::Footers)
    }
}

/// A name below the root of the copy, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub turn: Turn,
    /// The folder of the fragment that it belongs to.
    pub fragment: Option<String>,
}

/// Where arrays and groups begin, and what was merged.
#[derive(Default)]
pub struct Objects {
    pub arrays: BTreeSet<String>,
    pub groups: BTreeSet<String>,
    names: BTreeSet<String>,
}

const FOOTER: &str = "__fragment_metadata.tdb";

impl Objects {
    /// Finds the arrays and groups among names of files.
    pub fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for name in names {
            found.names.insert(name.to_owned());
            let mut start = 0;
            for part in name.split('/') {
                let root = || name[..start].trim_end_matches('/').to_owned();
                match part {
                    "__schema" | "__array_schema.tdb" => _ = found.arrays.insert(root()),
                    "__group" | "__tiledb_group.tdb" => _ = found.groups.insert(root()),
                    _ => {}
                }
                start += part.len() + 1;
            }
        }
        found
    }

    /// Whether a fragment is complete, as far as its folder tells.
    pub fn has_footer(&self, fragment: &str) -> bool {
        self.names.contains(&format!("{fragment}/{FOOTER}"))
    }

    /// What a file is for.
    pub fn place(&self, name: &str) -> Place {
        let mut root = name;
        while let Some(at) = root.rfind('/') {
            root = &root[..at];
            if self.arrays.contains(root) {
                return self.in_array(root, &name[at + 1..]);
            }
            if self.groups.contains(root) {
                return in_group(&name[at + 1..]);
            }
        }
        if self.arrays.contains("") {
            self.in_array("", name)
        } else if self.groups.contains("") {
            in_group(name)
        } else {
            of(Turn::Other)
        }
    }

    fn in_array(&self, root: &str, name: &str) -> Place {
        let below = |name: &str| if root.is_empty() { name.to_owned() } else { format!("{root}/{name}") };
        let (first, rest) = name.split_once('/').unwrap_or((name, ""));
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_merged = || self.names.contains(&below(&format!("{stem}.vac")));
        match (first, rest) {
            ("__schema", rest) if rest.starts_with("__enumerations") => of(Turn::Enumeration),
            ("__schema" | "__array_schema.tdb", _) => of(Turn::Schema),
            ("__fragment_meta", _) => of(Turn::Footers),
            ("__fragments", rest) => {
                let fragment = rest.split('/').next().unwrap_or_default();
                Place { turn: Turn::Data, fragment: Some(below(&format!("__fragments/{fragment}"))) }
            }
            ("__meta", _) if extension == "vac" => of(Turn::VacuumMeta),
            ("__meta", _) if self.names.contains(&below(&format!("{name}.vac"))) => of(Turn::MergedMeta),
            ("__meta", _) => of(Turn::Meta),
            ("__commits", _) => of(commit(extension, is_merged)),
            // Before format version 12 all lies in the array's folder.
            (_, "") if is_timestamped(stem) && !extension.is_empty() => of(match extension {
                "meta" => Turn::Footers,
                extension => commit(extension, is_merged),
            }),
            (fragment, rest) if is_timestamped(fragment) => {
                // Before version 5 the footer is the commit.
                let is_committed = self.names.contains(&below(&format!("{fragment}.ok")));
                let turn = match rest == FOOTER && !is_committed {
                    true if self.names.contains(&below(&format!("{fragment}.vac"))) => Turn::MergedCommit,
                    true => Turn::Commit,
                    false => Turn::Data,
                };
                Place { turn, fragment: Some(below(fragment)) }
            }
            _ => of(Turn::Other),
        }
    }
}

fn commit(extension: &str, is_merged: impl Fn() -> bool) -> Turn {
    match extension {
        "del" | "upd" | "ign" => Turn::Delete,
        "vac" => Turn::Vacuum,
        "con" => Turn::Commits,
        _ if is_merged() => Turn::MergedCommit,
        _ => Turn::Commit,
    }
}

fn of(turn: Turn) -> Place {
    Place { turn, fragment: None }
}

fn in_group(name: &str) -> Place {
    of(match name.split('/').next() {
        Some("__meta") => Turn::GroupMeta,
        Some("__group" | "__tiledb_group.tdb") => Turn::Group,
        _ => Turn::Other,
    })
}

/// Whether a name is made of times and a number of 32 digits, as those of fragments and their commits are.
fn is_timestamped(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("__") else { return false };
    let is_time = |part: &str| !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_digit());
    let is_unique = |part: &str| part.len() == 32 && part.bytes().all(|letter| letter.is_ascii_hexdigit());
    rest.split('_').any(is_unique) && rest.split('_').any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const F: &str = "__1_2_0123456789abcdef0123456789abcdef";

    #[test]
    fn names_have_their_turns() {
        let new = format!("a/__commits/{F}_22.wrt");
        let vacuum = format!("a/__commits/{F}_22.vac");
        let old = format!("b/{F}/{FOOTER}");
        let older = format!("b/{F}_9.ok");
        let names = ["a/__schema/x", &new, &vacuum, "b/__array_schema.tdb", &old, &older, "__tiledb_group.tdb"];
        let objects = Objects::of(names.into_iter());
        let turn = |name: &str| objects.place(name).turn;
        assert_eq!(turn("a/__schema/x"), Turn::Schema);
        assert_eq!(turn("a/__schema/__enumerations/x"), Turn::Enumeration);
        assert_eq!((turn(&new), turn(&vacuum)), (Turn::MergedCommit, Turn::Vacuum));
        assert_eq!((turn(&old), turn(&older)), (Turn::Commit, Turn::Commit));
        assert_eq!(turn(&format!("b/{F}_9/{FOOTER}")), Turn::Data);
        assert_eq!(turn(&format!("b/{F}_9.meta")), Turn::Footers);
        assert_eq!(turn(&format!("a/__fragment_meta/{F}_22.meta")), Turn::Footers);
        assert_eq!(
            (turn("__group/x"), turn("__meta/x"), turn("notes.txt")),
            (Turn::Group, Turn::GroupMeta, Turn::Other)
        );
        assert_eq!(objects.place(&format!("b/{F}/a.tdb")).fragment, Some(format!("b/{F}")));
        assert_eq!(turn("b/__lock.tdb"), Turn::Other);
    }
}
